//! A world without physics: operators take effect as they promise. Enough to try plans, stages and
//! the expert without memory.

use longarm_task::plan::{Subtasks, Target};
use longarm_task::predicate::in_;
use longarm_task::{
    BodyId, Bound, Op, Reward, Scene, Snapshot, StageTracker, TaskSpec, part_pose, sample,
};
use longarm_types::{DVec3, Pose, Seed};

pub struct World {
    pub spec: TaskSpec,
    pub scene: Scene,
    pub bound: Bound,
    pub tracker: StageTracker,
    pub now: Snapshot,
    pub subtasks: Subtasks,
    /// Of every update so far.
    pub rewards: Vec<Reward>,
}

impl World {
    pub fn new(spec: &TaskSpec, seed: u64) -> Self {
        let scene = sample(spec, Seed(seed)).unwrap();
        let bound = Bound::new(spec, &scene).unwrap();
        let tracker = StageTracker::new(spec, &scene).unwrap();
        let now = bound.start(&scene);
        let subtasks = Subtasks::new(spec, &bound, &scene, &now).unwrap();
        Self { spec: spec.clone(), scene, bound, tracker, now, subtasks, rewards: Vec::new() }
    }

    /// Lets time pass.
    pub fn wait(&mut self, seconds: f64) {
        for _ in 0..(seconds * 20.0).round() as u32 {
            self.tracker.update(&self.now);
            self.subtasks.update(&self.now);
            self.rewards.push(self.tracker.reward());
            self.now.step += 1;
            self.now.time = f64::from(self.now.step) / 20.0;
        }
    }

    fn id(&self, name: &str) -> BodyId {
        self.bound.body(name).unwrap_or_else(|| panic!("no body {name}"))
    }

    fn free(&mut self, a: BodyId) {
        for b in 0..self.bound.bodies() {
            self.now.rests_on.set(a, b, false);
            self.now.touching.set(a, b, false);
            self.now.touching.set(b, a, false);
        }
    }

    fn rest(&mut self, a: BodyId, on: BodyId, at: DVec3) {
        self.free(a);
        self.now.bodies[a].pose = Pose::new(at, Default::default());
        self.now.rests_on.set(a, on, true);
        self.now.touching.set(a, on, true);
        self.now.touching.set(on, a, true);
    }

    fn hold(&mut self, a: BodyId, on: bool) {
        self.now.hands[0].holds[a] = on;
        self.now.hands[0].touches[a] = on;
    }

    /// Lets an object fall onto the table.
    pub fn drop(&mut self, object: &str) {
        let a = self.id(object);
        self.hold(a, false);
        let at = self.now.bodies[a].pose.pos.with_z(0.0);
        self.rest(a, 0, at);
        self.wait(1.0);
    }

    pub fn hand_up(&mut self) {
        self.now.hands[0].pose.pos.z = 0.6;
        self.wait(0.3);
    }

    /// Body and point at which something put there comes to stand.
    fn spot(&self, object: &str, target: &Target) -> (BodyId, DVec3) {
        let region = |path: &str| {
            let (owner, name) = path.split_once('/').unwrap();
            let r = self.bound.info(owner).unwrap().region(name).unwrap();
            let body = self.bound.owner(path).unwrap();
            let p = self.now.bodies[body].pose.point(r.pose.pos);
            let down = if r.kind == longarm_assets::RegionKind::Volume { r.half[2] } else { 0.0 };
            (body, p - DVec3::Z * down)
        };
        match target {
            Target::Start { of, .. } => {
                let i = self.scene.instance(of.as_deref().unwrap_or(object)).unwrap();
                (self.scene.starts_on[i], self.scene.poses[i].pos)
            }
            Target::At(r) => {
                let r = self.spec.regions.iter().find(|s| s.name == *r).unwrap();
                let [x, y] = r.rects[0].centre();
                (0, DVec3::new(x, y, r.z))
            }
            Target::Over(b) => {
                let p = self.now.bodies[self.id(b)].pose.pos;
                (0, DVec3::new(p.x, p.y, 0.0))
            }
            Target::On(path) | Target::In(path) if path.contains('/') => region(path),
            Target::On(b) | Target::In(b) => {
                let info = self.bound.info(b).unwrap();
                if let Some(r) = info.regions.iter().find(|r| r.part.is_none()) {
                    return region(&format!("{b}/{}", r.name));
                }
                let top = 2.0 * info.bounds.half[2];
                (self.id(b), self.now.bodies[self.id(b)].pose.pos + DVec3::Z * top)
            }
        }
    }

    /// Carries out an operator.
    pub fn act(&mut self, op: &Op) {
        match op {
            Op::Pick { object, .. } => {
                let a = self.id(object);
                let above = self.now.bodies[a].pose.pos + DVec3::Z * 0.15;
                self.now.hands[0].pose.pos = above;
                self.wait(0.2);
                self.hold(a, true);
                self.now.hands[0].pose.pos.z -= 0.13;
                self.wait(0.2);
                self.free(a);
                self.now.bodies[a].pose.pos = above;
                self.now.hands[0].pose.pos = above;
                self.wait(0.3);
            }
            Op::Put { object, place } => self.put(object, place),
            Op::Insert { object, into } => self.put(object, &Target::In(into.clone())),
            Op::Open { part } => self.slide(part, true),
            Op::Close { part } => self.slide(part, false),
            Op::Wipe { tool, surface, strokes, length } => {
                for _ in 0..*strokes {
                    self.stroke(tool, surface, length + 0.01);
                }
            }
            Op::Withdraw => self.hand_up(),
            other => panic!("no way to {other:?}"),
        }
    }

    fn put(&mut self, object: &str, place: &Target) {
        let a = self.id(object);
        let (on, at) = self.spot(object, place);
        self.now.bodies[a].pose.pos = at + DVec3::Z * 0.1;
        self.now.hands[0].pose.pos = at + DVec3::Z * 0.12;
        self.wait(0.2);
        self.rest(a, on, at);
        self.now.hands[0].pose.pos = at + DVec3::Z * 0.02;
        self.wait(0.2);
        self.hold(a, false);
        self.wait(0.4);
        self.hand_up();
    }

    pub fn stroke(&mut self, tool: &str, surface: &str, length: f64) {
        let (t, s) = (self.id(tool), self.id(surface));
        let from = self.now.bodies[s].pose.pos - DVec3::X * length / 2.0;
        for (a, b) in [(t, s), (s, t)] {
            self.now.touching.set(a, b, true);
        }
        for i in 0..=10 {
            let at = from + DVec3::X * length * f64::from(i) / 10.0;
            self.now.bodies[t].pose.pos = at;
            self.wait(if i == 0 { 0.2 } else { 0.05 });
        }
        self.free(t);
        self.now.bodies[t].pose.pos.z = 0.1;
        // Shorter lifts belong to one stroke.
        self.wait(0.4);
    }

    fn slide(&mut self, path: &str, open: bool) {
        let (object, name) = path.split_once('/').unwrap();
        let part = self.bound.info(object).unwrap().part(name).unwrap().clone();
        let [lo, hi] = if open { part.open } else { part.closed };
        let value = ((lo + hi) / 2.0).clamp(part.range[0], part.range[1]);
        let (p, o) = (self.id(path), self.id(object));
        let before = self.now.bodies[p].pose.pos;
        self.now.bodies[p].pose = self.now.bodies[o].pose * part_pose(&part, value);
        self.now.joints[p] = value;
        let moved = self.now.bodies[p].pose.pos - before;
        for a in 1..self.bound.bodies() {
            if self.now.rests_on.get(a, p) {
                self.now.bodies[a].pose.pos += moved;
            }
        }
        self.wait(0.4);
        self.hand_up();
    }

    /// What a camera would show: nothing in closed drawers, under funnels or inside vases.
    pub fn seen(&self) -> Vec<bool> {
        let mut seen = vec![true; self.bound.bodies()];
        for inst in &self.scene.structure.instances {
            let a = self.id(&inst.name);
            for other in self.scene.structure.instances.iter().filter(|o| o.name != inst.name) {
                let opaque = ["funnel-cup", "vase"].contains(&other.asset.kind());
                let inside = opaque && {
                    let p = self.bound.predicate(&in_(&inst.name, &other.name)).unwrap();
                    p.holds(&self.now)
                };
                let info = other.asset.info();
                let o = self.id(&other.name);
                let shut = info.parts.iter().enumerate().any(|(k, part)| {
                    self.now.rests_on.get(a, o + 1 + k)
                        && self.now.joints[o + 1 + k] <= part.closed[1]
                });
                if inside || shut {
                    seen[a] = false;
                }
            }
        }
        seen
    }
}
