//! Coefficients of a contact.

/// Coefficients of the contacts between two bodies, and the direction their tangents refer to.
///
/// | name          | unit | meaning                                                                       |
/// | ------------- | ---- | ----------------------------------------------------------------------------- |
/// | `friction`    | –    | Coulomb coefficient μ ≥ 0                                                     |
/// | `restitution` | –    | restitution coefficient 0 ≤ e ≤ 1                                             |
/// | `tangential_restitution` | – | 0 ≤ e_T ≤ 1: part of the sliding before an impact that friction turns back |
/// | `reference`   | –    | direction d in world axes, any length but zero; in the plane it is not used   |
/// | `ellipsoid`   | –, –, m | half axes (e_t, e_o, e_r) of the friction ellipsoid, each ≥ 0              |
/// | `rolling`     | m    | coefficient of rolling friction μ_r ≥ 0                                       |
///
/// In space the first tangent is the projection of d where |n·d| < 0.9 |d|, else of the coordinate axis least along d
/// (the first of equals); the second is n × t. In the plane t = (−ny, nx).
///
/// Friction (p_t, p_o) along the tangents and the torsion p_r about the normal fulfil
/// (p_t/e_t)² + (p_o/e_o)² + (p_r/e_r)² ≤ (μ p_n)²; a component whose half axis is zero vanishes. (1, 1, 0) is Coulomb's
/// law. The plane has e_t only. Pyramids have the hull of their directions and of ±e_r, inscribed in the ellipsoid, and refuse
/// half axes of zero along a tangent.
///
/// Rolling friction is a moment (m_t, m_o) on B about the tangents, its opposite on A, with |m| ≤ μ_r p_n, whatever μ is, and against
/// the relative angular velocity ω_B − ω_A along the tangents where that is not zero: of all moments in the disc it takes the most
/// energy. In the plane it is a moment about the plane's normal. A ball of radius R rolls on a slope up to tan θ = μ_r/R not at
/// all. The linearised schemes have it; the geometrically implicit ones refuse it.
///
/// With e_T friction is that of ξ_T = u_T⁺ + e_T u_T⁻ instead of u_T⁺, in the step in which the contact parts (so that it counts
/// where e > 0 and μ > 0 only), u⁻ the velocity before the impact: where friction suffices a rubber ball's point of contact
/// parts with −e_T u_T⁻.
///
/// # Examples
/// ```
/// use signorini_dynamics::ContactMaterial;
/// let ice = ContactMaterial { friction: 0.02, ..ContactMaterial::default() };
/// assert_eq!((ice.restitution, ice.reference), (0.0, [0.0, 0.0, 1.0]));
/// assert_eq!(ice.ellipsoid, ContactMaterial::COULOMB);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default)
)]
pub struct ContactMaterial {
    /// Coulomb coefficient μ.
    pub friction: f64,
    /// Restitution coefficient e.
    pub restitution: f64,
    /// Tangential restitution coefficient e_T.
    pub tangential_restitution: f64,
    /// Direction that the first tangent follows, world axes.
    pub reference: [f64; 3],
    /// Half axes of the friction ellipsoid: 1, 1 and m.
    pub ellipsoid: [f64; 3],
    /// Coefficient of rolling friction μ_r, m.
    pub rolling: f64,
}

impl Default for ContactMaterial {
    /// No friction, no restitution, tangents along world z, Coulomb's law without torsion and rolling friction.
    fn default() -> Self {
        Self {
            friction: 0.0,
            restitution: 0.0,
            tangential_restitution: 0.0,
            reference: [0.0, 0.0, 1.0],
            ellipsoid: Self::COULOMB,
            rolling: 0.0,
        }
    }
}

/// A coefficient that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// μ is negative or not finite.
    #[error("friction is {value}, must be finite and at least 0")]
    Friction {
        /// The value found.
        value: f64,
    },
    /// e is outside 0..=1 or not finite.
    #[error("restitution is {value}, must be between 0 and 1")]
    Restitution {
        /// The value found.
        value: f64,
    },
    /// e_T is outside 0..=1 or not finite.
    #[error("tangential restitution is {value}, must be between 0 and 1")]
    TangentialRestitution {
        /// The value found.
        value: f64,
    },
    /// The reference direction is zero or not finite.
    #[error("reference direction {value:?} has no direction")]
    Reference {
        /// The vector found.
        value: [f64; 3],
    },
    /// A half axis of the friction ellipsoid is negative or not finite.
    #[error("half axes {value:?} of the friction ellipsoid must be finite and at least 0")]
    Ellipsoid {
        /// The half axes found.
        value: [f64; 3],
    },
    /// μ_r is negative or not finite.
    #[error("rolling friction is {value} m, must be finite and at least 0")]
    Rolling {
        /// The value found, m.
        value: f64,
    },
}

impl ContactMaterial {
    /// Half axes of isotropic friction without torsion.
    pub const COULOMB: [f64; 3] = [1.0, 1.0, 0.0];

    /// Checks the coefficients.
    ///
    /// # Errors
    /// [`MaterialError`] with the value at fault.
    pub fn validate(&self) -> Result<(), MaterialError> {
        let Self {
            friction,
            restitution,
            tangential_restitution,
            reference,
            ellipsoid,
            rolling,
        } = *self;
        let square: f64 = reference.iter().map(|x| x * x).sum();
        if !(friction.is_finite() && friction >= 0.0) {
            Err(MaterialError::Friction { value: friction })
        } else if !(0.0..=1.0).contains(&restitution) {
            Err(MaterialError::Restitution { value: restitution })
        } else if !(0.0..=1.0).contains(&tangential_restitution) {
            Err(MaterialError::TangentialRestitution {
                value: tangential_restitution,
            })
        } else if !(square.is_normal()) {
            Err(MaterialError::Reference { value: reference })
        } else if !ellipsoid.iter().all(|e| e.is_finite() && *e >= 0.0) {
            Err(MaterialError::Ellipsoid { value: ellipsoid })
        } else if !(rolling.is_finite() && rolling >= 0.0) {
            Err(MaterialError::Rolling { value: rolling })
        } else {
            Ok(())
        }
    }
}
