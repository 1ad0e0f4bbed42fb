//! Both bodies of a pair, their closest points and the normal, for every two kinds.

use std::error::Error;

use nalgebra::{SVector, Vector2, Vector3};
use signorini_benches::pairs::{
    Class, Dimension, Kind, Member, PLANAR_KINDS, Pair, Recipe, SPATIAL_KINDS, Space, support,
};
use signorini_geometry::{ClosestPoints, closest_points};
use signorini_plot::{Color, Figure, FramesPlot, Paint, Shape};

use crate::report::Report;

/// Points of an outline.
const POINTS: u32 = 180;
/// Seed of the pairs.
const SEED: u64 = 3;
/// Pixels of a panel.
const PANEL: u32 = 270;

pub(super) fn draw(report: &mut Report) -> Result<(), Box<dyn Error + Send + Sync>> {
    let across = |normal: &Vector3<f64>| {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let least = axes
            .into_iter()
            .min_by(|x, y| x.dot(normal).abs().total_cmp(&y.dot(normal).abs()));
        least.expect("three axes").cross(normal).normalize()
    };
    let space = figure("Pairs in space", SPATIAL_KINDS, &across)?;
    report.plate(
        "pairs-space",
        "Every two kinds of bodies in space, seen along the tangent plane of their closest points: outlines, closest points \
         (dots on A and B) and normal from A to B. Apart, touching, shallow, deep and deeper in turn.",
        space,
    );
    let turn = |normal: &Vector2<f64>| Vector2::new(normal[1], -normal[0]);
    let plane = figure("Pairs in the plane", PLANAR_KINDS, &turn)?;
    report.plate(
        "pairs-plane",
        "Every two kinds of bodies in the plane, turned so that the normal points up.",
        plane,
    );
    Ok(())
}

/// A panel for every two kinds; `across` gives a direction across a normal.
fn figure<const D: usize>(
    title: &str,
    kinds: &[Kind<D>],
    across: &dyn Fn(&SVector<f64, D>) -> SVector<f64, D>,
) -> Result<Figure, Box<dyn Error + Send + Sync>>
where
    Space: Dimension<D>,
{
    let mut panels = Vec::new();
    for (i, a) in kinds.iter().enumerate() {
        // Two half-spaces have no gap.
        for b in &kinds[i.max(1)..] {
            let class = Class::ALL[panels.len() % Class::ALL.len()];
            let pair = Pair::random([*a, *b], class, SEED, [1.0, 3.0])
                .map_err(|error| error.to_string())?;
            let closest = closest_points(&pair.a.placed(), &pair.b.placed())?;
            let sideways = across(&closest.normal);
            let name = format!("{}, {}", a.name, b.name);
            let class = class.name().to_owned();
            panels.push(FramesPlot {
                x_label: class,
                ..panel(name, &pair, &closest, &sideways)
            });
        }
    }
    let columns = 6;
    let rows = u32::try_from(panels.len().div_ceil(columns))?;
    let width = PANEL * u32::try_from(columns)?;
    let empty = Figure::new(title, width, PANEL * rows).columns(columns);
    Ok(panels.into_iter().fold(empty, Figure::with))
}

fn panel<const D: usize>(
    name: String,
    pair: &Pair<D>,
    closest: &ClosestPoints<D>,
    sideways: &SVector<f64, D>,
) -> FramesPlot {
    let size = pair.size();
    let middle = (closest.a + closest.b) * 0.5;
    // In lengths of the pair, seen from between the closest points.
    let flat = |x: &SVector<f64, D>| {
        let off = (x - middle) / size;
        [sideways.dot(&off), closest.normal.dot(&off)]
    };
    let mut plot = FramesPlot {
        title: name,
        ..FramesPlot::default()
    };
    for (member, color, upward) in [
        (&pair.a, Color::BLUE, false),
        (&pair.b, Color::VERMILION, true),
    ] {
        let points = if member.recipe == Recipe::HalfSpace {
            let edge = flat(if upward { &closest.b } else { &closest.a })[1];
            let far = if upward { edge + 0.4 } else { edge - 0.4 };
            vec![[-1.0, edge], [1.0, edge], [1.0, far], [-1.0, far]]
        } else {
            let directions = (0..POINTS).map(|k| {
                let turn = f64::from(k) * std::f64::consts::TAU / f64::from(POINTS);
                sideways * turn.cos() + closest.normal * turn.sin()
            });
            directions.map(|m| flat(&furthest(member, &m))).collect()
        };
        plot.add(Shape::Polygon { points }, Paint::body(color));
    }
    let tip = closest.b + closest.normal * (0.25 * size);
    let arrow = Shape::Arrow {
        from: flat(&closest.b),
        to: flat(&tip),
    };
    plot.add(arrow, Paint::line(Color::BLACK));
    for (x, color) in [(&closest.a, Color::BLUE), (&closest.b, Color::VERMILION)] {
        let dot = Shape::Circle {
            centre: flat(x),
            radius: 0.012,
        };
        let paint = Paint {
            fill: Some(color),
            ..Paint::line(color)
        };
        plot.add(dot, paint);
    }
    plot
}

/// The point of a body's outline, seen across m, that is furthest along m, in world axes.
fn furthest<const D: usize>(member: &Member<D>, m: &SVector<f64, D>) -> SVector<f64, D> {
    member
        .pose
        .apply(&support(&member.recipe, &member.pose.inverse_rotate(m)))
}
