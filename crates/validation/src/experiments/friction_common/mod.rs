//! What the experiments on frictional contact share: the public problems, and a judge that owes the solvers nothing.

mod judge;

pub(super) use judge::{relative_residual, scaled_residual};

use std::error::Error;
use std::path::Path;

use signorini_complementarity::FrictionProblem;
use signorini_complementarity::io::FrictionFile;

use crate::experiment::Source;

/// Where the comparisons come from that the group `friction` follows.
pub(super) const fn source(item: &'static str) -> Source {
    Source {
        paper: "ABH2018",
        item,
        citation: "V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction: formulations and \
                   numerical comparisons, in: Advanced Topics in Nonsmooth Dynamics, Springer, 2018, \
                   doi:10.1007/978-3-319-75972-2_10",
    }
}

/// A public problem of frictional contact.
#[derive(Debug)]
pub(super) struct PublicFriction {
    pub(super) name: String,
    pub(super) problem: FrictionProblem,
    /// Relative residual of the best answer that was published with it.
    pub(super) published: Option<f64>,
}

impl PublicFriction {
    /// All of `fixtures/friction`, by name.
    pub(super) fn all() -> Result<Vec<Self>, Box<dyn Error + Send + Sync>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/friction");
        let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        let mut paths: Vec<_> = entries.iter().map(std::fs::DirEntry::path).collect();
        paths.sort();
        paths
            .iter()
            .map(|path| {
                let named = |e: &dyn Error| format!("{}: {e}", path.display());
                let file = FrictionFile::from_path(path).map_err(|e| named(&e))?;
                Ok(Self {
                    problem: file.problem().map_err(|e| named(&e))?,
                    published: file.reference.map(|r| r.residual_relative),
                    name: file.name,
                })
            })
            .collect()
    }
}
