//! The columns of the scene tables, and the problem each row of tasks stands for.

use std::collections::BTreeSet;

use longarm_task::bddl::{At, Fact, Goal, Instance, Problem, Region, Relation};

/// Half the side of the square an object starts in, unless its row says otherwise.
const OBJECT_HALF: f64 = 0.025;
/// The same for fixtures.
const FIXTURE_HALF: f64 = 0.01;

/// A scene and everything asked in it.
pub struct Scene {
    /// LIBERO's name, or the room of a scene that has none.
    pub name: &'static str,
    /// What stands fixed.
    pub fixtures: &'static [SceneItem],
    /// What can be moved.
    pub objects: &'static [SceneItem],
    /// Further named rectangles of the table.
    pub spots: &'static [TableSpot],
    /// Drawers, doors and knobs that do not start shut.
    pub state: &'static [&'static str],
    /// Where BOSS's generator puts new objects, x0 y0 x1 y1.
    pub free: &'static [[f64; 4]],
    /// What is asked.
    pub tasks: &'static [Task],
}

/// An object or fixture and where it starts, in the table's frame.
#[derive(Clone, Copy)]
pub struct SceneItem {
    /// Unique name; its category and a number.
    name: &'static str,
    /// A fixture is called by its category alone.
    fixture: bool,
    label: Option<&'static str>,
    at: [f64; 2],
    half: f64,
    yaw: Option<[f64; 2]>,
    on: Option<&'static str>,
}

/// A fixture of this category around a point.
pub(crate) const fn fixture(category: &'static str, x: f64, y: f64) -> SceneItem {
    let (name, at, half) = (category, [x, y], FIXTURE_HALF);
    SceneItem { name, fixture: true, label: None, at, half, yaw: None, on: None }
}

/// An object of this name around a point.
pub(crate) const fn object(name: &'static str, x: f64, y: f64) -> SceneItem {
    let (at, half) = ([x, y], OBJECT_HALF);
    SceneItem { name, fixture: false, label: None, at, half, yaw: None, on: None }
}

impl SceneItem {
    /// What its region is called, when not after its category.
    pub(crate) const fn label(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }
    /// Half the side of its square.
    pub(crate) const fn half(mut self, half: f64) -> Self {
        self.half = half;
        self
    }
    /// Headings it gets.
    pub(crate) const fn yaw(mut self, from: f64, to: f64) -> Self {
        self.yaw = Some([from, to]);
        self
    }
    /// It starts on a built-in region instead of the table.
    pub(crate) const fn on(mut self, region: &'static str) -> Self {
        self.on = Some(region);
        self
    }

    fn instance(&self) -> Instance {
        match self.fixture {
            true => instance(&format!("{}_1", self.name)),
            false => instance(self.name),
        }
    }

    fn region_name(&self) -> String {
        let label = self
            .label
            .unwrap_or_else(|| if self.fixture { self.name } else { category(self.name) });
        if label.ends_with("_region") { label.to_owned() } else { format!("{label}_init_region") }
    }
}

fn instance(name: &str) -> Instance {
    let category = category(name).to_owned();
    Instance { name: name.to_owned(), category, at: At::default() }
}

/// The category of an instance: its name without the number.
pub(crate) fn category(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((c, n)) if n.bytes().all(|b| b.is_ascii_digit()) => c,
        _ => name,
    }
}

/// A rectangle of the table that nothing starts in.
#[derive(Clone, Copy)]
pub struct TableSpot {
    name: &'static str,
    rect: [f64; 4],
    yaw: Option<[f64; 2]>,
    beside: Option<&'static str>,
}

/// A rectangle of the table, x0 y0 x1 y1.
pub(super) const fn spot(name: &'static str, rect: [f64; 4]) -> TableSpot {
    TableSpot { name, rect, yaw: None, beside: None }
}

impl TableSpot {
    /// What it lies beside: a goal about the spot is about this, too.
    pub(super) const fn beside(mut self, object: &'static str) -> Self {
        self.beside = Some(object);
        self
    }
    /// Headings objects get there.
    pub(crate) const fn yaw(mut self, from: f64, to: f64) -> Self {
        self.yaw = Some([from, to]);
        self
    }
}

/// One task of a scene.
#[derive(Clone, Copy)]
pub struct Task {
    /// The instruction, which is also the rest of LIBERO's name.
    pub sentence: &'static str,
    /// Facts joined by `&`.
    pub goal: &'static str,
    /// What is so at the beginning of this task alone: where further objects stand, what is open.
    pub start: &'static [&'static str],
    /// LIBERO-10, not LIBERO-90.
    pub ten: bool,
    /// One of BOSS's 44 skills.
    pub skill: bool,
}

/// A task of LIBERO-90.
pub(super) const fn l90(sentence: &'static str, goal: &'static str) -> Task {
    Task { sentence, goal, start: &[], ten: false, skill: false }
}

/// A task of LIBERO-90 that BOSS took as a skill.
pub(super) const fn skill(sentence: &'static str, goal: &'static str) -> Task {
    Task { sentence, goal, start: &[], ten: false, skill: true }
}

/// A task of LIBERO-10.
pub(super) const fn l10(sentence: &'static str, goal: &'static str) -> Task {
    Task { sentence, goal, start: &[], ten: true, skill: false }
}

/// A task with a beginning of its own.
pub(crate) const fn from(
    start: &'static [&'static str],
    sentence: &'static str,
    goal: &'static str,
) -> Task {
    Task { sentence, goal, start, ten: false, skill: false }
}

impl Task {
    /// The facts of its goal.
    pub fn facts(&self) -> Vec<Fact> {
        self.goal.split('&').filter_map(Fact::words).collect()
    }
}

/// Regions built into the objects of a category.
fn built_in(category: &str) -> &'static [&'static str] {
    match category {
        "wooden_cabinet" | "white_cabinet" | "wooden_cabinet_tall_bottom" => {
            &["top_side", "top_region", "middle_region", "bottom_region"]
        }
        "microwave" => &["top_side", "heating_region"],
        "flat_stove" => &["cook_region"],
        "wine_rack" => &["top_region"],
        "wooden_two_layer_shelf" => &["top_side", "top_region", "bottom_region"],
        "desk_caddy" => &[
            "right_contain_region",
            "left_contain_region",
            "back_contain_region",
            "front_contain_region",
        ],
        "basket" | "wooden_tray" => &["contain_region"],
        "bowl_drainer" => &["left_region", "right_region"],
        _ => &[],
    }
}

impl Scene {
    /// `kitchen`, `living_room`, `study`, `tabletop` or `floor`.
    fn room(&self) -> String {
        let room = self.name.split_once("_SCENE").map_or(self.name, |(r, _)| r);
        room.to_lowercase()
    }

    /// The fixture everything stands on.
    pub fn table(&self) -> String {
        match self.room().as_str() {
            "tabletop" => "main_table".to_owned(),
            "floor" => "floor".to_owned(),
            room => format!("{room}_table"),
        }
    }

    /// LIBERO's name of a task.
    pub fn title(&self, task: &Task) -> String {
        let sentence = task.sentence.replace(' ', "_");
        match self.name.contains("_SCENE") {
            true => format!("{}_{sentence}", self.name),
            false => sentence,
        }
    }

    /// The problem of a task of this scene.
    pub fn problem(&self, task: &Task) -> Problem {
        let table = self.table();
        let facts = task.facts();
        let none = At::default();
        let items = self.fixtures.iter().chain(self.objects);
        let square = |t: &SceneItem| {
            let ([x, y], h) = (t.at, t.half);
            [x - h, y - h, x + h, y + h]
        };
        let measured = |name: String, rect: [f64; 4], yaw: Option<[f64; 2]>| Region {
            name,
            target: table.clone(),
            ranges: vec![rect],
            yaw,
            rgba: None,
            at: none,
        };
        let mut regions = Vec::new();
        let mut init = Vec::new();
        for t in items.clone() {
            let place = match t.on {
                Some(region) => region.to_owned(),
                None => {
                    let region = measured(t.region_name(), square(t), t.yaw);
                    let key = region.key();
                    regions.push(region);
                    key
                }
            };
            init.push(Fact::new(Relation::On, [t.instance().name, place]));
        }
        regions.extend(self.spots.iter().map(|s| measured(s.name.to_owned(), s.rect, s.yaw)));
        let start: Vec<Fact> = task.start.iter().filter_map(|s| Fact::words(s)).collect();
        let further: Vec<Instance> = start
            .iter()
            .filter(|f| f.relation.arity() == 2)
            .map(|f| instance(f.subject()))
            .collect();
        for Instance { name: target, category, .. } in
            items.map(SceneItem::instance).chain(further.iter().cloned())
        {
            // A goal may be about a region that the files of other tasks do not declare.
            let wanted = facts.iter().flat_map(|f| &f.args).filter_map(|arg| {
                let name = arg.strip_prefix(&target)?.strip_prefix('_')?;
                (name.ends_with("_region") && !built_in(&category).contains(&name)).then_some(name)
            });
            let names: BTreeSet<&str> = wanted.collect();
            let names = built_in(&category).iter().copied().chain(names);
            regions.extend(names.map(|name| Region {
                name: name.to_owned(),
                target: target.clone(),
                ranges: Vec::new(),
                yaw: None,
                rgba: None,
                at: none,
            }));
        }
        init.extend(self.state.iter().filter_map(|s| Fact::words(s)));
        init.extend(start);
        let kind = if table == "main_table" { "table" } else { &table };
        let mut fixtures =
            vec![Instance { name: table.clone(), category: kind.to_owned(), at: none }];
        fixtures.extend(self.fixtures.iter().map(SceneItem::instance));
        let mut out = Problem {
            name: problem_name(&self.room()),
            domain: "robosuite".to_owned(),
            language: task.sentence.to_owned(),
            regions,
            fixtures,
            objects: self.objects.iter().map(SceneItem::instance).chain(further).collect(),
            interest: Vec::new(),
            init,
            goal: Goal::And(facts.iter().cloned().map(Goal::Fact).collect()),
            at: none,
        };
        for f in &facts {
            for arg in &f.args {
                let beside = self.spots.iter().find(|s| format!("{table}_{}", s.name) == *arg);
                let owner = match beside {
                    Some(s) => s.beside.map(str::to_owned),
                    None => out.region(arg).map(|r| r.target.clone()).or(Some(arg.clone())),
                };
                out.interest.extend(owner.filter(|o| !out.interest.contains(o)));
            }
        }
        out
    }
}

fn problem_name(room: &str) -> String {
    let capital = |w: &str| w[..1].to_uppercase() + &w[1..];
    let words: Vec<String> = room.split('_').map(capital).collect();
    let kind = if matches!(room, "tabletop" | "floor") { "" } else { "_Tabletop" };
    format!("LIBERO_{}{kind}_Manipulation", words.join("_"))
}
