//! The public nonlinear problems of `fixtures/problems/mcp`, each with the starts and solutions of its sidecar.

use std::error::Error;
use std::path::PathBuf;

use serde_json::Value;
use signorini_ampl::Model;

/// What can go wrong with a file.
pub type ReadError = Box<dyn Error + Send + Sync>;

/// A public problem.
#[derive(Debug)]
pub struct PublicMcp {
    /// Its name, that of its files.
    pub name: String,
    /// F, its Jacobian and the bounds.
    pub model: Model,
    /// The starts, each of length n; the first is that of the file.
    pub starts: Vec<Vec<f64>>,
    /// The solutions that the sidecar lists; there may be others.
    pub solutions: Vec<Vec<f64>>,
}

impl PublicMcp {
    /// Reads one problem.
    ///
    /// # Errors
    /// If there is no such problem, or its files are damaged.
    ///
    /// # Examples
    /// ```
    /// use signorini_benches::PublicMcp;
    /// let problem = PublicMcp::named("kojshin")?;
    /// assert_eq!(problem.starts.len(), 8);
    /// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, ReadError> {
        let path = folder().join(format!("{name}.json"));
        let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let sidecar: Value = serde_json::from_slice(&text)?;
        let damaged = || format!("{}: not the sidecar of a problem", path.display());
        let lists = |value: &Value| -> Option<Vec<Vec<f64>>> {
            value.as_array()?.iter().map(numbers).collect()
        };
        let solutions = sidecar["solutions"].as_array().ok_or_else(damaged)?;
        let solutions: Option<_> = solutions.iter().map(|s| numbers(&s["z"])).collect();
        Ok(Self {
            name: name.to_owned(),
            model: Self::read(name)?,
            starts: lists(&sidecar["starts"]).ok_or_else(damaged)?,
            solutions: solutions.ok_or_else(damaged)?,
        })
    }

    /// Reads the .nl file alone, for whoever wants to share nothing with a solver.
    ///
    /// # Errors
    /// If there is no such file, or it is damaged.
    pub fn read(name: &str) -> Result<Model, ReadError> {
        Ok(Model::from_path(folder().join(format!("{name}.nl")))?)
    }

    /// Names of all problems, sorted.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names() -> Result<Vec<String>, ReadError> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder())? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                names.extend(
                    path.file_stem()
                        .map(|stem| stem.to_string_lossy().into_owned()),
                );
            }
        }
        names.sort();
        Ok(names)
    }

    /// Reads all problems, in the order of their names.
    ///
    /// # Errors
    /// As for [`Self::named`].
    pub fn all() -> Result<Vec<Self>, ReadError> {
        Self::names()?
            .iter()
            .map(|name| Self::named(name))
            .collect()
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/problems/mcp")
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}
