//! Case scene-two-ball-gradient: what the end of a run with an impact depends on.

use nalgebra::Vector3;
use signorini_dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini_geometry::Ball;
use signorini_steppers::{HartAnitescu, Run, Stepper, StewartTrinkle, simulate};

/// Place of the right ball after 1 s, for x₁, x₂, v₁, v₂.
fn right_ball([x1, x2, v1, v2]: [f64; 4], h: f64, stepper: &mut dyn Stepper) -> f64 {
    let material = ContactMaterial {
        restitution: 1.0,
        ..ContactMaterial::default()
    };
    let mut world = World::<3>::with_settings(WorldSettings {
        material,
        gravity: Vector3::zeros(),
        ..WorldSettings::default()
    })
    .unwrap();
    for (name, x, v) in [("left", x1, v1), ("right", x2, v2)] {
        let mut ball = Body::solid(name, Ball::new(0.1).unwrap(), 1.0).unwrap();
        (ball.position[0], ball.velocity[0]) = (x, v);
        world.add(ball).unwrap();
    }
    let mut state = world.initial_state();
    let run = Run { h, until: 1.0 };
    simulate(&world, stepper, &mut state, run, &mut ()).unwrap();
    state.q[7]
}

/// x = v₁ T + x₁ + 2 r. The impact takes a time that depends on where in a step it falls: the place is off by at most h times the
/// speed, as the case allows. A secant of width w is off by that over w: the exact gradient is that of the case at no
/// step, and this test says how far off it is.
#[test]
fn the_end_is_right_to_a_step_and_secants_to_a_step_over_their_width() {
    const WIDTH: f64 = 0.05;
    let at = [0.0, 0.52, 1.0, 0.0];
    let schemes: [fn() -> Box<dyn Stepper>; 2] = [
        || Box::new(HartAnitescu::default()),
        || Box::new(StewartTrinkle::default()),
    ];
    for scheme in schemes {
        for h in [0.01, 0.001, 0.0001] {
            let place = right_ball(at, h, &mut *scheme());
            assert!((place - 1.2).abs() <= h, "{h}: {place}");
            for (k, slope) in [1.0, 0.0, 1.0, 0.0].into_iter().enumerate() {
                let [low, high] = [-0.5, 0.5].map(|part| {
                    let mut moved = at;
                    moved[k] += part * WIDTH;
                    right_ball(moved, h, &mut *scheme())
                });
                let secant = (high - low) / WIDTH;
                assert!(
                    (secant - slope).abs() <= 2.0 * h / WIDTH + 1e-9,
                    "{h} {k}: {secant}"
                );
            }
        }
    }
}
