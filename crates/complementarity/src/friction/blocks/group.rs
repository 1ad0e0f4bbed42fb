//! What a sweep reads of four contacts that share no body, which it takes at once.
//!
//! [`Record`](super::record::Record) with four entries for each number, of which each sees the operations of a lone
//! contact, in their order. Where there are fewer than four, the first one stands in for those that lack: it is written
//! more than once, with the same bits, and counted once.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]
#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use super::record::Record;
use super::{Pace, Sweep, Variable};
use crate::friction::four::{Four, Fours, LANES, Quad};
use crate::friction::local::{Branch, Diagonals, Kind};

/// Velocities of the bodies, to read and to change, in parts of four numbers with zeros at the end.
pub(super) trait Velocities {
    fn get(&self, part: usize) -> Quad;
    fn set(&mut self, part: usize, v: Quad);
}

/// Parts of a velocity of N numbers.
pub(super) const fn parts(n: usize) -> usize {
    n.div_ceil(LANES)
}

impl Velocities for &mut [Quad] {
    #[inline(always)]
    fn get(&self, part: usize) -> Quad {
        self[part]
    }

    #[inline(always)]
    fn set(&mut self, part: usize, v: Quad) {
        self[part] = v;
    }
}

/// What a part of a sweep did so far, by places in the groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums<S: Fours> {
    change: Four<S>,
    size: Four<S>,
    switches: usize,
}

impl<S: Fours> Sums<S> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        Self {
            change: simd.splat(0.0),
            size: simd.splat(0.0),
            switches: 0,
        }
    }

    #[inline(always)]
    pub(super) fn total(&self) -> Sweep {
        Sweep {
            change: self.change.get().iter().sum(),
            size: self.size.get().iter().sum(),
            switches: self.switches,
        }
    }
}

/// Data of up to four contacts in their diagonal coordinates.
#[derive(Clone, Debug)]
pub(super) struct Group<const D: usize, const N: usize> {
    /// One side of all, and the other, as places of their velocities.
    bodies: [[u32; LANES]; 2],
    /// Their numbers among the contacts.
    places: [u32; LANES],
    /// That of all.
    kind: Kind,
    /// 1, and 0 for those that stand in for others.
    counted: Quad,
    q: [Quad; D],
    /// Rows of both sides, the normal first.
    rows: [[[Quad; N]; 2]; D],
    diagonals: Diagonals<D>,
}

impl<const D: usize, const N: usize> Group<D, N> {
    /// From one to four contacts of one kind.
    pub(super) fn new(records: &[&Record<D, N>]) -> Self {
        let of: [&Record<D, N>; LANES] =
            std::array::from_fn(|l| *records.get(l).unwrap_or(&records[0]));
        let entries = |f: &dyn Fn(&Record<D, N>) -> f64| Quad::from_fn(|l| f(of[l]));
        let parts = u32::try_from(parts(N)).expect("a small number");
        Self {
            bodies: [0, 1].map(|side| of.map(|record| record.bodies[side] * parts)),
            places: of.map(|record| record.place),
            counted: Quad::from_fn(|l| f64::from(u8::from(l < records.len()))),
            kind: of[0].kind,
            q: std::array::from_fn(|i| entries(&|record| record.q[i])),
            rows: std::array::from_fn(|i| {
                [0, 1]
                    .map(|side| std::array::from_fn(|n| entries(&|record| record.rows[i][side][n])))
            }),
            diagonals: Diagonals::new(of.map(|record| &record.diagonal)),
        }
    }

    /// The velocities of both sides.
    #[inline(always)]
    fn velocities<S: Fours>(&self, simd: S, velocities: &impl Velocities) -> [[Four<S>; N]; 2] {
        let zero = simd.splat(0.0);
        let mut v = [[zero; N]; 2];
        for side in 0..2 {
            for part in 0..parts(N) {
                let mut x = [zero; LANES];
                for l in 0..LANES {
                    let body = self.bodies[side][l] as usize;
                    x[l] = simd.load(&velocities.get(body + part));
                }
                let x = simd.transpose(x);
                for n in LANES * part..N.min(LANES * (part + 1)) {
                    v[side][n] = x[n % LANES];
                }
            }
        }
        v
    }

    /// The local solutions at the velocities of the bodies, which change with them; contact `first` has the first of
    /// `variables`.
    #[inline(always)]
    pub(super) fn advance<S: Fours>(
        &self,
        simd: S,
        (first, variables): (usize, &mut [Variable<D>]),
        velocities: &mut impl Velocities,
        pace: Pace,
        sums: &mut Sums<S>,
    ) {
        let zero = simd.splat(0.0);
        let mut v = self.velocities(simd, velocities);
        let mut u = [zero; D];
        u[0] = simd.load(&self.q[0]) + row_times(simd, &self.rows[0], &v);
        let mut places = [0; LANES];
        for l in 0..LANES {
            places[l] = self.places[l] as usize - first;
        }
        let of = [
            &variables[places[0]],
            &variables[places[1]],
            &variables[places[2]],
            &variables[places[3]],
        ];
        let mut old = [zero; D];
        for i in 0..D {
            old[i] = simd.four([of[0].r[i], of[1].r[i], of[2].r[i], of[3].r[i]]);
        }
        let mut guess = simd.four([of[0].guess, of[1].guess, of[2].guess, of[3].guess]);
        let delayed = pace.share > 0.0 && self.kind == Kind::Slide;
        if self.kind == Kind::Slide && !delayed {
            let mut rests = u[0].ge(zero);
            for i in 0..D {
                rests = rests & old[i].equals(zero);
            }
            let open = |l: usize| of[l].branch == Branch::Open;
            if rests.all() && open(0) && open(1) && open(2) && open(3) {
                return;
            }
        }
        for i in 1..D {
            u[i] = simd.load(&self.q[i]) + row_times(simd, &self.rows[i], &v);
        }
        if delayed {
            let shift = simd.four([of[0].shift, of[1].shift, of[2].shift, of[3].shift]);
            self.diagonals.delay(simd, pace.share, shift, &mut u);
        }
        let r = self.diagonals.impulse(simd, &old);
        let answers = match self.kind {
            Kind::Slide => self.diagonals.slide(simd, &r, &u, &mut guess),
            _ => self.diagonals.glide(simd, &r, &u, &mut guess),
        };
        let mut change = [zero; D];
        for i in 0..D {
            change[i] = simd.splat(pace.relaxation) * (answers.r[i] - r[i]);
        }
        let mut step = self.diagonals.impulse_back(simd, &change);
        let mut new = old;
        for i in 0..D {
            new[i] += step[i];
        }
        if answers.open.any() {
            // Else it would fade through the subnormal numbers, which are slow, and never be nothing.
            let gone = answers.open & self.diagonals.is_nothing(simd, &r, &u);
            for i in 0..D {
                change[i] = gone.select(zero - r[i], change[i]);
                step[i] = gone.select(zero - old[i], step[i]);
                new[i] = gone.select(zero, new[i]);
            }
        }
        let (mut moved, mut size) = (zero, zero);
        for i in 0..D {
            moved += step[i] * step[i];
            size += new[i] * new[i];
        }
        let counted = simd.load(&self.counted).gt(zero);
        sums.change += counted.select(moved, zero);
        sums.size += counted.select(size, zero);
        let (open, closed, guess) = (answers.open.get(), answers.closed.get(), guess.get());
        for l in 0..LANES {
            let variable = &mut variables[places[l]];
            let branch = if open[l] {
                Branch::Open
            } else if closed[l] {
                Branch::Closed
            } else {
                Branch::Border
            };
            sums.switches += usize::from(variable.branch != branch);
            variable.branch = branch;
            variable.guess = guess[l];
            for i in 0..D {
                variable.r[i] = new[i].get()[l];
            }
        }
        for side in 0..2 {
            for n in 0..N {
                for i in 0..D {
                    v[side][n] += simd.load(&self.rows[i][side][n]) * change[i];
                }
            }
        }
        self.set_velocities(simd, &v, velocities);
    }

    /// Gives both sides their velocities.
    #[inline(always)]
    fn set_velocities<S: Fours>(
        &self,
        simd: S,
        v: &[[Four<S>; N]; 2],
        velocities: &mut impl Velocities,
    ) {
        let zero = simd.splat(0.0);
        for side in 0..2 {
            for part in 0..parts(N) {
                let mut x = [zero; LANES];
                for n in LANES * part..N.min(LANES * (part + 1)) {
                    x[n % LANES] = v[side][n];
                }
                let x = simd.transpose(x);
                for l in 0..LANES {
                    let body = self.bodies[side][l] as usize;
                    velocities.set(body + part, x[l].store());
                }
            }
        }
    }
}

/// One component of J v.
#[inline(always)]
fn row_times<S: Fours, const N: usize>(
    simd: S,
    row: &[[Quad; N]; 2],
    v: &[[Four<S>; N]; 2],
) -> Four<S> {
    // Two running sums for each side, so that the products go side by side.
    let mut sums = [[simd.splat(0.0); 2]; 2];
    for side in 0..2 {
        for n in 0..N {
            let product = simd.load(&row[side][n]) * v[side][n];
            sums[side][n % 2] = if n < 2 {
                product
            } else {
                sums[side][n % 2] + product
            };
        }
    }
    (sums[0][0] + sums[1][0]) + (sums[0][1] + sums[1][1])
}
