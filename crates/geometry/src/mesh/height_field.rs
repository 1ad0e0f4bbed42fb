//! Grounds given by heights over a grid.

use nalgebra::Vector3;

use crate::shapes::{finite, positive};
use crate::{Polytope, Pose, ShapeError, TriangleMesh, Union};

/// Heights over a grid of the xy plane, whose middle is the origin: z = h(i, j) at x = (i − (m − 1)/2) dx and
/// y = (j − (n − 1)/2) dy. Between them the surface is two triangles per cell, parted by the diagonal from (i, j) to
/// (i + 1, j + 1).
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::HeightField;
/// let field = HeightField::new(vec![vec![0.0, 0.0], vec![0.5, 0.0], vec![0.0, 0.0]], [2.0, 4.0])?;
/// assert_eq!(field.point(1, 0), Vector3::new(0.0, -2.0, 0.5));
/// let ground = field.ground(1.0)?;
/// assert_eq!((ground.pieces().len(), ground.hull().lower.z), (4, -1.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    heights: Vec<Vec<f64>>,
    spacing: [f64; 2],
}

impl HeightField {
    /// The field of these heights h(i, j) (m), a list for each i, with the spacing (dx, dy) (m).
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`], [`ShapeError::NotPositive`]; [`ShapeError::SmallGrid`] without two of each, or with lists of
    /// different lengths.
    pub fn new(heights: Vec<Vec<f64>>, spacing: [f64; 2]) -> Result<Self, ShapeError> {
        let columns = heights.first().map_or(0, Vec::len);
        let shortest = heights.iter().map(Vec::len).min().unwrap_or(0);
        let even = heights.iter().all(|row| row.len() == columns);
        if heights.len() < 2 || columns < 2 || !even {
            return Err(ShapeError::SmallGrid {
                rows: heights.len(),
                shortest,
            });
        }
        for &height in heights.iter().flatten() {
            finite("height", height)?;
        }
        positive("spacing in x", spacing[0])?;
        positive("spacing in y", spacing[1])?;
        Ok(Self { heights, spacing })
    }

    /// Numbers m and n of heights in x and in y.
    pub fn counts(&self) -> [usize; 2] {
        [self.heights.len(), self.heights[0].len()]
    }

    /// Point (i, j) of the surface, m.
    ///
    /// # Panics
    /// If there is no such point.
    #[track_caller]
    pub fn point(&self, i: usize, j: usize) -> Vector3<f64> {
        let [m, n] = self.counts();
        let from_middle = |k: usize, count: usize| k as f64 - 0.5 * (count - 1) as f64;
        Vector3::new(
            from_middle(i, m) * self.spacing[0],
            from_middle(j, n) * self.spacing[1],
            self.heights[i][j],
        )
    }

    /// The triangles of the surface.
    ///
    /// # Errors
    /// As [`TriangleMesh::new`].
    pub fn mesh(&self) -> Result<TriangleMesh, ShapeError> {
        let n = self.counts()[1];
        let points = self.each_point().map(|[i, j]| self.point(i, j));
        let number = |[i, j]: [usize; 2]| u32::try_from(i * n + j).unwrap_or(u32::MAX);
        TriangleMesh::new(
            points,
            self.each_triangle().map(|corners| corners.map(number)),
        )
    }

    /// The ground below the surface, solid down to `depth` (m) below its lowest point: a column under each triangle. It has
    /// a mass, and sides and a bottom that bodies can touch.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; as [`Polytope::new`] for a column.
    pub fn ground(&self, depth: f64) -> Result<Union<3>, ShapeError> {
        let lowest = self
            .heights
            .iter()
            .flatten()
            .fold(f64::INFINITY, |low, &h| low.min(h));
        let base = lowest - positive("depth", depth)?;
        let column = |corners: [[usize; 2]; 3]| {
            let top = corners.map(|[i, j]| self.point(i, j));
            let foot = top.map(|x| Vector3::new(x.x, x.y, base));
            let set = Polytope::new(top.into_iter().chain(foot))?;
            Ok((set, Pose::identity()))
        };
        Union::new(
            self.each_triangle()
                .map(column)
                .collect::<Result<Vec<_>, _>>()?,
        )
    }

    fn each_point(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [m, n] = self.counts();
        (0..m).flat_map(move |i| (0..n).map(move |j| [i, j]))
    }

    /// Corners of each triangle, counter-clockwise from above.
    fn each_triangle(&self) -> impl Iterator<Item = [[usize; 2]; 3]> + use<> {
        let [m, n] = self.counts();
        let cells = (0..m - 1).flat_map(move |i| (0..n - 1).map(move |j| [i, j]));
        cells.flat_map(|[i, j]| {
            let (here, there) = ([i, j], [i + 1, j + 1]);
            [[here, [i + 1, j], there], [here, there, [i, j + 1]]]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_has_the_volume_below_the_surface() {
        // A pyramid of height 3 on a slab 1 thick: over each cell of side 1 with one raised corner 1/6 + 1/6 per triangle
        // that has it.
        let heights = vec![vec![0.0; 3], vec![0.0, 3.0, 0.0], vec![0.0; 3]];
        let field = HeightField::new(heights, [1.0, 1.0]).unwrap();
        let ground = field.ground(1.0).unwrap();
        let mass = ground.mass_properties_of_density(1.0).unwrap();
        // The raised point is a corner of six triangles of area ½, over each of which stand 3/3 · ½.
        assert!((mass.mass - (4.0 + 6.0 * 0.5)).abs() < 1e-14);
        assert_eq!(field.mesh().unwrap().triangles().len(), 8);
        let normals = field.mesh().unwrap();
        let up = (0..8).all(|k| {
            let [p, q, r] = normals.corners(k);
            (q - p).cross(&(r - p)).z > 0.0
        });
        assert!(up, "the surface looks up");
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        let one = HeightField::new(vec![vec![0.0, 1.0]], [1.0, 1.0]);
        assert_eq!(
            one,
            Err(ShapeError::SmallGrid {
                rows: 1,
                shortest: 2
            })
        );
        let uneven = HeightField::new(vec![vec![0.0, 1.0], vec![0.0]], [1.0, 1.0]);
        assert_eq!(
            uneven,
            Err(ShapeError::SmallGrid {
                rows: 2,
                shortest: 1
            })
        );
        assert!(HeightField::new(vec![vec![0.0; 2]; 2], [0.0, 1.0]).is_err());
        assert!(HeightField::new(vec![vec![f64::NAN; 2]; 2], [1.0, 1.0]).is_err());
    }
}
