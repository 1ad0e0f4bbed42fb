//! Geometrically implicit time stepping of Chakraborty, Berard, Akella and Trinkle: closest points, normals and friction
//! directions of the end of the step are unknowns of its complementarity problem.
//!
//! Finds v⁺, impulses and for each pair the closest points a, b of the bodies at q⁺ with
//!
//! ```math
//! M (v^{+} - v) = h k + W_n p_n + W_t p_t + W_o p_o + W_r p_r, \qquad q^{+} = q + h\, G v^{+}, \qquad W = W(q^{+}, a, b)
//! ```
//! ```math
//! 0 \le p_n \perp \psi(q^{+}, a, b) \ge 0, \qquad
//! e_k^2\, \mu p_n W_k^T v^{+} + \sigma p_k = 0, \qquad
//! 0 \le \sigma \perp \mu^2 p_n^2 - \sum_k (p_k / e_k)^2 \ge 0 \qquad (k = t, o, r)
//! ```
//!
//! and the optimality conditions of a and b that [`ImplicitContacts`](signorini_dynamics::ImplicitContacts) states.
//!
//! # Method
//! The impulses of friction are unknowns as p_k = μ e_k p_n y_k, so that the friction rows become e_k W_kᵀ v⁺ + σ y_k = 0 and
//! 0 ≤ σ ⟂ 1 − |y|² ≥ 0: the same solutions where p_n > 0, no row that fades with p_n, and σ is the sliding speed
//! √Σ (e_k W_kᵀ v⁺)² also where p_n = 0, where the paper's form leaves it undetermined. Each unknown and row is in a
//! unit of its own. The problem holds the pairs that carried an impulse in the step before and those in overlap at
//! q + h v*. The mode of each pair (open, stick, slip) and the set of active inequalities of each intersection are guessed
//! from the step before, Newton's method solves their smooth equations to rounding, and what does not fit is corrected a few
//! times; where that leads nowhere, [`Path`] solves the complementarity problem, modes are read off its solution, and the
//! smooth equations take it to rounding. Where that leads nowhere either, both begin again at the free velocity, and at the
//! solution without friction. All pairs are checked at q⁺, violated ones are added, and the problem is solved again until none
//! is violated.
//!
//! # Guarantees and limits
//! A step is taken only if the residual of the complementarity problem at its point, recomputed, is at most
//! `tolerance`, and no pair of the system is in overlap at q⁺ by more than `violation_tolerance`; else it fails and the state
//! is as it was. Roots with σ < 0, friction along the sliding velocity, are excluded by bounds. Inelastic impacts are
//! spread over two steps as in [`StewartTrinkle`](crate::StewartTrinkle). With restitution e, which the paper leaves open, a
//! pair that would close in the step and approaches with u < 0 at its start has 0 ≤ p_n ⟂ W_nᵀ v⁺ − (−e u + δu) ≥ 0 in place
//! of the gap, δu what the forces of the step add (Newton's law): it knows the velocities before the step only, so that an
//! impact that is passed on through bodies at rest bounces at the first of them, and with friction it may gain energy.
//! One contact per pair of bodies: where faces or edges touch, the points are those that balance the moments. First order in h.
//! Steps with several solutions (large μ, more friction than the bodies can tell apart) end in one of them.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody
//!   systems with intermittent contact, RSS 2007: (5)–(11).

mod condense;
mod evaluate;
mod finish;
mod guess;
mod problem;
mod solve;
mod units;

use signorini_complementarity::{Observer, Path, PathSettings, SemismoothNewton};
use signorini_dynamics::{ContactId, PairLayout, Rotation, State, System};

use self::{
    guess::Guess,
    problem::{Contact, Given},
    units::Units,
};
use crate::{
    report::StepReport,
    step::{check_step, refuse_joints},
    stepper::{StepError, Stepper},
};

/// What is complementary to the normal impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum GapFunction {
    /// The signed distance n·(b − a).
    #[default]
    SignedDistance,
    /// A's surface function at B's point, as printed: CBAT2007 (6). It is no distance, but has its sign.
    Surface,
}

/// Which unknowns the problem of a step has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Formulation {
    /// All of the paper's: velocities, closest points, impulses, sliding speeds.
    #[default]
    Full,
    /// Without the closest points, which are computed from q⁺ at every evaluation, with their derivatives: fewer unknowns, and
    /// never a stationary pair that is not the closest one. Along lines and faces of contact the closest points jump from end
    /// to end as bodies turn, and steps fail: as unknowns they are where the moments balance.
    Condensed,
}

/// Settings of [`GeometricallyImplicit`].
#[derive(Clone, Debug, PartialEq)]
pub struct GeometricallyImplicitSettings {
    /// Which unknowns the problem has. Default all; steps come out the same up to the tolerance.
    pub formulation: Formulation,
    /// What is complementary to the normal impulse. Default the signed distance.
    pub gap: GapFunction,
    /// How q⁺ is made from v⁺. Default as printed.
    pub rotation: Rotation,
    /// A step is taken if the natural residual of its problem is ≤ this. Default 1e-10, no unit: speeds are in units of g h
    /// (at least 1e-3 of the largest speed), impulses of m g h, gaps of at most the body size. Too large leaves gaps open
    /// and friction off its cone, below 1e-12 rounding makes steps fail.
    pub tolerance: f64,
    /// A pair outside the problem is violated if its gap at q⁺ is < −`violation_tolerance` · L, with L the system's length.
    /// Default 1e-11, what closest points are computed to.
    pub violation_tolerance: f64,
    /// Contacts with restitution bounce if they approach faster than `rest_speed` · g h, else they are inelastic. Default 2:
    /// below 1 bodies at rest bounce by what they fall in a step, for ever.
    pub rest_speed: f64,
    /// Whether the modes of the step before are tried first, and corrected where they do not fit; else every problem is solved
    /// by [`Path`]. The residual judges both. Default true: it is several times faster, and where a step has several solutions
    /// it takes the one near the step before.
    pub predict_modes: bool,
    /// Rounds of the active set before the step fails with [`StepError::ActiveSet`]. Default 50.
    pub max_rounds: usize,
    /// Settings of the nonlinear solver.
    pub path: PathSettings,
}

impl Default for GeometricallyImplicitSettings {
    fn default() -> Self {
        Self {
            formulation: Formulation::default(),
            gap: GapFunction::default(),
            rotation: Rotation::Printed,
            tolerance: 1e-10,
            violation_tolerance: 1e-11,
            rest_speed: 2.0,
            predict_modes: true,
            max_rounds: 50,
            path: PathSettings::default(),
        }
    }
}

/// The scheme of CBAT2007: see the module's documentation for its equations.
///
/// # Examples
/// ```
/// use signorini_dynamics::{Body, ContactMaterial, Inertia, System, World, WorldSettings};
/// use signorini_geometry::{Ball, HalfSpace};
/// use signorini_steppers::{GeometricallyImplicit, Run, simulate};
/// let material = ContactMaterial { friction: 0.4, ..ContactMaterial::default() };
/// let mut world = World::<2>::with_settings(WorldSettings { material, ..WorldSettings::default() })?;
/// world.add(Body::fixed("ground", HalfSpace::up()))?;
/// let mut disc = Body::moving("disc", 1.0, Inertia::Scalar(0.5));
/// disc.shape = Some(Ball::new(1.0)?.into());
/// disc.position = vec![0.0, 1.0, 0.0];
/// disc.velocity = vec![-3.0, 0.0, 3.0];
/// world.add(disc)?;
/// let mut state = world.initial_state();
/// let run = Run { h: 0.01, until: 0.1 };
/// simulate(&world, &mut GeometricallyImplicit::default(), &mut state, run, &mut ())?;
/// // It rolls on and keeps its kinetic energy.
/// assert!((world.energy(&state.q, &state.v).kinetic - 6.75).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GeometricallyImplicit {
    settings: GeometricallyImplicitSettings,
    path: Path,
    newton: SemismoothNewton,
}

impl Default for GeometricallyImplicit {
    fn default() -> Self {
        Self::new(GeometricallyImplicitSettings::default())
    }
}

const NAME: &str = "geometrically-implicit";

impl GeometricallyImplicit {
    /// A stepper with these settings.
    pub fn new(settings: GeometricallyImplicitSettings) -> Self {
        Self {
            path: Path::new(settings.path.clone()),
            newton: SemismoothNewton::default(),
            settings,
        }
    }

    /// The settings.
    pub fn settings(&self) -> &GeometricallyImplicitSettings {
        &self.settings
    }

    fn given<'a>(
        &self,
        system: &'a dyn System,
        state: &'a State,
        h: f64,
    ) -> Result<Given<'a>, StepError> {
        let implicit = system
            .implicit()
            .ok_or(StepError::NoClosestPoints { scheme: NAME })?;
        let mut mass = Vec::new();
        system.mass_blocks(&state.q, &mut mass);
        let mut free = vec![0.0; system.nv()];
        system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
        let units = Units::new(system, h, &mass, [&state.v, &free]);
        Ok(Given {
            system,
            implicit,
            t: state.t,
            q: &state.q,
            h,
            rotation: self.settings.rotation,
            formulation: self.settings.formulation,
            gap: self.settings.gap,
            rest_speed: self.settings.rest_speed * units.fall,
            units,
            mass,
            free,
        })
    }

    /// Pairs in overlap at q⁺: those that are not in the problem, and those whose points are not the closest ones.
    fn violated(
        &self,
        given: &Given<'_>,
        contacts: &[Contact],
        q: &[f64],
    ) -> Result<(Vec<PairLayout>, Vec<ContactId>), StepError> {
        let margin = self.settings.violation_tolerance * given.units.length;
        let known = |id: ContactId| contacts.binary_search_by_key(&id, |c| c.layout.id).is_ok();
        let mut new = given.pairs(q, -margin)?;
        let astray = new.iter().map(|p| p.id).filter(|&id| known(id));
        let astray = if astray.count() == 0 {
            Vec::new()
        } else {
            let deep = given.pairs(q, -ASTRAY * given.units.length)?;
            deep.iter().map(|p| p.id).filter(|&id| known(id)).collect()
        };
        new.retain(|pair| !known(pair.id));
        Ok((new, astray))
    }
}

/// An overlap of a pair of the problem beyond this part of the length is no rounding: its points are another stationary pair.
const ASTRAY: f64 = 1e-8;

impl Given<'_> {
    /// Pairs that carried an impulse in the step before, and those in overlap at q + h v*.
    fn predict(&self, state: &State) -> Result<Vec<PairLayout>, StepError> {
        let q = self.end(&self.free);
        // Beyond this a pair that touched has left for good; if not, the check at the end finds it.
        let reach = 0.1 * self.units.length + 2.0 * self.h * self.units.fastest;
        let mut pairs = self.pairs(&q, reach)?;
        let overlapping = self.pairs(&q, 0.0)?;
        pairs.retain(|pair| {
            state.remembered(pair.id).is_some()
                || overlapping.binary_search_by_key(&pair.id, |p| p.id).is_ok()
        });
        Ok(pairs)
    }

    /// Position at the end of the step.
    fn end(&self, v: &[f64]) -> Vec<f64> {
        let mut q = vec![0.0; self.q.len()];
        self.system
            .retract(self.q, v, self.h, self.rotation, &mut q);
        q
    }

    fn pairs(&self, q: &[f64], margin: f64) -> Result<Vec<PairLayout>, StepError> {
        let mut pairs = Vec::new();
        let found = self.implicit.pairs(q, margin, &mut pairs);
        found.map_err(|source| StepError::Contact { t: self.t, source })?;
        Ok(pairs)
    }

    /// Closest points of a pair at q.
    fn closest(&self, layout: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), StepError> {
        let found = self.implicit.start(layout, q, z);
        found.map_err(|source| StepError::Contact { t: self.t, source })
    }
}

impl Stepper for GeometricallyImplicit {
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
        refuse_joints(NAME, system, state, h)?;
        let given = self.given(system, state, h)?;
        let mut contacts = Vec::new();
        let mut guess = Guess::new(&state.v);
        let mut new = given.predict(state)?;
        let mut work = finish::Work::default();
        loop {
            // 1. Add pairs, with the memory of the last step if there is one.
            for layout in std::mem::take(&mut new) {
                let mut contact = Contact::new(layout);
                guess.add(&given, &mut contact, state)?;
                contacts.push(contact);
            }
            contacts.sort_by_key(|c| c.layout.id);
            // 2. Solve.
            let solved = self.solve(&given, &contacts, &guess, observer)?;
            work.rounds += 1;
            work.iterations += solved.iterations;
            // 3. Look at all pairs at the end.
            let q = given.end(&solved.values.v);
            let (found, astray) = self.violated(&given, &contacts, &q)?;
            if found.is_empty() && astray.is_empty() {
                let step = finish::Solved {
                    given: &given,
                    contacts: &contacts,
                    answer: &solved,
                    q,
                    work,
                };
                let (report, next) = step.finish(state)?;
                *state = next;
                return Ok(report);
            }
            if work.rounds >= self.settings.max_rounds {
                return Err(given.unsettled(&q, &found, &astray, work.rounds));
            }
            guess = solved.values;
            for &id in &astray {
                guess.restart(&given, &contacts, id, &q)?;
            }
            new = found;
        }
    }
}

impl Given<'_> {
    fn unsettled(
        &self,
        q: &[f64],
        found: &[PairLayout],
        astray: &[ContactId],
        rounds: usize,
    ) -> StepError {
        let id = found.first().map(|p| p.id).or(astray.first().copied());
        let gap = |id: ContactId| {
            let pairs = self.pairs(q, f64::INFINITY).ok()?;
            let pair = pairs.iter().find(|p| p.id == id)?;
            let mut z = vec![0.0; pair.nz];
            self.closest(pair, q, &mut z).ok()?;
            let mut rows = signorini_dynamics::PairRows::default();
            self.implicit.rows(pair, q, &z, &mut rows);
            Some(rows.gap)
        };
        StepError::ActiveSet {
            t: self.t,
            rounds,
            contact: id.map_or_else(String::new, |id| self.system.contact_name(id)),
            violation: -id.and_then(gap).unwrap_or(0.0),
        }
    }
}
