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
mod tests {
    use super::*;

    fn stack(select: Select, by_size: bool) -> Intent {
        Intent::Stack { select, zone: Colour::Gold, by_size }
    }

    #[test]
    fn instructions_mean_the_same_in_other_words() {
        use Colour::{Gold, Purple, Red, Violet, White};
        let warm = Words::of("warm").category();
        let pairs: &[(&[&str], Intent)] = &[
            (
                &[
                    "Stack all the blocks on the gold zone.",
                    "Pile up all cubes on the gold square.",
                ],
                stack(Select::default(), false),
            ),
            (
                &[
                    "Stack only the smaller blocks of warm colors on the gold zone.",
                    "Build a tower of the little cubes of warm colours on the gold pad.",
                ],
                stack(
                    Select {
                        size: Some(Size::Smaller),
                        colours: warm.clone(),
                        ..Select::default()
                    },
                    false,
                ),
            ),
            (
                &[
                    "Stack all the blocks on the top left area on the gold zone in size order, the \
                     bigger ones below.",
                    "Pile the boxes of the top left corner on the gold zone, the larger ones below.",
                ],
                stack(Select { area: Some(Area::TopLeft), ..Select::default() }, true),
            ),
            (
                &[
                    "Stack all the bigger blocks on the left of the red block on the gold zone.",
                    "Pile the large cubes to the left of the red cube on the gold zone.",
                ],
                stack(
                    Select {
                        size: Some(Size::Bigger),
                        side: Some((Side::Left, Red)),
                        ..Select::default()
                    },
                    false,
                ),
            ),
            (
                &[
                    "Stack all the blocks of the same color together on the same colored zone.",
                    "Pile the cubes of each color on the square of that color.",
                ],
                Intent::SameColour,
            ),
            (
                &[
                    "Stack all the smaller blocks over the bigger blocks of the same color.",
                    "Put every small cube on top of the big cube of its color.",
                ],
                Intent::Pairs { in_zone: false },
            ),
            (
                &[
                    "Stack blocks with alternate colors on the white zone, starting with the red color.",
                    "Pile the blocks on the white square, alternating colours, beginning with red.",
                ],
                Intent::Alternate { zone: White, first: Red },
            ),
            (
                &[
                    "Stack blocks of the same size on the gold zone and red zone respectively: the \
                     bigger ones on the gold zone, the smaller ones on the red zone.",
                    "Pile the smaller cubes on the red zone and the bigger cubes on the gold zone.",
                ],
                Intent::BySize { bigger: Gold, smaller: Red },
            ),
            (
                &[
                    "Move all the blocks of warm colors on the top left area to the bottom right area.",
                    "Carry the cubes of warm colours from the top left corner to the bottom right corner.",
                ],
                Intent::Move(
                    Select { colours: warm, area: Some(Area::TopLeft), ..Select::default() },
                    Area::BottomRight,
                ),
            ),
            (
                &[
                    "Put the blocks in the bowls with mismatched colors.",
                    "Drop each cube into a bowl of another color.",
                ],
                Intent::Bowls { mismatched: true },
            ),
            (
                &[
                    "Put the red block under the gold block into the bowl with matching color.",
                    "Take the red cube beneath the gold cube and drop it into the bowl of its color.",
                ],
                Intent::Hidden(Some((Red, Gold))),
            ),
            (
                &[
                    "Put the blocks of the color that occurs in the largest odd number into the zone \
                     with the same color in size order: stacked, the bigger ones below.",
                    "Pile the cubes of the colour with the greatest odd number on the zone of that \
                     colour, larger ones below.",
                ],
                Intent::Count { count: Count::LargestOdd, zone: None, by_size: true },
            ),
            (
                &[
                    "Stack the blocks of the most frequent color on the violet zone.",
                    "Pile the cubes of the most common colour on the violet square.",
                ],
                Intent::Count { count: Count::Most, zone: Some(Violet), by_size: false },
            ),
            (
                &[
                    "Align the boxes on the line, evenly from its left end to its right end: red, \
                     purple, gold.",
                    "Line up the boxes along the line from left to right: red, purple, gold.",
                ],
                Intent::LineByColour(vec![Red, Purple, Gold]),
            ),
            (
                &[
                    "Construct a circle of the red blocks around (0.45, 0.00) with a radius of 15 cm, \
                   the first nearest the robot, with the gold block in the middle.",
                ],
                Intent::Rings {
                    centre: [0.45, 0.0],
                    rings: vec![Ring { colour: Red, blocks: None, radius: 0.15, shifted: false }],
                    middle: Some(Gold),
                },
            ),
            (
                &[
                    "Construct two concentric circles on the tabletop around (0.45, 0.00): 6 red blocks \
                   at a radius of 10 cm, the first nearest the robot, and 10 gold blocks at 20 cm, two \
                   of them equally near the robot.",
                ],
                Intent::Rings {
                    centre: [0.45, 0.0],
                    rings: vec![
                        Ring { colour: Red, blocks: Some(6), radius: 0.1, shifted: false },
                        Ring { colour: Gold, blocks: Some(10), radius: 0.2, shifted: true },
                    ],
                    middle: None,
                },
            ),
            (
                &[
                    "Build a rectangle on the gold zone: the outline of 3 by 4 red blocks, 5 cm from one \
                   to the next, 3 of them away from the robot.",
                ],
                Intent::Rectangle { zone: Gold, block: Red, rows: 3, columns: 4, pitch: 0.05 },
            ),
            (
                &[
                    "The goal is to stack all the blocks on the gold zone. The step-by-step instructions \
                   are: Pick up the red block and place it on the gold zone. Pick up the white block \
                   and place it on the gold zone.",
                ],
                Intent::Script(vec![
                    "Pick up the red block and place it on the gold zone".into(),
                    "Pick up the white block and place it on the gold zone".into(),
                ]),
            ),
        ];
        for (texts, want) in pairs {
            for text in *texts {
                assert_eq!(read(text).as_ref(), Some(want), "{text}");
            }
        }
        assert_eq!(read("Sing a song."), None);
    }
}
