//! Narrow phase: pairs of pieces, their manifolds, and what of them counts.
//!
//! Contacts of convex bodies far from other fixed ones are those of the geometry. Where a body is a union, or fixed bodies
//! lie beside each other, each contact is judged by the pieces around it (`seams`), so that flush pieces are one surface.

use signorini_complementarity::FIXED;
use signorini_geometry::{
    Bounds, ClosestError, ClosestPoints, ConvexSet, Manifold, ManifoldMemory, ManifoldPoint,
    Placed, Pose, Shape, manifold_within,
};

use super::{
    ContactError, ContactId, ContactQuery, Contacts, OtherEnd, detect, frame,
    seams::{Judge, Touch, Touching},
    way::{self, Choice},
};
use crate::world::World;

#[derive(Clone, Debug)]
pub(super) struct Buffers<const D: usize> {
    search: Search<D>,
    pieces: Vec<[u32; 2]>,
    found: Vec<Found<D>>,
    judge: Judge<D>,
}

impl<const D: usize> Default for Buffers<D> {
    fn default() -> Self {
        Self {
            search: Search::default(),
            pieces: Vec::new(),
            found: Vec::new(),
            judge: Judge::default(),
        }
    }
}

/// The manifold of a pair, and what is remembered of all pairs of boxes: buffers that change no bit of what is found.
#[derive(Clone, Debug, Default)]
struct Search<const D: usize> {
    manifold: Manifold<D>,
    way: way::Buffers<D>,
    /// Of this detection so far and of the one before, by increasing pairs, whose features are 0.
    now: Vec<(ContactId, ManifoldMemory<D>)>,
    before: Vec<(ContactId, ManifoldMemory<D>)>,
    /// Those before that are behind.
    passed: usize,
}

impl<const D: usize> Search<D> {
    /// Begins a detection, which asks for its pairs in increasing order.
    fn begin(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.passed = 0;
    }

    /// Finds the contacts of a pair if its gap is at most `reach`.
    fn find(
        &mut self,
        of: ContactId,
        [a, b]: [&Placed<'_, D>; 2],
        reach: f64,
    ) -> Result<(), ClosestError> {
        while self.before.get(self.passed).is_some_and(|(id, _)| *id < of) {
            self.passed += 1;
        }
        let known = self.before.get_mut(self.passed).filter(|(id, _)| *id == of);
        let mut memory = known
            .map(|(_, known)| std::mem::take(known))
            .unwrap_or_default();
        let found = manifold_within(a, b, reach, Some(&mut memory), &mut self.manifold);
        if !memory.is_empty() {
            self.now.push((of, memory));
        }
        found
    }
}

/// A contact of two pieces that is not judged yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<const D: usize> {
    pub(super) id: ContactId,
    pub(super) closest: ClosestPoints<D>,
    /// Whether it is reported whatever its gap and name: it is met for a listed one of its pair.
    pub(super) is_met: bool,
    /// Whether it was found at the end of the step, and is at its place on the moving body then.
    pub(super) has_arms_of_end: bool,
}

impl<const D: usize> Found<D> {
    /// A point of two pieces.
    pub(super) fn of(pair: ContactId, point: &ManifoldPoint<D>) -> Self {
        let &ManifoldPoint { feature, closest } = point;
        Self {
            id: ContactId { feature, ..pair },
            closest,
            is_met: false,
            has_arms_of_end: false,
        }
    }
}

/// Appends the contacts of all pairs listed.
pub(super) fn each_pair<const D: usize>(
    world: &World<D>,
    (buffers, other): (&mut detect::Buffers<D>, Option<OtherEnd<'_>>),
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    let detect::Buffers {
        poses,
        others,
        pairs,
        narrow,
        ..
    } = buffers;
    let other = other.map(|other| (other, &others[..]));
    let scene = Scene {
        world,
        poses,
        other,
    };
    narrow.search.begin();
    if !has_seams(world) {
        return pairs.iter().try_for_each(|&(a, b)| {
            let mut frame = None;
            let of = first_of(a, b, [0; 2]);
            scene.pair(of, query, &mut narrow.search, &mut |found| {
                let pair = frame.get_or_insert_with(|| scene.frame(a, b));
                frame::push(world.space(), found.id, pair, &found.closest, out);
            })
        });
    }
    let wide = widened(world, query);
    narrow.found.clear();
    for &(a, b) in &*pairs {
        scene.piece_pairs(a, b, &wide, &mut narrow.pieces);
        for &pieces in &narrow.pieces {
            let (of, found) = (first_of(a, b, pieces), &mut narrow.found);
            scene.pair(of, &wide, &mut narrow.search, &mut |one| found.push(one))?;
        }
    }
    scene.measure(&narrow.found, &mut narrow.judge);
    scene.judge(&narrow.found, &mut narrow.judge, query, out);
    Ok(())
}

/// The query with which contacts are looked for: where they are judged all that are in overlap are asked for, so that the
/// judgement does not depend on the margin.
pub(super) fn widened<'q, const D: usize>(
    world: &World<D>,
    query: &ContactQuery<'q>,
) -> ContactQuery<'q> {
    let margin = if has_seams(world) {
        query.margin.max(0.0)
    } else {
        query.margin
    };
    ContactQuery { margin, ..*query }
}

/// Calls `f` for all pairs of pieces of the pairs listed, with feature 0.
pub(super) fn for_each_piece_pair<const D: usize>(
    world: &World<D>,
    buffers: &mut detect::Buffers<D>,
    query: &ContactQuery<'_>,
    f: &mut impl FnMut(ContactId, [&Placed<'_, D>; 2]) -> Result<(), ContactError>,
) -> Result<(), ContactError> {
    let detect::Buffers {
        poses,
        pairs,
        narrow,
        ..
    } = buffers;
    let scene = Scene {
        world,
        poses,
        other: None,
    };
    for &(a, b) in &*pairs {
        scene.piece_pairs(a, b, query, &mut narrow.pieces);
        for &pieces in &narrow.pieces {
            let feature = 0;
            let id = ContactId {
                a,
                b,
                pieces,
                feature,
            };
            f(
                id,
                [&scene.placed(a, pieces[0]), &scene.placed(b, pieces[1])],
            )?;
        }
    }
    Ok(())
}

/// Judges closest points by the pieces around them, with the bodies where the buffers have them.
pub(super) fn touches<const D: usize>(
    world: &World<D>,
    buffers: &mut detect::Buffers<D>,
    all: &[Touching<D>],
    out: &mut Vec<Touch<D>>,
) {
    let detect::Buffers { poses, narrow, .. } = buffers;
    let scene = Scene {
        world,
        poses,
        other: None,
    };
    scene.measure(&[], &mut narrow.judge);
    out.extend(all.iter().map(|one| scene.touch(one, &mut narrow.judge)));
}

/// A contact of two pieces with the first name.
fn first_of(a: u32, b: u32, pieces: [u32; 2]) -> ContactId {
    ContactId {
        a,
        b,
        pieces,
        feature: 0,
    }
}

/// Whether pieces can lie beside each other: a union, or two fixed bodies with edges.
pub(crate) fn has_seams<const D: usize>(world: &World<D>) -> bool {
    let mut fixed = 0;
    world.members().any(|(body, _, _)| {
        let body = body as usize;
        let shape = world.shape_at(body).expect("members have shapes");
        let has_edges = !matches!(shape, Shape::Convex(ConvexSet::HalfSpace(_)));
        fixed += usize::from(world.is_fixed(body));
        matches!(shape, Shape::Union(_)) || (fixed > 1 && world.is_fixed(body) && has_edges)
    })
}

/// A world at a configuration.
pub(super) struct Scene<'a, const D: usize> {
    pub(super) world: &'a World<D>,
    pub(super) poses: &'a [Pose<D>],
    /// The other end of the step, and where the bodies are then.
    pub(super) other: Option<(OtherEnd<'a>, &'a [Pose<D>])>,
}

impl<'a, const D: usize> Scene<'a, D> {
    pub(super) fn shape(&self, body: u32) -> &'a Shape<D> {
        let shape = self.world.shape_at(body as usize);
        shape.expect("pairs are of bodies with shapes")
    }

    pub(super) fn placed(&self, body: u32, piece: u32) -> Placed<'a, D> {
        self.shape(body).placed(piece as usize, self.pose(body))
    }

    /// One piece of a contact with the bodies at the other end of the step.
    pub(super) fn placed_there(
        &self,
        poses: &[Pose<D>],
        of: ContactId,
        side: usize,
    ) -> Placed<'a, D> {
        let body = [of.a, of.b][side];
        self.shape(body)
            .placed(of.pieces[side] as usize, &poses[body as usize])
    }

    pub(super) fn pose(&self, body: u32) -> &'a Pose<D> {
        &self.poses[body as usize]
    }

    pub(super) fn frame(&self, a: u32, b: u32) -> frame::Pair<'a, D> {
        let bodies = [a as usize, b as usize];
        let poses = [self.pose(a), self.pose(b)];
        frame::Pair {
            columns: bodies.map(|k| self.world.column_at(k).map_or(FIXED, index)),
            belts: [0, 1].map(|s| self.world.belt_at(bodies[s], poses[s])),
            poses,
            material: self.world.material_at(a, b),
            point: self.world.settings().contact_point,
        }
    }

    /// Hands the contacts of the two pieces of a contact that are asked for to `list`, in the order of their features.
    fn pair(
        &self,
        of: ContactId,
        query: &ContactQuery<'_>,
        search: &mut Search<D>,
        list: &mut dyn FnMut(Found<D>),
    ) -> Result<(), ContactError> {
        let ContactId { a, b, pieces, .. } = of;
        let [placed_a, placed_b] = [self.placed(a, pieces[0]), self.placed(b, pieces[1])];
        let included = included(query.include, (a, b, pieces));
        // The bounding spheres are further apart than the margin; a half-space has an infinite one.
        let apart = (placed_b.pose.position - placed_a.pose.position).norm()
            - placed_a.set.bounding_radius()
            - placed_b.set.bounding_radius();
        if apart > query.margin && included.is_empty() {
            return Ok(());
        }
        let reach = if included.is_empty() {
            query.margin
        } else {
            f64::INFINITY
        };
        let here = [&placed_a, &placed_b];
        search.find(of, here, reach).map_err(|source| {
            let [a, b] = [a, b].map(|k| self.world.body_name_at(k as usize).to_owned());
            ContactError::Geometry { a, b, source }
        })?;
        let Search { manifold, way, .. } = search;
        let Some(deepest) = manifold.deepest() else {
            return Ok(());
        };
        let mut points = manifold.points();
        let there = self.other.map(|(other, poses)| {
            let [p, q] = [0, 1].map(|s| self.placed_there(poses, of, s));
            (other, [p, q])
        });
        let mut is_chosen = false;
        if let Some((other, [p, q])) = &there {
            match way.choose(*other, [here, [p, q]], &deepest.closest) {
                Choice::Plain => {}
                Choice::Here => is_chosen = true,
                Choice::There(others) => (is_chosen, points) = (true, others),
            }
        }
        let found = |point: &ManifoldPoint<D>| Found::of(of, point);
        let is_listed = |found: &Found<D>| {
            found.closest.gap <= query.margin || included.binary_search(&found.id).is_ok()
        };
        // A pair that is listed by features that it does not have is met by those that it has, where they close.
        let known = points.iter().map(found).any(|found| is_listed(&found));
        let closes = |found: &Found<D>| match &there {
            Some((OtherEnd::End(_), [p, q])) => {
                let listed = !included.is_empty() && (is_chosen || !known);
                listed && way::gap_there([here, [p, q]], &found.closest) < 0.0
            }
            _ => false,
        };
        for found in points.iter().map(found) {
            if is_listed(&found) {
                list(found);
            } else if closes(&found) {
                let is_met = true;
                list(Found { is_met, ..found });
            }
        }
        Ok(())
    }

    /// The pairs of pieces whose boxes are within the margin, and those of listed contacts, in increasing order.
    fn piece_pairs(&self, a: u32, b: u32, query: &ContactQuery<'_>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let shapes = [self.shape(a), self.shape(b)];
        let counts = shapes.map(Shape::len);
        if counts == [1, 1] {
            out.push([0; 2]);
            return;
        }
        let listed = query.include.iter().filter(|id| (id.a, id.b) == (a, b));
        let known = |id: &&ContactId| (0..2).all(|s| (id.pieces[s] as usize) < counts[s]);
        out.extend(listed.filter(known).map(|id| id.pieces));
        if query.margin > f64::NEG_INFINITY {
            // Each piece of one is looked up in the tree of the other, which has more.
            let [few, many] = if counts[0] <= counts[1] {
                [0, 1]
            } else {
                [1, 0]
            };
            let bodies = [a, b];
            let pose = self.pose(bodies[many]);
            for piece in 0..index(counts[few]) {
                let mut push = |other: u32| {
                    let mut pair = [piece; 2];
                    pair[many] = other;
                    out.push(pair);
                };
                let Shape::Union(union) = shapes[many] else {
                    unreachable!("more than one piece is a union");
                };
                let mut placed = self.placed(bodies[few], piece);
                placed.pose = seen_from(pose, &placed.pose);
                match placed.bounds() {
                    Bounds::HalfSpace { .. } => (0..index(counts[many])).for_each(push),
                    Bounds::Box(tight) => {
                        let slack = detect::SLACK * union.bounding_radius();
                        let reach = query.margin.max(0.0) + slack;
                        union.pieces_near(&tight.inflated(reach), &mut push);
                    }
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }
}

/// A pose in the axes of a body.
fn seen_from<const D: usize>(body: &Pose<D>, pose: &Pose<D>) -> Pose<D> {
    Pose {
        rotation: body.rotation.tr_mul(&pose.rotation),
        position: body.inverse_apply(&pose.position),
    }
}

/// The listed contacts of one pair of pieces.
fn included(list: &[ContactId], (a, b, pieces): (u32, u32, [u32; 2])) -> &[ContactId] {
    let key = |id: &ContactId| (id.a, id.b, id.pieces);
    let start = list.partition_point(|id| key(id) < (a, b, pieces));
    let count = list[start..].partition_point(|id| key(id) == (a, b, pieces));
    &list[start..start + count]
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("bodies and pieces are fewer than u32 counts")
}
