//! From what is wanted to jobs: which block goes where.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use longarm_assets::Colour;
use longarm_task::speech::{Area, Side, Size};

use super::intent::{Count, Intent, Ring, Select};
use crate::sighting::{Noun, Sighting};

/// Blocks whose widths differ by less are of one size.
const SIZES: f64 = 0.01;

/// Where a block goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Destination {
    /// Onto something, whatever already stands there.
    On(Sighting),
    Area(Area),
    At([f64; 2]),
}

impl Destination {
    fn said(&self) -> String {
        match self {
            Self::On(s) if s.noun == Noun::Block => format!("on the {}", named(s)),
            Self::On(s) => format!("on the {}", s.called()),
            Self::Area(a) => format!("on the {} area", a.name()),
            Self::At([x, y]) => format!("at ({x:.3}, {y:.3})"),
        }
    }

    pub(super) fn point(&self) -> Option<[f64; 2]> {
        match self {
            Self::On(s) => Some(s.at),
            Self::At(at) => Some(*at),
            Self::Area(_) => None,
        }
    }
}

/// One block and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Job {
    pub block: Sighting,
    pub to: Destination,
}

impl Job {
    /// The sentence for it, with the block where it is now.
    pub(super) fn sentence(&self, now: &Sighting) -> String {
        format!("pick up the {} and place it {}", named(now), self.to.said())
    }
}

/// What an object is called together with its place.
pub(super) fn named(s: &Sighting) -> String {
    format!("{} at ({:.3}, {:.3})", s.called(), s.at[0], s.at[1])
}

/// What is seen at the beginning.
pub(super) struct Start<'a>(pub &'a [Sighting]);

impl<'a> Start<'a> {
    pub(super) fn all(&self, noun: Noun) -> impl Iterator<Item = &'a Sighting> + use<'a> {
        self.0.iter().filter(move |s| s.noun == noun)
    }

    fn blocks(&self) -> Vec<&'a Sighting> {
        self.all(Noun::Block).collect()
    }

    fn of(&self, colour: Colour) -> Vec<&'a Sighting> {
        self.all(Noun::Block).filter(|s| s.colour == Some(colour)).collect()
    }

    pub(super) fn coloured(&self, noun: Noun, colour: Colour) -> Option<&'a Sighting> {
        self.all(noun).find(|s| s.colour == Some(colour))
    }

    /// Whether a block is one of the bigger ones, where there are two sizes.
    fn bigger(&self, s: &Sighting) -> Option<bool> {
        let widths = self.all(Noun::Block).map(|b| b.size[1]);
        let (lo, hi) = widths.fold((f64::MAX, 0.0f64), |(lo, hi), w| (lo.min(w), hi.max(w)));
        (hi - lo > SIZES).then_some(s.size[1] > (lo + hi) / 2.0)
    }

    fn is(&self, s: &Sighting, size: Size) -> bool {
        self.bigger(s).is_none_or(|big| big == (size == Size::Bigger))
    }

    fn selected(&self, select: &Select) -> Vec<&'a Sighting> {
        let reference = select.side.and_then(|(_, c)| self.of(c).first().copied());
        let fits = |s: &&&Sighting| {
            let beside = match (select.side, reference) {
                (Some((side, _)), Some(r)) => {
                    let (dx, dy) = (s.at[0] - r.at[0], s.at[1] - r.at[1]);
                    match side {
                        Side::Left => dy < 0.0,
                        Side::Right => dy > 0.0,
                        Side::Top => dx < 0.0,
                        Side::Bottom => dx > 0.0,
                    }
                }
                _ => true,
            };
            beside
                && reference != Some(**s)
                && select.size.is_none_or(|size| self.is(s, size))
                && select.colours.as_ref().is_none_or(|c| s.colour.is_some_and(|k| c.contains(&k)))
                && select.area.is_none_or(|a| s.area == Some(a))
        };
        self.blocks().iter().filter(fits).copied().collect()
    }
}

fn job(block: &Sighting, to: Destination) -> Job {
    Job { block: block.clone(), to }
}

/// A tower, the bigger ones below where that is asked for.
fn tower(start: &Start<'_>, mut blocks: Vec<&Sighting>, on: &Sighting, by_size: bool) -> Vec<Job> {
    if by_size {
        blocks.sort_by_key(|b| start.bigger(b) != Some(true));
    }
    blocks.into_iter().map(|b| job(b, Destination::On(on.clone()))).collect()
}

/// Any of these blocks to any of these places: always the nearest one that is left.
fn any(blocks: Vec<&Sighting>, places: Vec<[f64; 2]>) -> Vec<Job> {
    let pairs = blocks.into_iter().zip(places);
    pairs.map(|(b, at)| job(b, Destination::At(at))).collect()
}

/// A point of a circle: the first nearest the robot, then clockwise as seen with the robot at the top.
fn on_circle([x, y]: [f64; 2], radius: f64, share: f64) -> [f64; 2] {
    [x - radius * libm::cos(TAU * share), y + radius * libm::sin(TAU * share)]
}

fn ring(start: &Start<'_>, centre: [f64; 2], r: &Ring) -> Vec<Job> {
    let blocks = start.of(r.colour);
    let n = r.blocks.unwrap_or(blocks.len()).max(1);
    let shift = if r.shifted { 0.5 } else { 0.0 };
    let at = |i: usize| on_circle(centre, r.radius, (i as f64 + shift) / n as f64);
    any(blocks, (0..n).map(at).collect())
}

/// Places along a line, from its left end to its right end.
fn along(line: &Sighting, n: usize) -> Vec<[f64; 2]> {
    let (s, c) = (libm::sin(line.heading), libm::cos(line.heading));
    // Left is towards −y.
    let sign = if s < 0.0 { -1.0 } else { 1.0 };
    let share = |i: usize| i as f64 / (n.max(2) - 1) as f64 - 0.5;
    let at = |i: usize| {
        let along = sign * share(i) * line.size[0];
        [line.at[0] + along * c, line.at[1] + along * s]
    };
    (0..n).map(at).collect()
}

fn sorted_by_height(mut blocks: Vec<&Sighting>) -> Vec<&Sighting> {
    blocks.sort_by(|a, b| a.top.total_cmp(&b.top));
    blocks
}

/// How often each colour occurs among the blocks.
fn counts(start: &Start<'_>) -> BTreeMap<Colour, usize> {
    let mut out = BTreeMap::new();
    for colour in start.all(Noun::Block).filter_map(|s| s.colour) {
        *out.entry(colour).or_default() += 1;
    }
    out
}

fn counting(colours: &BTreeMap<Colour, usize>, count: Count) -> Vec<Colour> {
    let even = |n: usize| n.is_multiple_of(2);
    let fit = colours.iter().filter(|(_, n)| match count {
        Count::Even | Count::LargestEven => even(**n),
        Count::Odd | Count::LargestOdd => !even(**n),
        Count::Most => true,
    });
    match count {
        Count::Even | Count::Odd => fit.map(|(c, _)| *c).collect(),
        _ => fit.max_by_key(|(_, n)| **n).map(|(c, _)| *c).into_iter().collect(),
    }
}

/// Return the jobs of what is wanted. Scripts and what is hidden have none: they go on as they go.
pub(super) fn jobs(wanted: &Intent, start: &Start<'_>) -> Vec<Job> {
    let zone = |c: Colour| start.coloured(Noun::Zone, c);
    match wanted {
        Intent::Script(_) | Intent::Hidden(_) => Vec::new(),
        Intent::Stack { select, zone: c, by_size } => {
            zone(*c).map(|z| tower(start, start.selected(select), z, *by_size)).unwrap_or_default()
        }
        Intent::Move(select, to) => {
            let blocks = start.selected(select).into_iter();
            blocks.map(|b| job(b, Destination::Area(*to))).collect()
        }
        Intent::SameColour => {
            let zones = start.all(Noun::Zone).filter_map(|z| Some((z, z.colour?)));
            zones.flat_map(|(z, c)| tower(start, start.of(c), z, false)).collect()
        }
        Intent::Alternate { zone: c, first } => {
            let Some(z) = zone(*c) else { return Vec::new() };
            let (mut own, mut others): (Vec<&Sighting>, Vec<&Sighting>) =
                start.blocks().into_iter().partition(|b| b.colour == Some(*first));
            let mut blocks = Vec::new();
            while let Some(b) = own.pop() {
                blocks.push(b);
                blocks.extend(others.pop());
            }
            tower(start, blocks, z, false)
        }
        Intent::BySize { bigger, smaller } => {
            // The lower tower first: the higher one stands in the arm's way.
            let sizes = [(smaller, Size::Smaller), (bigger, Size::Bigger)];
            let build = |(c, size): (&Colour, Size)| {
                let blocks = start.blocks().into_iter().filter(|b| start.is(b, size)).collect();
                zone(*c).map(|z| tower(start, blocks, z, false)).unwrap_or_default()
            };
            sizes.into_iter().flat_map(build).collect()
        }
        Intent::Pairs { in_zone } => {
            let mut out = Vec::new();
            for colour in counts(start).into_keys() {
                let (bigs, smalls): (Vec<&Sighting>, Vec<&Sighting>) =
                    start.of(colour).into_iter().partition(|b| start.bigger(b) == Some(true));
                let (Some(big), Some(small)) = (bigs.first(), smalls.first()) else { continue };
                match zone(colour).filter(|_| *in_zone) {
                    Some(z) => out.extend(tower(start, vec![big, small], z, false)),
                    None if *in_zone => {}
                    None => out.push(job(small, Destination::On((*big).clone()))),
                }
            }
            out
        }
        Intent::Count { count, zone: on, by_size } => {
            let colours = counting(&counts(start), *count).into_iter();
            let build = |c: Colour| {
                let z = zone(on.unwrap_or(c));
                z.map(|z| tower(start, start.of(c), z, *by_size)).unwrap_or_default()
            };
            colours.flat_map(build).collect()
        }
        Intent::Bowls { mismatched } => {
            let bowls: Vec<&Sighting> = start.all(Noun::Bowl).collect();
            let mut out = Vec::new();
            for (i, bowl) in bowls.iter().enumerate() {
                let own = start.blocks().into_iter().find(|b| b.colour == bowl.colour);
                let to = if *mismatched { bowls[(i + 1) % bowls.len()] } else { bowl };
                out.extend(own.map(|b| job(b, Destination::On(to.clone()))));
            }
            out
        }
        Intent::LineByColour(colours) => {
            let Some(line) = start.all(Noun::Line).next() else { return Vec::new() };
            let boxes = colours.iter().filter_map(|c| start.of(*c).first().copied());
            any(boxes.collect(), along(line, colours.len()))
        }
        Intent::LineBySize => {
            let Some(line) = start.all(Noun::Line).next() else { return Vec::new() };
            let boxes = sorted_by_height(start.blocks());
            let places = along(line, boxes.len());
            any(boxes, places)
        }
        Intent::CircleBySize => {
            let Some(circle) = start.all(Noun::Circle).next() else { return Vec::new() };
            let boxes = sorted_by_height(start.blocks());
            let (n, radius) = (boxes.len().max(1), circle.size[0] / 2.0);
            let at = |i: usize| on_circle(circle.at, radius, i as f64 / n as f64);
            let places = (0..n).map(at).collect();
            any(boxes, places)
        }
        Intent::Rings { centre, rings, middle } => {
            let mut out: Vec<Job> = rings.iter().flat_map(|r| ring(start, *centre, r)).collect();
            let block = middle.and_then(|c| start.of(c).first().copied());
            out.extend(block.map(|b| job(b, Destination::At(*centre))));
            out
        }
        Intent::Rectangle { zone: c, block, rows, columns, pitch } => {
            let Some(z) = zone(*c) else { return Vec::new() };
            let offset = |i: usize, n: usize| (i as f64 - (n as f64 - 1.0) / 2.0) * pitch;
            let mut places = Vec::new();
            for i in 0..*rows {
                for j in 0..*columns {
                    if i == 0 || j == 0 || i + 1 == *rows || j + 1 == *columns {
                        places.push([z.at[0] + offset(i, *rows), z.at[1] + offset(j, *columns)]);
                    }
                }
            }
            any(start.of(*block), places)
        }
    }
}
