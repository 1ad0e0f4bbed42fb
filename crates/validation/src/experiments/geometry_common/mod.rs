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
