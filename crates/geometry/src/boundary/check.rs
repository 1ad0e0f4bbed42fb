//! Relations against the true boundary, for the tests of shapes.

use nalgebra::SVector;

use super::{Boundary, Feature};

/// Checks the relation of a feature against a curve s ↦ (point, normal) of the true boundary through s = 0: from the
/// curve's own point, and from one off it by a little, to a point of the curve near by, to second order.
///
/// # Panics
/// If what is left is not of second order.
pub(crate) fn check_relation<const D: usize>(
    core: &dyn Boundary<D>,
    feature: Feature,
    curve: impl Fn(f64) -> (SVector<f64, D>, SVector<f64, D>),
) {
    let size = core.extent();
    let (x, m) = curve(0.0);
    let exact = core.relation(feature, &x, &m);
    assert!(
        exact.error < 1e-13 * size,
        "error on the boundary: {}",
        exact.error
    );
    let left = |step: f64, off: f64| {
        let wobble = |k: f64| SVector::<f64, D>::from_fn(|i, _| (k + 2.3 * i as f64).sin() * off);
        let (x, m) = (x + wobble(0.4) * size, (m + wobble(1.7)).normalize());
        let (y, n) = curve(step);
        let relation = core.relation(feature, &x, &m);
        let across = |v: SVector<f64, D>| v - m * m.dot(&v);
        let sides = relation.alpha * across(y - x) + relation.beta * across(n - m);
        let scale = relation.alpha.norm() * size + relation.beta.norm();
        let lift = (relation.lift - m.dot(&(y - x))).abs() / size;
        ((sides - relation.rhs).norm() / scale).max(lift)
    };
    for (step, off) in [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 1.0),
        (0.7, -0.4),
        (-0.2, 0.9),
    ] {
        let (coarse, fine) = (left(1e-3 * step, 1e-3 * off), left(1e-5 * step, 1e-5 * off));
        assert!(
            fine <= 2e-3 * coarse + 1e-13,
            "step {step}, off {off}: {coarse:e} falls to {fine:e} only"
        );
        assert!(coarse < 0.1, "step {step}, off {off}: {coarse:e}");
    }
}
