//! Whether users' surfaces are what they promise, as far as their boundary points tell.

use nalgebra::SVector;

use super::build::{Table, shoot};
use super::part::Piece;
use crate::direction::direction;
use crate::shapes::{ShapeError, finite};

/// Height of one boundary point above the tangent plane of another, relative to the body, up to which it counts as convex.
const SLACK: f64 = 1e-8;

/// Checks users' surfaces at the boundary points of the table: numbers are finite on and just beyond the boundary, gradients
/// point outwards, and no boundary point lies beyond the tangent plane of another.
pub(super) fn check<const D: usize>(
    pieces: &[Piece<D>],
    table: &Table<D>,
) -> Result<(), ShapeError> {
    for piece in pieces.iter().filter(|piece| piece.is_user()) {
        for point in table.points() {
            check_point(piece, table, point)?;
        }
    }
    Ok(())
}

fn check_point<const D: usize>(
    piece: &Piece<D>,
    table: &Table<D>,
    point: &SVector<f64, D>,
) -> Result<(), ShapeError> {
    /// How far beyond the boundary searches look, relative to the distance from the interior point.
    const BEYOND: f64 = 1e-3;
    let centre = table.centre();
    let Some((towards, distance)) = direction(&(point - centre)) else {
        return Ok(());
    };
    // Another inequality may bound the body here.
    let own = shoot(std::slice::from_ref(piece), centre, &towards, distance);
    if own.is_none_or(|(own, _)| own > distance * (1.0 + SLACK)) {
        return Ok(());
    }
    finite(
        "value of a surface beyond its boundary",
        piece.value(&(centre + towards * (distance * (1.0 + BEYOND)))),
    )?;
    let jet = piece.jet(point);
    finite("value of a surface on its boundary", jet.value)?;
    for &x in &jet.gradient {
        finite("gradient of a surface", x)?;
    }
    for &x in &jet.hessian {
        finite("second derivative of a surface", x)?;
    }
    let at = || point.iter().copied().collect();
    let normal = direction(&jet.gradient)
        .map(|(normal, _)| normal)
        .filter(|normal| normal.dot(&towards) > 0.0)
        .ok_or_else(|| ShapeError::NotOutward { point: at() })?;
    let slack = SLACK * table.reach();
    if table
        .points()
        .any(|other| normal.dot(&(other - point)) > slack)
    {
        return Err(ShapeError::NotConvexSurface { point: at() });
    }
    Ok(())
}
