//! Claims, tables and the figure.

use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::{Answer, Class, TOLERANCE};
use crate::experiments::lcp_common::{Finding, median, worse};
use crate::report::{Column, Report, Sheet, Table};

/// Failures that are listed for each class.
const LISTED: usize = 20;

pub(super) fn report(classes: &[Class], problems: usize) -> Report {
    let mut report = Report::default();
    for class in classes {
        let name = class.family.name();
        let failed: Vec<_> = class.answers.iter().filter(|a| a.failed()).collect();
        report
            .measure(&format!("{name}: failures"), failed.len())
            .note(list(&failed));
        let wrong: Vec<_> = class.answers.iter().filter(|a| a.wrong()).collect();
        report
            .measure(&format!("{name}: wrong answers"), wrong.len())
            .note(list(&wrong));
    }
    let worst = classes.iter().map(residual).fold(0.0, worse);
    report
        .measure(
            "residual of every success at most 1e-10",
            worst <= TOLERANCE,
        )
        .note(format!("largest {worst:.1e}"));
    report.remarks = vec![format!(
        "{problems} problems per class; problems with friction are solved twice, by Lemke's method and by the portfolio."
    )];
    report.sheets = vec![sheet(classes)];
    report.tables = vec![table(classes)];
    report.plate(
        "pivots",
        "Pivots of a problem against its unknowns, Lemke's method for problems with friction, the portfolio for the \
         others (their exchanges and iterations over all methods). The dotted line is one pivot per unknown.",
        figure(classes),
    );
    report
}

/// How to make the problems again.
fn list(answers: &[&Answer]) -> String {
    let one = |a: &&Answer| {
        format!(
            "n = {}, seed {}, {}: {} with residual {:.1e}",
            a.n, a.seed, a.solver, a.status, a.judgement.residual
        )
    };
    let mut lines: Vec<_> = answers.iter().take(LISTED).map(one).collect();
    if answers.len() > LISTED {
        lines.push(format!("and {} more", answers.len() - LISTED));
    }
    lines.join("; ")
}

/// The largest of a success.
fn residual(class: &Class) -> f64 {
    let successes = class
        .answers
        .iter()
        .filter(|a| a.judgement.finding == Finding::Solved || a.status == "Solved");
    successes.map(|a| a.judgement.residual).fold(0.0, worse)
}

fn sheet(classes: &[Class]) -> Sheet {
    let header = [
        "class",
        "solves",
        "failures",
        "wrong",
        "worst residual",
        "pivots per unknown, median",
        "largest",
        "restarts",
    ];
    let row = |class: &Class| {
        let answers = &class.answers;
        let part = |a: &Answer| a.iterations as f64 / a.unknowns as f64;
        vec![
            class.family.name(),
            answers.len().to_string(),
            answers.iter().filter(|a| a.failed()).count().to_string(),
            answers.iter().filter(|a| a.wrong()).count().to_string(),
            format!("{:.1e}", residual(class)),
            format!("{:.2}", median(answers.iter().map(part))),
            format!("{:.2}", answers.iter().map(part).fold(0.0, worse)),
            answers
                .iter()
                .map(|a| a.restarts)
                .sum::<usize>()
                .to_string(),
        ]
    };
    Sheet {
        caption: "Every class; a success is judged by code that the solvers do not share"
            .to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: classes.iter().map(row).collect(),
    }
}

fn table(classes: &[Class]) -> Table {
    let names = [
        "class",
        "n",
        "seed",
        "portfolio",
        "unknowns",
        "solved",
        "residual",
        "iterations",
        "restarts",
    ];
    let row = |number: usize, a: &Answer| {
        vec![
            number as f64,
            a.n as f64,
            a.seed as f64,
            f64::from(u8::from(a.solver == "portfolio")),
            a.unknowns as f64,
            f64::from(u8::from(!a.failed())),
            a.judgement.residual,
            a.iterations as f64,
            a.restarts as f64,
        ]
    };
    let rows = classes.iter().enumerate().flat_map(|(number, class)| {
        let answers = class.answers.iter();
        answers.map(move |answer| row(number + 1, answer))
    });
    Table {
        name: "problems".to_owned(),
        golden: false,
        columns: names.map(|name| Column::new(name, "", 0.0)).to_vec(),
        rows: rows.collect(),
    }
}

fn figure(classes: &[Class]) -> Figure {
    let mut figure = Figure::new("Pivots against size", 1080, 1000).columns(3);
    for (index, class) in classes.iter().enumerate() {
        let by_lemke = class.answers.iter().any(|a| a.solver == "Lemke");
        let solver = if by_lemke { "Lemke" } else { "portfolio" };
        let shown = class
            .answers
            .iter()
            .filter(|a| a.solver == solver && a.iterations > 0);
        let points: Vec<_> = shown
            .map(|a| [a.unknowns as f64, a.iterations as f64])
            .collect();
        let largest = points.iter().map(|p| p[0]).fold(10.0, f64::max);
        let dots = Style {
            trace: Trace::Dots,
            width: 1.0,
            ..Style::nth(index % 6)
        };
        let line = Style {
            dash: signorini_plot::Dash::Dotted,
            color: signorini_plot::Color::GREY,
            ..Style::default()
        };
        figure = figure.with(LinePlot {
            title: class.family.name(),
            x_label: "unknowns".to_owned(),
            y_label: "pivots".to_owned(),
            series: vec![
                Series::new("", points, dots),
                Series::new("", vec![[5.0, 5.0], [largest, largest]], line),
            ],
            x_scale: AxisScale::Logarithmic,
            y_scale: AxisScale::Logarithmic,
            ..LinePlot::default()
        });
    }
    figure
}
