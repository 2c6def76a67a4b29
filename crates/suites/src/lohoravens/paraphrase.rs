//! The same instructions in other words, written before any planner had read them.

use longarm_task::TaskSpec;

use crate::SuiteOption;

/// How instructions are worded.
pub(super) const WORDING: SuiteOption = SuiteOption {
    name: "wording",
    values: &["suite", "other"],
    help: "how instructions are worded: as the suite has them, or in other words of the same meaning",
    apply: |task, value| match value {
        "other" => reworded(task),
        _ => task,
    },
};

/// A sentence with holes, and the same in other words: `{0}` is what stood in the first hole.
type Wording = (&'static str, &'static str);

/// Sentences as instances say them; the first that fits counts.
const WORDINGS: &[Wording] = &[
    (
        "Stack all the blocks on the {} zone.",
        "Make a single pile of every block there is on the {0} square.",
    ),
    (
        "Stack all the blocks of the same color together on the same colored zone.",
        "For each color, pile up its blocks on the zone of that color.",
    ),
    (
        "Stack blocks with alternate colors on the {} zone, starting with the {} color.",
        "On the {0} zone, build a tower whose colors take turns; a {1} block comes first.",
    ),
    (
        "Stack blocks of the same size on the {} zone and {} zone respectively: the bigger ones on the {} zone, the \
         smaller ones on the {} zone.",
        "Sort the blocks by size into two piles: large ones on the {2} zone, little ones on the {3} zone.",
    ),
    (
        "Stack only the {} blocks of {} colors on the {} zone.",
        "Out of the {0} blocks, take just those in {1} colors and pile them up on the {2} square.",
    ),
    (
        "Stack only the blocks of {} colors on the {} zone in ascending order from big to small.",
        "Take the blocks that have {0} colors and build a tower of them on the {1} zone, largest at the bottom.",
    ),
    (
        "Stack only the blocks of {} colors on the {} zone.",
        "Leave the others alone and pile up the {0} colored blocks on the {1} zone.",
    ),
    (
        "Stack all the smaller blocks over the bigger blocks of the same color in the zone with the same color.",
        "In each zone, put the large block of the zone's color and then the little block of that color on top of it.",
    ),
    (
        "Stack all the smaller blocks over the bigger blocks of the same color.",
        "Every little block belongs on top of the large block that has its color.",
    ),
    (
        "Stack all the {} blocks on the {} of the {} block on the {} zone.",
        "Whatever {0} blocks lie on the {1} of the {2} block, pile them up on the {3} zone.",
    ),
    (
        "Stack all the blocks on the {} of the {} block on the {} zone.",
        "Take each block that lies on the {0} of the {1} block and pile them up on the {2} zone.",
    ),
    (
        "Stack all the blocks on the {} area on the {} zone in size order, the bigger ones below.",
        "Build a tower on the {1} zone from the blocks in the {0} corner, larger ones at the bottom.",
    ),
    (
        "Stack all the {} blocks on the {} area on the {} zone.",
        "Build a tower on the {2} zone from the {0} blocks in the {1} corner.",
    ),
    (
        "Move all the {} blocks of {} colors on the {} area to the {} area.",
        "The {0} blocks with {1} colors in the {2} corner should go to the {3} corner.",
    ),
    (
        "Move all the blocks of {} colors on the {} area to the {} area.",
        "Bring the blocks that have {0} colors from the {1} corner over to the {2} corner.",
    ),
    (
        "Move all the {} blocks on the {} area to the {} area.",
        "Take the {0} blocks out of the {1} corner and put them in the {2} corner.",
    ),
    (
        "Move all the blocks on the {} area to the {} area.",
        "Clear the {0} corner: each block in it goes to the {1} corner.",
    ),
    (
        "Put the blocks of an {} number in the zone with the matching color.",
        "Count the blocks of each color. Where that is an {0} number, bring them to the zone of their color.",
    ),
    (
        "Put the blocks in the bowls with matching colors.",
        "Each block goes into the bowl that has its color.",
    ),
    (
        "Put the blocks in the bowls with mismatched colors.",
        "No block may end in a bowl of its own color: drop each into a bowl of another color.",
    ),
    (
        "Put the {} block under the {} block into the bowl with matching color.",
        "Beneath the {1} block there is a {0} block. Drop it into the bowl of its color.",
    ),
    (
        "Put all the hidden blocks in the {}-layer stacked towers into the bowls with matching colors.",
        "The towers of {0} layers cover blocks. Get those out and sort them into the bowls of their colors.",
    ),
    (
        "Put all the hidden blocks on the first layer of the pyramid into the bowls with matching colors.",
        "The lowest layer of the pyramid is covered. Get its blocks out and sort them into the bowls of their colors.",
    ),
    (
        "Align the boxes on the line, evenly from its left end to its right end: {}.",
        "Spread the boxes evenly along the line. From its left end to its right end the colors are {0}.",
    ),
    (
        "Align the boxes on the circle by size, evenly: the smallest nearest the robot, then clockwise to the \
         biggest, seen with the robot at the top.",
        "Arrange the boxes around the circle at equal distances, growing clockwise as seen with the robot at the \
         top; the littlest one is nearest the robot.",
    ),
    (
        "Align the boxes on the line by size, evenly: the smallest at its left end, the biggest at its right end.",
        "Line the boxes up along the line at equal distances, growing from its left end to its right end.",
    ),
    (
        "Construct two concentric circles on the tabletop around ({}): {} {} blocks at a radius of 10 cm, the first \
         nearest the robot, and {} {} blocks at 20 cm, two of them equally near the robot.",
        "Lay out two rings with their center at ({0}). The inner one has a radius of 10 cm and {1} {2} blocks, one \
         of them nearest the robot; the outer one has a radius of 20 cm and {3} {4} blocks, two of them equally \
         near the robot.",
    ),
    (
        "Construct a circle of the {} blocks around ({}) with a radius of 15 cm, the first nearest the robot, with \
         the {} block in the middle.",
        "Lay the {0} blocks out as a ring of 15 cm radius centered at ({1}), one of them nearest the robot. The {2} \
         block belongs in its center.",
    ),
    (
        "Construct the letter M, its top towards the robot, around ({}): the {} boxes are its legs 20 cm apart, the \
         {} boxes its strokes, the {} block the point where they meet.",
        "Write a capital M with its top towards the robot, centered at ({0}). Its legs, 20 cm apart, are the {1} \
         boxes, its slanted strokes the {2} boxes, and where those meet lies the {3} block.",
    ),
    (
        "Build a rectangle on the {} zone: the outline of {} by {} {} blocks, 5 cm from one to the next, {} of them \
         away from the robot.",
        "Frame a rectangle on the {0} zone with {3} blocks, {1} by {2} of them, 5 cm from one to the next, with {4} \
         away from the robot.",
    ),
    (
        "Put the blocks of the color that occurs in the largest even number into the zone with the same color.",
        "Find the color whose blocks are the most among those with an even count, and bring its blocks to the zone \
         of that color.",
    ),
    (
        "Put the blocks of the color that occurs in the largest odd number into the zone with the same color in \
         size order: stacked, the bigger ones below.",
        "Find the color whose blocks are the most among those with an odd count, and pile them up on the zone of \
         that color, larger ones at the bottom.",
    ),
    (
        "Stack the blocks of the most frequent color on the {} zone.",
        "Pile up the blocks of whichever color there is most of on the {0} zone.",
    ),
    // Steps of instructions that tell every one.
    ("Pick up the {} and place it {}.", "Grab the {0} and set it down {1}."),
];

/// What leads from the goal to the steps.
const STEPS: &str = " The step-by-step instructions are: ";

fn reworded(mut task: TaskSpec) -> TaskSpec {
    if let Some(instances) = task.instances.take() {
        task.instances = Some(instances.then(|mut instance| {
            instance.instruction = say(&instance.instruction);
            instance
        }));
    }
    task.instruction = format!("{} (in other words)", task.instruction);
    task
}

/// Say an instruction in other words; what nobody has other words for stays.
fn say(text: &str) -> String {
    let Some((goal, steps)) = text.split_once(STEPS) else {
        return other(text).unwrap_or_else(|| text.to_owned());
    };
    let goal = goal.strip_prefix("The goal is to ").map_or(goal.to_owned(), |g| {
        let mut letters = g.chars();
        letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
    });
    let goal = other(&goal).unwrap_or(goal);
    let steps: Vec<String> = steps
        .split_inclusive(". ")
        .map(|s| other(s.trim()).unwrap_or_else(|| s.trim().to_owned()))
        .collect();
    format!("{goal} Do it like this. {}", steps.join(" "))
}

fn other(sentence: &str) -> Option<String> {
    WORDINGS.iter().find_map(|(pattern, words)| {
        let held = holes(pattern, sentence)?;
        let fill = |out: String, (i, held): (usize, &str)| out.replace(&format!("{{{i}}}"), held);
        Some(held.into_iter().enumerate().fold((*words).to_owned(), fill))
    })
}

/// What stands in the holes of a sentence that fits a pattern.
fn holes<'a>(pattern: &str, sentence: &'a str) -> Option<Vec<&'a str>> {
    let mut parts = pattern.split("{}");
    let mut rest = sentence.strip_prefix(parts.next()?)?;
    let mut held = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = match parts.peek() {
            None => rest.len().checked_sub(part.len()).filter(|_| rest.ends_with(part))?,
            Some(_) => rest.find(part)?,
        };
        held.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    rest.is_empty().then_some(held)
}

#[cfg(test)]
mod tests {
    use longarm_types::Seed;

    use super::*;
    use crate::suite;

    #[test]
    fn every_instruction_has_other_words_with_the_same_colours_and_numbers() {
        for task in suite("lohoravens").unwrap().tasks() {
            let again = reworded(task.clone());
            assert_ne!(again.hash(), task.hash(), "{}", task.id);
            for seed in [10_001, 10_003, 10_005] {
                let of = |t: &TaskSpec| t.instance(Seed(seed)).into_owned();
                let (old, new) = (of(&task), of(&again));
                assert_eq!(old.stages, new.stages);
                let (old, new) = (old.instruction, new.instruction);
                assert!(old != new && !new.contains(['{', '}']), "{}: {new}", task.id);
                let kept = |w: &&str| {
                    let named = ["red", "purple", "gold", "violet", "white", "cool", "warm"];
                    named.contains(w) || w.bytes().any(|b| b.is_ascii_digit())
                };
                let words = |text: &str| {
                    let word = |c: char| !c.is_alphanumeric() && !".-".contains(c);
                    let all = text.split(word).map(|w| w.trim_matches('.'));
                    let mut all: Vec<_> = all.filter(kept).map(str::to_owned).collect();
                    all.sort_unstable();
                    all.dedup();
                    all
                };
                assert_eq!(words(&old), words(&new), "{}: {old} / {new}", task.id);
            }
        }
    }

    #[test]
    fn holes_are_found_and_misfits_refused() {
        let pattern = "Move all the {} blocks on the {} area.";
        let held = holes(pattern, "Move all the bigger blocks on the top left area.");
        assert_eq!(held, Some(vec!["bigger", "top left"]));
        assert_eq!(holes(pattern, "Move all the blocks on the top left area."), None);
        assert_eq!(holes("Done.", "Done."), Some(vec![]));
    }
}
