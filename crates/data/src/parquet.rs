//! Parquet files from columns, without arrow.

use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, DoubleType, FloatType, Int64Type};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{Type, TypePtr};

use crate::{Column, Error, Result, write_atomically};

/// A column and how deep its lists are nested: 0 for numbers, 1 for vectors, 3 for 3×1×1.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) column: Column,
    pub(crate) depth: usize,
}

impl Field {
    /// Numbers, or vectors where a row has several values.
    pub(crate) fn new(name: impl Into<String>, column: Column) -> Self {
        let list = column.width() > 1 || matches!(column, Column::Texts(_));
        Self { name: name.into(), column, depth: usize::from(list) }
    }

    /// Vectors even where a row has one value.
    pub(crate) fn list(name: impl Into<String>, column: Column, depth: usize) -> Self {
        Self { name: name.into(), column, depth }
    }
}

/// Writes groups of rows with the same fields; `metadata` goes into the file's footer.
pub(crate) fn write(path: &Path, groups: &[Vec<Field>], metadata: &[(&str, String)]) -> Result<()> {
    let bytes = encode(groups, metadata)
        .map_err(|e| Error::Parquet { path: path.to_owned(), source: e.to_string().into() })?;
    write_atomically(path, &bytes)
}

fn encode(groups: &[Vec<Field>], metadata: &[(&str, String)]) -> Result<Vec<u8>, ParquetError> {
    let fields = groups.first().map(Vec::as_slice).unwrap_or_default();
    let fields = fields.iter().map(schema).collect::<Result<Vec<_>, _>>()?;
    let root = Type::group_type_builder("schema").with_fields(fields).build()?;
    let pairs =
        metadata.iter().map(|(k, v)| KeyValue::new((*k).to_owned(), Some(v.clone()))).collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("longarm {}", longarm_types::ENGINE_VERSION))
        .set_key_value_metadata(Some(pairs))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(root), Arc::new(properties))?;
    for group in groups {
        let mut rows = writer.next_row_group()?;
        for field in group {
            let column = rows.next_column()?;
            let mut column =
                column.ok_or_else(|| ParquetError::General("groups of different fields".into()))?;
            put(&mut column, field)?;
            column.close()?;
        }
        rows.close()?;
    }
    writer.into_inner()
}

/// Everything may be missing, as pandas writes it; nothing ever is.
fn schema(field: &Field) -> Result<TypePtr, ParquetError> {
    let (physical, text) = match &field.column {
        Column::F32 { .. } => (Physical::FLOAT, false),
        Column::F64 { .. } => (Physical::DOUBLE, false),
        Column::I64(_) => (Physical::INT64, false),
        Column::Bool(_) => (Physical::BOOLEAN, false),
        Column::U8 { .. } | Column::I16 { .. } => (Physical::BYTE_ARRAY, false),
        Column::Text(_) | Column::Texts(_) => (Physical::BYTE_ARRAY, true),
    };
    let name = |depth: usize| if depth == 0 { field.name.as_str() } else { "element" };
    let mut leaf = Type::primitive_type_builder(name(field.depth), physical)
        .with_repetition(Repetition::OPTIONAL);
    if text {
        leaf = leaf
            .with_logical_type(Some(LogicalType::String))
            .with_converted_type(ConvertedType::UTF8);
    }
    let mut out: TypePtr = Arc::new(leaf.build()?);
    for depth in (0..field.depth).rev() {
        let list = Type::group_type_builder("list")
            .with_repetition(Repetition::REPEATED)
            .with_fields(vec![out])
            .build()?;
        let outer = Type::group_type_builder(name(depth))
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::List))
            .with_converted_type(ConvertedType::LIST)
            .with_fields(vec![Arc::new(list)])
            .build()?;
        out = Arc::new(outer);
    }
    Ok(out)
}

fn put(column: &mut SerializedColumnWriter<'_>, field: &Field) -> Result<(), ParquetError> {
    let (depth, width) = (field.depth, field.column.width());
    match &field.column {
        Column::F32 { values, .. } => fill::<FloatType>(column, values, depth, |i| i % width),
        Column::F64 { values, .. } => fill::<DoubleType>(column, values, depth, |i| i % width),
        Column::I64(v) => fill::<Int64Type>(column, v, depth, |_| 0),
        Column::Bool(v) => fill::<BoolType>(column, v, depth, |_| 0),
        Column::U8 { values, .. } => {
            let rows: Vec<ByteArray> =
                values.chunks_exact(width.max(1)).map(|c| ByteArray::from(c.to_vec())).collect();
            fill::<ByteArrayType>(column, &rows, depth, |_| 0)
        }
        // The one kind that only arrays of pictures have.
        Column::I16 { .. } => Err(ParquetError::NYI("16-bit columns".into())),
        Column::Text(v) => {
            let rows: Vec<ByteArray> = v.iter().map(|s| ByteArray::from(s.as_str())).collect();
            fill::<ByteArrayType>(column, &rows, depth, |_| 0)
        }
        Column::Texts(v) => {
            let starts: Vec<usize> = v.iter().flat_map(|row| 0..row.len()).collect();
            let all: Vec<ByteArray> =
                v.iter().flatten().map(|s| ByteArray::from(s.as_str())).collect();
            fill::<ByteArrayType>(column, &all, depth, |i| starts[i])
        }
    }
}

/// `place` is where in its row a value stands. Inner lists of nested ones have one element each.
fn fill<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    depth: usize,
    place: impl Fn(usize) -> usize,
) -> Result<(), ParquetError> {
    let definition = vec![(2 * depth + 1) as i16; values.len()];
    let repetition: Option<Vec<i16>> =
        (depth > 0).then(|| (0..values.len()).map(|i| i16::from(place(i) > 0)).collect());
    column.typed::<T>().write_batch(values, Some(&definition), repetition.as_deref())?;
    Ok(())
}
