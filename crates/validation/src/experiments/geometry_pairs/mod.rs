//! A hundred thousand random pairs of bodies: closest points of every kind beside every other, judged by code that the
//! search does not share.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, Robotics: Science and Systems III, 2007.

mod results;

use std::error::Error;

use rayon::prelude::*;
use signorini_benches::pairs::{Class, Dimension, Kind, PLANAR_KINDS, SPATIAL_KINDS, Space};

use super::geometry_common::{Outcome, Trial, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Ratio of the lengths of ordinary bodies.
const ASPECT: f64 = 8.0;
/// Ratio of the lengths of needles and plates.
const HOSTILE: f64 = 1e4;

/// The random pairs.
#[derive(Debug, Clone, Copy)]
pub struct GeometryPairs;

impl Experiment for GeometryPairs {
    fn id(&self) -> &'static str {
        "geometry-pairs"
    }

    fn source(&self) -> Source {
        source("appendix")
    }

    fn title(&self) -> &'static str {
        "Closest points of random pairs, by the hundred thousand"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let [space, plane, hostile] = match effort {
            Effort::Quick => [4_000, 1_000, 1_000],
            // A fifth is deeper than half: 100,000 are not.
            Effort::Normal | Effort::Full => [100_000, 25_000, 10_000],
        };
        progress.progress(0, 4, "space");
        let mut ordinary = batch(SPATIAL_KINDS, space, ASPECT);
        progress.progress(1, 4, "plane");
        ordinary.extend(batch(PLANAR_KINDS, plane, ASPECT));
        progress.progress(2, 4, "needles and plates in space");
        let mut needles = batch(SPATIAL_KINDS, hostile, HOSTILE);
        progress.progress(3, 4, "needles and plates in the plane");
        needles.extend(batch(PLANAR_KINDS, hostile / 4, HOSTILE));
        progress.progress(4, 4, "done");
        Ok(results::report(&ordinary, &needles))
    }
}

/// A trial and what came of it.
struct Row {
    names: [&'static str; 2],
    class: Class,
    seed: u64,
    outcome: Outcome,
}

/// Trials over all ordered pairs of kinds and all classes in turn; the seed is the number of the trial. Two half-spaces
/// have no gap and are left out.
fn batch<const D: usize>(kinds: &[Kind<D>], count: usize, aspect: f64) -> Vec<Row>
where
    Space: Dimension<D>,
{
    let n = kinds.len();
    let pairs: Vec<[Kind<D>; 2]> = (1..n * n).map(|i| [kinds[i / n], kinds[i % n]]).collect();
    let classes = Class::ALL.len();
    (0..count)
        .into_par_iter()
        .map(|number| {
            let (class, place) = (
                Class::ALL[number % classes],
                (number / classes) % pairs.len(),
            );
            let (kinds, seed) = (pairs[place], number as u64);
            let trial = Trial {
                kinds,
                class,
                seed,
                aspect,
            };
            Row {
                names: kinds.map(|kind| kind.name),
                class,
                seed,
                outcome: trial.run(),
            }
        })
        .collect()
}
