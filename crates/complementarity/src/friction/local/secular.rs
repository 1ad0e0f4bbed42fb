//! The secular equations of a sliding contact, each by Newton's method inside of a bracket.
//!
//! Exact law, W_TT − W_TN W_NT / W_NN = diag(S), c = b_T − W_TN b_N / W_NN:
//!
//! ```math
//! r_T(s) = -\frac{c}{S + s}, \quad r_N(s) = -\frac{b_N + W_{NT} r_T}{W_{NN}}, \qquad
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

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

/// Newton steps that are tried; bisection alone would need about 60.
const STEPS: usize = 100;

/// A step of this relative length has an error of its square, below rounding.
const LAST_STEP: f64 = 1e-9;

/// Data of a sliding contact with the exact law, in the coordinates where S is diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slide<'a, const D: usize> {
    pub(super) mu: f64,
    /// W_NN, and S of the tangents.
    pub(super) diagonal: &'a [f64; D],
    /// Unused, and W_TN.
    pub(super) coupling: &'a [f64; D],
    /// b_N, and c of the tangents.
    pub(super) b: [f64; D],
}

impl<const D: usize> Slide<'_, D> {
    /// (r_N, r_T) at s, |r_T|², r_N' W_NN and −½ (|r_T|²)'.
    #[inline]
    fn at(&self, s: f64, inverse_normal: f64) -> ([f64; D], [f64; 3]) {
        let mut r = [0.0; D];
        let (mut normal, mut sums) = (-self.b[0], [0.0; 3]);
        for i in 1..D {
            let d = 1.0 / (self.diagonal[i] + s);
            r[i] = -self.b[i] * d;
            normal -= self.coupling[i] * r[i];
            sums[0] += r[i] * r[i];
            sums[1] += self.coupling[i] * r[i] * d;
            sums[2] += r[i] * r[i] * d;
        }
        r[0] = normal * inverse_normal;
        (r, sums)
    }

    /// The root, from `guess` if it lies in the bracket, and the impulse there, on its cone to rounding.
    pub(super) fn solve(&self, guess: &mut f64) -> [f64; D] {
        let (normal, mu) = (self.diagonal[0], self.mu);
        let inverse = 1.0 / normal;
        let (mut c, mut w, mut largest) = (0.0, 0.0, 0.0_f64);
        for i in 1..D {
            c += self.b[i] * self.b[i];
            w += self.coupling[i] * self.coupling[i];
            largest = largest.max(self.diagonal[i]);
        }
        let c = c.sqrt();
        let reach = c / (mu * -self.b[0]);
        // With |r_T| ≤ |c| / s: certainly F ≥ 0 here.
        let (mut low, mut high) = (0.0, reach * (normal + mu * w.sqrt()));
        if !high.is_finite() {
            // b_N is next to nothing beside c: the limit s → ∞.
            let mut r = self.b.map(|c_i| -c_i / c);
            r[0] = -self.b[0] * inverse;
            on_the_cone(&mut r, mu);
            return r;
        }
        let mut s = *guess;
        if !(s > 0.0 && s < high) {
            // The root if the normal does not see the tangents and all S are the largest.
            s = (reach * normal - largest).max(0.0);
        }
        let mut last = false;
        let mut r = [0.0; D];
        for _ in 0..STEPS {
            let sums;
            (r, sums) = self.at(s, inverse);
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
            let slope = mu * (sums[1] * inverse * length + r[0] * sums[2] / length);
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
        on_the_cone(&mut r, mu);
        r
    }
}

/// Data of a sliding contact with the convex law, in the coordinates where W is diagonal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glide<'a, const D: usize> {
    /// a, the diagonal of W.
    pub(super) diagonal: &'a [f64; D],
    pub(super) b: &'a [f64; D],
}

impl<const D: usize> Glide<'_, D> {
    /// The root, from `guess` if it lies in the bracket, and the impulse there, on the cone of μ = 1 to rounding.
    pub(super) fn solve(&self, guess: &mut f64) -> [f64; D] {
        let (normal, mut length) = (self.b[0], 0.0);
        let (mut m_low, mut m_high) = (f64::INFINITY, 0.0_f64);
        for i in 1..D {
            let m = self.diagonal[0] + self.diagonal[i];
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
                let m = self.diagonal[0] + self.diagonal[i];
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
