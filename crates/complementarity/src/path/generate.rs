//! The path of the linearised problem.

use super::model::marks_of;
use super::run::Run;
use super::settings::{LemkeStart, SearchType};
use crate::lemke::{Origin, PathCode, Trail, TrailLimits};
use crate::{LemkeSettings, LinearMcp, Solver, Start};

/// Perturbations of a Jacobian from which no path arrives, relative to its largest entry.
const PERTURBATIONS: [f64; 7] = [0.0, 1e-8, 1e-4, 1e-2, 1e-1, 1.0, 10.0];

/// A path that comes at least so far is of use although it does not arrive.
const FAR: f64 = 0.1;

/// A path of n variables may take this times n + 10 pivots: one that takes more goes round.
const PIVOTS: usize = 10;

impl Run<'_> {
    /// The path from the point at hand and the perturbation that it took.
    ///
    /// If the path does not arrive, Lemke's may; and if that does not, one of a perturbed problem.
    pub(super) fn generate(&mut self, iteration: usize, proximal: f64) -> (Trail, f64) {
        let from_ray = self.settings.lemke_start == LemkeStart::Always
            || (iteration == 0 && self.settings.lemke_start == LemkeStart::First);
        let mut pivots = 0;
        let mut partial: Option<(Trail, f64)> = None;
        // One less than what was needed last.
        let from = self.perturbation.saturating_sub(1);
        let largest = self.largest_entry();
        for (level, relative) in PERTURBATIONS.iter().enumerate().skip(from) {
            self.perturbation = level;
            let own = proximal + relative * largest;
            self.linearise(own);
            if !from_ray {
                let trail = self.regular();
                pivots += trail.pivots;
                match trail.code {
                    PathCode::Solved => return (Trail { pivots, ..trail }, own),
                    PathCode::Singular => {}
                    _ if partial.is_none() => partial = Some((trail, own)),
                    _ => {}
                }
            }
            // Lemke's path comes after the first that was broken off; where none can begin, a small perturbation is first.
            let tried = level - from + usize::from(partial.is_some());
            if (from_ray || tried == 1)
                && let Some(trail) = self.lemke_path(from_ray)
            {
                pivots += trail.pivots;
                return (Trail { pivots, ..trail }, own);
            }
            let far = |(trail, _): &(Trail, f64)| trail.reached > FAR;
            if partial.as_ref().is_some_and(far) {
                break;
            }
        }
        let (trail, own) = partial.unwrap_or_else(|| {
            let nothing = Trail {
                code: PathCode::Singular,
                reached: 0.0,
                z: self.here.z.clone(),
                pivots,
                breaks: Vec::new(),
            };
            (nothing, proximal)
        });
        (Trail { pivots, ..trail }, own)
    }

    /// From the point at hand.
    fn regular(&mut self) -> Trail {
        let bounds = self.problem.bounds();
        marks_of(bounds, &self.here.z, &mut self.marks);
        self.stats.factorizations += 1;
        let most = PIVOTS * (self.here.z.len() + 10);
        let limits = TrailLimits {
            pivots: self.settings.minor_iteration_limit.min(most),
            repairs: self.settings.lemke_rank_deficiency_iterations,
            keep_breaks: self.settings.nms_searchtype == SearchType::Path,
        };
        let origin = Origin {
            z: &self.here.z,
            f: &self.here.f,
        };
        let (view, settings) = (self.model.view(bounds), LemkeSettings::default());
        self.pivoting
            .trail(view, origin, &self.marks, &settings, limits)
    }

    /// A solution of the linearised problem by Lemke's method.
    fn lemke_path(&mut self, from_ray: bool) -> Option<Trail> {
        let bounds = self.problem.bounds().clone();
        let (m, q) = (self.model.matrix().clone(), self.model.q().to_vec());
        let linear = LinearMcp::new(m, q, bounds).ok()?;
        self.lemke.settings = LemkeSettings {
            retries: 1,
            pivot_limit: self.settings.minor_iteration_limit,
            ..LemkeSettings::default()
        };
        let start = if from_ray {
            Start::Cold
        } else {
            Start::Point(&self.here.z)
        };
        let solution = self.lemke.solve(&linear, start);
        self.stats.factorizations += solution.stats.factorizations;
        solution.status.is_solved().then_some(Trail {
            code: PathCode::Solved,
            reached: 1.0,
            z: solution.z,
            pivots: solution.stats.iterations,
            breaks: Vec::new(),
        })
    }
}
