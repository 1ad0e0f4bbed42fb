//! Flush faces of several pieces are one face: bodies of pieces move on grounds of pieces as solid ones on one slab.
//!
//! Where the four corners of a box carry its weight their parts in it are not determined, and with them friction is not where a box
//! slides and spins at once. A prism stands on three corners, whose parts are, and so a spinning box where friction is the same
//! for both diagonals: all corners of a box with cones, those of a square one with pyramids.

use nalgebra::{UnitQuaternion, Vector3};
use signorini_dynamics::{Body, World};
use signorini_geometry::{ConvexSet, Polytope, Pose, Union};
use signorini_steppers::{AnitescuPotra, ContactForm, HartAnitescu, HartAnitescuSettings, Stepper};

use crate::seams::{as_one_and_apart, at, world};

pub(crate) type Pieces = Vec<(ConvexSet<3>, Pose<3>)>;

const HEIGHT: f64 = 0.4;

fn schemes() -> [(&'static str, Box<dyn Stepper>); 3] {
    let hart_anitescu = |form| {
        Box::new(HartAnitescu::new(HartAnitescuSettings {
            form,
            ..HartAnitescuSettings::default()
        }))
    };
    [
        ("pyramid", hart_anitescu(ContactForm::Pyramid)),
        ("cone", hart_anitescu(ContactForm::Cone)),
        ("anitescu-potra", Box::new(AnitescuPotra::default())),
    ]
}

/// A box cut into equal ones along its axes.
pub(crate) fn block(size: [f64; 3], counts: [u8; 3]) -> Pieces {
    let piece = [0, 1, 2].map(|k| size[k] / f64::from(counts[k]));
    let set = ConvexSet::from(Polytope::cuboid(piece[0], piece[1], piece[2]).unwrap());
    let place = |k: usize, n: u8| (f64::from(n) + 0.5) * piece[k] - 0.5 * size[k];
    let mut out = Vec::new();
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                out.push((set.clone(), at([place(0, i), place(1, j), place(2, k)])));
            }
        }
    }
    out
}

/// A prism on a triangle, whole or cut from its first corner and at half of its height.
fn prism(is_cut: bool) -> Pieces {
    let [a, b, c] = [[0.35, -0.05], [-0.2, 0.28], [-0.15, -0.23]];
    let middle = [0.5 * (b[0] + c[0]), 0.5 * (b[1] + c[1])];
    let (half, full) = (0.5 * HEIGHT, HEIGHT);
    let all = if is_cut {
        let layers = [[-half, 0.0], [0.0, half]];
        let cut = |z| [([a, b, middle], z), ([a, middle, c], z)];
        layers.into_iter().flat_map(cut).collect()
    } else {
        vec![([a, b, c], [-0.5 * full, 0.5 * full])]
    };
    let piece = |(corners, z): ([[f64; 2]; 3], [f64; 2])| {
        let points = z.map(|z| corners.map(|[x, y]| Vector3::new(x, y, z)));
        let set = Polytope::new(points.into_iter().flatten()).unwrap();
        (ConvexSet::from(set), at([0.0; 3]))
    };
    all.into_iter().map(piece).collect()
}

/// 20 kg with the moments of a block, however cut.
fn body(pieces: Pieces, velocity: [f64; 6]) -> Body<3> {
    let shape = Union::new(pieces).unwrap();
    let mut body = Body::solid("body", shape, 20.0).unwrap();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.4);
    let z = 0.5 * HEIGHT;
    body.position = vec![0.13, -0.08, z, turn.w, turn.i, turn.j, turn.k];
    body.velocity = velocity.to_vec();
    body
}

fn ground(counts: [u8; 3]) -> [Vec<Body<3>>; 2] {
    let lowered = |(set, pose): (ConvexSet<3>, Pose<3>)| {
        let place = pose.position - Vector3::new(0.0, 0.0, 0.15);
        (set, Pose::from_position(place))
    };
    let pieces: Pieces = block([2.4, 2.2, 0.3], counts)
        .into_iter()
        .map(lowered)
        .collect();
    as_one_and_apart(&pieces)
}

/// How far apart two worlds get in 0.25 s, m and m/s, and how many contacts the second has at most in a step.
fn compare(worlds: [&World<3>; 2], of: &dyn Fn() -> Box<dyn Stepper>) -> (f64, usize) {
    let mut schemes = [of(), of()];
    let mut states = worlds.map(World::initial_state);
    let (mut far, mut most) = (0.0_f64, 0);
    for _ in 0..50 {
        for k in 0..2 {
            let report = schemes[k]
                .step(worlds[k], &mut states[k], 0.005, &mut ())
                .unwrap();
            most = report.contacts.len().max(if k == 1 { most } else { 0 });
        }
        let [one, other] = &states;
        let pairs = one.q.iter().zip(&other.q).chain(one.v.iter().zip(&other.v));
        far = pairs.map(|(x, y)| (x - y).abs()).fold(far, f64::max);
    }
    (far, most)
}

const STILL: [f64; 6] = [0.0; 6];
const SLIDING: [f64; 6] = [0.7, -0.4, 0.0, 0.0, 0.0, 0.0];
const SPINNING: [f64; 6] = [0.0, 0.0, 0.0, 0.0, 0.0, 5.0];
const BOTH: [f64; 6] = [0.7, -0.4, 0.0, 0.0, 0.0, 5.0];

const GROUNDS: [[u8; 3]; 4] = [[1, 1, 1], [2, 1, 1], [2, 2, 1], [3, 3, 1]];

fn is_as_solid(
    (solid, corners): (&Pieces, usize),
    cuts: &[Pieces],
    motions: &[[f64; 6]],
    grounds: &[[u8; 3]],
) {
    for &motion in motions {
        let one = world(&ground([1, 1, 1])[0], &body(solid.clone(), motion), 0.5);
        for cut in cuts {
            for &counts in grounds {
                for ground in ground(counts) {
                    let pieces = world(&ground, &body(cut.clone(), motion), 0.5);
                    for k in 0..schemes().len() {
                        let scheme = || schemes().into_iter().nth(k).unwrap().1;
                        let (far, most) = compare([&one, &pieces], &scheme);
                        let (name, count) = (schemes()[k].0, cut.len());
                        let case = format!("{name}, {count} on {counts:?}, {motion:?}");
                        assert!(far <= 1e-9, "{case}: {far}");
                        assert!(most <= corners, "{case}: {most} contacts");
                    }
                }
            }
        }
    }
}

#[test]
fn a_box_of_pieces_moves_as_a_solid_one() {
    let size = [0.5, 0.5, HEIGHT];
    let cuts = [[2, 1, 1], [1, 2, 2], [2, 2, 2]].map(|counts| block(size, counts));
    is_as_solid(
        (&block(size, [1, 1, 1]), 4),
        &cuts,
        &[STILL, SLIDING, SPINNING],
        &GROUNDS,
    );
}

#[test]
fn a_prism_of_pieces_moves_as_a_solid_one() {
    let cuts = [prism(false), prism(true)];
    let solid = prism(false);
    is_as_solid(
        (&solid, 3),
        &cuts,
        &[STILL, SLIDING, SPINNING, BOTH],
        &GROUNDS,
    );
}
