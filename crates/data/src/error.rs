use std::io;
use std::path::PathBuf;

/// Why a file or picture could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done, as a verb: "create", "write", …
        action: &'static str,
        /// The file the caller asked for.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A pixel buffer does not have the length its size demands.
    #[error("a {width}x{height} {what} needs {expected} values, got {got}")]
    Length {
        /// What the buffer holds.
        what: &'static str,
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
        /// Length that would fit.
        expected: usize,
        /// Length that was given.
        got: usize,
    },
    /// A size that cannot be drawn or encoded.
    #[error("unusable picture size {width}x{height}: {reason}")]
    Size {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A composition of no pictures.
    #[error("nothing to compose: no pictures were given")]
    Empty,
    /// A video setting out of its range.
    #[error("video option {option} must be in {allowed}, got {got}")]
    Option {
        /// Name of the setting.
        option: &'static str,
        /// The range in words.
        allowed: &'static str,
        /// The value given.
        got: u64,
    },
    /// The video cannot be finished.
    #[error("cannot finish video {}: {reason}", path.display())]
    Unfinished {
        /// The file the caller asked for.
        path: PathBuf,
        /// What is missing.
        reason: &'static str,
    },
    /// The H.264 encoder failed.
    #[error("cannot encode frame {frame} of {}: {source}", path.display())]
    Encode {
        /// The file the caller asked for.
        path: PathBuf,
        /// Index of the frame.
        frame: u32,
        /// The encoder's reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The PNG encoder failed.
    #[error("cannot encode PNG: {0}")]
    Png(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The JPEG encoder failed.
    #[error("cannot encode JPEG: {0}")]
    Jpeg(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A parquet file could not be made.
    #[error("cannot encode {}: {source}", path.display())]
    Parquet {
        /// The file the caller asked for.
        path: PathBuf,
        /// The encoder's reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file is there and is not what it should be.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Values that do not fit a dataset's layout.
    #[error("cannot put {name} into the dataset: {what}")]
    Layout {
        /// The feature or dataset.
        name: String,
        /// What is wrong.
        what: String,
    },
}

impl Error {
    /// Turn a refusal of the file system into an error that says what was being done, and to what.
    pub fn io<'a>(
        action: &'static str,
        path: &'a std::path::Path,
    ) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}
