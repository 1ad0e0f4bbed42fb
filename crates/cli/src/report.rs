//! The report of a run as JSON.

use std::time::Duration;

use serde::Serialize;
use signorini_dynamics::Energy;
use signorini_steppers::RunSummary;

use crate::run::Counts;

/// What `--report` writes: SI units; angular momentum is about the world's origin.
#[derive(Debug, Serialize)]
pub(crate) struct RunReport<'a> {
    format: &'static str,
    program: &'static str,
    scene: &'a str,
    scheme: &'a str,
    h: f64,
    t_start: f64,
    t_end: f64,
    steps: usize,
    worst_residual: f64,
    worst_penetration: f64,
    largest_energy_gain: f64,
    largest_restitution_cut: f64,
    energy: StartAndEnd<EnergyReport>,
    momentum: StartAndEnd<MomentumReport<'a>>,
    seconds_per_step: f64,
    pivots: usize,
    largest_lcp: usize,
    largest_contacts: usize,
    contact_steps: usize,
    unconverged_steps: usize,
}

#[derive(Debug, Serialize)]
struct StartAndEnd<T> {
    start: T,
    end: T,
}

#[derive(Debug, Serialize)]
struct EnergyReport {
    kinetic: f64,
    potential: f64,
    total: f64,
}

#[derive(Debug, Serialize)]
struct MomentumReport<'a> {
    linear: &'a [f64],
    angular: &'a [f64],
}

/// What a run was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunFacts<'a> {
    pub(crate) scene: &'a str,
    pub(crate) scheme: &'a str,
    pub(crate) dimension: usize,
    pub(crate) h: f64,
    pub(crate) t_start: f64,
    pub(crate) t_end: f64,
    pub(crate) counts: Counts,
    pub(crate) stepping: Duration,
}

impl RunFacts<'_> {
    /// Time of computation per step, s; 0 without steps.
    pub(crate) fn seconds_per_step(&self, steps: usize) -> f64 {
        if steps == 0 {
            0.0
        } else {
            self.stepping.as_secs_f64() / steps as f64
        }
    }
}

impl<'a> RunReport<'a> {
    pub(crate) fn new(facts: RunFacts<'a>, summary: &'a RunSummary) -> Self {
        let momentum = |values: &'a [f64]| {
            let (linear, angular) = values.split_at(facts.dimension);
            MomentumReport { linear, angular }
        };
        Self {
            format: "signorini-report-1",
            program: concat!("signorini ", env!("CARGO_PKG_VERSION")),
            scene: facts.scene,
            scheme: facts.scheme,
            h: facts.h,
            t_start: facts.t_start,
            t_end: facts.t_end,
            steps: summary.steps,
            worst_residual: summary.worst_residual,
            worst_penetration: summary.worst_penetration,
            largest_energy_gain: summary.largest_energy_gain,
            largest_restitution_cut: summary.largest_restitution_cut,
            energy: StartAndEnd {
                start: energy(summary.energy_start),
                end: energy(summary.energy_end),
            },
            momentum: StartAndEnd {
                start: momentum(&summary.momentum_start),
                end: momentum(&summary.momentum_end),
            },
            seconds_per_step: facts.seconds_per_step(summary.steps),
            pivots: summary.pivots,
            largest_lcp: summary.largest_lcp,
            largest_contacts: facts.counts.largest_contacts,
            contact_steps: facts.counts.contact_steps,
            unconverged_steps: summary.unconverged_steps,
        }
    }

    pub(crate) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a tree of numbers and strings");
        text.push('\n');
        text
    }
}

fn energy(energy: Energy) -> EnergyReport {
    EnergyReport {
        kinetic: energy.kinetic,
        potential: energy.potential,
        total: energy.total(),
    }
}
