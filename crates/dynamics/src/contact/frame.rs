//! Contact frames and contact rows.

use nalgebra::SVector;
use signorini_complementarity::FIXED;
use signorini_geometry::{ClosestPoints, Pose};

use super::{ContactId, Contacts, material::ContactMaterial};
use crate::{
    settings::ContactPoint,
    space::{self, MAX_DOFS, Space},
};

/// The two bodies of a contact: columns and poses.
#[derive(Debug)]
pub(crate) struct Pair<'a, const D: usize> {
    pub(crate) columns: [u32; 2],
    pub(crate) poses: [&'a Pose<D>; 2],
    pub(crate) material: &'a ContactMaterial,
    /// Velocities of the surfaces relative to the bodies, world axes, m/s.
    pub(crate) belts: [SVector<f64, D>; 2],
    pub(crate) point: ContactPoint,
}

/// Appends one contact to the arrays: frame, then one row pair per axis of the frame.
pub(crate) fn push<const D: usize>(
    space: &dyn Space,
    id: ContactId,
    pair: &Pair<'_, D>,
    closest: &ClosestPoints<D>,
    out: &mut Contacts,
) {
    let dofs = space.dofs();
    let middle = (closest.a + closest.b) * 0.5;
    let start = out.tangent.len();
    out.tangent.resize(start + D * (D - 1), 0.0);
    space.tangents(
        closest.normal.as_slice(),
        &pair.material.reference,
        &mut out.tangent[start..],
    );
    let points = match pair.point {
        ContactPoint::Witness => [closest.a, closest.b],
        ContactPoint::Midpoint => [middle, middle],
    };
    for (side, &column) in pair.columns.iter().enumerate() {
        // Nothing is asked about the moment on a fixed body: it has the point of the other.
        let shown = if column == FIXED { 1 - side } else { side };
        out.acting.extend_from_slice(points[shown].as_slice());
    }
    let mut blocks = [[0.0; 3 * MAX_DOFS]; 2];
    for (side, block) in blocks.iter_mut().enumerate() {
        if pair.columns[side] == FIXED {
            continue;
        }
        let arm = points[side] - pair.poses[side].position;
        let sign = if side == 0 { -1.0 } else { 1.0 };
        for (axis, row) in block[..D * dofs].chunks_exact_mut(dofs).enumerate() {
            let direction = match axis {
                0 => closest.normal,
                k => SVector::from_column_slice(&out.tangent[start + (k - 1) * D..][..D]),
            };
            space::write_row(space, (direction * sign).as_slice(), arm.as_slice(), row);
        }
    }
    let belt = pair.belts[1] - pair.belts[0];
    out.drift.push(0.0);
    for tangent in out.tangent[start..].chunks_exact(D) {
        out.drift
            .push(SVector::<f64, D>::from_column_slice(tangent).dot(&belt));
    }
    out.rows
        .push(pair.columns, &blocks[0][..D * dofs], &blocks[1][..D * dofs]);
    out.id.push(id);
    out.gap.push(closest.gap);
    out.friction.push(pair.material.friction);
    out.restitution.push(pair.material.restitution);
    out.tangential_restitution
        .push(pair.material.tangential_restitution);
    out.ellipsoid.push(pair.material.ellipsoid);
    out.rolling.push(pair.material.rolling);
    out.point.extend_from_slice(middle.as_slice());
    out.normal.extend_from_slice(closest.normal.as_slice());
}
