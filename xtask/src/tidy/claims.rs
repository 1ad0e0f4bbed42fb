//! Claims of the papers: `fixtures/claims.toml` holds every one with its expected verdict, and the code measures no other.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::Fault;
use super::scrub::{line_of, scrub, without_tests};
use super::tree::Tree;

const TABLE: &str = "fixtures/claims.toml";

/// Calls whose first literal is the name of a claim.
const CALLS: [&str; 2] = [".measure(", ".verdict("];

const EXPERIMENTS: &str = "crates/validation/src/experiments/";

/// The table is complete: each claim has an experiment, a name and an expected verdict, and stands there once.
pub(super) fn table(tree: &Tree) -> Vec<Fault> {
    let Some(text) = tree.text(TABLE) else {
        return vec![Fault::new(TABLE, "is missing")];
    };
    let manifest = match text.parse::<Table>() {
        Ok(manifest) => manifest,
        Err(error) => {
            return vec![Fault::new(
                TABLE,
                format!("is no TOML: {}", error.message()),
            )];
        }
    };
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, claim) in claims(&manifest).enumerate() {
        let [experiment, name, _] = ["experiment", "name", "expected_verdict"].map(|key| {
            let value = claim.get(key).and_then(Value::as_str).unwrap_or_default();
            if value.is_empty() {
                faults.push(Fault::new(
                    TABLE,
                    format!("claim {} has no {key}", number + 1),
                ));
            }
            value
        });
        if !seen.insert((experiment, name)) {
            faults.push(Fault::new(
                TABLE,
                format!("{experiment}: {name} stands here twice"),
            ));
        }
    }
    if seen.is_empty() {
        faults.push(Fault::new(TABLE, "has no claims"));
    }
    faults
}

/// Every claim that an experiment measures is in the table.
pub(super) fn measured(tree: &Tree) -> Vec<Fault> {
    let manifest = tree
        .text(TABLE)
        .and_then(|text| text.parse::<Table>().ok())
        .unwrap_or_default();
    let listed: Vec<&str> = claims(&manifest)
        .filter_map(|claim| claim.get("name")?.as_str())
        .collect();
    let mut faults = Vec::new();
    let (mut experiments, mut found) = (false, false);
    for (_, path, text) in tree.sources().filter(|(name, ..)| *name == "validation") {
        experiments |= path.starts_with(EXPERIMENTS);
        for (at, name) in names(text) {
            found = true;
            if !listed.iter().any(|claim| fits(claim, name)) {
                let message = format!("{name}: this claim is not in {TABLE}");
                faults.push(Fault::at(path, line_of(text, at), message));
            }
        }
    }
    if experiments && !found {
        // The calls have other names now, and this rule would pass whatever they say.
        faults.push(Fault::new(
            EXPERIMENTS,
            "no claim is measured; tell xtask by which calls",
        ));
    }
    faults
}

fn claims(manifest: &Table) -> impl Iterator<Item = &Value> {
    manifest
        .get("claim")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Offsets and names of the claims in the code of a file: the first literal of each call.
fn names(text: &str) -> Vec<(usize, &str)> {
    let code = scrub(text);
    let code = without_tests(&code);
    let mut found = Vec::new();
    for call in CALLS {
        for (at, _) in code.match_indices(call) {
            let start = at + call.len();
            let argument = code[start..].trim_start();
            let skipped = code[start..].len() - argument.len();
            // A name that is made up as the program runs is judged there, against the same table.
            let prefix = ["\"", "format!(\"", "&format!(\""]
                .into_iter()
                .find(|p| argument.starts_with(p));
            let Some(prefix) = prefix else { continue };
            let begin = start + skipped + prefix.len();
            let length = code[begin..].find('"').unwrap_or_default();
            found.push((begin, &text[begin..begin + length]));
        }
    }
    found
}

/// Whether the claim is the name, where each `{..}` of the name stands for any text.
fn fits(claim: &str, name: &str) -> bool {
    let Some((head, rest)) = name.split_once('{') else {
        return claim == name;
    };
    let Some((_, tail)) = rest.split_once('}') else {
        return claim == name;
    };
    let Some(claim) = claim.strip_prefix(head) else {
        return false;
    };
    claim
        .char_indices()
        .map(|(at, _)| at)
        .chain([claim.len()])
        .any(|at| fits(&claim[at..], tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: &str = "[[claim]]\nexperiment = \"st2000-rod\"\nname = \"first impact\"\nexpected_verdict = \"reproduced\"\n";

    fn faults_in(toml: &str) -> usize {
        table(&Tree::of([(TABLE, toml)])).len()
    }

    fn measured_in(code: &str) -> Vec<String> {
        let tree = Tree::of([
            ("crates/validation/src/experiments/rod.rs", code),
            (TABLE, CLAIM),
        ]);
        measured(&tree)
            .into_iter()
            .map(|fault| fault.message)
            .collect()
    }

    #[test]
    fn an_incomplete_table_is_a_fault() {
        assert_eq!(faults_in(CLAIM), 0);
        assert_eq!(faults_in(&CLAIM.replace("reproduced", "")), 1);
        assert_eq!(faults_in(&format!("{CLAIM}{CLAIM}")), 1);
        assert_eq!(faults_in(""), 1);
        assert_eq!(faults_in("[[claim"), 1);
        assert_eq!(table(&Tree::of([])).len(), 1);
    }

    #[test]
    fn a_claim_that_is_not_in_the_table_is_a_fault() {
        assert_eq!(measured_in("report.measure(\"first impact\", t);"), [""; 0]);
        let unlisted = measured_in("report.measure(\n    \"second impact\", t);");
        assert_eq!(
            unlisted,
            ["second impact: this claim is not in fixtures/claims.toml"]
        );
    }

    #[test]
    fn experiments_without_any_claim_are_a_fault() {
        assert_eq!(
            measured_in("// report.measure(\"first impact\", t);").len(),
            1
        );
        assert_eq!(measured_in("report.tell(\"first impact\", t);").len(), 1);
    }

    #[test]
    fn the_blanks_of_a_formatted_name_stand_for_anything() {
        assert_eq!(
            measured_in("report.measure(&format!(\"{which} impact\"), t);"),
            [""; 0]
        );
        assert_eq!(
            measured_in("report.measure(&format!(\"{which} slip\"), t);").len(),
            1
        );
        assert!(fits("a 1 b 2", "a {x} b {y}") && fits("a  b ", "a {x} b {y}"));
        assert!(!fits("a 1 b 2 c", "a {x} b"));
    }
}
