//! Rules about Rust files: what each must say, and what a library must not do.

use super::Fault;
use super::scrub::{find_word, line_of, scrub, without_tests};
use super::tree::{Tree, is_rust};

/// Longest file, in lines; aim for 400.
const LONGEST: usize = 600;

/// Crates that are programs: they alone talk to a terminal.
const PROGRAMS: [&str; 2] = ["cli", "validation"];

const PRINTS: [&str; 5] = ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!("];

/// Every file of a crate says first what it is about.
pub(super) fn module_docs(tree: &Tree) -> Vec<Fault> {
    let undocumented = tree.sources().filter(|(_, _, text)| {
        let first = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with("#!["));
        !first.is_some_and(|line| line.starts_with("//!"))
    });
    undocumented
        .map(|(_, path, _)| Fault::new(path, "begin with a module doc (//!)"))
        .collect()
}

/// A file that implements a scheme names the papers it follows; a solver may do so in the `mod.rs` beside it.
pub(super) fn references(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, path, text) in tree.sources() {
        let code = scrub(text);
        let code = without_tests(&code);
        let schemes: &[&str] = match name {
            "steppers" => &["Stepper for "],
            "complementarity" => &[
                "Solver<Lcp> for ",
                "Solver<LinearMcp> for ",
                "Solver<FrictionProblem> for ",
            ],
            _ => continue,
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = tree.text(&format!("{folder}/mod.rs")).unwrap_or_default();
        let named = has_references(text) || name != "steppers" && has_references(beside);
        if schemes.iter().any(|scheme| implements(code, scheme)) && !named {
            faults.push(Fault::new(path, "name the paper under `//! # References`"));
        }
    }
    faults
}

/// Whether the code implements the trait for a type of its own, not merely for a reference or a box of another.
fn implements(code: &str, scheme: &str) -> bool {
    code.match_indices(scheme).any(|(at, _)| {
        let owner = &code[at + scheme.len()..];
        code[..at]
            .rsplit(['}', ';'])
            .next()
            .is_some_and(|item| item.contains("impl"))
            && !owner.starts_with('&')
            && !owner.starts_with("Box<")
    })
}

fn has_references(text: &str) -> bool {
    let mut lines = text
        .lines()
        .skip_while(|line| !line.starts_with("//! # References"));
    lines.next().is_some()
        && lines
            .take_while(|line| line.starts_with("//!"))
            .any(|line| line.starts_with("//! - "))
}

/// `lib.rs` holds modules and re-exports, no code.
pub(super) fn table_of_contents(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (_, path, text) in tree
        .sources()
        .filter(|(_, path, _)| path.ends_with("/src/lib.rs"))
    {
        let code = scrub(text);
        for word in ["fn", "impl", "trait", "enum"] {
            if let Some(at) = find_word(without_tests(&code), word).next() {
                faults.push(Fault::at(
                    path,
                    line_of(text, at),
                    "move code out of lib.rs",
                ));
            }
        }
    }
    faults
}

/// Libraries are silent: progress goes to an observer.
pub(super) fn silent(tree: &Tree) -> Vec<Fault> {
    let libraries = tree.sources().filter(|(name, ..)| !PROGRAMS.contains(name));
    libraries
        .flat_map(|(_, path, text)| words(path, text, &PRINTS, "libraries are silent"))
        .collect()
}

/// Nothing in the tree is a promise.
pub(super) fn unfinished(tree: &Tree) -> Vec<Fault> {
    let rust = tree.files().filter(|(path, _)| is_rust(path));
    let macros = ["todo!(", "unimplemented!("];
    rust.flat_map(|(path, text)| words(path, text, &macros, "finish this"))
        .collect()
}

/// nalgebra crosses a border with its fixed sizes only; vectors are slices.
pub(super) fn fixed_size(tree: &Tree) -> Vec<Fault> {
    let types = ["DMatrix", "DVector"];
    tree.sources()
        .flat_map(|(_, path, text)| words(path, text, &types, "use a slice, sprs or a fixed size"))
        .collect()
}

/// A file longer than this holds more than one object.
pub(super) fn length(tree: &Tree) -> Vec<Fault> {
    let rust = tree.files().filter(|(path, _)| is_rust(path));
    let counted = rust.map(|(path, text)| (path, text.lines().count()));
    counted
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(path, lines)| Fault::new(path, format!("split: {lines} lines, at most {LONGEST}")))
        .collect()
}

/// A fault for each of the words in the code of a file, its unit tests left out.
fn words(path: &str, text: &str, words: &[&str], message: &str) -> Vec<Fault> {
    let code = scrub(text);
    let code = without_tests(&code);
    let mut faults = Vec::new();
    for word in words {
        let name = word.trim_end_matches('(');
        let found = find_word(code, word).map(|at| line_of(text, at));
        faults.extend(found.map(|line| Fault::at(path, line, format!("{name}: {message}"))));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(rule: fn(&Tree) -> Vec<Fault>, path: &str, text: &str) -> usize {
        rule(&Tree::of([(path, text)])).len()
    }

    #[test]
    fn a_file_without_a_module_doc_is_a_fault() {
        let path = "crates/geometry/src/ball.rs";
        assert_eq!(
            count(module_docs, path, "#![expect(x)]\n\n//! A ball.\n"),
            0
        );
        assert_eq!(count(module_docs, path, "// A ball.\nstruct Ball;"), 1);
        assert_eq!(count(module_docs, path, ""), 1);
    }

    #[test]
    fn a_scheme_without_its_paper_is_a_fault() {
        let path = "crates/steppers/src/moreau.rs";
        let scheme = "impl Stepper for Moreau {}";
        let list = "//! # References\n//! - M1988: J. J. Moreau\n";
        assert_eq!(
            count(references, path, &format!("//! Moreau.\n{list}{scheme}")),
            0
        );
        assert_eq!(
            count(references, path, &format!("//! Moreau.\n{scheme}")),
            1
        );
        assert_eq!(
            count(references, path, &format!("//! # References\n{scheme}")),
            1
        );
        assert_eq!(
            count(references, path, "impl<S: Stepper> Stepper for &mut S {}"),
            0
        );
        assert_eq!(
            count(
                references,
                path,
                "#[cfg(test)]\nmod tests {\nimpl Stepper for Fake {}"
            ),
            0
        );
    }

    #[test]
    fn a_solver_may_name_its_paper_in_the_module_above() {
        let path = "crates/complementarity/src/lemke/solve.rs";
        let scheme = "impl Solver<Lcp> for Lemke {}";
        assert_eq!(count(references, path, scheme), 1);
        let above = (
            "crates/complementarity/src/lemke/mod.rs",
            "//! # References\n//! - L1965: Lemke",
        );
        assert_eq!(references(&Tree::of([(path, scheme), above])).len(), 0);
    }

    #[test]
    fn code_in_lib_rs_is_a_fault() {
        let path = "crates/geometry/src/lib.rs";
        assert_eq!(
            count(
                table_of_contents,
                path,
                "//! fn in prose\nmod ball;\npub use ball::Ball;"
            ),
            0
        );
        assert_eq!(
            count(table_of_contents, path, "pub fn area() -> f64 { 1.0 }"),
            1
        );
    }

    #[test]
    fn a_library_that_prints_is_a_fault() {
        let path = "crates/geometry/src/ball.rs";
        let prints = "fn f() {\n    println!(\"x\");\n}";
        assert_eq!(silent(&Tree::of([(path, prints)]))[0].line, Some(2));
        assert_eq!(count(silent, "crates/cli/src/main.rs", prints), 0);
        assert_eq!(
            count(
                silent,
                path,
                "/// println!(\"x\");\nfn f() { g(\"dbg!(x)\"); }"
            ),
            0
        );
        assert_eq!(
            count(silent, path, "#[cfg(test)]\nmod tests {\nprintln!();\n}"),
            0
        );
        assert_eq!(
            count(silent, path, "writeln!(f); eprint!(\"\"); dbg!(x)"),
            2
        );
    }

    #[test]
    fn a_promise_is_a_fault() {
        let promise = concat!("fn f() { to", "do!() }");
        assert_eq!(count(unfinished, "crates/cli/src/main.rs", promise), 1);
        assert_eq!(count(unfinished, "benches/src/lib.rs", "// todo!()"), 0);
    }

    #[test]
    fn a_matrix_of_dynamic_size_is_a_fault() {
        let path = "crates/dynamics/src/world.rs";
        assert_eq!(count(fixed_size, path, "fn mass() -> DMatrix<f64>"), 1);
        assert_eq!(
            count(
                fixed_size,
                path,
                "/// no DMatrix\nfn mass() -> SMatrix<f64, 3, 3>"
            ),
            0
        );
    }

    #[test]
    fn a_long_file_is_a_fault() {
        assert_eq!(count(length, "xtask/src/x.rs", &"\n".repeat(LONGEST)), 0);
        assert_eq!(
            count(length, "xtask/src/x.rs", &"\n".repeat(LONGEST + 1)),
            1
        );
        assert_eq!(
            count(length, "docs/notation.md", &"\n".repeat(LONGEST + 1)),
            0
        );
    }
}
