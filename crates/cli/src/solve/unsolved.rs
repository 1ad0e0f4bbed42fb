//! Files of steps that were not solved: every field is looked at before the problem is taken from them.

use std::path::Path;

use serde_json::{Map, Value};
use signorini_complementarity::io::{FrictionFile, ProblemFile, ReadError};
use signorini_dynamics::State;
use signorini_steppers::UnsolvedStep;
use thiserror::Error;

use crate::error::CliError;

/// The problem of such a file.
pub(super) enum Held {
    Friction(Box<FrictionFile>),
    Linear(Box<ProblemFile>),
}

/// What is wrong with a field of such a file.
#[derive(Debug, Error)]
pub(crate) enum StepFileError {
    #[error("`{field}` is no field of a step that was not solved; there are: {}", FIELDS.join(", "))]
    Unknown { field: String },
    #[error("`{field}` is {found}: {expected}")]
    Value {
        field: String,
        found: String,
        expected: &'static str,
    },
    #[error("`{field}` has length {found}, the problem has {expected} unknowns")]
    Length {
        field: &'static str,
        found: usize,
        expected: usize,
    },
    #[error("`state` is no state: {source}")]
    State { source: serde_json::Error },
    #[error("{}{}", place.unwrap_or_default(), without_line(source))]
    Problem {
        /// What stands before the names of its fields.
        place: Option<&'static str>,
        source: ReadError,
    },
}

/// The problem is read from a text of its own, whose lines are not those of the file.
fn without_line(source: &ReadError) -> String {
    match source {
        ReadError::Json { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

const FIELDS: &[&str] = &[
    "format", "scheme", "h", "state", "n", "M", "q", "l", "u", "friction", "z", "worst", "names",
];

/// Fields of a linear problem.
const LINEAR: &[&str] = &["n", "M", "q", "l", "u"];

/// The problem of the text, if the text is of a step that was not solved.
///
/// # Errors
/// The place where the text is no JSON; the first field that is wrong; that there is no problem in it.
pub(super) fn problem(path: &Path, text: &str) -> Result<Option<Held>, CliError> {
    // A look is quick, and problems can be large.
    if !text.contains(UnsolvedStep::FORMAT) {
        return Ok(None);
    }
    let file: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| CliError::Problem {
            path: path.to_owned(),
            source: cut_off(&error),
        })?;
    if file.get("format").is_none_or(|f| f != UnsolvedStep::FORMAT) {
        return Ok(None);
    }
    let refuse = |source| CliError::StepFile {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let held = held(&file).map_err(refuse)?;
    held.map_or_else(
        || {
            let path = path.to_owned();
            Err(CliError::NoProblem { path })
        },
        |held| Ok(Some(held)),
    )
}

/// An error of the JSON parser with its place in the file.
fn cut_off(error: &serde_json::Error) -> ReadError {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(&*message, |m| m.0);
    ReadError::Json {
        line: error.line(),
        column: error.column(),
        message: message.to_owned(),
    }
}

fn held(file: &Map<String, Value>) -> Result<Option<Held>, StepFileError> {
    if let Some(field) = file.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        let field = field.chars().take(SHOWN).collect();
        return Err(StepFileError::Unknown { field });
    }
    check_words(file)?;
    let held = if let Some(friction) = file.get("friction") {
        let read = FrictionFile::from_json(&friction.to_string());
        Some(Held::Friction(Box::new(read.map_err(in_friction)?)))
    } else if LINEAR.iter().any(|field| file.contains_key(*field)) {
        let mut linear = file.clone();
        linear.retain(|field, _| LINEAR.contains(&field.as_str()));
        linear.insert("format".to_owned(), "linear-mcp-1".into());
        let read = ProblemFile::from_json(&Value::from(linear).to_string());
        let read = read.map_err(|source| StepFileError::Problem {
            place: None,
            source,
        })?;
        Some(Held::Linear(Box::new(read)))
    } else {
        None
    };
    let unknowns = held.as_ref().map(|held| match held {
        Held::Friction(file) => file.laws.mu.len() * file.laws.dimension,
        Held::Linear(file) => file.problem.len(),
    });
    for field in ["z", "names"] {
        let length = file.get(field).and_then(Value::as_array).map(Vec::len);
        if let (Some(found), Some(expected)) = (length, unknowns)
            && found != expected
        {
            return Err(StepFileError::Length {
                field,
                found,
                expected,
            });
        }
    }
    Ok(held)
}

fn in_friction(source: ReadError) -> StepFileError {
    StepFileError::Problem {
        place: Some("in `friction`: "),
        source,
    }
}

/// What the problem does not need, but a report of the fault does.
fn check_words(file: &Map<String, Value>) -> Result<(), StepFileError> {
    let is_text = |value: &Value| value.is_string();
    // A best point may be none: null stands for what is not finite.
    let is_entry = |value: &Value| value.is_number() || value.is_null();
    for field in ["scheme", "worst"] {
        check(file, field, is_text, "a text is needed")?;
    }
    let positive = |value: &Value| value.as_f64().is_some_and(|h| h > 0.0 && h.is_finite());
    check(file, "friction", Value::is_object, "an object is needed")?;
    check(file, "h", positive, "a number greater than 0 is needed")?;
    for (field, fits, expected) in [
        (
            "z",
            &is_entry as &dyn Fn(&Value) -> bool,
            "a number or null is needed",
        ),
        ("names", &is_text, "a text is needed"),
    ] {
        check(file, field, Value::is_array, "a list is needed")?;
        let entries = file.get(field).and_then(Value::as_array);
        let wrong = entries
            .into_iter()
            .flatten()
            .enumerate()
            .find(|e| !fits(e.1));
        if let Some((index, value)) = wrong {
            return Err(wrong_value(format!("{field}[{index}]"), value, expected));
        }
    }
    if let Some(state) = file.get("state") {
        let read = serde_json::from_value::<State>(state.clone());
        read.map_err(|source| StepFileError::State { source })?;
    }
    Ok(())
}

fn check(
    file: &Map<String, Value>,
    field: &str,
    fits: impl Fn(&Value) -> bool,
    expected: &'static str,
) -> Result<(), StepFileError> {
    match file.get(field) {
        Some(value) if !fits(value) => Err(wrong_value(field.to_owned(), value, expected)),
        _ => Ok(()),
    }
}

/// Characters of a value that an error shows.
const SHOWN: usize = 40;

fn wrong_value(field: String, value: &Value, expected: &'static str) -> StepFileError {
    let text = value.to_string();
    let mut found: String = text.chars().take(SHOWN).collect();
    if found.len() < text.len() {
        found.push('\u{2026}');
    }
    StepFileError::Value {
        field,
        found,
        expected,
    }
}
