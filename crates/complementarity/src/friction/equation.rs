//! Bilateral rows that give way: with a compliance, and with a largest impulse.
//!
//! ```math
//! p = P_{[-L, L]}(p - \rho u), \qquad u = J_b v + b + R\, p
//! ```
//!
//! R = 0 and L = ∞ is the constraint u = 0. A spring or damper is a row with R > 0, a motor or dry friction in a joint one
//! with a finite L: u = 0 while |p| < L, and at its largest the impulse opposes u.

use super::FrictionError;
use super::error::{check_finite, check_length};

/// The law of one bilateral row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EquationLaw {
    /// R ≥ 0.
    pub(crate) compliance: f64,
    /// L ≥ 0, may be ∞.
    pub(crate) limit: f64,
}

impl EquationLaw {
    /// The laws of all rows; empty lists are R = 0 and L = ∞.
    pub(super) fn all(
        count: usize,
        compliance: &[f64],
        limit: &[f64],
    ) -> Result<Vec<Self>, FrictionError> {
        if !compliance.is_empty() {
            check_length("bilateral_compliance", compliance.len(), count)?;
            check_finite("bilateral_compliance", compliance)?;
        }
        if !limit.is_empty() {
            check_length("bilateral_limit", limit.len(), count)?;
        }
        let negative = |value: &f64| *value < 0.0 || value.is_nan();
        for (what, values) in [
            ("bilateral_compliance", compliance),
            ("bilateral_limit", limit),
        ] {
            if let Some(index) = values.iter().position(negative) {
                let value = values[index];
                return Err(FrictionError::Negative { what, index, value });
            }
        }
        let law = |k: usize| Self {
            compliance: compliance.get(k).copied().unwrap_or(0.0),
            limit: limit.get(k).copied().unwrap_or(f64::INFINITY),
        };
        Ok((0..count).map(law).collect())
    }

    /// One number of all laws; an empty list where all are the usual one.
    pub(super) fn listed(laws: &[Self], value: fn(&Self) -> f64, usual: f64) -> Vec<f64> {
        let is_usual = |law: &Self| value(law).to_bits() == usual.to_bits();
        if laws.iter().all(is_usual) {
            return Vec::new();
        }
        laws.iter().map(value).collect()
    }

    /// The nearest impulse that is allowed; NaN stays NaN.
    #[inline]
    pub(crate) fn project(&self, p: f64) -> f64 {
        p.clamp(-self.limit, self.limit)
    }

    /// Whether p − ρ u lies within the limit, so that the row asks for u = 0.
    #[inline]
    pub(crate) fn holds(&self, rho: f64, p: f64, u: f64) -> bool {
        (p - rho * u).abs() <= self.limit
    }

    /// p − P(p − ρ u): where that lies within the limit ρ u, and taken as that.
    #[inline]
    pub(crate) fn natural_map(&self, rho: f64, p: f64, u: f64) -> f64 {
        let ahead = p - rho * u;
        if ahead.abs() <= self.limit || self.limit == f64::INFINITY {
            rho * u
        } else {
            p - self.project(ahead)
        }
    }

    /// The part of u that no impulse has a part in: all of it without a limit, else nothing.
    pub(crate) fn dual_distance(&self, u: f64) -> f64 {
        if self.limit == f64::INFINITY {
            u.abs()
        } else {
            0.0
        }
    }

    /// The law of x = p / e, u' = e u.
    pub(crate) fn balanced(&self, unit: f64) -> Self {
        Self {
            compliance: self.compliance * unit * unit,
            limit: self.limit / unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_and_gives_way() {
        let law = EquationLaw {
            compliance: 0.0,
            limit: 2.0,
        };
        // Within: the map is u. At the bound against u: solved. At the bound along u: not.
        assert_eq!(law.natural_map(1.0, 1.0, 0.25), 0.25);
        assert_eq!(law.natural_map(1.0, -2.0, 3.0), 0.0);
        assert_eq!(law.natural_map(1.0, 2.0, 3.0), 3.0);
        assert_eq!(law.natural_map(1.0, 2.5, 0.0), 0.5);
        assert!(law.holds(1.0, 1.0, 0.5) && !law.holds(1.0, -2.0, 3.0));
        assert!(law.natural_map(1.0, f64::NAN, 0.0).is_nan());
        let free = EquationLaw::all(1, &[], &[]).unwrap()[0];
        assert_eq!((free.compliance, free.limit), (0.0, f64::INFINITY));
        assert_eq!(free.dual_distance(-3.0), 3.0);
    }

    #[test]
    fn each_fault_is_named() {
        let fault = |r: &[f64], l: &[f64]| EquationLaw::all(2, r, l).unwrap_err().to_string();
        assert_eq!(
            fault(&[1.0], &[]),
            "bilateral_compliance has length 1, expected 2"
        );
        assert_eq!(
            fault(&[], &[1.0, -1.0]),
            "bilateral_limit[1] is -1, must be >= 0"
        );
        assert_eq!(
            fault(&[], &[f64::NAN, 1.0]),
            "bilateral_limit[0] is NaN, must be >= 0"
        );
        assert_eq!(
            fault(&[0.0, f64::INFINITY], &[]),
            "bilateral_compliance[1] is inf, which is not finite"
        );
    }
}
