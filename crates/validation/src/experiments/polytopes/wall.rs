//! A wall of fifty bricks in running bond, which stands.

use std::error::Error;

use nalgebra::Vector3;
use signorini::dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini::geometry::{HalfSpace, Polytope};
use signorini::steppers::{ContactForm, HartAnitescu, HartAnitescuSettings, Stepper};

/// Length, depth and height of a brick, m.
const BRICK: [f64; 3] = [0.25, 0.12, 0.065];

/// Mass of a brick, kg.
const MASS: f64 = 3.5;

/// Courses, of four bricks or of three and two halves at the ends, these at the bottom and at the top: fifty.
const COURSES: u32 = 11;

/// Time step, s.
const H: f64 = 0.01;

/// What a run of the wall came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) steps: u32,
    /// Largest component of a velocity, m/s and rad/s.
    pub(super) speed: f64,
    /// Largest way of a coordinate from the start, m and parts of a quaternion.
    pub(super) way: f64,
    /// Contacts in the last step.
    pub(super) contacts: usize,
}

/// The wall under this many steps of `HartAnitescu` with round cones.
pub(super) fn stand(steps: u32) -> Result<Standing, Box<dyn Error + Send + Sync>> {
    let world = wall()?;
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        form: ContactForm::Cone,
        ..HartAnitescuSettings::default()
    });
    let mut state = world.initial_state();
    let start = state.q.clone();
    let mut standing = Standing {
        steps,
        speed: 0.0,
        way: 0.0,
        contacts: 0,
    };
    for _ in 0..steps {
        let report = stepper.step(&world, &mut state, H, &mut ())?;
        standing.contacts = report.contacts.len();
        let moved = state.q.iter().zip(&start).map(|(a, b)| (a - b).abs());
        standing.way = moved.fold(standing.way, f64::max);
        standing.speed = state.v.iter().fold(standing.speed, |m, v| m.max(v.abs()));
    }
    Ok(standing)
}

/// Joints lie over the middles of bricks, and the ends are flush.
fn wall() -> Result<World<3>, Box<dyn Error + Send + Sync>> {
    let mut world = World::with_settings(WorldSettings {
        material: ContactMaterial {
            friction: 0.5,
            ..ContactMaterial::default()
        },
        gravity: Vector3::new(0.0, 0.0, -9.81),
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    let [length, depth, height] = BRICK;
    for course in 0..COURSES {
        let parts: &[f64] = if course % 2 == 0 {
            &[0.5, 1.0, 1.0, 1.0, 0.5]
        } else {
            &[1.0; 4]
        };
        let mut end = 0.0;
        for (k, part) in parts.iter().enumerate() {
            let brick = Polytope::cuboid(part * length, depth, height)?;
            let mut body = Body::solid(format!("brick {course}.{k}"), brick, part * MASS)?;
            body.position[0] = length * (end + 0.5 * part);
            body.position[2] = height * (f64::from(course) + 0.5);
            world.add(body)?;
            end += part;
        }
    }
    Ok(world)
}
