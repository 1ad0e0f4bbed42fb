//! The project's own complementarity cases, read from `fixtures/cases`.

use serde_json::Value;
use signorini_complementarity::*;

fn case(id: &str) -> Value {
    let path = format!(
        "{}/../../fixtures/cases/{id}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(other) => panic!("{other} is no number"),
        None => value.as_f64().unwrap(),
    }
}

fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(vector).collect()
}

fn lcp(value: &Value) -> Lcp {
    Lcp::from_dense(&matrix(&value["M"]), vector(&value["q"])).unwrap()
}

fn solve(lcp: &Lcp) -> Solution {
    Lemke::default().solve(lcp, Start::Cold)
}

#[track_caller]
fn assert_near(z: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(z.len(), expected.len());
    for (a, b) in z.iter().zip(expected) {
        assert!(
            (a - b).abs() <= tolerance * (1.0 + b.abs()),
            "{z:?} is not {expected:?}"
        );
    }
}

#[track_caller]
fn assert_certified(lcp: &Lcp, solution: &Solution) {
    assert_eq!(solution.status, Status::Infeasible, "{solution:?}");
    let Some(Certificate::Farkas(y)) = &solution.certificate else {
        panic!("no certificate")
    };
    let mut sums = vec![0.0; y.len()];
    for (&m, (i, j)) in lcp.m() {
        sums[j] += m * y[i];
    }
    assert!(
        y.iter().all(|y| *y >= 0.0) && sums.iter().all(|s| *s <= 1e-12),
        "{y:?} {sums:?}"
    );
    assert!(lcp.q().iter().zip(y).map(|(q, y)| q * y).sum::<f64>() < -1e-6);
}

#[test]
fn cycling_three() {
    let case = case("lcp-cycling-three");
    let solution = solve(&lcp(&case["problem"]));
    assert_near(&solution.z, &vector(&case["expect"][0]["z"]), 1e-12);
    assert!(solution.stats.iterations <= 12);
}

#[test]
fn infeasible_certificate() {
    for instance in case("lcp-infeasible-certificate")["problem"]["instances"]
        .as_array()
        .unwrap()
    {
        let lcp = lcp(instance);
        assert_certified(&lcp, &solve(&lcp));
    }
}

#[test]
fn one_variable() {
    let case = case("lcp-one-variable");
    for (instance, expect) in case["problem"]["instances"]
        .as_array()
        .unwrap()
        .iter()
        .zip(case["expect"].as_array().unwrap())
    {
        let name = instance["name"].as_str().unwrap();
        assert_eq!(name, expect["instance"].as_str().unwrap());
        let lcp = lcp(instance);
        let solution = solve(&lcp);
        assert!(solution.z.len() == lcp.len() && solution.z.iter().all(|z| z.is_finite()));
        if expect["status"] == "infeasible" {
            assert_certified(&lcp, &solution);
            continue;
        }
        assert_eq!(solution.status, Status::Solved, "{name}");
        match name {
            "tiny_diag" => assert_near(&solution.z, &[1e17], 1e-9),
            "negative_diag_two_solutions" => assert!([0.0, 2.0].contains(&solution.z[0])),
            _ => assert_near(&solution.z, &vector(&expect["z"]), 1e-12),
        }
        if let Some(limit) = expect["pivots_at_most"].as_u64() {
            assert!(solution.stats.iterations as u64 <= limit);
        }
    }
}

#[test]
fn ray_although_solvable() {
    let case = case("lcp-ray-although-solvable");
    let lcp = lcp(&case["problem"]);
    let once = LemkeSettings {
        retries: 0,
        ..LemkeSettings::default()
    };
    assert_eq!(
        Lemke::new(once).solve(&lcp, Start::Cold).status,
        Status::Ray
    );
    let solution = solve(&lcp);
    assert_eq!(solution.status, Status::Solved);
    let answers = matrix(&case["expect"][0]["any_of_outcomes"][0]["any_of"]);
    let is_near = |a: &Vec<f64>| {
        a.iter()
            .zip(&solution.z)
            .all(|(a, b)| (a - b).abs() < 1e-10)
    };
    assert!(answers.iter().any(is_near), "{:?}", solution.z);
}

#[test]
fn singular_psd() {
    for n in case("lcp-singular-psd")["problem"]["n"].as_array().unwrap() {
        let n = usize::try_from(n.as_u64().unwrap()).unwrap();
        let lcp = Lcp::from_dense(&vec![vec![1.0; n]; n], vec![-1.0; n]).unwrap();
        let solution = solve(&lcp);
        assert_eq!(solution.status, Status::Solved);
        assert!((solution.z.iter().sum::<f64>() - 1.0).abs() <= 1e-9);
        assert!(solution.z.iter().all(|z| *z >= -1e-12) && solution.stats.iterations <= n + 2);
    }
}

#[test]
fn scaling() {
    let case = case("lcp-scaling");
    let problem = &case["problem"];
    let (m, q) = (matrix(&problem["base"]["M"]), vector(&problem["base"]["q"]));
    let z0 = vector(&case["expect"][0]["z0"]);
    let base = solve(&Lcp::from_dense(&m, q.clone()).unwrap());
    let scaled = |row: &dyn Fn(usize) -> f64, col: &dyn Fn(usize) -> f64, q_too: bool| {
        let m: Vec<Vec<f64>> = (0..4)
            .map(|i| (0..4).map(|j| row(i) * m[i][j] * col(j)).collect())
            .collect();
        let q = (0..4)
            .map(|i| if q_too { row(i) * q[i] } else { q[i] })
            .collect();
        let solution = solve(&Lcp::from_dense(&m, q).unwrap());
        assert_eq!(solution.status, Status::Solved);
        solution
    };
    for s in vector(&problem["s"]) {
        let both = scaled(&|_| s, &|_| 1.0, true);
        assert_near(&both.z, &z0, 1e-9);
        assert_eq!(both.stats.iterations, base.stats.iterations, "s = {s}");
        let unknowns = scaled(&|_| s, &|_| 1.0, false);
        let z: Vec<f64> = unknowns.z.iter().map(|z| z * s).collect();
        assert_near(&z, &z0, 1e-9);
    }
    let d = [1e-4, 1.0, 1e4, 1e-2];
    assert_near(&scaled(&|i| d[i], &|_| 1.0, true).z, &z0, 1e-9);
    let columns = scaled(&|_| 1.0, &|j| d[j], true);
    let z: Vec<f64> = columns.z.iter().zip(d).map(|(z, d)| z * d).collect();
    assert_near(&z, &z0, 1e-9);
}

#[test]
fn parametric_switch() {
    let case = case("lcp-parametric-switch");
    let m = matrix(&case["problem"]["M"]);
    let at = |l: f64| Lcp::from_dense(&m, vec![50.0, 50.0, l, -6.0]).unwrap();
    for l in vector(&case["problem"]["values"]) {
        let inner = (l + 16.0) / 13.0;
        let expected = if l <= 23.0 {
            [
                inner,
                inner,
                2.0 * (23.0 - l) / 13.0,
                (1286.0 - 9.0 * l) / 13.0,
            ]
        } else {
            [3.0, 3.0, 0.0, 83.0]
        };
        assert_near(&solve(&at(l)).z, &expected, 1e-9);
    }
    let before = solve(&at(22.999));
    let after = Lemke::default().solve(&at(23.001), Start::Basis(before.basis.as_ref().unwrap()));
    assert_near(&after.z, &[3.0, 3.0, 0.0, 83.0], 1e-9);
    assert!(after.stats.iterations <= 4, "{}", after.stats.iterations);
}

#[test]
fn heavy_on_light() {
    let case = case("lcp-heavy-on-light");
    let (h, g) = (number(&case["problem"]["h"]), number(&case["problem"]["g"]));
    for masses in matrix(&case["problem"]["masses_bottom_to_top"]) {
        // u_i = v_i − v_(i−1): the gap below body i.
        let n = masses.len();
        let mut contacts = BlockRows::new(1, 1);
        for i in 0..n {
            let below = if i == 0 {
                FIXED
            } else {
                u32::try_from(i - 1).unwrap()
            };
            contacts.push([below, u32::try_from(i).unwrap()], &[-1.0], &[1.0]);
        }
        let step = FrictionProblem::new(FrictionData {
            dofs: 1,
            mass: masses.clone(),
            free_velocity: vec![-g * h; n],
            contacts,
            bias: vec![0.0; n],
            mu: vec![0.0; n],
            ..FrictionData::default()
        })
        .unwrap();
        let pyramid = step.pyramid(0, PyramidForm::Reduced);
        let expected: Vec<f64> = (0..n)
            .map(|i| g * h * masses[i..].iter().sum::<f64>())
            .collect();
        let pivoting = Lemke::default().solve(pyramid.problem(), Start::Cold);
        assert_eq!(pivoting.status, Status::Solved);
        pivoting
            .z
            .iter()
            .zip(&expected)
            .for_each(|(a, b)| assert!((a / b - 1.0).abs() <= 1e-9, "{a} {b}"));
        let few = GaussSeidelSettings {
            sweep_limit: 50,
            ..GaussSeidelSettings::default()
        };
        let sweeping = GaussSeidel::new(few).solve(pyramid.problem(), Start::Cold);
        if masses.iter().any(|m| *m >= 100.0) {
            assert_eq!(sweeping.status, Status::IterationLimit);
            assert!(sweeping.residual > 1e-10);
        }
    }
}

#[test]
fn particle_stick_slide() {
    let case = case("lcp-particle-stick-slide");
    for (instance, expect) in case["problem"]["instances"]
        .as_array()
        .unwrap()
        .iter()
        .zip(case["expect"].as_array().unwrap())
    {
        let lcp = lcp(instance);
        let z = solve(&lcp).z;
        assert_near(
            &[z[0], z[1] - z[2], z[3] - z[4]],
            &[
                number(&expect["c_n"]),
                number(&expect["net_friction"][0]),
                0.0,
            ],
            1e-12,
        );
        if let Some(sigma) = expect["sigma"].as_f64() {
            assert_near(&[z[5]], &[sigma], 1e-12);
        }
    }
}

#[test]
fn painleve_rod() {
    let case = case("lcp-painleve-rod");
    let g = number(&case["problem"]["g"]);
    for mu in vector(&case["problem"]["friction"]) {
        for h in vector(&case["problem"]["h"]) {
            // The tip stands at r = −(cos θ, sin θ) from the centre, tan θ = 2.
            let (rx, ry) = (-1.0 / 5.0_f64.sqrt(), -2.0 / 5.0_f64.sqrt());
            let mut contacts = BlockRows::new(2, 3);
            contacts.push([FIXED, 0], &[f64::NAN; 6], &[0.0, 1.0, rx, 1.0, 0.0, -ry]);
            let step = FrictionProblem::new(FrictionData {
                dofs: 3,
                mass: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0],
                free_velocity: vec![-1.0, -g * h, 0.0],
                contacts,
                bias: vec![0.0; 2],
                mu: vec![mu],
                ..FrictionData::default()
            })
            .unwrap();
            for form in [PyramidForm::Reduced, PyramidForm::Mixed] {
                let pyramid = step.pyramid(2, form);
                let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
                assert_eq!(solution.status, Status::Solved, "mu {mu} h {h}");
                let (mut p, mut v, mut u) = ([0.0; 2], [0.0; 3], [0.0; 2]);
                pyramid.impulses_into(&solution.z, &mut p);
                step.velocity_into(&p, &[], &mut v);
                step.relative_velocity_into(&v, &mut u);
                if mu == 1.0 {
                    assert!(
                        (p[0] - 24.525 * h).abs() <= 1e-9 && (u[1] + 1.0).abs() < 200.0 * h,
                        "{p:?} {u:?}"
                    );
                }
                let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 3.0);
                assert!(kinetic <= 0.5, "mu {mu} h {h}: {kinetic}");
                assert!(p[0] < 1.0 && u[0] >= -1e-12);
            }
        }
    }
}

fn mcp(instance: &Value) -> Result<LinearMcp, ProblemError> {
    let bounds = Bounds::new(vector(&instance["l"]), vector(&instance["u"]))?;
    LinearMcp::from_dense(&matrix(&instance["M"]), vector(&instance["q"]), bounds)
}

#[test]
fn bounds_table_and_free_variable() {
    for id in ["mcp-bounds-table", "mcp-free-variable"] {
        let case = case(id);
        for (instance, expect) in case["problem"]["instances"]
            .as_array()
            .unwrap()
            .iter()
            .zip(case["expect"].as_array().unwrap())
        {
            let name = instance["name"].as_str().unwrap();
            assert_eq!(name, expect["instance"].as_str().unwrap());
            match mcp(instance) {
                Err(error) => assert_eq!(
                    (name, error.to_string().as_str()),
                    (
                        "infeasible_bounds",
                        "bounds of z[0] are [2, 1]: lower must not exceed upper"
                    )
                ),
                Ok(mcp) => {
                    let solution = Lemke::default().solve(&mcp, Start::Cold);
                    assert_eq!(solution.status, Status::Solved, "{name}");
                    assert_near(&solution.z, &vector(&expect["z"]), 1e-12);
                }
            }
        }
    }
    let case = case("mcp-free-variable");
    let wrong = natural_residual(
        &mcp(&case["problem"]["instances"][1]).unwrap(),
        &[6.0, 0.0, 0.0, 0.0],
    );
    assert!(wrong > 0.1, "the reported wrong answer is refused: {wrong}");
}

#[test]
fn biactive_mixed() {
    let case = case("mlcp-biactive");
    let part = |name: &str| matrix(&case["problem"][name]);
    let (a, c, d, b) = (part("A"), part("C"), part("D"), part("B"));
    let join = |left: &[Vec<f64>], right: &[Vec<f64>]| -> Vec<Vec<f64>> {
        left.iter()
            .zip(right)
            .map(|(l, r)| l.iter().chain(r).copied().collect())
            .collect()
    };
    let m: Vec<Vec<f64>> = join(&a, &c).into_iter().chain(join(&d, &b)).collect();
    let q: Vec<f64> = vector(&case["problem"]["a"])
        .into_iter()
        .chain(vector(&case["problem"]["b"]))
        .collect();
    let inf = f64::INFINITY;
    let bounds = Bounds::new(vec![-inf, -inf, 0.0, 0.0, 0.0], vec![inf; 5]).unwrap();
    let mcp = LinearMcp::from_dense(&m, q.clone(), bounds.clone()).unwrap();
    // The same from rows, from columns and from triplets in another order.
    let mut triplets = sprs::TriMat::new((5, 5));
    for e in (0..25).rev() {
        triplets.add_triplet(e / 5, e % 5, m[e / 5][e % 5]);
    }
    let csr = LinearMcp::new(triplets.to_csr(), q.clone(), bounds.clone()).unwrap();
    let csc = LinearMcp::new(triplets.to_csc(), q, bounds).unwrap();
    let cold = Lemke::default().solve(&mcp, Start::Cold);
    assert_near(&cold.z, &[1.0, -1.0, 2.0, 0.0, 0.0], 1e-9);
    assert_eq!(cold.z, Lemke::default().solve(&csr, Start::Cold).z);
    assert_eq!(cold.z, Lemke::default().solve(&csc, Start::Cold).z);
    for start in case["problem"]["starts"].as_array().unwrap() {
        let point: Vec<f64> = vector(&start["u"])
            .into_iter()
            .chain(vector(&start["z"]))
            .collect();
        let warm = Lemke::default().solve(&mcp, Start::Point(&point));
        assert_eq!(warm.status, Status::Solved);
        assert_near(&warm.z, &[1.0, -1.0, 2.0, 0.0, 0.0], 1e-9);
    }
}

/// Both players maximise. With payoffs shifted to costs ≥ 1, x and y are the normalised halves of the answer of
/// LCP(−1, [0 A; Bᵀ 0]).
fn equilibrium(case: &Value) -> Option<(Vec<f64>, Vec<f64>)> {
    let (a, b) = (matrix(&case["problem"]["A"]), matrix(&case["problem"]["B"]));
    let (rows, cols) = (a.len(), a[0].len());
    let largest = |m: &[Vec<f64>]| m.iter().flatten().fold(f64::NEG_INFINITY, |s, x| s.max(*x));
    let (top_a, top_b) = (largest(&a) + 1.0, largest(&b) + 1.0);
    let m: Vec<Vec<f64>> = (0..rows + cols)
        .map(|i| {
            (0..rows + cols)
                .map(|j| match (i < rows, j < rows) {
                    (true, false) => top_a - a[i][j - rows],
                    (false, true) => top_b - b[j][i - rows],
                    _ => 0.0,
                })
                .collect()
        })
        .collect();
    let solution = solve(&Lcp::from_dense(&m, vec![-1.0; rows + cols]).unwrap());
    assert_ne!(
        solution.status,
        Status::Infeasible,
        "every game has an equilibrium"
    );
    let normalised = |x: &[f64]| {
        x.iter()
            .map(|v| v / x.iter().sum::<f64>())
            .collect::<Vec<_>>()
    };
    solution.status.is_solved().then(|| {
        (
            normalised(&solution.z[..rows]),
            normalised(&solution.z[rows..]),
        )
    })
}

/// From the slack basis every game ends on a ray; the other starting bases reach an equilibrium.
#[test]
fn games() {
    let eight = case("game-eight-by-two");
    let (x, y) = equilibrium(&eight).unwrap();
    assert_near(&x, &vector(&eight["expect"][0]["x"]), 1e-9);
    assert_near(&y, &vector(&eight["expect"][0]["y"]), 1e-9);
    let (x, y) = equilibrium(&case("game-degenerate-large-entry")).unwrap();
    assert_near(&x, &[0.0, 1.0, 0.0], 1e-9);
    assert_near(&[y.iter().sum()], &[1.0], 1e-12);
}

/// What a solver says of a case is true; the portfolio must solve it.
#[track_caller]
fn check_all(problem: &LinearMcp, expected: &[f64]) {
    for mut candidate in crate::conformance::candidates() {
        let solution = Solver::<LinearMcp>::solve(candidate.solver.as_mut(), problem, Start::Cold);
        if solution.status.is_solved() {
            assert_near(&solution.z, expected, 1e-8);
        } else {
            assert_ne!(candidate.name, "portfolio", "{solution:?}");
        }
    }
}

#[test]
fn all_solvers_tell_the_truth_on_the_cases() {
    let cycling = case("lcp-cycling-three");
    let z = vector(&cycling["expect"][0]["z"]);
    check_all(&lcp(&cycling["problem"]).into(), &z);
    let scaling = case("lcp-scaling");
    let (base, z) = (
        &scaling["problem"]["base"],
        vector(&scaling["expect"][0]["z0"]),
    );
    for s in vector(&scaling["problem"]["s"]) {
        let m: Vec<Vec<f64>> = matrix(&base["M"])
            .iter()
            .map(|row| row.iter().map(|m| s * m).collect())
            .collect();
        let q = vector(&base["q"]).iter().map(|q| s * q).collect();
        check_all(&Lcp::from_dense(&m, q).unwrap().into(), &z);
    }
    for id in ["mcp-bounds-table", "mcp-free-variable"] {
        let case = case(id);
        let instances = case["problem"]["instances"].as_array().unwrap().iter();
        for (instance, expect) in instances.zip(case["expect"].as_array().unwrap()) {
            if let Ok(mcp) = mcp(instance) {
                check_all(&mcp, &vector(&expect["z"]));
            }
        }
    }
}
