//! Products of the rows of one contact or equation with the velocities of its two bodies.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

/// J v of one contact.
#[inline(always)]
pub(super) fn pull<const D: usize, const N: usize>(
    v: &[[f64; N]],
    bodies: [u32; 2],
    rows: &[[[f64; N]; D]; 2],
) -> [f64; D] {
    let (a, b) = (&v[bodies[0] as usize], &v[bodies[1] as usize]);
    let mut u = [0.0; D];
    for (i, u) in u.iter_mut().enumerate() {
        // Two running sums, so that the products go side by side.
        let mut sums = [0.0; 2];
        for n in 0..N {
            sums[n % 2] += rows[0][i][n] * a[n] + rows[1][i][n] * b[n];
        }
        *u = sums[0] + sums[1];
    }
    u
}

/// v += Jᵀ r of one contact.
#[inline(always)]
pub(super) fn push<const D: usize, const N: usize>(
    v: &mut [[f64; N]],
    bodies: [u32; 2],
    rows: &[[[f64; N]; D]; 2],
    r: &[f64; D],
) {
    for (side, &body) in rows.iter().zip(&bodies) {
        let v = &mut v[body as usize];
        for n in 0..N {
            let mut sum = v[n];
            for (row, r) in side.iter().zip(r) {
                sum += row[n] * r;
            }
            v[n] = sum;
        }
    }
}

/// v += Jᵀ r of one row.
#[inline(always)]
pub(super) fn push_row<const N: usize>(
    v: &mut [[f64; N]],
    bodies: [u32; 2],
    rows: &[[f64; N]; 2],
    r: f64,
) {
    for (row, &body) in rows.iter().zip(&bodies) {
        for (v, x) in v[body as usize].iter_mut().zip(row) {
            *v += x * r;
        }
    }
}

/// J v of one row.
#[inline(always)]
pub(super) fn pull_row<const N: usize>(
    v: &[[f64; N]],
    bodies: [u32; 2],
    rows: &[[f64; N]; 2],
) -> f64 {
    let side = |k: usize| {
        let products = rows[k].iter().zip(&v[bodies[k] as usize]);
        products.map(|(a, b)| a * b).sum::<f64>()
    };
    side(0) + side(1)
}
