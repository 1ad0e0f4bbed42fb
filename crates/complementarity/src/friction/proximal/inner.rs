//! Semismooth Newton for one proximal problem.

use crate::friction::maps::{BlockDerivative, Steps};
use crate::friction::newton_system::NewtonSystem;
use crate::friction::regularised::{Blocks, Proximal};
use crate::friction::{FrictionLaw, ResidualMeasure};

/// Armijo's constant.
const DESCENT: f64 = 1e-4;

/// Merits that a step may be measured against: the largest of the last ones.
const MEMORY: usize = 4;

/// Halvings of a step before sweeps take over.
const HALVINGS: usize = 12;

/// Sweeps where no part of the Newton step is accepted.
const RESCUE_SWEEPS: usize = 20;

/// What ends the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) measure: ResidualMeasure,
    /// Residual of the proximal problem that is enough.
    pub(super) residual: f64,
    /// Most Newton steps.
    pub(super) limit: usize,
}

/// How it ended: r holds the best point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    pub(super) residual: f64,
    pub(super) iterations: usize,
}

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    system: NewtonSystem,
    steps: Vec<Steps>,
    derivatives: Vec<BlockDerivative>,
    u: Vec<f64>,
    phi: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

impl Newton {
    pub(super) fn load(&mut self, blocks: &Blocks) {
        self.system.load(blocks);
        for buffer in [
            &mut self.u,
            &mut self.phi,
            &mut self.direction,
            &mut self.trial,
        ] {
            buffer.clear();
            buffer.resize(blocks.view.len(), 0.0);
        }
    }

    /// Improves r, the point to start from, for the problem with this term.
    pub(super) fn solve(
        &mut self,
        blocks: &Blocks,
        term: &Proximal,
        goal: Goal,
        r: &mut Vec<f64>,
    ) -> Inner {
        self.steps.clear();
        let convex = blocks.view.law == FrictionLaw::Convex;
        self.steps.extend((0..blocks.view.blocks()).map(|k| {
            if convex {
                [blocks.step(term.alpha, k); 3]
            } else {
                blocks.steps(term.alpha, k)
            }
        }));
        let mut merits: Vec<f64> = Vec::new();
        let mut inner = Inner {
            residual: f64::INFINITY,
            iterations: 0,
        };
        loop {
            let merit = self.evaluate(blocks, term, r);
            let residual = blocks.residual(goal.measure, (r, &self.u));
            if residual < inner.residual {
                inner.residual = residual;
                self.best.clone_from(r);
            }
            if residual <= goal.residual || inner.iterations == goal.limit || !merit.is_finite() {
                break;
            }
            inner.iterations += 1;
            merits.push(merit);
            let reference = merits
                .iter()
                .rev()
                .take(MEMORY)
                .fold(0.0, |m: f64, x| m.max(*x));
            if !(self.newton_direction(blocks, term.alpha, r)
                && self.search(blocks, term, reference, r))
            {
                for number in 0..RESCUE_SWEEPS {
                    blocks.sweep(term, number % 2 == 1, r);
                }
                merits.clear();
            }
        }
        if inner.residual.is_finite() {
            r.clone_from(&self.best);
        }
        inner
    }

    /// The map at r, its velocities in `u`, and its length in the norm of the weights.
    fn evaluate(&mut self, blocks: &Blocks, term: &Proximal, r: &[f64]) -> f64 {
        blocks.velocities_into(term, r, &mut self.u);
        for (k, steps) in self.steps.iter().enumerate() {
            let rows = blocks.view.rows(k);
            let (r, u) = (&r[rows.clone()], &self.u[rows.clone()]);
            let out = &mut self.phi[rows];
            match (blocks.view.cones.get(k), blocks.view.law) {
                (None, _) => out[0] = blocks.view.equation(k).natural_map(steps[0], r[0], u[0]),
                (Some(cone), FrictionLaw::Coulomb) => cone.alart_curnier(steps, (r, u), out),
                (Some(cone), law) => cone.natural_map(law, steps[0], (r, u), out),
            }
        }
        let squares = self.phi.iter().zip(&blocks.weights).map(|(x, w)| x * x * w);
        squares.sum::<f64>().sqrt()
    }

    /// Solves for the step at the point that was evaluated last.
    fn newton_direction(&mut self, blocks: &Blocks, alpha: f64, r: &[f64]) -> bool {
        self.derivatives.clear();
        for (k, steps) in self.steps.iter().enumerate() {
            let rows = blocks.view.rows(k);
            let (r, u) = (&r[rows.clone()], &self.u[rows]);
            self.derivatives
                .push(match (blocks.view.cones.get(k), blocks.view.law) {
                    (None, _) => {
                        let mut block = BlockDerivative::default();
                        if blocks.view.equation(k).holds(steps[0], r[0], u[0]) {
                            block.cu[0][0] = steps[0];
                        } else {
                            block.cr[0][0] = 1.0;
                        }
                        block
                    }
                    (Some(cone), FrictionLaw::Coulomb) => {
                        cone.alart_curnier_derivative(steps, (r, u))
                    }
                    (Some(cone), law) => cone.natural_derivative(law, steps[0], (r, u)),
                });
        }
        self.direction
            .iter_mut()
            .zip(&self.phi)
            .for_each(|(d, phi)| *d = -phi);
        self.system
            .solve(blocks, alpha, &self.derivatives, &mut self.direction)
    }

    /// Halves the step until the merit falls below the reference; false if it does not.
    fn search(&mut self, blocks: &Blocks, term: &Proximal, reference: f64, r: &mut [f64]) -> bool {
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let mut trial = std::mem::take(&mut self.trial);
            for ((t, r), d) in trial.iter_mut().zip(r.iter()).zip(&self.direction) {
                *t = r + length * d;
            }
            let merit = self.evaluate(blocks, term, &trial);
            self.trial = trial;
            if merit <= (1.0 - DESCENT * length) * reference {
                r.copy_from_slice(&self.trial);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}
