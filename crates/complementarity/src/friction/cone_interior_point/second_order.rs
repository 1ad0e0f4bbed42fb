//! One second-order cone {s : s₀ ≥ |s₁|} of a primal–dual method: the scaling of Nesterov and Todd.
//!
//! ```math
//! \Omega z = \Omega^{-1} s = \lambda, \qquad
//! \Omega = \eta \begin{pmatrix} w_0 & w_1^T \\ w_1 & 1 + w_1 w_1^T / (1 + w_0) \end{pmatrix},
//! \qquad w_0^2 - |w_1|^2 = 1
//! ```

/// Most components: the head, two tangents and torsion.
pub(super) const WIDTH: usize = 4;

/// A vector of the space of a cone; what a cone does not have is zero.
pub(super) type Vector = [f64; WIDTH];

/// e = (1, 0).
pub(super) const UNIT: Vector = [1.0, 0.0, 0.0, 0.0];

pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// a + t b.
pub(super) fn ahead(a: &Vector, t: f64, b: &Vector) -> Vector {
    std::array::from_fn(|i| a[i] + t * b[i])
}

fn tail_dot(a: &Vector, b: &Vector) -> f64 {
    a[1..].iter().zip(&b[1..]).map(|(a, b)| a * b).sum()
}

/// s₀² − |s₁|², without the cancellation of the squares; > 0 inside only.
pub(super) fn determinant(s: &Vector) -> f64 {
    let tail = tail_dot(s, s).sqrt();
    (s[0] - tail) * (s[0] + tail)
}

/// a ∘ b, the product of Jordan's algebra.
pub(super) fn product(a: &Vector, b: &Vector) -> Vector {
    let mut c: Vector = std::array::from_fn(|i| a[0] * b[i] + b[0] * a[i]);
    c[0] = dot(a, b);
    c
}

/// Largest t with s + t d in the cone, for an s inside; may be ∞.
pub(super) fn reach(s: &Vector, d: &Vector) -> f64 {
    let square = d[0] * d[0] - tail_dot(d, d);
    let mixed = s[0] * d[0] - tail_dot(s, d);
    let own = determinant(s);
    // Never negative for an s inside, but for rounding.
    let root = (mixed * mixed - square * own).max(0.0);
    let below = root.sqrt() - mixed;
    if below > 0.0 {
        own / below
    } else {
        f64::INFINITY
    }
}

/// Ω of a pair inside of the cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling {
    w: Vector,
    eta: f64,
    pub(super) lambda: Vector,
    /// λ₀² − |λ₁|².
    determinant: f64,
}

impl Scaling {
    /// `None` if one of them is not inside.
    pub(super) fn new(s: &Vector, z: &Vector) -> Option<Self> {
        let (of_s, of_z) = (determinant(s).sqrt(), determinant(z).sqrt());
        let inside = s[0] > 0.0 && z[0] > 0.0 && of_s > 0.0 && of_z > 0.0;
        if !inside {
            return None;
        }
        let (s1, z1) = (s.map(|x| x / of_s), z.map(|x| x / of_z));
        let gamma = (0.5 * (1.0 + dot(&s1, &z1))).sqrt();
        let mut w: Vector = std::array::from_fn(|i| (s1[i] - z1[i]) / (2.0 * gamma));
        // w lies on the hyperboloid exactly, whatever rounding left of it.
        w[0] = (1.0 + tail_dot(&w, &w)).sqrt();
        let mut scaling = Self {
            w,
            eta: (of_s / of_z).sqrt(),
            lambda: UNIT,
            determinant: of_s * of_z,
        };
        scaling.lambda = scaling.times(z);
        scaling.eta.is_finite().then_some(scaling)
    }

    /// Ω x.
    pub(super) fn times(&self, x: &Vector) -> Vector {
        self.map(x, 1.0, self.eta)
    }

    /// Ω⁻¹ x.
    pub(super) fn divided(&self, x: &Vector) -> Vector {
        self.map(x, -1.0, 1.0 / self.eta)
    }

    fn map(&self, x: &Vector, sign: f64, factor: f64) -> Vector {
        let across = sign * tail_dot(&self.w, x);
        let along = sign * x[0] + sign * across / (1.0 + self.w[0]);
        let mut y: Vector = std::array::from_fn(|i| factor * (x[i] + along * self.w[i]));
        y[0] = factor * (self.w[0] * x[0] + across);
        y
    }

    /// Ω⁻².
    pub(super) fn inverse_square(&self) -> [Vector; WIDTH] {
        let scale = 1.0 / (self.eta * self.eta);
        let mut a = self.w.map(|x| -x);
        a[0] = self.w[0];
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let metric = match (i, j) {
                    (0, 0) => -1.0,
                    _ if i == j => 1.0,
                    _ => 0.0,
                };
                scale * (2.0 * a[i] * a[j] + metric)
            })
        })
    }

    /// The y with λ ∘ y = d.
    pub(super) fn solve(&self, d: &Vector) -> Vector {
        let head = (self.lambda[0] * d[0] - tail_dot(&self.lambda, d)) / self.determinant;
        let mut y: Vector =
            std::array::from_fn(|i| (d[i] - head * self.lambda[i]) / self.lambda[0]);
        y[0] = head;
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    fn inside(rng: &mut SplitMix64) -> Vector {
        let mut s: Vector = std::array::from_fn(|_| rng.uniform() - 0.5);
        s[0] = tail_dot(&s, &s).sqrt() + 10.0_f64.powf(-4.0 * rng.uniform());
        s
    }

    fn differ(a: &Vector, b: &Vector) -> f64 {
        let most = |x: &Vector| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        most(&ahead(a, -1.0, b)) / most(b)
    }

    #[test]
    fn both_of_a_pair_have_one_image() {
        let mut rng = SplitMix64::new(7);
        for _ in 0..1000 {
            let (s, z, d) = (inside(&mut rng), inside(&mut rng), inside(&mut rng));
            let scaling = Scaling::new(&s, &z).unwrap();
            assert!(differ(&scaling.divided(&s), &scaling.lambda) < 1e-9);
            assert!(differ(&scaling.divided(&scaling.times(&d)), &d) < 1e-9);
            let rows = scaling.inverse_square();
            let twice = scaling.divided(&scaling.divided(&d));
            let product_of = std::array::from_fn(|i| dot(&rows[i], &d));
            assert!(differ(&product_of, &twice) < 1e-9);
            let y = scaling.solve(&d);
            assert!(differ(&product(&scaling.lambda, &y), &d) < 1e-8);
        }
    }

    #[test]
    fn steps_end_at_the_border() {
        let mut rng = SplitMix64::new(8);
        let mut ends = 0;
        for _ in 0..1000 {
            let s = inside(&mut rng);
            let d: Vector = std::array::from_fn(|_| rng.uniform() - 0.5);
            let t = reach(&s, &d);
            assert!(t > 0.0);
            let far = ahead(&s, if t.is_finite() { 0.999_999 * t } else { 1e6 }, &d);
            assert!(far[0] > 0.0 && determinant(&far) > 0.0);
            if t.is_finite() {
                ends += 1;
                let beyond = ahead(&s, 1.000_001 * t, &d);
                assert!(determinant(&beyond) < 0.0 || beyond[0] < 0.0);
            }
        }
        assert!((500..1000).contains(&ends), "{ends}");
        // Along the axis and away from the border there is none.
        assert_eq!(reach(&UNIT, &UNIT), f64::INFINITY);
        assert_eq!(reach(&UNIT, &[-1.0, 0.0, 0.0, 0.0]), 1.0);
    }

    #[test]
    fn the_border_has_no_scaling() {
        assert!(Scaling::new(&[1.0, 1.0, 0.0, 0.0], &UNIT).is_none());
        assert!(Scaling::new(&UNIT, &[f64::NAN; 4]).is_none());
        assert!(Scaling::new(&UNIT, &[-2.0, 1.0, 0.0, 0.0]).is_none());
    }
}
