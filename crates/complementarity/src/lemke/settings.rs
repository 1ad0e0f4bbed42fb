//! Settings of Lemke's method.

/// What [`Lemke`](crate::Lemke) keeps: the whole tableau, or sparse factors of the basis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LemkeForm {
    /// Sparse if there are at least 50 variables and M has on average at most n/7 and at most 24 entries a row, where
    /// it was measured to be faster.
    #[default]
    Auto,
    /// The dense tableau: n² numbers, where a variable between two bounds counts twice and free ones are eliminated.
    Dense,
    /// Sparse factors, for large problems with few entries: about ten vectors of length n and the fill of the basis, no
    /// n × n array. A string of 20 000 nodes over an obstacle is solved within a gibibyte.
    Sparse,
}

/// Settings of [`Lemke`](crate::Lemke).
///
/// Tolerances other than `tolerance` act on data whose rows and columns were scaled near one by powers of two.
///
/// # Examples
/// ```
/// use signorini_complementarity::LemkeSettings;
/// let settings = LemkeSettings { retries: 0, ..LemkeSettings::default() };
/// assert_eq!(settings.tolerance, 1e-10);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LemkeSettings {
    /// Dense tableau or sparse factors. Default [`LemkeForm::Auto`].
    pub form: LemkeForm,
    /// Solved if the natural residual is ≤ this. Default 1e-10: far above the rounding of one factorisation, far
    /// below any wrong basis. Smaller than 1e-14 refuses good answers of large problems.
    pub tolerance: f64,
    /// Most pivots over all tries. Default 100 000; contact problems take about one pivot per unknown, the worst of
    /// n unknowns 2ⁿ.
    pub pivot_limit: usize,
    /// Other covering vectors, and from the fourth on other starting bases in turn, tried after the first before a ray
    /// is reported. Default 20.
    pub retries: usize,
    /// Whether a proof that there is no solution is searched where no path has ended in one and no ray was a proof. Default true;
    /// it is a linear program of twice the size, and takes longer than a path.
    pub searches_proof: bool,
    /// Seed of the random covering vectors. Default 1.
    pub seed: u64,
    /// A row blocks only if its pivot is > this times the largest entry of the column. Default 1e-9: smaller pivots
    /// are rounding of a column that had entries near one. Too small lets rounding choose the basis.
    pub pivot_tolerance: f64,
    /// A row blocks only if its pivot is > this. Default 1e-12, the same for columns that are all rounding.
    pub pivot_floor: f64,
    /// Ratios that differ by less than the change of b_i by this times the size of what b_i was computed from are
    /// ties. Default 1e-13, a few hundred roundings. Too small lets degenerate problems cycle, too large drowns small
    /// entries of q beside large ones.
    pub tie_tolerance: f64,
    /// Among tied rows, those with a pivot < this times the largest are left out. Default 1e-7.
    pub tied_pivot_ratio: f64,
    /// A pivot < this times the largest entry of its column is taken only from a freshly computed tableau.
    /// Default 1e-5.
    pub suspicious_pivot: f64,
    /// The tableau is recomputed from the data after max(n, this) pivots. Default 100.
    pub refactor_interval: usize,
    /// A basis is singular if its smallest LU pivot is ≤ this times the largest. Default 1e-15.
    pub singular_tolerance: f64,
    /// The path is lost if a recomputed b_i is < −this times the size of what it was computed from. Default 1e-8.
    pub lost_tolerance: f64,
    /// A certificate y ≥ 0 must have (Mᵀy)_j ≤ this times Σ|M_ij| y_i and qᵀy < −√(this) Σ|q_i| y_i; smaller entries
    /// of y than this times the largest are set to zero first. With finite bounds their part of the maximum counts as
    /// qᵀy does, and its rounding, this times Σ|M_ij y_i b_j|, must be smaller than the sum. Default 1e-12.
    pub certificate_tolerance: f64,
}

impl Default for LemkeSettings {
    fn default() -> Self {
        Self {
            form: LemkeForm::Auto,
            tolerance: 1e-10,
            pivot_limit: 100_000,
            retries: 20,
            searches_proof: true,
            seed: 1,
            pivot_tolerance: 1e-9,
            pivot_floor: 1e-12,
            tie_tolerance: 1e-13,
            tied_pivot_ratio: 1e-7,
            suspicious_pivot: 1e-5,
            refactor_interval: 100,
            singular_tolerance: 1e-15,
            lost_tolerance: 1e-8,
            certificate_tolerance: 1e-12,
        }
    }
}
