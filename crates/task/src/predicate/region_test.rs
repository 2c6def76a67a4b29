//! How a task judges what is on a region of the table.

use serde::{Deserialize, Serialize};

use crate::stage::{Stages, When};
use crate::{Predicate, TaskSpec};

/// When an object is on a region of the table. Written as `strict`: whether it is the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum RegionTest {
    /// The table carries it, and its origin is over the region within the region's tolerance.
    #[default]
    Carried,
    /// Its origin is over the region, exactly, be it in mid-air.
    OriginInside,
}

impl RegionTest {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_carried(&self) -> bool {
        *self == Self::Carried
    }
}

impl From<bool> for RegionTest {
    fn from(strict: bool) -> Self {
        if strict { Self::OriginInside } else { Self::Carried }
    }
}

impl From<RegionTest> for bool {
    fn from(test: RegionTest) -> Self {
        test == RegionTest::OriginInside
    }
}

impl TaskSpec {
    /// Judge every region of the table by this test. Return whether a stage changed.
    pub fn judge_regions(&mut self, test: RegionTest) -> bool {
        let regions: Vec<&str> = self.regions.iter().map(|r| r.name.as_str()).collect();
        let mut changed = false;
        if let Stages::Listed(stages) = &mut self.stages {
            for s in stages {
                if let When::Holds(p) = &mut s.when {
                    changed |= judge(p, &regions, test);
                }
                if let Some(p) = &mut s.measure {
                    changed |= judge(p, &regions, test);
                }
            }
        }
        changed
    }
}

/// Whether anything changed.
fn judge(p: &mut Predicate, regions: &[&str], test: RegionTest) -> bool {
    match p {
        Predicate::OriginOn { support, region_test, .. } => {
            let changes = *region_test != test && regions.contains(&support.as_str());
            if changes {
                *region_test = test;
            }
            changes
        }
        Predicate::Not(p) | Predicate::With { that: p, .. } => judge(p, regions, test),
        Predicate::All(of) | Predicate::Any(of) | Predicate::AtLeast { of, .. } => {
            of.iter_mut().fold(false, |changed, p| judge(p, regions, test) | changed)
        }
        _ => false,
    }
}
