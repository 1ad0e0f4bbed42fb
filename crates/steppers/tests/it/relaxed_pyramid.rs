//! The convex relaxation with pyramids: closed forms, and the optimality conditions of its quadratic program.

use nalgebra::Vector3;
use signorini_dynamics::{Body, System, World};
use signorini_geometry::{Ball, Polytope};
use signorini_steppers::{
    ActiveSet, ContactForm, ContactReport, HartAnitescu, HartAnitescuSettings, ImpactLaw,
    StepError, Stepper,
};

use crate::worlds::{G, ball, close, down, over_floor};

const MU: f64 = 0.3;
const H: f64 = 0.01;

fn scheme(form: ContactForm) -> HartAnitescu {
    HartAnitescu::new(HartAnitescuSettings {
        form,
        active: ActiveSet::Within(0.02),
        ..HartAnitescuSettings::default()
    })
}

/// A ball of 1 kg that slides: c = (g h + μ v₀)/(1 + 7/2 μ²) where it slides along an edge of the pyramid, and with μ cos(π/8)
/// for μ half way between two.
#[test]
fn a_sliding_ball_is_launched() {
    for (angle, mu) in [
        (0.0, MU),
        (45.0, MU),
        (22.5, MU * (std::f64::consts::PI / 8.0).cos()),
    ] {
        let world = ball(MU, down(), 0.5, 0.5);
        let mut state = world.initial_state();
        let (sin, cos) = f64::to_radians(angle).sin_cos();
        (state.v[0], state.v[1]) = (2.0 * cos, 2.0 * sin);
        let mut stepper = scheme(ContactForm::RelaxedPyramid);
        let report = stepper.step(&world, &mut state, H, &mut ()).unwrap();
        let c = (G * H + mu * 2.0) / (1.0 + 3.5 * mu * mu);
        close(report.contacts[0].impulse[0], c, 1e-12);
        close(state.v[2], c - G * H, 1e-12);
        close(state.v[0].hypot(state.v[1]), 2.0 - mu * c, 1e-12);
        assert!(report.residual <= 1e-9);
    }
}

/// In the plane, and where nothing slides, pyramid and cone have one answer.
#[test]
fn it_is_the_relaxed_law_where_nothing_slides() {
    let mut world = over_floor(0.5, down());
    for k in 0..3 {
        let cuboid = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
        let mut cube = Body::solid(format!("box {k}"), cuboid, 1.0).unwrap();
        cube.position[2] = 0.1 + 0.2 * f64::from(k);
        world.add(cube).unwrap();
    }
    let ends = [ContactForm::Relaxed, ContactForm::RelaxedPyramid].map(|form| {
        let (mut stepper, mut state) = (scheme(form), world.initial_state());
        for _ in 0..20 {
            let report = stepper.step(&world, &mut state, H, &mut ()).unwrap();
            assert!(report.residual <= 1e-9);
        }
        state
    });
    for (a, b) in ends[0].q.iter().zip(&ends[1].q) {
        close(*a, *b, 1e-9);
    }
}

/// Balls of radius 1/2 and 1 kg in layers, pushed sideways and in a spin.
fn heap(layers: usize) -> World<3> {
    let mut world = over_floor(MU, down());
    for layer in 0..layers {
        let side = layers - layer;
        for k in 0..side * side {
            let (row, column) = (k / side, k % side);
            let mut body =
                Body::solid(format!("ball {layer} {k}"), Ball::new(0.5).unwrap(), 1.0).unwrap();
            let push = 1e-3 * (12.9898 * (7 * layer + k) as f64).sin();
            let at = |x: usize| x as f64 + 0.5 * layer as f64;
            body.position[0] = at(row) + push;
            body.position[1] = at(column) - push;
            body.position[2] = 0.5 + layer as f64 * 0.5_f64.sqrt();
            body.velocity[..2].copy_from_slice(&[0.5 * layer as f64, 0.2]);
            body.velocity[5] = 3.0 * push.signum();
            world.add(body).unwrap();
        }
    }
    world
}

fn vector(slice: &[f64]) -> Vector3<f64> {
    Vector3::new(slice[0], slice[1], slice[2])
}

/// Velocity of b's point less that of a's, in world axes; the floor is body 0.
fn sliding(contact: &ContactReport, q: &[f64], v: &[f64]) -> Vector3<f64> {
    let side = |body: u32, point: &[f64]| match (body as usize).checked_sub(1) {
        None => Vector3::zeros(),
        Some(k) => {
            let arm = vector(point) - vector(&q[7 * k..]);
            vector(&v[6 * k..]) + vector(&v[6 * k + 3..]).cross(&arm)
        }
    };
    side(contact.id.b, &contact.point) - side(contact.id.a, &contact.point_a)
}

/// Minimises ½ (v − v_free)ᵀ M (v − v_free) where (n + μ d_k)ᵀ u + Φ/h ≥ 0 for all edges k: stationarity with multipliers in the
/// pyramid, feasibility, and no work of the one on the other, all computed here from balls and contacts.
#[test]
fn steps_fulfil_the_optimality_conditions_of_the_quadratic_program() {
    for layers in [2, 3] {
        let world = heap(layers);
        let mut state = world.initial_state();
        let mut stepper = scheme(ContactForm::RelaxedPyramid);
        let mut sliding_contacts = 0;
        for _ in 0..10 {
            let (q, mut free) = (state.q.clone(), vec![0.0; world.nv()]);
            world.free_velocity(state.t, &state.q, &state.v, H, &mut free);
            let report = stepper.step(&world, &mut state, H, &mut ()).unwrap();
            assert!(report.residual <= 1e-9 && report.converged);
            let (mut balance, mut work, mut presses) = (free, 0.0, 0.0);
            for contact in &report.contacts {
                let (n, t) = (vector(&contact.normal), &contact.tangent);
                let tangents = [vector(&t[..3]), vector(&t[3..])];
                let p = &contact.impulse;
                let impulse = n * p[0] + tangents[0] * p[1] + tangents[1] * p[2];
                presses += p[0];
                for (body, point, sign) in [
                    (contact.id.a, &contact.point_a, -1.0),
                    (contact.id.b, &contact.point, 1.0),
                ] {
                    if let Some(k) = (body as usize).checked_sub(1) {
                        let arm = vector(point) - vector(&q[7 * k..]);
                        let moment = arm.cross(&impulse) / (0.4 * 0.25);
                        for i in 0..3 {
                            balance[6 * k + i] += sign * impulse[i];
                            balance[6 * k + 3 + i] += sign * moment[i];
                        }
                    }
                }
                let centre = |body: u32| vector(&q[7 * (body as usize - 1)..]);
                let gap = match contact.id.a {
                    0 => centre(contact.id.b)[2] - 0.5,
                    a => (centre(contact.id.b) - centre(a)).norm() - 1.0,
                };
                let u = sliding(contact, &q, &state.v);
                let u = [
                    n.dot(&u) + gap / H,
                    tangents[0].dot(&u),
                    tangents[1].dot(&u),
                ];
                let slip = u[1].hypot(u[2]);
                sliding_contacts += usize::from(p[0] > 1e-6 && slip > 1e-6);
                for k in 0..8 {
                    let (sin, cos) = (f64::from(k) * 45.0).to_radians().sin_cos();
                    let edge = u[0] + MU * (cos * u[1] + sin * u[2]);
                    assert!(edge >= -1e-9, "an edge approaches with {edge:e}");
                    // The face between this edge and the next.
                    let (sin, cos) = (f64::from(k) * 45.0 + 22.5).to_radians().sin_cos();
                    let bound = MU * p[0] * 22.5_f64.to_radians().cos();
                    assert!(cos * p[1] + sin * p[2] <= bound + 1e-9);
                }
                work += p[0] * u[0] + p[1] * u[1] + p[2] * u[2];
            }
            assert!(work.abs() <= 1e-9 * presses.max(1.0), "{work:e}");
            for (a, b) in balance.iter().zip(&state.v) {
                close(*a, *b, 1e-9);
            }
        }
        assert!(sliding_contacts >= 10, "{layers}: {sliding_contacts}");
    }
}

#[test]
fn it_has_no_poisson_law() {
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        form: ContactForm::RelaxedPyramid,
        impact: ImpactLaw::Poisson,
        ..HartAnitescuSettings::default()
    });
    let world = ball(MU, down(), 0.5, 0.5);
    let mut state = world.initial_state();
    let error = stepper.step(&world, &mut state, H, &mut ()).unwrap_err();
    assert!(matches!(error, StepError::Conflict { .. }));
    insta::assert_snapshot!(error, @"hart-anitescu: Poisson's law of impact does not go with the relaxed law; choose the pyramid, or another law");
}
