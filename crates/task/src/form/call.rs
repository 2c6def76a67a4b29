//! The predicates there are, by the name a formula calls them.

use longarm_types::hint;

use crate::predicate::{self as p, Predicate};
use crate::stage::Count;

/// A number or a name between the brackets of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Arg {
    Name(String),
    Number(f64),
    Named(String, f64),
    Formula(Predicate),
    Count(Count),
}

const CALLS: [&str; 41] = [
    "on",
    "in",
    "at",
    "back_at_start",
    "at_start_of",
    "grasped",
    "lifted",
    "lifted_off",
    "lifted_both",
    "carried",
    "open",
    "closed",
    "hand_empty",
    "hand_away",
    "hand_clear_of",
    "hand_over",
    "still",
    "upright",
    "on_end",
    "above",
    "touching",
    "near",
    "aligned",
    "turned",
    "through",
    "spread_out",
    "covers",
    "folded",
    "lies_in",
    "hangs_on",
    "straight",
    "wrapped",
    "shaped",
    "contains",
    "spilled",
    "moulded",
    "raised",
    "lowest",
    "all",
    "any",
    "at_least",
];

/// The predicate of a call.
pub(super) fn call(name: &str, args: Vec<Arg>) -> Result<Predicate, String> {
    let mut names = Vec::new();
    let mut numbers = Vec::new();
    let mut formulas = Vec::new();
    let mut within = None;
    for a in args {
        match a {
            Arg::Name(n) => names.push(n),
            Arg::Number(v) => numbers.push(v),
            Arg::Formula(f) => formulas.push(f),
            Arg::Named(key, v) if key == "within" => within = Some(v),
            Arg::Named(key, _) => {
                return Err(format!("{name} has no option {key:?}; it may have within"));
            }
            Arg::Count(_) => return Err(format!("{name} takes no strokes(…); times does")),
        }
    }
    // A box of a frame may lie anywhere.
    let signed = name == "lies_in";
    if let Some(x) = numbers.iter().chain(&within).find(|x| **x < 0.0 && !signed) {
        return Err(format!("{name}: {x} is below 0; lengths, angles and speeds are 0 or more"));
    }
    let n: Vec<&str> = names.iter().map(String::as_str).collect();
    let made = match (name, &n[..], &numbers[..], formulas.len()) {
        ("on", [a, b], [], 0) => p::on(*a, *b),
        ("in", [a, b], [], 0) => p::in_(*a, *b),
        ("at", [a, b], [], 0) => p::at(*a, *b),
        ("back_at_start", [a], [], 0) => p::back_at_start(*a),
        ("at_start_of", [a, b], [], 0) => p::at_start_of(*a, *b),
        ("grasped", [a], [], 0) => p::grasped(*a),
        ("lifted", [a], [], 0) => p::lifted(*a, p::LIFT),
        ("lifted", [a], [h], 0) => p::lifted(*a, *h),
        ("lifted_off", [a, b], [], 0) => p::lifted_off(*a, *b, p::LIFT),
        ("lifted_off", [a, b], [h], 0) => p::lifted_off(*a, *b, *h),
        ("lifted_both", [a, b], [h], 0) => p::lifted_both(*a, *b, *h),
        ("carried", [a], [h], 0) => p::carried(*a, *h),
        ("open", [a], [], 0) => p::is_open(*a),
        ("open", [a], [share], 0) if (0.0..=1.0).contains(share) => p::opened(*a, *share),
        ("closed", [a], [], 0) => p::is_closed(*a),
        ("hand_empty", [], [], 0) => p::hand_empty(),
        ("hand_away", [], [], 0) => p::hand_away(p::HAND_AWAY),
        ("hand_away", [], [d], 0) => p::hand_away(*d),
        ("hand_clear_of", [a], [], 0) => p::hand_clear_of(*a),
        ("hand_over", [a], [], 0) => p::hand_over(*a),
        ("still", [a], [], 0) => p::still(*a),
        ("upright", [a], [], 0) => p::upright(*a),
        ("on_end", [a], [], 0) => p::on_end(*a),
        ("above", [a, b], [], 0) => p::above(*a, *b),
        ("touching", [a, b], [], 0) => p::touching(*a, *b),
        ("near", [a, b], [d], 0) => p::near(*a, *b, *d),
        ("aligned", [a, b], [], 0) => p::aligned(*a, *b),
        ("turned", [a], [degrees], 0) => p::turned(*a, degrees.to_radians()),
        ("through", [a, b], [d], 0) => p::through(*a, *b, *d),
        ("spread_out", [a], [share], 0) if *share <= 1.0 => p::spread_out(*a, *share),
        ("covers", [a, b], [share], 0) if *share <= 1.0 => p::covers(*a, *b, *share),
        ("folded", [a, "x"], [d], 0) => p::folded(*a, p::Axis::X, *d),
        ("folded", [a, "y"], [d], 0) => p::folded(*a, p::Axis::Y, *d),
        ("lies_in", [a], [x0, y0, x1, y1, share], 0) if (0.0..=1.0).contains(share) => {
            p::lies_in(*a, [*x0, *y0], [*x1, *y1], *share)
        }
        ("hangs_on", [a, b], [h], 0) => p::hangs_on(*a, *b, *h),
        ("straight", [a], [], 0) => p::straight(*a),
        ("wrapped", [a, b], [degrees], 0) => p::wrapped(*a, *b, degrees.to_radians()),
        ("shaped", [a], [], 0) => p::shaped(*a),
        ("contains", [a, b], [share], 0) if *share <= 1.0 => p::contains(*a, *b, *share),
        ("spilled", [a], [share], 0) if *share <= 1.0 => p::spilled(*a, *share),
        ("moulded", [a, b], [share], 0) if *share <= 1.0 => p::moulded(*a, *b, *share),
        ("raised", [a], [h, share], 0) if *share <= 1.0 => p::raised(*a, *h, *share),
        ("lowest", [a], [h], 0) => p::lowest(*a, *h),
        ("all", [], [], _) => p::all(formulas),
        ("any", [], [], _) => p::any(formulas),
        ("at_least", [], [k], 1..) if k.fract() == 0.0 && *k >= 0.0 => {
            p::at_least(*k as usize, formulas)
        }
        _ if CALLS.contains(&name) => return Err(format!("{name} is written {}", shape(name))),
        _ => {
            return Err(format!("no predicate {name:?}{}", hint(name, CALLS)));
        }
    };
    match within {
        None => Ok(made),
        Some(v) if made.has_limit() => Ok(made.within(v)),
        Some(_) => Err(format!("{name} has no option \"within\"")),
    }
}

fn shape(name: &str) -> &'static str {
    match name {
        "on" => "on(object, support)",
        "in" => "in(object, container)",
        "at" => "at(object, region)",
        "back_at_start" => "back_at_start(object)",
        "at_start_of" => "at_start_of(object, other)",
        "grasped" => "grasped(object)",
        "lifted" => "lifted(object) or lifted(object, 0.05)",
        "lifted_off" => "lifted_off(object, support) or lifted_off(object, support, 0.05)",
        "lifted_both" => "lifted_both(object, other, 0.05)",
        "carried" => "carried(object, 0.05)",
        "open" => "open(part) or open(part, 0.5) for half of the way",
        "closed" => "closed(part)",
        "hand_empty" => "hand_empty",
        "hand_away" => "hand_away or hand_away(0.08)",
        "hand_clear_of" => "hand_clear_of(object)",
        "hand_over" => "hand_over(object)",
        "still" => "still(object)",
        "upright" => "upright(object)",
        "on_end" => "on_end(object)",
        "above" => "above(object, other)",
        "touching" => "touching(object, other)",
        "near" => "near(object, other, 0.05)",
        "aligned" => "aligned(object, other)",
        "turned" => "turned(object, 90)",
        "through" => "through(rope, opening, 0.02)",
        "spread_out" => "spread_out(cloth, 0.8)",
        "covers" => "covers(cloth, region, 0.85)",
        "folded" => "folded(cloth, x, 0.02) or folded(cloth, y, 0.02)",
        "lies_in" => "lies_in(cloth, -0.1, -0.1, 0.1, 0, 0.88)",
        "hangs_on" => "hangs_on(cloth, object, 0.05)",
        "straight" => "straight(rope)",
        "wrapped" => "wrapped(rope, post, 360)",
        "shaped" => "shaped(sponge)",
        "contains" => "contains(beaker, water, 0.85)",
        "spilled" => "spilled(water, 0.05)",
        "moulded" => "moulded(clay, region, 0.8)",
        "raised" => "raised(sand, 0.1, 0.05)",
        "lowest" => "lowest(rope, 0.05)",
        "all" => "all(one, other)",
        "any" => "any(one, other)",
        _ => "at_least(2, one, other, third)",
    }
}
