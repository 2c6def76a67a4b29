//! What both databases understand: statements in the words they share, numbered values, rows of plain values.
//!
//! Statements are written once, with `?1`, `?2`; truth is a number, 0 or 1, because not every database has a kind
//! of its own for it.

use super::{StoreError, Stored};
use crate::clock::Moment;

/// A value of a statement or of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A number.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(v: i64) -> Self {
        Self::Int(v)
    }
}

impl From<u64> for Value {
    fn from(v: u64) -> Self {
        Self::Int(i64::try_from(v).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(v: bool) -> Self {
        Self::Int(v.into())
    }
}

impl From<Moment> for Value {
    fn from(v: Moment) -> Self {
        Self::Int(v.0)
    }
}

impl From<&str> for Value {
    fn from(v: &str) -> Self {
        Self::Text(v.to_owned())
    }
}

impl From<String> for Value {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}

impl From<&String> for Value {
    fn from(v: &String) -> Self {
        Self::Text(v.clone())
    }
}

impl From<[u8; 32]> for Value {
    fn from(v: [u8; 32]) -> Self {
        Self::Bytes(v.to_vec())
    }
}

impl From<&Vec<u8>> for Value {
    fn from(v: &Vec<u8>) -> Self {
        Self::Bytes(v.clone())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(v: Option<T>) -> Self {
        v.map_or(Self::Null, Into::into)
    }
}

/// Values of a statement, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::store::sql::Value::from($value)),*]
    };
}
pub(super) use values;

/// A row, column by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Vec<Value>);

impl Row {
    fn not(&self, column: usize, what: &str) -> StoreError {
        StoreError::Database(format!("column {column} is not {what}: {:?}", self.0.get(column)))
    }

    /// Return a number.
    pub fn int(&self, column: usize) -> Stored<i64> {
        match self.0.get(column) {
            Some(Value::Int(v)) => Ok(*v),
            _ => Err(self.not(column, "a number")),
        }
    }

    /// Return a count.
    pub fn count(&self, column: usize) -> Stored<u64> {
        u64::try_from(self.int(column)?).map_err(|_| self.not(column, "a count"))
    }

    /// Return whether.
    pub fn flag(&self, column: usize) -> Stored<bool> {
        Ok(self.int(column)? != 0)
    }

    /// Return a moment.
    pub fn moment(&self, column: usize) -> Stored<Moment> {
        self.int(column).map(Moment)
    }

    /// Return a text.
    pub fn text(&self, column: usize) -> Stored<String> {
        match self.0.get(column) {
            Some(Value::Text(v)) => Ok(v.clone()),
            _ => Err(self.not(column, "a text")),
        }
    }

    /// Return bytes.
    pub fn bytes(&self, column: usize) -> Stored<Vec<u8>> {
        match self.0.get(column) {
            Some(Value::Bytes(v)) => Ok(v.clone()),
            _ => Err(self.not(column, "bytes")),
        }
    }

    /// Return what may be missing.
    pub fn maybe<T>(
        &self,
        column: usize,
        read: impl FnOnce(&Self, usize) -> Stored<T>,
    ) -> Stored<Option<T>> {
        match self.0.get(column) {
            Some(Value::Null) => Ok(None),
            _ => read(self, column).map(Some),
        }
    }

    /// Return the value that a word stands for.
    pub fn word<T: std::str::FromStr>(&self, column: usize) -> Stored<T>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.text(column)?;
        text.parse().map_err(|e| StoreError::Database(format!("column {column}: {e}")))
    }

    /// Return the value that JSON stands for.
    pub fn json<T: serde::de::DeserializeOwned>(&self, column: usize) -> Stored<T> {
        Ok(serde_json::from_str(&self.text(column)?)?)
    }
}

/// A transaction under way.
pub trait Sql {
    /// Carry out a statement; how many rows it concerned.
    fn run(&self, sql: &str, values: &[Value]) -> Stored<u64>;

    /// Return the rows of a statement.
    fn rows(&self, sql: &str, values: &[Value]) -> Stored<Vec<Row>>;

    /// Return the first row, if there is one.
    fn row(&self, sql: &str, values: &[Value]) -> Stored<Option<Row>> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// Return the one number that a statement asks for.
    fn number(&self, sql: &str, values: &[Value]) -> Stored<i64> {
        let found = self.row(sql, values)?;
        found.ok_or_else(|| StoreError::Database("no row where there is always one".into()))?.int(0)
    }

    /// Whether a statement finds anything.
    fn any(&self, sql: &str, values: &[Value]) -> Stored<bool> {
        Ok(self.row(sql, values)?.is_some())
    }

    /// Return the columns of a table, in order.
    fn columns(&self, table: &str) -> Stored<Vec<String>>;

    /// Go on counting keys of a table after the highest that was written into it.
    fn count_on(&self, table: &str) -> Stored<()>;
}

/// A database: something that carries out transactions.
pub trait Database: Send + Sync {
    /// Change something, whole or not at all; nobody else changes anything meanwhile.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Sql) -> Stored<T> + Send + 'static,
    ) -> Stored<T>;

    /// Look at one moment.
    fn read<T>(&self, work: impl FnOnce(&dyn Sql) -> Stored<T>) -> Stored<T>;
}
