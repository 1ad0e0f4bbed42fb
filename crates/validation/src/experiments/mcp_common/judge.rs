//! The judge: the residual of a point from a fresh evaluation of a problem that was read afresh.
//!
//! It calls nothing of the solvers. Its formula is another one: with the middle of three numbers,
//!
//! ```math
//! | z - \mathrm{mid}(l, z - F, u) | = | \mathrm{mid}(z - u, F, z - l) |
//! ```
//!
//! where nothing is lost by rounding if z is large.

use signorini_complementarity::{Mcp, Solution};

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::experiments) struct Judgement {
    /// Called solved, and it is.
    pub(in crate::experiments) solved: bool,
    /// Called solved, and it is not; or no point at all.
    pub(in crate::experiments) wrong: bool,
    /// max |z − mid(l, z − F, u)|, infinite where F is not defined.
    pub(in crate::experiments) residual: f64,
}

/// What `solution` is worth, if solved means a residual of at most `tolerance`; `fresh` is a problem that no solver has
/// seen.
pub(in crate::experiments) fn judge(
    fresh: &dyn Mcp,
    solution: &Solution,
    tolerance: f64,
) -> Judgement {
    let residual = residual(fresh, &solution.z);
    let claimed = solution.status.is_solved();
    let point = solution.z.len() == fresh.len() && solution.z.iter().all(|z| z.is_finite());
    Judgement {
        solved: claimed && residual <= tolerance,
        // Not `residual > tolerance`: a residual that is no number is none.
        wrong: !point || claimed && !matches!(residual, r if r <= tolerance),
        residual,
    }
}

fn residual(fresh: &dyn Mcp, z: &[f64]) -> f64 {
    let mut f = vec![f64::NAN; fresh.len()];
    if z.len() != f.len() || fresh.evaluate(z, &mut f, None).is_err() {
        return f64::INFINITY;
    }
    let (lower, upper) = (fresh.bounds().lower(), fresh.bounds().upper());
    let row = |i: usize| {
        let mut three = [z[i] - upper[i], f[i], z[i] - lower[i]];
        if three.iter().any(|x| x.is_nan()) {
            return f64::INFINITY;
        }
        three.sort_by(f64::total_cmp);
        three[1].abs()
    };
    (0..z.len()).map(row).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use signorini_complementarity::{Bounds, LinearMcp, Stats, Status, mcp_residual};

    use super::*;

    fn problem() -> LinearMcp {
        let bounds = Bounds::new(
            vec![0.0, -1.0, f64::NEG_INFINITY],
            vec![f64::INFINITY, 1.0, f64::INFINITY],
        );
        let m = [[2.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 4.0]];
        LinearMcp::from_dense(&m, vec![-4.0, 3.0, -9.0], bounds.unwrap()).unwrap()
    }

    fn answer(status: Status, z: &[f64]) -> Solution {
        Solution {
            z: z.to_vec(),
            status,
            residual: 0.0,
            stats: Stats::default(),
            basis: None,
            certificate: None,
        }
    }

    #[test]
    fn the_residual_is_that_of_the_crate() {
        for z in [
            [0.0, -1.0, 0.0],
            [2.5, -1.0, 1.625],
            [0.0, 1.0, 7.0],
            [0.3, 0.2, -5.0],
        ] {
            let difference = residual(&problem(), &z) - mcp_residual(&problem(), &z).unwrap();
            assert!(difference.abs() < 1e-15, "{z:?}");
        }
        // Out of the bounds by 2.
        assert!(residual(&problem(), &[-2.0, -1.0, 2.75]) >= 2.0);
    }

    #[test]
    fn a_success_must_be_one() {
        let judged = |status, z: &[f64]| judge(&problem(), &answer(status, z), 1e-12);
        let good = judged(Status::Solved, &[2.5, -1.0, 1.625]);
        assert!(good.solved && !good.wrong, "{good:?}");
        for z in [&[1.0, 1.0, 1.0][..], &[f64::NAN, -1.0, 1.625], &[1.0]] {
            let bad = judged(Status::Solved, z);
            assert!(!bad.solved && bad.wrong, "{z:?}");
        }
        let honest = judged(Status::NoProgress, &[1.0, 1.0, 1.0]);
        assert!(!honest.solved && !honest.wrong);
        assert!(judged(Status::NoProgress, &[f64::NAN, 1.0, 1.0]).wrong);
    }
}
