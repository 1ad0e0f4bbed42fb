//! Plane or space.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Plane or space, written 2 or 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Dimension {
    /// Two dimensions: x, y and one angle; y is up.
    Plane,
    /// Three dimensions: x, y, z and a quaternion; z is up.
    #[default]
    Space,
}

impl Dimension {
    /// The number of coordinates of a point: 2 or 3.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(signorini_scene::Dimension::Plane.len(), 2);
    /// ```
    #[expect(clippy::len_without_is_empty, reason = "a dimension is never empty")]
    pub fn len(self) -> usize {
        match self {
            Self::Plane => 2,
            Self::Space => 3,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plane => "the plane",
            Self::Space => "space",
        })
    }
}

impl TryFrom<u8> for Dimension {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            2 => Ok(Self::Plane),
            3 => Ok(Self::Space),
            _ => Err(format!(
                "dimension {number} is not known: write 2 for the plane or 3 for space"
            )),
        }
    }
}

impl From<Dimension> for u8 {
    fn from(dimension: Dimension) -> Self {
        match dimension {
            Dimension::Plane => 2,
            Dimension::Space => 3,
        }
    }
}

impl JsonSchema for Dimension {
    fn schema_name() -> Cow<'static, str> {
        "Dimension".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "2: the plane; 3: space.", "enum": [2, 3] })
    }
}
