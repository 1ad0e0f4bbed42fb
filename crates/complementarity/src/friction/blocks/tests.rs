//! Sweeps in other orders and by several threads, held against sweeps in the order given.

use super::order::{coloured, packed};
use super::*;
use crate::{BlockRows, collection};

/// States after three sweeps, in the order in which contacts are kept.
fn swept(problem: &FrictionProblem, order: SweepOrder, threads: usize) -> Vec<f64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let view = SolverView::new(problem);
        let mut blocks = prepare(problem, &view, order);
        let mut state = vec![0.0; problem.len()];
        for _ in 0..3 {
            blocks.sweep(1.3);
        }
        blocks.state_into(&mut state);
        state
    })
}

/// The same problem with its contacts in another order.
fn permuted(problem: &FrictionProblem, order: &[usize]) -> FrictionProblem {
    let mut data = problem.clone().into_data();
    let (rows, mut contacts) = (problem.contacts(), BlockRows::new(3, 6));
    for &k in order {
        contacts.push(rows.cols()[k], rows.block(k, 0), rows.block(k, 1));
    }
    data.contacts = contacts;
    data.bias = order
        .iter()
        .flat_map(|k| &problem.bias()[3 * k..][..3])
        .copied()
        .collect();
    data.mu = order.iter().map(|&k| problem.mu()[k]).collect();
    FrictionProblem::new(data).unwrap()
}

/// The same contacts between spheres with other inertia, seen from points beside their centres of mass: every contact
/// couples all of its rows.
pub(super) fn uneven(problem: &FrictionProblem) -> FrictionProblem {
    let mut data = problem.clone().into_data();
    for block in data.mass.chunks_exact_mut(36) {
        for (i, moment) in [2.5e-3, 4e-3, 6e-3].iter().enumerate() {
            block[7 * (3 + i)] = *moment;
        }
        for (i, j, c) in [(0, 4, 0.01), (1, 3, -0.01), (2, 3, 0.01)] {
            (block[6 * i + j], block[6 * j + i]) = (c, c);
        }
    }
    FrictionProblem::new(data).unwrap()
}

/// A heap with colours of more than 512 contacts: one thread, two threads, and a plain sweep in the order of the colours
/// do the same, to the bit.
#[test]
fn colours_together_are_colours_one_by_one() {
    let heap = collection::heap(1500, 1);
    let cols = SolverView::new(&heap).bodies.unwrap().cols;
    let groups = coloured(&cols, 1500);
    assert!(
        !super::schedule::numbering(&cols, 1500, SweepOrder::Coloured)
            .ends
            .is_empty()
    );
    let one = swept(&heap, SweepOrder::Coloured, 1);
    assert_eq!(one, swept(&heap, SweepOrder::Coloured, 2));
    let plain = swept(&permuted(&heap, &groups.order), SweepOrder::Given, 1);
    assert_eq!(one, plain);
    assert!(one.iter().any(|r| *r != 0.0));
}

/// In which order contacts that do not wait for one another come makes no difference.
#[test]
fn packed_contacts_are_in_the_order_given() {
    let heap = collection::heap(100, 1);
    let cols = SolverView::new(&heap).bodies.unwrap().cols;
    let groups = packed(&cols, 100, |_| false);
    assert!(!groups.order.is_sorted());
    let plain = swept(&heap, SweepOrder::Given, 1);
    let sorted = swept(&permuted(&heap, &groups.order), SweepOrder::Given, 1);
    for (place, k) in groups.order.iter().enumerate() {
        assert_eq!(plain[3 * k..][..3], sorted[3 * place..][..3], "{k}");
    }
}
