//! LoHoRavens: forty tabletop rearrangements with a suction arm.
//!
//! One row per task. A row names a family and its parameters; the family draws, from a seed, the
//! things, their colours and places, what counts and how it is done. Every instance can be solved:
//! nothing is selected that is not there, towers are low enough, and whatever must be put somewhere
//! has a place kept free for it.

mod arithmetic;
mod bowl;
mod draft;
mod hidden;
mod layout;
mod moving;
mod palette;
mod row;
mod shape;
mod stack;

pub use palette::Mode;

use std::sync::LazyLock;

use crate::{Family, Suite, Table};
use arithmetic::Count;
use bowl::Bowls;
use hidden::Hidden;
use moving::Moving;
use row::Capability::{
    Arithmetic, Colour, Commonsense, Occlusion, Reference, Shape as Shapes, Size, Spatiality,
};
use row::Family as F;
use row::Row;
use row::Split::{Seen, Unseen};
use shape::Shape;
use stack::{Place, Select, Stack};

/// The suite.
pub const SUITE: Suite = Suite {
    name: "lohoravens",
    title: "LoHoRavens: forty tabletop rearrangements, on a UR5e with suction",
    episodes: 50,
    table: Table::Family(Family {
        ids: || {
            static IDS: LazyLock<Vec<String>> =
                LazyLock::new(|| ROWS.iter().map(|r| r.id.to_owned()).collect());
            &IDS
        },
        task: |id| ROWS.iter().find(|r| r.id == id).map(row::task),
    }),
};

/// Four to seven blocks, one zone, everything selected.
const SELECT: Select = Select {
    blocks: [4, 7],
    zones: [1, 1],
    category: false,
    size: false,
    place: Place::Anywhere,
    big_first: false,
};

const MOVE: Moving = Moving { blocks: [3, 5], by_size: false, by_colour: false };

const ALL: F = F::Stack(Stack::All { blocks: [3, 5] });
const RELATIVE: F = F::Stack(Stack::Selected(Select { place: Place::Relative, ..SELECT }));
const MATCHING: F = F::Bowls(Bowls { mismatched: false });
const ONE_HIDDEN: F = F::Hidden(Hidden::One { towers: [2, 3] });

const EMPTY: &str = "two to five blocks are always selected and one or more are not; the \
                     reference may select none";
const NO_CODE: &str = "built from the paper's description: the code of this task is not public";
const SIZES: &str = "one goal whose parts sum to one; the reference has two of weight one";
const AREAS: &str = "top is towards the robot and left towards -y in every task";
const HOLLOW: &str = "what lies over a hidden block is hollow and reaches down to the table, so \
                      that no camera sees the block; the reference's overhanging block hides it \
                      from above only";
const COUNTS: &str = "four to six bowls instead of five to seven, as the colours allow";
const FIXED_PLACES: &str = "places are told in the instruction; the reference keeps them to itself";

static ROWS: [Row; 40] = [
    Row {
        number: 1,
        id: "lohoravens/stack-all-blocks-on-a-zone",
        title: "Stack all the blocks on a zone.",
        says: "Stack all the blocks on the {zone} zone.",
        objects: "3-5 small blocks, 1 zone",
        most: 7,
        family: ALL,
        needs: &[Colour],
        split: Seen,
        told: false,
        deviations: &["a block counts only at a height of its own"],
    },
    Row {
        number: 2,
        id: "lohoravens/stack-blocks-of-same-color",
        title: "Stack blocks of the same color.",
        says: "Stack all the blocks of the same color together on the same colored zone.",
        objects: "1-3 colors of 2-3 small blocks with a zone each, 0-2 more blocks, 0-1 more zone",
        most: 11,
        family: F::Stack(Stack::SameColour { colours: [1, 3], each: [2, 3] }),
        needs: &[Colour],
        split: Seen,
        told: false,
        deviations: &["scenes without a spare zone exist; the reference's reset raises there"],
    },
    Row {
        number: 3,
        id: "lohoravens/stack-blocks-with-alternate-color",
        title: "Stack blocks in alternate colors.",
        says: "Stack blocks with alternate colors on the {zone} zone, starting with the \
               {block} color.",
        objects: "5 small blocks of 2 colors, 1 zone",
        most: 7,
        family: F::Stack(Stack::Alternate { blocks: 5 }),
        needs: &[Colour],
        split: Unseen,
        told: false,
        deviations: &[],
    },
    Row {
        number: 4,
        id: "lohoravens/stack-blocks-by-color",
        title: "Stack blocks by color.",
        says: "Stack only the blocks of {category} colors on the {zone} zone.",
        objects: "4-7 small blocks, 1 zone",
        most: 9,
        family: F::Stack(Stack::Selected(Select { category: true, ..SELECT })),
        needs: &[Colour, Commonsense],
        split: Seen,
        told: false,
        deviations: &[EMPTY],
    },
    Row {
        number: 5,
        id: "lohoravens/stack-blocks-of-same-size",
        title: "Stack blocks of the same size.",
        says: "Stack blocks of the same size on the {first} zone and {second} zone \
               respectively: …",
        objects: "1-4 big and 1-4 small blocks, 2 zones",
        most: 10,
        family: F::Stack(Stack::SameSize { each: [1, 4] }),
        needs: &[Colour, Size],
        split: Seen,
        told: false,
        deviations: &[SIZES, "the instruction says which size goes where"],
    },
    Row {
        number: 6,
        id: "lohoravens/stack-blocks-by-color-and-size",
        title: "Stack blocks by color and size.",
        says: "Stack only the {size} blocks of {category} colors on the {zone} zone.",
        objects: "4-7 blocks of both sizes, 1 zone",
        most: 9,
        family: F::Stack(Stack::Selected(Select { category: true, size: true, ..SELECT })),
        needs: &[Colour, Size, Commonsense],
        split: Seen,
        told: false,
        deviations: &[EMPTY],
    },
    Row {
        number: 7,
        id: "lohoravens/stack-blocks-by-color-in-size-order",
        title: "Stack blocks by color in size order.",
        says: "Stack only the blocks of {category} colors on the {zone} zone in ascending \
               order from big to small.",
        objects: "4-7 blocks of both sizes, 1 zone",
        most: 9,
        family: F::Stack(Stack::Selected(Select { category: true, big_first: true, ..SELECT })),
        needs: &[Colour, Size, Commonsense],
        split: Unseen,
        told: false,
        deviations: &[EMPTY, SIZES],
    },
    Row {
        number: 8,
        id: "lohoravens/stack-smaller-over-bigger-with-same-color",
        title: "Stack smaller blocks over bigger blocks of the same color.",
        says: "Stack all the smaller blocks over the bigger blocks of the same color.",
        objects: "4-6 colors with a big and a small block each, 0-2 more",
        most: 8,
        family: F::Stack(Stack::Pairs { colours: [4, 6], in_zone: false }),
        needs: &[Colour, Size],
        split: Unseen,
        told: false,
        deviations: &[
            "heights can be met; the reference's cannot",
            "four to six colours of five to seven",
        ],
    },
    Row {
        number: 9,
        id: "lohoravens/stack-smaller-over-bigger-with-same-color-in-same-color-zone",
        title: "Stack blocks of the same color in the zone with the same color, with the bigger \
                blocks underneath.",
        says: "Stack all the smaller blocks over the bigger blocks of the same color in \
               the zone with the same color.",
        objects: "3-4 colors with a big and a small block and a zone each, 0-2 more blocks",
        most: 11,
        family: F::Stack(Stack::Pairs { colours: [3, 4], in_zone: true }),
        needs: &[Colour, Size],
        split: Unseen,
        told: false,
        deviations: &[
            "heights can be met; the reference's cannot",
            "three or four colours of three to five",
        ],
    },
    Row {
        number: 10,
        id: "lohoravens/stack-blocks-by-relative-position-and-color",
        title: "Stack blocks by relative position and color.",
        says: "Stack all the blocks on the {side} of the {block} block on the {zone} \
               zone.",
        objects: "4-7 small blocks, 1 zone",
        most: 9,
        family: RELATIVE,
        needs: &[Colour, Spatiality, Commonsense],
        split: Seen,
        told: false,
        deviations: &[EMPTY, AREAS],
    },
    Row {
        number: 11,
        id: "lohoravens/stack-blocks-by-relative-position-and-color-and-size",
        title: "Stack blocks by relative position and color and size.",
        says: "Stack all the {size} blocks on the {side} of the {block} block on the \
               {zone} zone.",
        objects: "4-7 blocks of both sizes, 1 zone",
        most: 9,
        family: F::Stack(Stack::Selected(Select { place: Place::Relative, size: true, ..SELECT })),
        needs: &[Colour, Size, Spatiality, Commonsense],
        split: Unseen,
        told: false,
        deviations: &[EMPTY, AREAS],
    },
    Row {
        number: 12,
        id: "lohoravens/stack-blocks-by-absolute-position-and-color-in-size-order",
        title: "Stack blocks by absolute position and color in size order.",
        says: "Stack all the blocks on the {quarter} area on the {zone} zone in size \
               order, the bigger ones below.",
        objects: "4-7 blocks of both sizes, 2-3 zones",
        most: 9,
        family: F::Stack(Stack::Selected(Select {
            place: Place::Absolute,
            zones: [2, 3],
            big_first: true,
            ..SELECT
        })),
        needs: &[Colour, Size, Spatiality, Commonsense],
        split: Seen,
        told: false,
        deviations: &[EMPTY, "small blocks stand on the big ones; the reference has them overlap"],
    },
    Row {
        number: 13,
        id: "lohoravens/stack-blocks-by-absolute-position-and-color-and-size",
        title: "Stack blocks by absolute position and color and size.",
        says: "Stack all the {size} blocks on the {quarter} area on the {zone} zone.",
        objects: "4-7 blocks of both sizes, 2-3 zones",
        most: 9,
        family: F::Stack(Stack::Selected(Select {
            place: Place::Absolute,
            zones: [2, 3],
            size: true,
            ..SELECT
        })),
        needs: &[Colour, Size, Spatiality, Commonsense],
        split: Unseen,
        told: false,
        deviations: &[EMPTY],
    },
    Row {
        number: 14,
        id: "lohoravens/move-blocks-between-absolute-positions",
        title: "Move blocks between absolute positions.",
        says: "Move all the blocks on the {from} area to the {to} area.",
        objects: "3-5 small blocks, 0-4 more elsewhere",
        most: 12,
        family: F::Moving(MOVE),
        needs: &[Spatiality],
        split: Seen,
        told: false,
        deviations: &[],
    },
    Row {
        number: 15,
        id: "lohoravens/move-blocks-between-absolute-positions-by-size",
        title: "Move blocks between absolute positions by size.",
        says: "Move all the {size} blocks on the {from} area to the {to} area.",
        objects: "3-5 blocks of one size, 1-3 more of the other or elsewhere",
        most: 12,
        family: F::Moving(Moving { by_size: true, ..MOVE }),
        needs: &[Size, Spatiality],
        split: Seen,
        told: false,
        deviations: &[],
    },
    Row {
        number: 16,
        id: "lohoravens/move-blocks-between-absolute-positions-by-color",
        title: "Move blocks between absolute positions by color.",
        says: "Move all the blocks of {category} colors on the {from} area to the {to} \
               area.",
        objects: "3-5 small blocks of a category, 1-4 more of others or elsewhere",
        most: 12,
        family: F::Moving(Moving { by_colour: true, ..MOVE }),
        needs: &[Colour, Spatiality],
        split: Unseen,
        told: false,
        deviations: &["one category of colours instead of one to four"],
    },
    Row {
        number: 17,
        id: "lohoravens/move-blocks-between-absolute-positions-by-size-and-color",
        title: "Move blocks between absolute positions by color and size.",
        says: "Move all the {size} blocks of {category} colors on the {from} area to the \
               {to} area.",
        objects: "3-5 blocks of a category and size, 1-3 more of others or elsewhere",
        most: 12,
        family: F::Moving(Moving { by_size: true, by_colour: true, ..MOVE }),
        needs: &[Colour, Size, Spatiality],
        split: Unseen,
        told: false,
        deviations: &["one category of colours instead of one to four"],
    },
    Row {
        number: 18,
        id: "lohoravens/put-even-blocks-in-same-color-zone",
        title: "Move all blocks of a color that occur in even numbers to the same colored zone.",
        says: "Put the blocks of an even number in the zone with the matching color.",
        objects: "2-3 colors of 1-4 small blocks with a zone each",
        most: 13,
        family: F::Count(Count::Parity { odd: false }),
        needs: &[Colour, Reference, Arithmetic],
        split: Unseen,
        told: false,
        deviations: &["blocks weigh the same; the reference weighs colours the same"],
    },
    Row {
        number: 19,
        id: "lohoravens/put-odd-blocks-in-same-color-zone",
        title: "Move all blocks of a color that occur in odd numbers to the same colored zone.",
        says: "Put the blocks of an odd number in the zone with the matching color.",
        objects: "2-3 colors of 1-4 small blocks with a zone each",
        most: 12,
        family: F::Count(Count::Parity { odd: true }),
        needs: &[Colour, Reference, Arithmetic],
        split: Unseen,
        told: false,
        deviations: &[NO_CODE],
    },
    Row {
        number: 20,
        id: "lohoravens/put-block-into-matching-bowl",
        title: "Put the blocks into the bowls with matching colors.",
        says: "Put the blocks in the bowls with matching colors.",
        objects: "4-6 bowls, 4-6 small blocks, 0-2 more without a bowl",
        most: 8,
        family: MATCHING,
        needs: &[Colour],
        split: Unseen,
        told: false,
        deviations: &[COUNTS],
    },
    Row {
        number: 21,
        id: "lohoravens/put-block-into-mismatching-bowl",
        title: "Put the blocks into the bowls with mismatching colors.",
        says: "Put the blocks in the bowls with mismatched colors.",
        objects: "4-6 bowls, 4-6 small blocks, 0-2 more without a bowl",
        most: 8,
        family: F::Bowls(Bowls { mismatched: true }),
        needs: &[Colour],
        split: Seen,
        told: false,
        deviations: &[COUNTS, "every bowl of another colour counts, one block each"],
    },
    Row {
        number: 22,
        id: "lohoravens/put-hidden-block-into-matching-bowl",
        title: "Put the hidden color object under the color object into the bowls with matching \
                colors.",
        says: "Put the {hidden} block under the {top} block into the bowl with matching \
               color.",
        objects: "2-3 small blocks under hollow big ones, 3-4 bowls",
        most: 4,
        family: ONE_HIDDEN,
        needs: &[Colour, Occlusion, Commonsense],
        split: Seen,
        told: false,
        deviations: &[HOLLOW],
    },
    Row {
        number: 23,
        id: "lohoravens/put-hidden-blocks-in-two-layer-towers-into-matching-bowls",
        title: "Put all the hidden objects in two-layer stacked towers into the bowls with \
                matching colors.",
        says: "Put all the hidden blocks in the two-layer stacked towers into the bowls \
               with matching colors.",
        objects: "2-3 towers of a hollow block over a small one, 3-4 bowls",
        most: 8,
        family: F::Hidden(Hidden::Towers { towers: [2, 3], layers: 2 }),
        needs: &[Colour, Occlusion, Commonsense],
        split: Seen,
        told: false,
        deviations: &[HOLLOW],
    },
    Row {
        number: 24,
        id: "lohoravens/put-hidden-blocks-in-three-layer-towers-into-matching-bowls",
        title: "Put all the hidden objects in three-layer stacked towers into the bowls with \
                matching colors.",
        says: "Put all the hidden blocks in the three-layer stacked towers into the bowls \
               with matching colors.",
        objects: "2 towers of a big block on a hollow one over a small one, 3 bowls",
        most: 8,
        family: F::Hidden(Hidden::Towers { towers: [2, 2], layers: 3 }),
        needs: &[Colour, Occlusion, Commonsense],
        split: Unseen,
        told: false,
        deviations: &[HOLLOW],
    },
    Row {
        number: 25,
        id: "lohoravens/put-hidden-blocks-in-pyramid-into-matching-bowls",
        title: "Put the hidden objects in the pyramid into the bowls with matching colors.",
        says: "Put all the hidden blocks on the first layer of the pyramid into the bowls \
               with matching colors.",
        objects: "3 small blocks under one long cover, 2 and 1 on it, 4 bowls",
        most: 8,
        family: F::Hidden(Hidden::Pyramid),
        needs: &[Colour, Occlusion, Commonsense],
        split: Unseen,
        told: false,
        deviations: &[HOLLOW, "one cover lies over all three blocks of the first layer"],
    },
    Row {
        number: 26,
        id: "lohoravens/put-blocks-into-matching-bowls-with-details",
        title: "(step-by-step) Put the blocks into the bowls with matching colors.",
        says: "The goal is to put the blocks in the bowls with matching colors. The \
               step-by-step instructions are: …",
        objects: "4-6 bowls, 4-6 small blocks, 0-2 more without a bowl",
        most: 8,
        family: MATCHING,
        needs: &[Colour],
        split: Seen,
        told: true,
        deviations: &[COUNTS],
    },
    Row {
        number: 27,
        id: "lohoravens/stack-all-blocks-on-a-zone-with-details",
        title: "(step-by-step) Stack all the blocks on a zone.",
        says: "The goal is to stack all the blocks on the {zone} zone. The step-by-step \
               instructions are: …",
        objects: "3-5 small blocks, 1 zone",
        most: 7,
        family: ALL,
        needs: &[Colour],
        split: Seen,
        told: true,
        deviations: &["a block counts only at a height of its own"],
    },
    Row {
        number: 28,
        id: "lohoravens/stack-blocks-by-relative-position-and-color-with-details",
        title: "(step-by-step) Stack blocks by relative position and color.",
        says: "The goal is to stack all the blocks on the {side} of the {block} block on \
               the {zone} zone. The step-by-step instructions are: …",
        objects: "4-7 small blocks, 1 zone",
        most: 9,
        family: RELATIVE,
        needs: &[Colour, Spatiality, Commonsense],
        split: Seen,
        told: true,
        deviations: &[NO_CODE],
    },
    Row {
        number: 29,
        id: "lohoravens/put-hidden-block-into-matching-bowl-with-details",
        title: "(step-by-step) Put the hidden color object under the color object into the bowls \
                with matching colors.",
        says: "The goal is to put the {hidden} block under the {top} block into the bowl \
               with matching color. The step-by-step instructions are: …",
        objects: "2-3 small blocks under hollow big ones, 3-4 bowls",
        most: 4,
        family: ONE_HIDDEN,
        needs: &[Colour, Occlusion, Commonsense],
        split: Seen,
        told: true,
        deviations: &[NO_CODE, HOLLOW],
    },
    Row {
        number: 30,
        id: "lohoravens/move-blocks-between-absolute-positions-with-details",
        title: "(step-by-step) Move blocks between absolute positions.",
        says: "The goal is to move all the blocks on the {from} area to the {to} area. \
               The step-by-step instructions are: …",
        objects: "3-5 small blocks, 0-4 more elsewhere",
        most: 12,
        family: F::Moving(MOVE),
        needs: &[Colour, Spatiality],
        split: Seen,
        told: true,
        deviations: &[NO_CODE],
    },
    Row {
        number: 31,
        id: "lohoravens/align-color-boxes-on-line",
        title: "Align color boxes on line.",
        says: "Align the boxes on the line, evenly from its left end to its right end: \
               {colors}.",
        objects: "a line, one box of each color, 3-6 cm",
        most: 20,
        family: F::Shape(Shape::ColourLine),
        needs: &[Colour, Spatiality],
        split: Seen,
        told: false,
        deviations: &[
            "five or six boxes, evenly along the line in an order that is told, instead of seven in \
             the rainbow's, as the colours allow",
        ],
    },
    Row {
        number: 32,
        id: "lohoravens/align-size-boxes-on-circle",
        title: "Align size boxes on circle.",
        says: "Align the boxes on the circle by size, evenly: …",
        objects: "a circle, 6 boxes from 3 to 5.5 cm",
        most: 20,
        family: F::Shape(Shape::SizeCircle),
        needs: &[Colour, Size, Spatiality],
        split: Unseen,
        told: false,
        deviations: &[FIXED_PLACES],
    },
    Row {
        number: 33,
        id: "lohoravens/align-size-boxes-on-line",
        title: "Align size boxes on line.",
        says: "Align the boxes on the line by size, evenly: …",
        objects: "a line, 6 boxes from 3 to 5.5 cm",
        most: 20,
        family: F::Shape(Shape::SizeLine),
        needs: &[Colour, Size, Spatiality],
        split: Seen,
        told: false,
        deviations: &[FIXED_PLACES],
    },
    Row {
        number: 34,
        id: "lohoravens/build-concentric-circles",
        title: "Build concentric circles.",
        says: "Construct two concentric circles on the tabletop around (0.45, 0.00): 6 \
               {inner} blocks at a radius of 10 cm, … and 10 {outer} blocks at 20 cm, …",
        objects: "6 and 10 small blocks of two colors",
        most: 30,
        family: F::Shape(Shape::Concentric { inner: 6, outer: 10 }),
        needs: &[Spatiality, Reference, Shapes],
        split: Unseen,
        told: false,
        deviations: &[FIXED_PLACES, "the outer circle is turned by half a step"],
    },
    Row {
        number: 35,
        id: "lohoravens/stack-most-colored-blocks",
        title: "Stack most colored blocks.",
        says: "Stack the blocks of the most frequent color on the {zone} zone.",
        objects: "3 colors of 1-5 small blocks, 1 zone",
        most: 7,
        family: F::Count(Count::Most),
        needs: &[Colour, Reference, Arithmetic],
        split: Unseen,
        told: false,
        deviations: &[NO_CODE],
    },
    Row {
        number: 36,
        id: "lohoravens/put-max-even-blocks-in-same-color-zone",
        title: "Put max even number blocks into same colored zone.",
        says: "Put the blocks of the color that occurs in the largest even number into \
               the zone with the same color.",
        objects: "3 colors of 1-6 small blocks with a zone each",
        most: 15,
        family: F::Count(Count::Largest { odd: false }),
        needs: &[Colour, Reference, Arithmetic],
        split: Unseen,
        told: false,
        deviations: &[NO_CODE],
    },
    Row {
        number: 37,
        id: "lohoravens/put-max-odd-blocks-in-same-color-zone-in-size-order",
        title: "Put max odd number blocks into same colored zone in size order.",
        says: "Put the blocks of the color that occurs in the largest odd number into the \
               zone with the same color in size order: …",
        objects: "3 colors of 1-5 blocks of both sizes with a zone each",
        most: 15,
        family: F::Count(Count::Largest { odd: true }),
        needs: &[Colour, Size, Reference, Arithmetic],
        split: Unseen,
        told: false,
        deviations: &[NO_CODE, "in size order means stacked, the bigger ones below"],
    },
    Row {
        number: 38,
        id: "lohoravens/construct-circle-with-block-in-middle",
        title: "Construct circle with block in the middle.",
        says: "Construct a circle of the {around} blocks around (0.45, 0.00) with a \
               radius of 15 cm, … with the {middle} block in the middle.",
        objects: "8 small blocks of one color and 1 of another",
        most: 15,
        family: F::Shape(Shape::Middle { around: 8 }),
        needs: &[Spatiality, Reference, Shapes],
        split: Seen,
        told: false,
        deviations: &[FIXED_PLACES, "a block in the middle, as the paper says, not a ball"],
    },
    Row {
        number: 39,
        id: "lohoravens/construct-letter-m",
        title: "Construct letter M.",
        says: "Construct the letter M, its top towards the robot, around (0.48, 0.00): …",
        objects: "2 long and 2 shorter boxes, 1 small block",
        most: 10,
        family: F::Shape(Shape::LetterM),
        needs: &[Spatiality, Reference, Shapes, Commonsense],
        split: Unseen,
        told: false,
        deviations: &["flat on the table; the reference's boxes would float above their supports"],
    },
    Row {
        number: 40,
        id: "lohoravens/build-rectangle-on-zone",
        title: "Build rectangular on the zone.",
        says: "Build a rectangle on the {zone} zone: the outline of {rows} by {columns} \
               {block} blocks, …",
        objects: "8-10 small blocks, 1 zone",
        most: 15,
        family: F::Shape(Shape::Rectangle),
        needs: &[Reference, Shapes],
        split: Unseen,
        told: false,
        deviations: &[NO_CODE],
    },
];
