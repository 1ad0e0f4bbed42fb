//! Points with the values that they are judged by.

use super::settings::{MeritFunction, PathSettings};
use crate::ncp_function::{NcpFunction, Row};
use crate::problem::residual_of;
use crate::{BasisMark, Bounds};

/// A point within the bounds with F, merit and natural residual.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) z: Vec<f64>,
    pub(super) f: Vec<f64>,
    pub(super) merit: f64,
    pub(super) residual: f64,
}

impl Point {
    pub(super) fn assign(&mut self, other: &Self) {
        self.z.clone_from(&other.z);
        self.f.clone_from(&other.f);
        (self.merit, self.residual) = (other.merit, other.residual);
    }

    /// Draws z into the bounds.
    pub(super) fn project(&mut self, bounds: &Bounds) {
        for (i, z) in self.z.iter_mut().enumerate() {
            *z = bounds.project(i, *z);
        }
    }

    /// Merit and residual from z and F.
    pub(super) fn judge(
        &mut self,
        bounds: &Bounds,
        settings: &PathSettings,
        scaling: &[(f64, f64)],
    ) {
        self.residual = residual_of(bounds, &self.z, &self.f);
        let rows = (0..self.z.len())
            .map(|i| row(self, i, bounds, settings.merit_function, scaling[i]).value);
        self.merit = 0.5 * rows.map(|phi| phi * phi).sum::<f64>();
    }

    /// Row with the largest natural residual.
    pub(super) fn worst(&self, bounds: &Bounds) -> (usize, f64) {
        let residual = |i: usize| crate::problem::row_residual(bounds, i, self.z[i], self.f[i]);
        let worst = (0..self.z.len()).fold((0, -1.0), |(k, r), i| {
            let own = residual(i);
            if own > r { (i, own) } else { (k, r) }
        });
        (worst.0, self.f.get(worst.0).copied().unwrap_or(0.0))
    }

    /// Indices at a bound where F holds them, zero included, are at it; all others are basic.
    pub(super) fn active(&self, bounds: &Bounds, marks: &mut Vec<BasisMark>) {
        let scale = self.f.iter().fold(1.0_f64, |m, f| m.max(f.abs()));
        let slack = 1e-12 * scale;
        marks.clear();
        for (i, (&z, &f)) in self.z.iter().zip(&self.f).enumerate() {
            marks.push(if z <= bounds.lower()[i] && f >= -slack {
                BasisMark::AtLower
            } else if z >= bounds.upper()[i] && f <= slack {
                BasisMark::AtUpper
            } else {
                BasisMark::Basic
            });
        }
    }
}

/// Row i of the function whose square is the merit.
pub(super) fn row(
    point: &Point,
    i: usize,
    bounds: &Bounds,
    function: MeritFunction,
    (r, c): (f64, f64),
) -> Row {
    let (z, f) = (point.z[i], point.f[i]);
    let (l, u) = (bounds.lower()[i], bounds.upper()[i]);
    match function {
        MeritFunction::Fischer => {
            let row = NcpFunction::FischerBurmeister.row(z / c, r * f, (l / c, u / c));
            Row {
                value: row.value,
                by_z: row.by_z / c,
                by_f: row.by_f * r,
            }
        }
        MeritFunction::Normal => {
            let held = (z <= l && f > 0.0) || (z >= u && f < 0.0) || l >= u;
            let weight = if held { 0.0 } else { 1.0 };
            Row {
                value: weight * f,
                by_z: 0.0,
                by_f: weight,
            }
        }
    }
}
