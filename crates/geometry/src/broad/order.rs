//! Sorting pairs of small numbers by counting.

/// Memory of the sorting.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pairs: Vec<(u32, u32)>,
    starts: Vec<usize>,
}

impl Buffers {
    /// Sorts pairs of numbers below `n`, by the second number and then, keeping that order, by the first: O(n + pairs).
    pub(super) fn sort(&mut self, pairs: &mut [(u32, u32)], n: usize) {
        self.pairs.clear();
        self.pairs.resize(pairs.len(), (0, 0));
        scatter(pairs, &mut self.pairs, (&mut self.starts, n), |pair| pair.1);
        scatter(&self.pairs, pairs, (&mut self.starts, n), |pair| pair.0);
    }
}

/// Copies the pairs in the order of their keys, equal keys in the order they had.
fn scatter(
    from: &[(u32, u32)],
    to: &mut [(u32, u32)],
    (starts, n): (&mut Vec<usize>, usize),
    key: impl Fn(&(u32, u32)) -> u32,
) {
    starts.clear();
    starts.resize(n + 1, 0);
    for pair in from {
        starts[key(pair) as usize + 1] += 1;
    }
    for k in 0..n {
        starts[k + 1] += starts[k];
    }
    for pair in from {
        let start = &mut starts[key(pair) as usize];
        to[*start] = *pair;
        *start += 1;
    }
}

/// The place of a body as it stands in a pair.
pub(super) fn rank(place: usize) -> u32 {
    u32::try_from(place).expect("a body's number is a u32, so there are no more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_sorted() {
        // Multiples of a generator modulo a prime: every pair once, shuffled.
        let mut pairs: Vec<(u32, u32)> = (0..101 * 101)
            .map(|k| (k * 7919) % (101 * 101))
            .map(|k| (k / 101, k % 101))
            .collect();
        let mut expected = pairs.clone();
        expected.sort_unstable();
        Buffers::default().sort(&mut pairs, 101);
        assert_eq!(pairs, expected);
    }
}
