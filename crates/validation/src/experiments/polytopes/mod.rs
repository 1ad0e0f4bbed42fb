//! A hundred thousand random pairs of polytopes beside parry's answers, every one judged by the vertices alone; and a wall of
//! fifty bricks that stands.
//!
//! # References
//! - \[CC1986\] S. Cameron, R. K. Culley, Determining the minimum translational distance between two convex polyhedra, IEEE
//!   Int. Conf. Robotics and Automation (1986) 591–596, doi 10.1109/ROBOT.1986.1087645.

mod judge;
mod pairs;
mod results;
mod wall;

use std::error::Error;

use rayon::prelude::*;

use self::judge::{Verdict, judge};
use self::pairs::{Class, Pair};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// The pairs beside parry's answers.
#[derive(Debug, Clone, Copy)]
pub struct Polytopes;

impl Experiment for Polytopes {
    fn id(&self) -> &'static str {
        "polytopes"
    }

    fn source(&self) -> Source {
        Source {
            paper: "CC1986",
            item: "sections 2 and 3",
            citation: "S. Cameron, R. K. Culley, Determining the minimum translational distance between two convex polyhedra, \
                       IEEE Int. Conf. Robotics and Automation, 591-596, 1986, doi 10.1109/ROBOT.1986.1087645",
        }
    }

    fn title(&self) -> &'static str {
        "Random pairs of polytopes beside parry's answers"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let count: u64 = match effort {
            Effort::Quick => 2_000,
            Effort::Normal | Effort::Full => 100_000,
        };
        progress.progress(0, 1, "pairs");
        let all: Result<Vec<Row>, _> = (0..count).into_par_iter().map(row).collect();
        let steps = match effort {
            Effort::Quick => 100,
            Effort::Normal | Effort::Full => 1000,
        };
        progress.progress(0, 1, "a wall of bricks");
        let standing = wall::stand(steps)?;
        progress.progress(1, 1, "done");
        Ok(results::report(&all?, &standing))
    }
}

/// A pair and what came of it.
struct Row {
    class: Class,
    names: [&'static str; 2],
    seed: u64,
    verdict: Verdict,
}

fn row(seed: u64) -> Result<Row, signorini_geometry::ShapeError> {
    let pair = Pair::random(seed)?;
    Ok(Row {
        class: pair.class,
        names: pair.names,
        seed,
        verdict: judge(&pair),
    })
}
