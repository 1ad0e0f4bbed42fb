//! Values of one pair.

use nalgebra::SVector;
use signorini_geometry::{ActiveSet, ClosestPoints, Uniqueness};

use super::{
    PairRows,
    side::{Outward, Side},
};
use crate::{
    contact::ContactMaterial,
    settings::ContactPoint,
    space::{self, MAX_DOFS, Space},
};

/// Two bodies at their points, with the rules of the contact.
#[derive(Debug)]
pub(super) struct Pair<'a, const D: usize> {
    pub(super) sides: [Side<'a, D>; 2],
    pub(super) space: &'static dyn Space,
    pub(super) material: &'a ContactMaterial,
    pub(super) lever: ContactPoint,
}

/// What rows and derivatives share.
#[derive(Debug)]
pub(super) struct Frame<const D: usize> {
    pub(super) outward: [Outward<D>; 2],
    /// n = N_A/|N_A|.
    pub(super) normal: SVector<f64, D>,
    /// |N_A|.
    pub(super) length: f64,
    /// Tangents in the first D − 1 places.
    pub(super) tangents: [SVector<f64, D>; 2],
    /// Points of the bodies, rounding included.
    pub(super) points: [SVector<f64, D>; 2],
    /// From the bodies' origins to where the impulse acts.
    pub(super) arms: [SVector<f64, D>; 2],
    /// Rounding radii, m.
    pub(super) radii: [f64; 2],
    /// Size of the pair, m.
    pub(super) size: f64,
}

/// What the normal part of the second rows says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// The point of B is on its surface.
    OnB,
    /// The point of A is on its surface.
    OnA,
    /// N_A has length one.
    UnitNormal,
}

impl<const D: usize> Pair<'_, D> {
    /// Whether both bodies have one inequality, so that the rows take the projector form.
    pub(super) fn is_smooth(&self) -> bool {
        self.sides.iter().all(Side::is_smooth)
    }

    pub(super) fn closing(&self) -> Closing {
        let [a, b] = &self.sides;
        match (a.is_smooth(), b.is_smooth()) {
            (_, true) => Closing::OnB,
            (true, false) => Closing::OnA,
            (false, false) => Closing::UnitNormal,
        }
    }

    pub(super) fn frame(&self) -> Frame<D> {
        let [a, b] = &self.sides;
        let extents = [a, b].map(|side| side.set.bounding_radius());
        let size = extents.iter().filter(|r| r.is_finite()).sum();
        let outward = [a.outward(size), b.outward(size)];
        let length = outward[0].normal.norm();
        let normal = outward[0].normal / length;
        let radii = [a.set.rounding(), b.set.rounding()];
        let points = [a.point + normal * radii[0], b.point - normal * radii[1]];
        let at = match self.lever {
            ContactPoint::Witness => points,
            ContactPoint::Midpoint => [(points[0] + points[1]) * 0.5; 2],
        };
        let mut flat = [0.0; 6];
        let count = D * (D - 1);
        self.space.tangents(
            normal.as_slice(),
            &self.material.reference,
            &mut flat[..count],
        );
        Frame {
            outward,
            normal,
            length,
            tangents: unpack(&flat[..count]),
            points,
            arms: [at[0] - a.origin, at[1] - b.origin],
            radii,
            size,
        }
    }

    /// Fills in all values.
    pub(super) fn rows(&self, out: &mut PairRows) {
        let frame = self.frame();
        let n = frame.normal;
        out.closest.clear();
        self.closest(&frame, &mut out.closest);
        let [a, b] = &self.sides;
        out.gap = n.dot(&(b.point - a.point)) - frame.radii[0] - frame.radii[1];
        let seen = a.pose.inverse_apply(&frame.points[1]);
        out.surface_gap = a.set.as_surface().value(&seen);
        out.normal.clear();
        out.normal.extend_from_slice(n.as_slice());
        out.points.clear();
        for point in &frame.points {
            out.points.extend_from_slice(point.as_slice());
        }
        out.acting.clear();
        for (side, arm) in self.sides.iter().zip(&frame.arms) {
            out.acting.extend((side.origin + arm).iter());
        }
        self.directions(&frame, &mut out.directions);
        let belt = b.belt - a.belt;
        out.drift.clear();
        out.drift.push(0.0);
        out.drift
            .extend((1..D).map(|k| frame.direction(k).dot(&belt)));
        out.drift
            .resize(out.directions.len() / (2 * self.space.dofs()), 0.0);
    }

    /// The two points with the normal, as the narrow phase has them.
    pub(super) fn closest_points(&self) -> ClosestPoints<D> {
        let frame = self.frame();
        let [a, b] = frame.points;
        ClosestPoints {
            a,
            b,
            normal: frame.normal,
            gap: frame.normal.dot(&(b - a)),
            active: [ActiveSet::default(); 2],
            uniqueness: Uniqueness::default(),
            iterations: 0,
        }
    }

    fn closest(&self, frame: &Frame<D>, out: &mut Vec<f64>) {
        let (n, size) = (frame.normal, frame.size);
        let [from_a, from_b] = &frame.outward;
        let across = |x: SVector<f64, D>| x - n * n.dot(&x);
        let mut first = (from_a.normal + from_b.normal) * size;
        if self.is_smooth() {
            first += n * from_a.height;
        }
        let closing = match self.closing() {
            Closing::OnB => from_b.height,
            Closing::OnA => from_a.height,
            Closing::UnitNormal => 0.5 * size * (from_a.normal.norm_squared() - 1.0),
        };
        let second = across(self.sides[1].point - self.sides[0].point) + n * closing;
        out.extend_from_slice(first.as_slice());
        out.extend_from_slice(second.as_slice());
        for side in &self.sides {
            let pieces = 0..side.multipliers.len();
            out.extend(pieces.map(|index| -side.piece(index).height));
        }
    }

    /// Rows of Wᵀ: along n and the tangents at the point of each body, then about n in space.
    fn directions(&self, frame: &Frame<D>, out: &mut Vec<f64>) {
        let dofs = self.space.dofs();
        let torsion = usize::from(D == 3);
        out.clear();
        out.resize((D + torsion) * 2 * dofs, 0.0);
        for (k, row) in out.chunks_exact_mut(2 * dofs).enumerate() {
            for (side, block) in row.chunks_exact_mut(dofs).enumerate() {
                let sign = if side == 0 { -1.0 } else { 1.0 };
                if k < D {
                    let direction = frame.direction(k) * sign;
                    let (linear, angular) = block.split_at_mut(D);
                    linear.copy_from_slice(direction.as_slice());
                    space::add_moment(&frame.arms[side], &direction, angular);
                } else {
                    block[D..].copy_from_slice((frame.normal * sign).as_slice());
                }
            }
        }
    }
}

impl<const D: usize> Frame<D> {
    /// Axis `k` of the contact frame: the normal, then the tangents.
    pub(super) fn direction(&self, k: usize) -> SVector<f64, D> {
        if k == 0 {
            self.normal
        } else {
            self.tangents[k - 1]
        }
    }
}

/// D − 1 vectors from their components.
pub(super) fn unpack<const D: usize>(flat: &[f64]) -> [SVector<f64, D>; 2] {
    let mut vectors = [SVector::<f64, D>::zeros(); 2];
    for (vector, values) in vectors.iter_mut().zip(flat.chunks_exact(D)) {
        vector.copy_from_slice(values);
    }
    vectors
}

const _: () = assert!(MAX_DOFS == 6, "two tangents of space have six components");
