//! The one judge of all solvers: the natural residual, recomputed from the original data.
//!
//! ```math
//! r_i = \frac{|z_i - \mathrm{mid}(l_i,\; z_i - s_i F_i,\; u_i)|}{...}
//! ```
//! (helper: complete this)
