//! Broad phase: which bodies are near each other, without looking at all pairs.
//!
//! Finds all pairs $(a, b)$, $a < b$, whose inflated bounds have a point in common:
//!
//! ```math
//! l_a - r_a \le u_b + r_b \quad\text{and}\quad l_b - r_b \le u_a + r_a \quad\text{along every axis}
//! ```
//!
//! with the tight boxes l ≤ x ≤ u of both and their reaches r, such as h (|v| + |ω| R) plus half a margin.
//!
//! # Method
//! A balanced tree of boxes: halved along the axis along which the centres spread most, boxes much larger than most parted
//! from the rest first. While bodies move, its shape is kept and its boxes are computed anew from the leaves up; when these
//! have grown by 30 %, or a body came or left, it is built anew. Subtrees that do not overlap, that are fixed on both
//! sides, or whose groups do not meet, are passed over together. Half-spaces are held against every body.
//!
//! # Guarantees and limits
//! The list is a function of the bodies that are in now: where they have been, in which order they came and what the tree
//! looks like do not change it. It is sorted by (a, b). The work grows with the number of bodies and of overlapping boxes.
//! No allocation once the buffers have their size.
//!
//! # References
//! - C. Ericson, Real-Time Collision Detection, Morgan Kaufmann 2005, chapters 4, 6 and 7.
//! - G. van den Bergen, Efficient collision detection of complex deformable models using AABB trees, Journal of Graphics
//!   Tools 2(4), 1997.

mod bounds;
mod error;
mod groups;
mod order;
mod tree;

pub use bounds::{Aabb, Bounds};
pub use error::BroadPhaseError;
pub use groups::Groups;

use groups::Mask;
use nalgebra::SVector;
use tree::{Cell, Sink, Tree};

/// A body as the broad phase sees it.
///
/// | name     | unit | meaning                                                                        |
/// | -------- | ---- | ------------------------------------------------------------------------------ |
/// | `bounds` | m    | box or half-space of the placed set, [`Placed::bounds`](crate::Placed::bounds) |
/// | `reach`  | m    | by how much they are inflated, at least 0                                      |
/// | `groups` | –    | whom it meets                                                                  |
/// | `fixed`  | –    | whether it stays: two fixed bodies are no pair                                 |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy<const D: usize> {
    /// Bounds of the set, m.
    pub bounds: Bounds<D>,
    /// Inflation, m.
    pub reach: f64,
    /// Whom it meets.
    pub groups: Groups,
    /// Whether it stays.
    pub fixed: bool,
}

impl<const D: usize> Proxy<D> {
    /// A moving body in group 0 that meets all, with bounds that are not inflated.
    pub fn new(bounds: Bounds<D>) -> Self {
        Self {
            bounds,
            reach: 0.0,
            groups: Groups::default(),
            fixed: false,
        }
    }
}

/// All pairs of bodies with overlapping bounds, while bodies move, come and go.
///
/// Bodies have numbers of the caller's choice. Appending the largest number is cheapest, an insertion in between moves
/// those behind.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, BroadPhase, ConvexSet, HalfSpace, Placed, Pose, Proxy};
/// let (floor, ball) = (ConvexSet::from(HalfSpace::up()), ConvexSet::from(Ball::new(0.5)?));
/// let at = |x, z| Placed::new(&ball, Pose::from_position(Vector3::new(x, 0.0, z)));
///
/// let mut broad = BroadPhase::new();
/// let floor = Placed::new(&floor, Pose::identity()).bounds();
/// broad.insert(0, Proxy { fixed: true, ..Proxy::new(floor) })?;
/// for (id, x) in [(1, 0.0), (2, 0.9), (3, 5.0)] {
///     broad.insert(id, Proxy::new(at(x, 0.5).bounds()))?;
/// }
/// assert_eq!(broad.pairs()?, [(0, 1), (0, 2), (0, 3), (1, 2)]);
///
/// // The last one leaves the floor, and comes within 20 cm of the second, which counts with a reach of 10 cm each.
/// let reach = 0.1;
/// broad.update(2, at(0.9, 0.5).bounds(), reach)?;
/// broad.update(3, at(2.05, 1.0).bounds(), reach)?;
/// broad.exclude(1, 2)?;
/// assert_eq!(broad.pairs()?, [(0, 1), (0, 2), (2, 3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BroadPhase<const D: usize> {
    /// With more pairs than this [`BroadPhase::pairs`] is an error: each takes 16 bytes. Pairs that are excluded count too.
    /// Default 2²⁶ = 67,108,864, all pairs of 11,585 bodies.
    pub max_pairs: usize,
    /// Numbers of the bodies, increasing; their places are the ranks that the rest counts by.
    ids: Vec<u32>,
    /// Inflated boxes; half-spaces have one that nothing overlaps.
    cells: Vec<Cell<D>>,
    half_spaces: Vec<HalfSpaceProxy<D>>,
    /// Excluded pairs of numbers, increasing.
    excluded: Vec<(u32, u32)>,
    tree: Tree<D>,
    state: Freshness,
    pairs: Vec<(u32, u32)>,
    sorting: order::Buffers,
}

/// Ranks change as bodies come and go, so half-spaces go by number.
#[derive(Clone, Copy, Debug)]
struct HalfSpaceProxy<const D: usize> {
    id: u32,
    inflated: Bounds<D>,
}

/// What has changed since the pairs were listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freshness {
    Listed,
    Moved,
    /// Bodies have come, gone, or changed between box and half-space.
    Changed,
}

impl<const D: usize> BroadPhase<D> {
    /// No bodies.
    pub fn new() -> Self {
        Self {
            max_pairs: 1 << 26,
            ids: Vec::new(),
            cells: Vec::new(),
            half_spaces: Vec::new(),
            excluded: Vec::new(),
            tree: Tree::default(),
            state: Freshness::Changed,
            pairs: Vec::new(),
            sorting: order::Buffers::default(),
        }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Removes all bodies and exclusions; keeps the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.cells.clear();
        self.half_spaces.clear();
        self.excluded.clear();
        self.state = Freshness::Changed;
    }

    /// Adds body `id`.
    ///
    /// # Errors
    /// [`BroadPhaseError::Duplicate`]; as [`BroadPhase::update`]. The bodies are then what they were.
    pub fn insert(&mut self, id: u32, proxy: Proxy<D>) -> Result<(), BroadPhaseError> {
        let Err(rank) = self.rank(id, self.ids.len()) else {
            return Err(BroadPhaseError::Duplicate { id });
        };
        let inflated = inflated(id, &proxy.bounds, proxy.reach)?;
        let mask = Mask {
            groups: proxy.groups,
            moves: !proxy.fixed,
        };
        self.ids.insert(rank, id);
        let place = self.place(id, inflated);
        self.cells.insert(rank, Cell { place, mask });
        self.state = Freshness::Changed;
        Ok(())
    }

    /// Tells where body `id` is now.
    ///
    /// # Errors
    /// [`BroadPhaseError::Unknown`], [`BroadPhaseError::Bounds`], [`BroadPhaseError::HalfSpace`],
    /// [`BroadPhaseError::Reach`]. The body is then where it was.
    pub fn update(
        &mut self,
        id: u32,
        bounds: Bounds<D>,
        reach: f64,
    ) -> Result<(), BroadPhaseError> {
        let rank = self.known(id)?;
        let inflated = inflated(id, &bounds, reach)?;
        let was_box = is_somewhere(&self.cells[rank].place);
        if !was_box {
            self.half_spaces.retain(|half| half.id != id);
        }
        let place = self.place(id, inflated);
        self.cells[rank].place = place;
        if was_box == is_somewhere(&place) {
            self.relist();
        } else {
            self.state = Freshness::Changed;
        }
        Ok(())
    }

    /// Tells whom body `id` meets from now on.
    ///
    /// # Errors
    /// [`BroadPhaseError::Unknown`].
    pub fn set_groups(&mut self, id: u32, groups: Groups) -> Result<(), BroadPhaseError> {
        let rank = self.known(id)?;
        self.cells[rank].mask.groups = groups;
        self.relist();
        Ok(())
    }

    /// Takes body `id` out; its exclusions stay for a body of the same number.
    ///
    /// # Errors
    /// [`BroadPhaseError::Unknown`].
    pub fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        let rank = self.known(id)?;
        self.ids.remove(rank);
        self.cells.remove(rank);
        self.half_spaces.retain(|half| half.id != id);
        self.state = Freshness::Changed;
        Ok(())
    }

    /// Leaves a pair out of the list from now on, in either order; the bodies may come later.
    ///
    /// # Errors
    /// [`BroadPhaseError::SameBody`].
    pub fn exclude(&mut self, a: u32, b: u32) -> Result<(), BroadPhaseError> {
        if a == b {
            return Err(BroadPhaseError::SameBody { id: a });
        }
        let pair = (a.min(b), a.max(b));
        if let Err(place) = self.excluded.binary_search(&pair) {
            self.excluded.insert(place, pair);
            self.relist();
        }
        Ok(())
    }

    /// Takes an exclusion back; whether there was one.
    pub fn readmit(&mut self, a: u32, b: u32) -> bool {
        let place = self.excluded.binary_search(&(a.min(b), a.max(b)));
        if let Ok(place) = place {
            self.excluded.remove(place);
            self.relist();
        }
        place.is_ok()
    }

    /// All pairs (a, b), a < b, of bodies whose inflated bounds overlap, of which at least one moves, whose groups meet and
    /// that are not excluded; sorted.
    ///
    /// # Errors
    /// [`BroadPhaseError::TooManyPairs`].
    pub fn pairs(&mut self) -> Result<&[(u32, u32)], BroadPhaseError> {
        if self.state != Freshness::Listed {
            self.list()?;
            self.state = Freshness::Listed;
        }
        Ok(&self.pairs)
    }

    fn list(&mut self) -> Result<(), BroadPhaseError> {
        if self.state == Freshness::Changed {
            let cells = &self.cells;
            let ranks = (0..)
                .zip(cells)
                .filter(|(_, cell)| is_somewhere(&cell.place));
            self.tree.build(cells, ranks.map(|(rank, _)| rank));
            // Should this listing fail, the next one need not build again.
            self.state = Freshness::Moved;
        } else {
            self.tree.update(&self.cells);
        }
        self.pairs.clear();
        let mut sink = Sink {
            pairs: &mut self.pairs,
            limit: self.max_pairs,
        };
        self.tree.pairs(&mut sink);
        self.with_half_spaces();
        if self.pairs.len() > self.max_pairs {
            self.pairs.clear();
            return Err(BroadPhaseError::TooManyPairs {
                limit: self.max_pairs,
            });
        }
        self.sorting.sort(&mut self.pairs, self.ids.len());
        for (a, b) in &mut self.pairs {
            (*a, *b) = (self.ids[*a as usize], self.ids[*b as usize]);
        }
        self.drop_excluded();
        Ok(())
    }

    /// Adds the pairs of half-spaces with boxes and with each other.
    fn with_half_spaces(&mut self) {
        let mut sink = Sink {
            pairs: &mut self.pairs,
            limit: self.max_pairs,
        };
        for half in &self.half_spaces {
            let own = self
                .ids
                .binary_search(&half.id)
                .expect("half-spaces are bodies");
            let mask = self.cells[own].mask;
            let own = order::rank(own);
            for (rank, cell) in (0..).zip(&self.cells) {
                // Of two half-spaces each meets the other once.
                let overlap = if is_somewhere(&cell.place) {
                    half.inflated.overlaps(&Bounds::Box(cell.place))
                } else {
                    own < rank
                };
                if overlap && mask.meets(&cell.mask) && !sink.is_full() {
                    sink.push(own, rank);
                }
            }
        }
    }

    /// Both lists are sorted: one walk along the pairs, a bisection for each exclusion that lies between.
    fn drop_excluded(&mut self) {
        let mut rest = &self.excluded[..];
        if rest.is_empty() {
            return;
        }
        self.pairs.retain(|pair| {
            if rest.first().is_some_and(|first| first < pair) {
                rest = &rest[rest.partition_point(|excluded| excluded < pair)..];
            }
            rest.first() != Some(pair)
        });
    }

    /// The cell's box; a half-space goes to its list and has a box that nothing overlaps.
    fn place(&mut self, id: u32, inflated: Bounds<D>) -> Aabb<D> {
        match inflated {
            Bounds::Box(place) => place,
            Bounds::HalfSpace { .. } => {
                self.half_spaces.push(HalfSpaceProxy { id, inflated });
                Aabb::empty()
            }
        }
    }

    /// The place of body `id`, or where it would be; `guess` is tried first.
    fn rank(&self, id: u32, guess: usize) -> Result<usize, usize> {
        if self.ids.last().is_none_or(|&last| last < id) {
            return Err(self.ids.len());
        }
        if self.ids.get(guess) == Some(&id) {
            return Ok(guess);
        }
        self.ids.binary_search(&id)
    }

    /// The place of body `id`, which is that number where all bodies from 0 on are in.
    fn known(&self, id: u32) -> Result<usize, BroadPhaseError> {
        self.rank(id, id as usize)
            .map_err(|_| BroadPhaseError::Unknown { id })
    }

    fn relist(&mut self) {
        if self.state == Freshness::Listed {
            self.state = Freshness::Moved;
        }
    }
}

impl<const D: usize> Default for BroadPhase<D> {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a place is a box, not that of a half-space.
fn is_somewhere<const D: usize>(place: &Aabb<D>) -> bool {
    place.lower[0] <= place.upper[0]
}

/// The inflated bounds, checked.
fn inflated<const D: usize>(
    id: u32,
    bounds: &Bounds<D>,
    reach: f64,
) -> Result<Bounds<D>, BroadPhaseError> {
    if reach.is_nan() || reach < 0.0 {
        return Err(BroadPhaseError::Reach { id, reach });
    }
    match bounds {
        Bounds::Box(Aabb { lower, upper }) => {
            // False for NaN too; a box at infinity is nowhere.
            let sound = |axis: usize| {
                lower[axis] <= upper[axis]
                    && lower[axis] < f64::INFINITY
                    && upper[axis] > f64::NEG_INFINITY
            };
            if let Some(axis) = (0..D).find(|&axis| !sound(axis)) {
                let (lower, upper) = (lower[axis], upper[axis]);
                return Err(BroadPhaseError::Bounds {
                    id,
                    axis,
                    lower,
                    upper,
                });
            }
        }
        Bounds::HalfSpace { normal, offset } => {
            let finite = |v: &SVector<f64, D>| v.iter().all(|x| x.is_finite());
            if !(finite(normal) && offset.is_finite()) {
                return Err(BroadPhaseError::HalfSpace {
                    id,
                    offset: *offset,
                });
            }
        }
    }
    Ok(bounds.inflated(reach))
}
