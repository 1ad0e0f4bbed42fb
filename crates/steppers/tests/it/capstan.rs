//! A rope on a drum: friction holds a pull that is larger than the holding force by the exponential of the angle.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{
    AppliedWrench, Body, ContactMaterial, Inertia, Joint, JointKind, World, WorldSettings,
};
use signorini_geometry::Ball;
use signorini_steppers::{ContactForm, HartAnitescu, HartAnitescuSettings, Run, simulate};

use crate::worlds::close;

const NODES: usize = 20;
const RADIUS: f64 = 0.1;
const SIZE: f64 = 1e-4;

/// 20 nodes of 5 g, 9° apart, on a drum, joined by links without mass; the ends are pulled along the tangents.
fn rope(low: f64, high: f64) -> World<2> {
    let material = ContactMaterial {
        friction: 0.5,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        gravity: Vector2::zeros(),
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    world
        .add(Body::fixed("drum", Ball::new(RADIUS - SIZE).unwrap()))
        .unwrap();
    let mut last = None;
    for k in 0..NODES {
        let angle = (4.5 + 9.0 * k as f64).to_radians();
        // It does not turn to speak of: a node is a point.
        let mut node = Body::moving(format!("node {k}"), 0.005, Inertia::Scalar(1e3));
        node.shape = Some(Ball::new(SIZE).unwrap().into());
        node.position[..2].copy_from_slice(&[RADIUS * angle.cos(), RADIUS * angle.sin()]);
        let node = world.add(node).unwrap();
        // Where the rope leaves the drum, at 0° and 180°, its tangent is straight down.
        let pull = match k {
            0 => low,
            19 => high,
            _ => 0.0,
        };
        let wrench = vec![0.0, -pull, 0.0];
        world.apply(AppliedWrench::constant(node, wrench)).unwrap();
        if let Some(last) = last {
            let length = 2.0 * RADIUS * 4.5_f64.to_radians().sin();
            let kind = JointKind::Distance { length };
            world
                .join(Joint::new(format!("link {k}"), kind, last, node))
                .unwrap();
            world.exclude(last, node).unwrap();
        }
        last = Some(node);
    }
    world
}

/// How far the pulled end has gone along the pull after 0.3 s.
fn slip(high: f64, form: ContactForm) -> f64 {
    let world = rope(1.0, high);
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        form,
        ..HartAnitescuSettings::default()
    });
    let mut state = world.initial_state();
    let start = state.q.clone();
    let run = Run {
        h: 1e-3,
        until: 0.3,
    };
    simulate(&world, &mut stepper, &mut state, run, &mut ()).unwrap();
    let angle = (4.5 + 9.0 * 19.0_f64).to_radians();
    let tangent = Vector3::new(-angle.sin(), angle.cos(), 0.0);
    let end = 3 * (NODES - 1);
    (0..2)
        .map(|i| (state.q[end + i] - start[end + i]) * tangent[i])
        .sum()
}

#[test]
fn a_rope_on_a_drum_slips_at_the_ratio_of_its_angle() {
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        assert!(slip(4.7, form).abs() <= 1e-6, "{form:?}");
        assert!(slip(5.0, form) >= 0.005, "{form:?}");
        let (mut holds, mut slips) = (4.7, 5.0);
        while slips - holds > 0.01 {
            let middle = 0.5 * (holds + slips);
            if slip(middle, form) > 1e-5 {
                slips = middle;
            } else {
                holds = middle;
            }
        }
        let limit = 4.830_004_265_106_91;
        close(0.5 * (holds + slips), limit, 0.005 * limit);
    }
}
