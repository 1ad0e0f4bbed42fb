//! L U of a sparse matrix of N × N blocks whose pattern is symmetric, with pivots inside of the diagonal blocks only.
//!
//! # Method
//! Nodes are eliminated by approximate minimum degree. The order, the fill and the place of every update are found once for a
//! pattern, and serve every pattern that is hardly smaller; the numeric part is a list of products of small blocks.
//! Of a symmetric matrix only the products of the lower half are formed.
//!
//! # Guarantees and limits
//! Meant for unit matrices plus what contacts add; nothing is known of its stability for other matrices, and a caller
//! has to look at the residual. Sequential, the same bits for the same input.
//!
//! # References
//! - \[ADD1996\] P. R. Amestoy, T. A. Davis, I. S. Duff, An approximate minimum degree ordering algorithm, SIAM J. Matrix
//!   Anal. Appl. 17, 1996.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]
#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

use super::lanes::{Kernel, widest};
use crate::ordering::MinimumDegree;

/// A block by rows.
type Block<const N: usize> = [[f64; N]; N];

/// The factors; all memory is kept from one matrix to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockLu<const N: usize> {
    nodes: usize,
    ordering: MinimumDegree,
    edges: Vec<[u32; 2]>,
    /// The couplings that order and fill are for, each once and in order; and workspace for such a list.
    pattern: Vec<[u32; 2]>,
    wanted: Vec<[u32; 2]>,
    /// Number of couplings that the order was found for.
    ordered: usize,
    /// How often the places of the blocks have changed.
    changes: usize,
    /// Elimination order, and the place of each node in it.
    order: Vec<u32>,
    rank: Vec<u32>,
    /// Neighbours of the pivot k at its elimination: `neighbours[start[k]..start[k + 1]]`, in the order of theirs.
    start: Vec<usize>,
    neighbours: Vec<u32>,
    /// Block (pivot, pivot) of node i at i; of entry e of the neighbours, (neighbour, pivot) at n + 2 e and
    /// (pivot, neighbour) behind it.
    blocks: Vec<Block<N>>,
    /// Blocks that each product of the factorisation is subtracted from, in order.
    targets: Vec<u32>,
    /// Inverses of the diagonal blocks.
    inverses: Vec<Block<N>>,
}

/// Part of the couplings that must be left for the order of more of them to serve: order and fill cost about half of a
/// factorisation, and zeros that are factorised about as much from here on.
const KEPT: f64 = 0.8;

/// Part of the couplings that a pattern may have less or more than the one whose order it takes over: to find an order
/// takes longer than all that follows from it.
const ALIKE: f64 = 0.5;

/// No node.
const NONE: u32 = u32::MAX;

impl<const N: usize> BlockLu<N> {
    /// Finds order and fill for `nodes` nodes with couplings `edges`, if the present ones do not serve.
    pub(super) fn analyse(&mut self, nodes: usize, edges: &[[u32; 2]]) {
        let known = self.nodes == nodes && self.order.len() == nodes;
        if known && self.edges == edges {
            return;
        }
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        self.wanted.clear();
        let different = edges.iter().filter(|[a, b]| a != b);
        self.wanted
            .extend(different.map(|&[a, b]| [a.min(b), a.max(b)]));
        self.wanted.sort_unstable();
        self.wanted.dedup();
        if known && serves(&self.pattern, &self.wanted) {
            return;
        }
        self.nodes = nodes;
        self.changes += 1;
        std::mem::swap(&mut self.pattern, &mut self.wanted);
        let (now, then) = (self.pattern.len() as f64, self.ordered as f64);
        if !known || now < ALIKE * then || then < ALIKE * now {
            self.find_order();
        }
        self.eliminate();
        let count = self.nodes + 2 * self.neighbours.len();
        self.blocks.resize(count, [[0.0; N]; N]);
        self.inverses.resize(nodes, [[0.0; N]; N]);
        self.find_targets();
    }

    fn find_order(&mut self) {
        self.ordered = self.pattern.len();
        self.order.clear();
        let order = self.ordering.order(self.nodes, &self.pattern);
        self.order.extend(order.iter().map(|&node| number(node)));
        self.rank.resize(self.nodes, 0);
        for (k, &node) in self.order.iter().enumerate() {
            self.rank[node as usize] = number(k);
        }
    }

    /// What each pivot is coupled to at its elimination: its later neighbours and those of the pivots whose first neighbour
    /// it is.
    fn eliminate(&mut self) {
        // Couplings by the earlier of their nodes, in places of the order: the later ones of k end at `ends[k]`.
        let places = |edge: &[u32; 2]| {
            let [a, b] = edge.map(|node| self.rank[node as usize]);
            (a.min(b) as usize, a.max(b))
        };
        let mut ends = vec![0; self.nodes + 1];
        for edge in &self.pattern {
            ends[places(edge).0 + 1] += 1;
        }
        for k in 0..self.nodes {
            ends[k + 1] += ends[k];
        }
        let mut later = vec![0; self.pattern.len()];
        for edge in &self.pattern {
            let (a, b) = places(edge);
            later[ends[a]] = b;
            ends[a] += 1;
        }
        self.neighbours.clear();
        self.start.clear();
        self.start.push(0);
        // Pivots that are waiting for their first neighbour, as lists through `next`.
        let (mut waiting, mut next) = (vec![NONE; self.nodes], vec![NONE; self.nodes]);
        let mut seen = vec![NONE; self.nodes];
        for k in 0..self.nodes {
            let first = self.neighbours.len();
            let pivot = number(k);
            let before = if k == 0 { 0 } else { ends[k - 1] };
            for &b in &later[before..ends[k]] {
                seen[b as usize] = pivot;
                self.neighbours.push(b);
            }
            let mut child = waiting[k];
            while child != NONE {
                for e in self.start[child as usize] + 1..self.start[child as usize + 1] {
                    let b = self.neighbours[e];
                    if seen[b as usize] != pivot {
                        seen[b as usize] = pivot;
                        self.neighbours.push(b);
                    }
                }
                child = next[child as usize];
            }
            self.neighbours[first..].sort_unstable();
            self.start.push(self.neighbours.len());
            if let Some(&parent) = self.neighbours.get(first) {
                next[k] = std::mem::replace(&mut waiting[parent as usize], pivot);
            }
        }
        for place in &mut self.neighbours {
            *place = self.order[*place as usize];
        }
    }

    /// Where each product goes: for neighbours i before j of one pivot to the blocks of j among the neighbours of i.
    fn find_targets(&mut self) {
        self.targets.clear();
        let place = |place: usize| u32::try_from(place).expect("fewer blocks than 2³²");
        // Entries of the neighbours of i, by node.
        let mut entries = vec![0; self.nodes];
        for k in 0..self.nodes {
            let near = &self.neighbours[self.start[k]..self.start[k + 1]];
            let (first, n) = (self.targets.len(), near.len());
            self.targets.resize(first + n * n, 0);
            for (a, &i) in near.iter().enumerate() {
                self.targets[first + a * n + a] = i;
                let own = self.rank[i as usize] as usize;
                for e in self.start[own]..self.start[own + 1] {
                    entries[self.neighbours[e] as usize] = e;
                }
                for (b, &j) in near.iter().enumerate().skip(a + 1) {
                    let lower = self.nodes + 2 * entries[j as usize];
                    self.targets[first + b * n + a] = place(lower);
                    self.targets[first + a * n + b] = place(lower + 1);
                }
            }
        }
    }

    /// How often [`Self::analyse`] has given the blocks other places: before the first time 0.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    /// Where the block (j, i) stands, from the place of (i, j).
    pub(super) fn across(&self, place: usize) -> usize {
        place
            .checked_sub(self.nodes)
            .map_or(place, |entry| self.nodes + (entry ^ 1))
    }

    /// Where the block (i, j) stands, until [`Self::changes`] grows.
    ///
    /// # Panics
    /// If the block is not in the pattern.
    pub(super) fn place(&self, i: u32, j: u32) -> usize {
        if i == j {
            return i as usize;
        }
        let (ri, rj) = (self.rank[i as usize], self.rank[j as usize]);
        let (pivot, other, upper) = if ri < rj { (ri, j, 1) } else { (rj, i, 0) };
        let first = self.start[pivot as usize];
        let near = &self.neighbours[first..self.start[pivot as usize + 1]];
        let rank = self.rank[other as usize];
        let entry = near
            .binary_search_by_key(&rank, |i| self.rank[*i as usize])
            .expect("in the analysed pattern");
        self.nodes + 2 * (first + entry) + upper
    }

    /// Whether block (i, j) is in the half that [`Self::factor`] takes from the other one of a symmetric matrix.
    pub(super) fn is_upper(&self, i: u32, j: u32) -> bool {
        self.rank[i as usize] < self.rank[j as usize]
    }

    /// The unit matrix.
    pub(super) fn fill_identity(&mut self) {
        self.blocks.fill([[0.0; N]; N]);
        for block in &mut self.blocks[..self.nodes] {
            for (i, row) in block.iter_mut().enumerate() {
                row[i] = 1.0;
            }
        }
    }

    /// Block (i, j) += leftᵀ right, both by rows.
    #[inline(always)]
    pub(super) fn add_product(
        &mut self,
        (i, j): (u32, u32),
        left: &[[f64; N]],
        right: &[[f64; N]],
    ) {
        self.add_product_at(self.place(i, j), left, right);
    }

    /// The same to the block at this place.
    #[inline(always)]
    pub(super) fn add_product_at(&mut self, place: usize, left: &[[f64; N]], right: &[[f64; N]]) {
        let block = &mut self.blocks[place];
        for (i, row) in block.iter_mut().enumerate() {
            let mut sum = *row;
            for (l, r) in left.iter().zip(right) {
                for n in 0..N {
                    sum[n] += l[i] * r[n];
                }
            }
            *row = sum;
        }
    }

    /// Factorises; `None` if a diagonal block is singular. With `symmetric` the upper half is taken from the lower one.
    pub(super) fn factor(&mut self, symmetric: bool) -> Option<()> {
        widest(Factor(self, symmetric))
    }

    #[inline(always)]
    fn factor_plainly(&mut self, symmetric: bool) -> Option<()> {
        let mut first = 0;
        for k in 0..self.nodes {
            let pivot = self.order[k] as usize;
            // What a pivot changes are diagonal blocks and those of later pivots, which stand behind its own.
            let (start, end) = (self.start[k], self.start[k + 1]);
            let (head, tail) = self.blocks.split_at_mut(self.nodes + 2 * start);
            let (own, later) = tail.split_at_mut(2 * (end - start));
            let before = self.nodes + 2 * end;
            let inverse = if symmetric {
                invert_definite(&head[pivot])?
            } else {
                invert(&head[pivot])?
            };
            self.inverses[pivot] = inverse;
            for [lower, upper] in own.as_chunks_mut().0 {
                if symmetric {
                    *upper = transposed(lower);
                }
                *lower = product(lower, &inverse);
            }
            let own = own.as_chunks::<2>().0;
            let n = own.len();
            for (a, [lower, upper]) in own.iter().enumerate() {
                let targets = &self.targets[first + a * n..][..n];
                let used = if symmetric { a } else { n };
                // Blocks left of the diagonal, on it, and right of it.
                for (target, [_, upper]) in targets.iter().zip(&own[..a]) {
                    subtract_product(&mut later[*target as usize - before], lower, upper);
                }
                subtract_product(&mut head[targets[a] as usize], lower, upper);
                for (target, [_, upper]) in targets[..used].iter().zip(&own[..used]).skip(a + 1) {
                    subtract_product(&mut later[*target as usize - before], lower, upper);
                }
            }
            first += n * n;
        }
        Some(())
    }

    /// x ← A⁻¹ x, after [`Self::factor`].
    pub(super) fn solve(&self, x: &mut [[f64; N]]) {
        widest(Solve(self, x));
    }

    #[inline(always)]
    fn solve_plainly(&self, x: &mut [[f64; N]]) {
        for k in 0..self.nodes {
            let pivot = x[self.order[k] as usize];
            for e in self.start[k]..self.start[k + 1] {
                let block = &self.blocks[self.nodes + 2 * e];
                subtract(&mut x[self.neighbours[e] as usize], block, &pivot);
            }
        }
        for k in (0..self.nodes).rev() {
            let pivot = self.order[k] as usize;
            let mut y = x[pivot];
            for e in self.start[k]..self.start[k + 1] {
                let block = &self.blocks[self.nodes + 2 * e + 1];
                subtract(&mut y, block, &x[self.neighbours[e] as usize]);
            }
            for (x, row) in x[pivot].iter_mut().zip(&self.inverses[pivot]) {
                *x = row.iter().zip(&y).map(|(a, y)| a * y).sum();
            }
        }
    }
}

struct Factor<'a, const N: usize>(&'a mut BlockLu<N>, bool);

impl<const N: usize> Kernel for Factor<'_, N> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        self.0.factor_plainly(self.1)
    }
}

struct Solve<'a, const N: usize>(&'a BlockLu<N>, &'a mut [[f64; N]]);

impl<const N: usize> Kernel for Solve<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.solve_plainly(self.1);
    }
}

fn number(k: usize) -> u32 {
    u32::try_from(k).expect("fewer nodes than 2³²")
}

/// Whether order and fill of `pattern` serve for `wanted`: they cover it, and it is not much smaller.
fn serves(pattern: &[[u32; 2]], wanted: &[[u32; 2]]) -> bool {
    if (wanted.len() as f64) < KEPT * pattern.len() as f64 {
        return false;
    }
    let mut known = pattern.iter();
    wanted.iter().all(|edge| known.any(|other| other == edge))
}

#[inline(always)]
fn subtract<const N: usize>(y: &mut [f64; N], a: &Block<N>, x: &[f64; N]) {
    for (y, row) in y.iter_mut().zip(a) {
        *y -= row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

/// Loops over numbers, which the compiler unrolls into whole rows in registers.
#[inline(always)]
fn product<const N: usize>(a: &Block<N>, b: &Block<N>) -> Block<N> {
    let mut c = [[0.0; N]; N];
    for i in 0..N {
        let mut row = [0.0; N];
        for k in 0..N {
            for n in 0..N {
                row[n] += a[i][k] * b[k][n];
            }
        }
        c[i] = row;
    }
    c
}

#[inline(always)]
fn subtract_product<const N: usize>(c: &mut Block<N>, a: &Block<N>, b: &Block<N>) {
    for i in 0..N {
        let mut row = c[i];
        for k in 0..N {
            for n in 0..N {
                row[n] -= a[i][k] * b[k][n];
            }
        }
        c[i] = row;
    }
}

#[inline(always)]
fn transposed<const N: usize>(a: &Block<N>) -> Block<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// By Gauss and Jordan in the order given: of a positive definite matrix, which needs no other pivots.
#[inline(always)]
fn invert_definite<const N: usize>(a: &Block<N>) -> Option<Block<N>> {
    let mut a = *a;
    for c in 0..N {
        let pivot = a[c][c];
        // NaN fails the comparison as well.
        let usable = pivot > 0.0;
        if !usable {
            return None;
        }
        let scale = 1.0 / pivot;
        // In place: column c turns from that of the matrix into that of the inverse.
        a[c][c] = 1.0;
        for n in 0..N {
            a[c][n] *= scale;
        }
        let row = a[c];
        for i in 0..N {
            if i != c {
                let factor = a[i][c];
                a[i][c] = 0.0;
                for n in 0..N {
                    a[i][n] -= factor * row[n];
                }
            }
        }
    }
    Some(a)
}

/// By Gauss and Jordan with row pivots.
#[inline(always)]
fn invert<const N: usize>(a: &Block<N>) -> Option<Block<N>> {
    let (mut a, mut inverse) = (*a, [[0.0; N]; N]);
    for (i, row) in inverse.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for c in 0..N {
        let p = (c..N).fold(c, |p, i| if a[i][c].abs() > a[p][c].abs() { i } else { p });
        // NaN fails the comparison as well.
        let usable = a[p][c].abs() > 0.0;
        if !usable {
            return None;
        }
        a.swap(c, p);
        inverse.swap(c, p);
        let scale = 1.0 / a[c][c];
        for n in 0..N {
            a[c][n] *= scale;
            inverse[c][n] *= scale;
        }
        let (row, inverse_row) = (a[c], inverse[c]);
        for i in (0..N).filter(|i| *i != c) {
            let factor = a[i][c];
            for n in 0..N {
                a[i][n] -= factor * row[n];
                inverse[i][n] -= factor * inverse_row[n];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    #[test]
    fn solutions_solve_and_patterns_change() {
        let mut rng = SplitMix64::new(3);
        let mut lu = BlockLu::<2>::default();
        for nodes in [1_u32, 2, 5, 30, 30] {
            let size = nodes as usize;
            let edges: Vec<[u32; 2]> = (0..3 * nodes)
                .map(|_| [0; 2].map(|_| u32::try_from(rng.below(size)).unwrap()))
                .collect();
            lu.analyse(size, &edges);
            lu.fill_identity();
            let mut dense = vec![vec![0.0; 2 * size]; 2 * size];
            (0..2 * size).for_each(|i| dense[i][i] = 1.0);
            for &[a, b] in &edges {
                let row = |rng: &mut SplitMix64| [0.0; 2].map(|_| rng.uniform() - 0.5);
                let (left, right) = (row(&mut rng), row(&mut rng));
                for (i, j) in [(a, a), (a, b), (b, a), (b, b)] {
                    // Diagonally dominant enough, and not symmetric.
                    let right = if i == j { left } else { right.map(|x| 0.3 * x) };
                    lu.add_product((i, j), &[left], &[right]);
                    for (x, y) in (0..2).flat_map(|x| (0..2).map(move |y| (x, y))) {
                        dense[2 * i as usize + x][2 * j as usize + y] += left[x] * right[y];
                    }
                }
            }
            let mut plain = lu.clone();
            assert!(lu.factor(false).is_some());
            let x: Vec<[f64; 2]> = (0..size).map(|i| [i as f64, 1.0]).collect();
            let flat: Vec<f64> = x.iter().flatten().copied().collect();
            let product = |row: &Vec<f64>| row.iter().zip(&flat).map(|(a, x)| a * x).sum::<f64>();
            let image: Vec<f64> = dense.iter().map(product).collect();
            let mut rhs: Vec<[f64; 2]> = image.chunks(2).map(|c| [c[0], c[1]]).collect();
            let mut plainly = rhs.clone();
            lu.solve(&mut rhs);
            for (a, b) in rhs.iter().flatten().zip(&flat) {
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
            // Wide vectors change no bit.
            assert!(plain.factor_plainly(false).is_some());
            plain.solve_plainly(&mut plainly);
            assert_eq!((&lu.blocks, rhs), (&plain.blocks, plainly));
        }
    }

    /// A pattern that shrinks a little keeps its order, and both ways to factorise agree.
    #[test]
    fn symmetric_matrices_need_half_of_the_products() {
        let mut rng = SplitMix64::new(5);
        let size = 40;
        let mut edges: Vec<[u32; 2]> = (0..100)
            .map(|_| [0; 2].map(|_| u32::try_from(rng.below(size)).unwrap()))
            .collect();
        let mut lu = BlockLu::<3>::default();
        let mut sizes = Vec::new();
        for count in [100, 98, 50] {
            edges.truncate(count);
            lu.analyse(size, &edges);
            let x: Vec<[f64; 3]> = (0..size).map(|i| [i as f64, 1.0, -2.0]).collect();
            let row = |k: usize, side: usize| -> [f64; 3] {
                std::array::from_fn(|n| ((7 * k + 3 * side + n) as f64).sin())
            };
            // (1 + Σ rows) x, formed directly.
            let mut rhs = x.clone();
            for (k, edge) in edges.iter().enumerate() {
                let side = |s: usize| {
                    let y = &x[edge[s] as usize];
                    row(k, s).iter().zip(y).map(|(a, b)| a * b).sum::<f64>()
                };
                let u = side(0) + side(1);
                for s in 0..2 {
                    let y = &mut rhs[edge[s] as usize];
                    y.iter_mut().zip(row(k, s)).for_each(|(y, a)| *y += a * u);
                }
            }
            for symmetric in [false, true] {
                lu.fill_identity();
                for (k, edge) in edges.iter().enumerate() {
                    for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        lu.add_product((edge[s], edge[t]), &[row(k, s)], &[row(k, t)]);
                    }
                }
                assert!(lu.factor(symmetric).is_some());
                let mut y = rhs.clone();
                lu.solve(&mut y);
                for (a, b) in y.iter().flatten().zip(x.iter().flatten()) {
                    assert!((a - b).abs() < 1e-9, "{a} {b}");
                }
            }
            sizes.push(lu.pattern.len());
        }
        assert!(sizes[0] == sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
    }

    #[test]
    fn a_singular_block_is_told() {
        let mut lu = BlockLu::<2>::default();
        lu.analyse(1, &[]);
        lu.fill_identity();
        lu.add_product((0, 0), &[[1.0, 0.0]], &[[-1.0, 0.0]]);
        assert!(lu.factor(false).is_none());
        lu.analyse(0, &[]);
        lu.fill_identity();
        assert!(lu.factor(false).is_some());
    }
}
