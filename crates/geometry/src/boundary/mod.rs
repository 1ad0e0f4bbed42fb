//! The boundary of a convex core near a point, as the closest-point search sees it.
//!
//! ```math
//! \alpha\, t + \beta\, \delta m = r, \qquad t, \delta m \perp m
//! ```
//!
//! # Method
//! A core is bounded by features: faces where one inequality is active, edges where two are, corners. While a
//! point moves by t along its feature and the outward normal m turns by δm, a first-order relation holds between
//! the two. On a face it is K t − δm = r with the shape operator K; on a corner t = 0; on an edge the first along it and
//! the second across. Surfaces whose K is unbounded but whose support function is smooth use t − H δm = r with
//! the Hessian H of the support function. The search knows nothing else of a shape, so every pair is one algorithm.
//!
//! # References
//! - N. Chakraborty, J. Peng, S. Akella, J. Mitchell, Proximity queries between convex objects: an interior point
//!   approach for implicit surfaces, IEEE Trans. Robotics 24 (2008) 211–220, doi 10.1109/TRO.2007.914851.

#[cfg(test)]
pub(crate) mod check;
mod flat;
mod pieces;

pub(crate) use flat::{Flat, flat};
pub(crate) use pieces::{
    Multipliers, NOTHING, carrying, decompose, first_feature, least_move, meeting_features,
    multipliers, next_feature, relation_of_pieces,
};

use nalgebra::{SMatrix, SVector};

use crate::Jet;

/// A bounded convex core in its own axes, with everything the search asks of it. What is provided is that of a core with
/// one smooth boundary, f ≤ 0.
pub(crate) trait Boundary<const D: usize> {
    /// A point of the core that is furthest along `m`, which has any positive length.
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D>;

    /// A length of the order of the core's largest extent, m; zero for a point.
    fn extent(&self) -> f64;

    /// A lower bound of all radii of curvature of the boundary, m: a ball of this radius rolls inside.
    /// Zero where there are edges.
    fn rolling_radius(&self) -> f64 {
        0.0
    }

    /// The feature on which a point x near the boundary with outward unit normal m is likely to lie.
    fn feature(&self, _x: &SVector<f64, D>, _m: &SVector<f64, D>) -> Feature {
        Feature::face(0)
    }

    /// The relation between moves and turns at x on a feature, with what is missing at (x, m).
    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D>;

    /// The feature to try instead, if x is not inside this one or m not among its normals by more than `slack`,
    /// relative to the extent and in radians.
    fn next(
        &self,
        _feature: Feature,
        _x: &SVector<f64, D>,
        _m: &SVector<f64, D>,
        _slack: f64,
    ) -> Option<Feature> {
        None
    }

    /// The feature without what carries none of the normal m, which these `factors` of its inequalities make: the larger
    /// part of the boundary on whose border the point lies.
    fn carrying(&self, feature: Feature, factors: Multipliers, _m: &SVector<f64, D>) -> Feature {
        carrying(feature, factors)
    }

    /// Number of inequalities f ≤ 0 that make the core.
    fn pieces(&self) -> usize {
        1
    }

    /// The ends of a core that is a segment.
    fn ends(&self) -> Option<[SVector<f64, D>; 2]> {
        None
    }

    /// The flat part that faces m, where a core knows it without a search; there may be none.
    #[expect(
        clippy::option_option,
        reason = "not known and known to be none are different answers"
    )]
    fn facing(&self, _m: &SVector<f64, D>) -> Option<Option<Flat<D>>> {
        None
    }

    /// One of them with its derivatives, at x.
    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D>;
}

/// The inequalities that are active on a feature, in increasing order; at most three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    pieces: [u32; 3],
    len: u8,
}

impl Feature {
    /// No inequality: a core that is a point.
    pub(crate) const NONE: Self = Self {
        pieces: [0; 3],
        len: 0,
    };

    /// One inequality.
    pub(crate) fn face(piece: usize) -> Self {
        Self::NONE.with(piece)
    }

    /// The indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let pieces = self.pieces;
        (0..usize::from(self.len)).map(move |i| pieces[i] as usize)
    }

    pub(crate) fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub(crate) fn contains(&self, piece: usize) -> bool {
        self.iter().any(|own| own == piece)
    }

    /// One more; a feature of three stays as it is.
    #[must_use]
    pub(crate) fn with(mut self, piece: usize) -> Self {
        if self.contains(piece) || self.len == 3 {
            return self;
        }
        let piece = u32::try_from(piece).expect("a set has far fewer than 2³² inequalities");
        let mut place = self.len();
        while place > 0 && self.pieces[place - 1] > piece {
            self.pieces[place] = self.pieces[place - 1];
            place -= 1;
        }
        self.pieces[place] = piece;
        self.len += 1;
        self
    }

    /// One less.
    #[must_use]
    pub(crate) fn without(self, piece: usize) -> Self {
        self.iter()
            .filter(|&own| own != piece)
            .fold(Self::NONE, Self::with)
    }
}

/// α t + β δm = `rhs` for the move t of the point and the turn δm of the outward normal m, both across m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation<const D: usize> {
    /// α.
    pub(crate) alpha: SMatrix<f64, D, D>,
    /// β.
    pub(crate) beta: SMatrix<f64, D, D>,
    /// What is missing.
    pub(crate) rhs: SVector<f64, D>,
    /// Move along m that brings the point back to the boundary, m.
    pub(crate) lift: f64,
    /// How far (x, m) is from a boundary point with its normal, m: the move of x, or the turn of m times the extent,
    /// that would make it one, whichever is less.
    pub(crate) error: f64,
}

impl<const D: usize> Relation<D> {
    /// A face with normal `outward` and shape operator K at a point that is `height` off it:
    /// K t − δm = m − `outward`, across m.
    pub(crate) fn face(jet: &Jet<D>, m: &SVector<f64, D>, extent: f64) -> Self {
        let slope = jet.gradient.norm();
        let outward = jet.gradient / slope;
        let height = jet.value / slope;
        let across = SMatrix::identity() - m * m.transpose();
        let alpha = across * (jet.hessian / slope) * across;
        let missing = m * m.dot(&outward) - outward;
        // In each direction the normal is mended by a turn of m or by a move of x, whichever is less.
        let mended = (SMatrix::identity() + alpha * extent).try_inverse();
        let turn = match mended {
            Some(mended) if m.dot(&outward) > 0.0 => (mended * missing).norm(),
            _ => 2.0,
        };
        // The lift turns the normal too.
        let turned = across * (jet.hessian * m) * (height / slope);
        Self {
            alpha,
            beta: -across,
            rhs: missing + turned,
            lift: -height,
            error: height.abs() + turn * extent,
        }
    }

    /// A boundary given by its support function: s is the support point of m, H the Hessian of the support function
    /// there: t − H δm = s − x, across m.
    pub(crate) fn smooth(
        support: &SVector<f64, D>,
        hessian: &SMatrix<f64, D, D>,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
    ) -> Self {
        let across = SMatrix::identity() - m * m.transpose();
        let off = support - x;
        let lift = m.dot(&off);
        let rhs = off - m * lift;
        Self {
            alpha: across,
            beta: -hessian,
            rhs,
            lift,
            error: off.norm(),
        }
    }

    /// A corner at `corner`: t = corner − x, for every turn.
    pub(crate) fn corner(
        corner: &SVector<f64, D>,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
    ) -> Self {
        Self::smooth(corner, &SMatrix::zeros(), x, m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_stay_sorted_and_small() {
        let edge = Feature::face(7).with(2);
        assert_eq!(edge.iter().collect::<Vec<_>>(), [2, 7]);
        let corner = edge.with(5).with(9);
        assert_eq!(corner.iter().collect::<Vec<_>>(), [2, 5, 7]);
        assert_eq!(corner.without(5), edge);
        assert_eq!(edge.with(2), edge);
    }
}
