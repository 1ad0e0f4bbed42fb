//! One body of a pair: its inequalities at its point, in world axes.

use nalgebra::{SMatrix, SVector};
use signorini_geometry::{ConvexSet, Pose, Twist};

/// A body, its point and its multipliers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a, const D: usize> {
    pub(super) set: &'a ConvexSet<D>,
    /// The set's axes to world axes.
    pub(super) pose: Pose<D>,
    /// Origin of the body, which its coordinates and velocities are of, world axes.
    pub(super) origin: SVector<f64, D>,
    pub(super) velocity: Twist<D>,
    /// Velocity of its surface relative to it, world axes.
    pub(super) belt: SVector<f64, D>,
    /// Point of the body without its rounding, world axes.
    pub(super) point: SVector<f64, D>,
    /// One per inequality; empty if there is only one, whose multiplier is 1.
    pub(super) multipliers: &'a [f64],
}

/// One inequality at the point, scaled, world axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<const D: usize> {
    /// f over its scale, m.
    pub(super) height: f64,
    /// Derivative of the height with respect to moves relative to the body.
    pub(super) rise: SVector<f64, D>,
    /// ∇f over the scale: a unit vector on the surface.
    pub(super) normal: SVector<f64, D>,
    /// Derivative of the normal with respect to moves relative to the body, 1/m.
    pub(super) turn: SMatrix<f64, D, D>,
}

/// The outward normal N = Σ lⱼ ∇fⱼ/sⱼ, not scaled to one, with its derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outward<const D: usize> {
    pub(super) normal: SVector<f64, D>,
    pub(super) turn: SMatrix<f64, D, D>,
    /// Height, [`bounded`], and rise of the only inequality; zero if there are several.
    pub(super) height: f64,
    pub(super) rise: SVector<f64, D>,
}

impl<const D: usize> Side<'_, D> {
    /// Whether the body has one inequality.
    pub(super) fn is_smooth(&self) -> bool {
        self.multipliers.is_empty()
    }

    /// Inequality `index`. Its scale is ‖∇f‖, for bodies with several √(‖∇f‖² + (f/L)²) with L the body's size: the same on
    /// the surface, and not zero far inside, as it is for the side of a cylinder on its axis, where its ends still touch.
    pub(super) fn piece(&self, index: usize) -> Piece<D> {
        let rotation = &self.pose.rotation;
        let jet = self
            .set
            .inequality(index, &self.pose.inverse_apply(&self.point));
        let mut slope = jet.gradient.norm();
        let mut bend = 0.0;
        if !self.is_smooth() {
            let size = self.set.bounding_radius();
            slope = slope.hypot(jet.value / size);
            bend = jet.value / slope / (size * size);
        }
        let normal = rotation * (jet.gradient / slope);
        let hessian = rotation * (jet.hessian / slope) * rotation.transpose();
        let height = jet.value / slope;
        // Derivative of the scale over the scale.
        let growth = hessian * normal + normal * bend;
        Piece {
            height,
            rise: normal - growth * height,
            normal,
            turn: hessian - normal * growth.transpose(),
        }
    }

    /// N at the point, for a pair of this size.
    pub(super) fn outward(&self, size: f64) -> Outward<D> {
        if self.is_smooth() {
            let piece = self.piece(0);
            let (height, slope) = bounded(piece.height, size);
            return Outward {
                normal: piece.normal,
                turn: piece.turn,
                height,
                rise: piece.rise * slope,
            };
        }
        let mut sum = Outward {
            normal: SVector::zeros(),
            turn: SMatrix::zeros(),
            height: 0.0,
            rise: SVector::zeros(),
        };
        for (index, &multiplier) in self.multipliers.iter().enumerate() {
            let piece = self.piece(index);
            sum.normal += piece.normal * multiplier;
            sum.turn += piece.turn * multiplier;
        }
        sum
    }
}

/// A height that is never below −size, and its derivative: x and 1 from the surface outwards, smooth across it. Deep inside x
/// has no bound, and could make up for normals that point the same way.
fn bounded(x: f64, size: f64) -> (f64, f64) {
    if x >= 0.0 {
        return (x, 1.0);
    }
    let scale = (x / size).hypot(1.0);
    (x / scale, scale.powi(-3))
}
