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
//! q + h v*; groups of bodies that no pair connects are solved one by one. The mode of each pair (open, stick, slip) and the set of active inequalities of each intersection are guessed
//! from the step before, Newton's method solves their smooth equations to rounding, from the velocities that the impulses
//! of the step before give, and what does not fit is corrected a few times; where that leads nowhere, [`Path`] solves the complementarity problem, modes are read off its solution, and the
//! smooth equations take it to rounding. Other places to begin are the resultants of a linearised step (first of all where many
//! faces lie flush), the free velocity, points in the middle of the lines and faces on which bodies lie flush, and the solution
//! without friction. All pairs are checked at q⁺, violated ones are added, and the problem is solved again until none
//! is violated. Flush pieces are one surface: a step begins with the half-space of a face in place of several pieces in its plane
//! and of pieces that are nearest at an edge that is none, and ends with the pieces that are there.
//!
//! # Guarantees and limits
//! A step is taken only if the residual of the complementarity problem at its point, recomputed, is at most
//! `tolerance`, and no pair of the system is in overlap at q⁺ by more than `violation_tolerance`; else it fails and the state
//! is as it was. Roots with σ < 0, friction along the sliding velocity, are excluded by bounds. Inelastic impacts are
//! spread over two steps as in [`StewartTrinkle`](crate::StewartTrinkle). With restitution e, which the paper leaves open, a
//! pair that would close in the step and approaches with u < 0 at its start has 0 ≤ p_n ⟂ W_nᵀ (v⁺ − δv + e v) ≥ 0 in place
//! of the gap, δv what the forces of the step add (Newton's law), unless it would end in overlap: it knows the velocities before the step only, so that an
//! impact that is passed on through bodies at rest bounces at the first of them, and with friction it may gain energy. Under
//! Poisson's law a first problem, with 0 ≤ p_c ⟂ W_nᵀ (v_c − δv) ≥ 0 for these pairs, is the compression, and in the second,
//! that of the step, they have 0 ≤ p_n − (1 + e) p_c ⟂ ψ ≥ 0: friction is that of the whole impulse, and e is reduced where
//! the impact would gain energy.
//! A step whose gentlest solution found would more than double the kinetic energy of bodies without joints, which nothing drives
//! and no overlap pushes apart, is refused ([`StepError::EnergyGained`]).
//! Joints hold at q⁺ to the tolerance, with impulses along their rows at q. Equations that others of a closed loop imply are
//! left out, hold with them, and get their part of the impulses at the end ([`StepReport::joint_rank`]). Springs are implicit, and
//! motors and dry friction in joints hold up to their largest effort. Driven bodies are no unknowns: they end where their course
//! says, and connect no groups. Belts add the velocity of their surfaces to Wᵀ v⁺. Where either can give energy, a step that has
//! several solutions takes the one near the step before. One contact per pair of bodies: where faces or edges touch, the points are those that balance the moments. First order in h.
//! An overlap at the start of a step is put right within it, as gaps at q⁺ are not negative: bodies part at depth / h, and the kinetic energy
//! that takes, ½ m (depth / h)² for a body of mass m, stays with them; [`StepReport::contact_energy`] is then positive.
//! Steps with several solutions (large μ, more friction than the bodies can tell apart, turns of a radian) end in one of them;
//! where its impulses add more than a hundredth of the kinetic energy, other starts are tried, and that which adds least is taken.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody
//!   systems with intermittent contact, RSS 2007: (5)–(11).

mod active_set;
mod condense;
mod direct;
mod evaluate;
mod finish;
mod gentle;
mod guess;
mod impact;
mod islands;
mod linearised;
mod links;
mod loops;
mod planes;
mod problem;
mod reading;
mod seams;
mod solve;
mod units;

use std::cell::{OnceCell, RefCell};

use signorini_complementarity::{Observer, Path, PathSettings, SemismoothNewton, Status};
use signorini_dynamics::{Move, PairLayout, PairRows, Pairs, Rotation, State, System};

use self::{
    active_set::ASTRAY,
    direct::Direct,
    evaluate::Scratch,
    guess::Guess,
    links::Links,
    problem::{Contact, Given},
    seams::{End, Seams},
    units::Units,
};
use crate::{
    latch::{Latch, is_raised},
    report::StepReport,
    restitution::ImpactLaw,
    step::check_step,
    stepper::{StepError, Stepper},
    unsolved::UnsolvedStep,
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
    /// to end as bodies turn, and only as unknowns are they where the moments balance: there they stay unknowns. That is so
    /// for pairs with a body of several inequalities, and for groups of bodies whose problem is not solved without them.
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
    /// Contacts with restitution bounce if they approach faster than `rest_speed` times what forces add to the fastest body's
    /// speed in a step (g h), else they are inelastic. Default 2: below 1 bodies at rest bounce by what they fall in a step, for ever.
    pub rest_speed: f64,
    /// What the coefficient of restitution multiplies: the approach velocity (default), or Poisson's law. The other laws are of
    /// the linearised schemes, and refused.
    pub impact: ImpactLaw,
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
            impact: ImpactLaw::default(),
            predict_modes: true,
            max_rounds: 50,
            path: PathSettings::default(),
        }
    }
}

impl GeometricallyImplicitSettings {
    /// Refuses numbers with which comparisons mean nothing: no step would fail, or none would be taken.
    fn check(&self, scheme: &'static str) -> Result<(), StepError> {
        for (setting, value) in [
            ("rest_speed", self.rest_speed),
            ("tolerance", self.tolerance),
            ("violation_tolerance", self.violation_tolerance),
        ] {
            let is_right = value >= 0.0 && value.is_finite();
            let must = "finite and at least 0";
            if !is_right {
                return Err(StepError::Setting {
                    scheme,
                    setting,
                    value,
                    must,
                });
            }
        }
        match self.impact {
            ImpactLaw::Newton | ImpactLaw::Poisson => Ok(()),
            law @ (ImpactLaw::Moreau | ImpactLaw::Uncorrected) => Err(StepError::Conflict {
                scheme,
                first: law.name(),
                second: "impacts within one step",
                hint: "choose Newton's, which bounces in the step in which a contact closes here",
            }),
        }
    }

    /// Refuses rolling friction and tangential restitution, which are not in the equations of friction here.
    fn refuse_foreign(
        &self,
        scheme: &'static str,
        system: &dyn System,
        layout: &PairLayout,
    ) -> Result<(), StepError> {
        if layout.rolling > 0.0 {
            return Err(StepError::RollingFriction {
                scheme,
                contact: system.contact_name(layout.id),
            });
        }
        if layout.tangential_restitution == 0.0 {
            return Ok(());
        }
        Err(StepError::TangentialRestitution {
            scheme,
            law: self.impact.name(),
            contact: system.contact_name(layout.id),
        })
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
    /// Name in reports and errors.
    scheme: &'static str,
    /// Whether pairs whose gap has no closed form are refused.
    refuses_others: bool,
    settings: GeometricallyImplicitSettings,
    path: Path,
    newton: SemismoothNewton,
    direct: Direct,
    pairs: Pairs,
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
            scheme: NAME,
            refuses_others: false,
            path: Path::new(settings.path.clone()),
            newton: SemismoothNewton::default(),
            direct: Direct::default(),
            pairs: Pairs::default(),
            settings,
        }
    }

    /// A stepper of this name that refuses pairs whose gap has no closed form.
    pub(crate) fn of_closed_forms(
        scheme: &'static str,
        settings: GeometricallyImplicitSettings,
    ) -> Self {
        Self {
            scheme,
            refuses_others: true,
            ..Self::new(settings)
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
        let implicit = system.implicit().ok_or(StepError::NoClosestPoints {
            scheme: self.scheme,
        })?;
        let mut mass = Vec::new();
        system.mass_blocks(&state.q, &mut mass);
        let mut free = vec![0.0; system.nv()];
        system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
        let mut ahead = vec![0.0; system.nq()];
        system.retract(&state.q, &state.v, h, self.settings.rotation, &mut ahead);
        let bodies = 0..system.nv() / system.dofs().max(1);
        let driven: Vec<bool> = bodies.map(|k| system.is_driven(k)).collect();
        let units = Units::new(system, h, (&mass, &driven), [&state.v, &free]);
        let rotation = self.settings.rotation;
        let scratch = Scratch::new(system, state, (&free, &driven), Move { h, rotation });
        Ok(Given {
            scheme: self.scheme,
            links: Links::new(system, (state, h), rotation, &units, (&driven, &free))?,
            driven,
            system,
            implicit,
            t: state.t,
            state,
            q: &state.q,
            ahead,
            by: Move {
                h,
                rotation: self.settings.rotation,
            },
            impact: self.settings.impact,
            rest_speed: self.rest_speed(&units, h),
            units,
            mass,
            scratch: RefCell::new(scratch),
            free,
            linearised: OnceCell::new(),
        })
    }

    /// Approach velocity up to which nothing bounces, m/s: a multiple of what forces add, and what the step before was solved to.
    fn rest_speed(&self, units: &Units, h: f64) -> f64 {
        let solved = self.settings.tolerance * (units.speed + units.gap / h);
        self.settings.rest_speed * units.gained + solved
    }
}

impl Given<'_> {
    /// Position at the end of the step.
    fn end(&self, v: &[f64]) -> Vec<f64> {
        let mut q = vec![0.0; self.q.len()];
        self.system
            .retract(self.q, v, self.by.h, self.by.rotation, &mut q);
        q
    }

    /// The pairs with gap ≤ margin at q.
    fn pairs(&self, q: &[f64], margin: f64, out: &mut Pairs) -> Result<(), StepError> {
        let found = self.implicit.pairs(q, margin, out);
        found.map_err(|source| StepError::Contact { t: self.t, source })
    }

    /// Signed distance of a pair at q, m.
    fn gap(&self, pair: &PairLayout, q: &[f64]) -> Result<f64, StepError> {
        let mut z = vec![0.0; pair.nz];
        self.closest(pair, q, &mut z)?;
        let mut rows = PairRows::default();
        self.implicit.rows(pair, q, &z, &mut rows);
        Ok(rows.gap)
    }

    /// Points in the middle of the line or face on which a pair lies at q; whether it lies on any.
    fn start_on_patch(
        &self,
        layout: &PairLayout,
        q: &[f64],
        z: &mut [f64],
    ) -> Result<bool, StepError> {
        let found = self.implicit.start_on_patch(layout, q, None, z);
        found.map_err(|source| StepError::Contact { t: self.t, source })
    }

    /// Those, else the closest points.
    fn amid(&self, layout: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), StepError> {
        if self.start_on_patch(layout, q, z)? {
            return Ok(());
        }
        self.closest(layout, q, z)
    }

    /// Closest points of a pair at q.
    fn closest(&self, layout: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), StepError> {
        let found = self.implicit.start(layout, q, z);
        found.map_err(|source| StepError::Contact { t: self.t, source })
    }
}

impl Stepper for GeometricallyImplicit {
    fn name(&self) -> &'static str {
        self.scheme
    }

    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, StepError> {
        let observer = &mut Latch::new(observer);
        self.settings.check(self.scheme)?;
        check_step(system, state, h)?;
        let given = self.given(system, state, h)?;
        let mut way = Way {
            contacts: Vec::new(),
            guess: Guess::new(&state.v, given.links.rows.len()),
            new: self.predict(&given, state)?,
            work: finish::Work::default(),
            is_given_up: false,
        };
        let mut seams = Seams::default();
        let end = loop {
            let is_first = way.work.rounds == 0 && !seams.has_begun();
            self.add_pairs(&given, &mut way)?;
            if is_first {
                self.begin_on_planes(&given, (&mut way, &mut seams))?;
            }
            let found = match self.round(&given, &mut way, observer) {
                Ok(Some(end)) => self.look_at_seams(&given, (&mut way, &mut seams), end)?,
                Ok(None) if seams.is_spent(&way) => seams.go_back(&mut way, None)?,
                Ok(None) => None,
                Err(error) if observer.is_stopped() || is_raised(observer) => return Err(error),
                Err(error) => seams.go_back(&mut way, Some(error))?,
            };
            if let Some(end) = found {
                break end;
            }
        };
        let step = finish::Solved {
            given: &given,
            contacts: &end.contacts,
            answer: &end.answer,
            q: end.q,
            work: way.work,
            tolerance: self.settings.tolerance,
        };
        let (report, next) = step.finish(state)?;
        *state = next;
        Ok(report)
    }
}

/// A step that is being solved.
#[derive(Debug)]
struct Way {
    /// Pairs of the problem, sorted by id, with where to begin.
    contacts: Vec<Contact>,
    guess: Guess,
    /// Pairs that are to be added.
    new: Vec<PairLayout>,
    work: finish::Work,
    /// Whether an impact was, that could not keep its bodies apart.
    is_given_up: bool,
}

impl GeometricallyImplicit {
    /// Adds pairs, with the memory of the last step if there is one.
    fn add_pairs(&mut self, given: &Given<'_>, way: &mut Way) -> Result<(), StepError> {
        let (system, state) = (given.system, given.state);
        let how = (self.settings.formulation, self.settings.gap);
        for layout in std::mem::take(&mut way.new) {
            self.settings.refuse_foreign(self.scheme, system, &layout)?;
            if self.refuses_others && !given.implicit.has_closed_form(&layout) {
                return Err(StepError::NoClosedForm {
                    scheme: self.scheme,
                    contact: system.contact_name(layout.id),
                });
            }
            let mut contact = Contact::new(layout, how, (&given.driven, system.has_belts()));
            way.guess.add(given, &mut contact, state)?;
            way.contacts.push(contact);
        }
        way.contacts.sort_by_key(|c| c.layout.id);
        Ok(())
    }

    /// Solves the problem of these pairs; the solution if it violates nothing, else the way has what is to be added.
    fn round(
        &mut self,
        given: &Given<'_>,
        way: &mut Way,
        observer: &mut Latch<'_>,
    ) -> Result<Option<End>, StepError> {
        let (system, state, h) = (given.system, given.state, given.by.h);
        let Way {
            contacts,
            guess,
            new,
            work,
            is_given_up,
        } = way;
        let solved = self.solve(given, contacts, guess, observer);
        if observer.is_stopped() || is_raised(observer) {
            // What other starts lead to is not what the step is.
            return Err(StepError::Unsolved {
                t: state.t,
                status: Status::Stopped,
                residual: f64::INFINITY,
                tolerance: self.settings.tolerance,
                contacts: contacts.len(),
                problem: UnsolvedStep::at_velocity(self.scheme, (state, h), &state.v),
            });
        }
        let mut solved = solved?;
        if *is_given_up {
            solved.restitution_cut = 1.0;
        }
        work.rounds += 1;
        work.iterations += solved.iterations;
        // All pairs at the end.
        let q = given.end(&solved.values.v);
        let violated = self.violated(given, contacts, &q)?;
        let Some((worst, gap)) = violated.deepest else {
            return Ok(Some(End {
                contacts: std::mem::take(contacts),
                answer: solved,
                q,
            }));
        };
        if work.rounds >= self.settings.max_rounds {
            return Err(StepError::ActiveSet {
                t: state.t,
                rounds: work.rounds,
                contact: system.contact_name(worst),
                violation: -gap,
                problem: UnsolvedStep::at_velocity(self.scheme, (state, h), &solved.values.v),
            });
        }
        *guess = solved.values;
        for &id in &violated.known {
            guess.restart(given, contacts, id, &q)?;
            let at = contacts.binary_search_by_key(&id, |c| c.layout.id);
            let contact = &mut contacts[at.expect("it is of the problem")];
            // The first time its points were only looked for in the wrong place.
            if contact.is_astray && contact.is_impact() {
                contact.give_up();
                *is_given_up = true;
            }
            contact.is_astray = true;
        }
        *new = violated.new;
        Ok(None)
    }
}
