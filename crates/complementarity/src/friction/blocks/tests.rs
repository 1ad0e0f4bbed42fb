//! Sweeps in other orders and by several threads, held against sweeps in the order given.

use super::order::groups;
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

/// A heap with colours of more than 512 contacts: one thread, two threads, and a plain sweep in the order of the colours
/// do the same, to the bit.
#[test]
fn colours_together_are_colours_one_by_one() {
    let heap = collection::heap(1500, 1);
    let cols = SolverView::new(&heap).bodies.unwrap().cols;
    let groups = groups(&cols, 1500, SweepOrder::Coloured);
    assert!(super::shared::pays(&groups.ends));
    let one = swept(&heap, SweepOrder::Coloured, 1);
    assert_eq!(one, swept(&heap, SweepOrder::Coloured, 2));
    let plain = swept(&permuted(&heap, &groups.order), SweepOrder::Given, 1);
    assert_eq!(one, plain);
    assert!(one.iter().any(|r| *r != 0.0));
}

/// In which order contacts that do not wait for one another come makes no difference.
#[test]
fn levels_are_the_order_given() {
    let heap = collection::heap(100, 1);
    let cols = SolverView::new(&heap).bodies.unwrap().cols;
    let groups = groups(&cols, 100, SweepOrder::Given);
    assert!(!groups.order.is_sorted());
    let plain = swept(&heap, SweepOrder::Given, 1);
    let sorted = swept(&permuted(&heap, &groups.order), SweepOrder::Given, 1);
    for (place, k) in groups.order.iter().enumerate() {
        assert_eq!(plain[3 * k..][..3], sorted[3 * place..][..3], "{k}");
    }
}
