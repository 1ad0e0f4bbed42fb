//! Closest points as unknowns: the optimality conditions of each pair, for the geometrically implicit scheme.
//!
//! ```math
//! \begin{aligned}
//! & L\,(N_A + N_B) + \tfrac{f(a)}{\|\nabla f\|}\, n = 0, \quad P (b - a) + \tfrac{g(b)}{\|\nabla g\|}\, n = 0
//!   && \text{one surface each} \\
//! & L\,(N_A + N_B) = 0, \quad P (b - a) + c\, n = 0, \quad 0 \le l_j \perp -\tfrac{f_j(a)}{s_j} \ge 0
//!   && \text{intersections}
//! \end{aligned}
//! ```
//!
//! # Method
//! `N_A` = Σ lⱼ ∇fⱼ/sⱼ is the outward normal of A at a, with sⱼ = √(‖∇fⱼ‖² + (fⱼ/r)²) and r the size of the body, which is
//! ‖∇fⱼ‖ on the surface; a body with one inequality has l = 1 and s = ‖∇f‖; n = `N_A`/|`N_A`|, P = I − n nᵀ.
//! The rows need no tangents and no distance that has a kink at contact; the multipliers choose the active inequalities,
//! so none has to be guessed. What is left to say is put into the normal part of the second rows: c is f(a) or g(b) over
//! its slope if that body has one surface, else L (|`N_A`|² − 1)/2. L is the size of the pair, so that every row is in m.
//! Derivatives are exact; they need the Hessians of the surfaces and nothing more.
//!
//! # Guarantees and limits
//! One contact per pair of convex pieces. What of them is none of the surface of the whole bodies, as the edges of flush pieces,
//! is told by [`ImplicitContacts::seams`], and the half-space of a face can stand for its piece ([`PairLayout::face`]). The slabs of a ground of triangles are solid from all sides here. The rows are local:
//! they hold at every pair of points with opposite normals across b − a, and at none with equal normals, which the far side of a
//! body has: for that f/‖∇f‖ of one surface is bounded by L inside. [`ImplicitContacts::start`] gives the global one. Their
//! Jacobian in z is regular where the closest points are isolated and
//! the active inequalities independent with positive multipliers; between parallel faces it is not. Values are not
//! finite where an active inequality has no derivatives: at the apex of a cone, and for superquadrics with exponents below
//! two on their planes of symmetry, where curvature is infinite.
//!
//! # References
//! - [CBAT2007] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody
//!   systems with intermittent contact, RSS 2007: (9)–(10) and the appendix, whose (22) lacks signs and the scale of l.

mod derivatives;
mod pair;
mod seam;
mod side;
mod world;

pub use seam::{PairFace, PairSeam};

use crate::contact::{ContactError, ContactId, detect};

/// Sizes and places of one pair of bodies, or of pieces of bodies that have several.
///
/// The local unknowns are z = (a, b, l, m): the points of A and B, then the multipliers of A and of B, none for a body
/// with one inequality. Row i of [`PairRows::closest`] belongs to unknown i: an equation for i < `equations`,
/// 0 ≤ z\[i\] ⟂ row\[i\] ≥ 0 from there on.
///
/// | name          | meaning                                                                                 |
/// | ------------- | --------------------------------------------------------------------------------------- |
/// | `id`          | bodies and pieces; feature 0                                                            |
/// | `nz`          | number of local unknowns and of rows: 2 D and the multipliers                           |
/// | `equations`   | 2 D: from here on rows are complementary to their unknowns, which are multipliers       |
/// | `np`          | directions: n, t in the plane; n, t, o and the torsion r in space                       |
/// | `dofs`        | velocity coordinates per body                                                           |
/// | `offsets`     | where the bodies' coordinates begin in v; `None` for a fixed body                       |
/// | `friction`    | Coulomb coefficient μ                                                                   |
/// | `restitution` | restitution coefficient e                                                               |
/// | `tangential_restitution` | tangential restitution coefficient e_T                                       |
/// | `ellipsoid`   | half axes (e_t, e_o, e_r) of friction, see [`ContactMaterial`](crate::ContactMaterial)  |
/// | `rolling`     | coefficient of rolling friction μ_r, m: no direction has its moments                    |
/// | `face`        | the face of one of them whose half-space stands for it, if any                          |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLayout {
    /// The two bodies.
    pub id: ContactId,
    /// Number of local unknowns.
    pub nz: usize,
    /// Number of rows that are equations.
    pub equations: usize,
    /// Number of directions.
    pub np: usize,
    /// Velocity coordinates per body.
    pub dofs: usize,
    /// First velocity coordinate of A and of B.
    pub offsets: [Option<usize>; 2],
    /// Coulomb coefficient.
    pub friction: f64,
    /// Restitution coefficient.
    pub restitution: f64,
    /// Tangential restitution coefficient.
    pub tangential_restitution: f64,
    /// Half axes of the friction ellipsoid.
    pub ellipsoid: [f64; 3],
    /// Coefficient of rolling friction, m.
    pub rolling: f64,
    /// The face whose half-space stands for its body; `None` in the lists of [`ImplicitContacts::pairs`].
    pub face: Option<PairFace>,
}

impl PairLayout {
    /// Columns of [`PairDerivatives`]: the local unknowns, then the pose variations of A and of B.
    pub fn columns(&self) -> usize {
        self.nz + 2 * self.dofs
    }

    /// Whether an unknown is the multiplier of an inequality that does not count, because another one stands for its body: it is
    /// zero, and its row says nothing.
    pub fn is_left_out(&self, unknown: usize) -> bool {
        self.face.is_some_and(|face| {
            (face.multipliers[0]..face.multipliers[1]).contains(&unknown) && unknown != face.unknown
        })
    }

    /// Whether a column belongs to something that can change: not to a fixed body.
    fn is_unknown(&self, column: usize) -> bool {
        let displacement = column.checked_sub(self.nz);
        displacement.is_none_or(|k| self.offsets[k / self.dofs].is_some())
    }
}

/// The pairs of a system near a configuration, sorted by id, and the buffers of the search for them.
///
/// | name      | shape  | unit | meaning                                        |
/// | --------- | ------ | ---- | ---------------------------------------------- |
/// | `layouts` | (n,)   | –    | sizes and places of each pair                  |
/// | `gaps`    | (n,)   | m    | signed distance of each, positive when apart   |
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Sizes and places.
    pub layouts: Vec<PairLayout>,
    /// Signed distances, m.
    pub gaps: Vec<f64>,
    scratch: detect::Scratch,
}

impl Pairs {
    /// Removes all pairs; keeps the memory.
    pub fn clear(&mut self) {
        self.layouts.clear();
        self.gaps.clear();
    }
}

/// Values of one pair at (q, z).
///
/// | name          | shape        | unit | meaning                                                                       |
/// | ------------- | ------------ | ---- | ----------------------------------------------------------------------------- |
/// | `closest`     | (nz,)        | m    | rows of the closest points; see [`PairLayout`]                                |
/// | `gap`         | scalar       | m    | signed distance n·(b − a), less the rounding radii                            |
/// | `surface_gap` | scalar       | own  | A's surface function at B's point: the gap function of CBAT2007 (6)           |
/// | `normal`      | (D,)         | –    | unit, from A into B                                                           |
/// | `points`      | (2, D)       | m    | on A and on B, rounding included                                              |
/// | `acting`      | (2, D)       | m    | where the impulse acts on A and on B, see [`ContactPoint`](crate::ContactPoint) |
/// | `directions`  | (np, 2 dofs) | –, m | rows of Wᵀ over the velocities of A and B, both taken as moving               |
/// | `drift`       | (np,)        | m/s  | of belts: the surfaces slide with Wᵀ v + drift; 0 for normal and torsion      |
///
/// Both gap functions have the same sign at a solution; the second is no distance. Where A is rounded z holds points of
/// the unrounded bodies and `points` those of the rounded ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairRows {
    /// Rows of the closest points.
    pub closest: Vec<f64>,
    /// Signed distance.
    pub gap: f64,
    /// A's surface function at B's point.
    pub surface_gap: f64,
    /// Unit normal from A into B.
    pub normal: Vec<f64>,
    /// Points on A and on B.
    pub points: Vec<f64>,
    /// Where the impulse acts on A and on B.
    pub acting: Vec<f64>,
    /// Rows of Wᵀ.
    pub directions: Vec<f64>,
    /// Of belts, added to Wᵀ v.
    pub drift: Vec<f64>,
}

/// Derivatives of one pair at (q, z) with respect to z and to displacements of A and of B.
///
/// A displacement of a body is that of its origin and a rotation vector about it, world axes: what
/// [`System::retract_tangent`](crate::System::retract_tangent) makes of a change of v. All matrices are by rows with
/// [`PairLayout::columns`] columns (z, A, B); those of a fixed body are zero.
///
/// | name          | rows   | meaning                                                         |
/// | ------------- | ------ | --------------------------------------------------------------- |
/// | `closest`     | nz     | of [`PairRows::closest`]                                        |
/// | `gap`         | 1      | of [`PairRows::gap`]                                            |
/// | `surface_gap` | 1      | of [`PairRows::surface_gap`]                                    |
/// | `wrench`      | 2 dofs | of W p: forces and moments on A and on B for constant p         |
/// | `slip`        | np     | of Wᵀ v + drift for constant v                                  |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairDerivatives {
    /// Of the rows of the closest points.
    pub closest: Vec<f64>,
    /// Of the signed distance.
    pub gap: Vec<f64>,
    /// Of A's surface function at B's point.
    pub surface_gap: Vec<f64>,
    /// Of W p.
    pub wrench: Vec<f64>,
    /// Of Wᵀ v + drift.
    pub slip: Vec<f64>,
}

/// The optimality conditions of the closest points of each pair, with gap and directions, as slices.
///
/// All outputs are overwritten and their memory is reused.
///
/// # Examples
/// ```
/// use signorini_dynamics::{Body, PairRows, Pairs, System, World};
/// use signorini_geometry::{Ball, HalfSpace};
/// let mut world = World::<2>::new();
/// world.add(Body::fixed("ground", HalfSpace::up()))?;
/// let mut disc = Body::solid("disc", Ball::new(1.0)?, 1.0)?;
/// disc.position = vec![0.0, 1.25, 0.0];
/// world.add(disc)?;
/// let q = world.initial_state().q;
///
/// let implicit = world.implicit().expect("a world has them");
/// let mut pairs = Pairs::default();
/// implicit.pairs(&q, 0.5, &mut pairs)?;
/// let pair = &pairs.layouts[0];
/// let mut z = vec![0.0; pair.nz];
/// implicit.start(pair, &q, &mut z)?;
/// let mut rows = PairRows::default();
/// implicit.rows(pair, &q, &z, &mut rows);
/// assert_eq!((z.as_slice(), rows.gap), ([0.0, 0.0, 0.0, 0.25].as_slice(), 0.25));
/// assert_eq!(rows.closest, [0.0; 4]);
/// // The tangent of the normal (0, 1) is (−1, 0), with the arm (0, −1) of the disc.
/// assert_eq!(rows.directions[6 + 3..], [-1.0, 0.0, -1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ImplicitContacts {
    /// The pairs of bodies with gap ≤ `margin` (m) at q, sorted by id; groups and exclusions as in
    /// [`System::contacts`](crate::System::contacts).
    ///
    /// A world asks its broad phase for pairs whose boxes are within the margin, and computes closest points of those only.
    ///
    /// # Errors
    /// [`ContactError`] naming the bodies; `out` is then empty.
    fn pairs(&self, q: &[f64], margin: f64, out: &mut Pairs) -> Result<(), ContactError>;

    /// Whether the gap of a pair is a function of the positions in closed form with two derivatives, as for balls, discs and
    /// half-spaces. A system that does not say so has none.
    ///
    /// # Panics
    /// If the pair is not of this system.
    fn has_closed_form(&self, pair: &PairLayout) -> bool {
        let _ = pair;
        false
    }

    /// Unknowns z of a pair at its closest points.
    ///
    /// # Errors
    /// [`ContactError`] naming the bodies; z is then as it was.
    ///
    /// # Panics
    /// If q or z has the wrong length, or the pair is not of this system.
    fn start(&self, pair: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), ContactError>;

    /// Unknowns z of a pair on the line or patch on which its bodies are flush or nearly so, and whether there is one: at these
    /// points of its two bodies, each (D,) in world axes, or in the middle, where a resting body's forces balance while closest
    /// points are at its ends. Default: there is none.
    ///
    /// # Errors
    /// [`ContactError`] naming the bodies; z is then as it was.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    fn start_on_patch(
        &self,
        pair: &PairLayout,
        q: &[f64],
        at: Option<[&[f64]; 2]>,
        z: &mut [f64],
    ) -> Result<bool, ContactError> {
        let _ = (pair, q, at, z);
        Ok(false)
    }

    /// Whether pieces can lie beside each other: of a body of several, or of fixed bodies. A system that does not say so has none.
    fn has_seams(&self) -> bool {
        false
    }

    /// A pair with the half-space of a flat face in place of the piece on one side (0 for A, 1 for B): of that which has the normal
    /// that the pair has at its points z.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    fn face(&self, pair: &PairLayout, q: &[f64], z: &[f64], side: usize) -> Option<PairLayout> {
        let _ = (pair, q, z, side);
        None
    }

    /// What pairs that touch at q, each with its unknowns z, are for bodies of several pieces and for fixed bodies that are
    /// flush: one after the other into `out`. Default: all count.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    fn seams(
        &self,
        q: &[f64],
        pairs: &[(&PairLayout, &[f64])],
        buffers: &mut Pairs,
        out: &mut Vec<PairSeam>,
    ) {
        let _ = (q, buffers);
        out.clear();
        out.resize(pairs.len(), PairSeam::Counts);
    }

    /// Rows, gap and directions of a pair at any (q, z).
    ///
    /// # Panics
    /// If q or z has the wrong length, or the pair is not of this system.
    fn rows(&self, pair: &PairLayout, q: &[f64], z: &[f64], out: &mut PairRows);

    /// Derivatives at (q, z), of W p for the np force components p and of Wᵀ v for the velocity v of the system.
    ///
    /// # Panics
    /// If q, z, p or v has the wrong length, or the pair is not of this system.
    fn derivatives(&self, pair: &PairLayout, at: &PairPoint<'_>, out: &mut PairDerivatives);
}

/// Where the derivatives of a pair are taken.
///
/// | name | shape    | unit     | meaning                                            |
/// | ---- | -------- | -------- | -------------------------------------------------- |
/// | `q`  | (n_q,)   | m, rad   | position of the system                             |
/// | `z`  | (nz,)    | m, –     | local unknowns                                     |
/// | `p`  | (np,)    | N s, N m s | force components along the directions            |
/// | `v`  | (n_v,)   | m/s, rad/s | velocity of the system                           |
#[derive(Clone, Copy, Debug)]
pub struct PairPoint<'a> {
    /// Position of the system.
    pub q: &'a [f64],
    /// Local unknowns.
    pub z: &'a [f64],
    /// Force components.
    pub p: &'a [f64],
    /// Velocity of the system.
    pub v: &'a [f64],
}
