//! One instance while it is being drawn: its objects, what counts, how it is done.

use std::collections::BTreeMap;
use std::f64::consts::{SQRT_2, TAU};

use longarm_assets::objects::{Block, FixedBowl, Zone};
use longarm_assets::{Asset, Colour, RigName};
use longarm_task::goal::Belongs;
use longarm_task::place::{point, region};
use longarm_task::speech::Area;
use longarm_task::{Fit, Goal, Plan, Slot, TaskSpec, object, plan, stage};
use longarm_types::{Rng, Seed};

use super::layout::{Layout, Point, REACH, TOWER_REACH};
use super::palette::{Category, Mode};

/// Edges of the two blocks.
pub(super) const SMALL: f64 = 0.04;
pub(super) const BIG: f64 = 0.06;
/// Radius of a bowl.
pub(super) const BOWL: f64 = 0.06;
/// How exactly a pose must be met: position, height, heading.
pub(super) const POSITION: f64 = 0.01;
pub(super) const HEIGHT: f64 = 0.015;
pub(super) const HEADING: f64 = 15.0 * std::f64::consts::PI / 180.0;
/// How far from a bowl's middle a block may be.
pub(super) const IN_BOWL: f64 = 0.05;
/// Room kept around a zone on which a tower grows, for the wrist that comes down beside it.
const TOWER_ROOM: f64 = 0.045;

/// An object by its place in the list.
pub(super) type Id = usize;

struct Item {
    name: String,
    asset: Asset,
    colour: Option<Colour>,
    at: Point,
    z: f64,
    yaw: f64,
}

/// Where a step of the plan puts something, in words.
pub(super) enum Destination {
    On(Id),
    Area(Area),
    At(Point, f64),
}

/// An instance being drawn.
pub(super) struct Draft {
    pub rng: Rng,
    pub colours: Vec<Colour>,
    pub room: Layout,
    items: Vec<Item>,
    goal: Goal,
    steps: Vec<(Id, Slot, Destination)>,
}

impl Draft {
    pub fn new(id: &str, seed: Seed) -> Self {
        let mut rng = seed.stream(&format!("instance/{id}"));
        let mut colours = Mode::of(seed).colours().to_vec();
        rng.shuffle(&mut colours);
        Self {
            rng,
            colours,
            room: Layout::new(),
            items: Vec::new(),
            goal: Goal::default(),
            steps: Vec::new(),
        }
    }

    // --- drawing

    /// A number of these, both included.
    pub fn between(&mut self, lo: usize, hi: usize) -> usize {
        lo + self.rng.below(hi.saturating_sub(lo) + 1)
    }

    pub fn coin(&mut self) -> bool {
        self.rng.below(2) == 1
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.below(of.len())]
    }

    /// A colour nobody was given before.
    ///
    /// # Panics
    /// If more are asked for than a mode has, which is a mistake in the family.
    pub fn new_colour(&mut self) -> Colour {
        self.colours.pop().expect("a mode has at least five colours")
    }

    /// A category that some of the mode's colours have and some do not, with both.
    pub fn category(&mut self) -> (Category, Vec<Colour>, Vec<Colour>) {
        let split = |k: Category| -> (Vec<Colour>, Vec<Colour>) {
            self.colours.iter().partition(|c| k.has(**c))
        };
        let telling = |k: &Category| !split(*k).0.is_empty() && !split(*k).1.is_empty();
        let fit: Vec<Category> = Category::ALL.into_iter().filter(telling).collect();
        let category = fit[self.rng.below(fit.len())];
        let (has, not) = split(category);
        (category, has, not)
    }

    // --- objects

    fn add(
        &mut self,
        kind: &str,
        asset: impl Into<Asset>,
        colour: Option<Colour>,
        at: Point,
        yaw: f64,
    ) -> Id {
        let n = 1 + self.items.iter().filter(|i| i.name.starts_with(kind)).count();
        let name = format!("{kind}_{n}");
        self.items.push(Item { name, asset: asset.into(), colour, at, z: 0.0, yaw });
        self.items.len() - 1
    }

    /// A cube somewhere free, turned any way.
    pub fn block(&mut self, edge: f64, colour: Colour, allowed: &dyn Fn(Point) -> bool) -> Id {
        let half = edge / 2.0 * SQRT_2;
        let at = self.room.place(&mut self.rng, [half; 2], REACH, allowed);
        let yaw = self.rng.range(0.0, TAU);
        self.add("block", Block::cube(edge), Some(colour), at, yaw)
    }

    pub fn block_anywhere(&mut self, edge: f64, colour: Colour) -> Id {
        self.block(edge, colour, &|_| true)
    }

    /// A long box somewhere free.
    pub fn long_box(&mut self, size: [f64; 3], colour: Colour, ok: &dyn Fn(Point) -> bool) -> Id {
        let half = libm::hypot(size[0], size[1]) / 2.0;
        let at = self.room.place(&mut self.rng, [half; 2], REACH, ok);
        let yaw = self.rng.range(0.0, TAU);
        self.add("block", Block { size }, Some(colour), at, yaw)
    }

    /// A square zone to put objects into.
    pub fn zone(&mut self, side: f64, colour: Colour, ok: &dyn Fn(Point) -> bool) -> Id {
        let half = side / 2.0 + 0.005;
        let at = self.room.place(&mut self.rng, [half; 2], REACH, ok);
        self.add("zone", Zone { size: [side; 2] }, Some(colour), at, 0.0)
    }

    /// A square zone to build a tower on.
    pub fn tower_zone(&mut self, side: f64, colour: Colour, ok: &dyn Fn(Point) -> bool) -> Id {
        let half = (side / 2.0).max(0.05) + TOWER_ROOM;
        let at = self.room.place(&mut self.rng, [half; 2], TOWER_REACH, ok);
        self.add("zone", Zone { size: [side; 2] }, Some(colour), at, 0.0)
    }

    pub fn bowl(&mut self, colour: Colour) -> Id {
        let at = self.room.place(&mut self.rng, [BOWL; 2], REACH, &|_| true);
        self.add("bowl", FixedBowl { radius: BOWL }, Some(colour), at, 0.0)
    }

    /// Something where it is told to be, which must be free.
    pub fn fixed(
        &mut self,
        kind: &str,
        asset: impl Into<Asset>,
        colour: Option<Colour>,
        at: Point,
        half: Point,
    ) -> Id {
        self.room.take(at, half);
        self.add(kind, asset, colour, at, 0.0)
    }

    /// Something standing on or in what already has a place.
    pub fn with(
        &mut self,
        asset: impl Into<Asset>,
        colour: Colour,
        at: Point,
        z: f64,
        yaw: f64,
    ) -> Id {
        let id = self.add("block", asset, Some(colour), at, yaw);
        self.items[id].z = z;
        id
    }

    /// A free spot that stays free, in this area if one is named.
    pub fn spot(&mut self, edge: f64, allowed: &dyn Fn(Point) -> bool) -> Point {
        self.room.place(&mut self.rng, [edge / 2.0 * SQRT_2; 2], REACH, allowed)
    }

    pub fn place_of(&self, id: Id) -> Point {
        self.items[id].at
    }

    pub fn colour(&self, id: Id) -> &'static str {
        self.items[id].colour.map_or("", Colour::name)
    }

    pub fn edge(&self, id: Id) -> f64 {
        2.0 * self.items[id].asset.info().bounds.half[2]
    }

    fn name(&self, id: Id) -> &str {
        &self.items[id].name
    }

    /// A slot that moves with an object.
    pub fn slot(&self, of: Id, at: [f64; 3], fit: Fit) -> Slot {
        Slot::of(self.name(of), at, fit)
    }

    // --- what counts, and how it is done

    /// These objects belong in these slots, any in any.
    pub fn any(&mut self, objects: &[Id], slots: impl IntoIterator<Item = Slot>) {
        let names: Vec<String> = objects.iter().map(|o| self.name(*o).to_owned()).collect();
        self.goal.any(names, slots);
    }

    /// Each object may take the slots of its row.
    pub fn each(&mut self, slots: Vec<Slot>, rows: impl IntoIterator<Item = (Id, Vec<usize>)>) {
        for (id, slots) in rows {
            let object = self.name(id).to_owned();
            self.goal.objects.push(Belongs { object, slots });
        }
        self.goal.slots = slots;
    }

    /// The next step.
    pub fn step(&mut self, what: Id, to: Slot, destination: Destination) {
        self.steps.push((what, to, destination));
    }

    /// Puts an object aside, on a free spot that stays free.
    pub fn put_aside(&mut self, what: Id, at: Point) {
        let area = Area::of(self.room.workspace(), at);
        self.step(what, table(at, 0.0), Destination::Area(area));
    }

    /// A tower on an object, first at the bottom: it counts and it is done. Towers of one kind may be
    /// built in any order.
    pub fn tower(&mut self, on: Id, base: f64, blocks: &[Id]) {
        let mut z = base;
        let mut run: Vec<(Id, Slot)> = Vec::new();
        for &b in blocks {
            let slot = self
                .slot(on, [0.0, 0.0, z], Fit::Near(POSITION))
                .level(HEIGHT)
                .heading(0.0, HEADING);
            if run.last().is_some_and(|(a, _)| self.edge(*a) != self.edge(b)) {
                self.close(&mut run);
            }
            run.push((b, slot.clone()));
            self.step(b, slot, Destination::On(on));
            z += self.edge(b);
        }
        self.close(&mut run);
    }

    fn close(&mut self, run: &mut Vec<(Id, Slot)>) {
        let (ids, slots): (Vec<Id>, Vec<Slot>) = run.drain(..).unzip();
        self.any(&ids, slots);
    }

    // --- the task

    /// What an object is called: as little as tells it apart from the others.
    fn called(&self, id: Id) -> String {
        let item = &self.items[id];
        let noun = item.asset.noun();
        let colour = item.colour.map_or(String::new(), |c| format!("{} ", c.name()));
        let (x, y) = (item.at[0], item.at[1]);
        let alike = |sized: bool| {
            let same = self.items.iter().filter(|o| {
                o.asset.noun() == noun
                    && o.colour == item.colour
                    && (!sized || o.asset.info().bounds.half[2] == self.edge(id) / 2.0)
            });
            same.count() > 1
        };
        let edges = self.items.iter().filter(|o| o.asset.noun() == "block");
        let edges: BTreeMap<i64, ()> =
            edges.map(|o| ((1e4 * o.asset.info().bounds.half[2]) as i64, ())).collect();
        if !alike(false) {
            return format!("{colour}{noun}");
        }
        let two = noun == "block" && edges.len() == 2;
        let size = match two {
            true if self.edge(id) > 0.05 => "bigger ",
            true => "smaller ",
            false => "",
        };
        if two && !alike(true) {
            return format!("{size}{colour}{noun}");
        }
        format!("{size}{colour}{noun} at ({x:.2}, {y:.2})")
    }

    /// The sentences of the plan.
    pub fn sentences(&self) -> Vec<String> {
        self.steps
            .iter()
            .map(|(what, _, destination)| {
                let to = match destination {
                    Destination::On(id) => format!("on the {}", self.called(*id)),
                    Destination::Area(a) => format!("on the {} area", a.name()),
                    Destination::At([x, y], 0.0) => format!("at ({x:.3}, {y:.3})"),
                    Destination::At([x, y], yaw) => {
                        format!("at ({x:.3}, {y:.3}) turned by {:.0} degrees", yaw.to_degrees())
                    }
                };
                format!("pick up the {} and place it {to}", self.called(*what))
            })
            .collect()
    }

    /// The finished instance.
    pub fn finish(self, id: &str, instruction: String, horizon: usize) -> TaskSpec {
        let sentences = self.sentences();
        let mut spec = TaskSpec::new(id, RigName::UR5E_SUCTION)
            .instruction(instruction)
            .clearance(0.0)
            .horizon(horizon as u32);
        for (i, item) in self.items.iter().enumerate() {
            let mut o = object(&item.name, item.asset.clone()).called(self.called(i));
            if let Some(c) = item.colour {
                o = o.colour(c);
            }
            let start = region(format!("start of {}", item.name), point(item.at))
                .yaw(item.yaw, item.yaw)
                .z(item.z);
            spec = spec.place(&o, &start);
        }
        let mut steps = Vec::new();
        for ((what, slot, _), said) in self.steps.iter().zip(sentences) {
            steps.push(plan::pick_place(&self.items[*what].name, slot.clone()).saying(said));
        }
        spec.plan(Plan::from(steps)).stages(stage::placed(self.goal))
    }
}

/// A point of the table, to within a few centimetres.
pub(super) fn table([x, y]: Point, yaw: f64) -> Slot {
    Slot::on_table([x, y, 0.0], Fit::Near(0.03)).heading(yaw, HEADING)
}
