//! The nested power norm of superquadrics with its derivatives, and the gamma function of its moments.
//!
//! ```math
//! N(x) = \left( r^{p} + |x_3|^{p} \right)^{1/p}, \qquad r = \left( |x_1|^{s} + |x_2|^{s} \right)^{1/s}
//! ```
//!
//! # Method
//! Every power is taken of a ratio of at most one, so nothing overflows and rounding grows with the exponent only.
//! The dual norm is of the same form with exponents q = p/(p − 1).
//!
//! # References
//! - A. Barr, Superquadrics and angle-preserving transformations, IEEE Computer Graphics and Applications 1 (1981)
//!   11–23, doi 10.1109/MCG.1981.1673799.

use nalgebra::{SMatrix, SVector};

use crate::Jet;

/// Exponents p along the last axis of space and s of the section; the plane has s alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PowerNorm {
    pub(super) along: f64,
    pub(super) section: f64,
}

/// The norm of two coordinates and its derivatives, for coordinates that are not negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) norm: f64,
    /// The coordinates over the norm.
    pub(super) unit: [f64; 2],
    /// First derivatives.
    pub(super) slope: [f64; 2],
    /// Second derivatives times the norm: uu, uv, vv.
    pub(super) bend: [f64; 3],
}

/// Ratio below which second derivatives with a negative power stay what they are there: finite on the planes where they
/// are unbounded.
const FLOOR: f64 = 1e-100;

/// x to a power that may be negative; x ≥ 0.
pub(super) fn power(x: f64, exponent: f64) -> f64 {
    if exponent < 0.0 {
        x.max(FLOOR).powf(exponent)
    } else {
        x.powf(exponent)
    }
}

/// (uᵖ + vᵖ)^(1/p), the coordinates over it, and its first derivatives: unitᵖ⁻¹.
///
/// With the ratio t ≤ 1 of the coordinates and S = 1 + tᵖ the norm is S^(1/p) of the larger one, and the
/// derivative by that one S^(1/p)/S: two powers make all of it. At u = v = 0 the derivatives are those along u = v.
fn norm(p: f64, u: f64, v: f64) -> (f64, [f64; 2], [f64; 2]) {
    let (small, big) = if u < v { (u, v) } else { (v, u) };
    let ratio = if big == 0.0 { 1.0 } else { small / big };
    let lowered = ratio.powf(p - 1.0);
    let sum = 1.0 + ratio * lowered;
    let root = sum.powf(1.0 / p);
    let (unit, slope) = (1.0 / root, root / sum);
    let (units, slopes) = ([unit, ratio * unit], [slope, lowered * slope]);
    let in_order = |[of_big, of_small]: [f64; 2]| {
        if u < v {
            [of_small, of_big]
        } else {
            [of_big, of_small]
        }
    };
    (big * root, in_order(units), in_order(slopes))
}

/// unitᵖ⁻² from unitᵖ⁻¹.
fn lower(p: f64, unit: f64, slope: f64) -> f64 {
    if unit > FLOOR {
        slope / unit
    } else {
        power(unit, p - 2.0)
    }
}

impl Pair {
    /// At u = v = 0 the derivatives are those along u = v.
    pub(super) fn new(p: f64, u: f64, v: f64) -> Self {
        let (norm, unit, slope) = norm(p, u, v);
        let bend = |i: usize| {
            let other = slope[1 - i] * unit[1 - i];
            (p - 1.0) * lower(p, unit[i], slope[i]) * other
        };
        Self {
            norm,
            unit,
            slope,
            bend: [bend(0), (1.0 - p) * slope[0] * slope[1], bend(1)],
        }
    }
}

/// (Σ uᵢᵖ)^(1/p) with one exponent, in the way of [`norm`], for the coordinates' magnitudes.
struct Plain<const D: usize> {
    norm: f64,
    /// The coordinates over the norm.
    unit: SVector<f64, D>,
    /// First derivatives.
    slope: SVector<f64, D>,
}

fn plain<const D: usize>(p: f64, x: &SVector<f64, D>) -> Plain<D> {
    let big = x.amax();
    let mut ratios = SVector::<f64, D>::repeat(1.0);
    let mut lowered = ratios;
    if big > 0.0 {
        for i in 0..D {
            ratios[i] = x[i].abs() / big;
            // The power of the largest is one.
            if ratios[i] < 1.0 {
                lowered[i] = ratios[i].powf(p - 1.0);
            }
        }
    }
    let sum = ratios.dot(&lowered);
    let root = sum.powf(1.0 / p);
    Plain {
        norm: big * root,
        unit: ratios / root,
        slope: lowered * (root / sum),
    }
}

/// N, its gradient, and N times the lower half of its second derivatives, (p − 1)(diag uᵖ⁻² − g gᵀ).
fn plain_jet<const D: usize>(
    p: f64,
    x: &SVector<f64, D>,
) -> (f64, SVector<f64, D>, SMatrix<f64, D, D>) {
    let Plain { norm, unit, slope } = plain(p, x);
    let mut hessian = SMatrix::<f64, D, D>::zeros();
    for i in 0..D {
        // 1 − gᵢ uᵢ without cancellation: the part of the others.
        let others: f64 = (0..D).filter(|&j| j != i).map(|j| slope[j] * unit[j]).sum();
        hessian[(i, i)] = (p - 1.0) * lower(p, unit[i], slope[i]) * others;
        for j in 0..i {
            hessian[(i, j)] = (1.0 - p) * slope[i] * slope[j];
        }
    }
    (norm, slope, hessian)
}

impl PowerNorm {
    /// The norm of which this one is the dual.
    pub(super) fn dual(self) -> Self {
        let q = |p: f64| p / (p - 1.0);
        Self {
            along: q(self.along),
            section: q(self.section),
        }
    }

    /// Whether all coordinates of D have one exponent.
    fn is_plain<const D: usize>(self) -> bool {
        D == 2 || self.along.to_bits() == self.section.to_bits()
    }

    pub(super) fn value<const D: usize>(self, x: &SVector<f64, D>) -> f64 {
        if self.is_plain::<D>() {
            return plain(self.section, x).norm;
        }
        let (section, ..) = norm(self.section, x[0].abs(), x[1].abs());
        norm(self.along, section, x[2].abs()).0
    }

    /// ∂N/∂x; at x = 0 that along a diagonal.
    pub(super) fn gradient<const D: usize>(self, x: &SVector<f64, D>) -> SVector<f64, D> {
        if self.is_plain::<D>() {
            return plain(self.section, x).slope.zip_map(x, f64::copysign);
        }
        let (section, _, [u, v]) = norm(self.section, x[0].abs(), x[1].abs());
        let (_, _, [r, w]) = norm(self.along, section, x[2].abs());
        let mut gradient = SVector::<f64, D>::zeros();
        (gradient[0], gradient[1], gradient[2]) = (r * u, r * v, w);
        gradient.zip_map(x, f64::copysign)
    }

    /// All derivatives.
    pub(super) fn jet<const D: usize>(self, x: &SVector<f64, D>) -> Jet<D> {
        let (value, gradient, mut hessian) = if self.is_plain::<D>() {
            plain_jet(self.section, x)
        } else {
            self.nested_jet(x)
        };
        for i in 0..D {
            for j in 0..i {
                let signed = hessian[(i, j)] * x[i].signum() * x[j].signum();
                (hessian[(i, j)], hessian[(j, i)]) = (signed, signed);
            }
        }
        Jet {
            value,
            gradient: gradient.zip_map(x, f64::copysign),
            hessian: hessian / value.max(FLOOR),
        }
    }

    /// Value, gradient and N times the lower half of the second derivatives for coordinates that are not negative.
    fn nested_jet<const D: usize>(
        self,
        x: &SVector<f64, D>,
    ) -> (f64, SVector<f64, D>, SMatrix<f64, D, D>) {
        let mut gradient = SVector::<f64, D>::zeros();
        let mut hessian = SMatrix::<f64, D, D>::zeros();
        let section = Pair::new(self.section, x[0].abs(), x[1].abs());
        let [u, v] = section.slope;
        let whole = Pair::new(self.along, section.norm, x[2].abs());
        let [r, w] = whole.slope;
        (gradient[0], gradient[1], gradient[2]) = (r * u, r * v, w);
        let [rr, rw, ww] = whole.bend;
        let round = lower(self.along, whole.unit[0], r);
        let [uu, uv, vv] = section.bend.map(|bend| bend * round);
        hessian[(0, 0)] = rr * u * u + uu;
        hessian[(1, 0)] = rr * u * v + uv;
        hessian[(1, 1)] = rr * v * v + vv;
        (hessian[(2, 0)], hessian[(2, 1)], hessian[(2, 2)]) = (rw * u, rw * v, ww);
        (whole.norm, gradient, hessian)
    }
}

/// Γ(1 + x) for 0 ≤ x ≤ 5, to a few units of rounding.
pub(super) fn gamma_1p(x: f64) -> f64 {
    /// Lanczos' series with g = 7 and nine terms, as P. Godfrey computed it.
    const SERIES: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let sum = (1..9).fold(SERIES[0], |sum, i| sum + SERIES[i] / (x + i as f64));
    let t = x + 7.5;
    std::f64::consts::TAU.sqrt() * t.powf(x + 0.5) * (-t).exp() * sum
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::*;

    #[test]
    fn gamma_of_integers_and_halves() {
        let root = std::f64::consts::PI.sqrt();
        for (x, expected) in [
            (0.0, 1.0),
            (0.5, root / 2.0),
            (1.0, 1.0),
            (1.5, 0.75 * root),
            (2.0, 2.0),
            (4.0, 24.0),
            (4.75, 78.784_481_061_323_22),
        ] {
            let ours = gamma_1p(x);
            assert!(
                (ours - expected).abs() < 2e-14 * expected,
                "{x}: {ours} {expected}"
            );
        }
    }

    #[test]
    fn extreme_coordinates_stay_finite() {
        for p in [1.05, 1.5, 2.0, 4.0, 20.0] {
            for s in [1.05, 2.0, 20.0] {
                let norm = PowerNorm {
                    along: p,
                    section: s,
                };
                for x in [
                    Vector3::new(0.0, 0.0, 1.0),
                    Vector3::new(0.0, 1.0, 0.0),
                    Vector3::new(1e-300, 0.0, 1e-10),
                    Vector3::new(1e150, 1e-150, 1e150),
                    Vector3::new(1.0, 1e-17, -1e-17),
                ] {
                    for norm in [norm, norm.dual()] {
                        let jet = norm.jet(&x);
                        assert!(jet.hessian.iter().all(|h| h.is_finite()), "{p} {s} {x}");
                        assert!((jet.gradient.dot(&x) - jet.value).abs() < 1e-14 * jet.value);
                        assert_eq!(
                            (norm.value(&x), norm.gradient(&x)),
                            (jet.value, jet.gradient)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn gradients_of_the_dual_have_norm_one() {
        let norm = PowerNorm {
            along: 20.0,
            section: 1.05,
        };
        let planar = Vector2::new(0.3, -1e-5);
        assert!((norm.value(&norm.dual().gradient(&planar)) - 1.0).abs() < 1e-14);
        let spatial = Vector3::new(0.3, -1e-5, 0.1);
        assert!((norm.value(&norm.dual().gradient(&spatial)) - 1.0).abs() < 1e-14);
    }
}
