//! From pictures to objects: colours, depth and segments of all cameras, and nothing else.
//!
//! A segment is a number that pixels of one object share; what it is, where it is and what colour it has is
//! read off its pixels. Numbers say nothing by themselves: with other numbers the same objects are found.

use std::collections::BTreeMap;

use longarm_assets::Colour;
use longarm_policy::{EpisodeInfo, PolicyError};
use longarm_task::speech::Area;
use longarm_types::{ActionSpec, Bounds, CameraImage, ChannelKind, Observation, Segment};

use crate::World;
use crate::part::Reporter;
use crate::plane::{Point, Rectangle, hull};
use crate::sighting::{Noun, Sighting};

/// Fewer pixels than this are not looked at.
const FEW: usize = 12;
/// What is lower than this is painted on the table.
const FLAT: f64 = 0.006;
/// What is lower than this in a bowl is its floor.
const FLOOR: f64 = 0.012;
/// Share of its rectangle that a round object fills at most.
const ROUND: f64 = 0.88;
/// Length over width from which a painted object is a line.
const LINE: f64 = 8.0;
/// What does not move further than this has not moved.
const MOVED: f64 = 0.004;

/// The pixels of one segment.
#[derive(Default)]
struct Pixels {
    points: Vec<[f64; 3]>,
    colours: Vec<[u8; 3]>,
}

/// One view of an object.
#[derive(Clone, Debug)]
struct Found {
    sighting: Sighting,
    rectangle: Rectangle,
    outline: Vec<Point>,
    pixels: usize,
    /// Those that its colour was read from.
    level: usize,
}

/// Finds objects, and remembers those that something hides.
#[derive(Debug, Default)]
pub(crate) struct Detector {
    known: BTreeMap<i32, Found>,
    workspace: Option<Bounds>,
}

impl Detector {
    /// Forget what was seen, and take in where the robot may act.
    pub(crate) fn begin(&mut self, action: &ActionSpec) {
        self.known.clear();
        self.workspace = workspace(action);
    }

    /// Where the robot may act, if it says so.
    pub(crate) fn workspace(&self) -> Option<Bounds> {
        self.workspace
    }

    /// Return every object that is seen now or was seen before.
    pub(crate) fn look(&mut self, seen: &Observation) -> Vec<Sighting> {
        let mut segments: BTreeMap<i32, Pixels> = BTreeMap::new();
        for camera in &seen.cameras {
            gather(camera, &mut segments);
        }
        for (id, pixels) in &segments {
            let Some(found) = describe(pixels) else { continue };
            match self.known.get_mut(id) {
                None => drop(self.known.insert(*id, found)),
                Some(known) => known.renew(found),
            }
        }
        let area = |at: Point| self.workspace.map(|w| Area::of(&w, at));
        let each = self.known.values().map(|f| &f.sighting);
        each.map(|s| Sighting { area: area(s.at), ..s.clone() }).collect()
    }
}

/// The space in which whole motions may begin and end.
fn workspace(action: &ActionSpec) -> Option<Bounds> {
    let (channel, _) = action.slices().find(|(c, _)| c.kind == ChannelKind::PickPlace)?;
    let axes = [0, 1, 2].map(|i| (channel.values[i].low, channel.values[i].high));
    Some(Bounds {
        centre: axes.map(|(lo, hi)| (lo + hi) / 2.0),
        half: axes.map(|(lo, hi)| (hi - lo) / 2.0),
    })
}

impl Reporter for Detector {
    fn begin(&mut self, episode: &EpisodeInfo) {
        Detector::begin(self, &episode.action);
    }

    fn report(&mut self, world: &mut dyn World) -> Result<Vec<String>, PolicyError> {
        Ok(self.look(world.observe()).iter().map(Sighting::to_string).collect())
    }
}

impl Found {
    /// Take in a later view of the same object: what hides a part of it does not make it smaller.
    fn renew(&mut self, new: Self) {
        // What was seen from the side, in the shade, shows its colour once its top is free.
        if new.level > self.level {
            self.level = new.level;
            self.sighting.noun = new.sighting.noun;
            self.sighting.colour = new.sighting.colour;
        }
        let (old, fresh) = (&self.sighting, &new.sighting);
        let less = new.rectangle.area() < 0.97 * self.rectangle.area();
        let same_height = (old.top - fresh.top).abs() < MOVED;
        let stays = same_height && self.rectangle.contains(&new.outline, MOVED);
        let fixed = old.noun != Noun::Block;
        if (fixed && new.pixels <= self.pixels) || (less && stays) {
            return;
        }
        // A block that moved and is half hidden keeps what it is.
        let (noun, colour) = (old.noun, old.colour);
        let size = if less { old.size } else { fresh.size };
        self.pixels = self.pixels.max(new.pixels);
        self.rectangle = new.rectangle;
        self.outline = new.outline;
        self.sighting = Sighting { noun, colour, size, ..new.sighting };
    }
}

/// Add the pixels of a camera that show objects, as points of the world.
fn gather(camera: &CameraImage, into: &mut BTreeMap<i32, Pixels>) {
    let n = camera.width * camera.height;
    if camera.rgb.len() != 3 * n || camera.depth.len() != n || camera.segment.len() != n {
        return;
    }
    let c = &camera.calibration;
    for v in 0..camera.height {
        for u in 0..camera.width {
            let i = v * camera.width + u;
            let (id, depth) = (camera.segment[i], f64::from(camera.depth[i]));
            // Body 0 is the table and all that never moves.
            if !matches!(Segment::of(id), Segment::Body(1..)) || depth <= 0.0 {
                continue;
            }
            let ray = |pixel: usize, k: usize| {
                (pixel as f64 + 0.5 - f64::from(c.centre[k])) / f64::from(c.focal[k]) * depth
            };
            let local = [ray(u, 0), ray(v, 1), depth];
            let point = [0, 1, 2].map(|k| {
                let along: f64 =
                    c.rotation[k].iter().zip(local).map(|(r, l)| f64::from(*r) * l).sum();
                f64::from(c.position[k]) + along
            });
            let pixels = into.entry(id).or_default();
            pixels.points.push(point);
            pixels.colours.push([0, 1, 2].map(|k| camera.rgb[3 * i + k]));
        }
    }
}

fn describe(pixels: &Pixels) -> Option<Found> {
    if pixels.points.len() < FEW {
        return None;
    }
    let top = pixels.points.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    let outline = hull(pixels.points.iter().map(|p| [p[0], p[1]]).collect());
    let rectangle = Rectangle::around(&outline)?;
    let filled = area(&outline) / rectangle.area().max(1e-9);
    let [length, width] = rectangle.size;
    let noun = match (top < FLAT, filled < ROUND) {
        (true, _) if length > LINE * width => Noun::Line,
        (true, true) => Noun::Circle,
        (true, false) => Noun::Zone,
        (false, true) => Noun::Bowl,
        (false, false) => Noun::Block,
    };
    let (colour, level) = colour(pixels, noun, top);
    let sighting = Sighting {
        noun,
        colour,
        size: [length, width],
        at: rectangle.centre,
        heading: rectangle.heading,
        top,
        area: None,
    };
    Some(Found { sighting, rectangle, outline, pixels: pixels.points.len(), level })
}

/// Twice the area of triangles from the first corner, halved.
fn area(outline: &[Point]) -> f64 {
    let Some(([x0, y0], rest)) = outline.split_first() else { return 0.0 };
    let cross = |w: &[Point]| {
        let [[ax, ay], [bx, by]] = [w[0], w[1]];
        (ax - x0) * (by - y0) - (ay - y0) * (bx - x0)
    };
    rest.windows(2).map(cross).sum::<f64>().abs() / 2.0
}

/// The colour of what lies level, which is lit alike everywhere: the top, or the floor of a bowl; and how many
/// pixels that are.
fn colour(pixels: &Pixels, noun: Noun, top: f64) -> (Option<Colour>, usize) {
    let level = |p: &[f64; 3]| match noun {
        Noun::Bowl => p[2] < FLOOR,
        _ => p[2] > top - FLAT,
    };
    let seen = || pixels.points.iter().zip(&pixels.colours);
    let mut chosen: Vec<[u8; 3]> = seen().filter(|(p, _)| level(p)).map(|(_, c)| *c).collect();
    let level = chosen.len();
    if chosen.is_empty() {
        chosen.clone_from(&pixels.colours);
    }
    let middle = |k: usize| {
        let mut all: Vec<u8> = chosen.iter().map(|c| c[k]).collect();
        all.sort_unstable();
        f64::from(all.get(all.len() / 2).copied().unwrap_or(0))
    };
    (nearest_colour([middle(0), middle(1), middle(2)]), level)
}

/// The named colour that looks most like one, in a light that may be weaker or stronger than usual.
fn nearest_colour(rgb: [f64; 3]) -> Option<Colour> {
    /// How much a light twice as strong counts, in grey levels.
    const LIGHT: f64 = 120.0;
    let far = |c: &Colour| {
        let own = c.rgb8().map(f64::from);
        let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // The light that explains it best.
        let light = (dot(rgb, own) + LIGHT * LIGHT) / (dot(own, own) + LIGHT * LIGHT);
        let off = [0, 1, 2].map(|k| rgb[k] - light * own[k]);
        dot(off, off) + (LIGHT * (1.0 - light)) * (LIGHT * (1.0 - light))
    };
    Colour::ALL.iter().min_by(|a, b| far(a).total_cmp(&far(b))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known_in_any_light() {
        for c in Colour::ALL {
            let rgb = c.rgb8().map(f64::from);
            assert_eq!(nearest_colour(rgb), Some(*c));
            // Whites and greys differ in brightness alone.
            if !matches!(c, Colour::White | Colour::Silver | Colour::Gray | Colour::Black) {
                assert_eq!(nearest_colour(rgb.map(|v| 0.9 * v)), Some(*c), "{c:?} in the shade");
            }
        }
    }

    /// A camera straight above the table at a height of one metre, 400 pixels per metre.
    fn above(paint: impl Fn(f64, f64) -> Option<(i32, f64, [u8; 3])>) -> CameraImage {
        let (width, height) = (400, 400);
        let mut camera = CameraImage { width, height, ..CameraImage::default() };
        camera.calibration.focal = [400.0; 2];
        camera.calibration.centre = [200.0; 2];
        camera.calibration.position = [0.5, 0.0, 1.0];
        camera.calibration.rotation = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
        for v in 0..height {
            for u in 0..width {
                // Good enough for low objects: as if the camera were far away.
                let (x, y) = (0.5 + (u as f64 - 199.5) / 400.0, -(v as f64 - 199.5) / 400.0);
                let (id, z, rgb) = paint(x, y).unwrap_or((0, 0.0, [90, 80, 70]));
                camera.rgb.extend(rgb);
                camera.depth.push((1.0 - z) as f32);
                camera.segment.push(id);
            }
        }
        camera
    }

    fn scene(ids: [i32; 3]) -> Observation {
        let camera = above(|x, y| {
            let (dx, dy) = (x - 0.4, y - 0.1);
            // A square of 6 cm turned by 30 degrees.
            let (a, b) = (0.866 * dx + 0.5 * dy, -0.5 * dx + 0.866 * dy);
            if a.abs() < 0.03 && b.abs() < 0.03 {
                return Some((ids[0], 0.04, [250, 85, 88]));
            }
            if libm::hypot(x - 0.6, y + 0.1) < 0.06 {
                return Some((ids[1], 0.03, [140, 0, 250]));
            }
            ((x - 0.4).abs() < 0.05 && (y + 0.2).abs() < 0.05).then_some((
                ids[2],
                0.001,
                [230, 195, 5],
            ))
        });
        Observation { cameras: vec![camera], ..Observation::default() }
    }

    #[test]
    fn objects_are_found_whatever_their_numbers() {
        let mut all = Vec::new();
        for ids in [[3, 7, 9], [9, 3, 7]] {
            let mut seen = Detector::default().look(&scene(ids));
            seen.sort_by_key(|s| s.noun.name());
            let [block, bowl, zone] = &seen[..] else { panic!("{seen:?}") };
            assert_eq!([block.noun, bowl.noun, zone.noun], [Noun::Block, Noun::Bowl, Noun::Zone]);
            assert_eq!(block.colour, Some(Colour::Red));
            assert_eq!(bowl.colour, Some(Colour::Violet));
            assert_eq!(zone.colour, Some(Colour::Gold));
            // Nearer to the camera than the table, so a little farther out than painted.
            assert!(libm::hypot(block.at[0] - 0.404, block.at[1] - 0.096) < 0.004, "{block:?}");
            assert!((block.size[0] - 0.0575).abs() < 0.005, "{block:?}");
            let turned = block.heading.to_degrees().rem_euclid(90.0);
            assert!((turned - 30.0).abs() < 3.0, "{turned}");
            assert!((zone.size[0] - 0.1).abs() < 0.006, "{zone:?}");
            all.push(seen);
        }
        assert_eq!(all[0], all[1]);
    }

    #[test]
    fn what_was_in_the_shade_shows_its_colour_later() {
        let mut dim = scene([3, 7, 9]);
        let camera = &mut dim.cameras[0];
        for i in 0..camera.segment.len() {
            // Of the block a strip of its upper edge, dark.
            if camera.segment[i] == 3 && i % 400 > 150 {
                camera.segment[i] = 0;
            }
            if camera.segment[i] == 3 {
                camera.rgb[3 * i..3 * i + 3].copy_from_slice(&[90, 60, 50]);
            }
        }
        let mut detector = Detector::default();
        let near = |s: &Sighting| libm::hypot(s.at[0] - 0.4, s.at[1] - 0.1) < 0.05;
        let block = |seen: Vec<Sighting>| seen.into_iter().find(near).unwrap();
        assert_ne!(block(detector.look(&dim)).colour, Some(Colour::Red));
        let later = block(detector.look(&scene([3, 7, 9])));
        assert_eq!((later.noun, later.colour), (Noun::Block, Some(Colour::Red)));
    }

    #[test]
    fn what_is_hidden_later_keeps_its_place_and_size() {
        let mut detector = Detector::default();
        let whole = detector.look(&scene([3, 7, 9]));
        let mut half = scene([3, 7, 9]);
        let camera = &mut half.cameras[0];
        for i in (0..camera.segment.len()).filter(|i| i % 400 > 158) {
            camera.segment[i] = 0;
        }
        assert_eq!(detector.look(&half), whole);
    }
}
