//! Names that stand for one of several objects, parts or regions, as the seed decides.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::TaskSpec;

/// A name for one of several objects, parts or regions: the k-th where the variable has its k-th value.
///
/// Plans, stages and forbidden events are written once, with the alias. Who knows the scene reads the
/// one that is meant; who sees only the present moment may take it for any of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// The variable.
    pub variable: String,
    /// As many as the variable has values.
    pub of: Vec<Alternative>,
}

/// One of the objects, parts or regions an alias may stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// Its name.
    pub path: String,
    /// What sentences call it.
    pub called: String,
}

/// What the aliases of a task stand for under values of its variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meanings(BTreeMap<String, Alternative>);

impl Meanings {
    /// Read the aliases of a task under these values.
    pub fn new(spec: &TaskSpec, variables: &BTreeMap<String, i64>) -> Self {
        Self::of(&spec.aliases, |alias| {
            let values = spec.variables.get(&alias.variable)?;
            values.iter().position(|v| Some(v) == variables.get(&alias.variable))
        })
    }

    /// Read each alias as the alternative with the index that `choose` gives, or as its last.
    pub(crate) fn of(
        aliases: &BTreeMap<String, Alias>,
        choose: impl Fn(&Alias) -> Option<usize>,
    ) -> Self {
        let meant = |alias: &Alias| {
            let k = choose(alias).unwrap_or(0);
            alias.of.get(k).or(alias.of.last()).cloned()
        };
        Self(aliases.iter().filter_map(|(name, a)| Some((name.clone(), meant(a)?))).collect())
    }

    /// Return the object, part or region that a name means; `alias/part` is a part of what it means.
    pub fn path<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(name);
        }
        let (head, rest) = name.split_once('/').map_or((name, None), |(h, r)| (h, Some(r)));
        match (self.0.get(head), rest) {
            (None, _) => Cow::Borrowed(name),
            (Some(a), None) => Cow::Owned(a.path.clone()),
            (Some(a), Some(rest)) => Cow::Owned(format!("{}/{rest}", a.path)),
        }
    }

    /// Return what sentences call an alias.
    pub fn called(&self, name: &str) -> Option<&str> {
        let head = name.split_once('/').map_or(name, |(h, _)| h);
        self.0.get(head).map(|a| a.called.as_str())
    }
}

impl TaskSpec {
    /// Give one of several objects, parts or regions a name, as a variable says: pairs of a path and what
    /// sentences call it.
    pub fn alias<P: Into<String>, C: Into<String>>(
        mut self,
        name: impl Into<String>,
        variable: impl Into<String>,
        of: impl IntoIterator<Item = (P, C)>,
    ) -> Self {
        let one = |(path, called): (P, C)| Alternative { path: path.into(), called: called.into() };
        let alias = Alias { variable: variable.into(), of: of.into_iter().map(one).collect() };
        self.aliases.insert(name.into(), alias);
        self
    }

    /// What its aliases stand for in a scene with these variables.
    pub fn meanings(&self, variables: &BTreeMap<String, i64>) -> Meanings {
        Meanings::new(self, variables)
    }
}
