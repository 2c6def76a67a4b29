//! What becomes of episodes once they have ended: durable rows, statistics, summaries and reports.
//!
//! Knows nothing of the simulator, so that `report`, `merge` and every reader of results builds and
//! runs without MuJoCo.
//!
//! ```no_run
//! use longarm_results::{Row, Run, RunConfig, RunDir, report};
//! # fn episodes(_: &std::collections::BTreeSet<(longarm_types::TaskId, u64)>) -> Vec<Row> { vec![] }
//! # fn main() -> longarm_results::Result<()> {
//! # let config: RunConfig = todo!();
//! let dir = RunDir::open_resume("out/run".as_ref(), &config)?;
//! if let Some(repair) = dir.repaired() {
//!     eprintln!("warning: {repair}");
//! }
//! for row in episodes(&dir.finished()) {
//!     dir.append(&row)?; // from any thread
//! }
//! let results = dir.finish()?; // results.json
//! println!("success {:.1} %", 100.0 * results.suite.success.mean);
//! let run = Run::read("out/run".as_ref())?;
//! longarm_data::write_atomically("out/run/report.html".as_ref(), report::render(&[run]).as_bytes())?;
//! # Ok(()) }
//! ```
//!
//! # A run directory
//! | file | what |
//! |---|---|
//! | `run.toml` | the whole configuration, [`RunConfig`] |
//! | `episodes.jsonl` | one [`Row`] per episode, append-only |
//! | `traces/SUITE/TASK/SEED.trace` | the actions taken, [`Trace`] |
//! | `results.json` | the summary, [`Results`], by `schema/results.schema.json` |
//! | `report.html` | for people |
//! | `run.lock` | held by the process that writes |

mod attribution;
mod compare;
mod config;
mod error;
mod evidence;
mod groups;
mod lock;
mod merge;
mod options;
mod overview;
pub mod report;
mod results;
mod row;
mod row_summary;
mod run;
mod rundir;
pub mod shift;
pub mod stats;
mod summary;
mod trace;
mod training;

pub use attribution::{Attribution, Part, Tally, Thought};
pub use compare::{Comparison, PairResult, compare};
pub use config::{NamedSeeds, RunConfig, Shard, TaskEntry, TaskFile};
pub use error::{Error, Result};
pub use evidence::{Evidence, Halt, JudgeSheet, Judged, Reset, Sighting};
pub use lock::Lock;
pub use merge::{Merged, merge};
pub use options::{ExecutionError, ExecutionOptions, RunOptions};
pub use overview::{Failure, OVERVIEW_SCHEMA, Overview, RunOverview, failures};
pub use results::{
    Counts, LabelResult, Measured, Mechanisms, MetricResult, RegimeResult, Results, SCHEMA, Score,
    StageResult, StageSteps, SuiteResult, TaskResult, schema,
};
pub use row::{InferenceTimes, Row};
pub use row_summary::{Reader, RowSummary, StageSummary, Torn};
pub use run::Run;
pub use rundir::{EPISODES, REPORT, RESULTS, RUN, Repair, RunDir, TRACES};
pub use summary::summarize;
pub use trace::{Trace, trace_name};
pub use training::{SeedSpan, TrainedOn, Training};

/// Confidence of every interval unless one asks otherwise.
pub const CONFIDENCE: f64 = 0.95;
