//! Bodies that pass beside corners: where bodies may be is a union (OR) of half-spaces there, and no row may make it their
//! intersection, nor choose one that lets bodies through. The examples are those of Egan, Berard and Trinkle 2003: extended
//! planes of faces that stop what passes beside them, and faces that are nearer than the one that was come through.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{Body, State, System, World, WorldSettings};
use signorini_geometry::{Ball, ConvexSet, Polygon, Polytope, Pose, Shape, Union};
use signorini_steppers::{
    ActiveSet, AnitescuPotra, ContactForm, Evaluation, GeometricallyImplicit, HartAnitescu,
    HartAnitescuSettings, Penalty, Projection, Stepper, StewartTrinkle, StewartTrinkleSettings,
};

use crate::worlds::G;

type Named = (&'static str, Box<dyn Stepper>);

fn stewart_trinkle(evaluation: Evaluation) -> Box<dyn Stepper> {
    Box::new(StewartTrinkle::new(StewartTrinkleSettings {
        evaluation,
        ..StewartTrinkleSettings::default()
    }))
}

fn hart_anitescu(active: ActiveSet, form: ContactForm) -> Box<dyn Stepper> {
    Box::new(HartAnitescu::new(HartAnitescuSettings {
        active,
        form,
        ..HartAnitescuSettings::default()
    }))
}

/// The schemes with rows that ask for a gap; sets of contacts as wide as the examples are.
fn linearised() -> Vec<Named> {
    let pyramid = ContactForm::Pyramid;
    let projected = HartAnitescuSettings {
        projection: Projection::Exact,
        ..HartAnitescuSettings::default()
    };
    vec![
        ("predicted", stewart_trinkle(Evaluation::Predicted)),
        ("current", stewart_trinkle(Evaluation::Current)),
        ("fixed point", stewart_trinkle(Evaluation::FixedPoint)),
        ("automatic", hart_anitescu(ActiveSet::Automatic, pyramid)),
        ("within", hart_anitescu(ActiveSet::Within(2.0), pyramid)),
        ("speed", hart_anitescu(ActiveSet::Speed(2.0), pyramid)),
        ("safe", hart_anitescu(ActiveSet::Safe(2.0), pyramid)),
        (
            "cone",
            hart_anitescu(ActiveSet::Within(2.0), ContactForm::Cone),
        ),
        (
            "relaxed",
            hart_anitescu(ActiveSet::Safe(2.0), ContactForm::Relaxed),
        ),
        ("projected", Box::new(HartAnitescu::new(projected))),
    ]
}

/// These, those without a gap (rows of what touches only, and forces), and the one whose unknowns are the closest points at
/// the end: what meets a face it may put beside it too, with all that the equations ask for, so that it is asked about
/// what meets nothing.
fn all_schemes() -> Vec<Named> {
    let mut all = linearised();
    all.push(("implicit", Box::new(GeometricallyImplicit::default())));
    all.push(("anitescu-potra", Box::new(AnitescuPotra::default())));
    all.push(("penalty", Box::new(Penalty::default())));
    all
}

fn world<const D: usize>(fixed: Shape<D>, moving: Shape<D>, gravity: f64) -> World<D> {
    let mut settings = WorldSettings::default();
    settings.gravity[D - 1] = -gravity;
    let mut world = World::with_settings(settings).unwrap();
    world.add(Body::fixed("ledge", fixed)).unwrap();
    world
        .add(Body::solid("body", moving, 1.0).unwrap())
        .unwrap();
    world
}

/// The state of the one moving body.
fn at<const D: usize>(world: &World<D>, x: [f64; D], v: [f64; D]) -> State {
    let mut state = world.initial_state();
    state.q[..D].copy_from_slice(&x);
    state.v[..D].copy_from_slice(&v);
    state
}

fn steps(world: &dyn System, scheme: &mut Named, state: &mut State, h: f64, count: usize) {
    for _ in 0..count {
        let step = scheme.1.step(world, state, h, &mut ());
        step.unwrap_or_else(|error| panic!("{}: {error}", scheme.0));
    }
}

/// The quarter of the plane below and left of the origin, as far as it matters.
fn ledge() -> Shape<2> {
    let square = ConvexSet::from(Polygon::rectangle(4.0, 4.0).unwrap());
    let place = Pose::from_position(Vector2::new(-2.0, -2.0));
    Union::new([(square, place)]).unwrap().into()
}

/// The same, of two triangles with the diagonal between them.
fn ledge_of_two() -> Shape<2> {
    let half = |x: f64, y: f64| {
        let corners = [[0.0, 0.0], [x, y], [-4.0, -4.0]];
        let turned = if x < y {
            corners
        } else {
            [corners[0], corners[2], corners[1]]
        };
        (Polygon::new(turned).unwrap(), Pose::identity())
    };
    Union::new([half(-4.0, 0.0), half(0.0, -4.0)])
        .unwrap()
        .into()
}

/// A small ball, a small box, a box on its corner: half a tenth wide or a little more.
fn small() -> [(Shape<2>, f64); 3] {
    let square = Polygon::rectangle(0.1, 0.1).unwrap();
    let half = 0.05 * 2.0_f64.sqrt();
    let diamond = Polygon::new([[half, 0.0], [0.0, half], [-half, 0.0], [0.0, -half]]).unwrap();
    [
        (Ball::new(0.05).unwrap().into(), 0.05),
        (square.into(), 0.05),
        (diamond.into(), half),
    ]
}

fn close(name: &str, found: &[f64], exact: &[f64], tolerance: f64) {
    let off = found.iter().zip(exact).map(|(x, y)| (x - y).abs());
    let off = off.fold(0.0, f64::max);
    assert!(off <= tolerance, "{name}: {found:?} for {exact:?}");
}

/// 1 m in one step, past the corner and beside the wall: nothing touches, and nothing happens.
#[test]
fn what_falls_past_a_ledge_is_not_stopped_by_its_plane() {
    for ground in [ledge(), ledge_of_two()] {
        for (shape, _) in small() {
            let world = world(ground.clone(), shape, 0.0);
            for mut scheme in all_schemes() {
                for x in [0.09, 0.2, 0.4] {
                    let mut state = at(&world, [x, 0.5], [0.0, -10.0]);
                    steps(&world, &mut scheme, &mut state, 0.1, 2);
                    close(scheme.0, &state.q, &[x, -1.5, 0.0], 1e-12);
                    close(scheme.0, &state.v, &[0.0, -10.0, 0.0], 1e-12);
                }
            }
        }
    }
}

/// The same across: over the edge of the top, and diagonally past the corner.
#[test]
fn what_passes_over_an_edge_is_not_stopped_by_its_wall() {
    for ground in [ledge(), ledge_of_two()] {
        for (shape, _) in small() {
            let world = world(ground.clone(), shape, 0.0);
            for mut scheme in all_schemes() {
                let mut state = at(&world, [0.5, 0.1], [-10.0, 0.0]);
                steps(&world, &mut scheme, &mut state, 0.1, 1);
                close(scheme.0, &state.q, &[-0.5, 0.1, 0.0], 1e-12);
                let mut state = at(&world, [-0.4, 0.6], [10.0, -10.0]);
                steps(&world, &mut scheme, &mut state, 0.1, 1);
                close(scheme.0, &state.q, &[0.6, -0.4, 0.0], 1e-12);
            }
        }
    }
}

/// What drifts into the wall below the corner is stopped by the wall, and falls on along it.
#[test]
fn what_meets_the_wall_below_the_corner_falls_on() {
    for ground in [ledge(), ledge_of_two()] {
        for (shape, half) in small() {
            let world = world(ground.clone(), shape, 0.0);
            for mut scheme in linearised() {
                let mut state = at(&world, [0.2, 0.5], [-2.0, -10.0]);
                steps(&world, &mut scheme, &mut state, 0.1, 2);
                close(scheme.0, &state.q, &[half, -1.5, 0.0], 1e-9);
                close(scheme.0, &state.v, &[0.0, -10.0, 0.0], 1e-8);
            }
        }
    }
}

/// What comes down on the top near its edge lands there, although the way out by the wall is the shorter one at the end of the
/// step.
#[test]
fn what_lands_near_an_edge_does_not_slip_past_it() {
    // Not the one on its corner, which falls over.
    for (shape, half) in small().into_iter().take(2) {
        let world = world(ledge(), shape, 0.0);
        for mut scheme in linearised() {
            for x in [-0.02, -0.1] {
                let mut state = at(&world, [x, 0.3 + half], [0.0, -9.0]);
                steps(&world, &mut scheme, &mut state, 0.1, 3);
                close(scheme.0, &state.q, &[x, half, 0.0], 1e-8);
                close(scheme.0, &state.v, &[0.0; 3], 1e-7);
            }
        }
    }
}

/// A small box slides over a large one at 10 m/s, off its end, and falls beside it as if it were not there.
#[test]
fn what_slides_off_a_box_falls_freely() {
    let world = world(ledge(), Polygon::rectangle(0.1, 0.1).unwrap().into(), G);
    let h = 0.01;
    for mut scheme in all_schemes() {
        if scheme.0 == "penalty" {
            continue; // it rests at a depth of its own
        }
        let mut state = at(&world, [-0.52, 0.05], [10.0, 0.0]);
        steps(&world, &mut scheme, &mut state, h, 4);
        close(scheme.0, &state.q[..2], &[-0.12, 0.05], 1e-9);
        // The middle of the box crosses the edge within a step; then nothing is below it.
        steps(&world, &mut scheme, &mut state, h, 3);
        let (height, speed) = (state.q[1], state.v[1]);
        assert!(speed <= 1e-9, "{}: {speed}", scheme.0);
        for k in 1..=20 {
            steps(&world, &mut scheme, &mut state, h, 1);
            let t = h * f64::from(k);
            let fallen = height + speed * t - G * t * (t + h) / 2.0;
            close(scheme.0, &state.q[1..2], &[fallen], 1e-9);
            close(scheme.0, &state.v[..1], &[10.0], 1e-9);
        }
    }
}

/// An L: in its inner corner both faces hold (AND), round its outer corners one does (OR).
#[test]
fn an_angle_is_a_corner_inside_and_a_way_round_outside() {
    let [floor, wall] = [(4.0, 1.0), (1.0, 2.0)].map(|(w, h)| Polygon::rectangle(w, h).unwrap());
    let place = |x: f64, y: f64| Pose::from_position(Vector2::new(x, y));
    let angle = Union::new([(floor, place(1.0, -0.5)), (wall, place(-0.5, 1.0))]).unwrap();
    let world = world(angle.into(), Ball::new(0.05).unwrap().into(), 0.0);
    for mut scheme in linearised() {
        for (x, v) in [([0.3, 0.4], [-8.0, -8.0]), ([0.1, 0.5], [-1.0, -9.0])] {
            let mut state = at(&world, x, v);
            steps(&world, &mut scheme, &mut state, 0.1, 4);
            close(scheme.0, &state.q[..2], &[0.05; 2], 1e-8);
        }
        // Over the wall and down behind it; past the end of the floor.
        for (x, v) in [
            ([0.2, 2.1], [-5.0, 0.0]),
            ([-0.7, 2.4], [-8.0, -8.0]),
            ([3.3, 0.3], [0.0, -10.0]),
            ([3.0, 0.2], [6.0, -6.0]),
        ] {
            let mut state = at(&world, x, v);
            steps(&world, &mut scheme, &mut state, 0.1, 1);
            close(
                scheme.0,
                &state.q[..2],
                &[x[0] + 0.1 * v[0], x[1] + 0.1 * v[1]],
                1e-12,
            );
        }
    }
}

/// In space: a small cube past an edge and past a corner of a large one, against its wall, and onto its top beside the edge.
#[test]
fn cubes_pass_each_other_in_space() {
    let large = ConvexSet::from(Polytope::cuboid(4.0, 4.0, 4.0).unwrap());
    let place = Pose::from_position(Vector3::new(-2.0, -2.0, -2.0));
    let large = Union::new([(large, place)]).unwrap();
    let small = Polytope::cuboid(0.1, 0.1, 0.1).unwrap();
    let world = world(large.into(), small.into(), 0.0);
    for mut scheme in linearised() {
        for (x, v) in [
            ([0.2, -1.0, 0.5], [0.0, 0.0, -10.0]),
            ([0.2, 0.3, 0.5], [-1.0, -1.0, -10.0]),
            ([-0.4, 0.2, 0.5], [8.0, -1.0, -10.0]),
        ] {
            let mut state = at(&world, x, v);
            steps(&world, &mut scheme, &mut state, 0.1, 1);
            let free: Vec<f64> = x.iter().zip(v).map(|(x, v)| x + 0.1 * v).collect();
            close(scheme.0, &state.q[..3], &free, 1e-12);
        }
        let mut state = at(&world, [0.2, -1.0, 0.5], [-2.0, 0.0, -10.0]);
        steps(&world, &mut scheme, &mut state, 0.1, 2);
        close(scheme.0, &state.q[..3], &[0.05, -1.0, -1.5], 1e-8);
        for x in [-0.02, -0.1] {
            let mut state = at(&world, [x, -1.0, 0.35], [0.0, 0.0, -9.0]);
            steps(&world, &mut scheme, &mut state, 0.1, 3);
            close(scheme.0, &state.q[..3], &[x, -1.0, 0.05], 1e-8);
        }
    }
}
