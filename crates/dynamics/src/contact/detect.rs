//! Contact detection: poses, broad phase, and the narrow phase of what is near.

use nalgebra::{SMatrix, SVector};
use signorini_geometry::{Bounds, BroadPhase, BroadPhaseError, Groups, Placed, Pose, Proxy};

use super::{ContactError, ContactId, ContactQuery, Contacts, OtherEnd, Touch, Touching, narrow};
use crate::{space::Space, world::World};

/// Buffers of a detection, kept in [`Contacts`] so that repeated queries do not allocate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    planar: Buffers<2>,
    spatial: Buffers<3>,
}

#[derive(Clone, Debug)]
pub(super) struct Buffers<const D: usize> {
    pub(super) poses: Vec<Pose<D>>,
    /// Where the bodies are at the other end of the step, if there is one.
    pub(super) others: Vec<Pose<D>>,
    broad: BroadPhase<D>,
    /// Whom the broad phase holds.
    members: Members,
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) narrow: narrow::Buffers<D>,
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
            others: Vec::new(),
            broad: BroadPhase::new(),
            members: Members::default(),
            pairs: Vec::new(),
            narrow: narrow::Buffers::default(),
        }
    }
}

impl<const D: usize> Buffers<D> {
    fn pose_all(&mut self, world: &World<D>, q: &[f64], other: Option<OtherEnd<'_>>) {
        let bodies = 0..world.len();
        self.poses.clear();
        self.poses
            .extend(bodies.clone().map(|k| world.pose_at(q, k)));
        self.others.clear();
        if let Some(other) = other {
            self.others
                .extend(bodies.map(|k| world.pose_at(other.q(), k)));
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

/// Finds the contacts of a world at q; see [`crate::System::contacts`] and [`crate::System::contacts_of_step`].
pub(crate) fn contacts<const D: usize>(
    world: &World<D>,
    (q, other): (&[f64], Option<OtherEnd<'_>>),
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    debug_assert!(
        query.include.is_sorted(),
        "included contacts are sorted by id"
    );
    out.reset(D, world.space().dofs());
    world.check_finite(q)?;
    if let Some(other) = other {
        world.check_finite(other.q())?;
    }
    let mut buffers: Buffers<D> = out.scratch.take();
    buffers.pose_all(world, q, other);
    let result = near_pairs(world, &narrow::widened(world, query), &mut buffers)
        .and_then(|()| narrow::each_pair(world, (&mut buffers, other), query, out));
    out.scratch.give(buffers);
    if result.is_err() {
        out.reset(D, world.space().dofs());
    }
    result
}

/// Calls `f` for the pairs of pieces whose boxes are within the margin at q, by increasing numbers.
pub(crate) fn for_each_near_pair<const D: usize>(
    world: &World<D>,
    q: &[f64],
    margin: f64,
    scratch: &mut Scratch,
    mut f: impl FnMut(ContactId, [&Placed<'_, D>; 2]) -> Result<(), ContactError>,
) -> Result<(), ContactError> {
    world.check_finite(q)?;
    let mut buffers: Buffers<D> = scratch.take();
    buffers.pose_all(world, q, None);
    let query = ContactQuery {
        margin,
        include: &[],
    };
    let result = near_pairs(world, &query, &mut buffers)
        .and_then(|()| narrow::for_each_piece_pair(world, &mut buffers, &query, &mut f));
    scratch.give(buffers);
    result
}

/// What closest points at q are for the whole bodies, one after the other.
pub(crate) fn touches<const D: usize>(
    world: &World<D>,
    q: &[f64],
    all: &[Touching<D>],
    scratch: &mut Scratch,
) -> Vec<Touch<D>> {
    let mut buffers: Buffers<D> = scratch.take();
    buffers.pose_all(world, q, None);
    let mut out = Vec::with_capacity(all.len());
    narrow::touches(world, &mut buffers, all, &mut out);
    scratch.give(buffers);
    out
}

/// A computed gap may be this part of a body's radius less than the distance of its box tells.
pub(super) const SLACK: f64 = 1e-9;

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
        let shape = shape.expect("members have shapes");
        let bounds = shape.bounds(&pose);
        let radius = shape.bounding_radius();
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

/// Pose from the coordinates of one body.
pub(crate) fn pose<const D: usize>(space: &dyn Space, q: &[f64]) -> Pose<D> {
    let mut rotation = [0.0; 9];
    space.rotation(q, &mut rotation[..D * D]);
    Pose {
        rotation: SMatrix::from_row_slice(&rotation[..D * D]),
        position: SVector::from_column_slice(&q[..D]),
    }
}
