//! Options of the solver, `name=value` as AMPL has them.

use std::str::FromStr;

use signorini_complementarity::{CrashMethod, LemkeStart, MeritFunction, PathSettings, SearchType};
use thiserror::Error;

/// All that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) path: PathSettings,
    pub(crate) method: Method,
    /// Whether the log goes to the output stream.
    pub(crate) log: bool,
    /// Seconds.
    pub(crate) time_limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Path,
    Semismooth,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            path: PathSettings::default(),
            method: Method::Path,
            log: false,
            time_limit: f64::INFINITY,
        }
    }
}

/// Why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum OptionError {
    #[error("no option is called `{name}`; `signorini-mcp -=` lists them")]
    Unknown { name: String },
    #[error("option {name} is `{value}`: it must be {expected}")]
    Value {
        name: &'static str,
        value: String,
        expected: &'static str,
    },
    #[error("option {name} has no value: write {name}=VALUE")]
    NoValue { name: String },
}

/// An option, what it takes, and how it is set; `set` says whether the value is right.
struct Entry {
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    set: fn(&mut Options, &str) -> bool,
}

/// Sets `target` if the value is one that `right` takes.
fn number<T: FromStr>(target: &mut T, value: &str, right: impl Fn(&T) -> bool) -> bool {
    let number = value.parse().ok().filter(right);
    number.map(|number| *target = number).is_some()
}

fn count(target: &mut usize, value: &str) -> bool {
    number(target, value, |_| true)
}

fn positive(target: &mut f64, value: &str) -> bool {
    number(target, value, |x| *x > 0.0)
}

fn switch(target: &mut bool, value: &str) -> bool {
    let values = [("yes", true), ("1", true), ("no", false), ("0", false)];
    choice(target, value, &values)
}

fn choice<T: Copy>(target: &mut T, value: &str, choices: &[(&str, T)]) -> bool {
    let chosen = choices
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(value));
    chosen.map(|(_, chosen)| *target = *chosen).is_some()
}

const SEARCHES: &[(&str, SearchType)] = &[
    ("line", SearchType::Line),
    ("arc", SearchType::Arc),
    ("path", SearchType::Path),
];

const COUNT: &str = "a whole number";
const POSITIVE: &str = "a number above 0";
const SWITCH: &str = "yes or no";
const SEARCH: &str = "line, arc or path";

/// Makes an entry of the table: name, what it takes, what it is for, how it is set.
macro_rules! entries {
    ($($name:literal, $takes:expr, $about:literal, $set:expr;)*) => {
        &[$(Entry { name: $name, takes: $takes, about: $about, set: $set }),*]
    };
}

#[rustfmt::skip]
const ENTRIES: &[Entry] = entries! {
    "convergence_tolerance", POSITIVE, "solved at this natural residual (1e-10)",
        |o, v| positive(&mut o.path.convergence_tolerance, v);
    "crash_iteration_limit", COUNT, "most steps before the first iteration (50)",
        |o, v| count(&mut o.path.crash_iteration_limit, v);
    "crash_method", "none or pnewton", "steps before the first iteration (pnewton)",
        |o, v| choice(&mut o.path.crash_method, v, &[("none", CrashMethod::None), ("pnewton", CrashMethod::ProjectedNewton)]);
    "crash_minimum_dimension", COUNT, "fewest variables for a crash (1)",
        |o, v| count(&mut o.path.crash_minimum_dimension, v);
    "crash_nbchange_limit", COUNT, "the crash ends at so few changes (1)",
        |o, v| count(&mut o.path.crash_nbchange_limit, v);
    "crash_perturb", SWITCH, "perturb singular matrices in the crash (yes)",
        |o, v| switch(&mut o.path.crash_perturb, v);
    "crash_searchtype", SEARCH, "along what the crash searches (line)",
        |o, v| choice(&mut o.path.crash_searchtype, v, SEARCHES);
    "cumulative_iteration_limit", COUNT, "most pivots in all (10000)",
        |o, v| count(&mut o.path.cumulative_iteration_limit, v);
    "gradient_searchtype", SEARCH, "along what gradient steps search (arc)",
        |o, v| choice(&mut o.path.gradient_searchtype, v, SEARCHES);
    "gradient_step_limit", COUNT, "most gradient steps before a restart (5)",
        |o, v| count(&mut o.path.gradient_step_limit, v);
    "infinity", POSITIVE, "bounds beyond are none (1e20)",
        |o, v| positive(&mut o.path.infinity, v);
    "lemke_rank_deficiency_iterations", COUNT, "repairs of a singular basis (10)",
        |o, v| count(&mut o.path.lemke_rank_deficiency_iterations, v);
    "lemke_start", "automatic, first or always", "when paths begin on a ray (automatic)",
        |o, v| choice(&mut o.path.lemke_start, v, &[("automatic", LemkeStart::Automatic), ("first", LemkeStart::First), ("always", LemkeStart::Always)]);
    "major_iteration_limit", COUNT, "most iterations between restarts (500)",
        |o, v| count(&mut o.path.major_iteration_limit, v);
    "merit_function", "fischer or normal", "what steps are judged by (fischer)",
        |o, v| choice(&mut o.path.merit_function, v, &[("fischer", MeritFunction::Fischer), ("normal", MeritFunction::Normal)]);
    "merit_scaling", SWITCH, "judge in units of the start's Jacobian (yes)",
        |o, v| switch(&mut o.path.merit_scaling, v);
    "method", "path or semismooth", "the solver (path); semismooth knows the tolerance alone",
        |o, v| choice(&mut o.method, v, &[("path", Method::Path), ("semismooth", Method::Semismooth)]);
    "minor_iteration_limit", COUNT, "most pivots of an iteration (1000)",
        |o, v| count(&mut o.path.minor_iteration_limit, v);
    "nms", SWITCH, "search along steps (yes)",
        |o, v| switch(&mut o.path.nms, v);
    "nms_initial_reference_factor", POSITIVE, "first reference value (20)",
        |o, v| positive(&mut o.path.nms_initial_reference_factor, v);
    "nms_maximum_watchdogs", COUNT, "returns to good points (5)",
        |o, v| count(&mut o.path.nms_maximum_watchdogs, v);
    "nms_memory_size", COUNT, "reference values kept (10)",
        |o, v| count(&mut o.path.nms_memory_size, v);
    "nms_mstep_frequency", COUNT, "iterations between checks of the merit (10)",
        |o, v| count(&mut o.path.nms_mstep_frequency, v);
    "nms_searchtype", SEARCH, "along what steps are shortened (line)",
        |o, v| choice(&mut o.path.nms_searchtype, v, SEARCHES);
    "outlev", "0 or 1", "1 prints a line per iteration (0)",
        |o, v| switch(&mut o.log, v);
    "preprocess", SWITCH, "fix what rows decide alone (yes)",
        |o, v| switch(&mut o.path.preprocess, v);
    "proximal_perturbation", "a number, 0 or above", "first perturbation (0)",
        |o, v| number(&mut o.path.proximal_perturbation, v, |x| *x >= 0.0 && x.is_finite());
    "restart_limit", COUNT, "most restarts (4)",
        |o, v| count(&mut o.path.restart_limit, v);
    "return_best_point", SWITCH, "the best point, not the last (yes)",
        |o, v| switch(&mut o.path.return_best_point, v);
    "time_limit", POSITIVE, "seconds, looked at once per iteration (none)",
        |o, v| positive(&mut o.time_limit, v);
};

impl Options {
    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let name = name.to_ascii_lowercase().replace('-', "_");
        let entry = ENTRIES.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or(OptionError::Unknown { name })?;
        if (entry.set)(self, value) {
            return Ok(());
        }
        Err(OptionError::Value {
            name: entry.name,
            value: value.to_owned(),
            expected: entry.takes,
        })
    }

    /// Sets what a text says: `name=value` or `name value`, by blanks or commas apart.
    pub(crate) fn set_all(&mut self, text: &str) -> Result<(), OptionError> {
        let text = text.replace('=', " = ");
        let apart = |c: char| c.is_whitespace() || c == ',';
        let mut words = text.split(apart).filter(|word| !word.is_empty()).peekable();
        while let Some(name) = words.next() {
            words.next_if_eq(&"=");
            let value = words.next().ok_or_else(|| OptionError::NoValue {
                name: name.to_owned(),
            })?;
            self.set(name, value.trim_matches(['"', '\'']))?;
        }
        Ok(())
    }
}

/// The list for `-=`.
pub(crate) fn list() -> String {
    let line = |e: &Entry| format!("  {:<33} {}; {}\n", e.name, e.about, e.takes);
    ENTRIES.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_in_any_of_the_ways_of_ampl() {
        for text in [
            "major_iteration_limit=7 crash_method=none nms=no",
            "major-iteration-limit = 7, crash_method 'none',nms 0",
            "MAJOR_ITERATION_LIMIT 7\n crash_method = \"None\" nms=NO",
        ] {
            let mut options = Options::default();
            options.set_all(text).unwrap();
            assert_eq!(options.path.major_iteration_limit, 7);
            assert_eq!(options.path.crash_method, CrashMethod::None);
            assert!(!options.path.nms);
        }
    }

    #[test]
    fn refusals_name_the_option() {
        for (text, message) in [
            (
                "cplex=1",
                "no option is called `cplex`; `signorini-mcp -=` lists them",
            ),
            (
                "nms=perhaps",
                "option nms is `perhaps`: it must be yes or no",
            ),
            (
                "convergence_tolerance=nan",
                "option convergence_tolerance is `nan`: it must be a number above 0",
            ),
            (
                "restart_limit=-1",
                "option restart_limit is `-1`: it must be a whole number",
            ),
            ("nms = ", "option nms has no value: write nms=VALUE"),
        ] {
            let error = Options::default().set_all(text).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn the_table_is_sorted_and_its_defaults_are_those_of_the_settings() {
        assert!(ENTRIES.is_sorted_by(|a, b| a.name < b.name));
        let mut options = Options::default();
        for entry in ENTRIES {
            let default = entry.about.rsplit_once('(').unwrap().1;
            let default = default.split(')').next().unwrap();
            if default != "none" {
                assert!((entry.set)(&mut options, default), "{}", entry.name);
            }
        }
        assert_eq!(options.path, PathSettings::default());
        assert_eq!((options.method, options.log), (Method::Path, false));
    }
}
