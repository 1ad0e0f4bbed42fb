//! On which side bodies pass each other in a step: the choice among the directions that separate two convex pieces.
//!
//! ```math
//! \max_n \; s_n(q^{+}) \ge 0, \qquad s_n(q) = \min_{x \in B} n^T x - \max_{x \in A} n^T x
//! ```
//!
//! # Method
//! Each row asks for s ≥ 0 along one direction at the end of a step, where it is enough that any direction separates. The
//! candidates are the normals of the closest points at both ends. That of the end needs least there, as it has the largest
//! s. It is taken if it separates at the start too, for then the bodies get to the end without touching: s along one
//! direction is linear in a translation, so that what holds at both ends holds on the way. Otherwise a direction that
//! separates at both ends is looked for on the way; convex bodies that pass each other have one, where they are nearest. Where
//! there is none they meet, and the normal of the start is taken, which keeps them apart wherever it leads. The contacts
//! along a direction are those of the place where it was found: points of flat pieces are taken back with their bodies, round ones
//! keep their arms there, with gaps as linearised from there.
//!
//! # Guarantees and limits
//! Only pairs whose normals differ by more than 18° are chosen for, and only where the normal at hand stops the pair: contacts of
//! bodies at rest, of those that roll and slide, and of half-spaces stay as they are, bit for bit. Rotation within the step
//! is known to second order. The pieces of a union have a choice each, and all of them have to be met.
//!
//! # References
//! - K. Egan, S. Berard, J. C. Trinkle, Modeling nonconvex constraints using linear complementarity, Rensselaer
//!   Polytechnic Institute, Department of Computer Science, report 03-13, 2003.

use nalgebra::SVector;
use signorini_geometry::{
    ClosestPoints, ConvexSet, Manifold, ManifoldPoint, Placed, Pose, manifold,
};

use super::{ContactId, OtherEnd, narrow::Scene};

/// Cosine of the angle between normals that count as one: 18°, more than bodies roll or slide round each other in a step, and
/// less than the faces of a corner differ.
pub(super) const ALIKE: f64 = 0.95;

/// Bodies nearer to each other than this part of the smaller one touch: above rounding of places, far below what the eye sees.
pub(super) const TOUCHING: f64 = 1e-9;

/// A direction separates bodies if they are in each other along it by this part of the smaller one at most: what schemes leave of
/// a penetration is in the neighbours of a piece too, and is far less than bodies are beside each other.
pub(super) const SUNK: f64 = 1e-3;

/// Places on the way that are looked at for a direction that separates at both ends.
const HALVINGS: usize = 20;

/// Buffers of a choice.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers<const D: usize> {
    there: Manifold<D>,
    /// Contacts of the other end, at the points where they are here.
    carried: Vec<ManifoldPoint<D>>,
}

/// What counts of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice<'a, const D: usize> {
    /// Its contacts here; there is nothing to choose.
    Plain,
    /// Its contacts here, instead of those of other features at the other end.
    Here,
    /// These, along another direction.
    There(&'a [ManifoldPoint<D>]),
}

impl<const D: usize> Buffers<D> {
    /// Along which direction a pair with these closest points here counts.
    pub(super) fn choose(
        &mut self,
        other: OtherEnd<'_>,
        [here, there]: [[&Placed<'_, D>; 2]; 2],
        closest: &ClosestPoints<D>,
    ) -> Choice<'_, D> {
        if has_one_normal(here) || is_alike_between_balls(there, closest) {
            return Choice::Plain;
        }
        let size = here[0].set.size().min(here[1].set.size());
        let (touching, sunk) = (TOUCHING * size, SUNK * size);
        // What the normal here is like at the other end.
        let along = separation(there, &closest.normal);
        let settled = match other {
            OtherEnd::End(_) => closest.gap <= touching || along >= 0.0,
            OtherEnd::Start(_) => closest.gap >= -touching || along >= -sunk,
        };
        // Where nothing is found at the other end, what is known here has to do.
        if settled || manifold(there[0], there[1], &mut self.there).is_err() {
            return Choice::Plain;
        }
        let Some(deepest) = self.there.deepest() else {
            return Choice::Plain;
        };
        let (normal, gap) = (deepest.closest.normal, deepest.closest.gap);
        if normal.dot(&closest.normal) > ALIKE {
            return Choice::Plain;
        }
        let at_start = |normal: &SVector<f64, D>| separation(here, normal) >= -sunk;
        let is_other = match other {
            OtherEnd::End(_) => at_start(&normal),
            OtherEnd::Start(_) => along < gap.min(0.0) - sunk,
        };
        if is_other {
            self.carry(there, here);
            // A turn that is too large for gaps of the first order must not hide that the bodies are in each other.
            let is_apart = self.carried.iter().all(|point| point.closest.gap >= 0.0);
            if is_apart && separation(here, &normal) < -sunk {
                return Choice::Plain;
            }
            return Choice::There(&self.carried);
        }
        if let OtherEnd::End(_) = other {
            return self.between(here, there, &at_start);
        }
        Choice::Plain
    }

    /// The contacts between the ends of a step whose direction separates at both: those of the closest points on the way, where
    /// the bodies neither come nearer nor part.
    fn between(
        &mut self,
        here: [&Placed<'_, D>; 2],
        there: [&Placed<'_, D>; 2],
        at_start: &dyn Fn(&SVector<f64, D>) -> bool,
    ) -> Choice<'_, D> {
        let (mut early, mut late) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let part = 0.5 * (early + late);
            let on_the_way = [0, 1].map(|s: usize| {
                let way = there[s].pose.position - here[s].pose.position;
                let position = here[s].pose.position + way * part;
                let pose = Pose {
                    position,
                    ..here[s].pose
                };
                Placed::new(here[s].set, pose)
            });
            let [p, q] = &on_the_way;
            if manifold(p, q, &mut self.there).is_err() {
                break;
            }
            let Some(deepest) = self.there.deepest() else {
                break;
            };
            let normal = deepest.closest.normal;
            if deepest.closest.gap <= 0.0 {
                break;
            } else if !at_start(&normal) {
                late = part;
            } else if separation(there, &normal) < 0.0 {
                early = part;
            } else {
                self.carry([p, q], here);
                return Choice::There(&self.carried);
            }
        }
        Choice::Here
    }

    /// The contacts found with the bodies at one place, as they are with the bodies at another.
    fn carry(&mut self, from: [&Placed<'_, D>; 2], to: [&Placed<'_, D>; 2]) {
        let carry = |point: &ManifoldPoint<D>| ManifoldPoint {
            closest: carried(from, to, &point.closest),
            ..*point
        };
        self.carried.clear();
        self.carried.extend(self.there.points().iter().map(carry));
    }
}

/// The contact of bodies at one place, as it is with the bodies at another. Points of flat pieces turn with their bodies, so that
/// a corner has the rows that it has there by any other name; what is round turns under its contact.
pub(super) fn carried<const D: usize>(
    from: [&Placed<'_, D>; 2],
    to: [&Placed<'_, D>; 2],
    closest: &ClosestPoints<D>,
) -> ClosestPoints<D> {
    let points = [&closest.a, &closest.b];
    let [(a, from_a), (b, from_b)] = [0, 1].map(|s| {
        let (x, [p, q]) = (points[s], [&from[s].pose, &to[s].pose]);
        if is_flat(from[s]) {
            let here = q.apply(&p.inverse_apply(x));
            (here, x - here)
        } else {
            let here = x - p.position + q.position;
            (here, way(to[s], from[s], &here))
        }
    });
    ClosestPoints {
        a,
        b,
        gap: closest.gap - closest.normal.dot(&(from_b - from_a)),
        ..*closest
    }
}

/// Whether a piece has nothing but flat faces.
pub(super) fn is_flat<const D: usize>(piece: &Placed<'_, D>) -> bool {
    match piece.set {
        ConvexSet::Polygon(polygon) => polygon.radius() == 0.0,
        ConvexSet::Polytope(_) => true,
        _ => false,
    }
}

/// The contacts that a pair of pieces had at the start of the step, with the bodies where they are now: for what has got so
/// deep in a union that all of its contacts now are inside. None if the pieces were in each other then.
pub(super) fn from_start<const D: usize>(
    scene: &Scene<'_, D>,
    of: ContactId,
) -> Vec<ManifoldPoint<D>> {
    let mut all = Buffers::default();
    let Some((OtherEnd::Start(_), poses)) = scene.other else {
        return all.carried;
    };
    let [p, q] = [0, 1].map(|s| scene.placed_there(poses, of, s));
    let [a, b] = [
        scene.placed(of.a, of.pieces[0]),
        scene.placed(of.b, of.pieces[1]),
    ];
    let touching = TOUCHING * a.set.size().min(b.set.size());
    let found = manifold(&p, &q, &mut all.there);
    let were_apart = |deepest: &ManifoldPoint<D>| deepest.closest.gap >= -touching;
    if found.is_ok() && all.there.deepest().is_some_and(were_apart) {
        all.carry([&p, &q], [&a, &b]);
    }
    all.carried
}

/// The gap of a contact here when the bodies are there, to first order, m.
pub(super) fn gap_there<const D: usize>(
    [here, there]: [[&Placed<'_, D>; 2]; 2],
    closest: &ClosestPoints<D>,
) -> f64 {
    let [a, b] = [(0, &closest.a), (1, &closest.b)].map(|(s, x)| way(here[s], there[s], x));
    closest.gap + closest.normal.dot(&(b - a))
}

/// By how much the point of a body at x moves from one pose to another, to first order in the turn.
fn way<const D: usize>(
    from: &Placed<'_, D>,
    to: &Placed<'_, D>,
    x: &SVector<f64, D>,
) -> SVector<f64, D> {
    let turn = to.pose.rotation * from.pose.rotation.transpose();
    let arm = x - from.pose.position;
    to.pose.position - from.pose.position + (turn - turn.transpose()) * arm * 0.5
}

/// Whether there is no choice: a half-space, which only its own normal separates from anything.
fn has_one_normal<const D: usize>(pair: [&Placed<'_, D>; 2]) -> bool {
    pair.iter()
        .any(|placed| matches!(placed.set, ConvexSet::HalfSpace(_)))
}

/// Whether these are balls, whose normal at the other end is known at once, and it is the one here but for an angle.
fn is_alike_between_balls<const D: usize>(
    there: [&Placed<'_, D>; 2],
    closest: &ClosestPoints<D>,
) -> bool {
    let way = there[1].pose.position - there[0].pose.position;
    there.iter().all(|p| matches!(p.set, ConvexSet::Ball(_)))
        && way.dot(&closest.normal) > ALIKE * way.norm()
}

/// s along a unit direction from A to B, m; −∞ for a set without an end.
pub(super) fn separation<const D: usize>([a, b]: [&Placed<'_, D>; 2], n: &SVector<f64, D>) -> f64 {
    match (a.support(n), b.support(&-n)) {
        (Some(p), Some(q)) => n.dot(&(q - p)),
        _ => f64::NEG_INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;
    use signorini_geometry::{Ball, Polygon, closest_points};

    use super::*;

    /// A ball of radius 0.1 passes a ledge whose corner is the origin, from one place to another: the normal by which it counts
    /// and the gap at its first place.
    fn ball_past_a_ledge(from: [f64; 2], to: [f64; 2], is_start: bool) -> (Vector2<f64>, f64) {
        let ledge = ConvexSet::from(Polygon::rectangle(2.0, 2.0).unwrap());
        let ledge = Placed::new(&ledge, Pose::from_position(Vector2::new(-1.0, -1.0)));
        let ball = ConvexSet::from(Ball::new(0.1).unwrap());
        let [start, end] =
            [from, to].map(|x| Placed::new(&ball, Pose::from_position(Vector2::from(x))));
        let (here, there, q) = (&start, &end, [0.0; 0]);
        let pairs = if is_start {
            [[&ledge, here], [&ledge, there]]
        } else {
            [[&ledge, there], [&ledge, here]]
        };
        let other = if is_start {
            OtherEnd::End(&q)
        } else {
            OtherEnd::Start(&q)
        };
        let closest = closest_points(pairs[0][0], pairs[0][1]).unwrap();
        let mut buffers = Buffers::default();
        let chosen = match buffers.choose(other, pairs, &closest) {
            Choice::Plain | Choice::Here => closest,
            Choice::There(points) => points[0].closest,
        };
        (chosen.normal, chosen.gap)
    }

    #[test]
    fn what_falls_past_a_ledge_is_beside_it() {
        let (normal, gap) = ball_past_a_ledge([0.2, 0.5], [0.2, -0.5], true);
        assert_eq!(normal, Vector2::x());
        assert!((gap - 0.1).abs() < 1e-15);
        // What drifts into the wall below the corner meets the wall, at either end.
        let (normal, gap) = ball_past_a_ledge([0.2, 0.5], [0.05, -0.5], true);
        assert_eq!(normal, Vector2::x());
        assert!((gap - 0.1).abs() < 1e-15);
        let (normal, gap) = ball_past_a_ledge([0.2, 0.5], [0.05, -0.5], false);
        assert_eq!(normal, Vector2::x());
        assert!((gap + 0.05).abs() < 1e-15);
    }

    #[test]
    fn what_passes_diagonally_has_a_direction_of_its_own() {
        let (normal, gap) = ball_past_a_ledge([-0.4, 0.7], [0.7, -0.4], true);
        assert!(normal.x > 0.2 && normal.y > 0.2, "{normal}");
        assert!(gap > 0.0 && gap < 0.3 / 2.0_f64.sqrt(), "{gap}");
    }

    #[test]
    fn what_came_from_above_is_on_top() {
        // The wall is nearer at the end, but the ball was not beside it.
        let top = Vector2::y();
        let (normal, gap) = ball_past_a_ledge([-0.05, 0.2], [-0.05, -0.4], false);
        assert_eq!(normal, top);
        assert!((gap + 0.5).abs() < 1e-15);
        let (normal, gap) = ball_past_a_ledge([-0.05, 0.2], [-0.05, -0.4], true);
        assert_eq!(normal, top);
        assert!((gap - 0.1).abs() < 1e-15);
    }

    #[test]
    fn what_stays_on_its_side_keeps_its_bits() {
        let (normal, gap) = ball_past_a_ledge([0.06, 0.08], [0.07, 0.09], true);
        assert!((normal - Vector2::new(0.6, 0.8)).norm() < 1e-15 && gap.abs() < 1e-15);
    }

    /// A box that turns by two thirds of a radian beside a disc and ends in it: its gap of the first order says that it does not.
    #[test]
    fn a_large_turn_hides_no_overlap() {
        let disc = ConvexSet::from(Ball::new(0.098).unwrap());
        let plate = ConvexSet::from(Polygon::rectangle(0.104, 0.052).unwrap());
        let at = |[disc_at, plate_at]: [[f64; 2]; 2], angle: f64| {
            let turned = Pose::from_angle(angle, Vector2::from(plate_at));
            [
                Placed::new(&disc, Pose::from_position(Vector2::from(disc_at))),
                Placed::new(&plate, turned),
            ]
        };
        let start = at([[0.1304, 0.3151], [0.2329, 0.2096]], -8.0580);
        let end = at([[0.0921, 0.2840], [0.2330, 0.2839]], -8.7216);
        let [here, there] = [&end, &start].map(|pair| [&pair[0], &pair[1]]);
        let closest = closest_points(here[0], here[1]).unwrap();
        assert!(closest.gap < -0.01, "{closest:?}");
        let mut buffers = Buffers::default();
        let choice = buffers.choose(OtherEnd::Start(&[]), [here, there], &closest);
        assert_eq!(choice, Choice::Plain);
    }
}
