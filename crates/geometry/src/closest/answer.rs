//! What a closest-point query answers.

use nalgebra::SVector;

use crate::boundary::{Feature, Multipliers};

/// Tilt of a line of contacts, rad, below which both ends are as close.
pub(super) const LEVEL: f64 = 1e-12;

/// Where two bodies are next to each other, in world axes.
///
/// The identity b − a = gap · normal holds to rounding of the coordinates, apart and in overlap.
///
/// | name         | shape  | unit | meaning                                                    |
/// | ------------ | ------ | ---- | ---------------------------------------------------------- |
/// | `a`, `b`     | (D,)   | m    | witness points on the boundaries of A and B                |
/// | `normal`     | (D,)   | –    | unit, from A into B                                        |
/// | `gap`        | scalar | m    | signed distance, positive when apart                       |
/// | `active`     | (2,)   | –    | active inequalities and multipliers of A and of B          |
/// | `uniqueness` | –      | –    | what of this is determined                                 |
/// | `iterations` | scalar | –    | Newton steps of the search; 0 for closed forms             |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoints<const D: usize> {
    /// Point on the boundary of A, m.
    pub a: SVector<f64, D>,
    /// Point on the boundary of B, m.
    pub b: SVector<f64, D>,
    /// Unit normal from A into B.
    pub normal: SVector<f64, D>,
    /// Signed distance, m.
    pub gap: f64,
    /// Active inequalities of A and of B.
    pub active: [ActiveSet; 2],
    /// Whether points and normal are determined.
    pub uniqueness: Uniqueness,
    /// Newton steps taken.
    pub iterations: u32,
}

/// Which parts of [`ClosestPoints`] are determined by the bodies; the gap always is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Uniqueness {
    /// Points and normal are.
    #[default]
    Unique,
    /// The normal is; the points are some of a line or a face of equally close ones, or move along a boundary so flat
    /// that its curvature times the size of the bodies is below 1e-3.
    FreePoints,
    /// In overlap another direction is as deep to rounding; this answer is one of them.
    TiedNormal,
}

/// The inequalities of an intersection that hold with equality at a witness point, with their multipliers.
///
/// Σ lⱼ ∇fⱼ/‖∇fⱼ‖ = n on A and −n on B, lⱼ ≥ 0: CBAT2007 (22) with its signs mended. A body with one smooth boundary
/// has inequality 0 with multiplier 1; the corner of a polygon has its two sides. A ball has none, and a capsule the
/// number of its round end, 0 or 1, or none between them.
///
/// # Examples
/// ```
/// use signorini_geometry::ActiveSet;
/// assert_eq!(ActiveSet::default().iter().count(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ActiveSet {
    indices: [u32; 3],
    multipliers: [f64; 3],
    len: u8,
}

impl ActiveSet {
    const NONE: Self = Self {
        indices: [0; 3],
        multipliers: [0.0; 3],
        len: 0,
    };

    pub(crate) fn new(feature: Feature, multipliers: Multipliers) -> Self {
        let mut set = Self::default();
        for (index, multiplier) in feature.iter().zip(multipliers) {
            let slot = usize::from(set.len);
            set.indices[slot] = u32::try_from(index).expect("features hold u32");
            set.multipliers[slot] = multiplier;
            set.len += 1;
        }
        set
    }

    /// Number of active inequalities.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether none is active.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Index and multiplier of each, by increasing index.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.indices
            .iter()
            .zip(&self.multipliers)
            .take(self.len())
            .map(|(&index, &multiplier)| (index as usize, multiplier))
    }

    pub(crate) fn feature(&self) -> Feature {
        self.iter()
            .fold(Feature::NONE, |all, (index, _)| all.with(index))
    }
}

impl<const D: usize> ClosestPoints<D> {
    /// An answer in closed form, with nothing said of inequalities.
    #[inline]
    pub(crate) fn exact(
        a: SVector<f64, D>,
        b: SVector<f64, D>,
        normal: SVector<f64, D>,
        gap: f64,
    ) -> Self {
        Self {
            a,
            b,
            normal,
            gap,
            active: [ActiveSet::NONE, ActiveSet::NONE],
            uniqueness: Uniqueness::Unique,
            iterations: 0,
        }
    }

    /// Says that the points are free if another contact of the pair has the same normal and gap: they are the ends of a
    /// line of equally close points.
    pub(super) fn free_beside(&mut self, other: &Self) {
        if self.is_level_with(other) {
            self.uniqueness = Uniqueness::FreePoints;
        }
    }

    /// Whether another point has the same normal and gap.
    #[inline]
    pub(super) fn is_level_with(&self, other: &Self) -> bool {
        let apart = (other.a - self.a).norm();
        let level = (other.gap - self.gap).abs() <= LEVEL * apart;
        level && apart > 0.0 && (other.normal - self.normal).amax() <= LEVEL
    }

    /// The same with A and B exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            normal: -self.normal,
            active: [self.active[1], self.active[0]],
            ..*self
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        // No short cut: the compiler tests several at once.
        let finite = |all: bool, x: &f64| all & x.is_finite();
        self.a.iter().fold(self.gap.is_finite(), finite)
            & self.b.iter().fold(true, finite)
            & self.normal.iter().fold(true, finite)
    }
}
