//! The two residuals of a friction problem, and the modes of its contacts.
//!
//! ```math
//! e = \Big( \sum_k |r_k - P_K(r_k - \tilde u_k)|^2 \Big)^{1/2}, \quad \text{relative} = \frac{e}{|q|_2}, \qquad
//! \text{scaled} = \frac{\max_k |r_k - P_K(r_k - \rho \tilde u_k)|_\infty}{|r|_\infty},
//! \quad \rho^{-1} = \mathrm{mean}_i\, W_{ii}
//! ```
//!
//! # Guarantees and limits
//! The relative residual is that of the collection FCLIB \[ABKP2014\]: it adds impulses to velocities, so it depends on the
//! units of mass. The scaled one does not. Both are taken in the scaled coordinates of elliptic cones, and a bilateral row
//! counts as a contact whose cone is all of ℝ: its error is ρ |u|. 0/0 counts as 0, and what is not finite as ∞. |r|_∞ in
//! the denominator is at least 1e-12 ρ |q|_∞, so that r = 0 can be judged.
//!
//! The scaled one counts of each contact's natural map what is beyond 8 ε ρ |ũ_k|_∞, the rounding of its own evaluation: where
//! r is less than 1e-6 of ρ ũ, as where a body slides along a wall that hardly holds it, no r brings the map below 1e-10 |r|_∞.
//! A point that gains by this solves the problem of a q that is off by n 8 ε |ũ|_∞ at most, less than the data say.
//!
//! Impulses that run off to infinity, as where bodies are jammed and there is no solution, make everything small relative to
//! them. So where a scaled residual would be below a hundredth and ũ is off the dual cone by more than a hundredth of |q|_∞,
//! and by more than rounding explains, the scaled residual of the problem is that ratio.
//!
//! # References
//! - \[ABKP2014\] V. Acary, M. Brémond, T. Koziara, F. Pérignon, FCLIB: a collection of discrete 3D frictional contact
//!   problems, Inria technical report 444, 2014.

use super::cone::{Cone, ROWS, length};
use super::equation::EquationLaw;
use super::laws::mode;
use super::{ContactMode, FrictionLaw, FrictionProblem};

/// Which residual a tolerance is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ResidualMeasure {
    /// e / |q|₂, as in FCLIB.
    #[default]
    Relative,
    /// The largest natural map relative to the largest impulse, which no unit changes.
    Scaled,
}

/// Residuals of one contact or one bilateral row; [`FrictionResiduals`] are made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactResidual {
    /// Its part of e, over |q|₂ of the whole problem.
    pub relative: f64,
    /// Its largest entry of the natural map beyond rounding, over |r|_∞ of the whole problem.
    pub scaled: f64,
}

/// Both residuals of a point, for the whole problem and for each contact.
///
/// Example: see [`FrictionProblem::residuals`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FrictionResiduals {
    /// e / |q|₂.
    pub relative: f64,
    /// max |r − P_K(r − ρ ũ)| / |r|_∞, without the rounding of ρ ũ.
    pub scaled: f64,
    /// Parts of the contacts.
    pub contacts: Vec<ContactResidual>,
    /// Parts of the bilateral rows.
    pub bilateral: Vec<ContactResidual>,
}

impl FrictionResiduals {
    /// The residual that a measure asks for.
    pub fn of(&self, measure: ResidualMeasure) -> f64 {
        match measure {
            ResidualMeasure::Relative => self.relative,
            ResidualMeasure::Scaled => self.scaled,
        }
    }
}

/// |r|_∞ counts as at least this times ρ |q|_∞, the impulse that would stop |q|_∞.
pub(super) const SMALLEST_IMPULSE: f64 = 1e-12;

/// Scaled residual below which, and part of |q|_∞ from which on, ũ off the dual cone means that impulses run off. A solution to 1e-10 whose impulses are 1e8 times
/// those that stop |q|_∞, as between very heavy and very light bodies, is off by this much.
pub(super) const RUNAWAY: f64 = 1e-2;

/// Rounding of W r, relative to max W_ii |r|_∞: some hundred terms.
const ROUNDING: f64 = 1e2 * f64::EPSILON;

/// Rounding of r − P_K(r − ρ ũ) where r is small beside it, relative to ρ |ũ|_∞: on the way from u to the map there are about sixteen
/// operations on numbers of this size (the product W r + q, the length and the shift, the step, the length and the root of the
/// projection), each off by ε/2.
const MAP_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// What is left of an entry of the natural map without the rounding of ρ ũ, whose largest entry is ρ `size`. NaN stays.
pub(super) fn beyond_rounding(entry: f64, rho: f64, size: f64) -> f64 {
    let rounding = MAP_ROUNDING * rho * size;
    if !rounding.is_finite() {
        entry
    } else if entry <= rounding {
        0.0
    } else {
        entry - rounding
    }
}

impl FrictionProblem {
    /// Both residuals of z, the impulses (contacts · D) and then the bilateral ones.
    ///
    /// # Panics
    /// If z has the wrong length.
    ///
    /// # Examples
    /// A contact with W = I and q = (−1, 1, 3), μ = 0.1: r = (1, −0.1 · (1, 3)/√10) holds it closed.
    /// ```
    /// use signorini_complementarity::{ContactLaws, ContactMode, FrictionProblem};
    /// let laws = ContactLaws { dimension: 3, mu: vec![0.1], ..ContactLaws::default() };
    /// let w = sprs::CsMat::eye(3);
    /// let problem = FrictionProblem::from_delassus(&w, vec![-1.0, 1.0, 3.0], laws)?;
    /// let friction = 0.1 / 10.0_f64.sqrt();
    /// let r = [1.0, -friction, -3.0 * friction];
    /// let residuals = problem.residuals(&r);
    /// assert!(residuals.relative < 1e-15 && residuals.scaled < 1e-15);
    /// assert_eq!(problem.modes(&r), [ContactMode::Slip]);
    /// // Without any impulse, the contact closes with 1 m/s and ũ = (−1 + 0.1 √10, 1, 3).
    /// let residuals = problem.residuals(&[0.0; 3]);
    /// assert!((residuals.contacts[0].relative - residuals.relative).abs() < 1e-15);
    /// # Ok::<(), signorini_complementarity::FrictionError>(())
    /// ```
    #[track_caller]
    pub fn residuals(&self, z: &[f64]) -> FrictionResiduals {
        self.residuals_in(&Units::new(self), z)
    }

    /// The same, with the units of this problem.
    #[track_caller]
    pub(super) fn residuals_in(&self, units: &Units, z: &[f64]) -> FrictionResiduals {
        let point = Scaled::new(self, z);
        let impulse = units.impulse(&point.r);
        let mut runaway = 0.0_f64;
        let mut part = |entry: Entry<'_>| {
            runaway = runaway.max(entry.off);
            ContactResidual {
                relative: ratio(entry.relative(), units.norm),
                scaled: ratio(entry.scaled(units.rho), impulse),
            }
        };
        let (contacts, bilateral) = self.entries(&point);
        let contacts: Vec<_> = contacts.map(&mut part).collect();
        let bilateral: Vec<_> = bilateral.map(&mut part).collect();
        let all = || contacts.iter().chain(&bilateral);
        let mut residuals = FrictionResiduals {
            relative: length(&all().map(|c| c.relative).collect::<Vec<_>>()),
            scaled: all().fold(0.0, |l, c| c.scaled.max(l)),
            contacts: Vec::new(),
            bilateral: Vec::new(),
        };
        residuals.scaled = units.or_runaway(residuals.scaled, runaway, &point.r);
        if !point.is_finite() {
            (residuals.relative, residuals.scaled) = (f64::INFINITY, f64::INFINITY);
        }
        (residuals.contacts, residuals.bilateral) = (contacts, bilateral);
        residuals
    }

    /// What a measure asks for of them, to the bit, without the parts of contacts.
    #[track_caller]
    pub(super) fn residual_in(&self, units: &Units, measure: ResidualMeasure, z: &[f64]) -> f64 {
        let point = Scaled::new(self, z);
        if !point.is_finite() {
            return f64::INFINITY;
        }
        let (contacts, bilateral) = self.entries(&point);
        let all = contacts.chain(bilateral);
        match measure {
            ResidualMeasure::Relative => {
                let parts = all.map(|entry| ratio(entry.relative(), units.norm));
                length(&parts.collect::<Vec<_>>())
            }
            ResidualMeasure::Scaled => {
                let impulse = units.impulse(&point.r);
                let (mut scaled, mut runaway) = (0.0_f64, 0.0_f64);
                for entry in all {
                    runaway = runaway.max(entry.off);
                    scaled = ratio(entry.scaled(units.rho), impulse).max(scaled);
                }
                units.or_runaway(scaled, runaway, &point.r)
            }
        }
    }

    /// Whether impulses run off at z, so large that the rounding of W z alone hides it from the residual. What a body that is carried along
    /// is crushed by, beside its speed, does not count.
    pub(super) fn hides_runaway(&self, z: &[f64]) -> bool {
        let (units, point) = (Units::new(self), Scaled::new(self, z));
        let (contacts, bilateral) = self.entries(&point);
        let off = contacts
            .chain(bilateral)
            .fold(0.0, |m: f64, e| m.max(e.off));
        let least = RUNAWAY * self.fastest();
        ROUNDING * units.stiffness * largest(&point.r) > least && off > least
    }

    /// Contacts and bilateral rows of a point.
    fn entries<'a>(
        &'a self,
        point: &'a Scaled,
    ) -> (
        impl Iterator<Item = Entry<'a>>,
        impl Iterator<Item = Entry<'a>>,
    ) {
        let (d, rows) = (
            self.dimension().max(1),
            self.laws().mu.len() * self.dimension(),
        );
        let ((r, r_b), (u, u_b)) = (point.r.split_at(rows), point.u.split_at(rows));
        let contacts = r.chunks_exact(d).zip(u.chunks_exact(d)).enumerate();
        let contacts = contacts.map(|(k, (r, u))| {
            let cone = self.laws().cone(k);
            let off = cone.dual_distance(self.law(), u);
            let law = Law::Cone(cone, self.law());
            Entry { law, r, u, off }
        });
        let equations = self.equations().iter();
        let bilateral = r_b.chunks_exact(1).zip(u_b.chunks_exact(1)).zip(equations);
        let bilateral = bilateral.map(|((r, u), law)| Entry {
            law: Law::Equation(law),
            r,
            u,
            off: law.dual_distance(u[0]),
        });
        (contacts, bilateral)
    }

    /// The mode of each contact at z: open up to 1e-9 of the largest impulse and up to the rounding 8 ε ρ |q|_∞, at a bound from
    /// 1 − 1e-6 of it on.
    ///
    /// # Panics
    /// If z has the wrong length.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::{ContactLaws, ContactMode, FrictionProblem};
    /// let laws = ContactLaws { dimension: 2, mu: vec![0.5; 3], ..ContactLaws::default() };
    /// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(6), vec![0.0; 6], laws)?;
    /// let modes = problem.modes(&[0.0, 0.0, 2.0, 0.5, 2.0, -1.0]);
    /// assert_eq!(modes, [ContactMode::Open, ContactMode::Stick, ContactMode::Slip]);
    /// # Ok::<(), signorini_complementarity::FrictionError>(())
    /// ```
    #[track_caller]
    pub fn modes(&self, z: &[f64]) -> Vec<ContactMode> {
        assert_eq!(
            z.len(),
            self.len(),
            "one entry per contact and bilateral row"
        );
        let mut r = z.to_vec();
        let scales = self.laws().row_scales();
        r.iter_mut().zip(&scales).for_each(|(r, e)| *r /= e);
        let rows = self.laws().mu.len() * self.dimension();
        let units = Units::new(self);
        let least = MAP_ROUNDING * units.rho * units.speed;
        let most = (largest(&r[..rows]), least);
        let contacts = r[..rows].chunks_exact(self.dimension().max(1));
        let modes = contacts.enumerate();
        modes
            .map(|(k, r)| mode(&self.laws().cone(k), r, most))
            .collect()
    }

    /// Diagonal of W in scaled coordinates.
    fn scaled_diagonal(&self) -> Vec<f64> {
        let mut diagonal = self.diagonal();
        let scales = self.laws().row_scales();
        diagonal
            .iter_mut()
            .zip(&scales)
            .for_each(|(w, e)| *w *= e * e);
        diagonal
    }
}

/// One contact or bilateral row at a point.
struct Entry<'a> {
    law: Law<'a>,
    r: &'a [f64],
    u: &'a [f64],
    /// Distance of ũ from the dual cone.
    off: f64,
}

enum Law<'a> {
    Cone(Cone, FrictionLaw),
    Equation(&'a EquationLaw),
}

impl Entry<'_> {
    /// Length and largest entry of the natural map.
    fn error(&self, rho: f64) -> (f64, f64) {
        match self.law {
            Law::Cone(cone, law) => {
                let mut map = [0.0; ROWS];
                let map = &mut map[..self.u.len()];
                cone.natural_map(law, rho, (self.r, self.u), map);
                let length = length(map);
                // The maximum would pass over NaN, the length does not. Both are at least the distance of ρ ũ from
                // the dual cone (over √D), in which large impulses hide nothing.
                if length.is_nan() {
                    return (length, length);
                }
                let dual = rho * self.off;
                let d = self.u.len() as f64;
                (length.max(dual), largest(map).max(dual / d.sqrt()))
            }
            Law::Equation(law) => {
                let length = law.natural_map(rho, self.r[0], self.u[0]).abs();
                (length, length)
            }
        }
    }

    /// Its part of e.
    fn relative(&self) -> f64 {
        self.error(1.0).0
    }

    /// Its largest entry of the natural map beyond rounding.
    fn scaled(&self, rho: f64) -> f64 {
        let size = match self.law {
            Law::Cone(cone, law) => cone.shifted_size(law, self.u),
            Law::Equation(_) => 0.0,
        };
        beyond_rounding(self.error(rho).1, rho, size)
    }
}

/// What a problem measures impulses and velocities with, in scaled coordinates: the same for every point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// ρ.
    pub(super) rho: f64,
    /// |q|₂ and |q|_∞.
    pub(super) norm: f64,
    pub(super) speed: f64,
    /// max W_ii.
    stiffness: f64,
}

impl Units {
    pub(super) fn new(problem: &FrictionProblem) -> Self {
        let mut q = problem.q();
        let scales = problem.laws().row_scales();
        q.iter_mut().zip(&scales).for_each(|(q, e)| *q *= e);
        Self::of(&q, &problem.scaled_diagonal())
    }

    /// |r|_∞, at least what counts as an impulse.
    fn impulse(&self, r: &[f64]) -> f64 {
        largest(r).max(SMALLEST_IMPULSE * self.rho * self.speed)
    }

    /// A scaled residual, or how far ũ is off the dual cone where impulses run off.
    fn or_runaway(&self, scaled: f64, off: f64, r: &[f64]) -> f64 {
        let runaway = ratio(off, self.speed + ROUNDING * self.stiffness * largest(r));
        if scaled < RUNAWAY && runaway > RUNAWAY {
            runaway
        } else {
            scaled
        }
    }

    /// From q and the diagonal of W, both in scaled coordinates.
    pub(super) fn of(q: &[f64], diagonal: &[f64]) -> Self {
        Self {
            rho: residual_step(diagonal),
            norm: length(q),
            speed: largest(q),
            stiffness: largest(diagonal),
        }
    }
}

/// r / e and e u.
struct Scaled {
    r: Vec<f64>,
    u: Vec<f64>,
}

impl Scaled {
    fn is_finite(&self) -> bool {
        self.r.iter().all(|r| r.is_finite())
    }

    #[track_caller]
    fn new(problem: &FrictionProblem, z: &[f64]) -> Self {
        let mut u = vec![0.0; z.len()];
        problem.relative_velocities_into(z, &mut u);
        let mut r = z.to_vec();
        let scales = problem.laws().row_scales();
        for ((r, u), e) in r.iter_mut().zip(&mut u).zip(&scales) {
            (*r, *u) = (*r / e, *u * e);
        }
        Self { r, u }
    }
}

/// ρ = 1 / mean W_ii, or 1 if W has no diagonal.
fn residual_step(diagonal: &[f64]) -> f64 {
    let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
    if mean > 0.0 { 1.0 / mean } else { 1.0 }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| x.abs().max(m))
}

/// a / b with 0/0 = 0 and ∞ for what is no number.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if a == 0.0 && b.is_finite() {
        0.0
    } else if ratio.is_nan() {
        f64::INFINITY
    } else {
        ratio
    }
}

#[cfg(test)]
mod tests;
