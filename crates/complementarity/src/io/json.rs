//! What the JSON formats share: matrices as triplets, checked numbers and lengths, errors with a place.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sprs::CsMat;

use super::ReadError;
use super::error::{WORD, shown};
use super::triplets::by_columns;

/// Characters of a message of the JSON parser that are kept: enough for the names of all fields.
const MESSAGE: usize = 400;

/// A matrix as it stands in a file. Numbers that may be null by mistake are options: the error names the entry.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMatrix {
    rows: usize,
    cols: usize,
    i: Vec<u64>,
    j: Vec<u64>,
    v: Vec<Option<f64>>,
}

impl RawMatrix {
    pub(super) fn new(matrix: &CsMat<f64>) -> Self {
        Self {
            rows: matrix.rows(),
            cols: matrix.cols(),
            i: matrix.iter().map(|(_, (i, _))| i as u64).collect(),
            j: matrix.iter().map(|(_, (_, j))| j as u64).collect(),
            v: matrix.iter().map(|(v, _)| Some(*v)).collect(),
        }
    }

    /// The matrix `name` by columns, if it is rows × cols.
    pub(super) fn checked(
        self,
        name: &'static str,
        (rows, cols): (usize, usize),
    ) -> Result<CsMat<f64>, ReadError> {
        check_length(&format!("{name}.rows"), self.rows, rows)?;
        check_length(&format!("{name}.cols"), self.cols, cols)?;
        let v = numbers(&format!("{name}.v"), &self.v)?;
        check_length(&format!("{name}.i"), self.i.len(), v.len())?;
        check_length(&format!("{name}.j"), self.j.len(), v.len())?;
        let inside = |axis: char, entry: usize, found: u64| {
            let size = if axis == 'i' { rows } else { cols };
            match usize::try_from(found) {
                Ok(index) if index < size => Ok(index),
                _ => Err(ReadError::Index {
                    matrix: name,
                    axis,
                    entry,
                    found,
                    rows,
                    cols,
                }),
            }
        };
        let mut triplets = Vec::with_capacity(v.len());
        for (k, v) in v.into_iter().enumerate() {
            triplets.push((inside('i', k, self.i[k])?, inside('j', k, self.j[k])?, v));
        }
        by_columns((rows, cols), &triplets).map_err(|twice| ReadError::Repeated {
            matrix: name,
            first: twice.first,
            second: twice.second,
            row: twice.row,
            col: twice.col,
        })
    }
}

/// The tree in a text.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|error| json_error(&error))
}

pub(super) fn check_format(found: &str, expected: &'static str) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    let found = shown(found, WORD);
    Err(ReadError::Format { found, expected })
}

/// One field of a file that has one field per line.
pub(super) fn field(name: &str, value: &impl Serialize) -> String {
    let value = serde_json::to_string(value).expect("a tree of numbers and strings");
    format!("\"{name}\": {value}")
}

pub(super) fn numbers(what: &str, values: &[Option<f64>]) -> Result<Vec<f64>, ReadError> {
    let number = |(index, value): (usize, &Option<f64>)| {
        value.ok_or_else(|| ReadError::NotFinite {
            what: what.to_owned(),
            index,
            found: "null".to_owned(),
        })
    };
    values.iter().enumerate().map(number).collect()
}

pub(super) fn check_length(what: &str, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    Err(ReadError::Length {
        what: what.to_owned(),
        found,
        expected,
    })
}

pub(super) fn check_vector(what: &str, values: &[f64], n: usize) -> Result<(), ReadError> {
    check_length(what, values.len(), n)?;
    let mut numbered = values.iter().enumerate();
    numbered.try_for_each(|(index, value)| check_finite(what, index, *value))
}

pub(super) fn check_finite(what: &str, index: usize, value: f64) -> Result<(), ReadError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(ReadError::NotFinite {
        what: what.to_owned(),
        index,
        found: format!("{value:?}"),
    })
}

fn json_error(error: &serde_json::Error) -> ReadError {
    let message = error.to_string();
    // serde_json ends its messages with the place, which stands in fields of its own here.
    let message = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(message, _)| message);
    ReadError::Json {
        line: error.line(),
        column: error.column(),
        message: shown(message, MESSAGE),
    }
}
