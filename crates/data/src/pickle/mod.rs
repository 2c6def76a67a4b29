//! Arrays of numbers stored by Python: a pickled NumPy array, alone or in PyTorch's zip archive.
//!
//! A pickle is a program. This reader knows the instructions of one array and the four functions such
//! a pickle names, and runs none of them: it recognizes what they would build. Any other function or
//! instruction is refused by name.

mod machine;
mod value;
mod zip;

/// An array of numbers, the last index moving fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredArray {
    /// Lengths along its axes.
    pub shape: Vec<usize>,
    /// All numbers.
    pub values: Vec<f64>,
}

impl StoredArray {
    /// Return its rows, if it has two axes.
    pub fn rows(&self) -> Option<impl ExactSizeIterator<Item = &[f64]>> {
        match self.shape[..] {
            [_, width] if width > 0 => Some(self.values.chunks_exact(width)),
            _ => None,
        }
    }
}

/// Why a stored array is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PickleError {
    /// It would call a function that no array needs.
    #[error(
        "names the function {name}, which reading would call; only arrays of numbers are read, and \
         nothing is ever called"
    )]
    Foreign {
        /// Module and function.
        name: String,
    },
    /// An instruction that no array needs.
    #[error(
        "has the instruction {code:#04x} at byte {at}, which an array of numbers does not need"
    )]
    Instruction {
        /// The opcode.
        code: u8,
        /// Where it is.
        at: usize,
    },
    /// It ends too early, or its parts do not fit.
    #[error("is damaged at byte {at}: {what}")]
    Damaged {
        /// Where.
        at: usize,
        /// What does not fit.
        what: &'static str,
    },
    /// An array of another kind.
    #[error("holds {what}; arrays of 4- or 8-byte floating point numbers, row by row, are read")]
    Kind {
        /// What it holds.
        what: String,
    },
    /// An archive without an array in it.
    #[error("is an archive {what}")]
    Archive {
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Most numbers of an array.
const MOST_NUMBERS: usize = 1 << 24;

/// Read an array from the bytes of a pickle or of an archive with one in it.
pub fn read_array(bytes: &[u8]) -> Result<StoredArray, PickleError> {
    if bytes.starts_with(b"PK") {
        return machine::run(zip::entry(bytes, "data.pkl")?);
    }
    machine::run(bytes)
}

#[cfg(test)]
mod tests;
