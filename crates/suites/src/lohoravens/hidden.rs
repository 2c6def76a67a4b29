//! Blocks under hollow blocks, to be uncovered and put into bowls.
//!
//! Uncovering carries no weight: what counts is that hidden blocks end up in their bowls.

use std::f64::consts::TAU;

use longarm_assets::Colour;
use longarm_assets::objects::{Block, Hollow};
use longarm_task::{Fit, TaskSpec};

use super::draft::{BIG, Destination, Draft, IN_BOWL, Id, SMALL};
use super::layout::Point;

/// What hides the blocks.
#[derive(Clone, Copy)]
pub(super) enum Hidden {
    /// One named block of several two-layer towers.
    One { towers: [usize; 2] },
    /// Every hidden block of towers with this number of layers.
    Towers { towers: [usize; 2], layers: usize },
    /// The first layer of a pyramid: three blocks under one cover, with two and one above.
    Pyramid,
}

/// A hidden block, what lies over it from the top down, and where that is put aside.
struct Pile {
    hidden: Vec<Id>,
    over: Vec<(Id, Point)>,
}

/// A square of this edge, with room for the wrist.
const PILE: f64 = 0.08;

fn pile(d: &mut Draft, layers: usize, inner: Colour, outer: &[Colour]) -> Pile {
    let at = d.room.place(&mut d.rng, [PILE / 2.0; 2], super::layout::TOWER_REACH, &|_| true);
    let yaw = d.rng.range(0.0, TAU);
    let hidden = d.with(Block::cube(SMALL), inner, at, 0.0, yaw);
    let c = d.one_of(outer);
    let cover = d.with(Hollow { size: [BIG; 3] }, c, at, 0.0, yaw);
    let mut over = vec![cover];
    for layer in 2..layers {
        let c = d.one_of(outer);
        let z = (layer - 1) as f64 * BIG;
        over.insert(0, d.with(Block::cube(BIG), c, at, z, yaw));
    }
    let over = over.into_iter().map(|b| (b, d.spot(BIG, &|_| true))).collect();
    Pile { hidden: vec![hidden], over }
}

/// Three hidden blocks in a row under one cover, two blocks and one above.
fn pyramid(d: &mut Draft, inner: &[Colour], outer: &[Colour]) -> Pile {
    const STEP: f64 = 0.05;
    let size = [BIG, 2.0 * STEP + BIG, BIG];
    let half = [size[0] / 2.0 + 0.02, size[1] / 2.0 + 0.02];
    let at = d.room.place(&mut d.rng, half, 0.62, &|_| true);
    let along = |k: f64| [at[0], at[1] + k * STEP];
    let hidden = (0..3)
        .map(|i| d.with(Block::cube(SMALL), inner[i], along(i as f64 - 1.0), 0.0, 0.0))
        .collect();
    let c = d.one_of(outer);
    let cover = d.with(Hollow { size }, c, at, 0.0, 0.0);
    let mut above = Vec::new();
    for (k, z) in [(0.0, BIG + SMALL), (-0.5, BIG), (0.5, BIG)] {
        let c = d.one_of(outer);
        above.push(d.with(Block::cube(SMALL), c, along(k), z, 0.0));
    }
    let mut over: Vec<(Id, Point)> =
        above.into_iter().map(|b| (b, d.spot(SMALL, &|_| true))).collect();
    // Put aside as it stood, lengthwise.
    let aside = d.room.place(&mut d.rng, [size[0] / 2.0, size[1] / 2.0], 0.7, &|_| true);
    over.push((cover, aside));
    Pile { hidden, over }
}

pub(super) fn instance(id: &str, h: &Hidden, mut d: Draft) -> (String, TaskSpec) {
    let n = match h {
        Hidden::One { towers } | Hidden::Towers { towers, .. } => d.between(towers[0], towers[1]),
        Hidden::Pyramid => 3,
    };
    // Bowls for the hidden, and one more where a colour is left; covers have the other colours.
    let inner: Vec<Colour> = (0..n).map(|_| d.new_colour()).collect();
    let mut bowls: Vec<Id> = Vec::new();
    let mut piles = Vec::new();
    let outer = d.colours.clone();
    match h {
        Hidden::Pyramid => piles.push(pyramid(&mut d, &inner, &outer)),
        Hidden::One { .. } => {
            for c in &inner {
                piles.push(pile(&mut d, 2, *c, &outer));
            }
        }
        Hidden::Towers { layers, .. } => {
            for c in &inner {
                piles.push(pile(&mut d, *layers, *c, &outer));
            }
        }
    }
    for c in inner.iter().chain(outer.first()) {
        bowls.push(d.bowl(*c));
    }
    let blocks: usize = piles.iter().map(|p| p.hidden.len() + p.over.len()).sum();
    let chosen = match h {
        Hidden::One { .. } => 1,
        _ => piles.len(),
    };
    let mut bowl = 0;
    let (mut slots, mut rows) = (Vec::new(), Vec::new());
    for p in &piles[..chosen] {
        for &(b, at) in &p.over {
            d.put_aside(b, at);
        }
        for &b in &p.hidden {
            let slot = d.slot(bowls[bowl], [0.0, 0.0, 0.006], Fit::Near(IN_BOWL));
            d.step(b, slot.clone(), Destination::On(bowls[bowl]));
            rows.push((b, vec![slots.len()]));
            slots.push(slot);
            bowl += 1;
        }
    }
    d.each(slots, rows);
    let (text, max) = match h {
        Hidden::One { .. } => {
            let (b, top) = (piles[0].hidden[0], piles[0].over[0].0);
            let text = format!(
                "Put the {} block under the {} block into the bowl with matching color.",
                d.colour(b),
                d.colour(top)
            );
            (text, 4)
        }
        Hidden::Towers { layers, .. } => {
            let word = if *layers == 2 { "two" } else { "three" };
            let text = format!(
                "Put all the hidden blocks in the {word}-layer stacked towers into the bowls with \
                 matching colors."
            );
            (text, blocks + 2)
        }
        Hidden::Pyramid => {
            let text = "Put all the hidden blocks on the first layer of the pyramid into the bowls \
                        with matching colors.";
            (text.to_owned(), 8)
        }
    };
    (text.clone(), d.finish(id, text, max))
}
