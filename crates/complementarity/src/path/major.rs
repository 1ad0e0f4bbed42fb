//! The iterations: path generation and nonmonotone stabilisation.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use super::model::marks_of;
use super::run::Run;
use super::settings::{LemkeStart, SearchType};
use crate::lemke::{Origin, PathCode, Trail, TrailLimits};
use crate::{LemkeSettings, LinearMcp, Phase, Solver, Start, Status};

/// Sufficient decrease, as a part of what the slope promises.
const DECREASE: f64 = 1e-4;
/// A direction descends if its slope is below −ρ ‖d‖^p.
const SLOPE: f64 = 1e-10;
const SLOPE_POWER: f64 = 2.1;
/// Steps are halved at most so often.
const HALVINGS: i32 = 12;
/// The distance allowed without looking at the merit shrinks by this.
const DISTANCE: f64 = 0.8;
/// Perturbations of a Jacobian in which no path begins, relative to its largest entry.
const PERTURBATIONS: [f64; 6] = [1e-8, 1e-4, 1e-2, 1e-1, 1.0, 10.0];
/// A solution is where the next step moves no entry by more than this times max(1, |z_i|).
const SHORT: f64 = 1e-3;
/// Points run off if their size grows by this so many times in succession.
const GROWTH: f64 = 1.5;
const GROWN: usize = 12;
/// Points that come back more often than this, among so many, come back for ever.
const RETURNS: usize = 2;
const MEMORY: usize = 16;
/// First perturbation of the uphill restart, relative to the largest entry of the Jacobian, and how it shrinks.
const UPHILL: f64 = 2.0;
const DECAY: f64 = 0.9;
/// A path that comes at least so far is of use although it does not arrive.
const FAR: f64 = 0.1;

/// What decides over steps.
struct Reference {
    memory: VecDeque<f64>,
    /// Largest step that is taken without looking at the merit.
    distance: f64,
    /// Such steps since the merit was last looked at.
    unwatched: usize,
    watchdogs: usize,
    /// After a return only steps that the merit accepts are taken, once.
    strict: bool,
}

/// What earlier points say about the one at hand.
#[derive(Default)]
struct Company {
    /// Whether the last step was a full and short one.
    short: bool,
    /// Largest entry of the last point, and how often in succession it has grown.
    size: f64,
    grown: usize,
    /// Of the last points, what tells them apart.
    seen: VecDeque<u64>,
}

impl Company {
    /// Whether the points run off, or come again and again.
    fn is_lost(&mut self, z: &[f64]) -> bool {
        let size = z.iter().fold(1.0_f64, |m, z| m.max(z.abs()));
        let grows = size > GROWTH * self.size;
        self.grown = if grows { self.grown + 1 } else { 0 };
        self.size = size;
        let mut hasher = DefaultHasher::new();
        z.iter().for_each(|z| z.to_bits().hash(&mut hasher));
        let own = hasher.finish();
        let again = self.seen.iter().filter(|seen| **seen == own).count();
        self.seen.push_back(own);
        if self.seen.len() > MEMORY {
            self.seen.pop_front();
        }
        self.grown > GROWN || again > RETURNS
    }
}

/// Whether no entry moves by more than a small part of it.
fn is_short(from: &[f64], to: &[f64]) -> bool {
    let mut pairs = from.iter().zip(to);
    pairs.all(|(z, end)| (end - z).abs() <= SHORT * z.abs().max(1.0))
}

impl Reference {
    fn value(&self) -> f64 {
        self.memory.iter().fold(0.0, |m, x| m.max(*x))
    }

    fn remember(&mut self, merit: f64, size: usize) {
        self.memory.push_back(merit);
        while self.memory.len() > size.max(1) {
            self.memory.pop_front();
        }
    }
}

impl Run<'_> {
    /// Iterations from the point at hand; `None` if a restart is due.
    pub(super) fn iterate(&mut self) -> Option<Status> {
        let mut reference = Reference {
            memory: VecDeque::new(),
            distance: f64::INFINITY,
            unwatched: 0,
            watchdogs: 0,
            strict: false,
        };
        let factor = self.settings.nms_initial_reference_factor;
        reference.remember(factor * self.here.merit, 1);
        let mut checkpoint = self.here.clone();
        let mut proximal = self.settings.proximal_perturbation;
        let mut gradient_steps = 0;
        let mut company = Company::default();
        for iteration in 0.. {
            if self.differentiate().is_err() {
                return None;
            }
            let small = self.here.residual <= self.settings.convergence_tolerance;
            if small && company.short {
                return Some(Status::Solved);
            }
            if !small && iteration >= self.settings.major_iteration_limit {
                return None;
            }
            if !small && self.stats.pivots >= self.settings.cumulative_iteration_limit {
                return Some(Status::IterationLimit);
            }
            if iteration == 0 && self.uphill {
                self.linearise(0.0);
                proximal = UPHILL * self.model.largest();
            }
            // 1. The end of the path.
            let (trail, used) = self.generate(iteration, proximal);
            if small {
                // 2. A solution is where the next step is short; where there is none, the rows have to tell.
                let arrived = trail.code == PathCode::Solved;
                let exact = self.here.residual == 0.0 && !self.ran_off;
                if exact
                    || if arrived {
                        is_short(&self.here.z, &trail.z)
                    } else {
                        !self.runs_off()
                    }
                {
                    return Some(Status::Solved);
                }
                self.ran_off = true;
            }
            if company.is_lost(&self.here.z) {
                return None;
            }
            self.stats.iterations += 1;
            self.stats.pivots += trail.pivots;
            let minor = trail.pivots;
            self.compute_gradient();
            // 2. How far to go towards it.
            let outcome = if trail.reached > 0.0 {
                self.search(&trail, &mut reference)
            } else {
                None
            };
            let (code, step) = match outcome {
                Some(found) => found,
                None if reference.unwatched > 0
                    && reference.watchdogs < self.settings.nms_maximum_watchdogs =>
                {
                    // 3. Back to the last point that the merit accepted.
                    reference.watchdogs += 1;
                    reference.unwatched = 0;
                    reference.strict = true;
                    self.here.assign(&checkpoint);
                    self.differentiated = false;
                    ('W', 0.0)
                }
                None => {
                    // 4. Along the gradient.
                    gradient_steps += 1;
                    if gradient_steps > self.settings.gradient_step_limit {
                        return None;
                    }
                    self.stats.gradient_steps += 1;
                    match self.gradient_step(&mut reference) {
                        Some(step) => ('G', step),
                        None => return None,
                    }
                }
            };
            if matches!(code, 'O' | 'M' | 'B' | 'G') {
                checkpoint.assign(&self.here);
            }
            proximal = if self.uphill {
                DECAY * proximal
            } else {
                proximal.min(0.01 * self.here.residual)
            };
            company.short = step >= 1.0 && code != 'G' && is_short(&self.trial.z, &self.here.z);
            let record = self.record(Phase::Major, minor, step, [letter(trail.code), code], used);
            if self.tell(iteration, record) == ControlFlow::Break(()) {
                return Some(Status::Stopped);
            }
        }
        None
    }

    /// The path of the linearised problem, and the perturbation that it took.
    fn generate(&mut self, iteration: usize, proximal: f64) -> (Trail, f64) {
        let always = self.settings.lemke_start == LemkeStart::Always
            || (iteration == 0 && self.settings.lemke_start == LemkeStart::First);
        let mut pivots = 0;
        let mut partial: Option<(Trail, f64)> = None;
        for relative in std::iter::once(0.0).chain(PERTURBATIONS) {
            self.linearise(0.0);
            let own = proximal + relative * self.model.largest();
            self.linearise(own);
            if !always {
                let mut trail = self.regular();
                pivots += trail.pivots;
                trail.pivots = pivots;
                if trail.code == PathCode::Solved {
                    return (trail, own);
                }
                if trail.code != PathCode::Singular && partial.is_none() {
                    partial = Some((trail, own));
                }
            }
            // The path from the point at hand does not arrive: that of Lemke may.
            if relative == 0.0 || always {
                if let Some(mut trail) = self.from_ray() {
                    pivots += trail.pivots;
                    trail.pivots = pivots;
                    return (trail, own);
                }
            }
            if partial
                .as_ref()
                .is_some_and(|(trail, _)| trail.reached > FAR)
            {
                break;
            }
        }
        let nothing = Trail {
            code: PathCode::Singular,
            reached: 0.0,
            z: self.here.z.clone(),
            pivots,
            breaks: Vec::new(),
        };
        partial.unwrap_or((nothing, proximal))
    }

    fn regular(&mut self) -> Trail {
        let bounds = self.problem.bounds();
        marks_of(bounds, &self.here.z, &mut self.marks);
        self.stats.factorizations += 1;
        let limits = TrailLimits {
            pivots: self
                .settings
                .minor_iteration_limit
                .min(10 * (self.here.z.len() + 10)),
            repairs: self.settings.lemke_rank_deficiency_iterations,
            keep_breaks: self.settings.nms_searchtype == SearchType::Path,
        };
        self.pivoting.trail(
            self.model.view(bounds),
            Origin {
                z: &self.here.z,
                f: &self.here.f,
            },
            &self.marks,
            &LemkeSettings::default(),
            limits,
        )
    }

    /// A solution of the linearised problem by Lemke's method.
    fn from_ray(&mut self) -> Option<Trail> {
        let bounds = self.problem.bounds().clone();
        let linear = LinearMcp::new(self.model.matrix().clone(), self.model.q().to_vec(), bounds);
        self.lemke.settings = LemkeSettings {
            retries: 1,
            pivot_limit: self.settings.minor_iteration_limit,
            ..LemkeSettings::default()
        };
        let solution = self.lemke.solve(&linear.ok()?, Start::Cold);
        self.stats.factorizations += solution.stats.factorizations;
        solution.status.is_solved().then_some(Trail {
            code: PathCode::Solved,
            reached: 1.0,
            z: solution.z,
            pivots: solution.stats.iterations,
            breaks: Vec::new(),
        })
    }

    /// Goes as far along the path as merit or distance allow; the code of acceptance and the length of the step.
    fn search(&mut self, trail: &Trail, reference: &mut Reference) -> Option<(char, f64)> {
        let direction = self.here.z.iter().zip(&trail.z).map(|(z, end)| end - z);
        let length = direction.clone().map(|d| d * d).sum::<f64>().sqrt();
        let slope: f64 = direction.zip(&self.gradient).map(|(d, g)| d * g).sum();
        let descends = slope < -SLOPE * length.powf(SLOPE_POWER);
        if length == 0.0 {
            return None;
        }
        let full = trail.code == PathCode::Solved;
        let near = length <= reference.distance;
        let watched = reference.unwatched >= self.settings.nms_mstep_frequency || reference.strict;
        self.trial.z.copy_from_slice(&trail.z);
        let defined = self.evaluate_trial();
        if !self.settings.nms {
            return defined.then(|| {
                self.accept_trial();
                ('D', trail.reached)
            });
        }
        let limit = reference.value() + DECREASE * slope.min(0.0);
        if defined && self.trial.merit <= limit {
            self.accept_trial();
            reference.remember(self.here.merit, self.settings.nms_memory_size);
            (reference.unwatched, reference.strict) = (0, false);
            let code = if near && full { 'O' } else { 'M' };
            return Some((code, trail.reached));
        }
        if defined && full && near && !watched && self.trial.merit <= 100.0 * reference.value() {
            self.accept_trial();
            reference.distance = DISTANCE * reference.distance.min(length / DISTANCE);
            reference.unwatched += 1;
            return Some(('D', 1.0));
        }
        let astray = reference.unwatched > 0 && self.here.merit > reference.value();
        if !descends || (astray && reference.watchdogs < self.settings.nms_maximum_watchdogs) {
            return None;
        }
        for halving in 1..=HALVINGS {
            let step = 0.5_f64.powi(halving);
            self.shorten(trail, step);
            if self.evaluate_trial()
                && self.trial.merit <= reference.value() + DECREASE * step * slope
            {
                self.accept_trial();
                reference.remember(self.here.merit, self.settings.nms_memory_size);
                (reference.unwatched, reference.strict) = (0, false);
                return Some(('B', step * trail.reached));
            }
        }
        None
    }

    /// The trial point at this part of the way.
    fn shorten(&mut self, trail: &Trail, step: f64) {
        let (mut from, mut begin) = (&self.here.z, 0.0);
        let (mut to, mut end) = (&trail.z, 1.0);
        if self.settings.nms_searchtype == SearchType::Path {
            let t = step * trail.reached;
            for (reached, z) in &trail.breaks {
                let part = reached / trail.reached;
                if *reached <= t {
                    (from, begin) = (z, part);
                } else {
                    (to, end) = (z, part);
                    break;
                }
            }
        }
        let share = ((step - begin) / (end - begin)).clamp(0.0, 1.0);
        let ends = from.iter().zip(to);
        for (trial, (from, to)) in self.trial.z.iter_mut().zip(ends) {
            *trial = from + share * (to - from);
        }
        self.trial.project(self.problem.bounds());
    }

    /// The first point along the projected gradient that makes the merit smaller; the length of the step.
    fn gradient_step(&mut self, reference: &mut Reference) -> Option<f64> {
        let square: f64 = self.gradient.iter().map(|g| g * g).sum();
        if !(square > 0.0 && square.is_finite()) {
            return None;
        }
        // Where the merit would vanish if it were linear.
        let mut step = 2.0 * self.here.merit / square;
        for _ in 0..60 {
            self.trial.z.copy_from_slice(&self.here.z);
            for (trial, g) in self.trial.z.iter_mut().zip(&self.gradient) {
                *trial -= step * g;
            }
            self.trial.project(self.problem.bounds());
            let ends = self.here.z.iter().zip(&self.trial.z);
            let promised: f64 = ends
                .zip(&self.gradient)
                .map(|((z, t), g)| (z - t) * g)
                .sum();
            if promised <= 0.0 {
                return None;
            }
            let gradient = std::mem::take(&mut self.gradient);
            let better =
                self.evaluate_trial() && self.trial.merit <= self.here.merit - DECREASE * promised;
            self.gradient = gradient;
            if better {
                self.accept_trial();
                reference.remember(self.here.merit, self.settings.nms_memory_size);
                return Some(step);
            }
            step *= 0.5;
        }
        None
    }
}

fn letter(code: PathCode) -> char {
    match code {
        PathCode::Solved => 'S',
        PathCode::Ray => 'R',
        PathCode::Limit => 'I',
        PathCode::Singular => 'N',
        PathCode::Lost => 'T',
    }
}
