//! Endpoints: addresses that an agent may name, keys that only the user's own configuration has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use longarm_policy::remote::Address;
use longarm_policy::remote::dial::Trust;
use longarm_types::hint;
use serde::Deserialize;

use super::http::url;

/// An endpoint of the user's configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    url: String,
    /// A file that holds the key for this address and no other.
    key_file: Option<PathBuf>,
    /// The model that is asked where an agent names none.
    model: Option<String>,
    /// A PEM file of the certificates to trust for `https://`; the system's without it.
    ca: Option<PathBuf>,
    /// What tokens cost.
    price: Option<Price>,
}

/// What a million tokens costs, in whatever the user pays with.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    /// Of what is asked.
    pub input: f64,
    /// Of what is answered.
    pub output: f64,
}

impl Price {
    /// Return what an answer costs.
    pub(crate) fn of(self, asked: u64, answered: u64) -> f64 {
        (self.input * asked as f64 + self.output * answered as f64) / 1e6
    }

    fn check(self) -> Result<Self, String> {
        let fits = |p: f64| p.is_finite() && p >= 0.0;
        match fits(self.input) && fits(self.output) {
            true => Ok(self),
            false => Err("a price is what a million tokens costs, 0 or more".into()),
        }
    }
}

/// Where a model is asked.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub url: Address,
    key: Option<String>,
    pub model: Option<String>,
    pub price: Option<Price>,
    trust: Option<Arc<Trust>>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.key.is_some() { "with a key" } else { "without a key" };
        write!(f, "{} {key}", self.url)
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

fn trust(url: &Address, ca: Option<&Path>) -> Result<Option<Arc<Trust>>, String> {
    url.tls.then(|| Trust::load(ca).map(Arc::new)).transpose()
}

impl Endpoint {
    /// Return the endpoint of an address, which has no key, or of a name in the user's configuration.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        if name.contains("://") {
            let url = url(name)?;
            let trust = trust(&url, None)?;
            return Ok(Self { url, key: None, model: None, price: None, trust });
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
        let wrong = |e: String| format!("{at}: [{name}] {e}");
        let url = url(&entry.url).map_err(wrong)?;
        let price = entry.price.map(Price::check).transpose().map_err(wrong)?;
        let ca = entry.ca.as_ref().map(|ca| path.parent().unwrap_or(Path::new("")).join(ca));
        let trust = trust(&url, ca.as_deref()).map_err(wrong)?;
        Ok(Self { url, key, model: entry.model.clone(), price, trust })
    }

    /// Whom to trust, where the connection is encrypted.
    pub(crate) fn trust(&self) -> Option<&Trust> {
        self.trust.as_deref()
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
        let priced = |price: &str| {
            let text = format!("[gpu]\nurl = \"http://gpu1/v1\"\nprice = {price}\n");
            std::fs::write(&file, text).unwrap();
            Endpoint::configured("gpu", Some(&file)).map(|e| e.price)
        };
        let price = priced("{ input = 0.5, output = 2.0 }").unwrap().unwrap();
        assert_eq!(price.of(1_000_000, 500_000), 1.5);
        assert!(priced("{ input = -1.0, output = 2.0 }").unwrap_err().contains("0 or more"));
        assert!(Endpoint::named("http://gpu1:8000/v1").unwrap().authorization().is_none());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
