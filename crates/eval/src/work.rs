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

/// Episodes of one task that follow each other, so that a compiled scene serves several of them.
const ROUND: u64 = 8;

/// The episodes of a run, or of its shard, in the order in which they should be run.
///
/// Places are episode by episode, each over all tasks, so that shards have equal work whatever their
/// number. The order is in rounds of eight episodes, each task by task: nearly as even, and scenes
/// are compiled an eighth as often.
pub fn work_list(config: &RunConfig) -> Vec<Work> {
    let tasks = config.tasks.len() as u64;
    let mut out = Vec::new();
    for first in (0..config.episodes).step_by(ROUND as usize) {
        for task in 0..tasks {
            for episode in first..(first + ROUND).min(config.episodes) {
                let index = episode * tasks + task;
                if config.shard.owns(index) {
                    let seed = Seed(config.seed_of(episode));
                    out.push(Work { index, task: task as usize, episode, seed });
                }
            }
        }
    }
    out
}

/// What a run writes down of a task.
pub fn entry(task: &TaskSpec) -> TaskEntry {
    TaskEntry {
        hash: task.hash(),
        labels: task.labels.clone(),
        stages: task.stage_names(),
        horizon: task.horizon,
        instruction: task.instruction.clone(),
        file: None,
    }
}
