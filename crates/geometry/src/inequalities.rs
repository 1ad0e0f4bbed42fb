//! A set as smooth inequalities and a rounding radius, for those who write optimality conditions of their own.

use nalgebra::SVector;

use crate::{
    ActiveSet, ConvexSet, Jet,
    boundary::{Boundary, multipliers},
};

/// What a set is made of: { x + y : fⱼ(x) ≤ 0 for all j, |y| ≤ r }.
impl<const D: usize> ConvexSet<D> {
    /// Number of inequalities fⱼ ≤ 0; one for a set with a single surface, whose [`ConvexSet::rounding`] may be in it.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector2;
    /// use signorini_geometry::{Ball, ConvexSet, Polygon};
    /// let square = ConvexSet::from(Polygon::rounded([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]], 0.1)?);
    /// assert_eq!((square.inequalities(), square.rounding()), (4, 0.1));
    /// let heights = (0..4).map(|j| square.inequality(j, &Vector2::new(1.5, 0.0)).value);
    /// assert_eq!(heights.fold(f64::NEG_INFINITY, f64::max), 0.5);
    /// let ball = ConvexSet::<2>::from(Ball::new(0.5)?);
    /// assert_eq!((ball.inequalities(), ball.rounding()), (1, 0.0));
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn inequalities(&self) -> usize {
        self.pieces().map_or(1, |(core, _)| core.pieces())
    }

    /// fⱼ with its derivatives at a point in body axes.
    ///
    /// # Panics
    /// If there is no such inequality.
    #[track_caller]
    pub fn inequality(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        assert!(index < self.inequalities(), "inequality {index}");
        match self.pieces() {
            Some((core, _)) => core.piece(index, x),
            None => self.as_surface().jet(x),
        }
    }

    /// Rounding radius r of the set of the inequalities, m.
    pub fn rounding(&self) -> f64 {
        self.pieces().map_or(0.0, |(_, radius)| radius)
    }

    /// The inequalities active at a boundary point of { fⱼ ≤ 0 } with outward unit normal m, body axes, and the multipliers
    /// with which their normals make m.
    pub fn active_at(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> ActiveSet {
        let Some((core, _)) = self.pieces() else {
            return ActiveSet::default();
        };
        let feature = core.feature(x, m);
        ActiveSet::new(feature, multipliers(core, feature, x, m))
    }

    /// The core, if it is given by inequalities: points and segments, which are not, are one surface with their radius.
    fn pieces(&self) -> Option<(&dyn Boundary<D>, f64)> {
        self.core().filter(|(core, _)| core.pieces() > 0)
    }
}
