//! Colours that occur so often: even, odd, most.

use longarm_assets::Colour;
use longarm_task::{Fit, TaskSpec};

use super::draft::{BIG, Destination, Draft, Id, SMALL};

/// What is counted.
#[derive(Clone, Copy)]
pub(super) enum Count {
    /// Every colour that occurs an even (or odd) number of times, into the zone of its colour.
    Parity { odd: bool },
    /// The colour with the largest even (or odd) number, into its zone; stacked by size when odd.
    Largest { odd: bool },
    /// The colour that occurs most, stacked on a zone.
    Most,
}

/// Edge of the zones.
const ZONE: f64 = 0.15;
/// Places of a zone; the outer ones keep 8 mm from its edge.
const PITCH: f64 = 0.047;

/// How often each colour occurs, the ones that count first.
fn counts(d: &mut Draft, c: &Count) -> (usize, Vec<usize>) {
    match c {
        Count::Parity { odd } => {
            let even = [2, 4];
            let uneven = [1, 3];
            let (wanted, other) = if *odd { (uneven, even) } else { (even, uneven) };
            let mut right = vec![d.one_of(&wanted)];
            if d.coin() {
                right.push(d.one_of(&wanted));
            }
            let n = right.len();
            right.push(d.one_of(&other));
            (n, right)
        }
        Count::Largest { odd: false } => {
            let most = d.one_of(&[4, 6]);
            (1, vec![most, 2, d.one_of(&[1, 3, 5])])
        }
        Count::Largest { odd: true } => {
            let most = d.one_of(&[3, 5]);
            (1, vec![most, 1, d.one_of(&[2, 4])])
        }
        Count::Most => {
            let most = d.between(3, 5);
            let (a, b) = (d.between(1, most - 1), d.between(1, most - 1));
            (1, vec![most, a, b])
        }
    }
}

pub(super) fn instance(id: &str, c: &Count, mut d: Draft) -> (String, TaskSpec) {
    let (right, counts) = counts(&mut d, c);
    let colours: Vec<Colour> = counts.iter().map(|_| d.new_colour()).collect();
    let stacked = matches!(c, Count::Largest { odd: true } | Count::Most);
    let mut zones: Vec<Id> = Vec::new();
    if matches!(c, Count::Most) {
        let other = d.new_colour();
        zones.push(d.tower_zone(0.1, other, &|_| true));
    } else {
        for (i, c) in colours.iter().enumerate() {
            zones.push(match stacked && i == 0 {
                true => d.tower_zone(ZONE, *c, &|_| true),
                false => d.zone(ZONE, *c, &|_| true),
            });
        }
    }
    let mut n = 0;
    for (i, (count, colour)) in counts.iter().zip(&colours).enumerate() {
        // Of a tower by size at least one is big and one small.
        let by_size = matches!(c, Count::Largest { odd: true });
        let mut blocks: Vec<Id> = Vec::new();
        for k in 0..*count {
            let big = by_size && (k == 0 || (k < 2 && *count > 3));
            blocks.push(d.block_anywhere(if big { BIG } else { SMALL }, *colour));
        }
        if i >= right {
            continue;
        }
        n += count;
        if stacked {
            d.tower(zones[i], 0.0, &blocks);
            continue;
        }
        for (k, b) in blocks.iter().enumerate() {
            let at = |k: usize| (k as f64 - 1.0) * PITCH;
            let spot = d
                .slot(zones[i], [at(k / 3), at(k % 3), 0.0], Fit::Near(0.007))
                .heading(0.0, super::draft::HEADING);
            d.step(*b, spot, Destination::On(zones[i]));
        }
        let whole = d.slot(zones[i], [0.0; 3], Fit::Inside([ZONE / 2.0; 2]));
        d.any(&blocks, vec![whole; *count]);
    }
    let total: usize = counts.iter().sum();
    let (text, max) = match c {
        Count::Parity { odd } => {
            let word = if *odd { "odd" } else { "even" };
            let text =
                format!("Put the blocks of an {word} number in the zone with the matching color.");
            (text, total + 2)
        }
        Count::Largest { odd: false } => {
            let text = "Put the blocks of the color that occurs in the largest even number into \
                        the zone with the same color.";
            (text.to_owned(), 15)
        }
        Count::Largest { odd: true } => {
            let text = "Put the blocks of the color that occurs in the largest odd number into the \
                        zone with the same color in size order: stacked, the bigger ones below.";
            (text.to_owned(), 15)
        }
        Count::Most => {
            let zone = d.colour(zones[0]);
            (format!("Stack the blocks of the most frequent color on the {zone} zone."), n + 2)
        }
    };
    (text.clone(), d.finish(id, text, max))
}
