//! What each part of `Path` is good for: a start of a public problem that needs it.

use serde_json::Value;
use signorini_ampl::Model;
use signorini_complementarity::{CrashMethod, Path, PathSettings, Solver, Start, mcp_residual};

use crate::problems::{folder, numbers};

/// A public problem and one of its starts.
fn problem(name: &str, start: usize) -> (Model, Vec<f64>) {
    let text = std::fs::read(folder().join(format!("{name}.json"))).unwrap();
    let sidecar: Value = serde_json::from_slice(&text).unwrap();
    let model = Model::from_path(folder().join(format!("{name}.nl"))).unwrap();
    (model, numbers(&sidecar["starts"][start]))
}

/// Solved with the defaults; with the change not solved, or only with more than twice the majors. Restarts with the defaults, and
/// whether it is solved with the change.
fn needed(name: &str, start: usize, change: impl Fn(&mut PathSettings)) -> (usize, bool) {
    let (model, z) = problem(name, start);
    let defaults = PathSettings::default();
    let mut changed = defaults.clone();
    change(&mut changed);
    let [with, without] =
        [defaults, changed].map(|settings| Path::new(settings).solve(&model, Start::Point(&z)));
    assert!(
        with.status.is_solved(),
        "{name} from {start}: {}",
        with.status
    );
    for solution in [&with, &without]
        .into_iter()
        .filter(|s| s.status.is_solved())
    {
        // A solver does not vouch for itself.
        let residual = mcp_residual(&model, &solution.z).unwrap();
        assert!(residual <= 1e-10, "{name} from {start}: {residual}");
    }
    let [few, many] = [&with, &without].map(|solution| solution.stats.iterations);
    assert!(
        !without.status.is_solved() || many > 2 * few,
        "{name} from {start}: {few} majors with, {many} without"
    );
    (with.stats.restarts, without.status.is_solved())
}

#[test]
fn the_crash_finds_the_active_set() {
    let _ = needed("marcotte_vi5_r20", 0, |s| {
        s.crash_method = CrashMethod::None;
    });
}

#[test]
fn full_steps_go_astray_without_a_search() {
    let _ = needed("marcotte_vi5_r20", 1, |s| s.nms = false);
}

#[test]
fn gradient_steps_help_where_no_path_does() {
    let _ = needed("hs108_kkt", 0, |s| s.gradient_step_limit = 0);
}

#[test]
fn singular_bases_are_repaired() {
    let _ = needed("hs116_kkt", 0, |s| s.lemke_rank_deficiency_iterations = 0);
}

#[test]
fn the_merit_needs_a_scale() {
    let _ = needed("hs106_kkt", 0, |s| s.merit_scaling = false);
}

#[test]
fn steps_are_taken_on_credit() {
    let _ = needed("transmcp_elastic", 0, |s| s.nms_mstep_frequency = 0);
}

#[test]
fn restarts_leave_a_stationary_point() {
    for (name, start) in [("billups", 0), ("mathiesen_mod", 2)] {
        let (restarts, solved_without) = needed(name, start, |s| s.restart_limit = 0);
        assert!(restarts > 0, "{name}");
        assert!(!solved_without, "{name}");
    }
}
