//! The actor that does what a sentence says by what the cameras show: a pick pose and a place pose.

use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

use longarm_policy::{EpisodeInfo, PolicyError};
use longarm_task::speech::{self, Area, Phrase, Side, Size, SpokenPlace};
use longarm_types::{Action, Bounds};

use crate::World;
use crate::detect::Detector;
use crate::part::Actor;
use crate::plane::{Point, Rectangle};
use crate::sighting::{Noun, Sighting};

/// How near an object must be to the point that names it.
const ABOUT: f64 = 0.03;
/// Gap left beside an object.
const GAP: f64 = 0.02;
/// Grid on which a free spot of an area is searched, and the room beyond which more is no better.
const GRID: f64 = 0.01;
const ROOM: f64 = 0.03;
/// How far from its base an arm that comes down from above reaches.
const REACH: f64 = 0.76;
/// Height at which what is put into a bowl stands.
const BOWL_FLOOR: f64 = 0.006;

/// Resolves sentences by sight.
#[derive(Default)]
pub(crate) struct Words {
    detector: Detector,
    base: Point,
}

impl Actor for Words {
    fn begin(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.detector.begin(&episode.action);
        self.base = episode.observation.limbs.first().map_or([0.0; 2], |l| {
            let p = l.base.pos;
            [p.x, p.y]
        });
        if self.detector.workspace().is_none() {
            return Err(PolicyError::Fault(
                "an actor of kind \"words\" answers with whole pick-and-place motions; this robot \
                 takes others"
                    .into(),
            ));
        }
        Ok(())
    }

    fn act(
        &mut self,
        sentence: &str,
        world: &mut dyn World,
        chunk: &mut Vec<Action>,
    ) -> Result<Result<(), String>, PolicyError> {
        let seen = self.detector.look(world.observe());
        let Some(workspace) = self.detector.workspace() else { return Ok(Ok(())) };
        let table = Table { seen: &seen, workspace, base: self.base };
        Ok(table.resolve(sentence).map(|(pick, place)| chunk.push(action(pick, place))))
    }
}

/// A pose from above: where, how high, which way.
type Tool = (Point, f64, f64);

fn action(pick: Tool, place: Tool) -> Action {
    let mut values = [0.0f32; 14];
    for (out, ([x, y], z, yaw)) in values.chunks_exact_mut(7).zip([pick, place]) {
        let pose = [x, y, z, libm::cos(yaw / 2.0), 0.0, 0.0, libm::sin(yaw / 2.0)];
        out.iter_mut().zip(pose).for_each(|(o, v)| *o = v as f32);
    }
    Action::new(&values)
}

/// What is seen of a table, and what an arm may do there.
pub(crate) struct Table<'a> {
    pub seen: &'a [Sighting],
    pub workspace: Bounds,
    pub base: Point,
}

impl Table<'_> {
    /// Return where to pick and where to place.
    fn resolve(&self, sentence: &str) -> Result<(Tool, Tool), String> {
        let said = speech::parse(sentence).map_err(|e| e.to_string())?;
        let what = self.to_pick(&said.pick, &said.place)?;
        let own = &self.seen[what];
        let (at, heading) = match &said.place {
            SpokenPlace::On(phrase) => {
                let on = self.find(phrase, Some(what))?;
                let on = &self.seen[on];
                (on.at, (on.noun != Noun::Bowl).then_some(on.heading))
            }
            SpokenPlace::Beside(side, phrase) => {
                let other = self.find(phrase, Some(what))?;
                (beside(own, &self.seen[other], *side), None)
            }
            SpokenPlace::In(area) => (self.free(what, *area)?, None),
            SpokenPlace::At(at, degrees) => (*at, Some(degrees.to_radians())),
        };
        // As little as makes it stand right, half of it before and half after.
        let period = if own.size[0] > 1.3 * own.size[1] { PI } else { FRAC_PI_2 };
        let turn = heading.map_or(0.0, |h| {
            let d = h - own.heading;
            d - period * (d / period).round()
        });
        let tall = own.top.min(own.size[1].max(0.02));
        let z = self.top(at, what) + tall;
        let highest = self.workspace.centre[2] + self.workspace.half[2];
        let pick = (own.at, own.top.clamp(0.0, highest), -turn / 2.0);
        Ok((pick, (at, z.clamp(0.0, highest), turn / 2.0)))
    }

    fn fits(&self, p: &Phrase, s: &Sighting) -> bool {
        let noun = if p.noun == "box" { "block" } else { &p.noun };
        let blocks = self.seen.iter().filter(|s| s.noun == Noun::Block).map(|s| s.size[1]);
        let (lo, hi) = blocks.fold((f64::MAX, 0.0f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        // Blocks that differ by less are of one size, which is both.
        let told = hi - lo > 0.01;
        let sized = match p.size {
            Some(Size::Bigger) if told => s.size[1] > (lo + hi) / 2.0,
            Some(Size::Smaller) if told => s.size[1] < (lo + hi) / 2.0,
            _ => true,
        };
        s.noun.name() == noun
            && sized
            && p.colour.is_none_or(|c| s.colour == Some(c))
            && p.area.is_none_or(|a| a.contains(&self.workspace, s.at, 0.0))
            && p.at.is_none_or(|[x, y]| libm::hypot(s.at[0] - x, s.at[1] - y) < ABOUT)
    }

    /// What a phrase means: of several the one on top, then the one nearest the point that is named.
    fn find(&self, p: &Phrase, not: Option<usize>) -> Result<usize, String> {
        let far = |i: &usize| {
            let s = &self.seen[*i];
            p.at.map_or(0.0, |[x, y]| libm::hypot(s.at[0] - x, s.at[1] - y))
        };
        let candidates = (0..self.seen.len()).filter(|i| not != Some(*i));
        let mut fit: Vec<usize> = candidates.filter(|i| self.fits(p, &self.seen[*i])).collect();
        fit.sort_by(|a, b| {
            let top = |i: &usize| self.seen[*i].top;
            let higher = (top(b) - top(a)).abs() > 0.005;
            let by_height =
                if higher { top(b).total_cmp(&top(a)) } else { std::cmp::Ordering::Equal };
            by_height.then(far(a).total_cmp(&far(b)))
        });
        fit.first().copied().ok_or_else(|| {
            let mut known: Vec<String> = self.seen.iter().map(Sighting::called).collect();
            known.sort();
            known.dedup();
            let colour = p.colour.map_or(String::new(), |c| format!("{} ", c.name()));
            format!("no {colour}{} is seen there; seen are: {}", p.noun, known.join(", "))
        })
    }

    /// What is to be picked: of several one that is not already where it goes, on top before below.
    fn to_pick(&self, p: &Phrase, place: &SpokenPlace) -> Result<usize, String> {
        let goes = match place {
            SpokenPlace::On(phrase) => self.find(phrase, None).ok().map(|i| self.seen[i].at),
            SpokenPlace::At(at, _) => Some(*at),
            _ => None,
        };
        let there =
            |s: &Sighting| goes.is_some_and(|[x, y]| libm::hypot(s.at[0] - x, s.at[1] - y) < ABOUT);
        let mut fit: Vec<usize> =
            (0..self.seen.len()).filter(|i| self.fits(p, &self.seen[*i])).collect();
        if p.at.is_none() {
            let elsewhere: Vec<usize> =
                fit.iter().copied().filter(|i| !there(&self.seen[*i])).collect();
            if let [first, ..] = elsewhere[..] {
                fit = vec![first];
            }
        }
        match fit[..] {
            [one] => Ok(one),
            _ => self.find(p, None),
        }
    }

    fn rectangle(s: &Sighting) -> Rectangle {
        Rectangle { centre: s.at, size: s.size, heading: s.heading }
    }

    /// How high objects other than `what` reach over a spot.
    fn top(&self, at: Point, what: usize) -> f64 {
        let others = self.seen.iter().enumerate().filter(|(i, s)| *i != what && !s.noun.flat());
        let over = others.filter(|(_, s)| {
            let [u, v] = Self::rectangle(s).local(at);
            u.abs() < s.size[0] / 2.0 && v.abs() < s.size[1] / 2.0
        });
        let height = |(_, s): (usize, &Sighting)| match s.noun {
            Noun::Bowl => BOWL_FLOOR,
            _ => s.top,
        };
        over.map(height).fold(0.0, f64::max)
    }

    /// The spot of an area that is farthest from everything else.
    fn free(&self, what: usize, area: Area) -> Result<Point, String> {
        let ([cx, cy], half) = area.rect(&self.workspace);
        let own = self.seen[what].size[0] / 2.0 * SQRT_2;
        let room = |p: Point| {
            let others = self.seen.iter().enumerate().filter(|(i, _)| *i != what);
            let gaps = others.map(|(_, s)| {
                let [u, v] = Self::rectangle(s).local(p);
                (u.abs() - s.size[0] / 2.0).max(v.abs() - s.size[1] / 2.0) - own
            });
            let far = REACH - libm::hypot(p[0] - self.base[0], p[1] - self.base[1]);
            gaps.fold(ROOM, f64::min).min(far)
        };
        let [nx, ny] = half.map(|h| ((h - own) / GRID).floor().max(0.0) as i32);
        let mut best = (0.0, None);
        for i in -nx..=nx {
            for j in -ny..=ny {
                let p = [cx + f64::from(i) * GRID, cy + f64::from(j) * GRID];
                let r = room(p);
                if r > best.0 + 1e-9 {
                    best = (r, Some(p));
                }
            }
        }
        best.1.ok_or_else(|| format!("no room is left on the {} area", area.name()))
    }
}

fn beside(own: &Sighting, other: &Sighting, side: Side) -> Point {
    let apart = (own.size[0] + other.size[0]) / 2.0 + GAP;
    let [x, y] = other.at;
    match side {
        Side::Left => [x, y - apart],
        Side::Right => [x, y + apart],
        Side::Top => [x - apart, y],
        Side::Bottom => [x + apart, y],
    }
}

#[cfg(test)]
mod tests {
    use longarm_assets::Colour;

    use super::*;

    fn seen(noun: Noun, colour: Colour, size: f64, at: Point, top: f64) -> Sighting {
        Sighting { noun, colour: Some(colour), size: [size; 2], at, heading: 0.0, top, area: None }
    }

    fn scene() -> Vec<Sighting> {
        vec![
            seen(Noun::Block, Colour::Red, 0.04, [0.4, 0.1], 0.04),
            seen(Noun::Block, Colour::Red, 0.06, [0.6, -0.2], 0.06),
            seen(Noun::Zone, Colour::Blue, 0.1, [0.5, 0.3], 0.001),
            seen(Noun::Block, Colour::Gold, 0.04, [0.5, 0.3], 0.04),
            seen(Noun::Bowl, Colour::Red, 0.12, [0.35, -0.3], 0.04),
        ]
    }

    fn resolve(sentence: &str) -> Result<(Tool, Tool), String> {
        let seen = scene();
        let workspace = Bounds { centre: [0.5, 0.0, 0.15], half: [0.25, 0.5, 0.15] };
        Table { seen: &seen, workspace, base: [0.0; 2] }.resolve(sentence)
    }

    #[test]
    fn sentences_become_poses() {
        let (pick, place) =
            resolve("pick up the smaller red block and place it on the blue zone").unwrap();
        assert_eq!(pick, ([0.4, 0.1], 0.04, 0.0));
        assert_eq!(place.0, [0.5, 0.3]);
        assert!((place.1 - 0.08).abs() < 1e-9, "on top of what stands there: {place:?}");
        let (pick, place) =
            resolve("pick up the red block at (0.60, -0.20) and place it on the red bowl").unwrap();
        assert_eq!((pick.0, place.0), ([0.6, -0.2], [0.35, -0.3]));
        assert!((place.1 - 0.066).abs() < 1e-9);
        let (_, place) =
            resolve("pick up the gold block and place it at (0.5, 0.0) turned by 60 degrees")
                .unwrap();
        assert!((place.2.to_degrees() + 15.0).abs() < 1e-9, "a square turns by -30: {place:?}");
        let (_, place) =
            resolve("pick up the gold block and place it on the top left area").unwrap();
        assert!(place.0[0] < 0.5 && place.0[1] < 0.0);
    }

    #[test]
    fn what_is_not_seen_is_said() {
        let e = resolve("pick up the green block and place it on the blue zone").unwrap_err();
        assert!(e.contains("no green block is seen") && e.contains("gold block"), "{e}");
        assert!(resolve("pick up the red block").unwrap_err().contains("where to place it"));
    }
}
