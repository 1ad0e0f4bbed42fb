//! HA2003 (2.10): the optimisation form beside the LCP.
//!
//! A sliding disc (r = 1 m, 1 kg, μ = 0.3, v₀ = 2 m/s): the relaxed law launches it, so that the gap after a step is h μ λ. A pile
//! of ten discs: the velocities of the two forms differ by little more than the largest μ λ.
//!
//! # References
//! - \[HA2003\] G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints,
//!   contact, and friction, 2003, (2.10).

use signorini::dynamics::{Body, ContactMaterial, State, World, WorldSettings};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{ActiveSet, ContactForm, Run, StepReport, Stepper};
use signorini_plot::Figure;

use super::ha2003_common::{Failure, Trial, panel, scheme, source, step_claims};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const MU: f64 = 0.3;
const V0: f64 = 2.0;
const G: f64 = 9.81;
const H: f64 = 0.01;

/// Relaxation against LCP.
#[derive(Debug, Clone, Copy)]
pub struct Ha2003Relaxation;

impl Experiment for Ha2003Relaxation {
    fn id(&self) -> &'static str {
        "ha2003-relaxation"
    }

    fn source(&self) -> Source {
        source("section 2, (2.10)")
    }

    fn title(&self) -> &'static str {
        "The optimisation form against the LCP"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        progress.progress(0, 3, "sliding disc");
        let mut report = Report::default();
        let (lcp, relaxed) = (first(ContactForm::Pyramid)?, first(ContactForm::Relaxed)?);
        report.measure("LCP: v_x after one step", lcp.1.v[0]);
        let c = (G * H + MU * V0) / (1.0 + 3.0 * MU * MU);
        let contact = &relaxed.0.contacts[0];
        report.measure("optimisation form: c/m", contact.impulse[0]);
        report.measure(
            "optimisation form: v_y off c/m − g h",
            (relaxed.1.v[1] - (c - G * H)).abs(),
        );
        let slip = (relaxed.1.v[0] + relaxed.1.v[2]).abs();
        report.measure(
            "optimisation form: gap after one step off h μ λ",
            (contact.gap - H * MU * slip).abs(),
        );
        progress.progress(1, 3, "until it rolls");
        let world = disc()?;
        let run = Run { h: H, until: 4.0 };
        let rolls = [ContactForm::Pyramid, ContactForm::Relaxed].map(|form| {
            let mut heights = vec![[0.0, 0.0]];
            let mut last = 0.0;
            let trial = Trial::run(&world, &mut stepper(form), run, |report, state| {
                heights.push([report.t, state.q[1] - 1.0]);
                last = state.v[0];
            });
            trial.map(|trial| (trial, heights, last))
        });
        let rolls: Vec<_> = rolls.into_iter().collect::<Result<_, _>>()?;
        report.measure("LCP: v_x at the end", rolls[0].2);
        report.measure("optimisation form: v_x at the end", rolls[1].2);
        progress.progress(2, 3, "pile");
        let (difference, bound) = pile()?;
        report.measure("pile: largest difference of v", difference);
        report.measure(
            "pile: the difference over the largest μ λ",
            difference / bound,
        );
        step_claims(&mut report, &[&rolls[0].0, &rolls[1].0]);
        let curve = |k: usize, label: &str| (label.to_owned(), rolls[k].1.clone());
        report.plate(
            "launch",
            "Gap of the sliding disc: the LCP keeps it closed, the optimisation form lifts it by h μ λ in each step that slides.",
            Figure::new("A launch", 900, 420).with(panel(
                "gap (m)",
                vec![curve(0, "LCP"), curve(1, "optimisation form")],
            )),
        );
        progress.progress(3, 3, "done");
        Ok(report)
    }
}

fn stepper(form: ContactForm) -> impl Stepper {
    scheme(1.0, ActiveSet::Automatic, form)
}

fn floor() -> Result<World<2>, Failure> {
    let material = ContactMaterial {
        friction: MU,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings)?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    Ok(world)
}

fn disc() -> Result<World<2>, Failure> {
    let mut world = floor()?;
    let mut disc = Body::solid("disc", Ball::new(1.0)?, 1.0)?;
    disc.position[1] = 1.0;
    disc.velocity[0] = V0;
    world.add(disc)?;
    Ok(world)
}

fn first(form: ContactForm) -> Result<(StepReport, State), Failure> {
    let world = disc()?;
    let mut state = world.initial_state();
    let report = stepper(form).step(&world, &mut state, H, &mut ())?;
    Ok((report, state))
}

/// One step of a pile of ten discs that is pushed sideways: the largest difference of the velocities of both forms, and the
/// largest μ λ of an active contact of either.
fn pile() -> Result<(f64, f64), Failure> {
    let mut world = floor()?;
    for row in 0..4_usize {
        for k in 0..4 - row {
            let mut disc = Body::solid(format!("disc {row} {k}"), Ball::new(0.5)?, 1.0)?;
            let shift = 1e-3 * (1.7 * (4 * row + k) as f64).sin();
            disc.position[0] = k as f64 + 0.5 * row as f64 + shift;
            disc.position[1] = 0.5 + row as f64 * 0.75_f64.sqrt() + shift.abs();
            disc.velocity[0] = 0.2 * row as f64;
            world.add(disc)?;
        }
    }
    let mut slips = 0.0_f64;
    let mut speeds = Vec::new();
    for form in [ContactForm::Pyramid, ContactForm::Relaxed] {
        let mut state = world.initial_state();
        let report = stepper(form).step(&world, &mut state, H, &mut ())?;
        for contact in report.contacts.iter().filter(|c| c.impulse[0] > 0.0) {
            slips = slips.max(MU * slip(&state, contact));
        }
        speeds.push(state.v);
    }
    let pairs = speeds[0].iter().zip(&speeds[1]);
    let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    Ok((difference, slips))
}

/// Slip speed of a contact of discs of radius 1/2 over the floor.
fn slip(state: &State, contact: &signorini::steppers::ContactReport) -> f64 {
    let side = |body: u32| match body {
        0 => [0.0; 3],
        k => {
            let k = 3 * (k as usize - 1);
            [state.v[k], state.v[k + 1], state.v[k + 2]]
        }
    };
    let (a, b) = (side(contact.id.a), side(contact.id.b));
    let (n, t) = (&contact.normal, &contact.tangent);
    // A disc's arm is ± r n, and t is a quarter turn ahead of n.
    let surface = |v: [f64; 3], sign: f64| v[0] * t[0] + v[1] * t[1] + sign * 0.5 * v[2];
    debug_assert!((n[0] * t[0] + n[1] * t[1]).abs() < 1e-12);
    let below = if contact.id.a == 0 {
        0.0
    } else {
        surface(a, 1.0)
    };
    (surface(b, -1.0) - below).abs()
}
