//! Objects of the user's own as tasks carry them.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::Custom;
use super::folder::Carried;
use crate::objects::Samples;

/// As it is written into a task: text as it is, bytes as base64.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Packed {
    main: String,
    files: BTreeMap<String, Blob>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Blob {
    Text(String),
    Base64(String),
}

impl From<Custom> for Packed {
    fn from(c: Custom) -> Self {
        let pack = |bytes: Vec<u8>| match String::from_utf8(bytes) {
            Ok(text) => Blob::Text(text),
            Err(e) => Blob::Base64(data_encoding::BASE64.encode(e.as_bytes())),
        };
        let files = c.files.into_iter().map(|(name, bytes)| (name, pack(bytes))).collect();
        Self { main: c.main, files }
    }
}

impl TryFrom<Packed> for Custom {
    type Error = String;
    fn try_from(p: Packed) -> Result<Self, String> {
        let mut files = BTreeMap::new();
        for (name, blob) in p.files {
            let bytes = match blob {
                Blob::Text(text) => text.into_bytes(),
                Blob::Base64(text) => data_encoding::BASE64
                    .decode(text.as_bytes())
                    .map_err(|e| format!("{name} is not base64: {e}"))?,
            };
            files.insert(name, bytes);
        }
        let read = Self::read(&Carried(&files), &p.main);
        read.and_then(|r| r.carrying(files)).map_err(|e| e.to_string())
    }
}

impl Samples for Custom {
    fn samples() -> Vec<Self> {
        let text = "noun = \"holder\"\nmodel = \"holder.xml\"\nmass = 0.1\ntint = [\"body\"]\n";
        let model = "<mujoco><worldbody><body><geom name=\"body\" type=\"box\" \
                     size=\"0.02 0.02 0.03\" pos=\"0 0 0.03\"/></body></worldbody></mujoco>";
        let files = [("holder.toml", text), ("holder.xml", model)];
        let files = files.map(|(name, text)| (name.to_owned(), Blob::Text(text.to_owned())));
        let packed = Packed { main: "holder.toml".into(), files: files.into() };
        Self::try_from(packed).into_iter().collect()
    }
}

impl JsonSchema for Custom {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Custom".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "An object of the user's own, with the files it was made from.",
            "properties": { "main": { "type": "string" }, "files": { "type": "object" } },
            "required": ["main", "files"],
        })
    }
}
