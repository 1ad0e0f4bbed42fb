//! Friction problems as files: what others measured at their answers, round trips to the bit, errors that name the
//! entry.

use std::path::PathBuf;

use serde_json::Value;
use signorini_complementarity::io::{FrictionFile, FrictionForm, read_text};
use signorini_complementarity::*;

const SMALL: &str = r#"{ "format": "friction-contact-1", "kind": "rolling", "dimension": 5, "contacts": 1,
"W": { "rows": 5, "cols": 5, "i": [0, 1, 2, 3, 4], "j": [0, 1, 2, 3, 4], "v": [1, 1, 1, 1, 1] },
"q": [-1, 2, 3, 4, 5], "mu": [0.5], "mu_r": [0.25], "ellipse": [1, 2, 3, 4] }"#;

const GLOBAL: &str = r#"{ "format": "friction-contact-1", "kind": "global", "dimension": 2, "contacts": 1,
"M": { "rows": 1, "cols": 1, "i": [0], "j": [0], "v": [4] },
"H": { "rows": 1, "cols": 2, "i": [0, 0], "j": [0, 1], "v": [1, 2] },
"f": [-1], "b": [0, 1], "mu": [0.5], "law": "convex" }"#;

/// Name and path of each friction problem, in order.
pub(crate) fn fixtures() -> Vec<(String, PathBuf)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/friction");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut all: Vec<_> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, path)
        })
        .collect();
    all.sort();
    assert_eq!(all.len(), 45);
    all
}

fn schema() -> jsonschema::Validator {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/friction.schema.json"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Open, stick, slip.
fn counts(problem: &FrictionProblem, z: &[f64]) -> [usize; 3] {
    let modes = problem.modes(z);
    let count = |mode| modes.iter().filter(|m| **m == mode).count();
    [ContactMode::Open, ContactMode::Stick, ContactMode::Slip].map(count)
}

/// What two orders of summation may change in e: some roundings of the terms of u and of r.
fn rounding(problem: &FrictionProblem, r: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = problem.q().iter().map(|q| q.abs()).collect();
    for (w, (i, j)) in &problem.delassus() {
        sizes[i] += (w * r[j]).abs();
    }
    let squares: f64 = sizes
        .iter()
        .zip(r)
        .map(|(s, r)| (s + r.abs()).powi(2))
        .sum();
    16.0 * f64::EPSILON * squares.sqrt()
}

#[test]
fn references_have_the_residuals_and_modes_that_were_published() {
    let mut faults = Vec::new();
    for (name, path) in fixtures() {
        let file = FrictionFile::from_path(&path).unwrap();
        let reference = file.reference.as_ref().unwrap();
        let problem = file.problem().unwrap();
        let q = problem.q();
        let norm = q.iter().map(|q| q * q).sum::<f64>().sqrt();
        let residuals = problem.residuals(&reference.r);
        let slack = rounding(&problem, &reference.r) / norm;
        let published = reference.residual_relative;
        if (residuals.relative - published).abs() > 1e-6 * published + slack {
            faults.push(format!(
                "{name}: {:e}, published {published:e}, rounding {slack:e}",
                residuals.relative
            ));
        }
        if let Some(facts) = &file.delassus {
            assert!((norm - facts.norm_q).abs() <= 1e-10 * norm, "{name}");
        }
        if let (Some(open), Some(stick), Some(slip)) =
            (reference.open, reference.stick, reference.slip)
        {
            let found = counts(&problem, &reference.r);
            if found != [open, stick, slip] {
                faults.push(format!(
                    "{name}: {found:?}, published {open}/{stick}/{slip}"
                ));
            }
        }
        // A worse point has a worse residual: the measure is not blind.
        let worse: Vec<f64> = reference.r.iter().map(|r| 1.01 * r).collect();
        let worse = problem.residuals(&worse).relative;
        if worse <= 1e-4 && worse <= 100.0 * residuals.relative {
            faults.push(format!("{name}: {worse:e} after a change of 1%"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_schema_accepts_every_fixture_and_what_is_written() {
    let schema = schema();
    let small = [SMALL, GLOBAL].map(|text| ("text".to_owned(), text.to_owned()));
    // The two largest files take as long as all the others.
    let files = fixtures().into_iter().filter(|(name, _)| {
        !name.starts_with("Kaplas") && !name.starts_with("fc2d_granularflowonwall_07002")
    });
    let files = files.map(|(name, path)| (name, read_text(path).unwrap()));
    for (name, text) in small.into_iter().chain(files) {
        let file = FrictionFile::from_json(&text).unwrap();
        let written = file.to_json().unwrap();
        for text in [&text, &written] {
            let value: Value = serde_json::from_str(text).unwrap();
            let faults: Vec<String> = schema.iter_errors(&value).map(|f| f.to_string()).collect();
            assert!(faults.is_empty(), "{name}: {faults:?}");
        }
        let back = FrictionFile::from_json(&written).unwrap();
        assert_eq!(back, file, "{name}");
        assert_eq!(back.to_json().unwrap(), written, "{name}");
    }
}

/// A problem made elsewhere is written and read back with the same W, q and laws.
#[test]
fn problems_become_files() {
    for text in [SMALL, GLOBAL] {
        let problem = FrictionFile::from_json(text).unwrap().problem().unwrap();
        let file = FrictionFile::new("again", &problem);
        let back = FrictionFile::from_json(&file.to_json().unwrap()).unwrap();
        assert_eq!(back.problem().unwrap(), problem);
        assert!(matches!(back.form, FrictionForm::Local { .. }));
    }
}

/// Text, what is replaced, by what, the error, and whether the schema sees it.
const FAULTS: &[(&str, &str, &str, &str, bool)] = &[
    (
        SMALL,
        "friction-contact-1",
        "fclib",
        "`format` is \"fclib\": this reads \"friction-contact-1\"",
        true,
    ),
    (
        SMALL,
        "\"rolling\"",
        "\"local\"",
        "`kind` is \"local\" and `dimension` 5: rolling friction has dimension 5 or 6",
        true,
    ),
    (
        SMALL,
        "\"dimension\": 5",
        "\"dimension\": 3",
        "`kind` is \"rolling\" and `dimension` 3: rolling friction has dimension 5 or 6",
        true,
    ),
    (
        SMALL,
        "\"mu_r\": [0.25], ",
        "",
        "`mu_r` is missing: a problem of kind \"rolling\" needs it",
        true,
    ),
    (
        SMALL,
        "\"q\": [-1, 2, 3, 4, 5], ",
        "",
        "`q` is missing: a problem of kind \"rolling\" needs it",
        true,
    ),
    (
        SMALL,
        "\"q\":",
        "\"f\": [1], \"q\":",
        "`f` has no meaning in a problem of kind \"rolling\"",
        true,
    ),
    (
        SMALL,
        "\"q\": [-1,",
        "\"q\": [null,",
        "`q[0]` is null: a finite number is needed",
        true,
    ),
    (
        SMALL,
        "\"contacts\": 1",
        "\"contacts\": 2",
        "`mu` has length 1, expected 2",
        false,
    ),
    (
        SMALL,
        "\"contacts\": 1",
        "\"contacts\": 18446744073709551615",
        "`mu` has length 1, expected 18446744073709551615",
        false,
    ),
    (
        SMALL,
        "\"j\": [0, 1, 2, 3, 4]",
        "\"j\": [0, 1, 2, 3, 5]",
        "`W.j[4]` is 5: the matrix is 5 x 5, counted from 0",
        false,
    ),
    (
        SMALL,
        "\"i\": [0, 1, 2, 3, 4], \"j\": [0, 1, 2, 3, 4]",
        "\"i\": [0, 1, 2, 3, 0], \"j\": [0, 1, 2, 3, 0]",
        "triplets 0 and 4 of `W` both stand at row 0, column 0",
        false,
    ),
    (
        GLOBAL,
        "\"rows\": 1, \"cols\": 1",
        "\"rows\": 2, \"cols\": 1",
        "`M.rows` has length 2, expected 1",
        false,
    ),
    (
        GLOBAL,
        "\"rows\": 1, \"cols\": 2",
        "\"rows\": 1, \"cols\": 3",
        "`H.cols` has length 3, expected 2",
        false,
    ),
    (
        GLOBAL,
        "\"j\": [0, 1]",
        "\"j\": [0, 2]",
        "`H.j[1]` is 2: the matrix is 1 x 2, counted from 0",
        false,
    ),
    (
        GLOBAL,
        "\"b\":",
        "\"mu_r\": [1], \"b\":",
        "`mu_r` has no meaning in a problem of kind \"global\"",
        true,
    ),
];

#[test]
fn each_fault_is_named_and_the_schema_sees_those_it_can() {
    let schema = schema();
    for &(text, from, to, expected, seen) in FAULTS {
        let wrong = text.replace(from, to);
        assert_ne!(wrong, text, "{from}");
        let error = FrictionFile::from_json(&wrong).unwrap_err();
        assert_eq!(error.to_string(), expected, "{to}");
        let value: Value = serde_json::from_str(&wrong).unwrap();
        assert_eq!(schema.is_valid(&value), !seen, "{to}");
    }
    // Faults of the numbers come with the problem.
    let problem = |text: &str, from: &str, to: &str| {
        let file = FrictionFile::from_json(&text.replace(from, to)).unwrap();
        file.problem().unwrap_err().to_string()
    };
    let negative = problem(SMALL, "\"mu\": [0.5]", "\"mu\": [-0.5]");
    assert_eq!(negative, "mu[0] is -0.5, must be from 0 to 1e100");
    let singular = problem(GLOBAL, "\"v\": [4]", "\"v\": [0]");
    assert_eq!(singular, "M is singular in the block of row 0");
    let ellipse = problem(SMALL, "[1, 2, 3, 4]", "[1, 2, 3]");
    assert_eq!(ellipse, "ellipse has length 3, expected 4");
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let mut file = FrictionFile::from_json(GLOBAL).unwrap();
    assert_eq!(file.laws.law, FrictionLaw::Convex);
    file.laws.mu[0] = f64::NAN;
    let error = file.to_json().unwrap_err();
    assert_eq!(error.to_string(), "mu[0] is NaN, which is not finite");
}
