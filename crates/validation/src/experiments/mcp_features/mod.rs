//! What each part of `Path` is good for: each switched off in turn.
//!
//! # References
//! - \[DF1995\] S. P. Dirkse, M. C. Ferris, The PATH solver, Optimization Methods and Software 5, 1995.
//! - \[DF1997\] S. P. Dirkse, M. C. Ferris, Crash techniques for large-scale complementarity problems, 1997.

use std::error::Error;

use rayon::prelude::*;
use signorini_benches::{PublicMcp, ReadError};
use signorini_complementarity::{
    CrashMethod, LemkeStart, MeritFunction, Path, PathSettings, SearchType,
};

use super::mcp_common::{TOLERANCE, judge, path_settings, solve, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};

/// More variables make a large problem, which only a full run sweeps: it takes minutes.
const LARGE: usize = 150;

/// Without a part that is needed there is no solution, or there are more than this times the majors.
const NEEDED: usize = 2;

type Change = fn(&mut PathSettings);

/// What is changed; the first is nothing.
const VARIANTS: [(&str, Change); 14] = [
    ("as it is", |_| {}),
    ("no crash", |s| s.crash_method = CrashMethod::None),
    ("no search: every full step", |s| s.nms = false),
    ("no restarts", |s| s.restart_limit = 0),
    ("no gradient steps", |s| s.gradient_step_limit = 0),
    ("monotone: memory 1, reference 1", |s| {
        s.nms_memory_size = 1;
        s.nms_initial_reference_factor = 1.0;
    }),
    ("no repair of singular bases", |s| {
        s.lemke_rank_deficiency_iterations = 0;
    }),
    ("no scaling of the merit", |s| s.merit_scaling = false),
    ("merit: normal map", |s| {
        s.merit_function = MeritFunction::Normal;
    }),
    ("always from a ray", |s| s.lemke_start = LemkeStart::Always),
    ("search along the path", |s| {
        s.nms_searchtype = SearchType::Path;
    }),
    ("search along the arc", |s| {
        s.nms_searchtype = SearchType::Arc;
    }),
    ("no distance steps", |s| s.nms_mstep_frequency = 0),
    ("no preprocessing", |s| s.preprocess = false),
];

/// A part, how to do without it, and a start that shows what it is for.
const CASES: [(&str, Change, &str, usize); 8] = [
    (
        "crash",
        |s| s.crash_method = CrashMethod::None,
        "marcotte_vi5_r20",
        0,
    ),
    ("search", |s| s.nms = false, "marcotte_vi5_r20", 1),
    (
        "gradient steps",
        |s| s.gradient_step_limit = 0,
        "hs108_kkt",
        0,
    ),
    (
        "repair of singular bases",
        |s| s.lemke_rank_deficiency_iterations = 0,
        "hs116_kkt",
        0,
    ),
    (
        "scaling of the merit",
        |s| s.merit_scaling = false,
        "hs106_kkt",
        0,
    ),
    (
        "distance steps",
        |s| s.nms_mstep_frequency = 0,
        "transmcp_elastic",
        0,
    ),
    ("restarts, billups", |s| s.restart_limit = 0, "billups", 0),
    (
        "restarts, mathiesen_mod",
        |s| s.restart_limit = 0,
        "mathiesen_mod",
        2,
    ),
];

/// The parts of `Path`.
#[derive(Debug, Clone, Copy)]
pub struct McpFeatures;

impl Experiment for McpFeatures {
    fn id(&self) -> &'static str {
        "mcp-features"
    }

    fn source(&self) -> Source {
        source("sections 2 and 3")
    }

    fn title(&self) -> &'static str {
        "What each part of the nonlinear solver is good for"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        progress.progress(0, 2, "cases");
        let mut report = Report::default();
        for (part, without, name, start) in CASES {
            let problem = PublicMcp::named(name)?;
            let fresh = PublicMcp::read(name)?;
            let z = &problem.starts[start];
            let [with, without] = [VARIANTS[0].1, without].map(|change| {
                let solution = solve(&mut changed(change), &problem, z);
                Count {
                    solved: judge(&fresh, &solution, TOLERANCE).solved,
                    majors: solution.stats.iterations,
                    minors: solution.stats.pivots,
                }
            });
            let needed = with.solved && (!without.solved || without.majors > NEEDED * with.majors);
            report
                .measure(&format!("needed: {part}"), needed)
                .note(format!(
                    "{name} from {start}: {} with, {} without",
                    with.told(),
                    without.told()
                ));
        }
        progress.progress(1, 2, "everything");
        let outcomes = everything(effort)?;
        let wrong: usize = outcomes.iter().map(|outcome| outcome.wrong).sum();
        report.measure("wrong successes of all variants", wrong);
        report.sheets = vec![sheet(&outcomes, effort)];
        report.tables = vec![table(&outcomes)];
        progress.progress(2, 2, "done");
        Ok(report)
    }
}

fn changed(change: Change) -> Path {
    let mut settings = path_settings();
    change(&mut settings);
    Path::new(settings)
}

/// One solve.
#[derive(Debug, Clone, Copy)]
struct Count {
    solved: bool,
    majors: usize,
    minors: usize,
}

impl Count {
    fn told(self) -> String {
        if self.solved {
            format!("{} majors", self.majors)
        } else {
            format!("no solution after {} majors", self.majors)
        }
    }
}

/// One variant on all problems.
struct Outcome {
    label: &'static str,
    starts: usize,
    solved: usize,
    wrong: usize,
    /// Over the starts that are solved with this variant and without.
    majors: [usize; 2],
    minors: [usize; 2],
    suffers: String,
}

/// Problem and start, its count with each variant, and how many of these were wrong successes.
type Start = (String, Vec<(Count, bool)>);

fn everything(effort: Effort) -> Result<Vec<Outcome>, ReadError> {
    let names = PublicMcp::names()?;
    let starts = names
        .into_par_iter()
        .map(|name| starts(&name, effort))
        .collect::<Result<Vec<_>, _>>()?;
    let starts: Vec<Start> = starts.into_iter().flatten().collect();
    let variants = VARIANTS.iter().enumerate();
    Ok(variants
        .map(|(index, (label, _))| outcome(label, index, &starts))
        .collect())
}

fn starts(name: &str, effort: Effort) -> Result<Vec<Start>, ReadError> {
    let problem = PublicMcp::named(name)?;
    let fresh = PublicMcp::read(name)?;
    if effort < Effort::Full && problem.starts[0].len() > LARGE {
        return Ok(Vec::new());
    }
    let mut solvers = VARIANTS.map(|(_, change)| changed(change));
    let starts = problem.starts.iter().enumerate();
    let one = |(number, start): (usize, &Vec<f64>)| {
        let counts = solvers.iter_mut().map(|solver| {
            let solution = solve(solver, &problem, start);
            let judgement = judge(&fresh, &solution, TOLERANCE);
            let count = Count {
                solved: judgement.solved,
                majors: solution.stats.iterations,
                minors: solution.stats.pivots,
            };
            (count, judgement.wrong)
        });
        (format!("{name} from {number}"), counts.collect())
    };
    Ok(starts.map(one).collect())
}

fn outcome(label: &'static str, index: usize, starts: &[Start]) -> Outcome {
    let both = starts
        .iter()
        .map(|(name, counts)| (name, counts[0].0, counts[index].0));
    let solved_twice = both.clone().filter(|(_, a, b)| a.solved && b.solved);
    let sum = |of: fn(&Count) -> usize| {
        solved_twice
            .clone()
            .fold([0, 0], |sum, (_, a, b)| [sum[0] + of(&b), sum[1] + of(&a)])
    };
    let lost: Vec<&str> = both
        .clone()
        .filter(|(_, a, b)| a.solved && !b.solved)
        .map(|(name, ..)| name.as_str())
        .collect();
    let worst = solved_twice
        .clone()
        .max_by_key(|(_, a, b)| b.majors.saturating_sub(a.majors))
        .filter(|(_, a, b)| b.majors > a.majors)
        .map(|(name, a, b)| format!("{name}: {} majors instead of {}", b.majors, a.majors));
    let lost = (!lost.is_empty()).then(|| format!("not solved: {}", lost.join(", ")));
    let suffers: Vec<String> = lost.into_iter().chain(worst).collect();
    Outcome {
        label,
        starts: starts.len(),
        solved: both.filter(|(_, _, b)| b.solved).count(),
        wrong: starts.iter().filter(|(_, counts)| counts[index].1).count(),
        majors: sum(|count| count.majors),
        minors: sum(|count| count.minors),
        suffers: suffers.join("; "),
    }
}

fn sheet(outcomes: &[Outcome], effort: Effort) -> Sheet {
    let header = [
        "changed",
        "solved",
        "majors",
        "as it is",
        "minors",
        "as it is",
        "who suffers",
    ];
    let row = |outcome: &Outcome| {
        let [majors, minors] = [outcome.majors, outcome.minors];
        vec![
            outcome.label.to_owned(),
            format!("{} of {}", outcome.solved, outcome.starts),
            majors[0].to_string(),
            majors[1].to_string(),
            minors[0].to_string(),
            minors[1].to_string(),
            outcome.suffers.clone(),
        ]
    };
    let which = if effort < Effort::Full {
        ", those with more than 150 variables left out"
    } else {
        ""
    };
    Sheet {
        caption: format!(
            "All starts of the public problems{which}, with one part changed. Majors and minors are those of the starts \
             that are solved with the change and without it"
        ),
        header: header.map(str::to_owned).to_vec(),
        rows: outcomes.iter().map(row).collect(),
    }
}

fn table(outcomes: &[Outcome]) -> Table {
    let names = [
        "variant",
        "starts",
        "solved",
        "majors",
        "majors_as_it_is",
        "minors",
        "minors_as_it_is",
    ];
    let row = |(number, outcome): (usize, &Outcome)| {
        let [majors, minors] = [outcome.majors, outcome.minors];
        let counts = [
            number + 1,
            outcome.starts,
            outcome.solved,
            majors[0],
            majors[1],
            minors[0],
            minors[1],
        ];
        counts.map(|count| count as f64).to_vec()
    };
    Table {
        name: "features".to_owned(),
        golden: false,
        columns: names.map(|name| Column::new(name, "", 0.0)).to_vec(),
        rows: outcomes.iter().enumerate().map(row).collect(),
    }
}
