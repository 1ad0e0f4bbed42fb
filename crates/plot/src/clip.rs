//! Cuts paths and areas at the border of a panel.

use crate::items::Span;

/// The part of a path inside the rectangle, as pieces.
///
/// Liang and Barsky, segment by segment; a piece ends where the path leaves.
pub(crate) fn path(points: &[[f64; 2]], x: Span, y: Span) -> Vec<Vec<[f64; 2]>> {
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let Some((a, b, whole)) = segment(pair[0], pair[1], x, y) else {
            open = false;
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if open => piece.push(b),
            _ => pieces.push(vec![a, b]),
        }
        open = whole;
    }
    pieces
}

/// The part of a segment inside, and whether it reaches the segment's end.
fn segment(a: [f64; 2], b: [f64; 2], x: Span, y: Span) -> Option<([f64; 2], [f64; 2], bool)> {
    let mut range = (0.0, 1.0);
    let d = [b[0] - a[0], b[1] - a[1]];
    let edges = [
        (-d[0], a[0] - x.low),
        (d[0], x.high - a[0]),
        (-d[1], a[1] - y.low),
        (d[1], y.high - a[1]),
    ];
    for (speed, room) in edges {
        if speed == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            range.0 = f64::max(range.0, room / speed);
        } else {
            range.1 = f64::min(range.1, room / speed);
        }
    }
    let at = |s: f64| [a[0] + s * d[0], a[1] + s * d[1]];
    (range.0 <= range.1).then(|| {
        // The ends themselves stay exact, so that pieces join.
        let start = if range.0 > 0.0 { at(range.0) } else { a };
        let whole = range.1 >= 1.0;
        let end = if whole { b } else { at(range.1) };
        (start, end, whole)
    })
}

/// The part of a polygon inside the rectangle; empty if there is none.
///
/// Sutherland and Hodgman, one edge after the other.
pub(crate) fn area(points: &[[f64; 2]], x: Span, y: Span) -> Vec<[f64; 2]> {
    let mut polygon = points.to_vec();
    for (axis, limit, sign) in [
        (0, x.low, 1.0),
        (0, x.high, -1.0),
        (1, y.low, 1.0),
        (1, y.high, -1.0),
    ] {
        let depth = |p: [f64; 2]| sign * (p[axis] - limit);
        let input = std::mem::take(&mut polygon);
        for (i, &b) in input.iter().enumerate() {
            let a = input[(i + input.len() - 1) % input.len()];
            let (da, db) = (depth(a), depth(b));
            if (da < 0.0) != (db < 0.0) {
                let s = da / (da - db);
                polygon.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
            }
            if db >= 0.0 {
                polygon.push(b);
            }
        }
    }
    polygon
}

pub(crate) fn inside(p: [f64; 2], x: Span, y: Span) -> bool {
    p[0] >= x.low && p[0] <= x.high && p[1] >= y.low && p[1] <= y.high
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Span = Span {
        low: 0.0,
        high: 1.0,
        logarithmic: false,
    };

    #[test]
    fn path_that_leaves_and_returns_gives_two_pieces() {
        let pieces = path(
            &[[0.5, 0.5], [0.5, 2.0], [0.75, 2.0], [0.75, 0.25]],
            UNIT,
            UNIT,
        );
        assert_eq!(
            pieces,
            [
                vec![[0.5, 0.5], [0.5, 1.0]],
                vec![[0.75, 1.0], [0.75, 0.25]]
            ]
        );
        assert!(path(&[[2.0, 0.0], [2.0, 1.0]], UNIT, UNIT).is_empty());
    }

    #[test]
    fn area_is_cut_to_the_square() {
        let big = [[-1.0, -1.0], [3.0, -1.0], [3.0, 3.0], [-1.0, 3.0]];
        let cut = area(&big, UNIT, UNIT);
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|&p| inside(p, UNIT, UNIT)));
        assert!(area(&[[2.0, 2.0], [3.0, 2.0], [3.0, 3.0]], UNIT, UNIT).is_empty());
    }
}
