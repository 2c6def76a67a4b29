//! Blocks from one quarter of the table to another.

use longarm_task::speech::Area;
use longarm_task::{Fit, Slot, TaskSpec};

use super::draft::{BIG, Destination, Draft, Id, SMALL, table};
use super::layout::Point;

/// Which blocks move.
#[derive(Clone, Copy)]
pub(super) struct Moving {
    pub blocks: [usize; 2],
    pub by_size: bool,
    pub by_colour: bool,
}

/// A quarter counts a fifth larger than it is.
const LARGER: f64 = 1.2;

pub(super) fn instance(id: &str, m: &Moving, mut d: Draft) -> (String, TaskSpec) {
    let mut quarters = Area::QUARTERS;
    d.rng.shuffle(&mut quarters);
    let [from, to, ..] = quarters;
    let w = *d.room.workspace();
    let (middle, half) = to.rect(&w);
    let half = half.map(|h| h * LARGER);
    // A block must not count before it is moved.
    let counts = move |p: Point| (0..2).all(|i| (p[i] - middle[i]).abs() < half[i]);
    let n = d.between(m.blocks[0], m.blocks[1]);
    let (category, has, not) = match m.by_colour {
        true => {
            let (c, has, not) = d.category();
            (Some(c), has, not)
        }
        false => (None, d.colours.clone(), Vec::new()),
    };
    let edge = if m.by_size && d.coin() { BIG } else { SMALL };
    let other = if edge == BIG { SMALL } else { BIG };
    let start = move |p: Point| from.contains(&w, p, 0.02) && !counts(p);
    let movers: Vec<Id> = (0..n)
        .map(|_| {
            let c = d.one_of(&has);
            d.block(edge, c, &start)
        })
        .collect();
    // Where they go; kept free from now on. All around stays room for those who find a place.
    let inside = move |p: Point| to.contains(&w, p, 0.04);
    let spots: Vec<Point> = (0..n).map(|_| d.spot(edge, &inside)).collect();
    // The others stand elsewhere, or are of another kind.
    let kinds: Vec<usize> =
        [true, m.by_size, m.by_colour].iter().enumerate().filter(|k| *k.1).map(|k| k.0).collect();
    let most = if m.by_size { 3 } else { 4 };
    for _ in 0..d.between(usize::from(kinds.len() > 1), most) {
        let kind = d.one_of(&kinds);
        let c = if kind == 2 { d.one_of(&not) } else { d.one_of(&has) };
        let e = if kind == 1 { other } else { edge };
        match kind {
            0 => d.block(e, c, &|p| !from.contains(&w, p, -0.03)),
            _ => d.block(e, c, &start),
        };
    }
    for (b, at) in movers.iter().zip(spots) {
        d.step(*b, table(at, 0.0), Destination::Area(to));
    }
    let target = Slot::on_table([middle[0], middle[1], 0.0], Fit::Inside(half));
    d.any(&movers, vec![target; n]);
    let size = match m.by_size {
        true if edge == BIG => " bigger",
        true => " smaller",
        false => "",
    };
    let colours = category.map_or(String::new(), |c| format!(" of {} colors", c.name()));
    let text = format!(
        "Move all the{size} blocks{colours} on the {} area to the {} area.",
        from.name(),
        to.name()
    );
    (text.clone(), d.finish(id, text, n + 7))
}
