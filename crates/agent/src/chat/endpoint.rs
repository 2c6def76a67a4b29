//! Endpoints: addresses that an agent may name, keys that only the user's own configuration has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use longarm_types::hint;
use serde::Deserialize;

use super::http::Url;

/// An endpoint of the user's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    url: String,
    /// A file that holds the key for this address and no other.
    key_file: Option<PathBuf>,
    /// The model that is asked where an agent names none.
    model: Option<String>,
}

/// Where a model is asked.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub url: Url,
    key: Option<String>,
    pub model: Option<String>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.key.is_some() { "with a key" } else { "without a key" };
        write!(f, "{:?} {key}", self.url)
    }
}

/// The user's configuration: `LONGARM_ENDPOINTS`, else `longarm/endpoints.toml` in the folder for
/// configurations.
fn configuration() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("LONGARM_ENDPOINTS").or_else(|| {
        let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
        Some(folder.join("longarm/endpoints.toml"))
    })
}

impl Endpoint {
    /// Return the endpoint of an address, which has no key, or of a name in the user's configuration.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        if name.contains("://") {
            return Ok(Self { url: name.parse()?, key: None, model: None });
        }
        Self::configured(name, configuration().as_deref())
    }

    fn configured(name: &str, path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else {
            return Err(format!("no endpoint {name:?}: there is no folder for configurations"));
        };
        let at = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| {
            format!("no endpoint {name:?}: {at}: {e}; write [{name}] with a url there")
        })?;
        let entries: BTreeMap<String, Entry> =
            toml::from_str(&text).map_err(|e| format!("{at}: {e}"))?;
        let Some(entry) = entries.get(name) else {
            let hint = hint(name, entries.keys().map(String::as_str).collect::<Vec<_>>());
            return Err(format!("no endpoint {name:?} in {at}{hint}"));
        };
        let key = match &entry.key_file {
            None => None,
            Some(file) => {
                // Beside the configuration unless it says where.
                let file = path.parent().unwrap_or(Path::new("")).join(file);
                let key = std::fs::read_to_string(&file).map_err(|e| {
                    format!("the key of endpoint {name:?}: {}: {e}", file.display())
                })?;
                Some(key.trim().to_owned()).filter(|k| !k.is_empty())
            }
        };
        let url = entry.url.parse().map_err(|e| format!("{at}: {e}"))?;
        Ok(Self { url, key, model: entry.model.clone() })
    }

    pub(crate) fn authorization(&self) -> Option<String> {
        self.key.as_ref().map(|k| format!("Bearer {k}"))
    }

    /// Take the key out of a text, whoever put it there.
    pub(crate) fn redact(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), "…"),
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_from_the_users_configuration_alone() {
        let dir = std::env::temp_dir().join(format!("longarm-endpoints-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("endpoints.toml");
        std::fs::write(dir.join("key"), "sk-secret\n").unwrap();
        std::fs::write(&file, "[gpu]\nurl = \"http://gpu1:8000/v1\"\nkey-file = \"key\"\n")
            .unwrap();
        let found = Endpoint::configured("gpu", Some(&file)).unwrap();
        assert_eq!(found.authorization().as_deref(), Some("Bearer sk-secret"));
        assert_eq!(found.redact("it was sk-secret!"), "it was …!");
        assert!(!format!("{found:?}").contains("secret"));
        let e = Endpoint::configured("gpus", Some(&file)).unwrap_err();
        assert!(e.contains("did you mean gpu?"), "{e}");
        assert!(Endpoint::named("http://gpu1:8000/v1").unwrap().authorization().is_none());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
