//! The Parquet files, read back. Only with the feature `parquet`.

use std::collections::BTreeMap;
use std::fs::File;

use cutpoint::report::{CsvFile, ReportModel, Reporter, write_parquet};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::fixture;

fn rows(path: &std::path::Path) -> Vec<BTreeMap<String, Field>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let row =
        |row: parquet::record::Row| row.get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect();
    reader.get_row_iter(None).unwrap().map(|one| row(one.unwrap())).collect()
}

#[test]
fn a_file_is_its_table_with_types_and_nulls() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let folder = tempfile::tempdir().unwrap();
    let paths = write_parquet(&model, folder.path()).unwrap();
    assert_eq!(paths.len(), CsvFile::of(&model).len());
    for (path, file) in paths.iter().zip(CsvFile::of(&model)) {
        let mut text = Vec::new();
        file.render(&model, &mut text).unwrap();
        let mut csv = csv::Reader::from_reader(&*text);
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema();
        let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
        assert_eq!(names, csv.headers().unwrap().iter().collect::<Vec<_>>(), "{}", file.name());
        assert_eq!(rows(path).len(), csv.records().count(), "{}", file.name());
    }
    let requests = rows(&folder.path().join("requests.parquet"));
    assert_eq!(requests[0]["reference_tokens"], Field::Long(4_000));
    assert_eq!(requests[0]["cost_usd"], Field::Double(0.01));
    assert_eq!(requests[0]["overflow"], Field::Bool(false));
    assert_eq!(requests[0]["recorded_tokens"], Field::Null, "a void is a null, never 0");
    let items = rows(&folder.path().join("items.parquet"));
    assert!(items.iter().any(|row| row["item"] == Field::Str(fixture::FORMULA.to_owned())), "no guard in front");
    assert!(items.iter().any(|row| row["score"] == Field::Double(-0.5)));
    let cells = rows(&folder.path().join("cells.parquet"));
    assert_eq!((&cells[0]["goal_loss"], &cells[1]["goal_loss"]), (&Field::Double(0.25), &Field::Null));
    assert_eq!(cells[0]["compactions_count"], Field::Double(2.0), "a measure is a real number in every run");
}
