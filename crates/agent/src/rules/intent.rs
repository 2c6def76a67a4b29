//! From an instruction to what is wanted.

use longarm_assets::Colour;
use longarm_task::speech::{self, Area, Side, Size};

use super::text::Words;

/// Which blocks are meant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Select {
    pub size: Option<Size>,
    pub colours: Option<Vec<Colour>>,
    pub area: Option<Area>,
    pub side: Option<(Side, Colour)>,
}

/// Which colours count, by how often they occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Even,
    Odd,
    LargestEven,
    LargestOdd,
    Most,
}

/// Blocks on a circle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ring {
    pub colour: Colour,
    pub blocks: Option<usize>,
    pub radius: f64,
    /// Two are equally near the robot, not one nearest.
    pub shifted: bool,
}

/// What an instruction asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Intent {
    /// Sentences to be done one after the other.
    Script(Vec<String>),
    /// What is hidden, or one block under another, into the bowl of its colour.
    Hidden(Option<(Colour, Colour)>),
    Bowls {
        mismatched: bool,
    },
    Move(Select, Area),
    LineByColour(Vec<Colour>),
    LineBySize,
    CircleBySize,
    Rings {
        centre: [f64; 2],
        rings: Vec<Ring>,
        middle: Option<Colour>,
    },
    Rectangle {
        zone: Colour,
        block: Colour,
        rows: usize,
        columns: usize,
        pitch: f64,
    },
    /// Small on big of one colour, where the big one is or on the zone of that colour.
    Pairs {
        in_zone: bool,
    },
    Alternate {
        zone: Colour,
        first: Colour,
    },
    BySize {
        bigger: Colour,
        smaller: Colour,
    },
    SameColour,
    Count {
        count: Count,
        zone: Option<Colour>,
        by_size: bool,
    },
    Stack {
        select: Select,
        zone: Colour,
        by_size: bool,
    },
}

/// Read an instruction; `None` where it is not understood.
pub(super) fn read(text: &str) -> Option<Intent> {
    if let Some(steps) = script(text) {
        return Some(Intent::Script(steps));
    }
    let w = Words::of(text);
    let by_size = w.says("size order")
        || w.says("from bigger to smaller")
        || w.has("below") && w.has("bigger")
        || w.says("by size");
    if w.has("align") || w.has("line") {
        return if w.has("circle") {
            Some(Intent::CircleBySize)
        } else if by_size || w.has("smaller") {
            Some(Intent::LineBySize)
        } else {
            Some(Intent::LineByColour(w.colours())).filter(|i| *i != Intent::LineByColour(vec![]))
        };
    }
    if w.has("construct") && w.has_any(&["circle", "circles"]) {
        return rings(&w);
    }
    if w.has("construct") && w.has("rectangle") {
        return rectangle(&w);
    }
    if w.has("under") || w.has("hidden") {
        let one = w.has("under").then(|| w.colours_before("block"));
        return match one.as_deref() {
            Some([what, over, ..]) => Some(Intent::Hidden(Some((*what, *over)))),
            _ => Some(Intent::Hidden(None)),
        };
    }
    if w.has("bowl") {
        return Some(Intent::Bowls { mismatched: w.has("mismatched") });
    }
    let zones = w.colours_before("zone");
    if let [.., to] = w.areas()[..]
        && !w.has("zone")
    {
        let select = Select { area: w.areas().first().copied(), ..select(&w) };
        return Some(Intent::Move(select, to));
    }
    if !w.has("zone") && !w.has("over") {
        return None;
    }
    if w.has("over") {
        return Some(Intent::Pairs { in_zone: w.has("zone") });
    }
    if w.has("alternate") {
        let begins = ["starting", "beginning", "first", "begin", "start"];
        let at = begins.iter().find_map(|b| w.position(b))?;
        let first = *w.from(at).colours().first()?;
        return Some(Intent::Alternate { zone: *zones.first()?, first });
    }
    if let Some(count) = count(&w) {
        let by_size = by_size && count != Count::Even && count != Count::Odd;
        return Some(Intent::Count { count, zone: zones.first().copied(), by_size });
    }
    if w.has("bigger") && w.has("smaller") && zones.len() >= 2 {
        let of = |word: &str| {
            let at = w.position(word)?;
            w.from(at).colours_before("zone").first().copied()
        };
        return Some(Intent::BySize { bigger: of("bigger")?, smaller: of("smaller")? });
    }
    match zones.last() {
        Some(zone) => Some(Intent::Stack { select: select(&w), zone: *zone, by_size }),
        None => Some(Intent::SameColour),
    }
}

/// The sentences that tell every step, where there are some.
fn script(text: &str) -> Option<Vec<String>> {
    let (_, steps) = text.split_once(": ")?;
    let steps: Vec<String> =
        steps.split(". ").map(|s| s.trim_end_matches('.').to_owned()).collect();
    steps.iter().all(|s| speech::parse(s).is_ok()).then_some(steps)
}

fn select(w: &Words) -> Select {
    let size = match (w.says("bigger block"), w.says("smaller block")) {
        (true, false) => Some(Size::Bigger),
        (false, true) => Some(Size::Smaller),
        _ => None,
    };
    let side = w.side();
    let area = w.areas().first().copied().filter(|_| side.is_none());
    Select { size, colours: w.category(), area, side }
}

fn count(w: &Words) -> Option<Count> {
    let largest = w.has_any(&["largest", "highest", "greatest"]);
    Some(match (w.has("even"), w.has("odd"), largest) {
        (true, _, true) => Count::LargestEven,
        (true, _, false) => Count::Even,
        (_, true, true) => Count::LargestOdd,
        (_, true, false) => Count::Odd,
        _ if w.has("frequent") || w.says("occurs most") => Count::Most,
        _ => return None,
    })
}

fn rings(w: &Words) -> Option<Intent> {
    let numbers = w.from(w.position("around")?).numbers();
    let [x, y, ..] = numbers[..] else { return None };
    let before = |at: usize, back: usize| w.until(at).from(at.saturating_sub(back));
    let mut rings = Vec::new();
    if w.has("concentric") {
        // "6 red blocks at a radius of 10 cm, … and 10 gold blocks at 20 cm, two of them …"
        let colours = w.colours_before("block");
        let all = &numbers[2..];
        for (i, colour) in colours.iter().enumerate() {
            let (blocks, radius) = (*all.get(2 * i)?, *all.get(2 * i + 1)?);
            let shifted = i > 0 && w.has("equally");
            let blocks = Some(blocks as usize);
            rings.push(Ring { colour: *colour, blocks, radius: radius / 100.0, shifted });
        }
        return Some(Intent::Rings { centre: [x, y], rings, middle: None });
    }
    let radius = w.number_after("radius")? / 100.0;
    let middle = w.position("middle").and_then(|at| before(at, 6).colours().last().copied());
    let colour = *w.colours_before("block").iter().find(|c| Some(**c) != middle)?;
    rings.push(Ring { colour, blocks: None, radius, shifted: false });
    Some(Intent::Rings { centre: [x, y], rings, middle })
}

fn rectangle(w: &Words) -> Option<Intent> {
    let numbers = w.numbers();
    let [rows, columns, pitch, ..] = numbers[..] else { return None };
    let zone = *w.colours_before("zone").first()?;
    let block = *w.colours_before("block").first()?;
    let (rows, columns) = (rows as usize, columns as usize);
    Some(Intent::Rectangle { zone, block, rows, columns, pitch: pitch / 100.0 })
}

#[cfg(test)]
mod tests;
