//! A balanced tree of boxes that do not move.

use crate::Aabb;

/// Boxes per leaf at most.
const LEAF: usize = 4;

/// Marks a leaf in place of the right child: the root is nobody's child.
const NO_CHILD: u32 = 0;

/// Boxes in the order of the tree, and its nodes in depth-first order: the left child is the next node.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree<const D: usize> {
    nodes: Vec<Node<D>>,
    items: Vec<(Aabb<D>, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    hull: Aabb<D>,
    first: u32,
    last: u32,
    right: u32,
}

impl<const D: usize> Tree<D> {
    pub(super) fn new(boxes: impl Iterator<Item = Aabb<D>>) -> Self {
        let mut this = Self {
            nodes: Vec::new(),
            items: boxes.zip(0..).collect(),
        };
        if !this.items.is_empty() {
            split(&mut this.nodes, &mut this.items, 0);
        }
        this
    }

    /// The box around all.
    pub(super) fn hull(&self) -> Option<&Aabb<D>> {
        self.nodes.first().map(|root| &root.hull)
    }

    /// Calls `f` with the numbers of all boxes that overlap `place`, in no particular order.
    pub(super) fn over(&self, place: &Aabb<D>, f: &mut dyn FnMut(u32)) {
        if !self.nodes.is_empty() {
            self.walk(0, place, f);
        }
    }

    fn walk(&self, at: usize, place: &Aabb<D>, f: &mut dyn FnMut(u32)) {
        let node = &self.nodes[at];
        if !node.hull.overlaps(place) {
            return;
        }
        if node.right == NO_CHILD {
            let items = &self.items[node.first as usize..node.last as usize];
            let near = items.iter().filter(|(own, _)| own.overlaps(place));
            near.for_each(|&(_, number)| f(number));
        } else {
            self.walk(at + 1, place, f);
            self.walk(node.right as usize, place, f);
        }
    }
}

/// Appends the nodes of these items, of which the first is number `first`, and orders them: halves along the axis along
/// which the centres spread most.
fn split<const D: usize>(nodes: &mut Vec<Node<D>>, items: &mut [(Aabb<D>, u32)], first: usize) {
    let index = |k: usize| u32::try_from(k).expect("a union has fewer pieces than u32 counts");
    let here = nodes.len();
    let hull = items
        .iter()
        .fold(Aabb::empty(), |all, (own, _)| all.union(own));
    nodes.push(Node {
        hull,
        first: index(first),
        last: index(first + items.len()),
        right: NO_CHILD,
    });
    if items.len() <= LEAF {
        return;
    }
    let spread = |axis: usize| {
        let centres = items.iter().map(|(own, _)| own.centre()[axis]);
        let (low, high) = centres.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
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
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |(a, i), (b, j)| {
        let order = a.centre()[axis].total_cmp(&b.centre()[axis]);
        order.then(i.cmp(j))
    });
    let (left, right) = items.split_at_mut(middle);
    split(nodes, left, first);
    nodes[here].right = index(nodes.len());
    split(nodes, right, first + middle);
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;

    #[test]
    fn finds_what_a_search_through_all_finds() {
        let mut seed = 1_u64;
        let mut random = move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f64 / f64::from(1_u32 << 24)
        };
        let mut any = || {
            let lower = Vector2::new(random() * 10.0, random());
            Aabb {
                lower,
                upper: lower + Vector2::new(random(), 0.2 * random()),
            }
        };
        let boxes: Vec<_> = (0..100).map(|_| any()).collect();
        let tree = Tree::new(boxes.iter().copied());
        for _ in 0..50 {
            let place = any();
            let mut found = Vec::new();
            tree.over(&place, &mut |number| found.push(number));
            found.sort_unstable();
            let all = (0..).zip(&boxes).filter(|(_, own)| own.overlaps(&place));
            assert_eq!(found, all.map(|(k, _)| k).collect::<Vec<u32>>());
        }
    }
}
