//! The files of the repository as the rules see them: in memory, so that a rule can be tested on three lines.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Folders that are not part of the project's text.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// Path, with `/` between folders, to contents. Files that are no UTF-8 have empty contents.
#[derive(Debug, Default)]
pub(super) struct Tree(BTreeMap<String, String>);

impl Tree {
    /// All files below `root`, whether version control knows them or not.
    pub(super) fn load(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.add_folder(root, "")?;
        Ok(tree)
    }

    fn add_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            // In a second work tree `.git` is a file.
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.add_folder(&entry.path(), &format!("{path}/"))?;
            } else {
                let text = String::from_utf8(fs::read(entry.path())?).unwrap_or_default();
                self.0.insert(path, text);
            }
        }
        Ok(())
    }

    /// Contents of the file at `path`, if there is one.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Path and contents of every file, in the order of their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files of the libraries and programs: `crates/*/src/**.rs`, with the name of the crate's folder.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.files().filter_map(|(path, text)| {
            let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
            (rest.starts_with("src/") && is_rust(path)).then_some((name, path, text))
        })
    }

    /// The manifests of the members, with the name of the folder; `xtask` and `benches` included.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.files().filter_map(|(path, text)| {
            let folder = path.strip_suffix("/Cargo.toml")?;
            let name = folder.strip_prefix("crates/").unwrap_or(folder);
            (!name.contains('/')).then_some((name, path, text))
        })
    }

    #[cfg(test)]
    pub(super) fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self(
            files
                .map(|(path, text)| (path.to_owned(), text.to_owned()))
                .into(),
        )
    }
}

/// Whether the path is that of a Rust file.
pub(super) fn is_rust(path: &str) -> bool {
    has_extension(path, "rs")
}

/// Whether the path ends in a dot and this extension.
pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_manifests_are_told_from_the_rest() {
        let tree = Tree::of([
            ("Cargo.toml", ""),
            ("crates/geometry/Cargo.toml", ""),
            ("crates/geometry/src/shapes/ball.rs", ""),
            ("crates/geometry/tests/it/main.rs", ""),
            ("fixtures/deep/crate/Cargo.toml", ""),
            ("xtask/Cargo.toml", ""),
        ]);
        let sources: Vec<_> = tree.sources().map(|(name, path, _)| (name, path)).collect();
        assert_eq!(
            sources,
            [("geometry", "crates/geometry/src/shapes/ball.rs")]
        );
        let manifests: Vec<_> = tree.manifests().map(|(name, ..)| name).collect();
        assert_eq!(manifests, ["geometry", "xtask"]);
    }
}
