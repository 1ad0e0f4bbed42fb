//! Work of a pivot of Lemke's method against the entries of the matrix: heaps of spheres in the mixed form.
//!
//! Times are for information, they depend on the machine and on what else runs there. Counts do not.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 4.4.

use std::error::Error;
use std::time::Instant;

use signorini_benches::families::Family;
use signorini_complementarity::{Lemke, LemkeSettings, PyramidForm, Solver, Start};
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::lcp_common::{Expected, Finding, Original, source, worse};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};

/// Of the solver.
const TOLERANCE: f64 = 1e-10;
/// Most pivots per unknown.
const PIVOTS: f64 = 1.0;
/// Facets of a pyramid.
const DIRECTIONS: usize = 8;
/// Unknowns of the reduced form; those of the mixed form are 1.3 times as many, 20 000 for the last one.
const SIZES: [usize; 8] = [80, 230, 770, 1540, 3080, 6150, 10_000, 15_400];
/// How many of them a quick run takes.
const QUICK: usize = 4;

/// Larger and larger heaps.
#[derive(Debug, Clone, Copy)]
pub struct LcpScaling;

impl Experiment for LcpScaling {
    fn id(&self) -> &'static str {
        "lcp-scaling"
    }

    fn source(&self) -> Source {
        source("section 4.4")
    }

    fn title(&self) -> &'static str {
        "Heaps of spheres of up to 20 000 unknowns"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let sizes = match effort {
            Effort::Quick => &SIZES[..QUICK],
            Effort::Normal | Effort::Full => &SIZES[..],
        };
        let mut heaps = Vec::new();
        for (number, &n) in sizes.iter().enumerate() {
            progress.progress(number, sizes.len(), &format!("n = {n}"));
            heaps.push(Heap::solve(n));
        }
        progress.progress(sizes.len(), sizes.len(), "done");
        Ok(report(&heaps))
    }
}

/// One heap, solved.
struct Heap {
    unknowns: usize,
    entries: usize,
    pivots: usize,
    factorizations: usize,
    restarts: usize,
    residual: f64,
    solved: bool,
    seconds: f64,
}

impl Heap {
    fn solve(n: usize) -> Self {
        let family = Family::Spheres {
            directions: DIRECTIONS,
        };
        let step = family.step(n, 1).expect("a family with friction");
        let pyramid = step.pyramid(DIRECTIONS, PyramidForm::Mixed);
        let problem = pyramid.problem();
        let mut lemke = Lemke::new(LemkeSettings {
            pivot_limit: 200_000,
            ..LemkeSettings::default()
        });
        let start = Instant::now();
        let solution = lemke.solve(problem, Start::Cold);
        let seconds = start.elapsed().as_secs_f64();
        let judgement = Original::from(problem).judge(&solution, TOLERANCE, Expected::Solution);
        Self {
            unknowns: problem.len(),
            entries: problem.m().nnz(),
            pivots: solution.stats.iterations,
            factorizations: solution.stats.factorizations,
            restarts: solution.stats.restarts,
            residual: judgement.residual,
            solved: judgement.finding == Finding::Solved,
            seconds,
        }
    }

    /// Time of a pivot in µs.
    fn pivot_time(&self) -> f64 {
        1e6 * self.seconds / self.pivots.max(1) as f64
    }

    fn pivots_per_unknown(&self) -> f64 {
        self.pivots as f64 / self.unknowns as f64
    }
}

fn report(heaps: &[Heap]) -> Report {
    let mut report = Report::default();
    let failed: Vec<_> = heaps.iter().filter(|heap| !heap.solved).collect();
    let names: Vec<_> = failed.iter().map(|h| h.unknowns.to_string()).collect();
    report
        .measure("failures", failed.len())
        .note(names.join(", "));
    let most = heaps.iter().map(Heap::pivots_per_unknown).fold(0.0, worse);
    report
        .measure("at most one pivot per unknown", most <= PIVOTS)
        .note(format!("at most {most:.2} pivots per unknown"));
    let header = [
        "unknowns",
        "entries of M",
        "pivots",
        "factorisations",
        "restarts",
        "residual",
        "time, s",
        "time per pivot, µs",
    ];
    let row = |heap: &Heap| {
        vec![
            heap.unknowns.to_string(),
            heap.entries.to_string(),
            heap.pivots.to_string(),
            heap.factorizations.to_string(),
            heap.restarts.to_string(),
            format!("{:.1e}", heap.residual),
            format!("{:.3}", heap.seconds),
            format!("{:.1}", heap.pivot_time()),
        ]
    };
    report.sheets = vec![Sheet {
        caption: "Times are of this run, beside whatever else ran".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: heaps.iter().map(row).collect(),
    }];
    report.tables = vec![table(heaps)];
    report.plate(
        "scaling",
        "Time per pivot against the entries of the matrix, in this run; and pivots against unknowns.",
        figure(heaps),
    );
    report
}

fn table(heaps: &[Heap]) -> Table {
    let columns = [
        ("unknowns", ""),
        ("entries", ""),
        ("pivots", ""),
        ("factorisations", ""),
        ("residual", ""),
        ("time", "s"),
    ];
    let row = |heap: &Heap| {
        let [unknowns, entries, pivots, factorizations] = [
            heap.unknowns,
            heap.entries,
            heap.pivots,
            heap.factorizations,
        ]
        .map(|n| n as f64);
        vec![
            unknowns,
            entries,
            pivots,
            factorizations,
            heap.residual,
            heap.seconds,
        ]
    };
    Table {
        name: "heaps".to_owned(),
        golden: false,
        columns: columns
            .map(|(name, unit)| Column::new(name, unit, 0.0))
            .to_vec(),
        rows: heaps.iter().map(row).collect(),
    }
}

fn figure(heaps: &[Heap]) -> Figure {
    let plot = |x_label: &str, y_label: &str, points: Vec<[f64; 2]>, index| {
        let style = Style {
            trace: Trace::LineAndDots,
            ..Style::nth(index)
        };
        LinePlot {
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            series: vec![Series::new("", points, style)],
            x_scale: AxisScale::Logarithmic,
            y_scale: AxisScale::Logarithmic,
            ..LinePlot::default()
        }
    };
    let time = |h: &Heap| [h.entries as f64, h.pivot_time()];
    let pivots = |h: &Heap| [h.unknowns as f64, h.pivots as f64];
    Figure::new("Heaps of spheres in the mixed form", 1000, 420)
        .columns(2)
        .with(plot(
            "entries of M",
            "time per pivot (µs)",
            heaps.iter().map(time).collect(),
            0,
        ))
        .with(plot(
            "unknowns",
            "pivots",
            heaps.iter().map(pivots).collect(),
            1,
        ))
}
