//! The border to the orderings of faer; nothing of it leaves the crate.

use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd::{Control, order, order_scratch};

use crate::linalg::Scratch;

/// Orders of elimination by approximate minimum degree; memory is kept from one graph to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinimumDegree {
    starts: Vec<usize>,
    rows: Vec<usize>,
    order: Vec<usize>,
    inverse: Vec<usize>,
    scratch: Scratch,
}

impl MinimumDegree {
    /// The nodes in an order in which few new couplings arise. `edges` are couplings (a, b) with a < b, sorted, each once.
    pub(crate) fn order(&mut self, nodes: usize, edges: &[[u32; 2]]) -> &[usize] {
        self.starts.clear();
        self.starts.resize(nodes + 1, 0);
        for [_, b] in edges {
            self.starts[*b as usize + 1] += 1;
        }
        for k in 0..nodes {
            self.starts[k + 1] += self.starts[k];
        }
        // Sorted by a, each column gets its rows in order; its start serves as the place of the next one meanwhile.
        self.rows.resize(edges.len(), 0);
        for [a, b] in edges {
            let next = &mut self.starts[*b as usize];
            self.rows[*next] = *a as usize;
            *next += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
        self.order.resize(nodes, 0);
        self.inverse.resize(nodes, 0);
        let pattern =
            SymbolicSparseColMatRef::new_checked(nodes, nodes, &self.starts, None, &self.rows);
        order(
            &mut self.order,
            &mut self.inverse,
            pattern,
            Control::default(),
            self.scratch
                .stack(order_scratch::<usize>(nodes, edges.len())),
        )
        .expect("the graph fits in memory, and its indices in their type");
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hub of a star is eliminated last or, with one leaf left, next to last; a path fills nothing.
    #[test]
    fn hubs_come_late() {
        let mut degree = MinimumDegree::default();
        let star: Vec<[u32; 2]> = (1..9).map(|leaf| [0, leaf]).collect();
        let place = degree.order(9, &star).iter().position(|&node| node == 0);
        assert!(place.unwrap() >= 7, "{place:?}");
        let mut order = degree.order(4, &[[0, 3], [1, 3], [2, 3]]).to_vec();
        assert!(order[..2].iter().all(|&node| node != 3), "{order:?}");
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
        assert!(degree.order(0, &[]).is_empty());
        assert_eq!(degree.order(1, &[]), [0]);
    }
}
