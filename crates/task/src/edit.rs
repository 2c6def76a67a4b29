//! Changes of a task as values: a modified task is its base and a list of these, never a copy.

use longarm_types::hint;
use serde::{Deserialize, Serialize};

use crate::place::{PartStart, Place, Placement};
use crate::{ObjectSpec, RegionSpec, SpecError, TaskSpec};

/// One change of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// A new region.
    AddRegion(RegionSpec),
    /// A new object, placed after all others so that it moves none of them.
    AddObject {
        /// The object.
        object: ObjectSpec,
        /// Where it starts.
        place: Place,
    },
    /// An object less.
    RemoveObject(String),
    /// An object starts elsewhere.
    MoveTo {
        /// The object.
        object: String,
        /// Where it starts now.
        place: Place,
    },
    /// A drawer, door or knob starts otherwise.
    SetPart {
        /// The part's path.
        part: String,
        /// How it starts now.
        start: PartStart,
    },
    /// A region lies elsewhere.
    SetRegion(RegionSpec),
    /// The policy is told something else.
    Instruct(String),
}

impl TaskSpec {
    /// The task with these changes, validated.
    pub fn edited(&self, edits: &[Edit]) -> Result<Self, SpecError> {
        let mut out = self.clone();
        for edit in edits {
            out.apply(edit)?;
        }
        out.validate()?;
        Ok(out)
    }

    /// The edits that make this scene the other's. What is asked is left alone, and a part whose
    /// start the other does not mention keeps the one it has.
    pub fn edits_to(&self, other: &Self) -> Vec<Edit> {
        let mut out = Vec::new();
        for r in &other.regions {
            match self.regions.iter().find(|q| q.name == r.name) {
                None => out.push(Edit::AddRegion(r.clone())),
                Some(q) if q != r => out.push(Edit::SetRegion(r.clone())),
                Some(_) => {}
            }
        }
        for o in self.objects.iter().filter(|o| other.object(&o.name).is_none()) {
            out.push(Edit::RemoveObject(o.name.clone()));
        }
        for p in &other.init.places {
            let (object, place) = (p.object.clone(), p.place.clone());
            match self.init.places.iter().find(|q| q.object == p.object) {
                Some(q) if q.place != p.place => out.push(Edit::MoveTo { object, place }),
                Some(_) => {}
                None => out.extend(
                    other.object(&object).map(|o| Edit::AddObject { object: o.clone(), place }),
                ),
            }
        }
        for (part, start) in &other.init.parts {
            if !self.init.parts.contains(&(part.clone(), *start)) {
                out.push(Edit::SetPart { part: part.clone(), start: *start });
            }
        }
        out
    }

    fn apply(&mut self, edit: &Edit) -> Result<(), SpecError> {
        match edit {
            Edit::AddRegion(r) => self.regions.push(r.clone()),
            Edit::SetRegion(r) => {
                let known = self.regions.iter().map(|q| q.name.clone()).collect::<Vec<_>>();
                let Some(old) = self.regions.iter_mut().find(|q| q.name == r.name) else {
                    return Err(SpecError::Unknown {
                        task: self.id.to_string(),
                        kind: "region",
                        name: r.name.clone(),
                        hint: hint(&r.name, known.iter().map(String::as_str)),
                    });
                };
                *old = r.clone();
            }
            Edit::AddObject { object, place } => {
                self.objects.push(object.clone());
                self.init.places.push(Placement {
                    object: object.name.clone(),
                    place: place.clone(),
                    yaw: None,
                });
            }
            Edit::RemoveObject(name) => {
                self.known(name)?;
                self.objects.retain(|o| o.name != *name);
                self.init.places.retain(|p| p.object != *name);
                let of_it = |path: &str| path.split('/').next() == Some(name);
                self.init.parts.retain(|(path, _)| !of_it(path));
                self.init.belts.retain(|(belt, _)| belt != name);
            }
            Edit::MoveTo { object, place } => {
                self.known(object)?;
                for p in self.init.places.iter_mut().filter(|p| p.object == *object) {
                    p.place = place.clone();
                }
            }
            Edit::SetPart { part, start } => {
                self.init.parts.retain(|(p, _)| p != part);
                self.init.parts.push((part.clone(), *start));
            }
            Edit::Instruct(text) => self.instruction.clone_from(text),
        }
        Ok(())
    }

    fn known(&self, name: &str) -> Result<(), SpecError> {
        if self.object(name).is_some() {
            return Ok(());
        }
        Err(SpecError::Unknown {
            task: self.id.to_string(),
            kind: "object",
            name: name.to_owned(),
            hint: hint(name, self.objects.iter().map(|o| o.name.as_str())),
        })
    }
}
