//! Single closest points at the end of a step, judged by the pieces around them.

use nalgebra::SVector;
use signorini_geometry::{ClosestPoints, Exposure, Placed, Surroundings};

use super::{ContactId, Judge, SAME, Scene};

/// Closest points of two pieces, or of a piece and the plane of a face of the other one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touching<const D: usize> {
    pub(crate) id: ContactId,
    pub(crate) closest: ClosestPoints<D>,
    /// The side of which only the plane of a face is felt.
    pub(crate) plane: Option<usize>,
}

/// What such points are for the whole bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Touch<const D: usize> {
    /// They have this normal there.
    Counts,
    /// They are not of the surface of the body on this side, but there is a face of the piece with this outward normal.
    Face {
        side: usize,
        normal: SVector<f64, D>,
    },
    /// The point of the plane is on a face of these pieces.
    Pieces(ContactId),
    /// They are not of the surface of the bodies.
    Hidden,
}

impl<'a, const D: usize> Scene<'a, D> {
    /// Judges points that no overlap surrounds, after [`Scene::measure`].
    pub(crate) fn touch(&self, found: &Touching<D>, buffers: &mut Judge<D>) -> Touch<D> {
        buffers.depth = 0.0;
        let Touching { id, closest, plane } = found;
        let mut of = *id;
        for side in 0..2 {
            if !self.may_have_seams([id.a, id.b][side]) {
                continue;
            }
            let (point, outward) = match side {
                0 => (closest.a, closest.normal),
                _ => (closest.b, -closest.normal),
            };
            if *plane == Some(side) {
                match self.piece_at(*id, side, (&point, &outward), buffers) {
                    Some(pieces) => of = pieces,
                    None => return Touch::Hidden,
                }
                continue;
            }
            let mut here = self.surroundings(*id, side, buffers);
            // All sides of a slab under a triangle are solid.
            here.top = None;
            let point = here.on_the_edge(&point, &outward);
            if !self.collect(*id, side, (&point, self.near(*id, &here)), buffers) {
                continue;
            }
            let Judge { others, seams, .. } = &mut *buffers;
            let others = others.iter().map(|&(body, piece)| self.placed(body, piece));
            if seams.exposure(&here, others, &point, &outward) != Exposure::Hidden {
                continue;
            }
            return match seams.nearest_face(&outward) {
                Some(normal) if plane.is_none() => Touch::Face { side, normal },
                _ => Touch::Hidden,
            };
        }
        if plane.is_some() {
            Touch::Pieces(of)
        } else {
            Touch::Counts
        }
    }

    /// How far around a point other pieces are looked for, m.
    fn near(&self, id: ContactId, here: &Surroundings<'_, D>) -> f64 {
        here.reach.max(SAME * self.size(id))
    }

    /// The contact with the piece that has a point of the plane of one on a face of its own that is exposed.
    fn piece_at(
        &self,
        id: ContactId,
        side: usize,
        (point, outward): (&SVector<f64, D>, &SVector<f64, D>),
        buffers: &mut Judge<D>,
    ) -> Option<ContactId> {
        let mut here = self.surroundings(id, side, buffers);
        here.top = None;
        self.collect(id, side, (point, self.near(id, &here)), buffers);
        let [own, other] = match side {
            0 => [id.a, id.b],
            _ => [id.b, id.a],
        };
        let Judge { others, seams, .. } = &mut *buffers;
        // The piece itself first.
        others.insert(0, (own, id.pieces[side]));
        let placed = |one: &(u32, u32)| -> Placed<'a, D> { self.placed(one.0, one.1) };
        let found = others.iter().find(|&one| {
            let here = Surroundings {
                own: placed(one),
                ..here
            };
            let rest = others.iter().filter(|&rest| rest != one).map(placed);
            here.has_face(point, outward)
                && seams.exposure(&here, rest, point, outward) != Exposure::Hidden
        });
        let &(body, piece) = found?;
        let mut pieces = id.pieces;
        pieces[side] = piece;
        let is_in_order = (body < other) == (side == 0);
        let [a, b] = if body < other {
            [body, other]
        } else {
            [other, body]
        };
        if !is_in_order {
            pieces.reverse();
        }
        Some(ContactId { a, b, pieces, ..id })
    }
}
