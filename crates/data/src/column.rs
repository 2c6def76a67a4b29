use crate::{Error, Result};

/// Values of one feature over the frames of an episode, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Single-precision vectors.
    F32 {
        /// Values per row.
        width: usize,
        /// All values.
        values: Vec<f32>,
    },
    /// Double-precision vectors.
    F64 {
        /// Values per row.
        width: usize,
        /// All values.
        values: Vec<f64>,
    },
    /// Bytes, such as pictures.
    U8 {
        /// Values per row.
        width: usize,
        /// All values.
        values: Vec<u8>,
    },
    /// Vectors of small whole numbers.
    I16 {
        /// Values per row.
        width: usize,
        /// All values.
        values: Vec<i16>,
    },
    /// Whole numbers.
    I64(Vec<i64>),
    /// Truths.
    Bool(Vec<bool>),
    /// Texts.
    Text(Vec<String>),
    /// Lists of texts.
    Texts(Vec<Vec<String>>),
}

impl Column {
    /// One single-precision number per row.
    pub fn f32(values: Vec<f32>) -> Self {
        Self::F32 { width: 1, values }
    }

    /// One double-precision number per row.
    pub fn f64(values: Vec<f64>) -> Self {
        Self::F64 { width: 1, values }
    }

    /// Values per row.
    pub fn width(&self) -> usize {
        match self {
            Self::F32 { width, .. }
            | Self::F64 { width, .. }
            | Self::U8 { width, .. }
            | Self::I16 { width, .. } => *width,
            Self::I64(_) | Self::Bool(_) | Self::Text(_) | Self::Texts(_) => 1,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        let all = match self {
            Self::F32 { values, .. } => values.len(),
            Self::F64 { values, .. } => values.len(),
            Self::U8 { values, .. } => values.len(),
            Self::I16 { values, .. } => values.len(),
            Self::I64(v) => v.len(),
            Self::Bool(v) => v.len(),
            Self::Text(v) => v.len(),
            Self::Texts(v) => v.len(),
        };
        all / self.width().max(1)
    }

    /// Some of the rows.
    pub fn slice(&self, rows: std::ops::Range<usize>) -> Self {
        fn part<T: Clone>(values: &[T], width: usize, rows: &std::ops::Range<usize>) -> Vec<T> {
            let end = (rows.end * width).min(values.len());
            values[(rows.start * width).min(end)..end].to_vec()
        }
        let width = self.width();
        match self {
            Self::F32 { values, .. } => Self::F32 { width, values: part(values, width, &rows) },
            Self::F64 { values, .. } => Self::F64 { width, values: part(values, width, &rows) },
            Self::U8 { values, .. } => Self::U8 { width, values: part(values, width, &rows) },
            Self::I16 { values, .. } => Self::I16 { width, values: part(values, width, &rows) },
            Self::I64(v) => Self::I64(part(v, 1, &rows)),
            Self::Bool(v) => Self::Bool(part(v, 1, &rows)),
            Self::Text(v) => Self::Text(part(v, 1, &rows)),
            Self::Texts(v) => Self::Texts(part(v, 1, &rows)),
        }
    }

    /// All values as numbers; `None` for texts and pictures.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        Some(match self {
            Self::F32 { values, .. } => values.iter().map(|v| f64::from(*v)).collect(),
            Self::F64 { values, .. } => values.clone(),
            Self::I64(v) => v.iter().map(|v| *v as f64).collect(),
            Self::Bool(v) => v.iter().map(|v| f64::from(u8::from(*v))).collect(),
            Self::U8 { .. } | Self::I16 { .. } | Self::Text(_) | Self::Texts(_) => return None,
        })
    }

    /// The name of its elements in NumPy.
    pub fn dtype(&self) -> &'static str {
        match self {
            Self::F32 { .. } => "float32",
            Self::F64 { .. } => "float64",
            Self::U8 { .. } => "uint8",
            Self::I16 { .. } => "int16",
            Self::I64(_) => "int64",
            Self::Bool(_) => "bool",
            Self::Text(_) | Self::Texts(_) => "string",
        }
    }

    /// Little-endian bytes; texts cannot.
    pub(crate) fn to_bytes(&self, name: &str) -> Result<Vec<u8>> {
        Ok(match self {
            Self::F32 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::F64 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::U8 { values, .. } => values.clone(),
            Self::I16 { values, .. } => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I64(v) => v.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::Bool(v) => v.iter().map(|v| u8::from(*v)).collect(),
            Self::Text(_) | Self::Texts(_) => {
                return Err(Error::Layout {
                    name: name.into(),
                    what: "texts have no width".into(),
                });
            }
        })
    }
}
