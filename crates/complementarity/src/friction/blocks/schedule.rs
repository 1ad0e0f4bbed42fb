//! The contacts of a sweep in the order in which it takes them, four at once where it can.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use std::ops::Range;

use rayon::prelude::*;

use super::group::{Group, Sums, Velocities, parts};
use super::order::{Groups, coloured, packed};
use super::record::Record;
use super::shared::Shared;
use super::{Pace, Sweep, Variable};
use crate::friction::block_gauss_seidel::SweepOrder;
use crate::friction::cone::ROLLING;
use crate::friction::four::{Fours, LANES, Quad};
use crate::friction::lanes::{FourKernel, by_four};
use crate::friction::local::{Kind, Local};

/// Contacts of one colour from which threads pay: their work has to outweigh the meeting at the end of the colour.
const MANY: usize = 512;

/// Contacts that one thread takes at a time. Sums are taken over these pieces in their order, whoever did them.
const PIECE: usize = 128;

/// Contacts that are taken at once; fewer are not worth the lanes that nobody counts.
const FEW: usize = 3;

/// One step of a sweep: a contact or a group of them, by number.
#[derive(Clone, Copy, Debug)]
enum Step {
    One(u32),
    Many(u32),
}

/// Data of all contacts, and the steps of a sweep over them.
#[derive(Clone, Debug)]
pub(super) struct Schedule<const D: usize, const N: usize> {
    records: Vec<Record<D, N>>,
    groups: Vec<Group<D, N>>,
    steps: Vec<Step>,
    /// Contacts and the steps of the pieces of each colour, if threads take them together.
    colours: Vec<(Range<usize>, Vec<Range<usize>>)>,
    velocities: Vec<Quad>,
    shared: Shared,
}

/// Whether contacts of D rows and this kind go into groups.
fn in_groups<const D: usize>(kind: Kind) -> bool {
    has_groups(D) && matches!(kind, Kind::Slide | Kind::Glide)
}

/// Whether contacts of so many rows have a single disc.
const fn has_groups(rows: usize) -> bool {
    rows > 1 && rows < ROLLING
}

/// Numbers of the contacts in the order in which blocks keep them, empty if in their own; and the colours, if threads are
/// to take them.
pub(super) fn numbering(bodies: &[[u32; 2]], fixed: u32, order: SweepOrder) -> Groups {
    match order {
        SweepOrder::Given => Groups::default(),
        SweepOrder::Coloured => {
            let mut groups = coloured(bodies, fixed);
            let starts = std::iter::once(&0).chain(&groups.ends);
            if !starts
                .zip(&groups.ends)
                .any(|(start, end)| end - start >= MANY)
            {
                groups.ends.clear();
            }
            groups
        }
    }
}

impl<const D: usize, const N: usize> Schedule<D, N> {
    /// A sweep over these contacts, or over colours that end here; `fixed` is no body.
    pub(super) fn new(contacts: &[Record<D, N>], fixed: u32, colours: &[usize]) -> Self {
        let mut schedule = Self {
            records: Vec::new(),
            groups: Vec::new(),
            steps: Vec::new(),
            colours: Vec::new(),
            velocities: Vec::new(),
            shared: Shared::default(),
        };
        if colours.is_empty() {
            let bodies: Vec<[u32; 2]> = contacts.iter().map(|c| c.bodies).collect();
            let Groups { order, ends } =
                packed(&bodies, fixed, |k| !in_groups::<D>(contacts[k].kind));
            let mut start = 0;
            for end in ends {
                schedule.push(order[start..end].iter().map(|&k| &contacts[k]));
                start = end;
            }
        }
        let mut start = 0;
        for &end in colours {
            let mut pieces = Vec::new();
            for piece in contacts[start..end].chunks(PIECE) {
                let first = schedule.steps.len();
                for group in piece.chunk_by(|a, b| in_groups::<D>(a.kind) && in_groups::<D>(b.kind))
                {
                    for group in group.chunks(LANES) {
                        schedule.push(group.iter());
                    }
                }
                pieces.push(first..schedule.steps.len());
            }
            schedule.colours.push((start..end, pieces));
            start = end;
        }
        schedule
    }

    /// A sweep over these contacts, one after the other.
    pub(super) fn one_by_one(contacts: Vec<Record<D, N>>) -> Self {
        let count = u32::try_from(contacts.len()).expect("as many contacts as their numbers");
        let mut schedule = Self::new(&[], 0, &[]);
        schedule.steps.extend((0..count).map(Step::One));
        schedule.records = contacts;
        schedule
    }

    /// Groups of several contacts.
    #[cfg(test)]
    pub(super) fn grouped(&self) -> usize {
        self.groups.len()
    }

    /// Appends up to four contacts that share no body.
    fn push<'a>(&mut self, contacts: impl Iterator<Item = &'a Record<D, N>>) {
        let number = |n: usize| u32::try_from(n).expect("as many contacts as their numbers");
        let contacts: Vec<&Record<D, N>> = contacts.collect();
        if contacts.len() >= FEW {
            self.steps.push(Step::Many(number(self.groups.len())));
            self.groups.push(Group::new(&contacts));
        } else {
            for contact in contacts {
                self.steps.push(Step::One(number(self.records.len())));
                self.records.push(contact.clone());
            }
        }
    }

    /// Some steps of a sweep. Contact `first` has the first of `variables`.
    #[inline(always)]
    fn run<'a, S: Fours>(
        &self,
        simd: S,
        steps: &[Step],
        (first, variables): (usize, &mut [Variable<D>]),
        v: &mut impl Velocities,
        (local, pace): (impl Fn(usize) -> &'a Local<D>, Pace),
    ) -> Sweep {
        let (mut sums, mut sweep) = (Sums::new(simd), Sweep::default());
        for step in steps {
            match step {
                // What cannot be is not compiled.
                Step::Many(_) if !has_groups(D) => {}
                Step::Many(group) => {
                    let group = &self.groups[*group as usize];
                    group.advance(simd, (first, variables), v, pace, &mut sums);
                }
                Step::One(record) => {
                    let record = &self.records[*record as usize];
                    let bodies = record.bodies();
                    let mut own = bodies.map(|body| read(v, body));
                    let place = record.place();
                    let rest = (local(place), &mut sweep);
                    let variable = &mut variables[place - first];
                    if record.advance(variable, &mut own, pace, rest) {
                        write(v, bodies[0], &own[0]);
                        write(v, bodies[1], &own[1]);
                    }
                }
            }
        }
        sweep += sums.total();
        sweep
    }

    /// One sweep over the contacts; `local` has what is rarely asked of them.
    pub(super) fn sweep<'a>(
        &mut self,
        variables: &mut [Variable<D>],
        v: &mut [[f64; N]],
        local: impl Fn(usize) -> &'a Local<D> + Sync,
        pace: Pace,
    ) -> Sweep {
        let mut velocities = std::mem::take(&mut self.velocities);
        velocities.resize(v.len() * parts(N), Quad::default());
        let mut own: &mut [Quad] = &mut velocities;
        for (body, v) in v.iter().enumerate() {
            write(&mut own, body, v);
        }
        let sweep = if self.colours.is_empty() {
            let data = (&*self, &self.steps[..], (0, variables));
            by_four(Run(data, own, (&local, pace)))
        } else {
            self.sweep_together(variables, own, local, pace)
        };
        let own: &mut [Quad] = &mut velocities;
        for (body, v) in v.iter_mut().enumerate() {
            *v = read(&own, body);
        }
        self.velocities = velocities;
        sweep
    }

    /// By several threads, colour after colour.
    fn sweep_together<'a>(
        &mut self,
        variables: &mut [Variable<D>],
        v: &mut [Quad],
        local: impl Fn(usize) -> &'a Local<D> + Sync,
        pace: Pace,
    ) -> Sweep {
        self.shared.load(v, parts(N));
        let all = &*self;
        let mut sweep = Sweep::default();
        for (contacts, pieces) in &all.colours {
            let piece = |(first, steps, variables): (usize, Range<usize>, &mut [Variable<D>])| {
                let data = (all, &all.steps[steps], (first, variables));
                by_four(Run(data, &all.shared, (&local, pace)))
            };
            let variables = &mut variables[contacts.clone()];
            let first = |n: usize| contacts.start + n * PIECE;
            let pieces: Vec<Sweep> = if contacts.len() < MANY {
                let variables = variables.chunks_mut(PIECE).zip(pieces).enumerate();
                let parts = variables.map(|(n, (v, steps))| (first(n), steps.clone(), v));
                parts.map(piece).collect()
            } else {
                let variables = variables.par_chunks_mut(PIECE).zip(pieces).enumerate();
                let parts = variables.map(|(n, (v, steps))| (first(n), steps.clone(), v));
                parts.map(piece).collect()
            };
            for piece in pieces {
                sweep += piece;
            }
        }
        self.shared.store(v);
        sweep
    }
}

#[inline(always)]
fn read<const N: usize>(v: &impl Velocities, body: usize) -> [f64; N] {
    let mut out = [0.0; N];
    for (part, out) in out.chunks_mut(LANES).enumerate() {
        let x = v.get(body * parts(N) + part);
        out.copy_from_slice(&x.0[..out.len()]);
    }
    out
}

#[inline(always)]
fn write<const N: usize>(v: &mut impl Velocities, body: usize, x: &[f64; N]) {
    for (part, x) in x.chunks(LANES).enumerate() {
        let mut out = Quad::default();
        out.0[..x.len()].copy_from_slice(x);
        v.set(body * parts(N) + part, out);
    }
}

/// A schedule, some of its steps, the first of their contacts and the variables.
type Work<'b, const D: usize, const N: usize> = (
    &'b Schedule<D, N>,
    &'b [Step],
    (usize, &'b mut [Variable<D>]),
);

struct Run<'b, V, F, const D: usize, const N: usize>(Work<'b, D, N>, V, (&'b F, Pace));

impl<'a, V: Velocities, F: Fn(usize) -> &'a Local<D>, const D: usize, const N: usize> FourKernel
    for Run<'_, V, F, D, N>
{
    type Output = Sweep;

    #[inline(always)]
    fn run<S: Fours>(self, simd: S) -> Sweep {
        let Self((schedule, steps, variables), mut v, how) = self;
        schedule.run(simd, steps, variables, &mut v, how)
    }
}
