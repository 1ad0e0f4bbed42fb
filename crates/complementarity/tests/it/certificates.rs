//! Proofs of infeasibility with bounds, and equations that free variables cannot solve alone.

use signorini_complementarity::*;

use crate::random::Random;

const INF: f64 = f64::INFINITY;

fn problem(rows: &[Vec<f64>], q: &[f64], bounds: &[(f64, f64)]) -> LinearMcp {
    let (lower, upper) = bounds.iter().copied().unzip();
    LinearMcp::from_dense(rows, q.to_vec(), Bounds::new(lower, upper).unwrap()).unwrap()
}

/// What is wrong with y as a proof that no l ≤ z ≤ u has F of the signs that its rows ask for; summed afresh.
pub(crate) fn fault(problem: &LinearMcp, y: &[f64]) -> Option<String> {
    let n = problem.len();
    let interval = |i: usize| (problem.bounds().lower()[i], problem.bounds().upper()[i]);
    for (i, &y) in y.iter().enumerate() {
        let allowed = match interval(i) {
            (l, u) if l.is_finite() && u.is_finite() => y == 0.0,
            (l, _) if l.is_finite() => y >= 0.0,
            (_, u) if u.is_finite() => y <= 0.0,
            _ => true,
        };
        if !(allowed && y.is_finite()) {
            return Some(format!("y[{i}] = {y:e}"));
        }
    }
    let mut sums = vec![(0.0, 0.0_f64); n];
    for (m, (i, j)) in problem.m() {
        sums[j].0 += m * y[i];
        sums[j].1 += (m * y[i]).abs();
    }
    let mut total: f64 = problem.q().iter().zip(y).map(|(q, y)| q * y).sum();
    for (j, &(sum, size)) in sums.iter().enumerate() {
        let (l, u) = interval(j);
        let end = if sum > 0.0 { u } else { l };
        if sum != 0.0 && end.is_finite() {
            total += sum * end;
        } else if sum.abs() > 1e-11 * size {
            return Some(format!("column {j}: {sum:e} of {size:e}"));
        }
    }
    (total >= 0.0 || total.is_nan()).then(|| format!("total {total:e}"))
}

fn assert_proved(problem: &LinearMcp, what: &str) {
    for form in [LemkeForm::Dense, LemkeForm::Sparse] {
        let settings = LemkeSettings {
            form,
            ..LemkeSettings::default()
        };
        let solution = Lemke::new(settings).solve(problem, Start::Cold);
        assert_eq!(
            solution.status,
            Status::Infeasible,
            "{what}, {form:?} {problem:?}"
        );
        let Some(Certificate::Farkas(y)) = &solution.certificate else {
            panic!("{what}, {form:?}: no certificate")
        };
        assert_eq!(fault(problem, y), None, "{what}, {form:?}: {y:?}");
    }
}

#[test]
fn bounds_and_equations_that_contradict_each_other() {
    let free = (-INF, INF);
    let cases = [
        // z₁ + z₂ = 1 and z₁ + z₂ = 2.
        (
            "equations",
            vec![vec![1.0, 1.0], vec![1.0, 1.0]],
            vec![-1.0, -2.0],
            vec![free, free],
        ),
        // z₂ = 5 with z₂ ≤ 3: the row of z₂ asks nothing.
        (
            "equation and box",
            vec![vec![0.0, 1.0], vec![1.0, 0.0]],
            vec![-5.0, 0.0],
            vec![free, (0.0, 3.0)],
        ),
        // −z₂ − 1 ≥ 0 with z₂ ≥ 0.
        (
            "lower bounds",
            vec![vec![0.0, -1.0], vec![0.0, 0.0]],
            vec![-1.0, 1.0],
            vec![(2.0, INF), (0.0, INF)],
        ),
        // z₁ ≤ 0: F₁ = z₂ + 1 ≤ 0 with z₂ ≥ 0.
        (
            "upper bound",
            vec![vec![0.0, 1.0], vec![0.0, 0.0]],
            vec![1.0, 1.0],
            vec![(-INF, 0.0), (0.0, INF)],
        ),
    ];
    for (what, rows, q, bounds) in cases {
        assert_proved(&problem(&rows, &q, &bounds), what);
    }
}

/// Monotone problems of all kinds of bounds, made infeasible by a planted y: proved, and never called solved.
#[test]
fn planted_contradictions_are_proved() {
    let mut proved = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let n = 3 + random.below(8);
        let bounds: Vec<(f64, f64)> = (0..n)
            .map(|_| {
                let a = random.uniform() * 4.0 - 2.0;
                random.one_of(&[(a, INF), (-INF, a), (-INF, INF), (a, a + 1.0), (0.0, INF)])
            })
            .collect();
        // A skew matrix, in which two rows with multipliers say the opposite of each other.
        let mut m = vec![vec![0.0; n]; n];
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            m[i][j] = random.one_of(&[-2.0, -1.0, 0.0, 1.0, 2.0]);
            m[j][i] = -m[i][j];
        }
        let multipliers = |(l, u): (f64, f64)| !(l.is_finite() && u.is_finite());
        let rows: Vec<usize> = (0..n).filter(|&i| multipliers(bounds[i])).collect();
        let &[a, b, ..] = rows.as_slice() else {
            continue;
        };
        let sign = |i: usize| if bounds[i].0.is_finite() { 1.0 } else { -1.0 };
        let same = sign(a) * sign(b);
        m[b] = m[a].iter().map(|x| -same * x).collect();
        let mut q: Vec<f64> = (0..n).map(|_| random.uniform() - 0.5).collect();
        q[b] = -same * q[a] - sign(b) * 0.5;
        let mcp = problem(&m, &q, &bounds);
        let mut y = vec![0.0; n];
        (y[a], y[b]) = (sign(a), sign(b));
        assert_eq!(fault(&mcp, &y), None, "seed {seed}");
        assert_proved(&mcp, &format!("seed {seed}"));
        proved += 1;
    }
    assert!(proved > 100);
}

/// A circuit: currents through resistors and diodes, potentials free. The equations of the nodes do not know the
/// potentials, so their block is singular; their order and their signs are mixed up.
#[test]
fn circuits_are_solved_whatever_the_order_of_their_equations() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let nodes = 2 + random.below(4);
        let branches = nodes + random.below(8);
        let n = nodes + branches;
        let bounds: Vec<(f64, f64)> = (0..n)
            .map(|i| if i < nodes { (-INF, INF) } else { (0.0, INF) })
            .collect();
        let mut m = vec![vec![0.0; n]; n];
        let mut q = vec![0.0; n];
        for b in 0..branches {
            // From one node to another, or to the ground if they are equal; the first branches make a tree that is
            // grounded at node 0, so that no equation is redundant.
            let (from, to) = if b < nodes {
                (b, random.below(b.max(1)))
            } else {
                (random.below(nodes), random.below(nodes))
            };
            let i = nodes + b;
            m[from][i] += 1.0;
            m[i][from] -= 1.0;
            if from != to {
                m[to][i] -= 1.0;
                m[i][to] += 1.0;
            }
            m[i][i] = random.one_of(&[0.0, 0.0, 1.0, 10.0]);
            q[i] = random.uniform() - 0.3;
        }
        // A source of current that the branches can carry.
        let current: Vec<f64> = (0..branches).map(|_| random.uniform()).collect();
        for k in 0..nodes {
            q[k] = -(0..branches)
                .map(|b| m[k][nodes + b] * current[b])
                .sum::<f64>();
        }
        for k in (1..nodes).rev() {
            let other = random.below(k + 1);
            m.swap(k, other);
            q.swap(k, other);
            let factor = random.one_of(&[-1.0, -1000.0, 0.001, 1.0]);
            m[k].iter_mut().for_each(|x| *x *= factor);
            q[k] *= factor;
        }
        let mcp = problem(&m, &q, &bounds);
        let settings = LemkeSettings {
            form: LemkeForm::Dense,
            retries: 0,
            tolerance: 1e-12,
            ..LemkeSettings::default()
        };
        let solution = Lemke::new(settings).solve(&mcp, Start::Cold);
        match (&solution.status, &solution.certificate) {
            (Status::Solved, _) => {}
            (Status::Infeasible, Some(Certificate::Farkas(y))) => {
                assert_eq!(fault(&mcp, y), None, "seed {seed}");
            }
            other => panic!("seed {seed}: {other:?}, {:e}", solution.residual),
        }
        // Its basis is a start for the next one.
        if let Some(basis) = solution.basis.filter(|_| solution.status.is_solved()) {
            let again = Lemke::default().solve(&mcp, Start::Basis(&basis));
            assert_eq!((again.status, again.stats.iterations), (Status::Solved, 0));
        }
    }
}
