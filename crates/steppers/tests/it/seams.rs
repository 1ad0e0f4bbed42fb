//! Flush pieces are one surface: bodies that land, tip and slide where pieces meet move as on one piece, and gain nothing.

use nalgebra::{SVector, UnitQuaternion, Vector2, Vector3};
use signorini_dynamics::{Body, ContactMaterial, State, System, World, WorldSettings};
use signorini_geometry::{Ball, ConvexSet, HeightField, Polygon, Polytope, Pose, Union};
use signorini_steppers::{
    AnitescuPotra, ContactForm, Evaluation, GeometricallyImplicit, HartAnitescu,
    HartAnitescuSettings, Stepper, StewartTrinkle, StewartTrinkleSettings,
};

use crate::worlds::G;

pub(crate) type Named = (&'static str, Box<dyn Stepper>);

pub(crate) fn linearised() -> [Named; 5] {
    let hart_anitescu = |form| {
        Box::new(HartAnitescu::new(HartAnitescuSettings {
            form,
            ..HartAnitescuSettings::default()
        }))
    };
    let current = StewartTrinkleSettings {
        evaluation: Evaluation::Current,
        ..StewartTrinkleSettings::default()
    };
    [
        ("predicted", Box::new(StewartTrinkle::default())),
        ("current", Box::new(StewartTrinkle::new(current))),
        ("pyramid", hart_anitescu(ContactForm::Pyramid)),
        ("cone", hart_anitescu(ContactForm::Cone)),
        ("anitescu-potra", Box::new(AnitescuPotra::default())),
    ]
}

pub(crate) fn at<const D: usize>(x: [f64; D]) -> Pose<D> {
    Pose::from_position(SVector::from(x))
}

pub(crate) fn world<const D: usize>(
    ground: &[Body<D>],
    moving: &Body<D>,
    friction: f64,
) -> World<D> {
    let mut settings = WorldSettings {
        material: ContactMaterial {
            friction,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    };
    settings.gravity[D - 1] = -G;
    let mut world = World::with_settings(settings).unwrap();
    for body in ground.iter().chain([moving]) {
        world.add(body.clone()).unwrap();
    }
    world
}

/// The pieces as one body and as bodies of their own.
pub(crate) fn as_one_and_apart<const D: usize>(
    pieces: &[(ConvexSet<D>, Pose<D>)],
) -> [Vec<Body<D>>; 2] {
    let apart = pieces.iter().enumerate().map(|(k, (set, pose))| {
        let mut body = Body::fixed(format!("piece{k}"), set.clone());
        body.position[..D].copy_from_slice(pose.position.as_slice());
        body
    });
    let union = Union::new(pieces.to_vec()).unwrap();
    [vec![Body::fixed("union", union)], apart.collect()]
}

/// What a run gives: the most energy that a step adds, the deepest penetration at an end of a step, and the state.
pub(crate) struct Ran {
    pub(crate) gain: f64,
    pub(crate) depth: f64,
    pub(crate) state: State,
}

pub(crate) fn run<const D: usize>(
    world: &World<D>,
    scheme: &mut dyn Stepper,
    h: f64,
    until: f64,
) -> Ran
where
    World<D>: System,
{
    let mut state = world.initial_state();
    let (mut gain, mut depth) = (0.0_f64, 0.0_f64);
    while state.t < until - 0.5 * h {
        let report = scheme.step(world, &mut state, h, &mut ()).unwrap();
        gain = gain.max(report.energy_after.total() - report.energy_before.total());
        depth = depth.max(-report.worst_gap.unwrap_or(0.0));
    }
    Ran { gain, depth, state }
}

/// On the seams a body gets where it gets on one piece, to `near` (m and rad), as deep and with no more energy.
pub(crate) fn is_as_on_one_piece<const D: usize>(
    (seams, one): (&World<D>, &World<D>),
    (name, mut scheme): Named,
    (h, until): (f64, f64),
    near: f64,
) where
    World<D>: System,
{
    let found = run(seams, scheme.as_mut(), h, until);
    let expected = run(one, scheme.as_mut(), h, until);
    let far = found.state.q.iter().zip(&expected.state.q);
    let far = far.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(far <= near, "{name} {h}: {far}");
    assert!(
        found.gain <= expected.gain + 1e-6,
        "{name} {h}: {} J",
        found.gain
    );
    assert!(
        found.depth <= expected.depth + near.max(1e-6),
        "{name} {h}: {} m",
        found.depth
    );
}

fn slabs(counts: [u8; 2]) -> Vec<(ConvexSet<3>, Pose<3>)> {
    let size = counts.map(|n| 2.0 / f64::from(n));
    let set = ConvexSet::from(Polytope::cuboid(size[0], size[1], 0.2).unwrap());
    let place = |k: u8, axis: usize| (f64::from(k) + 0.5) * size[axis] - 1.0;
    let all = (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| [i, j]));
    all.map(|[i, j]| (set.clone(), at([place(i, 0), place(j, 1), -0.1])))
        .collect()
}

/// A brick turned about the y axis whose lowest edge is at x = 0 and 3 cm high.
fn tilted_brick(y: f64, speed: f64) -> Body<3> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -0.5);
    let edge = turn * Vector3::new(-0.2, 0.0, -0.05);
    let brick = Polytope::cuboid(0.4, 0.2, 0.1).unwrap();
    let mut body = Body::solid("brick", brick, 1.0).unwrap();
    body.position[..3].copy_from_slice(&[-edge.x, y, 0.03 - edge.z]);
    let [x, y, z] = [turn.i, turn.j, turn.k];
    body.position[3..7].copy_from_slice(&[turn.w, x, y, z]);
    body.velocity[2] = -speed;
    body
}

/// It came down with 342 J in a step from 1.8 J, as beside the corner of the four the nearest face of each pair was one of the
/// brick's, which is none of the ground's surface, and nothing else was asked.
#[test]
fn a_tilted_brick_lands_where_four_slabs_meet() {
    let one = [Body::fixed("slab", slabs([1, 1])[0].0.clone())].map(|mut body| {
        body.position[2] = -0.1;
        body
    });
    for (speed, h) in [(0.5, 0.005), (2.0, 0.01)] {
        for y in [0.0, 0.05] {
            let brick = tilted_brick(y, speed);
            let solid = world(&one, &brick, 0.0);
            for ground in as_one_and_apart(&slabs([2, 2])) {
                let seams = world(&ground, &brick, 0.0);
                for scheme in linearised() {
                    // Rows of what touches only begin with the corners of the pieces in the brick's face, too.
                    let near = if scheme.0 == "anitescu-potra" {
                        0.02
                    } else {
                        1e-6
                    };
                    is_as_on_one_piece((&seams, &solid), scheme, (h, 0.2), near);
                }
            }
        }
    }
}

/// A level brick lands with its side over the grid line of a field of heights, where columns end in a point.
#[test]
fn a_brick_lands_with_its_side_on_a_grid_line() {
    let field = HeightField::new(vec![vec![0.0; 5]; 5], [0.5, 0.5]).unwrap();
    let fields = [
        field.ground(0.2).unwrap(),
        field.mesh().unwrap().ground(0.2).unwrap(),
    ];
    let brick = ConvexSet::from(Polytope::cuboid(0.4, 0.2, 0.1).unwrap());
    for field in fields {
        for y in [0.0, 0.05] {
            let mut body = Body::solid("brick", brick.clone(), 1.0).unwrap();
            body.position[..3].copy_from_slice(&[0.2, y, 0.08]);
            body.velocity[2] = -1.0;
            let world = world(&[Body::fixed("ground", field.clone())], &body, 0.5);
            for (name, mut scheme) in linearised() {
                let Ran { gain, state, .. } = run(&world, scheme.as_mut(), 0.005, 0.2);
                assert!(gain < 1e-9, "{name}: {gain}");
                for (now, then) in state.q.iter().zip([0.2, y, 0.05, 1.0, 0.0, 0.0, 0.0]) {
                    // `AnitescuPotra` knows no gap and keeps what it sinks in while it falls.
                    let near = if name == "anitescu-potra" { 0.01 } else { 1e-9 };
                    assert!((now - then).abs() < near, "{name}: {:?}", state.q);
                }
            }
        }
    }
}

fn bars(pieces: &[([f64; 2], [f64; 2])]) -> Vec<(ConvexSet<2>, Pose<2>)> {
    let bar = |&([width, height], place): &([f64; 2], [f64; 2])| {
        let set = ConvexSet::from(Polygon::rectangle(width, height).unwrap());
        (set, at(place))
    };
    pieces.iter().map(bar).collect()
}

fn one_bar() -> [Body<2>; 1] {
    let mut body = Body::fixed("bar", Polygon::rectangle(2.0, 0.2).unwrap());
    body.position[1] = -0.1;
    [body]
}

fn two_bars() -> [Vec<Body<2>>; 2] {
    as_one_and_apart(&bars(&[
        ([1.0, 0.2], [-0.5, -0.1]),
        ([1.0, 0.2], [0.5, -0.1]),
    ]))
}

/// A disc beside a seam or across it in the step: it sank in by 9 mm, as the contact at the end of the step was that of the
/// piece that it is not over at the start.
#[test]
fn a_fast_disc_beside_a_seam_is_met_in_its_first_step() {
    let disc = ConvexSet::<2>::from(Ball::new(0.1).unwrap());
    for (x, along) in [
        (0.0, 0.0),
        (0.001, 0.0),
        (-0.01, 0.0),
        (-0.006, 2.0),
        (0.004, -5.0),
    ] {
        let mut body = Body::solid("disc", disc.clone(), 1.0).unwrap();
        body.position[..2].copy_from_slice(&[x, 0.101]);
        body.velocity[..2].copy_from_slice(&[along, -2.0]);
        let solid = world(&one_bar(), &body, 0.3);
        for ground in two_bars() {
            let seams = world(&ground, &body, 0.3);
            for scheme in linearised() {
                is_as_on_one_piece((&seams, &solid), scheme, (0.005, 0.1), 1e-9);
            }
        }
    }
}

/// A square that comes down on its corner by a seam gets no push along the surface, which has no friction.
#[test]
fn a_corner_that_lands_by_a_seam_is_not_pushed_aside() {
    let square = ConvexSet::from(Polygon::rectangle(0.2, 0.2).unwrap());
    for x in [-0.1, -0.001, 0.0, 0.0001, 0.002] {
        let mut body = Body::solid("square", square.clone(), 1.0).unwrap();
        let angle = 2.023_f64;
        let turn = |p: Vector2<f64>| {
            let (sin, cos) = angle.sin_cos();
            Vector2::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y)
        };
        let corners = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]];
        let corners = corners.map(|p| turn(Vector2::from(p)));
        let lowest = corners.iter().min_by(|p, q| p.y.total_cmp(&q.y)).unwrap();
        body.position = vec![x - lowest.x, 0.007 - lowest.y, angle];
        body.velocity[1] = -3.66;
        for ground in two_bars() {
            let seams = world(&ground, &body, 0.0);
            for (name, mut scheme) in linearised() {
                let Ran { gain, state, .. } = run(&seams, scheme.as_mut(), 0.01, 0.1);
                assert!(
                    (state.q[0] - body.position[0]).abs() < 1e-9,
                    "{name}: {:?}",
                    state.q
                );
                assert!(gain < 1e-9, "{name}: {gain}");
            }
        }
    }
}

/// A tip that stands in the inner corner of a floor and a wall, flush or one in the other, sank into the floor, whose nearest face was
/// the tip's own side, and came out with 962 J.
#[test]
fn a_tip_in_an_inner_corner_stays_out_of_floor_and_wall() {
    let flush = bars(&[([0.4, 0.6], [-0.2, 0.1]), ([0.8, 0.2], [0.4, -0.1])]);
    let over = bars(&[([0.4, 0.6], [-0.2, 0.1]), ([1.0, 0.2], [0.3, -0.1])]);
    let corners = [
        Vector2::new(-0.1, -0.08),
        Vector2::new(0.1, -0.08),
        Vector2::new(0.0, 0.16),
    ];
    let tip = Polygon::new(corners).unwrap();
    for pieces in [flush, over] {
        for ground in as_one_and_apart(&pieces) {
            for speed in [0.0, 0.5] {
                let mut body = Body::solid("tip", tip.clone(), 1.0).unwrap();
                let (sin, cos) = 0.2_f64.sin_cos();
                let foot = Vector2::new(-0.1 * cos + 0.08 * sin, -0.1 * sin - 0.08 * cos);
                body.position = vec![-foot.x, -foot.y, 0.2];
                body.velocity[0] = -speed;
                let world = world(&ground, &body, 0.3);
                for (name, mut scheme) in linearised() {
                    let Ran { gain, state, .. } = run(&world, scheme.as_mut(), 0.002, 0.5);
                    assert!(gain < 1e-6, "{name}: {gain}");
                    let end = [state.q[1], state.q[2]];
                    let lies = (end[0] - 0.08).abs() < 1e-3 && end[1].abs() < 1e-2;
                    assert!(lies, "{name}: {end:?}");
                }
            }
        }
    }
}

/// A pyramid that lies on two slabs and turns its tip down into the seam between them: the tip is met, though other corners of
/// the same pieces hold the body up.
#[test]
fn a_tip_that_comes_down_on_a_seam_is_met() {
    let base = [[-0.08, -0.08], [0.08, -0.08], [0.08, 0.08], [-0.08, 0.08]];
    let base = base.map(|[x, y]| Vector3::new(x, y, 0.075));
    let tip = Vector3::new(0.0, 0.0, -0.225);
    let pyramid = Polytope::new(base.into_iter().chain([tip])).unwrap();
    let one = [Body::fixed("slab", slabs([1, 1])[0].0.clone())].map(|mut body| {
        body.position[2] = -0.1;
        body
    });
    for y in [0.0, 1e-9] {
        let mut body = Body::solid("pyramid", pyramid.clone(), 1.0).unwrap();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 1.0);
        body.position[..7].copy_from_slice(&[0.0, y, 0.2, turn.w, turn.i, turn.j, turn.k]);
        let solid = world(&one, &body, 0.5);
        for ground in as_one_and_apart(&slabs([1, 2])) {
            let seams = world(&ground, &body, 0.5);
            for scheme in linearised() {
                is_as_on_one_piece((&seams, &solid), scheme, (0.002, 0.4), 1e-5);
            }
        }
    }
}

/// The scheme whose unknowns are the closest points at the end had no such fault.
/// A cube comes down flat with its front over the next slab, whose side it passes in the step in which it lands: without friction
/// it goes on as fast as before.
#[test]
fn a_flat_cube_goes_on_over_the_seam_on_which_it_lands() {
    let slab = ConvexSet::from(Polytope::cuboid(1.0, 2.0, 0.4).unwrap());
    let pieces = [-0.5, 0.5].map(|x| (slab.clone(), at([x, 0.0, -0.2])));
    let mut cube =
        Body::with_density("cube", Polytope::cuboid(0.2, 0.2, 0.2).unwrap(), 125.0).unwrap();
    cube.position[..3].copy_from_slice(&[-0.11, 0.0, 0.100_001]);
    cube.velocity = vec![2.0, 0.0, -3.0, 0.0, 0.0, 0.0];
    for ground in as_one_and_apart(&pieces) {
        let world = world(&ground, &cube, 0.0);
        for (name, mut scheme) in linearised() {
            let ran = run(&world, &mut *scheme, 0.01, 0.03);
            let v = &ran.state.v;
            assert!((v[0] - 2.0).abs() < 1e-9, "{name}: {v:?}");
            assert!(v[1..].iter().all(|v| v.abs() < 1e-9), "{name}: {v:?}");
        }
    }
}

#[test]
fn the_implicit_scheme_lands_on_seams_too() {
    for ground in as_one_and_apart(&slabs([2, 2])) {
        let world = world(&ground, &tilted_brick(0.0, 0.5), 0.0);
        let scheme = &mut GeometricallyImplicit::default();
        let Ran { gain, depth, .. } = run(&world, scheme, 0.002, 0.3);
        assert!(gain < 1e-6 && depth < 1e-9, "{gain} {depth}");
    }
}

/// What begins deep in a field of heights falls through it, and the report tells of how deep it is.
#[test]
fn what_no_contact_holds_is_a_penetration() {
    let field = HeightField::new(vec![vec![0.0; 21]; 21], [0.2, 0.2]).unwrap();
    let ground = Body::fixed("ground", field.ground(1.0).unwrap());
    let mut body = Body::solid("ball", Ball::new(0.1).unwrap(), 1.0).unwrap();
    body.position[..3].copy_from_slice(&[0.63, 0.52, -0.5]);
    let world = world(&[ground], &body, 0.5);
    let mut scheme = StewartTrinkle::default();
    let Ran { gain, depth, .. } = run(&world, &mut scheme, 0.002, 0.02);
    assert!(gain < 1e-9 && depth > 0.1, "{gain} {depth}");
}
