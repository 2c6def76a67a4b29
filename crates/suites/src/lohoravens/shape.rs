//! Lines, circles, a letter, a rectangle.

use std::f64::consts::TAU;

use longarm_assets::Colour;
use longarm_assets::objects::{Ring, Zone};
use longarm_task::{Fit, Slot, TaskSpec};

use super::draft::{Destination, Draft, HEADING, HEIGHT, Id, POSITION, SMALL};
use super::layout::Point;

/// Which shape.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// One box of each colour on a line, in a told order.
    ColourLine,
    /// Six boxes on a line, from small to big.
    SizeLine,
    /// Six boxes on a circle, from small to big.
    SizeCircle,
    /// Two circles about one middle.
    Concentric { inner: usize, outer: usize },
    /// A circle and a block in its middle.
    Middle { around: usize },
    /// An M of two long boxes, two shorter ones and a block.
    LetterM,
    /// The outline of a rectangle on a zone.
    Rectangle,
}

/// The line's distance from the robot, and its ends.
const LINE_X: f64 = 0.35;
const LINE_END: f64 = 0.4;
/// Middle of circles and letter.
const MIDDLE: Point = [0.45, 0.0];

/// A place on the table, exactly, with a heading.
fn exactly([x, y]: Point, yaw: f64) -> Slot {
    Slot::on_table([x, y, 0.0], Fit::Near(POSITION)).level(HEIGHT).heading(yaw, HEADING)
}

/// A point of a circle: the first nearest the robot, then clockwise as seen from above with the
/// robot at the top.
fn on_circle(radius: f64, share: f64) -> Point {
    let a = TAU * share;
    [MIDDLE[0] - radius * libm::cos(a), MIDDLE[1] + radius * libm::sin(a)]
}

pub(super) fn instance(id: &str, shape: &Shape, mut d: Draft) -> (String, TaskSpec) {
    let (text, max) = match shape {
        Shape::ColourLine => colour_line(&mut d),
        Shape::SizeLine => by_size(&mut d, false),
        Shape::SizeCircle => by_size(&mut d, true),
        Shape::Concentric { inner, outer } => concentric(&mut d, *inner, *outer),
        Shape::Middle { around } => middle(&mut d, *around),
        Shape::LetterM => letter(&mut d),
        Shape::Rectangle => rectangle(&mut d),
    };
    (text.clone(), d.finish(id, text, max))
}

/// Each object in its own place.
fn one_by_one(d: &mut Draft, places: &[(Id, Point, f64)]) {
    for &(b, at, yaw) in places {
        d.any(&[b], [exactly(at, yaw)]);
        d.step(b, exactly(at, yaw), Destination::At(at, yaw));
    }
}

/// Any of these objects in any of these places.
fn interchangeable(d: &mut Draft, blocks: &[Id], places: &[Point]) {
    d.any(blocks, places.iter().map(|p| exactly(*p, 0.0).any_heading()));
    for (b, at) in blocks.iter().zip(places) {
        d.step(*b, exactly(*at, 0.0), Destination::At(*at, 0.0));
    }
}

/// The drawn line; boxes start beyond it.
fn line(d: &mut Draft) -> impl Fn(Point) -> bool + use<> {
    let size = [0.012, 2.0 * LINE_END];
    d.fixed("zone", Zone { size }, None, [LINE_X, 0.0], [0.06, 0.5]);
    |p: Point| p[0] > LINE_X + 0.08
}

fn spread(n: usize) -> Vec<Point> {
    let pitch = 2.0 * LINE_END / (n - 1) as f64;
    (0..n).map(|i| [LINE_X, -LINE_END + i as f64 * pitch]).collect()
}

fn colour_line(d: &mut Draft) -> (String, usize) {
    let free = line(d);
    let colours: Vec<Colour> = d.colours.clone();
    let mut places = Vec::new();
    for (c, at) in colours.iter().zip(spread(colours.len())) {
        let edge = d.one_of(&[0.03, 0.04, 0.05, 0.06]);
        places.push((d.block(edge, *c, &free), at, 0.0));
    }
    one_by_one(d, &places);
    let names: Vec<&str> = colours.iter().map(|c| c.name()).collect();
    let text = format!(
        "Align the boxes on the line, evenly from its left end to its right end: {}.",
        names.join(", ")
    );
    (text, 20)
}

fn by_size(d: &mut Draft, circle: bool) -> (String, usize) {
    const RADIUS: f64 = 0.15;
    const N: usize = 6;
    let free: Box<dyn Fn(Point) -> bool> = if circle {
        let half = [RADIUS + 0.04; 2];
        d.fixed("circle", Ring { radius: RADIUS }, None, MIDDLE, half);
        Box::new(|_| true)
    } else {
        Box::new(line(d))
    };
    let places: Vec<Point> = match circle {
        true => (0..N).map(|i| on_circle(RADIUS, i as f64 / N as f64)).collect(),
        false => spread(N),
    };
    let colours = d.colours.clone();
    let mut order: Vec<usize> = (0..N).collect();
    d.rng.shuffle(&mut order);
    let mut boxes = Vec::new();
    for i in order {
        let edge = 0.030 + 0.005 * i as f64;
        let c = colours[i % colours.len()];
        boxes.push((d.block(edge, c, &*free), places[i], 0.0, i));
    }
    boxes.sort_by_key(|b| b.3);
    let boxes: Vec<_> = boxes.into_iter().map(|(b, at, yaw, _)| (b, at, yaw)).collect();
    one_by_one(d, &boxes);
    let text = if circle {
        "Align the boxes on the circle by size, evenly: the smallest nearest the robot, then \
         clockwise to the biggest, seen with the robot at the top."
    } else {
        "Align the boxes on the line by size, evenly: the smallest at its left end, the biggest at \
         its right end."
    };
    (text.to_owned(), 20)
}

fn ring(radius: f64, n: usize, shift: f64) -> Vec<Point> {
    (0..n).map(|i| on_circle(radius, (i as f64 + shift) / n as f64)).collect()
}

fn concentric(d: &mut Draft, inner: usize, outer: usize) -> (String, usize) {
    let (a, b) = (d.new_colour(), d.new_colour());
    d.room.take(MIDDLE, [0.24; 2]);
    let small: Vec<Id> = (0..inner).map(|_| d.block_anywhere(SMALL, a)).collect();
    let large: Vec<Id> = (0..outer).map(|_| d.block_anywhere(SMALL, b)).collect();
    interchangeable(d, &small, &ring(0.1, inner, 0.0));
    // Half a step on, so that none stands on the edge of the workspace.
    interchangeable(d, &large, &ring(0.2, outer, 0.5));
    let text = format!(
        "Construct two concentric circles on the tabletop around ({:.2}, {:.2}): {inner} {} blocks \
         at a radius of 10 cm, the first nearest the robot, and {outer} {} blocks at 20 cm, two of \
         them equally near the robot.",
        MIDDLE[0],
        MIDDLE[1],
        a.name(),
        b.name()
    );
    (text, 30)
}

fn middle(d: &mut Draft, around: usize) -> (String, usize) {
    const RADIUS: f64 = 0.15;
    let (a, b) = (d.new_colour(), d.new_colour());
    d.room.take(MIDDLE, [RADIUS + 0.04; 2]);
    let ringed: Vec<Id> = (0..around).map(|_| d.block_anywhere(SMALL, a)).collect();
    let centre = d.block_anywhere(SMALL, b);
    interchangeable(d, &ringed, &ring(RADIUS, around, 0.0));
    interchangeable(d, &[centre], &[MIDDLE]);
    let text = format!(
        "Construct a circle of the {} blocks around ({:.2}, {:.2}) with a radius of 15 cm, the \
         first nearest the robot, with the {} block in the middle.",
        a.name(),
        MIDDLE[0],
        MIDDLE[1],
        b.name()
    );
    (text, 15)
}

/// Legs, strokes and the point where the strokes meet: the letter as read with the robot at its
/// top.
fn letter(d: &mut Draft) -> (String, usize) {
    const LEG: [f64; 3] = [0.20, 0.03, 0.03];
    const STROKE: [f64; 3] = [0.085, 0.03, 0.03];
    const LEAN: f64 = 0.62;
    let (leg, stroke, block) = (d.new_colour(), d.new_colour(), d.new_colour());
    let [x, y] = [MIDDLE[0] + 0.03, MIDDLE[1]];
    d.room.take([x, y], [0.13, 0.14]);
    let anywhere = |_: Point| true;
    let legs = [0, 1].map(|_| d.long_box(LEG, leg, &anywhere));
    let strokes = [0, 1].map(|_| d.long_box(STROKE, stroke, &anywhere));
    let dot = d.block_anywhere(SMALL, block);
    // The letter's top is towards the robot: legs run along x, strokes lean from the tops of the
    // legs to the middle.
    let leg_places = [-0.1, 0.1].map(|dy| ([x, y + dy], 0.0));
    let stroke_places =
        [(-0.044, LEAN), (0.044, -LEAN)].map(|(dy, yaw)| ([x - 0.045, y + dy], yaw));
    for (ids, places) in [(legs, leg_places), (strokes, stroke_places)] {
        d.any(&ids, places.map(|(at, yaw)| exactly(at, yaw)));
        for (b, (at, yaw)) in ids.into_iter().zip(places) {
            d.step(b, exactly(at, yaw), Destination::At(at, yaw));
        }
    }
    interchangeable(d, &[dot], &[[x + 0.016, y]]);
    let text = format!(
        "Construct the letter M, its top towards the robot, around ({x:.2}, {y:.2}): the {} boxes \
         are its legs 20 cm apart, the {} boxes its strokes, the {} block the point where they \
         meet.",
        leg.name(),
        stroke.name(),
        block.name()
    );
    (text, 10)
}

fn rectangle(d: &mut Draft) -> (String, usize) {
    const PITCH: f64 = 0.05;
    let (rows, columns) = d.one_of(&[(3, 3), (3, 4), (4, 3)]);
    let (c, b) = (d.new_colour(), d.new_colour());
    let size = [rows as f64 * PITCH + 0.02, columns as f64 * PITCH + 0.02];
    let half = size.map(|s| s / 2.0 + 0.01);
    let at = d.room.place(&mut d.rng, half, 0.62, &|_| true);
    let zone = d.fixed("zone", Zone { size }, Some(c), at, half);
    let offset = |i: usize, n: usize| (i as f64 - (n as f64 - 1.0) / 2.0) * PITCH;
    let mut places = Vec::new();
    for i in 0..rows {
        for j in 0..columns {
            if i == 0 || j == 0 || i == rows - 1 || j == columns - 1 {
                places.push([offset(i, rows), offset(j, columns)]);
            }
        }
    }
    let n = places.len();
    let blocks: Vec<Id> = (0..n).map(|_| d.block_anywhere(SMALL, b)).collect();
    let slot = |d: &Draft, p: Point| {
        d.slot(zone, [p[0], p[1], 0.0], Fit::Near(POSITION)).level(HEIGHT).heading(0.0, HEADING)
    };
    let slots: Vec<Slot> = places.iter().map(|p| slot(d, *p)).collect();
    for ((b, s), p) in blocks.iter().zip(&slots).zip(&places) {
        d.step(*b, s.clone(), Destination::At([at[0] + p[0], at[1] + p[1]], 0.0));
    }
    d.any(&blocks, slots);
    let text = format!(
        "Build a rectangle on the {} zone: the outline of {rows} by {columns} {} blocks, 5 cm from \
         one to the next, {rows} of them away from the robot.",
        c.name(),
        b.name()
    );
    (text, 15)
}
