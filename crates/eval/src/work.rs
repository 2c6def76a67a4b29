//! The work list of a run.

use longarm_results::{RunConfig, TaskEntry};
use longarm_task::TaskSpec;
use longarm_types::Seed;

/// One episode of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Place in the list of the whole run, the same in every shard.
    pub index: u64,
    /// Which task, in the order of their ids.
    pub task: usize,
    /// Which episode of that task.
    pub episode: u64,
    /// Seed.
    pub seed: Seed,
}

/// The episodes of a run, or of its shard, in the order in which they should be run: episode by
/// episode, each over all tasks, so that shards have equal work and a run that is interrupted has as
/// many episodes of one task as of another.
pub fn work_list(config: &RunConfig) -> Vec<Work> {
    let tasks = config.tasks.len() as u64;
    let mut out = Vec::new();
    for episode in 0..config.episodes {
        for (task, id) in config.tasks.keys().enumerate() {
            let index = episode * tasks + task as u64;
            if config.shard.owns(index) {
                let seed = Seed(config.seed_of(id.suite(), episode));
                out.push(Work { index, task, episode, seed });
            }
        }
    }
    out
}

/// What a run writes down of a task.
pub fn entry(task: &TaskSpec) -> TaskEntry {
    let (stages, titles) = (task.stage_names(), task.stage_titles());
    TaskEntry {
        hash: task.hash(),
        labels: task.labels.clone(),
        titles: if titles == stages { Vec::new() } else { titles },
        stages,
        horizon: task.horizon,
        instruction: task.instruction.clone(),
        file: None,
    }
}
