//! The trade-off that CBAT2007 announces: error against computing time over schemes, friction pyramids and faceted bodies.
//!
//! | problem | reference |
//! | --- | --- |
//! | a disc slides, then rolls: position after 1 s | closed form |
//! | a ball slides across its spin, then rolls: place after 1 s | closed form |
//! | an ellipsoid rolls on a plane about its second axis: place and angle after 1 s | quadrature of the energy integral |
//! | the sphere on two spheres, without torsion: place after 1 s | the implicit scheme, extrapolated from 2.5 and 1.25 ms |
//!
//! Schemes: geometrically implicit with closest points as unknowns and with computed ones, Stewart and Trinkle's with geometry at
//! the start of the step and 4, 8, 16 and 32 friction directions, and the last with 8 directions and polygons or polyhedra inside of
//! the body in its place. Times are of one run, the least of several, in units of a Cholesky factorisation of 64 rows
//! timed beside it; no claim depends on them.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section VI.

mod problems;

use std::time::Instant;

use signorini::dynamics::State;
use signorini::steppers::{
    Evaluation, GapFunction, Run, Stepper, StewartTrinkle, StewartTrinkleSettings, simulate,
};
use signorini_benches::calibrate;
use signorini_plot::{AxisScale, Dash, Figure, LinePlot, Series, Style, Trace};

use self::problems::{Problem, ball, disc, ellipsoid, two_spheres};
use super::cbat2007_common::{Failure, condensed, implicit, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Report, Sheet};
use crate::value::Value;

/// Steps, s; halved from one to the next.
const STEPS: [f64; 4] = [0.04, 0.02, 0.01, 0.005];
/// The step whose errors are claimed.
const CLAIMED: usize = 2;
/// Friction directions of the linear scheme in space.
const DIRECTIONS: [usize; 4] = [4, 8, 16, 32];

/// The work-precision diagrams.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007WorkPrecision;

impl Experiment for Cbat2007WorkPrecision {
    fn id(&self) -> &'static str {
        "cbat2007-work-precision"
    }

    fn source(&self) -> Source {
        source("section VI: announced, not in the paper")
    }

    fn title(&self) -> &'static str {
        "Error against time over schemes, pyramids and facets"
    }

    fn run(&self, effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let repeats = if effort == Effort::Quick {
            Repeats {
                runs: 1,
                seconds: 0.005,
            }
        } else {
            Repeats {
                runs: 3,
                seconds: 0.06,
            }
        };
        let unit = calibrate().as_secs_f64();
        let problems = [disc()?, ball()?, ellipsoid()?, two_spheres()?];
        let (mut report, total) = (Report::default(), problems.len());
        for (index, problem) in problems.iter().enumerate() {
            progress.progress(index, total, problem.name);
            let curves = curves(problem, repeats, unit)?;
            claims(&mut report, problem, &curves);
            report.plate(
                problem.file,
                &format!(
                    "{}: error at h = 40, 20, 10 and 5 ms against the time of a run, in units of a Cholesky factorisation of 64 \
                     rows ({:.0} µs here).",
                    problem.title,
                    1e6 * unit
                ),
                figure(problem, &curves),
            );
            report.sheets.push(sheet(problem, &curves));
        }
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// A run is timed at least so often, and until the runs have taken so long together; the least time counts.
#[derive(Debug, Clone, Copy)]
struct Repeats {
    runs: u32,
    seconds: f64,
}

/// A scheme over a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    /// Geometrically implicit, closest points as unknowns.
    Full,
    /// Geometrically implicit, closest points computed.
    Condensed,
    /// Linear, geometry at the start of the step, with so many friction directions.
    Linear(usize),
    /// The same with 8 directions and the faceted body of this place.
    Facets(usize),
}

impl Scheme {
    fn stepper(self) -> Box<dyn Stepper> {
        let directions = match self {
            Self::Full => return Box::new(implicit(GapFunction::SignedDistance)),
            Self::Condensed => return Box::new(condensed()),
            Self::Linear(directions) => directions,
            Self::Facets(_) => 8,
        };
        Box::new(StewartTrinkle::new(StewartTrinkleSettings {
            directions,
            evaluation: Evaluation::Current,
            ..StewartTrinkleSettings::default()
        }))
    }
}

/// Errors of a scheme at every step, and times in units of the calibration.
#[derive(Debug)]
struct Curve {
    scheme: Scheme,
    label: String,
    points: Vec<[f64; 2]>,
}

impl Curve {
    fn error(&self, step: usize) -> f64 {
        self.points[step][1]
    }

    /// By the last halving.
    fn order(&self) -> f64 {
        let last = self.points.len() - 1;
        (self.error(last - 1) / self.error(last)).log2()
    }
}

fn curves(problem: &Problem, repeats: Repeats, unit: f64) -> Result<Vec<Curve>, Failure> {
    let mut schemes = vec![
        (Scheme::Full, "implicit".to_owned()),
        (Scheme::Condensed, "implicit, points computed".to_owned()),
    ];
    let directions = if problem.smooth.dimension() == 2 {
        &[2][..]
    } else {
        &DIRECTIONS[..]
    };
    for &count in directions {
        schemes.push((Scheme::Linear(count), format!("linear, {count} directions")));
    }
    for (place, (facets, _)) in problem.faceted.iter().enumerate() {
        schemes.push((Scheme::Facets(place), format!("linear, {facets} facets")));
    }
    let curve = |(scheme, label): (Scheme, String)| {
        let points = STEPS.map(|h| point(problem, scheme, h, repeats));
        let points: Result<Vec<_>, _> = points.into_iter().collect();
        let points = points?
            .into_iter()
            .map(|[time, error]| [time / unit, error]);
        Ok(Curve {
            scheme,
            label,
            points: points.collect(),
        })
    };
    schemes.into_iter().map(curve).collect()
}

/// Seconds of a run, and its error.
fn point(problem: &Problem, scheme: Scheme, h: f64, repeats: Repeats) -> Result<[f64; 2], Failure> {
    let (system, start) = match scheme {
        Scheme::Facets(place) => {
            let (_, (system, start)) = &problem.faceted[place];
            (system.as_ref(), start)
        }
        _ => (problem.smooth.as_ref(), &problem.start),
    };
    let run = Run {
        h,
        until: problem.until,
    };
    let (mut least, mut spent, mut runs) = (f64::INFINITY, 0.0, 0);
    let mut end = State::clone(start);
    while runs < repeats.runs || spent < repeats.seconds {
        let (mut state, mut stepper) = (start.clone(), scheme.stepper());
        let clock = Instant::now();
        simulate(system, stepper.as_mut(), &mut state, run, &mut ())?;
        let seconds = clock.elapsed().as_secs_f64();
        (least, spent, runs) = (least.min(seconds), spent + seconds, runs + 1);
        end = state;
    }
    Ok([least, (problem.error)(&end)])
}

fn claims(report: &mut Report, problem: &Problem, curves: &[Curve]) {
    let name = problem.name;
    // Errors of faceted bodies depend on the last bit and stand in the sheet only.
    let smooth = |curve: &&Curve| !matches!(curve.scheme, Scheme::Facets(_));
    for curve in curves.iter().filter(smooth) {
        let error = curve.error(CLAIMED);
        report
            .measure(
                &format!("{name}, {}: error at h = 0.01", curve.label),
                error,
            )
            .note(format!("order by the last halving {:.2}", curve.order()));
    }
    report.measure(&format!("{name}, implicit: order"), curves[0].order());
    let difference = (0..STEPS.len()).map(|k| {
        let [full, condensed] = [curves[0].error(k), curves[1].error(k)];
        (full / condensed - 1.0).abs()
    });
    report.measure(
        &format!("{name}, both implicit ones: largest relative difference of the errors"),
        difference.fold(0.0, f64::max),
    );
    let last = STEPS.len() - 1;
    if problem.slides_in_space {
        let linear = curves
            .iter()
            .filter(|c| matches!(c.scheme, Scheme::Linear(_)));
        let errors: Vec<_> = linear.map(|c| c.error(last)).collect();
        report.measure(
            &format!("{name}, linear: more directions, less error at the finest step"),
            errors.is_sorted_by(|a, b| a >= b),
        );
    }
    if problem.faceted.is_empty() {
        return;
    }
    let facets = curves
        .iter()
        .filter(|c| matches!(c.scheme, Scheme::Facets(_)));
    let best = facets.map(|c| c.error(last)).fold(f64::INFINITY, f64::min);
    report.measure(
        &format!("{name}, facets are further off than the implicit scheme at the finest step"),
        best > curves[0].error(last),
    );
}

fn figure(problem: &Problem, curves: &[Curve]) -> Figure {
    let series = curves.iter().enumerate().map(|(k, curve)| {
        let dash = match curve.scheme {
            Scheme::Full | Scheme::Condensed => Dash::Solid,
            Scheme::Linear(_) => Dash::Dashed,
            Scheme::Facets(_) => Dash::Dotted,
        };
        let style = Style {
            dash,
            trace: Trace::LineAndDots,
            ..Style::nth(k)
        };
        Series::new(curve.label.clone(), curve.points.clone(), style)
    });
    let plot = LinePlot {
        x_label: "time of the run (calibrations)".to_owned(),
        y_label: problem.error_label.to_owned(),
        series: series.collect(),
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    };
    Figure::new(problem.title, 900, 640).with(plot)
}

/// All errors and times.
fn sheet(problem: &Problem, curves: &[Curve]) -> Sheet {
    let digits = |x: f64| Value::from(format!("{x:.2e}")).to_string();
    let row = |curve: &Curve| {
        let errors = curve.points.iter().map(|p| digits(p[1]));
        std::iter::once(curve.label.clone()).chain(errors).collect()
    };
    Sheet {
        caption: format!("{}: {} by step.", problem.title, problem.error_label),
        header: std::iter::once("scheme".to_owned())
            .chain(STEPS.map(|h| format!("h = {h} s")))
            .collect(),
        rows: curves.iter().map(row).collect(),
    }
}
