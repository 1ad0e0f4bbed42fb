//! Closest points of any two bounded sets.
//!
//! # Method
//! Apart, simplices of support points (`gjk`) find nearly closest points; in contact and in overlap a polytope of support
//! points (`polytope`) finds where the least translation may be. Newton's method on the features there (`newton`) makes
//! them exact, and the features are changed until the points lie within them and the normal among their normals.
//!
//! # Guarantees and limits
//! An answer is given only with its certificate: the distance along the normal equals the separation of the bodies in
//! that direction, from their support functions, to 1e-12 of their size. Apart that proves it. In overlap it proves
//! that the translation separates; that none is shorter is certain where a facet of the polytope is a face of the bodies or
//! a ball of that radius rolls inside them (W. Blaschke, Kreis und Kugel, 1916, § 24), otherwise it rests on the local
//! searches from all facets that might hide a shorter one.

mod flush;
mod gjk;
mod newton;
mod pair;
mod plane;
mod polytope;
mod quadric;

use nalgebra::SVector;

use self::gjk::{Gjk, gjk};
use self::newton::{Pivots, Root, STEPS, newton};
use self::pair::{Difference, Pair, Touch};
use self::polytope::Polytope;
use self::quadric::QuadricPair;
use super::{ActiveSet, ClosestError, ClosestPoints, Uniqueness};
use crate::boundary::Feature;
use crate::direction::tangents;
use crate::{ConvexSet, Placed};

/// Largest error of an answer, relative to the size of the bodies.
const TOLERANCE: f64 = 1e-12;

/// How far a point may be outside its feature, relative to its extent, and a multiplier below zero.
const SLACK: f64 = 2e-13;

/// Changes of features before a search is given up.
const CHANGES: usize = 16;

/// Cosine of the turn from the start beyond which a root on other features is not begun from.
const STRAYED: f64 = 0.5;

/// Points are free along a boundary whose relative curvature times the size is below this.
const FREE: f64 = 1e-3;

/// Relative errors of the distance, and distances relative to the size, to which simplices are taken before Newton's
/// method is tried; the finer ones only if it fails. The first is for smooth bodies.
const SIMPLEX_TOLERANCES: [[f64; 2]; 4] = [[5e-2, 3e-2], [1e-2, 1e-4], [1e-6, 1e-4], [1e-13, 1e-4]];

/// Distance relative to the size up to which bodies go to the search for overlap.
const NEAR: f64 = 1e-3;

/// Vertices of the polytope before local searches begin.
const VERTICES: usize = 12;

/// Local searches in one query.
const SEARCHES: usize = 64;

/// Part of the depth by which a facet's lower bound may miss it: optima as deep as this are told apart by their local
/// searches only.
const PROVED: f64 = 1e-6;

/// A local search starts from a facet whose bounds differ by less than this part, if there is an optimum to compare with.
const ACCURATE: f64 = 0.05;

/// Within this angle, rad, a curved boundary has one optimum.
const CLOSE: f64 = 0.05;

/// A facet is small if its bounds differ by less than this part of the size: the normals that it spans are then within
/// [`CLOSE`] on a body as round as long.
const SMALL: f64 = 1e-3;

/// Normals within this angle, rad, are the same.
const SAME: f64 = 1e-9;

/// A local search starts from a facet whose upper bound exceeds the depth known by less than this part.
const PROMISING: f64 = 0.1;

/// The globally closest points.
pub(super) fn closest<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Result<ClosestPoints<D>, ClosestError> {
    match (a.set, b.set) {
        (ConvexSet::HalfSpace(plane), _) => return Ok(plane::closest(plane, &a.pose, b)),
        (_, ConvexSet::HalfSpace(plane)) => return Ok(plane::closest(plane, &b.pose, a).swapped()),
        _ => {}
    }
    if let Some(quadrics) = QuadricPair::new(a, b) {
        let start = quadrics.start().map(|n| quadrics.newton(n));
        let start = start.filter(|root| root.error <= TOLERANCE);
        if let Some(root) = &start
            && root.touch.distance() >= -quadrics.rolling_radius()
        {
            return quadric_answer(a, b, &quadrics, root);
        }
        let pair = pair_of(a, b)?;
        let local = |touch: Touch<D>| {
            let root = cored(quadrics.newton(touch.n), &pair);
            (root.error <= TOLERANCE).then_some(root)
        };
        let first = start.map(|root| cored(root, &pair));
        return deepest(a, b, &pair, first, &local);
    }
    let pair = pair_of(a, b)?;
    let local = |touch: Touch<D>| search(&pair, touch);
    let mut towards = pair.centre_line();
    let mut first = None;
    let ladder = &SIMPLEX_TOLERANCES[usize::from(!pair.is_smooth())..];
    for [tolerance, near] in ladder {
        match gjk(&pair, &towards, [*tolerance, near * pair.size]) {
            Gjk::Apart(touch) => {
                // A root in overlap is none of these bodies', which are known to be apart.
                if let Some(root) = local(touch).filter(|root| root.touch.distance() > 0.0) {
                    return Ok(answer(a, &pair, &root, Uniqueness::Unique));
                }
                towards = touch.n;
            }
            Gjk::Near(n) => {
                // Touching smooth bodies need no more than their support points at the last direction.
                let nearest = pair.nearest(&n);
                first = local(touch_at(nearest, n));
                if let Some(root) = &first
                    && is_proved(&pair, root)
                {
                    return Ok(answer(a, &pair, root, Uniqueness::Unique));
                }
                towards = n;
                if *near < NEAR {
                    break;
                }
            }
        }
    }
    deepest(a, b, &pair, first, &local)
}

/// The direction of the closest points of cores that are apart, in the axes of A, to 1e-6 rad; `None` if they are too near
/// to tell.
pub(super) fn towards<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Option<SVector<f64, D>> {
    /// Relative error of the distance, and distance relative to the size that is too near.
    const FINE: [f64; 2] = [1e-13, 1e-10];
    let pair = Pair::new(a, b)?;
    match gjk(&pair, &pair.centre_line(), [FINE[0], FINE[1] * pair.size]) {
        Gjk::Apart(touch) => Some(touch.n),
        Gjk::Near(_) => None,
    }
}

/// Whether a root is the answer for sure: apart there is one; bodies that touch have a gap of zero; and in overlap none
/// is less deep where a ball of this radius rolls inside.
fn is_proved<const D: usize>(pair: &Pair<'_, D>, root: &Root<D>) -> bool {
    root.touch.distance() >= -pair.rolling_radius().max(2.0 * f64::EPSILON * pair.size)
}

/// The closest points near `start`.
pub(super) fn refine<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    start: &ClosestPoints<D>,
) -> Result<ClosestPoints<D>, ClosestError> {
    if let Some(quadrics) = QuadricPair::new(a, b) {
        let root = quadrics.newton(a.pose.inverse_rotate(&start.normal));
        if root.error <= TOLERANCE {
            return quadric_answer(a, b, &quadrics, &root);
        }
        return closest(a, b);
    }
    let pair = pair_of(a, b)?;
    let touch = pair.shrunk(&a.pose, start);
    let features = start.active.map(|active| active.feature());
    match search_on(&pair, features, touch, STEPS).or_else(|| search(&pair, touch)) {
        Some(root) => Ok(answer(a, &pair, &root, Uniqueness::Unique)),
        // The features have changed too much.
        None => closest(a, b),
    }
}

/// A root of two quadrics, whose points may be free if both are flat there.
fn quadric_answer<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    quadrics: &QuadricPair<D>,
    root: &Root<D>,
) -> Result<ClosestPoints<D>, ClosestError> {
    let touch = &root.touch;
    let curved = quadrics.least_curvature() * quadrics.size >= FREE;
    if !(curved && touch.distance() >= -0.5 * quadrics.rolling_radius()) {
        let pair = pair_of(a, b)?;
        return Ok(answer(a, &pair, &cored(*root, &pair), Uniqueness::Unique));
    }
    let active = ActiveSet::new(Feature::face(0), [1.0, 0.0, 0.0]);
    Ok(ClosestPoints {
        a: a.pose.apply(&touch.a),
        b: a.pose.apply(&touch.b),
        normal: a.pose.rotate(&touch.n),
        gap: touch.distance(),
        active: [active; 2],
        uniqueness: Uniqueness::Unique,
        iterations: root.iterations,
    })
}

fn pair_of<'a, const D: usize>(
    a: &Placed<'a, D>,
    b: &Placed<'a, D>,
) -> Result<Pair<'a, D>, ClosestError> {
    Pair::new(a, b).ok_or(ClosestError::Unsupported {
        a: a.set.kind(),
        b: b.set.kind(),
    })
}

fn touch_at<const D: usize>(at: Difference<D>, n: SVector<f64, D>) -> Touch<D> {
    Touch {
        a: at.a,
        b: at.b,
        n,
    }
}

fn not_converged<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> ClosestError {
    ClosestError::NotConverged {
        a: a.set.kind(),
        b: b.set.kind(),
    }
}

/// A root of whole bodies as one of their cores, with its pivots.
fn cored<const D: usize>(mut root: Root<D>, pair: &Pair<'_, D>) -> Root<D> {
    root.touch.a -= root.touch.n * pair.radii[0];
    root.touch.b += root.touch.n * pair.radii[1];
    root.pivots = newton::pivots(pair, root.features, &root.touch);
    root
}

/// Newton's method from a touch, with changes of features until one holds, and its certificate.
fn search<const D: usize>(pair: &Pair<'_, D>, start: Touch<D>) -> Option<Root<D>> {
    search_on(pair, pair.features(&start), start, STEPS)
}

/// The same, with the features to begin with, and the steps after which no other features are tried.
fn search_on<const D: usize>(
    pair: &Pair<'_, D>,
    mut features: [Feature; 2],
    start: Touch<D>,
    steps: u32,
) -> Option<Root<D>> {
    let mut touch = start;
    let mut iterations = 0;
    for _ in 0..CHANGES {
        if iterations >= steps {
            return None;
        }
        let mut root = newton(pair, features, touch, steps);
        iterations += root.iterations;
        root.iterations = iterations;
        let next = if root.error <= TOLERANCE {
            pair.next(features, &root.touch, SLACK)
        } else {
            // These features have no closest points here: those of the nearest try may.
            let other = pair.features(&root.touch);
            if other == features {
                return None;
            }
            other.map(Some)
        };
        if next == [None, None] {
            return certified(pair, &root).then_some(root);
        }
        for (feature, next) in features.iter_mut().zip(next) {
            *feature = next.unwrap_or(*feature);
        }
        // A normal that has run away from where the search began is no start for other features.
        let strayed = root.touch.n.dot(&start.n) < STRAYED;
        touch = if strayed { start } else { root.touch };
    }
    None
}

/// Whether the bodies are apart by the distance of the touch in its direction.
fn certified<const D: usize>(pair: &Pair<'_, D>, root: &Root<D>) -> bool {
    let reach = pair.size + pair.shift.norm();
    let separation = pair.separation(&root.touch.n);
    (separation - root.touch.distance()).abs() <= TOLERANCE * pair.size + 4.0 * f64::EPSILON * reach
}

/// Local optima found in overlap.
struct Optima<const D: usize> {
    best: Option<Root<D>>,
    tied: bool,
    size: f64,
    /// Normals of those found; the first few matter.
    normals: [SVector<f64, D>; 16],
    count: usize,
}

impl<const D: usize> Optima<D> {
    fn depth(&self) -> f64 {
        self.best
            .as_ref()
            .map_or(f64::INFINITY, |root| -root.touch.distance())
    }

    /// Whether a normal is within an angle of that of an optimum.
    fn knows(&self, normal: &SVector<f64, D>, angle: f64) -> bool {
        self.normals[..self.count]
            .iter()
            .any(|known| (known - normal).norm_squared() < angle * angle)
    }

    fn offer(&mut self, root: Root<D>) {
        /// Normals this far apart are different optima, rad.
        const DIFFERENT: f64 = 1e-6;
        let (depth, known) = (-root.touch.distance(), self.depth());
        let tie = TOLERANCE * self.size;
        if self.count < self.normals.len() && !self.knows(&root.touch.n, SAME) {
            self.normals[self.count] = root.touch.n;
            self.count += 1;
        }
        if let Some(best) = &self.best {
            if (depth - known).abs() <= tie && (best.touch.n - root.touch.n).norm() > DIFFERENT {
                self.tied = true;
            } else if depth < known - tie {
                self.tied = false;
            }
        }
        if depth < known {
            self.best = Some(root);
        }
    }
}

/// The search over the facets of a polytope.
struct Exploration<'a, 'b, const D: usize> {
    pair: &'a Pair<'b, D>,
    local: &'a dyn Fn(Touch<D>) -> Option<Root<D>>,
    /// Local searches so far.
    searches: usize,
    /// What some direction is known to need: the answer may need no more.
    least: f64,
    /// That direction and the points furthest along it.
    outermost: Option<Touch<D>>,
}

impl<const D: usize> Exploration<'_, '_, D> {
    /// Looks where an optimum may be less deep than the best known, until none can be but within the angle `close` of one
    /// that is known, rad.
    fn explore(&mut self, polytope: &mut Polytope<D>, optima: &mut Optima<D>, close: f64) {
        let pair = self.pair;
        while let Some(lowest) = polytope.lowest() {
            let facet = *polytope.facet(lowest);
            if facet.distance > optima.depth() * (1.0 - PROVED) + TOLERANCE * pair.size
                || self.searches == SEARCHES
            {
                break;
            }
            let nearest = pair.nearest(&facet.normal);
            let flat = polytope.is_flat(lowest, &nearest);
            let depth = -facet.normal.dot(&nearest.vector());
            if depth < self.least {
                (self.least, self.outermost) = (depth, Some(touch_at(nearest, facet.normal)));
            }
            let angle = if flat { SAME } else { close };
            let undercut = depth < optima.depth() - TOLERANCE * pair.size;
            // A large facet spans other normals than its own.
            let small = depth - facet.distance < SMALL * pair.size.max(10.0 * depth);
            if optima.knows(&facet.normal, angle) && !undercut && small {
                polytope.close(lowest);
                continue;
            }
            // Once a depth is known, it is cheaper to refine the facet than to search from it in vain.
            let accurate = optima.best.is_none() || depth - facet.distance < ACCURATE * depth;
            let worth = polytope.len() >= VERTICES
                && accurate
                && depth < optima.depth() * (1.0 + PROMISING);
            if !(flat || worth) && polytope.insert(nearest, lowest) {
                continue;
            }
            self.searches += 1;
            let from = |at: Difference<D>| (self.local)(touch_at(at, facet.normal));
            // Corners show where the boundary is curved, points between them where it is flat.
            let between = polytope.touch_of(lowest);
            // The normal of the facet shows a translation that is no longer than `depth`.
            let found = [nearest, between].into_iter().skip(usize::from(flat));
            let good = |root: &Root<D>| -root.touch.distance() <= depth + TOLERANCE * pair.size;
            if let Some(root) = found.filter_map(from).find(good) {
                optima.offer(root);
                if is_proved(pair, &root) {
                    break;
                }
            }
            if flat || !polytope.insert(nearest, lowest) {
                polytope.close(lowest);
            }
        }
    }
}

/// The least translation that separates cores that touch or overlap.
fn deepest<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    pair: &Pair<'_, D>,
    first: Option<Root<D>>,
    local: &dyn Fn(Touch<D>) -> Option<Root<D>>,
) -> Result<ClosestPoints<D>, ClosestError> {
    let Some(mut polytope) = Polytope::new(pair) else {
        return Err(not_converged(a, b));
    };
    let mut optima = Optima {
        best: None,
        tied: false,
        size: pair.size,
        normals: [SVector::zeros(); 16],
        count: 0,
    };
    if let Some(root) = first {
        optima.offer(root);
    }
    let mut search = Exploration {
        pair,
        local,
        searches: 0,
        least: f64::INFINITY,
        outermost: None,
    };
    let mut proved = false;
    // Where edges nearly meet, optima are closer to each other than on smooth boundaries: a second look tells them apart.
    for close in [CLOSE, SAME] {
        search.explore(&mut polytope, &mut optima, close);
        let known = search.least + 2.0 * TOLERANCE * pair.size;
        if optima.depth() > known
            && let Some(touch) = &search.outermost
            && let Some(root) = flush::root((a, b), pair, (touch, known))
        {
            optima.offer(root);
        }
        while let Some(root) = optima.best.and_then(|root| undercut(pair, &root, local)) {
            optima.offer(root);
        }
        proved = optima.depth() <= search.least + 2.0 * TOLERANCE * pair.size;
        if proved {
            break;
        }
        polytope.reopen();
    }
    let uniqueness = if optima.tied {
        Uniqueness::TiedNormal
    } else {
        Uniqueness::Unique
    };
    let root = optima
        .best
        .filter(|_| proved)
        .ok_or_else(|| not_converged(a, b))?;
    Ok(answer(a, pair, &root, uniqueness))
}

/// A less deep root near one that is stationary but no optimum, as between two edges that nearly meet.
///
/// Normals on rings round that of the root are tried: where one separates the bodies by more, a search starts; and where
/// bodies have edges, also from the features found there and on the way, each pair of them once.
fn undercut<const D: usize>(
    pair: &Pair<'_, D>,
    root: &Root<D>,
    local: &dyn Fn(Touch<D>) -> Option<Root<D>>,
) -> Option<Root<D>> {
    /// Turns of the normal that are tried, rad; the first for smooth bodies.
    const TURNS: [f64; 4] = [3e-2, 6e-2, 1e-2, 3e-3];
    /// Steps of a search from features near by.
    const FEW: u32 = 20;
    let at = &root.touch;
    let known = at.distance() + 2.0 * TOLERANCE * pair.size;
    let [s, t] = tangents(&at.n);
    let smooth = pair.is_smooth();
    let turns = if smooth { &TURNS[..1] } else { &TURNS[..] };
    let sides: u32 = match (D, smooth) {
        (2, _) => 2,
        (_, true) => 4,
        _ => 8,
    };
    let mut tried = [root.features; 16];
    let mut count = 1;
    let better = |found: Option<Root<D>>| found.filter(|root| root.touch.distance() > known);
    for (ring, &turn) in turns.iter().enumerate() {
        for side in 0..sides {
            let part = (f64::from(side) + 0.5 * (ring % 2) as f64) / f64::from(sides);
            let (sin, cos) = (std::f64::consts::TAU * part).sin_cos();
            let towards = match (D, side) {
                (2, 0) => s,
                (2, _) => -s,
                _ => s * cos + t * sin,
            };
            let n = (at.n + towards * turn).normalize();
            let nearest = pair.nearest(&n);
            let undercut = n.dot(&nearest.vector()) > known;
            if smooth && !undercut {
                continue;
            }
            let between = Difference {
                a: (nearest.a + at.a) * 0.5,
                b: (nearest.b + at.b) * 0.5,
            };
            // The normal at which the support point jumps, if one does: that of the face or line between the two.
            let jumps = [nearest.a - at.a, at.b - nearest.b];
            let jump = jumps[usize::from(jumps[1].norm() > jumps[0].norm())];
            let (before, after) = (at.n.dot(&jump), n.dot(&jump));
            let way = if before < 0.0 && after > 0.0 {
                before / (before - after)
            } else {
                1.0
            };
            let middle = (at.n + towards * (turn * way)).normalize();
            for (Difference { a, b }, n) in [(nearest, n), (between, middle)] {
                let touch = Touch { a, b, n };
                let found = undercut.then(|| better(local(touch))).flatten();
                if found.is_some() {
                    return found;
                }
                if smooth {
                    continue;
                }
                let features = pair.features(&touch);
                if count == tried.len() || tried[..count].contains(&features) {
                    continue;
                }
                tried[count] = features;
                count += 1;
                let found = better(search_on(pair, features, touch, FEW));
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

/// A root in world axes, with the rounding radii.
fn answer<const D: usize>(
    a: &Placed<'_, D>,
    pair: &Pair<'_, D>,
    root: &Root<D>,
    uniqueness: Uniqueness,
) -> ClosestPoints<D> {
    let touch = &root.touch;
    let normal = a.pose.rotate(&touch.n);
    let active = pair.multipliers(root.features, touch);
    let parts = pair.carrying(root.features, active, touch);
    let is_free = |pivots: Pivots| pivots.moves < FREE;
    let free = is_free(root.pivots)
        || (parts != root.features && is_free(newton::pivots(pair, parts, touch)));
    let uniqueness = match uniqueness {
        Uniqueness::Unique if free => Uniqueness::FreePoints,
        other => other,
    };
    ClosestPoints {
        a: a.pose.apply(&(touch.a + touch.n * pair.radii[0])),
        b: a.pose.apply(&(touch.b - touch.n * pair.radii[1])),
        normal,
        gap: touch.distance() - pair.radii[0] - pair.radii[1],
        active: [0, 1].map(|k| ActiveSet::new(root.features[k], active[k])),
        uniqueness,
        iterations: root.iterations,
    }
}
