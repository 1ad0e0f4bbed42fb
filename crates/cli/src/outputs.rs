//! The files of a run: opened before it, so that a wrong path is known at once, and complete only after it.

use std::io::Write;
use std::path::{Path, PathBuf};

use signorini_scene::{AtomicFile, WriteError};

use crate::args::RunArguments;
use crate::error::CliError;

/// The files asked for. Dropped without [`Outputs::commit`], none of them appears.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) trajectory: Option<AtomicFile>,
    report: Option<AtomicFile>,
    plot: Option<AtomicFile>,
    save: Option<AtomicFile>,
}

impl Outputs {
    pub(crate) fn open(arguments: &RunArguments) -> Result<Self, CliError> {
        refuse_same_paths(arguments)?;
        refuse_unknown_picture(arguments)?;
        let open = |option, path: &Option<PathBuf>| {
            let file = path.as_ref().map(AtomicFile::create).transpose();
            file.map_err(|source| CliError::Path { option, source })
        };
        // It is written where a step fails alone, but one that could not be is known now.
        drop(open("--unsolved", &arguments.unsolved)?);
        Ok(Self {
            trajectory: open("--out", &arguments.out)?,
            report: open("--report", &arguments.report)?,
            plot: open("--plot", &arguments.plot)?,
            save: open("--save", &arguments.save)?,
        })
    }

    pub(crate) fn write_report(&mut self, text: &str) -> Result<(), CliError> {
        write(self.report.as_mut(), text.as_bytes())
    }

    pub(crate) fn write_plot(&mut self, picture: &[u8]) -> Result<(), CliError> {
        write(self.plot.as_mut(), picture)
    }

    pub(crate) fn write_checkpoint(&mut self, text: &str) -> Result<(), CliError> {
        write(self.save.as_mut(), text.as_bytes())
    }

    /// Lets every file appear under its name; returns the names.
    pub(crate) fn commit(self) -> Result<Vec<PathBuf>, CliError> {
        let files = [self.trajectory, self.report, self.plot, self.save];
        let mut paths = Vec::new();
        for file in files.into_iter().flatten() {
            let path = file.path().to_owned();
            if let Err(source) = file.commit() {
                return Err(CliError::Result {
                    source,
                    written: paths,
                });
            }
            paths.push(path);
        }
        Ok(paths)
    }
}

/// Writes the problem of a step that was not solved; the name of the file. Without an option it stands in the working folder.
pub(crate) fn write_unsolved(arguments: &RunArguments, text: &str) -> Result<PathBuf, WriteError> {
    let path = arguments.unsolved.clone().unwrap_or_else(|| {
        let mut name = arguments.scene.file_stem().unwrap_or_default().to_owned();
        name.push("-unsolved-step.json");
        name.into()
    });
    let mut file = AtomicFile::create(&path)?;
    if let Err(source) = file.write_all(text.as_bytes()) {
        return Err(WriteError { path, source });
    }
    file.commit()?;
    Ok(path)
}

fn write(file: Option<&mut AtomicFile>, bytes: &[u8]) -> Result<(), CliError> {
    let Some(file) = file else { return Ok(()) };
    file.write_all(bytes).map_err(|source| {
        let path = file.path().to_owned();
        CliError::Result {
            source: WriteError { path, source },
            written: Vec::new(),
        }
    })
}

/// A picture named `rod.jpg` would hold an SVG.
fn refuse_unknown_picture(arguments: &RunArguments) -> Result<(), CliError> {
    let Some(path) = &arguments.plot else {
        return Ok(());
    };
    let known = |ending: &std::ffi::OsStr| {
        ["svg", "png"]
            .iter()
            .any(|k| ending.eq_ignore_ascii_case(k))
    };
    if path.extension().is_some_and(known) || is_device(path) {
        return Ok(());
    }
    Err(CliError::PictureEnding { path: path.clone() })
}

/// Two results in one file, or a result over the scene, would destroy one of them.
fn refuse_same_paths(arguments: &RunArguments) -> Result<(), CliError> {
    let named = [
        ("SCENE", Some(&arguments.scene)),
        ("--out", arguments.out.as_ref()),
        ("--report", arguments.report.as_ref()),
        ("--plot", arguments.plot.as_ref()),
        ("--save", arguments.save.as_ref()),
        ("--unsolved", arguments.unsolved.as_ref()),
    ];
    let named: Vec<(&str, PathBuf)> = named
        .into_iter()
        .filter_map(|(name, path)| Some((name, whole(path?))))
        .collect();
    for (index, (second, path)) in named.iter().enumerate() {
        let earlier = named[..index].iter().find(|(_, other)| other == path);
        if let Some((first, _)) = earlier.filter(|_| !is_device(path)) {
            return Err(CliError::SamePath {
                path: path.clone(),
                first,
                second,
            });
        }
    }
    Ok(())
}

/// The path without links and dots, as far as it exists.
fn whole(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn is_device(path: &Path) -> bool {
    path.exists() && !path.is_file() && !path.is_dir()
}
