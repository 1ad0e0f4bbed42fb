//! All experiments.

use crate::error::RunError;
use crate::experiment::Experiment;
use crate::experiments::{
    A2003BallWall, A2003Disks66, A2003Energy, A2003Gamma, A2003StiffLimit, Cbat2007Disc,
    Cbat2007Ellipsoid, Cbat2007EulerDisc, Cbat2007Facets, Cbat2007Intersection, Cbat2007Rattleback,
    Cbat2007SpinningSphere, Cbat2007Superquadric, Cbat2007TippeTop, Cbat2007TwoSpheres,
    Cbat2007WorkPrecision, FrictionCollection, FrictionPyramids, FrictionRandom, GeometryExact,
    GeometryPairs, GeometryPictures, Ha2003BrazilNut, Ha2003Disks21, Ha2003Ellipse, Ha2003Joints,
    Ha2003Relaxation, LcpBatch, LcpInfeasible, LcpProblems, LcpRandom, LcpScaling, LcpWarm,
    McpBatch, McpFeatures, McpProblems, Polytopes, St2000Balls, St2000Rod,
};

/// Every experiment, in the order of the output.
pub static EXPERIMENTS: &[&dyn Experiment] = &[
    &St2000Rod,
    &St2000Balls,
    &Ha2003Ellipse,
    &Ha2003Disks21,
    &Ha2003BrazilNut,
    &Ha2003Joints,
    &Ha2003Relaxation,
    &A2003BallWall,
    &A2003Disks66,
    &A2003StiffLimit,
    &A2003Gamma,
    &A2003Energy,
    &Cbat2007Disc,
    &Cbat2007SpinningSphere,
    &Cbat2007TwoSpheres,
    &Cbat2007Ellipsoid,
    &Cbat2007Intersection,
    &Cbat2007TippeTop,
    &Cbat2007Rattleback,
    &Cbat2007EulerDisc,
    &Cbat2007Superquadric,
    &Cbat2007Facets,
    &Cbat2007WorkPrecision,
    &LcpProblems,
    &LcpRandom,
    &LcpInfeasible,
    &LcpWarm,
    &LcpScaling,
    &LcpBatch,
    &McpProblems,
    &McpFeatures,
    &McpBatch,
    &GeometryPairs,
    &GeometryExact,
    &GeometryPictures,
    &Polytopes,
    &FrictionPyramids,
    &FrictionCollection,
    &FrictionRandom,
];

/// The experiments with these ids in the registry's order, or all for no ids.
///
/// The part before a hyphen names the group of all experiments whose ids begin with it.
///
/// # Errors
///
/// [`RunError::UnknownExperiment`] with the list of ids.
///
/// # Examples
///
/// ```
/// use signorini_validation::select;
/// assert_eq!(select(&["st2000-rod".into()])?.len(), 1);
/// assert_eq!(select(&["st2000".into()])?.len(), 2);
/// let error = select(&["st2000-rot".into()]).unwrap_err().to_string();
/// assert!(error.starts_with("no experiment `st2000-rot`; there are: st2000-rod, st2000-balls, "));
/// # Ok::<(), signorini_validation::RunError>(())
/// ```
pub fn select(ids: &[String]) -> Result<Vec<&'static dyn Experiment>, RunError> {
    let names = |id: &str, experiment: &&dyn Experiment| {
        let rest = experiment.id().strip_prefix(id);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let known = |id: &str| EXPERIMENTS.iter().any(|e| names(id, e));
    if let Some(id) = ids.iter().find(|id| !known(id)) {
        let all: Vec<_> = EXPERIMENTS.iter().map(|e| e.id()).collect();
        return Err(RunError::UnknownExperiment {
            id: id.clone(),
            known: all.join(", "),
        });
    }
    let chosen = |e: &&&dyn Experiment| ids.is_empty() || ids.iter().any(|id| names(id, e));
    Ok(EXPERIMENTS.iter().filter(chosen).copied().collect())
}
