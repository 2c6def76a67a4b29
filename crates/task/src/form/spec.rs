//! From what a file says to a task.

use std::collections::BTreeMap;

use longarm_assets::RigName;
use longarm_types::{ToolScale, hint};

use super::{
    Area, AssetRef, AtForm, Files, ObjectForm, OrderForm, PartForm, PartWord, Range, RegionForm,
    RigForm, SceneForm, StageForm, StagesForm, TaskForm, fields, goal, parse_as,
};
use crate::place::{PartStart, Place, Placement, REGION_TOLERANCE};
use crate::stage::{Forbid, Order, Revokes, Stage, Stages, Window};
use crate::{ObjectSpec, Paint, Predicate, RegionSpec, Source, TaskSpec};

/// What is wrong, and the name that shows where.
type Wrong = (String, String);

impl TaskForm {
    /// Take over what a scene file has.
    pub(super) fn share(&mut self, scene: SceneForm) -> Result<(), Wrong> {
        fn merge<V>(own: &mut BTreeMap<String, V>, more: BTreeMap<String, V>) -> Result<(), Wrong> {
            for (name, v) in more {
                if own.contains_key(&name) {
                    let say =
                        format!("the scene file has {name:?} already; give this one another name");
                    return Err((name, say));
                }
                own.insert(name, v);
            }
            Ok(())
        }
        self.rig = self.rig.take().or(scene.rig);
        self.clearance = self.clearance.or(scene.clearance);
        merge(&mut self.variables, scene.variables)?;
        merge(&mut self.regions, scene.regions)?;
        merge(&mut self.objects, scene.objects)?;
        merge(&mut self.groups, scene.groups)
    }

    /// The task it describes.
    pub(super) fn spec(
        self,
        id: &str,
        base: Option<TaskSpec>,
        files: &dyn Files,
    ) -> Result<TaskSpec, Wrong> {
        let id = self.id.as_deref().unwrap_or(id);
        let rig = match (&base, &self.rig) {
            (Some(base), None) => base.rig,
            (_, name) => rig_named(name.as_deref(), files)?,
        };
        let mut spec =
            TaskSpec::new_checked(id, rig).map_err(|e| (id.to_owned(), e.to_string()))?;
        if let Some(base) = base {
            spec = TaskSpec { id: spec.id, rig, ..base };
        }
        spec.instruction = self.instruction;
        spec.stepwise = self.stepwise;
        if let Some(scale) = self.tool_scale {
            let usual = ToolScale::DEFAULT;
            spec.tool_scale = ToolScale {
                metres: scale.metres.unwrap_or(usual.metres),
                radians: scale.radians.unwrap_or(usual.radians),
            };
        }
        for (name, values) in self.variables {
            let list =
                values.list().map_err(|e| (name.clone(), format!("variable {name:?}: {e}")))?;
            spec.variables.insert(name, list);
        }
        for (name, r) in self.regions {
            spec.regions.push(r.region(&name)?);
        }
        if let Some(c) = self.clearance {
            spec.init.clearance = c;
        }
        for (name, o) in self.objects {
            o.add(&name, &mut spec, files)?;
        }
        spec.groups.extend(self.groups);
        let goal: Vec<Predicate> = self.goal.into_iter().flat_map(|g| g.0).map(|l| l.0).collect();
        let planned = self.plan.is_some();
        spec.plan = match self.plan {
            Some(lines) => fields::joined(lines),
            None => goal::plan(&goal, &spec),
        };
        spec.stages = match self.stages {
            Some(StagesForm::FromPlan(order)) => Stages::FromPlan(match order {
                OrderForm::Sequential => Order::Sequential,
                OrderForm::AnyOrder => Order::Any,
                OrderForm::PerObject => Order::PerObject,
            }),
            Some(StagesForm::Listed(list)) => Stages::Listed(listed(list)),
            None if planned || goal.is_empty() => Stages::FromPlan(Order::Sequential),
            None => Stages::Listed(goal::stages(&goal)),
        };
        if planned && !goal.is_empty() {
            spec.finally =
                Some(if goal.len() == 1 { goal[0].clone() } else { Predicate::All(goal) });
        }
        spec.quiet = self.quiet;
        spec.forbid = self
            .forbid
            .into_iter()
            .map(|(name, e)| Forbid { name, event: e.0, revokes: Revokes::LastRound })
            .collect();
        spec.labels = self.labels;
        // The longer side of its branches.
        let side = |taken: bool| spec.plan.flatten(&mut |_| taken).len() as u32;
        let steps = side(true).max(side(false));
        spec.horizon = self.horizon.unwrap_or(200 + 200 * steps.min(1000));
        spec.pace = self.pace.unwrap_or(spec.pace);
        spec.source = Source { work: self.source, ..Source::default() };
        Ok(spec)
    }
}

/// Return the scene of a task, with nothing to do in it.
pub(super) fn scene_of(task: TaskSpec, id: &str) -> Result<TaskSpec, String> {
    if task.instances.is_some() || task.files.is_some() {
        return Err(format!("the scene of {id} is not made of objects and regions of its own"));
    }
    let mut bare = TaskSpec { id: task.id.clone(), ..TaskSpec::new(task.id.as_str(), task.rig) };
    (bare.variables, bare.aliases) = (task.variables, task.aliases);
    (bare.objects, bare.groups, bare.regions) = (task.objects, task.groups, task.regions);
    (bare.init, bare.control, bare.tool_scale) = (task.init, task.control, task.tool_scale);
    Ok(bare)
}

fn rig_named(name: Option<&str>, files: &dyn Files) -> Result<RigName, Wrong> {
    let known: Vec<&str> = RigName::all().into_iter().map(RigName::as_str).collect();
    let Some(name) = name else {
        return Err((String::new(), format!("the task needs a rig: {}", known.join(", "))));
    };
    if name.contains(['.', '/', '\\']) {
        let wrong = |say: String| (name.to_owned(), say);
        let form: RigForm = files.text(name).and_then(|t| parse_as(&t, name)).map_err(wrong)?;
        let stem = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = stem.rsplit_once('.').map_or(stem, |(s, _)| s);
        let kebab = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let stem: String = stem.chars().map(kebab).collect();
        return form.register(&stem).map_err(|e| wrong(format!("{name}: {e}")));
    }
    RigName::find(name)
        .ok_or_else(|| (name.to_owned(), format!("no rig {name:?}{}", hint(name, known.clone()))))
}

impl RegionForm {
    fn region(self, name: &str) -> Result<RegionSpec, Wrong> {
        let rects: Vec<_> = self.at.into_iter().chain(self.any_of).map(Area::rect).collect();
        if rects.is_empty() {
            let say = format!(
                "region {name:?} needs `at`: a point [x, y] or a rectangle [[x0, y0], [x1, y1]]"
            );
            return Err((name.to_owned(), say));
        }
        Ok(RegionSpec {
            name: name.to_owned(),
            rects,
            yaw: self.yaw.map_or([0.0; 2], Range::ends),
            z: self.z,
            tolerance: self.tolerance.unwrap_or(REGION_TOLERANCE),
        })
    }
}

impl ObjectForm {
    fn add(self, name: &str, spec: &mut TaskSpec, files: &dyn Files) -> Result<(), Wrong> {
        let wrong = |say: String| (name.to_owned(), say);
        let mut assets = Vec::new();
        for a in self.asset.0 {
            assets.push(match a.0 {
                AssetRef::Own(a) => a,
                AssetRef::File(path) => files.asset(&path).map_err(|e| (path, e))?,
            });
        }
        let paint = match (self.colour, self.same_colour_as) {
            (None, None) => Paint::Own,
            (None, Some(other)) => Paint::SameAs(other),
            (Some(c), None) => c.paint().unlike(self.unlike),
            (Some(_), Some(_)) => {
                return Err(wrong(format!(
                    "{name:?} has both colour and same_colour_as; keep one"
                )));
            }
        };
        let place = match (self.at, self.on, self.under, self.chosen) {
            (Some(AtForm::Region(r)), None, None, None) => Place::At(r),
            (Some(AtForm::Area(area)), None, None, None) => {
                let region = format!("{name} start");
                spec.regions.push(crate::place::region(region.clone(), area.rect()));
                Place::At(region)
            }
            (None, Some(object), None, None) => {
                Place::On { object, offset: self.offset.unwrap_or_default(), spread: false }
            }
            (None, None, Some(cover), None) => Place::Under(cover),
            (None, None, None, Some(c)) => Place::Chosen {
                variable: c.by,
                places: c.places.into_iter().map(Place::At).collect(),
            },
            (None, None, None, None) => {
                return Err(wrong(format!(
                    "object {name:?} has no place; add at, on, under or chosen"
                )));
            }
            _ => {
                return Err(wrong(format!(
                    "object {name:?} has several places; keep one of at, on, under, chosen"
                )));
            }
        };
        let yaw = self.yaw.map(Range::ends);
        spec.init.places.push(Placement { object: name.to_owned(), place, yaw });
        for (part, start) in self.parts {
            let start = match start {
                PartForm::State(PartWord::Open) => PartStart::Open,
                PartForm::State(PartWord::Closed) => PartStart::Closed,
                PartForm::Between([lo, hi]) => PartStart::Between(lo, hi),
            };
            spec.init.parts.push((format!("{name}/{part}"), start));
        }
        if let Some(speed) = self.speed {
            spec.init.belts.push((name.to_owned(), speed.ends()));
        }
        spec.objects.push(ObjectSpec {
            name: name.to_owned(),
            assets,
            paint,
            when: self.when.map(|w| w.0),
            called: self.called,
        });
        Ok(())
    }
}

fn listed(list: Vec<StageForm>) -> Vec<Stage> {
    let mut out: Vec<Stage> = Vec::new();
    for (i, s) in list.into_iter().enumerate() {
        out.push(Stage {
            sentence: s.say,
            hold: s.hold,
            after: if i == 0 || s.any_time { Vec::new() } else { vec![i - 1] },
            must_last: s.at_end,
            window: s.within.map(|d| Window { earliest: 0.0, deadline: Some(d) }),
            ..crate::stage::stage(s.name, s.when.0)
        });
    }
    out
}
