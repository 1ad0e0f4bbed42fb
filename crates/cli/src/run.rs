//! `signorini run`.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use signorini_complementarity::Observer;
use signorini_dynamics::{State, System};
use signorini_plot::PlotError;
use signorini_scene::{AtomicFile, Checkpoint, Scene, TrajectoryWriter};
use signorini_steppers::{Recorder, Run, StepError, StepReport, Stepper, simulate};

use crate::args::RunArguments;
use crate::error::{CliError, Unsolved};
use crate::interrupt::{self, Interrupt};
use crate::number::short;
use crate::outputs::{self, Outputs};
use crate::picture::Curves;
use crate::progress::Progress;
use crate::report::{RunFacts, RunReport};
use crate::terminal;

/// Runs a scene and writes what was asked for, all of it or nothing.
pub(crate) fn run(arguments: &RunArguments) -> Result<(), CliError> {
    let scene = load(arguments)?;
    let refuse = |source| CliError::scene(&arguments.scene, source);
    let plan = scene.run.step_and_end().map_err(refuse)?;
    let mut stepper = Timed {
        stepper: scene.stepper().map_err(refuse)?,
        spent: Duration::ZERO,
    };
    let world = scene.to_world().map_err(refuse)?;
    let system = world.system();
    let mut state = match &arguments.resume {
        None => world.initial_state(),
        Some(path) => Checkpoint::from_path(path)
            .and_then(|checkpoint| checkpoint.into_state(&scene, system))
            .map_err(|source| CliError::checkpoint(path, source))?,
    };
    let start = state.t;
    if plan.steps_from(start) == 0 {
        return Err(CliError::NothingToDo {
            start,
            until: plan.until,
        });
    }
    if let Some(note) = many_steps(plan.steps_from(start))
        && !arguments.quiet
    {
        terminal::print_log(&format!("note: {note}"));
    }
    interrupt::listen();
    let mut outputs = Outputs::open(arguments)?;

    let mut recorder = RunRecorder::new(arguments, &mut outputs, plan, start);
    let result = simulate(system, &mut stepper, &mut state, plan, &mut recorder);
    let RunRecorder {
        trajectory,
        curves,
        counts,
        progress,
    } = recorder;
    progress.clear();
    let is_stopped = result.as_ref().is_err_and(StepError::is_stopped);
    if is_stopped || result.is_ok() && interrupt::interrupted() {
        return Err(CliError::Interrupted { t: state.t });
    }
    let summary = result.map_err(|source| failed_step(arguments, state.t, source))?;
    if let Some(writer) = trajectory {
        writer.finish().map_err(CliError::Trajectory)?;
    }

    let facts = RunFacts {
        scene: scene.name.as_deref().unwrap_or_default(),
        scheme: stepper.name(),
        dimension: system.dimension(),
        h: plan.h,
        t_start: start,
        t_end: state.t,
        counts,
        stepping: stepper.spent,
    };
    outputs.write_report(&RunReport::new(facts, &summary).to_json())?;
    if let Some(curves) = curves {
        let picture = draw(&curves, facts.scene, arguments).map_err(CliError::Plot)?;
        outputs.write_plot(&picture)?;
    }
    outputs.write_checkpoint(&Checkpoint::new(&scene, state).to_json())?;
    let written = outputs.commit()?;
    if !arguments.quiet {
        terminal::print_summary(facts, &summary, &written)?;
    }
    Ok(())
}

/// Steps from which on a run is likely a slip of the pen: at a microsecond a step it takes a quarter of an hour, at a
/// millisecond twelve days.
const MANY_STEPS: usize = 1_000_000_000;

/// What is to be said of a run of this many steps before it begins.
pub(crate) fn many_steps(steps: usize) -> Option<String> {
    (steps > MANY_STEPS).then(|| {
        let days = short(steps as f64 * 1e-5 / 86_400.0, 2);
        format!("at 10 microseconds a step {steps} steps take {days} days: are `h` and `until` what was meant?")
    })
}

/// The failure of a step, whose problem is written to a file if it was not solved.
fn failed_step(arguments: &RunArguments, t: f64, source: StepError) -> CliError {
    let unsolved = source.problem().map(|problem| {
        Box::new(Unsolved {
            has_problem: problem.linear.is_some() || problem.friction.is_some(),
            written: outputs::write_unsolved(arguments, &problem.to_json()),
        })
    });
    CliError::Step {
        t,
        source,
        unsolved,
    }
}

/// The curves as PNG if the file is called that, else as SVG.
fn draw(curves: &Curves, title: &str, arguments: &RunArguments) -> Result<Vec<u8>, PlotError> {
    let figure = curves.figure(title);
    let extension = arguments.plot.as_ref().and_then(|path| path.extension());
    if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        figure.png()
    } else {
        figure.svg().map(String::into_bytes)
    }
}

/// The scene with the settings of the command line in place of its own.
fn load(arguments: &RunArguments) -> Result<Scene, CliError> {
    let mut scene = Scene::from_path(&arguments.scene)
        .map_err(|source| CliError::scene(&arguments.scene, source))?;
    scene.run.stepper = arguments.stepper.or(scene.run.stepper);
    scene.run.h = arguments.h.or(scene.run.h);
    scene.run.until = arguments.until.or(scene.run.until);
    Ok(scene)
}

/// What is counted beside the summary.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Largest number of contacts in a step.
    pub(crate) largest_contacts: usize,
    /// Contacts summed over all steps.
    pub(crate) contact_steps: usize,
}

struct RunRecorder<'a> {
    trajectory: Option<TrajectoryWriter<&'a mut AtomicFile>>,
    curves: Option<Curves>,
    counts: Counts,
    progress: Progress,
}

impl<'a> RunRecorder<'a> {
    fn new(arguments: &RunArguments, outputs: &'a mut Outputs, plan: Run, start: f64) -> Self {
        Self {
            trajectory: outputs.trajectory.as_mut().map(TrajectoryWriter::new),
            curves: arguments.plot.is_some().then(Curves::default),
            counts: Counts::default(),
            progress: Progress::new(plan.steps_from(start), arguments.quiet),
        }
    }
}

impl Recorder for RunRecorder<'_> {
    fn record(
        &mut self,
        system: &dyn System,
        state: &State,
        report: Option<&StepReport>,
    ) -> ControlFlow<()> {
        if let Some(report) = report {
            self.counts.largest_contacts = self.counts.largest_contacts.max(report.contacts.len());
            self.counts.contact_steps += report.contacts.len();
            self.progress.advance(state.t);
        }
        if let Some(curves) = &mut self.curves {
            curves.record(system, state);
        }
        if interrupt::interrupted() {
            return ControlFlow::Break(());
        }
        match &mut self.trajectory {
            Some(writer) => writer.record(system, state, report),
            None => ControlFlow::Continue(()),
        }
    }
}

/// A stepper that measures the time of its steps, without that of writing files, and that Ctrl-C stops within them.
struct Timed {
    stepper: Box<dyn Stepper>,
    spent: Duration,
}

impl Stepper for Timed {
    fn name(&self) -> &'static str {
        self.stepper.name()
    }

    fn step(
        &mut self,
        system: &dyn System,
        state: &mut State,
        h: f64,
        _: &mut dyn Observer,
    ) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let result = self.stepper.step(system, state, h, &mut Interrupt);
        self.spent += start.elapsed();
        result
    }
}
