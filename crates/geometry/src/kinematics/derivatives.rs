//! Derivatives of gap, closest points and normal with respect to both poses.

use nalgebra::{SMatrix, SVector};

use super::Twist;
use crate::{
    ClosestError, ClosestPoints, Placed,
    boundary::{Boundary, Feature, Relation, multipliers},
    direction::tangents,
    elimination::eliminate,
};

/// Largest number of unknowns: a tangential move and a turn of the normal, D − 1 components each.
const MOST: usize = 4;

/// Largest number of right-hand sides: one per component of the two twists.
const SIDES: usize = 12;

/// A pivot counts as zero below 1e-11 of the largest entry of its row.
///
/// The pivot is about curvature times size: 1e-8 at the flattest point of a needle of aspect 1e4 is still solved, the
/// rounding of parallel faces, some 1e-15, is not. Too large, flat but curved bodies lose their derivatives; too small,
/// rounding passes for curvature.
const SINGULAR: f64 = 1e-11;

/// Derivatives of [`ClosestPoints`] with respect to the poses of both bodies.
///
/// Column k < n is for component k of A's [`Twist`], column n + k for that of B's, n = [`Twist::DOFS`]: displacement of
/// the body's origin, then rotation about it, world axes.
///
/// | name     | shape    | unit          | meaning                                                                  |
/// | -------- | -------- | ------------- | ------------------------------------------------------------------------ |
/// | `gap`    | (2 n,)   | 1, m          | ∂g; ġ = n·(vB(b) − vA(a))                                                |
/// | `normal` | (2 n, D) | 1/m, 1        | ∂n; `None` where the normal is not determined                             |
/// | `a`, `b` | (2 n, D) | 1, m          | ∂a, ∂b; `None` where the points are not determined                        |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactDerivatives<const D: usize> {
    gap: [f64; SIDES],
    normal: Option<[SVector<f64, D>; SIDES]>,
    points: Option<[[SVector<f64, D>; SIDES]; 2]>,
}

/// Rates of [`ClosestPoints`] for given velocities of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRates<const D: usize> {
    /// ġ, m/s.
    pub gap: f64,
    /// ṅ, rad/s.
    pub normal: Option<SVector<f64, D>>,
    /// ȧ, m/s.
    pub a: Option<SVector<f64, D>>,
    /// ḃ, m/s.
    pub b: Option<SVector<f64, D>>,
}

impl<const D: usize> ContactDerivatives<D> {
    const COLUMNS: usize = 2 * Twist::<D>::DOFS;

    /// Derivatives of the gap.
    pub fn gap(&self) -> &[f64] {
        &self.gap[..Self::COLUMNS]
    }

    /// Derivatives of the normal, one column each.
    pub fn normal(&self) -> Option<&[SVector<f64, D>]> {
        self.normal.as_ref().map(|all| &all[..Self::COLUMNS])
    }

    /// Derivatives of the point on A, one column each.
    pub fn a(&self) -> Option<&[SVector<f64, D>]> {
        self.points.as_ref().map(|all| &all[0][..Self::COLUMNS])
    }

    /// Derivatives of the point on B, one column each.
    pub fn b(&self) -> Option<&[SVector<f64, D>]> {
        self.points.as_ref().map(|all| &all[1][..Self::COLUMNS])
    }

    /// Rates while A and B move with these velocities.
    ///
    /// `closest.a + ȧ h` predicts the point after h to second order.
    pub fn rates(&self, twists: [&Twist<D>; 2]) -> ContactRates<D> {
        let mut factors = [0.0; SIDES];
        for (factors, twist) in factors.chunks_exact_mut(Twist::<D>::DOFS).zip(twists) {
            factors[..D].copy_from_slice(twist.linear.as_slice());
            let turns = Twist::<D>::DOFS - D;
            factors[D..].copy_from_slice(&twist.angular.as_slice()[3 - turns..]);
        }
        let factors = &factors[..Self::COLUMNS];
        let sum =
            |columns: &[SVector<f64, D>]| columns.iter().zip(factors).map(|(c, f)| c * *f).sum();
        ContactRates {
            gap: self.gap().iter().zip(factors).map(|(c, f)| c * f).sum(),
            normal: self.normal().map(sum),
            a: self.a().map(sum),
            b: self.b().map(sum),
        }
    }
}

/// Derivatives of the closest points `at` of A and B with respect to both poses, by the implicit function theorem.
///
/// `at` must be a solution, as [`closest_points`](crate::closest_points) gives it. The gap's derivatives are those of
/// the distance between the two body-fixed places at `at`; where the points are not determined they are one-sided.
///
/// | pair                                | `gap` | `normal` | `a`, `b` |
/// | ----------------------------------- | ----- | -------- | -------- |
/// | relative curvature regular          | yes   | yes      | yes      |
/// | half-space and a face or a flat     | yes   | yes      | –        |
/// | other parallel faces, sides, edges  | yes   | –        | –        |
///
/// # Errors
/// [`ClosestError::Unsupported`] for two half-spaces, [`ClosestError::NotFinite`].
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, ConvexSet, HalfSpace, Placed, Pose, closest_points, contact_derivatives};
/// let (ground, ball) = (ConvexSet::from(HalfSpace::<3>::up()), ConvexSet::from(Ball::new(1.0)?));
/// let a = Placed::new(&ground, Pose::identity());
/// let b = Placed::new(&ball, Pose::from_position(Vector3::new(2.0, 0.0, 1.5)));
/// let derivatives = contact_derivatives(&a, &b, &closest_points(&a, &b)?)?;
/// // Lifting the ball opens the gap; turning the ground about −y does so with the arm of 2 m.
/// assert_eq!((derivatives.gap()[6 + 2], derivatives.gap()[4]), (1.0, 2.0));
/// // The point on the ground follows the ball, and the point on the ball does not care how it is turned.
/// assert_eq!(derivatives.a().unwrap()[6], Vector3::x());
/// assert_eq!(derivatives.b().unwrap()[6 + 3], Vector3::zeros());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact_derivatives<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    at: &ClosestPoints<D>,
) -> Result<ContactDerivatives<D>, ClosestError> {
    let [kind_a, kind_b] = [a, b].map(|placed| placed.set.kind());
    let sides = [
        Side::new(a, at.normal, at.a, at.active[0].feature()),
        Side::new(b, -at.normal, at.b, at.active[1].feature()),
    ];
    if sides.iter().all(|side| side.flat) {
        return Err(ClosestError::Unsupported {
            a: kind_a,
            b: kind_b,
        });
    }
    let derivatives = differentiate(&sides, at);
    let columns = || {
        derivatives
            .normal
            .iter()
            .chain(derivatives.points.iter().flatten())
    };
    let finite = derivatives.gap.iter().all(|x| x.is_finite())
        && columns().flatten().all(|c| c.iter().all(|x| x.is_finite()));
    if finite {
        Ok(derivatives)
    } else {
        Err(ClosestError::NotFinite {
            a: kind_a,
            b: kind_b,
        })
    }
}

/// One body at its closest point, in world axes.
#[derive(Debug)]
struct Side<const D: usize> {
    /// From the body's origin to the point of the core.
    arm: SVector<f64, D>,
    /// What rounds the core, m.
    radius: f64,
    /// Of the core, m.
    extent: f64,
    /// Of the feature on which the point lies.
    link: Link<D>,
    /// Of the feature without what carries nothing, if the point lies on the border of the two.
    border: Option<Link<D>>,
    /// A half-space: its normal turns with it and with nothing else.
    flat: bool,
}

/// α t + β (ṁ − ω × m) = 0.
#[derive(Clone, Copy, Debug)]
struct Link<const D: usize> {
    alpha: SMatrix<f64, D, D>,
    beta: SMatrix<f64, D, D>,
}

impl<const D: usize> Side<D> {
    fn new(
        placed: &Placed<'_, D>,
        outward: SVector<f64, D>,
        point: SVector<f64, D>,
        named: Feature,
    ) -> Self {
        let pose = &placed.pose;
        let across = SMatrix::identity() - outward * outward.transpose();
        let Some((core, radius)) = placed.set.core() else {
            return Self {
                arm: point - pose.position,
                radius: 0.0,
                extent: 0.0,
                link: Link {
                    alpha: SMatrix::zeros(),
                    beta: -across,
                },
                border: None,
                flat: true,
            };
        };
        let arm = point - outward * radius - pose.position;
        let (x, m) = (pose.rotation.tr_mul(&arm), pose.inverse_rotate(&outward));
        let turned =
            |matrix| across * (pose.rotation * matrix * pose.rotation.transpose()) * across;
        let link = |relation: Relation<D>| Link {
            alpha: turned(relation.alpha),
            beta: turned(relation.beta),
        };
        let (relation, border) = relations_at(core, named, &x, &m);
        Self {
            arm,
            radius,
            extent: core.extent(),
            link: link(relation),
            border: border.map(link),
            flat: false,
        }
    }

    fn links(&self) -> impl Iterator<Item = &Link<D>> {
        std::iter::once(&self.link).chain(&self.border)
    }
}

/// The relation of the feature on which the point lies: the one that the answer names, unless another fits better; and
/// that of the next larger part of the boundary, if the point is on its border.
fn relations_at<const D: usize>(
    core: &dyn Boundary<D>,
    named: Feature,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
) -> (Relation<D>, Option<Relation<D>>) {
    /// Part of the extent by which another feature must fit better, and within which the larger part fits too.
    const BETTER: f64 = 1e-10;
    let slack = BETTER * core.extent();
    let guesses = [core.feature(x, m), core.feature(&core.support(m), m)];
    let (first, others) = if named.len() > 0 && fits(core, named) {
        (named, &guesses[..])
    } else {
        (guesses[0], &guesses[1..])
    };
    let (mut own, mut best) = (first, core.relation(first, x, m));
    for &feature in others.iter().filter(|&&feature| feature != first) {
        let other = core.relation(feature, x, m);
        if other.error < best.error - slack {
            (own, best) = (feature, other);
        }
    }
    let larger = larger_part(core, own, x, m, BETTER).map(|feature| core.relation(feature, x, m));
    (best, larger.filter(|relation| relation.error <= slack))
}

/// The feature without the inequalities that carry at most `least` of the normal; a segment instead of its end.
fn larger_part<const D: usize>(
    core: &dyn Boundary<D>,
    feature: Feature,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
    least: f64,
) -> Option<Feature> {
    if core.pieces() == 0 {
        return (feature != Feature::NONE).then_some(Feature::NONE);
    }
    let factors = multipliers(core, feature, x, m);
    let carrying = feature
        .iter()
        .zip(factors)
        .filter(|&(_, factor)| factor > least)
        .fold(Feature::NONE, |all, (piece, _)| all.with(piece));
    (carrying.len() > 0 && carrying != feature).then_some(carrying)
}

/// Whether the feature is made of inequalities that the core has, or the core names its features otherwise.
fn fits<const D: usize>(core: &dyn Boundary<D>, feature: Feature) -> bool {
    core.pieces() == 0 || feature.iter().all(|piece| piece < core.pieces())
}

/// The linear system of a pair in tangents. Unknowns: `t_A` / `length` and δn. A: α t + β (δn − ω × n) = 0. B the same with
/// −n and `t_B` = `t_A` + d δn − P (vB − vA).
#[derive(Debug)]
struct PairSystem<'a, const D: usize> {
    tangents: &'a [SVector<f64, D>],
    /// Distance of the cores, m: b − a = d n.
    distance: f64,
    /// Size of the pair, m.
    length: f64,
}

impl<const D: usize> PairSystem<'_, D> {
    /// The matrix for a move, then a turn, by tangent; in the plane the rest is the identity.
    fn matrix(&self, a: &Link<D>, b: &Link<D>) -> [[f64; MOST]; MOST] {
        let half = D - 1;
        let mut matrix = [[0.0; MOST]; MOST];
        (2 * half..MOST).for_each(|i| matrix[i][i] = 1.0);
        let coupling = b.alpha * self.distance - b.beta;
        for (i, row) in self.tangents.iter().enumerate() {
            for (j, column) in self.tangents.iter().enumerate() {
                let entry = |part: &SMatrix<f64, D, D>| row.dot(&(part * column));
                matrix[i][j] = entry(&a.alpha) * self.length;
                matrix[i][half + j] = entry(&a.beta);
                matrix[half + i][j] = entry(&b.alpha) * self.length;
                matrix[half + i][half + j] = entry(&coupling);
            }
        }
        matrix
    }

    /// Unknowns of the links' equations for these right-hand sides; `None` if something is not determined.
    fn solve<const K: usize>(
        &self,
        [a, b]: [&Link<D>; 2],
        sides: [[f64; K]; MOST],
    ) -> Option<[[f64; K]; MOST]> {
        let found = eliminate(self.matrix(a, b), sides, SINGULAR);
        let regular = found
            .pivots
            .iter()
            .all(|&pivot| pivot > SINGULAR && pivot.is_finite());
        regular.then_some(found.solution)
    }

    /// Whether the larger parts on whose border the points lie, if any, leave the points determined too.
    fn is_regular_beside(&self, [a, b]: &[Side<D>; 2]) -> bool {
        let on_border = a.border.is_some() || b.border.is_some();
        let regular = |a: &Link<D>, b: &Link<D>| self.solve([a, b], [[]; MOST]).is_some();
        !on_border || a.links().all(|a| b.links().all(|b| regular(a, b)))
    }
}

/// Solves the linear system for a unit of each component of both twists.
fn differentiate<const D: usize>(
    sides: &[Side<D>; 2],
    at: &ClosestPoints<D>,
) -> ContactDerivatives<D> {
    let n = at.normal;
    let [a, b] = sides;
    let dofs = Twist::<D>::DOFS;
    let d = at.gap + a.radius + b.radius;
    let length = match a.extent + b.extent + d.abs() {
        length if length > 0.0 => length,
        _ => 1.0,
    };
    let mut derivatives = ContactDerivatives {
        gap: [0.0; SIDES],
        normal: None,
        points: None,
    };
    let tangents = tangents(&n);
    let tangents = &tangents[..D - 1];
    let half = D - 1;
    let system = PairSystem {
        tangents,
        distance: d,
        length,
    };
    let mut right = [[0.0; SIDES]; MOST];
    let (mut carried, mut turns) = ([[SVector::zeros(); 2]; SIDES], [SVector::zeros(); SIDES]);
    for k in 0..2 * dofs {
        let zero = Twist::zero();
        let unit = Twist::unit(k % dofs);
        let twists = if k < dofs { [unit, zero] } else { [zero, unit] };
        let speeds = [twists[0].at(&a.arm), twists[1].at(&b.arm)];
        let relative = speeds[1] - speeds[0];
        let flat = relative - n * n.dot(&relative);
        derivatives.gap[k] = n.dot(&relative);
        carried[k] = speeds;
        let turn = [twists[0].turn(&n), twists[1].turn(&n)];
        turns[k] = if a.flat { turn[0] } else { turn[1] };
        let first = a.link.beta * turn[0];
        let second = b.link.alpha * flat - b.link.beta * turn[1];
        for (i, row) in tangents.iter().enumerate() {
            right[i][k] = row.dot(&first);
            right[half + i][k] = row.dot(&second);
        }
    }
    let solution = system.solve([&a.link, &b.link], right);
    if let Some(solution) = solution.filter(|_| system.is_regular_beside(sides)) {
        let column = |from: usize, k: usize| -> SVector<f64, D> {
            let parts = tangents.iter().zip(&solution[from..]);
            parts.map(|(tangent, row)| tangent * row[k]).sum()
        };
        let mut points = [[SVector::zeros(); SIDES]; 2];
        let mut normal = [SVector::zeros(); SIDES];
        for k in 0..2 * dofs {
            normal[k] = column(half, k);
            let slide_a = column(0, k) * length;
            let core_a = carried[k][0] + slide_a;
            let core_b = core_a + n * derivatives.gap[k] + normal[k] * d;
            points[0][k] = core_a + normal[k] * a.radius;
            points[1][k] = core_b - normal[k] * b.radius;
        }
        derivatives.normal = Some(normal);
        derivatives.points = Some(points);
    } else if a.flat || b.flat {
        derivatives.normal = Some(turns);
    }
    derivatives
}
