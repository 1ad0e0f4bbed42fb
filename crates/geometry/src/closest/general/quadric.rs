//! Two ellipsoids, or a ball and an ellipsoid: Newton's method for the normal alone.
//!
//! ```math
//! \max_{|n| = 1} d(n), \qquad d(n) = n^T r - \sqrt{n^T A n} - \sqrt{n^T B n}, \qquad
//! (H_A + H_B + d I)\, \delta n = P\, (r - s_A - s_B)
//! ```
//!
//! # Method
//! r is the vector between the centres, A and B are the matrices of squared semi-axes, s = A n/√(nᵀ A n) is a support
//! point and H = (A − s sᵀ)/√(nᵀ A n) the Hessian of the support function. The start is the normal at which the
//! bodies, scaled about their centres by equal amounts, would touch if they were alike: (A + B)⁻¹ r. Steps that do not
//! raise d are halved, so apart it converges from anywhere: d is concave along the way.
//!
//! # References
//! - J. W. Perram, M. S. Wertheim, Statistical mechanics of hard ellipsoids, J. Comput. Phys. 58 (1985) 409–416,
//!   doi 10.1016/0021-9991(85)90171-8 (the start).

use nalgebra::{SMatrix, SVector};

use super::newton::{Pivots, Root};
use super::pair::Touch;
use crate::boundary::Feature;
use crate::{ConvexSet, Placed, direction::direction};

/// Steps at most; from the start above ellipsoids of aspect 10 take three to five.
const STEPS: u32 = 60;

/// Halvings of a step that does not raise d.
const HALVINGS: u32 = 30;

/// Errors below this are rounding.
const ROUNDING: f64 = 3e-15;

/// One body: a ball counts as an ellipsoid of equal axes.
#[derive(Clone, Copy, Debug)]
struct Quadric<const D: usize> {
    semi_axes: SVector<f64, D>,
    /// Body axes in those of A.
    turn: SMatrix<f64, D, D>,
    squares: SMatrix<f64, D, D>,
}

impl<const D: usize> Quadric<D> {
    fn of(set: &ConvexSet<D>, turn: SMatrix<f64, D, D>) -> Option<Self> {
        let semi_axes = match set {
            ConvexSet::Ball(ball) => SVector::repeat(ball.radius()),
            ConvexSet::Ellipsoid(ellipsoid) => *ellipsoid.semi_axes(),
            _ => return None,
        };
        let scaled = SMatrix::<f64, D, D>::from_fn(|i, j| turn[(i, j)] * semi_axes[j]);
        Some(Self {
            semi_axes,
            turn,
            squares: scaled * scaled.transpose(),
        })
    }

    /// √(nᵀ A n) and the support point, evaluated in body axes so that thin bodies lose nothing.
    fn support(&self, n: &SVector<f64, D>) -> (f64, SVector<f64, D>) {
        let scaled = self.turn.tr_mul(n).component_mul(&self.semi_axes);
        let height = scaled.norm();
        (
            height,
            self.turn * scaled.component_mul(&self.semi_axes) / height,
        )
    }

    fn rolling_radius(&self) -> f64 {
        self.semi_axes.min().powi(2) / self.semi_axes.max()
    }
}

/// Two quadrics, in axes with the origin in the centre of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadricPair<const D: usize> {
    a: Quadric<D>,
    b: Quadric<D>,
    centres: SVector<f64, D>,
    pub(crate) size: f64,
}

impl<const D: usize> QuadricPair<D> {
    /// `None` if one is neither a ball nor an ellipsoid. Everything is in the axes of A.
    pub(crate) fn new(a: &Placed<'_, D>, b: &Placed<'_, D>) -> Option<Self> {
        let quadric_a = Quadric::of(a.set, SMatrix::identity())?;
        let quadric_b = Quadric::of(b.set, a.pose.rotation.tr_mul(&b.pose.rotation))?;
        Some(Self {
            size: quadric_a.semi_axes.max().max(quadric_b.semi_axes.max()),
            a: quadric_a,
            b: quadric_b,
            centres: a.pose.inverse_rotate(&(b.pose.position - a.pose.position)),
        })
    }

    /// Normal to start from; `None` if the centres coincide.
    pub(crate) fn start(&self) -> Option<SVector<f64, D>> {
        let (centre_line, _) = direction(&self.centres)?;
        let scaled = (self.a.squares + self.b.squares).try_inverse();
        let normal = scaled.and_then(|inverse| direction(&(inverse * centre_line)));
        Some(normal.map_or(centre_line, |(normal, _)| normal))
    }

    /// Depth up to which a local optimum is the least translation: a ball of this radius rolls inside B − A.
    pub(crate) fn rolling_radius(&self) -> f64 {
        self.a.rolling_radius() + self.b.rolling_radius()
    }

    /// A lower bound of the curvature of one body relative to the other, apart and up to half the rolling radius deep, 1/m.
    pub(crate) fn least_curvature(&self) -> f64 {
        let least = |axes: &SVector<f64, D>| axes.min() / axes.max().powi(2);
        0.5 * (least(&self.a.semi_axes) + least(&self.b.semi_axes))
    }

    fn at(&self, n: SVector<f64, D>) -> Point<D> {
        let (height_a, a) = self.a.support(&n);
        let (height_b, b) = self.b.support(&n);
        let off = self.centres - a - b;
        let d = n.dot(&off);
        Point {
            n,
            a,
            b,
            heights: [height_a, height_b],
            d,
            across: off - n * d,
        }
    }

    /// The optimum near a normal.
    pub(crate) fn newton(&self, start: SVector<f64, D>) -> Root<D> {
        let mut at = self.at(start);
        let mut error = at.across.norm() / self.size;
        let mut iterations = 0;
        while error > ROUNDING && iterations < STEPS {
            let Some(next) = self.next(&at) else { break };
            iterations += 1;
            let next_error = next.across.norm() / self.size;
            // Near the optimum d is level to rounding: the error decides.
            let better = next_error < error;
            if next.d <= at.d && !better {
                break;
            }
            (at, error) = (next, next_error);
        }
        let middle = (at.a + self.centres - at.b) * 0.5;
        let half = at.n * (0.5 * at.d);
        Root {
            touch: Touch {
                a: middle - half,
                b: middle + half,
                n: at.n,
            },
            features: [Feature::face(0); 2],
            error,
            pivots: Pivots {
                moves: f64::INFINITY,
                turns: f64::INFINITY,
            },
            iterations,
        }
    }

    /// A Newton step from a point, halved until it raises d or lowers the error.
    fn next(&self, at: &Point<D>) -> Option<Point<D>> {
        let normal = at.n * at.n.transpose();
        let hessian = (self.a.squares - at.a * at.a.transpose()) / at.heights[0]
            + (self.b.squares - at.b * at.b.transpose()) / at.heights[1];
        let along = normal * self.size;
        let newton = |d: f64| {
            let matrix = hessian + SMatrix::identity() * d + along;
            let step = matrix.try_inverse()? * at.across;
            let step = step - at.n * at.n.dot(&step);
            (step.dot(&at.across) > 0.0).then_some(step)
        };
        // In overlap the full matrix may be indefinite away from an optimum; without d it never is.
        let mut step = newton(at.d)
            .or_else(|| newton(0.0))
            .unwrap_or(at.across / self.size);
        let length = step.norm();
        if length > 0.5 {
            step *= 0.5 / length;
        }
        let norm = at.across.norm();
        for _ in 0..HALVINGS {
            let point = self.at((at.n + step).normalize());
            if point.d > at.d || (point.d >= at.d - 1e-15 * self.size && point.across.norm() < norm)
            {
                return Some(point);
            }
            step *= 0.5;
        }
        None
    }
}

struct Point<const D: usize> {
    n: SVector<f64, D>,
    /// Support points, from each centre.
    a: SVector<f64, D>,
    b: SVector<f64, D>,
    heights: [f64; 2],
    d: f64,
    /// Part of the vector between the points that is not along n.
    across: SVector<f64, D>,
}
