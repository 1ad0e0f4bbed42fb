//! Rolling and sliding at a closed contact.

use nalgebra::{SMatrix, SVector};

use super::Twist;

/// Motion of B relative to A at a closed contact, as A's boundary sees it, in the axes of the shape operators.
///
/// | name     | shape | unit  | meaning                                                                      |
/// | -------- | ----- | ----- | ---------------------------------------------------------------------------- |
/// | `normal` | (D,)  | –     | unit, from A into B                                                          |
/// | `slip`   | (D,)  | m/s   | vB(c) − vA(c) across the normal: Montana's `(v_x, v_y)`                      |
/// | `turn`   | (D,)  | rad/s | (`ω_B` − `ω_A`) × n: Montana's `(ω_y, −ω_x)`; spin about n has no part in it |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeMotion<const D: usize> {
    /// Unit normal from A into B.
    pub normal: SVector<f64, D>,
    /// Sliding velocity of B over A.
    pub slip: SVector<f64, D>,
    /// Rate at which B's normal turns against A's by rolling.
    pub turn: SVector<f64, D>,
}

impl<const D: usize> RelativeMotion<D> {
    /// From the velocities of both bodies and the arms of the contact point from their origins, world axes.
    pub fn new(
        normal: SVector<f64, D>,
        twists: [&Twist<D>; 2],
        arms: [&SVector<f64, D>; 2],
    ) -> Self {
        let relative = twists[1].at(arms[1]) - twists[0].at(arms[0]);
        Self {
            normal,
            slip: relative - normal * normal.dot(&relative),
            turn: twists[1].turn(&normal) - twists[0].turn(&normal),
        }
    }
}

/// Velocities of a contact point over the two boundaries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slides<const D: usize> {
    /// Velocity of the contact point over A, m/s.
    pub on_a: SVector<f64, D>,
    /// Velocity of the contact point over B, m/s.
    pub on_b: SVector<f64, D>,
}

/// Montana's equations of contact: how the point of a closed contact moves over both bodies while they roll and slide.
///
/// `u_A` = (`K_A` + `K_B`)⁻¹ (ρ + `K_B` v), `u_B` = (`K_A` + `K_B`)⁻¹ (ρ − `K_A` v) with the slip v and the turn ρ: the
/// rates as tangent vectors, so that the metric, torsion and angle of surface coordinates drop out. `shape_a`, `shape_b`
/// are the [`shape_operator`](super::shape_operator)s in the axes of `motion`. `None` where `K_A` + `K_B` is singular.
///
/// The explicit step a + h (vA(a) + `u_A`) predicts the contact point after h to second order. Apart or in overlap
/// [`contact_derivatives`](super::contact_derivatives) gives the same with the gap, for every shape.
///
/// Source: Montana (1988), equations of contact (1), there in surface coordinates.
///
/// # Examples
/// ```
/// use nalgebra::{Matrix2, Vector2, Vector3};
/// use signorini_geometry::{RelativeMotion, Twist, contact_slides};
/// // A disc of radius 0.5 m rolls on the ground at 1 m/s: the point moves at 1 m/s over both.
/// let disc = Twist { linear: Vector2::new(1.0, 0.0), angular: Vector3::new(0.0, 0.0, -2.0) };
/// let arms = [&Vector2::zeros(), &Vector2::new(0.0, -0.5)];
/// let motion = RelativeMotion::new(Vector2::y(), [&Twist::zero(), &disc], arms);
/// let slides = contact_slides(&Matrix2::zeros(), &Matrix2::new(2.0, 0.0, 0.0, 0.0), &motion).unwrap();
/// assert_eq!((slides.on_a, slides.on_b), (Vector2::x(), Vector2::x()));
/// ```
pub fn contact_slides<const D: usize>(
    shape_a: &SMatrix<f64, D, D>,
    shape_b: &SMatrix<f64, D, D>,
    motion: &RelativeMotion<D>,
) -> Option<Slides<D>> {
    let n = motion.normal;
    let sum = shape_a + shape_b;
    // Curvatures add a term along the normal, where all vectors vanish, of their own size.
    let size = sum.norm();
    let inverse = (sum + n * n.transpose() * size).try_inverse()?;
    let slides = Slides {
        on_a: inverse * (motion.turn + shape_b * motion.slip),
        on_b: inverse * (motion.turn - shape_a * motion.slip),
    };
    let finite = slides
        .on_a
        .iter()
        .chain(&slides.on_b)
        .all(|x| x.is_finite());
    finite.then_some(slides)
}
