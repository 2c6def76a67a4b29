//! Arrays that observations are written to, and those that actions come in.

use longarm_eval::vec_env::{Buffer, Field, Values};
use longarm_types::{Action, FieldType, MAX_ACTION};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArray2, PyReadwriteArrayDyn};
use pyo3::prelude::*;

use crate::errors::ActionError;

/// An array lent to us for one call.
pub(crate) enum Lent<'py> {
    Numbers(PyReadwriteArrayDyn<'py, f32>),
    Bytes(PyReadwriteArrayDyn<'py, u8>),
    Integers(PyReadwriteArrayDyn<'py, i32>),
}

impl<'py> Lent<'py> {
    pub(crate) fn take(array: &Bound<'py, PyAny>, field: &Field) -> PyResult<Self> {
        Ok(match field.number() {
            FieldType::U8 => Self::Bytes(array.cast::<PyArrayDyn<u8>>()?.try_readwrite()?),
            FieldType::I32 => Self::Integers(array.cast::<PyArrayDyn<i32>>()?.try_readwrite()?),
            _ => Self::Numbers(array.cast::<PyArrayDyn<f32>>()?.try_readwrite()?),
        })
    }

    pub(crate) fn buffer(&mut self) -> PyResult<Buffer<'_>> {
        Ok(match self {
            Self::Numbers(a) => Buffer::Numbers(a.as_slice_mut()?),
            Self::Bytes(a) => Buffer::Bytes(a.as_slice_mut()?),
            Self::Integers(a) => Buffer::Integers(a.as_slice_mut()?),
        })
    }
}

/// An array for a field of `count` environments.
pub(crate) fn empty(field: &Field, count: usize) -> Values {
    let len = field.len() * count;
    match field.number() {
        FieldType::U8 => Values::Bytes(vec![0; len]),
        FieldType::I32 => Values::Integers(vec![0; len]),
        _ => Values::Numbers(vec![0.0; len]),
    }
}

pub(crate) fn buffer(values: &mut Values) -> Buffer<'_> {
    match values {
        Values::Numbers(v) => Buffer::Numbers(v),
        Values::Bytes(v) => Buffer::Bytes(v),
        Values::Integers(v) => Buffer::Integers(v),
    }
}

pub(crate) fn read_actions(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<Action>> {
    let view = array.as_array();
    if view.ncols() > MAX_ACTION {
        let text = format!("actions have {} values; at most {MAX_ACTION} go", view.ncols());
        return Err(ActionError::new_err(text));
    }
    Ok(view.rows().into_iter().map(|r| Action::new(&r.to_vec())).collect())
}
