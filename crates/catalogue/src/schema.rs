//! JSON Schemas of the files users write.

use longarm_assets::objects::KINDS;
use longarm_assets::outside::ObjectFile;
use longarm_task::form::{RigForm, SceneForm, TaskForm};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// Files that have a schema.
pub const NAMES: [&str; 4] = ["task", "scene", "object", "rig"];

fn of<T: JsonSchema>(title: &str) -> Value {
    let schema: Schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    value["title"] = title.into();
    value
}

/// The schema of a kind of file.
pub fn schema(name: &str) -> Option<Value> {
    Some(match name {
        "task" => with_assets(of::<TaskForm>("A task of longarm")),
        "scene" => with_assets(of::<SceneForm>("A scene that tasks of longarm share")),
        "object" => of::<ObjectFile>("An object for tasks of longarm"),
        "rig" => of::<RigForm>("A rig for tasks of longarm"),
        _ => return None,
    })
}

/// Adds what an asset may be: one schema per kind, and files.
fn with_assets(mut schema: Value) -> Value {
    let mut kinds = Vec::new();
    for k in KINDS.iter().filter(|k| k.name != "custom") {
        let mut generator =
            SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true).into_generator();
        let own = (k.schema)(&mut generator).to_value();
        let mut properties = own.get("properties").cloned().unwrap_or_else(|| json!({}));
        properties["kind"] = json!({ "const": k.name });
        let mut required = vec![json!("kind")];
        required.extend(own.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
        kinds.push(json!({
            "type": "object",
            "description": own.get("description").cloned().unwrap_or(Value::Null),
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }));
    }
    kinds.push(json!({
        "type": "string",
        "description": "a kind without parameters, or a file (.toml, .xml, .stl, .obj)",
    }));
    kinds.push(json!({
        "type": "object",
        "properties": { "file": { "type": "string" } },
        "required": ["file"],
        "additionalProperties": false,
    }));
    schema["$defs"]["Asset"] = json!({ "anyOf": kinds });
    let asset = json!({ "$ref": "#/$defs/Asset" });
    schema["$defs"]["ObjectForm"]["properties"]["asset"] =
        json!({ "anyOf": [asset, { "type": "array", "items": asset }] });
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_file_has_a_schema() {
        for name in NAMES {
            let s = schema(name).unwrap();
            assert_eq!(s["type"], "object", "{name}");
            assert!(s["properties"].as_object().unwrap().len() > 4, "{name}");
        }
        let task = schema("task").unwrap();
        let kinds = task["$defs"]["Asset"]["anyOf"].as_array().unwrap();
        assert!(kinds.iter().any(|k| k["properties"]["kind"]["const"] == "plate"));
        assert!(schema("teapot").is_none());
    }
}
