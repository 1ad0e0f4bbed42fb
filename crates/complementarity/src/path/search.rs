//! Nonmonotone stabilisation: how far to go along a path.

use std::collections::VecDeque;

use super::run::Run;
use super::settings::{PathSettings, SearchType};
use crate::lemke::{PathCode, Trail};

/// Sufficient decrease, as a part of what the slope promises.
const DECREASE: f64 = 1e-4;

/// A direction descends if its slope is below −ρ ‖d‖^p.
const SLOPE: f64 = 1e-10;
const SLOPE_POWER: f64 = 2.1;

/// Steps along a path are halved at most so often, along a gradient so often.
const HALVINGS: i32 = 12;
const GRADIENT_HALVINGS: usize = 60;

/// The length of steps that the merit does not accept must shrink by this, and it must not be above the reference by
/// more than this factor.
const DISTANCE: f64 = 0.8;
const EXCESS: f64 = 100.0;

/// A path that is longer than the last one by more than this factor must not raise the merit.
const LONGER: f64 = 2.0;

/// What decides over steps.
pub(super) struct Reference {
    memory: VecDeque<f64>,
    /// Largest step that is taken although the merit does not accept it.
    distance: f64,
    /// Length of the last path.
    length: f64,
    /// Such steps since the merit last accepted one.
    pub(super) unwatched: usize,
    pub(super) watchdogs: usize,
    /// After a return only a step that the merit accepts is taken.
    pub(super) strict: bool,
}

impl Reference {
    pub(super) fn new(merit: f64, settings: &PathSettings) -> Self {
        Self {
            memory: VecDeque::from([settings.nms_initial_reference_factor * merit]),
            distance: f64::INFINITY,
            length: f64::INFINITY,
            unwatched: 0,
            watchdogs: 0,
            strict: false,
        }
    }

    fn value(&self) -> f64 {
        self.memory.iter().fold(0.0, |m, x| m.max(*x))
    }

    fn accept(&mut self, merit: f64, settings: &PathSettings) {
        (self.unwatched, self.strict) = (0, false);
        self.memory.push_back(merit);
        while self.memory.len() > settings.nms_memory_size.max(1) {
            self.memory.pop_front();
        }
    }
}

impl Run<'_> {
    /// Goes as far along the path as merit or distance allow; the code of acceptance and the length of the step.
    pub(super) fn search(
        &mut self,
        trail: &Trail,
        reference: &mut Reference,
    ) -> Option<(char, f64)> {
        let direction = self.here.z.iter().zip(&trail.z).map(|(z, end)| end - z);
        let length = direction.clone().map(|d| d * d).sum::<f64>().sqrt();
        let slope: f64 = direction.zip(&self.gradient).map(|(d, g)| d * g).sum();
        if length == 0.0 {
            return None;
        }
        self.trial.z.copy_from_slice(&trail.z);
        let defined = self.evaluate_trial();
        if !self.settings.nms {
            return defined.then(|| {
                self.accept_trial();
                ('D', trail.reached)
            });
        }
        // 1. m-step: the merit accepts the whole path.
        let full = trail.code == PathCode::Solved;
        let near = length <= reference.distance;
        let merit = self.trial.merit;
        // Where paths become longer and longer the merit must not rise.
        let longer = length > LONGER * reference.length;
        reference.length = length;
        let watchdogs = reference.watchdogs < self.settings.nms_maximum_watchdogs;
        let astray = reference.unwatched > 0 && watchdogs;
        if longer && !astray {
            reference.memory.clear();
            reference.memory.push_back(self.here.merit);
        }
        let mut level = reference.value();
        if longer {
            level = level.min(self.here.merit);
        }
        if defined && merit <= level + DECREASE * slope.min(0.0) {
            self.accept_trial();
            reference.accept(merit, &self.settings);
            let code = if near && full { 'O' } else { 'M' };
            return Some((code, trail.reached));
        }
        // 2. d-step: it is shorter than earlier ones.
        let due = reference.unwatched >= self.settings.nms_mstep_frequency || reference.strict;
        if defined && full && near && !due && merit <= EXCESS * reference.value() {
            self.accept_trial();
            reference.distance = (DISTANCE * reference.distance).min(length);
            reference.unwatched += 1;
            return Some(('D', 1.0));
        }
        // 3. Part of the path, if d-steps have not led astray.
        let astray = astray && (longer || self.here.merit > reference.value());
        if astray || slope >= -SLOPE * length.powf(SLOPE_POWER) {
            return None;
        }
        for halving in 1..=HALVINGS {
            let step = 0.5_f64.powi(halving);
            self.shorten(trail, step);
            let limit = self.here.merit + DECREASE * step * slope;
            if self.evaluate_trial() && self.trial.merit <= limit {
                self.accept_trial();
                reference.accept(self.here.merit, &self.settings);
                return Some(('B', step * trail.reached));
            }
        }
        None
    }

    /// The trial point at this part of the way.
    fn shorten(&mut self, trail: &Trail, step: f64) {
        let (mut from, mut begin) = (&self.here.z, 0.0);
        let (mut to, mut end) = (&trail.z, 1.0);
        for (reached, z) in &trail.breaks {
            let part = reached / trail.reached;
            if part > step {
                (to, end) = (z, part);
                break;
            }
            (from, begin) = (z, part);
        }
        let share = ((step - begin) / (end - begin)).clamp(0.0, 1.0);
        let ends = from.iter().zip(to);
        for (trial, (from, to)) in self.trial.z.iter_mut().zip(ends) {
            *trial = from + share * (to - from);
        }
        self.trial.project(self.problem.bounds());
    }

    /// The first point along the projected gradient that makes the merit smaller; the length of the step.
    pub(super) fn gradient_step(&mut self, reference: &mut Reference) -> Option<f64> {
        let square: f64 = self.gradient.iter().map(|g| g * g).sum();
        if !(square > 0.0 && square.is_finite()) {
            return None;
        }
        let bounds = self.problem.bounds();
        let line = self.settings.gradient_searchtype == SearchType::Line;
        // Where the merit would vanish if it were linear.
        let longest = 2.0 * self.here.merit / square;
        let mut step = 1.0;
        for _ in 0..GRADIENT_HALVINGS {
            let here = self.here.z.iter().zip(&self.gradient);
            for (i, (trial, (z, g))) in self.trial.z.iter_mut().zip(here).enumerate() {
                *trial = if line {
                    z + step * (bounds.project(i, z - longest * g) - z)
                } else {
                    bounds.project(i, z - step * longest * g)
                };
            }
            self.trial.project(bounds);
            let ends = self.here.z.iter().zip(&self.trial.z);
            let promised: f64 = ends
                .zip(&self.gradient)
                .map(|((z, t), g)| (z - t) * g)
                .sum();
            if promised <= 0.0 {
                return None;
            }
            let limit = self.here.merit - DECREASE * promised;
            if self.evaluate_trial() && self.trial.merit <= limit {
                self.accept_trial();
                reference.accept(self.here.merit, &self.settings);
                return Some(step * longest);
            }
            step *= 0.5;
        }
        None
    }
}
