//! Running episodes: who acts, the episode loop, whole evaluations, and their verification.
//!
//! - [`run_episode`] and [`run_shaped`] play one episode; a [`Watcher`] sees it happen.
//! - [`evaluate`] runs the work list of a run directory over worker threads.
//! - [`demos`] records demonstrations as datasets.
//! - [`probe`] runs the expert under handicaps and looks for moments that look alike.
//! - [`vec_env`] steps many environments together, for batched policies and training.
//! - [`verify`] replays a run's action traces and names what does not match.

mod actor;
pub mod demos;
mod episode;
mod film;
mod harness;
mod nearest;
mod policy;
pub mod probe;
mod settle;
mod shaping;
mod task;
pub mod vec_env;
mod verify;
mod work;

pub use actor::{Actor, POLICIES, UnknownPolicy, images_for};
pub use episode::{RESTARTS, Unwatched, Watcher, persist, report_loss, run_episode, run_shaped};
pub use film::Film;
pub use harness::{Evaluation, HarnessError, evaluate};
pub use nearest::NearestSpec;
pub use policy::{PolicySpec, PolicySpecError, Ready};
pub use settle::{Unsettled, holds_at_start, settles};
pub use shaping::{Shaper, Shaping, ShapingError};
pub use task::{STRICT, TaskFileError, read_task, task_of};
pub use verify::{Problem, Verdict, verify};
pub use work::{SEED_STRIDE, Work, entry, work_list};
