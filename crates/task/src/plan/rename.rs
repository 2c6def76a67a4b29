//! Names in steps: the same step with other names, and what it mentions.

use serde_json::Value;

use super::{Op, Spot, Step, Target};
use crate::Meanings;
use crate::template::{plain, render};

impl Target {
    /// Return the same place with each name replaced.
    pub(crate) fn renamed(&self, name: &dyn Fn(&str) -> String) -> Self {
        match self {
            Self::On(n) => Self::On(name(n)),
            Self::In(n) => Self::In(name(n)),
            Self::At(n) => Self::At(name(n)),
            Self::Over(n) => Self::Over(name(n)),
            Self::Start { of, within } => {
                Self::Start { of: of.as_deref().map(name), within: *within }
            }
        }
    }
}

impl Op {
    /// Return the same operator with each name of an object, part or region replaced.
    pub fn renamed(&self, name: &dyn Fn(&str) -> String) -> Self {
        let mut op = match self.subject() {
            Some(subject) => self.with_subject(&name(subject)),
            None => self.clone(),
        };
        match &mut op {
            Self::Pick { from: Some(other), .. }
            | Self::PickBoth { other, .. }
            | Self::Insert { into: other, .. }
            | Self::Stand { against: other, .. }
            | Self::Wipe { surface: other, .. }
            | Self::Push { to: other, .. }
            | Self::Throw { into: other, .. }
            | Self::Pull { part: other, .. }
            | Self::Pour { into: other, .. }
            | Self::Thread { opening: other, .. }
            | Self::Hang { on: other, .. } => *other = name(other),
            Self::Measure { into, matter, .. } => (*into, *matter) = (name(into), name(matter)),
            Self::Scoop { matter, from, .. } => (*matter, *from) = (name(matter), name(from)),
            Self::Put { place, .. } => *place = place.renamed(name),
            Self::PickPlace { to, .. } => {
                if let Some(of) = &mut to.of {
                    *of = name(of);
                }
            }
            Self::Lay { to: Spot::Region { name: other, .. }, .. } => *other = name(other),
            Self::Lay { .. }
            | Self::Pick { from: None, .. }
            | Self::Grasp { .. }
            | Self::Flip { .. }
            | Self::Straighten { .. }
            | Self::Open { .. }
            | Self::Close { .. }
            | Self::TurnOn { .. }
            | Self::TurnOff { .. }
            | Self::Pass { .. }
            | Self::Turn { .. }
            | Self::Withdraw => {}
        }
        op
    }
}

impl Step {
    /// Return the step with aliases replaced by what they stand for. Its predicates keep them: they are
    /// resolved where they are bound.
    pub(super) fn read(&self, meanings: &Meanings) -> Self {
        let said = |template: &String| {
            render(template, &|name, property| match property {
                None => meanings.called(name).map(str::to_owned),
                Some(_) => None,
            })
        };
        Self {
            op: self.op.renamed(&|name| meanings.path(name).into_owned()),
            said: self.said.as_ref().map(said),
            ..self.clone()
        }
    }

    /// Return what one would call it in every scene.
    pub(crate) fn name(&self) -> String {
        self.said.as_ref().map_or_else(|| self.sentence(), |s| plain(s))
    }

    /// Return every name it is written with, without what follows a slash.
    pub(super) fn mentions(&self) -> Vec<String> {
        fn walk(value: &Value, out: &mut Vec<String>) {
            match value {
                Value::String(s) => out.push(s.split('/').next().unwrap_or_default().to_owned()),
                Value::Array(of) => of.iter().for_each(|v| walk(v, out)),
                Value::Object(of) => of.values().for_each(|v| walk(v, out)),
                _ => {}
            }
        }
        let mut out = Vec::new();
        // A step is plain data: strings, numbers, lists.
        walk(&serde_json::to_value(self).unwrap_or_default(), &mut out);
        out
    }
}
