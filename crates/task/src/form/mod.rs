//! Tasks as people write them, in TOML or JSON.
//!
//! A [`TaskForm`] is read with serde and becomes a [`TaskSpec`]: objects carry their place, steps
//! and predicates are one line each, stages follow from the plan, a plan from the goal. What the
//! engine itself prints (a whole `TaskSpec`, alone or under `spec`) is read as well.

mod fields;
mod formula;
mod goal;
mod locate;
mod rig;
mod step;

use std::collections::BTreeMap;

use longarm_assets::{Asset, RigName};
use longarm_types::hint;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use fields::{
    Area, AssetRef, AtForm, Colours, Groups, Line, OneOrMany, PartForm, PartWord, Range, Short,
    Span, Values,
};
use locate::Document;
pub use locate::FormError;
pub use rig::{CameraForm, RigForm, own_rig};

use crate::object::Given;
use crate::place::{PartStart, Place, Placement, REGION_TOLERANCE};
use crate::stage::{Event, Forbid, Order, Revokes, Stage, Stages, When, Window};
use crate::{ObjectSpec, Paint, Plan, Predicate, RegionSpec, Source, TaskSpec};

/// A task as a file has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskForm {
    /// `suite/name`; after the file's name if absent.
    pub id: Option<String>,
    /// A file whose rig, variables, regions, objects and groups this task shares.
    pub scene: Option<String>,
    /// Robot, table and cameras: a rig's name, or a file with one of your own.
    pub rig: Option<String>,
    /// What the policy is told; `{n}`, `{block}`, `{block.colour}` and `{block.noun}` are filled in.
    pub instruction: String,
    /// Tell the policy one stage at a time.
    #[serde(default)]
    pub stepwise: bool,
    /// Whole numbers drawn for each episode.
    #[serde(default)]
    pub variables: BTreeMap<String, Values>,
    /// Named places on the table.
    #[serde(default)]
    pub regions: BTreeMap<String, RegionForm>,
    /// Objects and fixtures, by name.
    #[serde(default)]
    pub objects: BTreeMap<String, ObjectForm>,
    /// Objects that are interchangeable, by the group's name.
    #[serde(default)]
    pub groups: Groups,
    /// Free room kept between objects at the start, in metres.
    pub clearance: Option<f64>,
    /// How it is done; derived from the goal if absent.
    pub plan: Option<Vec<Line<Plan>>>,
    /// What must hold at the end.
    pub goal: Option<OneOrMany<Line<Predicate>>>,
    /// What counts: the steps of the plan in an order, or a list. Without it, the steps of the plan
    /// one after the other, or the parts of the goal where there is no plan.
    pub stages: Option<StagesForm>,
    /// Seconds for which the result must stand, with the hand withdrawn.
    pub quiet: Option<f64>,
    /// What must not happen, by the name told to the user.
    #[serde(default)]
    pub forbid: BTreeMap<String, Line<Event>>,
    /// What the task measures, in words of your own.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Control steps (20 per second) after which the episode ends; from the length of the plan if
    /// absent.
    pub horizon: Option<u32>,
    /// Where the task comes from.
    #[serde(default)]
    pub source: String,
}

/// A scene that several tasks share.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneForm {
    /// Robot, table and cameras, by the rig's name.
    pub rig: Option<String>,
    /// Whole numbers drawn for each episode.
    #[serde(default)]
    pub variables: BTreeMap<String, Values>,
    /// Named places on the table.
    #[serde(default)]
    pub regions: BTreeMap<String, RegionForm>,
    /// Objects and fixtures, by name.
    #[serde(default)]
    pub objects: BTreeMap<String, ObjectForm>,
    /// Objects that are interchangeable, by the group's name.
    #[serde(default)]
    pub groups: Groups,
    /// Free room kept between objects at the start, in metres.
    pub clearance: Option<f64>,
}

/// A named place on the table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionForm {
    /// A point or rectangle where the origin of an object may be.
    pub at: Option<Area>,
    /// Several of them, of which one is drawn.
    #[serde(default)]
    pub any_of: Vec<Area>,
    /// Heading in radians, or a range of headings.
    pub yaw: Option<Range>,
    /// Height of the surface.
    #[serde(default)]
    pub z: f64,
    /// How far outside an object may lie and still be `at` it, in metres.
    pub tolerance: Option<f64>,
}

/// An object of a task, with where it starts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectForm {
    /// What it is; one is drawn if there are several.
    pub asset: OneOrMany<Line<AssetRef>>,
    /// Starts in a region, at a point or in a rectangle.
    pub at: Option<AtForm>,
    /// Starts on another object.
    pub on: Option<String>,
    /// With `on`: metres along the carrier's x and y.
    pub offset: Option<[f64; 2]>,
    /// Starts under a cover.
    pub under: Option<String>,
    /// Starts in one of several regions, as a variable says.
    pub chosen: Option<ChosenForm>,
    /// Heading in radians, or a range of headings.
    pub yaw: Option<Range>,
    /// Its colour: `any`, one, or several to choose from.
    pub colour: Option<Colours>,
    /// Objects whose colour it must not have.
    #[serde(default)]
    pub unlike: Vec<String>,
    /// Object whose colour it has.
    pub same_colour_as: Option<String>,
    /// When it is there: `n >= 2`.
    pub when: Option<Line<Given>>,
    /// What sentences call it.
    pub called: Option<String>,
    /// How its drawers, doors and knobs start.
    #[serde(default)]
    pub parts: BTreeMap<String, PartForm>,
    /// Of a conveyor: speed in metres per second.
    pub speed: Option<Range>,
}

/// One of several regions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChosenForm {
    /// The variable.
    pub by: String,
    /// As many regions as the variable has values.
    pub places: Vec<String>,
}

/// What counts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "\"sequential\", \"any-order\" or \"per-object\", or a list of { name, when }"
)]
pub enum StagesForm {
    /// The steps of the plan in this order.
    FromPlan(OrderForm),
    /// Written out, one after the other.
    Listed(Vec<StageForm>),
}

/// In which order the steps of a plan count.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderForm {
    /// One after the other.
    Sequential,
    /// As it comes.
    AnyOrder,
    /// As it comes for different objects, one after the other for the same.
    PerObject,
}

/// One verifiable piece of progress.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageForm {
    /// Unique name.
    pub name: String,
    /// What completes it.
    pub when: Line<When>,
    /// What one would tell somebody to do.
    #[serde(default)]
    pub say: String,
    /// Seconds for which it must hold.
    #[serde(default)]
    pub hold: f64,
    /// It must still hold at the end.
    #[serde(default)]
    pub at_end: bool,
    /// It may be completed before the stages listed above it.
    #[serde(default)]
    pub any_time: bool,
    /// Seconds within which it must be completed once it could be.
    pub within: Option<f64>,
}

/// The files a task names, read inside the folder of the task.
pub trait Files {
    /// The asset in a file.
    fn asset(&self, path: &str) -> Result<Asset, String>;
    /// The text of a scene or rig file.
    fn text(&self, path: &str) -> Result<String, String>;
}

/// For tasks that name no files.
pub struct NoFiles;

impl Files for NoFiles {
    fn asset(&self, path: &str) -> Result<Asset, String> {
        Err(format!("cannot read {path:?}: this task has no folder; give the object's content"))
    }
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("cannot read {path:?}: this task has no folder; write its content into it"))
    }
}

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// A task that was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The task.
    pub task: TaskSpec,
    /// Whether the file gave the id, rather than its name.
    pub named: bool,
    /// The seed of the scene printed beside the specification, where there is one.
    pub seed: Option<u64>,
}

/// Read a task; `id` is its id if the text gives none.
pub fn read(text: &str, format: Format, id: &str, files: &dyn Files) -> Result<Read, FormError> {
    let doc = Document::new(text, format)?;
    if doc.is_spec() {
        let (task, seed): (TaskSpec, _) = doc.spec()?;
        task.validate().map_err(|e| doc.about(&e))?;
        return Ok(Read { task, named: true, seed });
    }
    let mut form: TaskForm = doc.parse()?;
    if let Some(path) = form.scene.take() {
        let at = |message: String| doc.at(&path, message);
        let text = files.text(&path).map_err(at)?;
        let scene: SceneForm = parse_as(&text, &path).map_err(at)?;
        form.share(scene).map_err(|(name, say)| doc.at(&name, say))?;
    }
    let named = form.id.is_some();
    let task = form.spec(id, files).map_err(|(name, say)| doc.at(&name, say))?;
    task.validate().map_err(|e| doc.about(&e))?;
    Ok(Read { task, named, seed: None })
}

/// A value in a file beside the task; errors say where in that file.
fn parse_as<T: DeserializeOwned>(text: &str, path: &str) -> Result<T, String> {
    let json = path.to_ascii_lowercase().ends_with(".json");
    let format = if json { Format::Json } else { Format::Toml };
    Document::new(text, format).and_then(|d| d.parse()).map_err(|e| format!("{path}:{e}"))
}

/// What is wrong, and the name that shows where.
type Wrong = (String, String);

impl TaskForm {
    /// Take over what a scene file has.
    fn share(&mut self, scene: SceneForm) -> Result<(), Wrong> {
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
    fn spec(self, id: &str, files: &dyn Files) -> Result<TaskSpec, Wrong> {
        let id = self.id.as_deref().unwrap_or(id);
        let rig = rig_named(self.rig.as_deref(), files)?;
        let mut spec =
            TaskSpec::new_checked(id, rig).map_err(|e| (id.to_owned(), e.to_string()))?;
        spec.instruction = self.instruction;
        spec.stepwise = self.stepwise;
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
        spec.groups = self.groups;
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
        let steps = spec.plan.flatten(&mut |_| true).len() as u32;
        spec.horizon = self.horizon.unwrap_or(200 + 200 * steps.min(1000));
        spec.source = Source { work: self.source, ..Source::default() };
        Ok(spec)
    }
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
