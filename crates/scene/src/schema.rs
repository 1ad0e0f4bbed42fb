//! The JSON schema of the scene format.

use crate::format::Scene;

/// The JSON schema of the scene format (draft 2020-12), generated from the types that read it.
///
/// The same text stands in `docs/scene.schema.json`; editors use it to complete and check scenes.
///
/// # Panics
/// Never: a schema is always valid JSON.
///
/// # Examples
/// ```
/// assert!(signorini_scene::schema().contains("\"gravity\""));
/// ```
pub fn schema() -> String {
    let schema = schemars::schema_for!(Scene);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is a tree of strings");
    text.push('\n');
    text
}
