//! From a sentence to an object and a place, by what is in the scene now.

use longarm_assets::{Asset, Tint};
use longarm_types::{Bounds, DVec3, Pose, yaw};

use super::{Area, Phrase, Side, Size, SpeechError, SpokenPlace, parse};
use crate::{BodyId, Bound, Fit, Scene, Slot, Snapshot};

/// How near an object must be to the point that names it.
const ABOUT: f64 = 0.03;
/// Gap left beside an object.
const GAP: f64 = 0.02;
/// Grid on which a free spot of an area is searched.
const GRID: f64 = 0.01;

/// The object a sentence means and the place for it, a slot in the world at the right height.
pub fn understand(
    text: &str,
    scene: &Scene,
    bound: &Bound,
    now: &Snapshot,
) -> Result<(String, Slot), SpeechError> {
    let said = parse(text)?;
    let room = Room::new(scene, bound, now);
    let what = room.find(&said.pick, true)?;
    let slot = match &said.place {
        SpokenPlace::On(phrase) => {
            let support = room.find(phrase, false)?;
            room.upon(what, support)
        }
        SpokenPlace::Beside(side, phrase) => {
            let other = room.find(phrase, false)?;
            room.beside(what, other, *side)
        }
        SpokenPlace::In(area) => room.in_area(what, *area)?,
        SpokenPlace::At([x, y], degrees) => room.at([*x, *y], degrees.to_radians(), what),
    };
    Ok((room.objects[what].name.clone(), slot))
}

struct SeenObject {
    name: String,
    asset: Asset,
    tint: Tint,
    fixed: bool,
    pose: Pose,
    centre: DVec3,
    half: DVec3,
}

struct Room {
    objects: Vec<SeenObject>,
    workspace: Bounds,
    /// Sizes of the smallest and the biggest block.
    blocks: (f64, f64),
}

impl Room {
    fn new(scene: &Scene, bound: &Bound, now: &Snapshot) -> Self {
        let objects: Vec<SeenObject> = scene
            .structure
            .instances
            .iter()
            .enumerate()
            .filter_map(|(i, o)| {
                let body: BodyId = bound.body(&o.name)?;
                let info = o.asset.info();
                let pose = now.bodies[body].pose;
                Some(SeenObject {
                    name: o.name.clone(),
                    asset: o.asset.clone(),
                    tint: scene.tints[i],
                    fixed: info.fixed,
                    pose,
                    centre: info.bounds.centre_in(&pose),
                    half: info.bounds.half_in(&pose),
                })
            })
            .collect();
        let sizes = objects.iter().filter(|t| t.asset.noun() == "block").map(SeenObject::size);
        let blocks = sizes.fold((f64::MAX, 0.0f64), |(lo, hi), s| (lo.min(s), hi.max(s)));
        Self { objects, workspace: scene.structure.rig.workspace, blocks }
    }

    fn find(&self, p: &Phrase, to_pick: bool) -> Result<usize, SpeechError> {
        let fits = |t: &SeenObject| {
            let noun = t.asset.noun();
            let named = noun == p.noun || (noun == "block" && p.noun == "box");
            let coloured = p.colour.is_none_or(|c| t.tint == Tint::Named(c));
            let middle = (self.blocks.0 + self.blocks.1) / 2.0;
            let sized = match p.size {
                None => true,
                Some(Size::Bigger) => t.size() > middle - 1e-9,
                Some(Size::Smaller) => t.size() < middle + 1e-9,
            };
            let at = [t.centre.x, t.centre.y];
            named
                && coloured
                && sized
                && p.area.is_none_or(|a| a.contains(&self.workspace, at, 0.0))
                && p.at.is_none_or(|[x, y]| libm::hypot(at[0] - x, at[1] - y) < ABOUT)
        };
        let mut found: Vec<usize> =
            (0..self.objects.len()).filter(|i| fits(&self.objects[*i])).collect();
        if p.at.is_some() {
            // Of a tower, the one on top.
            found.sort_by(|a, b| self.objects[*b].centre.z.total_cmp(&self.objects[*a].centre.z));
            found.truncate(1);
        }
        let what = describe(p);
        match found[..] {
            [one] if to_pick && self.objects[one].fixed => Err(SpeechError::Fixed { what }),
            [one] => Ok(one),
            [] => {
                let mut known: Vec<String> = self.objects.iter().map(SeenObject::called).collect();
                known.sort();
                known.dedup();
                Err(SpeechError::Nothing { what, known: known.join(", ") })
            }
            [first, ..] => {
                let t = &self.objects[first];
                let example =
                    format!("the {} at ({:.2}, {:.2})", t.called(), t.centre.x, t.centre.y);
                Err(SpeechError::Several { what, count: found.len(), example })
            }
        }
    }

    /// How high objects other than `what` reach over a spot.
    fn top(&self, [x, y]: [f64; 2], reach: f64, what: usize) -> f64 {
        let others = self.objects.iter().enumerate().filter(|(i, _)| *i != what);
        others
            .filter(|(_, t)| {
                !t.asset.info().flat
                    && (t.centre.x - x).abs() < t.half.x + reach
                    && (t.centre.y - y).abs() < t.half.y + reach
            })
            .map(|(_, t)| match t.asset.info().rests_at {
                // The floor of a bowl, not its rim.
                Some(z) => t.centre.z - t.half.z + z,
                None => t.centre.z + t.half.z,
            })
            .fold(0.0, f64::max)
    }

    fn at(&self, [x, y]: [f64; 2], heading: f64, what: usize) -> Slot {
        let z = self.top([x, y], 0.0, what);
        Slot::on_table([x, y, z], Fit::Near(0.03)).heading(heading, 0.3)
    }

    fn upon(&self, what: usize, support: usize) -> Slot {
        let t = &self.objects[support];
        let heading = if t.asset.info().aligns { yaw(t.pose.rot) } else { 0.0 };
        self.at([t.centre.x, t.centre.y], heading, what)
    }

    fn beside(&self, what: usize, other: usize, side: Side) -> Slot {
        let (t, own) = (&self.objects[other], &self.objects[what]);
        let (dx, dy) = match side {
            Side::Left => (0.0, -1.0),
            Side::Right => (0.0, 1.0),
            Side::Top => (-1.0, 0.0),
            Side::Bottom => (1.0, 0.0),
        };
        let x = t.centre.x + dx * (t.half.x + own.half.x + GAP);
        let y = t.centre.y + dy * (t.half.y + own.half.y + GAP);
        self.at([x, y], 0.0, what)
    }

    /// The spot of an area that is farthest from everything else.
    fn in_area(&self, what: usize, area: Area) -> Result<Slot, SpeechError> {
        let (c, h) = area.rect(&self.workspace);
        let own = self.objects[what].half.truncate().max_element() * std::f64::consts::SQRT_2;
        let room = |p: [f64; 2]| {
            let others = self.objects.iter().enumerate().filter(|(i, _)| *i != what);
            let gaps = others.map(|(_, t)| {
                let (dx, dy) = ((t.centre.x - p[0]).abs(), (t.centre.y - p[1]).abs());
                (dx - t.half.x).max(dy - t.half.y) - own
            });
            // Beyond this more room is no better, and the far corners are out of reach.
            let far = 0.76 - libm::hypot(p[0], p[1]);
            gaps.fold(0.03, f64::min).min(far)
        };
        let steps = |h: f64| ((h - own) / GRID).floor().max(0.0) as i32;
        let (nx, ny) = (steps(h[0]), steps(h[1]));
        let spots = (-nx..=nx).flat_map(|i| {
            (-ny..=ny).map(move |j| [c[0] + f64::from(i) * GRID, c[1] + f64::from(j) * GRID])
        });
        let best = spots.map(|p| (room(p), p)).fold((f64::MIN, c), |best, next| {
            // The first of equals, so that the choice does not depend on rounding further on.
            if next.0 > best.0 + 1e-9 { next } else { best }
        });
        if best.0 <= 0.0 {
            return Err(SpeechError::Full { area: area.name() });
        }
        let [x, y] = best.1;
        Ok(Slot::on_table([x, y, 0.0], Fit::Near(0.03)).heading(0.0, 0.3))
    }
}

impl SeenObject {
    fn size(&self) -> f64 {
        2.0 * self.half.z
    }

    fn called(&self) -> String {
        match self.tint {
            Tint::Named(c) => format!("{} {}", c.name(), self.asset.noun()),
            Tint::Own => self.asset.noun().to_owned(),
        }
    }
}

fn describe(p: &Phrase) -> String {
    let size = match p.size {
        Some(Size::Bigger) => "bigger ",
        Some(Size::Smaller) => "smaller ",
        None => "",
    };
    let colour = p.colour.map_or(String::new(), |c| format!("{} ", c.name()));
    let area = p.area.map_or(String::new(), |a| format!(" on the {}", a.name()));
    let at = p.at.map_or(String::new(), |[x, y]| format!(" at ({x}, {y})"));
    format!("{size}{colour}{}{area}{at}", p.noun)
}
