//! Velocity-level time stepping of Anitescu and Potra: contacts that touch now may not approach.
//!
//! ```math
//! M (v^{+} - v) = \sum_j (n_j c_j + D_j \beta_j) + h k, \qquad 0 \le c_j \perp n_j^T v^{+} \ge 0
//! ```
//!
//! with the friction conditions of Stewart and Trinkle and q⁺ = q + h G v⁺.
//!
//! # Method
//! All contacts with a gap of at most the touching tolerance at q enter one LCP, with M, n, D and k at q. The bias is
//! zero, so the friction LCP is copositive with qᵀz = 0 on its null solutions, and Lemke's method always solves it.
//!
//! # Guarantees and limits
//! Every step without restitution has a solution; where one has none with it, as in a corner with much friction, it goes without, and
//! `StepReport::converged` is false. What penetrates stays: a body that arrives within a step keeps the penetration it has at
//! the end of it (up to h times its speed), and penetration accrues while sliding along a concave boundary of the
//! configuration space; the report's worst gap says how much. Restitution is Moreau's: a contact that touches and approaches
//! faster than the rest speed parts with e times its approach velocity within the step.
//!
//! What has got in by more than the way to another face in one step is put out by that one.
//!
//! # References
//! - \[AP1997\] M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as
//!   solvable linear complementarity problems, Nonlinear Dynamics 14, 1997, doi:10.1023/A:1008292328909.
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, IEEE ICRA 2000, doi:10.1109/ROBOT.2000.844054, section 3.3.

use signorini_complementarity::{FrictionLaw, LemkeSettings, Observer};
use signorini_dynamics::{ContactQuery, Contacts, Rotation, State, System};

use crate::{
    assemble::{Linearization, LinearizedContacts},
    pyramid::{PyramidSolver, check_tolerance},
    report::StepReport,
    restitution::{ImpactLaw, Impacts, check_rest_speed},
    rows::refuse_flat,
    step::{SolvedStep, Work, check_step, contacts_at},
    stepper::{StepError, Stepper},
};

/// Settings of [`AnitescuPotra`].
#[derive(Clone, Debug, PartialEq)]
pub struct AnitescuPotraSettings {
    /// Friction directions per contact in space: even, at least 4. Default 8; the plane has two.
    pub directions: usize,
    /// How q⁺ is made from v⁺. Default as printed.
    pub rotation: Rotation,
    /// A contact touches if gap ≤ `touching_tolerance` · L, with L the system's length. Unit 1, default 1e-9. Too large
    /// stops bodies before they meet, too small lets a resting contact flicker between touching and not.
    pub touching_tolerance: f64,
    /// Approaches slower than `rest_speed` times what forces add to the fastest body's speed in a step (g h) are inelastic.
    /// Default 1.
    pub rest_speed: f64,
    /// Scaled residual of the LCP. Unit 1, default 1e-9; solvers aim at that of `lemke`, which is ten times less, and go on to
    /// other methods where they do not reach it. Too large lets velocities be off by that part of those that the impulses of a
    /// step make, too small refuses steps that rounding does not let become better.
    pub tolerance: f64,
    /// Settings of the LCP solver.
    pub lemke: LemkeSettings,
}

impl Default for AnitescuPotraSettings {
    fn default() -> Self {
        Self {
            directions: 8,
            rotation: Rotation::Printed,
            touching_tolerance: 1e-9,
            rest_speed: 1.0,
            tolerance: 1e-9,
            lemke: LemkeSettings::default(),
        }
    }
}

/// The velocity-level scheme: see the module's documentation for its equations.
#[derive(Debug)]
pub struct AnitescuPotra {
    settings: AnitescuPotraSettings,
    solver: PyramidSolver,
    at_start: Contacts,
    linearized: LinearizedContacts,
    at_end: Contacts,
}

impl Default for AnitescuPotra {
    fn default() -> Self {
        Self::new(AnitescuPotraSettings::default())
    }
}

impl AnitescuPotra {
    /// A stepper with these settings.
    pub fn new(settings: AnitescuPotraSettings) -> Self {
        let solver = PyramidSolver::new(
            NAME,
            settings.directions,
            settings.lemke.clone(),
            settings.tolerance,
        );
        Self {
            settings,
            solver,
            at_start: Contacts::default(),
            linearized: LinearizedContacts::default(),
            at_end: Contacts::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &AnitescuPotraSettings {
        &self.settings
    }
}

const NAME: &str = "anitescu-potra";

impl Stepper for AnitescuPotra {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, StepError> {
        check_step(system, state, h)?;
        self.solver.directions_for(system)?;
        check_rest_speed(NAME, self.settings.rest_speed)?;
        check_tolerance(NAME, self.settings.tolerance)?;
        let law = (ImpactLaw::Moreau, self.settings.rest_speed);
        let impacts = Impacts::new(system, (state, h), law);
        let margin = self.settings.touching_tolerance * system.scale().length;
        contacts_at(
            system,
            state.t,
            &state.q,
            &ContactQuery {
                margin,
                include: &[],
            },
            &mut self.at_start,
        )?;
        refuse_flat(NAME, system, &self.at_start)?;
        self.linearized.reset(system);
        for k in 0..self.at_start.len() {
            impacts.push(&mut self.linearized, &self.at_start, k, 0.0);
        }
        let still = vec![0.0; system.nv()];
        self.linearized
            .join(system, (&state.q, &still), (state.t, h), 0.0)?;
        let at = Linearization {
            q: &state.q,
            state,
            h,
            free: None,
        };
        let Self {
            solver, linearized, ..
        } = self;
        let (solved, converged) =
            impacts.solve_or_yield(system, at, linearized, &mut |at, linearized| {
                solver.solve(system, at, linearized, FrictionLaw::Coulomb, observer)
            })?;
        let mut q = vec![0.0; system.nq()];
        system.retract(&state.q, &solved.v, h, self.settings.rotation, &mut q);
        let touching = ContactQuery {
            margin: 0.0,
            include: &self.at_start.id,
        };
        contacts_at(system, state.t, &q, &touching, &mut self.at_end)?;
        let step = SolvedStep {
            h,
            q: &q,
            at: &state.q,
            linearized: &self.linearized,
            solved: &solved,
            at_end: &self.at_end,
            impacts,
            work: Work {
                rounds: 1,
                pivots: solved.pivots,
                passes: 1,
                converged,
            },
        };
        let (report, next) = step.finish(system)?;
        *state = next;
        Ok(report)
    }
}
