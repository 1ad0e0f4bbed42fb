//! Linear forms of a frictional step: Coulomb's cone replaced by a pyramid.
//!
//! ```math
//! 0 \le c \perp u_n \ge 0, \qquad 0 \le \beta \perp \lambda e + D^T u_t \ge 0, \qquad
//! 0 \le \lambda \perp \mu c - e^T \beta \ge 0
//! ```
//!
//! The columns of D are unit vectors at equal angles in the tangent plane, the first along the first tangent. In the
//! mixed form the velocity stays among the unknowns and the matrix is sparse; in the reduced form it is eliminated
//! through the mass blocks and the matrix holds the Delassus operator. On elliptic cones the columns of D are multiplied
//! by the factors of the ellipse. The law is Coulomb's, whatever law the problem has.
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with Coulomb
//!   friction, ICRA 2000, equations (7)–(12).

use std::ops::Range;

use sprs::{CsMat, TriMat};

use super::mixed::{mixed_constants, mixed_matrix};
use super::{BlockRows, FrictionProblem};
use crate::{Bounds, LinearMcp};

/// Which unknowns a [`Pyramid`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PyramidForm {
    /// (v free, p_b free, c, β, λ): sparse, no product with M⁻¹.
    Mixed,
    /// (p_b free, c, β, λ) with W = J M⁻¹ Jᵀ: small; the form for dense pivoting.
    #[default]
    Reduced,
}

/// A [`FrictionProblem`] with pyramids for cones, as a linear mixed complementarity problem.
///
/// The unknowns stand in the order v (mixed form only), p_b, then c, β and λ of all contacts. A contact with μ = 0
/// has no β and no λ.
///
/// # Examples
/// A particle of 1 kg comes down with 2 m/s and slides with 3 m/s, μ = 0.5: c = 2, friction takes 1 N s, slip 2 m/s.
/// ```
/// use signorini_complementarity::{BlockRows, FIXED, FrictionData, FrictionProblem, PyramidForm};
/// let mut contacts = BlockRows::new(2, 2);
/// contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
/// let problem = FrictionProblem::new(FrictionData {
///     dofs: 2,
///     mass: vec![1.0, 0.0, 0.0, 1.0],
///     free_velocity: vec![3.0, -2.0],
///     contacts,
///     bias: vec![0.0; 2],
///     mu: vec![0.5],
///     ..FrictionData::default()
/// })?;
/// let pyramid = problem.pyramid(2, PyramidForm::Reduced);
/// let z = [2.0, 0.0, 1.0, 2.0]; // c, β₁, β₂, λ
/// let mut p = [0.0; 2];
/// pyramid.impulses_into(&z, &mut p);
/// assert_eq!(p, [2.0, -1.0]);
/// assert_eq!(pyramid.slip(&z, 0), Some(2.0));
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    problem: LinearMcp,
    form: PyramidForm,
    dimension: usize,
    /// Unit vectors in the tangent plane, D − 1 entries each.
    directions: Vec<f64>,
    /// Factors of the tangents, D − 1 per contact; empty for round cones.
    ellipse: Vec<f64>,
    velocity: usize,
    bilateral: usize,
    /// Position of each contact among those with friction.
    frictional: Vec<Option<usize>>,
    frictional_count: usize,
}

impl FrictionProblem {
    /// The step with pyramids of `directions` facets for cones. In the plane there are two directions, whatever
    /// `directions` says.
    ///
    /// # Panics
    /// If the contacts have two tangents, one of them has friction and `directions` is less than 3; if one with friction
    /// has torsion or rolling rows; if the mixed form is asked for and there are no bodies.
    #[track_caller]
    pub fn pyramid(&self, directions: usize, form: PyramidForm) -> Pyramid {
        let dimension = self.dimension();
        let mut count = 0;
        let frictional: Vec<_> = self
            .mu()
            .iter()
            .map(|&mu| {
                let has_friction = mu > 0.0 && dimension > 1;
                count += usize::from(has_friction);
                has_friction.then(|| count - 1)
            })
            .collect();
        assert!(
            count == 0 || dimension == 2 || directions >= 3,
            "a pyramid in space needs three directions"
        );
        assert!(
            count == 0 || dimension <= 3,
            "there is no pyramid for torsion and rolling friction"
        );
        assert!(
            form == PyramidForm::Reduced || self.has_bodies(),
            "without bodies there are no velocities to keep"
        );
        let directions = unit_directions(dimension, directions);
        let velocity = if form == PyramidForm::Mixed {
            self.nv()
        } else {
            0
        };
        let mut pyramid = Pyramid {
            problem: LinearMcp::from(crate::Lcp::empty()),
            form,
            dimension,
            directions,
            ellipse: self.laws().ellipse.clone(),
            velocity,
            bilateral: self.bilateral().len(),
            frictional,
            frictional_count: count,
        };
        pyramid.problem = match (form, self.operator()) {
            (_, Some((w, q))) => pyramid.of_operator(self, w, q),
            (PyramidForm::Mixed, None) => {
                let (rows, bias) = pyramid.generators(self);
                pyramid.mixed(self, &rows, bias)
            }
            (PyramidForm::Reduced, None) => {
                let (rows, bias) = pyramid.generators(self);
                pyramid.reduced(self, &rows, bias)
            }
        };
        pyramid
    }
}

impl Pyramid {
    /// The linear problem.
    pub fn problem(&self) -> &LinearMcp {
        &self.problem
    }

    /// Which unknowns it keeps.
    pub fn form(&self) -> PyramidForm {
        self.form
    }

    /// Directions per contact with friction.
    pub fn directions(&self) -> usize {
        self.directions.len() / (self.dimension.max(2) - 1)
    }

    /// Direction k as a unit vector of the tangent plane, D − 1 entries.
    ///
    /// # Panics
    /// If k is out of range.
    #[track_caller]
    pub fn direction(&self, k: usize) -> &[f64] {
        &self.directions[k * (self.dimension - 1)..][..self.dimension - 1]
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.frictional.len()
    }

    /// Whether all its cones are round.
    pub(super) fn is_round(&self) -> bool {
        self.ellipse.is_empty()
    }

    /// Where v stands in z; empty in the reduced form.
    pub fn velocity(&self) -> Range<usize> {
        0..self.velocity
    }

    /// Where the bilateral impulses stand in z.
    pub fn bilateral(&self) -> Range<usize> {
        self.velocity..self.velocity + self.bilateral
    }

    /// Where the normal impulse of a contact stands in z.
    pub fn normal(&self, contact: usize) -> usize {
        self.velocity + self.bilateral + contact
    }

    /// Where the facet impulses β of a contact stand in z; `None` if it has no friction.
    ///
    /// # Panics
    /// If `contact` is out of range.
    #[track_caller]
    pub fn facets(&self, contact: usize) -> Option<Range<usize>> {
        let m = self.directions();
        let start = |f| self.velocity + self.bilateral + self.contacts() + f * m;
        self.frictional[contact].map(|f| start(f)..start(f) + m)
    }

    /// Where λ of a contact stands in z; `None` if it has no friction.
    ///
    /// # Panics
    /// If `contact` is out of range.
    #[track_caller]
    pub fn slip_index(&self, contact: usize) -> Option<usize> {
        let start = self.velocity
            + self.bilateral
            + self.contacts()
            + self.frictional_count * self.directions();
        self.frictional[contact].map(|f| start + f)
    }

    /// λ of a contact in m/s, its slip speed in the norm of the pyramid; `None` if it has no friction.
    ///
    /// # Panics
    /// If `contact` is out of range or z has the wrong length.
    #[track_caller]
    pub fn slip(&self, z: &[f64], contact: usize) -> Option<f64> {
        assert_eq!(
            z.len(),
            self.problem.len(),
            "z does not belong to this pyramid"
        );
        self.slip_index(contact).map(|i| z[i])
    }

    /// Net impulses (contacts · D) in N s in the contact frames: c, then Σ_k β_k d_k.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn impulses_into(&self, z: &[f64], out: &mut [f64]) {
        assert_eq!(
            z.len(),
            self.problem.len(),
            "z does not belong to this pyramid"
        );
        assert_eq!(
            out.len(),
            self.contacts() * self.dimension,
            "one entry per contact row"
        );
        out.fill(0.0);
        for contact in 0..self.contacts() {
            let p = &mut out[contact * self.dimension..][..self.dimension];
            p[0] = z[self.normal(contact)];
            for (k, i) in self.facets(contact).into_iter().flatten().enumerate() {
                for (p, d) in p[1..].iter_mut().zip(self.column(contact, k)) {
                    *p += z[i] * d;
                }
            }
        }
    }

    /// Lets the friction of a contact be larger by `bound`, N s: μ times a normal impulse that it has beside c, as in the
    /// expansion of Poisson's law of impact. Nothing happens to a contact without friction.
    ///
    /// # Panics
    /// If `contact` is out of range or `bound` is not finite.
    #[track_caller]
    pub fn widen(&mut self, contact: usize, bound: f64) {
        assert!(bound.is_finite(), "a bound of {bound}");
        if let Some(row) = self.slip_index(contact) {
            self.problem.q_mut()[row] += bound;
        }
    }

    /// Column k of D of a contact: the direction times the factors of its ellipse.
    fn column(&self, contact: usize, k: usize) -> impl Iterator<Item = f64> {
        let tangents = self.dimension - 1;
        let factors = self.ellipse.get(contact * tangents..).unwrap_or(&[]);
        let factors = factors.iter().copied().chain(std::iter::repeat(1.0));
        self.direction(k).iter().zip(factors).map(|(d, e)| d * e)
    }

    /// Scalar rows (p_b, c, β) over the bodies, in the order of the unknowns, and their bias.
    fn generators(&self, step: &FrictionProblem) -> (BlockRows, Vec<f64>) {
        let dofs = step.dofs();
        let mut rows = BlockRows::new(1, dofs);
        let mut bias = step.bilateral_bias().to_vec();
        for (k, cols) in step.bilateral().cols().iter().enumerate() {
            rows.push(
                *cols,
                step.bilateral().block(k, 0),
                step.bilateral().block(k, 1),
            );
        }
        let contacts = step.contacts();
        for (k, cols) in contacts.cols().iter().enumerate() {
            rows.push(
                *cols,
                &contacts.block(k, 0)[..dofs],
                &contacts.block(k, 1)[..dofs],
            );
            bias.push(step.bias()[k * self.dimension]);
        }
        let mut sides = [vec![0.0; dofs], vec![0.0; dofs]];
        for (k, cols) in contacts
            .cols()
            .iter()
            .enumerate()
            .filter(|(k, _)| self.frictional[*k].is_some())
        {
            for direction in 0..self.directions() {
                let column = || self.column(k, direction);
                for (side, row) in sides.iter_mut().enumerate() {
                    row.fill(0.0);
                    for (d, tangent) in
                        column().zip(contacts.block(k, side)[dofs..].chunks_exact(dofs))
                    {
                        row.iter_mut().zip(tangent).for_each(|(r, t)| *r += d * t);
                    }
                }
                rows.push(*cols, &sides[0], &sides[1]);
                let tangent_bias = &step.bias()[k * self.dimension + 1..][..self.dimension - 1];
                bias.push(column().zip(tangent_bias).map(|(d, b)| d * b).sum());
            }
        }
        (rows, bias)
    }

    /// The reduced form from W and q: G W Gᵀ and G q, where the rows of G are those of c and β.
    fn of_operator(&self, step: &FrictionProblem, w: &sprs::CsMat<f64>, q: &[f64]) -> LinearMcp {
        let facets = self.frictional_count * self.directions();
        let rows = self.contacts() + facets;
        let mut generators = TriMat::new((rows, q.len()));
        for contact in 0..self.contacts() {
            let start = contact * self.dimension;
            generators.add_triplet(self.normal(contact), start, 1.0);
            for (k, row) in self.facets(contact).into_iter().flatten().enumerate() {
                for (tangent, d) in self.column(contact, k).enumerate() {
                    generators.add_triplet(row, start + 1 + tangent, d);
                }
            }
        }
        let generators = generators.to_csr::<usize>();
        let product = &(&generators * w) * &generators.transpose_view().to_csr();
        let n = rows + self.frictional_count;
        let mut triplets = TriMat::new((n, n));
        for (&value, (i, j)) in &product {
            triplets.add_triplet(i, j, value);
        }
        let rows = generators.outer_iterator();
        let q = rows.map(|row| row.iter().map(|(j, g)| g * q[j]).sum());
        self.finish(step, triplets, q.collect())
    }

    /// Adds E, −Eᵀ and μ, fills up q, and closes the problem.
    fn finish(
        &self,
        step: &FrictionProblem,
        mut triplets: TriMat<f64>,
        mut q: Vec<f64>,
    ) -> LinearMcp {
        let n = triplets.rows();
        q.resize(n, 0.0);
        for (contact, &mu) in step.mu().iter().enumerate() {
            let (Some(facets), Some(slip)) = (self.facets(contact), self.slip_index(contact))
            else {
                continue;
            };
            triplets.add_triplet(slip, self.normal(contact), mu);
            for i in facets {
                triplets.add_triplet(i, slip, 1.0);
                triplets.add_triplet(slip, i, -1.0);
            }
        }
        for (k, law) in self.bilateral().zip(step.equations()) {
            if law.compliance > 0.0 {
                triplets.add_triplet(k, k, law.compliance);
            }
        }
        self.close(step, triplets.to_csc(), q)
    }

    /// The problem with its bounds.
    fn close(&self, step: &FrictionProblem, m: CsMat<f64>, q: Vec<f64>) -> LinearMcp {
        let n = q.len();
        let (mut lower, mut upper) = (vec![0.0; n], vec![f64::INFINITY; n]);
        lower[..self.velocity + self.bilateral].fill(f64::NEG_INFINITY);
        for (k, law) in self.bilateral().zip(step.equations()) {
            (lower[k], upper[k]) = (-law.limit, law.limit);
        }
        let bounds = Bounds::new(lower, upper).expect("a limit is at least 0");
        LinearMcp::new(m, q, bounds).expect("shapes agree and the step's data are finite")
    }

    fn mixed(&self, step: &FrictionProblem, rows: &BlockRows, bias: Vec<f64>) -> LinearMcp {
        let (nv, n) = (step.nv(), step.nv() + rows.len() + self.frictional_count);
        // Which contact each column behind the velocities is of, and whether it is that of its normal.
        let mut owner = vec![(usize::MAX, false); n];
        for contact in 0..self.contacts() {
            owner[self.normal(contact)] = (contact, true);
            let facets = self.facets(contact).into_iter().flatten();
            for column in facets.chain(self.slip_index(contact)) {
                owner[column] = (contact, false);
            }
        }
        let m = mixed_matrix(step, rows, n, |column, out| {
            if column < nv + self.bilateral {
                let compliance = step.equations()[column - nv].compliance;
                out.extend((compliance > 0.0).then_some((column, compliance)));
                return;
            }
            let (contact, is_normal) = owner[column];
            match (self.facets(contact), self.slip_index(contact)) {
                (Some(facets), Some(slip)) if column == slip => {
                    out.extend(facets.map(|i| (i, 1.0)));
                }
                (Some(_), Some(slip)) if is_normal => out.push((slip, step.mu()[contact])),
                (Some(_), Some(slip)) => out.push((slip, -1.0)),
                _ => {}
            }
        });
        let mut q = mixed_constants(step, bias);
        q.resize(n, 0.0);
        self.close(step, m, q)
    }

    fn reduced(&self, step: &FrictionProblem, rows: &BlockRows, bias: Vec<f64>) -> LinearMcp {
        let n = rows.len() + self.frictional_count;
        let mut triplets = TriMat::new((n, n));
        for (&value, (i, j)) in &step.factor().gram(rows) {
            triplets.add_triplet(i, j, value);
        }
        let mut q = vec![0.0; rows.len()];
        rows.mul_into(step.free_velocity(), &mut q);
        q.iter_mut().zip(bias).for_each(|(q, b)| *q += b);
        self.finish(step, triplets, q)
    }
}

/// Unit vectors at equal angles, D − 1 entries each; opposite ones are exact negatives, quarter turns are exact.
pub(super) fn unit_directions(dimension: usize, count: usize) -> Vec<f64> {
    match dimension {
        2 => vec![1.0, -1.0],
        3 => (0..count).flat_map(|k| unit_direction(k, count)).collect(),
        _ => Vec::new(),
    }
}

fn unit_direction(k: usize, count: usize) -> [f64; 2] {
    // Quarter turns are taken out first, so that symmetric pyramids have symmetric numbers.
    let (quarter, rest) = (4 * k / count, 4 * k % count);
    let angle = std::f64::consts::FRAC_PI_2 * rest as f64 / count as f64;
    let (sin, cos) = if 2 * rest == count {
        (
            std::f64::consts::FRAC_1_SQRT_2,
            std::f64::consts::FRAC_1_SQRT_2,
        )
    } else {
        angle.sin_cos()
    };
    match quarter {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FIXED, FrictionData};

    #[test]
    fn directions_are_exact_where_they_can_be() {
        let d = unit_directions(3, 8);
        assert_eq!(d[4..6], [0.0, 1.0]);
        assert_eq!(d[2], d[3]);
        for k in 0..4 {
            assert_eq!([-d[2 * k], -d[2 * k + 1]], d[2 * (k + 4)..][..2]);
        }
        for d in unit_directions(3, 5).chunks_exact(2) {
            assert!((d[0] * d[0] + d[1] * d[1] - 1.0).abs() < 1e-15);
        }
    }

    /// Two bodies in space, a contact with and one without friction, one bilateral row.
    fn step() -> FrictionProblem {
        let mut contacts = BlockRows::new(3, 3);
        contacts.push(
            [0, 1],
            &[1.0, 0.2, 0.3, 0.1, 1.0, 0.0, 0.5, 0.0, 1.0],
            &[-1.0; 9],
        );
        contacts.push(
            [FIXED, 1],
            &[f64::NAN; 9],
            &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        );
        let mut bilateral = BlockRows::new(1, 3);
        bilateral.push([0, FIXED], &[0.0, 1.0, 2.0], &[f64::NAN; 3]);
        FrictionProblem::new(FrictionData {
            dofs: 3,
            mass: vec![
                2.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                0.0, 1.0,
            ],
            free_velocity: vec![1.0, 2.0, 3.0, -1.0, 0.5, 0.25],
            contacts,
            bias: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            mu: vec![0.7, 0.0],
            bilateral,
            bilateral_bias: vec![0.05],
            ..FrictionData::default()
        })
        .unwrap()
    }

    /// F of both forms agrees with the physics of the step at any impulses.
    #[test]
    fn rows_are_relative_velocities() {
        let step = step();
        let z = [0.3, 1.1, 0.4, 0.2, 0.3, 0.6, 0.9];
        let reduced = step.pyramid(4, PyramidForm::Reduced);
        let mixed = step.pyramid(4, PyramidForm::Mixed);
        assert_eq!(
            (reduced.problem().len(), mixed.problem().len()),
            (1 + 2 + 4 + 1, 6 + 8)
        );
        let z: Vec<f64> = z.iter().copied().chain([0.8]).collect();
        let (mut p, mut v, mut u) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        reduced.impulses_into(&z, &mut p);
        assert_eq!(p[..2], [1.1, 0.2 - 0.6]);
        step.velocity_into(&p, &z[reduced.bilateral()], &mut v);
        step.relative_velocity_into(&v, &mut u);
        let mut expected = vec![v[1] + 2.0 * v[2] + 0.05, u[0], u[3]];
        expected.extend([u[1], u[2], -u[1], -u[2]].map(|x| x + z[7]));
        expected.push(0.7 * 1.1 - (z[3] + z[4] + z[5] + z[6]));
        let full: Vec<f64> = v.iter().copied().chain(z.iter().copied()).collect();
        for (pyramid, z, skip) in [(&reduced, &z, 0), (&mixed, &full, 6)] {
            let mut f = pyramid.problem().q().to_vec();
            for (&m, (i, j)) in pyramid.problem().m() {
                f[i] += m * z[j];
            }
            assert!(
                f[..skip].iter().all(|f| f.abs() < 1e-14),
                "momentum balance {f:?}"
            );
            for (f, e) in f[skip..].iter().zip(&expected) {
                assert!((f - e).abs() < 1e-14, "{f} {e}");
            }
        }
        assert_eq!(
            (mixed.normal(1), mixed.facets(0), mixed.facets(1)),
            (8, Some(9..13), None)
        );
        assert_eq!(
            (mixed.slip_index(0), mixed.slip(&full, 1)),
            (Some(13), None)
        );
    }

    /// The pyramid of W and q is that of the bodies, on ellipses too.
    #[test]
    fn operators_have_the_same_pyramid() {
        let mut data = step().into_data();
        (data.bilateral, data.bilateral_bias) = (BlockRows::default(), Vec::new());
        data.ellipse = vec![2.0, 0.5, 1.0, 1.0];
        let bodies = FrictionProblem::new(data).unwrap();
        let operator =
            FrictionProblem::from_delassus(&bodies.delassus(), bodies.q(), bodies.laws().clone())
                .unwrap();
        let [a, b] = [&bodies, &operator].map(|p| p.pyramid(8, PyramidForm::Reduced));
        let (mut p, z) = ([0.0; 6], [1.0; 11]);
        a.impulses_into(&z, &mut p);
        assert!(
            p.iter()
                .zip([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
                .all(|(a, b)| (a - b).abs() < 1e-15)
        );
        let (a, b) = (a.problem(), b.problem());
        let (m, n) = (a.m().to_dense(), b.m().to_dense());
        assert!(m.iter().zip(n.iter()).all(|(a, b)| (a - b).abs() < 1e-14));
        assert!(a.q().iter().zip(b.q()).all(|(a, b)| (a - b).abs() < 1e-14));
        // Along the first tangent a facet sees twice the velocity: 4 times the diagonal entry of W.
        let w = bodies.delassus().to_dense();
        assert!((m[[2, 2]] - 4.0 * w[[1, 1]]).abs() < 1e-14);
    }
}
