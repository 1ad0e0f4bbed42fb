//! Derivatives of one pair, column by column.

use nalgebra::{SMatrix, SVector};
use signorini_geometry::Twist;

use super::{
    PairDerivatives, PairLayout,
    pair::{Closing, Frame, Pair, unpack},
    side::Side,
};
use crate::{
    settings::ContactPoint,
    space::{MAX_DOFS, add_moment},
};

/// What one column of the derivatives changes.
#[derive(Clone, Copy, Debug)]
struct Change<const D: usize> {
    /// Moves of the points.
    points: [SVector<f64, D>; 2],
    /// Displacements of the bodies.
    bodies: [Twist<D>; 2],
    /// Body and inequality whose multiplier grows.
    multiplier: Option<(usize, usize)>,
}

impl<const D: usize> Change<D> {
    /// Column k of (a, b, l, m, A, B).
    fn of_column(k: usize, layout: &PairLayout, multipliers: [usize; 2]) -> Self {
        let mut change = Self {
            points: [SVector::zeros(); 2],
            bodies: [Twist::zero(); 2],
            multiplier: None,
        };
        if k < 2 * D {
            change.points[k / D][k % D] = 1.0;
        } else if k < layout.nz {
            let index = k - 2 * D;
            change.multiplier = Some(if index < multipliers[0] {
                (0, index)
            } else {
                (1, index - multipliers[0])
            });
        } else {
            let index = k - layout.nz;
            change.bodies[index / layout.dofs] = Twist::unit(index % layout.dofs);
        }
        change
    }

    /// Move of a point relative to the body that carries it.
    fn relative(&self, body: usize, side: &Side<'_, D>) -> SVector<f64, D> {
        self.points[body] - self.bodies[body].at(&(side.point - side.origin))
    }
}

/// Changes of what rows are made of.
#[derive(Debug)]
struct Changed<const D: usize> {
    /// Of N_A and N_B.
    outward: [SVector<f64, D>; 2],
    /// Of the heights of bodies with one inequality.
    heights: [f64; 2],
    normal: SVector<f64, D>,
    tangents: [SVector<f64, D>; 2],
    points: [SVector<f64, D>; 2],
    arms: [SVector<f64, D>; 2],
}

impl<const D: usize> Pair<'_, D> {
    /// Fills in all derivatives; p are the force components.
    pub(super) fn derivatives(&self, layout: &PairLayout, p: &[f64], out: &mut PairDerivatives) {
        let columns = layout.columns();
        let frame = self.frame();
        for (matrix, rows) in [
            (&mut out.closest, layout.nz),
            (&mut out.gap, 1),
            (&mut out.surface_gap, 1),
            (&mut out.wrench, 2 * layout.dofs),
            (&mut out.slip, layout.np),
        ] {
            matrix.clear();
            matrix.resize(rows * columns, 0.0);
        }
        let multipliers = [0, 1].map(|s: usize| self.sides[s].multipliers.len());
        let [a, b] = &self.sides;
        let seen = a.pose.inverse_apply(&frame.points[1]);
        let slope = a.pose.rotate(&a.set.as_surface().gradient(&seen));
        let turning = self.turning(&frame);
        for k in (0..columns).filter(|&k| layout.is_unknown(k)) {
            let change = Change::of_column(k, layout, multipliers);
            let changed = self.changed(&frame, &turning, &change);
            let rows = self.closest_change(&frame, &change, &changed);
            for (i, value) in rows.iter().flatten().enumerate() {
                out.closest[i * columns + k] = *value;
            }
            let apart = b.point - a.point;
            out.gap[k] = changed.normal.dot(&apart)
                + frame.normal.dot(&(change.points[1] - change.points[0]));
            let carried = change.bodies[0].at(&(frame.points[1] - a.origin));
            out.surface_gap[k] = slope.dot(&(changed.points[1] - carried));
            self.wrench_change(&frame, &changed, p, &mut |row, value| {
                out.wrench[row * columns + k] = value;
            });
            self.slip_change(&frame, &change, &changed, &mut |row, value| {
                out.slip[row * columns + k] = value;
            });
        }
        let mut row = 2 * D;
        for (body, side) in self.sides.iter().enumerate() {
            for index in 0..multipliers[body] {
                let rise = side.piece(index).rise;
                for k in (0..columns).filter(|&k| layout.is_unknown(k)) {
                    let change = Change::of_column(k, layout, multipliers);
                    out.closest[row * columns + k] = -rise.dot(&change.relative(body, side));
                }
                row += 1;
            }
        }
    }

    /// Rates of the tangents as functions of the turn of the normal, which they are linear in.
    fn turning(&self, frame: &Frame<D>) -> [SMatrix<f64, D, D>; 2] {
        let mut turning = [SMatrix::<f64, D, D>::zeros(); 2];
        for axis in 0..D {
            let turn = SVector::<f64, D>::from_fn(|k, _| f64::from(u8::from(k == axis)));
            let mut flat = [0.0; MAX_DOFS];
            let flat = &mut flat[..D * (D - 1)];
            self.space.tangent_rates(
                frame.normal.as_slice(),
                turn.as_slice(),
                &self.material.reference,
                flat,
            );
            for (matrix, rate) in turning.iter_mut().zip(unpack(flat)) {
                matrix.set_column(axis, &rate);
            }
        }
        turning
    }

    fn changed(
        &self,
        frame: &Frame<D>,
        turning: &[SMatrix<f64, D, D>; 2],
        change: &Change<D>,
    ) -> Changed<D> {
        let (mut outward, mut heights) = ([SVector::zeros(); 2], [0.0; 2]);
        for (body, side) in self.sides.iter().enumerate() {
            let own = &frame.outward[body];
            let relative = change.relative(body, side);
            outward[body] = change.bodies[body].turn(&own.normal) + own.turn * relative;
            heights[body] = own.rise.dot(&relative);
        }
        if let Some((body, index)) = change.multiplier {
            outward[body] += self.sides[body].piece(index).normal;
        }
        let n = frame.normal;
        let normal = (outward[0] - n * n.dot(&outward[0])) / frame.length;
        let points = [
            change.points[0] + normal * frame.radii[0],
            change.points[1] - normal * frame.radii[1],
        ];
        let at = match self.lever {
            ContactPoint::Witness => points,
            ContactPoint::Midpoint => [(points[0] + points[1]) * 0.5; 2],
        };
        Changed {
            outward,
            heights,
            normal,
            tangents: turning.map(|turning| turning * normal),
            points,
            arms: [
                at[0] - change.bodies[0].linear,
                at[1] - change.bodies[1].linear,
            ],
        }
    }

    /// Change of the 2 D equations of the closest points.
    fn closest_change(
        &self,
        frame: &Frame<D>,
        change: &Change<D>,
        changed: &Changed<D>,
    ) -> [SVector<f64, D>; 2] {
        let (n, turn, size) = (frame.normal, changed.normal, frame.size);
        let [from_a, from_b] = &frame.outward;
        // Of P x = x − n (n·x).
        let across = |x: &SVector<f64, D>, dx: &SVector<f64, D>| {
            dx - turn * n.dot(x) - n * (turn.dot(x) + n.dot(dx))
        };
        let mut first = (changed.outward[0] + changed.outward[1]) * size;
        if self.is_smooth() {
            first += n * changed.heights[0] + turn * from_a.height;
        }
        let (closing, rate) = match self.closing() {
            Closing::OnB => (from_b.height, changed.heights[1]),
            Closing::OnA => (from_a.height, changed.heights[0]),
            Closing::UnitNormal => (
                0.5 * size * (from_a.normal.norm_squared() - 1.0),
                size * from_a.normal.dot(&changed.outward[0]),
            ),
        };
        let apart = self.sides[1].point - self.sides[0].point;
        let moved = change.points[1] - change.points[0];
        [first, across(&apart, &moved) + turn * closing + n * rate]
    }

    /// Change of W p: force on both bodies along the frame, moments with their arms, torsion about n.
    fn wrench_change(
        &self,
        frame: &Frame<D>,
        changed: &Changed<D>,
        p: &[f64],
        set: &mut dyn FnMut(usize, f64),
    ) {
        let dofs = self.space.dofs();
        let (mut force, mut change) = (SVector::<f64, D>::zeros(), SVector::<f64, D>::zeros());
        for (k, &component) in p.iter().take(D).enumerate() {
            force += frame.direction(k) * component;
            change += changed.direction(k) * component;
        }
        for (body, sign) in [(0, -1.0), (1, 1.0)] {
            let mut moment = [0.0; 3];
            let moment = &mut moment[..dofs - D];
            let (arm, arm_change) = (frame.arms[body], changed.arms[body]);
            add_moment(&arm, &(change * sign), moment);
            add_moment(&arm_change, &(force * sign), moment);
            if let Some(torsion) = p.get(D) {
                for (m, turn) in moment.iter_mut().zip(&changed.normal) {
                    *m += sign * torsion * turn;
                }
            }
            for (i, x) in change.iter().enumerate() {
                set(body * dofs + i, sign * x);
            }
            for (i, x) in moment.iter().enumerate() {
                set(body * dofs + D + i, *x);
            }
        }
    }

    /// Change of Wᵀ v and of the drift: sliding velocities along the frame, spin about n. Belts run along tangents only.
    fn slip_change(
        &self,
        frame: &Frame<D>,
        change: &Change<D>,
        changed: &Changed<D>,
        set: &mut dyn FnMut(usize, f64),
    ) {
        let [a, b] = [&self.sides[0].velocity, &self.sides[1].velocity];
        let belt = self.sides[1].belt - self.sides[0].belt;
        let [of_a, of_b] = [0, 1].map(|s| change.bodies[s].turn(&self.sides[s].belt));
        let slip = b.at(&frame.arms[1]) - a.at(&frame.arms[0]);
        let rate = b.turn(&changed.arms[1]) - a.turn(&changed.arms[0]);
        for k in 0..D {
            let mut value = changed.direction(k).dot(&slip) + frame.direction(k).dot(&rate);
            if k > 0 {
                value += changed.direction(k).dot(&belt) + frame.direction(k).dot(&(of_b - of_a));
            }
            set(k, value);
        }
        if D == 3 {
            let spin = b.angular - a.angular;
            set(D, (0..D).map(|i| changed.normal[i] * spin[i]).sum());
        }
    }
}

impl<const D: usize> Changed<D> {
    /// Change of axis `k` of the contact frame.
    fn direction(&self, k: usize) -> SVector<f64, D> {
        if k == 0 {
            self.normal
        } else {
            self.tangents[k - 1]
        }
    }
}
