//! Cones of normals, by the unit vectors that span them.

use nalgebra::SVector;

use super::seam::FLUSH;

/// Whether a direction is in the cone of these unit vectors.
pub(super) fn holds<const D: usize>(cone: &[SVector<f64, D>], m: &SVector<f64, D>) -> bool {
    into_cone(m, cone).is_some_and(|nearest| (nearest - m).norm() <= FLUSH)
}

/// Number of independent directions among unit vectors.
pub(super) fn rank<const D: usize>(all: &[SVector<f64, D>]) -> usize {
    let mut basis = [SVector::<f64, D>::zeros(); D];
    let mut len = 0;
    for n in all {
        let known = &basis[..len];
        let rest = known.iter().fold(*n, |rest, b| rest - b * b.dot(&rest));
        if len < D && rest.norm() > FLUSH {
            basis[len] = rest.normalize();
            len += 1;
        }
    }
    len
}

/// The unit vector of the cone of these unit vectors that is nearest to the unit vector m; `None` if m points away from all.
pub(super) fn into_cone<const D: usize>(
    m: &SVector<f64, D>,
    cone: &[SVector<f64, D>],
) -> Option<SVector<f64, D>> {
    // The nearest point is that of a face of the cone; faces of all sizes are tried.
    let mut best: Option<(f64, SVector<f64, D>)> = None;
    let mut offer = |p: SVector<f64, D>| {
        let length = p.norm();
        if length > 0.0 {
            let unit = p / length;
            let cosine = unit.dot(m);
            if cosine > 0.0 && best.is_none_or(|(most, _)| cosine > most) {
                best = Some((cosine, unit));
            }
        }
    };
    for (i, u) in cone.iter().enumerate() {
        offer(*u);
        for (j, v) in cone[..i].iter().enumerate() {
            if let Some(p) = onto_two(m, u, v) {
                offer(p);
            }
            for w in cone[..j].iter().take(if D == 3 { j } else { 0 }) {
                // In the cone of three: on the inner side of all their planes.
                let inner = |p: &SVector<f64, D>, q: &SVector<f64, D>, r: &SVector<f64, D>| {
                    let across = p.cross(q);
                    across.dot(r) * across.dot(m) >= 0.0 && across.dot(r) != 0.0
                };
                if inner(u, v, w) && inner(v, w, u) && inner(w, u, v) {
                    offer(*m);
                }
            }
        }
    }
    best.map(|(_, unit)| unit)
}

/// The projection of m onto the plane of u and v if it is between them.
fn onto_two<const D: usize>(
    m: &SVector<f64, D>,
    u: &SVector<f64, D>,
    v: &SVector<f64, D>,
) -> Option<SVector<f64, D>> {
    let c = u.dot(v);
    let free = 1.0 - c * c;
    if free <= FLUSH * FLUSH {
        return None;
    }
    let (p, q) = (u.dot(m), v.dot(m));
    let (i, j) = ((p - c * q) / free, (q - c * p) / free);
    (i >= 0.0 && j >= 0.0).then(|| u * i + v * j)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn the_nearest_vector_of_a_cone() {
        let cone = [Vector3::x(), Vector3::y(), Vector3::z()];
        let inside = Vector3::new(1.0, 2.0, 3.0).normalize();
        assert_eq!(into_cone(&inside, &cone), Some(inside));
        let beside = Vector3::new(3.0, 4.0, -1.0).normalize();
        let nearest = into_cone(&beside, &cone).unwrap();
        assert!((nearest - Vector3::new(0.6, 0.8, 0.0)).norm() < 1e-15);
        assert_eq!(into_cone(&-inside, &cone), None);
    }

    #[test]
    fn the_rank_of_directions() {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        assert_eq!(rank::<3>(&[]), 0);
        assert_eq!(rank(&[x, -x, x]), 1);
        assert_eq!(rank(&[x, (x + y).normalize(), y]), 2);
        assert_eq!(rank(&[x, (x + y).normalize(), z]), 3);
    }
}
