//! What a body can look like: one convex set, or a union of them.

use nalgebra::SVector;

use crate::{
    Aabb, Bounds, ConvexSet, MassProperties, Placed, Pose, ShapeError, Union, mass_properties,
    mass_properties_of_density,
};

/// The shape of a body, in its axes: one convex set, or several as one body.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Ball, Pose, Shape, Union};
/// let ball = Ball::<2>::new(1.0)?;
/// let one = Shape::from(ball);
/// let two = Shape::from(Union::new([-2.0, 2.0].map(|x| (ball, Pose::from_position(Vector2::new(x, 0.0)))))?);
/// assert_eq!((one.len(), two.len()), (1, 2));
/// assert_eq!((one.bounding_radius(), two.bounding_radius()), (1.0, 3.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Shape<const D: usize> {
    /// One convex set.
    Convex(ConvexSet<D>),
    /// Several as one body.
    Union(Union<D>),
}

impl<const D: usize> Shape<D> {
    /// The set of a shape that is one.
    pub fn as_convex(&self) -> Option<&ConvexSet<D>> {
        match self {
            Self::Convex(set) => Some(set),
            Self::Union(_) => None,
        }
    }

    /// Number of convex pieces.
    #[expect(clippy::len_without_is_empty, reason = "a shape has a piece")]
    pub fn len(&self) -> usize {
        match self {
            Self::Convex(_) => 1,
            Self::Union(union) => union.pieces().len(),
        }
    }

    /// A piece in its own axes.
    ///
    /// # Panics
    /// If there is no such piece.
    #[track_caller]
    pub fn piece(&self, piece: usize) -> &ConvexSet<D> {
        match self {
            Self::Convex(set) => {
                assert_eq!(piece, 0, "a convex shape has one piece");
                set
            }
            Self::Union(union) => &union.pieces()[piece].set,
        }
    }

    /// A piece of the shape of a body at `pose`.
    ///
    /// # Panics
    /// If there is no such piece.
    #[track_caller]
    pub fn placed(&self, piece: usize, pose: &Pose<D>) -> Placed<'_, D> {
        let set = self.piece(piece);
        match self {
            Self::Convex(_) => Placed::new(set, *pose),
            Self::Union(union) => Placed::new(set, pose.compose(&union.pieces()[piece].pose)),
        }
    }

    /// Outward normal of the one face of a piece that counts, for a body at `pose`; `None` if all of its boundary does.
    pub fn top(&self, piece: usize, pose: &Pose<D>) -> Option<SVector<f64, D>> {
        match self {
            Self::Convex(_) => None,
            Self::Union(union) => union.pieces()[piece].top().map(|top| pose.rotate(top)),
        }
    }

    /// No point is further from the body's origin than this, m; infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Convex(set) => set.bounding_radius(),
            Self::Union(union) => union.bounding_radius(),
        }
    }

    /// Characteristic length: the largest distance between two points, of a union an upper bound, m; infinite for a
    /// half-space.
    pub fn size(&self) -> f64 {
        match self {
            Self::Convex(set) => set.size(),
            Self::Union(union) => union.size(),
        }
    }

    /// Bounds of the body at `pose`, world axes: as tight as can be for few pieces, otherwise around the box of the union.
    pub fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        /// Pieces whose boxes are computed one by one.
        const FEW: usize = 8;
        match self {
            Self::Convex(set) => Placed::new(set, *pose).bounds(),
            Self::Union(union) if union.pieces().len() <= FEW => {
                let boxes = (0..union.pieces().len()).map(|k| self.placed(k, pose).bounds());
                let one = boxes.fold(Aabb::empty(), |all, bounds| match bounds {
                    Bounds::Box(tight) => all.union(&tight),
                    Bounds::HalfSpace { .. } => unreachable!("a union has bounded pieces"),
                });
                Bounds::Box(one)
            }
            Self::Union(union) => Bounds::Box(union.hull().turned(pose)),
        }
    }

    /// The homogeneous body of this total mass, kg.
    ///
    /// # Errors
    /// As [`mass_properties`]; [`ShapeError::OneSided`] for a ground.
    pub fn mass_properties(&self, mass: f64) -> Result<MassProperties<D>, ShapeError> {
        match self {
            Self::Convex(set) => mass_properties(set, mass),
            Self::Union(union) => union.mass_properties(mass),
        }
    }

    /// The homogeneous body of this density, kg/m² in the plane and kg/m³ in space.
    ///
    /// # Errors
    /// As [`Shape::mass_properties`].
    pub fn mass_properties_of_density(
        &self,
        density: f64,
    ) -> Result<MassProperties<D>, ShapeError> {
        match self {
            Self::Convex(set) => mass_properties_of_density(set, density),
            Self::Union(union) => union.mass_properties_of_density(density),
        }
    }
}

impl<const D: usize, S> From<S> for Shape<D>
where
    ConvexSet<D>: From<S>,
{
    fn from(set: S) -> Self {
        Self::Convex(set.into())
    }
}

impl<const D: usize> From<Union<D>> for Shape<D> {
    fn from(union: Union<D>) -> Self {
        Self::Union(union)
    }
}
