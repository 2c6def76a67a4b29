//! Towers: of everything, of a kind, of what a description selects.

use longarm_assets::Colour;
use longarm_task::speech::Area;
use longarm_task::{Fit, TaskSpec};

use super::draft::{BIG, Destination, Draft, HEIGHT, Id, SMALL};
use super::layout::Point;

/// Margin by which a block is on a side of another, or in a quarter of the table.
const MARGIN: f64 = 0.05;
/// Highest tower.
const HIGHEST: f64 = 0.28;

/// Which tower.
#[derive(Clone, Copy)]
pub(super) enum Stack {
    /// All the blocks, on one zone, in any order.
    All { blocks: [usize; 2] },
    /// One tower per colour, on the zone of that colour.
    SameColour { colours: [usize; 2], each: [usize; 2] },
    /// Two colours by turns.
    Alternate { blocks: usize },
    /// One tower per size.
    SameSize { each: [usize; 2] },
    /// Small on big of the same colour, where the big one is or on the zone of its colour.
    Pairs { colours: [usize; 2], in_zone: bool },
    /// What a description selects.
    Selected(Select),
}

/// A description of some of the blocks.
#[derive(Clone, Copy)]
pub(super) struct Select {
    pub blocks: [usize; 2],
    pub zones: [usize; 2],
    /// Colours that go by one word.
    pub category: bool,
    /// Only one size.
    pub size: bool,
    pub place: Place,
    /// Both sizes, the big ones below.
    pub big_first: bool,
}

/// Where selected blocks are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Anywhere,
    /// On a side of a block.
    Relative,
    /// In a quarter of the table.
    Absolute,
}

pub(super) fn instance(id: &str, stack: &Stack, mut d: Draft) -> (String, TaskSpec) {
    let (text, extra) = match stack {
        Stack::All { blocks } => all(&mut d, *blocks),
        Stack::SameColour { colours, each } => same_colour(&mut d, *colours, *each),
        Stack::Alternate { blocks } => alternate(&mut d, *blocks),
        Stack::SameSize { each } => same_size(&mut d, *each),
        Stack::Pairs { colours, in_zone } => pairs(&mut d, *colours, *in_zone),
        Stack::Selected(select) => selected(&mut d, select),
    };
    (text.clone(), d.finish(id, text, extra))
}

/// Blocks of any of these colours.
fn some(d: &mut Draft, n: usize, edge: f64, colours: &[Colour]) -> Vec<Id> {
    (0..n)
        .map(|_| {
            let c = d.one_of(colours);
            d.block_anywhere(edge, c)
        })
        .collect()
}

fn all(d: &mut Draft, [lo, hi]: [usize; 2]) -> (String, usize) {
    let n = d.between(lo, hi);
    let c = d.new_colour();
    let zone = d.tower_zone(0.1, c, &|_| true);
    let colours = d.colours.clone();
    let blocks = some(d, n, SMALL, &colours);
    let slots: Vec<_> = (0..n)
        .map(|i| d.slot(zone, [0.0, 0.0, i as f64 * SMALL], Fit::Inside([0.05; 2])).level(HEIGHT))
        .collect();
    for (b, slot) in blocks.iter().zip(&slots) {
        d.step(*b, slot.clone(), Destination::On(zone));
    }
    d.any(&blocks, slots);
    (format!("Stack all the blocks on the {} zone.", d.colour(zone)), n + 2)
}

fn same_colour(d: &mut Draft, colours: [usize; 2], each: [usize; 2]) -> (String, usize) {
    let k = d.between(colours[0], colours[1]);
    let mut towers = Vec::new();
    let mut n = 0;
    for _ in 0..k {
        let c = d.new_colour();
        towers.push((d.tower_zone(0.1, c, &|_| true), c, d.between(each[0], each[1])));
    }
    if d.coin() {
        let c = d.new_colour();
        d.zone(0.1, c, &|_| true);
    }
    for (zone, c, count) in towers {
        let blocks = some(d, count, SMALL, &[c]);
        d.tower(zone, 0.0, &blocks);
        n += count;
    }
    let others = d.colours.clone();
    let more = d.between(0, 2);
    some(d, more, SMALL, &others);
    let text = "Stack all the blocks of the same color together on the same colored zone.";
    (text.into(), n + 2)
}

fn alternate(d: &mut Draft, n: usize) -> (String, usize) {
    let (one, two, c) = (d.new_colour(), d.new_colour(), d.new_colour());
    let zone = d.tower_zone(0.1, c, &|_| true);
    let firsts = some(d, n.div_ceil(2), SMALL, &[one]);
    let seconds = some(d, n / 2, SMALL, &[two]);
    let slot = |d: &Draft, i: usize| {
        d.slot(zone, [0.0, 0.0, i as f64 * SMALL], Fit::Near(super::draft::POSITION))
            .level(HEIGHT)
            .heading(0.0, super::draft::HEADING)
    };
    for (ids, parity) in [(&firsts, 0), (&seconds, 1)] {
        let slots: Vec<_> = (0..ids.len()).map(|i| slot(d, 2 * i + parity)).collect();
        d.any(ids, slots);
    }
    for i in 0..n {
        let b = if i % 2 == 0 { firsts[i / 2] } else { seconds[i / 2] };
        d.step(b, slot(d, i), Destination::On(zone));
    }
    let (zone, first) = (d.colour(zone), d.colour(firsts[0]));
    let text = format!(
        "Stack blocks with alternate colors on the {zone} zone, starting with the {first} color."
    );
    (text, n + 2)
}

fn same_size(d: &mut Draft, [lo, hi]: [usize; 2]) -> (String, usize) {
    let (a, b) = (d.new_colour(), d.new_colour());
    let zones = [d.tower_zone(0.1, a, &|_| true), d.tower_zone(0.1, b, &|_| true)];
    let colours = d.colours.clone();
    let (big, small) = (d.between(lo, hi), d.between(lo, hi));
    // The lower tower first: the higher one stands in the arm's way.
    for (zone, n, edge) in [(zones[1], small, SMALL), (zones[0], big, BIG)] {
        let blocks = some(d, n, edge, &colours);
        d.tower(zone, 0.0, &blocks);
    }
    let (first, second) = (d.colour(zones[0]), d.colour(zones[1]));
    let text = format!(
        "Stack blocks of the same size on the {first} zone and {second} zone respectively: the \
         bigger ones on the {first} zone, the smaller ones on the {second} zone."
    );
    (text, big + small + 2)
}

fn pairs(d: &mut Draft, [lo, hi]: [usize; 2], in_zone: bool) -> (String, usize) {
    let k = d.between(lo, hi.min(d.colours.len()));
    let colours: Vec<Colour> = (0..k).map(|_| d.new_colour()).collect();
    let zones: Vec<Id> = match in_zone {
        true => colours.iter().map(|c| d.zone(0.15, *c, &|_| true)).collect(),
        false => Vec::new(),
    };
    let bigs: Vec<Id> = colours.iter().map(|c| d.block_anywhere(BIG, *c)).collect();
    let smalls: Vec<Id> = colours.iter().map(|c| d.block_anywhere(SMALL, *c)).collect();
    let others = d.colours.clone();
    if !others.is_empty() {
        let more = d.between(0, 2);
        some(d, more, SMALL, &others);
    }
    for i in 0..k {
        if in_zone {
            d.tower(zones[i], 0.0, &[bigs[i], smalls[i]]);
        } else {
            d.tower(bigs[i], BIG, &[smalls[i]]);
        }
    }
    let text = "Stack all the smaller blocks over the bigger blocks of the same color";
    match in_zone {
        true => (format!("{text} in the zone with the same color."), 2 * k + 3),
        false => (format!("{text}."), k + 2),
    }
}

/// Where selected blocks are, and where the others are not.
struct Where {
    inside: Box<dyn Fn(Point) -> bool>,
    outside: Box<dyn Fn(Point) -> bool>,
    /// Where zones leave them room.
    aside: Box<dyn Fn(Point) -> bool>,
    text: String,
}

fn place(d: &mut Draft, place: Place) -> Where {
    let anywhere = |_: Point| true;
    match place {
        Place::Anywhere => Where {
            inside: Box::new(anywhere),
            outside: Box::new(anywhere),
            aside: Box::new(anywhere),
            text: String::new(),
        },
        Place::Absolute => {
            let area = d.one_of(&Area::QUARTERS);
            let w = *d.room.workspace();
            Where {
                inside: Box::new(move |p| area.contains(&w, p, MARGIN / 2.0)),
                outside: Box::new(move |p| !area.contains(&w, p, -MARGIN)),
                aside: Box::new(move |p| !area.contains(&w, p, -MARGIN)),
                text: format!(" on the {} area", area.name()),
            }
        }
        Place::Relative => {
            let c = d.new_colour();
            let middle = |p: Point| (p[0] - 0.48).abs() < 0.06 && p[1].abs() < 0.1;
            let block = d.block(SMALL, c, &middle);
            let at = d.place_of(block);
            let (name, axis, sign) = d.one_of(&[
                ("left", 1, -1.0),
                ("right", 1, 1.0),
                ("top", 0, -1.0),
                ("bottom", 0, 1.0),
            ]);
            Where {
                inside: Box::new(move |p| sign * (p[axis] - at[axis]) > MARGIN),
                outside: Box::new(move |p| sign * (p[axis] - at[axis]) < -MARGIN),
                aside: Box::new(anywhere),
                text: format!(" on the {name} of the {} block", c.name()),
            }
        }
    }
}

fn selected(d: &mut Draft, s: &Select) -> (String, usize) {
    let n = d.between(s.blocks[0], s.blocks[1]);
    let reference = usize::from(s.place == Place::Relative);
    let place = place(d, s.place);
    let c = d.new_colour();
    let zone = d.tower_zone(0.1, c, &place.aside);
    for _ in 1..d.between(s.zones[0], s.zones[1]) {
        let c = d.new_colour();
        d.zone(0.1, c, &place.aside);
    }
    let (category, has, not) = if s.category {
        let (category, has, not) = d.category();
        (Some(category), has, not)
    } else {
        (None, d.colours.clone(), Vec::new())
    };
    let edge = match s.size {
        true if d.coin() => BIG,
        _ => SMALL,
    };
    let other = if edge == BIG { SMALL } else { BIG };
    // The others fail one of the tests that there are.
    let kinds: Vec<usize> = [s.category, s.size, s.place != Place::Anywhere]
        .into_iter()
        .enumerate()
        .filter_map(|(i, on)| on.then_some(i))
        .collect();
    let most = ((HIGHEST / edge) as usize).min(5).min(n - 1 - reference).max(2);
    let k = d.between(most.min(3), most);
    let bigs = if s.big_first { d.between(1, (k - 1).min(2)) } else { 0 };
    let mut tower = Vec::new();
    for i in 0..k {
        let e = if i < bigs { BIG } else { edge };
        let c = d.one_of(&has);
        tower.push(d.block(e, c, &place.inside));
    }
    for _ in k + reference..n {
        let fails = d.one_of(&kinds);
        let c = if fails == 0 { d.one_of(&not) } else { d.one_of(&has) };
        let e = match (fails == 1, s.big_first) {
            (true, _) => other,
            (false, true) if d.coin() => BIG,
            (false, _) => edge,
        };
        d.block(e, c, if fails == 2 { &place.outside } else { &place.inside });
    }
    d.tower(zone, 0.0, &tower);
    let size = match s.size {
        true if edge == BIG => " bigger",
        true => " smaller",
        false => "",
    };
    let quantity = if category.is_some() { "only" } else { "all" };
    let colours = category.map_or(String::new(), |c| format!(" of {} colors", c.name()));
    let order = match (s.big_first, s.place) {
        (false, _) => "",
        (true, Place::Absolute) => " in size order, the bigger ones below",
        (true, _) => " in ascending order from big to small",
    };
    let (where_, zone) = (&place.text, d.colour(zone));
    let text =
        format!("Stack {quantity} the{size} blocks{colours}{where_} on the {zone} zone{order}.");
    (text, n + 2)
}
