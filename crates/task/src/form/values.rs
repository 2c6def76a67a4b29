//! Places, numbers, colours and states as task files have them.

use std::collections::BTreeMap;

use longarm_assets::Colour;
use longarm_types::hint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::{any_colour, any_of};

/// A point or rectangle of the table, in metres of the world.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a point [x, y] or a rectangle [[x0, y0], [x1, y1]], in metres")]
pub enum Area {
    /// A point.
    Point([f64; 2]),
    /// Two opposite corners.
    Rect([[f64; 2]; 2]),
}

impl Area {
    /// The rectangle it is.
    pub fn rect(self) -> crate::place::Rect {
        match self {
            Self::Point(at) => crate::place::point(at),
            Self::Rect([from, to]) => crate::place::rect(from, to),
        }
    }
}

/// Where on the table or in another object, or a point or rectangle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a region (\"start\", \"cabinet/top_region\"), a point [x, y] or a rectangle [[x0, y0], [x1, y1]]"
)]
pub enum AtForm {
    /// A region of the task or of an object.
    Region(String),
    /// A place of its own.
    Area(Area),
}

/// One number or a range.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number or a range [from, to]")]
pub enum Range {
    /// Always this.
    One(f64),
    /// Drawn from these.
    Between([f64; 2]),
}

impl Range {
    /// Its ends.
    pub fn ends(self) -> [f64; 2] {
        match self {
            Self::One(v) => [v, v],
            Self::Between(ends) => ends,
        }
    }
}

/// The values of a variable.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a list of whole numbers [1, 2, 3] or { from = 1, to = 3 }")]
pub enum Values {
    /// These.
    Listed(Vec<i64>),
    /// All from one to the other.
    Span(Span),
}

/// All whole numbers from one to another.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// First.
    pub from: i64,
    /// Last.
    pub to: i64,
}

/// Most values of a variable.
const MOST_VALUES: usize = 10_000;

impl Values {
    /// The values.
    pub fn list(&self) -> Result<Vec<i64>, String> {
        match self {
            Self::Listed(v) => Ok(v.clone()),
            Self::Span(Span { from, to })
                if to.checked_sub(*from).is_some_and(|n| (0..MOST_VALUES as i64).contains(&n)) =>
            {
                Ok((*from..=*to).collect())
            }
            Self::Span(Span { from, to }) => {
                Err(format!("from {from} to {to} is not between 1 and {MOST_VALUES} values"))
            }
        }
    }
}

/// A colour, several to choose from, or `any`.
#[derive(Clone, Debug)]
pub struct Colours(pub Vec<Colour>);

impl<'de> Deserialize<'de> for Colours {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "\"any\", a colour, or a list of colours")]
        enum Form {
            One(String),
            Many(Vec<String>),
        }
        let names = match Form::deserialize(d)? {
            Form::One(any) if any == "any" => {
                let crate::Paint::OneOf { colours, .. } = any_colour() else {
                    return Ok(Self(vec![]));
                };
                return Ok(Self(colours));
            }
            Form::One(name) => vec![name],
            Form::Many(names) => names,
        };
        let known: Vec<&str> = Colour::ALL.iter().map(|c| c.name()).collect();
        let find = |name: String| {
            let found = Colour::ALL.iter().copied().find(|c| c.name() == name);
            found.ok_or_else(|| format!("no colour {name:?}{}", hint(&name, known.clone())))
        };
        let colours: Result<Vec<_>, String> = names.into_iter().map(find).collect();
        colours.map(Self).map_err(D::Error::custom)
    }
}

impl Colours {
    /// As a way to paint.
    pub fn paint(&self) -> crate::Paint {
        any_of(self.0.iter().copied())
    }
}

impl JsonSchema for Colours {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Colours".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut names: Vec<&str> = vec!["any"];
        names.extend(Colour::ALL.iter().map(|c| c.name()));
        let one = serde_json::json!({ "type": "string", "enum": names });
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// How a part starts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"open\", \"closed\" or a range of joint values [from, to]")]
pub enum PartForm {
    /// `open` or `closed`.
    State(PartWord),
    /// A joint value from this range.
    Between([f64; 2]),
}

/// A state of a part.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartWord {
    /// Open, or on.
    Open,
    /// Closed, or off.
    Closed,
}

/// Names by name.
pub type Groups = BTreeMap<String, Vec<String>>;
