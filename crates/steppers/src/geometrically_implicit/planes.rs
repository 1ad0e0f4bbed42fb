//! Planes in which pieces are touched: which pairs are held by one of them.

use signorini_dynamics::{PairLayout, PairRows};

/// Planes are the same within this angle, rad, and this part of the length.
const SAME: f64 = 1e-6;

/// The plane in which a piece touches a body.
#[derive(Debug)]
pub(super) struct Plane {
    /// The pair, whose materials hold in it, and the side that has the plane.
    layout: PairLayout,
    side: usize,
    /// Towards the piece that touches, and how far along it, m.
    outward: Vec<f64>,
    height: f64,
    /// How fast the surfaces slide by belts.
    drift: Vec<f64>,
}

impl Plane {
    /// The plane of the body on this side of a pair.
    pub(super) fn new(layout: &PairLayout, side: usize, rows: &PairRows) -> Self {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let outward: Vec<f64> = rows.normal.iter().map(|n| sign * n).collect();
        let d = outward.len();
        let point = &rows.points[side * d..][..d];
        let height = outward.iter().zip(point).map(|(n, x)| n * x).sum();
        Self {
            layout: *layout,
            side,
            outward,
            height,
            drift: rows.drift.clone(),
        }
    }

    /// The side of a pair that has the same body, or a fixed one as this is, if the same piece touches it and all that friction and
    /// restitution know is the same.
    pub(super) fn met_by(&self, other: &PairLayout) -> Option<usize> {
        let own = &self.layout;
        let is_fixed = |layout: &PairLayout, side: usize| layout.offsets[side].is_none();
        let side = (0..2).find(|&side| {
            let same_body = body(other, side) == body(own, self.side);
            toucher(other, side) == toucher(own, self.side)
                && (same_body || (is_fixed(other, side) && is_fixed(own, self.side)))
        })?;
        is_alike(own, other).then_some(side)
    }

    /// Whether it is the same for the piece that touches it.
    pub(super) fn is_same(&self, other: &Self, length: f64) -> bool {
        let turned = self.outward.iter().zip(&other.outward);
        let turned = turned.map(|(m, n)| (m - n).abs()).fold(0.0, f64::max);
        self.met_by(&other.layout) == Some(other.side)
            && turned <= SAME
            && (self.height - other.height).abs() <= SAME * length
            && (self.side != other.side || self.drift == other.drift)
    }
}

/// Whether all that friction and restitution know of two pairs is the same.
pub(super) fn is_alike(one: &PairLayout, other: &PairLayout) -> bool {
    let of = |layout: &PairLayout| {
        let [e_t, e_o, e_r] = layout.ellipsoid;
        let restitution = [layout.restitution, layout.tangential_restitution];
        (
            restitution,
            [layout.friction, layout.rolling, e_t, e_o, e_r],
        )
    };
    of(one) == of(other)
}

/// Whether the same piece touches what is on this side of a pair and what is on one side of another.
pub(super) fn share(layout: &PairLayout, side: usize, other: &PairLayout) -> bool {
    (0..2).any(|k| toucher(other, k) == toucher(layout, side))
}

fn body(layout: &PairLayout, side: usize) -> u32 {
    [layout.id.a, layout.id.b][side]
}

/// Body and piece that touch what is on this side.
fn toucher(layout: &PairLayout, side: usize) -> (u32, u32) {
    (body(layout, 1 - side), layout.id.pieces[1 - side])
}
