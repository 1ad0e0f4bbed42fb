//! Files that are complete or not there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file cannot be written.
#[derive(Debug, Error)]
#[error("cannot write `{}`: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A file that appears under its name only when it is complete.
///
/// Text goes to a hidden file in the same folder; [`AtomicFile::commit`] renames it, and dropping without a commit
/// removes it. A target that is no regular file (a terminal, a pipe, `/dev/null`) is written directly.
///
/// # Examples
/// ```no_run
/// use std::io::Write;
/// let mut file = signorini_scene::AtomicFile::create("fall.csv")?;
/// writeln!(file, "time [s]")?;
/// file.commit()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    target: PathBuf,
    /// None if the target is written directly or the file is complete.
    partial: Option<PathBuf>,
}

impl AtomicFile {
    /// Opens the file for writing; what stood under the name stays until the commit.
    ///
    /// # Errors
    /// [`WriteError`] if the folder is missing or refuses a new file, or if the name is a folder's or a read-only
    /// file's.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        let path = path.as_ref();
        open(path).map_err(|source| WriteError {
            path: path.to_owned(),
            source,
        })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Puts the complete file under its name.
    ///
    /// # Errors
    /// [`WriteError`]; the hidden file is then removed and what stood under the name is untouched.
    pub fn commit(mut self) -> Result<(), WriteError> {
        self.finish().map_err(|source| WriteError {
            path: self.target.clone(),
            source,
        })
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        if let Some(partial) = &self.partial {
            self.writer.get_ref().sync_all()?;
            fs::rename(partial, &self.target)?;
            self.partial = None;
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Nothing can be done about a failure here, and the file is hidden and named as partial.
            let _ = fs::remove_file(partial);
        }
    }
}

fn open(path: &Path) -> io::Result<AtomicFile> {
    // A link keeps being one: what it points at is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Ok(found) = fs::metadata(&target) {
        if found.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            ));
        }
        if found.permissions().readonly() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is read-only",
            ));
        }
        if !found.is_file() {
            let writer = BufWriter::new(OpenOptions::new().write(true).open(&target)?);
            return Ok(AtomicFile {
                writer,
                target,
                partial: None,
            });
        }
    }
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it names no file",
        ));
    };
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let text = format!("there is no folder `{}`", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    }
    for attempt in 0_u32.. {
        let hidden = format!(
            ".{}.{}-{attempt}.partial",
            name.to_string_lossy(),
            std::process::id()
        );
        let partial = folder.join(hidden);
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&partial)
        {
            Ok(file) => {
                let writer = BufWriter::new(file);
                return Ok(AtomicFile {
                    writer,
                    target,
                    partial: Some(partial),
                });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("every hidden name is taken"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn the_file_is_complete_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(names(folder.path()), Vec::<String>::new());

        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn an_abandoned_file_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }

    #[test]
    fn impossible_names_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let missing = AtomicFile::create(folder.path().join("no/a.csv")).unwrap_err();
        assert_eq!(missing.source.kind(), io::ErrorKind::NotFound);
        let is_folder = AtomicFile::create(folder.path()).unwrap_err();
        assert_eq!(is_folder.source.kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn a_device_is_written_and_stays() {
        let device = Path::new("/dev/null");
        if device.exists() {
            AtomicFile::create(device).unwrap().commit().unwrap();
            assert!(!fs::metadata(device).unwrap().is_file());
        }
    }
}
