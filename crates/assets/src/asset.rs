//! An object or fixture as a value: which model, with which parameters.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::objects::AnyModel;
use crate::outside::Custom;
use crate::{AssetInfo, Colour, Mjcf};

/// A kind of object or fixture. A value holds the parameters of one.
pub trait Model {
    /// The everyday word for it.
    fn noun(&self) -> &str;

    /// What it can do.
    fn info(&self) -> AssetInfo;

    /// Write the body `name` at the present place, with a free joint unless it is a fixture.
    fn build(&self, name: &str, out: &mut Mjcf);
}

/// An object or fixture by its parameters, cheap to clone. As JSON it is its kind and its
/// parameters: `{"kind": "block", "size": [0.04, 0.04, 0.04]}`.
#[derive(Clone)]
pub struct Asset(Arc<Made>);

struct Made {
    model: AnyModel,
    info: OnceLock<AssetInfo>,
}

impl<M: Model + Into<AnyModel>> From<M> for Asset {
    fn from(model: M) -> Self {
        Self::new(model.into())
    }
}

impl Asset {
    fn new(model: AnyModel) -> Self {
        Self(Arc::new(Made { model, info: OnceLock::new() }))
    }

    /// Name of its kind, as in its JSON.
    pub fn kind(&self) -> &'static str {
        self.0.model.kind()
    }

    /// What it can do; computed once.
    pub fn info(&self) -> &AssetInfo {
        self.0.info.get_or_init(|| self.0.model.model().info())
    }

    /// The object of the user's own, if it is one.
    pub fn custom(&self) -> Option<&Custom> {
        match &self.0.model {
            AnyModel::Custom(c) => Some(c),
            _ => None,
        }
    }

    /// Write the body `name` at the present place, with a free joint unless it is a fixture.
    pub fn build(&self, name: &str, out: &mut Mjcf) {
        self.0.model.model().build(name, out);
    }

    /// The everyday word for it.
    pub fn noun(&self) -> &str {
        self.0.model.model().noun()
    }

    /// Number of tracked bodies it has: itself, then one per part in the order of [`AssetInfo::parts`].
    pub fn bodies(&self) -> usize {
        1 + self.info().parts.len()
    }
}

impl fmt::Debug for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.model.fmt(f)
    }
}

impl PartialEq for Asset {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.model == other.0.model
    }
}

impl Serialize for Asset {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.model.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Asset {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        AnyModel::deserialize(d).map(Self::new)
    }
}

/// One asset or a choice of several.
#[derive(Clone, Debug)]
pub struct Assets(pub Vec<Asset>);

impl<M: Model + Into<AnyModel>> From<M> for Assets {
    fn from(model: M) -> Self {
        Self(vec![Asset::from(model)])
    }
}

impl<A: Into<Asset>, B: Into<Asset>> From<(A, B)> for Assets {
    fn from((a, b): (A, B)) -> Self {
        Self(vec![a.into(), b.into()])
    }
}

impl<A: Into<Asset>, B: Into<Asset>, C: Into<Asset>> From<(A, B, C)> for Assets {
    fn from((a, b, c): (A, B, C)) -> Self {
        Self(vec![a.into(), b.into(), c.into()])
    }
}

impl From<Asset> for Assets {
    fn from(a: Asset) -> Self {
        Self(vec![a])
    }
}

impl<const N: usize> From<[Asset; N]> for Assets {
    fn from(a: [Asset; N]) -> Self {
        Self(a.into())
    }
}

impl From<Vec<Asset>> for Assets {
    fn from(a: Vec<Asset>) -> Self {
        Self(a)
    }
}

/// The colours of an instance: what `{object}/tint…` geoms are painted with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tint {
    /// As the builder made it.
    Own,
    /// A named colour.
    Named(Colour),
}
