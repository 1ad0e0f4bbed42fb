//! Mechanical energy of a system.

/// Kinetic and potential energy, J; of gravity and of the springs of joints.
///
/// Work of applied wrenches and user forces is not stored energy and does not appear here.
///
/// # Examples
/// ```
/// use signorini_dynamics::Energy;
/// assert_eq!(Energy { kinetic: 6.75, potential: 9.0 }.total(), 15.75);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Energy {
    /// ½ vᵀ M v, J.
    pub kinetic: f64,
    /// −Σ m gᵀ x, J, zero at the world origin, plus ½ k (x − rest)² of the springs.
    pub potential: f64,
}

impl Energy {
    /// Kinetic plus potential energy, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}
