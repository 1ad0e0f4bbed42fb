//! The form without bodies: W in blocks of D rows.

use super::smooth;
use super::step::{Delay, Linear, Scales, linearise};
use super::{Blocks, Sweep, Variable, block_of, impulse_into_frame, into_frame, out_of_frame};
use crate::friction::FrictionProblem;
use crate::friction::block_lu::BlockLu;
use crate::friction::cone::Cone;
use crate::friction::local::{Block, Local};
use crate::friction::view::{BlockMatrix, SolverView};

/// Contacts first, then bilateral rows; a bilateral row stands in a block of D rows whose others are empty.
#[derive(Clone, Debug)]
pub(super) struct MatrixBlocks<const D: usize> {
    contacts: usize,
    start: Vec<usize>,
    cols: Vec<u32>,
    /// Tₖᵀ W Tₗ.
    values: Vec<Block<D>>,
    q: Vec<[f64; D]>,
    locals: Vec<Local<D>>,
    frames: Vec<(Block<D>, Cone)>,
    /// Stiffness of each bilateral row.
    stiffness: Vec<f64>,
    variables: Vec<Variable<D>>,
    linear: Vec<Linear<D>>,
    lu: BlockLu<D>,
    seen: Vec<u8>,
}

impl<const D: usize> MatrixBlocks<D> {
    pub(super) fn new(problem: &FrictionProblem, view: &SolverView) -> Self {
        let matrix: BlockMatrix = view.matrix(problem);
        let (mut locals, mut frames) = (Vec::new(), Vec::new());
        for k in 0..view.contacts {
            let (local, t) = Local::new(&block_of::<D>(view, k), view.cones[k], view.law);
            locals.push(local);
            frames.push((t, view.cones[k]));
        }
        let height = |k: usize| view.rows(k).len();
        let mut values = Vec::with_capacity(matrix.cols.len());
        for k in 0..view.blocks() {
            for (l, block) in matrix.row(k) {
                let width = height(l);
                let full: Block<D> = std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        if i < height(k) && j < width {
                            block[i * width + j]
                        } else {
                            0.0
                        }
                    })
                });
                values.push(turn(&full, frames.get(k), frames.get(l)));
            }
        }
        let q = (0..view.blocks())
            .map(|k| {
                let q = &view.q[view.rows(k)];
                match frames.get(k) {
                    Some((t, _)) => into_frame(t, q),
                    None => std::array::from_fn(|i| q.get(i).copied().unwrap_or(0.0)),
                }
            })
            .collect();
        Self {
            contacts: view.contacts,
            start: matrix.start,
            cols: matrix.cols,
            values,
            q,
            locals,
            frames,
            stiffness: (view.contacts..view.blocks())
                .map(|k| view.diagonal_block(k)[0])
                .collect(),
            variables: vec![Variable::default(); view.blocks()],
            linear: vec![Linear::default(); view.blocks()],
            lu: BlockLu::default(),
            seen: vec![u8::MAX; view.blocks()],
        }
    }

    /// W r + q of one block.
    #[inline]
    fn velocity(&self, k: usize) -> [f64; D] {
        let mut u = self.q[k];
        let entries = self.start[k]..self.start[k + 1];
        for (l, block) in self.cols[entries.clone()].iter().zip(&self.values[entries]) {
            let r = &self.variables[*l as usize].r;
            for (u, row) in u.iter_mut().zip(block) {
                for (w, r) in row.iter().zip(r) {
                    *u += w * r;
                }
            }
        }
        u
    }
}

/// Tₖᵀ W Tₗ; no frame is the unit matrix.
fn turn<const D: usize>(
    w: &Block<D>,
    left: Option<&(Block<D>, Cone)>,
    right: Option<&(Block<D>, Cone)>,
) -> Block<D> {
    let mut half = *w;
    if let Some((t, _)) = right {
        for row in &mut half {
            *row = into_frame(t, &*row);
        }
    }
    let Some((t, _)) = left else {
        return half;
    };
    let mut out = [[0.0; D]; D];
    for (half, t) in half.iter().zip(t) {
        for (out, t) in out.iter_mut().zip(t) {
            for (out, half) in out.iter_mut().zip(half) {
                *out += t * half;
            }
        }
    }
    out
}

impl<const D: usize> Blocks for MatrixBlocks<D> {
    fn sweep(&mut self, relaxation: f64) -> Sweep {
        let mut sweep = Sweep::default();
        for k in 0..self.contacts {
            let u = self.velocity(k);
            self.variables[k].advance(&self.locals[k], &u, relaxation, &mut sweep);
        }
        for k in self.contacts..self.variables.len() {
            let w = self.stiffness[k - self.contacts];
            if w > 0.0 {
                let change = -relaxation * self.velocity(k)[0] / w;
                let r = &mut self.variables[k].r[0];
                *r += change;
                sweep.change += change * change;
                sweep.size += *r * *r;
            }
        }
        sweep
    }

    fn newton(&mut self, scales: Scales) -> Option<usize> {
        let n = self.variables.len();
        let mut switches = 0;
        for k in 0..n {
            let linear = match k.checked_sub(self.contacts) {
                None => {
                    let (u, r) = (self.velocity(k), self.variables[k].r);
                    linearise(&self.locals[k], (&r, &u), scales, Delay::default())
                }
                Some(row) => {
                    let mut linear = Linear::default();
                    let w = self.stiffness[row];
                    if w > 0.0 {
                        linear.face = 1;
                        linear.constant[0] = self.variables[k].r[0];
                        linear.stiffness[0][0] = scales.stiffness / w;
                    }
                    linear
                }
            };
            switches += usize::from(self.seen[k] != linear.face);
            self.seen[k] = linear.face;
            self.linear[k] = linear;
        }
        // (1 + A W) Δr = c − A u − r over the blocks that are not open, the others without impulse.
        for (variable, linear) in self.variables.iter_mut().zip(&self.linear) {
            if linear.face == 0 {
                variable.r = linear.constant;
            }
        }
        let number: Vec<Option<u32>> = self
            .linear
            .iter()
            .scan(0, |next, linear| {
                let closed = linear.face > 0;
                *next += u32::from(closed);
                Some(closed.then_some(*next).map(|n| n - 1))
            })
            .collect();
        let closed: Vec<usize> = (0..n).filter(|&k| number[k].is_some()).collect();
        let mut edges = Vec::new();
        for &k in &closed {
            for &l in &self.cols[self.start[k]..self.start[k + 1]] {
                if let (Some(a), Some(b)) = (number[k], number[l as usize])
                    && a != b
                {
                    edges.push([a, b]);
                }
            }
        }
        self.lu.analyse(closed.len(), &edges);
        self.lu.fill_identity();
        let mut rhs: Vec<[f64; D]> = Vec::with_capacity(closed.len());
        for &k in &closed {
            let linear = &self.linear[k];
            let (target, r) = (linear.impulse(&self.velocity(k)), &self.variables[k].r);
            rhs.push(std::array::from_fn(|i| target[i] - r[i]));
            let transposed: Block<D> =
                std::array::from_fn(|i| std::array::from_fn(|j| linear.stiffness[j][i]));
            for e in self.start[k]..self.start[k + 1] {
                if let (Some(a), Some(b)) = (number[k], number[self.cols[e] as usize]) {
                    self.lu.add_product((a, b), &transposed, &self.values[e]);
                }
            }
        }
        self.lu.factor(false)?;
        self.lu.solve(&mut rhs);
        for (variable, number) in self.variables.iter_mut().zip(&number) {
            if let Some(n) = number {
                for (r, change) in variable.r.iter_mut().zip(&rhs[*n as usize]) {
                    *r += change;
                }
            }
        }
        let finite = rhs.iter().flatten().all(|x| x.is_finite());
        finite.then_some(switches)
    }

    fn is_smoothable(&self) -> bool {
        self.locals.iter().all(Local::is_smoothable)
    }

    fn error(&self, width: f64) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (k, (local, variable)) in self.locals.iter().zip(&self.variables).enumerate() {
            let (rho, error) = smooth::error(local, &variable.r, &self.velocity(k), width);
            weight += rho;
            sum += error;
        }
        for (k, w) in (self.contacts..)
            .zip(&self.stiffness)
            .filter(|(_, w)| **w > 0.0)
        {
            let u = self.velocity(k)[0];
            weight += 1.0 / w;
            sum += u * u / w;
        }
        (sum / weight).sqrt()
    }

    fn speed(&self) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (local, q) in self.locals.iter().zip(&self.q) {
            let (rho, error) = smooth::error(local, &[0.0; D], q, 0.0);
            weight += rho;
            sum += error;
        }
        (sum / weight).sqrt()
    }

    fn state_into(&self, out: &mut [f64]) {
        let (contacts, rows) = self.variables.split_at(self.contacts);
        let impulses = contacts.iter().flat_map(|v| &v.r);
        let forces = rows.iter().map(|v| &v.r[0]);
        for (out, r) in out.iter_mut().zip(impulses.chain(forces)) {
            *out = *r;
        }
    }

    fn set_state(&mut self, state: &[f64]) {
        let (contacts, rows) = self.variables.split_at_mut(self.contacts);
        let (impulses, forces) = state.split_at(self.contacts * D);
        for (variable, r) in contacts.iter_mut().zip(impulses.chunks_exact(D)) {
            variable.r.copy_from_slice(r);
        }
        for (variable, r) in rows.iter_mut().zip(forces) {
            variable.r[0] = *r;
        }
    }

    fn clip(&mut self) {
        for (variable, local) in self.variables.iter_mut().zip(&self.locals) {
            variable.clip(local);
        }
    }

    fn set_impulses(&mut self, z: &[f64]) {
        let (impulses, forces) = z.split_at(self.contacts * D);
        let parts = self.variables.iter_mut().zip(&self.frames);
        for ((variable, (t, _)), r) in parts.zip(impulses.chunks_exact(D)) {
            variable.r = impulse_into_frame(t, r);
        }
        for (variable, r) in self.variables[self.contacts..].iter_mut().zip(forces) {
            variable.r[0] = *r;
        }
    }

    fn impulses_into(&self, z: &mut [f64]) {
        let (impulses, forces) = z.split_at_mut(self.contacts * D);
        let parts = self.variables.iter().zip(&self.frames);
        for ((variable, (t, cone)), out) in parts.zip(impulses.chunks_exact_mut(D)) {
            out_of_frame(cone, t, &variable.r, out);
        }
        for (variable, out) in self.variables[self.contacts..].iter().zip(forces) {
            *out = variable.r[0];
        }
    }
}
