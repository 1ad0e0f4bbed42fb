//! Settings of [`Path`](super::Path), by the names that users of PATH know.

/// Projected Newton steps before the first iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CrashMethod {
    /// None.
    None,
    /// Projected Newton.
    #[default]
    ProjectedNewton,
}

/// Along what a step is shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SearchType {
    /// The segment to the end of the path.
    #[default]
    Line,
    /// The projection of the ray along the direction onto the bounds.
    Arc,
    /// The piecewise linear path itself.
    Path,
}

/// When the linearised problem is solved from a ray of solutions, as Lemke's method does, and not from the point at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LemkeStart {
    /// Where the path from the point at hand does not arrive.
    #[default]
    Automatic,
    /// In the first iteration, and as for `Automatic`.
    First,
    /// Always.
    Always,
}

/// The function that steps are judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MeritFunction {
    /// ½ ‖Φ‖² with the function of Fischer and Burmeister, continuously differentiable.
    #[default]
    Fischer,
    /// ½ ‖F(π(x)) + x − π(x)‖² at x = z − the part of F that its bound allows.
    Normal,
}

/// Settings of [`Path`](super::Path): names and meanings are those of PATH, and so are the defaults, but for a tighter
/// tolerance and one more restart. There is no limit of time, as the same input must give the same bits: an
/// [`Observer`](crate::Observer) can stop a solve.
///
/// # Examples
/// ```
/// use signorini_complementarity::PathSettings;
/// let settings = PathSettings { convergence_tolerance: 1e-6, ..PathSettings::default() };
/// assert_eq!(settings.major_iteration_limit, 500);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::struct_excessive_bools, reason = "the options of PATH")]
pub struct PathSettings {
    /// Solved if the natural residual max |z − mid(l, z − F, u)| is ≤ this. Default 1e-10 (PATH: 1e-6).
    pub convergence_tolerance: f64,
    /// Projected Newton steps before the first iteration. Default on.
    pub crash_method: CrashMethod,
    /// Most steps of the crash. Default 50.
    pub crash_iteration_limit: usize,
    /// Smallest number of variables for which there is a crash. Default 1.
    pub crash_minimum_dimension: usize,
    /// The crash ends when a step changes at most this many places of the active set. Default 1.
    pub crash_nbchange_limit: usize,
    /// Whether singular matrices are perturbed in the crash. Default true.
    pub crash_perturb: bool,
    /// Along what steps of the crash are shortened: `Line` and `Path` are the segment. Default [`SearchType::Line`], where
    /// each trial point is projected.
    pub crash_searchtype: SearchType,
    /// Most pivots over all iterations. Default 10 000.
    pub cumulative_iteration_limit: usize,
    /// Along what gradient steps are shortened. Default [`SearchType::Arc`].
    pub gradient_searchtype: SearchType,
    /// Most gradient steps before a restart. Default 5.
    pub gradient_step_limit: usize,
    /// Bounds of this magnitude and beyond are none, unless the solution then lies beyond one. Default 1e20.
    pub infinity: f64,
    /// Rounds in which a singular starting basis is repaired. Default 10.
    pub lemke_rank_deficiency_iterations: usize,
    /// When the linearised problem is solved from a ray. Default [`LemkeStart::Automatic`].
    pub lemke_start: LemkeStart,
    /// Most iterations between two restarts. Default 500.
    pub major_iteration_limit: usize,
    /// What steps are judged by. Default [`MeritFunction::Fischer`].
    pub merit_function: MeritFunction,
    /// Whether the merit sees rows and variables in units that make the Jacobian at the start near one; PATH has no such
    /// setting. Default true: without, rows with large entries hide the others.
    pub merit_scaling: bool,
    /// Most pivots of one iteration; a path of n variables that takes more than 10 (n + 10) is given up as well.
    /// Default 1000.
    pub minor_iteration_limit: usize,
    /// Whether steps are searched along, watched over and replaced by gradient steps; without, every full step is taken.
    /// Default true.
    pub nms: bool,
    /// First reference value as a multiple of the merit at the start. Default 20.
    pub nms_initial_reference_factor: f64,
    /// Most returns to the last good point before only steps that the merit accepts are taken. Default 5.
    pub nms_maximum_watchdogs: usize,
    /// Reference values kept. Default 10.
    pub nms_memory_size: usize,
    /// At least every so many iterations the merit must accept the step. Default 10.
    pub nms_mstep_frequency: usize,
    /// Along what steps are shortened. Default [`SearchType::Line`].
    pub nms_searchtype: SearchType,
    /// Whether variables whose rows decide them alone are fixed first. Default true.
    pub preprocess: bool,
    /// First proximal perturbation of the Jacobian; the code raises and lowers it. Default 0.
    pub proximal_perturbation: f64,
    /// Most restarts with other settings. Default 4: three sets of PATH's, then one that takes every step of a strongly
    /// perturbed problem.
    pub restart_limit: usize,
    /// Whether the best point of all restarts is returned, or the last. Default true.
    pub return_best_point: bool,
}

impl Default for PathSettings {
    fn default() -> Self {
        Self {
            convergence_tolerance: 1e-10,
            crash_method: CrashMethod::ProjectedNewton,
            crash_iteration_limit: 50,
            crash_minimum_dimension: 1,
            crash_nbchange_limit: 1,
            crash_perturb: true,
            crash_searchtype: SearchType::Line,
            cumulative_iteration_limit: 10_000,
            gradient_searchtype: SearchType::Arc,
            gradient_step_limit: 5,
            infinity: 1e20,
            lemke_rank_deficiency_iterations: 10,
            lemke_start: LemkeStart::Automatic,
            major_iteration_limit: 500,
            merit_function: MeritFunction::Fischer,
            merit_scaling: true,
            minor_iteration_limit: 1000,
            nms: true,
            nms_initial_reference_factor: 20.0,
            nms_maximum_watchdogs: 5,
            nms_memory_size: 10,
            nms_mstep_frequency: 10,
            nms_searchtype: SearchType::Line,
            preprocess: true,
            proximal_perturbation: 0.0,
            restart_limit: 4,
            return_best_point: true,
        }
    }
}
