//! Pick-and-place told in words: "pick up the smaller red block and place it on the green zone".
//!
//! [`understand`] turns a sentence into an object and a place, from what is in the scene now. It is
//! privileged: it reads colours, sizes and poses off the state, so that a planner can be judged by
//! what it says alone.

mod area;
mod parse;
mod resolve;

pub use area::Area;
pub use parse::{Phrase, Sentence, Side, Size, SpokenPlace, parse};
pub use resolve::understand;

/// Why a sentence could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SpeechError {
    #[error(
        "{text:?} is not understood: {why}; say \"pick up the red block and place it on the …\""
    )]
    Grammar { text: String, why: String },
    #[error("no {kind} {word:?}{hint}")]
    Word { kind: &'static str, word: String, hint: String },
    #[error("there is no {what}; there are: {known}")]
    Nothing { what: String, known: String },
    #[error("there are {count} of {what}; say which, such as \"{example}\"")]
    Several { what: String, count: usize, example: String },
    #[error("{what} cannot be picked up")]
    Fixed { what: String },
    #[error("no room is left on the {area} area")]
    Full { area: &'static str },
}
