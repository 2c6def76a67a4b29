//! Conditions and places as people read them.

use longarm_assets::{Access, AssetInfo, Part, PartMotion, RegionKind};
use longarm_task::Predicate;
use longarm_task::place::Place;
use longarm_task::stage::{Count, Event, When};

/// A length in millimetres.
pub(crate) fn millimetres(v: f64) -> String {
    // Not −0.
    format!("{:.0}", (1000.0 * v).round() + 0.0)
}

/// An instruction with what is drawn for each episode in brackets.
pub(crate) fn blanks(instruction: &str) -> String {
    let mut out = String::new();
    for (i, piece) in instruction.split(['{', '}']).enumerate() {
        match piece.split_once('.') {
            Some((object, "colour")) if i % 2 == 1 => {
                out += &format!("[colour of {}]", object.replace('_', " "));
            }
            Some((object, _)) if i % 2 == 1 => out += &format!("[{}]", object.replace('_', " ")),
            _ => out += piece,
        }
    }
    out
}

/// What cannot be seen from an object's size.
pub(crate) fn remarks(info: &AssetInfo) -> String {
    let mut out = info.remarks.clone();
    // Of an opening the region is what counts as through, not the hole.
    let regions = info.regions.iter().filter(|r| r.access != Access::Through);
    out.extend(regions.map(|r| {
        let [x, y, z] = r.half.map(|h| millimetres(2.0 * h));
        match r.kind {
            RegionKind::Volume => format!("{}: {x} × {y} × {z}", r.name),
            RegionKind::Surface => format!("{}: {x} × {y}", r.name),
        }
    }));
    let slides = |p: &&Part| matches!(p.motion, PartMotion::Slide { .. }) && p.opens();
    out.extend(info.parts.iter().filter(slides).map(|p| {
        format!(
            "{}: slides {} mm, open from {} on, closed up to {}",
            p.name,
            millimetres(p.range[1] - p.range[0]),
            millimetres(p.open[0]),
            millimetres(p.closed[1])
        )
    }));
    out.join("; ")
}

fn count(c: &Count, n: u32) -> String {
    match c {
        Count::Rises(p) => format!("for the {n}. time: {}", words(p)),
        Count::Strokes { tool, surface, length } => format!(
            "{n} {} of {} mm or more with the held {tool} on the {surface}, each without lifting or \
             turning back",
            if n == 1 { "stroke" } else { "strokes" },
            millimetres(*length)
        ),
        Count::Pours { from, into } => format!(
            "for the {n}. time: {}, for half a second, and {from} upright again",
            words(&Predicate::Pouring { from: from.clone(), into: into.clone() })
        ),
    }
}

/// What completes a stage.
pub(crate) fn when(w: &When) -> String {
    match w {
        When::Holds(p) => words(p),
        When::Times { count: c, reach } => count(c, *reach),
    }
}

/// What is forbidden.
pub(crate) fn event(e: &Event) -> String {
    match e {
        Event::Times { count: c, more_than } => count(c, more_than + 1),
        Event::Holds { when, .. } => words(when),
        Event::After { stage, event: e } => format!("once “{stage}” is complete: {}", event(e)),
        Event::Before { stage, event: e } => format!("until “{stage}” is complete: {}", event(e)),
    }
}

/// A predicate as a judge reads it.
pub(crate) fn words(p: &Predicate) -> String {
    use Predicate as P;
    let list = |of: &[P], with: &str| of.iter().map(words).collect::<Vec<_>>().join(with);
    let mm = |v: &f64| millimetres(*v);
    match p {
        P::On { object, support, .. } => format!("{object} rests on {support}"),
        P::OriginOn { object, support, .. } => format!("{object} is on {support}"),
        P::In { object, region } | P::OriginIn { object, region } => {
            format!("{object} is in {region}")
        }
        P::Placed { n, goal } => {
            format!("{n} of {} objects are where they belong", goal.objects.len())
        }
        P::At { object, region } => format!("{object} rests at {region}"),
        P::AtStart { object, of, within } => {
            let whose = of.as_ref().map_or("it".to_owned(), |o| o.clone());
            format!("{object} rests within {} mm of where {whose} began", mm(within))
        }
        P::Grasped { object } => format!("the hand holds {object}"),
        P::Lifted { object, clearance, above } => {
            let over = above.as_ref().map_or("its place".to_owned(), |a| a.clone());
            format!("{object} is held in the air, {} mm above {over}", mm(clearance))
        }
        P::Carried { object, with, clearance } => {
            let with = with.as_ref().map_or(String::new(), |o| format!(" with {o}"));
            format!(
                "{object} is in the air in a hand{with}, {} mm above where it was",
                mm(clearance)
            )
        }
        P::Open { part } => format!("{part} is open"),
        P::Opened { part, share } => {
            format!("{part} is {:.0} % of the way to open", 100.0 * share)
        }
        P::Closed { part } => format!("{part} is closed"),
        P::HandEmpty => "the hand is empty".into(),
        P::HandAway { distance } => {
            format!("the hand is {} mm from everything that can move", mm(distance))
        }
        P::HandClearOf { object, distance } => {
            format!("the hand is {} mm off {object}", mm(distance))
        }
        P::HandOver { object, within } => {
            format!("the hand is over {object}, within {} mm", mm(within))
        }
        P::Still { object } => format!("{object} does not move"),
        P::OnEnd { object, within } => {
            format!("{object} stands on an end within {:.0}°", within.to_degrees())
        }
        P::Upright { object, within } => {
            format!("{object} stands upright within {:.0}°", within.to_degrees())
        }
        P::Above { object, below } => format!("{object} is above {below}"),
        P::Touching { object, other } => format!("{object} touches {other}"),
        P::Near { object, other, within } => {
            format!("{object} is within {} mm of {other}", mm(within))
        }
        P::Aligned { object, other, within } => {
            format!("{object} is turned like {other} within {:.0}°", within.to_degrees())
        }
        P::Turned { object, by, within, .. } => format!(
            "{object} is turned by {:.0}° within {:.0}°",
            by.to_degrees(),
            within.to_degrees()
        ),
        P::Through { object, opening, past } => {
            format!("{object} is through {opening}, its end {} mm past", mm(past))
        }
        P::SpreadOut { object, share } => {
            format!("{object} covers {:.0} % of its own area", 100.0 * share)
        }
        P::Covers { object, region, share } => {
            format!("{object} covers {:.0} % of {region}", 100.0 * share)
        }
        P::Folded { object, within, .. } => format!(
            "the halves of {object} lie on each other, {} mm apart on average at most",
            mm(within)
        ),
        P::LiesIn { object, share, .. } => {
            format!("{:.0} % of {object} lie within the outline of the fold", 100.0 * share)
        }
        P::PointAt { object, within, .. } => {
            format!("the point of {object} lies where it should, within {} mm", mm(within))
        }
        P::Moulded { matter, region, overlap } => {
            format!(
                "{matter} has the shape of {region}, {:.0} % of what either covers",
                100.0 * overlap
            )
        }
        P::Raised { matter, height, share } => {
            format!("{:.0} % of {matter} are {} mm above the table", 100.0 * share, mm(height))
        }
        P::Lowest { object, height } => {
            format!("all of {object} is {} mm above the table", mm(height))
        }
        P::Contains { container, matter, share } => {
            format!("{container} contains {:.0} % of {matter}", 100.0 * share)
        }
        P::Spilled { matter, share } => {
            format!("at most {:.0} % of {matter} are spilled", 100.0 * share)
        }
        P::HangsOn { object, on, clearance } => {
            format!("{object} hangs on {on}, {} mm above the table, held by no hand", mm(clearance))
        }
        P::Straight { object, within } => {
            format!("{object} lies straight within {} mm", mm(within))
        }
        P::Wrapped { object, around, angle } => {
            format!("{object} is wound around {around} by {:.0}°", angle.to_degrees())
        }
        P::Shaped { object, within } => {
            format!("{object} has its shape within {} mm", mm(within))
        }
        P::Pouring { from, into } => {
            format!("{from} is held in the air over {into} and tilted so far that it spills")
        }
        P::Stated { fact } => format!("fact {} of the files holds", fact + 1),
        P::With { limb, that } => format!("with the {limb} limb: {}", words(that)),
        P::Not(p) => match &**p {
            P::Grasped { object } => format!("the hand does not hold {object}"),
            P::Above { object, below } => format!("{object} is not above {below}"),
            p => format!("not ({})", words(p)),
        },
        P::All(of) => list(of, ", and "),
        P::Any(of) => format!("one of: {}", list(of, "; ")),
        P::AtLeast { n, of } => format!("at least {n} of: {}", list(of, "; ")),
    }
}

/// A place as somebody setting the table reads it.
pub(crate) fn place_words(p: &Place) -> String {
    match p {
        Place::At(r) => format!("at {r}"),
        Place::On { object, .. } => format!("on {object}"),
        Place::Under(cover) => format!("under {cover}"),
        Place::Palm { limb, .. } => format!("on the palm of the {limb}'s hand"),
        Place::Chosen { places, .. } => {
            // A place may stand for several cases of the draw.
            let all: std::collections::BTreeSet<String> = places.iter().map(place_words).collect();
            all.into_iter().collect::<Vec<_>>().join(" or ")
        }
    }
}
