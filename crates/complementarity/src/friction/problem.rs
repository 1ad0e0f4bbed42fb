//! The one assembled step: mass blocks, free velocity, contact and bilateral rows, friction coefficients.

use sprs::CsMat;
use thiserror::Error;

use super::mass::MassFactor;
use super::{BlockRows, FIXED};

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
/// | `bilateral`      | equations × bodies     | –     | J_b: one row each                                    |
/// | `bilateral_bias` | (equations)            | m/s   | 0 = J_b v + bias                                     |
///
/// An empty [`BlockRows`] may have any block size. D = 1 is contact without friction.
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
    /// Rows of bilateral constraints, one row per block.
    pub bilateral: BlockRows,
    /// Bias of the bilateral rows.
    pub bilateral_bias: Vec<f64>,
}

/// One step of frictional contact, assembled and checked.
///
/// M (v − v*) = Jᵀ p + J_bᵀ p_b, u = J v + bias, 0 = J_b v + bias_b; each contact couples its p and u by a friction
/// law. The linear forms ([`FrictionProblem::pyramid`]) are made from it.
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
    data: FrictionData,
    factor: MassFactor,
}

/// Why data do not form a [`FrictionProblem`].
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FrictionError {
    /// An array has the wrong length.
    #[error("{what} has length {found}, expected {expected}")]
    Length {
        /// Name of the array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// Row blocks have a size that does not fit.
    #[error(
        "{what} rows are {rows} x {dofs} per block, expected {expected} and {dofs_expected} columns"
    )]
    Rows {
        /// `contacts` or `bilateral`.
        what: &'static str,
        /// Rows per block.
        rows: usize,
        /// Columns per block.
        dofs: usize,
        /// What the number of rows may be.
        expected: &'static str,
        /// The number of columns it should have.
        dofs_expected: usize,
    },
    /// A row block names a body that does not exist.
    #[error("{what} row block {block} touches body {body}, there are {bodies}")]
    Body {
        /// `contacts` or `bilateral`.
        what: &'static str,
        /// Number of the row block.
        block: usize,
        /// The body it names.
        body: u32,
        /// Number of bodies.
        bodies: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what}[{index}] is {value}, which is not finite")]
    NotFinite {
        /// Name of the array.
        what: &'static str,
        /// Index of the entry; for rows, of the row block.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A friction coefficient is negative.
    #[error("mu[{contact}] is {value}, must be >= 0")]
    Friction {
        /// The contact.
        contact: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A mass block is not symmetric positive definite.
    #[error("mass block of body {body} is not symmetric positive definite")]
    Mass {
        /// The body.
        body: usize,
    },
}

impl FrictionProblem {
    /// Checks the data and factorises the mass blocks.
    ///
    /// # Errors
    /// [`FrictionError`] naming the first array, block or body that does not fit.
    pub fn new(data: FrictionData) -> Result<Self, FrictionError> {
        let dofs = data.dofs;
        let bodies = data.free_velocity.len().checked_div(dofs).unwrap_or(0);
        check_length("free_velocity", data.free_velocity.len(), bodies * dofs)?;
        check_length("mass", data.mass.len(), bodies * dofs * dofs)?;
        check_rows(
            "contacts",
            &data.contacts,
            dofs,
            bodies,
            (1..=3, "1, 2 or 3"),
        )?;
        check_rows("bilateral", &data.bilateral, dofs, bodies, (1..=1, "1"))?;
        check_length(
            "bias",
            data.bias.len(),
            data.contacts.len() * data.contacts.rows(),
        )?;
        check_length("mu", data.mu.len(), data.contacts.len())?;
        check_length(
            "bilateral_bias",
            data.bilateral_bias.len(),
            data.bilateral.len(),
        )?;
        check_finite("mass", &data.mass)?;
        check_finite("free_velocity", &data.free_velocity)?;
        check_finite("bias", &data.bias)?;
        check_finite("mu", &data.mu)?;
        check_finite("bilateral_bias", &data.bilateral_bias)?;
        if let Some(contact) = data.mu.iter().position(|mu| *mu < 0.0) {
            return Err(FrictionError::Friction {
                contact,
                value: data.mu[contact],
            });
        }
        let factor =
            MassFactor::new(dofs, &data.mass).map_err(|body| FrictionError::Mass { body })?;
        Ok(Self { data, factor })
    }

    /// The data, all of them; also the way to take the buffers back.
    pub fn into_data(self) -> FrictionData {
        self.data
    }

    /// Velocity components per body.
    pub fn dofs(&self) -> usize {
        self.data.dofs
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.factor.bodies()
    }

    /// Length of the velocity: bodies · dofs.
    pub fn nv(&self) -> usize {
        self.data.free_velocity.len()
    }

    /// Rows per contact: normal and tangents.
    pub fn dimension(&self) -> usize {
        self.data.contacts.rows()
    }

    /// Mass blocks by rows, (bodies, dofs, dofs).
    pub fn mass(&self) -> &[f64] {
        &self.data.mass
    }

    /// v*, (bodies · dofs).
    pub fn free_velocity(&self) -> &[f64] {
        &self.data.free_velocity
    }

    /// J.
    pub fn contacts(&self) -> &BlockRows {
        &self.data.contacts
    }

    /// Bias of the relative velocity, (contacts · D).
    pub fn bias(&self) -> &[f64] {
        &self.data.bias
    }

    /// Friction coefficients, (contacts).
    pub fn mu(&self) -> &[f64] {
        &self.data.mu
    }

    /// J_b.
    pub fn bilateral(&self) -> &BlockRows {
        &self.data.bilateral
    }

    /// Bias of the bilateral rows, (equations).
    pub fn bilateral_bias(&self) -> &[f64] {
        &self.data.bilateral_bias
    }

    /// out = v* + M⁻¹ (Jᵀ p + J_bᵀ p_b): the velocity after the impulses `impulses` (contacts · D) in the contact
    /// frames and `bilateral` (equations).
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn velocity_into(&self, impulses: &[f64], bilateral: &[f64], out: &mut [f64]) {
        assert_eq!(out.len(), self.nv(), "one entry per velocity component");
        out.fill(0.0);
        self.data.contacts.transpose_mul_add(impulses, out);
        self.data.bilateral.transpose_mul_add(bilateral, out);
        self.factor.solve(out);
        for (v, free) in out.iter_mut().zip(&self.data.free_velocity) {
            *v += free;
        }
    }

    /// out = J v + bias: relative velocities (contacts · D) in the contact frames.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    #[track_caller]
    pub fn relative_velocity_into(&self, v: &[f64], out: &mut [f64]) {
        assert_eq!(v.len(), self.nv(), "one entry per velocity component");
        self.data.contacts.mul_into(v, out);
        for (u, bias) in out.iter_mut().zip(&self.data.bias) {
            *u += bias;
        }
    }

    /// W = J M⁻¹ Jᵀ of the contact rows, symmetric bit for bit, (contacts · D)², stored by columns.
    pub fn delassus(&self) -> CsMat<f64> {
        self.factor.gram(&self.data.contacts)
    }

    pub(super) fn factor(&self) -> &MassFactor {
        &self.factor
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), FrictionError> {
    if found == expected {
        Ok(())
    } else {
        Err(FrictionError::Length {
            what,
            found,
            expected,
        })
    }
}

fn check_finite(what: &'static str, values: &[f64]) -> Result<(), FrictionError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(FrictionError::NotFinite {
            what,
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}

fn check_rows(
    what: &'static str,
    rows: &BlockRows,
    dofs: usize,
    bodies: usize,
    (allowed, expected): (std::ops::RangeInclusive<usize>, &'static str),
) -> Result<(), FrictionError> {
    if rows.is_empty() {
        return Ok(());
    }
    if !allowed.contains(&rows.rows()) || rows.dofs() != dofs {
        return Err(FrictionError::Rows {
            what,
            rows: rows.rows(),
            dofs: rows.dofs(),
            expected,
            dofs_expected: dofs,
        });
    }
    for (block, cols) in rows.cols().iter().enumerate() {
        for (side, &body) in cols.iter().enumerate().filter(|(_, b)| **b != FIXED) {
            if body as usize >= bodies {
                return Err(FrictionError::Body {
                    what,
                    block,
                    body,
                    bodies,
                });
            }
            // Values on a fixed side are never read and may be anything.
            if let Some(&value) = rows.block(block, side).iter().find(|x| !x.is_finite()) {
                return Err(FrictionError::NotFinite {
                    what,
                    index: block,
                    value,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn particle() -> FrictionData {
        let mut contacts = BlockRows::new(2, 2);
        contacts.push([FIXED, 0], &[f64::NAN; 4], &[0.0, 1.0, 1.0, 0.0]);
        FrictionData {
            dofs: 2,
            mass: vec![2.0, 0.0, 0.0, 4.0],
            free_velocity: vec![1.0, -3.0],
            contacts,
            bias: vec![0.5, 0.0],
            mu: vec![0.5],
            ..FrictionData::default()
        }
    }

    fn fault(change: impl FnOnce(&mut FrictionData)) -> String {
        let mut data = particle();
        change(&mut data);
        FrictionProblem::new(data).map_or_else(|e| e.to_string(), |_| "accepted".to_owned())
    }

    #[test]
    fn fixed_side_is_never_read() {
        let problem = FrictionProblem::new(particle()).unwrap();
        let (mut v, mut u) = ([0.0; 2], [0.0; 2]);
        problem.velocity_into(&[4.0, 2.0], &[], &mut v);
        problem.relative_velocity_into(&v, &mut u);
        assert_eq!((v, u), ([2.0, -2.0], [-1.5, 2.0]));
        assert_eq!(problem.delassus().to_dense()[[0, 0]], 0.25);
    }

    #[test]
    fn each_fault_is_named() {
        assert_eq!(fault(|_| ()), "accepted");
        assert_eq!(
            fault(|d| d.mass[1] = 9.0),
            "mass block of body 0 is not symmetric positive definite"
        );
        assert_eq!(
            fault(|d| d.mass[3] = 0.0),
            "mass block of body 0 is not symmetric positive definite"
        );
        assert_eq!(fault(|d| d.mu[0] = -0.5), "mu[0] is -0.5, must be >= 0");
        assert_eq!(
            fault(|d| d.bias = vec![0.0]),
            "bias has length 1, expected 2"
        );
        assert_eq!(
            fault(|d| d.dofs = 0),
            "free_velocity has length 2, expected 0"
        );
        assert_eq!(
            fault(|d| d.contacts.push([0, 1], &[0.0; 4], &[0.0; 4])),
            "contacts row block 1 touches body 1, there are 1"
        );
        assert_eq!(
            fault(|d| d.bilateral.push([0, FIXED], &[], &[])),
            "bilateral rows are 0 x 0 per block, expected 1 and 2 columns"
        );
        assert_eq!(
            fault(|d| d.free_velocity[1] = f64::NAN),
            "free_velocity[1] is NaN, which is not finite"
        );
    }
}
