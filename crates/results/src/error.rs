use std::io;
use std::path::{Path, PathBuf};

/// Result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why results could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] longarm_data::Error),
    /// Another process writes to this run.
    #[error(
        "{} is in use by {holder}; wait for it or stop it, or choose another --out", path.display()
    )]
    Locked {
        /// The run directory.
        path: PathBuf,
        /// Who has it.
        holder: String,
    },
    /// A run is already there.
    #[error("{} already holds a run; add --resume to complete it or to add episodes, or choose another --out", path.display())]
    Exists {
        /// The run directory.
        path: PathBuf,
    },
    /// No run is there.
    #[error("{} is not a run directory: it has no {missing}", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// The file that is missing.
        missing: &'static str,
    },
    /// The configuration cannot be read or written.
    #[error("{} is not a run configuration: {what}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A run is resumed with another configuration than it was started with.
    #[error(
        "{} was started with another configuration ({what}); resume with the same one, or choose another --out",
        path.display()
    )]
    ConfigDiffers {
        /// The run directory.
        path: PathBuf,
        /// Which keys, with both values.
        what: String,
    },
    /// A line that is not an episode.
    #[error(
        "{}:{line}: not an episode row ({what}); delete that line and resume to run its episode again",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// The same episode twice in one file.
    #[error(
        "{}:{line}: {task} seed {seed} is already on line {first}; delete one of the two lines",
        path.display()
    )]
    Duplicate {
        /// The file.
        path: PathBuf,
        /// The later line, counted from 1.
        line: u64,
        /// The earlier line.
        first: u64,
        /// Task.
        task: String,
        /// Seed.
        seed: u64,
    },
    /// A row that was recorded before.
    #[error("{task} seed {seed} is already recorded; ask finished() before running an episode")]
    Recorded {
        /// Task.
        task: String,
        /// Seed.
        seed: u64,
    },
    /// A row with a value that cannot be stored.
    #[error("the row of {task} seed {seed} cannot be stored: {what}")]
    Row {
        /// Task.
        task: String,
        /// Seed.
        seed: u64,
        /// What is wrong.
        what: String,
    },
    /// An action trace that cannot be read or made.
    #[error("{} is not a whole action trace: {what}", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Runs that do not belong together.
    #[error("cannot merge {} with {}: {what}", first.display(), second.display())]
    Merge {
        /// One directory.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// Why not.
        what: String,
    },
    /// Nothing to merge.
    #[error("nothing to merge: no run directory was given")]
    NothingToMerge,
    /// The writer stopped after a failure it could not undo.
    #[error("{} cannot be written any more after an earlier failure; resume the run", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
}

impl Error {
    pub(crate) fn io<'a>(
        action: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| longarm_data::Error::io(action, path)(source).into()
    }
}
