//! Polytopes that are boxes along the axes of their body.

use nalgebra::SVector;

/// A box along the body's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cuboid<const D: usize> {
    /// Middle, m.
    pub(crate) centre: SVector<f64, D>,
    /// Half lengths, m.
    pub(crate) half: SVector<f64, D>,
    /// The vertex at the lower (0) or upper (1) end i, j, k of x, y, z, at 4 i + 2 j + k.
    pub(crate) vertices: [u32; 8],
}

impl<const D: usize> Cuboid<D> {
    /// The box with these vertices, if they are those of one.
    pub(super) fn of(vertices: &[SVector<f64, D>]) -> Option<Self> {
        if vertices.len() != 8 {
            return None;
        }
        let lower = vertices.iter().fold(vertices[0], |all, x| all.inf(x));
        let upper = vertices.iter().fold(vertices[0], |all, x| all.sup(x));
        let mut out = Self {
            centre: (lower + upper) * 0.5,
            half: (upper - lower) * 0.5,
            vertices: [u32::MAX; 8],
        };
        for (name, x) in (0..).zip(vertices) {
            let mut place = 0;
            for k in 0..D {
                let is_upper = x[k].total_cmp(&upper[k]).is_eq();
                if !is_upper && x[k].total_cmp(&lower[k]).is_ne() {
                    return None;
                }
                place = 2 * place + usize::from(is_upper);
            }
            out.vertices[place] = name;
        }
        (!out.vertices.contains(&u32::MAX)).then_some(out)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use crate::Polytope;

    #[test]
    fn boxes_are_known_wherever_they_are() {
        let cuboid = Polytope::cuboid(2.0, 1.0, 0.5).unwrap();
        let known = *cuboid.as_cuboid().unwrap();
        assert_eq!(known.vertices, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(known.half, Vector3::new(1.0, 0.5, 0.25));
        let moved = cuboid.translated(&Vector3::new(3.0, 0.0, 0.0));
        assert_eq!(moved.as_cuboid().unwrap().centre, Vector3::x() * 3.0);
        // In another order of the points.
        let back = Polytope::new(cuboid.vertices().iter().rev().copied()).unwrap();
        assert_eq!(back.as_cuboid().unwrap().vertices, [7, 6, 5, 4, 3, 2, 1, 0]);
        // Sheared, and turned.
        let sheared = cuboid
            .vertices()
            .iter()
            .map(|x| Vector3::new(x.x + x.z, x.y, x.z));
        assert!(Polytope::new(sheared).unwrap().as_cuboid().is_none());
    }
}
