//! Friction pyramids with 4, 8, 16 and 32 directions against the cone.
//!
//! A particle that slides on a plane is held back along a direction of the pyramid, at most half of the angle between
//! two of them away from its slip. In heaps of spheres the same holds contact by contact, and the impulse that a sphere
//! receives differs by what that makes of the whole heap. Contacts have three rows, a normal and two tangents,
//! without torsion and rolling moments.
//!
//! # References
//! - \[ABH2018\] V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction: formulations and
//!   numerical comparisons, 2018.
//! - \[ST1996\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic
//!   collisions and Coulomb friction, International Journal for Numerical Methods in Engineering 39, 1996.

use std::error::Error;
use std::f64::consts::PI;

use signorini_complementarity::{
    ContactLaws, FrictionProblem, FrictionSettings, Lemke, LemkeSettings, PyramidForm,
    ResidualMeasure, Solver, Start, collection, solve_friction,
};
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::friction_common::source;
use super::lcp_common::worse;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};

/// Directions of the pyramids.
const DIRECTIONS: [usize; 4] = [4, 8, 16, 32];
/// Directions of slip of the particle; a prime, so that none stands exactly between two directions of a pyramid.
const SLIPS: usize = 997;
/// Scaled residual of the answers with cones.
const TOLERANCE: f64 = 1e-8;
/// Spheres of the heaps, and how many of the heaps a quick run takes.
const HEAPS: [usize; 2] = [10, 30];
const QUICK: usize = 1;

/// Pyramids for cones.
#[derive(Debug, Clone, Copy)]
pub struct FrictionPyramids;

impl Experiment for FrictionPyramids {
    fn id(&self) -> &'static str {
        "friction-pyramids"
    }

    fn source(&self) -> Source {
        source("section 2")
    }

    fn title(&self) -> &'static str {
        "Friction pyramids with 4 to 32 directions against the cone"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let spheres = match effort {
            Effort::Quick => &HEAPS[..QUICK],
            Effort::Normal | Effort::Full => &HEAPS[..],
        };
        let total = DIRECTIONS.len() * (1 + spheres.len());
        let mut done = 0;
        let mut next = |part: &str| {
            progress.progress(done, total, part);
            done += 1;
        };
        let mut particles = Vec::new();
        for directions in DIRECTIONS {
            next(&format!("a particle, {directions} directions"));
            particles.push(particle(directions)?);
        }
        let mut heaps = Vec::new();
        for &spheres in spheres {
            let step = collection::heap(spheres, 1);
            let cone = Cone::solve(&step)?;
            for directions in DIRECTIONS {
                next(&format!("{spheres} spheres, {directions} directions"));
                heaps.push(cone.against(&step, directions)?);
            }
        }
        progress.progress(total, total, "done");
        Ok(report(&particles, &heaps))
    }
}

/// What pyramids do to a sliding particle.
struct Particle {
    directions: usize,
    /// Largest and mean angle between friction and the direction against slip, in degrees.
    largest: f64,
    mean: f64,
    /// Largest error of the impulse relative to friction.
    impulse: f64,
}

/// A particle of unit mass that comes down with 1 m/s and slides in all directions with 2 m/s, μ = 1/2.
fn particle(directions: usize) -> Result<Particle, Box<dyn Error + Send + Sync>> {
    let (mut largest, mut sum, mut impulse) = (0.0_f64, 0.0, 0.0_f64);
    for k in 0..SLIPS {
        let angle = 2.0 * PI * (k as f64 + 0.5) / SLIPS as f64;
        let laws = ContactLaws {
            dimension: 3,
            mu: vec![0.5],
            ..ContactLaws::default()
        };
        let (sin, cos) = angle.sin_cos();
        let w = sprs::CsMat::eye(3);
        let step = FrictionProblem::from_delassus(&w, vec![-1.0, 2.0 * cos, 2.0 * sin], laws)?;
        let p = solve_pyramid(&step, directions)?;
        // Against the slip that is left: that before the impulse has another direction.
        let error = angle_between(&p[1..], &[-2.0 * cos - p[1], -2.0 * sin - p[2]]);
        largest = worse(largest, error);
        sum += error;
        let difference = (p[1] + 0.5 * cos).hypot(p[2] + 0.5 * sin).hypot(p[0] - 1.0);
        impulse = worse(impulse, difference / 0.5);
    }
    Ok(Particle {
        directions,
        largest,
        mean: sum / SLIPS as f64,
        impulse,
    })
}

/// Impulses (contacts · D) under a pyramid.
fn solve_pyramid(
    step: &FrictionProblem,
    directions: usize,
) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>> {
    let form = if step.has_bodies() {
        PyramidForm::Mixed
    } else {
        PyramidForm::Reduced
    };
    let pyramid = step.pyramid(directions, form);
    let mut lemke = Lemke::new(LemkeSettings {
        pivot_limit: 200_000,
        ..LemkeSettings::default()
    });
    let solution = lemke.solve(pyramid.problem(), Start::Cold);
    if !solution.status.is_solved() {
        return Err(format!("{directions} directions: {}", solution.status).into());
    }
    let mut p = vec![0.0; step.len()];
    pyramid.impulses_into(&solution.z, &mut p);
    Ok(p)
}

/// A heap solved with cones.
struct Cone {
    spheres: usize,
    velocity: Vec<f64>,
    /// √((v − v*)ᵀ M (v − v*)): the size of what the contacts do.
    size: f64,
}

/// What pyramids do to a heap.
struct Heap {
    spheres: usize,
    contacts: usize,
    sliding: usize,
    directions: usize,
    /// Largest angle between friction and the direction against slip over the sliding contacts, in degrees.
    largest: f64,
    /// Error of the impulses that the spheres receive, in the norm of the kinetic energy, relative to those with cones.
    impulse: f64,
}

impl Cone {
    fn solve(step: &FrictionProblem) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let settings = FrictionSettings {
            tolerance: TOLERANCE,
            measure: ResidualMeasure::Scaled,
        };
        let answer = solve_friction(step, &settings);
        if !answer.solution.status.is_solved() {
            return Err(format!("cones: {}", answer.solution.status).into());
        }
        let mut velocity = vec![0.0; step.nv()];
        step.velocity_into(&answer.solution.z, &[], &mut velocity);
        Ok(Self {
            spheres: step.bodies(),
            size: energy_norm(step, &velocity, step.free_velocity()),
            velocity,
        })
    }

    fn against(
        &self,
        step: &FrictionProblem,
        directions: usize,
    ) -> Result<Heap, Box<dyn Error + Send + Sync>> {
        let p = solve_pyramid(step, directions)?;
        let (mut v, mut u) = (vec![0.0; step.nv()], vec![0.0; step.len()]);
        step.velocity_into(&p, &[], &mut v);
        step.relative_velocity_into(&v, &mut u);
        let fastest = u.iter().fold(0.0_f64, |m, u| u.abs().max(m));
        let (mut largest, mut sliding) = (0.0_f64, 0);
        for (p, u) in p.chunks_exact(3).zip(u.chunks_exact(3)) {
            // Slip below this is rounding of a contact that sticks.
            let slips = u[1].hypot(u[2]) > 1e-8 * fastest && p[1].hypot(p[2]) > 0.0;
            if slips {
                largest = worse(largest, angle_between(&p[1..], &[-u[1], -u[2]]));
                sliding += 1;
            }
        }
        Ok(Heap {
            spheres: self.spheres,
            contacts: step.contact_count(),
            sliding,
            directions,
            largest,
            impulse: energy_norm(step, &v, &self.velocity) / self.size,
        })
    }
}

/// √((a − b)ᵀ M (a − b)).
fn energy_norm(step: &FrictionProblem, a: &[f64], b: &[f64]) -> f64 {
    let dofs = step.dofs();
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let rows = step.mass().chunks_exact(dofs);
    let energy: f64 = rows
        .enumerate()
        .map(|(i, row)| {
            let body = &difference[i / dofs * dofs..][..dofs];
            difference[i] * row.iter().zip(body).map(|(m, x)| m * x).sum::<f64>()
        })
        .sum();
    energy.sqrt()
}

/// In degrees.
fn angle_between(a: &[f64], b: &[f64]) -> f64 {
    let cross = a[0] * b[1] - a[1] * b[0];
    let dot = a[0] * b[0] + a[1] * b[1];
    cross.abs().atan2(dot).to_degrees()
}

fn report(particles: &[Particle], heaps: &[Heap]) -> Report {
    let mut report = Report::default();
    for particle in particles {
        let name = format!(
            "largest error of direction, {} directions",
            particle.directions
        );
        report
            .measure(&name, particle.largest)
            .note(format!("mean {:.3}°", particle.mean));
    }
    let bounded = |heap: &&Heap| heap.largest > 180.0 / heap.directions as f64 + 1e-6;
    let beyond = heaps.iter().filter(bounded).count();
    report.measure("heaps with a larger error of direction", beyond);
    let falls = heaps.chunk_by(|a, b| a.spheres == b.spheres).all(|heap| {
        let [first, .., last] = heap else { return true };
        last.impulse < first.impulse
    });
    report.measure("the error of the impulse falls with the directions", falls);
    report.sheets = vec![particle_sheet(particles), heap_sheet(heaps)];
    report.tables = vec![table(particles, heaps)];
    report.plate(
        "pyramids",
        "Left: largest angle between friction and the direction against slip; the line is half of the angle between two \
         directions. Right: error of the impulse, for the particle relative to its friction, for heaps of spheres that of \
         all impulses in the norm of the kinetic energy.",
        figure(particles, heaps),
    );
    report
}

fn particle_sheet(particles: &[Particle]) -> Sheet {
    let row = |p: &Particle| {
        vec![
            p.directions.to_string(),
            format!("{:.3}", p.largest),
            format!("{:.3}", p.mean),
            format!("{:.4}", p.impulse),
        ]
    };
    let header = [
        "directions",
        "largest error of direction, °",
        "mean, °",
        "largest error of the impulse",
    ];
    Sheet {
        caption: format!("A particle that slides in {SLIPS} directions"),
        header: header.map(str::to_owned).to_vec(),
        rows: particles.iter().map(row).collect(),
    }
}

fn heap_sheet(heaps: &[Heap]) -> Sheet {
    let row = |h: &Heap| {
        vec![
            h.spheres.to_string(),
            h.contacts.to_string(),
            h.directions.to_string(),
            h.sliding.to_string(),
            format!("{:.3}", h.largest),
            format!("{:.2e}", h.impulse),
        ]
    };
    let header = [
        "spheres",
        "contacts",
        "directions",
        "sliding",
        "largest error of direction, °",
        "error of the impulses",
    ];
    Sheet {
        caption: "Heaps of spheres".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: heaps.iter().map(row).collect(),
    }
}

fn table(particles: &[Particle], heaps: &[Heap]) -> Table {
    let columns = [
        ("spheres", ""),
        ("directions", ""),
        ("direction_error", "deg"),
        ("impulse_error", ""),
    ];
    let particles = particles
        .iter()
        .map(|p| vec![0.0, p.directions as f64, p.largest, p.impulse]);
    let heaps = heaps
        .iter()
        .map(|h| vec![h.spheres as f64, h.directions as f64, h.largest, h.impulse]);
    Table {
        name: "pyramids".to_owned(),
        golden: false,
        columns: columns
            .map(|(name, unit)| Column::new(name, unit, 0.0))
            .to_vec(),
        rows: particles.chain(heaps).collect(),
    }
}

fn figure(particles: &[Particle], heaps: &[Heap]) -> Figure {
    let dots = |index| Style {
        trace: Trace::LineAndDots,
        ..Style::nth(index)
    };
    let plot = |y_label: &str, series: Vec<Series>| LinePlot {
        x_label: "directions".to_owned(),
        y_label: y_label.to_owned(),
        series,
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    };
    let series = |of_particle: &dyn Fn(&Particle) -> f64, of_heap: &dyn Fn(&Heap) -> f64| {
        let points = particles
            .iter()
            .map(|p| [p.directions as f64, of_particle(p)]);
        let mut all = vec![Series::new("particle", points.collect(), dots(0))];
        let groups = heaps.chunk_by(|a, b| a.spheres == b.spheres);
        for (index, heap) in groups.enumerate() {
            // What is zero has no place on a logarithmic axis.
            let points = heap.iter().map(|h| [h.directions as f64, of_heap(h)]);
            let label = format!("{} spheres", heap[0].spheres);
            let points = points.filter(|point| point[1] > 0.0).collect();
            all.push(Series::new(label, points, dots(index + 1)));
        }
        all
    };
    let mut direction = series(&|p| p.largest, &|h| h.largest);
    let bound = DIRECTIONS.map(|m| [m as f64, 180.0 / m as f64]);
    direction.push(Series::new(
        "180° / directions",
        bound.to_vec(),
        Style::nth(4),
    ));
    Figure::new("Friction pyramids against the cone", 1000, 420)
        .columns(2)
        .with(plot("largest error of direction (°)", direction))
        .with(plot(
            "error of the impulse",
            series(&|p| p.impulse, &|h| h.impulse),
        ))
}
