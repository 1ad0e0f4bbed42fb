//! An ellipse that is tilted on a line, round and with facets: where it touches.

use std::error::Error;

use nalgebra::Vector2;
use signorini_geometry::{ConvexSet, Ellipsoid, HalfSpace, Placed, Polygon, Pose, closest_points};
use signorini_plot::{Figure, LinePlot, Series, Style};

use crate::report::Report;

/// Semi-axes, m.
const AXES: [f64; 2] = [1.0, 0.6];
/// Corners of the faceted ones.
const FACETS: [usize; 2] = [16, 64];
/// Tilts from 0 to 90°.
const TILTS: u32 = 720;
/// A jump moves the point by more than this between neighbouring tilts, m: the round one moves by 5 mm at most.
const JUMP: f64 = 0.02;

pub(super) fn draw(report: &mut Report) -> Result<(), Box<dyn Error + Send + Sync>> {
    let [long, short] = AXES;
    let round: ConvexSet<2> = Ellipsoid::new(Vector2::new(long, short))?.into();
    let exact = contact_points(&round)?;
    // Closed form: the support point of the direction downwards, seen along the line.
    let miss = exact.iter().map(|[tilt, x]| {
        let (sin, cos) = tilt.to_radians().sin_cos();
        let height = (long * sin).hypot(short * cos);
        (x - sin * cos * (short * short - long * long) / height).abs()
    });
    let miss = miss.fold(0.0, f64::max);
    report
        .measure("contact point of the ellipse to 1e-12 m", miss <= 1e-12)
        .note(format!("off by {miss:.1e} m from the closed form"));
    report
        .measure("jumps of the contact point of the ellipse", jumps(&exact))
        .note(format!(
            "largest move {:.4} m in 1/8°",
            largest_move(&exact)
        ));
    let mut series = Vec::new();
    for (number, facets) in FACETS.into_iter().enumerate() {
        let corner = |k: usize| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / facets as f64).sin_cos();
            [long * cos, short * sin]
        };
        let faceted: ConvexSet<2> = Polygon::new((0..facets).map(corner))?.into();
        let points = contact_points(&faceted)?;
        report
            .measure(
                &format!("jumps of the contact point of {facets} facets"),
                jumps(&points),
            )
            .note(format!("largest {:.4} m", largest_move(&points)));
        let style = Style::nth(number + 1);
        series.push(Series::new(format!("{facets} facets"), points, style));
    }
    series.push(Series::new("ellipse", exact, Style::nth(0)));
    let figure = Figure::new("Contact point of a tilted ellipse", 800, 480).with(LinePlot {
        x_label: "tilt (°)".to_owned(),
        y_label: "contact point beside the centre (m)".to_owned(),
        series,
        ..LinePlot::default()
    });
    report.plate(
        "facets",
        "Where an ellipse of semi-axes 1 m and 0.6 m touches a line while it is tilted: the round body's point moves \
         steadily, that of a faceted one stays at a corner and jumps to the next, by the length of a facet.",
        figure,
    );
    Ok(())
}

/// Tilt in degrees and place of the contact point along the line from below the centre, m.
fn contact_points(set: &ConvexSet<2>) -> Result<Vec<[f64; 2]>, Box<dyn Error + Send + Sync>> {
    let ground = ConvexSet::from(HalfSpace::<2>::up());
    let line = Placed::new(&ground, Pose::identity());
    let mut points = Vec::new();
    for k in 0..=TILTS {
        // From half a step on: at 0 a facet of some polygons would lie flat.
        let tilt = (f64::from(k) + 0.5) * 90.0 / f64::from(TILTS + 1);
        let pose = Pose::from_angle(tilt.to_radians(), Vector2::new(0.0, 1.0));
        let closest = closest_points(&line, &Placed::new(set, pose))?;
        points.push([tilt, closest.b[0]]);
    }
    Ok(points)
}

fn jumps(points: &[[f64; 2]]) -> usize {
    let moves = points
        .windows(2)
        .map(|pair| (pair[1][1] - pair[0][1]).abs());
    moves.filter(|x| *x > JUMP).count()
}

fn largest_move(points: &[[f64; 2]]) -> f64 {
    let moves = points
        .windows(2)
        .map(|pair| (pair[1][1] - pair[0][1]).abs());
    moves.fold(0.0, f64::max)
}
