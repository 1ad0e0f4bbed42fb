//! Functions φ(a, b) that vanish where 0 ≤ a ⟂ b ≥ 0, and their extension to bounds.
//!
//! ```math
//! \Phi_i(z) = \begin{cases} F_i & \text{free} \\ \varphi(z_i - l_i, F_i) & \text{lower} \\
//! -\varphi(u_i - z_i, -F_i) & \text{upper} \\ \varphi(z_i - l_i, -\varphi(u_i - z_i, -F_i)) & \text{both} \\
//! z_i - l_i & \text{fixed} \end{cases}
//! ```
//!
//! # References
//! - \[F1992\] A. Fischer, A special Newton-type optimization method, Optimization 24, 1992.
//! - \[B1995\] S. C. Billups, Algorithms for complementarity problems and generalized equations, 1995: bounds.
//! - \[CCK2000\] B. Chen, X. Chen, C. Kanzow, A penalized Fischer-Burmeister NCP-function, Math. Program. 88, 2000.

/// A function φ(a, b) that vanishes where 0 ≤ a ⟂ b ≥ 0, with the sign of min(a, b).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NcpFunction {
    /// a + b − √(a² + b²), whose square is continuously differentiable.
    FischerBurmeister,
    /// λ (a + b − √(a² + b²)) + (1 − λ) a₊ b₊ with this λ in (0, 1]: grows where both are large.
    Penalized(f64),
    /// min(a, b).
    Minimum,
}

/// Φ_i with its derivatives by z_i and F_i, both ≥ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) value: f64,
    pub(crate) by_z: f64,
    pub(crate) by_f: f64,
}

impl NcpFunction {
    /// φ(a, b) and its derivatives; an element of the generalised Jacobian where there is none.
    fn at(self, a: f64, b: f64) -> [f64; 3] {
        match self {
            Self::FischerBurmeister => fischer_burmeister(a, b),
            Self::Penalized(lambda) => {
                let [value, by_a, by_b] = fischer_burmeister(a, b).map(|x| lambda * x);
                let (pa, pb) = (a.max(0.0), b.max(0.0));
                let both = (1.0 - lambda) * f64::from(a > 0.0 && b > 0.0);
                [
                    value + (1.0 - lambda) * pa * pb,
                    by_a + both * pb,
                    by_b + both * pa,
                ]
            }
            Self::Minimum if a <= b => [a, 1.0, 0.0],
            Self::Minimum => [b, 0.0, 1.0],
        }
    }

    /// Φ_i of a variable z in [l, u] whose row has the value f.
    pub(crate) fn row(self, z: f64, f: f64, (l, u): (f64, f64)) -> Row {
        let (value, by_z, by_f) = match (l > f64::NEG_INFINITY, u < f64::INFINITY) {
            (false, false) => (f, 0.0, 1.0),
            _ if l >= u => (z - l, 1.0, 0.0),
            (true, false) => {
                let [value, by_a, by_b] = self.at(z - l, f);
                (value, by_a, by_b)
            }
            (false, true) => {
                let [value, by_a, by_b] = self.at(u - z, -f);
                (-value, by_a, by_b)
            }
            (true, true) => {
                let [y, y_a, y_b] = self.at(u - z, -f);
                let [value, by_a, by_b] = self.at(z - l, -y);
                (value, by_a + by_b * y_a, by_b * y_b)
            }
        };
        Row { value, by_z, by_f }
    }
}

/// Without cancellation where one of them is positive.
fn fischer_burmeister(a: f64, b: f64) -> [f64; 3] {
    let root = a.hypot(b);
    if root == 0.0 {
        let weight = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return [0.0, weight, weight];
    }
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    let value = if small > 0.0 {
        2.0 * a * (b / (a + b + root))
    } else if large > 0.0 {
        // large − ρ = −small² / (ρ + large): a fault is seen beside a partner of any size.
        small * (1.0 - small / (root + large))
    } else {
        a + b - root
    };
    // 1 − a/ρ = b²/(ρ (ρ + a)), exact where a is close to ρ.
    let weight = |own: f64, other: f64| {
        if own > 0.0 {
            (other / root) * (other / (root + own))
        } else {
            1.0 - own / root
        }
    };
    [value, weight(a, b), weight(b, a)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;
    const ALL: [NcpFunction; 3] = [
        NcpFunction::FischerBurmeister,
        NcpFunction::Penalized(0.8),
        NcpFunction::Minimum,
    ];

    /// Zero exactly at solutions, with the sign of mid(z − u, F, z − l).
    #[test]
    fn zeros_and_signs_are_those_of_the_median() {
        let values = [-2.0, -1.0, 0.0, 0.5, 1.0, 3.0];
        for function in ALL {
            for (l, u) in [(0.0, INF), (-INF, 0.0), (-1.0, 1.0), (-INF, INF)] {
                for z in values.into_iter().filter(|z| (l..=u).contains(z)) {
                    for f in values {
                        let median = f.max(z - u).min(z - l);
                        let row = function.row(z, f, (l, u));
                        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
                        assert_eq!(
                            sign(row.value),
                            sign(median),
                            "{function:?} {l} {u} {z} {f}"
                        );
                        assert!(row.by_z >= 0.0 && row.by_f >= 0.0);
                    }
                }
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let h = 1e-6;
        for function in ALL {
            for bounds in [
                (0.0, INF),
                (-INF, 2.0),
                (-1.0, 2.0),
                (1.0, 1.0),
                (-INF, INF),
            ] {
                for (z, f) in [(1.0, 0.3), (0.4, -2.0), (1.5, 4.0)] {
                    let row = function.row(z, f, bounds);
                    let value = |z, f| function.row(z, f, bounds).value;
                    let by_z = (value(z + h, f) - value(z - h, f)) / (2.0 * h);
                    let by_f = (value(z, f + h) - value(z, f - h)) / (2.0 * h);
                    assert!((row.by_z - by_z).abs() < 1e-8, "{function:?} {bounds:?}");
                    assert!((row.by_f - by_f).abs() < 1e-8, "{function:?} {bounds:?}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_lost_beside_a_large_partner() {
        let row = NcpFunction::FischerBurmeister.row(1e-20, 1e20, (0.0, INF));
        assert!((row.value - 1e-20).abs() < 1e-30);
        assert!((row.by_f / 0.5e-80 - 1.0).abs() < 1e-15);
        for (z, f) in [(1e20, -1e-3), (-1e-3, 1e20), (1e20, -1.0)] {
            let row = NcpFunction::FischerBurmeister.row(z, f, (0.0, INF));
            assert_eq!(row.value, z.min(f));
        }
        let row = NcpFunction::FischerBurmeister.row(1e300, 1e300, (0.0, INF));
        assert!(row.value.is_finite());
    }
}
