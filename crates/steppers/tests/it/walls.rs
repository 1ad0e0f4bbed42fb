//! Boxes that fall along a wall: impulses that are nothing beside the velocities, and less in every step.

use nalgebra::{SVector, Vector2, Vector3};
use signorini_dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini_geometry::{Polygon, Polytope};
use signorini_steppers::{
    AnitescuPotra, ContactForm, GeometricallyImplicit, HartAnitescu, HartAnitescuSettings, Stepper,
    StewartTrinkle,
};

use crate::worlds::{G, close, down};

const H: f64 = 0.01;

/// Speeds at which a box comes to its wall, m/s.
const APPROACHES: [f64; 7] = [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1];

fn settings<const D: usize>(friction: f64, gravity: SVector<f64, D>) -> WorldSettings<D> {
    WorldSettings {
        material: ContactMaterial {
            friction,
            ..ContactMaterial::default()
        },
        gravity,
        ..WorldSettings::default()
    }
}

/// A box of 1 kg and 0.2 m that touches a wall, in the plane.
fn in_the_plane(mu: f64) -> World<2> {
    let mut world = World::with_settings(settings(mu, down())).unwrap();
    let wall = Polygon::rectangle(0.2, 8.0).unwrap();
    world.add(Body::fixed("wall", wall)).unwrap();
    let small = Polygon::rectangle(0.2, 0.2).unwrap();
    let mut body = Body::solid("box", small, 25.0).unwrap();
    body.position[0] = 0.2;
    world.add(body).unwrap();
    world
}

/// The same in space.
fn in_space(mu: f64) -> World<3> {
    let mut world = World::with_settings(settings(mu, down())).unwrap();
    let wall = Polytope::cuboid(0.2, 4.0, 8.0).unwrap();
    world.add(Body::fixed("wall", wall)).unwrap();
    let small = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
    let mut body = Body::solid("box", small, 125.0).unwrap();
    body.position[0] = 0.2;
    world.add(body).unwrap();
    world
}

fn hart(form: ContactForm) -> Box<dyn Stepper> {
    Box::new(HartAnitescu::new(HartAnitescuSettings {
        form,
        ..HartAnitescuSettings::default()
    }))
}

/// Every scheme, and whether its law is Coulomb's.
fn schemes() -> Vec<(Box<dyn Stepper>, bool)> {
    vec![
        (hart(ContactForm::Pyramid), true),
        (hart(ContactForm::Cone), true),
        (hart(ContactForm::Relaxed), false),
        (hart(ContactForm::RelaxedPyramid), false),
        (Box::new(AnitescuPotra::default()), true),
        (Box::new(StewartTrinkle::default()), true),
        (Box::new(GeometricallyImplicit::default()), true),
    ]
}

/// The speed along the wall after the first step, downwards, and that with which the box leaves it: the wall gives c = a against an
/// approach a and μ c against the fall, and the relaxed law (c − a) = μ (g h − μ c).
fn first_step(mu: f64, approach: f64, coulomb: bool) -> (f64, f64) {
    let c = if coulomb {
        approach
    } else {
        ((approach + mu * G * H) / (1.0 + mu * mu)).max(approach)
    };
    ((G * H - mu * c).max(0.0), c - approach)
}

/// Falls for 0.3 s beside the wall, `[x, down]` of the velocities.
fn fall<const D: usize>(
    world: &World<D>,
    (stepper, coulomb): &mut (Box<dyn Stepper>, bool),
    (mu, approach): (f64, f64),
    [x, down]: [usize; 2],
) {
    let name = format!("{} {coulomb} {mu} {approach}", stepper.name());
    let mut state = world.initial_state();
    state.v[x] = -approach;
    let mut before = 0.0;
    for step in 0..30 {
        let report = stepper.step(world, &mut state, H, &mut ());
        let report = report.unwrap_or_else(|e| panic!("{name}, step {step}: {e}"));
        assert!(report.residual <= 1e-9, "{name}, step {step}");
        let speed = -state.v[down];
        if step == 0 {
            let (falls, leaves) = first_step(mu, approach, *coulomb);
            close(speed, falls, 1e-9);
            close(state.v[x], leaves, 1e-9);
        } else if *coulomb {
            // Nothing holds it from now on.
            close(speed, before + G * H, 1e-9);
        } else {
            assert!(speed > before && speed <= before + G * H + 1e-12, "{name}");
        }
        before = speed;
        for contact in &report.contacts {
            assert!(
                contact.gap >= -1e-12,
                "{name}, step {step}: {}",
                contact.gap
            );
        }
        let others = state.v.iter().enumerate();
        for (k, v) in others.filter(|(k, _)| ![x, down].contains(k)) {
            assert!(v.abs() <= 1e-9, "{name}, step {step}: v[{k}] = {v}");
        }
    }
    if approach == 0.0 && *coulomb {
        close(state.v[down], -G * 0.3, 1e-12);
    }
}

/// Beside a speed of 0.1 m/s rounding of the natural map is 1e-17 m/s, and the impulses are as small: in relation to them no point
/// was a solution.
#[test]
fn a_box_falls_along_a_wall_in_the_plane() {
    for mu in [0.0, 0.3, 1.0] {
        let world = in_the_plane(mu);
        for approach in APPROACHES {
            for mut scheme in schemes() {
                fall(&world, &mut scheme, (mu, approach), [0, 1]);
            }
        }
    }
}

#[test]
fn a_box_falls_along_a_wall_in_space() {
    for mu in [0.0, 0.3, 1.0] {
        let world = in_space(mu);
        for approach in APPROACHES {
            for mut scheme in schemes() {
                fall(&world, &mut scheme, (mu, approach), [0, 2]);
            }
        }
    }
}

/// A heap that slides without weight: impulses vanish in the first step, and everybody keeps the velocity that it had.
#[test]
fn boxes_without_weight_slide_on() {
    let mut world = World::with_settings(settings::<3>(0.5, Vector3::zeros())).unwrap();
    let ground = Polytope::cuboid(10.0, 10.0, 0.2).unwrap();
    world.add(Body::fixed("ground", ground)).unwrap();
    for k in 0..4 {
        let small = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
        let mut body = Body::solid(format!("box {k}"), small, 125.0).unwrap();
        body.position[2] = 0.2 + 0.2 * f64::from(k);
        body.velocity[0] = 0.5 * f64::from(k);
        body.velocity[1] = 0.1 * f64::from(k);
        world.add(body).unwrap();
    }
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::RelaxedPyramid,
        ContactForm::Relaxed,
    ] {
        let relaxed = matches!(form, ContactForm::Relaxed | ContactForm::RelaxedPyramid);
        let (mut stepper, mut state) = (hart(form), world.initial_state());
        let start = state.v.clone();
        for _ in 0..10 {
            let report = stepper.step(&world, &mut state, H, &mut ()).unwrap();
            assert!(report.residual <= 1e-9);
            assert!(report.contacts.iter().all(|c| c.gap >= -1e-12));
        }
        // The relaxed law lets them part.
        for (v, before) in state.v.iter().zip(&start).filter(|_| !relaxed) {
            close(*v, *before, 1e-12);
        }
    }
}

/// Two bodies that fly together, a hundred times as fast as they slide along each other: velocities at the contact are lost in those of
/// the bodies.
#[test]
fn bodies_that_fly_together_slide_along_each_other() {
    for approach in APPROACHES {
        let mut world = World::with_settings(settings::<2>(0.3, Vector2::zeros())).unwrap();
        for (name, width, height) in [("large", 0.2, 8.0), ("small", 0.2, 0.2)] {
            let shape = Polygon::rectangle(width, height).unwrap();
            let mut body = Body::solid(name, shape, 25.0).unwrap();
            body.velocity = vec![100.0, 70.0, 0.0];
            if name == "small" {
                body.position[0] = 0.2;
                body.velocity[0] -= approach;
                body.velocity[1] -= 1.0;
            }
            world.add(body).unwrap();
        }
        for form in [ContactForm::Pyramid, ContactForm::Cone] {
            let (mut stepper, mut state) = (hart(form), world.initial_state());
            for step in 0..20 {
                let report = stepper.step(&world, &mut state, H, &mut ());
                let report = report.unwrap_or_else(|e| panic!("{form:?} {approach} {step}: {e}"));
                assert!(
                    report.residual <= 1e-9,
                    "{form:?} {approach} {step}: {}",
                    report.residual
                );
                // Rounding of places of 20 m and velocities of 100 m/s.
                assert!(report.contacts.iter().all(|c| c.gap >= -1e-12));
            }
            // The wall has 40 kg, the box 1 kg: friction takes 0.3 of the approach, shared by both.
            let slides = state.v[1] - state.v[4];
            assert!(
                (1.0 - 0.31 * approach - 1e-9..=1.0 + 1e-9).contains(&slides),
                "{slides}"
            );
        }
    }
}
