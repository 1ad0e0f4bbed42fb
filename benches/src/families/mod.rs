//! Seeded families of linear complementarity problems: the inputs of benches and of the validation.
//!
//! The random numbers come from SplitMix64, and matrices are filled row by row, so that other programs can regenerate the
//! same problems. [`Family::Pd`], [`Family::Psd`], [`Family::Pmat`] and the friction families with eight directions have
//! been regenerated elsewhere, and agree to rounding.
//!
//! # References
//! - \[ST1996\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic
//!   collisions and Coulomb friction, International Journal for Numerical Methods in Engineering 39, 1996.

mod contact;
mod copositive;
mod dense;
mod rng;

use std::fmt;
use std::str::FromStr;

use signorini_complementarity::{FrictionProblem, Lcp, Pyramid, PyramidForm};

pub use contact::velocity_changed;

use dense::Made;
pub use rng::Rng;

/// A family of problems.
///
/// Its name ([`fmt::Display`], [`FromStr`]) is in snake case; those of the friction families end in the number of directions.
///
/// # Examples
/// ```
/// use signorini_benches::families::Family;
/// let family: Family = "st_box_4".parse()?;
/// assert_eq!(family, Family::Boxes { directions: 4 });
/// assert_eq!(family.problem(100, 1).lcp.len(), 96); // four cubes of 24 unknowns
/// # Ok::<(), signorini_benches::families::UnknownFamily>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `pd`: symmetric positive definite.
    Pd,
    /// `psd`: symmetric of rank n/2, with a solution.
    Psd,
    /// `pmat`: P-matrix, neither symmetric nor monotone.
    Pmat,
    /// `degenerate_psd`: symmetric of rank n/4, with a solution that has a third of its indices in both zero sets; the
    /// solutions are many.
    DegeneratePsd,
    /// `copositive_plus`: a strictly copositive block bordered by B and −Bᵀ, with a degenerate solution.
    CopositivePlus,
    /// `infeasible_psd`: symmetric positive semidefinite without a feasible point.
    InfeasiblePsd,
    /// `infeasible_copositive_plus`: copositive-plus without a feasible point. n ≥ 6, so that B has two rows.
    InfeasibleCopositivePlus,
    /// `st_sph_<directions>`: frictional contact in a heap of spheres (μ = 0.5), about two contacts a sphere.
    Spheres {
        /// Facets of the friction pyramid, ≥ 3.
        directions: usize,
    },
    /// `st_box_<directions>`: frictional contact in a stack of boxes (μ = 0.3), redundant contacts.
    Boxes {
        /// Facets of the friction pyramid, ≥ 3.
        directions: usize,
    },
}

impl Family {
    /// Every family, those with friction with four and eight directions.
    pub const ALL: [Self; 11] = [
        Self::Pd,
        Self::Psd,
        Self::Pmat,
        Self::DegeneratePsd,
        Self::CopositivePlus,
        Self::InfeasiblePsd,
        Self::InfeasibleCopositivePlus,
        Self::Spheres { directions: 4 },
        Self::Spheres { directions: 8 },
        Self::Boxes { directions: 4 },
        Self::Boxes { directions: 8 },
    ];

    /// The name, as in the documentation of the variants.
    pub fn name(self) -> String {
        self.to_string()
    }

    /// Whether its problems have a solution.
    pub fn is_solvable(self) -> bool {
        !matches!(self, Self::InfeasiblePsd | Self::InfeasibleCopositivePlus)
    }

    /// The number of facets, if the family is one of frictional contact.
    pub fn directions(self) -> Option<usize> {
        match self {
            Self::Spheres { directions } | Self::Boxes { directions } => Some(directions),
            _ => None,
        }
    }

    /// The problem of a size and a seed; of the nearest possible size for the families of frictional contact.
    ///
    /// # Panics
    /// If n < 2, or n < 6 for `infeasible_copositive_plus`, or directions < 3.
    #[track_caller]
    pub fn problem(self, n: usize, seed: u64) -> Instance {
        let smallest = match self {
            Self::InfeasibleCopositivePlus => 6,
            _ => 2,
        };
        assert!(n >= smallest, "{self} begins at n = {smallest}");
        let rng = &mut Rng::new(seed);
        let made = match self {
            Self::Pd => dense::pd(n, rng),
            Self::Psd => dense::psd(n, rng),
            Self::Pmat => dense::pmat(n, rng),
            Self::DegeneratePsd => dense::degenerate_psd(n, seed, rng),
            Self::CopositivePlus => copositive::copositive_plus(n, seed, rng),
            Self::InfeasiblePsd => dense::infeasible_psd(n, rng),
            Self::InfeasibleCopositivePlus => copositive::infeasible(n, rng),
            Self::Spheres { directions } | Self::Boxes { directions } => {
                let step = self.step(n, seed).expect("a family with friction");
                return self.with_friction(seed, step, directions);
            }
        };
        let Made {
            lcp,
            planted,
            farkas,
        } = made;
        Instance {
            family: self,
            seed,
            lcp,
            planted,
            farkas,
            friction: None,
        }
    }

    /// The step of frictional contact alone, for sizes whose reduced form would be too large; `None` for the families
    /// without friction.
    pub fn step(self, n: usize, seed: u64) -> Option<FrictionProblem> {
        let rng = &mut Rng::new(seed);
        match self {
            Self::Spheres { directions } => Some(contact::spheres(n, directions, rng)),
            Self::Boxes { directions } => Some(contact::boxes(n, directions, rng)),
            _ => None,
        }
    }

    fn with_friction(self, seed: u64, step: FrictionProblem, directions: usize) -> Instance {
        // All unknowns of the reduced form are nonnegative: there are no bilateral constraints.
        let pyramid = step.pyramid(directions, PyramidForm::Reduced);
        let reduced = pyramid.problem();
        let lcp = Lcp::new(reduced.m().clone(), reduced.q().to_vec())
            .expect("a problem with bounds has the same data");
        Instance {
            family: self,
            seed,
            lcp,
            planted: None,
            farkas: None,
            friction: Some(step),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Pd => "pd",
            Self::Psd => "psd",
            Self::Pmat => "pmat",
            Self::DegeneratePsd => "degenerate_psd",
            Self::CopositivePlus => "copositive_plus",
            Self::InfeasiblePsd => "infeasible_psd",
            Self::InfeasibleCopositivePlus => "infeasible_copositive_plus",
            Self::Spheres { directions } => return write!(f, "st_sph_{directions}"),
            Self::Boxes { directions } => return write!(f, "st_box_{directions}"),
        };
        f.write_str(name)
    }
}

/// A name that is that of no [`Family`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFamily(
    /// The name.
    pub String,
);

impl fmt::Display for UnknownFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no family {:?}", self.0)
    }
}

impl std::error::Error for UnknownFamily {}

impl FromStr for Family {
    type Err = UnknownFamily;

    /// The family of a name; a friction family without a number has eight directions.
    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        let unknown = || UnknownFamily(name.to_owned());
        let facets = |rest: &str| match rest.strip_prefix('_') {
            None if rest.is_empty() => Ok(8),
            Some(number) => number.parse().map_err(|_| unknown()),
            None => Err(unknown()),
        };
        let family = if let Some(rest) = name.strip_prefix("st_sph") {
            Self::Spheres {
                directions: facets(rest)?,
            }
        } else if let Some(rest) = name.strip_prefix("st_box") {
            Self::Boxes {
                directions: facets(rest)?,
            }
        } else {
            let named = Self::ALL.into_iter().find(|family| family.name() == name);
            named.ok_or_else(unknown)?
        };
        match family.directions() {
            Some(..3) => Err(unknown()),
            _ => Ok(family),
        }
    }
}

/// A problem of a [`Family`], with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its family.
    pub family: Family,
    /// The seed that it was made from.
    pub seed: u64,
    /// The problem; for frictional contact the reduced form.
    pub lcp: Lcp,
    /// A solution up to rounding, if one was chosen beforehand; there may be others.
    pub planted: Option<Vec<f64>>,
    /// x ≥ 0 with Mᵀ x ≤ 0 and q · x < 0, exactly, which proves that there is no feasible point.
    pub farkas: Option<Vec<f64>>,
    /// The step of frictional contact.
    pub friction: Option<FrictionProblem>,
}

impl Instance {
    /// Family, size and seed, such as `pd-100-1`.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.family, self.lcp.len(), self.seed)
    }

    /// The step of frictional contact in one of its linear forms; the reduced one has the data of `lcp`.
    pub fn pyramid(&self, form: PyramidForm) -> Option<Pyramid> {
        let directions = self.family.directions()?;
        Some(self.friction.as_ref()?.pyramid(directions, form))
    }
}

/// `count` sizes, log-uniform from 5 to 1000, the last ten exactly 1000.
///
/// # Examples
/// ```
/// let sizes = signorini_benches::families::sizes(1000, 1);
/// assert_eq!((sizes.len(), sizes[990]), (1000, 1000));
/// ```
pub fn sizes(count: usize, seed: u64) -> Vec<usize> {
    const LARGEST: usize = 10;
    let mut rng = Rng::new(seed);
    let (lo, hi) = (5.0_f64.ln(), 1000.0_f64.ln());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 5 and 1000"
    )]
    let draw = |_| rng.between(lo, hi).exp().round() as usize;
    let drawn = count.saturating_sub(LARGEST);
    (0..drawn)
        .map(draw)
        .chain(std::iter::repeat_n(1000, count.min(LARGEST)))
        .collect()
}

#[cfg(test)]
mod tests;
