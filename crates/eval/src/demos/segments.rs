//! An episode in pieces, one per subtask, and where the files of such pieces go.

use std::ops::Range;

use longarm_types::TaskId;

use super::staging::DemoRow;
use super::work::Plan;

/// What the expert says when it does nothing of the plan: such frames belong to the subtask before.
const BESIDE: [&str; 3] = ["done", "look again", "given up"];

/// A subtask of an episode.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segment {
    /// What is done.
    pub(super) sentence: String,
    pub(super) frames: Range<usize>,
}

/// The subtasks of an episode, one after the other.
pub(super) fn segments(row: &DemoRow) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    let mut last = None;
    let ends = row.subtask_changes.iter().skip(1).map(|(frame, _)| *frame).chain([row.frames]);
    for ((from, which), end) in row.subtask_changes.iter().zip(ends) {
        let Some(sentence) = row.subtasks.get(*which) else { continue };
        let frames = *from as usize..end as usize;
        // The same words right after each other are a subtask done again.
        let again = last.replace(which) == Some(which);
        let goes_on = |before: &Segment| {
            BESIDE.contains(&sentence.as_str()) || before.sentence == *sentence && !again
        };
        match out.last_mut() {
            Some(before) if goes_on(before) => before.frames.end = frames.end,
            _ => out.push(Segment { sentence: sentence.clone(), frames }),
        }
    }
    out
}

/// A text as a part of a file's name: lower-case words joined by `_`.
pub(super) fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c.is_ascii_alphanumeric() {
            true => out.push(c.to_ascii_lowercase()),
            false if !out.ends_with('_') && !out.is_empty() => out.push('_'),
            false => {}
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// The number of a task: its place in its suite, or in the dataset where it belongs to none, from 1.
pub(super) fn number(plan: &Plan, task: usize) -> usize {
    let id = &plan.tasks[task].spec.id;
    let suite = longarm_suites::suite(id.suite());
    let place = suite.and_then(|s| s.ids().iter().position(|i| *i == id.as_str()));
    place.unwrap_or(task) + 1
}

/// What a task measures, as a folder's name: its first label that the protocol of its suite declares.
pub(super) fn category(id: &TaskId, labels: &[String]) -> String {
    let protocol = longarm_suites::suite(id.suite()).map(|s| (s.protocol)());
    let found = protocol.as_ref().and_then(|p| labels.iter().find_map(|l| p.label(l)));
    found.map_or_else(|| "tasks".to_owned(), |(_, _, label)| slug(&label.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_words() {
        assert_eq!(slug("Pick up the cookies (2)!"), "pick_up_the_cookies_2");
        assert_eq!(slug("…"), "");
    }
}
