//! Preprocessing: bounds that mean none, and variables that a row decides alone.

use std::borrow::Cow;

use crate::{Assembler, Bounds, DomainError, Mcp};

/// A problem between other bounds.
pub(super) struct Prepared<'a> {
    problem: &'a dyn Mcp,
    bounds: Bounds,
}

impl<'a> Prepared<'a> {
    /// The problem where bounds of this magnitude and beyond are none.
    pub(super) fn new(problem: &'a dyn Mcp, infinity: f64) -> Self {
        let bounds = problem.bounds();
        let lower = bounds.lower().iter();
        let lower = lower.map(|&l| if l <= -infinity { f64::NEG_INFINITY } else { l });
        let upper = bounds.upper().iter();
        let upper = upper.map(|&u| if u >= infinity { f64::INFINITY } else { u });
        // Bounds beyond the other infinity are left as they are.
        let wide = Bounds::new(lower.collect(), upper.collect());
        Self {
            problem,
            bounds: wide.unwrap_or_else(|_| bounds.clone()),
        }
    }

    /// The bounds of the problem as it was given.
    pub(super) fn given(&self) -> &Bounds {
        self.problem.bounds()
    }

    /// Fixes every variable that stands alone in its affine row, one after the other, as fixed ones count no more.
    ///
    /// With F_i = a z_i + c, a > 0, it is mid(l, −c/a, u) whatever the others are; with a = 0 the sign of c decides.
    /// Returns whether F was asked for.
    pub(super) fn fix(&mut self, start: &[f64]) -> bool {
        let n = start.len();
        let affine: Vec<usize> = (0..n).filter(|&i| self.problem.is_affine(i)).collect();
        if affine.is_empty() {
            return false;
        }
        let (mut f, mut jacobian) = (vec![0.0; n], Assembler::new(n));
        if self
            .problem
            .evaluate(start, &mut f, Some(&mut jacobian))
            .is_err()
        {
            return true;
        }
        let rows = jacobian.matrix().to_csr();
        let mut fixed: Vec<Option<f64>> = (0..n)
            .map(|i| {
                (self.bounds.lower()[i] >= self.bounds.upper()[i]).then_some(self.bounds.lower()[i])
            })
            .collect();
        loop {
            let before = fixed.iter().flatten().count();
            for &i in &affine {
                if fixed[i].is_none() {
                    fixed[i] = self.decided(i, &rows, f[i], start, &fixed);
                }
            }
            if fixed.iter().flatten().count() == before {
                break;
            }
        }
        let bound = |side: &[f64]| {
            let values = side.iter().zip(&fixed);
            values.map(|(side, fixed)| fixed.unwrap_or(*side)).collect()
        };
        let (lower, upper) = (bound(self.bounds.lower()), bound(self.bounds.upper()));
        if let Ok(bounds) = Bounds::new(lower, upper) {
            self.bounds = bounds;
        }
        true
    }

    /// z_i if row i decides it, F_i(start) = `f`.
    fn decided(
        &self,
        i: usize,
        rows: &sprs::CsMat<f64>,
        f: f64,
        start: &[f64],
        fixed: &[Option<f64>],
    ) -> Option<f64> {
        let (mut a, mut c) = (0.0, f);
        let row = rows.outer_view(i)?;
        for (j, &m) in row.iter().filter(|(_, m)| **m != 0.0) {
            if j == i {
                a += m;
                c -= m * start[i];
            } else {
                c += m * (fixed[j]? - start[j]);
            }
        }
        let (l, u) = (self.bounds.lower()[i], self.bounds.upper()[i]);
        let z = if a > 0.0 {
            (-c / a).max(l).min(u)
        } else if a == 0.0 && c > 0.0 {
            l
        } else if a == 0.0 && c < 0.0 {
            u
        } else {
            return None;
        };
        z.is_finite().then_some(z)
    }
}

impl Mcp for Prepared<'_> {
    fn len(&self) -> usize {
        self.problem.len()
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        self.problem.evaluate(z, f, jacobian)
    }

    fn is_affine(&self, row: usize) -> bool {
        self.problem.is_affine(row)
    }

    fn name(&self, index: usize) -> Cow<'_, str> {
        self.problem.name(index)
    }
}
