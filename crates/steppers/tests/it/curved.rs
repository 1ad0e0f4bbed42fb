//! Bodies with curved boundaries, lines and faces.

use nalgebra::Vector3;
use signorini_dynamics::{Body, Inertia, State, World};
use signorini_geometry::{Cylinder, Ellipsoid};
use signorini_steppers::{AnitescuPotra, Run, Stepper, StewartTrinkle, Trajectory, simulate};

use crate::worlds::{G, close, down, over_floor};

fn run(world: &World<3>, stepper: &mut dyn Stepper, h: f64, until: f64) -> (Trajectory, State) {
    let (mut trajectory, mut state) = (Trajectory::default(), world.initial_state());
    simulate(
        world,
        stepper,
        &mut state,
        Run { h, until },
        &mut trajectory,
    )
    .unwrap();
    (trajectory, state)
}

/// The solid ellipsoid of CBAT2007's kind, semi-axes (1, 0.8, 1.2), that rolls in the plane y = 0.
fn rolling_ellipsoid() -> World<3> {
    let mut world = over_floor(0.8, down());
    let shape = Ellipsoid::new(Vector3::new(1.0, 0.8, 1.2)).unwrap();
    let mut body = Body::solid("egg", shape, 1.0).unwrap();
    body.position[2] = 1.2;
    body.velocity = vec![1.2, 0.0, 0.0, 0.0, 1.0, 0.0];
    world.add(body).unwrap();
    world
}

#[test]
fn a_rolling_ellipsoid_converges_to_first_order() {
    // By quadrature of the energy at t = 1.
    let exact = [1.494_080_860, 1.011_996_624, 1.921_052_497];
    let world = rolling_ellipsoid();
    let error = |h: f64| {
        let (_, state) = run(&world, &mut StewartTrinkle::default(), h, 1.0);
        let found = [state.q[0], state.q[2], state.v[4]];
        found
            .iter()
            .zip(exact)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(0.01), error(0.005));
    assert!(coarse < 0.05, "{coarse}");
    assert!((coarse / fine - 2.0).abs() < 0.3, "{coarse} {fine}");
}

#[test]
fn a_standing_cylinder_stands_and_its_forces_balance() {
    let mut world = over_floor(0.5, down());
    let mut body = Body::solid("can", Cylinder::new(0.1, 0.2).unwrap(), 2.0).unwrap();
    body.position[2] = 0.2;
    world.add(body).unwrap();
    let h = 0.01;
    for stepper in [
        &mut StewartTrinkle::default() as &mut dyn Stepper,
        &mut AnitescuPotra::default(),
    ] {
        let (trajectory, state) = run(&world, stepper, h, 2.0);
        for (found, start) in state.q.iter().zip(world.initial_state().q) {
            close(*found, start, 1e-12);
        }
        for report in &trajectory.reports {
            let [mut up, mut x, mut y] = [0.0; 3];
            for contact in &report.contacts {
                let normal = contact.impulse[0];
                up += normal;
                x += normal * contact.point[0];
                y += normal * contact.point[1];
            }
            close(up, 2.0 * G * h, 1e-12);
            close(x, 0.0, 1e-12);
            close(y, 0.0, 1e-12);
        }
    }
}

#[test]
fn a_rolling_log_keeps_its_speed() {
    let mut world = over_floor(0.5, down());
    let mut body = Body::solid("log", Cylinder::new(0.1, 0.5).unwrap(), 1.0).unwrap();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    body.position = vec![0.0, 0.0, 0.1, half, half, 0.0, 0.0];
    body.velocity = vec![0.5, 0.0, 0.0, 0.0, 5.0, 0.0];
    world.add(body).unwrap();
    let (trajectory, state) = run(&world, &mut StewartTrinkle::default(), 0.01, 2.0);
    close(state.q[0], 1.0, 1e-9);
    close(state.q[1], 0.0, 1e-9);
    close(state.v[0], 0.5, 1e-9);
    close(state.v[4], 5.0, 1e-8);
    assert!(trajectory.reports.iter().all(|r| r.contacts.len() == 2));
}

#[test]
fn a_falling_can_comes_to_rest_on_the_floor() {
    let mut world = over_floor(0.5, down());
    let mut body = Body::moving("can", 1.0, Inertia::Principal([0.004, 0.004, 0.005]));
    body.shape = Some(Cylinder::new(0.1, 0.1).unwrap().into());
    body.position = vec![0.0, 0.0, 0.4, 0.9, 0.3, 0.1, 0.2];
    let norm = body.position[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
    body.position[3..].iter_mut().for_each(|x| *x /= norm);
    body.velocity = vec![0.3, 0.1, 0.0, 1.0, -2.0, 0.5];
    world.add(body).unwrap();
    let (trajectory, state) = run(&world, &mut AnitescuPotra::default(), 0.002, 4.0);
    let deepest = trajectory
        .reports
        .iter()
        .filter_map(|r| r.worst_gap)
        .fold(0.0, f64::min);
    assert!(deepest > -0.01, "{deepest}");
    let energy = |r: &signorini_steppers::StepReport| r.energy_after.total();
    for pair in trajectory.reports.windows(2) {
        assert!(energy(&pair[1]) <= energy(&pair[0]) + 0.02, "energy rises");
    }
    // It may still roll on its side, but no longer fall or tip.
    assert!(state.v[2].abs() < 1e-2, "{:?}", state.v);
}
