//! What one says for an operator.

use super::{Op, Spot, Target};
use crate::template::phrase;

/// A name as it is written, in words.
pub(super) fn spoken(path: &str) -> String {
    let (object, rest) = path.split_once('/').map_or((path, None), |(o, r)| (o, Some(r)));
    phrase(object, rest)
}

impl Op {
    /// What one would tell somebody to do.
    pub fn sentence(&self) -> String {
        self.sentence_with(&spoken)
    }

    /// The sentence with names as `the` has it.
    pub fn sentence_with(&self, the: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Pick { object, .. } => format!("pick up the {}", the(object)),
            Self::PickBoth { object, other } => {
                format!("pick up the {} and the {} at once", the(object), the(other))
            }
            Self::Grasp { object } => format!("take hold of the {}", the(object)),
            Self::Put { object, place } => {
                let what = the(object);
                match place {
                    Target::On(b) => format!("put the {what} on the {}", the(b)),
                    Target::In(b) => format!("put the {what} in the {}", the(b)),
                    Target::At(r) => format!("put the {what} at the {}", the(r)),
                    Target::Over(b) => format!("put the {what} over the {}", the(b)),
                    Target::Start { of: None, .. } => format!("put the {what} back where it was"),
                    Target::Start { of: Some(o), .. } => {
                        format!("put the {what} where the {} was", the(o))
                    }
                }
            }
            Self::Insert { object, into } => {
                format!("insert the {} into the {}", the(object), the(into))
            }
            Self::Stand { object, against } => {
                format!("stand the {} up against the {}", the(object), the(against))
            }
            Self::Open { part } => format!("open the {}", the(part)),
            Self::Close { part } => format!("close the {}", the(part)),
            Self::TurnOn { part } => format!("turn on the {}", the(part)),
            Self::TurnOff { part } => format!("turn off the {}", the(part)),
            Self::Wipe { tool, surface, .. } => {
                format!("wipe the {} with the {}", the(surface), the(tool))
            }
            Self::Push { object, to } => format!("push the {} to the {}", the(object), the(to)),
            Self::Flip { object } => format!("turn the {} over", the(object)),
            Self::Straighten { object } => format!("straighten the {}", the(object)),
            Self::Throw { object, into } => {
                format!("throw the {} into the {}", the(object), the(into))
            }
            Self::Pull { tool, part } => {
                format!("pull the {} out with the {}", the(part), the(tool))
            }
            Self::Pour { from, into } => {
                format!("pour from the {} into the {}", the(from), the(into))
            }
            Self::Measure { from, into, matter, share } => {
                let percent = 100.0 * share;
                let [matter, from, into] = [matter, from, into].map(|n| the(n));
                format!("pour {percent:.0} % of the {matter} from the {from} into the {into}")
            }
            Self::Scoop { tool, matter, from } => {
                let [tool, matter, from] = [tool, matter, from].map(|n| the(n));
                format!("scoop {matter} from the {from} with the {tool}")
            }
            Self::Thread { end, opening, .. } => {
                format!("lead the {} through the {}", the(end), the(opening))
            }
            Self::PickPlace { object, to } => {
                let where_to = match &to.of {
                    Some(o) => format!("on the {}", the(o)),
                    None => format!("at ({:.3}, {:.3})", to.at[0], to.at[1]),
                };
                format!("pick up the {} and place it {where_to}", the(object))
            }
            Self::Pass { object, from, to } => {
                format!("pass the {} from the {from} hand to the {to} hand", the(object))
            }
            Self::Turn { object, by } => {
                let (angle, way) =
                    (by.abs().to_degrees().round(), if *by < 0.0 { "right" } else { "left" });
                format!("turn the {} by {angle} degrees to the {way} in the hand", the(object))
            }
            Self::Lay { object, to, .. } => {
                let what = the(object);
                match to {
                    Spot::Point(_) => format!("fold the {what} over"),
                    Spot::Start(_) => format!("spread the {what} out"),
                    Spot::Region { name, .. } => format!("draw the {what} over the {}", the(name)),
                }
            }
            Self::Hang { object, on } => format!("hang the {} on the {}", the(object), the(on)),
            Self::Withdraw => "draw the hand back".to_owned(),
        }
    }
}
