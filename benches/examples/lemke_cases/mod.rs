//! Lemke's method on the problems of 66 discs, one step after the other: from nothing, and from the impulses of the step before.

use std::time::Instant;

use signorini::complementarity::{
    BlockGaussSeidel, BlockGaussSeidelSettings, FrictionData, FrictionProblem, Lemke,
    LemkeSettings, PlanarLemke, PlanarLemkeSettings, PyramidForm, Solution, Solver, Start,
};
use signorini::dynamics::{ContactQuery, Contacts};
use signorini::prelude::*;

use super::pile_cases::Failure;

/// Scaled residual that is asked for, as of the steps.
const TOLERANCE: f64 = 1e-9;

/// Poses the problem of each step of a run anew, and solves it by each method.
pub(crate) fn lemke_times(
    world: &World<2>,
    mut stepper: HartAnitescu,
    (h, steps): (f64, usize),
) -> Result<(), Failure> {
    let mut state = world.initial_state();
    let mut rows = [
        Row::new("Lemke, cold", cold),
        Row::new("Lemke, from the last impulses", warm),
        Row::new("PlanarLemke, from the last impulses", planar),
        Row::new("PlanarLemke, after 160 sweeps from there", swept),
    ];
    for _ in 0..steps {
        if let Some((problem, last)) = posed(world, &state, h)? {
            for row in &mut rows {
                row.take(&problem, &last);
            }
        }
        stepper.step(world, &mut state, h, &mut ())?;
    }
    rows.into_iter().for_each(Row::print);
    Ok(())
}

/// The problem of the next step, and the impulses of the last one; none without contacts.
fn posed(
    world: &World<2>,
    state: &State,
    h: f64,
) -> Result<Option<(FrictionProblem, Vec<f64>)>, Failure> {
    let mut free = vec![0.0; world.nv()];
    world.free_velocity(state.t, &state.q, &state.v, h, &mut free);
    let speed = |v: &[f64]| {
        v.chunks_exact(3)
            .map(|v| v[0].hypot(v[1]))
            .fold(0.0, f64::max)
    };
    let include: Vec<_> = state.memory.iter().map(|m| m.id).collect();
    let query = ContactQuery {
        margin: 2.0 * h * speed(&free).max(speed(&state.v)),
        include: &include,
    };
    let mut contacts = Contacts::default();
    world.contacts(state.t, &state.q, &query, &mut contacts)?;
    if contacts.is_empty() {
        return Ok(None);
    }
    let (mut bias, mut last) = (Vec::new(), Vec::new());
    for (k, &id) in contacts.id.iter().enumerate() {
        let memory = state.remembered(id);
        let rebound = memory.map_or(0.0, |m| contacts.restitution[k] * m.approach);
        let gap = contacts.gap[k] / h;
        bias.extend([if rebound < 0.0 { gap.min(rebound) } else { gap }, 0.0]);
        last.extend(memory.map_or([0.0; 2], |m| [m.impulse[0], m.impulse[1]]));
    }
    let mut mass = Vec::new();
    world.mass_blocks(&state.q, &mut mass);
    let problem = FrictionProblem::new(FrictionData {
        dofs: 3,
        mass,
        free_velocity: free,
        bias,
        mu: contacts.friction.clone(),
        contacts: contacts.rows,
        ..FrictionData::default()
    })?;
    Ok(Some((problem, last)))
}

type Method = fn(&FrictionProblem, &[f64]) -> (Solution, f64);

/// What a method takes.
struct Row {
    name: &'static str,
    method: Method,
    times: Vec<f64>,
    pivots: usize,
    solved: usize,
}

impl Row {
    fn new(name: &'static str, method: Method) -> Self {
        Self {
            name,
            method,
            times: Vec::new(),
            pivots: 0,
            solved: 0,
        }
    }

    fn take(&mut self, problem: &FrictionProblem, last: &[f64]) {
        let (solution, time) = (self.method)(problem, last);
        self.times.push(time);
        self.pivots += solution.stats.iterations;
        self.solved += usize::from(solution.residual <= TOLERANCE);
    }

    fn print(mut self) {
        let count = self.times.len();
        let mean = self.times.iter().sum::<f64>() / count as f64;
        self.times.sort_by(f64::total_cmp);
        println!(
            "{}: {} of {count} solved, mean {mean:.3} ms, median {:.3}, largest {:.2}, {:.0} pivots",
            self.name,
            self.solved,
            self.times[count / 2],
            self.times[count - 1],
            self.pivots as f64 / count as f64,
        );
    }
}

fn lemke(problem: &FrictionProblem, last: Option<&[f64]>) -> (Solution, f64) {
    let start = Instant::now();
    let pyramid = problem.pyramid(2, PyramidForm::Mixed);
    let point = last.map(|last| pyramid.point(problem, last));
    let from = point.as_deref().map_or(Start::Cold, Start::Point);
    let solution = Lemke::new(LemkeSettings {
        tolerance: TOLERANCE,
        ..LemkeSettings::default()
    })
    .solve(pyramid.problem(), from);
    (solution, 1e3 * start.elapsed().as_secs_f64())
}

fn cold(problem: &FrictionProblem, _: &[f64]) -> (Solution, f64) {
    lemke(problem, None)
}

fn warm(problem: &FrictionProblem, last: &[f64]) -> (Solution, f64) {
    lemke(problem, Some(last))
}

fn planar(problem: &FrictionProblem, last: &[f64]) -> (Solution, f64) {
    let start = Instant::now();
    let solution = PlanarLemke::new(PlanarLemkeSettings {
        tolerance: TOLERANCE,
        ..PlanarLemkeSettings::default()
    })
    .solve(problem, Start::Point(last));
    (solution, 1e3 * start.elapsed().as_secs_f64())
}

/// Sweeps that bring the modes of most contacts right.
const SWEEPS: usize = 160;

fn swept(problem: &FrictionProblem, last: &[f64]) -> (Solution, f64) {
    let start = Instant::now();
    let near = BlockGaussSeidel::new(BlockGaussSeidelSettings {
        tolerance: TOLERANCE,
        sweep_limit: SWEEPS,
        ..BlockGaussSeidelSettings::default()
    })
    .solve(problem, Start::Point(last));
    let (solution, _) = planar(problem, &near.z);
    (solution, 1e3 * start.elapsed().as_secs_f64())
}
