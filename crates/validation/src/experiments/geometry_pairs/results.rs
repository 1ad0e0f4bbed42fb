//! Claims, tables and the figure.

use signorini_benches::pairs::{Class, worst};
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::Row;
use crate::experiments::geometry_common::{Answer, Outcome};
use crate::report::{Column, Report, Sheet, Table};

/// Largest residual, and largest fault of the gap against its certificate and closed forms, relative to the size.
const TOLERANCE: f64 = 1e-12;
/// Largest change of gap and points by what must not matter, relative to the size.
const INVARIANCE: f64 = 1e-11;
/// Failures that are listed for each claim.
const LISTED: usize = 10;

pub(super) fn report(ordinary: &[Row], needles: &[Row]) -> Report {
    let mut report = Report::default();
    let all: Vec<&Row> = ordinary.iter().collect();
    let deeper: Vec<&Row> = pick(&all, |class| class == Class::Deeper);
    let to_half = pick(&all, |class| {
        class != Class::Deeper && class != Class::Apart
    });
    count(&mut report, "pairs without an answer", &all, |outcome| {
        matches!(outcome, Outcome::NoAnswer(_))
    });
    limit(
        &mut report,
        "residual of every answer at most 1e-12",
        &all,
        TOLERANCE,
        |a| a.residual.max(a.certificate),
    );
    limit(
        &mut report,
        "gap of every closed form met to 1e-12",
        &to_half,
        TOLERANCE,
        |a| a.closed.unwrap_or(0.0),
    );
    for (k, what) in ["exchange", "rigid motion", "scaling"]
        .into_iter()
        .enumerate()
    {
        let name = format!("gap unchanged by {what} to 1e-11");
        limit(&mut report, &name, &to_half, INVARIANCE, |a| a.gaps[k]);
    }
    limit(
        &mut report,
        "points and normal unchanged to 1e-11 where determined",
        &to_half,
        INVARIANCE,
        |a| worst(a.points.iter().flatten().copied()),
    );
    count(
        &mut report,
        "overlaps down to half with a better direction",
        &to_half,
        undercut,
    );
    let undercut_deeper = deeper.iter().filter(|row| undercut(&row.outcome)).count();
    let changed =
        |row: &&&Row| answered(&row.outcome).is_some_and(|answer| worst(answer.gaps) > INVARIANCE);
    let changed = deeper.iter().filter(changed).count();
    let part = 1.0 - undercut_deeper as f64 / deeper.len() as f64;
    report
        .measure(
            "deeper overlaps: the least of 64 starts in at least 99 %",
            part >= 0.99,
        )
        .note(format!(
            "{undercut_deeper} of {} were undercut by a local search from a random start; {changed} changed their gap by \
             more than 1e-11 after exchange, rigid motion or scaling",
            deeper.len()
        ));
    let needles: Vec<&Row> = needles.iter().collect();
    count(
        &mut report,
        "needles and plates: wrong answers",
        &needles,
        |outcome| {
            answered(outcome)
                .is_some_and(|a| faulty(a) || a.closed.is_some_and(|fault| fault > TOLERANCE))
        },
    );
    let silent = needles
        .iter()
        .filter(|row| matches!(row.outcome, Outcome::NoAnswer(_)));
    let silent = silent.count();
    report
        .measure("needles and plates without an answer", silent)
        .note(format!(
            "of {}; a typed error, which is honest",
            needles.len()
        ));
    report.remarks.push(format!(
        "{} pairs apart, in contact and in overlap down to half, {} deeper ones, every kind beside every other, and {} of \
         needles and plates with aspects up to 1e4; sizes from 1e-6 m to 1e4 m.",
        to_half.len(),
        deeper.len(),
        needles.len()
    ));
    report.sheets = vec![
        by_class(&all, "Ordinary bodies"),
        by_class(&needles, "Needles and plates"),
        by_kind(&all),
    ];
    report.tables = vec![table(&all)];
    report.plate(
        "residuals",
        "Left: part of the answers whose residual is at most the abscissa, relative to the size of the pair. Right: the \
         same for the iterations of the search.",
        figure(&all),
    );
    report
}

fn answered(outcome: &Outcome) -> Option<&Answer> {
    match outcome {
        Outcome::Answer(answer) => Some(answer),
        Outcome::NoAnswer(_) => None,
    }
}

/// Whether the points or the gap of an answer break what defines them.
fn faulty(answer: &Answer) -> bool {
    answer.residual > TOLERANCE || answer.certificate > TOLERANCE
}

fn undercut(outcome: &Outcome) -> bool {
    answered(outcome).is_some_and(|answer| answer.better > TOLERANCE)
}

fn pick<'a>(rows: &[&'a Row], wanted: impl Fn(Class) -> bool) -> Vec<&'a Row> {
    rows.iter()
        .copied()
        .filter(|row| wanted(row.class))
        .collect()
}

/// Claims how many outcomes are bad.
fn count(report: &mut Report, name: &str, rows: &[&Row], bad: impl Fn(&Outcome) -> bool) {
    let found: Vec<_> = rows.iter().filter(|row| bad(&row.outcome)).collect();
    let note = found
        .iter()
        .map(|row| describe(row))
        .take(LISTED)
        .collect::<Vec<_>>();
    report.measure(name, found.len()).note(note.join("; "));
}

/// Claims that a fault is nowhere larger than a tolerance.
fn limit(
    report: &mut Report,
    name: &str,
    rows: &[&Row],
    tolerance: f64,
    fault: impl Fn(&Answer) -> f64,
) {
    let of = |row: &Row| answered(&row.outcome).map_or(0.0, &fault);
    let largest = worst(rows.iter().map(|row| of(row)));
    let beyond: Vec<_> = rows.iter().filter(|row| of(row) > tolerance).collect();
    let mut note = format!("largest {largest:.1e}");
    if !beyond.is_empty() {
        let listed: Vec<_> = beyond
            .iter()
            .map(|row| describe(row))
            .take(LISTED)
            .collect();
        note = format!("{note}, {} beyond: {}", beyond.len(), listed.join("; "));
    }
    report.measure(name, largest <= tolerance).note(note);
}

/// How to make the pair again.
fn describe(row: &Row) -> String {
    let Row {
        names: [a, b],
        class,
        seed,
        outcome,
    } = row;
    let what = match outcome {
        Outcome::NoAnswer(text) => text.chars().take(80).collect(),
        Outcome::Answer(answer) => format!(
            "residual {:.1e}, closed form {:.1e}, gaps {:.1e}, better {:.1e}",
            answer.residual,
            answer.closed.unwrap_or(0.0),
            worst(answer.gaps),
            answer.better
        ),
    };
    format!("{a} and {b}, {}, seed {seed}: {what}", class.name())
}

/// Headings and cells that both sheets share.
const HEADER: [&str; 9] = [
    "pairs",
    "no answer",
    "residual",
    "closed forms",
    "gap again",
    "points again",
    "not unique",
    "undercut",
    "iterations",
];

fn cells(rows: &[&Row]) -> Vec<String> {
    let answers: Vec<&Answer> = rows
        .iter()
        .filter_map(|row| answered(&row.outcome))
        .collect();
    let largest =
        |fault: &dyn Fn(&Answer) -> f64| format!("{:.0e}", worst(answers.iter().map(|a| fault(a))));
    let mean = answers.iter().map(|a| f64::from(a.iterations)).sum::<f64>() / answers.len() as f64;
    let most = answers.iter().map(|a| a.iterations).max().unwrap_or(0);
    vec![
        rows.len().to_string(),
        (rows.len() - answers.len()).to_string(),
        largest(&|a| a.residual.max(a.certificate)),
        largest(&|a| a.closed.unwrap_or(0.0)),
        largest(&|a| worst(a.gaps)),
        largest(&|a| worst(a.points.iter().flatten().copied())),
        answers.iter().filter(|a| !a.unique).count().to_string(),
        rows.iter()
            .filter(|row| undercut(&row.outcome))
            .count()
            .to_string(),
        format!("{mean:.1}, at most {most}"),
    ]
}

fn sheet(caption: String, first: &str, rows: Vec<(String, Vec<String>)>) -> Sheet {
    let header = std::iter::once(first).chain(HEADER);
    Sheet {
        caption,
        header: header.map(str::to_owned).collect(),
        rows: rows
            .into_iter()
            .map(|(name, cells)| std::iter::once(name).chain(cells).collect())
            .collect(),
    }
}

fn by_class(rows: &[&Row], who: &str) -> Sheet {
    let line = |class: Class| {
        let own = pick(rows, |other| other == class);
        (class.name().to_owned(), cells(&own))
    };
    let caption =
        format!("{who} by class; faults are the largest, relative to the size of the pair");
    sheet(caption, "class", Class::ALL.map(line).to_vec())
}

fn by_kind(rows: &[&Row]) -> Sheet {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        for name in row.names {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let line = |name: &&str| {
        let own: Vec<_> = rows
            .iter()
            .copied()
            .filter(|row| row.names.contains(name))
            .collect();
        ((*name).to_owned(), cells(&own))
    };
    let caption = "Ordinary bodies by kind, every pair under both of its kinds".to_owned();
    sheet(caption, "kind", names.iter().map(line).collect())
}

fn table(rows: &[&Row]) -> Table {
    let names = [
        "class",
        "seed",
        "answered",
        "residual",
        "certificate",
        "gap_again",
        "better",
        "unique",
        "iterations",
    ];
    let line = |row: &&Row| {
        let place = Class::ALL.iter().position(|class| *class == row.class);
        let mut line = vec![
            place.map_or(f64::NAN, |place| place as f64),
            row.seed as f64,
        ];
        line.extend(match answered(&row.outcome) {
            None => [0.0; 7],
            Some(a) => [
                1.0,
                a.residual,
                a.certificate,
                worst(a.gaps),
                a.better,
                f64::from(u8::from(a.unique)),
                f64::from(a.iterations),
            ],
        });
        line
    };
    Table {
        name: "pairs".to_owned(),
        golden: false,
        columns: names.map(|name| Column::new(name, "", 0.0)).to_vec(),
        rows: rows.iter().map(line).collect(),
    }
}

/// Points of a distribution that are drawn.
const SHOWN: usize = 200;

fn figure(rows: &[&Row]) -> Figure {
    let panel = |title: &str, label: &str, value: &dyn Fn(&Answer) -> f64, x_scale| {
        let series = Class::ALL.iter().enumerate().map(|(number, class)| {
            let own = pick(rows, |other| other == *class);
            let mut values: Vec<f64> = own
                .iter()
                .filter_map(|row| answered(&row.outcome))
                .map(value)
                .collect();
            values.sort_by(f64::total_cmp);
            let last = values.len().saturating_sub(1);
            let point = |k: usize| {
                let place = k * last / SHOWN;
                [values[place], (place + 1) as f64 / values.len() as f64]
            };
            let points = if values.is_empty() {
                Vec::new()
            } else {
                (0..=SHOWN).map(point).collect()
            };
            let style = Style {
                trace: Trace::Line,
                ..Style::nth(number)
            };
            Series::new(class.name(), points, style)
        });
        LinePlot {
            title: title.to_owned(),
            x_label: label.to_owned(),
            y_label: "part of the pairs".to_owned(),
            series: series.collect(),
            x_scale,
            ..LinePlot::default()
        }
    };
    let residual = |a: &Answer| a.residual.max(1e-18);
    let iterations = |a: &Answer| f64::from(a.iterations);
    Figure::new("Random pairs", 1080, 420)
        .columns(2)
        .with(panel(
            "residual",
            "residual / size",
            &residual,
            AxisScale::Logarithmic,
        ))
        .with(panel("work", "iterations", &iterations, AxisScale::Linear))
}
