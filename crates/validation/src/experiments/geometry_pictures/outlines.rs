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
    for (class, figure) in figures("in space", SPATIAL_KINDS, &across)? {
        report.plate(
            &format!("space-{}", class.name()),
            "Pairs of bodies in space, seen along the tangent plane of their closest points: outlines, closest points (dots \
             on A and B) and normal from A to B; lengths in sizes of the pair. Every two kinds stand in one of the figures.",
            figure,
        );
    }
    let turn = |normal: &Vector2<f64>| Vector2::new(normal[1], -normal[0]);
    for (class, figure) in figures("in the plane", PLANAR_KINDS, &turn)? {
        report.plate(
            &format!("plane-{}", class.name()),
            "Pairs of bodies in the plane, turned so that the normal points up.",
            figure,
        );
    }
    Ok(())
}

/// A panel for every two kinds, the classes in turn, in a figure for each class; `across` gives a direction across a normal.
fn figures<const D: usize>(
    place: &str,
    kinds: &[Kind<D>],
    across: &dyn Fn(&SVector<f64, D>) -> SVector<f64, D>,
) -> Result<Vec<(Class, Figure)>, Box<dyn Error + Send + Sync>>
where
    Space: Dimension<D>,
{
    let mut panels = vec![Vec::new(); Class::ALL.len()];
    let mut turn = (0..Class::ALL.len()).cycle();
    for (i, a) in kinds.iter().enumerate() {
        // Two half-spaces have no gap.
        for b in &kinds[i.max(1)..] {
            let number = turn.next().expect("a cycle");
            let pair = Pair::random([*a, *b], Class::ALL[number], SEED, [1.0, 3.0])
                .map_err(|error| error.to_string())?;
            let closest = closest_points(&pair.a.placed(), &pair.b.placed())?;
            let sideways = across(&closest.normal);
            let name = format!("{}, {}", a.name, b.name);
            panels[number].push(panel(name, &pair, &closest, &sideways));
        }
    }
    let columns: u32 = 5;
    let figure = |(class, panels): (Class, Vec<FramesPlot>)| {
        let rows = u32::try_from(panels.len())?.div_ceil(columns);
        let title = format!("Pairs {place}, {}", class.name());
        let empty = Figure::new(title, PANEL * columns, PANEL * rows).columns(columns as usize);
        Ok((class, panels.into_iter().fold(empty, Figure::with)))
    };
    Class::ALL.into_iter().zip(panels).map(figure).collect()
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
