//! What a claim is about: a number, a statement or a word.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A printed, exact or measured value.
///
/// # Examples
///
/// ```
/// use signorini_validation::Value;
/// assert_eq!(Value::from(0.385).to_string(), "0.385");
/// assert_eq!(Value::from(true).to_string(), "yes");
/// assert_eq!(Value::from(1e-9).to_string(), "1e-9");
/// assert!(Value::from(0.386).agrees(&Value::from(0.385), 0.0025));
/// assert!(!Value::from("sticks").agrees(&Value::from("slides"), 1.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A statement that holds or does not.
    Flag(bool),
    /// A number in the claim's unit.
    Number(f64),
    /// A word.
    Text(String),
}

impl Value {
    /// Whether the two are equal; numbers up to `tolerance`, which is absolute.
    pub fn agrees(&self, other: &Self, tolerance: f64) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => (a - b).abs() <= tolerance,
            (a, b) => a == b,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(x) => Some(*x),
            Self::Flag(_) | Self::Text(_) => None,
        }
    }

    /// The value with `decimals` decimals if it is a number that these digits do not turn to zero.
    pub fn with_decimals(&self, decimals: usize) -> String {
        match self {
            Self::Number(x) => {
                let text = format!("{x:.decimals$}");
                let vanished = *x != 0.0 && !text.bytes().any(|b| (b'1'..=b'9').contains(&b));
                if vanished { format!("{x:.1e}") } else { text }
            }
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(true) => f.write_str("yes"),
            Self::Flag(false) => f.write_str("no"),
            Self::Number(x) if *x != 0.0 && !(1e-4..1e7).contains(&x.abs()) => write!(f, "{x:e}"),
            Self::Number(x) => write!(f, "{x}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Number(count as f64)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
