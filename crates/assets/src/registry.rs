//! Values found by name: ours, and those that a program adds.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// A name that stands for something else already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is another {kind} named {name:?}; choose a different name")]
pub struct NameTaken {
    /// What kind of value it is the name of.
    pub kind: &'static str,
    /// The name.
    pub name: String,
}

/// Values by name. A name stands for one value for as long as the program runs.
pub(crate) struct Registry<T> {
    kind: &'static str,
    values: RwLock<BTreeMap<&'static str, Arc<T>>>,
}

impl<T> Registry<T> {
    pub(crate) fn new(
        kind: &'static str,
        ours: impl IntoIterator<Item = (&'static str, T)>,
    ) -> Self {
        let values = ours.into_iter().map(|(name, value)| (name, Arc::new(value))).collect();
        Self { kind, values: RwLock::new(values) }
    }

    /// Return the value of a name, with the name as long-lived as the program.
    pub(crate) fn find(&self, name: &str) -> Option<(&'static str, Arc<T>)> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        values.get_key_value(name).map(|(name, value)| (*name, value.clone()))
    }

    /// Return all names, sorted.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.values.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    /// Add a value made for its name. Where the name is known, `same` says whether it is known for
    /// the same value, which is then kept.
    pub(crate) fn add(
        &self,
        name: &str,
        same: impl FnOnce(&'static str, &T) -> bool,
        make: impl FnOnce(&'static str) -> T,
    ) -> Result<&'static str, NameTaken> {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        match values.get_key_value(name) {
            Some((known, value)) if same(known, value) => Ok(*known),
            Some(_) => Err(NameTaken { kind: self.kind, name: name.to_owned() }),
            None => {
                let name: &'static str = String::leak(name.to_owned());
                values.insert(name, Arc::new(make(name)));
                Ok(name)
            }
        }
    }
}

/// Read a name that must be known.
pub(crate) fn parse<'de, D: serde::Deserializer<'de>, N>(
    deserializer: D,
    kind: &str,
    find: impl Fn(&str) -> Option<N>,
    known: impl Fn() -> Vec<&'static str>,
) -> Result<N, D::Error> {
    let name = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
    find(&name).ok_or_else(|| {
        let known = known();
        let near = longarm_types::nearest(&name, known.iter().copied());
        let remedy = if near.is_empty() {
            format!("there are: {}", known.join(", "))
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        serde::de::Error::custom(format!("there is no {kind} {name:?}; {remedy}"))
    })
}
