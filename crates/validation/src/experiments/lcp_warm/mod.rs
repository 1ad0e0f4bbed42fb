//! Pivots of Lemke's method from the last basis, after the free velocity has changed by 5 mm/s.
//!
//! The problem of friction is solved in the mixed form, then again from the final basis with the free velocity changed
//! by normal deviates. Counted are all pivots of all tries.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 4.4.

use std::error::Error;

use rayon::prelude::*;
use signorini_benches::families::{Family, velocity_changed};
use signorini_complementarity::{Lemke, PyramidForm, Solver, Start};
use signorini_plot::{AxisScale, Color, Dash, Figure, LinePlot, Series, Style, Trace};

use super::lcp_common::{Expected, Finding, Original, median, source, worse};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};

/// Change of the linear components of the free velocity, m/s, one standard deviation.
const CHANGE: f64 = 0.005;
/// Of the solver.
const TOLERANCE: f64 = 1e-10;
/// Unknowns of the reduced form.
const SIZES: [usize; 3] = [100, 300, 1000];
/// Largest part of the cold pivots that is allowed.
const PART: f64 = 0.2;

const FAMILIES: [Family; 4] = [
    Family::Spheres { directions: 4 },
    Family::Spheres { directions: 8 },
    Family::Boxes { directions: 4 },
    Family::Boxes { directions: 8 },
];

/// Warm starts.
#[derive(Debug, Clone, Copy)]
pub struct LcpWarm;

impl Experiment for LcpWarm {
    fn id(&self) -> &'static str {
        "lcp-warm"
    }

    fn source(&self) -> Source {
        source("section 4.4")
    }

    fn title(&self) -> &'static str {
        "Problems of friction from the last basis"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let (sizes, seeds) = match effort {
            Effort::Quick => (&SIZES[..2], 3),
            Effort::Normal | Effort::Full => (&SIZES[..], 11),
        };
        progress.progress(0, 1, "problems");
        let mut cases = Vec::new();
        for family in FAMILIES {
            for &n in sizes {
                cases.extend((1..=seeds).map(|seed| (family, n, seed)));
            }
        }
        let runs: Vec<_> = cases
            .into_par_iter()
            .map(|(family, n, seed)| Pair::of(family, n, seed))
            .collect();
        progress.progress(1, 1, "done");
        Ok(report(&runs, sizes))
    }
}

/// A problem from nothing, and the changed one from the first one's basis.
struct Pair {
    family: Family,
    n: usize,
    seed: u64,
    unknowns: usize,
    cold: usize,
    warm: usize,
    solved: bool,
}

impl Pair {
    fn of(family: Family, n: usize, seed: u64) -> Self {
        let instance = family.problem(n, seed);
        let step = instance.friction.expect("a family with friction");
        let directions = family.directions().expect("a family with friction");
        let changed = velocity_changed(&step, CHANGE, seed);
        let [before, after] =
            [&step, &changed].map(|step| step.pyramid(directions, PyramidForm::Mixed));
        let mut lemke = Lemke::default();
        let cold = lemke.solve(before.problem(), Start::Cold);
        let start = cold.basis.as_ref().map_or(Start::Cold, Start::Basis);
        let warm = lemke.solve(after.problem(), start);
        let good = |original: Original<'_>, solution| {
            let judgement = original.judge(solution, TOLERANCE, Expected::Solution);
            judgement.finding == Finding::Solved
        };
        Self {
            family,
            n,
            seed,
            unknowns: cold.z.len(),
            cold: cold.stats.iterations,
            warm: warm.stats.iterations,
            solved: good(before.problem().into(), &cold) && good(after.problem().into(), &warm),
        }
    }

    fn part(&self) -> f64 {
        self.warm as f64 / self.cold.max(1) as f64
    }
}

fn report(runs: &[Pair], sizes: &[usize]) -> Report {
    let mut report = Report::default();
    let unsolved: Vec<_> = runs.iter().filter(|run| !run.solved).collect();
    let names: Vec<_> = unsolved
        .iter()
        .map(|run| format!("{}, n = {}, seed {}", run.family, run.n, run.seed))
        .collect();
    report
        .measure("failures", unsolved.len())
        .note(names.join("; "));
    let middle = median(runs.iter().map(Pair::part));
    report
        .measure("median: at most a fifth of the cold pivots", middle <= PART)
        .note(format!("{middle:.3} of the cold pivots"));
    let of = |family, n| {
        let own = runs.iter().filter(move |r| r.family == family && r.n == n);
        own.map(Pair::part)
    };
    let mut groups = Vec::new();
    for family in FAMILIES {
        groups.extend(sizes.iter().map(|&n| (family, n, median(of(family, n)))));
    }
    let worst = groups.iter().max_by(|a, b| a.2.total_cmp(&b.2));
    let (family, n, part) = worst.copied().expect("there are families");
    report
        .measure(
            "median of the worst family and size: at most a fifth of the cold pivots",
            part <= PART,
        )
        .note(format!("{part:.3} of the cold pivots, {family} at n = {n}"));

    let row = |(family, n, part): &(Family, usize, f64)| {
        let own = || runs.iter().filter(|r| r.family == *family && r.n == *n);
        let count = |pick: &dyn Fn(&Pair) -> usize| median(own().map(|r| pick(r) as f64));
        vec![
            family.name(),
            n.to_string(),
            count(&|r| r.unknowns).to_string(),
            count(&|r| r.cold).to_string(),
            count(&|r| r.warm).to_string(),
            format!("{part:.3}"),
            format!("{:.3}", of(*family, *n).fold(0.0, worse)),
        ]
    };
    let header = [
        "family",
        "n, reduced",
        "unknowns",
        "cold pivots",
        "warm pivots",
        "warm / cold",
        "largest",
    ];
    report.sheets = vec![Sheet {
        caption: "Medians over the seeds".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: groups.iter().map(row).collect(),
    }];
    report.tables = vec![table(runs)];
    report.plate(
        "warm",
        "Pivots from the last basis against pivots from nothing, after a change of the free velocity by 5 mm/s (one \
         standard deviation). Below the dotted line they are at most a fifth.",
        figure(runs),
    );
    report
}

fn table(runs: &[Pair]) -> Table {
    let names = [
        "directions",
        "boxes",
        "n",
        "seed",
        "unknowns",
        "cold",
        "warm",
        "solved",
    ];
    let row = |run: &Pair| {
        let boxes = matches!(run.family, Family::Boxes { .. });
        vec![
            run.family.directions().unwrap_or(0) as f64,
            f64::from(u8::from(boxes)),
            run.n as f64,
            run.seed as f64,
            run.unknowns as f64,
            run.cold as f64,
            run.warm as f64,
            f64::from(u8::from(run.solved)),
        ]
    };
    Table {
        name: "pivots".to_owned(),
        golden: false,
        columns: names.map(|name| Column::new(name, "", 0.0)).to_vec(),
        rows: runs.iter().map(row).collect(),
    }
}

fn figure(runs: &[Pair]) -> Figure {
    let dots = |(index, family): (usize, Family)| {
        let own = runs.iter().filter(|r| r.family == family && r.cold > 0);
        // A logarithm wants a positive number: no pivot at all is drawn as one half.
        let points = own.map(|r| [r.cold as f64, (r.warm as f64).max(0.5)]);
        let style = Style {
            trace: Trace::Dots,
            ..Style::nth(index)
        };
        Series::new(family.name(), points.collect(), style)
    };
    let mut series: Vec<_> = FAMILIES.into_iter().enumerate().map(dots).collect();
    let largest = runs.iter().map(|r| r.cold as f64).fold(10.0, f64::max);
    let dotted = Style {
        color: Color::GREY,
        dash: Dash::Dotted,
        ..Style::default()
    };
    series.push(Series::new(
        "a fifth",
        vec![[5.0, 1.0], [largest, PART * largest]],
        dotted,
    ));
    Figure::new("Warm starts", 760, 480).with(LinePlot {
        x_label: "cold pivots".to_owned(),
        y_label: "warm pivots".to_owned(),
        series,
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    })
}
