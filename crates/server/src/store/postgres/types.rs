//! Our values in PostgreSQL's kinds.

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::super::sql::Value;

type Failed = Box<dyn std::error::Error + Sync + Send>;

/// Whether a kind is one of those that our tables have.
fn taken(kind: &Type) -> bool {
    [Type::INT8, Type::INT4, Type::TEXT, Type::VARCHAR, Type::BYTEA].contains(kind)
}

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
        match (self, kind) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Int(v), &Type::INT4) => i32::try_from(*v)?.to_sql(kind, out),
            (Self::Int(v), &Type::INT8) => v.to_sql(kind, out),
            (Self::Text(v), &Type::TEXT | &Type::VARCHAR) => v.to_sql(kind, out),
            (Self::Bytes(v), &Type::BYTEA) => v.to_sql(kind, out),
            _ => Err(format!("a value is not of kind {kind}").into()),
        }
    }

    fn accepts(kind: &Type) -> bool {
        taken(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Failed> {
        Ok(match *kind {
            Type::INT4 => Self::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Self::Int(i64::from_sql(kind, raw)?),
            Type::TEXT | Type::VARCHAR => Self::Text(String::from_sql(kind, raw)?),
            _ => Self::Bytes(Vec::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Failed> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        taken(kind)
    }
}
