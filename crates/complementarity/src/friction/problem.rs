//! The one assembled step: mass blocks, free velocity, contact and bilateral rows, friction laws; or W and q.

use sprs::CsMat;

use super::cone::ROWS;
use super::equation::EquationLaw;
use super::error::{check_finite, check_length, check_rows, check_shape};
use super::mass::MassFactor;
use super::{BlockRows, ContactLaws, FrictionError, FrictionLaw};

/// Data of a [`FrictionProblem`], still unchecked. `D` is the number of rows per contact.
///
/// | name             | shape                  | unit  | meaning                                              |
/// | ---------------- | ---------------------- | ----- | ---------------------------------------------------- |
/// | `dofs`           | –                      | –     | velocity components per body                         |
/// | `mass`           | (bodies, dofs, dofs)   | kg, kg m² | symmetric positive definite blocks, by rows      |
/// | `free_velocity`  | (bodies · dofs)        | m/s, rad/s | v* = v + h M⁻¹ k                                |
/// | `contacts`       | contacts × bodies      | –     | J: D rows per contact, the normal, then D − 1 tangents |
/// | `bias`           | (contacts · D)         | m/s   | u = J v + bias                                       |
/// | `mu`             | (contacts)             | –     | friction coefficients ≥ 0                            |
/// | `rolling`        | (contacts), or empty   | m     | D = 5 or 6 only: coefficients ≥ 0 of rolling friction |
/// | `ellipse`        | (contacts · (D − 1)), or empty | –; m for torsion | factors e > 0 of the tangents; empty is 1 everywhere |
/// | `law`            | –                      | –     | exact or convex                                      |
/// | `bilateral`      | equations × bodies     | –     | J_b: one row each                                    |
/// | `bilateral_bias` | (equations)            | m/s   | 0 = J_b v + bias + R p                               |
/// | `bilateral_compliance` | (equations), or empty | m/(s N s) | R ≥ 0; empty is 0: rigid                  |
/// | `bilateral_limit` | (equations), or empty | N s   | largest impulse ≥ 0, may be ∞; empty is ∞. At it the impulse opposes J_b v + bias + R p |
///
/// An empty [`BlockRows`] may have any block size. D = 1 is contact without friction, 2 contact in the plane, 3 in
/// space; 4 rows add torsion, 5 two rolling moments, 6 both, as [`ContactLaws`] says.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrictionData {
    /// Velocity components per body.
    pub dofs: usize,
    /// Mass blocks, one after the other, by rows.
    pub mass: Vec<f64>,
    /// v*, the velocity after the step without contact and bilateral impulses.
    pub free_velocity: Vec<f64>,
    /// J, the contact rows.
    pub contacts: BlockRows,
    /// Bias of the relative velocity, D entries per contact.
    pub bias: Vec<f64>,
    /// Friction coefficient of each contact.
    pub mu: Vec<f64>,
    /// Coefficient of rolling friction of each contact; empty unless D is 5 or 6.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rolling: Vec<f64>,
    /// Factors of the tangents, D − 1 per contact; empty for round cones.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ellipse: Vec<f64>,
    /// Exact or convex.
    #[cfg_attr(feature = "serde", serde(default))]
    pub law: FrictionLaw,
    /// Rows of bilateral constraints, one row per block.
    pub bilateral: BlockRows,
    /// Bias of the bilateral rows.
    pub bilateral_bias: Vec<f64>,
    /// Compliance of the bilateral rows; empty if all are rigid.
    #[cfg_attr(feature = "serde", serde(default))]
    pub bilateral_compliance: Vec<f64>,
    /// Largest impulse of the bilateral rows; empty if none has a limit.
    #[cfg_attr(feature = "serde", serde(default))]
    pub bilateral_limit: Vec<f64>,
}

/// One step of frictional contact, assembled and checked.
///
/// M (v − v*) = Jᵀ p + J_bᵀ p_b, u = J v + bias, 0 = J_b v + bias_b where no row gives way; each contact couples its p and u by a friction
/// law. Without v this is u = W z + q with z = (p, p_b), and a problem can be given as that
/// ([`FrictionProblem::from_delassus`], [`FrictionProblem::from_global`]): it has no bodies then. The linear forms
/// ([`FrictionProblem::pyramid`]) are made from it.
///
/// # Examples
/// A particle of 2 kg falls with 3 m/s on a floor; the normal impulse that stops it is 6 N s.
/// ```
/// use signorini_complementarity::{BlockRows, FIXED, FrictionData, FrictionProblem};
/// let mut contacts = BlockRows::new(2, 2);
/// contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
/// let problem = FrictionProblem::new(FrictionData {
///     dofs: 2,
///     mass: vec![2.0, 0.0, 0.0, 2.0],
///     free_velocity: vec![1.0, -3.0],
///     contacts,
///     bias: vec![0.0; 2],
///     mu: vec![0.5],
///     ..FrictionData::default()
/// })?;
/// let mut v = [0.0; 2];
/// problem.velocity_into(&[6.0, 0.0], &[], &mut v);
/// assert_eq!(v, [1.0, 0.0]);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionProblem {
    laws: ContactLaws,
    bodies: Bodies,
    /// W by rows and q, for a problem without bodies.
    delassus: Option<(CsMat<f64>, Vec<f64>)>,
}

/// What [`FrictionData`] has besides the laws.
#[derive(Clone, Debug, PartialEq)]
struct Bodies {
    dofs: usize,
    mass: Vec<f64>,
    factor: MassFactor,
    free_velocity: Vec<f64>,
    contacts: BlockRows,
    bias: Vec<f64>,
    bilateral: BlockRows,
    bilateral_bias: Vec<f64>,
    equations: Vec<EquationLaw>,
}

/// Largest |W_ij − W_ji| relative to √(W_ii W_jj) that is accepted. In the collection FCLIB operators that were assembled
/// from rotations in single precision reach 0.02, and one whose mass matrix lacks entries below the diagonal 0.22.
const ASYMMETRY: f64 = 0.5;

impl FrictionProblem {
    /// Checks the data and factorises the mass blocks.
    ///
    /// # Errors
    /// [`FrictionError`] naming the first array, block or body that does not fit.
    pub fn new(data: FrictionData) -> Result<Self, FrictionError> {
        let dofs = data.dofs;
        let bodies = data.free_velocity.len().checked_div(dofs).unwrap_or(0);
        let (contacts, equations) = (data.contacts.len(), data.bilateral.len());
        check_length("free_velocity", data.free_velocity.len(), bodies * dofs)?;
        check_length("mass", data.mass.len(), bodies * dofs * dofs)?;
        let sizes = (dofs, bodies);
        check_rows("contacts", &data.contacts, sizes, (1..=ROWS, "1 to 6"))?;
        check_rows("bilateral", &data.bilateral, sizes, (1..=1, "1"))?;
        check_length("bias", data.bias.len(), contacts * data.contacts.rows())?;
        check_length("mu", data.mu.len(), contacts)?;
        check_length("bilateral_bias", data.bilateral_bias.len(), equations)?;
        check_finite("mass", &data.mass)?;
        check_finite("free_velocity", &data.free_velocity)?;
        check_finite("bias", &data.bias)?;
        check_finite("bilateral_bias", &data.bilateral_bias)?;
        let laws = ContactLaws {
            dimension: data.contacts.rows(),
            mu: data.mu,
            rolling: data.rolling,
            ellipse: data.ellipse,
            law: data.law,
        };
        laws.check()?;
        let (compliance, limit) = (&data.bilateral_compliance, &data.bilateral_limit);
        let factor =
            MassFactor::new(dofs, &data.mass).map_err(|body| FrictionError::Mass { body })?;
        let bodies = Bodies {
            dofs,
            mass: data.mass,
            factor,
            free_velocity: data.free_velocity,
            contacts: data.contacts,
            bias: data.bias,
            bilateral: data.bilateral,
            bilateral_bias: data.bilateral_bias,
            equations: EquationLaw::all(equations, compliance, limit)?,
        };
        Ok(Self {
            laws,
            bodies,
            delassus: None,
        })
    }

    /// The problem u = W r + q from its Delassus operator, (contacts · D)², stored by rows or by columns.
    ///
    /// W is kept as it is, also where it is symmetric only up to the rounding of who made it: residuals are those of W.
    /// An asymmetry of up to half of √(W_ii W_jj) is accepted, as published operators have some of it.
    ///
    /// # Errors
    /// [`FrictionError`] naming what has the wrong size, is not finite, or is not symmetric positive semidefinite as
    /// far as pairs of rows tell.
    ///
    /// # Examples
    /// A particle of 2 kg in the plane falls with 3 m/s on a floor; the normal impulse that stops it is 6 N s.
    /// ```
    /// use signorini_complementarity::{ContactLaws, FrictionProblem};
    /// let laws = ContactLaws { dimension: 2, mu: vec![0.5], ..ContactLaws::default() };
    /// let w = sprs::CsMat::new((2, 2), vec![0, 1, 2], vec![0, 1], vec![0.5, 0.5]);
    /// let problem = FrictionProblem::from_delassus(&w, vec![-3.0, 1.0], laws)?;
    /// let mut u = [0.0; 2];
    /// problem.relative_velocities_into(&[6.0, -2.0], &mut u);
    /// assert_eq!(u, [0.0, 0.0]);
    /// assert_eq!(problem.residuals(&[6.0, -2.0]).relative, 0.0);
    /// # Ok::<(), signorini_complementarity::FrictionError>(())
    /// ```
    pub fn from_delassus(
        w: &CsMat<f64>,
        q: Vec<f64>,
        laws: ContactLaws,
    ) -> Result<Self, FrictionError> {
        laws.check()?;
        let n = laws.mu.len() * laws.dimension;
        check_length("q", q.len(), n)?;
        check_finite("q", &q)?;
        check_shape("W", w, (n, n))?;
        let w = w.to_csr();
        check_symmetry(&w)?;
        Ok(Self {
            laws,
            bodies: Bodies::none(),
            delassus: Some((w, q)),
        })
    }

    /// The data, all of them; also the way to take the buffers back.
    ///
    /// # Panics
    /// If the problem has no bodies.
    #[track_caller]
    pub fn into_data(self) -> FrictionData {
        assert!(
            self.has_bodies(),
            "a problem without bodies has no such data"
        );
        let (bodies, laws) = (self.bodies, self.laws);
        FrictionData {
            dofs: bodies.dofs,
            mass: bodies.mass,
            free_velocity: bodies.free_velocity,
            contacts: bodies.contacts,
            bias: bodies.bias,
            mu: laws.mu,
            rolling: laws.rolling,
            ellipse: laws.ellipse,
            law: laws.law,
            bilateral: bodies.bilateral,
            bilateral_bias: bodies.bilateral_bias,
            bilateral_compliance: EquationLaw::listed(&bodies.equations, |e| e.compliance, 0.0),
            bilateral_limit: EquationLaw::listed(&bodies.equations, |e| e.limit, f64::INFINITY),
        }
    }

    /// Whether the problem was made from bodies, and not from W and q.
    pub fn has_bodies(&self) -> bool {
        self.delassus.is_none()
    }

    /// Velocity components per body.
    pub fn dofs(&self) -> usize {
        self.bodies.dofs
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.bodies.factor.bodies()
    }

    /// Length of the velocity: bodies · dofs.
    pub fn nv(&self) -> usize {
        self.bodies.free_velocity.len()
    }

    /// Number of unknowns: contacts · D impulses and then those of the bilateral rows.
    pub fn len(&self) -> usize {
        self.contact_count() * self.dimension() + self.bodies.bilateral.len()
    }

    /// Whether there are neither contacts nor bilateral rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.laws.mu.len()
    }

    /// Rows per contact: normal and tangents.
    pub fn dimension(&self) -> usize {
        self.laws.dimension
    }

    /// Mass blocks by rows, (bodies, dofs, dofs).
    pub fn mass(&self) -> &[f64] {
        &self.bodies.mass
    }

    /// v*, (bodies · dofs).
    pub fn free_velocity(&self) -> &[f64] {
        &self.bodies.free_velocity
    }

    /// J; empty if there are no bodies.
    pub fn contacts(&self) -> &BlockRows {
        &self.bodies.contacts
    }

    /// Bias of the relative velocity, (contacts · D); empty if there are no bodies.
    pub fn bias(&self) -> &[f64] {
        &self.bodies.bias
    }

    /// Friction coefficients, (contacts).
    pub fn mu(&self) -> &[f64] {
        &self.laws.mu
    }

    /// Dimension, coefficients and law of the contacts.
    pub fn laws(&self) -> &ContactLaws {
        &self.laws
    }

    /// Exact or convex.
    pub fn law(&self) -> FrictionLaw {
        self.laws.law
    }

    /// The same problem under another law.
    #[must_use]
    pub fn with_law(mut self, law: FrictionLaw) -> Self {
        self.laws.law = law;
        self
    }

    /// The same with all coefficients of friction times `part`: with cos(π/m) the cones fit into pyramids of m facets,
    /// and with torsion those with cos(π/m)/√(1 + cos²(π/m)).
    ///
    /// # Panics
    /// If `part` is not between 0 and 1.
    #[must_use]
    #[track_caller]
    pub fn with_friction_times(mut self, part: f64) -> Self {
        assert!((0.0..=1.0).contains(&part), "a part of the friction");
        for mu in self.laws.mu.iter_mut().chain(&mut self.laws.rolling) {
            *mu *= part;
        }
        self
    }

    /// J_b.
    pub fn bilateral(&self) -> &BlockRows {
        &self.bodies.bilateral
    }

    /// Bias of the bilateral rows, (equations).
    pub fn bilateral_bias(&self) -> &[f64] {
        &self.bodies.bilateral_bias
    }

    /// out = v* + M⁻¹ (Jᵀ p + J_bᵀ p_b): the velocity after the impulses `impulses` (contacts · D) in the contact
    /// frames and `bilateral` (equations).
    ///
    /// # Panics
    /// If a slice has the wrong length; without bodies all are empty.
    #[track_caller]
    pub fn velocity_into(&self, impulses: &[f64], bilateral: &[f64], out: &mut [f64]) {
        assert_eq!(out.len(), self.nv(), "one entry per velocity component");
        out.fill(0.0);
        self.bodies.contacts.transpose_mul_add(impulses, out);
        self.bodies.bilateral.transpose_mul_add(bilateral, out);
        self.bodies.factor.solve(out);
        for (v, free) in out.iter_mut().zip(&self.bodies.free_velocity) {
            *v += free;
        }
    }

    /// out = J v + bias: relative velocities (contacts · D) in the contact frames.
    ///
    /// # Panics
    /// If a slice has the wrong length; without bodies both are empty.
    #[track_caller]
    pub fn relative_velocity_into(&self, v: &[f64], out: &mut [f64]) {
        assert_eq!(v.len(), self.nv(), "one entry per velocity component");
        self.bodies.contacts.mul_into(v, out);
        for (u, bias) in out.iter_mut().zip(&self.bodies.bias) {
            *u += bias;
        }
    }

    /// out = W z + q: relative velocities of the contacts and of the bilateral rows at z.
    ///
    /// # Panics
    /// If a slice does not have [`FrictionProblem::len`] entries.
    #[track_caller]
    pub fn relative_velocities_into(&self, z: &[f64], out: &mut [f64]) {
        assert_eq!(
            z.len(),
            self.len(),
            "one entry per contact and bilateral row"
        );
        assert_eq!(
            out.len(),
            self.len(),
            "one entry per contact and bilateral row"
        );
        if let Some((w, q)) = &self.delassus {
            for ((out, q), row) in out.iter_mut().zip(q).zip(w.outer_iterator()) {
                *out = q + row.iter().map(|(j, w)| w * z[j]).sum::<f64>();
            }
            return;
        }
        let rows = self.contact_count() * self.dimension();
        let mut v = vec![0.0; self.nv()];
        self.velocity_into(&z[..rows], &z[rows..], &mut v);
        self.relative_velocity_into(&v, &mut out[..rows]);
        self.bodies.bilateral.mul_into(&v, &mut out[rows..]);
        let laws = self.bodies.equations.iter().zip(&z[rows..]);
        let rows = out[rows..].iter_mut().zip(&self.bodies.bilateral_bias);
        for ((u, bias), (law, p)) in rows.zip(laws) {
            *u += bias + law.compliance * p;
        }
    }

    /// q of u = W z + q: relative velocities without any impulse.
    pub fn q(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.len()];
        self.relative_velocities_into(&vec![0.0; self.len()], &mut q);
        q
    }

    /// Diagonal of W, of the bilateral rows too.
    pub fn diagonal(&self) -> Vec<f64> {
        if let Some((w, _)) = &self.delassus {
            let entry = |i| w.get(i, i).copied().unwrap_or(0.0);
            return (0..self.len()).map(entry).collect();
        }
        let mut diagonal = self.bodies.factor.gram_diagonal(&self.bodies.contacts);
        let bilateral = self.bodies.factor.gram_diagonal(&self.bodies.bilateral);
        let laws = &self.bodies.equations;
        diagonal.extend(bilateral.iter().zip(laws).map(|(w, e)| w + e.compliance));
        diagonal
    }

    /// W of the contact rows, J M⁻¹ Jᵀ, symmetric bit for bit if there are bodies; (contacts · D)², stored by columns.
    pub fn delassus(&self) -> CsMat<f64> {
        match &self.delassus {
            Some((w, _)) => w.to_csc(),
            None => self.bodies.factor.gram(&self.bodies.contacts),
        }
    }

    /// What the bilateral rows give way to.
    pub(super) fn equations(&self) -> &[EquationLaw] {
        &self.bodies.equations
    }

    pub(super) fn factor(&self) -> &MassFactor {
        &self.bodies.factor
    }

    /// W by rows and q of a problem without bodies.
    pub(super) fn operator(&self) -> Option<(&CsMat<f64>, &[f64])> {
        self.delassus.as_ref().map(|(w, q)| (w, q.as_slice()))
    }
}

impl Bodies {
    fn none() -> Self {
        Self {
            dofs: 0,
            mass: Vec::new(),
            factor: MassFactor::new(0, &[]).expect("no block is not positive definite"),
            free_velocity: Vec::new(),
            contacts: BlockRows::default(),
            bias: Vec::new(),
            bilateral: BlockRows::default(),
            bilateral_bias: Vec::new(),
            equations: Vec::new(),
        }
    }
}

/// Refuses a W that no bodies can have: a diagonal entry below zero, or an asymmetry that is no rounding.
fn check_symmetry(w: &CsMat<f64>) -> Result<(), FrictionError> {
    let mirror = w.transpose_view().to_csr();
    let diagonal: Vec<f64> = (0..w.rows())
        .map(|i| w.get(i, i).copied().unwrap_or(0.0))
        .collect();
    let fault = |row, col, value, mirrored| FrictionError::Delassus {
        row,
        col,
        value,
        mirrored,
    };
    for i in 0..w.rows() {
        if diagonal[i] < 0.0 {
            return Err(fault(i, i, diagonal[i], diagonal[i]));
        }
        // Both rows: an entry may be stored on one side of the diagonal alone.
        for matrix in [w, &mirror] {
            for (j, &value) in matrix.outer_view(i).iter().flat_map(|row| row.iter()) {
                let across = matrix.get(j, i).copied().unwrap_or(0.0);
                if (value - across).abs() > ASYMMETRY * (diagonal[i] * diagonal[j]).sqrt() {
                    return Err(fault(i, j, value, across));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
