//! Two cores seen from the axes of the first.

use nalgebra::{SMatrix, SVector};

use crate::boundary::{Boundary, Feature, Multipliers, Relation, meeting_features};
use crate::{ClosestPoints, Placed, Pose, direction::direction};

/// Two bounded cores; points and directions are in the axes of A.
pub(crate) struct Pair<'a, const D: usize> {
    pub(crate) a: &'a dyn Boundary<D>,
    pub(crate) b: &'a dyn Boundary<D>,
    /// Axes of B in those of A.
    turn: SMatrix<f64, D, D>,
    /// Origin of B.
    pub(crate) shift: SVector<f64, D>,
    /// Length to which errors are relative, m: the larger extent with its rounding radius.
    pub(crate) size: f64,
    /// Rounding radii of A and B, m.
    pub(crate) radii: [f64; 2],
}

/// A point of B − A and the points that make it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference<const D: usize> {
    pub(crate) a: SVector<f64, D>,
    pub(crate) b: SVector<f64, D>,
}

impl<const D: usize> Difference<D> {
    pub(crate) fn zero() -> Self {
        Self {
            a: SVector::zeros(),
            b: SVector::zeros(),
        }
    }

    pub(crate) fn vector(&self) -> SVector<f64, D> {
        self.b - self.a
    }
}

/// A pair of points and the normal from A to B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<const D: usize> {
    pub(crate) a: SVector<f64, D>,
    pub(crate) b: SVector<f64, D>,
    pub(crate) n: SVector<f64, D>,
}

impl<const D: usize> Touch<D> {
    /// n·(b − a).
    pub(crate) fn distance(&self) -> f64 {
        self.n.dot(&(self.b - self.a))
    }
}

/// A relation along the tangents of its normal; the plane has one, and zeros for the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduced {
    pub(crate) alpha: [[f64; 2]; 2],
    pub(crate) beta: [[f64; 2]; 2],
    pub(crate) rhs: [f64; 2],
    pub(crate) lift: f64,
    pub(crate) error: f64,
}

impl Reduced {
    fn new<const D: usize>(relation: &Relation<D>, basis: &[SVector<f64, D>; 2]) -> Self {
        let [e, f] = basis;
        let along = |matrix: &SMatrix<f64, D, D>| {
            let (by_e, by_f) = (matrix * e, matrix * f);
            [[e.dot(&by_e), e.dot(&by_f)], [f.dot(&by_e), f.dot(&by_f)]]
        };
        Self {
            alpha: along(&relation.alpha),
            beta: along(&relation.beta),
            rhs: [e.dot(&relation.rhs), f.dot(&relation.rhs)],
            lift: relation.lift,
            error: relation.error,
        }
    }
}

impl<'a, const D: usize> Pair<'a, D> {
    /// `None` if one is a half-space.
    pub(crate) fn new(a: &Placed<'a, D>, b: &Placed<'a, D>) -> Option<Self> {
        let (core_a, radius_a) = a.set.core()?;
        let (core_b, radius_b) = b.set.core()?;
        let size = (core_a.extent() + radius_a).max(core_b.extent() + radius_b);
        Some(Self {
            a: core_a,
            b: core_b,
            turn: a.pose.rotation.tr_mul(&b.pose.rotation),
            shift: a.pose.inverse_rotate(&(b.pose.position - a.pose.position)),
            size,
            radii: [radius_a, radius_b],
        })
    }

    /// The point of A furthest along m.
    pub(crate) fn support_a(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        self.a.support(m)
    }

    /// The point of B furthest along m.
    pub(crate) fn support_b(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        self.shift + self.turn * self.b.support(&self.turn.tr_mul(m))
    }

    /// The point of B − A furthest against n: how far B is beyond A along n, at least.
    pub(crate) fn nearest(&self, n: &SVector<f64, D>) -> Difference<D> {
        Difference {
            a: self.support_a(n),
            b: self.support_b(&-n),
        }
    }

    /// How far B is beyond A along n: the gap is the largest of these.
    pub(crate) fn separation(&self, n: &SVector<f64, D>) -> f64 {
        n.dot(&self.nearest(n).vector())
    }

    fn b_body(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.turn.tr_mul(&(x - self.shift))
    }

    /// Where a touch is likely to lie.
    pub(crate) fn features(&self, at: &Touch<D>) -> [Feature; 2] {
        [
            self.a.feature(&at.a, &at.n),
            self.b
                .feature(&self.b_body(&at.b), &-self.turn.tr_mul(&at.n)),
        ]
    }

    /// The features of A and of B that meet where a touch lies; see [`meeting_features`].
    pub(crate) fn meeting(&self, at: &Touch<D>) -> [Vec<Feature>; 2] {
        [
            meeting_features(self.a, &at.a, &at.n),
            meeting_features(self.b, &self.b_body(&at.b), &-self.turn.tr_mul(&at.n)),
        ]
    }

    /// The relations of A and of B along the tangents of n; those of B hold for the turn of −n.
    pub(crate) fn relations(
        &self,
        features: [Feature; 2],
        at: &Touch<D>,
        basis: &[SVector<f64, D>; 2],
    ) -> [Reduced; 2] {
        let a = self.a.relation(features[0], &at.a, &at.n);
        let b = self
            .b
            .relation(features[1], &self.b_body(&at.b), &-self.turn.tr_mul(&at.n));
        let basis_b = [self.turn.tr_mul(&basis[0]), self.turn.tr_mul(&basis[1])];
        [Reduced::new(&a, basis), Reduced::new(&b, &basis_b)]
    }

    /// The features to try instead of those at which a touch was found.
    pub(crate) fn next(
        &self,
        features: [Feature; 2],
        at: &Touch<D>,
        slack: f64,
    ) -> [Option<Feature>; 2] {
        [
            self.a.next(features[0], &at.a, &at.n, slack),
            self.b.next(
                features[1],
                &self.b_body(&at.b),
                &-self.turn.tr_mul(&at.n),
                slack,
            ),
        ]
    }

    /// The larger parts of the boundaries on whose border the points of a touch lie, from its multipliers.
    pub(crate) fn carrying(
        &self,
        features: [Feature; 2],
        factors: [Multipliers; 2],
        at: &Touch<D>,
    ) -> [Feature; 2] {
        let m = -self.turn.tr_mul(&at.n);
        [
            self.a.carrying(features[0], factors[0], &at.n),
            self.b.carrying(features[1], factors[1], &m),
        ]
    }

    /// Multipliers of the active inequalities.
    pub(crate) fn multipliers(&self, features: [Feature; 2], at: &Touch<D>) -> [Multipliers; 2] {
        [
            crate::boundary::multipliers(self.a, features[0], &at.a, &at.n),
            crate::boundary::multipliers(
                self.b,
                features[1],
                &self.b_body(&at.b),
                &-self.turn.tr_mul(&at.n),
            ),
        ]
    }

    /// Whether neither core has edges or corners; a point counts as none.
    pub(crate) fn is_smooth(&self) -> bool {
        let smooth = |core: &dyn Boundary<D>| core.pieces() == 1 || core.extent() == 0.0;
        smooth(self.a) && smooth(self.b)
    }

    /// Direction from the origin of A to that of B, or some direction if they coincide.
    pub(crate) fn centre_line(&self) -> SVector<f64, D> {
        direction(&self.shift).map_or_else(
            || SVector::from_fn(|i, _| if i + 1 == D { 1.0 } else { 0.0 }),
            |(n, _)| n,
        )
    }

    /// Depth of the cores up to which a local optimum is the least translation: a ball of this radius rolls inside
    /// their difference.
    pub(crate) fn rolling_radius(&self) -> f64 {
        self.a.rolling_radius() + self.b.rolling_radius()
    }

    /// Closest points in the axes of A, without the rounding radii.
    pub(crate) fn shrunk(&self, pose: &Pose<D>, at: &ClosestPoints<D>) -> Touch<D> {
        let n = pose.inverse_rotate(&at.normal);
        Touch {
            a: pose.inverse_apply(&at.a) - n * self.radii[0],
            b: pose.inverse_apply(&at.b) + n * self.radii[1],
            n,
        }
    }
}
