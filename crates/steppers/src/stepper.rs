//! The interface of all schemes, and why a step can fail.

use signorini_complementarity::{FrictionError, Observer, Status};
use signorini_dynamics::{ContactError, JointError, State, StateError, System};
use thiserror::Error;

use crate::{report::StepReport, unsolved::UnsolvedStep};

/// A time stepping scheme: settings and buffers only. Everything that can change the next step stands in the [`State`].
pub trait Stepper {
    /// The scheme's name, as scenes and reports spell it.
    fn name(&self) -> &'static str;

    /// Advances `state` by `h` seconds; `observer` sees the iterates of the complementarity solver.
    ///
    /// # Errors
    /// [`StepError`]; the state is then what it was, bit for bit.
    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, StepError>;
}

/// Why a step could not be made. The state is unchanged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// h is zero, negative, NaN or infinite.
    #[error("time step is {h} s: it must be positive and finite")]
    TimeStep {
        /// The step asked for.
        h: f64,
    },
    /// h is lost in the rounding of the time.
    #[error("a time step of {h:e} s is lost in the rounding of t = {t:e} s; take a larger step")]
    LostStep {
        /// The time, s.
        t: f64,
        /// The step asked for.
        h: f64,
    },
    /// The state does not fit the system or is not finite.
    #[error(transparent)]
    State(#[from] StateError),
    /// Closest points of a pair could not be found.
    #[error("contact detection failed at t = {} s: {source}", time(*t))]
    Contact {
        /// Time at the start of the step.
        t: f64,
        /// The pair, and why.
        source: ContactError,
    },
    /// The assembled step is not a valid problem.
    #[error(
        "the contact problem of the step at t = {} s is invalid{}: {source}",
        time(*t),
        culprit.as_ref().map(|name| format!(" at {name}")).unwrap_or_default()
    )]
    Problem {
        /// Time at the start of the step.
        t: f64,
        /// The contact, joint or body whose datum it is, if one is.
        culprit: Option<String>,
        /// Which datum, and why.
        source: FrictionError,
    },
    /// A joint has no rows where the bodies are.
    #[error(transparent)]
    Joint {
        /// The joint, and why.
        source: JointError,
    },
    /// A setting of the scheme makes no sense.
    #[error("{scheme}: {setting} is {value}, must be {must}")]
    Setting {
        /// Name of the scheme.
        scheme: &'static str,
        /// Name of the setting.
        setting: &'static str,
        /// The value found.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// The scheme has no driven bodies or belts yet, and the system has.
    #[error("{scheme} has no {what}; choose a scheme that has")]
    Lacks {
        /// Name of the scheme.
        scheme: &'static str,
        /// What the system has.
        what: &'static str,
    },
    /// The number of friction directions cannot span the tangent space.
    #[error("{found} friction directions: need an even number, at least {least}")]
    Directions {
        /// The setting.
        found: usize,
        /// The least number that positively spans the tangent space.
        least: usize,
    },
    /// Two settings that do not go together.
    #[error("{scheme}: {first} does not go with {second}; {hint}")]
    Conflict {
        /// Name of the scheme.
        scheme: &'static str,
        /// The one setting.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// The scheme or its law of impact has no tangential restitution, and a contact has.
    #[error(
        "{scheme} with {law} has no tangential restitution, which contact {contact} has; choose the law of Newton or Moreau in a linearised scheme"
    )]
    TangentialRestitution {
        /// Name of the scheme.
        scheme: &'static str,
        /// The law.
        law: &'static str,
        /// Name of the contact.
        contact: String,
    },
    /// The scheme has no rolling friction, and a contact has.
    #[error(
        "{scheme} has no rolling friction, which contact {contact} has; choose hart-anitescu, stewart-trinkle or anitescu-potra"
    )]
    RollingFriction {
        /// Name of the scheme.
        scheme: &'static str,
        /// Name of the contact.
        contact: String,
    },
    /// The scheme does not know the friction ellipsoid of a contact.
    #[error(
        "{scheme} does not model friction with the half axes {ellipsoid:?} of contact {contact}; choose the geometrically implicit scheme, or positive ones along the tangents"
    )]
    Ellipsoid {
        /// Name of the scheme.
        scheme: &'static str,
        /// Name of the contact.
        contact: String,
        /// Its half axes.
        ellipsoid: [f64; 3],
    },
    /// The scheme needs the conditions of closest points, which the system does not state.
    #[error(
        "{scheme} solves for closest points, but the system does not state their conditions; choose a linearised scheme"
    )]
    NoClosestPoints {
        /// Name of the scheme.
        scheme: &'static str,
    },
    /// The scheme needs the gap of each pair in closed form with two derivatives, and this one's has none.
    #[error(
        "{scheme} needs gaps in closed form, those of balls, discs and half-spaces, and that of contact {contact} has none; choose geometrically-implicit, which solves for closest points"
    )]
    NoClosedForm {
        /// Name of the scheme.
        scheme: &'static str,
        /// Name of the contact: its two bodies.
        contact: String,
    },
    /// The complementarity problem of the step was not solved.
    #[error(
        "the complementarity problem of the step at t = {} s with {contacts} {} was not solved: {}; look for bodies without room and for motors that drive against a stop without a limit, else take a smaller time step",
        time(*t),
        if *contacts == 1 { "contact" } else { "contacts" },
        unsolved(*status, (*residual, *tolerance), problem)
    )]
    Unsolved {
        /// Time at the start of the step.
        t: f64,
        /// What the solver says.
        status: Status,
        /// Scaled residual of its best point.
        residual: f64,
        /// What it must not be above.
        tolerance: f64,
        /// Number of contacts in the problem.
        contacts: usize,
        /// The step and its problem.
        problem: Box<UnsolvedStep>,
    },
    /// A loop of joints does not close: rows that depend on each other do not hold together.
    #[error(
        "at t = {} s a loop of joints does not close: row {row} of `{joint}`, which the others of its loop imply, is off by {value:.3e} at the end of the step; look at the frames of the joints, and if the loop has a stretched place there take another time step",
        time(*t)
    )]
    OpenLoop {
        /// Time at the start of the step.
        t: f64,
        /// The joint.
        joint: String,
        /// Its row.
        row: usize,
        /// What it is off, m, rad or 1.
        value: f64,
    },
    /// Contacts were still violated after the allowed number of rounds.
    #[error(
        "at t = {} s contact {contact} is still violated by {violation:.3e} m after {rounds} rounds of the active set; raise max_rounds or take a smaller time step",
        time(*t)
    )]
    ActiveSet {
        /// Time at the start of the step.
        t: f64,
        /// Rounds made.
        rounds: usize,
        /// A violated contact.
        contact: String,
        /// Its penetration, m.
        violation: f64,
        /// The step, and the velocities of its last round.
        problem: Box<UnsolvedStep>,
    },
    /// The projection of positions onto joints and contacts did not get there.
    #[error(
        "the step at t = {} s ends where joints and contacts are off by {off:.3e} m, and after {passes} passes the projection has not put that right; take a smaller time step, look for bodies that have no room, or leave the projection out",
        time(*t)
    )]
    Projection {
        /// Time at the start of the step.
        t: f64,
        /// Passes made.
        passes: usize,
        /// What joints or contacts are still off, m.
        off: f64,
    },
    /// The fixed point over the geometry did not settle.
    #[error(
        "the fixed point of the step at t = {} s still moves by {change:.3e} (relative) after {passes} passes; take a smaller time step or accept unsettled steps",
        time(*t)
    )]
    FixedPoint {
        /// Time at the start of the step.
        t: f64,
        /// Passes made.
        passes: usize,
        /// Last change of q, relative to the system's length scale.
        change: f64,
    },
    /// Of the solutions that were found for a step, none adds less energy than there was: bodies would turn or fly through each
    /// other by a large part of their size.
    #[error(
        "of the solutions found for the step at t = {} s the gentlest has impulses that add {gain:.3e} J to {kinetic:.3e} J of kinetic energy, and `{body}` would be the fastest; take a smaller time step",
        time(*t)
    )]
    EnergyGained {
        /// Time at the start of the step.
        t: f64,
        /// The body with the largest kinetic energy at the end of it.
        body: String,
        /// Energy that impulses would add, J.
        gain: f64,
        /// Kinetic energy before them, J.
        kinetic: f64,
        /// The step, and the velocities of that solution.
        problem: Box<UnsolvedStep>,
    },
    /// The kinetic or potential energy overflows.
    #[error(
        "at t = {} s the energy is {energy} J, and `{body}` is the fastest body: its speed, mass or height is beyond what numbers can hold",
        time(*t)
    )]
    Energy {
        /// Time, s.
        t: f64,
        /// Total energy, J.
        energy: f64,
        /// The body with the largest velocity component.
        body: String,
    },
    /// The new state is not finite.
    #[error("the step at t = {} s gives a state that is not finite: {source}", time(*t))]
    NotFinite {
        /// Time at the start of the step.
        t: f64,
        /// Which body and component.
        source: StateError,
    },
}

/// A time without the digits that are the rounding of a sum of steps: 0.3 for 0.30000000000000004.
fn time(t: f64) -> f64 {
    format!("{t:.11e}").parse().unwrap_or(t)
}

/// How a solver ended, for a message. Where it finished, the residual is what it failed on.
fn unsolved(status: Status, (residual, tolerance): (f64, f64), problem: &UnsolvedStep) -> String {
    let at = problem.worst.as_ref();
    let at = at.map(|worst| format!(", largest at {worst}"));
    let at = at.unwrap_or_default();
    if status == Status::Inaccurate {
        let comma = if at.is_empty() { "" } else { "," };
        return format!(
            "its residual {residual:.3e}{at}{comma} is above the tolerance {tolerance:e}"
        );
    }
    if status == Status::Stopped {
        return status.fact().to_owned();
    }
    format!("{} (residual {residual:.3e}{at})", status.fact())
}

impl StepError {
    /// The step and its problem, if it was not solved: [`UnsolvedStep::to_json`] is what a report of the fault needs.
    pub fn problem(&self) -> Option<&UnsolvedStep> {
        match self {
            Self::Unsolved { problem, .. }
            | Self::ActiveSet { problem, .. }
            | Self::EnergyGained { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// Whether the observer stopped the step.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Unsolved { status, .. } if *status == Status::Stopped)
    }

    /// Whether a solver did not find a solution, and might from elsewhere; not if it was stopped.
    pub(crate) fn is_unsolved(&self) -> bool {
        matches!(self, Self::Unsolved { status, .. } if *status != Status::Stopped)
    }
}
