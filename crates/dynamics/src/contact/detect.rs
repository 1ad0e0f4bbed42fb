//! Contact detection: broad phase, bounding spheres, manifolds.

use nalgebra::{SMatrix, SVector};
use signorini_complementarity::FIXED;
use signorini_geometry::{
    Bounds, BroadPhase, BroadPhaseError, Groups, Manifold, Placed, Pose, Proxy,
};

use super::{ContactError, ContactId, ContactQuery, Contacts, frame};
use crate::{space::Space, world::World};

/// Buffers of a detection, kept in [`Contacts`] so that repeated queries do not allocate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    planar: Buffers<2>,
    spatial: Buffers<3>,
}

#[derive(Clone, Debug)]
struct Buffers<const D: usize> {
    poses: Vec<Pose<D>>,
    broad: BroadPhase<D>,
    /// Whom the broad phase holds.
    members: Members,
    pairs: Vec<(u32, u32)>,
    manifold: Manifold<D>,
}

/// What decides which pairs there can be, besides the places of the bodies.
#[derive(Clone, Debug, Default, PartialEq)]
struct Members {
    /// Number, groups, and whether it is fixed, of each body with a shape.
    bodies: Vec<(u32, Groups, bool)>,
    excluded: Vec<(u32, u32)>,
}

impl<const D: usize> Default for Buffers<D> {
    fn default() -> Self {
        Self {
            poses: Vec::new(),
            broad: BroadPhase::new(),
            members: Members::default(),
            pairs: Vec::new(),
            manifold: Manifold::new(),
        }
    }
}

impl<const D: usize> Buffers<D> {
    fn pose_all(&mut self, world: &World<D>, q: &[f64]) {
        self.poses.clear();
        self.poses
            .extend((0..world.len()).map(|k| world.pose_at(q, k)));
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
    buffers.pose_all(world, q);
    let result = near_pairs(world, query, &mut buffers)
        .and_then(|()| each_pair(world, &mut buffers, query, out));
    out.scratch.give(buffers);
    if result.is_err() {
        out.reset(D, world.space().dofs());
    }
    result
}

/// Calls `f` for the pairs whose boxes are within the margin at q, by increasing numbers, with the poses of the two bodies.
pub(crate) fn for_each_near_pair<const D: usize>(
    world: &World<D>,
    q: &[f64],
    margin: f64,
    scratch: &mut Scratch,
    mut f: impl FnMut([u32; 2], [&Pose<D>; 2]) -> Result<(), ContactError>,
) -> Result<(), ContactError> {
    world.check_finite(q)?;
    let mut buffers: Buffers<D> = scratch.take();
    buffers.pose_all(world, q);
    let query = ContactQuery {
        margin,
        include: &[],
    };
    let result = near_pairs(world, &query, &mut buffers).and_then(|()| {
        let Buffers { pairs, poses, .. } = &buffers;
        pairs.iter().try_for_each(|&(a, b)| {
            let poses = [a, b].map(|body| &poses[body as usize]);
            f([a, b], poses)
        })
    });
    scratch.give(buffers);
    result
}

/// A computed gap may be this part of a body's radius less than the distance of its box tells.
const SLACK: f64 = 1e-9;

/// Coordinates are rounded to this part of themselves, with a few roundings on the way to a box.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Lists the pairs whose boxes are within the margin, and those of the listed contacts, by increasing numbers.
fn near_pairs<const D: usize>(
    world: &World<D>,
    query: &ContactQuery<'_>,
    buffers: &mut Buffers<D>,
) -> Result<(), ContactError> {
    buffers.pairs.clear();
    let listed = query.include.iter().map(|id| (id.a, id.b));
    buffers
        .pairs
        .extend(listed.filter(|&(a, b)| world.may_touch_at(a, b)));
    if query.margin > f64::NEG_INFINITY {
        place(world, query.margin.max(0.0), buffers).map_err(|error| refused(world, error))?;
        let near = buffers
            .broad
            .pairs()
            .map_err(|error| refused(world, error))?;
        buffers.pairs.extend_from_slice(near);
        buffers.pairs.sort_unstable();
    }
    buffers.pairs.dedup();
    Ok(())
}

/// Brings the broad phase to where the bodies are, each inflated by half the margin.
fn place<const D: usize>(
    world: &World<D>,
    margin: f64,
    buffers: &mut Buffers<D>,
) -> Result<(), BroadPhaseError> {
    let Buffers {
        poses,
        broad,
        members,
        ..
    } = buffers;
    let same = world.members().eq(members.bodies.iter().copied())
        && world.excluded().eq(members.excluded.iter().copied());
    if !same {
        broad.clear();
        members.bodies.clear();
        members.excluded.clear();
    }
    for (body, groups, fixed) in world.members() {
        let (shape, pose) = (world.shape_at(body as usize), poses[body as usize]);
        let placed = Placed::new(shape.expect("members have shapes"), pose);
        let bounds = placed.bounds();
        let radius = placed.set.bounding_radius();
        let offset = match bounds {
            Bounds::HalfSpace { offset, .. } => offset.abs(),
            Bounds::Box(_) => 0.0,
        };
        let rounding = ROUNDING * (pose.position.amax() + offset);
        // A half-space has no radius; what touches it brings the slack.
        let slack = if radius.is_finite() {
            SLACK * radius
        } else {
            0.0
        };
        let reach = 0.5 * margin + slack + rounding;
        if same {
            broad.update(body, bounds, reach)?;
        } else {
            let proxy = Proxy {
                bounds,
                reach,
                groups,
                fixed,
            };
            broad.insert(body, proxy)?;
            members.bodies.push((body, groups, fixed));
        }
    }
    if !same {
        for (a, b) in world.excluded() {
            broad.exclude(a, b)?;
            members.excluded.push((a, b));
        }
    }
    Ok(())
}

/// What the broad phase refuses, by the name of the body.
fn refused<const D: usize>(world: &World<D>, source: BroadPhaseError) -> ContactError {
    let body = source
        .body()
        .map(|k| world.body_name_at(k as usize).to_owned());
    ContactError::BroadPhase { body, source }
}

/// Appends the contacts of all pairs listed.
fn each_pair<const D: usize>(
    world: &World<D>,
    buffers: &mut Buffers<D>,
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    let Buffers {
        poses,
        pairs,
        manifold,
        ..
    } = buffers;
    pairs
        .iter()
        .try_for_each(|&pair| pair_contacts(world, pair, (poses, manifold), query, out))
}

/// Appends the contacts of one pair in the order of their features.
fn pair_contacts<const D: usize>(
    world: &World<D>,
    (index_a, index_b): (u32, u32),
    (poses, manifold): (&[Pose<D>], &mut Manifold<D>),
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    let (a, b) = (index_a as usize, index_b as usize);
    let [shape_a, shape_b] =
        [a, b].map(|k| world.shape_at(k).expect("pairs are of bodies with shapes"));
    let poses = [&poses[a], &poses[b]];
    let included = included(query.include, index_a, index_b);
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
    signorini_geometry::manifold(&placed_a, &placed_b, manifold).map_err(|source| {
        let [a, b] = [a, b].map(|k| world.body_name_at(k).to_owned());
        ContactError::Geometry { a, b, source }
    })?;
    let pair = frame::Pair {
        columns: [a, b].map(|k| world.column_at(k).map_or(FIXED, index)),
        belts: [world.belt_at(a, poses[0]), world.belt_at(b, poses[1])],
        poses,
        material: world.material_at(index_a, index_b),
        point: world.settings().contact_point,
    };
    for point in manifold.points() {
        let id = ContactId {
            a: index_a,
            b: index_b,
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
