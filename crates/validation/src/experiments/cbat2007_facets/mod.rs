//! What facets cost: CBAT2007 Fig. 1 as a sweep, error against the number of facets for discs and spheres.
//!
//! A disc of 1 kg rolls at 3 m/s for 1 s and keeps 6.75 J; regular polygons in its place lose energy: by their impacts on
//! corners, which in the limit of short steps leave 6.75 / (1 + ω₀ a t / 3)² J, a = 2π/N, and by the linearised gap. Stewart and
//! Trinkle's scheme has its geometry at q or at q + h v. The trade-off: more corners help only as long as a step turns the
//! body by less than from one corner to the next.
//!
//! In space polyhedra inside of it stand for the sphere that rolls on a plane, and for that on two spheres (without torsion),
//! where the force at contact 2 shows how rough they are.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, Figs. 1, 6.

use nalgebra::Vector3;
use signorini::dynamics::{Body, ContactMaterial, Inertia, World, WorldSettings};
use signorini::geometry::{Ball, ConvexSet, HalfSpace, Polygon};
use signorini::steppers::{Evaluation, Mode, Run, StewartTrinkle, StewartTrinkleSettings};
use signorini_plot::{AxisScale, Dash, Figure, LinePlot, Series, Style, Trace};

use super::cbat2007_common::{
    Failure, Trial, closed_form, lowered, panel, plane_world, polyhedron, source,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Corners of the polygons.
const CORNERS: [usize; 7] = [10, 20, 50, 100, 200, 500, 1000];
/// Steps, s.
const STEPS: [f64; 3] = [0.02, 0.01, 0.005];
/// The step of the sphere, s, and its place in `STEPS`.
const SHOWN: usize = 1;
/// Facets of the sphere.
const FACETS: [usize; 3] = [50, 150, 450];
/// Kinetic energy of the disc, J.
const ENERGY: f64 = 6.75;
/// The contact with the sphere of 9 m.
const PAIR: (u32, u32) = (1, 2);

/// The facets.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007Facets;

impl Experiment for Cbat2007Facets {
    fn id(&self) -> &'static str {
        "cbat2007-facets"
    }

    fn source(&self) -> Source {
        source("Figs. 1, 6: as a sweep")
    }

    fn title(&self) -> &'static str {
        "What facets cost"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let mut report = Report::default();
        progress.progress(0, 3, "polygons");
        let mut losses = Vec::new();
        for evaluation in [Evaluation::Current, Evaluation::Predicted] {
            let by_step = STEPS.map(|h| CORNERS.map(|corners| loss(corners, h, evaluation)));
            for by_corners in by_step {
                let loss: Result<Vec<_>, _> = by_corners.into_iter().collect();
                losses.push(loss?);
            }
        }
        polygon_claims(&mut report, &losses);
        report.plate(
            "polygons",
            "Energy that a rolling polygon loses in 1 s (magnitude; the disc loses none), by corners: geometry at q (solid) and \
             at q + h v (dashed), and what its impacts take without steps (dotted).",
            polygon_figure(&losses),
        );
        progress.progress(1, 3, "a sphere on a plane");
        rolling(&mut report)?;
        progress.progress(2, 3, "a sphere on two spheres");
        let smooth = groove(Ball::new(1.0)?.into(), true)?;
        let mut curves = vec![("true sphere, implicit".to_owned(), force(&smooth))];
        let linear = groove(Ball::new(1.0)?.into(), false)?;
        curves.push(("true sphere, linear".to_owned(), force(&linear)));
        report.measure(
            "groove, roughness of the true sphere, linear",
            roughness(&linear),
        );
        let mut rough = Vec::new();
        for facets in FACETS {
            let faceted = groove(polyhedron(&Vector3::repeat(1.0), facets)?.into(), false)?;
            rough.push(roughness(&faceted));
            curves.push((format!("{facets} facets, linear"), force(&faceted)));
        }
        let limit = 100.0 * roughness(&linear);
        report
            .measure(
                "groove, facets make the force a hundred times rougher",
                rough.iter().all(|rough| *rough > limit),
            )
            .note(listed(&rough, "N"));
        curves.reverse();
        report.plate(
            "groove",
            "Normal force at contact 2 of the sphere on two spheres, h = 0.01 s: true and faceted.",
            Figure::new("Force at contact 2", 900, 520).with(panel("N", curves)),
        );
        progress.progress(3, 3, "done");
        Ok(report)
    }
}

fn linear(evaluation: Evaluation) -> StewartTrinkle {
    StewartTrinkle::new(StewartTrinkleSettings {
        evaluation,
        ..StewartTrinkleSettings::default()
    })
}

/// Energy lost by a polygon in 1 s, begun on a corner, J.
fn loss(corners: usize, h: f64, evaluation: Evaluation) -> Result<f64, Failure> {
    let mut world = World::<2>::with_settings(WorldSettings {
        material: ContactMaterial {
            friction: 0.4,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("line", HalfSpace::up()))?;
    let shape = Polygon::regular(corners, 1.0)?;
    let lowest = shape.vertices().iter().min_by(|a, b| a[1].total_cmp(&b[1]));
    let lowest = lowest.expect("a polygon has corners");
    let mut body = Body::moving("polygon", 1.0, Inertia::Scalar(0.5));
    body.position = vec![
        0.0,
        1.0,
        -std::f64::consts::FRAC_PI_2 - lowest[1].atan2(lowest[0]),
    ];
    body.velocity = vec![-3.0, 0.0, 3.0];
    body.shape = Some(shape.into());
    world.add(body)?;
    let run = Run { h, until: 1.0 };
    let trial = Trial::run(&world, &world.initial_state(), &mut linear(evaluation), run)?;
    Ok(ENERGY - trial.summary.energy_end.kinetic)
}

fn polygon_claims(report: &mut Report, losses: &[Vec<f64>]) {
    let (current, predicted) = losses.split_at(STEPS.len());
    let last = CORNERS.len() - 1;
    for (h, loss) in STEPS.into_iter().zip(current) {
        let change = (loss[last] / loss[last - 1] - 1.0).abs();
        report.measure(
            &format!("geometry at q, h = {h}: change of the loss from 500 to 1000 corners, part"),
            change,
        );
    }
    let order = (current[1][last] / current[2][last]).log2();
    report.measure("geometry at q, 1000 corners: order of the loss in h", order);
    let fine = STEPS.len() - 1;
    let ratio = (predicted[fine][2] / predicted[fine][3]).log2();
    report.measure(
        "geometry at q + h v, h = 0.005: order of the loss in 1/N, 50 to 100 corners",
        ratio,
    );
    let impacts = impacts(CORNERS[2]);
    report.measure(
        "geometry at q + h v, h = 0.005, 50 corners: loss over that of the impacts alone",
        predicted[fine][2] / impacts,
    );
    let most = predicted.iter().map(|loss| loss[last].abs());
    let most = most.fold(0.0, f64::max);
    report.measure(
        "geometry at q + h v, 1000 corners: largest change of the energy",
        most,
    );
    let pairs = current.iter().zip(predicted);
    let less = pairs.flat_map(|(q, ahead)| q.iter().zip(ahead));
    report.measure(
        "geometry at q + h v loses less for every number of corners and step",
        less.into_iter().all(|(q, ahead)| ahead < q),
    );
}

/// What a polygon's impacts on its corners take in 1 s, J.
fn impacts(corners: usize) -> f64 {
    let angle = std::f64::consts::TAU / corners as f64;
    ENERGY * (1.0 - (1.0 + angle).powi(-2))
}

fn polygon_figure(losses: &[Vec<f64>]) -> Figure {
    let labels = ["at q", "at q + h v"];
    let curve = |(place, loss): (usize, &Vec<f64>)| {
        let (kind, step) = (place / STEPS.len(), place % STEPS.len());
        let points = CORNERS.iter().zip(loss);
        let style = Style {
            dash: [Dash::Solid, Dash::Dashed][kind],
            trace: Trace::LineAndDots,
            ..Style::nth(step)
        };
        let points = points.map(|(n, loss)| [*n as f64, loss.abs()]).collect();
        Series::new(
            format!("{}, h = {} s", labels[kind], STEPS[step]),
            points,
            style,
        )
    };
    let mut series: Vec<_> = losses.iter().enumerate().map(curve).collect();
    let exact = CORNERS.iter().map(|&n| [n as f64, impacts(n)]).collect();
    let dotted = Style {
        dash: Dash::Dotted,
        ..Style::nth(6)
    };
    series.push(Series::new("impacts alone", exact, dotted));
    let plot = LinePlot {
        x_label: "corners".to_owned(),
        y_label: "energy lost (J)".to_owned(),
        series,
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    };
    Figure::new("Rolling polygons", 900, 620).with(plot)
}

/// The sphere that rolls on a plane at 3 m/s.
fn rolling(report: &mut Report) -> Result<(), Failure> {
    let (mut curves, mut losses) = (Vec::new(), Vec::new());
    for facets in FACETS {
        let mut world = plane_world(0.4, ContactMaterial::COULOMB)?;
        let mut body = Body::moving("sphere", 1.0, Inertia::Scalar(0.4));
        body.shape = Some(polyhedron(&Vector3::repeat(1.0), facets)?.into());
        body.position[2] = 2.0;
        body.velocity[0] = 3.0;
        body.velocity[4] = 3.0;
        world.add(body)?;
        let run = Run {
            h: STEPS[SHOWN],
            until: 1.0,
        };
        let start = lowered(&world)?;
        let trial = Trial::run(&world, &start, &mut linear(Evaluation::Current), run)?;
        let energy = trial.energy();
        let lost = energy[0][1] - energy[energy.len() - 1][1];
        losses.push(lost);
        let kinetic = trial.trajectory.reports.iter();
        let kinetic = kinetic.map(|r| [r.t, r.energy_after.kinetic]).collect();
        curves.push((format!("{facets} facets"), kinetic));
    }
    curves.push(("true sphere".to_owned(), vec![[0.0, 6.3], [1.0, 6.3]]));
    report
        .measure(
            "rolling polyhedra lose less with more facets, and a fifth of their energy with the most",
            losses.is_sorted_by(|a, b| a > b) && losses[FACETS.len() - 1] > 0.2 * 6.3,
        )
        .note(listed(&losses, "J of 6.3 J lost in 1 s"));
    report.plate(
        "sphere",
        "Kinetic energy of a polyhedron that rolls on a plane in place of a sphere, geometry at q, h = 0.01 s.",
        Figure::new("Rolling polyhedra", 900, 480).with(panel("kinetic energy (J)", curves)),
    );
    Ok(())
}

/// Values by the number of facets, for a note: they depend on the last bit, since a body on corners is chaotic.
fn listed(values: &[f64], what: &str) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("{value:.2}")).collect();
    format!("{FACETS:?} facets: {} {what}", values.join(", "))
}

/// The sphere on two spheres until 2 s, while contact 2 sticks.
fn groove(shape: ConvexSet<3>, exact: bool) -> Result<Trial, Failure> {
    let mut world = World::<3>::with_settings(WorldSettings {
        gravity: [1.0, 2.6, -9.81].into(),
        material: ContactMaterial {
            friction: 0.2,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("sphere 1", Ball::new(10.0)?))?;
    let mut second = Body::fixed("sphere 2", Ball::new(9.0)?);
    second.position[1] = 11.4;
    world.add(second)?;
    let mut sphere = Body::moving("sphere", 1.0, Inertia::Scalar(0.4));
    sphere.shape = Some(shape.into());
    sphere.position[1..3].copy_from_slice(&[6.621_052_631_578_95, 8.784_171_107_729_03]);
    world.add(sphere)?;
    let run = Run {
        h: STEPS[SHOWN],
        until: 2.0,
    };
    let state = world.initial_state();
    if exact {
        Trial::run(&world, &state, &mut closed_form(), run)
    } else {
        Trial::run(&world, &state, &mut linear(Evaluation::Current), run)
    }
}

/// Normal force at contact 2 over time, N: the sum over the points of the pair.
fn force(trial: &Trial) -> Vec<[f64; 2]> {
    let reports = trial.trajectory.reports.iter();
    reports
        .map(|report| {
            let own = report.contacts.iter();
            let own = own.filter(|c| (c.id.a, c.id.b) == PAIR && c.mode != Mode::Open);
            [report.t, own.map(|c| c.impulse[0]).sum::<f64>() / trial.h]
        })
        .collect()
}

/// Largest second difference of that force after the first half second, N.
fn roughness(trial: &Trial) -> f64 {
    let force = force(trial);
    let steady: Vec<_> = force.iter().filter(|f| f[0] > 0.5).map(|f| f[1]).collect();
    let bends = steady.windows(3).map(|f| (f[0] - 2.0 * f[1] + f[2]).abs());
    bends.fold(0.0, f64::max)
}
