//! Linear forms of a frictional step: Coulomb's cone replaced by a pyramid.
//!
//! ```math
//! 0 \le c \perp u_n \ge 0, \qquad 0 \le \beta \perp \lambda e + D^T u_t \ge 0, \qquad
//! 0 \le \lambda \perp \mu c - e^T \beta \ge 0
//! ```
//!
//! The columns of D are unit vectors at equal angles in the tangent plane, the first along the first tangent. Torsion about the
//! normal has two more, ± along its row: their hull with the others is inscribed in the ellipsoid of friction. Rolling moments
//! have unit vectors as tangents have, D_R, and conditions of their own,
//!
//! ```math
//! 0 \le \gamma \perp \lambda_R e + D_R^T u_R \ge 0, \qquad 0 \le \lambda_R \perp \mu_R c - e^T \gamma \ge 0
//! ```
//!
//! In the mixed form the velocity stays among the unknowns and the matrix is sparse; in the reduced form it is eliminated
//! through the mass blocks and the matrix holds the Delassus operator. On elliptic cones the columns of D are multiplied
//! by the factors of the ellipse. The law is Coulomb's, whatever law the problem has; with
//! −μ λ − μ_R λ_R in the rows of u_n it would be the convex one, whose matrix is positive semidefinite.
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with Coulomb
//!   friction, ICRA 2000, equations (7)–(12).

use std::ops::Range;

use sprs::{CsMat, TriMat};

use super::mixed::{mixed_constants, mixed_matrix};
use super::polytope::Polytopes;
use super::{BlockRows, FrictionLaw, FrictionProblem};
use crate::{Bounds, LinearMcp};

/// Which unknowns a [`Pyramid`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PyramidForm {
    /// (v free, p_b free, c, β, λ, γ, λ_R): sparse, no product with M⁻¹.
    Mixed,
    /// (p_b free, c, β, λ, γ, λ_R) with W = J M⁻¹ Jᵀ: small; the form for dense pivoting.
    #[default]
    Reduced,
}

/// A [`FrictionProblem`] with pyramids for cones, as a linear mixed complementarity problem.
///
/// The unknowns stand in the order v (mixed form only), p_b, then c, β and λ of all contacts, and γ and λ_R of rolling
/// friction. A contact with μ = 0 has no β and no λ, one with μ_R = 0 no γ and no λ_R.
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
    polytopes: Polytopes,
    velocity: usize,
    bilateral: usize,
    contacts: usize,
    /// Where β and λ of both discs of each contact stand in z.
    places: [Vec<Option<Place>>; 2],
}

/// Where the unknowns of a disc stand in z.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    facets: Range<usize>,
    slip: usize,
}

/// What a column behind the velocities and the bilateral impulses belongs to: a contact, and its disc where it has one.
#[derive(Clone, Copy)]
enum Owner {
    Normal(usize),
    Facet(usize, usize),
    Slip(usize, usize),
}

impl FrictionProblem {
    /// The step with pyramids of `directions` facets for cones, and two more with torsion. In the plane there are two directions,
    /// whatever `directions` says.
    ///
    /// # Panics
    /// If the contacts have two tangents, one of them has friction and `directions` is less than 3; if the mixed form is asked
    /// for and there are no bodies.
    #[track_caller]
    pub fn pyramid(&self, directions: usize, form: PyramidForm) -> Pyramid {
        self.pyramid_of(directions, form, FrictionLaw::Coulomb)
    }

    /// The same under either law.
    #[track_caller]
    pub(super) fn pyramid_of(
        &self,
        directions: usize,
        form: PyramidForm,
        law: FrictionLaw,
    ) -> Pyramid {
        let polytopes = Polytopes::new(self, directions);
        assert!(
            form == PyramidForm::Reduced || self.has_bodies(),
            "without bodies there are no velocities to keep"
        );
        let velocity = if form == PyramidForm::Mixed {
            self.nv()
        } else {
            0
        };
        let (bilateral, contacts) = (self.bilateral().len(), self.contact_count());
        let mut next = velocity + bilateral + contacts;
        let places = [0, 1].map(|disc| {
            let counts = (0..contacts).map(|k| polytopes.count(disc, k));
            let mut places: Vec<Option<Place>> = counts
                .map(|count| {
                    let facets = next..next + count;
                    next += count;
                    (count > 0).then_some(Place { facets, slip: 0 })
                })
                .collect();
            for place in places.iter_mut().flatten() {
                place.slip = next;
                next += 1;
            }
            places
        });
        let mut pyramid = Pyramid {
            problem: LinearMcp::from(crate::Lcp::empty()),
            form,
            dimension: self.dimension(),
            polytopes,
            velocity,
            bilateral,
            contacts,
            places,
        };
        pyramid.problem = match (form, self.operator()) {
            (_, Some((w, q))) => pyramid.of_operator((self, law), w, q),
            (PyramidForm::Mixed, None) => {
                let (rows, bias) = pyramid.generators(self);
                pyramid.mixed((self, law), &rows, bias)
            }
            (PyramidForm::Reduced, None) => {
                let (rows, bias) = pyramid.generators(self);
                pyramid.reduced((self, law), &rows, bias)
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

    /// Most directions of a contact with friction: those of the tangents, then the two of torsion if contacts have it.
    pub fn directions(&self) -> usize {
        self.polytopes.most(0)
    }

    /// Direction k as a unit vector of the tangents, and of torsion if contacts have it.
    ///
    /// # Panics
    /// If k is out of range.
    #[track_caller]
    pub fn direction(&self, k: usize) -> &[f64] {
        self.polytopes.unit(0, k)
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.contacts
    }

    /// The vectors of its contacts.
    pub(super) fn polytopes(&self) -> &Polytopes {
        &self.polytopes
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
        self.place(0, contact).map(|place| place.facets.clone())
    }

    /// Where λ of a contact stands in z; `None` if it has no friction.
    ///
    /// # Panics
    /// If `contact` is out of range.
    #[track_caller]
    pub fn slip_index(&self, contact: usize) -> Option<usize> {
        self.place(0, contact).map(|place| place.slip)
    }

    /// Where γ, what rolling moments are made of, of a contact stand in z; `None` if it has no rolling friction.
    ///
    /// # Panics
    /// If `contact` is out of range.
    #[track_caller]
    pub fn rolling_facets(&self, contact: usize) -> Option<Range<usize>> {
        self.place(1, contact).map(|place| place.facets.clone())
    }

    /// Where λ_R of a contact stands in z, its speed of rolling in rad/s; `None` if it has no rolling friction.
    ///
    /// # Panics
    /// If `contact` is out of range.
    #[track_caller]
    pub fn rolling_index(&self, contact: usize) -> Option<usize> {
        self.place(1, contact).map(|place| place.slip)
    }

    #[track_caller]
    fn place(&self, disc: usize, contact: usize) -> Option<&Place> {
        self.places[disc][contact].as_ref()
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

    /// Net impulses (contacts · D) in N s in the contact frames: c, then Σ_k β_k d_k, and Σ_k γ_k d_k of rolling moments.
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
            for disc in 0..2 {
                let first = self.polytopes.first_row(disc);
                let facets = self.place(disc, contact).map(|place| place.facets.clone());
                for (k, i) in facets.into_iter().flatten().enumerate() {
                    let vector = self.polytopes.vector(disc, contact, k);
                    for (p, d) in p[first..].iter_mut().zip(vector) {
                        *p += z[i] * d;
                    }
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

    /// The same for its rolling moments, N m s.
    ///
    /// # Panics
    /// If `contact` is out of range or `bound` is not finite.
    #[track_caller]
    pub fn widen_rolling(&mut self, contact: usize, bound: f64) {
        assert!(bound.is_finite(), "a bound of {bound}");
        if let Some(row) = self.rolling_index(contact) {
            self.problem.q_mut()[row] += bound;
        }
    }

    /// Scalar rows (p_b, c, β) over the bodies, those of β and γ in the order of the contacts of each, and their bias.
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
        for disc in 0..2 {
            let first = self.polytopes.first_row(disc);
            for (k, cols) in contacts.cols().iter().enumerate() {
                for facet in 0..self.polytopes.count(disc, k) {
                    let column = || self.polytopes.vector(disc, k, facet);
                    for (side, row) in sides.iter_mut().enumerate() {
                        row.fill(0.0);
                        let tangents = contacts.block(k, side)[first * dofs..].chunks_exact(dofs);
                        for (d, tangent) in column().zip(tangents) {
                            row.iter_mut().zip(tangent).for_each(|(r, t)| *r += d * t);
                        }
                    }
                    rows.push(*cols, &sides[0], &sides[1]);
                    let own = &step.bias()[k * self.dimension + first..];
                    bias.push(column().zip(own).map(|(d, b)| d * b).sum());
                }
            }
        }
        (rows, bias)
    }

    /// Places of the rows of [`Pyramid::generators`] in z, less the velocities: λ and λ_R have none.
    fn generated(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.bilateral + self.contacts).collect();
        let facets = self.places.iter().flatten().flatten();
        places.extend(facets.flat_map(|place| place.facets.clone().map(|i| i - self.velocity)));
        places
    }

    /// Unknowns of both forms behind the velocities.
    fn own(&self) -> usize {
        let discs = self.places.iter().flatten().flatten();
        let sizes = discs.map(|place| place.facets.len() + 1);
        self.bilateral + self.contacts + sizes.sum::<usize>()
    }

    /// The reduced form from W and q: G W Gᵀ and G q, where the rows of G are those of c, β and γ.
    fn of_operator(
        &self,
        (step, law): (&FrictionProblem, FrictionLaw),
        w: &sprs::CsMat<f64>,
        q: &[f64],
    ) -> LinearMcp {
        let n = self.own();
        let mut generators = TriMat::new((n, q.len()));
        for contact in 0..self.contacts() {
            let start = contact * self.dimension;
            generators.add_triplet(self.normal(contact), start, 1.0);
            for disc in 0..2 {
                let first = start + self.polytopes.first_row(disc);
                let facets = self.place(disc, contact).map(|place| place.facets.clone());
                for (k, row) in facets.into_iter().flatten().enumerate() {
                    let vector = self.polytopes.vector(disc, contact, k);
                    for (tangent, d) in vector.enumerate() {
                        generators.add_triplet(row, first + tangent, d);
                    }
                }
            }
        }
        let generators = generators.to_csr::<usize>();
        let product = &(&generators * w) * &generators.transpose_view().to_csr();
        let mut triplets = TriMat::new((n, n));
        for (&value, (i, j)) in &product {
            triplets.add_triplet(i, j, value);
        }
        let rows = generators.outer_iterator();
        let q = rows.map(|row| row.iter().map(|(j, g)| g * q[j]).sum());
        self.finish((step, law), triplets, q.collect())
    }

    /// Coefficients of a disc of all contacts.
    fn coefficients(step: &FrictionProblem, disc: usize) -> &[f64] {
        if disc == 0 {
            step.mu()
        } else {
            &step.laws().rolling
        }
    }

    /// Adds E, −Eᵀ and μ, and closes the problem.
    fn finish(
        &self,
        (step, law): (&FrictionProblem, FrictionLaw),
        mut triplets: TriMat<f64>,
        q: Vec<f64>,
    ) -> LinearMcp {
        for disc in 0..2 {
            for (contact, &mu) in Self::coefficients(step, disc).iter().enumerate() {
                let Some(Place { facets, slip }) = self.place(disc, contact).cloned() else {
                    continue;
                };
                let normal = self.normal(contact);
                triplets.add_triplet(slip, normal, mu);
                if law == FrictionLaw::Convex {
                    triplets.add_triplet(normal, slip, -mu);
                }
                for i in facets {
                    triplets.add_triplet(i, slip, 1.0);
                    triplets.add_triplet(slip, i, -1.0);
                }
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

    /// What each column behind the bilateral impulses is of, in their order.
    fn owners(&self) -> Vec<Owner> {
        let mut owners: Vec<Owner> = (0..self.contacts).map(Owner::Normal).collect();
        for (disc, places) in self.places.iter().enumerate() {
            let discs = || places.iter().enumerate();
            for (contact, place) in discs() {
                let facets = place.iter().flat_map(|place| place.facets.clone());
                owners.extend(facets.map(|_| Owner::Facet(disc, contact)));
            }
            let slips = discs().filter(|(_, place)| place.is_some());
            owners.extend(slips.map(|(contact, _)| Owner::Slip(disc, contact)));
        }
        owners
    }

    fn mixed(
        &self,
        (step, law): (&FrictionProblem, FrictionLaw),
        rows: &BlockRows,
        bias: Vec<f64>,
    ) -> LinearMcp {
        let (nv, n) = (step.nv(), step.nv() + self.own());
        let (owners, generated) = (self.owners(), self.generated());
        let m = mixed_matrix(step, (rows, &generated), n, |column, out| {
            let Some(own) = column.checked_sub(nv + self.bilateral) else {
                let compliance = step.equations()[column - nv].compliance;
                out.extend((compliance > 0.0).then_some((column, compliance)));
                return;
            };
            match owners[own] {
                Owner::Normal(contact) => {
                    for disc in 0..2 {
                        if let Some(place) = self.place(disc, contact) {
                            out.push((place.slip, Self::coefficients(step, disc)[contact]));
                        }
                    }
                }
                Owner::Facet(disc, contact) => {
                    out.extend(self.place(disc, contact).map(|place| (place.slip, -1.0)));
                }
                Owner::Slip(disc, contact) => {
                    if law == FrictionLaw::Convex {
                        let mu = Self::coefficients(step, disc)[contact];
                        out.push((self.normal(contact), -mu));
                    }
                    let place = self.place(disc, contact);
                    let facets = place.into_iter().flat_map(|place| place.facets.clone());
                    out.extend(facets.map(|i| (i, 1.0)));
                }
            }
        });
        let mut q = mixed_constants(step, vec![0.0; n - nv]);
        let places = generated.iter().map(|i| nv + i);
        places.zip(bias).for_each(|(i, b)| q[i] = b);
        self.close(step, m, q)
    }

    fn reduced(
        &self,
        law: (&FrictionProblem, FrictionLaw),
        rows: &BlockRows,
        bias: Vec<f64>,
    ) -> LinearMcp {
        let (step, n) = (law.0, self.own());
        let generated = self.generated();
        let mut triplets = TriMat::new((n, n));
        for (&value, (i, j)) in &step.factor().gram(rows) {
            triplets.add_triplet(generated[i], generated[j], value);
        }
        let mut own = vec![0.0; rows.len()];
        rows.mul_into(step.free_velocity(), &mut own);
        let mut q = vec![0.0; n];
        for (&i, (own, b)) in generated.iter().zip(own.iter().zip(bias)) {
            q[i] = own + b;
        }
        self.finish(law, triplets, q)
    }
}

#[cfg(test)]
mod tests;
