//! Bodies whose middle is in a ground: they go out through the face above it, however deep they are.
//!
//! # Method
//! Such a body touches the half-space below the nearest face of the surface (`signorini_geometry::Union::piece_above`)
//! instead of the pieces around it, so that it has the contacts that it has with a floor, and goes out along one normal.

use nalgebra::SVector;
use signorini_geometry::{ConvexSet, Manifold, Placed, Shape, manifold};

use super::narrow::{Found, Scene};
use super::{ContactError, ContactId, ContactQuery};

/// Features of such contacts begin here, above all that pairs have themselves.
const IN_GROUND: u32 = 1 << 30;

/// Where the features of a half-space end, and others begin.
const END: u32 = 1 << 31;

/// Whether a contact is with the half-space below a face of a ground.
pub(super) fn is_in_ground(id: ContactId) -> bool {
    (IN_GROUND..END).contains(&id.feature)
}

impl<const D: usize> Scene<'_, D> {
    /// The pieces of a body that are in a ground, with the piece of the ground above each, in the order of the bodies; which of
    /// the two is in the ground.
    pub(super) fn in_ground(&self, a: u32, b: u32, out: &mut Vec<[u32; 2]>) -> usize {
        out.clear();
        let mut inside = 0;
        for side in 0..2 {
            let [ground, other] = if side == 0 { [a, b] } else { [b, a] };
            let Shape::Union(union) = self.shape(ground) else {
                continue;
            };
            if !union.is_ground() {
                continue;
            }
            inside = 1 - side;
            for piece in 0..self.shape(other).len() {
                let piece = u32::try_from(piece).expect("pieces are fewer than u32 counts");
                let middle = middle(&self.placed(other, piece));
                let above = middle.and_then(|x| {
                    let x = self.pose(ground).inverse_apply(&x);
                    union.piece_above(&x)
                });
                if let Some(above) = above {
                    let mut pair = [piece; 2];
                    pair[side] = above;
                    out.push(pair);
                }
            }
        }
        inside
    }

    /// Hands the contacts of a piece with the half-space below a face of a ground to `list`, those that are asked for.
    pub(super) fn over_face(
        &self,
        of: ContactId,
        query: &ContactQuery<'_>,
        buffer: &mut Manifold<D>,
        list: &mut dyn FnMut(Found<D>),
    ) -> Result<(), ContactError> {
        let bodies = [of.a, of.b];
        let half = |s: usize| match self.shape(bodies[s]) {
            Shape::Union(union) => union.below(of.pieces[s] as usize),
            Shape::Convex(_) => None,
        };
        let (side, half) = match (half(0), half(1)) {
            (Some(half), _) => (0, ConvexSet::from(half)),
            (None, Some(half)) => (1, ConvexSet::from(half)),
            (None, None) => return Ok(()),
        };
        let mut placed = [0, 1].map(|s| self.placed(bodies[s], of.pieces[s]));
        placed[side] = Placed::new(&half, *self.pose(bodies[side]));
        let result = manifold(&placed[0], &placed[1], buffer);
        result.map_err(|source| self.refused(of, source))?;
        for point in buffer.points() {
            let feature = IN_GROUND | point.feature;
            let id = ContactId { feature, ..of };
            if point.closest.gap <= query.margin || query.include.binary_search(&id).is_ok() {
                let closest = point.closest;
                list(Found { id, closest });
            }
        }
        Ok(())
    }
}

/// A point inside of a bounded set: the middle of its extreme points along the axes.
fn middle<const D: usize>(placed: &Placed<'_, D>) -> Option<SVector<f64, D>> {
    let mut sum = SVector::zeros();
    for axis in 0..D {
        let along = SVector::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 });
        sum += placed.support(&along)? + placed.support(&-along)?;
    }
    Some(sum / (2 * D) as f64)
}
