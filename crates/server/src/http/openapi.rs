//! The API described by OpenAPI 3.1, from the table of endpoints and the types they speak.

use axum::response::Json;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::accounts::{
    AccountChange, Accounts, Audit, Done, NewAccount, NewToken, OwnAccount, Setup, TokenLabel,
};
use super::submissions::{Asked, BoardList, Created, Leaderboard, Submissions};
use super::upload::Upload;
use super::{Access, ENDPOINTS, Endpoint};
use crate::model::{Account, Submission};
use crate::work::{Findings, WorkList, WorkerInfo};

pub(super) async fn show() -> Json<Value> {
    Json(description())
}

/// Return the whole description.
pub(crate) fn description() -> Value {
    let mut schemas = Schemas::default();
    schemas.add::<Setup>("Setup");
    schemas.add::<NewAccount>("NewAccount");
    schemas.add::<AccountChange>("AccountChange");
    schemas.add::<TokenLabel>("TokenLabel");
    schemas.add::<NewToken>("NewToken");
    schemas.add::<OwnAccount>("OwnAccount");
    schemas.add::<Accounts>("Accounts");
    schemas.add::<Account>("Account");
    schemas.add::<Audit>("Audit");
    schemas.add::<Done>("Done");
    schemas.add::<Asked>("NewSubmission");
    schemas.add::<Created>("Created");
    schemas.add::<Submission>("Submission");
    schemas.add::<Submissions>("Submissions");
    schemas.add::<Leaderboard>("Leaderboard");
    schemas.add::<BoardList>("Boards");
    schemas.add::<Upload>("Upload");
    schemas.add::<WorkerInfo>("WorkerInfo");
    schemas.add::<WorkList>("WorkList");
    schemas.add::<Findings>("Findings");
    let text = json!({ "type": "string" });
    let object = |fields: &[&str]| {
        let fields: Map<_, _> = fields.iter().map(|f| ((*f).to_owned(), text.clone())).collect();
        let required: Vec<_> = fields.keys().cloned().collect();
        json!({ "type": "object", "properties": fields, "required": required })
    };
    for (name, schema) in [
        ("Health", object(&["status"])),
        ("Key", object(&["algorithm", "key"])),
        ("Receipt", object(&["statement", "signature", "key"])),
        ("Error", object(&["error"])),
        ("Any", json!({ "type": "object" })),
    ] {
        schemas.put(name, schema);
    }
    let mut paths: Map<String, Value> = Map::new();
    for e in ENDPOINTS.iter().filter(|e| !e.summary.is_empty()) {
        let path = paths.entry(e.path).or_insert_with(|| json!({}));
        path[e.method] = operation(e);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "longarm leaderboard",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Submissions, their state, and published rows.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas.finish(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn content(kind: &str, schema: &str) -> Value {
    json!({ kind: { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
}

fn operation(e: &Endpoint) -> Value {
    let mut parameters = Vec::new();
    if e.path.contains("{id}") {
        parameters.push(
            json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }),
        );
    }
    if e.path == "/api/leaderboard" {
        for (name, schema) in [
            ("board", json!({ "type": "string" })),
            ("trust", json!({ "enum": ["self-reported", "replayed", "hosted", "audited"] })),
            ("open", json!({ "type": "boolean" })),
        ] {
            parameters.push(json!({ "name": name, "in": "query", "schema": schema }));
        }
    }
    if e.schemas[0] == "Bytes" {
        let schema = json!({ "type": "integer", "minimum": 0 });
        parameters.push(
            json!({ "name": "Upload-Offset", "in": "header", "required": true, "schema": schema }),
        );
    }
    let good = if (e.method, e.path) == ("post", "/api/submissions") { "201" } else { "200" };
    let back = match e.schemas[1] {
        "" => json!({ "text/plain": { "schema": { "type": "string" } } }),
        name => content("application/json", name),
    };
    let mut responses = json!({
        good: { "description": "Done.", "content": back },
        "default": { "description": "Refused; why is said.", "content": content("application/json", "Error") },
    });
    // Named, so that a tool that tries this description knows what a refusal looks like.
    for status in ["400", "401", "403", "404", "409", "413", "429"] {
        responses[status] = responses["default"].clone();
    }
    let mut out = json!({ "summary": e.summary, "parameters": parameters, "responses": responses });
    match e.schemas[0] {
        "" => {}
        "Bytes" => {
            let bytes = json!({ "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } });
            out["requestBody"] = json!({ "required": true, "content": bytes });
        }
        name => {
            out["requestBody"] =
                json!({ "required": true, "content": content("application/json", name) });
        }
    }
    if e.access != Access::Public {
        out["security"] = json!([{ "token": [] }]);
    }
    out
}

/// Schemas of types, and of the types in them.
struct Schemas {
    generator: SchemaGenerator,
    named: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|s| {
            s.definitions_path = "/components/schemas".into();
            s.meta_schema = None;
        });
        Self { generator: settings.into_generator(), named: Map::new() }
    }
}

impl Schemas {
    fn add<T: JsonSchema>(&mut self, name: &str) {
        let schema = T::json_schema(&mut self.generator);
        self.put(name, schema.into());
    }

    fn put(&mut self, name: &str, schema: Value) {
        self.named.insert(name.to_owned(), schema);
    }

    fn finish(mut self) -> Map<String, Value> {
        let mut out = self.generator.take_definitions(true);
        out.append(&mut self.named);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let all = description();
        let schemas = &all["components"]["schemas"];
        let text = all.to_string();
        let mut seen = 0;
        for part in text.split("\"$ref\":\"").skip(1) {
            let name = part.split('"').next().unwrap();
            let name =
                name.strip_prefix("#/components/schemas/").unwrap_or_else(|| panic!("{name}"));
            assert!(!schemas[name].is_null(), "{name} is described nowhere");
            seen += 1;
        }
        assert!(seen > 30, "{seen}");
    }
}
