//! The secular equations of a sliding contact, each by Newton's method inside of a bracket.
//!
//! Exact law in the coordinates of [`diagonal`](super::diagonal), p = S x:
//!
//! ```math
//! r_T(s) = \frac{p}{S + s}, \quad r_N(s) = \hat r_N - w^T r_T, \qquad
//! F(s) = \frac{\mu r_N}{|r_T|} - 1 = 0, \quad s > 0
//! ```
//!
//! Convex law in the coordinates where W = diag(a) and μ = 1, m = a_N + a_T:
//!
//! ```math
//! e(t) = -\frac{b_T}{m t + b_N}, \qquad F(t) = \frac{1}{|e|} - 1 = 0, \qquad r = t\,(1, e)
//! ```
//!
//! Both F are concave and increasing where the normal does not see the tangents, so that Newton's method from the left of
//! the root never passes it, and linear if all tangents are equal, so that one step is exact. The bracket is for the rest.
//!
//! A contact that slid in the last sweep as well begins at its last root. There Newton's method for squares,
//! G = |r_T|² − μ² r_N² and |e|² − 1, does as well, and needs neither square root nor bracket.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

/// Newton steps that are tried; bisection alone would need about 60.
const STEPS: usize = 100;

/// A step of this relative length has an error of its square, below rounding.
const LAST_STEP: f64 = 1e-9;

/// Steps from the last root, the first of them at most this part of the unknown, and the last one of at most that: its
/// error is of the size of its square, and far below what the contact still moves from sweep to sweep.
pub(super) const QUICK_STEPS: usize = 4;
pub(super) const QUICK_FIRST: f64 = 0.1;
pub(super) const QUICK_LAST: f64 = 1e-6;

/// Data of a sliding contact with the exact law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slide<'a, const D: usize> {
    pub(super) mu: f64,
    /// W_NN, and S of the tangents.
    pub(super) stiffness: &'a [f64; D],
    /// 0, and w of the tangents.
    pub(super) shear: &'a [f64; D],
    /// r̂_N, and p of the tangents.
    pub(super) p: [f64; D],
}

impl<const D: usize> Slide<'_, D> {
    /// (r_N, r_T) at s, |r_T|², r_N' and −½ (|r_T|²)'.
    #[inline]
    fn at(&self, s: f64) -> ([f64; D], [f64; 3]) {
        let (mut r, mut sums) = (self.p, [0.0; 3]);
        for i in 1..D {
            let d = 1.0 / (self.stiffness[i] + s);
            r[i] = self.p[i] * d;
            r[0] -= self.shear[i] * r[i];
            sums[0] += r[i] * r[i];
            sums[1] += self.shear[i] * r[i] * d;
            sums[2] += r[i] * r[i] * d;
        }
        (r, sums)
    }

    /// The impulse, from the last root.
    #[inline]
    fn quick(&self, guess: &mut f64) -> Option<[f64; D]> {
        let (mut s, square) = (*guess, self.mu * self.mu);
        for _ in 0..QUICK_STEPS {
            let (r, sums) = self.at(s);
            let slope = 2.0 * (square * r[0] * sums[1] + sums[2]);
            let step = (sums[0] - square * r[0] * r[0]) / slope;
            // NaN fails the comparisons as well. With r_N < 0 the squares have a root that is none.
            let fits = s > 0.0 && slope > 0.0 && r[0] > 0.0 && step.abs() <= QUICK_FIRST * s;
            if !fits {
                return None;
            }
            s += step;
            if step.abs() <= QUICK_LAST * s {
                *guess = s;
                let (mut r, _) = self.at(s);
                r[0] = self.p[0];
                return Some(r);
            }
        }
        None
    }

    /// The root, from `guess` if it lies in the bracket, and the impulse there, on its cone to rounding.
    #[inline]
    pub(super) fn solve(&self, guess: &mut f64) -> [f64; D] {
        match self.quick(guess) {
            Some(r) => r,
            None => self.bracketed(guess),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn bracketed(&self, guess: &mut f64) -> [f64; D] {
        let (normal, mu) = (self.p[0], self.mu);
        let (mut p, mut w, mut largest) = (0.0, 0.0, 0.0_f64);
        for i in 1..D {
            p += self.p[i] * self.p[i];
            w += self.shear[i] * self.shear[i];
            largest = largest.max(self.stiffness[i]);
        }
        let p = p.sqrt();
        let reach = p / (mu * normal);
        // With |r_T| ≤ |p| / s: certainly F ≥ 0 here.
        let (mut low, mut high) = (0.0, reach * (1.0 + mu * w.sqrt()));
        if !high.is_finite() {
            // The normal is next to nothing beside p: the limit s → ∞.
            let mut r = self.p.map(|x| x / p);
            r[0] = normal;
            return self.on_the_cone(r);
        }
        let mut s = *guess;
        if !(s > 0.0 && s < high) {
            // The root if the normal does not see the tangents and all S are the largest.
            s = (reach - largest).max(0.0);
        }
        let mut last = false;
        let mut r = [0.0; D];
        for _ in 0..STEPS {
            let sums;
            (r, sums) = self.at(s);
            let length = sums[0].sqrt();
            let f = mu * r[0] - length;
            if last || f == 0.0 {
                break;
            }
            if f < 0.0 {
                low = s;
            } else {
                high = s;
            }
            let slope = mu * (sums[1] * length + r[0] * sums[2] / length);
            let mut next = s - f * length / slope;
            if next > low && next < high {
                last = (next - s).abs() <= LAST_STEP * s;
            } else {
                next = f64::midpoint(low, high);
                last = next <= low || next >= high;
            }
            s = next;
        }
        *guess = s;
        self.on_the_cone(r)
    }

    /// From (r_N, r_T) to the impulse with a hat that lies on its cone to rounding.
    fn on_the_cone(&self, mut r: [f64; D]) -> [f64; D] {
        on_the_cone(&mut r, self.mu);
        for i in 1..D {
            r[0] += self.shear[i] * r[i];
        }
        r
    }
}

/// Data of a sliding contact with the convex law, in the coordinates where W is diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glide<'a, const D: usize> {
    /// a, the diagonal of W.
    pub(super) stiffness: &'a [f64; D],
    pub(super) b: &'a [f64; D],
}

impl<const D: usize> Glide<'_, D> {
    /// The impulse, from the last root.
    #[inline]
    fn quick(&self, guess: &mut f64) -> Option<[f64; D]> {
        let mut t = *guess;
        for _ in 0..QUICK_STEPS {
            let (mut square, mut slope, mut least) = (0.0, 0.0, f64::INFINITY);
            for i in 1..D {
                let m = self.stiffness[0] + self.stiffness[i];
                let divisor = m * t + self.b[0];
                least = least.min(divisor);
                let d = 1.0 / divisor;
                let e = self.b[i] * d;
                square += e * e;
                slope += e * e * m * d;
            }
            let step = (square - 1.0) / (2.0 * slope);
            // NaN fails the comparisons as well; left of a pole there is a root that is none.
            let fits = t > 0.0 && least > 0.0 && step.abs() <= QUICK_FIRST * t;
            if !fits {
                return None;
            }
            t += step;
            if step.abs() <= QUICK_LAST * t {
                *guess = t;
                let (mut r, mut square) = ([t; D], 0.0);
                for i in 1..D {
                    let m = self.stiffness[0] + self.stiffness[i];
                    let e = -self.b[i] / (m * t + self.b[0]);
                    square += e * e;
                    r[i] *= e;
                }
                // 1 / |e| to first order: near a pole e has the rounding of a difference.
                let factor = 1.5 - 0.5 * square;
                r[1..].iter_mut().for_each(|x| *x *= factor);
                return Some(r);
            }
        }
        None
    }

    /// The root, from `guess` if it lies in the bracket, and the impulse there, on the cone of μ = 1 to rounding.
    #[inline]
    pub(super) fn solve(&self, guess: &mut f64) -> [f64; D] {
        match self.quick(guess) {
            Some(r) => r,
            None => self.bracketed(guess),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn bracketed(&self, guess: &mut f64) -> [f64; D] {
        let (normal, mut length) = (self.b[0], 0.0);
        let (mut m_low, mut m_high) = (f64::INFINITY, 0.0_f64);
        for i in 1..D {
            let m = self.stiffness[0] + self.stiffness[i];
            length += self.b[i] * self.b[i];
            m_low = m_low.min(m);
            m_high = m_high.max(m);
        }
        let length = length.sqrt();
        // Left of the root |e| > 1, right of the poles all of e have one sign.
        let pole = (-normal / m_low).max(0.0);
        let mut low = ((length - normal) / m_high).max(pole);
        let mut high = (length - normal) / m_low;
        let mut t = *guess;
        if !(t > low && t < high) {
            t = if low > pole { low } else { high };
        }
        let mut last = false;
        let mut r = [0.0; D];
        for _ in 0..STEPS {
            r[0] = t;
            let (mut square, mut slope) = (0.0, 0.0);
            for i in 1..D {
                let m = self.stiffness[0] + self.stiffness[i];
                let d = 1.0 / (m * t + normal);
                let e = -self.b[i] * d;
                r[i] = t * e;
                square += e * e;
                slope += e * e * m * d;
            }
            let e = square.sqrt();
            if last || (e - 1.0).abs() <= 0.0 {
                break;
            }
            if e > 1.0 {
                low = t;
            } else {
                high = t;
            }
            let mut next = t + (e - 1.0) * square / slope;
            if next > low && next < high {
                last = (next - t).abs() <= LAST_STEP * t;
            } else {
                next = f64::midpoint(low, high);
                last = next <= low || next >= high;
            }
            t = next;
        }
        *guess = t;
        on_the_cone(&mut r, 1.0);
        r
    }
}

/// Makes |r_T| = μ r_N hold to rounding, by the tangents.
#[inline]
fn on_the_cone<const D: usize>(r: &mut [f64; D], mu: f64) {
    let length = r[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        let factor = mu * r[0] / length;
        r[1..].iter_mut().for_each(|x| *x *= factor);
    }
}
