//! Keeps the best point of a solve, judged by the residual of the original data.

use super::block_gauss_seidel::SweepOrder;
use super::blocks::{self, Blocks};
use super::view::SolverView;
use super::{FrictionProblem, ResidualMeasure};
use crate::{Solution, Start, Stats, Status};

/// The best point so far.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    problem: &'a FrictionProblem,
    view: &'a SolverView,
    measure: ResidualMeasure,
    tolerance: f64,
    best: Vec<f64>,
    residual: f64,
    point: Vec<f64>,
}

impl<'a> Judge<'a> {
    /// Judges the starting point and puts it into blocks; the answer if it is a solution.
    #[track_caller]
    pub(super) fn begin(
        problem: &'a FrictionProblem,
        view: &'a SolverView,
        target: (ResidualMeasure, f64),
        start: Start<'_>,
    ) -> Result<(Self, Box<dyn Blocks>), Box<Solution>> {
        Self::begin_in_order(problem, (view, SweepOrder::Given), target, start)
    }

    /// The same, with sweeps in this order.
    #[track_caller]
    pub(super) fn begin_in_order(
        problem: &'a FrictionProblem,
        (view, order): (&'a SolverView, SweepOrder),
        target: (ResidualMeasure, f64),
        start: Start<'_>,
    ) -> Result<(Self, Box<dyn Blocks>), Box<Solution>> {
        let judge = Self::new(problem, view, target, start);
        if judge.solved() {
            return Err(Box::new(judge.solution(Status::Solved, Stats::default())));
        }
        let mut blocks = blocks::prepare(problem, view, order);
        blocks.set_impulses(&judge.scaled());
        Ok((judge, blocks))
    }

    /// Takes the starting point, projected on the cones: the coordinates z of the problem.
    #[track_caller]
    fn new(
        problem: &'a FrictionProblem,
        view: &'a SolverView,
        (measure, tolerance): (ResidualMeasure, f64),
        start: Start<'_>,
    ) -> Self {
        let mut point = vec![0.0; view.len()];
        if let Start::Point(start) = start {
            point.copy_from_slice(start);
            view.scale(&mut point);
            view.project(&mut point);
            view.unscale(&mut point);
        }
        let residual = problem.residual_in(&view.units, measure, &point);
        Self {
            problem,
            view,
            measure,
            tolerance,
            best: point.clone(),
            residual,
            point,
        }
    }

    /// The best point, as z' of the view.
    fn scaled(&self) -> Vec<f64> {
        let mut z = self.best.clone();
        self.view.scale(&mut z);
        z
    }

    pub(super) fn solved(&self) -> bool {
        self.residual <= self.tolerance
    }

    /// The smallest residual so far.
    pub(super) fn residual(&self) -> f64 {
        self.residual
    }

    /// Judges the present point; its residual.
    pub(super) fn look(&mut self, blocks: &dyn Blocks) -> f64 {
        blocks.impulses_into(&mut self.point);
        self.view.unscale(&mut self.point);
        let residual = self
            .problem
            .residual_in(&self.view.units, self.measure, &self.point);
        if residual < self.residual {
            self.residual = residual;
            self.best.copy_from_slice(&self.point);
        }
        residual
    }

    /// The point that was judged last.
    pub(super) fn point(&self) -> &[f64] {
        &self.point
    }

    /// The answer: solved if the best point is a solution, else `status`.
    pub(super) fn solution(self, status: Status, stats: Stats) -> Solution {
        let status = if self.solved() {
            Status::Solved
        } else {
            status
        };
        Solution {
            z: self.best,
            status,
            residual: self.residual,
            stats,
            basis: None,
            certificate: None,
        }
    }
}
