//! Contact detection: pairs, bounding spheres, manifolds.

use nalgebra::{SMatrix, SVector};
use signorini_complementarity::FIXED;
use signorini_geometry::{ConvexSet, Manifold, Placed, Pose};

use super::{ContactError, ContactId, ContactQuery, Contacts, frame};
use crate::{space::Space, world::World};

/// Buffers of a detection, kept in [`Contacts`] so that repeated queries do not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    planar: Buffers<2>,
    spatial: Buffers<3>,
}

#[derive(Clone, Debug)]
struct Buffers<const D: usize> {
    poses: Vec<Pose<D>>,
    manifold: Manifold<D>,
}

impl<const D: usize> Default for Buffers<D> {
    fn default() -> Self {
        Self {
            poses: Vec::new(),
            manifold: Manifold::new(),
        }
    }
}

impl Scratch {
    /// The buffers for dimension D, taken out and replaced by empty ones, which costs no allocation.
    fn take<const D: usize>(&mut self) -> Buffers<D> {
        self.slot().map(std::mem::take).unwrap_or_default()
    }

    fn give<const D: usize>(&mut self, buffers: Buffers<D>) {
        if let Some(slot) = self.slot() {
            *slot = buffers;
        }
    }

    fn slot<const D: usize>(&mut self) -> Option<&mut Buffers<D>> {
        let both: [&mut dyn std::any::Any; 2] = [&mut self.planar, &mut self.spatial];
        both.into_iter().find_map(|any| any.downcast_mut())
    }
}

/// Finds the contacts of a world at q; see [`crate::System::contacts`].
pub(crate) fn contacts<const D: usize>(
    world: &World<D>,
    q: &[f64],
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    debug_assert!(
        query.include.is_sorted(),
        "included contacts are sorted by id"
    );
    out.reset(D, world.space().dofs());
    world.check_finite(q)?;
    let mut buffers: Buffers<D> = out.scratch.take();
    buffers.poses.clear();
    buffers
        .poses
        .extend((0..world.len()).map(|k| world.pose_at(q, k)));
    let result = world
        .pairs()
        .try_for_each(|pair| pair_contacts(world, pair, &mut buffers, query, out));
    out.scratch.give(buffers);
    if result.is_err() {
        out.reset(D, world.space().dofs());
    }
    result
}

/// Appends the contacts of one pair in the order of their features.
fn pair_contacts<const D: usize>(
    world: &World<D>,
    pair: [(usize, &ConvexSet<D>); 2],
    buffers: &mut Buffers<D>,
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    let [(a, shape_a), (b, shape_b)] = pair;
    let poses = [&buffers.poses[a], &buffers.poses[b]];
    let included = included(query.include, index(a), index(b));
    // The bounding spheres are further apart than the margin; a half-space has an infinite one.
    let apart = (poses[1].position - poses[0].position).norm()
        - shape_a.bounding_radius()
        - shape_b.bounding_radius();
    if apart > query.margin && included.is_empty() {
        return Ok(());
    }
    let (placed_a, placed_b) = (
        Placed::new(shape_a, *poses[0]),
        Placed::new(shape_b, *poses[1]),
    );
    signorini_geometry::manifold(&placed_a, &placed_b, &mut buffers.manifold).map_err(
        |source| {
            let [a, b] = [a, b].map(|k| world.body_name_at(k).to_owned());
            ContactError::Geometry { a, b, source }
        },
    )?;
    let pair = frame::Pair {
        columns: [a, b].map(|k| world.column_at(k).map_or(FIXED, index)),
        poses,
        material: world.material_at(index(a), index(b)),
        point: world.settings().contact_point,
    };
    for point in buffers.manifold.points() {
        let id = ContactId {
            a: index(a),
            b: index(b),
            feature: point.feature,
        };
        if point.closest.gap <= query.margin || included.binary_search(&id).is_ok() {
            frame::push(world.space(), id, &pair, &point.closest, out);
        }
    }
    Ok(())
}

/// The listed contacts of one pair.
fn included(list: &[ContactId], a: u32, b: u32) -> &[ContactId] {
    let start = list.partition_point(|id| (id.a, id.b) < (a, b));
    let count = list[start..].partition_point(|id| (id.a, id.b) == (a, b));
    &list[start..start + count]
}

fn index(body: usize) -> u32 {
    u32::try_from(body).expect("World::add refuses more bodies than u32 can count")
}

/// Pose from the coordinates of one body.
pub(crate) fn pose<const D: usize>(space: &dyn Space, q: &[f64]) -> Pose<D> {
    let mut rotation = [0.0; 9];
    space.rotation(q, &mut rotation[..D * D]);
    Pose {
        rotation: SMatrix::from_row_slice(&rotation[..D * D]),
        position: SVector::from_column_slice(&q[..D]),
    }
}
