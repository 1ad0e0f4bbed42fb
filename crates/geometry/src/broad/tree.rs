//! A balanced tree of boxes whose shape is kept while the bodies move, and its pairs.
//!
//! Which pairs it lists depends on the boxes alone, not on its shape.

use super::{bounds::Aabb, groups::Mask};

/// Bodies per leaf at most.
const LEAF: usize = 8;

/// The tree is built anew when the girths of its nodes have grown by this factor.
const WORN: f64 = 1.3;

/// Boxes are parted by size where the longest side is this many times the median.
const UNEQUAL: f64 = 8.0;

/// A box and what may meet it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<const D: usize> {
    pub(super) place: Aabb<D>,
    pub(super) mask: Mask,
}

impl<const D: usize> Cell<D> {
    #[inline]
    fn meets(&self, other: &Self) -> bool {
        self.place.overlaps(&other.place) & self.mask.meets(&other.mask)
    }
}

/// All items `first..last` in the tree's order; leaves have no right child, the left child is the next node.
#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    cell: Cell<D>,
    first: u32,
    last: u32,
    right: u32,
}

/// What the building sorts.
#[derive(Clone, Copy, Debug)]
struct Seed<const D: usize> {
    centre: [f64; D],
    size: f64,
    rank: u32,
}

/// Marks a leaf in place of the right child: the root is nobody's child.
const NO_CHILD: u32 = 0;

#[derive(Clone, Debug, Default)]
pub(super) struct Tree<const D: usize> {
    seeds: Vec<Seed<D>>,
    /// Nodes in depth-first order.
    nodes: Vec<Node<D>>,
    /// Cells in the order of the seeds.
    items: Vec<Cell<D>>,
    /// Sum of the girths of all nodes after building.
    built: f64,
}

/// Pairs of ranks (smaller, larger) in no particular order, up to a limit.
pub(super) struct Sink<'a> {
    pub(super) pairs: &'a mut Vec<(u32, u32)>,
    pub(super) limit: usize,
}

impl Sink<'_> {
    #[inline]
    pub(super) fn push(&mut self, one: u32, other: u32) {
        self.pairs.push(if one < other {
            (one, other)
        } else {
            (other, one)
        });
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.pairs.len() > self.limit
    }
}

impl<const D: usize> Tree<D> {
    /// Builds the tree of the bodies `ranks`, whose cells are `cells[rank]`.
    pub(super) fn build(&mut self, cells: &[Cell<D>], ranks: impl Iterator<Item = u32>) {
        self.seeds.clear();
        self.seeds.extend(ranks.map(|rank| {
            let place = &cells[rank as usize].place;
            Seed {
                centre: place.centre(),
                size: place.longest(),
                rank,
            }
        }));
        self.nodes.clear();
        if !self.seeds.is_empty() {
            split(&mut self.nodes, &mut self.seeds, 0);
        }
        self.built = self.refit(cells);
    }

    /// Takes over where the bodies are now; builds anew if they have moved so much that the tree serves badly.
    pub(super) fn update(&mut self, cells: &[Cell<D>]) {
        if self.refit(cells) > WORN * self.built {
            for seed in &mut self.seeds {
                let place = &cells[seed.rank as usize].place;
                (seed.centre, seed.size) = (place.centre(), place.longest());
            }
            self.nodes.clear();
            split(&mut self.nodes, &mut self.seeds, 0);
            self.built = self.refit(cells);
        }
    }

    /// The boxes of all nodes from those of the bodies; the sum of their girths.
    fn refit(&mut self, cells: &[Cell<D>]) -> f64 {
        self.items.clear();
        self.items
            .extend(self.seeds.iter().map(|seed| cells[seed.rank as usize]));
        let mut total = 0.0;
        for k in (0..self.nodes.len()).rev() {
            let node = self.nodes[k];
            let cell = if node.right == NO_CHILD {
                let items = &self.items[node.first as usize..node.last as usize];
                items.iter().fold(empty(), |all, item| union(&all, item))
            } else {
                union(
                    &self.nodes[k + 1].cell,
                    &self.nodes[node.right as usize].cell,
                )
            };
            total += cell.place.girth();
            self.nodes[k].cell = cell;
        }
        total
    }

    /// Lists all pairs of bodies whose boxes overlap and that may meet.
    pub(super) fn pairs(&self, sink: &mut Sink<'_>) {
        if !self.nodes.is_empty() {
            self.within(0, sink);
        }
    }

    fn within(&self, k: usize, sink: &mut Sink<'_>) {
        let node = &self.nodes[k];
        if sink.is_full() || !node.cell.mask.meets(&node.cell.mask) {
            return;
        }
        if node.right == NO_CHILD {
            let (first, last) = (node.first as usize, node.last as usize);
            for i in first..last {
                self.item_with(i, i + 1, last, sink);
            }
        } else {
            let right = node.right as usize;
            self.within(k + 1, sink);
            self.within(right, sink);
            self.between(k + 1, right, sink);
        }
    }

    fn between(&self, a: usize, b: usize, sink: &mut Sink<'_>) {
        let (node_a, node_b) = (&self.nodes[a], &self.nodes[b]);
        if !node_a.cell.meets(&node_b.cell) || sink.is_full() {
            return;
        }
        match (node_a.right == NO_CHILD, node_b.right == NO_CHILD) {
            (true, true) => {
                for i in node_a.first as usize..node_a.last as usize {
                    if self.items[i].meets(&node_b.cell) {
                        self.item_with(i, node_b.first as usize, node_b.last as usize, sink);
                    }
                }
            }
            (leaf_a, leaf_b) => {
                let larger = node_a.cell.place.girth() >= node_b.cell.place.girth();
                if leaf_b || (larger && !leaf_a) {
                    self.between(a + 1, b, sink);
                    self.between(node_a.right as usize, b, sink);
                } else {
                    self.between(a, b + 1, sink);
                    self.between(a, node_b.right as usize, sink);
                }
            }
        }
    }

    #[inline]
    fn item_with(&self, i: usize, first: usize, last: usize, sink: &mut Sink<'_>) {
        for k in first..last {
            if self.items[i].meets(&self.items[k]) {
                sink.push(self.seeds[i].rank, self.seeds[k].rank);
            }
        }
    }
}

fn empty<const D: usize>() -> Cell<D> {
    Cell {
        place: Aabb::empty(),
        mask: Mask::NONE,
    }
}

#[inline]
fn union<const D: usize>(a: &Cell<D>, b: &Cell<D>) -> Cell<D> {
    Cell {
        place: a.place.union(&b.place),
        mask: a.mask.union(&b.mask),
    }
}

/// Appends the nodes of these seeds, which are items from `first` on, and orders the seeds.
fn split<const D: usize>(nodes: &mut Vec<Node<D>>, seeds: &mut [Seed<D>], first: usize) {
    let here = nodes.len();
    let item = |k: usize| u32::try_from(k).expect("u32 counts the bodies");
    nodes.push(Node {
        cell: empty(),
        first: item(first),
        last: item(first + seeds.len()),
        right: NO_CHILD,
    });
    if seeds.len() <= LEAF {
        return;
    }
    let middle = part(seeds);
    let (left, right) = seeds.split_at_mut(middle);
    split(nodes, left, first);
    nodes[here].right = item(nodes.len());
    split(nodes, right, first + middle);
}

/// Orders the seeds so that two groups are `..middle` and `middle..`, neither empty: the large and the small ones if few are
/// much larger than most, else two halves along the axis along which their centres spread most.
fn part<const D: usize>(seeds: &mut [Seed<D>]) -> usize {
    let middle = seeds.len() / 2;
    if let Some(count) = part_by_size(seeds) {
        return count;
    }
    let spread = |axis: usize| {
        let (low, high) = seeds
            .iter()
            .map(|s| s.centre[axis])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
        high - low
    };
    let axis = (1..D).fold(0, |best, axis| {
        if spread(axis) > spread(best) {
            axis
        } else {
            best
        }
    });
    seeds.select_nth_unstable_by(middle, |a, b| a.centre[axis].total_cmp(&b.centre[axis]));
    middle
}

/// Orders the seeds so that those much larger than most come first; how many these are, `None` if there are none.
fn part_by_size<const D: usize>(seeds: &mut [Seed<D>]) -> Option<usize> {
    let (least, largest) = seeds
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, largest), seed| {
            (least.min(seed.size), largest.max(seed.size))
        });
    // Mostly so, and then there is no need of the median.
    if largest <= UNEQUAL * least {
        return None;
    }
    let middle = seeds.len() / 2;
    let (_, median, _) = seeds.select_nth_unstable_by(middle, |a, b| a.size.total_cmp(&b.size));
    if largest <= UNEQUAL * median.size {
        return None;
    }
    // At least the largest is above this, and at least half of all are below.
    let bound = if largest.is_finite() {
        largest / UNEQUAL.sqrt()
    } else {
        f64::MAX
    };
    let mut count = 0;
    for k in 0..seeds.len() {
        if seeds[k].size > bound {
            seeds.swap(k, count);
            count += 1;
        }
    }
    Some(count)
}
