//! Settings of the semismooth Newton method.

use crate::NcpFunction;

/// Settings of [`SemismoothNewton`](crate::SemismoothNewton).
///
/// # Examples
/// ```
/// use signorini_complementarity::{NcpFunction, SemismoothSettings};
/// let settings = SemismoothSettings { function: NcpFunction::Minimum, ..SemismoothSettings::default() };
/// assert_eq!(settings.iteration_limit, 200);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SemismoothSettings {
    /// Solved if the natural residual max |z_i − mid(l_i, z_i − F_i, u_i)| is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// Most iterations. Default 200.
    pub iteration_limit: usize,
    /// The function whose zero is looked for. Default [`NcpFunction::Penalized`] with 0.99.
    pub function: NcpFunction,
    /// Θ must fall below the largest of this many last values; 1 lets it only fall. Default 10.
    pub memory: usize,
    /// σ: a step of length t must lower Θ by σ t times what its slope promises. Default 1e-4.
    pub sufficient_decrease: f64,
    /// A step that is too long is shortened by this factor, < 1, at most 200 times. Default 0.5.
    pub backtracking: f64,
    /// A shorter part of a step is not tried. Default 1e-9.
    pub shortest_step: f64,
    /// The first ν of Levenberg and Marquardt; it then adapts. Default 1e-3.
    pub damping: f64,
    /// Rows of F are scaled by their largest derivative at the start, by at most this factor; 1 scales nothing. Default 1e6.
    pub scaling_range: f64,
}

impl Default for SemismoothSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            iteration_limit: 200,
            function: NcpFunction::Penalized(0.99),
            memory: 10,
            sufficient_decrease: 1e-4,
            backtracking: 0.5,
            shortest_step: 1e-9,
            damping: 1e-3,
            scaling_range: 1e6,
        }
    }
}
