//! Features of a core that is an intersection of smooth inequalities.

use nalgebra::{SMatrix, SVector};

use super::{Boundary, Feature, Relation};
use crate::Jet;
use crate::direction::direction;

/// Multipliers of the active inequalities, in their order.
pub(crate) type Multipliers = [f64; 3];

/// Depth below the boundary, relative to the extent, down to which an inequality may be active in a first guess.
const NEAR: f64 = 0.05;

/// The first guess: among the inequalities near x, the fewest whose normals make m.
pub(crate) fn first_feature<const D: usize>(
    core: &(impl Boundary<D> + ?Sized),
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
) -> Feature {
    // The few nearest; more than six do not meet in one place in practice.
    const CANDIDATES: usize = 6;
    let extent = core.extent();
    let mut near: [(f64, usize, SVector<f64, D>); CANDIDATES] =
        [(f64::NEG_INFINITY, 0, SVector::zeros()); CANDIDATES];
    let mut count = 0;
    for index in 0..core.pieces() {
        let jet = core.piece(index, x);
        let Some((outward, slope)) = direction(&jet.gradient) else {
            continue;
        };
        let height = jet.value / slope;
        if (count > 0 && height < -NEAR * extent && height < near[0].0) || !height.is_finite() {
            continue;
        }
        let place = near[..count].partition_point(|other| other.0 >= height);
        if place < CANDIDATES {
            near.copy_within(place..CANDIDATES - 1, place + 1);
            near[place] = (height, index, outward);
            count = (count + 1).min(CANDIDATES);
        }
    }
    let highest = near[0].0.max(0.0);
    while count > 1 && near[count - 1].0 < highest - NEAR * extent {
        count -= 1;
    }
    best_subset(&near[..count], m)
}

/// The features that meet at x and that the inequality is part of which faces m most, smaller ones first: whatever m is within the
/// rounding of a flat part, its points of contact are on one of them.
pub(crate) fn meeting_features<const D: usize>(
    core: &(impl Boundary<D> + ?Sized),
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
) -> Vec<Feature> {
    /// Inequalities beside the one that faces m.
    const BESIDE: usize = 3;
    let near = (0..core.pieces()).filter_map(|index| {
        let jet = core.piece(index, x);
        let (outward, slope) = direction(&jet.gradient)?;
        let height = (jet.value / slope).abs();
        (height <= NEAR * core.extent()).then(|| (index, height, outward.dot(m)))
    });
    let mut near: Vec<(usize, f64, f64)> = near.collect();
    let Some(facing) = near.iter().max_by(|a, b| a.2.total_cmp(&b.2)).copied() else {
        return vec![core.feature(x, m)];
    };
    near.retain(|other| other.0 != facing.0);
    near.sort_by(|a, b| a.1.total_cmp(&b.1));
    near.truncate(BESIDE);
    let face = Feature::face(facing.0);
    let mut all = vec![face];
    all.extend(near.iter().map(|other| face.with(other.0)));
    if D == 3 {
        for (i, one) in near.iter().enumerate() {
            let others = near[i + 1..].iter();
            all.extend(others.map(|other| face.with(one.0).with(other.0)));
        }
    }
    all
}

/// The subset of at most D normals that makes m best with multipliers that are not negative; smaller ones first.
fn best_subset<const D: usize>(
    near: &[(f64, usize, SVector<f64, D>)],
    m: &SVector<f64, D>,
) -> Feature {
    /// An inequality more must bring the normal nearer by this, rad.
    const WORTH: f64 = 1e-7;
    let mut best = (f64::INFINITY, Feature::NONE);
    let mut offer = |subset: &[usize]| {
        let mut normals = [SVector::zeros(); 3];
        for (slot, &i) in normals.iter_mut().zip(subset) {
            *slot = near[i].2;
        }
        let normals = &normals[..subset.len()];
        let Some(factors) = decompose(normals, m) else {
            return;
        };
        if factors[..subset.len()].iter().any(|&l| l < 0.0) {
            return;
        }
        let made: SVector<f64, D> = normals.iter().zip(factors).map(|(n, l)| n * l).sum();
        let miss = (made - m).norm();
        if miss + WORTH < best.0 {
            let feature = subset
                .iter()
                .fold(Feature::NONE, |all, &i| all.with(near[i].1));
            best = (miss, feature);
        }
    };
    let n = near.len();
    for i in 0..n {
        offer(&[i]);
    }
    for i in 0..n {
        for j in i + 1..n {
            offer(&[i, j]);
        }
    }
    if D == 3 {
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    offer(&[i, j, k]);
                }
            }
        }
    }
    if best.1 == Feature::NONE {
        Feature::face(near.first().map_or(0, |nearest| nearest.1))
    } else {
        best.1
    }
}

/// The factors with which the unit normals make m, in the least-squares sense; `None` if they are dependent.
pub(crate) fn decompose<const D: usize>(
    normals: &[SVector<f64, D>],
    m: &SVector<f64, D>,
) -> Option<Multipliers> {
    /// Squared volume that the normals span, below which they count as dependent.
    const DEPENDENT: f64 = 1e-20;
    let b = |i: usize| normals[i].dot(m);
    let g = |i: usize, j: usize| normals[i].dot(&normals[j]);
    match normals.len() {
        0 => Some([0.0; 3]),
        1 => Some([b(0), 0.0, 0.0]),
        2 => {
            let c = g(0, 1);
            let det = (1.0 - c) * (1.0 + c);
            (det > DEPENDENT).then(|| [(b(0) - c * b(1)) / det, (b(1) - c * b(0)) / det, 0.0])
        }
        _ => {
            let gram = nalgebra::Matrix3::from_fn(g);
            if gram.determinant() <= DEPENDENT {
                return None;
            }
            let factors = gram.lu().solve(&nalgebra::Vector3::new(b(0), b(1), b(2)))?;
            Some(factors.into())
        }
    }
}

/// The shortest move that changes the height above each of the unit normals' planes by minus `heights`; `None` if the
/// normals are dependent.
pub(crate) fn least_move<const D: usize>(
    normals: &[SVector<f64, D>],
    heights: &[f64],
) -> Option<SVector<f64, D>> {
    let b = |i: usize| -heights[i];
    let g = |i: usize, j: usize| normals[i].dot(&normals[j]);
    let factors = match normals.len() {
        1 => [b(0), 0.0, 0.0],
        2 => {
            let c = g(0, 1);
            let det = (1.0 - c) * (1.0 + c);
            if det <= 0.0 {
                return None;
            }
            [(b(0) - c * b(1)) / det, (b(1) - c * b(0)) / det, 0.0]
        }
        _ => {
            let gram = nalgebra::Matrix3::from_fn(g);
            gram.lu()
                .solve(&nalgebra::Vector3::from_fn(|i, _| b(i)))?
                .into()
        }
    };
    Some(normals.iter().zip(factors).map(|(n, l)| n * l).sum())
}

/// Multipliers of the active inequalities at x for the normal m.
pub(crate) fn multipliers<const D: usize>(
    core: &(impl Boundary<D> + ?Sized),
    feature: Feature,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
) -> Multipliers {
    if core.pieces() == 0 {
        return [1.0, 0.0, 0.0];
    }
    let normals = outward(core, feature, x);
    decompose(&normals[..feature.len()], m).unwrap_or([0.0; 3])
}

/// Part of a normal that is rounding.
pub(crate) const NOTHING: f64 = 1e-12;

/// The feature without the inequalities that carry none of the normal: the larger part of the boundary on whose border
/// the point lies.
pub(crate) fn carrying(feature: Feature, factors: Multipliers) -> Feature {
    if feature.len() <= 1 {
        return feature;
    }
    let carrying = feature
        .iter()
        .zip(factors)
        .filter(|&(_, factor)| factor.abs() > NOTHING)
        .fold(Feature::NONE, |all, (piece, _)| all.with(piece));
    if carrying.len() > 0 {
        carrying
    } else {
        feature
    }
}

/// Unit normals of the active inequalities at x.
fn outward<const D: usize>(
    core: &(impl Boundary<D> + ?Sized),
    feature: Feature,
    x: &SVector<f64, D>,
) -> [SVector<f64, D>; 3] {
    let mut normals = [SVector::zeros(); 3];
    for (slot, index) in feature.iter().enumerate() {
        let gradient = core.piece(index, x).gradient;
        normals[slot] = gradient / gradient.norm();
    }
    normals
}

/// The relation on a feature of a core of smooth inequalities.
pub(crate) fn relation_of_pieces<const D: usize>(
    core: &(impl Boundary<D> + ?Sized),
    feature: Feature,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
) -> Relation<D> {
    let mut pieces = feature.iter();
    if feature.len() == 1 {
        let index = pieces.next().expect("a face has an inequality");
        return Relation::face(&core.piece(index, x), m, core.extent());
    }
    if feature.len() >= D {
        let (mut normals, mut back) = (SMatrix::<f64, D, D>::zeros(), SVector::<f64, D>::zeros());
        for (i, index) in pieces.enumerate() {
            let jet = core.piece(index, x);
            let slope = jet.gradient.norm();
            normals.set_row(i, &(jet.gradient / slope).transpose());
            back[i] = -jet.value / slope;
        }
        let Some(inverse) = normals.try_inverse() else {
            // Planes that do not meet in a point, as two that are parallel: no point is theirs.
            return Relation {
                error: f64::INFINITY,
                ..Relation::corner(x, x, m)
            };
        };
        return Relation::corner(&(x + inverse * back), x, m);
    }
    let mut jet = || core.piece(pieces.next().expect("an edge has two inequalities"), x);
    edge(&[jet(), jet()], m, core.extent())
}

/// Two surfaces of space that cross: along the edge κ t − δm = …, across it t = ….
fn edge<const D: usize>(jets: &[Jet<D>; 2], m: &SVector<f64, D>, extent: f64) -> Relation<D> {
    let slopes = [jets[0].gradient.norm(), jets[1].gradient.norm()];
    let (u, v) = (jets[0].gradient / slopes[0], jets[1].gradient / slopes[1]);
    let heights = [jets[0].value / slopes[0], jets[1].value / slopes[1]];
    // The least move back to both surfaces: y u + z v.
    let cos = u.dot(&v);
    let det = ((1.0 - cos) * (1.0 + cos)).max(f64::MIN_POSITIVE);
    let back =
        u * ((cos * heights[1] - heights[0]) / det) + v * ((cos * heights[0] - heights[1]) / det);
    let along = u.cross(&v);
    let along = direction(&along).map_or_else(SVector::zeros, |(along, _)| along);
    // Along the edge, seen across m: the edge is across m only at the solution.
    let tilt = m.dot(&along);
    let tangent = along - m * tilt;
    let tangent = direction(&tangent).map_or_else(SVector::zeros, |(tangent, _)| tangent);
    let side = m.cross(&tangent);
    let factors = decompose(&[u, v], m).unwrap_or([0.0; 3]);
    let curvature: f64 = (0..2)
        .map(|i| factors[i] * along.dot(&(jets[i].hessian * along)) / slopes[i])
        .sum();
    let off = back - m * m.dot(&back);
    Relation {
        alpha: tangent * tangent.transpose() * curvature + side * side.transpose(),
        beta: -(tangent * tangent.transpose()),
        rhs: tangent * (tilt + curvature * tangent.dot(&off)) + side * side.dot(&off),
        lift: m.dot(&back),
        error: back.norm() + tilt.abs() * extent / (1.0 + curvature.abs() * extent),
    }
}

/// The feature to try instead: without the inequality whose multiplier is most negative, or with the one that x
/// violates most.
pub(crate) fn next_feature<const D: usize>(
    core: &(impl Boundary<D> + ?Sized),
    feature: Feature,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
    slack: f64,
) -> Option<Feature> {
    let factors = multipliers(core, feature, x, m);
    let least = feature
        .iter()
        .zip(factors)
        .min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((piece, factor)) = least
        && feature.len() > 1
        && factor < -slack
    {
        return Some(feature.without(piece));
    }
    let mut worst = (slack * core.extent(), None);
    for index in (0..core.pieces()).filter(|&i| !feature.contains(i)) {
        let jet = core.piece(index, x);
        let height = jet.value / jet.gradient.norm();
        if height > worst.0 {
            worst = (height, Some(index));
        }
    }
    let piece = worst.1?;
    // Opposite faces, which violate each other where x is far off, make no feature.
    let meet = |all: &Feature| {
        let normals = outward(core, *all, x);
        decompose(&normals[..all.len()], m).is_some()
    };
    if feature.len() < D {
        let more = feature.with(piece);
        if meet(&more) {
            return Some(more);
        }
    }
    // The newcomer replaces the inequality that makes least of the normal.
    feature
        .iter()
        .zip(factors)
        .map(|(out, factor)| (feature.without(out).with(piece), factor))
        .filter(|(other, _)| meet(other))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(other, _)| other)
        .or(Some(Feature::face(piece)))
}
