//! The episode as a record.

use longarm_types::{ENGINE_VERSION, EpisodeOutcome, EpisodeRecord};

use super::Env;

impl Env {
    /// The episode so far as a record. `error` turns it into a policy or harness error.
    pub fn record(&self, policy: &str, error: Option<(EpisodeOutcome, String)>) -> EpisodeRecord {
        let e = self.episode();
        let ran_on = error.is_some() || e.report.step > e.tracker.status().step;
        let stood = (e.report.success && ran_on).then_some(e.report.stands);
        let (outcome, reason) = match error {
            Some((outcome, why)) => (outcome, Some(why)),
            None if e.report.success => (EpisodeOutcome::Success, None),
            None => {
                let why = e.tracker.forbidden().map(|f| format!("forbidden: {f}"));
                (EpisodeOutcome::TaskFailure, why)
            }
        };
        EpisodeRecord {
            task: self.task.id.clone(),
            seed: e.scene.seed.0,
            policy: policy.to_owned(),
            outcome,
            reason,
            score: e.tracker.status().score(),
            stages: e.tracker.records(self.snapshot()),
            steps: e.report.step,
            clipped: self.world().clipped(),
            stood,
            state_hash: self.world().state_hash(),
            action_hash: e.actions.digest(),
            task_hash: self.task_hash,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: crate::mujoco_version().to_owned(),
        }
    }
}
