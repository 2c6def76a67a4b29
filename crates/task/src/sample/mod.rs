//! Drawing a scene. All randomness of an episode is drawn here, each quantity from its own stream, so
//! that adding one moves no other.

mod curve;
mod finish;
mod room;

use std::collections::BTreeMap;

use longarm_assets::{AssetInfo, Bodies, Instance};
use longarm_types::{DVec3, Pose, Seed, yaw};

use crate::footprint::Footprint;
use crate::place::{PartStart, Place, Placement};
use crate::predicate::{floor, surface_point};
use crate::scene::{LineStart, PartState, part_pose};
use crate::{BodyId, SampleError, Scene, TaskSpec};
use room::wider_than;

pub(crate) use finish::{fill, reader_name};

/// Draws tried for one object before the whole layout is drawn again.
const TRIES: usize = 200;
/// Slope at which the last tries of an object that shares its carrier go up, metres per try share.
const PILE: f64 = 0.5;
/// A vessel is at least this deep: what does not fit into it is let down on its rim.
const VESSEL: f64 = 0.03;
/// How far above the palm an object is let go, metres.
const IN_PALM: f64 = 0.002;
/// Layouts tried before giving up, or before objects are piled up where the task allows it.
const LAYOUTS: usize = 50;

/// Draws the scene of a seed.
pub fn sample(spec: &TaskSpec, seed: Seed) -> Result<Scene, SampleError> {
    sample_with(spec, seed, &BTreeMap::new())
}

/// Draws the scene of a seed, but with these variables fixed: all that does not hang on them is as
/// in [`sample`].
pub fn sample_with(
    spec: &TaskSpec,
    seed: Seed,
    fixed: &BTreeMap<String, i64>,
) -> Result<Scene, SampleError> {
    let spec = &*spec.instance(seed);
    let draw = Draw::new(spec, seed, fixed)?;
    let mut failure = None;
    for layout in 0..if spec.init.pile { 2 * LAYOUTS } else { LAYOUTS } {
        match draw.layout(layout) {
            Ok(placed) => return draw.finish(placed),
            Err(e @ SampleError::Crowded { .. }) => failure.get_or_insert(e),
            Err(e) => return Err(e),
        };
    }
    Err(failure.unwrap_or_else(|| draw.crowded("", &Place::At(String::new()), Vec::new())))
}

struct Draw<'a> {
    spec: &'a TaskSpec,
    seed: Seed,
    variables: BTreeMap<String, i64>,
    instances: Vec<Instance>,
    infos: Vec<AssetInfo>,
    bodies: Vec<BodyId>,
    parts: Vec<PartState>,
    lines: Vec<LineStart>,
}

#[derive(Clone)]
struct Placed {
    pose: Pose,
    on: BodyId,
    /// It was given its exact point.
    exact: bool,
    /// What it stands on, in or under, and what that does; these may overlap it.
    relatives: Vec<usize>,
    footprints: Vec<Footprint>,
}

impl<'a> Draw<'a> {
    fn new(
        spec: &'a TaskSpec,
        seed: Seed,
        fixed: &BTreeMap<String, i64>,
    ) -> Result<Self, SampleError> {
        let mut variables = BTreeMap::new();
        for (name, values) in &spec.variables {
            let mut rng = seed.stream(&format!("variable/{name}"));
            if let Some(v) = fixed.get(name).or_else(|| rng.pick(values)) {
                variables.insert(name.clone(), *v);
            }
        }
        let mut out = Self {
            spec,
            seed,
            variables,
            instances: Vec::new(),
            infos: Vec::new(),
            bodies: Vec::new(),
            parts: Vec::new(),
            lines: Vec::new(),
        };
        for o in &spec.objects {
            if o.when.as_ref().is_some_and(|w| !w.holds(&out.variables)) {
                continue;
            }
            let asset = seed.stream(&format!("asset/{}", o.name)).pick(&o.assets).cloned();
            let asset = asset.ok_or_else(|| crate::SpecError::NoAsset {
                task: spec.id.to_string(),
                name: o.name.clone(),
            })?;
            let mut info = asset.info().clone();
            out.lay(&o.name, &mut info);
            out.infos.push(info);
            out.instances.push(Instance { name: o.name.clone(), asset });
        }
        let cast = out.instances.iter().map(|i| (i.name.as_str(), &i.asset));
        let bodies = Bodies::of(cast);
        out.bodies = (0..out.instances.len()).map(|i| bodies.object(i)).collect();
        let meanings = spec.meanings(&out.variables);
        for (path, start) in &spec.init.parts {
            out.draw_part(&meanings.path(path), *start)?;
        }
        Ok(out)
    }

    /// What carries objects on an instance: below paint the table does.
    fn carries(&self, i: usize) -> BodyId {
        if self.infos[i].flat { 0 } else { self.bodies[i] }
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.instances.iter().position(|i| i.name == name)
    }

    fn draw_part(&mut self, path: &str, start: PartStart) -> Result<(), SampleError> {
        let task = || self.spec.id.to_string();
        let (object, name) = path.split_once('/').unwrap_or((path, ""));
        let Some(i) = self.index(object) else { return Ok(()) };
        let region_part = self.infos[i].region(name).and_then(|r| r.part.clone());
        let name = region_part.as_deref().unwrap_or(name);
        let Some(part) = self.infos[i].part(name) else {
            let noun = self.instances[i].asset.noun().to_owned();
            return Err(
                crate::SpecError::NotOpenable { task: task(), name: path.into(), noun }.into()
            );
        };
        let [lo, hi] = match start {
            PartStart::Open => part.start(true),
            PartStart::Closed => part.start(false),
            PartStart::Between(lo, hi) => [lo, hi],
        };
        let (lo, hi) = (lo.max(part.range[0]), hi.min(part.range[1]));
        let value = self.seed.stream(&format!("part/{path}")).range(lo, hi);
        self.parts.push(PartState { instance: i, part: name.to_owned(), value });
        Ok(())
    }

    fn part_value(&self, i: usize, part: &str) -> f64 {
        self.parts.iter().find(|p| p.instance == i && p.part == part).map_or(0.0, |p| p.value)
    }

    /// Places everything once, what others depend on first.
    fn layout(&self, round: usize) -> Result<Vec<Placed>, SampleError> {
        let mut placed: Vec<Option<Placed>> = vec![None; self.instances.len()];
        let mut waiting: Vec<&Placement> =
            self.spec.init.places.iter().filter(|p| self.index(&p.object).is_some()).collect();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut later = Vec::new();
            for p in waiting {
                let place = self.chosen(&p.place);
                match self.carrier(&p.object, place)? {
                    Some(c) if placed[c].is_none() => later.push(p),
                    carrier => {
                        let done = self.place(p, place, carrier, &placed, round)?;
                        if let Some(i) = self.index(&p.object) {
                            placed[i] = Some(done);
                        }
                    }
                }
            }
            if later.len() == before {
                let names: Vec<_> = later.iter().map(|p| p.object.as_str()).collect();
                let (task, names) = (self.spec.id.to_string(), names.join(", "));
                return Err(crate::SpecError::PlacementCycle { task, names }.into());
            }
            waiting = later;
        }
        let unplaced = |i: usize| crate::SpecError::Unplaced {
            task: self.spec.id.to_string(),
            name: self.instances[i].name.clone(),
        };
        placed.into_iter().enumerate().map(|(i, p)| p.ok_or_else(|| unplaced(i).into())).collect()
    }

    fn chosen<'p>(&self, place: &'p Place) -> &'p Place {
        match place {
            Place::Chosen { variable, places } => {
                let value = self.variables.get(variable);
                let values = self.spec.variables.get(variable);
                let k = values.zip(value).and_then(|(all, v)| all.iter().position(|x| x == v));
                places.get(k.unwrap_or(0)).map_or(place, |p| self.chosen(p))
            }
            other => other,
        }
    }

    /// The instance a place belongs to.
    fn carrier(&self, object: &str, place: &Place) -> Result<Option<usize>, SampleError> {
        let name = match place {
            Place::At(r) if self.spec.regions.iter().any(|s| s.name == *r) => return Ok(None),
            Place::At(path) => path.split_once('/').map_or(path.as_str(), |(o, _)| o),
            Place::On { object, .. } | Place::Under(object) => object,
            Place::Chosen { .. } | Place::Palm { .. } => return Ok(None),
        };
        match self.index(name) {
            Some(i) => Ok(Some(i)),
            None => Err(SampleError::Absent {
                task: self.spec.id.to_string(),
                seed: self.seed,
                object: object.to_owned(),
                other: name.to_owned(),
            }),
        }
    }

    fn place(
        &self,
        p: &Placement,
        place: &Place,
        carrier: Option<usize>,
        placed: &[Option<Placed>],
        round: usize,
    ) -> Result<Placed, SampleError> {
        let i = self.index(&p.object).unwrap_or(0);
        let stream = match round {
            0 => format!("place/{}", p.object),
            r => format!("place/{}#{r}", p.object),
        };
        let mut rng = self.seed.stream(&stream);
        let mut relatives = Vec::new();
        if let Some(c) = carrier {
            relatives.push(c);
            relatives.extend(placed[c].iter().flat_map(|p| p.relatives.iter().copied()));
        }
        let exact = self.is_point(place);
        let piles = round >= LAYOUTS && !self.infos[i].fixed;
        let mut blockers: BTreeMap<usize, usize> = BTreeMap::new();
        for tried in 0..TRIES {
            let base = carrier.and_then(|c| placed[c].as_ref());
            let (mut pose, on) = self.draw_pose(i, p, place, carrier, base, (tried, &mut rng));
            if piles {
                pose.pos.z += PILE * (tried as f64 / TRIES as f64 - 0.5).max(0.0);
            }
            let footprints = self.footprints(i, &pose);
            let hit = placed.iter().enumerate().find(|(j, other)| {
                let Some(other) = other else { return false };
                let kin = relatives.contains(j) || other.relatives.contains(&i);
                // Two points that overlap are meant to: nothing else could be drawn.
                let meant = exact && other.exact;
                !kin && !meant
                    && Footprint::collide(&footprints, &other.footprints, self.spec.init.clearance)
            });
            match hit {
                None => return Ok(Placed { pose, on, exact, relatives, footprints }),
                Some((j, _)) => *blockers.entry(j).or_default() += 1,
            }
        }
        let mut worst: Vec<_> = blockers.into_iter().collect();
        worst.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let names = worst.into_iter().map(|(j, _)| self.instances[j].name.clone()).collect();
        Err(self.crowded(&p.object, place, names))
    }

    fn is_point(&self, place: &Place) -> bool {
        let Place::At(name) = place else { return false };
        let region = self.spec.regions.iter().find(|r| r.name == *name);
        region.is_some_and(|r| r.rects.len() == 1 && r.rects[0].half() == [0.0; 2])
    }

    fn crowded(&self, object: &str, place: &Place, blockers: Vec<String>) -> SampleError {
        let place = match place {
            Place::At(r) => format!("in region {r:?}"),
            Place::On { object, .. } => format!("on {object:?}"),
            Place::Under(cover) => format!("under {cover:?}"),
            Place::Palm { limb, .. } => format!("in the hand of {limb:?}"),
            Place::Chosen { variable, .. } => format!("chosen by {variable:?}"),
        };
        SampleError::Crowded {
            task: self.spec.id.to_string(),
            seed: self.seed,
            object: object.to_owned(),
            place,
            tries: TRIES * LAYOUTS,
            blockers: blockers.join(", "),
        }
    }

    fn draw_pose(
        &self,
        i: usize,
        p: &Placement,
        place: &Place,
        carrier: Option<usize>,
        base: Option<&Placed>,
        (tried, rng): (usize, &mut longarm_types::Rng),
    ) -> (Pose, BodyId) {
        // Drawn in the same order whatever the place, so that an edit of one number stays local.
        let (u, v, w, k) = (rng.unit(), rng.unit(), rng.unit(), rng.next_u64());
        let lerp = |lo: f64, hi: f64, t: f64| lo + (hi - lo) * t;
        let turn = p.yaw.unwrap_or([0.0; 2]);
        let Some((c, base)) = carrier.zip(base) else {
            if let Place::Palm { limb, offset, spread } = place
                && let Some(palm) = self.palm(limb)
            {
                let [x, y] = [0, 1].map(|k| offset[k] + spread[k] * lerp(-1.0, 1.0, [u, v][k]));
                let at = palm.point(DVec3::new(x, y, IN_PALM));
                return (upright(&palm, at, lerp(turn[0], turn[1], w)), 0);
            }
            let region = match place {
                Place::At(r) => self.spec.regions.iter().find(|s| s.name == *r),
                _ => None,
            };
            let Some(r) = region.filter(|r| !r.rects.is_empty()) else {
                return (Pose::IDENTITY, 0);
            };
            let rect = r.rects[(k % r.rects.len() as u64) as usize];
            let turn = p.yaw.unwrap_or(r.yaw);
            let at = Pose::at(lerp(rect.0, rect.2, u), lerp(rect.1, rect.3, v), r.z);
            return (at.yawed(lerp(turn[0], turn[1], w)), 0);
        };
        let info = &self.infos[c];
        let heading = lerp(turn[0], turn[1], w);
        match place {
            Place::At(path) => {
                let name = path.split_once('/').map_or("", |(_, r)| r);
                let Some(r) = info.region(name) else { return (base.pose, self.bodies[c]) };
                let (frame, body) = match r
                    .part
                    .as_deref()
                    .and_then(|n| info.parts.iter().position(|p| p.name == n).map(|k| (n, k)))
                {
                    Some((n, k)) => {
                        let moved = part_pose(&info.parts[k], self.part_value(c, n));
                        (base.pose * moved, self.bodies[c] + 1 + k)
                    }
                    None => (base.pose, self.carries(c)),
                };
                // Kept inside by its own size, turned as it may be.
                let own = self.infos[i].bounds.footprint_radius();
                let half =
                    longarm_types::Bounds { centre: [0.0; 3], half: r.half }.half_in(&r.pose);
                let (rx, ry) = ((half.x - own).max(0.0), (half.y - own).max(0.0));
                let mut local = floor(r);
                local.x += lerp(-rx, rx, u);
                local.y += lerp(-ry, ry, v);
                (upright(&frame, frame.point(local), heading), body)
            }
            Place::Under(_) => (upright(&base.pose, base.pose.pos, heading), base.on),
            Place::On { offset, spread, .. } => {
                let mut local = surface_point(info);
                let top = info.bounds.centre[2] + info.bounds.half[2];
                if wider_than(&self.infos[i], info) && top > local.z + VESSEL {
                    local.z = top;
                }
                local.x += offset[0];
                local.y += offset[1];
                if *spread {
                    // In the middle if that is free, else further and further out, else on top of
                    // what is there already.
                    let share = tried as f64 / TRIES as f64;
                    let out = info.bounds.half[0].min(info.bounds.half[1]) * share.min(0.7);
                    let angle = std::f64::consts::TAU * u;
                    local.x += out * libm::cos(angle);
                    local.y += out * libm::sin(angle);
                    local.z += (share - 0.7).max(0.0) * PILE;
                }
                (upright(&base.pose, base.pose.point(local), heading), self.carries(c))
            }
            Place::Chosen { .. } | Place::Palm { .. } => (base.pose, self.bodies[c]),
        }
    }

    /// The middle of the palm's face of a limb's hand at the start.
    fn palm(&self, limb: &str) -> Option<Pose> {
        let limbs = self.spec.rig.rig().limbs();
        limbs.iter().find(|l| l.name == limb).and_then(longarm_assets::RigLimb::palm)
    }
}

/// Stands upright at a point, heading like `frame` plus an angle.
fn upright(frame: &Pose, at: DVec3, heading: f64) -> Pose {
    Pose::at(at.x, at.y, at.z).yawed(yaw(frame.rot) + heading)
}
