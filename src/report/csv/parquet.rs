//! The same tables as Parquet, for DuckDB, Polars and pandas. Names, order and voids are those of the CSV files; types come from the
//! described units, and text needs no guard against spreadsheets.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::Type;

use super::columns::{self, Described};
use super::{CsvFile, FORMULA};
use crate::report::{ReportError, ReportModel, Reporter};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Truth,
    Whole,
    Real,
}

impl Kind {
    fn of(column: &Described) -> Self {
        match column.unit.as_ref() {
            // Names that the run defines are measures: means of counts are no whole numbers.
            _ if matches!(column.name, Cow::Owned(_)) => Self::Real,
            "text" => Self::Text,
            "true or false" => Self::Truth,
            "count" | "tokens" | "number" | "ms" => Self::Whole,
            _ => Self::Real,
        }
    }

    fn schema(self, name: &str) -> Result<Type, ParquetError> {
        let physical = match self {
            Self::Text => Physical::BYTE_ARRAY,
            Self::Truth => Physical::BOOLEAN,
            Self::Whole => Physical::INT64,
            Self::Real => Physical::DOUBLE,
        };
        let logical = (self == Self::Text).then_some(LogicalType::String);
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        builder.with_logical_type(logical).build()
    }
}

fn failed(error: impl std::fmt::Display) -> ReportError {
    ReportError::Parquet(error.to_string())
}

/// Writes every table of a report as a Parquet file beside its CSV file, and returns the paths.
///
/// # Errors
/// When a file cannot be written, or a field is not of the type that its column is described with.
pub fn write_parquet(model: &ReportModel, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let mut paths = Vec::new();
    for file in CsvFile::of(model) {
        let path = folder.join(file.name()).with_extension("parquet");
        let bytes = table(file, model)?;
        std::fs::write(&path, bytes).map_err(|source| ReportError::File { path: path.clone(), source })?;
        paths.push(path);
    }
    Ok(paths)
}

/// One table: a group of rows, every column optional.
fn table(file: CsvFile, model: &ReportModel) -> Result<Vec<u8>, ReportError> {
    let described = columns::of(file, model);
    let mut text = Vec::new();
    file.render(model, &mut text)?;
    let rows: Vec<::csv::StringRecord> = ::csv::Reader::from_reader(&*text).records().collect::<Result<_, _>>()?;
    let fields = described.iter().map(|column| Kind::of(column).schema(&column.name).map(Arc::new));
    let fields = fields.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(failed)?;
    let properties = WriterProperties::builder().set_created_by("cutpoint".to_owned()).build();
    let mut out = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).map_err(failed)?;
    let mut group = out.next_row_group().map_err(failed)?;
    for (at, column) in described.iter().enumerate() {
        let values: Vec<&str> = rows.iter().map(|row| row.get(at).unwrap_or_default()).collect();
        let Some(writer) = group.next_column().map_err(failed)? else { return Err(failed("a column is missing")) };
        write_column(writer, column, &values)?;
    }
    group.close().map_err(failed)?;
    out.into_inner().map_err(failed)
}

fn write_column(writer: SerializedColumnWriter<'_>, column: &Described, values: &[&str]) -> Result<(), ReportError> {
    let wrong = |text: &str| failed(format!("{}: {text:?} is not of its unit, {}", column.name, column.unit));
    match Kind::of(column) {
        Kind::Text => {
            write::<ByteArrayType>(writer, values, |text| Ok(ByteArray::from(plain(text).as_bytes().to_vec())))
        }
        Kind::Truth => write::<BoolType>(writer, values, |text| text.parse().map_err(|_| wrong(text))),
        Kind::Whole => write::<Int64Type>(writer, values, |text| text.parse().map_err(|_| wrong(text))),
        Kind::Real => write::<DoubleType>(writer, values, |text| text.parse().map_err(|_| wrong(text))),
    }
}

/// An empty field is a null.
fn write<T: DataType>(
    mut writer: SerializedColumnWriter<'_>,
    values: &[&str],
    read: impl Fn(&str) -> Result<T::T, ReportError>,
) -> Result<(), ReportError> {
    let there = values.iter().filter(|text| !text.is_empty()).map(|text| read(text)).collect::<Result<Vec<_>, _>>()?;
    let levels: Vec<i16> = values.iter().map(|text| i16::from(!text.is_empty())).collect();
    writer.typed::<T>().write_batch(&there, Some(&levels), None).map_err(failed)?;
    writer.close().map_err(failed)
}

/// Text without the guard of CSV files.
fn plain(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.trim_start_matches('\'').starts_with(FORMULA) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::guarded;
    use super::plain;

    #[test]
    fn the_guard_is_taken_off_and_nothing_else() {
        for text in ["=a", "'=a", "''=a", "'a", "a", "", "-1", "'"] {
            assert_eq!(plain(&guarded(text)), text);
        }
    }
}
