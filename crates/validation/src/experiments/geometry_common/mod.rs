//! What the experiments on closest points share: one random pair, asked in every way that must not matter.

mod trial;

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
