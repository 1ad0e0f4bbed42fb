//! Choices of a world that hold for all its bodies.

use nalgebra::SVector;

use crate::{contact::ContactMaterial, space::Gyroscopic};

/// Gravity, default contact coefficients and the rules of a world.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_dynamics::WorldSettings;
/// let settings = WorldSettings::<3>::default();
/// assert_eq!(settings.gravity, Vector3::new(0.0, 0.0, -9.81));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSettings<const D: usize> {
    /// Gravitational acceleration, m/s²; default 9.81 against the last axis.
    pub gravity: SVector<f64, D>,
    /// Coefficients of every pair that has none of its own.
    pub material: ContactMaterial,
    /// Gyroscopic torque in the free velocity.
    pub gyroscopic: Gyroscopic,
    /// Where the contact impulse acts while a gap is not zero.
    pub contact_point: ContactPoint,
}

impl<const D: usize> Default for WorldSettings<D> {
    fn default() -> Self {
        Self {
            gravity: SVector::from_fn(|k, _| if k + 1 == D { -9.81 } else { 0.0 }),
            material: ContactMaterial::default(),
            gyroscopic: Gyroscopic::default(),
            contact_point: ContactPoint::default(),
        }
    }
}

/// The point at which a contact impulse acts on each body, hence the lever arms of its rows.
///
/// Both give the same normal row, the exact rate of the gap: the two points differ along the normal only. The tangent
/// rows differ by gap/2 times the angular velocities, and agree at a closed contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum ContactPoint {
    /// On each body its own closest point: the friction rows of the papers, ST2000 section 5.
    ///
    /// A tangential impulse p over a gap g ≠ 0 changes the angular momentum of the pair by g p.
    #[default]
    Witness,
    /// On both bodies the point half way between: action and reaction share a line, angular momentum is conserved.
    Midpoint,
}
