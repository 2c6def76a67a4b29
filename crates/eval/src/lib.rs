//! Running episodes: who acts, the episode loop, whole evaluations, and their verification.
//!
//! - [`run_episode`] and [`try_episode`] play one episode; a [`Watcher`] sees it happen. A [`Rollout`] is
//!   the same as a value, for those who drive many.
//! - [`RunSetup`] configures a run, [`evaluate`] runs its work list over worker threads.
//! - [`demos`] records demonstrations as datasets.
//! - [`probe`] runs the expert under handicaps and looks for moments that look alike.
//! - [`vec_env`] steps many environments together, for batched policies and training.
//! - [`verify`] replays a run's action traces and names what does not match.

mod actor;
mod agent;
pub mod compose;
pub mod demos;
mod episode;
mod execution;
mod expert;
mod film;
mod harness;
mod nearest;
mod onnx;
mod policy;
pub mod probe;
mod replay;
mod rollout;
mod search;
mod settle;
mod setup;
mod task;
mod variant;
pub mod vec_env;
mod verify;
mod videos;
mod work;

pub use actor::{Actor, POLICIES, UnknownPolicy, images_for};
pub use agent::AgentActor;
pub use episode::{RESTARTS, Unwatched, Watcher, persist, report_loss, run_episode, try_episode};
pub use execution::Shaper;
pub use expert::{ExpertSpec, perceived};
pub use film::Film;
pub use harness::{Evaluation, HarnessError, evaluate, unplayed};
pub use longarm_results::{ExecutionError, ExecutionOptions, RunOptions};
pub use nearest::NearestSpec;
pub use policy::{PolicyPool, PolicySpec, PolicySpecError};
pub use replay::{Replayer, Sanity, same_as_played, trace_of};
pub use rollout::{Rollout, episode_info};
pub use search::SearchSpec;
pub use settle::{Unsettled, holds_at_start, settles};
pub use setup::{
    Prepared, RunSetup, Seeds, SetupError, complete_protocols, read_run, seeds_of, with_choices,
    write_report,
};
pub use task::{carried, changed_files, read_task, task_from, task_of};
pub use variant::{ASSETS, Variant};
pub use verify::{Problem, Verdict, read_rows, verify};
pub use videos::Videos;
pub use work::{Work, entry, work_list};
