//! What the experiments on closest points share: a judge that knows bodies by their recipes and calls nothing of the
//! crate that it judges.

mod better;
mod boundary;
mod closed;
mod judge;
mod pieces;
mod support;
mod trial;

pub(in crate::experiments) use better::best_separation;
pub(in crate::experiments) use judge::{judge, worst};
pub(in crate::experiments) use trial::{Answer, Outcome, Trial};

use crate::experiment::Source;

/// Where the conditions stand that the claims of the group `geometry` are about.
pub(in crate::experiments) const fn source(item: &'static str) -> Source {
    Source {
        paper: "CBAT2007",
        item,
        citation: "N. Chakraborty, S. Berard, S. Akella, J. Trinkle, An implicit time-stepping method for multibody systems \
                   with intermittent contact, Robotics: Science and Systems III, 2007",
    }
}
