//! Values and derivatives of all rows from one list of steps.
//!
//! Every number has a slot: the variables first, the constants, then one per step, in the order of evaluation. The gradient
//! of a row is a reverse sweep over the steps that are the row's alone. A defined variable that several rows use has its own
//! gradient, swept once per point, and enters the rows as one number times that list.

use crate::operator::{Op, Piecewise, SHIFT, both, either, partials, value};

/// One operation; `a` and `b` are slots, parts of the terms, or a slot and a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) op: Op,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// A number whose gradient is swept: a row, or a defined variable of several rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    /// Slot of its value.
    pub(crate) root: u32,
    /// Runs of steps that are swept for it, in the order of evaluation.
    pub(crate) runs: Vec<(u32, u32)>,
    /// Units of defined variables that it uses.
    pub(crate) uses: Vec<u32>,
}

/// The steps, and what belongs to whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub(crate) variables: usize,
    pub(crate) constants: Vec<f64>,
    pub(crate) steps: Vec<Step>,
    pub(crate) terms: Vec<(u32, f64)>,
    pub(crate) piecewise: Vec<Piecewise>,
    /// Defined variables of several rows, in the order of evaluation.
    pub(crate) shared: Vec<Unit>,
    /// The variables on which each of them depends; one list, cut by `cuts`.
    pub(crate) patterns: Vec<u32>,
    pub(crate) cuts: Vec<usize>,
    /// Instead of shared units, where their gradients would be too long: runs that every row sweeps that uses any.
    pub(crate) walk: Vec<(u32, u32)>,
}

/// Room for one evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    values: Vec<f64>,
    /// Derivatives by slot; 0 between sweeps but for the slots of constants, which nobody reads.
    adjoints: Vec<f64>,
    /// Gradients of the shared units, beside [`Tape::patterns`].
    gradients: Vec<f64>,
}

impl Room {
    pub(crate) fn new(tape: &Tape) -> Self {
        let before = tape.first();
        let slots = before + tape.steps.len();
        let mut values = vec![0.0; slots];
        values[tape.variables..before].copy_from_slice(&tape.constants);
        Self {
            values,
            adjoints: vec![0.0; slots],
            gradients: vec![0.0; tape.patterns.len()],
        }
    }

    pub(crate) fn value(&self, slot: u32) -> f64 {
        self.values[slot as usize]
    }

    /// The derivative in a variable that the last sweep left, which is set to 0.
    pub(crate) fn take(&mut self, variable: u32) -> f64 {
        std::mem::take(&mut self.adjoints[variable as usize])
    }
}

impl Tape {
    /// Slot of the first step.
    fn first(&self) -> usize {
        self.variables + self.constants.len()
    }

    /// The values of all steps at z.
    pub(crate) fn forward(&self, z: &[f64], room: &mut Room) {
        let values = &mut room.values;
        values[..self.variables].copy_from_slice(&z[..self.variables]);
        let first = self.first();
        for (index, step) in self.steps.iter().enumerate() {
            let at = |slot: u32| values[slot as usize];
            let result = match step.op {
                Op::Linear => {
                    let terms = self.list(step).iter();
                    terms.map(|(slot, factor)| factor * at(*slot)).sum()
                }
                Op::Sum | Op::Min | Op::Max | Op::All | Op::Any | Op::If => {
                    self.list_value(step, values).0
                }
                Op::PowInteger => at(step.a).powi(exponent(step)),
                Op::Piecewise => self.piecewise[step.b as usize].value(at(step.a)),
                op => value(op, at(step.a), at(step.b)),
            };
            values[first + index] = result;
        }
    }

    fn list(&self, step: &Step) -> &[(u32, f64)] {
        &self.terms[step.a as usize..step.b as usize]
    }

    /// The value of a list, and the argument that it is where there is one.
    fn list_value(&self, step: &Step, values: &[f64]) -> (f64, Option<u32>) {
        let slots = self.list(step).iter().map(|(slot, _)| *slot);
        let of = |slot: u32| values[slot as usize];
        // The first of equal arguments, and a NaN before all.
        let better = |holds: fn(f64, f64) -> bool| {
            let best = slots.clone().reduce(|best, slot| {
                let take = !of(best).is_nan() && (of(slot).is_nan() || holds(of(slot), of(best)));
                if take { slot } else { best }
            });
            let best = best.expect("a list has an argument");
            (of(best), Some(best))
        };
        match step.op {
            Op::Min => better(|a, b| a < b),
            Op::Max => better(|a, b| a > b),
            Op::All => (slots.map(of).fold(1.0, both), None),
            Op::Any => (slots.map(of).fold(0.0, either), None),
            Op::If => {
                let [condition, yes, no] = [0, 1, 2].map(|i| self.list(step)[i].0);
                let chosen = if of(condition) == 0.0 { no } else { yes };
                if of(condition).is_nan() {
                    (f64::NAN, None)
                } else {
                    (of(chosen), Some(chosen))
                }
            }
            _ => (slots.map(of).sum(), None),
        }
    }

    /// The gradients of the shared units, once the values are there.
    pub(crate) fn shared_gradients(&self, room: &mut Room) {
        for (index, unit) in self.shared.iter().enumerate() {
            self.sweep(unit, room);
            let range = self.cuts[index]..self.cuts[index + 1];
            for (variable, gradient) in self.patterns[range.clone()]
                .iter()
                .zip(&mut room.gradients[range])
            {
                *gradient = std::mem::take(&mut room.adjoints[*variable as usize]);
            }
        }
    }

    /// Adds the derivatives of a unit to the slots of the variables.
    pub(crate) fn sweep(&self, unit: &Unit, room: &mut Room) {
        room.adjoints[unit.root as usize] += 1.0;
        self.sweep_runs(&unit.runs, room);
        if !self.walk.is_empty() && !unit.uses.is_empty() {
            self.sweep_runs(&self.walk, room);
            return;
        }
        for &used in &unit.uses {
            let used = used as usize;
            let w = std::mem::take(&mut room.adjoints[self.shared[used].root as usize]);
            if w == 0.0 {
                continue;
            }
            let range = self.cuts[used]..self.cuts[used + 1];
            for (variable, gradient) in self.patterns[range.clone()]
                .iter()
                .zip(&room.gradients[range])
            {
                if *gradient != 0.0 {
                    room.adjoints[*variable as usize] += w * gradient;
                }
            }
        }
    }

    fn sweep_runs(&self, runs: &[(u32, u32)], room: &mut Room) {
        let first = self.first();
        for &(start, end) in runs.iter().rev() {
            for index in (start as usize..end as usize).rev() {
                let slot = first + index;
                let w = room.adjoints[slot];
                if w != 0.0 {
                    room.adjoints[slot] = 0.0;
                    self.back(&self.steps[index], slot, w, room);
                }
            }
        }
    }

    /// Hands the derivative w of a step on to its arguments. What is multiplied by 0 does not count, even if infinite.
    #[inline]
    fn back(&self, step: &Step, slot: usize, w: f64, room: &mut Room) {
        let (values, adjoints) = (&room.values, &mut room.adjoints);
        let mut add = |slot: u32, partial: f64| {
            if partial != 0.0 {
                adjoints[slot as usize] += w * partial;
            }
        };
        match step.op {
            Op::Linear => {
                for (slot, factor) in self.list(step) {
                    add(*slot, *factor);
                }
            }
            Op::Min | Op::Max | Op::If => {
                if let Some(chosen) = self.list_value(step, values).1 {
                    add(chosen, 1.0);
                }
            }
            Op::Sum | Op::All | Op::Any => {}
            Op::PowInteger => {
                let k = exponent(step);
                let a = values[step.a as usize];
                if k != 0 {
                    add(step.a, f64::from(k) * a.powi(k - 1));
                }
            }
            Op::Piecewise => {
                let a = values[step.a as usize];
                add(step.a, self.piecewise[step.b as usize].slope(a));
            }
            op => {
                let [a, b] = [step.a, step.b].map(|slot| values[slot as usize]);
                let (da, db) = partials(op, a, b, values[slot]);
                add(step.a, da);
                add(step.b, db);
            }
        }
    }
}

fn exponent(step: &Step) -> i32 {
    step.b.cast_signed() - SHIFT
}
