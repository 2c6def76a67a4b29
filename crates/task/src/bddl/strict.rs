//! LIBERO's own judgement of what is on a region of the table.

use crate::stage::{Stages, When};
use crate::{Predicate, TaskSpec};

/// Label of tasks that are judged so.
pub const STRICT_LIBERO: &str = "strict-libero";

impl TaskSpec {
    /// Judged as LIBERO judges: what is on a region of the table need not be carried by it, and there
    /// is no tolerance. Tasks that do not ask for it stay as they are; the others are labelled.
    pub fn strict_libero(mut self) -> Self {
        let regions: Vec<&str> = self.regions.iter().map(|r| r.name.as_str()).collect();
        let mut changed = false;
        if let Stages::Listed(stages) = &mut self.stages {
            for s in stages {
                if let When::Holds(p) = &mut s.when {
                    changed |= judge(p, &regions);
                }
                if let Some(p) = &mut s.measure {
                    changed |= judge(p, &regions);
                }
            }
        }
        if changed {
            self.labels.push(STRICT_LIBERO.to_owned());
        }
        self
    }
}

/// Whether anything changed.
fn judge(p: &mut Predicate, regions: &[&str]) -> bool {
    match p {
        Predicate::LiberoOn { support, strict, .. } => {
            let changes = !*strict && regions.contains(&support.as_str());
            *strict |= changes;
            changes
        }
        Predicate::Not(p) | Predicate::With { that: p, .. } => judge(p, regions),
        Predicate::All(of) | Predicate::Any(of) | Predicate::AtLeast { of, .. } => {
            of.iter_mut().fold(false, |changed, p| judge(p, regions) | changed)
        }
        _ => false,
    }
}
