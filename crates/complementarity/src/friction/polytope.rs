//! Polytopes that stand for the discs of contacts.
//!
//! The tangents have vectors of equal length at equal angles, the first along the first tangent; torsion has two more, so that
//! what they span is inscribed in the ellipsoid: Σ β ≤ μ r_N is a cone over it. Rolling moments have vectors as tangents have,
//! and a bound of their own. Factors of ellipses multiply the vectors.

use super::FrictionProblem;
use super::cone::split;

/// The vectors of the discs of all contacts: those of disc 0, of friction, and of disc 1, of rolling moments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polytopes {
    /// Rows of each disc.
    rows: [usize; 2],
    /// Vectors of each disc, one after the other.
    vectors: [Vec<f64>; 2],
    /// Vectors of each disc of each contact.
    counts: [Vec<usize>; 2],
    /// Factors of the rows behind the normal; empty for round cones.
    ellipse: Vec<f64>,
}

impl Polytopes {
    /// With `directions` vectors for two tangents, and for two moments; in the plane there are two.
    ///
    /// # Panics
    /// If there are fewer than three in space, and a disc for them.
    #[track_caller]
    pub(super) fn new(step: &FrictionProblem, directions: usize) -> Self {
        let (dimension, laws) = (step.dimension(), step.laws());
        let rows = [
            split(dimension).max(1) - 1,
            dimension - split(dimension).min(dimension),
        ];
        // Directions of the plane, in rows of space as well.
        let count = if step.is_planar() { 2 } else { directions };
        let vectors = rows.map(|rows| unit_vectors(rows, count));
        let all = [0, 1].map(|disc| vectors[disc].len() / rows[disc].max(1));
        let friction = laws.mu.iter().enumerate().map(|(k, &mu)| match mu > 0.0 {
            false => 0,
            // Without torsion in its rows its vectors would have any part in the impulse.
            true if rows[0] == 3 && !twists(step, k) => all[0] - 2,
            true => all[0],
        });
        let friction: Vec<usize> = friction.collect();
        let rolling = laws.rolling.iter();
        let rolling = rolling.map(|&mu| if mu > 0.0 { all[1] } else { 0 });
        let counts = [friction, rolling.collect()];
        let has_disc = |disc: usize| rows[disc] > 1 && counts[disc].iter().any(|n| *n > 0);
        assert!(
            count >= 3 || step.is_planar() || !(has_disc(0) || has_disc(1)),
            "a pyramid in space needs three directions"
        );
        Self {
            rows,
            vectors,
            counts,
            ellipse: laws.ellipse.clone(),
        }
    }

    /// Vectors of a disc of a contact.
    pub(super) fn count(&self, disc: usize, contact: usize) -> usize {
        self.counts[disc].get(contact).copied().unwrap_or(0)
    }

    /// Most vectors of a disc.
    pub(super) fn most(&self, disc: usize) -> usize {
        self.vectors[disc].len() / self.rows[disc].max(1)
    }

    /// First row of a disc.
    pub(super) fn first_row(&self, disc: usize) -> usize {
        1 + disc * self.rows[0]
    }

    /// Vector k of a disc without the factors of an ellipse.
    ///
    /// # Panics
    /// If k is out of range.
    #[track_caller]
    pub(super) fn unit(&self, disc: usize, k: usize) -> &[f64] {
        &self.vectors[disc][k * self.rows[disc]..][..self.rows[disc]]
    }

    /// Vector k of a disc of a contact.
    pub(super) fn vector(
        &self,
        disc: usize,
        contact: usize,
        k: usize,
    ) -> impl Iterator<Item = f64> + Clone {
        let factors = self.factors(disc, contact).iter().copied();
        let factors = factors.chain(std::iter::repeat(1.0));
        self.unit(disc, k).iter().zip(factors).map(|(d, e)| d * e)
    }

    /// Factors of the rows of a disc of a contact; empty if all are 1.
    fn factors(&self, disc: usize, contact: usize) -> &[f64] {
        let first = contact * (self.rows[0] + self.rows[1]) + disc * self.rows[0];
        self.ellipse
            .get(first..first + self.rows[disc])
            .unwrap_or(&[])
    }

    /// β ≥ 0 whose sum of vectors is what a disc of a contact has of its impulse p: of the two vectors beside it in space, and of
    /// one of those of torsion.
    pub(super) fn spread(&self, disc: usize, contact: usize, p: &[f64], beta: &mut [f64]) {
        beta.fill(0.0);
        let mut t = [0.0; 3];
        let rows = self.rows[disc];
        t[..rows].copy_from_slice(&p[self.first_row(disc)..][..rows]);
        let factors = self.factors(disc, contact);
        t.iter_mut().zip(factors).for_each(|(t, e)| *t /= e);
        let is_flat = rows == 1 || self.most(disc) == 2;
        // In the plane the second row of two is nothing.
        let tangents = if is_flat { 1 } else { 2 };
        let plain = if rows == 3 {
            self.most(disc) - 2
        } else {
            beta.len()
        };
        let (beta, torsion) = beta.split_at_mut(plain);
        let vector = |k: usize| &self.unit(disc, k)[..tangents];
        spread(vector, &t[..tangents], beta);
        if let [forth, back] = torsion {
            (*forth, *back) = (t[2].max(0.0), (-t[2]).max(0.0));
        }
    }

    /// The speed of a disc of a contact against its vectors, from the relative velocity u: the largest −dᵀ u, or 0.
    pub(super) fn speed(&self, disc: usize, contact: usize, u: &[f64]) -> f64 {
        let u = &u[self.first_row(disc)..];
        let against = (0..self.count(disc, contact)).map(|k| {
            let along = self.vector(disc, contact, k).zip(u);
            -along.map(|(d, u)| d * u).sum::<f64>()
        });
        against.fold(0.0, f64::max)
    }
}

/// Whether the torsion row of a contact, its fourth, is not zero.
fn twists(step: &FrictionProblem, contact: usize) -> bool {
    !step.has_bodies() || step.moves(contact, 3)
}

impl FrictionProblem {
    /// Whether a row of a contact has an entry.
    fn moves(&self, contact: usize, row: usize) -> bool {
        let dofs = self.dofs();
        let own = |side| &self.contacts().block(contact, side)[row * dofs..][..dofs];
        let cols = self.contacts().cols()[contact];
        let moving = (0..2).filter(|&side| cols[side] != super::FIXED);
        moving.flat_map(own).any(|x| *x != 0.0)
    }

    /// Whether contacts have one tangent: two rows, or five of which the second tangent and the second rolling moment are zero, as
    /// those of the plane with rolling friction. Cone and pyramid are then one.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::collection;
    /// assert!(!collection::heap(10, 1).is_planar());
    /// ```
    pub fn is_planar(&self) -> bool {
        match self.dimension() {
            2 => true,
            5 if self.has_bodies() => (0..self.contact_count()).all(|k| {
                let is_nothing = |row| !self.moves(k, row) && self.bias()[5 * k + row] == 0.0;
                is_nothing(2) && is_nothing(4)
            }),
            _ => false,
        }
    }
}

/// Vectors of a disc of so many rows: of one row two, of two rows `count` at equal angles or along the first row alone if these are
/// two, and of three rows two more. Opposite ones are exact negatives, quarter turns are exact.
fn unit_vectors(rows: usize, count: usize) -> Vec<f64> {
    match rows {
        1 => vec![1.0, -1.0],
        2 => (0..count).flat_map(|k| unit_vector(k, count)).collect(),
        3 => {
            let around = (0..count).map(|k| unit_vector(k, count));
            let around = around.flat_map(|[x, y]| [x, y, 0.0]);
            around.chain([0.0, 0.0, 1.0, 0.0, 0.0, -1.0]).collect()
        }
        _ => Vec::new(),
    }
}

fn unit_vector(k: usize, count: usize) -> [f64; 2] {
    // Quarter turns are taken out first, so that symmetric pyramids have symmetric numbers.
    let (quarter, rest) = (4 * k / count, 4 * k % count);
    let angle = std::f64::consts::FRAC_PI_2 * rest as f64 / count as f64;
    let (sin, cos) = if 2 * rest == count {
        (
            std::f64::consts::FRAC_1_SQRT_2,
            std::f64::consts::FRAC_1_SQRT_2,
        )
    } else {
        angle.sin_cos()
    };
    match quarter {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

/// β ≥ 0 with D β = t of the two directions beside t: they are at equal angles in their order, and of one length.
pub(super) fn spread<'a>(direction: impl Fn(usize) -> &'a [f64], t: &[f64], beta: &mut [f64]) {
    let along = |j: usize| dot(direction(j), t);
    let first = (0..beta.len()).max_by(|&i, &j| along(i).total_cmp(&along(j)));
    let Some(first) = first else { return };
    if t.len() == 1 {
        beta[first] = along(first) / dot(direction(first), direction(first));
        return;
    }
    let count = beta.len();
    let beside = [(first + 1) % count, (first + count - 1) % count];
    let second = if along(beside[0]) >= along(beside[1]) {
        beside[0]
    } else {
        beside[1]
    };
    let (a, b) = (direction(first), direction(second));
    let area = a[0] * b[1] - a[1] * b[0];
    beta[first] = ((t[0] * b[1] - t[1] * b[0]) / area).max(0.0);
    beta[second] = ((a[0] * t[1] - a[1] * t[0]) / area).max(0.0);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_exact_where_they_can_be() {
        let d = unit_vectors(2, 8);
        assert_eq!(d[4..6], [0.0, 1.0]);
        assert_eq!(d[2], d[3]);
        for k in 0..4 {
            assert_eq!([-d[2 * k], -d[2 * k + 1]], d[2 * (k + 4)..][..2]);
        }
        for d in unit_vectors(2, 5).chunks_exact(2) {
            assert!((d[0] * d[0] + d[1] * d[1] - 1.0).abs() < 1e-15);
        }
        assert_eq!(unit_vectors(2, 2), [1.0, 0.0, -1.0, 0.0]);
        assert_eq!(unit_vectors(3, 4)[12..], [0.0, 0.0, 1.0, 0.0, 0.0, -1.0]);
    }
}
