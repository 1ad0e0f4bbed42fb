//! Points of the iteration, with rows of F scaled to entries of the Jacobian near one.

use crate::dense::power;
use crate::ncp_function::{NcpFunction, Row};
use crate::problem::{evaluate_finite, residual_of, row_residual};
use crate::{Assembler, Bounds, DomainError, Mcp};

/// z, F(z), Φ and ½|Φ|².
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) z: Vec<f64>,
    pub(super) f: Vec<f64>,
    pub(super) phi: Vec<Row>,
    pub(super) merit: f64,
}

/// Powers of two: Φ reads r_i F_i, and its rows are taken relative to `unit`.
#[derive(Clone, Debug, Default)]
pub(super) struct Scaling {
    pub(super) row: Vec<f64>,
    unit: f64,
}

impl Scaling {
    /// No scaling of n variables.
    pub(super) fn clear(&mut self, n: usize) {
        self.row.clear();
        self.row.resize(n, 1.0);
        self.unit = 1.0;
    }

    /// Rows by the largest entry of J, within `range` of one.
    pub(super) fn balance(&mut self, jacobian: &sprs::CsMat<f64>, range: f64) {
        let mut largest = vec![0.0_f64; self.row.len()];
        for (&entry, (i, _)) in jacobian {
            largest[i] = largest[i].max(entry.abs());
        }
        for (r, largest) in self.row.iter_mut().zip(largest) {
            *r = power(largest).clamp(1.0 / range, range);
        }
    }

    /// Brings the largest |Φ_i| of `point` near one.
    pub(super) fn normalise(&mut self, point: &Point) {
        let largest = point.phi.iter().map(|phi| phi.value.abs());
        self.unit *= power(largest.fold(0.0, f64::max));
    }
}

impl Point {
    /// F at z; also ∂F/∂z, if asked for.
    pub(super) fn evaluate(
        &mut self,
        problem: &dyn Mcp,
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        self.f.resize(self.z.len(), 0.0);
        evaluate_finite(problem, &self.z, &mut self.f, jacobian)
    }

    /// Φ and its merit; not finite where they overflow.
    pub(super) fn measure(&mut self, bounds: &Bounds, scaling: &Scaling, function: NcpFunction) {
        self.phi.clear();
        for (i, (&z, &f)) in self.z.iter().zip(&self.f).enumerate() {
            let interval = (bounds.lower()[i], bounds.upper()[i]);
            let row = function.row(z, scaling.row[i] * f, interval);
            self.phi.push(Row {
                value: scaling.unit * row.value,
                by_z: scaling.unit * row.by_z,
                by_f: scaling.unit * row.by_f,
            });
        }
        self.merit = 0.5 * self.phi.iter().map(|phi| phi.value.powi(2)).sum::<f64>();
    }

    /// Natural residual, not scaled.
    pub(super) fn residual(&self, bounds: &Bounds) -> f64 {
        residual_of(bounds, &self.z, &self.f)
    }

    /// The row with the largest residual, and its F.
    pub(super) fn worst(&self, bounds: &Bounds) -> (usize, f64) {
        let residual = |i: usize| row_residual(bounds, i, self.z[i], self.f[i]);
        let worst = (0..self.z.len()).reduce(|i, j| if residual(j) > residual(i) { j } else { i });
        worst.map_or((0, 0.0), |i| (i, self.f[i]))
    }
}
