//! What is on the stack of a pickle.

use std::rc::Rc;

use super::{MOST_NUMBERS, PickleError, StoredArray};

/// The functions an array's pickle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Reconstruct,
    Array,
    Type,
    Encode,
}

impl Known {
    pub(super) fn find(module: &str, name: &str) -> Result<Self, PickleError> {
        match (module, name) {
            ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => {
                Ok(Self::Reconstruct)
            }
            ("numpy", "ndarray") => Ok(Self::Array),
            ("numpy", "dtype") => Ok(Self::Type),
            ("_codecs", "encode") => Ok(Self::Encode),
            _ => {
                let clean = |word: &str| word.chars().take(60).collect::<String>();
                Err(PickleError::Foreign { name: format!("{}.{}", clean(module), clean(name)) })
            }
        }
    }
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberType {
    pub bytes: usize,
    pub big_endian: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Rc<[Value]>),
    Known(Known),
    Type(NumberType),
    /// An array without its numbers.
    Empty,
    Array(Rc<StoredArray>),
}

impl Value {
    /// Return what calling a function would have built.
    pub(super) fn call(function: &Self, args: &Self, at: usize) -> Result<Self, PickleError> {
        let damaged = |what| PickleError::Damaged { at, what };
        let (Self::Known(function), Self::Tuple(args)) = (function, args) else {
            return Err(damaged("a call of no function"));
        };
        match (function, &args[..]) {
            (Known::Reconstruct, [Self::Known(Known::Array), _, _]) => Ok(Self::Empty),
            (Known::Type, [Self::Text(name), ..]) => match &**name {
                "f8" | "<f8" => Ok(Self::Type(NumberType { bytes: 8, big_endian: false })),
                "f4" | "<f4" => Ok(Self::Type(NumberType { bytes: 4, big_endian: false })),
                other => {
                    let name: String = other.chars().take(20).collect();
                    Err(PickleError::Kind { what: format!("values of type {name:?}") })
                }
            },
            (Known::Encode, [Self::Text(text), Self::Text(code)]) if &**code == "latin1" => {
                let byte = |c: char| u8::try_from(u32::from(c)).ok();
                let bytes: Option<Vec<u8>> = text.chars().map(byte).collect();
                Ok(Self::Bytes(
                    bytes.ok_or_else(|| damaged("text with letters beyond bytes"))?.into(),
                ))
            }
            _ => Err(damaged("arguments that do not fit their function")),
        }
    }

    /// Return what an object becomes with its state.
    pub(super) fn with_state(&self, state: &Self, at: usize) -> Result<Self, PickleError> {
        let damaged = |what| PickleError::Damaged { at, what };
        let Self::Tuple(state) = state else { return Err(damaged("a state other than a tuple")) };
        match (self, &state[..]) {
            (Self::Type(number), [_, Self::Text(order), ..]) => match &**order {
                "<" | "=" | "|" => Ok(Self::Type(*number)),
                ">" => Ok(Self::Type(NumberType { big_endian: true, ..*number })),
                _ => Err(damaged("an unknown order of bytes")),
            },
            (
                Self::Empty,
                [_, Self::Tuple(shape), Self::Type(number), Self::Bool(columns), Self::Bytes(data)],
            ) => {
                if *columns && shape.len() > 1 {
                    return Err(PickleError::Kind { what: "an array column by column".into() });
                }
                array(shape, *number, data, at).map(|a| Self::Array(Rc::new(a)))
            }
            _ => Err(damaged("a state that does not fit its object")),
        }
    }
}

fn array(
    shape: &[Value],
    number: NumberType,
    data: &[u8],
    at: usize,
) -> Result<StoredArray, PickleError> {
    let damaged = |what| PickleError::Damaged { at, what };
    let mut lengths = Vec::new();
    let mut count = 1usize;
    for length in shape {
        let Value::Int(length) = length else {
            return Err(damaged("a length other than a number"));
        };
        let length = usize::try_from(*length).map_err(|_| damaged("a negative length"))?;
        count = count.checked_mul(length).filter(|n| *n <= MOST_NUMBERS).ok_or_else(|| {
            PickleError::Kind { what: format!("more than {MOST_NUMBERS} numbers") }
        })?;
        lengths.push(length);
    }
    if data.len() != count * number.bytes {
        return Err(damaged("more or fewer numbers than its shape says"));
    }
    let read = |chunk: &[u8]| {
        let mut word = [0; 8];
        let word = &mut word[..chunk.len()];
        word.copy_from_slice(chunk);
        if number.big_endian {
            word.reverse();
        }
        match *word {
            [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN,
        }
    };
    let values: Vec<f64> = data.chunks_exact(number.bytes).map(read).collect();
    if values.iter().any(|v| !v.is_finite()) {
        return Err(PickleError::Kind { what: "a value that is not finite".into() });
    }
    Ok(StoredArray { shape: lengths, values })
}
