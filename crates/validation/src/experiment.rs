//! What an experiment is.

use std::error::Error;
use std::fmt::Debug;

use crate::report::Report;

/// How much work a run may take.
///
/// Every effort measures every claim; they differ in what is drawn and swept beside the claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Effort {
    /// Claims, golden data and figures; what a test can afford.
    Quick,
    /// The same with the sweeps that are for information.
    #[default]
    Normal,
    /// Everything.
    Full,
}

/// Where an experiment comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Short name of the paper, as the modules cite it: `ST2000`.
    pub paper: &'static str,
    /// Section, figures and tables in it.
    pub item: &'static str,
    /// Authors, title, venue, year, doi.
    pub citation: &'static str,
}

/// Hears how far an experiment is.
///
/// Closures implement it; `&()` is silent.
pub trait Progress: Sync {
    /// `done` of `total` parts are finished; the next is `part`.
    fn progress(&self, done: usize, total: usize, part: &str);
}

impl Progress for () {
    fn progress(&self, _done: usize, _total: usize, _part: &str) {}
}

impl<F: Fn(usize, usize, &str) + Sync> Progress for F {
    fn progress(&self, done: usize, total: usize, part: &str) {
        self(done, total, part);
    }
}

/// An example of a paper that can be run.
///
/// Its result depends on nothing but `effort`.
pub trait Experiment: Sync + Debug {
    /// `<authors><year>-<item>`, as the table of claims and the golden files spell it.
    fn id(&self) -> &'static str;

    /// The paper and the place in it.
    fn source(&self) -> Source;

    /// One line that says what is shown.
    fn title(&self) -> &'static str;

    /// Runs it.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from measuring all its claims; a claim that does not hold is no error.
    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>>;
}
