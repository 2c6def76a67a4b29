//! What came of a recording.

use std::collections::BTreeMap;

use longarm_data::manifest::Manifest;
use longarm_types::{EpisodeOutcome, TaskId};

use super::DemoRow;
use super::work::Plan;

/// What came of a recording.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// By task: kept and tried.
    pub tasks: Vec<(TaskId, u64, u64)>,
    /// Why attempts were dropped, and how often.
    pub dropped: Vec<(String, u64)>,
    /// Frames kept.
    pub frames: u64,
    /// Bytes of the dataset.
    pub bytes: u64,
    /// Everything that was wanted is there.
    pub complete: bool,
}

pub(super) fn summary(
    plan: &Plan,
    kept: &[DemoRow],
    dropped: &[DemoRow],
    manifest: &Manifest,
) -> Summary {
    let count = |rows: &[DemoRow], id: &TaskId| {
        rows.iter().filter(|r| r.episode.task == *id).count() as u64
    };
    let each = plan.tasks.iter().map(|t| {
        let (k, d) = (count(kept, &t.spec.id), count(dropped, &t.spec.id));
        (t.spec.id.clone(), k, k + d)
    });
    let tasks: Vec<_> = each.collect();
    Summary {
        complete: tasks.iter().zip(&plan.tasks).all(|((_, k, _), t)| t.sifted() || *k >= t.wanted),
        tasks,
        dropped: reasons(plan, dropped),
        frames: kept.iter().map(|r| r.frames).sum(),
        bytes: manifest.files.values().map(|f| f.bytes).sum(),
    }
}

/// Why attempts were dropped, and how many for each reason.
pub(super) fn reasons(plan: &Plan, dropped: &[DemoRow]) -> Vec<(String, u64)> {
    let mut reasons = BTreeMap::new();
    for row in dropped {
        *reasons.entry(row.reason(plan)).or_insert(0) += 1;
    }
    reasons.into_iter().collect()
}

impl DemoRow {
    /// Why it was dropped, in words that are the same for all of its kind.
    fn reason(&self, plan: &Plan) -> String {
        let e = &self.episode;
        let title = |stage: &str| {
            let task = plan.tasks.iter().find(|t| t.spec.id == e.task);
            task.map_or_else(|| stage.to_owned(), |t| t.spec.stage_title(stage))
        };
        match e.outcome {
            EpisodeOutcome::Success => "not wanted".into(),
            EpisodeOutcome::TaskFailure => {
                match (&e.reason, e.stages.iter().find(|s| !s.completed)) {
                    (Some(why), _) => why.clone(),
                    (None, Some(s)) => format!("did not get past {:?}", title(&s.name)),
                    (None, None) => "not a success".into(),
                }
            }
            EpisodeOutcome::PolicyError => "the policy broke".into(),
            EpisodeOutcome::HarnessError => {
                format!("could not be played ({})", e.reason.as_deref().unwrap_or("no reason"))
            }
        }
    }
}
