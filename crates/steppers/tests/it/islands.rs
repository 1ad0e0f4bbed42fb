//! Piles that do not touch are solved side by side: the same bits, reports and iterates whatever the number of threads.

use std::ops::ControlFlow;

use signorini_complementarity::{Iterate, Status};
use signorini_dynamics::{Body, State, World};
use signorini_geometry::Ball;
use signorini_steppers::{
    ContactForm, HartAnitescu, HartAnitescuSettings, StepError, StepReport, Stepper,
};

use crate::worlds::{down, over_floor};

/// Piles of six discs of radius 1 m.
fn piles(count: usize) -> World<2> {
    let mut world = over_floor(0.5, down());
    for pile in 0..count {
        for (row, k) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)] {
            let name = format!("disc {pile} {row} {k}");
            let mut disc = Body::solid(name, Ball::new(1.0).unwrap(), 1.0).unwrap();
            let push = 1e-3 * (12.9898 * (7 * pile + 3 * row + k) as f64).sin();
            disc.position[0] = 20.0 * pile as f64 + 2.0 * (k as f64 + 0.5 * row as f64) + push;
            disc.position[1] = 1.0 + row as f64 * 3.0_f64.sqrt() + push.abs();
            world.add(disc).unwrap();
        }
    }
    world
}

fn stepper(form: ContactForm) -> HartAnitescu {
    HartAnitescu::new(HartAnitescuSettings {
        form,
        ..HartAnitescuSettings::default()
    })
}

/// Everything that a run tells.
type Told = (State, Vec<StepReport>, Vec<(usize, u64)>);

fn run(world: &World<2>, form: ContactForm, threads: usize) -> Told {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let (mut stepper, mut state) = (stepper(form), world.initial_state());
        let mut iterates = Vec::new();
        let reports = (0..20).map(|_| {
            let mut observer = |iterate: &Iterate<'_>| {
                iterates.push((iterate.iteration, iterate.measure.to_bits()));
                ControlFlow::Continue(())
            };
            stepper
                .step(world, &mut state, 0.02, &mut observer)
                .unwrap()
        });
        let reports = reports.collect();
        (state, reports, iterates)
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let world = piles(20);
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
        ContactForm::RelaxedPyramid,
    ] {
        let (one, two) = (run(&world, form, 1), run(&world, form, 2));
        assert!(one == two, "{form:?}");
        let (_, reports, iterates) = one;
        assert!(!iterates.is_empty());
        for report in &reports {
            assert!(report.converged && report.residual <= 1e-9);
            assert!(report.contacts.len() >= 128);
            let sorted = report.contacts.is_sorted_by_key(|contact| contact.id);
            assert!(sorted && report.worst_gap.unwrap() > -1e-9);
        }
    }
}

/// A pile among others does what it does alone: the solution of its problem is that of a pile elsewhere, to rounding.
#[test]
fn a_pile_among_others_does_what_it_does_alone() {
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        let (alone, _, _) = run(&piles(1), form, 1);
        let (among, _, _) = run(&piles(20), form, 2);
        for (a, b) in alone.v.iter().zip(&among.v) {
            assert!((a - b).abs() <= 1e-7, "{form:?}: {a} {b}");
        }
    }
}

/// Light discs that push each other do beside a heavy pile, which touches nothing of them, what they do alone: what is an error is a
/// matter of their own impulses.
#[test]
fn light_bodies_beside_heavy_ones_are_solved_by_their_own_measure() {
    let light = |world: &mut World<2>, mass: f64| {
        for k in 0..4 {
            let ball = Ball::new(0.5).unwrap();
            let mut disc = Body::solid(format!("light {k}"), ball, mass).unwrap();
            disc.position[0] = -60.0 + 0.999 * f64::from(k);
            disc.position[1] = 0.5;
            disc.velocity[0] = 0.3 * (1.0 - f64::from(k));
            world.add(disc).unwrap();
        }
    };
    let after = |world: &World<2>, form| {
        let (mut stepper, mut state) = (stepper(form), world.initial_state());
        for _ in 0..10 {
            let report = stepper.step(world, &mut state, 0.01, &mut ()).unwrap();
            assert!(report.residual <= 1e-9);
        }
        state.v
    };
    for form in [ContactForm::Cone, ContactForm::Relaxed] {
        for mass in [1e-6, 1e-9, 1e-12] {
            let (mut alone, mut beside) = (over_floor(0.5, down()), piles(1));
            light(&mut alone, mass);
            light(&mut beside, mass);
            let (own, both) = (after(&alone, form), after(&beside, form));
            let both = &both[both.len() - own.len()..];
            let moving = own.iter().any(|v| v.abs() > 0.01);
            assert!(moving, "{form:?} {mass}");
            for (a, b) in own.iter().zip(both) {
                assert!((a - b).abs() <= 1e-8, "{form:?} {mass}: {a} {b}");
            }
        }
    }
}

#[test]
fn an_observer_stops_the_islands() {
    let world = piles(20);
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        let (mut stepper, mut state) = (stepper(form), world.initial_state());
        let before = state.clone();
        let mut seen = 0;
        let mut observer = |_: &Iterate<'_>| {
            seen += 1;
            ControlFlow::Break(())
        };
        let result = stepper.step(&world, &mut state, 0.02, &mut observer);
        let status = match result {
            Err(StepError::Unsolved { status, .. }) => status,
            other => panic!("{other:?}"),
        };
        assert_eq!((status, seen), (Status::Stopped, 1));
        assert_eq!(state, before);
    }
}
