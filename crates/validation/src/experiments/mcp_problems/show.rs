//! Tables and the figure.

use signorini_plot::{AxisScale, Color, Dash, Figure, LinePlot, Series, Style, Trace};

use super::{Judgement, Row};
use crate::report::{Column, Sheet, Table};

pub(super) const CAPTION: &str = "Left: majors of each start that both solve, plus one; below the line Path takes fewer. \
     Right: of the 83 starts that PATH's demonstration takes, how many are solved within so many majors and crash \
     iterations, plus one.";

fn word(judgement: Judgement) -> String {
    if judgement.wrong {
        "WRONG".to_owned()
    } else if judgement.solved {
        format!("{:.0e}", judgement.residual)
    } else {
        format!("– ({:.0e})", judgement.residual)
    }
}

pub(super) fn sheet(rows: &[Row]) -> Sheet {
    let header = [
        "problem",
        "start",
        "n",
        "nonzeros",
        "status",
        "residual",
        "distance",
        "majors",
        "minors",
        "crash",
        "F",
        "J",
        "restarts",
        "PATH 4.7: majors",
        "minors",
        "crash",
        "F",
        "portfolio: residual",
        "answered by",
        "semismooth Newton: residual",
        "iterations",
    ];
    let row = |row: &Row| {
        let stats = row.stats;
        let mut cells = vec![
            row.name.clone(),
            row.start.to_string(),
            row.n.to_string(),
            row.nonzeros.to_string(),
            row.status.clone(),
            word(row.judgement),
            row.distance.map_or("–".to_owned(), |d| format!("{d:.0e}")),
        ];
        let counts = [
            stats.iterations,
            stats.pivots,
            stats.crash_iterations,
            stats.evaluations,
            stats.jacobians,
            stats.restarts,
        ];
        cells.extend(counts.map(|count| count.to_string()));
        cells.extend(match row.path47 {
            None => ["", "", "", ""].map(str::to_owned),
            Some(r) if r.solved => {
                [r.majors, r.minors, r.crash, r.evaluations].map(|count| count.to_string())
            }
            Some(_) => ["fails", "", "", ""].map(str::to_owned),
        });
        cells.extend(match &row.others {
            None => ["", "", "", ""].map(str::to_owned),
            Some(others) => [
                word(others.portfolio),
                others.method.clone(),
                word(others.newton),
                others.newton_iterations.to_string(),
            ],
        });
        cells
    };
    Sheet {
        caption: "Each start: what Path did, with the residual computed afresh and the distance from the nearest solution \
                  that the sidecar lists (solutions need not be unique); PATH 4.7 with the same tolerance, as far as its \
                  demonstration mode takes the problem; the \
                  portfolio; and semismooth Newton alone (both for large problems in a full run only). A dash where a solver says that it \
                  found none, with the residual of its best point"
            .to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: rows.iter().map(row).collect(),
    }
}

pub(super) fn table(rows: &[Row]) -> Table {
    let names = [
        "number",
        "start",
        "n",
        "nonzeros",
        "solved",
        "residual",
        "distance",
        "majors",
        "minors",
        "crash",
        "evaluations",
        "jacobians",
        "restarts",
        "gradient_steps",
        "path47_solved",
        "path47_majors",
        "portfolio_solved",
        "newton_solved",
        "newton_iterations",
    ];
    let flag = |flag: bool| f64::from(u8::from(flag));
    let row = |(number, row): (usize, &Row)| {
        let stats = row.stats;
        let mut cells = vec![
            (number + 1) as f64,
            row.start as f64,
            row.n as f64,
            row.nonzeros as f64,
            flag(row.judgement.solved),
            row.judgement.residual,
            row.distance.unwrap_or(f64::NAN),
        ];
        let counts = [
            stats.iterations,
            stats.pivots,
            stats.crash_iterations,
            stats.evaluations,
            stats.jacobians,
            stats.restarts,
            stats.gradient_steps,
        ];
        cells.extend(counts.map(|count| count as f64));
        cells.push(row.path47.map_or(f64::NAN, |record| flag(record.solved)));
        cells.push(row.path47.map_or(f64::NAN, |record| record.majors as f64));
        cells.extend(row.others.as_ref().map_or([f64::NAN; 3], |others| {
            [
                flag(others.portfolio.solved),
                flag(others.newton.solved),
                others.newton_iterations as f64,
            ]
        }));
        cells
    };
    Table {
        name: "problems".to_owned(),
        golden: false,
        columns: names.map(|name| Column::new(name, "", 0.0)).to_vec(),
        rows: rows.iter().enumerate().map(row).collect(),
    }
}

pub(super) fn figure(rows: &[Row]) -> Figure {
    let shown = |count: usize| count as f64 + 1.0;
    let both = rows.iter().filter(|row| row.judgement.solved);
    let points = both.filter_map(|row| {
        let record = row.solved_by_path47()?;
        Some([shown(record.majors), shown(row.stats.iterations)])
    });
    let points: Vec<[f64; 2]> = points.collect();
    let most = points.iter().flatten().fold(1.0_f64, |m, x| m.max(*x));
    let dots = Style {
        trace: Trace::Dots,
        color: Color::BLUE.fade(0.4),
        ..Style::default()
    };
    let diagonal = Style {
        dash: Dash::Dashed,
        color: Color::GREY,
        ..Style::default()
    };
    let scatter = LinePlot {
        x_label: "PATH 4.7: majors + 1".to_owned(),
        y_label: "Path: majors + 1".to_owned(),
        series: vec![
            Series::new("", vec![[1.0, 1.0], [most, most]], diagonal),
            Series::new("", points, dots),
        ],
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    };
    let known = || rows.iter().filter_map(|row| Some((row, row.path47?)));
    let ours = known().filter(|(row, _)| row.judgement.solved);
    let ours = ours.map(|(row, _)| shown(row.stats.iterations + row.stats.crash_iterations));
    let theirs = known().filter(|(_, record)| record.solved);
    let theirs = theirs.map(|(_, record)| shown(record.majors + record.crash));
    let (ours, theirs): (Vec<f64>, Vec<f64>) = (ours.collect(), theirs.collect());
    let end = ours.iter().chain(&theirs).fold(1.0_f64, |m, x| m.max(*x));
    let profile = LinePlot {
        x_label: "majors and crash iterations + 1".to_owned(),
        y_label: "starts solved".to_owned(),
        series: vec![
            Series::new("Path", solved_within(ours, end), Style::nth(0)),
            Series::new("PATH 4.7", solved_within(theirs, end), Style::nth(1)),
        ],
        x_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    };
    Figure::new("Public nonlinear problems", 1000, 460)
        .columns(2)
        .with(scatter)
        .with(profile)
}

/// How many of the counts are at most x, as a curve of steps from 1 to `end`.
fn solved_within(mut counts: Vec<f64>, end: f64) -> Vec<[f64; 2]> {
    counts.sort_by(f64::total_cmp);
    let mut points = vec![[1.0, 0.0]];
    for (number, count) in counts.iter().enumerate() {
        points.extend([[*count, number as f64], [*count, (number + 1) as f64]]);
    }
    points.push([end, counts.len() as f64]);
    points
}
