//! A validator for `results.json`.

use serde_json::Value;

/// As much of JSON Schema as ours uses; a keyword it does not know fails the test.
pub fn validate(root: &Value, schema: &Value, value: &Value, at: &str) {
    let Some(schema) = schema.as_object() else { return };
    for (key, rule) in schema {
        match key.as_str() {
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                validate(root, &root["$defs"][name], value, at);
            }
            "type" => {
                let kinds = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                let is = |k: &Value| match k.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "number" => value.is_number(),
                    "integer" => value.is_u64() || value.is_i64(),
                    other => panic!("unknown type {other}"),
                };
                assert!(kinds.iter().any(is), "{at}: {value} is not {rule}");
            }
            "required" => {
                for name in rule.as_array().unwrap() {
                    assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: no {name}");
                }
            }
            "properties" => {
                for (name, inner) in rule.as_object().unwrap() {
                    if let Some(v) = value.get(name) {
                        validate(root, inner, v, &format!("{at}.{name}"));
                    }
                }
            }
            "items" => {
                for (i, v) in value.as_array().unwrap().iter().enumerate() {
                    validate(root, rule, v, &format!("{at}[{i}]"));
                }
            }
            "minimum" => assert!(value.as_f64() >= rule.as_f64(), "{at}: {value} < {rule}"),
            "anyOf" => {
                // Only ever "this or null".
                if !value.is_null() {
                    validate(root, &rule[0], value, at);
                }
            }
            "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default" => {}
            other => panic!("unknown keyword {other}"),
        }
    }
}
