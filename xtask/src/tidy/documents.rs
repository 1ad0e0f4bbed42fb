//! Rules about everything beside the code: snapshots, paths, the documentation header, the code map.

use super::Fault;
use super::tree::{Tree, has_extension};

/// Beginnings of paths that exist on one machine only. Split, so that this file does not name them.
const MACHINE_PATHS: [&str; 6] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tm", "p/"),
    concat!("/ho", "me/"),
    concat!("C:", "\\Users"),
    concat!("../sha", "red"),
];

const HEADER: &str = "docs/katex-header.html";

/// A snapshot is accepted or rejected, never left pending.
pub(super) fn snapshots(tree: &Tree) -> Vec<Fault> {
    let pending = tree.files().filter(|(path, _)| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.ends_with(".snap.new") || name.ends_with(".pending-snap")
    });
    pending
        .map(|(path, _)| Fault::new(path, "accept or reject this snapshot (cargo insta review)"))
        .collect()
}

/// The tree names no place outside of itself.
pub(super) fn machine_paths(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in tree.files() {
        for (number, line) in text.lines().enumerate() {
            let named = MACHINE_PATHS.iter().find(|place| names(line, place));
            if let Some(place) = named {
                faults.push(Fault::at(
                    path,
                    number + 1,
                    format!("names {place}, a place on one machine"),
                ));
            }
        }
    }
    faults
}

/// Whether the line holds `place` as the beginning of a path, not as the middle of a longer one or of an address.
fn names(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/*}".contains(c))
    })
}

/// A published crate carries a copy of the header, because docs.rs sees the crate alone.
pub(super) fn header_copies(tree: &Tree) -> Vec<Fault> {
    let Some(original) = tree.text(HEADER) else {
        return vec![Fault::new(HEADER, "is missing")];
    };
    let copies = tree
        .files()
        .filter(|(path, _)| *path != HEADER && path.ends_with("/katex-header.html"));
    let stale = copies.filter(|(_, text)| *text != original);
    stale
        .map(|(path, _)| Fault::new(path, format!("copy {HEADER} again")))
        .collect()
}

/// ARCHITECTURE.md has a line for every member of the workspace.
pub(super) fn code_map(tree: &Tree) -> Vec<Fault> {
    let map = tree.text("ARCHITECTURE.md").unwrap_or_default();
    let folders = tree
        .manifests()
        .filter_map(|(_, path, _)| path.strip_suffix("/Cargo.toml"));
    folders
        .filter(|folder| !map.contains(&format!("`{folder}`")))
        .map(|folder| Fault::new("ARCHITECTURE.md", format!("add `{folder}` to the code map")))
        .collect()
}

/// What the README tells a user to type is what the continuous integration runs.
pub(super) fn test_command(tree: &Tree) -> Vec<Fault> {
    let readme = tree.text("README.md").unwrap_or_default();
    let command = readme.lines().find(|line| line.starts_with("cargo test"));
    let Some(command) = command
        .and_then(|line| line.split('#').next())
        .map(str::trim)
    else {
        return vec![Fault::new(
            "README.md",
            "say how to run the tests (a line `cargo test ..`)",
        )];
    };
    let script = tree.text(".ci/run").unwrap_or_default();
    let runs = script
        .lines()
        .any(|line| line.trim().trim_start_matches("run ") == command);
    if runs {
        Vec::new()
    } else {
        vec![Fault::new(
            ".ci/run",
            format!("run `{command}`, the README's test command"),
        )]
    }
}

/// A relative link in a document leads to a file or a folder of the repository.
pub(super) fn links(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| has_extension(path, "md")) {
        for (number, line) in text.lines().enumerate() {
            for target in line
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split([')', '#', ' ']).next())
            {
                let outside = target.is_empty() || target.contains(':');
                if !outside && !exists(tree, path, target) {
                    faults.push(Fault::at(
                        path,
                        number + 1,
                        format!("links to {target}, which is not there"),
                    ));
                }
            }
        }
    }
    faults
}

/// Whether the target of a link in the document `from` is a file or the folder of one.
fn exists(tree: &Tree, from: &str, target: &str) -> bool {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
    {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let path = parts.join("/");
    let inside = |file: &str| {
        file.strip_prefix(&path)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    path.is_empty() || tree.text(&path).is_some() || tree.files().any(|(file, _)| inside(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pending_snapshot_is_a_fault() {
        let tree = Tree::of([
            ("crates/scene/src/.scene.rs.pending-snap", ""),
            ("crates/scene/tests/snapshots/a.snap", ""),
            ("crates/scene/tests/snapshots/a.snap.new", ""),
        ]);
        assert_eq!(snapshots(&tree).len(), 2);
    }

    #[test]
    fn a_path_of_one_machine_is_a_fault() {
        let fault = |line: &str| machine_paths(&Tree::of([("docs/notation.md", line)])).len();
        for place in MACHINE_PATHS {
            assert_eq!(fault(&format!("see {place}notes")), 1, "{place}");
        }
        assert_eq!(
            fault(concat!("https://example.org/wo", "rk/x, home", "/", "work")),
            0
        );
        assert_eq!(fault(concat!("target/tm", "p/x")), 0);
    }

    #[test]
    fn a_stale_copy_of_the_header_is_a_fault() {
        let copy = "crates/geometry/katex-header.html";
        assert_eq!(
            header_copies(&Tree::of([(HEADER, "a"), (copy, "a")])).len(),
            0
        );
        assert_eq!(
            header_copies(&Tree::of([(HEADER, "a"), (copy, "b")])).len(),
            1
        );
        assert_eq!(header_copies(&Tree::of([])).len(), 1);
    }

    #[test]
    fn a_crate_that_is_not_on_the_map_is_a_fault() {
        let map = ("ARCHITECTURE.md", "- `crates/geometry`: shapes");
        let manifests = [("crates/geometry/Cargo.toml", ""), ("xtask/Cargo.toml", "")];
        let faults = code_map(&Tree::of([map, manifests[0], manifests[1]]));
        assert_eq!(
            faults,
            [Fault::new("ARCHITECTURE.md", "add `xtask` to the code map")]
        );
    }

    #[test]
    fn the_readme_and_the_service_run_the_same_tests() {
        let readme = ("README.md", "```sh\ncargo test --workspace  # all\n```");
        let check = |script| test_command(&Tree::of([readme, (".ci/run", script)])).len();
        assert_eq!(check("set -e\nrun cargo test --workspace\n"), 0);
        assert_eq!(check("run cargo test --workspace --lib\n"), 1);
        assert_eq!(
            test_command(&Tree::of([("README.md", "no command")])).len(),
            1
        );
    }

    #[test]
    fn a_link_to_nowhere_is_a_fault() {
        let check = |link: &str| {
            let text = format!("see [this]({link}) and [that](https://example.org/x)");
            links(&Tree::of([
                ("docs/guide/a.md", &text),
                ("docs/b.md", ""),
                ("fixtures/c/d.csv", ""),
            ]))
            .len()
        };
        for good in [
            "../b.md",
            "../b.md#part",
            "../../fixtures/c",
            "a.md",
            "#part",
        ] {
            assert_eq!(check(good), 0, "{good}");
        }
        for bad in ["b.md", "../../fixtures/e", "../../fixtures/c/d"] {
            assert_eq!(check(bad), 1, "{bad}");
        }
    }
}
