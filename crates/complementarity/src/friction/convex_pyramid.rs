//! The convex law with pyramids for cones: a linear complementarity problem with a symmetric matrix.
//!
//! ```math
//! r = \sum_k \gamma_k (n + \mu\, d_k), \qquad 0 \le \gamma \perp G^T (W G \gamma + q) \ge 0
//! ```
//!
//! The unknowns are impulses along the edges of each pyramid. The matrix is positive semidefinite, whatever the friction: the
//! problem is the quadratic program of A2006, and every pivoting method solves it if it has a solution. In the plane cone and
//! pyramid are one. The mixed form keeps the velocities, and is sparse:
//!
//! ```math
//! M v - J^T G \gamma = M v_{free}, \qquad 0 \le \gamma \perp G^T (J v + b) \ge 0
//! ```
//!
//! Torsion has two edges more. A cone over two polygons, that of friction and that of rolling moments, has an edge for each pair of
//! their corners; there the bounds of both stay conditions with multipliers, as in [`Pyramid`], which adds −μ λ − μ_R λ_R to the
//! normal velocities. That matrix is positive semidefinite too, though not symmetric.
//!
//! # References
//! - \[A2006\] M. Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, Mathematical Programming
//!   105, 2006.

use std::ops::Range;

use sprs::TriMat;

use super::cone::ROLLING;
use super::mixed::{mixed_constants, mixed_matrix};
use super::polytope::{Polytopes, spread};
use super::pyramid::{Pyramid, PyramidForm};
use super::{BlockRows, FrictionLaw, FrictionProblem};
use crate::{Bounds, LinearMcp};

/// A [`FrictionProblem`] under the convex law with pyramids, as a linear mixed complementarity problem in the velocities (in the
/// mixed form), the impulses of the bilateral rows, and those along the edges of the pyramids.
///
/// # Examples
/// A particle of 1 kg comes down with 1 m/s and slides with 4 m/s, μ = 0.5: the relaxed law lets it part with μ times its slip.
/// ```
/// use signorini_complementarity::{
///     BlockRows, FIXED, FrictionData, FrictionProblem, Lemke, PyramidForm, Solver, Start,
/// };
/// let mut contacts = BlockRows::new(2, 2);
/// contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
/// let problem = FrictionProblem::new(FrictionData {
///     dofs: 2,
///     mass: vec![1.0, 0.0, 0.0, 1.0],
///     free_velocity: vec![4.0, -1.0],
///     contacts,
///     bias: vec![0.0; 2],
///     mu: vec![0.5],
///     ..FrictionData::default()
/// })?;
/// let pyramid = problem.convex_pyramid(2, PyramidForm::Reduced);
/// let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
/// let mut p = [0.0; 2];
/// pyramid.impulses_into(&solution.z, &mut p);
/// assert!((p[0] - 2.4).abs() < 1e-14 && (p[1] + 1.2).abs() < 1e-14);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPyramid {
    form: Form,
    dimension: usize,
    velocity: usize,
    bilateral: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// Impulses along the edges.
    Edges(Box<Edges>),
    /// Impulses along the directions, with bounds.
    Bounds(Box<Pyramid>),
}

#[derive(Clone, Debug, PartialEq)]
struct Edges {
    problem: LinearMcp,
    /// Contact of each edge, and the edge in the contact frame, D entries.
    along: Vec<(usize, Vec<f64>)>,
    polytopes: Polytopes,
}

impl FrictionProblem {
    /// The convex law with pyramids of `directions` edges, and two more with torsion. In the plane there are two, whatever
    /// `directions` says; a contact without friction has one.
    ///
    /// # Panics
    /// If there are no bodies; if a contact with friction has two tangents and `directions` is less than 3.
    #[track_caller]
    pub fn convex_pyramid(&self, directions: usize, form: PyramidForm) -> ConvexPyramid {
        assert!(self.has_bodies(), "a problem without bodies has no rows");
        let (d, dofs) = (self.dimension(), self.dofs());
        let velocity = match form {
            PyramidForm::Mixed => self.nv(),
            PyramidForm::Reduced => 0,
        };
        let convex = |form| ConvexPyramid {
            form,
            dimension: d,
            velocity,
            bilateral: self.bilateral().len(),
        };
        if d >= ROLLING {
            let pyramid = self.pyramid_of(directions, form, FrictionLaw::Convex);
            return convex(Form::Bounds(Box::new(pyramid)));
        }
        let polytopes = Polytopes::new(self, directions);
        let mut rows = BlockRows::new(1, dofs);
        let mut bias = self.bilateral_bias().to_vec();
        for (k, cols) in self.bilateral().cols().iter().enumerate() {
            let block = |side| self.bilateral().block(k, side);
            rows.push(*cols, block(0), block(1));
        }
        let mut edges = Vec::new();
        for (k, (cols, &mu)) in self.contacts().cols().iter().zip(self.mu()).enumerate() {
            for e in 0..polytopes.count(0, k).max(1) {
                let mut edge = vec![0.0; d];
                edge[0] = 1.0;
                if mu > 0.0 && d > 1 {
                    let vector = polytopes.vector(0, k, e);
                    edge[1..]
                        .iter_mut()
                        .zip(vector)
                        .for_each(|(x, d)| *x = mu * d);
                }
                let side = |side| {
                    let block = self.contacts().block(k, side).chunks_exact(dofs);
                    let mut sum = vec![0.0; dofs];
                    for (row, e) in block.zip(&edge) {
                        sum.iter_mut().zip(row).for_each(|(s, x)| *s += e * x);
                    }
                    sum
                };
                rows.push(*cols, &side(0), &side(1));
                let own = &self.bias()[k * d..(k + 1) * d];
                bias.push(own.iter().zip(&edge).map(|(b, e)| b * e).sum());
                edges.push((k, edge));
            }
        }
        let n = velocity + rows.len();
        let compliance = |k: usize| {
            let law = k
                .checked_sub(velocity)
                .and_then(|k| self.equations().get(k));
            law.map(|law| law.compliance).filter(|r| *r > 0.0)
        };
        let (m, q) = match form {
            PyramidForm::Mixed => {
                let places: Vec<usize> = (0..rows.len()).collect();
                let m = mixed_matrix(self, (&rows, &places), n, |k, out| {
                    out.extend(compliance(k).map(|r| (k, r)));
                });
                (m, mixed_constants(self, bias))
            }
            PyramidForm::Reduced => {
                let mut triplets = TriMat::new((n, n));
                for (&value, (i, j)) in &self.factor().gram(&rows) {
                    triplets.add_triplet(i, j, value);
                }
                for k in 0..self.equations().len() {
                    if let Some(r) = compliance(k) {
                        triplets.add_triplet(k, k, r);
                    }
                }
                let mut q = vec![0.0; n];
                rows.mul_into(self.free_velocity(), &mut q);
                q.iter_mut().zip(bias).for_each(|(q, b)| *q += b);
                (triplets.to_csc(), q)
            }
        };
        let (mut lower, mut upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
        lower[..velocity].fill(f64::NEG_INFINITY);
        for (k, law) in self.equations().iter().enumerate() {
            (lower[velocity + k], upper[velocity + k]) = (-law.limit, law.limit);
        }
        let bounds = Bounds::new(lower, upper).expect("a limit is at least 0");
        let problem = LinearMcp::new(m, q, bounds).expect("shapes agree and the data are finite");
        convex(Form::Edges(Box::new(Edges {
            problem,
            along: edges,
            polytopes,
        })))
    }
}

impl ConvexPyramid {
    /// The linear problem.
    pub fn problem(&self) -> &LinearMcp {
        match &self.form {
            Form::Edges(own) => &own.problem,
            Form::Bounds(pyramid) => pyramid.problem(),
        }
    }

    /// Where the bilateral impulses stand in z.
    pub fn bilateral(&self) -> Range<usize> {
        self.velocity..self.velocity + self.bilateral
    }

    /// Where v stands in z; empty in the reduced form.
    pub fn velocity(&self) -> Range<usize> {
        0..self.velocity
    }

    /// z of impulses and bilateral impulses of the problem: a tangential impulse is made of the two edges beside it in space, and
    /// what is left of the normal impulse of all edges of its contact alike. A solution if friction is within the pyramid
    /// wherever it holds, or in the plane; elsewhere near one.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn point(&self, step: &FrictionProblem, z: &[f64]) -> Vec<f64> {
        let d = self.dimension;
        let Edges {
            along: edges,
            polytopes,
            ..
        } = match &self.form {
            Form::Edges(own) => &**own,
            Form::Bounds(pyramid) => return pyramid.point(step, z),
        };
        let (impulses, bilateral) = z.split_at(d * step.contact_count());
        assert_eq!(
            bilateral.len(),
            self.bilateral,
            "one impulse for each bilateral row"
        );
        let mut out = vec![0.0; self.velocity];
        if self.velocity > 0 {
            step.velocity_into(impulses, bilateral, &mut out);
        }
        out.extend_from_slice(bilateral);
        let mut first = 0;
        for (k, p) in impulses.chunks_exact(d).enumerate() {
            let own = edges[first..].iter().take_while(|(c, _)| *c == k);
            let count = own.count();
            let mut gamma = vec![0.0; count];
            if count > 1 && d <= 3 && step.laws().ellipse.is_empty() {
                let own = &edges[first..first + count];
                spread(|e| &own[e].1[1..], &p[1..], &mut gamma);
            } else if count > 1 {
                polytopes.spread(0, k, p, &mut gamma);
                for g in &mut gamma {
                    *g /= step.mu()[k];
                }
            }
            let rest = (p[0] - gamma.iter().sum::<f64>()).max(0.0) / count as f64;
            out.extend(gamma.iter().map(|g| g + rest));
            first += count;
        }
        out
    }

    /// Net impulses (contacts · D) in N s in the contact frames.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn impulses_into(&self, z: &[f64], out: &mut [f64]) {
        let Edges {
            problem,
            along: edges,
            ..
        } = match &self.form {
            Form::Edges(own) => &**own,
            Form::Bounds(pyramid) => return pyramid.impulses_into(z, out),
        };
        assert_eq!(z.len(), problem.len(), "z does not belong to this pyramid");
        out.fill(0.0);
        for ((contact, edge), gamma) in edges.iter().zip(&z[self.bilateral().end..]) {
            let own = &mut out[contact * self.dimension..][..self.dimension];
            own.iter_mut().zip(edge).for_each(|(p, e)| *p += gamma * e);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::collection;
    use crate::{
        BlockRows, FIXED, FrictionData, FrictionLaw, FrictionProblem, FrictionSettings, Lemke,
        PyramidForm, ResidualMeasure, Solver, Start, natural_residual, solve_friction,
    };

    /// Friction within the pyramid, at rest and on its face: γ of both forms from the impulses solve them.
    #[test]
    fn a_particle_that_sticks_is_a_solution_of_the_pyramid() {
        let mut contacts = BlockRows::new(3, 3);
        let frame = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        contacts.push([FIXED, 0], &[0.0; 9], &frame);
        let problem = FrictionProblem::new(FrictionData {
            dofs: 3,
            mass: [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0].to_vec(),
            free_velocity: vec![0.2, -0.1, -1.0],
            contacts,
            bias: vec![0.0; 3],
            mu: vec![0.5],
            law: FrictionLaw::Convex,
            ..FrictionData::default()
        })
        .unwrap();
        for form in [PyramidForm::Mixed, PyramidForm::Reduced] {
            let pyramid = problem.convex_pyramid(8, form);
            let z = pyramid.point(&problem, &[2.0, -0.4, 0.2]);
            assert!(natural_residual(pyramid.problem(), &z) < 1e-14);
            let mut p = [0.0; 3];
            pyramid.impulses_into(&z, &mut p);
            assert!((p[0] - 2.0).abs() + (p[1] + 0.4).abs() + (p[2] - 0.2).abs() < 1e-14);
        }
    }

    /// With many edges the answer of the cone: velocities agree to the square of the angle between edges.
    #[test]
    fn many_edges_are_the_cone() {
        let heap = collection::heap(10, 2).with_law(FrictionLaw::Convex);
        let settings = FrictionSettings {
            tolerance: 1e-10,
            measure: ResidualMeasure::Scaled,
        };
        let cone = solve_friction(&heap, &settings).solution;
        assert!(cone.status.is_solved());
        let rows = heap.contact_count() * heap.dimension();
        let velocity = |p: &[f64]| {
            let mut v = vec![0.0; heap.nv()];
            heap.velocity_into(p, &[], &mut v);
            v
        };
        let exact = velocity(&cone.z[..rows]);
        let mut last = f64::INFINITY;
        for directions in [4, 8, 16, 32] {
            let pyramid = heap.convex_pyramid(directions, PyramidForm::Reduced);
            let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
            assert!(solution.status.is_solved(), "{directions} {solution:?}");
            let mut p = vec![0.0; rows];
            pyramid.impulses_into(&solution.z, &mut p);
            // Impulses of the one form solve the other, though not along the edges that were chosen.
            let mixed = heap.convex_pyramid(directions, PyramidForm::Mixed);
            let mut z = vec![0.0; heap.nv()];
            heap.velocity_into(&p, &[], &mut z);
            z.extend_from_slice(&solution.z);
            let residual = natural_residual(mixed.problem(), &z);
            assert!(residual <= 1e-9, "{directions} {residual:e}");
            let mut again = vec![0.0; rows];
            mixed.impulses_into(&z, &mut again);
            assert_eq!(p, again);
            let found = velocity(&p);
            let off = found.iter().zip(&exact).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < last, "{directions}: {off} {last}");
            last = off;
        }
        assert!(
            last < 0.02 * exact.iter().fold(0.0, |m: f64, v| m.max(v.abs())),
            "{last}"
        );
    }
}
