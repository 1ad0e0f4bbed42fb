//! Penalty steps of Anitescu: contact forces that grow with penetration, for comparison with hard contact.
//!
//! ```math
//! M (v^{+} - v) = h k + h \sum_j n_j\, \gamma\, (\Phi_j)_{-}^{\,b}, \qquad q^{+} = q + h\, G v^{+}
//! ```
//!
//! # Method
//! [`PenaltyRule::Implicit`] takes the force at the end of the step, with the gap Φ(q) + h n v⁺ of the linearisation that the
//! complementarity schemes use: v⁺ minimises a strictly convex function, by Newton's method with a search along each step.
//! [`PenaltyRule::LinearlyImplicit`] is its first step from the start of the step: one linear system.
//!
//! # Guarantees and limits
//! No friction, no joints, no restitution: refused, not ignored. Dense, for small systems. As γ grows, the implicit steps become
//! those of [`HartAnitescu`](crate::HartAnitescu) with γ = 1: what is compressed by the force p/h penetrates by (p/(h γ))^(1/b).
//!
//! # References
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003,
//!   doi:10.1109/IROS.2003.1249747: section II, (2.4).

use signorini_complementarity::{FIXED, Observer, Status};
use signorini_dynamics::{ContactQuery, Contacts, Rotation, State, System};

use crate::{
    assemble::{LinearizedContacts, Solved, contact_velocity},
    lu::Lu,
    report::StepReport,
    restitution::{ImpactLaw, Impacts},
    step::{
        SolvedStep, Work, check_step, contacts_at, contacts_at_start, joints_at,
        refuse_driven_bodies,
    },
    stepper::{StepError, Stepper},
    unsolved::UnsolvedStep,
};

/// Where the force of a penalty step is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PenaltyRule {
    /// At the end of the step.
    #[default]
    Implicit,
    /// At its start, with its derivative: contacts that are open then have no force.
    LinearlyImplicit,
}

/// Settings of [`Penalty`].
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltySettings {
    /// γ, N/m^b, positive. Default 1e6.
    pub stiffness: f64,
    /// b, at least 1. Default 3/2, as between spheres.
    pub exponent: f64,
    /// Where the force is taken. Default: at the end.
    pub rule: PenaltyRule,
    /// How q⁺ is made from v⁺. Default as printed.
    pub rotation: Rotation,
    /// Largest entry of the momentum balance over that of its terms. Unit 1, default 1e-9: the stiffer, the more of the gap's
    /// rounding it sees. The iteration goes a thousand times further where it can.
    pub tolerance: f64,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            stiffness: 1e6,
            exponent: 1.5,
            rule: PenaltyRule::default(),
            rotation: Rotation::Printed,
            tolerance: 1e-9,
        }
    }
}

/// The penalty scheme: see the module's documentation for its equations.
///
/// # Examples
/// A ball at rest on a floor sinks in until the force carries it: γ d^(3/2) = m g.
/// ```
/// use signorini_dynamics::{Body, World, WorldSettings};
/// use signorini_geometry::{Ball, HalfSpace};
/// use signorini_steppers::{Penalty, Run, simulate};
/// let mut world = World::<2>::with_settings(WorldSettings::default())?;
/// world.add(Body::fixed("floor", HalfSpace::up()))?;
/// let mut ball = Body::solid("ball", Ball::new(0.5)?, 1.0)?;
/// ball.position[1] = 0.5;
/// world.add(ball)?;
/// let mut state = world.initial_state();
/// simulate(&world, &mut Penalty::default(), &mut state, Run { h: 0.01, until: 1.0 }, &mut ())?;
/// let depth = (9.81_f64 / 1e6).powf(2.0 / 3.0);
/// assert!((0.5 - state.q[1] - depth).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Penalty {
    settings: PenaltySettings,
    at_start: Contacts,
    at_end: Contacts,
    linearized: LinearizedContacts,
    lu: Lu,
}

const NAME: &str = "penalty";

/// Steps of Newton's method, and halvings of one of them.
const ITERATIONS: usize = 200;
const HALVINGS: usize = 60;

impl Penalty {
    /// A stepper with these settings.
    pub fn new(settings: PenaltySettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// The settings.
    pub fn settings(&self) -> &PenaltySettings {
        &self.settings
    }

    fn check(&self, system: &dyn System, state: &State, h: f64) -> Result<(), StepError> {
        check_step(system, state, h)?;
        refuse_driven_bodies(NAME, system)?;
        let joints = joints_at(system, state, h)?;
        if !(joints.equations.is_empty() && joints.limits.is_empty() && joints.efforts.is_empty()) {
            let (scheme, what) = (NAME, "joints");
            return Err(StepError::Lacks { scheme, what });
        }
        let PenaltySettings {
            stiffness,
            exponent,
            tolerance,
            ..
        } = self.settings;
        for (setting, value, least, must) in [
            ("stiffness", stiffness, f64::MIN_POSITIVE, "positive"),
            ("exponent", exponent, 1.0, "at least 1"),
            ("tolerance", tolerance, f64::MIN_POSITIVE, "positive"),
        ] {
            if !(value.is_finite() && value >= least) {
                let scheme = NAME;
                return Err(StepError::Setting {
                    scheme,
                    setting,
                    value,
                    must,
                });
            }
        }
        Ok(())
    }

    /// The contacts that can have a force in this step, at its start.
    fn find(
        &mut self,
        system: &dyn System,
        impacts: &Impacts<'_>,
        h: f64,
    ) -> Result<(), StepError> {
        let state = impacts.state;
        let d = system.dimension();
        let speed = |v: &[f64]| {
            let bodies = v.chunks_exact(system.dofs());
            let speeds = bodies.map(|v| v[..d].iter().map(|x| x * x).sum::<f64>().sqrt());
            speeds.fold(0.0, f64::max)
        };
        let margin = 2.0 * h * (speed(&state.v) + impacts.rest_speed);
        let query = ContactQuery {
            margin,
            include: &[],
        };
        let way = (h, self.settings.rotation);
        contacts_at_start(system, state, way, &query, &mut self.at_start)?;
        self.linearized.reset(system);
        for k in 0..self.at_start.len() {
            let lacks = |what| {
                let scheme = NAME;
                Err(StepError::Lacks { scheme, what })
            };
            if self.at_start.friction[k] > 0.0 {
                return lacks("friction");
            }
            if self.at_start.rolling[k] > 0.0 {
                return lacks("rolling friction");
            }
            if self.at_start.restitution[k] > 0.0 || self.at_start.tangential_restitution[k] > 0.0 {
                return lacks("restitution");
            }
            self.linearized
                .push(&self.at_start, k, self.at_start.gap[k] / h);
        }
        Ok(())
    }
}

/// A step as a system of equations for v⁺.
struct Balance<'a> {
    /// Mass blocks by rows.
    mass: Vec<f64>,
    free: Vec<f64>,
    contacts: &'a Contacts,
    settings: &'a PenaltySettings,
    h: f64,
}

impl Balance<'_> {
    /// Impulse of contact k at the velocities v, and minus its derivative by the gap at the end of the step.
    fn impulse(&self, k: usize, v: &[f64]) -> (f64, f64) {
        let PenaltySettings {
            stiffness,
            exponent,
            rule,
            ..
        } = *self.settings;
        let gap = match rule {
            PenaltyRule::Implicit => self.gap(k, v),
            PenaltyRule::LinearlyImplicit => self.contacts.gap[k],
        };
        let depth = (-gap).max(0.0);
        let slope = if depth > 0.0 {
            self.h * stiffness * exponent * depth.powf(exponent - 1.0)
        } else {
            0.0
        };
        let force = self.h * stiffness * depth.powf(exponent);
        match rule {
            PenaltyRule::Implicit => (force, slope),
            PenaltyRule::LinearlyImplicit => {
                let change = self.h * contact_velocity(self.contacts, k, v, 0);
                (force - slope * change, slope)
            }
        }
    }

    fn gap(&self, k: usize, v: &[f64]) -> f64 {
        self.contacts.gap[k] + self.h * contact_velocity(self.contacts, k, v, 0)
    }

    /// Normal row of contact k as (entry, value).
    fn row(&self, k: usize) -> impl Iterator<Item = (usize, f64)> {
        let dofs = self.contacts.rows.dofs();
        let cols = self.contacts.rows.cols()[k];
        (0..2)
            .filter(move |&side| cols[side] != FIXED)
            .flat_map(move |side| {
                let first = cols[side] as usize * dofs;
                let block = &self.contacts.rows.block(k, side)[..dofs];
                block.iter().enumerate().map(move |(i, x)| (first + i, *x))
            })
    }

    /// M (v − v_free).
    fn momentum(&self, v: &[f64]) -> Vec<f64> {
        let dofs = self.contacts.rows.dofs();
        let entry = |i: usize| {
            let first = i / dofs * dofs;
            let row = &self.mass[i * dofs..][..dofs];
            let change = v[first..].iter().zip(&self.free[first..]);
            row.iter().zip(change).map(|(m, (v, f))| m * (v - f)).sum()
        };
        (0..v.len()).map(entry).collect()
    }

    /// ½ |v − v_free|² in M plus the potential of the contacts: what an implicit step minimises.
    fn energy(&self, v: &[f64]) -> f64 {
        let PenaltySettings {
            stiffness,
            exponent,
            ..
        } = *self.settings;
        let change = v.iter().zip(&self.free).map(|(v, f)| v - f);
        let kinetic: f64 = change.zip(self.momentum(v)).map(|(a, b)| a * b).sum();
        let potential = (0..self.contacts.len()).map(|k| {
            let depth = (-self.gap(k, v)).max(0.0);
            stiffness / (exponent + 1.0) * depth.powf(exponent + 1.0)
        });
        0.5 * kinetic + potential.sum::<f64>()
    }

    /// M (v − v_free) − Σ n p, and the same relative to the largest entry of its terms.
    fn residual(&self, v: &[f64]) -> (Vec<f64>, f64) {
        let most = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let mut residual = self.momentum(v);
        let mut largest = most(&residual);
        for k in 0..self.contacts.len() {
            let (p, _) = self.impulse(k, v);
            for (i, x) in self.row(k) {
                residual[i] -= x * p;
                largest = largest.max((x * p).abs());
            }
        }
        // NaN passes through a maximum, but not through a sum.
        let scaled = match most(&residual) / largest {
            _ if residual.iter().sum::<f64>().is_nan() => f64::NAN,
            _ if largest == 0.0 => 0.0,
            scaled => scaled,
        };
        (residual, scaled)
    }

    /// Factorises the Newton matrix at v; false if it is singular.
    fn factor(&self, v: &[f64], lu: &mut Lu) -> bool {
        let (n, dofs) = (v.len(), self.contacts.rows.dofs());
        let matrix = lu.begin(n);
        for (e, m) in self.mass.iter().enumerate() {
            let i = e / dofs;
            let j = i / dofs * dofs + e % dofs;
            matrix[j * n + i] = *m;
        }
        for k in 0..self.contacts.len() {
            let (_, slope) = self.impulse(k, v);
            for (i, x) in self.row(k) {
                for (j, y) in self.row(k) {
                    matrix[j * n + i] += self.h * slope * x * y;
                }
            }
        }
        lu.factor()
    }

    /// v⁺ with the scaled residual and the number of steps, as far as they lead. A linear rule is there after one step, and the
    /// second takes back its rounding.
    fn solve(&self, lu: &mut Lu) -> (Vec<f64>, f64, usize) {
        let mut v = self.free.clone();
        let (mut residual, mut scaled) = self.residual(&v);
        let mut number = 0;
        while scaled > 1e-3 * self.settings.tolerance && number < ITERATIONS {
            number += 1;
            if !self.factor(&v, lu) {
                break;
            }
            let mut step = residual.clone();
            lu.solve(&mut step);
            let fall: f64 = residual.iter().zip(&step).map(|(r, s)| r * s).sum();
            let energy = self.energy(&v);
            let mut length = 1.0;
            let better = (0..HALVINGS).find_map(|_| {
                let next: Vec<f64> = v.iter().zip(&step).map(|(v, s)| v - length * s).collect();
                let (r, s) = self.residual(&next);
                let falls = self.energy(&next) <= energy - 1e-4 * length * fall;
                let implicit = self.settings.rule == PenaltyRule::Implicit;
                length *= 0.5;
                ((implicit && falls) || s < 0.5 * scaled).then_some((next, r, s))
            });
            let Some((next, r, s)) = better else { break };
            (v, residual, scaled) = (next, r, s);
        }
        (v, scaled, number)
    }
}

impl Stepper for Penalty {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        _observer: &mut dyn Observer,
    ) -> Result<StepReport, StepError> {
        self.check(system, state, h)?;
        let impacts = Impacts::new(system, (state, h), (ImpactLaw::Newton, 1.0));
        self.find(system, &impacts, h)?;
        let (nv, d) = (system.nv(), system.dimension());
        let mut free = vec![0.0; nv];
        system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
        let mut blocks = Vec::new();
        system.mass_blocks(&state.q, &mut blocks);
        let balance = Balance {
            mass: blocks,
            free,
            contacts: &self.linearized.contacts,
            settings: &self.settings,
            h,
        };
        let contacts = balance.contacts.len();
        let (v, residual, iterations) = balance.solve(&mut self.lu);
        if residual.is_nan() || residual > self.settings.tolerance {
            return Err(StepError::Unsolved {
                t: state.t,
                status: Status::NoProgress,
                residual,
                tolerance: self.settings.tolerance,
                contacts,
                problem: UnsolvedStep::at_velocity(NAME, (state, h), &v),
            });
        }
        let mut impulses = vec![0.0; contacts * d];
        for k in 0..contacts {
            impulses[k * d] = balance.impulse(k, &v).0;
        }
        let solved = Solved {
            v,
            impulses,
            lcp_size: nv,
            pivots: iterations,
            residual,
            ..Solved::default()
        };
        let mut q = vec![0.0; system.nq()];
        system.retract(&state.q, &solved.v, h, self.settings.rotation, &mut q);
        let query = ContactQuery {
            margin: 0.0,
            include: &self.linearized.contacts.id,
        };
        contacts_at(system, state.t, &q, &query, &mut self.at_end)?;
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
                pivots: iterations,
                passes: 1,
                converged: true,
            },
        };
        let (report, next) = step.finish(system)?;
        *state = next;
        Ok(report)
    }
}
