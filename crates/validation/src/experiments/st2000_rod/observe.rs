//! Reads the events of the rod's course from a run.

use signorini::steppers::{Mode, StepReport};

use super::{HALF_LENGTH, RADIUS, RodRun};

/// Speeds below this count as rest, m/s and rad/s: far above rounding, far below any sliding seen here.
const REST: f64 = 1e-6;

/// The capsule's end at −l, which falls first.
const LOWER: u32 = 1;
/// Its other end.
const UPPER: u32 = 0;

/// An event that a run does not show.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the run with h = {h} s shows no {event}")]
pub(super) struct Missing {
    event: &'static str,
    h: f64,
}

/// What a run shows; times are the middle of the step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observed {
    pub(super) impact: f64,
    pub(super) slap_down: f64,
    pub(super) rest: f64,
    pub(super) final_x: f64,
    /// Phases of the lower tip between impact and slap-down, in words.
    pub(super) course: String,
    /// ω after the first and after the second step of the impact.
    pub(super) spike: (f64, f64),
    /// ω before the impact.
    before: f64,
}

impl Observed {
    /// Whether ω leaves, for one step, the range of its values before and after the impact, by more
    /// than a tenth of the jump.
    pub(super) fn has_spike(&self) -> bool {
        let (peak, settled) = self.spike;
        let slack = 0.1 * (settled - self.before).abs();
        peak < self.before.min(settled) - slack || peak > self.before.max(settled) + slack
    }
}

/// Index of the first step in which the tip carries an impulse, from `start` on.
fn first_touch(reports: &[StepReport], tip: u32, start: usize) -> Option<usize> {
    let touches = |report: &StepReport| mode(report, tip) != Mode::Open;
    reports
        .iter()
        .skip(start)
        .position(touches)
        .map(|index| index + start)
}

fn mode(report: &StepReport, tip: u32) -> Mode {
    let contact = report
        .contacts
        .iter()
        .find(|contact| contact.id.feature == tip);
    contact.map_or(Mode::Open, |contact| contact.mode)
}

pub(super) fn observe(run: &RodRun) -> Result<Observed, Missing> {
    let missing = |event| Missing { event, h: run.h };
    let reports = run.reports();
    let motions: Vec<_> = run.motions().collect();
    let middle = |step: usize| reports[step].t - 0.5 * run.h;
    let impact = first_touch(reports, LOWER, 0).ok_or(missing("first impact"))?;
    let slap = first_touch(reports, UPPER, impact).ok_or(missing("slap-down"))?;
    // Motion `step + 1` is that at the end of step `step`.
    let still = |step: &usize| motions[step + 1].1[3..].iter().all(|v| v.abs() <= REST);
    let rest = (slap..reports.len()).find(still).ok_or(missing("rest"))?;
    Ok(Observed {
        impact: middle(impact),
        slap_down: middle(slap),
        rest: middle(rest),
        final_x: motions[motions.len() - 1].1[0],
        course: course(run, impact, slap),
        spike: (motions[impact + 1].1[5], motions[impact + 2].1[5]),
        before: motions[impact].1[5],
    })
}

/// Phases of the lower tip in the steps from `first` to before `end`, each once.
///
/// Within a step the geometry is frozen, which leaves the tip's velocity uncertain by the change of
/// its lever arm, (l/2) ω² h. A slower slip counts as sticking.
fn course(run: &RodRun, first: usize, end: usize) -> String {
    let motions: Vec<_> = run.motions().collect();
    let mut phases: Vec<&str> = Vec::new();
    for step in first..end {
        let m = motions[step + 1].1;
        let slip = m[3] + (RADIUS + HALF_LENGTH * m[2].sin()) * m[5];
        let uncertain = HALF_LENGTH * m[5] * m[5] * run.h;
        let phase = match mode(&run.reports()[step], LOWER) {
            Mode::Open => "flies",
            Mode::Slip if slip > uncertain => "slides right",
            Mode::Slip if slip < -uncertain => "slides left",
            Mode::Stick | Mode::Slip => "sticks",
        };
        if phases.last() != Some(&phase) {
            phases.push(phase);
        }
    }
    phases.join(", ")
}

/// How often a tip that touched loses its impulse and touches again.
pub(super) fn reopened(run: &RodRun) -> usize {
    let count = |tip: u32| {
        let closed = run
            .reports()
            .iter()
            .map(|report| mode(report, tip) != Mode::Open);
        let closed: Vec<_> = closed.skip_while(|closed| !closed).collect();
        closed.windows(2).filter(|pair| !pair[0] && pair[1]).count()
    };
    count(LOWER) + count(UPPER)
}
