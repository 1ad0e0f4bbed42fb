//! The rules of the repository that no compiler checks.
//!
//! Each rule is a function from the [`Tree`] of files to the faults it finds, with a test that shows it can fail.
//! `cargo xtask tidy` runs them, and so does `cargo test -p xtask`.

mod claims;
mod documents;
mod golden;
mod layers;
mod scrub;
mod sources;
mod tree;

use std::fmt;

use tree::Tree;

/// A fault: where, and what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    path: String,
    line: Option<usize>,
    message: String,
}

impl Fault {
    fn new(path: &str, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            message: message.into(),
        }
    }

    fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            message: message.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

type Rule = fn(&Tree) -> Vec<Fault>;

/// All rules, in the order in which they report.
const RULES: &[(&str, Rule)] = &[
    ("direction between crates", layers::direction),
    ("borders of the libraries", layers::borders),
    ("dependencies declared once", layers::declared_once),
    ("workspace dependencies", layers::workspace_table),
    ("module docs", sources::module_docs),
    ("reference lists", sources::references),
    ("lib.rs is a table of contents", sources::table_of_contents),
    ("silent libraries", sources::silent),
    ("nothing unfinished", sources::unfinished),
    ("fixed-size linear algebra", sources::fixed_size),
    ("file length", sources::length),
    ("pending snapshots", documents::snapshots),
    ("machine paths", documents::machine_paths),
    ("copies of the header", documents::header_copies),
    ("code map", documents::code_map),
    ("test command", documents::test_command),
    ("links", documents::links),
    ("golden headers", golden::headers),
    ("table of claims", claims::table),
    ("claims in the code", claims::measured),
];

/// Runs every rule on the repository and prints the faults. False if there are any.
pub(crate) fn run() -> bool {
    let tree = match Tree::load(&crate::cargo::root()) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("tidy: cannot read the repository: {error}");
            return false;
        }
    };
    let faults = faults(&tree);
    for (rule, fault) in &faults {
        println!("{fault} [{rule}]");
    }
    println!("tidy: {} rules, {} faults", RULES.len(), faults.len());
    faults.is_empty()
}

fn faults(tree: &Tree) -> Vec<(&'static str, Fault)> {
    let mut all = Vec::new();
    for (name, rule) in RULES {
        all.extend(rule(tree).into_iter().map(|fault| (*name, fault)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let tree = Tree::load(&crate::cargo::root()).expect("the repository can be read");
        assert!(
            tree.text("Cargo.toml")
                .is_some_and(|text| text.contains("[workspace]"))
        );
        let faults: Vec<_> = faults(&tree)
            .iter()
            .map(|(rule, fault)| format!("{fault} [{rule}]"))
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
