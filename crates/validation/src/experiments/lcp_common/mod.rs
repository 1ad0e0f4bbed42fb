//! What the experiments on linear complementarity problems share: a judge that owes the solvers nothing, and
//! where the claims come from.

mod judge;

pub(super) use judge::{Expected, Finding, Judgement, Original};

use crate::experiment::Source;

/// Where the theory stands that the claims of the group `lcp` follow.
pub(super) const fn source(item: &'static str) -> Source {
    Source {
        paper: "CPS1992",
        item,
        citation: "R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, Academic Press, 1992, \
                   doi:10.1137/1.9780898719000",
    }
}

/// The larger one; NaN counts as infinite, so that it cannot hide.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::INFINITY
    } else {
        a.max(b)
    }
}

/// The middle of the sorted numbers, the lower one of two; 0 for none.
pub(super) fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get(sorted.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_the_worst() {
        assert_eq!(worse(1.0, f64::NAN).to_bits(), f64::INFINITY.to_bits());
        assert_eq!(worse(f64::NAN, 1.0).to_bits(), f64::INFINITY.to_bits());
        assert_eq!(worse(1.0, 2.0).to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn the_median_is_one_of_the_numbers() {
        assert_eq!(median([3.0, 1.0, 2.0]).to_bits(), 2.0_f64.to_bits());
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]).to_bits(), 2.0_f64.to_bits());
        assert_eq!(median([]).to_bits(), 0.0_f64.to_bits());
    }
}
