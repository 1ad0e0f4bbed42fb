//! The coordinates of one contact in which its local problem is diagonal.
//!
//! r = T r̂ and û = Tᵀ u, where T maps the cone onto itself (up to the scale of its normal). Rotations of a disc do for
//! the exact law; for the convex one T is a Lorentz transformation: W is positive definite and E = diag(−μ², 1, …)
//! is not, so one T makes both diagonal, Tᵀ E T = diag(−1, 1, …) and Tᵀ W T = diag(1 / |λ|), with λ the eigenvalues of
//! G⁻¹ E G⁻ᵀ, W = G Gᵀ.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

/// A small square matrix by rows.
pub(crate) type Block<const D: usize> = [[f64; D]; D];

/// The unit matrix.
pub(super) fn identity<const D: usize>() -> Block<D> {
    let mut t = [[0.0; D]; D];
    for (i, row) in t.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    t
}

/// Tᵀ W T.
pub(super) fn congruent<const D: usize>(w: &Block<D>, t: &Block<D>) -> Block<D> {
    let mut out = [[0.0; D]; D];
    for i in 0..D {
        let mut row = [0.0; D];
        for (k, w) in w.iter().enumerate() {
            for j in 0..D {
                row[j] += w[j] * t[k][i];
            }
        }
        for j in 0..D {
            out[i][j] = (0..D).map(|k| row[k] * t[k][j]).sum();
        }
    }
    out
}

/// Eigenvectors, as columns, of the rows and columns `from..to` of a symmetric matrix, by Jacobi's rotations; the rest
/// of the answer is that of the unit matrix.
pub(super) fn eigenvectors<const D: usize>(a: &Block<D>, from: usize, to: usize) -> Block<D> {
    /// Each sweep squares what is left: six are enough for a matrix of four rows.
    const SWEEPS: usize = 12;
    let (mut a, mut v) = (*a, identity::<D>());
    for _ in 0..SWEEPS {
        let mut still = true;
        for (p, q) in (from..to).flat_map(|p| (p + 1..to).map(move |q| (p, q))) {
            let size = (a[p][p] * a[q][q]).abs().sqrt();
            if a[p][q].abs() <= f64::EPSILON * size || a[p][q] == 0.0 {
                continue;
            }
            still = false;
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            // A square that overflows is that of a rotation by nothing.
            let tan = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cos = 1.0 / (tan * tan + 1.0).sqrt();
            let sin = tan * cos;
            for row in &mut a {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
            for j in 0..D {
                let (x, y) = (a[p][j], a[q][j]);
                (a[p][j], a[q][j]) = (cos * x - sin * y, sin * x + cos * y);
            }
            for row in &mut v {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
        }
        if still {
            break;
        }
    }
    v
}

/// T of the convex law, which makes W diagonal and keeps the cone of μ > 0, on the cone of μ = 1.
///
/// `None` if rounding spoils it: W (nearly) singular, or a very small or large μ.
pub(super) fn lorentz<const D: usize>(w: &Block<D>, mu: f64) -> Option<Block<D>> {
    /// Largest error of the two products that is taken for rounding.
    const ERROR: f64 = 1e-14;
    let g = cholesky(w)?;
    // B = G⁻¹ E G⁻ᵀ, from Y = G⁻¹.
    let inverse = invert_lower(&g);
    let form = |k: usize| if k == 0 { -mu * mu } else { 1.0 };
    let mut b = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..D {
            b[i][j] = (0..D)
                .map(|k| inverse[i][k] * form(k) * inverse[j][k])
                .sum();
        }
    }
    let v = eigenvectors(&b, 0, D);
    let lambda = congruent(&b, &v);
    let negative = (0..D).min_by(|&i, &j| lambda[i][i].total_cmp(&lambda[j][j]))?;
    let mut t = [[0.0; D]; D];
    for i in 0..D {
        let source = match i {
            0 => negative,
            i if i == negative => 0,
            i => i,
        };
        let scale = lambda[source][source].abs().sqrt().recip();
        for (k, row) in t.iter_mut().enumerate() {
            row[i] = scale * (0..D).map(|l| inverse[l][k] * v[l][source]).sum::<f64>();
        }
    }
    if t[0][0] < 0.0 {
        for row in &mut t {
            row[0] = -row[0];
        }
    }
    let (mut e, d) = (identity::<D>(), congruent(w, &t));
    e[0][0] = -mu * mu;
    let e = congruent(&e, &t);
    let good = (0..D).all(|i| {
        (0..D).all(|j| {
            let expected = match (i, j) {
                (0, 0) => -1.0,
                (i, j) if i == j => 1.0,
                _ => 0.0,
            };
            // A product that stands against terms of the size of T has their rounding.
            (e[i][j] - expected).abs() <= ERROR
                && (i == j || d[i][j].abs() <= ERROR * (d[i][i] * d[j][j]).sqrt())
        })
    });
    good.then_some(t)
}

fn cholesky<const D: usize>(w: &Block<D>) -> Option<Block<D>> {
    let mut g = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..=i {
            let sum = w[i][j] - (0..j).map(|k| g[i][k] * g[j][k]).sum::<f64>();
            if i == j {
                // NaN fails the comparison as well.
                let positive = sum > 0.0;
                if !positive {
                    return None;
                }
                g[i][i] = sum.sqrt();
            } else {
                g[i][j] = sum / g[j][j];
            }
        }
    }
    Some(g)
}

fn invert_lower<const D: usize>(g: &Block<D>) -> Block<D> {
    let mut y = [[0.0; D]; D];
    for j in 0..D {
        for i in j..D {
            let unit = if i == j { 1.0 } else { 0.0 };
            y[i][j] = (unit - (j..i).map(|k| g[i][k] * y[k][j]).sum::<f64>()) / g[i][i];
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_makes_a_part_diagonal() {
        let a = [[9.0, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 1.0, 2.0]];
        let v = eigenvectors(&a, 1, 3);
        let d = congruent(&a, &v);
        assert!(d[1][2].abs() < 1e-15 && d[0][0] == 9.0);
        assert!((d[1][1] - 1.0).abs() < 1e-15 && (d[2][2] - 3.0).abs() < 1e-15);
    }

    #[test]
    fn lorentz_keeps_the_cone() {
        let w = [[2.0, 0.3, -0.4], [0.3, 5.0, 1.0], [-0.4, 1.0, 3.0]];
        let t = lorentz(&w, 0.5).unwrap();
        // A ray of the border |r_T| = r_N goes to a ray of the border |r_T| = μ r_N.
        let r: Vec<f64> = (0..3)
            .map(|i| t[i][0] + 0.6 * t[i][1] - 0.8 * t[i][2])
            .collect();
        assert!((r[1].hypot(r[2]) - 0.5 * r[0]).abs() < 1e-14 && r[0] > 0.0);
        assert!(lorentz(&[[1.0, 1.0], [1.0, 1.0]], 0.5).is_none());
    }
}
