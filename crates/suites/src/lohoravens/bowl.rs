//! Blocks into bowls, of their own colour or of another.

use longarm_task::{Fit, TaskSpec};

use super::draft::{Destination, Draft, IN_BOWL, Id, SMALL};

/// Which bowls.
#[derive(Clone, Copy)]
pub(super) struct Bowls {
    /// Each block into a bowl of another colour.
    pub mismatched: bool,
}

pub(super) fn instance(id: &str, bowls: &Bowls, mut d: Draft) -> (String, TaskSpec) {
    let known = d.colours.len();
    let k = d.between(known - 1, known);
    let colours: Vec<_> = (0..k).map(|_| d.new_colour()).collect();
    let dishes: Vec<Id> = colours.iter().map(|c| d.bowl(*c)).collect();
    let n = d.between(4.max(k - 1), k);
    let blocks: Vec<Id> = colours[..n].iter().map(|c| d.block_anywhere(SMALL, *c)).collect();
    if let Some(other) = d.colours.last().copied() {
        for _ in 0..d.between(0, 2) {
            d.block_anywhere(SMALL, other);
        }
    }
    let slots: Vec<_> =
        dishes.iter().map(|b| d.slot(*b, [0.0, 0.0, 0.006], Fit::Near(IN_BOWL))).collect();
    for (i, b) in blocks.iter().enumerate() {
        let to = if bowls.mismatched { (i + 1) % k } else { i };
        d.step(*b, slots[to].clone(), Destination::On(dishes[to]));
    }
    let may = |i: usize| match bowls.mismatched {
        true => (0..k).filter(|j| *j != i).collect(),
        false => vec![i],
    };
    let rows: Vec<_> = blocks.iter().enumerate().map(|(i, b)| (*b, may(i))).collect();
    d.each(slots, rows);
    let sort = if bowls.mismatched { "mismatched" } else { "matching" };
    let text = format!("Put the blocks in the bowls with {sort} colors.");
    (text.clone(), d.finish(id, text, n + 2))
}
