//! The answer of a basis: one factorisation of the original data, refinement, clipping.

use crate::reduce::factor_block;
use crate::residual::LinearView;
use crate::{Basis, BasisMark};

/// Steps of iterative refinement; each costs one product and one solve.
const REFINEMENTS: usize = 2;

/// z of a basis: M_BB z_B = −q_B − M_BN z_N with z_N at its bounds, refined, then clipped to the bounds.
///
/// `None` if the basis is singular or the answer is not finite.
pub(crate) fn solve_basis(
    view: &LinearView<'_>,
    basis: &Basis,
    singular_tolerance: f64,
) -> Option<Vec<f64>> {
    let n = view.len();
    let inner: Vec<usize> = (0..n)
        .filter(|&i| basis.marks()[i] == BasisMark::Basic)
        .collect();
    let mut z: Vec<f64> = (0..n)
        .map(|i| match (view.interval(i), basis.marks()[i]) {
            (_, BasisMark::Basic) => 0.0,
            ((_, u), BasisMark::AtUpper) if u.is_finite() => u,
            ((l, _), _) if l.is_finite() => l,
            ((_, u), _) if u.is_finite() => u,
            _ => 0.0,
        })
        .collect();
    let dense = view.dense();
    let lu = factor_block(&dense, n, &inner, singular_tolerance)?;
    for _ in 0..=REFINEMENTS {
        let mut rest: Vec<f64> = inner
            .iter()
            .map(|&i| {
                -view.q[i]
                    - dense[i * n..][..n]
                        .iter()
                        .zip(&z)
                        .map(|(m, z)| m * z)
                        .sum::<f64>()
            })
            .collect();
        if rest.iter().all(|r| *r == 0.0) {
            break;
        }
        lu.solve(&mut rest, 1);
        inner.iter().zip(&rest).for_each(|(&i, r)| z[i] += r);
    }
    for &i in &inner {
        z[i] = view.project(i, z[i]);
    }
    z.iter().all(|x| x.is_finite()).then_some(z)
}

/// The basis of the indices where z is farther from its bounds than F from zero: with x = z − F, basic if l < x < u.
#[track_caller]
pub(crate) fn basis_of_point(view: &LinearView<'_>, z: &[f64]) -> Basis {
    assert_eq!(
        z.len(),
        view.len(),
        "the starting point must have one entry per variable"
    );
    let mut f = view.q.to_vec();
    for (&m, (i, j)) in view.m {
        f[i] += m * z[j];
    }
    let mark = |i: usize| match (view.interval(i), z[i] - f[i]) {
        ((l, _), x) if x <= l => BasisMark::AtLower,
        ((_, u), x) if x >= u => BasisMark::AtUpper,
        _ => BasisMark::Basic,
    };
    Basis::new((0..view.len()).map(mark).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, LinearMcp};

    #[test]
    fn variables_off_the_basis_stand_at_their_bounds() {
        let bounds = Bounds::new(
            vec![f64::NEG_INFINITY, -1.0, 0.0],
            vec![f64::INFINITY, 2.0, 5.0],
        )
        .unwrap();
        let mcp =
            LinearMcp::from_dense(&[[2.0, 1.0, 1.0], [0.0; 3], [0.0; 3]], vec![0.0; 3], bounds)
                .unwrap();
        let basis = Basis::new(vec![
            BasisMark::Basic,
            BasisMark::AtUpper,
            BasisMark::AtLower,
        ]);
        let view = LinearView::from(&mcp);
        assert_eq!(solve_basis(&view, &basis, 1e-15).unwrap(), [-1.0, 2.0, 0.0]);
        assert_eq!(
            solve_basis(&view, &Basis::new(vec![BasisMark::Basic; 3]), 1e-15),
            None
        );
    }
}
