//! The public problems: F of every file at the points where its sidecar states it.

use std::path::PathBuf;

use serde_json::Value;
use signorini_ampl::Model;
use signorini_complementarity::{Mcp, mcp_jacobian, mcp_residual};

/// A file and its sidecar.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) model: Model,
    pub(crate) sidecar: Value,
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/problems/mcp")
}

/// All problems, by name.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let sidecar: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let file = folder().join(sidecar["nl"].as_str().unwrap());
        Fixture {
            name: sidecar["name"].as_str().unwrap().to_owned(),
            bytes: std::fs::read(&file).unwrap(),
            model: Model::from_path(&file).unwrap(),
            sidecar,
        }
    };
    paths.into_iter().map(read).collect()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().unwrap();
    value.as_array().unwrap().iter().map(number).collect()
}

/// Bounds with null for infinite.
fn bounds(value: &Value, infinite: f64) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().unwrap_or(infinite);
    value.as_array().unwrap().iter().map(number).collect()
}

/// F of the sidecar is in the order of its variables. Row by row: the file does not say which equation belongs to which free variable.
fn check(fixture: &Fixture, z: &[f64], expected: &[f64]) {
    let model = &fixture.model;
    let mut f = vec![0.0; model.len()];
    model.evaluate(z, &mut f, None).unwrap();
    let of_row = fixture.sidecar["row_variable"].as_array().unwrap();
    for (index, value) in f.iter().enumerate() {
        let row = &of_row[model.row(index).unwrap()];
        let row = usize::try_from(row.as_u64().unwrap()).unwrap();
        // The tolerance is that of the sidecars.
        let error = (value - expected[row]).abs();
        assert!(
            error <= 1e-9 * (1.0 + expected[row].abs()),
            "{} row {row}: {value} {}",
            fixture.name,
            expected[row]
        );
    }
}

#[test]
fn values_are_those_of_the_sidecars() {
    let fixtures = fixtures();
    assert_eq!(fixtures.len(), 51);
    for fixture in &fixtures {
        let (model, sidecar) = (&fixture.model, &fixture.sidecar);
        let starts = sidecar["starts"].as_array().unwrap();
        assert_eq!(model.start(), numbers(&starts[0]), "{}", fixture.name);
        let (lower, upper) = (model.bounds().lower(), model.bounds().upper());
        assert_eq!(lower, bounds(&sidecar["lower"], f64::NEG_INFINITY));
        assert_eq!(upper, bounds(&sidecar["upper"], f64::INFINITY));
        assert_eq!(Some(model.len() as u64), sidecar["n"].as_u64());
        let checks = &sidecar["check"];
        if let Some(f) = checks["f_at_first_start"].as_array() {
            check(fixture, model.start(), &numbers(&Value::from(f.clone())));
        }
        check(
            fixture,
            &numbers(&checks["point"]),
            &numbers(&checks["f_at_point"]),
        );
    }
}

#[test]
fn listed_solutions_solve_the_files() {
    let mut solutions = 0;
    for Fixture {
        name,
        model,
        sidecar,
        ..
    } in &fixtures()
    {
        for solution in sidecar["solutions"].as_array().unwrap() {
            let z = numbers(&solution["z"]);
            let listed = solution["residual"].as_f64().unwrap();
            let residual = mcp_residual(model, &z).unwrap();
            // Rounding of F: its terms are up to 1e7 times the residual.
            assert!(
                residual <= 10.0 * listed + 1e-9,
                "{name}: {residual} {listed}"
            );
            let jacobian = mcp_jacobian(model, &z).unwrap();
            assert_eq!(jacobian.nnz(), model.nonzeros(), "{name}");
            assert_eq!(
                Some(jacobian.nnz() as u64),
                sidecar["nonzeros"].as_u64(),
                "{name}"
            );
            solutions += 1;
        }
    }
    assert!(solutions >= 51, "{solutions}");
}
