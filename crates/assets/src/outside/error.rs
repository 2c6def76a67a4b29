use std::fmt;

/// What is wrong with a file of the user's, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct OutsideError {
    /// The file, as the user named it.
    pub file: String,
    /// Line and column, from 1, where they are known.
    pub at: Option<(usize, usize)>,
    /// What is wrong and what to do.
    pub message: String,
}

impl OutsideError {
    /// A file and what is wrong with it.
    pub fn new(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: None, message: message.into() }
    }

    pub(crate) fn at(file: &str, line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: Some((line, column)), message: message.into() }
    }
}

impl fmt::Display for OutsideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for OutsideError {}
