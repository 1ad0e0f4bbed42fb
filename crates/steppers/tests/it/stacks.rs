//! A stack of ten boxes of 1 kg, alone and under one of 1000 kg: it stands, and does not creep.

use signorini_dynamics::{Body, World};
use signorini_geometry::Polytope;
use signorini_steppers::{ContactForm, HartAnitescu, HartAnitescuSettings, Stepper};

use crate::worlds::{down, over_floor};

/// Boxes on each other, of these masses from below.
fn stack(masses: &[f64]) -> World<3> {
    let mut world = over_floor(0.5, down());
    for (k, &mass) in (0..).zip(masses) {
        let shape = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
        let mut cube = Body::solid(format!("box {k}"), shape, mass).unwrap();
        cube.position[2] = 0.1 + 0.2 * f64::from(k);
        world.add(cube).unwrap();
    }
    world
}

fn heavy() -> World<3> {
    let mut masses = [1.0; 11];
    masses[10] = 1000.0;
    stack(&masses)
}

/// Largest way from the start (m, and parts of quaternions) and largest velocity (m/s, rad/s) in 10 s.
///
/// The scaled residual is one of impulses: 1e-9 of the 100 N s of the heavy box in a step moves a light one at 1e-7 m/s. With
/// 1e-11 nothing is faster than 1e-9 m/s, drift or not. With the default tolerance speeds are larger, but the next step puts back
/// what they have moved.
fn stands(world: &World<3>, form: ContactForm, tolerance: f64) -> [f64; 2] {
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        form,
        tolerance,
        ..HartAnitescuSettings::default()
    });
    let mut state = world.initial_state();
    let start = state.q.clone();
    let (mut way, mut speed) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        let report = stepper.step(world, &mut state, 0.01, &mut ()).unwrap();
        assert!(report.converged && report.residual <= tolerance);
        let moved = state.q.iter().zip(&start).map(|(a, b)| (a - b).abs());
        way = moved.fold(way, f64::max);
        speed = state.v.iter().fold(speed, |m, v| m.max(v.abs()));
    }
    [way, speed]
}

#[test]
fn a_heavy_box_on_ten_light_ones_stands_with_pyramids() {
    let [way, speed] = stands(&heavy(), ContactForm::Pyramid, 1e-11);
    assert!(way <= 1e-9 && speed <= 1e-9, "{way:e} {speed:e}");
}

#[test]
fn a_heavy_box_on_ten_light_ones_stands_with_cones() {
    let [way, speed] = stands(&heavy(), ContactForm::Cone, 1e-11);
    assert!(way <= 1e-9 && speed <= 1e-9, "{way:e} {speed:e}");
}

#[test]
fn a_heavy_box_on_ten_light_ones_stands_under_the_relaxed_law() {
    let [way, speed] = stands(&heavy(), ContactForm::Relaxed, 1e-11);
    assert!(way <= 1e-9 && speed <= 1e-9, "{way:e} {speed:e}");
}

#[test]
fn it_does_not_creep_with_the_default_tolerance_either() {
    let [way, _] = stands(&heavy(), ContactForm::Relaxed, 1e-9);
    assert!(way <= 1e-9, "{way:e}");
}

#[test]
fn ten_boxes_stand() {
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        let [way, speed] = stands(&stack(&[1.0; 10]), form, 1e-9);
        assert!(way <= 1e-9 && speed <= 1e-9, "{form:?}: {way:e} {speed:e}");
    }
}
