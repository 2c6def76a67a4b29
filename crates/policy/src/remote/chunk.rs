//! From what a server answers to actions.

use std::sync::Arc;

use longarm_types::{Action, ActionConvention, ActionSpec};

use super::{
    fault::Fault,
    layout::Execute,
    msgpack::MsgView,
    numpy::{Dtype, NdArray, scalar, shape_text},
};

/// Longest chunk that is executed without asking again. A longer one is taken for rubbish before it
/// costs memory.
pub(super) const LONGEST: usize = 1024;

/// Turns answers into actions.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// What the environment takes.
    pub spec: Arc<ActionSpec>,
    /// What the server answers with.
    pub convention: ActionConvention,
    pub execute: Execute,
}

/// A table of numbers, as an array or as lists.
#[derive(Clone, Copy)]
struct Table<'a> {
    source: Source<'a>,
    rows: usize,
    columns: usize,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Array(NdArray<'a>),
    Rows(MsgView<'a>),
    Row(MsgView<'a>),
}

fn wrong(why: impl std::fmt::Display) -> Fault {
    Fault::Reply(format!("the server answered {why}"))
}

impl<'a> Table<'a> {
    fn read(value: &MsgView<'a>) -> Result<Self, Fault> {
        if let Some(items) = value.items() {
            // Servers that call .tolist().
            let rows = items.left();
            let first = items.clone().next();
            return match first.and_then(|f| f.items()) {
                Some(row) => Ok(Self { source: Source::Rows(*value), rows, columns: row.left() }),
                None => Ok(Self { source: Source::Row(*value), rows: 1, columns: rows }),
            };
        }
        let array = NdArray::read(value).map_err(wrong)?;
        if !matches!(array.dtype(), Dtype::Float(_)) {
            let got = array.dtype().spelling();
            return Err(wrong(format_args!("actions of dtype {got}; they must be floating point")));
        }
        // Leading axes of length one are a batch of one.
        let mut shape = array.shape();
        while let [1, rest @ ..] = shape
            && rest.len() >= 2
        {
            shape = rest;
        }
        let (rows, columns) = match *shape {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => {
                let shape = shape_text(array.shape());
                return Err(wrong(format_args!(
                    "actions of shape {shape}; it must be (actions, numbers)"
                )));
            }
        };
        Ok(Self { source: Source::Array(array), rows, columns })
    }

    /// Row `y` as numbers.
    fn row(&self, y: usize, out: &mut [f64]) -> Result<(), Fault> {
        let list = match self.source {
            Source::Array(array) => {
                for (x, v) in out.iter_mut().enumerate() {
                    *v = array.get(y * self.columns + x).unwrap_or(f64::NAN);
                }
                return Ok(());
            }
            Source::Row(view) => Some(view),
            Source::Rows(view) => view.items().and_then(|mut i| i.nth(y)),
        };
        let items = list.and_then(|l| l.items()).filter(|i| i.left() == out.len());
        let items = items.ok_or_else(|| wrong("actions as lists of different lengths"))?;
        for (v, item) in out.iter_mut().zip(items) {
            *v = scalar(&item)
                .ok_or_else(|| wrong(format_args!("an action holding {}", item.kind())))?;
        }
        Ok(())
    }
}

impl Chunk {
    /// Appends the actions in `value` that are to be executed.
    pub fn read(&self, value: &MsgView<'_>, out: &mut Vec<Action>) -> Result<(), Fault> {
        let table = Table::read(value)?;
        let want = self.convention.dims;
        if table.columns != want {
            let (r, c) = (table.rows, table.columns);
            return Err(wrong(format_args!("{r} actions of {c} numbers; an action takes {want}")));
        }
        let n = match self.execute {
            _ if table.rows == 0 => return Err(wrong("no action at all")),
            Execute::All if table.rows > LONGEST => {
                return Err(wrong(format_args!(
                    "a chunk of {} actions; at most {LONGEST} are executed unasked (execute)",
                    table.rows
                )));
            }
            Execute::All => table.rows,
            Execute::UpTo(k) => table.rows.min(k),
            Execute::Exactly(k) if k > table.rows => {
                let rows = table.rows;
                return Err(wrong(format_args!("{rows} actions and execute={k} were asked for")));
            }
            Execute::Exactly(k) => k,
        };
        let mut numbers = [0.0f64; longarm_types::MAX_ACTION];
        let numbers = numbers
            .get_mut(..want)
            .ok_or_else(|| wrong(format_args!("actions of {want} numbers, more than any robot")))?;
        let before = out.len();
        for y in 0..n {
            let done = table.row(y, numbers).and_then(|()| self.convert(y, numbers));
            match done {
                Ok(action) => out.push(action),
                Err(e) => {
                    // Half an answer does not count.
                    out.truncate(before);
                    return Err(e);
                }
            }
        }
        Ok(())
    }

    /// One action as ours.
    fn convert(&self, y: usize, numbers: &mut [f64]) -> Result<Action, Fault> {
        if let Some(x) = numbers.iter().position(|v| !v.is_finite()) {
            let v = numbers[x];
            return Err(wrong(format_args!(
                "{v} in action {y}, number {x}; every number must be finite"
            )));
        }
        self.convention.convert(&self.spec, numbers);
        let mut values = [0.0f32; longarm_types::MAX_ACTION];
        for (to, from) in values.iter_mut().zip(&*numbers) {
            *to = *from as f32;
        }
        let values = &values[..numbers.len()];
        // Finite as a double may still be too large for a float.
        match values.iter().position(|v| !v.is_finite()) {
            Some(x) => Err(wrong(format_args!(
                "{} in action {y}, number {x}; that is too large",
                numbers[x]
            ))),
            None => Ok(Action::new(values)),
        }
    }
}
