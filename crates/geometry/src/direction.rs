//! Direction and length of a vector of any length.

use nalgebra::SVector;

/// Largest coordinates whose squares neither vanish nor overflow, with a wide margin.
pub(crate) const DIRECT: std::ops::Range<f64> = 1e-100..1e100;

/// Unit vector and length of d; `None` for zero. Tiny and huge vectors are scaled first, so that squares neither
/// vanish nor overflow; others are not, so that no digit is lost.
pub(crate) fn direction<const D: usize>(d: &SVector<f64, D>) -> Option<(SVector<f64, D>, f64)> {
    let largest = d.amax();
    if largest == 0.0 {
        return None;
    }
    let scale = if DIRECT.contains(&largest) {
        1.0
    } else {
        largest
    };
    let scaled = d / scale;
    let norm = scaled.norm();
    Some((scaled / norm, norm * scale))
}

/// Unit vectors across the unit vector n, orthogonal to each other: D − 1 of them.
pub(crate) fn tangents<const D: usize>(n: &SVector<f64, D>) -> [SVector<f64, D>; 2] {
    let mut out = [SVector::zeros(); 2];
    if D == 2 {
        (out[0][0], out[0][1]) = (-n[1], n[0]);
        return out;
    }
    let least = n.iamin();
    let mut axis = SVector::<f64, D>::zeros();
    axis[least] = 1.0;
    out[0] = (axis - n * n[least]).normalize();
    out[1] = n.cross(&out[0]);
    out
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;

    #[test]
    fn tangents_are_orthonormal() {
        let n = nalgebra::Vector3::new(0.6, -0.48, 0.64);
        let [s, t] = tangents(&n);
        assert!(s.dot(&n).abs() < 1e-16 && t.dot(&n).abs() < 1e-16 && s.dot(&t).abs() < 1e-16);
        assert!((s.norm() - 1.0).abs() < 1e-15 && (t.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn of_vectors_of_any_length() {
        for scale in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let (unit, length) = direction(&Vector2::new(3.0 * scale, 4.0 * scale)).unwrap();
            assert!((unit - Vector2::new(0.6, 0.8)).norm() < 1e-15);
            assert!((length / scale - 5.0).abs() < 1e-14);
        }
        assert_eq!(direction(&Vector2::zeros()), None);
    }
}
