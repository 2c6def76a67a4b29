//! The same wishes in several words.

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
            &["Stack all the blocks on the gold zone.", "Pile up all cubes on the gold square."],
            stack(Select::default(), false),
        ),
        (
            &[
                "Stack only the smaller blocks of warm colors on the gold zone.",
                "Build a tower of the little cubes of warm colours on the gold pad.",
            ],
            stack(
                Select { size: Some(Size::Smaller), colours: warm.clone(), ..Select::default() },
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
            &["Construct a circle of the red blocks around (0.45, 0.00) with a radius of 15 cm, \
               the first nearest the robot, with the gold block in the middle."],
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
