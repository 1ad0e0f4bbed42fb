//! How contact points move with the bodies: derivatives of closest points, curvature, rolling and sliding.
//!
//! ```math
//! \dot a = v_A(a) + t_A, \qquad \dot b = v_B(b) + t_B, \qquad \dot b - \dot a = \dot g\, n + g\, \dot n,
//! \qquad \alpha\, t + \beta\, (\dot m - \omega \times m) = 0
//! ```
//!
//! # Method
//! A closest point moves with its body and slides over it by t, while the outward normal m (n on A, −n on B) turns
//! relative to the body. On each boundary the two are linked by the relation of its feature, on a smooth face
//! K t = ṁ − ω × m with the shape operator K. Both relations and the closing of the triangle (a, b, gap n) are 2 (D − 1)
//! linear equations in (`t_A`, ṅ): the implicit function theorem for every pair of shapes. The rate of the gap is
//! ġ = n·(vB(b) − vA(a)), exactly, whatever the curvatures.
//!
//! # Guarantees and limits
//! Exact to rounding where the points are smooth functions of the poses. Where a point passes from one feature to the
//! next (round end to straight side, cap to mantle) the derivatives of the side it is on are given. Where the point is
//! not determined, inside or at the end of a line or face of equally close points, only what is determined is given, and
//! the rest is `None`.
//!
//! # References
//! - D. J. Montana, The kinematics of contact and grasp, Int. J. Robotics Research 7(3) (1988) 17–32,
//!   doi 10.1177/027836498800700302.

mod curvature;
mod derivatives;
mod rolling;
mod twist;

pub use curvature::{
    PrincipalCurvatures, principal_curvatures, relative_curvature, shape_operator,
};
pub use derivatives::{ContactDerivatives, ContactRates, contact_derivatives};
pub use rolling::{RelativeMotion, Slides, contact_slides};
pub use twist::Twist;
