//! Pictures of closest points: every kind beside every other, the work over relative poses, and the contact point of a
//! faceted body beside that of a round one.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, Robotics: Science and Systems III, 2007.

mod facets;
mod outlines;
mod work;

use std::error::Error;

use super::geometry_common::source;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// The pictures.
#[derive(Debug, Clone, Copy)]
pub struct GeometryPictures;

impl Experiment for GeometryPictures {
    fn id(&self) -> &'static str {
        "geometry-pictures"
    }

    fn source(&self) -> Source {
        source("sections 3 and 5")
    }

    fn title(&self) -> &'static str {
        "Closest points drawn; work over poses; facets beside round bodies"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let mut report = Report::default();
        progress.progress(0, 3, "outlines");
        outlines::draw(&mut report)?;
        progress.progress(1, 3, "work over poses");
        work::draw(&mut report, effort);
        progress.progress(2, 3, "facets");
        facets::draw(&mut report)?;
        progress.progress(3, 3, "done");
        Ok(report)
    }
}
