//! Lemke's method over sparse factors: the same answers as the dense tableau, large problems, bounds, rays, warm starts.

use signorini_complementarity::collection;
use signorini_complementarity::*;

fn solver(form: LemkeForm) -> Lemke {
    Lemke::new(LemkeSettings {
        form,
        ..LemkeSettings::default()
    })
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) / size
}

/// Numbers in [0, 1) without pattern.
fn fraction(i: usize) -> f64 {
    (0.618_033_988_749_895 * (i + 1) as f64).fract()
}

/// Problem with this matrix whose answer is z where `on`, and whose w is positive elsewhere.
fn plant(m: &sprs::CsMat<f64>, on: impl Fn(usize) -> bool) -> (Lcp, Vec<f64>) {
    let n = m.rows();
    let value = |i: usize| 0.1 + fraction(i);
    let z: Vec<f64> = (0..n).map(|i| if on(i) { value(i) } else { 0.0 }).collect();
    let mut q: Vec<f64> = (0..n).map(|i| if on(i) { 0.0 } else { value(i) }).collect();
    for (&m, (i, j)) in m {
        q[i] -= m * z[j];
    }
    (Lcp::new(m.clone(), q).unwrap(), z)
}

fn tridiagonal(n: usize) -> sprs::CsMat<f64> {
    let mut m = sprs::TriMat::new((n, n));
    for i in 0..n {
        m.add_triplet(i, i, 2.0);
        if i > 0 {
            m.add_triplet(i, i - 1, -1.0);
            m.add_triplet(i - 1, i, -1.0);
        }
    }
    m.to_csc()
}

/// A stack of boxes of 1 kg in the plane, each on two corners, pushed sideways.
fn stack(boxes: u32, push: f64) -> FrictionProblem {
    let (half, inertia) = (0.1, 1.0 / 150.0);
    let mut contacts = BlockRows::new(2, 3);
    for i in 0..boxes {
        for corner in [-half, half] {
            let rows = |y: f64, sign: f64| [0.0, 1.0, corner, 1.0, 0.0, -y].map(|x| sign * x);
            let below = if i == 0 { FIXED } else { i - 1 };
            contacts.push([below, i], &rows(half, -1.0), &rows(-half, 1.0));
        }
    }
    let bodies = 0..boxes as usize;
    let free = bodies
        .clone()
        .flat_map(|i| [push * fraction(i), -0.049, 0.0]);
    let mass = bodies.flat_map(|_| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia]);
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: mass.collect(),
        free_velocity: free.collect(),
        bias: vec![0.0; 2 * contacts.len()],
        mu: vec![0.3; contacts.len()],
        contacts,
        ..FrictionData::default()
    })
    .unwrap()
}

#[test]
fn collection_is_solved_as_by_the_dense_tableau() {
    for known in collection::all() {
        let [dense, sparse] = [LemkeForm::Dense, LemkeForm::Sparse]
            .map(|form| solver(form).solve(&known.lcp, Start::Cold));
        for solution in [&dense, &sparse] {
            assert_eq!(solution.status, Status::Solved, "{}", known.name);
            assert_eq!(natural_residual(&known.lcp, &solution.z), solution.residual);
        }
        if known.unique {
            let error = distance(&sparse.z, &known.z);
            assert!(error <= 1e-11, "{}: {error:e}", known.name);
        }
    }
}

#[test]
fn all_kinds_of_bounds_are_solved() {
    for (n, seed) in [(1, 1), (2, 2), (3, 3), (7, 4), (14, 5), (30, 6), (100, 7)] {
        for known in [
            collection::planted_skew(n, 0, seed),
            collection::planted_spd(n, 0, seed),
        ] {
            let (mcp, z) = collection::planted_bounds(&known, seed);
            let solution = solver(LemkeForm::Sparse).solve(&mcp, Start::Cold);
            assert_eq!(solution.status, Status::Solved, "{}", known.name);
            assert_eq!(solution.stats.restarts, 0, "{}", known.name);
            let error = distance(&solution.z, &z);
            assert!(error <= 1e-11, "{}: {error:e}", known.name);
            let basis = solution.basis.unwrap();
            let warm = solver(LemkeForm::Sparse).solve(&mcp, Start::Basis(&basis));
            assert_eq!((warm.status, warm.stats.iterations), (Status::Solved, 0));
        }
    }
}

/// z1 + z2 = 3 with z1 ≤ 1: z1 goes from one bound to the other without leaving the nonbasic ones.
#[test]
fn a_variable_flips_to_its_other_bound() {
    let bounds = Bounds::new(vec![0.0, f64::NEG_INFINITY], vec![1.0, f64::INFINITY]).unwrap();
    let mcp = LinearMcp::from_dense(&[[0.0, -1.0], [1.0, 1.0]], vec![0.0, -3.0], bounds).unwrap();
    let mut leaving = Vec::new();
    let mut observer = |it: &Iterate<'_>| {
        leaving.push((it.entering.unwrap(), it.leaving.unwrap()));
        std::ops::ControlFlow::Continue(())
    };
    let solution = solver(LemkeForm::Sparse).solve_observed(&mcp, Start::Cold, &mut observer);
    assert_eq!(
        (solution.status, &solution.z[..]),
        (Status::Solved, &[1.0, 2.0][..])
    );
    // t for s1, the flip of z1 (number 2), s1 for t.
    assert_eq!(leaving, [(4, 0), (2, 2), (0, 4)]);
}

/// The second equation repeats the first: the free variables cannot be eliminated, and are split.
#[test]
fn redundant_equations_are_solved() {
    let lower = vec![f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0];
    let bounds = Bounds::new(lower, vec![f64::INFINITY; 3]).unwrap();
    let rows = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]];
    let mcp = LinearMcp::from_dense(&rows, vec![-2.0, -2.0, -1.0], bounds).unwrap();
    let solution = solver(LemkeForm::Sparse).solve(&mcp, Start::Cold);
    assert_eq!(solution.status, Status::Solved, "{solution:?}");
    assert!((solution.z[0] + solution.z[1] - 2.0).abs() < 1e-14);
}

#[test]
fn planted_answer_of_2000_variables_is_found() {
    // Three entries beside the diagonal, which dominates rows and columns on average: not symmetric.
    let n = 2000;
    let mut m = sprs::TriMat::new((n, n));
    for i in 0..n {
        m.add_triplet(i, i, 4.0);
        for k in 1..=3 {
            let j = (i * 7 * k + 13 * k * k) % n;
            if j != i {
                m.add_triplet(i, j, 2.0 * fraction(3 * i + k) - 1.0);
            }
        }
    }
    let (lcp, z) = plant(&m.to_csc(), |i| fraction(5 * i) < 0.3);
    let solution = Lemke::default().solve(&lcp, Start::Cold);
    assert_eq!(solution.status, Status::Solved);
    assert!(distance(&solution.z, &z) < 1e-12);
    // From the basis of the answer nothing is left to do, from the point neither.
    let basis = solution.basis.unwrap();
    for start in [Start::Basis(&basis), Start::Point(&z)] {
        let warm = Lemke::default().solve(&lcp, start);
        assert_eq!((warm.status, warm.stats.iterations), (Status::Solved, 0));
    }
}

/// A string of 20 000 nodes over an obstacle; one n × n array would take 3.2 GB.
#[test]
fn obstacle_of_20_000_variables_fits_into_a_gibibyte() {
    let n = 20_000;
    let (lcp, z) = plant(&tridiagonal(n), |i| i % 1000 < 25);
    let solution = Lemke::default().solve(&lcp, Start::Cold);
    assert_eq!(solution.status, Status::Solved);
    assert!(distance(&solution.z, &z) < 1e-10);
    // Where the system tells, the highest memory of this process so far, all other tests included.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    if let Some(kilobytes) = peak.and_then(|l| l.split_whitespace().next()) {
        assert!(
            kilobytes.parse::<usize>().unwrap() < 1 << 20,
            "{kilobytes} kB"
        );
    }
}

#[test]
fn both_forms_of_friction_pyramids_agree() {
    for boxes in [1, 3, 20] {
        let step = stack(boxes, 0.05);
        let [mixed, reduced] =
            [PyramidForm::Mixed, PyramidForm::Reduced].map(|f| step.pyramid(2, f));
        let a = solver(LemkeForm::Sparse).solve(mixed.problem(), Start::Cold);
        let b = solver(LemkeForm::Dense).solve(reduced.problem(), Start::Cold);
        assert_eq!((a.status, b.status), (Status::Solved, Status::Solved));
        assert_eq!(
            (a.stats.restarts, b.stats.restarts),
            (0, 0),
            "{boxes} boxes"
        );
        // Impulses of a stack on two corners each are unique in the velocity only.
        let mut impulses = vec![0.0; 4 * boxes as usize];
        reduced.impulses_into(&b.z, &mut impulses);
        let mut velocity = vec![0.0; mixed.velocity().len()];
        step.velocity_into(&impulses, &[], &mut velocity);
        let error = distance(&a.z[mixed.velocity()], &velocity);
        assert!(error < 1e-10, "{boxes} boxes: {error:e}");
    }
}

/// Tall stacks stand on nearly dependent columns: the path breaks off and is taken up again, but not begun anew.
#[test]
fn tall_stacks_are_solved_without_a_restart() {
    for boxes in [100, 200] {
        let mixed = stack(boxes, 0.05).pyramid(2, PyramidForm::Mixed);
        let solution = solver(LemkeForm::Sparse).solve(mixed.problem(), Start::Cold);
        assert_eq!(solution.status, Status::Solved);
        assert_eq!(solution.stats.restarts, 0, "{boxes} boxes");
    }
}

/// The guess takes both of two equal columns: one goes back to its bound.
#[test]
fn a_singular_guess_is_repaired() {
    let rows = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let lcp = Lcp::from_dense(&rows, vec![-1.0, -1.0, -2.0]).unwrap();
    let basis = Basis::new(vec![BasisMark::Basic; 3]);
    let solution = solver(LemkeForm::Sparse).solve(&lcp, Start::Basis(&basis));
    assert_eq!(solution.status, Status::Solved);
    assert_eq!((solution.stats.restarts, solution.z[2]), (0, 2.0));
}

#[test]
fn a_changed_push_takes_few_pivots_from_the_last_basis() {
    let (before, after) = (stack(30, 0.05), stack(30, 0.051));
    let [before, after] = [before, after].map(|s| s.pyramid(2, PyramidForm::Mixed));
    let mut lemke = solver(LemkeForm::Sparse);
    let cold = lemke.solve(before.problem(), Start::Cold);
    let basis = cold.basis.unwrap();
    let again = lemke.solve(before.problem(), Start::Basis(&basis));
    assert_eq!((again.status, again.stats.iterations), (Status::Solved, 0));
    let warm = lemke.solve(after.problem(), Start::Basis(&basis));
    assert_eq!((warm.status, warm.stats.restarts), (Status::Solved, 0));
    assert!(5 * warm.stats.iterations <= cold.stats.iterations);
}

/// −2 z1 + 2 z2 ≥ 3 and −2 z1 + 2 ≥ 0: solvable by (1, 2.5), but not from the covering vector of ones.
#[test]
fn rays_are_told_and_other_covering_vectors_tried() {
    let lcp = Lcp::from_dense(&[[-2.0, 2.0], [-2.0, 0.0]], vec![-3.0, 2.0]).unwrap();
    let solve = |retries| {
        let settings = LemkeSettings {
            form: LemkeForm::Sparse,
            retries,
            ..LemkeSettings::default()
        };
        Lemke::new(settings).solve(&lcp, Start::Cold)
    };
    let ray = solve(0);
    assert_eq!(ray.status, Status::Ray);
    let Some(Certificate::Ray { z, w, z0 }) = &ray.certificate else {
        panic!("no ray")
    };
    // w̄ = M z̄ + d z̄₀ with d a positive multiple of ones.
    assert!(z.iter().chain(w).all(|x| *x >= 0.0) && *z0 >= 0.0);
    let covered = [w[0] + 2.0 * z[0] - 2.0 * z[1], w[1] + 2.0 * z[0]];
    assert!((covered[0] - covered[1]).abs() < 1e-12 && (covered[0] > 0.0) == (*z0 > 0.0));
    assert_eq!(solve(2).z, [1.0, 2.5]);
}

/// Two neighbours pull against each other beyond what both can give: y = (1, 1) there proves it.
#[test]
fn infeasible_problems_get_their_proof() {
    let n = 400;
    let mut m = sprs::TriMat::new((n, n));
    for i in 0..n {
        m.add_triplet(i, i, 1.0);
    }
    m.add_triplet(6, 7, -1.0);
    m.add_triplet(7, 6, -1.0);
    let mut q = vec![-1.0; n];
    q[7] = 0.5;
    let lcp = Lcp::new(m.to_csc(), q).unwrap();
    let solution = Lemke::default().solve(&lcp, Start::Cold);
    assert_eq!(solution.status, Status::Infeasible);
    let Some(Certificate::Farkas(y)) = solution.certificate else {
        panic!("no proof")
    };
    assert_eq!((y[6], y[7]), (1.0, 1.0));
    assert_eq!(y.iter().sum::<f64>(), 2.0);
}
