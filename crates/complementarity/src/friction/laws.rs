//! Friction laws: what each contact asks of its impulse r and relative velocity u.
//!
//! ```math
//! K = \{ |r_T| \le \mu r_N,\; |r_R| \le \mu_r r_N \}, \qquad K^* \ni \tilde u \perp r \in K,
//! \qquad \tilde u_N = u_N + \mu |u_T| + \mu_r |u_R|
//! ```
//!
//! The exact law of Coulomb shifts the normal velocity \[DSF1998\]; without the shift the problem is convex \[A2006\] and
//! a sliding contact opens with the speed μ |u_T|. On elliptic cones, and where torsion counts as a third tangent,
//! tangents are measured in scaled coordinates r_T / e and e u_T, in which every cone is a cone over discs.
//!
//! # References
//! - \[DSF1998\] G. De Saxcé, Z.-Q. Feng, The bipotential method: a constructive approach to design the complete contact
//!   law with friction and improved numerical algorithms, Mathematical and Computer Modelling 28, 1998.
//! - \[A2006\] M. Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, Mathematical Programming
//!   105, 2006.

use super::FrictionError;
use super::cone::{Cone, ROLLING, ROWS};
use super::error::{check_finite, check_length};

/// Which relation couples the impulse and the relative velocity of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FrictionLaw {
    /// Coulomb's law, exact: a sliding contact stays closed and friction opposes slip.
    #[default]
    Coulomb,
    /// The convex relaxation: r minimises ½ rᵀ W r + qᵀ r over the cones, and u lies in the dual cone.
    Convex,
}

/// The friction of all contacts of a problem that is given by matrices.
///
/// | name        | shape                | unit | meaning                                                              |
/// | ----------- | -------------------- | ---- | -------------------------------------------------------------------- |
/// | `dimension` | –                    | –    | D, rows per contact                                                  |
/// | `mu`        | (contacts)           | –    | friction coefficients ≥ 0                                            |
/// | `rolling`   | (contacts), or empty | m    | D = 5 or 6 only: coefficients ≥ 0 of rolling friction                     |
/// | `ellipse`   | (contacts · (D − 1)), or empty | –; m for torsion | factors e > 0 of the tangents; empty is 1 everywhere |
/// | `law`       | –                    | –    | exact or convex                                                      |
///
/// D fixes the rows of a contact and its cone: 1 the normal alone, without friction; 2 normal and tangent; 3 normal and
/// two tangents; 4 normal, two tangents and the torsion about the normal, |(r_1/e_1, r_2/e_2, r_3/e_3)| ≤ μ r_N; 5
/// normal, two tangents and two rolling moments, |r_T| ≤ μ r_N and |r_R| ≤ μ_r r_N; 6 normal, two tangents, torsion and two
/// rolling moments.
///
/// Example: see [`FrictionProblem::from_delassus`](super::FrictionProblem::from_delassus).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactLaws {
    /// Rows per contact.
    pub dimension: usize,
    /// Friction coefficient of each contact.
    pub mu: Vec<f64>,
    /// Coefficient of rolling friction of each contact; empty unless D is 5 or 6.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rolling: Vec<f64>,
    /// Factors of the tangents, D − 1 per contact; empty for round cones.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ellipse: Vec<f64>,
    /// Exact or convex.
    #[cfg_attr(feature = "serde", serde(default))]
    pub law: FrictionLaw,
}

impl ContactLaws {
    pub(super) fn check(&self) -> Result<(), FrictionError> {
        let (contacts, d) = (self.mu.len(), self.dimension);
        if contacts > 0 && !(1..=ROWS).contains(&d) {
            return Err(FrictionError::Dimension { found: d });
        }
        let rolling = if d >= ROLLING { contacts } else { 0 };
        check_length("rolling", self.rolling.len(), rolling)?;
        if !self.ellipse.is_empty() {
            let factors = contacts * d.saturating_sub(1);
            check_length("ellipse", self.ellipse.len(), factors)?;
        }
        check_finite("mu", &self.mu)?;
        check_finite("rolling", &self.rolling)?;
        check_finite("ellipse", &self.ellipse)?;
        let outside = |values: &[f64]| values.iter().position(|c| !(0.0..=STEEPEST).contains(c));
        if let Some(contact) = outside(&self.mu) {
            let value = self.mu[contact];
            return Err(FrictionError::Friction { contact, value });
        }
        if let Some(contact) = outside(&self.rolling) {
            let value = self.rolling[contact];
            return Err(FrictionError::Rolling { contact, value });
        }
        match self.ellipse.iter().position(|e| *e <= 0.0) {
            Some(index) => Err(FrictionError::Ellipse {
                index,
                value: self.ellipse[index],
            }),
            None => Ok(()),
        }
    }

    /// The cone of a contact, in scaled coordinates.
    pub(super) fn cone(&self, contact: usize) -> Cone {
        Cone {
            dimension: self.dimension,
            mu: self.mu[contact],
            rolling: self.rolling.get(contact).copied().unwrap_or(0.0),
        }
    }

    /// e of all rows of all contacts, 1 for normals; empty where all are 1.
    pub(super) fn row_scales(&self) -> Vec<f64> {
        let tangents = self.ellipse.chunks_exact((self.dimension.max(2)) - 1);
        let rows = tangents.flat_map(|e| std::iter::once(&1.0).chain(e));
        rows.copied().collect()
    }
}

/// What a contact does at a solution.
///
/// Example: see [`FrictionProblem::modes`](super::FrictionProblem::modes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ContactMode {
    /// No impulse.
    Open,
    /// The impulse is inside of its cone.
    Stick,
    /// Friction (with torsion for D = 4 or 6) is at its bound; a closed contact without friction counts here.
    Slip,
    /// D = 5 or 6: rolling friction is at its bound and sliding friction is not.
    Roll,
    /// D = 5 or 6: both are at their bounds.
    SlipRoll,
}

/// A normal impulse up to this part of the largest impulse is none.
const OPEN: f64 = 1e-9;

/// Friction that falls short of its bound by at most this part of it is at its bound.
const AT_BOUND: f64 = 1e-6;

/// Largest coefficient: its square has to be a number, and in a product too.
const STEEPEST: f64 = 1e100;

/// The mode of a contact with cone and impulse in scaled coordinates; `largest` is the largest impulse of all,
/// and a normal impulse up to `least` is rounding.
pub(super) fn mode(cone: &Cone, r: &[f64], (largest, least): (f64, f64)) -> ContactMode {
    if r[0] <= f64::max(OPEN * largest, least) {
        return ContactMode::Open;
    }
    let at_bound = |t: f64, coefficient: f64| t >= coefficient * r[0] * (1.0 - AT_BOUND);
    let (tangent, moment) = cone.discs(r);
    let rolls = cone.dimension >= ROLLING && at_bound(moment, cone.rolling);
    match (at_bound(tangent, cone.mu), rolls) {
        (false, false) => ContactMode::Stick,
        (true, false) => ContactMode::Slip,
        (false, true) => ContactMode::Roll,
        (true, true) => ContactMode::SlipRoll,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_whose_square_is_no_number_are_refused() {
        let laws = |mu: f64| ContactLaws {
            dimension: 2,
            mu: vec![0.5, mu],
            ..ContactLaws::default()
        };
        assert!(laws(1e100).check().is_ok());
        for value in [1e200, -1e-300] {
            let refused = FrictionError::Friction { contact: 1, value };
            assert_eq!(laws(value).check(), Err(refused));
        }
    }

    fn fault(change: impl FnOnce(&mut ContactLaws)) -> String {
        let mut laws = ContactLaws {
            dimension: 5,
            mu: vec![0.5, 0.25],
            rolling: vec![0.1, 0.0],
            ellipse: vec![1.0; 8],
            law: FrictionLaw::Coulomb,
        };
        change(&mut laws);
        let checked = laws.check();
        checked.map_or_else(|e| e.to_string(), |()| "accepted".to_owned())
    }

    #[test]
    fn each_fault_is_named() {
        assert_eq!(fault(|_| ()), "accepted");
        assert_eq!(fault(|l| l.ellipse.clear()), "accepted");
        let expected = "rolling has length 2, expected 0";
        assert_eq!(fault(|l| l.dimension = 4), expected);
        let expected = "7 rows per contact, expected 1 to 6";
        assert_eq!(fault(|l| l.dimension = 7), expected);
        let expected = "rolling[1] is -1.0, must be from 0 to 1e100";
        assert_eq!(fault(|l| l.rolling[1] = -1.0), expected);
        let expected = "ellipse[3] is 0, must be > 0";
        assert_eq!(fault(|l| l.ellipse[3] = 0.0), expected);
        let expected = "ellipse has length 7, expected 8";
        assert_eq!(fault(|l| l.ellipse.truncate(7)), expected);
        let expected = "mu[0] is NaN, which is not finite";
        assert_eq!(fault(|l| l.mu[0] = f64::NAN), expected);
    }

    #[test]
    fn normals_are_not_scaled() {
        let laws = ContactLaws {
            dimension: 3,
            mu: vec![1.0; 2],
            ellipse: vec![2.0, 3.0, 4.0, 5.0],
            ..ContactLaws::default()
        };
        assert_eq!(laws.row_scales(), [1.0, 2.0, 3.0, 1.0, 4.0, 5.0]);
    }

    #[test]
    fn modes_of_two_discs() {
        let cone = Cone {
            dimension: 5,
            mu: 0.5,
            rolling: 0.1,
        };
        let of = |r: [f64; 5]| mode(&cone, &r, (1.0, 0.0));
        assert_eq!(of([1e-10, 0.0, 0.0, 0.0, 0.0]), ContactMode::Open);
        assert_eq!(of([1.0, 0.3, 0.3, 0.0, 0.05]), ContactMode::Stick);
        assert_eq!(of([1.0, 0.3, 0.4, 0.0, 0.05]), ContactMode::Slip);
        assert_eq!(of([1.0, 0.3, 0.3, 0.0, -0.1]), ContactMode::Roll);
        assert_eq!(of([1.0, 0.0, -0.5, 0.06, 0.08]), ContactMode::SlipRoll);
    }
}
