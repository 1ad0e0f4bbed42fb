//! Iterations of the search over relative poses.

use nalgebra::Vector3;
use rayon::prelude::*;
use signorini_geometry::{
    ConvexSet, Cylinder, Ellipsoid, Placed, Pose, Superquadric, closest_points,
};
use signorini_plot::{Color, Figure, FramesPlot, Paint, Shape};

use crate::experiment::Effort;
use crate::report::Report;

/// Iterations that are drawn in full colour; more look the same.
const MOST: u32 = 16;

pub(super) fn draw(report: &mut Report, effort: Effort) {
    let cells = if effort == Effort::Quick { 24 } else { 64 };
    let lengths = "positive lengths";
    let axes = Vector3::new(0.5, 0.3, 0.2);
    let bodies: [(&str, ConvexSet<3>); 3] = [
        ("ellipsoids", Ellipsoid::new(axes).expect(lengths).into()),
        (
            "superquadrics, exponent 4",
            Superquadric::new(axes, 4.0).expect(lengths).into(),
        ),
        ("cylinders", Cylinder::new(0.3, 0.5).expect(lengths).into()),
    ];
    let mut figure = Figure::new("Iterations over relative poses", 900, 1200).columns(2);
    let (mut silent, mut most, mut all) = (0, 0, 0);
    for (name, set) in &bodies {
        for moving in [true, false] {
            let map = map(set, cells, moving);
            all += map.len();
            silent += map.iter().filter(|cell| cell.is_none()).count();
            most = map.iter().flatten().copied().max().unwrap_or(0).max(most);
            figure = figure.with(panel(name, &map, cells, moving));
        }
    }
    report
        .measure("poses of the maps without an answer", silent)
        .note(format!(
            "of {all}; at most {most} iterations of Newton's method in all searches of a query"
        ));
    report.plate(
        "work",
        "Iterations of closest points, from none (white) to 16 and more (dark), of two equal bodies. Left: B \
         turned by 40° about an axis without a special place, its centre moved over a plane through that of A (from \
         contact of the centres to apart). Right: B in one place, turned about two axes. No answer would be vermilion.",
        figure,
    );
}

/// Iterations by cell; `None` without an answer.
fn map(set: &ConvexSet<3>, cells: u32, moving: bool) -> Vec<Option<u32>> {
    let part = |k: u32| (f64::from(k) + 0.5) / f64::from(cells);
    (0..cells * cells)
        .into_par_iter()
        .map(|index| {
            let (u, v) = (part(index % cells), part(index / cells));
            let pose = if moving {
                let place = Vector3::new(3.0 * u - 1.5, 0.07, 3.0 * v - 1.5);
                Pose::from_quaternion([0.94, 0.2, 0.25, 0.12], place)
            } else {
                let (first, second) = (std::f64::consts::PI * u, std::f64::consts::PI * v);
                let about = |axis: usize, angle: f64| {
                    let mut q = [(0.5 * angle).cos(), 0.0, 0.0, 0.0];
                    q[axis] = (0.5 * angle).sin();
                    Pose::from_quaternion(q, Vector3::zeros())
                };
                let turned = about(1, first).compose(&about(3, second));
                Pose {
                    position: Vector3::new(0.35, 0.25, 0.45),
                    ..turned
                }
            };
            let (a, b) = (Placed::new(set, Pose::identity()), Placed::new(set, pose));
            closest_points(&a, &b).ok().map(|answer| answer.iterations)
        })
        .collect()
}

fn panel(name: &str, map: &[Option<u32>], cells: u32, moving: bool) -> FramesPlot {
    let (what, low, high, labels) = if moving {
        ("moved", -1.5, 1.5, ["x of B (m)", "z of B (m)"])
    } else {
        ("turned", 0.0, 180.0, ["about x (°)", "about z (°)"])
    };
    let width = (high - low) / f64::from(cells);
    let mut plot = FramesPlot::new(format!("{name}, {what}"), labels[0], labels[1]);
    let mut x_left = (0..cells * cells).map(|index| {
        let (i, j) = (index % cells, index / cells);
        [low + f64::from(i) * width, low + f64::from(j) * width]
    });
    for iterations in map {
        let [x, y] = x_left.next().expect("a place for every cell");
        let points = vec![
            [x, y],
            [x + width, y],
            [x + width, y + width],
            [x, y + width],
        ];
        let fill = match iterations {
            None => Color::VERMILION,
            Some(count) => shade(*count),
        };
        let paint = Paint {
            stroke: None,
            fill: Some(fill),
            ..Paint::line(fill)
        };
        plot.add(Shape::Polygon { points }, paint);
    }
    plot
}

/// White for none, dark blue for many.
fn shade(count: u32) -> Color {
    let part = f64::from(count.min(MOST)) / f64::from(MOST);
    let Color { rgb: dark, .. } = Color::rgb(0, 45, 90);
    let mix = |dark: u8| {
        let light = 255.0 + part * (f64::from(dark) - 255.0);
        // Between 0 and 255 by construction.
        (0..=255_u8)
            .rev()
            .find(|&x| f64::from(x) <= light)
            .unwrap_or(0)
    };
    Color::rgb(mix(dark[0]), mix(dark[1]), mix(dark[2]))
}
