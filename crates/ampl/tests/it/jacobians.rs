//! Jacobians against central differences.

use signorini_ampl::Model;
use signorini_complementarity::{Assembler, Mcp, mcp_jacobian};

use crate::problems::{Fixture, fixtures, numbers};
use crate::random::Random;

/// Compares `columns` columns at z; how many entries were compared.
fn check(name: &str, model: &Model, z: &[f64], columns: usize, random: &mut Random) -> usize {
    let n = model.len();
    let jacobian = mcp_jacobian(model, z).unwrap();
    let f = |z: &[f64]| {
        let mut f = vec![0.0; n];
        model.evaluate(z, &mut f, None).ok().map(|()| f)
    };
    let here = f(z).unwrap();
    let mut compared = 0;
    for _ in 0..columns.min(n) {
        let j = random.below(n);
        let h = 1e-5 * (1.0 + z[j].abs());
        let shifted = |h: f64| {
            let mut z = z.to_vec();
            z[j] += h;
            f(&z)
        };
        let points = [-2.0, -1.0, 1.0, 2.0].map(|k| shifted(k * h));
        let [Some(a), Some(b), Some(c), Some(d)] = points else {
            continue;
        };
        for i in 0..n {
            // Fourth order: the error of the second says how far to trust it.
            let coarse = (d[i] - a[i]) / (4.0 * h);
            let fine = (c[i] - b[i]) / (2.0 * h);
            let difference = fine + (fine - coarse) / 3.0;
            let rounding = 1e-13 * (1.0 + here[i].abs()) / h * 100.0;
            let exact = jacobian.get(i, j).copied().unwrap_or(0.0);
            let tolerance = rounding + 0.1 * (fine - coarse).abs() + 1e-7 * difference.abs();
            assert!(
                (exact - difference).abs() <= tolerance,
                "{name}: dF{i}/dz{j} is {exact}, difference {difference}"
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn jacobians_are_the_differences_of_the_values() {
    let mut random = Random(7);
    let mut compared = 0;
    for Fixture {
        name,
        model,
        sidecar,
        ..
    } in &fixtures()
    {
        let solution = numbers(&sidecar["solutions"][0]["z"]);
        let point = numbers(&sidecar["check"]["point"]);
        for base in [&solution, &point] {
            let mut shift = |z: &f64| z + (0.001 + 0.05 * random.uniform()) * (1.0 + z.abs());
            let z: Vec<f64> = base.iter().map(&mut shift).collect();
            if model.evaluate(&z, &mut vec![0.0; z.len()], None).is_ok() {
                compared += check(name, model, &z, 40, &mut random);
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn the_sequence_of_entries_is_the_same_everywhere() {
    for Fixture {
        name,
        model,
        sidecar,
        ..
    } in &fixtures()
    {
        let mut assembler = Assembler::new(model.len());
        let mut patterns = Vec::new();
        for z in [&sidecar["check"]["point"], &sidecar["solutions"][0]["z"]] {
            assembler.begin();
            let mut f = vec![0.0; model.len()];
            model
                .evaluate(&numbers(z), &mut f, Some(&mut assembler))
                .unwrap();
            let matrix = assembler.matrix();
            patterns.push((matrix.indptr().to_owned(), matrix.indices().to_vec()));
        }
        assert_eq!(patterns[0], patterns[1], "{name}");
    }
}
