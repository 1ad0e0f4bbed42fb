//! Grounds of the plane given by heights along a line.

use nalgebra::Vector2;

use crate::shapes::{finite, positive};
use crate::{Polygon, Pose, ShapeError, Union};

/// Heights along the x axis, whose middle is the origin: y = h(i) at x = (i − (n − 1)/2) dx, with straight lines between.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::HeightProfile;
/// let profile = HeightProfile::new(vec![0.0, 0.5, 0.0], 2.0)?;
/// assert_eq!(profile.point(1), Vector2::new(0.0, 0.5));
/// let ground = profile.ground(1.0)?;
/// assert_eq!((ground.pieces().len(), ground.hull().lower.y), (2, -1.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightProfile {
    heights: Vec<f64>,
    spacing: f64,
}

impl HeightProfile {
    /// The profile of these heights h(i) (m), with the spacing dx (m).
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`], [`ShapeError::NotPositive`]; [`ShapeError::ShortProfile`] without two heights.
    pub fn new(heights: Vec<f64>, spacing: f64) -> Result<Self, ShapeError> {
        if heights.len() < 2 {
            return Err(ShapeError::ShortProfile {
                found: heights.len(),
            });
        }
        for &height in &heights {
            finite("height", height)?;
        }
        positive("spacing", spacing)?;
        Ok(Self { heights, spacing })
    }

    /// Point i of the surface, m.
    ///
    /// # Panics
    /// If there is no such point.
    #[track_caller]
    pub fn point(&self, i: usize) -> Vector2<f64> {
        let from_middle = i as f64 - 0.5 * (self.heights.len() - 1) as f64;
        Vector2::new(from_middle * self.spacing, self.heights[i])
    }

    /// The ground below the surface, solid down to `depth` (m) below its lowest point: a column under each line. It has a
    /// mass, and sides and a bottom that bodies can touch.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; as [`Polygon::new`] for a column.
    pub fn ground(&self, depth: f64) -> Result<Union<2>, ShapeError> {
        let lowest = self.heights.iter().copied().fold(f64::INFINITY, f64::min);
        let base = lowest - positive("depth", depth)?;
        let column = |i: usize| {
            let [p, q] = [self.point(i), self.point(i + 1)];
            let corners = [[p.x, base], [q.x, base], [q.x, q.y], [p.x, p.y]];
            Ok((Polygon::new(corners)?, Pose::identity()))
        };
        let columns = (0..self.heights.len() - 1).map(column);
        Union::new(columns.collect::<Result<Vec<_>, ShapeError>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_has_the_area_below_the_surface() {
        let profile = HeightProfile::new(vec![0.0, 3.0, 1.0, 1.0], 0.5).unwrap();
        let ground = profile.ground(2.0).unwrap();
        let mass = ground.mass_properties_of_density(1.0).unwrap();
        // Trapezoids over a slab of 2: 0.75, 1 and 0.5.
        assert!((mass.mass - (1.5 * 2.0 + 2.25)).abs() < 1e-14);
        assert_eq!(profile.point(0), Vector2::new(-0.75, 0.0));
    }

    #[test]
    fn what_is_no_line_is_refused() {
        let one = HeightProfile::new(vec![1.0], 1.0);
        assert_eq!(one, Err(ShapeError::ShortProfile { found: 1 }));
        assert!(HeightProfile::new(vec![0.0; 2], 0.0).is_err());
        assert!(HeightProfile::new(vec![0.0, f64::INFINITY], 1.0).is_err());
        let level = HeightProfile::new(vec![0.0; 2], 1.0).unwrap();
        assert!(level.ground(0.0).is_err());
    }
}
