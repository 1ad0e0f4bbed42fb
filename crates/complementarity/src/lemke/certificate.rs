//! What a ray of Lemke's method is worth, and the search for a proof of infeasibility.
//!
//! ```math
//! y \ge 0, \quad M^T y \le 0, \quad q^T y < 0 \quad\Rightarrow\quad \text{no } z \ge 0 \text{ has } M z + q \ge 0
//! ```
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 4.4.

use super::LemkeSettings;
use super::path::{End, follow};
use super::scaled::ScaledLcp;
use super::tableau::{Place, Tableau};
use crate::residual::LinearView;
use crate::{Certificate, Stats};

/// The ray along which the variable of `column` grows, in the data of the unscaled LCP.
pub(super) fn ray(tableau: &Tableau, lcp: &ScaledLcp, column: usize) -> Certificate {
    let n = lcp.len();
    let direction = |variable: usize| match tableau.place(variable) {
        Place::Row(row) => tableau.entry(row, column).max(0.0),
        Place::Column(c) => f64::from(u8::from(c == column)),
    };
    Certificate::Ray {
        z: (0..n).map(|i| direction(n + i) * lcp.col[i]).collect(),
        w: (0..n).map(|i| direction(i) / lcp.row[i]).collect(),
        z0: direction(tableau.z0()),
    }
}

/// y, scaled to a largest entry of one and cleaned of rounding, if it proves infeasibility.
pub(super) fn farkas(
    view: &LinearView<'_>,
    y: &[f64],
    settings: &LemkeSettings,
) -> Option<Vec<f64>> {
    let tolerance = settings.certificate_tolerance;
    let largest = y.iter().fold(0.0_f64, |m, y| m.max(*y));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let clean = |y: &f64| {
        if *y > tolerance * largest {
            y / largest
        } else {
            0.0
        }
    };
    let y: Vec<f64> = y.iter().map(clean).collect();
    let (mut sum, mut size) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    for (&m, (i, j)) in view.m {
        sum[j] += m * y[i];
        size[j] += (m * y[i]).abs();
    }
    let products = || view.q.iter().zip(&y).map(|(q, y)| q * y);
    let negative =
        products().sum::<f64>() < -tolerance.sqrt() * products().map(f64::abs).sum::<f64>();
    let dual = sum
        .iter()
        .zip(&size)
        .all(|(s, size)| *s <= tolerance * size);
    (negative && dual).then_some(y)
}

/// Searches a proof: single rows first, then the linear program min Σz, M z + q ≥ 0, z ≥ 0, as the skew-symmetric
/// LCP with M = [0 −Mᵀ; M 0], on which Lemke's method ends in a solution or in a ray that holds y.
pub(super) fn search(
    view: &LinearView<'_>,
    lcp: &ScaledLcp,
    settings: &LemkeSettings,
) -> Option<Vec<f64>> {
    let n = lcp.len();
    for i in (0..n).filter(|&i| lcp.q[i] < 0.0) {
        if lcp.m[i * n..][..n].iter().all(|m| *m <= 0.0) {
            let mut y = vec![0.0; n];
            y[i] = 1.0;
            return farkas(view, &y, settings);
        }
    }
    let mut m = vec![0.0; 4 * n * n];
    for i in 0..n {
        for j in 0..n {
            let value = lcp.m[i * n + j];
            m[(n + i) * 2 * n + j] = value;
            m[j * 2 * n + n + i] = -value;
        }
    }
    let q = std::iter::repeat_n(1.0, n)
        .chain(lcp.q.iter().copied())
        .collect();
    let (program, mut tableau) = (ScaledLcp::new(m, q), Tableau::default());
    tableau.start_cold(&program, &program.row);
    let End::Ray(column) = follow(
        &mut tableau,
        &program,
        settings,
        &mut Stats::default(),
        &mut (),
    ) else {
        return None;
    };
    let Certificate::Ray { z, .. } = ray(&tableau, &program, column) else {
        return None;
    };
    let y: Vec<f64> = z[n..].iter().zip(&lcp.row).map(|(y, r)| y * r).collect();
    farkas(view, &y, settings)
}
