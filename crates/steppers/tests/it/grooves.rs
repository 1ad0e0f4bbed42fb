//! A disc between two walls that friction could hold with any stress: no step may take one that throws the disc out.

use nalgebra::Vector2;
use signorini_dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini_geometry::{Ball, HalfSpace, Polygon};
use signorini_steppers::{
    ActiveSet, ContactForm, HartAnitescu, HartAnitescuSettings, ImpactLaw, StepError, Stepper,
    StewartTrinkle,
};

use crate::worlds::down;

const RADIUS: f64 = 0.1;
const MASS: f64 = 1.0;

/// Slopes of both walls in degrees, 90 a wall that stands.
const GROOVES: [[f64; 2]; 6] = [
    [30.0, 60.0],
    [45.0, 90.0],
    [60.0, 60.0],
    [60.0, 90.0],
    [75.0, 60.0],
    [80.0, 60.0],
];

/// Normals of the walls of a groove.
fn normals([a, b]: [f64; 2]) -> [Vector2<f64>; 2] {
    [(a, 1.0), (b, -1.0)].map(|(slope, side): (f64, f64)| {
        let angle = slope.to_radians();
        Vector2::new(side * angle.sin(), angle.cos())
    })
}

fn empty_groove(slopes: [f64; 2], mu: f64) -> World<2> {
    let settings = WorldSettings {
        material: ContactMaterial {
            friction: mu,
            ..ContactMaterial::default()
        },
        gravity: down(),
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    for (name, normal) in ["left", "right"].into_iter().zip(normals(slopes)) {
        let wall = HalfSpace::new(normal, 0.0).unwrap();
        world.add(Body::fixed(name, wall)).unwrap();
    }
    world
}

/// The disc above the bottom of a groove, turning and falling in one of several ways.
fn groove(slopes: [f64; 2], mu: f64, way: usize) -> World<2> {
    let mut world = empty_groove(slopes, mu);
    let area = std::f64::consts::PI * RADIUS * RADIUS;
    let mut disc = Body::solid("disc", Ball::new(RADIUS).unwrap(), MASS / area).unwrap();
    // At a distance from both walls.
    let [m, n] = normals(slopes);
    let gap = RADIUS + [0.0, 1e-3][way % 2];
    let cross = m[0] * n[1] - m[1] * n[0];
    disc.position[0] = (n[1] - m[1]) * gap / cross;
    disc.position[1] = (m[0] - n[0]) * gap / cross;
    let angle = 2.4 * way as f64;
    disc.velocity[0] = 2.0 * angle.sin();
    disc.velocity[1] = 2.0 * angle.cos() - 3.0;
    disc.velocity[2] = 10.0 * (1.7 * way as f64).sin();
    world.add(disc).unwrap();
    world
}

#[test]
fn stress_between_walls_throws_nothing_out() {
    let (mut refused, mut all) = (0, 0);
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        for slopes in GROOVES {
            for mu in [0.5, 1.0, 2.0, 10.0] {
                for way in 0..6 {
                    let world = groove(slopes, mu, way);
                    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
                        form,
                        impact: ImpactLaw::Moreau,
                        active: ActiveSet::Automatic,
                        ..HartAnitescuSettings::default()
                    });
                    let mut state = world.initial_state();
                    all += 1;
                    for _ in 0..50 {
                        match stepper.step(&world, &mut state, 0.03, &mut ()) {
                            Ok(report) => {
                                let [before, after] =
                                    [report.energy_before, report.energy_after].map(|e| e.total());
                                let gain = after - before;
                                let case = format!("{form:?} {slopes:?} {mu} {way} {}", state.t);
                                assert!(gain < 1e-6 * (1.0 + before.abs()), "{case}: {gain}");
                            }
                            Err(StepError::Unsolved { .. }) => {
                                refused += 1;
                                break;
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            }
        }
    }
    assert!(50 * refused <= all, "{refused} of {all}");
}

/// Of a square that turns into the groove the gaps are negative where the step is linearised, and what they ask for has no solution:
/// the step yields, says so, and ends with velocities that do not lead deeper.
#[test]
fn a_square_jams_in_a_groove_under_stewart_and_trinkle() {
    let (mut yielded, mut steps) = (0, 0);
    for slopes in GROOVES {
        for mu in [1.0, 2.0, 10.0] {
            for way in 0..6 {
                let mut world = groove(slopes, mu, way);
                let square = Polygon::rectangle(2.0 * RADIUS, 2.0 * RADIUS).unwrap();
                let mut body = Body::solid("square", square, 25.0).unwrap();
                // Its corners reach as far as the disc's middle is from the walls.
                let out = std::f64::consts::SQRT_2 * (1.0 + 1e-3);
                body.position[0] = out * world.initial_state().q[0];
                body.position[1] = out * world.initial_state().q[1];
                let start = world.initial_state().v;
                body.velocity.copy_from_slice(&start);
                world = empty_groove(slopes, mu);
                world.add(body).unwrap();
                let mut stepper = StewartTrinkle::default();
                let mut state = world.initial_state();
                for _ in 0..50 {
                    let report = stepper.step(&world, &mut state, 0.02, &mut ()).unwrap();
                    assert!(report.residual <= stepper.settings().tolerance);
                    let deepest = -report.worst_gap.unwrap_or(0.0);
                    assert!(deepest < 0.1 * RADIUS, "{slopes:?} {mu} {way}: {deepest}");
                    yielded += usize::from(!report.converged);
                    steps += 1;
                }
            }
        }
    }
    assert!(yielded > 0 && 10 * yielded < steps, "{yielded} of {steps}");
}
