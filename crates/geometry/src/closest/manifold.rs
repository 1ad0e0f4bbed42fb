//! The contact points of one pair.

use super::answer::LEVEL;
use super::{ClosestPoints, Uniqueness};

/// A contact point and the features that make it.
///
/// | pair                    | `feature`                                                        |
/// | ----------------------- | ---------------------------------------------------------------- |
/// | half-space, any core    | vertex of the core: 0 for a ball, 0 and 1 for the ends +l and −l of a capsule, i for vertex i of a polygon |
/// | ball, anything else     | 0                                                                |
/// | capsule and polygon pairs | 2 i for vertex i of A, 2 j + 1 for vertex j of B               |
/// | capsules in space       | also 4 where the lines cross away from the ends                  |
/// | other pairs             | 0 for closest points that bound no patch; otherwise the owner (1: A, 2: B, 3: both, times 2²⁴) with the names of the vertices that bound the patch |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint<const D: usize> {
    /// Identity of the point within its pair; it stays while the same features face each other.
    pub feature: u32,
    /// Witness points, normal and gap of this point.
    pub closest: ClosestPoints<D>,
}

/// The contact points of one pair, sorted by feature; a buffer to be used again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifold<const D: usize> {
    points: Vec<ManifoldPoint<D>>,
    /// Feature of the closest points, while there are points.
    closest: u32,
}

impl<const D: usize> Manifold<D> {
    /// No points yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The points, sorted by feature, no feature twice.
    pub fn points(&self) -> &[ManifoldPoint<D>] {
        &self.points
    }

    /// Forgets the points and keeps the memory.
    pub fn clear(&mut self) {
        self.points.clear();
    }

    /// The closest points of the pair; `None` if there are no points. No other point has a gap that is less by more
    /// than rounding.
    pub fn deepest(&self) -> Option<&ManifoldPoint<D>> {
        self.points
            .iter()
            .find(|point| point.feature == self.closest)
    }

    /// Adds a point; the closest one comes first.
    pub(super) fn push(&mut self, point: ManifoldPoint<D>) {
        match self.points.first_mut() {
            None => self.closest = point.feature,
            Some(first) => first.closest.free_beside(&point.closest),
        }
        self.points.push(point);
    }

    /// Adds the only point.
    #[inline]
    pub(super) fn push_alone(&mut self, point: ManifoldPoint<D>) {
        self.closest = point.feature;
        self.points.push(point);
    }

    /// Adds a point; [`Manifold::settle`] ends this.
    #[inline]
    pub(super) fn push_sorted(&mut self, point: ManifoldPoint<D>) {
        self.points.push(point);
    }

    /// Adds points; [`Manifold::settle`] ends this.
    #[inline]
    pub(super) fn extend_sorted(&mut self, points: impl Iterator<Item = ManifoldPoint<D>>) {
        self.points.extend(points);
    }

    /// Puts another point at an index, which may be the end.
    pub(super) fn replace(&mut self, index: usize, point: ManifoldPoint<D>) {
        match self.points.get_mut(index) {
            Some(known) => *known = point,
            None => self.points.push(point),
        }
    }

    /// Ends what [`Manifold::push_sorted`] began with points that need not be in order: which points are the closest, and what
    /// of them is determined. No two points of A are further apart than `span` (m).
    #[inline]
    pub(super) fn settle(&mut self, closest: usize, uniqueness: Uniqueness, span: f64) {
        self.settle_in_order(closest, uniqueness, span);
        if !self.points.is_sorted_by_key(|point| point.feature) {
            self.points.sort_by_key(|point| point.feature);
        }
    }

    /// The same of points that are in order.
    #[inline]
    pub(super) fn settle_in_order(&mut self, closest: usize, uniqueness: Uniqueness, span: f64) {
        let first = &self.points[closest];
        self.closest = first.feature;
        // Most are not level with the first, which their gaps say. A point is not level with itself.
        let (gap, level) = (first.closest.gap, LEVEL * span);
        let is_level = |other: &ManifoldPoint<D>| {
            (other.closest.gap - gap).abs() <= level && first.closest.is_level_with(&other.closest)
        };
        let is_free = uniqueness == Uniqueness::FreePoints || self.points.iter().any(is_level);
        self.points[closest].closest.uniqueness = uniqueness;
        if is_free {
            let mut first = self.points[closest].closest;
            first.uniqueness = Uniqueness::FreePoints;
            for other in &mut self.points {
                other.closest.free_beside(&first);
            }
            self.points[closest].closest = first;
        }
    }

    /// Sorts the points; those that are as close as the closest are as free as it is.
    pub(super) fn sort(&mut self) {
        if let Some((first, rest)) = self.points.split_first_mut()
            && first.closest.uniqueness == Uniqueness::FreePoints
        {
            for point in rest {
                point.closest.free_beside(&first.closest);
            }
        }
        self.points.sort_by_key(|point| point.feature);
    }
}
