//! The project's own complementarity cases, read from `fixtures/cases`.

use serde_json::Value;
use signorini_complementarity::*;

use crate::fixture::{self, assert_near, case, instances, lcp, matrix, number, vector};

fn solve(lcp: &Lcp) -> Solution {
    Lemke::default().solve(lcp, Start::Cold)
}

#[track_caller]
fn solved(lcp: &Lcp) -> Solution {
    let solution = solve(lcp);
    assert_eq!(solution.status, Status::Solved, "{solution:?}");
    solution
}

/// M z + q.
fn function(m: &sprs::CsMat<f64>, q: &[f64], z: &[f64]) -> Vec<f64> {
    let mut f = q.to_vec();
    for (&m, (i, j)) in m {
        f[i] += m * z[j];
    }
    f
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
    let expect = &case["expect"][0];
    let solution = solve(&lcp(&case["problem"]));
    assert_eq!(
        (&expect["status"], solution.status),
        (&"solved".into(), Status::Solved)
    );
    assert_near(&solution.z, &vector(&expect["z"]), expect);
    let limit = case["expect"][1]["pivots_at_most"].as_u64().unwrap();
    assert!(solution.stats.iterations as u64 <= limit);
}

#[test]
fn infeasible_certificate() {
    for (_, instance, expect) in instances(&case("lcp-infeasible-certificate")) {
        assert_eq!(expect["status"], "infeasible");
        let lcp = lcp(instance);
        assert_certified(&lcp, &solve(&lcp));
    }
}

#[test]
fn one_variable() {
    for (name, instance, expect) in instances(&case("lcp-one-variable")) {
        let lcp = lcp(instance);
        let solution = solve(&lcp);
        assert!(solution.z.len() == lcp.len() && solution.z.iter().all(|z| z.is_finite()));
        if expect["status"] == "infeasible" {
            assert_certified(&lcp, &solution);
            continue;
        }
        assert_eq!(solution.status, Status::Solved, "{name}");
        match (&expect["any_of"], &expect["any_of_outcomes"][0]) {
            (answers, _) if answers.is_array() => assert!(matrix(answers).contains(&solution.z)),
            (_, outcome) if outcome.is_object() => {
                assert_near(&solution.z, &vector(&outcome["z"]), outcome);
            }
            _ => assert_near(&solution.z, &vector(&expect["z"]), expect),
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
    let solution = solved(&lcp);
    let outcome = &case["expect"][0]["any_of_outcomes"][0];
    let (answers, tolerance) = (matrix(&outcome["any_of"]), number(&outcome["tol"]));
    let is_near = |a: &Vec<f64>| {
        a.iter()
            .zip(&solution.z)
            .all(|(a, b)| (a - b).abs() <= tolerance)
    };
    assert!(answers.iter().any(is_near), "{:?}", solution.z);
}

#[test]
fn singular_psd() {
    let expect = &case("lcp-singular-psd")["expect"];
    for known in fixture::singular_psd() {
        let solution = solved(&known.lcp);
        assert_near(&[solution.z.iter().sum()], &[1.0], &expect[0]);
        assert!(solution.z.iter().all(|z| *z >= -1e-12));
        let w = function(known.lcp.m(), known.lcp.q(), &solution.z);
        assert!(w.iter().all(|w| w.abs() <= 1e-9), "{w:?}");
        assert!(solution.stats.iterations <= known.lcp.len() + 2);
    }
}

#[test]
fn scaling() {
    let expect = &case("lcp-scaling")["expect"][0];
    let mut pivots = None;
    for known in fixture::scaling() {
        let solution = solved(&known.lcp);
        assert_near(&solution.z, &known.z, expect);
        // The base problem comes first.
        let base = *pivots.get_or_insert(solution.stats.iterations);
        if known.name.contains("both") {
            assert_eq!(solution.stats.iterations, base, "{}", known.name);
        }
    }
}

#[test]
fn parametric_switch() {
    let case = case("lcp-parametric-switch");
    let at = |l: f64| fixture::parametric_switch_at(&case, l);
    let expect = |l: f64| &case["expect"][usize::from(l > 23.0)];
    for l in vector(&case["problem"]["values"]) {
        let known = at(l);
        assert_near(&solved(&known.lcp).z, &known.z, expect(l));
    }
    let before = solved(&at(22.999).lcp);
    let after = at(23.001);
    let start = Start::Basis(before.basis.as_ref().unwrap());
    let warm = Lemke::default().solve(&after.lcp, start);
    assert_eq!(warm.status, Status::Solved);
    assert_near(&warm.z, &after.z, expect(23.001));
    assert_near(&warm.z, &solved(&after.lcp).z, expect(23.001));
    assert!(warm.stats.iterations <= 4, "{}", warm.stats.iterations);
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
        let expected = fixture::weights(&masses, g * h);
        let pivoting = Lemke::default().solve(pyramid.problem(), Start::Cold);
        assert_eq!(pivoting.status, Status::Solved);
        assert_near(&pivoting.z, &expected, &case["expect"][0]);
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
    for (_, instance, expect) in instances(&case("lcp-particle-stick-slide")) {
        let lcp = lcp(instance);
        let z = solved(&lcp).z;
        let net = [z[1] - z[2], z[3] - z[4]];
        assert_near(&[z[0]], &[number(&expect["c_n"])], expect);
        assert_near(&net, &vector(&expect["net_friction"]), expect);
        // w holds v_n, and σ plus and minus each tangential velocity; the normal is the last axis.
        let w = function(lcp.m(), lcp.q(), &z);
        let velocity = [0.5 * (w[1] - w[2]), 0.5 * (w[3] - w[4]), w[0]];
        assert_near(&velocity, &vector(&expect["post_velocity"]), expect);
        if let Some(sigma) = expect["sigma"].as_f64() {
            assert_near(&[z[5]], &[sigma], expect);
        }
    }
}

/// One step of the rod: impulse (normal, tangential), velocity and tip velocity (normal, tangential).
fn rod_step(mu: f64, fall: f64, form: PyramidForm) -> ([f64; 2], [f64; 3], [f64; 2]) {
    // The tip stands at r = −(cos θ, sin θ) from the centre, tan θ = 2.
    let (rx, ry) = (-1.0 / 5.0_f64.sqrt(), -2.0 / 5.0_f64.sqrt());
    let mut contacts = BlockRows::new(2, 3);
    contacts.push([FIXED, 0], &[f64::NAN; 6], &[0.0, 1.0, rx, 1.0, 0.0, -ry]);
    let step = FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0],
        free_velocity: vec![-1.0, -fall, 0.0],
        contacts,
        bias: vec![0.0; 2],
        mu: vec![mu],
        ..FrictionData::default()
    })
    .unwrap();
    let pyramid = step.pyramid(2, form);
    let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
    assert_eq!(solution.status, Status::Solved, "mu {mu} g h {fall}");
    let (mut p, mut v, mut u) = ([0.0; 2], [0.0; 3], [0.0; 2]);
    pyramid.impulses_into(&solution.z, &mut p);
    step.velocity_into(&p, &[], &mut v);
    step.relative_velocity_into(&v, &mut u);
    (p, v, u)
}

#[test]
fn painleve_rod() {
    let case = case("lcp-painleve-rod");
    let (problem, expect) = (&case["problem"], &case["expect"][0]);
    let rate = expect["normal_impulse"].as_str().unwrap();
    let rate: f64 = rate.strip_suffix("*h").unwrap().parse().unwrap();
    for mu in vector(&problem["friction"]) {
        for form in [PyramidForm::Reduced, PyramidForm::Mixed] {
            let mut larger = f64::INFINITY;
            // From the largest h down.
            for h in vector(&problem["h"]) {
                let (p, v, u) = rod_step(mu, number(&problem["g"]) * h, form);
                if mu == number(&expect["friction"]) {
                    // Sliding against −x, p_t = mu p_n = p_n. With J_t = (1, 0, 2/√5), J_n = (0, 1, −1/√5) and
                    // M⁻¹ = diag(1, 1, 3): u_t = −1 + (J_t M⁻¹ J_tᵀ + J_t M⁻¹ J_nᵀ) p_n = −1 + (17/5 − 6/5) p_n,
                    // so that |u_t + 1| = C h with C = 11/5 · 24.525 = 53.955.
                    assert_near(&p, &[rate * h, rate * h], expect);
                    assert_near(&[u[1]], &[-1.0 + 11.0 / 5.0 * rate * h], expect);
                    assert!(u[1] < 0.0, "the tip still slides: {u:?}");
                }
                let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 3.0);
                assert!(kinetic <= 0.5, "mu {mu} h {h}: {kinetic}");
                assert!(
                    p[0] <= larger,
                    "mu {mu} h {h}: the impulse has grown to {}",
                    p[0]
                );
                assert!(u[0] >= -1e-12);
                larger = p[0];
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
        for (name, instance, expect) in instances(&case(id)) {
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
                    assert_near(&solution.z, &vector(&expect["z"]), expect);
                    if expect["F"].is_array() {
                        let f = function(mcp.m(), mcp.q(), &solution.z);
                        assert_near(&f, &vector(&expect["F"]), expect);
                    }
                }
            }
        }
    }
}

/// (6, 0, 0, 0), once reported as an answer, has F = (2, 2, 4, 0), and F = 2 beside z = 6 is no zero.
#[test]
fn the_reported_wrong_answer_is_refused() {
    let case = case("mcp-free-variable");
    let (_, instance, expect) = instances(&case).find(|i| i.0 == "lcp4").unwrap();
    let mcp = mcp(instance).unwrap();
    let wrong = [6.0, 0.0, 0.0, 0.0];
    let f = function(mcp.m(), mcp.q(), &wrong);
    assert_eq!(f, [2.0, 2.0, 4.0, 0.0]);
    let distance = |i: usize| (wrong[i] - mcp.bounds().project(i, wrong[i] - f[i])).abs();
    assert!((0..4).map(distance).fold(0.0, f64::max) >= 2.0);
    // Scaled by S + Σ|M_0j z_j| + |q_0| = 1 + 0 + 2.
    assert_eq!(natural_residual(&mcp, &wrong), 2.0 / 3.0);
    let solution = Lemke::default().solve(&mcp, Start::Point(&wrong));
    assert_eq!(solution.status, Status::Solved);
    assert_near(&solution.z, &vector(&expect["z"]), expect);
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
    let expect = &case["expect"][0];
    let check = |solution: &Solution| {
        assert_eq!(solution.status, Status::Solved);
        assert_near(&solution.z[..2], &vector(&expect["u"]), expect);
        assert_near(&solution.z[2..], &vector(&expect["z"]), expect);
        let f = function(mcp.m(), mcp.q(), &solution.z);
        assert_near(&f[..2], &[0.0; 2], expect);
        assert_near(&f[2..], &vector(&expect["w"]), expect);
    };
    let cold = Lemke::default().solve(&mcp, Start::Cold);
    check(&cold);
    assert_eq!(cold.z, Lemke::default().solve(&csr, Start::Cold).z);
    assert_eq!(cold.z, Lemke::default().solve(&csc, Start::Cold).z);
    for start in case["problem"]["starts"].as_array().unwrap() {
        let point = [vector(&start["u"]), vector(&start["z"])].concat();
        check(&Lemke::default().solve(&mcp, Start::Point(&point)));
    }
}

/// A game of two players who maximise.
struct Game {
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
}

/// Σ x_i m_ij y_j.
fn bilinear(x: &[f64], m: &[Vec<f64>], y: &[f64]) -> f64 {
    let row = |m: &Vec<f64>| m.iter().zip(y).map(|(m, y)| m * y).sum::<f64>();
    x.iter().zip(m).map(|(x, m)| x * row(m)).sum()
}

fn unit(n: usize, i: usize) -> Vec<f64> {
    (0..n).map(|k| f64::from(u8::from(k == i))).collect()
}

impl Game {
    fn new(case: &Value) -> Self {
        let [a, b] = ["A", "B"].map(|name| matrix(&case["problem"][name]));
        Self { a, b }
    }

    fn shape(&self) -> (usize, usize) {
        (self.a.len(), self.a[0].len())
    }

    /// LCP(−1, [0 A; Bᵀ 0]) of the costs, which are the payoffs subtracted from their largest plus one.
    fn lcp(&self) -> Lcp {
        let (rows, cols) = self.shape();
        let top =
            |m: &[Vec<f64>]| m.iter().flatten().fold(f64::NEG_INFINITY, |s, x| s.max(*x)) + 1.0;
        let entry = |i: usize, j: usize| match (i < rows, j < rows) {
            (true, false) => top(&self.a) - self.a[i][j - rows],
            (false, true) => top(&self.b) - self.b[j][i - rows],
            _ => 0.0,
        };
        let n = rows + cols;
        let m: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        Lcp::from_dense(&m, vec![-1.0; n]).unwrap()
    }

    /// The strategies are the normalised halves of the answer.
    fn strategies(&self, solution: &Solution) -> (Vec<f64>, Vec<f64>) {
        assert_eq!(
            solution.status,
            Status::Solved,
            "every game has an equilibrium"
        );
        let (x, y) = solution.z.split_at(self.shape().0);
        let normalised = |x: &[f64]| x.iter().map(|v| v / x.iter().sum::<f64>()).collect();
        (normalised(x), normalised(y))
    }

    fn payoffs(&self, x: &[f64], y: &[f64]) -> [f64; 2] {
        [bilinear(x, &self.a, y), bilinear(x, &self.b, y)]
    }

    /// What the players could gain at most by changing their own strategy alone.
    fn regret(&self, x: &[f64], y: &[f64]) -> f64 {
        let (rows, cols) = self.shape();
        let [first, second] = self.payoffs(x, y);
        let by_row = (0..rows).map(|i| bilinear(&unit(rows, i), &self.a, y) - first);
        let by_column = (0..cols).map(|j| bilinear(x, &self.b, &unit(cols, j)) - second);
        by_row.chain(by_column).fold(0.0, f64::max)
    }

    /// The basis of pure strategy `label` and the other player's best reply to it.
    fn basis(&self, label: usize) -> Basis {
        let (rows, cols) = self.shape();
        let reply = if label < rows {
            let best = |&j: &usize, &k: &usize| self.b[label][j].total_cmp(&self.b[label][k]);
            rows + (0..cols).max_by(best).unwrap()
        } else {
            let payoff = |i: usize| self.a[i][label - rows];
            (0..rows)
                .max_by(|&i, &k| payoff(i).total_cmp(&payoff(k)))
                .unwrap()
        };
        let mut marks = vec![BasisMark::AtLower; rows + cols];
        marks[label] = BasisMark::Basic;
        marks[reply] = BasisMark::Basic;
        Basis::new(marks)
    }
}

/// From the slack basis every game ends on a ray; other starting bases reach an equilibrium.
#[test]
fn games() {
    let eight = case("game-eight-by-two");
    let game = Game::new(&eight);
    let expect = &eight["expect"];
    let check = |solution: &Solution| {
        let (x, y) = game.strategies(solution);
        assert_near(&x, &vector(&expect[0]["x"]), &expect[0]);
        assert_near(&y, &vector(&expect[0]["y"]), &expect[0]);
        assert_near(
            &game.payoffs(&x, &y),
            &vector(&expect[0]["payoffs"]),
            &expect[0],
        );
        assert!(game.regret(&x, &y) <= number(&expect[1]["regret_at_most"]));
    };
    check(&solve(&game.lcp()));
    // Without other tries: the path from each label itself must end at the equilibrium.
    let once = LemkeSettings {
        retries: 0,
        ..LemkeSettings::default()
    };
    for label in 0..10 {
        let solution =
            Lemke::new(once.clone()).solve(&game.lcp(), Start::Basis(&game.basis(label)));
        assert_eq!(solution.stats.restarts, 0, "label {label}: {solution:?}");
        check(&solution);
    }
}

#[test]
fn degenerate_game() {
    let case = case("game-degenerate-large-entry");
    let (game, expect) = (Game::new(&case), &case["expect"]);
    let (x, y) = game.strategies(&solve(&game.lcp()));
    assert_near(&x, &vector(&expect[0]["x"]), &expect[0]);
    // A probability vector up to the rounding of its normalisation.
    assert!(y.len() == 3 && y.iter().all(|y| *y >= 0.0));
    assert!((y.iter().sum::<f64>() - 1.0).abs() <= 3.0 * f64::EPSILON);
    assert_near(
        &game.payoffs(&x, &y),
        &vector(&expect[2]["payoffs"]),
        &expect[2],
    );
    assert_near(&[game.regret(&x, &y)], &[0.0], &expect[2]);
}

/// What a solver says of a case is true; the portfolio must solve it.
#[track_caller]
fn check_all(problem: &LinearMcp, expected: &[f64]) {
    for mut candidate in crate::conformance::candidates() {
        let solution = Solver::<LinearMcp>::solve(candidate.solver.as_mut(), problem, Start::Cold);
        if solution.status.is_solved() {
            assert_near(&solution.z, expected, &serde_json::json!({ "tol": 1e-8 }));
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
