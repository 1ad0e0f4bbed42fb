//! Writes a report so that it appears complete or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::OutputError;
use crate::golden;
use crate::html;
use crate::run::Outcome;
use crate::summary::summary;

/// A folder beside the one asked for, which takes its place in the end.
///
/// Dropped without [`Staged::publish`], it is removed with everything in it.
#[derive(Debug)]
pub struct Staged {
    target: PathBuf,
    stage: PathBuf,
    published: bool,
}

impl Staged {
    /// Makes the folder, so that a path that cannot be written is found before the work is done.
    ///
    /// # Errors
    ///
    /// [`OutputError::NoFolder`] for a path without a name, [`OutputError::Foreign`] for a folder
    /// with files that are no report, [`OutputError::Write`] if it cannot be made.
    pub fn beside(target: &Path) -> Result<Self, OutputError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| OutputError::Write { path, source }
        };
        let absolute = std::path::absolute(target).map_err(failed(target))?;
        let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(OutputError::NoFolder { path: absolute });
        };
        if absolute.exists() {
            let mut entries = fs::read_dir(&absolute).map_err(failed(&absolute))?;
            if entries.next().is_some() && !absolute.join("summary.json").is_file() {
                return Err(OutputError::Foreign { path: absolute });
            }
        }
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".partial-{}", std::process::id()));
        let stage = parent.join(hidden);
        fs::create_dir_all(parent).map_err(failed(parent))?;
        fs::create_dir(&stage).map_err(failed(&absolute))?;
        Ok(Self {
            target: absolute,
            stage,
            published: false,
        })
    }

    /// The hidden folder, for a program that is told to stop.
    pub fn hidden(&self) -> &Path {
        &self.stage
    }

    /// Writes a file of the report; `name` is relative to it.
    ///
    /// # Errors
    ///
    /// [`OutputError::Write`] with the path the file would have had.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
        let path = self.stage.join(name);
        let make = || {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, bytes)
        };
        make().map_err(|source| OutputError::Write {
            path: self.target.join(name),
            source,
        })
    }

    /// Puts the folder in its place; an earlier report there is removed. Returns the place.
    ///
    /// # Errors
    ///
    /// [`OutputError::Write`]; the earlier report is then where it was.
    pub fn publish(mut self) -> Result<PathBuf, OutputError> {
        let failed = |source| OutputError::Write {
            path: self.target.clone(),
            source,
        };
        let old = self
            .stage
            .with_extension(format!("old-{}", std::process::id()));
        let had_old = self.target.exists();
        if had_old {
            fs::rename(&self.target, &old).map_err(failed)?;
        }
        if let Err(source) = fs::rename(&self.stage, &self.target) {
            if had_old {
                fs::rename(&old, &self.target).map_err(failed)?;
            }
            return Err(failed(source));
        }
        self.published = true;
        if had_old {
            fs::remove_dir_all(&old).map_err(failed)?;
        }
        Ok(self.target.clone())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.published {
            // Nothing better can be done here; the folder is hidden and says what it is.
            let _ = fs::remove_dir_all(&self.stage);
        }
    }
}

/// Writes figures, data, `summary.json` and `index.html` of `outcomes` into `folder`.
///
/// # Errors
///
/// [`OutputError`] if a figure cannot be drawn or a file cannot be written.
pub fn write_report(folder: &Staged, outcomes: &[Outcome]) -> Result<(), OutputError> {
    let mut pictures = Vec::new();
    for outcome in outcomes {
        let id = outcome.experiment.id();
        let mut drawn = Vec::new();
        for plate in &outcome.report.plates {
            let (svg, png) = plate.figure.svg_and_png().map_err(|source| {
                let (experiment, figure) = (id.to_owned(), plate.name.clone());
                OutputError::Figure {
                    experiment,
                    figure,
                    source,
                }
            })?;
            folder.write(&format!("{id}/{}.svg", plate.name), svg.as_bytes())?;
            folder.write(&format!("{id}/{}.png", plate.name), &png)?;
            drawn.push(svg);
        }
        pictures.push(drawn);
        for (name, _, animation) in &outcome.report.animations {
            folder.write(&format!("{id}/{name}.html"), animation.html().as_bytes())?;
        }
        for table in &outcome.report.tables {
            let heading = |column: &crate::report::Column| match column.unit.as_str() {
                "" => column.name.clone(),
                unit => format!("{} [{unit}]", column.name),
            };
            let text = golden::rows(table, heading);
            folder.write(&format!("{id}/{}.csv", table.name), text.as_bytes())?;
        }
    }
    let mut json = serde_json::to_string_pretty(&summary(outcomes))?;
    json.push('\n');
    folder.write("summary.json", json.as_bytes())?;
    folder.write("index.html", html::page(outcomes, &pictures).as_bytes())
}
