//! What a sweep reads of one contact with bodies, in one piece and in the order in which it is read.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

use super::{Pace, Sweep, Variable};
use crate::friction::local::{Branch, Diagonal, Kind, Local};

/// Data of one contact in its diagonal coordinates. An open contact that stays open is known by its first third.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Record<const D: usize, const N: usize> {
    /// Both sides; a fixed one is the last body, with zeros.
    pub(super) bodies: [u32; 2],
    /// Its number among the contacts.
    pub(super) place: u32,
    pub(super) kind: Kind,
    pub(super) q: [f64; D],
    /// Rows of both sides, the normal first.
    pub(super) rows: [[[f64; N]; 2]; D],
    pub(super) diagonal: Diagonal<D>,
}

impl<const D: usize, const N: usize> Record<D, N> {
    /// From the rows of both sides and the own velocity, in the coordinates of the frame.
    pub(super) fn new(
        place: usize,
        bodies: [u32; 2],
        rows: &[[[f64; N]; D]; 2],
        q: &[f64; D],
        local: &Local<D>,
    ) -> Self {
        let sides = rows.map(|side| local.diagonal.rows(&side));
        Self {
            bodies,
            place: u32::try_from(place).expect("as many contacts as their numbers"),
            kind: local.kind(),
            q: local.diagonal.velocity(q),
            rows: std::array::from_fn(|i| [sides[0][i], sides[1][i]]),
            diagonal: local.diagonal,
        }
    }

    /// The two bodies, as places in the velocities.
    #[inline]
    pub(super) fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|body| body as usize)
    }

    /// Its number among the contacts.
    #[inline]
    pub(super) fn place(&self) -> usize {
        self.place as usize
    }

    /// The local solution at the velocities of the two bodies, which change with it; whether they did.
    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    pub(super) fn advance(
        &self,
        variable: &mut Variable<D>,
        v: &mut [[f64; N]; 2],
        pace: Pace,
        (local, sweep): (&Local<D>, &mut Sweep),
    ) -> bool {
        let mut u = self.q;
        u[0] += row_times(&self.rows[0], v);
        let rest = variable.rests();
        let delayed = pace.share > 0.0 && self.kind == Kind::Slide;
        if rest && !delayed && self.kind == Kind::Slide && u[0] >= 0.0 {
            return false;
        }
        for i in 1..D {
            u[i] += row_times(&self.rows[i], v);
        }
        if delayed {
            self.diagonal.delay(pace.share, variable.shift, &mut u);
        }
        let r = self.diagonal.impulse(&variable.r);
        let (target, branch) = match self.kind {
            Kind::Slide => self.diagonal.slide(&r, &u, &mut variable.guess),
            Kind::Glide => self.diagonal.glide(&r, &u, &mut variable.guess),
            _ => local.solve(&r, &u, &mut variable.guess),
        };
        if rest && branch == Branch::Open {
            return false;
        }
        let change = variable.relax(
            &self.diagonal,
            (&r, &u),
            (&target, branch),
            pace.relaxation,
            sweep,
        );
        for (side, v) in v.iter_mut().enumerate() {
            for n in 0..N {
                let mut sum = v[n];
                for i in 0..D {
                    sum += self.rows[i][side][n] * change[i];
                }
                v[n] = sum;
            }
        }
        true
    }
}

/// One component of J v.
#[expect(
    clippy::inline_always,
    reason = "called in the loop over contacts only; left alone it is not inlined"
)]
#[inline(always)]
fn row_times<const N: usize>(row: &[[f64; N]; 2], v: &[[f64; N]; 2]) -> f64 {
    // Two running sums for each side, so that the products go side by side.
    let mut sums = [[0.0; 2]; 2];
    for side in 0..2 {
        for n in 0..N {
            sums[side][n % 2] += row[side][n] * v[side][n];
        }
    }
    (sums[0][0] + sums[1][0]) + (sums[0][1] + sums[1][1])
}
