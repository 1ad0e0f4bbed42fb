//! Flat parts that lie flush but for a tilt of 1e-12 to 1e-7 rad, one beyond the edge of the other.
//!
//! # Method
//! Over the patch in which the parts overlap the gap is linear but for the tilt, so that it is least at a corner of the patch. There
//! two edges cross, or a vertex lies over a face; the tilt is too small to tell by the normal which inequalities are active. All
//! that are near the corner are tried, together with those of the flat parts.

use super::newton::{Root, STEPS};
use super::pair::{Pair, Touch};
use super::search_on;
use crate::Placed;
use crate::closest::{ClosestPoints, patch};

/// The root at the corners of the patch in which the bodies face each other, from the points furthest along some normal; the first
/// that is as deep as `enough`, or else the least deep.
pub(super) fn root<const D: usize>(
    (a, b): (&Placed<'_, D>, &Placed<'_, D>),
    pair: &Pair<'_, D>,
    (touch, enough): (&Touch<D>, f64),
) -> Option<Root<D>> {
    let [from, to] = [
        touch.a + touch.n * pair.radii[0],
        touch.b - touch.n * pair.radii[1],
    ];
    let outermost = ClosestPoints::exact(
        a.pose.apply(&from),
        a.pose.apply(&to),
        a.pose.rotate(&touch.n),
        touch.distance() - pair.radii[0] - pair.radii[1],
    );
    let depth = |root: &Option<Root<D>>| root.map_or(f64::INFINITY, |r| -r.touch.distance());
    let mut best: Option<Root<D>> = None;
    patch::corners(a, b, &outermost, &mut |corner| {
        let start = pair.shrunk(&a.pose, corner);
        let [of_a, of_b] = pair.meeting(&start);
        for features in of_a.iter().flat_map(|&a| of_b.iter().map(move |&b| [a, b])) {
            if depth(&best) <= enough {
                return;
            }
            let found = search_on(pair, features, start, STEPS);
            if depth(&found) < depth(&best) {
                best = found;
            }
        }
    });
    best
}
