//! What laws of impact do to the energy: 1000 random impacts of a rod with one to six contacts.
//!
//! A rod meets fixed balls at points of its border, each with a coefficient of friction from 0 to 1 and of restitution from 0 to 1, and with
//! a random velocity that closes at least one contact. There are no forces: what the contacts do to the energy is all there is.
//! The laws of Newton and Moreau have tangential restitution too: from 0 to 1 for each contact, or as much as e, which is then one for
//! all contacts, and all of them approach. That is where they are proved not to gain energy, Newton's for e up to 1/√2. Elsewhere
//! Newton's may gain, and Moreau's has less than its e.
//!
//! # References
//! - T. R. Kane, D. A. Levinson, Dynamics: Theory and Applications, 1985: Newton's law with friction can gain energy.
//! - \[AP1997\] M. Anitescu, F. A. Potra, Nonlinear Dynamics 14, 1997: Poisson's law as two problems.

use nalgebra::Vector2;
use signorini::dynamics::{Body, ContactMaterial, System, World};
use signorini::geometry::{Ball, Capsule};
use signorini::steppers::{ContactForm, ImpactLaw, Stepper};
use signorini_benches::families::Rng;
use signorini_plot::Figure;

use super::a2003_common::{Failure, scheme, source, world};
use super::ha2003_common::panel;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Report, Sheet};

const IMPACTS: u64 = 1000;
/// Smallest gain over the energy before that counts as one.
const GAIN: f64 = 1e-9;
const H: f64 = 1e-6;
/// Radius of the rod, m.
const RADIUS: f64 = 0.2;

/// What the contacts are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Frictionless,
    Friction,
    /// With tangential restitution of its own for each contact.
    Tangential,
    /// With one e = e_T, and all approach.
    Uniform,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Frictionless => "no friction",
            Self::Friction => "friction",
            Self::Tangential => "tangential restitution",
            Self::Uniform => "one e = e_T, all approach",
        }
    }
}

const CASES: [(ImpactLaw, &str, Kind); 10] = [
    (ImpactLaw::Newton, "Newton", Kind::Friction),
    (ImpactLaw::Newton, "Newton", Kind::Frictionless),
    (ImpactLaw::Newton, "Newton", Kind::Tangential),
    (ImpactLaw::Newton, "Newton", Kind::Uniform),
    (ImpactLaw::Poisson, "Poisson", Kind::Friction),
    (ImpactLaw::Poisson, "Poisson", Kind::Frictionless),
    (ImpactLaw::Moreau, "Moreau", Kind::Friction),
    (ImpactLaw::Moreau, "Moreau", Kind::Frictionless),
    (ImpactLaw::Moreau, "Moreau", Kind::Tangential),
    (ImpactLaw::Moreau, "Moreau", Kind::Uniform),
];

/// Random impacts.
#[derive(Debug, Clone, Copy)]
pub struct A2003Energy;

impl Experiment for A2003Energy {
    fn id(&self) -> &'static str {
        "a2003-energy"
    }

    fn source(&self) -> Source {
        source("section 3")
    }

    fn title(&self) -> &'static str {
        "Energy of random impacts under each law"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let mut report = Report::default();
        let mut rows = Vec::new();
        let mut curves = Vec::new();
        let mut audit = (0.0_f64, String::new());
        let mut residual = 0.0_f64;
        for (number, (law, name, contacts)) in CASES.into_iter().enumerate() {
            let word = contacts.word();
            progress.progress(number, CASES.len(), name);
            let (mut changes, mut lowered) = (Vec::new(), 0);
            for seed in 0..IMPACTS {
                let impact = impact(law, contacts, seed)?;
                let off = (impact.reported - impact.change).abs();
                if off > audit.0 {
                    audit = (
                        off,
                        format!(
                            "{name}, {word}, seed {seed}, largest impulse {:.1e}",
                            impact.largest
                        ),
                    );
                }
                residual = residual.max(impact.residual);
                changes.push(impact.change);
                lowered += usize::from(impact.is_lowered);
            }
            changes.sort_by(f64::total_cmp);
            let gains = changes.iter().filter(|x| **x > GAIN).count();
            let mean = changes.iter().sum::<f64>() / changes.len() as f64;
            report.measure(&format!("{name}, {word}: impacts that gain energy"), gains);
            if law != ImpactLaw::Newton {
                let what = format!("{name}, {word}: impacts with less than their e");
                report.measure(&what, lowered);
            }
            rows.push(vec![
                name.to_owned(),
                word.to_owned(),
                gains.to_string(),
                lowered.to_string(),
                format!("{mean:.3}"),
                format!("{:.3}", changes[0]),
                format!("{:.3e}", changes[changes.len() - 1]),
            ]);
            let count = changes.len() as f64;
            let sorted = changes.iter().enumerate();
            let points = sorted.map(|(k, x)| [*x, k as f64 / count]).collect();
            curves.push((format!("{name}, {word}"), points));
        }
        report
            .measure(
                "work of contacts in the reports off the change of energy",
                audit.0,
            )
            .note(audit.1);
        report.measure("largest residual of a step", residual);
        report.sheets.push(Sheet {
            caption: "Change of the energy by an impact, over the energy before it.".to_owned(),
            header: [
                "law",
                "contacts",
                "gains of 1000",
                "with less e",
                "mean",
                "least",
                "largest",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows,
        });
        let mut panel = panel("part of the impacts", curves);
        "change of energy over the energy before".clone_into(&mut panel.x_label);
        report.plate(
            "energy",
            "How many of the impacts change the energy by at most so much.",
            Figure::new("Energy of impacts", 900, 520).with(panel),
        );
        progress.progress(CASES.len(), CASES.len(), "done");
        Ok(report)
    }
}

/// Change of energy by one impact, found and reported, over the energy before it.
struct Impact {
    change: f64,
    reported: f64,
    residual: f64,
    /// Whether it had less than its e.
    is_lowered: bool,
    /// Largest impulse, N s.
    largest: f64,
}

fn impact(law: ImpactLaw, kind: Kind, seed: u64) -> Result<Impact, Failure> {
    let mut rng = Rng::new(seed);
    let mut between = |low: f64, high: f64| low + (high - low) * rng.unit();
    let motion = |between: &mut dyn FnMut(f64, f64) -> f64| {
        [1.0, 1.0, 2.0].map(|bound: f64| between(-bound, bound))
    };
    // Where a ball touches: a point of the axis and the normal there, at a side or around an end.
    let place = |between: &mut dyn FnMut(f64, f64) -> f64| {
        let place = between(-1.5, 1.5);
        let (end, angle) = (place.signum(), between(-1.5, 1.5));
        if place.abs() < 1.0 {
            [Vector2::new(place, 0.0), Vector2::new(0.0, angle.signum())]
        } else {
            let normal = Vector2::new(end * angle.cos(), angle.sin());
            [Vector2::new(end, 0.0), normal]
        }
    };
    let closes = |[x, y, turn]: [f64; 3], [foot, normal]: &[Vector2<f64>; 2]| {
        let at = foot + RADIUS * normal;
        Vector2::new(x - turn * at.y, y + turn * at.x).dot(normal) > 0.1
    };
    let count = 1 + seed % 6;
    let (velocity, places): ([f64; 3], Vec<[Vector2<f64>; 2]>) = if kind == Kind::Uniform {
        let velocity = motion(&mut between);
        // A rod that hardly moves closes nothing.
        let velocity = velocity.map(|v| v + v.signum());
        let mut closing = || {
            loop {
                let found = place(&mut between);
                if closes(velocity, &found) {
                    break found;
                }
            }
        };
        let places = (0..count).map(|_| closing()).collect();
        (velocity, places)
    } else {
        let places: Vec<_> = (0..count).map(|_| place(&mut between)).collect();
        let velocity = loop {
            let velocity = motion(&mut between);
            if places.iter().any(|place| closes(velocity, place)) {
                break velocity;
            }
        };
        (velocity, places)
    };
    // The bound of the proof for Newton's law is 1/√2.
    let largest = if law == ImpactLaw::Newton { 0.7 } else { 1.0 };
    let one = (kind == Kind::Uniform).then(|| between(0.0, largest));
    let mut world: World<2> = world(0.0, 0.0, Vector2::zeros())?;
    let mut rod = Body::solid("rod", Capsule::new(1.0, RADIUS)?, 1.0)?;
    rod.velocity = velocity.to_vec();
    let rod = world.add(rod)?;
    for (k, [foot, normal]) in places.iter().enumerate() {
        let mut ball = Body::fixed(format!("ball {k}"), Ball::new(0.1)?);
        let centre = foot + (RADIUS + 0.1) * normal;
        ball.position[..2].copy_from_slice(centre.as_slice());
        let ball = world.add(ball)?;
        let friction = match kind {
            Kind::Frictionless => 0.0,
            _ => between(0.0, 1.0),
        };
        let restitution = one.unwrap_or_else(|| between(0.0, 1.0));
        let material = ContactMaterial {
            friction,
            restitution,
            tangential_restitution: match kind {
                Kind::Tangential => between(0.0, 1.0),
                _ => one.unwrap_or(0.0),
            },
            ..ContactMaterial::default()
        };
        world.set_pair_material(rod, ball, material)?;
    }
    let (mut stepper, mut state) = (scheme(law, ContactForm::Pyramid), world.initial_state());
    let before = world.energy(&state.q, &state.v).kinetic;
    let (mut reported, mut residual, mut largest) = (0.0, 0.0_f64, 0.0_f64);
    let mut is_lowered = false;
    for _ in 0..3 {
        let report = stepper.step(&world, &mut state, H, &mut ())?;
        reported += report.contact_energy / before;
        residual = residual.max(report.residual);
        is_lowered |= report.restitution_cut > 0.0;
        let impulses = report.contacts.iter().flat_map(|c| &c.impulse);
        largest = impulses.fold(largest, |m, p| m.max(p.abs()));
    }
    let change = world.energy(&state.q, &state.v).kinetic / before - 1.0;
    Ok(Impact {
        change,
        reported,
        residual,
        is_lowered,
        largest,
    })
}
