//! Two nested roots: the normal impulse outside, the discs of that size inside. Slower, for every cone and every block.
//!
//! With r_N = t the tangents minimise ½ r_Tᵀ W_TT r_T + (b_T + W_TN t)ᵀ r_T over discs of radius μ_k t, the second disc
//! eliminated with its multiplier; t is the root of u_N for the exact law, of u_N − Σ μ_k |u_k| for the convex one, where
//! it increases. Both roots are bracketed.
//!
//! # References
//! - \[AB1973\] N. Anderson, Å. Björck, A new high order method of regula falsi type for computing a root of an equation,
//!   BIT 13, 1973.

use super::frame::{Block, congruent, eigenvectors};
use crate::friction::FrictionLaw;
use crate::friction::cone::{Cone, ROLLING, split};

/// Most steps of a bracketed root; it closes its bracket in far fewer.
const STEPS: usize = 400;

/// Steps by the same factor to the right end of a bracket, after which each is the square of the one before: where the block
/// is singular there may be no end, or one at 1e16 of the first guess.
const DOUBLINGS: usize = 3;

/// Quotient of the ends of a bracket from which on it is halved by digits.
const WIDE: f64 = 16.0;

/// Part of the right end that is tried where the left one is 0.
const FAR: f64 = 1024.0;

/// A few rounding errors.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// T that makes the block of each disc diagonal.
pub(super) fn frame<const D: usize>(w: &Block<D>) -> Block<D> {
    let first = eigenvectors(w, 1, split(D));
    if split(D) == D {
        return first;
    }
    // The second disc is not touched by the first rotation.
    let second = eigenvectors(w, split(D), D);
    product(&first, &second)
}

fn product<const D: usize>(a: &Block<D>, b: &Block<D>) -> Block<D> {
    let mut out = [[0.0; D]; D];
    for (i, row) in out.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = (0..D).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    out
}

/// What the law asks of the normal where there is no impulse; the contact is open from 0 on.
pub(super) fn opening<const D: usize>(cone: Cone, law: FrictionLaw, b: &[f64; D]) -> f64 {
    match law {
        FrictionLaw::Coulomb => b[0],
        FrictionLaw::Convex => b[0] - cone.shift(FrictionLaw::Coulomb, b),
    }
}

/// The impulse, in the coordinates of [`frame`].
pub(super) fn solve<const D: usize>(
    w: &Block<D>,
    (cone, law): (Cone, FrictionLaw),
    b: &[f64; D],
) -> [f64; D] {
    let opening = opening(cone, law, b);
    if opening >= 0.0 {
        return [0.0; D];
    }
    let mut r = [0.0; D];
    let at = |t: f64, r: &mut [f64; D]| {
        tangents(w, cone, b, t, r);
        let u = velocity(w, b, r);
        match law {
            FrictionLaw::Coulomb => (u[0], rounding(&w[0], b[0], r)),
            FrictionLaw::Convex => {
                let rows = w.iter().zip(b).map(|(w, b)| rounding(w, *b, r));
                let factor = 1.0 + cone.mu.max(cone.rolling);
                let value = u[0] - cone.shift(FrictionLaw::Coulomb, &u);
                (value, factor * rows.sum::<f64>())
            }
        }
    };
    let (low, high) = ((0.0, opening), -opening / w[0][0]);
    root(low, (high, 2.0), |t| at(t, &mut r));
    r
}

/// From the left end of the bracket of a root, and a first guess of the right one, which grows by a factor as long as the
/// function has the sign that it has on the left. Like [`close`].
fn root(
    mut low: (f64, f64),
    (first, mut growth): (f64, f64),
    mut at: impl FnMut(f64) -> (f64, f64),
) {
    let mut high = first;
    for number in 0.. {
        let (f, noise) = at(high);
        // Where the normal does not see the tangents the first guess is the root, and no end of a bracket.
        if f.abs() <= noise {
            return;
        }
        if (f > 0.0) != (low.1 > 0.0) || !high.is_finite() {
            return close(low, (high, f), at);
        }
        low = (high, f);
        if number >= DOUBLINGS {
            growth *= growth;
        }
        high *= growth;
    }
}

/// Closes the bracket of the root of a function with the method of Anderson and Björck \[AB1973\], and with bisections
/// where that is slow. The function gives its value and the rounding of it; its last call is at the answer: the value is
/// rounding, or the bracket is as good as closed.
fn close(mut low: (f64, f64), mut high: (f64, f64), mut at: impl FnMut(f64) -> (f64, f64)) {
    let (mut side, mut width) = (0, f64::INFINITY);
    for number in 0..STEPS {
        let mut t = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        // At a steep bend one end stays for long.
        let slow = number % 3 == 2 && high.0 - low.0 > 0.5 * width;
        if number % 3 == 2 {
            width = high.0 - low.0;
        }
        if slow || !(t > low.0 && t < high.0) {
            // Ends of different sizes, and a root of any size between them.
            t = if high.0 <= WIDE * low.0 {
                f64::midpoint(low.0, high.0)
            } else if low.0 > 0.0 {
                (low.0 * high.0).sqrt()
            } else {
                high.0 / FAR
            };
        }
        if t <= low.0 || t >= high.0 || high.0 - low.0 <= ROUNDING * high.0 {
            break;
        }
        let (f, noise) = at(t);
        if f.abs() <= noise {
            return;
        }
        // The value at an end that stays is scaled down, so that both ends move.
        let (old, ahead) = if (f > 0.0) == (high.1 > 0.0) {
            (&mut high, 1)
        } else {
            (&mut low, -1)
        };
        let factor = 1.0 - f / old.1;
        *old = (t, f);
        if side == ahead {
            let other = if ahead == 1 { &mut low } else { &mut high };
            other.1 *= if factor > 0.0 { factor } else { 0.5 };
        }
        side = ahead;
    }
    at(high.0);
}

/// Rounding of b + Σ w r.
fn rounding<const D: usize>(w: &[f64; D], b: f64, r: &[f64; D]) -> f64 {
    let terms = w.iter().zip(r).map(|(w, r)| (w * r).abs());
    ROUNDING * (b.abs() + terms.sum::<f64>())
}

fn velocity<const D: usize>(w: &Block<D>, b: &[f64; D], r: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|i| b[i] + w[i].iter().zip(r).map(|(w, r)| w * r).sum::<f64>())
}

/// Minimises over the discs for the normal impulse t.
fn tangents<const D: usize>(w: &Block<D>, cone: Cone, b: &[f64; D], t: f64, r: &mut [f64; D]) {
    r[0] = t;
    r[1..].fill(0.0);
    if D >= ROLLING {
        two_discs(w, (cone.mu * t, cone.rolling * t), b, r);
    } else {
        disc(w, b, (1, D), cone.mu * t, r);
    }
}

/// Minimises over both discs: one is eliminated with its multiplier s, whose root is bracketed, and the other has two rows.
fn two_discs<const D: usize>(
    w: &Block<D>,
    (first, second): (f64, f64),
    b: &[f64; D],
    r: &mut [f64; D],
) {
    // A disc without a radius has no multiplier.
    if second == 0.0 {
        disc(w, b, (1, split(D)), first, r);
        return;
    }
    if first == 0.0 {
        disc(w, b, (split(D), D), second, r);
        return;
    }
    let discs = [(1..split(D), first), (split(D)..D, second)];
    let [(kept, inner), (gone, radius)] = if split(D) == 3 {
        discs
    } else {
        let [torsion, rolling] = discs;
        [rolling, torsion]
    };
    let (t, k) = (r[0], kept.start);
    let g: [f64; D] = std::array::from_fn(|i| b[i] + w[i][0] * t);
    // 1 − radius / |x|, falling in s and nearly linear.
    let excess = |s: f64, r: &mut [f64; D]| {
        let mut d = [0.0; D];
        for i in gone.clone() {
            // What nothing moves, as a moment that the plane does not have, has no impulse.
            let stiffness = w[i][i] + s;
            d[i] = if stiffness > 0.0 {
                1.0 / stiffness
            } else {
                0.0
            };
        }
        let mut a = [[0.0; 2]; 2];
        let mut c = [0.0; 2];
        for i in 0..2 {
            let row = &w[k + i];
            a[i] = [row[k], row[k + 1]];
            c[i] = g[k + i];
            for l in gone.clone() {
                let weighted = row[l] * d[l];
                for (j, a) in a[i].iter_mut().enumerate() {
                    *a -= weighted * w[k + j][l];
                }
                c[i] -= weighted * g[l];
            }
        }
        let x = trust_region(&a, c, inner);
        (r[k], r[k + 1]) = (x[0], x[1]);
        let (mut lost, mut length) = (0.0_f64, 0.0_f64);
        for i in gone.clone() {
            let terms = [g[i], w[i][k] * x[0], w[i][k + 1] * x[1]];
            r[i] = -(terms[0] + terms[1] + terms[2]) * d[i];
            lost += terms.iter().map(|x| x.abs()).sum::<f64>() * d[i];
            length = length.hypot(r[i]);
        }
        if length > 0.0 {
            (1.0 - radius / length, ROUNDING * lost / length)
        } else {
            (f64::NEG_INFINITY, 0.0)
        }
    };
    let low = (0.0, excess(0.0, r).0);
    if low.1 <= 0.0 {
        return;
    }
    let stiffest = gone.clone().map(|i| w[i][i]).fold(0.0, f64::max);
    root(low, (stiffest, 4.0), |s| excess(s, r));
}

/// The minimum of ½ xᵀ A x + cᵀ x over |x| ≤ radius.
fn trust_region(a: &Block<2>, c: [f64; 2], radius: f64) -> [f64; 2] {
    let v = eigenvectors(a, 0, 2);
    let diagonal = congruent(a, &v);
    // As a contact whose normal is not coupled to its tangents.
    let mut block = [[0.0; 3]; 3];
    let mut b = [0.0; 3];
    for i in 0..2 {
        block[1 + i][1 + i] = diagonal[i][i].max(f64::MIN_POSITIVE);
        b[1 + i] = v[0][i] * c[0] + v[1][i] * c[1];
    }
    let mut x = [0.0; 3];
    disc(&block, &b, (1, 3), radius, &mut x);
    [
        v[0][0] * x[1] + v[0][1] * x[2],
        v[1][0] * x[1] + v[1][1] * x[2],
    ]
}

/// Minimises over one disc, the others as they stand: a trust-region problem with a diagonal matrix.
fn disc<const D: usize>(
    w: &Block<D>,
    b: &[f64; D],
    (from, to): (usize, usize),
    radius: f64,
    r: &mut [f64; D],
) {
    let mut g = [0.0; D];
    let (mut square, mut free, mut largest) = (0.0, 0.0, 0.0_f64);
    let mut least = f64::INFINITY;
    for i in from..to {
        let outside = (0..D).filter(|j| !(from..to).contains(j));
        g[i] = b[i] + outside.map(|j| w[i][j] * r[j]).sum::<f64>();
        square += g[i] * g[i];
        let x = if g[i] == 0.0 { 0.0 } else { g[i] / w[i][i] };
        free += x * x;
        largest = largest.max(w[i][i]);
        least = least.min(w[i][i]);
    }
    let length = square.sqrt();
    if free <= radius * radius {
        for i in from..to {
            r[i] = if g[i] == 0.0 { 0.0 } else { -g[i] / w[i][i] };
        }
        return;
    }
    let (mut low, mut high) = (0.0, length / radius);
    if !high.is_finite() {
        r[from..to].fill(0.0);
        return;
    }
    // |r| is at least each of its components: with rows that nothing moves but for rounding the root is far from the end
    // that all of them say.
    let alone = (from..to).map(|i| g[i].abs() / radius - w[i][i]);
    let mut s = alone.fold((high - largest).max(0.0), f64::max).min(high);
    let mut last = false;
    for _ in 0..STEPS {
        let (mut square, mut slope) = (0.0, 0.0);
        for i in from..to {
            let d = 1.0 / (w[i][i] + s);
            r[i] = -g[i] * d;
            square += r[i] * r[i];
            slope += r[i] * r[i] * d;
        }
        let x = square.sqrt();
        if last || (x - radius).abs() <= 0.0 {
            break;
        }
        if x > radius {
            low = s;
        } else {
            high = s;
        }
        let step = (x - radius) / radius * square / slope;
        let mut next = s + step;
        // Beside w a small s counts for nothing. A step of rounding ends where s is an end of the bracket itself.
        last = step.abs() <= 1e-9 * (s + least);
        if last {
            next = next.max(low).min(high);
        } else if !(next > low && next < high) {
            next = f64::midpoint(low, high);
            last = next <= low || next >= high;
        }
        s = next;
    }
    let x = r[from..to].iter().map(|x| x * x).sum::<f64>().sqrt();
    if x > 0.0 {
        r[from..to].iter_mut().for_each(|r| *r *= radius / x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of [`root`] from (0, f(0)) and a first end of 1 by factors of 2, and the last point; f has this rounding at t.
    fn calls(f: impl Fn(f64) -> f64, noise: impl Fn(f64) -> f64) -> (usize, f64) {
        let (mut count, mut last) = (0, 0.0);
        root((0.0, f(0.0)), (1.0, 2.0), |t| {
            (count, last) = (count + 1, t);
            (f(t), ROUNDING * noise(t))
        });
        (count, last)
    }

    /// A singular block may have no root, or one at any size; by factors of 2 alone the first took 51 calls.
    #[test]
    fn brackets_of_any_size_close() {
        let (count, _) = calls(|_| -1.0, |t| t);
        assert!(count <= 10, "{count}");
        for size in [1e-14, 1e-6, 0.3, 5.0, 1e6, 1e13] {
            let (count, t) = calls(|t| t / size - 1.0, |t| 1.0 + t / size);
            assert!((t / size - 1.0).abs() < 1e-14, "{size} {t}");
            assert!(count <= 20, "{size} {count}");
            let root = |t: f64| (t / size).sqrt();
            let (count, t) = calls(|t| root(t) - 1.0, |t| 1.0 + root(t));
            assert!((t / size - 1.0).abs() < 1e-14, "{size} {t}");
            assert!(count <= 60, "{size} {count}");
        }
    }

    /// |g_2| / radius alone says where the root is, as nothing but rounding moves the first row.
    #[test]
    fn a_disc_with_a_row_that_nothing_moves() {
        let w = [
            [1.0, 0.0, 0.0],
            [0.0, f64::MIN_POSITIVE, 0.0],
            [0.0, 0.0, 0.5],
        ];
        for (a, b) in [(-6e-10, 0.9), (3e-13, -0.2), (1.0, 1.0), (0.0, 4.0)] {
            let (g, radius) = ([0.0, a, b], 3.4);
            let mut r = [0.0; 3];
            disc(&w, &g, (1, 3), radius, &mut r);
            let length = r[1].hypot(r[2]);
            assert!(length <= radius * (1.0 + 1e-15));
            if a != 0.0 {
                // On the border, −(w + s) r = g with one s.
                assert!((length - radius).abs() <= 1e-15 * radius, "{r:?}");
                let s = -a / r[1];
                assert!(
                    ((0.5 + s) * r[2] + b).abs() <= 1e-12 * b.abs(),
                    "{r:?} {s:e}"
                );
            }
        }
    }
}
