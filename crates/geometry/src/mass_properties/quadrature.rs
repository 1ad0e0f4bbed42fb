//! Moments of a star-shaped body by integration over directions.
//!
//! ```math
//! \int_B dx = \int \frac{R^D}{D}\, d\omega, \qquad \int_B x\, dx = \int \frac{R^{D+1}}{D+1}\, \omega\, d\omega, \qquad
//! \int_B x x^T dx = \int \frac{R^{D+2}}{D+2}\, \omega \omega^T d\omega
//! ```
//!
//! # Method
//! R(ω) is the distance of the boundary from an interior point, in a frame in which the body is about as long as wide, so
//! that plates and needles are no harder than balls. Gauss–Kronrod rules with 15 points over the polar angle
//! within such a rule over the azimuth, panels halved until the two rules agree. Where the boundary passes from one
//! inequality to another R has a kink: it is found by bisection and panels end there, those of the azimuth where
//! the order of the inequalities along a meridian changes.
//!
//! # Guarantees and limits
//! The estimate of the error, the sum of the differences of both rules, is far above the true one for smooth bodies. If it
//! stays above 1e-10 of the moment there are no moments. A boundary whose data are rounded by more than 3e-12 of the body's
//! thickness, as that of a plate or of a body far from its origin, has moments to 32 times that, but for 1e-6. After four
//! million rays, fewer for many inequalities, the halving ends whatever is reached.
//!
//! # References
//! - R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, QUADPACK, Springer 1983.

use std::cell::Cell;
use std::f64::consts::{PI, TAU};

use nalgebra::{Matrix3, SMatrix, SVector};

use super::Moments;

/// Relative difference of both rules at which a panel of the azimuth is done.
const OUTER: f64 = 1e-11;

/// The same for the polar angle, whose rounding the azimuth sees.
const INNER: f64 = 1e-13;

/// Largest estimate of the relative error of a moment of a body that is not rounded by more.
const ACCEPTED: f64 = 1e-10;

/// Estimate of the error, relative to the rounding of the rays, that rounding alone explains; and the largest of these.
const EXPLAINED: f64 = 32.0;
const UNCERTAIN: f64 = 1e-6;

/// Differences of rules whose values are rounded by one are below this.
const ROUNDINGS: f64 = 8.0;

/// Halvings of a panel.
const DEPTH: u32 = 40;

/// Panels of a whole turn, before any is halved.
const PANELS: u32 = 8;

/// Measure, first moments, and second moments xx, xy, yy, xz, yz, zz.
type Sums = SVector<f64, 10>;

/// Rays of one body at most, and these times the inequalities.
const RAYS: [u32; 2] = [4_000_000, 100_000_000];

/// Distance of the boundary in a direction, relative to the direction's length, and the number of the inequality there.
pub(super) type Rays<'a, const D: usize> = &'a mut dyn FnMut(&SVector<f64, D>) -> (f64, usize);

/// From where and how a body is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<const D: usize> {
    /// A point inside.
    pub(super) origin: SVector<f64, D>,
    /// Lower triangular map from a frame in which the body is about as long as wide.
    pub(super) frame: SMatrix<f64, D, D>,
    /// Relative rounding of the rays.
    pub(super) rounding: f64,
    /// Number of inequalities.
    pub(super) pieces: u32,
}

/// Moments of the body with this boundary; `Err` with the relative error if it is too large.
pub(super) fn moments_by_rays<const D: usize>(
    view: &View<D>,
    rays: Rays<'_, D>,
) -> Result<Moments<D>, f64> {
    let left = Cell::new(RAYS[0].min(RAYS[1] / view.pieces));
    let rays = &mut |w: &SVector<f64, D>| {
        left.set(left.get().saturating_sub(1));
        rays(&(view.frame * w))
    };
    let goal = |tolerance: f64| Goal {
        tolerance: tolerance.max(ROUNDINGS * view.rounding),
        left: &left,
    };
    let (sums, error) = if D == 2 {
        let mut planar = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            weigh(rays, &SVector::from_fn(|i, _| [cos, sin][i]), 1.0)
        };
        let (sums, error, _) = whole(TAU, PANELS, goal(OUTER), &mut planar);
        (sums, error)
    } else {
        let mut inner_error = 0.0;
        let mut meridian = |azimuth: f64| {
            let (s, c) = azimuth.sin_cos();
            let mut polar = |angle: f64| {
                let (sin, cos) = angle.sin_cos();
                weigh(
                    rays,
                    &SVector::from_fn(|i, _| [sin * c, sin * s, cos][i]),
                    sin,
                )
            };
            let (sums, error, met) = whole(PI, PANELS / 2, goal(INNER), &mut polar);
            inner_error = f64::max(inner_error, error);
            (sums, met)
        };
        let (sums, error, _) = whole(TAU, PANELS, goal(OUTER), &mut meridian);
        (sums, error + inner_error)
    };
    // NaN is not accepted.
    let explained = (EXPLAINED * view.rounding).min(UNCERTAIN);
    let accepted = error <= ACCEPTED.max(explained);
    if !accepted {
        return Err(error);
    }
    Ok(about_centroid(view, &sums))
}

/// The integrand in one direction.
fn weigh<const D: usize>(
    rays: &mut dyn FnMut(&SVector<f64, D>) -> (f64, usize),
    direction: &SVector<f64, D>,
    weight: f64,
) -> (Sums, usize) {
    let (r, index) = rays(direction);
    let d = D as f64;
    let area = weight * r * r;
    let measure = if D == 2 { area } else { area * r };
    let mut sums = Sums::zeros();
    sums[0] = measure / d;
    let mut slot = 4;
    for i in 0..D {
        sums[1 + i] = measure * r / (d + 1.0) * direction[i];
        for j in 0..=i {
            sums[slot] = measure * r * r / (d + 2.0) * direction[i] * direction[j];
            slot += 1;
        }
    }
    (sums, index)
}

fn about_centroid<const D: usize>(view: &View<D>, sums: &Sums) -> Moments<D> {
    let measure = sums[0];
    let volume = view.frame.diagonal().product().abs();
    let first = SVector::<f64, D>::from_fn(|i, _| sums[1 + i]);
    let centre = first / measure;
    let mut second = SMatrix::<f64, D, D>::zeros();
    let mut slot = 4;
    for i in 0..D {
        for j in 0..=i {
            let about = sums[slot] - measure * centre[i] * centre[j];
            (second[(i, j)], second[(j, i)]) = (about, about);
            slot += 1;
        }
    }
    let second = view.frame * second * view.frame.transpose() * volume;
    let trace = second.trace();
    let mut inertia = Matrix3::zeros();
    if D == 2 {
        inertia[(2, 2)] = trace;
    } else {
        for i in 0..D {
            for j in 0..D {
                inertia[(i, j)] = if i == j { trace } else { 0.0 } - second[(i, j)];
            }
        }
    }
    Moments {
        measure: measure * volume,
        centroid: view.origin + view.frame * centre,
        second: inertia,
    }
}

/// When to stop halving.
#[derive(Clone, Copy, Debug)]
struct Goal<'a> {
    /// Relative difference of both rules.
    tolerance: f64,
    /// Rays left.
    left: &'a Cell<u32>,
}

/// The integral over [0, end], the estimate of its relative error, and a number for the order of the indices on the way:
/// where it changes from one meridian to the next, the integral has a kink too.
fn whole(
    end: f64,
    panels: u32,
    goal: Goal<'_>,
    f: &mut dyn FnMut(f64) -> (Sums, usize),
) -> (Sums, f64, usize) {
    let mut total = Total {
        sums: Sums::zeros(),
        error: 0.0,
        scale: 0.0,
        goal,
        last: None,
        met: 0,
    };
    let step = end / f64::from(panels);
    for k in 0..panels {
        let from = step * f64::from(k);
        total.panel([from, from + step], DEPTH, f);
    }
    (total.sums, total.error / total.scale, total.met)
}

struct Total<'a> {
    sums: Sums,
    error: f64,
    /// Largest panel seen, to which errors are relative: the whole is not known while it is integrated.
    scale: f64,
    goal: Goal<'a>,
    last: Option<usize>,
    met: usize,
}

impl Total<'_> {
    fn panel(&mut self, [from, to]: [f64; 2], depth: u32, f: &mut dyn FnMut(f64) -> (Sums, usize)) {
        let depth = if self.goal.left.get() > 0 { depth } else { 0 };
        let (half, middle) = (0.5 * (to - from), 0.5 * (to + from));
        let (mut kronrod, mut gauss) = (Sums::zeros(), Sums::zeros());
        let mut last = (from, f(from).1);
        for k in 0..=RULE.len() {
            let (node, weight, gauss_weight) = RULE.get(k).copied().unwrap_or((1.0, 0.0, 0.0));
            let x = if k < RULE.len() {
                middle + half * node
            } else {
                to
            };
            let (value, index) = f(x);
            if index != last.1 && depth > 0 {
                let [low, high] = bisect([last.0, x], last.1, f);
                self.panel([from, low], depth - 1, f);
                // What is between is so narrow that one value will do.
                self.sums += f(0.5 * (low + high)).0 * (high - low);
                self.panel([high, to], depth - 1, f);
                return;
            }
            last = (x, index);
            kronrod += value * (weight * half);
            gauss += value * (gauss_weight * half);
        }
        let largest = relative(&kronrod, &kronrod);
        self.scale = self.scale.max(largest);
        let error = relative(&(kronrod - gauss), &kronrod);
        let fine = error <= self.goal.tolerance * self.scale;
        if depth > 0 && !fine {
            self.panel([from, middle], depth - 1, f);
            self.panel([middle, to], depth - 1, f);
            return;
        }
        self.sums += kronrod;
        self.error += error;
        if self.last != Some(last.1) {
            self.last = Some(last.1);
            self.met = self.met.wrapping_mul(1009).wrapping_add(last.1 + 1);
        }
    }
}

/// The size of moments, all as measures: by the length that the second moments give.
fn relative(part: &Sums, whole: &Sums) -> f64 {
    let square = (whole[4] + whole[6] + whole[9]).abs() / whole[0].abs().max(f64::MIN_POSITIVE);
    let length = square.sqrt().max(f64::MIN_POSITIVE);
    let order = |from: usize, to: usize| {
        part.as_slice()[from..to]
            .iter()
            .fold(0f64, |m, x| m.max(x.abs()))
    };
    order(0, 1)
        .max(order(1, 4) / length)
        .max(order(4, 10) / square.max(f64::MIN_POSITIVE))
}

/// Bounds, 1e-8 of the first ones apart, between which the index ceases to be `first`.
fn bisect(
    [mut low, mut high]: [f64; 2],
    first: usize,
    f: &mut dyn FnMut(f64) -> (Sums, usize),
) -> [f64; 2] {
    let width = 1e-8 * (high - low);
    while high - low > width {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle).1 == first {
            low = middle;
        } else {
            high = middle;
        }
    }
    [low, high]
}

/// Nodes on [-1, 1] in order, weights of Kronrod's rule with 15 points and of Gauss's with 7, which has every other one.
const RULE: [(f64, f64, f64); 15] = [
    (-0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0),
    (
        -0.949_107_912_342_758_5,
        0.063_092_092_629_978_56,
        0.129_484_966_168_869_7,
    ),
    (-0.864_864_423_359_769_1, 0.104_790_010_322_250_19, 0.0),
    (
        -0.741_531_185_599_394_5,
        0.140_653_259_715_525_92,
        0.279_705_391_489_276_64,
    ),
    (-0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0),
    (
        -0.405_845_151_377_397_2,
        0.190_350_578_064_785_4,
        0.381_830_050_505_118_9,
    ),
    (-0.207_784_955_007_898_48, 0.204_432_940_075_298_89, 0.0),
    (0.0, 0.209_482_141_084_727_82, 0.417_959_183_673_469_4),
    (0.207_784_955_007_898_48, 0.204_432_940_075_298_89, 0.0),
    (
        0.405_845_151_377_397_2,
        0.190_350_578_064_785_4,
        0.381_830_050_505_118_9,
    ),
    (0.586_087_235_467_691_1, 0.169_004_726_639_267_9, 0.0),
    (
        0.741_531_185_599_394_5,
        0.140_653_259_715_525_92,
        0.279_705_391_489_276_64,
    ),
    (0.864_864_423_359_769_1, 0.104_790_010_322_250_19, 0.0),
    (
        0.949_107_912_342_758_5,
        0.063_092_092_629_978_56,
        0.129_484_966_168_869_7,
    ),
    (0.991_455_371_120_812_6, 0.022_935_322_010_529_224, 0.0),
];

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::*;

    #[test]
    fn the_rules_integrate_powers() {
        for power in 0..=22 {
            let (kronrod, gauss) = RULE.iter().fold((0.0, 0.0), |(k, g), (x, a, b)| {
                (k + a * x.powi(power), g + b * x.powi(power))
            });
            let exact = if power % 2 == 0 {
                2.0 / f64::from(power + 1)
            } else {
                0.0
            };
            assert!(
                (kronrod - exact).abs() < 1e-15,
                "{power}: {kronrod} {exact}"
            );
            assert!(
                power > 13 || (gauss - exact).abs() < 1e-15,
                "{power}: {gauss} {exact}"
            );
        }
    }

    fn from<const D: usize>(origin: SVector<f64, D>) -> View<D> {
        View {
            origin,
            frame: SMatrix::identity(),
            rounding: 0.0,
            pieces: 1,
        }
    }

    #[test]
    fn a_box_seen_from_off_its_middle() {
        let (half, off) = (Vector3::new(1.0, 0.5, 0.7), Vector3::new(0.3, -0.1, 0.2));
        let mut count = 0;
        let mut rays = |w: &Vector3<f64>| {
            count += 1;
            let reach = |i: usize| (half[i] - off[i] * w[i].signum()) / w[i].abs();
            let first = (0..3)
                .min_by(|&i, &j| reach(i).total_cmp(&reach(j)))
                .unwrap();
            (reach(first), 2 * first + usize::from(w[first] > 0.0))
        };
        let moments = moments_by_rays(&from(off), &mut rays).unwrap();
        assert!(
            (moments.measure - 2.8).abs() < ACCEPTED,
            "{}",
            moments.measure
        );
        assert!(moments.centroid.norm() < ACCEPTED, "{}", moments.centroid);
        let exact = 2.8 * (0.25 + 0.49) / 3.0;
        assert!((moments.second[(0, 0)] - exact).abs() < ACCEPTED);
        assert!(moments.second[(0, 1)].abs() < ACCEPTED);
        assert!(count < 800_000, "{count} rays");
    }

    #[test]
    fn a_disc_off_its_middle_in_the_plane() {
        let off = Vector2::new(0.5, 0.2);
        let mut rays = |w: &Vector2<f64>| {
            let b = w.dot(&off);
            ((b * b + 1.0 - off.norm_squared()).sqrt() - b, 0)
        };
        let moments = moments_by_rays(&from(off), &mut rays).unwrap();
        assert!((moments.measure - PI).abs() < 1e-13);
        assert!(moments.centroid.norm() < 1e-13);
        assert!((moments.second[(2, 2)] - PI / 2.0).abs() < 1e-13);
    }
}
