//! What the experiments on closest points share: a judge that knows bodies by their recipes and calls nothing of the
//! crate that it judges.

mod boundary;
mod judge;
mod pieces;
mod support;
