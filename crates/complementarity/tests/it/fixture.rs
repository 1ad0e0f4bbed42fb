//! Reading `fixtures/cases`, and the LCPs in them as problems with an answer.

use serde_json::Value;
use signorini_complementarity::collection::Known;
use signorini_complementarity::*;

pub(super) fn case(id: &str) -> Value {
    let path = format!(
        "{}/../../fixtures/cases/{id}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(super) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(other) => panic!("{other} is no number"),
        None => value.as_f64().unwrap(),
    }
}

pub(super) fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

pub(super) fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(vector).collect()
}

pub(super) fn lcp(value: &Value) -> Lcp {
    Lcp::from_dense(&matrix(&value["M"]), vector(&value["q"])).unwrap()
}

/// (name, instance, what is expected of it) for the instances of a case.
pub(super) fn instances(case: &Value) -> impl Iterator<Item = (&str, &Value, &Value)> {
    let expects = case["expect"].as_array().unwrap();
    let instances = case["problem"]["instances"].as_array().unwrap();
    instances.iter().map(move |instance| {
        let name = instance["name"].as_str().unwrap();
        let expect = expects.iter().find(|e| e["instance"] == name);
        (name, instance, expect.unwrap())
    })
}

/// |a − b| ≤ `tol`, or ≤ `rel_tol` |b|, as `given` by the case; equal if it gives none.
#[track_caller]
pub(super) fn assert_near(found: &[f64], expected: &[f64], given: &Value) {
    assert_eq!(found.len(), expected.len());
    let [absolute, relative] = ["tol", "rel_tol"].map(|key| given[key].as_f64().unwrap_or(0.0));
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() <= absolute + relative * b.abs(),
            "{found:?} is not {expected:?} within {absolute:e} + {relative:e} |b|"
        );
    }
}

/// All LCPs of the cases for which an answer is given.
pub(super) fn known() -> Vec<Known> {
    let cycling = case("lcp-cycling-three");
    let ray = case("lcp-ray-although-solvable");
    let mut all = vec![
        Known {
            name: "lcp-cycling-three".to_owned(),
            lcp: lcp(&cycling["problem"]),
            z: vector(&cycling["expect"][0]["z"]),
            unique: true,
        },
        Known {
            name: "lcp-ray-although-solvable".to_owned(),
            lcp: lcp(&ray["problem"]),
            z: vector(&ray["expect"][0]["any_of_outcomes"][0]["any_of"][0]),
            unique: false,
        },
    ];
    all.extend(one_variable());
    all.extend(scaling());
    all.extend(parametric_switch());
    all.extend(particle());
    all.extend(heavy_on_light());
    all.extend(singular_psd());
    all
}

fn one_variable() -> Vec<Known> {
    let case = case("lcp-one-variable");
    let answer = |expect: &Value| {
        [
            &expect["z"],
            &expect["any_of"][0],
            &expect["any_of_outcomes"][0]["z"],
        ]
        .into_iter()
        .find(|z| z.is_array())
        .map(vector)
    };
    instances(&case)
        .filter_map(|(name, instance, expect)| {
            Some(Known {
                name: format!("lcp-one-variable-{name}"),
                lcp: lcp(instance),
                z: answer(expect)?,
                unique: !["zero_zero", "negative_diag_two_solutions"].contains(&name),
            })
        })
        .collect()
}

/// The base problem, then its transforms.
pub(super) fn scaling() -> Vec<Known> {
    let case = case("lcp-scaling");
    let problem = &case["problem"];
    let (m, q) = (matrix(&problem["base"]["M"]), vector(&problem["base"]["q"]));
    let z0 = vector(&case["expect"][0]["z0"]);
    // M' = diag(row) M diag(col), q' = diag(of_q) q and z' = diag(of_z) z0.
    let scaled = |name: String, row: [f64; 4], col: [f64; 4], of_q: [f64; 4], of_z: [f64; 4]| {
        let m: Vec<Vec<f64>> = (0..4)
            .map(|i| (0..4).map(|j| row[i] * m[i][j] * col[j]).collect())
            .collect();
        let q = (0..4).map(|i| of_q[i] * q[i]).collect();
        Known {
            name: format!("lcp-scaling-{name}"),
            lcp: Lcp::from_dense(&m, q).unwrap(),
            z: (0..4).map(|i| of_z[i] * z0[i]).collect(),
            unique: true,
        }
    };
    let one = [1.0; 4];
    let mut all = vec![scaled("base".to_owned(), one, one, one, one)];
    for s in vector(&problem["s"]) {
        all.push(scaled(format!("both-{s:e}"), [s; 4], one, [s; 4], one));
        let z = [1.0 / s; 4];
        all.push(scaled(format!("unknowns-{s:e}"), [s; 4], one, one, z));
    }
    let d = [1e-4, 1.0, 1e4, 1e-2];
    all.push(scaled("rows".to_owned(), d, one, d, one));
    all.push(scaled(
        "columns".to_owned(),
        one,
        d,
        one,
        d.map(|d| 1.0 / d),
    ));
    all
}

/// The problem for parameter `l` and its answer.
pub(super) fn parametric_switch_at(case: &Value, l: f64) -> Known {
    let inner = (l + 16.0) / 13.0;
    let third = 2.0 * (23.0 - l) / 13.0;
    let z = if l <= 23.0 {
        vec![inner, inner, third, (1286.0 - 9.0 * l) / 13.0]
    } else {
        vec![3.0, 3.0, 0.0, 83.0]
    };
    let m = matrix(&case["problem"]["M"]);
    Known {
        name: format!("lcp-parametric-switch-{l}"),
        lcp: Lcp::from_dense(&m, vec![50.0, 50.0, l, -6.0]).unwrap(),
        z,
        unique: true,
    }
}

fn parametric_switch() -> Vec<Known> {
    let case = case("lcp-parametric-switch");
    vector(&case["problem"]["values"])
        .into_iter()
        .map(|l| parametric_switch_at(&case, l))
        .collect()
}

fn particle() -> Vec<Known> {
    let case = case("lcp-particle-stick-slide");
    instances(&case)
        .map(|(name, instance, expect)| {
            let pull = number(&expect["net_friction"][0]);
            // A sticking particle has σ = 0.
            let sigma = expect["sigma"].as_f64().unwrap_or(0.0);
            let normal = number(&expect["c_n"]);
            Known {
                name: format!("lcp-particle-{name}"),
                lcp: lcp(instance),
                z: vec![normal, pull.max(0.0), (-pull).max(0.0), 0.0, 0.0, sigma],
                // With σ > 0 only the direction of sliding has friction.
                unique: sigma > 0.0,
            }
        })
        .collect()
}

/// Names end in the largest mass and the number of bodies.
fn heavy_on_light() -> Vec<Known> {
    let case = case("lcp-heavy-on-light");
    let fall = number(&case["problem"]["h"]) * number(&case["problem"]["g"]);
    let stack = |masses: Vec<f64>| {
        let n = masses.len();
        let m: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let below = if i > 0 { 1.0 / masses[i - 1] } else { 0.0 };
                (0..n)
                    .map(|j| match (i, j) {
                        _ if i == j => 1.0 / masses[i] + below,
                        _ if i.abs_diff(j) == 1 => -1.0 / masses[i.min(j)],
                        _ => 0.0,
                    })
                    .collect()
            })
            .collect();
        // J 1 = (1, 0, .., 0).
        let q = (0..n).map(|i| if i == 0 { -fall } else { 0.0 }).collect();
        let heaviest = masses.iter().fold(0.0_f64, |a, b| a.max(*b));
        Known {
            name: format!("lcp-heavy-on-light-{heaviest}-{n}"),
            lcp: Lcp::from_dense(&m, q).unwrap(),
            z: weights(&masses, fall),
            unique: true,
        }
    };
    matrix(&case["problem"]["masses_bottom_to_top"])
        .into_iter()
        .map(stack)
        .collect()
}

/// g h Σ of the masses from i upwards.
pub(super) fn weights(masses: &[f64], fall: f64) -> Vec<f64> {
    (0..masses.len())
        .map(|i| fall * masses[i..].iter().sum::<f64>())
        .collect()
}

pub(super) fn singular_psd() -> Vec<Known> {
    let case = case("lcp-singular-psd");
    let ones = |n: &Value| {
        let n = usize::try_from(n.as_u64().unwrap()).unwrap();
        Known {
            name: format!("lcp-singular-psd-{n}"),
            lcp: Lcp::from_dense(&vec![vec![1.0; n]; n], vec![-1.0; n]).unwrap(),
            z: (0..n).map(|i| f64::from(u8::from(i == 0))).collect(),
            unique: false,
        }
    };
    let sizes = case["problem"]["n"].as_array().unwrap();
    sizes.iter().map(ones).collect()
}
