//! Facts in a reader's words.

use longarm_assets::PartMotion;

use super::world::TABLES;
use super::{Fact, Relation};
use crate::TaskSpec;
use crate::template::usual_name;

/// Return what one would tell somebody to do so that the facts a stage is named after become true:
/// `on moka_pot_1 flat_stove_1_cook_region` is `put the moka pot on the stove`. `None` for a name that is not
/// made of facts about the task's own objects.
pub(crate) fn said(spec: &TaskSpec, name: &str) -> Option<String> {
    let mut out = String::new();
    let mut words: Vec<&str> = Vec::new();
    for word in name.split(' ') {
        if !matches!(word, "and" | "or") {
            words.push(word);
            continue;
        }
        out += &format!("{} {word} ", sentence(spec, &words.join(" "))?);
        words.clear();
    }
    Some(out + &sentence(spec, &words.join(" "))?)
}

fn sentence(spec: &TaskSpec, fact: &str) -> Option<String> {
    let fact = Fact::words(fact)?;
    Some(match fact.relation {
        Relation::On | Relation::In => {
            let what = object(spec, fact.subject())?;
            format!("put {what} {}", destination(spec, fact.relation, fact.place())?)
        }
        Relation::Open => format!("open {}", place(spec, fact.place())?),
        Relation::Close => format!("close {}", place(spec, fact.place())?),
        Relation::TurnOn => format!("turn on {}", place(spec, fact.place())?),
        Relation::TurnOff => format!("turn off {}", place(spec, fact.place())?),
    })
}

/// `the mug`, or `the mug 2` where there are several.
fn object(spec: &TaskSpec, name: &str) -> Option<String> {
    let noun = |o: &crate::ObjectSpec| o.assets.first().map(|a| a.noun().to_owned());
    let own = noun(spec.object(name)?)?;
    let alike = spec.objects.iter().filter(|o| noun(o).as_ref() == Some(&own)).count();
    Some(format!("the {}", usual_name(name, &own, alike)))
}

/// Splits `flat_stove_1_cook_region` into the object and its region.
fn owner<'n>(spec: &TaskSpec, place: &'n str) -> Option<(&'n str, &'n str)> {
    let region = |o: &crate::ObjectSpec| place.strip_prefix(&o.name)?.strip_prefix('_');
    spec.objects.iter().find_map(|o| region(o).map(|r| (&place[..o.name.len()], r)))
}

/// An object, or what one calls a region of it: a drawer, or a side; its one inside needs no word.
fn place(spec: &TaskSpec, name: &str) -> Option<String> {
    if let Some(whole) = object(spec, name) {
        return Some(whole);
    }
    let (of, region) = owner(spec, name)?;
    let info = spec.object(of)?.assets.first()?.info();
    let slides = |part: &str| {
        info.parts.iter().any(|p| p.name == part && matches!(p.motion, PartMotion::Slide { .. }))
    };
    let drawer = info.region(region)?.part.as_deref().is_some_and(slides);
    let of = object(spec, of)?;
    let side = region.trim_end_matches("_region").trim_end_matches("_contain").replace('_', " ");
    Some(match side.as_str() {
        "contain" | "cook" | "heating" | "inside" | "surface" => of,
        "top side" => format!("the top of {of}"),
        _ if drawer => format!("the {side} drawer of {of}"),
        _ => format!("the {side} of {of}"),
    })
}

fn destination(spec: &TaskSpec, relation: Relation, name: &str) -> Option<String> {
    if let Some(place) = place(spec, name) {
        return Some(format!("{} {place}", if relation == Relation::In { "in" } else { "on" }));
    }
    if !spec.regions.iter().any(|r| r.name == name) {
        return None;
    }
    let of_table = |t: &&&str| name.strip_prefix(**t).is_some_and(|r| r.starts_with('_'));
    let table = TABLES.iter().find(of_table)?;
    let region = name[table.len() + 1..].trim_end_matches("_region").replace('_', " ");
    let sides = [
        (" front", "in front of"),
        (" left", "to the left of"),
        (" right", "to the right of"),
        (" back", "behind"),
    ];
    Some(match sides.iter().find_map(|(end, say)| Some((region.strip_suffix(end)?, say))) {
        Some((beside, say)) => format!("{say} the {beside}"),
        None => format!("at the {region} of the {}", table.replace('_', " ")),
    })
}
