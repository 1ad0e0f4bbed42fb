//! Claims, table and figure.

use signorini_benches::parry::Said;
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::Row;
use super::pairs::Class;
use super::wall::Standing;
use crate::report::{Column, Report, Sheet, Table};

/// Largest fault of our answers against their bounds, relative to the size of the pair.
const CERTIFIED: f64 = 1e-12;
/// Largest difference of gaps that agree, relative to the size of the pair.
const AGREEMENT: f64 = 1e-9;
/// Pairs that are listed for each claim.
const LISTED: usize = 10;

/// How an answer of parry's differs from ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Agrees,
    /// Parry has no gap.
    Silent,
    /// Its depth is larger than that of the translation that our normal proves to be enough.
    TooDeep,
    /// Its distance is less than the separation that our normal proves.
    TooNear,
    /// It is further apart, or less deep, than our points or the list of all normals allow.
    TooFar,
    /// Ours has no gap or is not certified: nothing is decided.
    Open,
}

impl Kind {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Agrees, "agree to 1e-9"),
        (
            Self::TooDeep,
            "parry deeper than a translation that is enough",
        ),
        (Self::TooNear, "parry nearer than planes that separate"),
        (Self::TooFar, "parry further than the points are"),
        (Self::Silent, "parry has no gap"),
        (Self::Open, "not decided"),
    ];

    fn of(row: &Row) -> Self {
        let own = &row.verdict;
        let Some(ours) = own.ours.filter(|_| own.fault <= CERTIFIED) else {
            return Self::Open;
        };
        match own.difference {
            None => Self::Silent,
            Some(difference) if difference.abs() <= AGREEMENT => Self::Agrees,
            Some(difference) if difference > 0.0 => Self::TooFar,
            Some(_) if ours > 0.0 => Self::TooNear,
            Some(_) => Self::TooDeep,
        }
    }
}

/// Largest speed of a wall at rest, m/s and rad/s, and its largest way, m: what rounding makes of forces of some 10 N.
const AT_REST: f64 = 1e-9;

pub(super) fn report(rows: &[Row], wall: &Standing) -> Report {
    let mut report = Report::default();
    let silent = |row: &&Row| row.verdict.ours.is_none();
    count(&mut report, "pairs without an answer", rows, silent);
    let largest = rows.iter().map(|row| row.verdict.fault).fold(0.0, f64::max);
    report
        .measure("every answer certified to 1e-12", largest <= CERTIFIED)
        .note(format!("largest fault {largest:.1e} of the size"));
    let open = |row: &&Row| Kind::of(row) == Kind::Open;
    count(&mut report, "pairs on which nothing is decided", rows, open);
    let agreeing = rows
        .iter()
        .filter(|row| Kind::of(row) == Kind::Agrees)
        .count();
    let others: Vec<String> = Kind::ALL[1..]
        .iter()
        .map(|(kind, name)| {
            let own = rows.iter().filter(|row| Kind::of(row) == *kind);
            format!("{name}: {}", own.count())
        })
        .collect();
    report
        .measure(
            "part of the pairs on which parry agrees to 1e-9, %",
            100.0 * agreeing as f64 / rows.len() as f64,
        )
        .note(others.join("; "));
    let still = wall.speed <= AT_REST && wall.way <= AT_REST;
    report
        .measure("a wall of 50 bricks stands", still)
        .note(format!(
            "{} steps of 0.01 s, {} contacts, fastest {:.1e}, furthest {:.1e}",
            wall.steps, wall.contacts, wall.speed, wall.way
        ));
    report.remarks.push(format!(
        "{} pairs of boxes, hulls of points and prisms. Where parry's gap differs by more than 1e-9 of the size, bounds that \
         need only vertices decide: the planes across our normal separate by our gap, so that the bodies are no nearer and no \
         deeper; our points are in the bodies, or no normal of a face or of two edges separates more, so that they are no \
         further apart.",
        rows.len()
    ));
    report.sheets = vec![sheet(rows)];
    report.tables = vec![table(rows)];
    report.plate(
        "differences",
        "Part of the pairs whose difference from parry's gap is at most the abscissa, relative to the size of the pair.",
        figure(rows),
    );
    report
}

/// Claims how many rows are bad.
fn count(report: &mut Report, name: &str, rows: &[Row], bad: impl Fn(&&Row) -> bool) {
    let found: Vec<&Row> = rows.iter().filter(bad).collect();
    let listed: Vec<String> = found
        .iter()
        .take(LISTED)
        .map(|row| {
            let [a, b] = row.names;
            format!("{a} and {b}, {}, seed {}", row.class.name(), row.seed)
        })
        .collect();
    report.measure(name, found.len()).note(listed.join("; "));
}

fn of_class(rows: &[Row], class: Class) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row.class == class)
}

fn sheet(rows: &[Row]) -> Sheet {
    let mut header = vec![
        "class".to_owned(),
        "pairs".to_owned(),
        "largest fault".to_owned(),
    ];
    header.extend(Kind::ALL.iter().map(|(_, name)| (*name).to_owned()));
    header.push("largest difference".to_owned());
    let line = |class: Class| {
        let own: Vec<&Row> = of_class(rows, class).collect();
        let fault = own.iter().map(|row| row.verdict.fault).fold(0.0, f64::max);
        let mut line = vec![
            class.name().to_owned(),
            own.len().to_string(),
            format!("{fault:.0e}"),
        ];
        line.extend(Kind::ALL.iter().map(|(kind, _)| {
            let count = own.iter().filter(|row| Kind::of(row) == *kind).count();
            count.to_string()
        }));
        let differences = own.iter().filter_map(|row| row.verdict.difference);
        let largest = differences.map(f64::abs).fold(0.0, f64::max);
        line.push(format!("{largest:.0e}"));
        line
    };
    Sheet {
        caption: "Answers by class, and how parry's differ".to_owned(),
        header,
        rows: Class::ALL.map(line).to_vec(),
    }
}

fn table(rows: &[Row]) -> Table {
    let names = ["class", "seed", "gap", "fault", "parry", "both"];
    let line = |row: &Row| {
        let class = Class::ALL.iter().position(|class| *class == row.class);
        vec![
            class.map_or(f64::NAN, |class| class as f64),
            row.seed as f64,
            row.verdict.ours.unwrap_or_default(),
            row.verdict.fault,
            match row.verdict.parry {
                Said::Gap(gap) => gap,
                Said::Nothing | Said::Panicked => 0.0,
            },
            f64::from(u8::from(row.verdict.difference.is_some())),
        ]
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

fn figure(rows: &[Row]) -> Figure {
    let series = Class::ALL.iter().enumerate().map(|(number, &class)| {
        let differences = of_class(rows, class).filter_map(|row| row.verdict.difference);
        let mut values: Vec<f64> = differences.map(|x| x.abs().max(1e-18)).collect();
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
    Figure::new("Beside parry", 640, 420).with(LinePlot {
        title: "difference of the gaps".to_owned(),
        x_label: "difference / size".to_owned(),
        y_label: "part of the pairs".to_owned(),
        series: series.collect(),
        x_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    })
}
