//! The values of a task file: each may be written short, as a string, or in full.

use std::fmt;
use std::marker::PhantomData;

use longarm_assets::{Asset, objects};
use longarm_types::hint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{formula, step};
use crate::object::Given;
use crate::plan::{Plan, PlanNode, Test};
use crate::stage::{Event, When};
use crate::{Predicate, given};

/// What may be written as one line, or in full as a table.
pub trait Short: Sized {
    /// What the table is.
    type Full: DeserializeOwned;
    /// What is expected, for errors and schemas.
    const EXPECTED: &'static str;
    /// Read the line.
    fn short(text: &str) -> Result<Self, String>;
    /// Take the table.
    fn full(full: Self::Full) -> Result<Self, String>;
    /// Read the table. By way of JSON, since a reader of every predicate for each format is a large
    /// part of the program; errors then stand at the table.
    fn table<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let value = serde_json::Value::deserialize(MapAccessDeserializer::new(map))?;
        let full = serde_json::from_value(value).map_err(A::Error::custom)?;
        Self::full(full).map_err(A::Error::custom)
    }
}

/// A value that may be written as one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<T>(pub T);

impl<'de, T: Short> Deserialize<'de> for Line<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Short> Visitor<'de> for Either<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::EXPECTED)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
                T::short(text).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::table(map)
            }
        }
        d.deserialize_any(Either(PhantomData)).map(Self)
    }
}

impl<T: Short> JsonSchema for Line<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Line".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "object"], "description": T::EXPECTED })
    }
}

impl Short for Predicate {
    type Full = Self;
    const EXPECTED: &'static str = "a predicate such as \"on(block, plate)\"";
    fn short(text: &str) -> Result<Self, String> {
        formula::predicate(text)
    }
    fn full(full: Self) -> Result<Self, String> {
        Ok(full)
    }
}

impl Short for When {
    type Full = Self;
    const EXPECTED: &'static str =
        "a predicate such as \"on(block, plate)\", or \"times(on(block, plate)) >= 2\"";
    fn short(text: &str) -> Result<Self, String> {
        formula::when(text)
    }
    fn full(full: Self) -> Result<Self, String> {
        Ok(full)
    }
}

impl Short for Event {
    type Full = Self;
    const EXPECTED: &'static str =
        "an event such as \"not(upright(cup))\" or \"times(on(block, plate)) > 2\"";
    fn short(text: &str) -> Result<Self, String> {
        formula::event(text)
    }
    fn full(full: Self) -> Result<Self, String> {
        Ok(full)
    }
}

impl Short for Given {
    type Full = Self;
    const EXPECTED: &'static str = "a test of a variable such as \"n >= 2\"";
    fn short(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not a test of a variable; write \"n >= 2\" or \"n = 1\"");
        for (sign, make) in [
            (">=", Given::at_least as fn(Self, i64) -> Self),
            ("<=", Given::at_most),
            ("=", Given::is),
        ] {
            if let Some((name, value)) = text.split_once(sign) {
                let value = value.trim_start_matches('=').trim().parse().map_err(|_| bad())?;
                return Ok(make(given(name.trim()), value));
            }
        }
        Err(bad())
    }
    fn full(full: Self) -> Result<Self, String> {
        Ok(full)
    }
}

/// A step that says more than what to do, a repetition, a branch, or steps side by side.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanTable {
    r#do: Option<String>,
    with: Option<String>,
    say: Option<String>,
    only_if: Option<Line<Predicate>>,
    effect: Option<Line<Predicate>>,
    repeat: Option<u32>,
    steps: Option<Vec<Line<Plan>>>,
    r#if: Option<String>,
    then: Option<Vec<Line<Plan>>>,
    r#else: Option<Vec<Line<Plan>>>,
    together: Option<Vec<Line<Plan>>>,
}

impl PlanTable {
    /// Names of the fields that were written.
    fn written(&self) -> Vec<&'static str> {
        let fields = [
            ("do", self.r#do.is_some()),
            ("with", self.with.is_some()),
            ("say", self.say.is_some()),
            ("only_if", self.only_if.is_some()),
            ("effect", self.effect.is_some()),
            ("repeat", self.repeat.is_some()),
            ("steps", self.steps.is_some()),
            ("if", self.r#if.is_some()),
            ("then", self.then.is_some()),
            ("else", self.r#else.is_some()),
            ("together", self.together.is_some()),
        ];
        fields.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
}

/// Most repetitions of a plan's steps.
const MOST_ROUNDS: u32 = 1000;

/// The pieces of a plan, one after the other.
pub fn joined(lines: Vec<Line<Plan>>) -> Plan {
    Plan(lines.into_iter().flat_map(|l| l.0.0).collect())
}

impl Short for Plan {
    type Full = PlanTable;
    const EXPECTED: &'static str = "a step such as \"pick block from start\", \
        { do = \"pick block\", with = \"left\", say = \"…\" }, { repeat = 2, steps = […] }, \
        { if = \"in(block, drawer)\", then = […], else = […] } or { together = […] }";
    fn short(text: &str) -> Result<Self, String> {
        step::step(text).map(Plan::from)
    }
    /// Read at once: a step within a step is then found by its own line.
    fn table<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let table = PlanTable::deserialize(MapAccessDeserializer::new(map))?;
        Self::full(table).map_err(A::Error::custom)
    }
    fn full(t: PlanTable) -> Result<Self, String> {
        let written = t.written();
        let only = |allowed: &[&str]| match written.iter().find(|f| !allowed.contains(f)) {
            Some(other) => Err(format!("{other:?} does not go with {:?} in one step", allowed[0])),
            None => Ok(()),
        };
        if let Some(text) = t.r#do {
            only(&["do", "with", "say", "only_if", "effect"])?;
            let mut step = step::step(&text)?;
            step.said = t.say;
            step.only_if = t.only_if.map(|p| p.0);
            step.effect = t.effect.map(|p| p.0);
            step.limb = t.with.or(step.limb);
            return Ok(step.into());
        }
        if let Some(plans) = t.together {
            only(&["together"])?;
            return Ok(Plan(vec![PlanNode::Together(plans.into_iter().map(|l| l.0).collect())]));
        }
        if let (Some(test), Some(then)) = (&t.r#if, t.then) {
            only(&["if", "then", "else"])?;
            // A comparison is about a variable, all else about the scene.
            let test = match Given::short(test) {
                Ok(given) if !test.contains('(') => Test::Given(given),
                _ => Test::Seen(formula::predicate(test)?),
            };
            let otherwise = joined(t.r#else.unwrap_or_default());
            return Ok(Plan(vec![PlanNode::If { test, then: joined(then), otherwise }]));
        }
        match (t.repeat, t.steps) {
            (Some(times), Some(steps)) => {
                only(&["repeat", "steps"])?;
                if times > MOST_ROUNDS {
                    return Err(format!("repeat = {times}: at most {MOST_ROUNDS} are allowed"));
                }
                Ok(Plan(vec![PlanNode::Repeat { times, steps: joined(steps) }]))
            }
            (None, Some(steps)) => {
                only(&["steps"])?;
                Ok(joined(steps))
            }
            _ => Err("a step has `do` (with `with`, `say`, `only_if`, `effect`), `repeat` with \
                      `steps`, `if` with `then` and `else`, or `together` with steps"
                .into()),
        }
    }
}

/// An asset of our own, or a file with one of the user's.
#[derive(Clone, Debug, PartialEq)]
pub enum AssetRef {
    /// One of ours.
    Own(Asset),
    /// A path, from the folder of the task file.
    File(String),
}

/// A file, or an asset by its kind and parameters.
#[derive(Deserialize)]
#[serde(untagged, expecting = "{ file = \"mug.toml\" } or { kind = \"plate\", radius = 0.09 }")]
pub enum AssetTable {
    /// A file.
    File(FileRef),
    /// One of ours.
    Own(serde_json::Map<String, serde_json::Value>),
}

/// A file with an asset.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRef {
    file: String,
}

impl Short for AssetRef {
    type Full = AssetTable;
    const EXPECTED: &'static str = "a kind such as \"can\", { kind = \"plate\", radius = 0.09 }, or a file such as \"mug.toml\"";
    fn short(text: &str) -> Result<Self, String> {
        if text.contains(['/', '.', '\\']) {
            return Ok(Self::File(text.to_owned()));
        }
        own([("kind".to_owned(), text.into())].into_iter().collect()).map(Self::Own)
    }
    fn full(full: AssetTable) -> Result<Self, String> {
        match full {
            AssetTable::File(f) => Ok(Self::File(f.file)),
            AssetTable::Own(map) => own(map).map(Self::Own),
        }
    }
}

fn own(map: serde_json::Map<String, serde_json::Value>) -> Result<Asset, String> {
    let Some(kind) = map.get("kind").and_then(serde_json::Value::as_str).map(str::to_owned) else {
        return Err("an asset needs a kind: { kind = \"plate\", radius = 0.09 }".into());
    };
    if objects::kind(&kind).is_none() {
        let known: Vec<&str> = objects::KINDS.iter().map(|k| k.name).collect();
        let hint = hint(&kind, known);
        return Err(format!("no kind of object {kind:?}{hint} (a file is \"{kind}.toml\")"));
    }
    if let Some((key, value)) =
        map.iter().find(|(key, v)| MEASURES.contains(&key.as_str()) && !sound(v))
    {
        return Err(format!("{kind}: {key} is {value}; it must be above 0"));
    }
    serde_json::from_value(map.into()).map_err(|e| format!("{kind}: {e}"))
}

/// Parameters of assets that measure something.
const MEASURES: [&str; 8] =
    ["size", "radius", "height", "length", "width", "depth", "thickness", "mass"];

/// Whether all numbers of a parameter are above 0.
fn sound(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Array(all) => all.iter().all(sound),
        v => v.as_f64().is_none_or(|x| x > 0.0),
    }
}

/// One value or several.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Short> Deserialize<'de> for OneOrMany<Line<T>> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Short> Visitor<'de> for Either<T> {
            type Value = Vec<Line<T>>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}, or a list of them", T::EXPECTED)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Vec<Line<T>>, E> {
                Ok(vec![Line(T::short(text).map_err(E::custom)?)])
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<Line<T>>, A::Error> {
                Ok(vec![Line(T::table(map)?)])
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Line<T>>, A::Error> {
                let mut out = Vec::new();
                while let Some(one) = seq.next_element()? {
                    out.push(one);
                }
                Ok(out)
            }
        }
        d.deserialize_any(Either(PhantomData)).map(Self)
    }
}

impl<T: Short> JsonSchema for OneOrMany<Line<T>> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OneOrMany".into()
    }
    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let one = Line::<T>::json_schema(g);
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}
