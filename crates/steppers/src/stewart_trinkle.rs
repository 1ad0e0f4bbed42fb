//! Velocity-impulse time stepping of Stewart and Trinkle: one LCP per linearisation, contacts at position level.
//!
//! Finds v⁺, q⁺ and impulses with
//!
//! ```math
//! M (v^{+} - v) = \sum_j (n_j c_j + D_j \beta_j) + h k, \qquad q^{+} = q + h\, G v^{+}
//! ```
//! ```math
//! 0 \le c_j \perp \Phi_j(\hat q) + n_j^T (q^{+} - \hat q) \ge 0, \quad
//! 0 \le \beta_j \perp \lambda_j e + D_j^T v^{+} \ge 0, \quad
//! 0 \le \lambda_j \perp \mu_j c_j - e^T \beta_j \ge 0
//! ```
//!
//! # Method
//! M, n and D are evaluated at $\hat q$, see [`Evaluation`]; the free velocity v + h M⁻¹ k starts at q, so that free motion
//! has the order of the system's own rule (the paper takes k at $\hat q$ too; for balls and in the plane it is the
//! same). The LCP holds the contacts that carried an impulse in
//! the step before and those violated at q + h v; it is solved, all contacts are checked at q⁺, violated ones are added,
//! and it is solved again until none is violated. Each LCP is solved by Lemke's method with the lexicographic rule.
//!
//! # Guarantees and limits
//! Impacts are inelastic and need not be located in time: an impact is spread over two steps, the first closes the gap,
//! the second makes the velocity tangential. First order in h. With [`Evaluation::FixedPoint`] the gap of an active
//! contact is closed to the fixed point's tolerance at the end of the step; else to second order in h.
//! A penetration that is there at the start of a step, or that a linearised gap leaves at its end, is corrected at
//! position level, which adds energy c |Φ|/h: a rounding for bodies that meet slowly, much for bodies that start in
//! overlap or move through each other by more than their size in a step. The report's energies show it.
//! Where that has no solution, as between walls that friction locks, the step closes no more than the gaps that are open, and
//! `StepReport::converged` is false: what penetrates stays so, and the report's gaps show it.
//! Impacts with restitution take two steps, see [`ImpactLaw`]. Torsion about the normal is two more columns of D, rolling friction has
//! directions and a λ of its own: the pyramids of [`Pyramid`](signorini_complementarity::Pyramid).
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with Coulomb
//!   friction, IEEE ICRA 2000, doi:10.1109/ROBOT.2000.844054, equations (13)–(20) and section 3.4.

use signorini_complementarity::{FrictionLaw, LemkeSettings, Observer};
use signorini_dynamics::{ContactId, ContactQuery, Contacts, Rotation, State, System};

use crate::{
    assemble::{Linearization, LinearizedContacts, Solved, contact_velocity},
    pyramid::{PyramidSolver, check_tolerance},
    report::StepReport,
    restitution::{ImpactLaw, Impacts, check_rest_speed},
    rows::refuse_flat,
    step::{SolvedStep, Work, check_step, contacts_at_end, contacts_at_start, unsettled},
    stepper::{StepError, Stepper},
};

/// Where M, n, D and the gap are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Evaluation {
    /// At q, the start of the step.
    Current,
    /// At q + h v, the paper's choice.
    #[default]
    Predicted,
    /// At q⁺: the nonlinear version of ST2000 section 3.4, solved by q̂ ← q⁺ from q + h v.
    FixedPoint,
}

/// What to do with a step whose fixed point does not settle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Stall {
    /// The step fails with [`StepError::FixedPoint`].
    #[default]
    Refuse,
    /// The last pass is taken, and `StepReport::converged` is false.
    Accept,
}

/// Settings of [`StewartTrinkle`].
#[derive(Clone, Debug, PartialEq)]
pub struct StewartTrinkleSettings {
    /// Friction directions per contact in space: even, at least 4, equally spaced from the frame's first tangent. Default
    /// 8, as in ST2000. Fewer let friction deviate more from the slip direction, by up to π/directions; the plane has
    /// two directions whatever this says.
    pub directions: usize,
    /// Where the step is linearised. Default q + h v.
    pub evaluation: Evaluation,
    /// How q⁺ is made from v⁺. Default as printed.
    pub rotation: Rotation,
    /// What restitution multiplies. Default: the approach velocity.
    pub impact: ImpactLaw,
    /// Approaches slower than `rest_speed` times what forces add to the fastest body's speed in a step (g h) are inelastic.
    /// Default 1, which keeps the energy of piles from rising; 0: every approach counts that is more
    /// than rounding of gaps over the step.
    pub rest_speed: f64,
    /// A contact outside the active set is violated if gap < −`violation_tolerance` · L at q⁺, with L the system's
    /// length. Unit 1, default 1e-12. Too large leaves penetration, zero adds contacts for rounding errors, which
    /// costs time only.
    pub violation_tolerance: f64,
    /// Rounds of the active set before the step fails with [`StepError::ActiveSet`]. Default 50; a cascade of impacts
    /// needs one round per link.
    pub max_rounds: usize,
    /// Passes of the fixed point. Default 50.
    pub max_passes: usize,
    /// The fixed point has settled when max |q⁺ − q̂| ≤ `fixed_point_tolerance` · max(1, L). Unit 1, default 1e-12. Too
    /// large leaves a gap of that size, too small asks for more than rounding allows.
    pub fixed_point_tolerance: f64,
    /// What to do when it has not settled. Default: the step fails.
    pub stall: Stall,
    /// Scaled residual of the LCP. Unit 1, default 1e-9; solvers aim at that of `lemke`, which is ten times less, and go on to
    /// other methods where they do not reach it. Too large lets velocities be off by that part of those that the impulses of a
    /// step make, too small refuses steps that rounding does not let become better.
    pub tolerance: f64,
    /// Settings of the LCP solver.
    pub lemke: LemkeSettings,
}

impl Default for StewartTrinkleSettings {
    fn default() -> Self {
        Self {
            directions: 8,
            evaluation: Evaluation::default(),
            rotation: Rotation::Printed,
            impact: ImpactLaw::default(),
            rest_speed: 1.0,
            violation_tolerance: 1e-12,
            max_rounds: 50,
            max_passes: 50,
            fixed_point_tolerance: 1e-12,
            stall: Stall::default(),
            tolerance: 1e-9,
            lemke: LemkeSettings::default(),
        }
    }
}

/// The scheme of ST2000: see the module's documentation for its equations.
#[derive(Debug)]
pub struct StewartTrinkle {
    settings: StewartTrinkleSettings,
    solver: PyramidSolver,
    /// Ids of the contacts in the LCP, sorted.
    active: Vec<ContactId>,
    /// Where the step is linearised, and the velocity that leads there from q.
    q_hat: Vec<f64>,
    v_hat: Vec<f64>,
    at_hat: Contacts,
    /// The end of the step as far as it is known, and the velocity that leads there from q.
    q_end: Vec<f64>,
    v_end: Vec<f64>,
    at_end: Contacts,
    /// Active contacts whose features do not exist at q̂, linearised where they were found violated.
    late: LinearizedContacts,
    linearized: LinearizedContacts,
}

impl Default for StewartTrinkle {
    fn default() -> Self {
        Self::new(StewartTrinkleSettings::default())
    }
}

impl StewartTrinkle {
    /// A stepper with these settings.
    pub fn new(settings: StewartTrinkleSettings) -> Self {
        let solver = PyramidSolver::new(
            NAME,
            settings.directions,
            settings.lemke.clone(),
            settings.tolerance,
        );
        Self {
            settings,
            solver,
            active: Vec::new(),
            q_hat: Vec::new(),
            v_hat: Vec::new(),
            at_hat: Contacts::default(),
            q_end: Vec::new(),
            v_end: Vec::new(),
            at_end: Contacts::default(),
            late: LinearizedContacts::default(),
            linearized: LinearizedContacts::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &StewartTrinkleSettings {
        &self.settings
    }

    /// Contacts that carried an impulse in the step before, and those that touch or are violated at q + h v.
    fn predict(&mut self, system: &dyn System, state: &State, h: f64) -> Result<(), StepError> {
        self.q_end.resize(system.nq(), 0.0);
        self.v_end.clone_from(&state.v);
        system.retract(
            &state.q,
            &self.v_end,
            h,
            self.settings.rotation,
            &mut self.q_end,
        );
        // What touches is in, or a face that rests on two of its corners would sink at the others until they are violated.
        let touching = ContactQuery {
            margin: -self.violation_margin(system),
            include: &[],
        };
        contacts_at_end(system, state, &self.q_end, &touching, &mut self.at_end)?;
        self.active.clear();
        self.active.extend(state.memory.iter().map(|m| m.id));
        self.active.extend_from_slice(&self.at_end.id);
        self.active.sort_unstable();
        self.active.dedup();
        match self.settings.evaluation {
            Evaluation::Current => {
                self.q_hat.clone_from(&state.q);
                self.v_hat.clone_from(&state.v);
                self.v_hat.fill(0.0);
            }
            Evaluation::Predicted | Evaluation::FixedPoint => self.move_to_end(),
        }
        Ok(())
    }

    /// q̂ ← q⁺.
    fn move_to_end(&mut self) {
        self.q_hat.clone_from(&self.q_end);
        self.v_hat.clone_from(&self.v_end);
    }

    /// Solves at q̂ and adds contacts until none is violated at q⁺, which is left in `q_end` with its contacts in
    /// `at_end`.
    fn solve_rounds(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<Pass, StepError> {
        let state = impacts.state;
        let margin = self.violation_margin(system);
        let (mut pivots, mut yielded) = (0, false);
        self.late.reset(system);
        for round in 1..=self.settings.max_rounds {
            self.linearize(system, impacts, h)?;
            self.linearized
                .join(system, (&self.q_hat, &self.v_hat), (state.t, h), 1.0)?;
            let at = Linearization {
                q: &self.q_hat,
                state,
                h,
                free: None,
            };
            let Self {
                solver, linearized, ..
            } = self;
            let (solved, is_whole) =
                impacts.solve_or_yield(system, at, linearized, &mut |at, linearized| {
                    solver.solve(system, at, linearized, FrictionLaw::Coulomb, observer)
                })?;
            pivots += solved.pivots;
            yielded |= !is_whole;
            self.v_end.clone_from(&solved.v);
            system.retract(
                &state.q,
                &self.v_end,
                h,
                self.settings.rotation,
                &mut self.q_end,
            );
            let query = ContactQuery {
                margin,
                include: &self.active,
            };
            contacts_at_end(system, state, &self.q_end, &query, &mut self.at_end)?;
            let before = self.active.len();
            self.active.extend_from_slice(&self.at_end.id);
            self.active.sort_unstable();
            self.active.dedup();
            if self.active.len() == before {
                return Ok(Pass {
                    solved,
                    rounds: round,
                    pivots,
                    yielded,
                });
            }
        }
        let (rounds, end) = (self.settings.max_rounds, (&self.v_end[..], &self.at_end));
        Err(unsettled(system, (NAME, rounds), (state, h), end))
    }

    /// Linearises the active contacts at q̂. One that does not exist there (polygons change features as they turn) is
    /// linearised at q⁺, where it was found; one that exists nowhere is dropped.
    fn linearize(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        h: f64,
    ) -> Result<(), StepError> {
        let listed = ContactQuery {
            margin: f64::NEG_INFINITY,
            include: &self.active,
        };
        let start = impacts.state;
        if self.settings.evaluation == Evaluation::Current {
            let way = (h, self.settings.rotation);
            contacts_at_start(system, start, way, &listed, &mut self.at_hat)?;
        } else {
            contacts_at_end(system, start, &self.q_hat, &listed, &mut self.at_hat)?;
        }
        let Self {
            active,
            at_hat,
            at_end,
            late,
            linearized,
            v_hat,
            v_end,
            ..
        } = self;
        linearized.reset(system);
        // (Φ − h J_n v̂)/h + J_n v⁺ is the linearised gap at q⁺ over h.
        let delta = |from: &Contacts, k: usize, v_hat: &[f64]| {
            from.gap[k] / h - contact_velocity(from, k, v_hat, 0)
        };
        active.retain(|&id| {
            if let Some(k) = at_hat.position(id) {
                impacts.push(linearized, at_hat, k, delta(at_hat, k, v_hat));
                return true;
            }
            if !late.contacts.id.contains(&id) {
                let Some(k) = at_end.position(id) else {
                    return false;
                };
                impacts.push(late, at_end, k, delta(at_end, k, v_end));
            }
            let k = late
                .contacts
                .id
                .iter()
                .position(|&other| other == id)
                .expect("pushed above");
            linearized.push_same(late, k);
            true
        });
        impacts.refuse_tangential(NAME, system, &self.linearized.contacts)?;
        refuse_flat(NAME, system, &self.linearized.contacts)
    }

    /// max |q⁺ − q̂| relative to the system's length, or 1 if that is larger.
    fn movement(&self, system: &dyn System) -> f64 {
        let change = self
            .q_end
            .iter()
            .zip(&self.q_hat)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        change / system.scale().length.max(1.0)
    }

    fn violation_margin(&self, system: &dyn System) -> f64 {
        -self.settings.violation_tolerance * system.scale().length
    }
}

/// The last problem of the active-set loop and the work of all of them.
struct Pass {
    solved: Solved,
    rounds: usize,
    pivots: usize,
    /// Whether something was left that the gaps ask for.
    yielded: bool,
}

const NAME: &str = "stewart-trinkle";

impl Stepper for StewartTrinkle {
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
        let law = (self.settings.impact, self.settings.rest_speed);
        let impacts = Impacts::new(system, (state, h), law);
        self.predict(system, state, h)?;
        let (mut rounds, mut pivots, mut passes) = (0, 0, 0);
        let (solved, converged) = loop {
            let pass = self.solve_rounds(system, &impacts, h, observer)?;
            rounds += pass.rounds;
            pivots += pass.pivots;
            passes += 1;
            let change = self.movement(system);
            let settled = self.settings.evaluation != Evaluation::FixedPoint
                || change <= self.settings.fixed_point_tolerance;
            match self.settings.stall {
                _ if settled => break (pass.solved, !pass.yielded),
                _ if passes < self.settings.max_passes => self.move_to_end(),
                Stall::Accept => break (pass.solved, false),
                Stall::Refuse => {
                    return Err(StepError::FixedPoint {
                        t: state.t,
                        passes,
                        change,
                    });
                }
            }
        };
        let step = SolvedStep {
            h,
            q: &self.q_end,
            at: &self.q_hat,
            linearized: &self.linearized,
            solved: &solved,
            at_end: &self.at_end,
            impacts,
            work: Work {
                rounds,
                pivots,
                passes,
                converged,
            },
        };
        let (report, next) = step.finish(system)?;
        *state = next;
        Ok(report)
    }
}
