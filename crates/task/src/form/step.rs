//! Steps of a plan as one line: `pick block from start`, `put block on plate`.

use crate::plan::{
    Step, close, flip, grasp, hang, insert, lay, open, pass, pick, pick_both, pour, pull, push,
    put, scoop, stand, straighten, thread, throw, turn, turn_off, turn_on, wipe, withdraw,
};
use longarm_types::hint;

/// How far beyond an opening a rope's end is led unless the step says otherwise.
const PAST: f64 = 0.02;

const VERBS: [(&str, &str); 21] = [
    ("pick", "pick OBJECT, pick OBJECT from PLACE, or pick OBJECT and OTHER"),
    ("grasp", "grasp OBJECT"),
    ("put", "put OBJECT on|in|at|over PLACE, put OBJECT back, or put OBJECT where OTHER was"),
    ("insert", "insert OBJECT into CONTAINER"),
    ("stand", "stand OBJECT against OTHER"),
    ("open", "open PART"),
    ("close", "close PART"),
    ("turn", "turn on PART, turn off PART, or turn OBJECT by 90"),
    ("wipe", "wipe SURFACE with TOOL, or wipe SURFACE with TOOL 3 times"),
    ("pull", "pull PART with TOOL"),
    ("push", "push OBJECT to REGION"),
    ("flip", "flip OBJECT"),
    ("straighten", "straighten ROPE"),
    ("throw", "throw OBJECT into CONTAINER"),
    ("pour", "pour VESSEL into CONTAINER"),
    ("scoop", "scoop MATTER from CONTAINER with TOOL"),
    ("thread", "thread END through OPENING"),
    ("pass", "pass OBJECT from LIMB to LIMB"),
    ("lay", "lay CLOTH X Y onto X Y, lay CLOTH X Y at start X Y, or lay CLOTH X Y in REGION U V"),
    ("hang", "hang CLOTH on HOOKS"),
    ("withdraw", "withdraw"),
];

/// Words, those in quotes as one; `the` is left out.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let (word, after) = if c == '\'' || c == '"' {
            let inner = &rest[1..];
            let end = inner.find(c).ok_or_else(|| format!("{text:?} has an open quote"))?;
            (&inner[..end], &inner[end + 1..])
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            (&rest[..end], &rest[end..])
        };
        if word != "the" {
            out.push(word.to_owned());
        }
        rest = after.trim_start();
    }
    Ok(out)
}

/// Read a step of a plan; `with left` at its end says which limb does it.
pub fn step(text: &str) -> Result<Step, String> {
    let all = words(text)?;
    let w: Vec<&str> = all.iter().map(String::as_str).collect();
    // What is wiped or pulled with is a tool.
    let tools = usize::from(matches!(w.first(), Some(&"wipe" | &"pull" | &"scoop")));
    let named = w.iter().filter(|w| **w == "with").count() > tools;
    match w[..] {
        [ref does @ .., "with", limb] if named => Ok(operator(does, text)?.with(limb)),
        _ => operator(&w, text),
    }
}

fn operator(w: &[&str], text: &str) -> Result<Step, String> {
    Ok(match w[..] {
        ["pick", object] | ["pick", "up", object] | ["pick", object, "up"] => pick(object),
        ["pick", object, "from", place] | ["pick", "up", object, "from", place] => {
            pick(object).from(place)
        }
        ["pick", object, "and", other] | ["pick", "up", object, "and", other] => {
            pick_both(object, other)
        }
        ["grasp", object] => grasp(object),
        ["put", object, "on", place] => put(object).on(place),
        ["put", object, "in" | "into", place] => put(object).in_(place),
        ["put", object, "at", place] => put(object).at(place),
        ["put", object, "over", other] => put(object).over(other),
        ["put", object, "back"] => put(object).back_at_start(),
        ["put", object, "where", other, "was"] => put(object).at_start_of(other),
        ["insert", object, "into", place] => insert(object, place),
        ["stand", object, "against", other] => stand(object, other),
        ["open", part] => open(part),
        ["close", part] => close(part),
        ["turn", "on", part] => turn_on(part),
        ["turn", "off", part] => turn_off(part),
        ["turn", object, "by", degrees] => match degrees.parse::<f64>() {
            Ok(degrees) if degrees.is_finite() => turn(object, degrees.to_radians()),
            _ => return Err(format!("{degrees:?} is not a number of degrees")),
        },
        ["wipe", surface, "with", tool] => wipe(tool, surface, 1),
        ["wipe", surface, "with", tool, n, "times" | "time"] => match n.parse() {
            Ok(n) => wipe(tool, surface, n),
            Err(_) => return Err(format!("{n:?} is not a number of strokes")),
        },
        ["pull", part, "with", tool] | ["pull", part, "out", "with", tool] => pull(part, tool),
        ["push", object, "to", region] => push(object, region),
        ["flip", object] => flip(object),
        ["straighten", object] => straighten(object),
        ["throw", object, "into" | "in", place] => throw(object, place),
        ["pour", vessel, "into", other] | ["pour", "from", vessel, "into", other] => {
            pour(vessel, other)
        }
        ["scoop", matter, "from", other, "with", tool] => scoop(tool, matter, other),
        ["thread", end, "through", opening] => thread(end, opening, PAST),
        ["pass", object, "from", from, "to", to] => pass(object, from, to),
        ["lay", cloth, x, y, ref to @ .., u, v] => {
            let (from, at) = (lay(cloth, pair(x, y)?), pair(u, v)?);
            match to {
                ["onto"] => from.onto(at),
                ["at", "start"] => from.at_start(at),
                ["in", region] => from.in_region(*region, at),
                _ => return Err(unread("lay", text)),
            }
        }
        ["hang", cloth, "on", hooks] => hang(cloth, hooks),
        ["withdraw"] => withdraw(),
        [] => return Err("a step is empty; write \"pick block\"".into()),
        [verb, ..] => {
            return Err(unread(verb, text));
        }
    })
}

/// What is wrong with a step that nobody can read.
fn unread(verb: &str, text: &str) -> String {
    match VERBS.iter().find(|(v, _)| *v == verb) {
        Some((_, shape)) => {
            format!("{text:?} is not a step; write {shape} (names of several words in quotes)")
        }
        None => format!("no step {verb:?}{}", hint(verb, VERBS.map(|(v, _)| v))),
    }
}

/// Read a point: two numbers.
fn pair(x: &str, y: &str) -> Result<[f64; 2], String> {
    let number = |t: &str| match t.parse::<f64>() {
        Ok(v) if v.is_finite() => Ok(v),
        _ => Err(format!("{t:?} is not a number")),
    };
    Ok([number(x)?, number(y)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_mean_what_they_say() {
        for (text, meant) in [
            ("pick block", pick("block")),
            ("pick up the block from start", pick("block").from("start")),
            ("put block on plate", put("block").on("plate")),
            ("pull board/nail with hammer", pull("board/nail", "hammer")),
            ("pull the nail out with hammer with left", pull("nail", "hammer").with("left")),
            ("put 'paper waste' in 'paper bin'", put("paper waste").in_("paper bin")),
            ("put block back", put("block").back_at_start()),
            ("put a where b was", put("a").at_start_of("b")),
            ("open cabinet/top", open("cabinet/top")),
            ("turn off stove/knob", turn_off("stove/knob")),
            ("wipe plate with sponge 3 times", wipe("sponge", "plate", 3)),
            ("stand book against wall", stand("book", "wall")),
            ("straighten the rope", straighten("rope")),
            ("scoop sand from tray with shovel", scoop("shovel", "sand", "tray")),
            ("lay towel 0.1 -0.1 onto -0.1 -0.1", lay("towel", [0.1, -0.1]).onto([-0.1, -0.1])),
            ("lay the towel 0.1 0 at start 0.1 0", lay("towel", [0.1, 0.0]).at_start([0.1, 0.0])),
            (
                "lay towel 0.1 0 in mark/surface 1 -1 with left",
                lay("towel", [0.1, 0.0]).in_region("mark/surface", [1.0, -1.0]).with("left"),
            ),
            ("hang the bag on the stand", hang("bag", "stand")),
            ("withdraw", withdraw()),
            ("pick block with left", pick("block").with("left")),
            ("wipe plate with sponge with right", wipe("sponge", "plate", 1).with("right")),
            ("pass rod from left to right", pass("rod", "left", "right")),
        ] {
            assert_eq!(step(text), Ok(meant), "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_remedy() {
        for (text, says) in [
            ("pikc block", "did you mean pick?"),
            ("put block plate", "put OBJECT on|in|at|over PLACE"),
            ("wipe plate with sponge x times", "number of strokes"),
            ("put 'block on plate", "open quote"),
            ("lay towel 0 x onto 0 0", "not a number"),
            ("lay towel 0 0 over 0 0", "lay CLOTH X Y onto X Y"),
            ("", "empty"),
        ] {
            let e = step(text).unwrap_err();
            assert!(e.contains(says), "{text}: {e}");
        }
    }
}
