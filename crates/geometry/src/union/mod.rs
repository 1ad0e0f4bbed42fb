//! Bodies that are not convex: unions of convex pieces, each at its pose.
//!
//! ```math
//! S = \bigcup_k \left( R_k P_k + p_k \right)
//! ```
//!
//! # Method
//! Every piece touches other bodies as a convex set does, by the closest points of the two. What makes the pieces one body
//! is [`Seams`]: contacts with faces that lie inside of the union, and with edges that are none, are left out.
//!
//! # Guarantees and limits
//! Mass properties are those of the pieces together: pieces may touch but where two overlap the overlap counts twice.

mod cone;
#[cfg(feature = "serde")]
mod data;
mod seam;
mod surroundings;
mod tree;
mod way_out;

use std::sync::Arc;

use nalgebra::{SMatrix, SVector};

pub use seam::{Exposure, Seams};
pub use surroundings::Surroundings;
pub use way_out::ways_through;

use self::tree::Tree;
use crate::shapes::finite;
use crate::{Aabb, Bounds, ConvexSet, Placed, Pose, ShapeError};

/// A convex piece of a body that is not convex.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "data::PieceData<D>", into = "data::PieceData<D>")
)]
pub struct Piece<const D: usize> {
    /// The set in its own axes.
    pub set: ConvexSet<D>,
    /// Its axes to those of the union.
    pub pose: Pose<D>,
    /// Outward normal of the one face that counts, axes of the union; `None` if all of the boundary does.
    top: Option<SVector<f64, D>>,
}

/// A union of convex pieces in the axes of the body. Cloning shares the pieces.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Polytope, Pose, Union};
/// let (foot, stem) = (Polytope::cuboid(2.0, 2.0, 1.0)?, Polytope::cuboid(1.0, 1.0, 3.0)?);
/// let at = |z| Pose::from_position(Vector3::new(0.0, 0.0, z));
/// let union = Union::new([(foot, at(0.5)), (stem, at(2.5))])?;
/// let mass = union.mass_properties_of_density(1.0)?;
/// assert!((mass.mass - 7.0).abs() < 1e-14 && (mass.centroid.z - (4.0 * 0.5 + 3.0 * 2.5) / 7.0).abs() < 1e-14);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "data::UnionData<D>", into = "data::UnionData<D>")
)]
pub struct Union<const D: usize> {
    data: Arc<Data<D>>,
}

#[derive(Debug)]
struct Data<const D: usize> {
    pieces: Vec<Piece<D>>,
    tree: Tree<D>,
    bounding_radius: f64,
    size: f64,
}

impl<const D: usize> PartialEq for Union<D> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data) || self.data.pieces == other.data.pieces
    }
}

/// Largest entry of RᵀR − I for a matrix that counts as a rotation: numbers typed with ten digits.
const ORTHONORMAL: f64 = 1e-9;

impl<const D: usize> Union<D> {
    /// The union of these sets, each at its pose.
    ///
    /// # Errors
    /// [`ShapeError::NoPieces`]; [`ShapeError::Unbounded`] for a half-space; [`ShapeError::NotFinite`] and
    /// [`ShapeError::NotRotation`] for a pose.
    pub fn new<S: Into<ConvexSet<D>>>(
        pieces: impl IntoIterator<Item = (S, Pose<D>)>,
    ) -> Result<Self, ShapeError> {
        let pieces = pieces.into_iter().map(|(set, pose)| Piece {
            set: set.into(),
            pose,
            top: None,
        });
        Self::build(pieces.collect())
    }

    pub(crate) fn build(pieces: Vec<Piece<D>>) -> Result<Self, ShapeError> {
        if pieces.is_empty() {
            return Err(ShapeError::NoPieces);
        }
        let mut boxes = Vec::with_capacity(pieces.len());
        for (index, Piece { set, pose, .. }) in pieces.iter().enumerate() {
            for &x in pose.rotation.iter().chain(&pose.position) {
                finite("the pose of a piece", x)?;
            }
            let off = pose.rotation.tr_mul(&pose.rotation) - SMatrix::identity();
            if off.amax() > ORTHONORMAL || determinant(&pose.rotation) < 0.0 {
                return Err(ShapeError::NotRotation { index });
            }
            match Placed::new(set, *pose).bounds() {
                Bounds::Box(tight) => boxes.push(tight),
                Bounds::HalfSpace { .. } => {
                    return Err(ShapeError::Unbounded { kind: set.kind() });
                }
            }
        }
        let reach = |(piece, tight): (&Piece<D>, &Aabb<D>)| {
            let corner = tight.lower.abs().sup(&tight.upper.abs()).norm();
            corner.min(piece.pose.position.norm() + piece.set.bounding_radius())
        };
        let bounding_radius = pieces.iter().zip(&boxes).map(reach).fold(0.0, f64::max);
        let tree = Tree::new(boxes.into_iter());
        let hull = *tree.hull().expect("there are pieces");
        let size = (hull.upper - hull.lower).norm().min(2.0 * bounding_radius);
        let data = Data {
            pieces,
            tree,
            bounding_radius,
            size,
        };
        Ok(Self {
            data: Arc::new(data),
        })
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Piece<D>] {
        &self.data.pieces
    }

    /// The same body in other axes: piece poses after `pose`.
    ///
    /// # Panics
    /// If `pose` is not finite or no rotation.
    #[must_use]
    pub fn moved(&self, pose: &Pose<D>) -> Self {
        let pieces = self.pieces().iter().map(|piece| Piece {
            set: piece.set.clone(),
            pose: pose.compose(&piece.pose),
            top: piece.top.map(|top| pose.rotate(&top)),
        });
        Self::build(pieces.collect()).expect("pieces that were checked are still sound")
    }

    /// No point is further from the body's origin than this, m.
    pub fn bounding_radius(&self) -> f64 {
        self.data.bounding_radius
    }

    /// No two points are further apart than this, m.
    pub fn size(&self) -> f64 {
        self.data.size
    }

    /// A box around the union in its own axes.
    ///
    /// # Panics
    /// Never: a union has a piece.
    pub fn hull(&self) -> &Aabb<D> {
        self.data.tree.hull().expect("there are pieces")
    }

    /// Calls `f` with the numbers of the pieces whose boxes overlap `place`, in the axes of the union and in no particular
    /// order.
    pub fn pieces_near(&self, place: &Aabb<D>, f: &mut dyn FnMut(u32)) {
        self.data.tree.over(place, f);
    }
}

impl<const D: usize> Piece<D> {
    /// A piece of which one face counts, that with this outward normal (axes of the union).
    pub(crate) fn one_sided(set: ConvexSet<D>, top: SVector<f64, D>) -> Self {
        Self {
            set,
            pose: Pose::identity(),
            top: Some(top),
        }
    }

    /// Outward normal of the one face that counts, axes of the union; `None` if all of the boundary does.
    pub fn top(&self) -> Option<&SVector<f64, D>> {
        self.top.as_ref()
    }
}

/// Determinant of a matrix of the plane or of space.
fn determinant<const D: usize>(m: &SMatrix<f64, D, D>) -> f64 {
    if D == 2 {
        return m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)];
    }
    m.column(0).cross(&m.column(1)).dot(&m.column(2))
}
