//! What the solvers of friction problems read: blocks, in scaled coordinates.
//!
//! ```math
//! u' = e u = W' r' + q', \quad r' = r / e, \qquad W' = \mathrm{diag}(e)\, W\, \mathrm{diag}(e), \quad q' = e q
//! ```
//!
//! In these coordinates every cone is round: a normal and one or two discs. Block k is contact k with D rows; the
//! bilateral rows follow as blocks of one row.

use std::ops::Range;

use super::cone::Cone;
use super::equation::EquationLaw;
use super::residual::{SMALLEST_IMPULSE, Units, beyond_rounding, ratio};
use super::{BlockRows, FIXED, FrictionLaw, FrictionProblem, ResidualMeasure};

/// A friction problem in scaled coordinates, without its matrix.
#[derive(Clone, Debug)]
pub(crate) struct SolverView {
    pub(crate) dimension: usize,
    pub(crate) contacts: usize,
    pub(crate) bilateral: usize,
    pub(crate) law: FrictionLaw,
    /// One cone per contact.
    pub(crate) cones: Vec<Cone>,
    /// One law per bilateral row.
    pub(crate) equations: Vec<EquationLaw>,
    /// q', contacts · D entries and then the bilateral ones.
    pub(crate) q: Vec<f64>,
    /// Symmetric parts of the diagonal blocks of W': D × D by rows for each contact, 1 × 1 for each bilateral row.
    pub(crate) diagonal: Vec<f64>,
    /// ρ, |q'|₂ and |q'|_∞ of the residuals.
    pub(super) units: Units,
    /// J and M⁻¹ Jᵀ, if the problem has bodies.
    pub(crate) bodies: Option<BodyView>,
    /// e of all contact rows; empty where all are 1.
    scales: Vec<f64>,
}

/// J' and M⁻¹ J'ᵀ block by block, contiguous for each block.
///
/// Velocities have `bodies + 1` bodies: the last one is that of fixed sides. Its rows are zero, so no loop needs to ask.
#[derive(Clone, Debug)]
pub(crate) struct BodyView {
    pub(crate) dofs: usize,
    pub(crate) bodies: usize,
    /// The two bodies of each block; `bodies` for a fixed side.
    pub(crate) cols: Vec<[u32; 2]>,
    /// J' of block k at [`BodyView::block`], side by side, each side by rows.
    pub(crate) rows: Vec<f64>,
    /// (M⁻¹ J'ᵀ)ᵀ, in the same order.
    pub(crate) inverse: Vec<f64>,
    /// v*, with zeros for the body of fixed sides.
    pub(crate) free_velocity: Vec<f64>,
    dimension: usize,
    contacts: usize,
}

/// W' in blocks, row by row, the columns of each row in order; the diagonal block is always there.
#[derive(Clone, Debug)]
pub(crate) struct BlockMatrix {
    /// Entries of block row k are `start[k]..start[k + 1]`.
    pub(crate) start: Vec<usize>,
    /// Block column of each entry.
    pub(crate) cols: Vec<u32>,
    /// First value of each entry; with contacts alone, D² times its number.
    pub(crate) offset: Vec<usize>,
    /// Blocks by rows.
    pub(crate) values: Vec<f64>,
}

/// Rows of block k: D for a contact, 1 for a bilateral row.
fn block_rows(dimension: usize, contacts: usize, k: usize) -> Range<usize> {
    let all = contacts * dimension;
    if k < contacts {
        k * dimension..(k + 1) * dimension
    } else {
        all + (k - contacts)..all + (k - contacts) + 1
    }
}

impl SolverView {
    pub(crate) fn new(problem: &FrictionProblem) -> Self {
        let (dimension, contacts) = (problem.dimension(), problem.contact_count());
        let scales = problem.laws().row_scales();
        let mut q = problem.q();
        q.iter_mut().zip(&scales).for_each(|(q, e)| *q *= e);
        let mut view = Self {
            units: Units::of(&[], &[]),
            dimension,
            contacts,
            bilateral: problem.bilateral().len(),
            law: problem.law(),
            cones: (0..contacts).map(|k| problem.laws().cone(k)).collect(),
            equations: problem.equations().to_vec(),
            q,
            diagonal: Vec::new(),
            bodies: problem
                .has_bodies()
                .then(|| BodyView::new(problem, &scales)),
            scales,
        };
        view.diagonal = match &view.bodies {
            Some(bodies) => {
                let contact_entries = contacts * dimension * dimension;
                let mut diagonal = vec![0.0; contact_entries + view.bilateral];
                for k in 0..view.blocks() {
                    let rows = view.rows(k).len();
                    let start = if k < contacts {
                        k * rows * rows
                    } else {
                        contact_entries + (k - contacts)
                    };
                    bodies.add_block(k, k, &mut diagonal[start..][..rows * rows]);
                }
                diagonal
            }
            None => view.operator_diagonal(problem),
        };
        let bilateral = &mut view.diagonal[contacts * dimension * dimension..];
        for (w, law) in bilateral.iter_mut().zip(&view.equations) {
            *w += law.compliance;
        }
        for block in view.diagonal[..contacts * dimension * dimension]
            .chunks_exact_mut((dimension * dimension).max(1))
        {
            for (i, j) in (0..dimension).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let (a, b) = (i * dimension + j, j * dimension + i);
                let mean = f64::midpoint(block[a], block[b]);
                (block[a], block[b]) = (mean, mean);
            }
        }
        // The same bits: without factors both diagonals are the same products.
        view.units = if view.bodies.is_some() && view.scales.is_empty() {
            Units::of(&view.q, &view.diagonal_entries())
        } else {
            Units::new(problem)
        };
        view
    }

    /// Number of unknowns.
    pub(crate) fn len(&self) -> usize {
        self.contacts * self.dimension + self.bilateral
    }

    /// Contacts and bilateral rows.
    pub(crate) fn blocks(&self) -> usize {
        self.contacts + self.bilateral
    }

    /// Rows of block k.
    pub(crate) fn rows(&self, k: usize) -> Range<usize> {
        block_rows(self.dimension, self.contacts, k)
    }

    /// The diagonal block of block k.
    pub(crate) fn diagonal_block(&self, k: usize) -> &[f64] {
        let square = self.dimension * self.dimension;
        if k < self.contacts {
            &self.diagonal[k * square..][..square]
        } else {
            &self.diagonal[self.contacts * square + (k - self.contacts)..][..1]
        }
    }

    /// The diagonal of W' as a vector.
    fn diagonal_entries(&self) -> Vec<f64> {
        let blocks = 0..self.blocks();
        blocks
            .flat_map(|k| {
                let block = self.diagonal_block(k);
                block.iter().step_by(self.rows(k).len() + 1).copied()
            })
            .collect()
    }

    /// z ← z', impulses in the coordinates of the problem.
    pub(crate) fn unscale(&self, z: &mut [f64]) {
        z.iter_mut().zip(&self.scales).for_each(|(z, e)| *z *= e);
    }

    /// z' ← z, impulses in scaled coordinates.
    pub(crate) fn scale(&self, z: &mut [f64]) {
        z.iter_mut().zip(&self.scales).for_each(|(z, e)| *z /= e);
    }

    /// out = r − P_K(r − ρ ũ) over all blocks, and its largest entry.
    pub(crate) fn natural_map(&self, rho: f64, (r, u): (&[f64], &[f64]), out: &mut [f64]) -> f64 {
        for (k, cone) in self.cones.iter().enumerate() {
            let rows = self.rows(k);
            let point = (&r[rows.clone()], &u[rows.clone()]);
            cone.natural_map(self.law, rho, point, &mut out[rows]);
        }
        for (i, law) in (self.contacts * self.dimension..).zip(&self.equations) {
            out[i] = law.natural_map(rho, r[i], u[i]);
        }
        let most = out.iter().fold(0.0, |m, x| x.abs().max(m));
        // The maximum passes over NaN, a sum does not.
        if out.iter().sum::<f64>().is_nan() {
            f64::NAN
        } else {
            most
        }
    }

    /// The residual of r with its u, as [`FrictionProblem::residuals`] has it; `map` is workspace of length n.
    pub(crate) fn residual(
        &self,
        measure: ResidualMeasure,
        point: (&[f64], &[f64]),
        map: &mut [f64],
    ) -> f64 {
        match measure {
            ResidualMeasure::Relative => {
                self.natural_map(1.0, point, map);
                let squares: f64 = map.iter().map(|x| x * x).sum();
                ratio(squares.sqrt(), self.units.norm)
            }
            ResidualMeasure::Scaled => {
                let rho = self.units.rho;
                let mut error = self.natural_map(rho, point, map);
                if error > 0.0 {
                    error = self.beyond_rounding(rho, point.1, map);
                }
                let impulse = point.0.iter().fold(0.0, |m, r| r.abs().max(m));
                let least = SMALLEST_IMPULSE * rho * self.units.speed;
                ratio(error, f64::max(impulse, least))
            }
        }
    }

    /// The largest entry of a natural map without the rounding of ρ ũ.
    pub(crate) fn beyond_rounding(&self, rho: f64, u: &[f64], map: &[f64]) -> f64 {
        let most = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| x.abs().max(m));
        let bilateral = most(&map[self.contacts * self.dimension..]);
        let cones = self.cones.iter().enumerate();
        cones.fold(bilateral, |error, (k, cone)| {
            let rows = self.rows(k);
            let size = cone.shifted_size(self.law, &u[rows.clone()]);
            error.max(beyond_rounding(most(&map[rows]), rho, size))
        })
    }

    /// W' in blocks. For bodies every pair of contacts on one body has a block.
    pub(crate) fn matrix(&self, problem: &FrictionProblem) -> BlockMatrix {
        match &self.bodies {
            Some(bodies) => {
                let mut matrix = bodies.matrix();
                for (k, law) in (self.contacts..).zip(&self.equations) {
                    let own = |e: &usize| matrix.cols[*e] as usize == k;
                    let entry = (matrix.start[k]..matrix.start[k + 1]).find(own);
                    let entry = entry.expect("the diagonal block is always there");
                    matrix.values[matrix.offset[entry]] += law.compliance;
                }
                matrix
            }
            None => self.operator_matrix(problem),
        }
    }

    /// r ← P_K(r) over all blocks.
    pub(crate) fn project(&self, r: &mut [f64]) {
        for (k, cone) in self.cones.iter().enumerate() {
            cone.project(&mut r[self.rows(k)]);
        }
        let bilateral = &mut r[self.contacts * self.dimension..];
        for (r, law) in bilateral.iter_mut().zip(&self.equations) {
            *r = law.project(*r);
        }
    }

    /// The law of a block after the contacts.
    pub(crate) fn equation(&self, k: usize) -> EquationLaw {
        self.equations[k - self.contacts]
    }

    fn operator_matrix(&self, problem: &FrictionProblem) -> BlockMatrix {
        let (w, _) = problem.operator().expect("a problem without bodies");
        let d = self.dimension;
        let mut matrix = BlockMatrix::empty();
        let mut near = Vec::new();
        for k in 0..self.contacts {
            let rows = || self.rows(k).filter_map(|i| Some((i, w.outer_view(i)?)));
            near.clear();
            near.push(k);
            rows().for_each(|(_, row)| near.extend(row.indices().iter().map(|j| j / d)));
            near.sort_unstable();
            near.dedup();
            let first = matrix.cols.len();
            for &l in &near {
                let l = u32::try_from(l).expect("as many blocks as their numbers");
                matrix.push(l, std::iter::repeat_n(0.0, d * d));
            }
            for (i, row) in rows() {
                for (j, value) in row.iter() {
                    let entry = near.binary_search(&(j / d)).expect("collected above");
                    let offset = matrix.offset[first + entry];
                    matrix.values[offset + i % d * d + j % d] =
                        value * self.row_scale(i) * self.row_scale(j);
                }
            }
            matrix.close_row();
        }
        matrix
    }

    fn operator_diagonal(&self, problem: &FrictionProblem) -> Vec<f64> {
        let (w, _) = problem.operator().expect("a problem without bodies");
        let entry = |i: usize, j: usize| {
            let value = w.get(i, j).copied().unwrap_or(0.0);
            value * self.row_scale(i) * self.row_scale(j)
        };
        (0..self.contacts)
            .flat_map(|k| {
                self.rows(k)
                    .flat_map(move |i| self.rows(k).map(move |j| (i, j)))
            })
            .map(|(i, j)| entry(i, j))
            .collect()
    }

    fn row_scale(&self, i: usize) -> f64 {
        self.scales.get(i).copied().unwrap_or(1.0)
    }
}

impl BodyView {
    fn new(problem: &FrictionProblem, scales: &[f64]) -> Self {
        let (dofs, bodies) = (problem.dofs(), problem.bodies());
        let blocks = problem.contact_count() + problem.bilateral().len();
        let rows = problem.contact_count() * problem.dimension() + problem.bilateral().len();
        let mut free_velocity = Vec::with_capacity((bodies + 1) * dofs);
        free_velocity.extend_from_slice(problem.free_velocity());
        free_velocity.resize((bodies + 1) * dofs, 0.0);
        let mut view = Self {
            dofs,
            bodies,
            cols: Vec::with_capacity(blocks),
            rows: Vec::with_capacity(2 * rows * dofs),
            inverse: Vec::with_capacity(2 * rows * dofs),
            free_velocity,
            dimension: problem.dimension(),
            contacts: problem.contact_count(),
        };
        view.push(problem, problem.contacts(), scales);
        view.push(problem, problem.bilateral(), &[]);
        view
    }

    fn push(&mut self, problem: &FrictionProblem, rows: &BlockRows, scales: &[f64]) {
        let fixed = u32::try_from(self.bodies).expect("as many bodies as their numbers");
        for (k, cols) in rows.cols().iter().enumerate() {
            self.cols
                .push(cols.map(|body| if body == FIXED { fixed } else { body }));
            for (side, &body) in cols.iter().enumerate() {
                let start = self.rows.len();
                if body == FIXED {
                    self.rows.resize(start + rows.rows() * self.dofs, 0.0);
                    self.inverse.resize(self.rows.len(), 0.0);
                    continue;
                }
                self.rows.extend_from_slice(rows.block(k, side));
                let scales = scales.get(k * rows.rows()..).unwrap_or(&[]);
                let block = self.rows[start..].chunks_exact_mut(self.dofs);
                for (row, e) in block.zip(scales) {
                    for x in row {
                        *x *= e;
                    }
                }
                self.inverse.extend_from_slice(&self.rows[start..]);
                for row in self.inverse[start..].chunks_exact_mut(self.dofs) {
                    problem.factor().solve_body(body as usize, row);
                }
            }
        }
    }

    /// Where both sides of block k stand in `rows` and `inverse`; each side has half of it.
    pub(crate) fn block(&self, k: usize) -> Range<usize> {
        let rows = block_rows(self.dimension, self.contacts, k);
        2 * self.dofs * rows.start..2 * self.dofs * rows.end
    }

    /// A block for every pair of blocks on one body.
    fn matrix(&self) -> BlockMatrix {
        let mut seen: Vec<Vec<u32>> = vec![Vec::new(); self.bodies];
        for (k, cols) in (0_u32..).zip(&self.cols) {
            for &body in cols {
                if let Some(seen) = seen.get_mut(body as usize)
                    && seen.last() != Some(&k)
                {
                    seen.push(k);
                }
            }
        }
        let mut matrix = BlockMatrix::empty();
        let mut near = Vec::new();
        for (k, cols) in self.cols.iter().enumerate() {
            near.clear();
            near.push(u32::try_from(k).expect("as many blocks as their numbers"));
            for &body in cols {
                near.extend(seen.get(body as usize).into_iter().flatten());
            }
            near.sort_unstable();
            near.dedup();
            for &l in &near {
                matrix.push(l, self.product(k, l as usize));
            }
            matrix.close_row();
        }
        matrix
    }

    /// The block (k, l) of W', by rows.
    fn product(&self, k: usize, l: usize) -> Vec<f64> {
        let rows = |k| block_rows(self.dimension, self.contacts, k).len();
        let mut product = vec![0.0; rows(k) * rows(l)];
        self.add_block(k, l, &mut product);
        product
    }

    /// Adds the block (k, l) of W' to `product`, by rows.
    fn add_block(&self, k: usize, l: usize, product: &mut [f64]) {
        let (rows, inverse) = (&self.rows[self.block(k)], &self.inverse[self.block(l)]);
        let (a, b) = (rows.len() / 2, inverse.len() / 2);
        let width = b / self.dofs;
        for (side, col) in self.cols[k].iter().enumerate() {
            for (other, _) in self.cols[l].iter().enumerate().filter(|(_, c)| *c == col) {
                let rows = rows[side * a..][..a].chunks_exact(self.dofs);
                for (i, row) in rows.enumerate() {
                    let inverse = inverse[other * b..][..b].chunks_exact(self.dofs);
                    for (w, inverse) in product[i * width..][..width].iter_mut().zip(inverse) {
                        *w += row.iter().zip(inverse).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
        }
    }

    /// out = W' r' through the bodies; v is workspace of `bodies + 1` bodies.
    pub(crate) fn product_into(&self, r: &[f64], v: &mut [f64], out: &mut [f64]) {
        self.velocity_into(r, v);
        v.iter_mut()
            .zip(&self.free_velocity)
            .for_each(|(v, free)| *v -= free);
        for (k, cols) in self.cols.iter().enumerate() {
            let out = &mut out[block_rows(self.dimension, self.contacts, k)];
            out.fill(0.0);
            let rows = &self.rows[self.block(k)];
            let (first, second) = rows.split_at(rows.len() / 2);
            for (&body, side) in cols.iter().zip([first, second]) {
                let v = &v[body as usize * self.dofs..][..self.dofs];
                for (out, row) in out.iter_mut().zip(side.chunks_exact(self.dofs)) {
                    *out += row.iter().zip(v).map(|(x, v)| x * v).sum::<f64>();
                }
            }
        }
    }

    /// v ← v* + M⁻¹ J'ᵀ r', with the body of fixed sides.
    pub(crate) fn velocity_into(&self, r: &[f64], v: &mut [f64]) {
        v.copy_from_slice(&self.free_velocity);
        for (k, cols) in self.cols.iter().enumerate() {
            let r = &r[block_rows(self.dimension, self.contacts, k)];
            let inverse = &self.inverse[self.block(k)];
            let (first, second) = inverse.split_at(inverse.len() / 2);
            for (&body, side) in cols.iter().zip([first, second]) {
                let v = &mut v[body as usize * self.dofs..][..self.dofs];
                for (r, row) in r.iter().zip(side.chunks_exact(self.dofs)) {
                    v.iter_mut().zip(row).for_each(|(v, x)| *v += x * r);
                }
            }
        }
    }
}

impl BlockMatrix {
    fn empty() -> Self {
        Self {
            start: vec![0],
            cols: Vec::new(),
            offset: Vec::new(),
            values: Vec::new(),
        }
    }

    fn push(&mut self, col: u32, block: impl IntoIterator<Item = f64>) {
        self.cols.push(col);
        self.offset.push(self.values.len());
        self.values.extend(block);
    }

    fn close_row(&mut self) {
        self.start.push(self.cols.len());
    }

    /// Entries of block row k: block column and values by rows.
    pub(crate) fn row(&self, k: usize) -> impl Iterator<Item = (usize, &[f64])> {
        (self.start[k]..self.start[k + 1]).map(|e| {
            let end = self.offset.get(e + 1).copied();
            let end = end.unwrap_or(self.values.len());
            (self.cols[e] as usize, &self.values[self.offset[e]..end])
        })
    }

    /// out = W' r' + q'.
    pub(crate) fn velocities_into(&self, view: &SolverView, r: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&view.q);
        for k in 0..view.blocks() {
            let out = &mut out[view.rows(k)];
            for (l, block) in self.row(k) {
                let r = &r[view.rows(l)];
                for (out, row) in out.iter_mut().zip(block.chunks_exact(r.len())) {
                    *out += row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
