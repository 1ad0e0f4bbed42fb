//! Rolling friction in the velocity-level schemes: closed forms of balls and discs that roll, on floors and on slopes.

use nalgebra::SVector;
use signorini_complementarity::io::FrictionFile;
use signorini_complementarity::{Iterate, Status};
use signorini_dynamics::{Body, ContactMaterial, State, System, World};
use signorini_geometry::Ball;
use signorini_steppers::{
    AnitescuPotra, ContactForm, GeometricallyImplicit, HartAnitescu, HartAnitescuSettings, Penalty,
    StepError, StepReport, Stepper, StewartTrinkle, StewartTrinkleSettings, TzitzourisPang,
};

use crate::worlds::{G, close, down, floor_of};

const RADIUS: f64 = 0.1;
/// Coefficient of rolling friction, m.
const ROLLING: f64 = 2e-3;
const H: f64 = 0.01;

fn material(rolling: f64) -> ContactMaterial {
    ContactMaterial {
        friction: 0.5,
        rolling,
        ..ContactMaterial::default()
    }
}

/// A solid ball, in the plane a disc, of 1 kg that rolls along x with this speed, on a floor under this gravity.
fn rolling<const D: usize>(
    material: ContactMaterial,
    gravity: SVector<f64, D>,
    speed: f64,
) -> World<D> {
    let mut world = floor_of(material, gravity);
    let shape = Ball::new(RADIUS).unwrap();
    let mut ball = Body::solid("ball", shape, 1.0).unwrap();
    ball.position[D - 1] = RADIUS;
    ball.velocity[0] = speed;
    // In the plane angles turn from x to y, in space ω_y turns z to x.
    let (spin, sign) = if D == 2 { (2, -1.0) } else { (4, 1.0) };
    ball.velocity[spin] = sign * speed / RADIUS;
    world.add(ball).unwrap();
    world
}

/// 1 + I/(m R²).
fn inert<const D: usize>() -> f64 {
    if D == 2 { 1.5 } else { 1.4 }
}

fn form(form: ContactForm, directions: usize) -> Box<dyn Stepper> {
    Box::new(HartAnitescu::new(HartAnitescuSettings {
        form,
        directions,
        ..HartAnitescuSettings::default()
    }))
}

const FORMS: [ContactForm; 4] = [
    ContactForm::Pyramid,
    ContactForm::Cone,
    ContactForm::Relaxed,
    ContactForm::RelaxedPyramid,
];

/// All schemes that have rolling friction, and whether they lift what slides and rolls.
fn schemes() -> Vec<(Box<dyn Stepper>, bool)> {
    let is_relaxed = |f| matches!(f, ContactForm::Relaxed | ContactForm::RelaxedPyramid);
    let mut all: Vec<(Box<dyn Stepper>, bool)> = FORMS
        .into_iter()
        .map(|f| (form(f, 8), is_relaxed(f)))
        .collect();
    all.push((Box::new(StewartTrinkle::default()), false));
    all.push((Box::new(AnitescuPotra::default()), false));
    all
}

/// A step, which has to be solved.
fn solved<const D: usize>(
    world: &World<D>,
    stepper: &mut dyn Stepper,
    state: &mut State,
) -> StepReport
where
    World<D>: System,
{
    let report = stepper.step(world, state, H, &mut ()).unwrap();
    assert!(report.converged && report.residual <= 1e-9);
    report
}

/// The same without energy from contacts.
fn step<const D: usize>(
    world: &World<D>,
    stepper: &mut dyn Stepper,
    state: &mut State,
) -> StepReport
where
    World<D>: System,
{
    let report = solved(world, stepper, state);
    assert!(report.contact_energy <= 1e-12, "{}", report.contact_energy);
    report
}

/// It slows down by a = μ_r g/(R (1 + I/(m R²))) until it stops, and stays where it is.
fn slows_down<const D: usize>(mut chosen: impl FnMut(&dyn Stepper) -> bool)
where
    World<D>: System,
{
    let (speed, slowing) = (0.2, ROLLING * G / (RADIUS * inert::<D>()));
    let world = rolling::<D>(material(ROLLING), down(), speed);
    for (mut stepper, lifts) in schemes() {
        if !chosen(&*stepper) {
            continue;
        }
        // Where the law lifts it the normal impulse of the first step is larger by the part μ_r ω of the speed.
        let tolerance = if lifts {
            2.0 * (ROLLING / RADIUS) * (ROLLING / RADIUS) * speed
        } else {
            1e-9
        };
        let mut state = world.initial_state();
        let mut energy = f64::INFINITY;
        while state.t < 2.0 {
            let report = step(&world, &mut *stepper, &mut state);
            let expected = (speed - slowing * state.t).max(0.0);
            close(state.v[0], expected, tolerance);
            let now = report.energy_after.total();
            // Gaps close but for rounding, and have a weight.
            assert!(now <= energy + 1e-11, "{now} {energy}");
            energy = now;
            // The moment is at its bound while it rolls on in the next step.
            if expected > 0.0 && !lifts {
                let [contact] = &report.contacts[..] else {
                    panic!("{report:?}");
                };
                let most = ROLLING * contact.impulse[0];
                let moment = contact.rolling.iter().fold(0.0, |m: f64, x| m.hypot(*x));
                close(moment, most, 1e-9 * most);
                assert_eq!(contact.rolling.len(), D - 1);
            }
        }
        let stopped = state.q.clone();
        assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", state.v);
        for _ in 0..50 {
            step(&world, &mut *stepper, &mut state);
        }
        let moved = state.q.iter().zip(&stopped).map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f64::max) < 1e-10);
        close(state.q[0], speed * speed / (2.0 * slowing), speed * H);
    }
}

#[test]
fn a_ball_that_rolls_slows_down_and_stops() {
    slows_down::<3>(|_| true);
}

#[test]
fn a_disc_that_rolls_slows_down_and_stops() {
    slows_down::<2>(|_| true);
}

/// Up to tan θ = μ_r/R it stays at rest, and beyond rolls with (g sin θ − μ_r g cos θ/R)/(1 + I/(m R²)).
fn on_slopes<const D: usize>()
where
    World<D>: System,
{
    let steepest = ROLLING / RADIUS;
    for part in [0.5, 0.99, 1.01, 3.0] {
        let (sin, cos) = (part * steepest).atan().sin_cos();
        let gravity = SVector::from_fn(|k, _| match k {
            0 => G * sin,
            k if k + 1 == D => -G * cos,
            _ => 0.0,
        });
        let world = rolling::<D>(material(ROLLING), gravity, 0.0);
        let rate = (G * sin - steepest * G * cos).max(0.0) / inert::<D>();
        for (mut stepper, lifts) in schemes() {
            let mut state = world.initial_state();
            for _ in 0..100 {
                step(&world, &mut *stepper, &mut state);
            }
            let expected = rate * state.t;
            let tolerance = 1e-10 + if lifts { 0.05 * expected } else { 0.0 };
            close(state.v[0], expected, tolerance);
        }
    }
}

#[test]
fn a_ball_on_a_slope_rolls_where_it_is_steep_enough() {
    on_slopes::<3>();
}

#[test]
fn a_disc_on_a_slope_rolls_where_it_is_steep_enough() {
    on_slopes::<2>();
}

/// A ball without any friction is stopped turning by the moment alone, and does not move.
#[test]
fn moments_need_no_friction() {
    let slick = ContactMaterial {
        friction: 0.0,
        ..material(ROLLING)
    };
    let world = rolling::<3>(slick, down(), 0.0);
    for (mut stepper, _) in schemes() {
        let mut state = world.initial_state();
        state.v[3] = 2.0;
        let report = step(&world, &mut *stepper, &mut state);
        let turning = 0.4 * RADIUS * RADIUS;
        let impulse = report.contacts[0].impulse[0];
        close(state.v[3], 2.0 - ROLLING * impulse / turning, 1e-9);
        close(state.v[0].hypot(state.v[1]), 0.0, 1e-12);
    }
}

/// Half way between two directions a pyramid of n is weaker by cos(π/n); cones are alike in all directions.
#[test]
fn pyramids_are_as_weak_as_their_polygons() {
    for directions in [4, 8, 16, 32] {
        let angle = std::f64::consts::PI / directions as f64;
        let world = rolling::<3>(material(ROLLING), down(), 0.0);
        let (sin, cos) = angle.sin_cos();
        let speed = 0.2;
        let start = State {
            v: vec![
                speed * cos,
                speed * sin,
                0.0,
                -speed / RADIUS * sin,
                speed / RADIUS * cos,
                0.0,
            ],
            ..world.initial_state()
        };
        let slowing = ROLLING * G / (RADIUS * 1.4);
        let slowed = |stepper: &mut dyn Stepper| {
            let mut state = start.clone();
            for _ in 0..20 {
                step(&world, stepper, &mut state);
            }
            // Straight on, in all of them.
            close(state.v[1] * cos, state.v[0] * sin, 1e-9);
            (speed - state.v[0].hypot(state.v[1])) / (slowing * state.t)
        };
        close(slowed(&mut *form(ContactForm::Cone, directions)), 1.0, 1e-7);
        let settings = StewartTrinkleSettings {
            directions,
            ..StewartTrinkleSettings::default()
        };
        for mut stepper in [
            form(ContactForm::Pyramid, directions),
            Box::new(StewartTrinkle::new(settings)),
        ] {
            close(slowed(&mut *stepper), cos, 1e-7);
        }
    }
}

/// Balls in a corner of three, with torsion and rolling friction, that spin and fall on a floor.
fn heaps(count: usize, material: ContactMaterial) -> World<3> {
    let mut world = floor_of(material, down());
    for k in 0..4 * count {
        let (heap, number) = (k / 4, k % 4);
        let angle = std::f64::consts::TAU / 3.0 * number as f64;
        let mut ball = Body::solid(format!("ball {k}"), Ball::new(RADIUS).unwrap(), 4.0).unwrap();
        let spread = 2.0 * RADIUS / 3.0_f64.sqrt();
        let (sin, cos) = angle.sin_cos();
        ball.position[0] = heap as f64;
        ball.position[2] = RADIUS * (1.0 + 8.0_f64.sqrt() / 3.0_f64.sqrt()) + 0.01;
        if number < 3 {
            ball.position[0] += spread * cos * 1.001;
            ball.position[1] = spread * sin * 1.001;
            ball.position[2] = RADIUS;
        }
        let turn = (7 * k) as f64;
        ball.velocity[3..].copy_from_slice(&[turn.sin(), turn.cos(), 3.0 * (2.0 * turn).sin()]);
        world.add(ball).unwrap();
    }
    world
}

fn both() -> ContactMaterial {
    ContactMaterial {
        ellipsoid: [1.0, 0.7, 0.01],
        ..material(ROLLING)
    }
}

/// All laws at once: friction on an ellipse, torsion and rolling moments, of balls on balls, until all is at rest.
#[test]
fn torsion_and_rolling_moments_act_together() {
    let world = heaps(1, both());
    for (mut stepper, _) in schemes() {
        let mut state = world.initial_state();
        let (mut kinetic, mut moments) = (f64::INFINITY, 0);
        while kinetic > 1e-12 {
            let report = solved(&world, &mut *stepper, &mut state);
            for contact in &report.contacts {
                let p = &contact.impulse;
                let friction = p[1].hypot(p[2] / 0.7).hypot(contact.torsion / 0.01);
                assert!(friction <= 0.5 * p[0] * (1.0 + 1e-6) + 1e-12);
                let moment = contact.rolling[0].hypot(contact.rolling[1]);
                assert!(moment <= ROLLING * p[0] * (1.0 + 1e-6) + 1e-12);
                moments += usize::from(moment > 0.0 && contact.torsion != 0.0);
            }
            kinetic = report.energy_after.kinetic;
            assert!(state.t < 20.0, "{}: {kinetic}", stepper.name());
        }
        assert!(moments > 100);
    }
}

/// Piles of six discs in the plane.
fn piles(count: usize) -> World<2> {
    let mut world = floor_of(material(ROLLING), down());
    for pile in 0..count {
        for (row, k) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)] {
            let name = format!("disc {pile} {row} {k}");
            let mut disc = Body::solid(name, Ball::new(RADIUS).unwrap(), 1.0).unwrap();
            let push = 1e-4 * (12.9898 * (7 * pile + 3 * row + k) as f64).sin();
            disc.position[0] = 2.0 * pile as f64 + RADIUS * (2.0 * k as f64 + row as f64) + push;
            disc.position[1] = RADIUS * (1.0 + row as f64 * 3.0_f64.sqrt()) + push.abs();
            world.add(disc).unwrap();
        }
    }
    world
}

/// In the plane cones and pyramids are one.
#[test]
fn in_the_plane_cone_and_pyramid_agree() {
    for count in [1, 4] {
        let world = piles(count);
        let ends = FORMS.map(|f| {
            let (mut stepper, mut state) = (form(f, 8), world.initial_state());
            let mut rolls = false;
            for _ in 0..15 {
                let report = solved(&world, &mut *stepper, &mut state);
                rolls |= report.contacts.iter().any(|c| {
                    let most = ROLLING * c.impulse[0];
                    c.impulse[0] > 0.0 && c.rolling[0].abs() >= most * (1.0 - 1e-6)
                });
            }
            assert!(rolls, "{f:?}");
            state
        });
        for (a, b) in [(0, 1), (2, 3)] {
            let pairs = ends[a].v.iter().zip(&ends[b].v);
            pairs.for_each(|(a, b)| close(*a, *b, 1e-6));
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    fn check<const D: usize>(world: &World<D>)
    where
        World<D>: System,
    {
        let run = |f: ContactForm, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let (mut stepper, mut state) = (form(f, 8), world.initial_state());
                let reports = (0..10).map(|_| solved(world, &mut *stepper, &mut state));
                let reports: Vec<StepReport> = reports.collect();
                assert!(reports.iter().any(|report| report.contacts.len() >= 48));
                (state, reports)
            })
        };
        for f in FORMS {
            assert!(run(f, 1) == run(f, 2), "{f:?}");
        }
    }
    check(&heaps(8, both()));
    check(&piles(8));
}

#[test]
fn a_run_continues_with_the_same_bits() {
    fn check<const D: usize>(world: &World<D>, steps: usize, has_moments: bool)
    where
        World<D>: System,
    {
        for number in 0..schemes().len() {
            let new = || schemes().swap_remove(number).0;
            let (mut stepper, mut whole) = (new(), world.initial_state());
            let mut saved = String::new();
            for k in 0..steps {
                if k == steps / 2 {
                    saved = serde_json::to_string(&whole).unwrap();
                }
                solved(world, &mut *stepper, &mut whole);
            }
            let mut restored: State = serde_json::from_str(&saved).unwrap();
            assert!(restored.memory.iter().any(|m| m.rolling.len() + 1 == D) == has_moments);
            let mut stepper = new();
            for _ in steps / 2..steps {
                solved(world, &mut *stepper, &mut restored);
            }
            assert_eq!(
                serde_json::to_string(&restored).unwrap(),
                serde_json::to_string(&whole).unwrap()
            );
        }
    }
    check(&rolling::<2>(material(ROLLING), down(), 0.2), 40, true);
    check(&rolling::<3>(material(ROLLING), down(), 0.2), 40, true);
    check(&rolling::<3>(material(0.0), down(), 0.2), 40, false);
    check(&heaps(1, both()), 30, true);
}

/// The file of a step with cones that was not solved is a file of friction, which has the rows of all laws.
#[test]
fn an_unsolved_step_has_a_file_that_can_be_read() {
    let worlds: [(&World<3>, usize); 2] =
        [(&heaps(1, material(ROLLING)), 5), (&heaps(1, both()), 6)];
    for (world, rows) in worlds {
        let mut stepper = form(ContactForm::Cone, 8);
        let mut state = world.initial_state();
        for _ in 0..5 {
            solved(world, &mut *stepper, &mut state);
        }
        let mut stop = |_: &Iterate<'_>| std::ops::ControlFlow::Break(());
        let error = stepper.step(world, &mut state, H, &mut stop).unwrap_err();
        assert!(matches!(
            &error,
            StepError::Unsolved {
                status: Status::Stopped,
                ..
            }
        ));
        let text = error.problem().unwrap().to_json();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let again: State = serde_json::from_value(file["state"].clone()).unwrap();
        assert_eq!(again, state);
        let friction = FrictionFile::from_json(&file["friction"].to_string()).unwrap();
        let problem = friction.problem().unwrap();
        assert_eq!(problem.dimension(), rows);
        assert_eq!(
            problem.laws().rolling,
            vec![ROLLING; problem.contact_count()]
        );
        let last = file["names"][rows - 1].as_str().unwrap();
        assert!(last.starts_with("rolling moment 2 of "), "{last}");
    }
}

#[test]
fn schemes_without_rolling_friction_refuse_it_by_name() {
    let world = rolling::<3>(material(ROLLING), down(), 0.0);
    let refused = |stepper: &mut dyn Stepper, world: &World<3>| {
        let before = world.initial_state();
        let mut state = before.clone();
        let error = stepper.step(world, &mut state, H, &mut ()).unwrap_err();
        assert_eq!(state, before);
        error.to_string()
    };
    insta::assert_snapshot!(refused(&mut GeometricallyImplicit::default(), &world), @"geometrically-implicit has no rolling friction, which contact floor/ball#0 has; choose hart-anitescu, stewart-trinkle or anitescu-potra");
    insta::assert_snapshot!(refused(&mut TzitzourisPang::default(), &world), @"tzitzouris-pang has no rolling friction, which contact floor/ball#0 has; choose hart-anitescu, stewart-trinkle or anitescu-potra");
    let slick = ContactMaterial {
        friction: 0.0,
        ..material(ROLLING)
    };
    let world = rolling::<3>(slick, down(), 0.0);
    insta::assert_snapshot!(refused(&mut Penalty::default(), &world), @"penalty has no rolling friction; choose a scheme that has");
    // More than the squares of numbers hold.
    let world = rolling::<3>(material(1e200), down(), 0.0);
    insta::assert_snapshot!(refused(&mut StewartTrinkle::default(), &world), @"the contact problem of the step at t = 0 s is invalid at contact floor/ball#0: rolling[0] is 1e200, must be from 0 to 1e100");
}
