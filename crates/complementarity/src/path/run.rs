//! One solve: the point at hand, the Jacobian there, counts and the best point.

use std::ops::ControlFlow;

use super::model::Model;
use super::point::{Point, row};
use super::prepare::Prepared;
use super::settings::PathSettings;
use crate::lemke::Pivoting;
use crate::problem::runs_off;
use crate::{
    Assembler, BasisMark, Bounds, Iterate, Lemke, Mcp, Observer, Phase, Stats, Status, StepRecord,
};

/// Memory that is kept between solves.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    pub(super) model: Model,
    pub(super) pivoting: Pivoting,
    pub(super) lemke: Lemke,
}

pub(super) struct Run<'a> {
    pub(super) problem: &'a dyn Mcp,
    /// Bounds of the problem before it was prepared.
    pub(super) given: &'a Bounds,
    /// Those of the restart at hand.
    pub(super) settings: PathSettings,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) stats: Stats,
    pub(super) model: &'a mut Model,
    pub(super) pivoting: &'a mut Pivoting,
    pub(super) lemke: &'a mut Lemke,
    pub(super) jacobian: Assembler,
    /// Whether `jacobian` is that of `here`.
    pub(super) differentiated: bool,
    pub(super) here: Point,
    pub(super) trial: Point,
    pub(super) best: Point,
    pub(super) marks: Vec<BasisMark>,
    pub(super) gradient: Vec<f64>,
    /// Factors of the rows and columns in the merit.
    pub(super) scaling: Vec<(f64, f64)>,
    /// Whether a small residual has turned out to be that of a point that runs off.
    pub(super) ran_off: bool,
    /// Which perturbation the last path took.
    pub(super) perturbation: usize,
    /// Whether this is the restart that goes uphill.
    pub(super) uphill: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        problem: &'a Prepared<'a>,
        settings: PathSettings,
        workspace: &'a mut Workspace,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let n = problem.len();
        let point = || Point {
            z: vec![0.0; n],
            f: vec![0.0; n],
            merit: f64::INFINITY,
            residual: f64::INFINITY,
        };
        Self {
            problem,
            given: problem.given(),
            settings,
            observer,
            stats: Stats::default(),
            model: &mut workspace.model,
            pivoting: &mut workspace.pivoting,
            lemke: &mut workspace.lemke,
            jacobian: Assembler::new(n),
            differentiated: false,
            here: point(),
            trial: point(),
            best: point(),
            marks: Vec::with_capacity(n),
            gradient: vec![0.0; n],
            scaling: vec![(1.0, 1.0); n],
            ran_off: false,
            perturbation: 0,
            uphill: false,
        }
    }

    /// F, merit and residual of the trial point; false where F is not defined.
    pub(super) fn evaluate_trial(&mut self) -> bool {
        self.try_trial().is_ok()
    }

    /// The same with the row where F is not defined.
    pub(super) fn try_trial(&mut self) -> Result<(), Status> {
        self.stats.evaluations += 1;
        let trial = &mut self.trial;
        crate::problem::evaluate_finite(self.problem, &trial.z, &mut trial.f, None)
            .map_err(|error| Status::Domain { row: error.row })?;
        trial.judge(self.problem.bounds(), &self.settings, &self.scaling);
        if trial.merit.is_finite() {
            Ok(())
        } else {
            let (row, _) = trial.worst(self.problem.bounds());
            Err(Status::Domain { row })
        }
    }

    /// Makes the trial point the one at hand.
    pub(super) fn accept_trial(&mut self) {
        std::mem::swap(&mut self.here, &mut self.trial);
        self.differentiated = false;
        self.keep_best();
    }

    pub(super) fn keep_best(&mut self) {
        if self.here.residual < self.best.residual {
            self.best.assign(&self.here);
        }
    }

    /// The Jacobian at the point at hand, with its whole diagonal in the pattern.
    pub(super) fn differentiate(&mut self) -> Result<(), Status> {
        if self.differentiated {
            return Ok(());
        }
        self.stats.jacobians += 1;
        self.jacobian.begin();
        let (z, f) = (&self.here.z, &mut self.trial.f);
        self.problem
            .evaluate(z, f, Some(&mut self.jacobian))
            .map_err(|error| Status::Domain { row: error.row })?;
        for i in 0..z.len() {
            self.jacobian.push(i, i, 0.0);
        }
        let mut entries = self.jacobian.matrix().iter();
        if let Some((_, (row, _))) = entries.find(|(m, _)| !m.is_finite()) {
            return Err(Status::Domain { row });
        }
        self.differentiated = true;
        Ok(())
    }

    /// Largest entry of the Jacobian at the point at hand, which has been differentiated, by magnitude.
    pub(super) fn largest_entry(&self) -> f64 {
        let entries = self.jacobian.assembled().data().iter();
        entries.fold(0.0, |m, x| m.max(x.abs()))
    }

    /// The model at the point at hand, which has been differentiated.
    pub(super) fn linearise(&mut self, proximal: f64) {
        let j = self.jacobian.matrix();
        self.model.set(j, proximal, &self.here.z, &self.here.f);
    }

    /// Scales the merit by the Jacobian at the point at hand.
    pub(super) fn scale(&mut self) -> Result<(), Status> {
        self.differentiate()?;
        self.linearise(0.0);
        self.scaling = crate::lemke::scaling(self.model.view(self.problem.bounds()));
        self.here
            .judge(self.problem.bounds(), &self.settings, &self.scaling);
        Ok(())
    }

    /// The gradient of the merit at the point at hand, which has been differentiated.
    pub(super) fn compute_gradient(&mut self) {
        let (bounds, function) = (self.problem.bounds(), self.settings.merit_function);
        let j = self.jacobian.matrix();
        // Values of by_f Φ, in memory of the trial point.
        let weights = &mut self.trial.f;
        for (i, (g, w)) in self.gradient.iter_mut().zip(weights.iter_mut()).enumerate() {
            let row = row(&self.here, i, bounds, function, self.scaling[i]);
            (*g, *w) = (row.by_z * row.value, row.by_f * row.value);
        }
        for (column, g) in j.outer_iterator().zip(&mut self.gradient) {
            for (i, m) in column.iter() {
                *g += m * weights[i];
            }
        }
    }

    /// Whether the residual at the point at hand is small only because F fades.
    pub(super) fn runs_off(&self) -> bool {
        let (bounds, j) = (self.problem.bounds(), self.jacobian.assembled());
        runs_off(bounds, &self.here.z, &self.here.f, j).is_some()
    }

    pub(super) fn record(
        &self,
        phase: Phase,
        minor: usize,
        step: f64,
        codes: [char; 2],
        proximal: f64,
    ) -> StepRecord {
        StepRecord {
            phase,
            minor,
            evaluations: self.stats.evaluations,
            jacobians: self.stats.jacobians,
            residual: self.here.residual,
            step,
            codes,
            proximal,
            worst: self.here.worst(self.problem.bounds()),
        }
    }

    pub(super) fn tell(&mut self, iteration: usize, record: StepRecord) -> ControlFlow<()> {
        self.observer.observe(&Iterate {
            z: Some(&self.here.z),
            step: Some(record),
            ..Iterate::new(iteration, self.here.residual)
        })
    }
}
