//! The full and the condensed form of the scheme beside each other.

use signorini::complementarity::Observer;
use signorini::dynamics::{State, System};
use signorini::steppers::{
    ContactReport, Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings,
    StepError, StepReport, Stepper,
};

/// How far two runs are apart: the larger of velocities, m/s or rad/s, and of impulses per mass, m/s or m²/s.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Apart {
    /// Of steps that begin at the same state.
    pub(crate) in_a_step: f64,
    /// Of runs that begin at the same state.
    pub(crate) in_a_run: f64,
}

/// The full form, which predicts its modes; beside it the condensed one, solved by `Path`, makes each step again, and the run on its
/// own. Where bodies with edges touch, points are unknowns in both: there the two are two solvers of one problem.
#[derive(Debug)]
pub(crate) struct BothForms {
    full: GeometricallyImplicit,
    condensed: GeometricallyImplicit,
    alone: Option<State>,
    mass: f64,
    pub(crate) apart: Apart,
}

impl BothForms {
    /// With this gap function, for one body of this mass.
    pub(crate) fn new(gap: GapFunction, mass: f64) -> Self {
        let of = |formulation| {
            GeometricallyImplicit::new(GeometricallyImplicitSettings {
                formulation,
                gap,
                predict_modes: formulation == Formulation::Full,
                ..GeometricallyImplicitSettings::default()
            })
        };
        Self {
            full: of(Formulation::Full),
            condensed: of(Formulation::Condensed),
            alone: None,
            mass,
            apart: Apart::default(),
        }
    }
}

impl Stepper for BothForms {
    fn name(&self) -> &'static str {
        self.full.name()
    }

    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, StepError> {
        let mut again = state.clone();
        let alone = self.alone.get_or_insert_with(|| state.clone());
        let report = self.full.step(system, state, h, observer)?;
        let Apart {
            in_a_step,
            in_a_run,
        } = &mut self.apart;
        for (other, largest) in [(&mut again, in_a_step), (alone, in_a_run)] {
            let condensed = self.condensed.step(system, other, h, observer)?;
            let one = (state.v.as_slice(), &report);
            *largest = largest.max(apart(one, (&other.v, &condensed), self.mass));
        }
        Ok(report)
    }
}

/// The larger difference of velocities and of impulses per mass. A pair of bodies has one contact, at the point where the moments
/// balance also where lines or faces touch: its impulse is the resultant of all that the two bodies exert on each other. One that
/// takes part in one of the steps only has none in the other.
pub(crate) fn apart(
    (v, one): (&[f64], &StepReport),
    (w, other): (&[f64], &StepReport),
    mass: f64,
) -> f64 {
    let velocities = v.iter().zip(w).map(|(a, b)| (a - b).abs());
    let mut largest = velocities.fold(0.0, f64::max);
    for (here, there) in [(one, other), (other, one)] {
        for contact in &here.contacts {
            let mut difference = wrench(contact);
            if let Some(same) = there.contact(contact.id) {
                for (a, b) in difference.iter_mut().zip(wrench(same)) {
                    *a -= b;
                }
            }
            let impulses = difference.iter().map(|p| p.abs() / mass);
            largest = impulses.fold(largest, f64::max);
        }
    }
    largest
}

/// Impulse in world axes, then torsion.
fn wrench(contact: &ContactReport) -> Vec<f64> {
    let dimension = contact.normal.len();
    let axes = contact.normal.chunks(dimension);
    let axes = axes.chain(contact.tangent.chunks(dimension));
    let mut wrench = vec![0.0; dimension];
    for (axis, p) in axes.zip(&contact.impulse) {
        for (sum, a) in wrench.iter_mut().zip(axis) {
            *sum += a * p;
        }
    }
    wrench.push(contact.torsion);
    wrench
}
