//! Inertia: a word, a number or a table.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Inertia about the centre of mass, kg m².
///
/// | in the file                          | meaning                                          |
/// | ------------------------------------ | ------------------------------------------------ |
/// | `"from_shape_uniform"`               | that of the shape, filled evenly                 |
/// | `0.002` or `{ scalar = 0.002 }`      | about the normal of the plane (plane only)       |
/// | `{ principal = [a, b, c] }`          | about the body's own axes (space only)           |
/// | `{ tensor = [[..], [..], [..]] }`    | symmetric, in body axes (space only)             |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SceneInertia {
    /// That of the shape, filled evenly.
    #[default]
    FromShapeUniform,
    /// About the normal of the plane.
    Scalar(f64),
    /// About the body's own axes.
    Principal([f64; 3]),
    /// In body axes, by rows.
    Tensor([[f64; 3]; 3]),
}

const UNIFORM: &str = "from_shape_uniform";
const KEYS: &[&str] = &["scalar", "principal", "tensor"];

impl Serialize for SceneInertia {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::FromShapeUniform => serializer.serialize_str(UNIFORM),
            Self::Scalar(value) => entry(serializer, "scalar", value),
            Self::Principal(values) => entry(serializer, "principal", values),
            Self::Tensor(rows) => entry(serializer, "tensor", rows),
        }
    }
}

fn entry<S: Serializer, T: Serialize>(
    serializer: S,
    key: &str,
    value: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

impl<'de> Deserialize<'de> for SceneInertia {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InertiaVisitor)
    }
}

/// Written by hand because an untagged enum could only say that no variant fits.
struct InertiaVisitor;

impl<'de> Visitor<'de> for InertiaVisitor {
    type Value = SceneInertia;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "\"from_shape_uniform\", a number (plane), { principal = [a, b, c] } or \
             { tensor = [[..], [..], [..]] }",
        )
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<SceneInertia, E> {
        if word == UNIFORM {
            Ok(SceneInertia::FromShapeUniform)
        } else {
            Err(E::invalid_value(de::Unexpected::Str(word), &self))
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<SceneInertia, E> {
        Ok(SceneInertia::Scalar(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<SceneInertia, E> {
        Ok(SceneInertia::Scalar(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<SceneInertia, E> {
        Ok(SceneInertia::Scalar(value as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SceneInertia, A::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(de::Error::invalid_value(de::Unexpected::Map, &self));
        };
        let inertia = match key.as_str() {
            "scalar" => SceneInertia::Scalar(map.next_value()?),
            "principal" => SceneInertia::Principal(map.next_value()?),
            "tensor" => SceneInertia::Tensor(map.next_value()?),
            _ => return Err(de::Error::unknown_field(&key, KEYS)),
        };
        match map.next_key::<String>()? {
            None => Ok(inertia),
            Some(second) => Err(de::Error::custom(format_args!(
                "inertia is given twice, as `{key}` and as `{second}`: keep one"
            ))),
        }
    }
}

impl JsonSchema for SceneInertia {
    fn schema_name() -> Cow<'static, str> {
        "SceneInertia".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let triple = json_schema!({
            "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3
        });
        json_schema!({
            "description": "Inertia about the centre of mass, kg m².",
            "oneOf": [
                { "description": "That of the shape, filled evenly.", "const": UNIFORM },
                { "description": "About the normal of the plane.", "type": "number" },
                {
                    "type": "object",
                    "properties": { "scalar": { "type": "number" } },
                    "required": ["scalar"],
                    "additionalProperties": false
                },
                {
                    "description": "About the body's own axes.",
                    "type": "object",
                    "properties": { "principal": triple },
                    "required": ["principal"],
                    "additionalProperties": false
                },
                {
                    "description": "Symmetric, in body axes, by rows.",
                    "type": "object",
                    "properties": {
                        "tensor": { "type": "array", "items": triple, "minItems": 3, "maxItems": 3 }
                    },
                    "required": ["tensor"],
                    "additionalProperties": false
                }
            ]
        })
    }
}
