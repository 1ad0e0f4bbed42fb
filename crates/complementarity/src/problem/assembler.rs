//! A sparse Jacobian, pushed entry by entry.

use sprs::{CsMat, TriMat};

/// Collects the entries of an n × n Jacobian; entries at the same place add up.
///
/// # Method
/// The first round records the sequence of places and where each ends up in the columns; later rounds with the same
/// sequence only write values, without allocation. Another sequence is recorded anew.
///
/// # Examples
/// ```
/// use signorini_complementarity::Assembler;
/// let mut jacobian = Assembler::new(2);
/// for scale in [1.0, 2.0] {
///     jacobian.begin();
///     jacobian.push(0, 0, scale);
///     jacobian.push(0, 0, scale);
///     jacobian.push(1, 0, 0.0);
/// }
/// assert_eq!(jacobian.matrix().get(0, 0), Some(&4.0));
/// assert_eq!(jacobian.matrix().nnz(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Assembler {
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
    /// Where each value of the recorded sequence stands in the matrix.
    slots: Vec<usize>,
    matrix: CsMat<f64>,
    /// Entries of the round at hand.
    count: usize,
    /// Whether the places differ from those of `slots`, and the values from those of `matrix`.
    places_changed: bool,
    values_changed: bool,
}

impl Assembler {
    /// An empty n × n Jacobian.
    pub fn new(n: usize) -> Self {
        Self {
            places: Vec::new(),
            values: Vec::new(),
            slots: Vec::new(),
            matrix: CsMat::zero((n, n)).to_csc(),
            count: 0,
            places_changed: false,
            values_changed: false,
        }
    }

    /// Forgets the values and begins a round.
    pub fn begin(&mut self) {
        self.count = 0;
        self.values_changed = true;
    }

    /// Adds `value` at this place.
    ///
    /// # Panics
    /// If the place is not in the matrix.
    pub fn push(&mut self, row: usize, col: usize, value: f64) {
        if self.places.get(self.count) == Some(&(row, col)) {
            self.values[self.count] = value;
        } else {
            let n = self.matrix.rows();
            assert!(row < n && col < n, "({row}, {col}) is outside of {n} x {n}");
            self.places.truncate(self.count);
            self.values.truncate(self.count);
            self.places.push((row, col));
            self.values.push(value);
            self.places_changed = true;
        }
        self.count += 1;
        self.values_changed = true;
    }

    /// The sum of what was pushed since the round began, by columns.
    pub fn matrix(&mut self) -> &CsMat<f64> {
        if self.count < self.places.len() {
            self.places.truncate(self.count);
            self.values.truncate(self.count);
            self.places_changed = true;
        }
        if self.places_changed {
            self.record();
        }
        if self.values_changed {
            let data = self.matrix.data_mut();
            data.fill(0.0);
            for (&slot, value) in self.slots.iter().zip(&self.values) {
                data[slot] += value;
            }
        }
        (self.places_changed, self.values_changed) = (false, false);
        &self.matrix
    }

    /// What [`Self::matrix`] returned last.
    pub(crate) fn assembled(&self) -> &CsMat<f64> {
        &self.matrix
    }

    fn record(&mut self) {
        let n = self.matrix.rows();
        let mut triplets = TriMat::with_capacity((n, n), self.places.len());
        for &(row, col) in &self.places {
            triplets.add_triplet(row, col, 0.0);
        }
        self.matrix = triplets.to_csc();
        let slot = |&(row, col): &(usize, usize)| {
            let at = self.matrix.nnz_index(row, col);
            at.expect("every place was recorded").0
        };
        self.slots = self.places.iter().map(slot).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_sequence_is_recorded_anew() {
        let mut assembler = Assembler::new(3);
        assembler.push(2, 0, 1.0);
        assembler.push(0, 1, 2.0);
        assert_eq!(assembler.matrix().nnz(), 2);
        assembler.begin();
        assembler.push(2, 0, 5.0);
        assert_eq!(assembler.matrix().nnz(), 1);
        assert_eq!(assembler.matrix().get(2, 0), Some(&5.0));
        assembler.begin();
        assembler.push(1, 1, 3.0);
        assembler.push(2, 0, 4.0);
        assert_eq!(assembler.matrix().get(1, 1), Some(&3.0));
        assert_eq!(assembler.matrix().get(2, 0), Some(&4.0));
        assembler.begin();
        assert_eq!(assembler.matrix().nnz(), 0);
    }
}
