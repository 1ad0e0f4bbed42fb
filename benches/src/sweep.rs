//! Sort and sweep along one axis: what the tree of the broad phase is measured against.

use signorini_geometry::Aabb;

/// All pairs of overlapping boxes, by sweeping along the first axis; the order is kept from call to call.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::Aabb;
/// let square = |x| Aabb { lower: Vector2::new(x, 0.0), upper: Vector2::new(x + 1.0, 1.0) };
/// let mut sweep = signorini_benches::Sweep::default();
/// assert_eq!(sweep.pairs(&[square(0.0), square(3.0), square(0.5)]), [(0, 2)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Sweep {
    /// The pairs, sorted.
    ///
    /// # Panics
    /// With 2³² boxes or more.
    pub fn pairs<const D: usize>(&mut self, boxes: &[Aabb<D>]) -> &[(u32, u32)] {
        if self.order.len() != boxes.len() {
            let n = u32::try_from(boxes.len()).expect("u32 counts the boxes");
            self.order = (0..n).collect();
        }
        let lower = |k: u32| boxes[k as usize].lower[0];
        // A stable sort takes little time where little has changed.
        self.order.sort_by(|&a, &b| lower(a).total_cmp(&lower(b)));
        self.pairs.clear();
        for (k, &a) in self.order.iter().enumerate() {
            let place = &boxes[a as usize];
            for &b in &self.order[k + 1..] {
                if lower(b) > place.upper[0] {
                    break;
                }
                if place.overlaps(&boxes[b as usize]) {
                    self.pairs.push((a.min(b), a.max(b)));
                }
            }
        }
        self.pairs.sort_unstable();
        &self.pairs
    }
}
