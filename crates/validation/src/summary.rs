//! The run as data, `summary.json`.

use serde::Serialize;

use crate::claims::Claim;
use crate::run::Outcome;

/// The run as data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Whether every experiment ran and every claim is ok.
    pub ok: bool,
    /// The experiments, in the registry's order.
    pub experiments: Vec<Entry>,
}

/// One experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// The paper.
    pub paper: String,
    /// The place in the paper.
    pub item: String,
    /// What it shows.
    pub title: String,
    /// Whether it ran and every claim is ok.
    pub ok: bool,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// Its claims, judged.
    pub claims: Vec<Claim>,
    /// Its files, relative to the folder of the report.
    pub files: Vec<String>,
    /// How long it took, in s.
    pub seconds: f64,
}

/// The summary of `outcomes`.
pub fn summary(outcomes: &[Outcome]) -> Summary {
    let entry = |outcome: &Outcome| {
        let source = outcome.experiment.source();
        Entry {
            id: outcome.experiment.id().to_owned(),
            paper: source.paper.to_owned(),
            item: source.item.to_owned(),
            title: outcome.experiment.title().to_owned(),
            ok: outcome.ok(),
            failure: outcome.failure.clone(),
            claims: outcome.claims.clone(),
            files: files(outcome),
            seconds: outcome.seconds,
        }
    };
    Summary {
        ok: outcomes.iter().all(Outcome::ok),
        experiments: outcomes.iter().map(entry).collect(),
    }
}

/// Paths of an experiment's files, relative to the report.
fn files(outcome: &Outcome) -> Vec<String> {
    let id = outcome.experiment.id();
    let plates = outcome.report.plates.iter();
    let pictures = plates.flat_map(|p| ["svg", "png"].map(|e| format!("{id}/{}.{e}", p.name)));
    let tables = outcome
        .report
        .tables
        .iter()
        .map(|t| format!("{id}/{}.csv", t.name));
    pictures.chain(tables).collect()
}
