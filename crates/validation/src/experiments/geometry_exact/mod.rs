//! Closest points against answers with fifty digits, and of pairs in which something degenerates.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, Robotics: Science and Systems III, 2007.

mod degenerate;
mod digits;

use std::error::Error;

use signorini_benches::pairs::{Pair, best_separation, judge, worst};
use signorini_geometry::{ClosestPoints, Uniqueness, closest_points};

use self::digits::Reference;
use super::geometry_common::source;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Report, Sheet};

/// Largest fault, absolute for the references (bodies of about a metre) and relative to the size for the others.
const TOLERANCE: f64 = 1e-12;
/// Local searches for a better direction.
const STARTS: usize = 64;

/// Known answers and degenerate pairs.
#[derive(Debug, Clone, Copy)]
pub struct GeometryExact;

impl Experiment for GeometryExact {
    fn id(&self) -> &'static str {
        "geometry-exact"
    }

    fn source(&self) -> Source {
        source("appendix")
    }

    fn title(&self) -> &'static str {
        "Closest points known to fifty digits, and degenerate pairs"
    }

    fn run(
        &self,
        _effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let mut report = Report::default();
        progress.progress(0, 2, "references");
        for reference in digits::references() {
            let [gap, points] = misses(&reference)?;
            report
                .measure(
                    &format!("{}: gap to 1e-12 in both orders", reference.name),
                    gap <= TOLERANCE,
                )
                .note(format!("off by {gap:.1e} m"));
            report
                .measure(
                    &format!(
                        "{}: points and normal to 1e-12 in both orders",
                        reference.name
                    ),
                    points <= TOLERANCE,
                )
                .note(format!("off by {points:.1e}"));
        }
        progress.progress(1, 2, "degenerate pairs");
        let mut lines = Vec::new();
        for (name, pair) in degenerate::in_space() {
            lines.push(line(name, &pair));
        }
        for (name, pair) in degenerate::in_the_plane() {
            lines.push(line(name, &pair));
        }
        let wrong: Vec<_> = lines.iter().filter(|line| line.wrong).collect();
        let names: Vec<_> = wrong.iter().map(|line| line.cells[0].as_str()).collect();
        report
            .measure("degenerate pairs with a wrong answer", wrong.len())
            .note(names.join("; "));
        let silent: Vec<_> = lines.iter().filter(|line| line.silent).collect();
        let names: Vec<_> = silent.iter().map(|line| line.cells[0].as_str()).collect();
        report
            .measure("degenerate pairs without an answer", silent.len())
            .note(format!("of {}: {}", lines.len(), names.join("; ")));
        let header = [
            "pair",
            "gap",
            "residual",
            "better direction by",
            "determined",
        ];
        report.sheets = vec![Sheet {
            caption:
                "Degenerate pairs: an answer that holds, or an error that says why there is none"
                    .to_owned(),
            header: header.map(str::to_owned).to_vec(),
            rows: lines.into_iter().map(|line| line.cells).collect(),
        }];
        progress.progress(2, 2, "done");
        Ok(report)
    }
}

/// How far the gap, and the points and normal, are from the reference at worst, both orders asked.
fn misses(reference: &Reference) -> Result<[f64; 2], Box<dyn Error + Send + Sync>> {
    let [a, b] = reference.pair.each_ref().map(|member| member.placed());
    let forth = closest_points(&a, &b)?;
    let back = closest_points(&b, &a)?;
    let points = |x: &ClosestPoints<3>| {
        worst([
            (x.a - reference.a).norm(),
            (x.b - reference.b).norm(),
            (x.normal - reference.normal).norm(),
        ])
    };
    let back = ClosestPoints {
        a: back.b,
        b: back.a,
        normal: -back.normal,
        ..back
    };
    Ok([
        worst([&forth, &back].map(|x| (x.gap - reference.gap).abs())),
        worst([&forth, &back].map(points)),
    ])
}

/// What became of a degenerate pair.
struct Line {
    wrong: bool,
    silent: bool,
    cells: Vec<String>,
}

fn line<const D: usize>(name: &str, pair: &Pair<D>) -> Line {
    match closest_points(&pair.a.placed(), &pair.b.placed()) {
        Err(error) => Line {
            wrong: false,
            silent: true,
            cells: vec![
                name.to_owned(),
                error.to_string(),
                String::new(),
                String::new(),
                String::new(),
            ],
        },
        Ok(answer) => {
            let judgement = judge(pair, &answer);
            let fault = judgement.residual.max(judgement.certificate);
            let better = (best_separation(pair, STARTS, 1) - answer.gap) / pair.size();
            let determined = match answer.uniqueness {
                Uniqueness::Unique => "points and normal",
                Uniqueness::FreePoints => "the normal",
                _ => "the gap",
            };
            Line {
                wrong: !(fault <= TOLERANCE && better <= TOLERANCE),
                silent: false,
                cells: vec![
                    name.to_owned(),
                    format!("{:.6e} m", answer.gap),
                    format!("{fault:.0e}"),
                    format!("{:.0e}", better.max(0.0)),
                    determined.to_owned(),
                ],
            }
        }
    }
}
