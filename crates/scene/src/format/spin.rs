//! What is a vector in space and a single number in the plane.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An angular velocity (rad/s) or a torque (N m): one number in the plane, three in world axes in space.
#[derive(Clone, Debug, PartialEq)]
pub enum Spin {
    /// About the normal of the plane, counter-clockwise.
    Plane(f64),
    /// In world axes.
    Space(Vec<f64>),
}

impl Serialize for Spin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plane(value) => serializer.serialize_f64(*value),
            Self::Space(values) => values.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Spin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpinVisitor)
    }
}

/// Written by hand because an untagged enum could only say that no variant fits.
struct SpinVisitor;

impl<'de> Visitor<'de> for SpinVisitor {
    type Value = Spin;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number (plane) or an array of 3 numbers (space)")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Spin, E> {
        Ok(Spin::Plane(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Spin, E> {
        Ok(Spin::Plane(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Spin, E> {
        Ok(Spin::Plane(value as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Spin, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Spin::Space(values))
    }
}

impl JsonSchema for Spin {
    fn schema_name() -> Cow<'static, str> {
        "Spin".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One number in the plane, three in world axes in space.",
            "oneOf": [
                { "type": "number" },
                { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 }
            ]
        })
    }
}
