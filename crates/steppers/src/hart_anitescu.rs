//! Constraint-stabilised time stepping of Hart and Anitescu: joints and contacts in one problem per step, no drift, and the
//! same with restitution.
//!
//! ```math
//! M (v^{+} - v) = \tilde\nu c_\nu + \sum_{j \in A} (n_j c_j + D_j \beta_j) + h k, \qquad
//! \tilde\nu^T v^{+} + \gamma \Theta / h = 0, \qquad
//! 0 \le c_j \perp n_j^T v^{+} + \gamma \Phi_j / h \ge 0
//! ```
//!
//! with Coulomb's friction, or its convex relaxation, and q⁺ = q + h G v⁺.
//!
//! # Method
//! Everything is linearised at q. The active set A holds the contacts with gap ≤ ε, see [`ActiveSet`]. What is off at the
//! start of a step is put right within it, so that the error of joints and gaps stays of the order h² |v|² at all times:
//! that of one step. With γ = 0 the errors of all steps add up (the unstabilised scheme of the paper's comparison).
//!
//! Positions may be projected after the step too, see [`Projection`]: what is off is then put right without any velocity. Reports have
//! gaps, joints and energies where the projection has led; one that does not get there fails the step.
//!
//! # Guarantees and limits
//! One problem per step, first order in h, inelastic impacts. A contact of a convex gap function (discs, half-planes) that
//! is in A when it closes does not penetrate; one that is missed does, by at most h times its speed, and is put right in
//! the next step. The correction is at velocity level: it adds energy of the order of what is corrected, which the report's
//! energies show. The relaxed law lets a sliding contact part with μ times its slip speed: the gap after a step is h μ |u_T|,
//! and one that rolls with rolling friction part with μ_r |ω_T| more.
//! A step whose penetrating contacts cannot all be put right (a jammed wedge) is solved again with γ = 0 for what penetrates,
//! without its rebounds only where that has no solution either, and [`StepReport::converged`] is false. Impacts with
//! restitution take two steps, see [`ImpactLaw`]; those without it are absorbed in the first.
//!
//! # References
//! - \[HA2003\] G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints,
//!   contact, and friction, 2003: (2.8)–(2.13).
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003,
//!   doi:10.1109/IROS.2003.1249747.
//! - M. Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, Math. Program. 105, 2006,
//!   doi:10.1007/s10107-005-0590-7.

use signorini_complementarity::{FIXED, FrictionLaw, LemkeSettings, Observer};
use signorini_dynamics::{ContactId, ContactQuery, Contacts, Rotation, State, System};

use crate::{
    assemble::{Linearization, LinearizedContacts, Solved},
    cone::ConeSolver,
    projection::{End, Projected, Projection, Projector},
    pyramid::{PyramidSolver, check_tolerance},
    report::StepReport,
    restitution::{ImpactLaw, Impacts, check_rest_speed},
    rows::refuse_flat,
    step::{SolvedStep, Work, check_step, contacts_at_end, contacts_at_start, unsettled},
    stepper::{StepError, Stepper},
};

/// The friction law and the form of the problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ContactForm {
    /// Coulomb's law with a pyramid of [`HartAnitescuSettings::directions`]: the paper's LCP, by Lemke's method; if there are many
    /// contacts Newton's method is asked first, on the cone, whose solution solves the LCP in the plane and where all friction is
    /// within the pyramid.
    #[default]
    Pyramid,
    /// Coulomb's law with the cone: friction, with torsion about the normal, in an ellipse or ellipsoid, rolling moments in a disc.
    Cone,
    /// The convex relaxation with the cone, a convex program; HA2003 (2.10). In the plane cone and pyramid are one.
    Relaxed,
    /// The convex relaxation with a pyramid of [`HartAnitescuSettings::directions`]: a quadratic program, solved as the linear
    /// complementarity problem of its optimality conditions; HA2003 (2.10) as printed. The residual is that of these conditions.
    RelaxedPyramid,
}

/// Which contacts take part in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ActiveSet {
    /// Those with gap ≤ ε, m: HA2003 (2.13). Those that are missed penetrate.
    Within(f64),
    /// The same with ε = factor · h · (the largest approach speed that two bodies can have now): the guideline of the
    /// paper is 1, 2 is safe unless bodies speed up.
    Speed(f64),
    /// Those with gap ≤ ε, m, and then those that are found violated at q⁺, in rounds.
    Safe(f64),
    /// Those that free motion would bring into contact, and then those that are found violated at q⁺, in rounds.
    #[default]
    Automatic,
}

/// Settings of [`HartAnitescu`].
#[derive(Clone, Debug, PartialEq)]
pub struct HartAnitescuSettings {
    /// Part γ of what is off that a step puts right, 0 to 1. Default 1; less corrects more gently, 0 not at all.
    pub gamma: f64,
    /// Friction law and problem. Default: the pyramid.
    pub form: ContactForm,
    /// Which contacts take part. Default: automatic.
    pub active: ActiveSet,
    /// What restitution multiplies. Default: the approach velocity.
    pub impact: ImpactLaw,
    /// Approaches slower than `rest_speed` times what forces add to the fastest body's speed in a step (g h) are inelastic.
    /// Default 1, which keeps the energy of piles from rising; 0: every approach counts that is more
    /// than rounding of gaps over the step.
    pub rest_speed: f64,
    /// Friction directions of a pyramid in space: even, at least 4. Default 8.
    pub directions: usize,
    /// How q⁺ is made from v⁺. Default as printed.
    pub rotation: Rotation,
    /// Whether q⁺ is then projected onto joints and contacts, in the metric of the masses; velocities stay. Default: it is not.
    pub projection: Projection,
    /// Scaled residual of the problem, of the LCP for pyramids. Unit 1, default 1e-9; where they can, solvers go ten times
    /// further. It is relative to impulses: ten boxes of 1 kg under one of 1000 kg stand with speeds of some 1e-8 m/s, and with
    /// 1e-11 below 1e-9 m/s.
    pub tolerance: f64,
    /// Rounds of an active set that grows. Default 50.
    pub max_rounds: usize,
    /// Settings of the LCP solver.
    pub lemke: LemkeSettings,
}

impl Default for HartAnitescuSettings {
    fn default() -> Self {
        Self {
            gamma: 1.0,
            form: ContactForm::default(),
            active: ActiveSet::default(),
            impact: ImpactLaw::default(),
            rest_speed: 1.0,
            directions: 8,
            rotation: Rotation::Printed,
            projection: Projection::None,
            tolerance: 1e-9,
            max_rounds: 50,
            lemke: LemkeSettings::default(),
        }
    }
}

/// The scheme of HA2003: see the module's documentation for its equations.
#[derive(Debug)]
pub struct HartAnitescu {
    settings: HartAnitescuSettings,
    pyramids: PyramidSolver,
    cones: ConeSolver,
    at_start: Contacts,
    linearized: LinearizedContacts,
    at_end: Contacts,
    projector: Projector,
    q_end: Vec<f64>,
}

/// The scheme of A2003, which is that of HA2003 with restitution: one stepper has both.
pub type Anitescu = HartAnitescu;

impl Default for HartAnitescu {
    fn default() -> Self {
        Self::new(HartAnitescuSettings::default())
    }
}

/// Gap relative to the system's length within which a contact is closed: below minus this it is violated.
const VIOLATED: f64 = 1e-12;

impl HartAnitescu {
    /// A stepper with these settings.
    pub fn new(settings: HartAnitescuSettings) -> Self {
        let pyramids = PyramidSolver::new(
            NAME,
            settings.directions,
            settings.lemke.clone(),
            settings.tolerance,
        )
        .with_newton_first();
        Self {
            pyramids,
            cones: ConeSolver::new(NAME, settings.tolerance),
            settings,
            at_start: Contacts::default(),
            linearized: LinearizedContacts::default(),
            at_end: Contacts::default(),
            projector: Projector::new(NAME),
            q_end: Vec::new(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &HartAnitescuSettings {
        &self.settings
    }

    /// ε of this step, m.
    fn reach(&self, system: &dyn System, state: &State, h: f64) -> f64 {
        match self.settings.active {
            ActiveSet::Within(epsilon) | ActiveSet::Safe(epsilon) => epsilon,
            ActiveSet::Speed(factor) => factor * approach(system, state, h),
            ActiveSet::Automatic => 0.0,
        }
    }

    /// Finds the contacts at q that take part from the beginning.
    fn activate(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        h: f64,
    ) -> Result<(), StepError> {
        let state = impacts.state;
        let mut include: Vec<ContactId> = impacts.pending_ids().collect();
        if self.settings.active == ActiveSet::Automatic {
            let mut v = vec![0.0; system.nv()];
            system.free_velocity(state.t, &state.q, &state.v, h, &mut v);
            self.retract(system, state, &v, h);
            // A face that comes down flat has all its corners in, whichever rounding puts first.
            let closing = ContactQuery {
                margin: VIOLATED * system.scale().length,
                include: &[],
            };
            contacts_at_end(system, state, &self.q_end, &closing, &mut self.at_end)?;
            include.extend_from_slice(&self.at_end.id);
            include.extend(state.memory.iter().map(|m| m.id));
        }
        include.sort_unstable();
        include.dedup();
        let margin = self.reach(system, state, h);
        self.linearize(system, impacts, (margin, &include), h)?;
        let hovers = matches!(
            self.settings.form,
            ContactForm::Relaxed | ContactForm::RelaxedPyramid
        );
        if hovers && self.settings.active == ActiveSet::Automatic {
            self.take_over(system, impacts, (margin, include), h)?;
        }
        Ok(())
    }

    /// Under the relaxed law what slides is held above what it slides on. Where a contact that pressed is no more, as a corner has
    /// got over another piece, what its bodies have near takes part: nothing else would hold it for this step.
    fn take_over(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        (margin, mut include): (f64, Vec<ContactId>),
        h: f64,
    ) -> Result<(), StepError> {
        let state = impacts.state;
        let pressed = state.memory.iter().filter(|m| m.impulse[0] > 0.0);
        let lost: Vec<ContactId> = pressed
            .map(|m| m.id)
            .filter(|&id| self.at_start.position(id).is_none())
            .collect();
        if lost.is_empty() {
            return Ok(());
        }
        let near = ContactQuery {
            margin: approach(system, state, h),
            include: &include,
        };
        let way = (h, self.settings.rotation);
        contacts_at_start(system, state, way, &near, &mut self.at_start)?;
        let bodies = self.at_start.rows.cols().iter();
        let all = self.at_start.id.iter().zip(bodies);
        // Whatever fixed body it is.
        let is_lost = |(id, cols): &(&ContactId, &[u32; 2])| {
            let moving = [id.a, id.b].into_iter().zip(*cols);
            let moving = moving.filter(|(_, col)| **col != FIXED);
            let is_of = |lost: &ContactId| moving.clone().all(|(k, _)| k == lost.a || k == lost.b);
            lost.iter().any(is_of)
        };
        include.extend(all.filter(is_lost).map(|(id, _)| *id));
        include.sort_unstable();
        include.dedup();
        self.linearize(system, impacts, (margin, &include), h)
    }

    fn linearize(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        (margin, include): (f64, &[ContactId]),
        h: f64,
    ) -> Result<(), StepError> {
        let state = impacts.state;
        let query = ContactQuery { margin, include };
        let way = (h, self.settings.rotation);
        contacts_at_start(system, state, way, &query, &mut self.at_start)?;
        refuse_flat(NAME, system, &self.at_start)?;
        impacts.refuse_tangential(NAME, system, &self.at_start)?;
        self.linearized.reset(system);
        for k in 0..self.at_start.len() {
            let delta = self.settings.gamma * self.at_start.gap[k] / h;
            impacts.push(&mut self.linearized, &self.at_start, k, delta);
        }
        let still = vec![0.0; system.nv()];
        let gamma = self.settings.gamma;
        self.linearized
            .join(system, (&state.q, &still), (state.t, h), gamma)
    }

    fn retract(&mut self, system: &dyn System, state: &State, v: &[f64], h: f64) {
        self.q_end.resize(system.nq(), 0.0);
        system.retract(&state.q, v, h, self.settings.rotation, &mut self.q_end);
    }

    /// Solves, or yields; methods that take long are asked where nothing else is left.
    fn solve(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<(Solved, bool), StepError> {
        let at = Linearization {
            q: &impacts.state.q,
            state: impacts.state,
            h,
            free: None,
        };
        let Self {
            settings,
            pyramids,
            cones,
            linearized,
            ..
        } = self;
        let asks = linearized.bias.iter().any(|&bias| bias < 0.0);
        // In the plane Newton's method and a path of Lemke's have said most of what there is to say.
        pyramids.is_patient = !asks || system.dimension() > 2;
        let mut by = (settings.form, &mut *pyramids, cones);
        let found = impacts.solve_or_yield(system, at, linearized, &mut |at, linearized| {
            by_form(&mut by, system, (at, linearized), observer)
        });
        match found {
            Err(error) if asks && error.is_unsolved() => {
                by.1.is_patient = true;
                let solved = impacts.solve(system, at, linearized, &mut |at, linearized| {
                    by_form(&mut by, system, (at, linearized), observer)
                });
                Ok((solved?, true))
            }
            other => other,
        }
    }
}

/// Solves a problem in a form of contact.
fn by_form(
    (form, pyramids, cones): &mut (ContactForm, &mut PyramidSolver, &mut ConeSolver),
    system: &dyn System,
    (at, linearized): (Linearization<'_>, &LinearizedContacts),
    observer: &mut dyn Observer,
) -> Result<Solved, StepError> {
    let (coulomb, convex) = (FrictionLaw::Coulomb, FrictionLaw::Convex);
    match form {
        ContactForm::Pyramid => pyramids.solve(system, at, linearized, coulomb, observer),
        ContactForm::RelaxedPyramid => pyramids.solve(system, at, linearized, convex, observer),
        ContactForm::Cone => cones.solve(system, at, linearized, coulomb, observer),
        ContactForm::Relaxed => cones.solve(system, at, linearized, convex, observer),
    }
}

const NAME: &str = "hart-anitescu";

/// How far two bodies can get to each other in a step, m, unless they speed up.
fn approach(system: &dyn System, state: &State, h: f64) -> f64 {
    let mut free = vec![0.0; system.nv()];
    system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
    let fastest = |v: &[f64]| {
        let bodies = v.chunks_exact(system.dofs());
        let speeds = bodies.map(|v| {
            let linear = &v[..system.dimension()];
            linear.iter().map(|x| x * x).sum::<f64>().sqrt()
        });
        speeds.fold(0.0, f64::max)
    };
    2.0 * h * fastest(&free).max(fastest(&state.v))
}

impl Stepper for HartAnitescu {
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
        self.check_settings()?;
        self.pyramids.directions_for(system)?;
        let law = (self.settings.impact, self.settings.rest_speed);
        let impacts = Impacts::new(system, (state, h), law);
        self.linearized.found.clear();
        self.activate(system, &impacts, h)?;
        let rounds_follow = matches!(
            self.settings.active,
            ActiveSet::Automatic | ActiveSet::Safe(_)
        );
        let (mut rounds, mut pivots, mut converged) = (0, 0, true);
        let solved = loop {
            let (solved, put_right) = self.solve(system, &impacts, h, observer)?;
            rounds += 1;
            pivots += solved.pivots;
            converged &= put_right;
            self.retract(system, state, &solved.v, h);
            let query = ContactQuery {
                margin: -VIOLATED * system.scale().length,
                include: &self.linearized.contacts.id,
            };
            contacts_at_end(system, state, &self.q_end, &query, &mut self.at_end)?;
            let known = &self.linearized.contacts;
            let missed = |id| known.position(id).is_none();
            if !rounds_follow || !self.at_end.id.iter().any(|&id| missed(id)) {
                break solved;
            }
            if rounds == self.settings.max_rounds {
                let end = (&solved.v[..], &self.at_end);
                return Err(unsettled(system, (NAME, rounds), (state, h), end));
            }
            // A contact that has no place at q cannot be linearised there: it is left to the next step.
            let before = known.len();
            let mut include = known.id.clone();
            include.extend_from_slice(&self.at_end.id);
            include.sort_unstable();
            include.dedup();
            self.linearized.keep(&solved, system.dimension());
            self.linearize(system, &impacts, (f64::NEG_INFINITY, &include), h)?;
            if self.linearized.contacts.len() == before {
                break solved;
            }
        };
        let projected = self.project(system, state, h, observer)?;
        let solved = Solved {
            residual: solved.residual.max(projected.residual),
            ..solved
        };
        let step = SolvedStep {
            h,
            q: &self.q_end,
            at: &state.q,
            linearized: &self.linearized,
            solved: &solved,
            at_end: &self.at_end,
            impacts,
            work: Work {
                rounds,
                pivots: pivots + projected.pivots,
                passes: 1 + projected.passes,
                converged,
            },
        };
        let (report, next) = step.finish(system)?;
        *state = next;
        Ok(report)
    }
}

impl HartAnitescu {
    /// Projects q⁺, if that is asked for, and finds the contacts where it leads.
    fn project(
        &mut self,
        system: &dyn System,
        state: &State,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<Projected, StepError> {
        let ids = &self.linearized.contacts.id;
        let end = End {
            state,
            h,
            ids,
            rotation: self.settings.rotation,
        };
        let rule = (self.settings.projection, &mut self.q_end);
        let projected = self.projector.project(system, end, rule, observer)?;
        if projected.passes > 0 {
            let query = ContactQuery {
                margin: -VIOLATED * system.scale().length,
                include: ids,
            };
            contacts_at_end(system, state, &self.q_end, &query, &mut self.at_end)?;
        }
        Ok(projected)
    }

    fn check_settings(&self) -> Result<(), StepError> {
        let HartAnitescuSettings {
            gamma,
            active,
            tolerance,
            ..
        } = &self.settings;
        let wrong = |setting, value, must| {
            Err(StepError::Setting {
                scheme: NAME,
                setting,
                value,
                must,
            })
        };
        if !(0.0..=1.0).contains(gamma) {
            return wrong("gamma", *gamma, "from 0 to 1");
        }
        check_tolerance(NAME, *tolerance)?;
        check_rest_speed(NAME, self.settings.rest_speed)?;
        if self.settings.impact == ImpactLaw::Poisson && self.settings.form != ContactForm::Pyramid
        {
            return Err(StepError::Conflict {
                scheme: NAME,
                first: "Poisson's law of impact",
                second: match self.settings.form {
                    ContactForm::RelaxedPyramid => "the relaxed law",
                    _ => "round cones",
                },
                hint: "choose the pyramid, or another law",
            });
        }
        match active {
            ActiveSet::Within(value) | ActiveSet::Speed(value) | ActiveSet::Safe(value)
                if !(value.is_finite() && *value >= 0.0) =>
            {
                wrong("active", *value, "finite and at least 0")
            }
            _ => Ok(()),
        }
    }
}
