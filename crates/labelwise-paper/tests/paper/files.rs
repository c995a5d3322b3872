//! Files of traces as another reader of Parquet meets them: row by row, by the names of the columns.

use std::fs::{self, File};

use labelwise::Seed;
use labelwise_paper::run::repeat;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use tempfile::tempdir;

use crate::toy::Toy;

const SEED: Seed = Seed(17);

#[test]
fn a_row_is_a_step_of_a_run_and_a_column_is_a_curve() {
    let folder = tempdir().unwrap();
    let opened = Toy::folder(folder.path(), 10, SEED);
    repeat(&Toy::lasting(), 10, SEED, &opened, &|_| {}).unwrap();
    let path = folder.path().join("traces/toy.parquet");
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let rows: Vec<Row> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
    let expected = Toy::traces(10, SEED);
    assert_eq!(rows.len(), 10 * 7);
    for (place, row) in rows.iter().enumerate() {
        let (run, step) = (place / 7, place % 7);
        let trace = &expected.runs[run];
        let value =
            |column: usize| trace.values[column].get(step).map_or(Field::Null, |value| Field::Double(*value));
        let expected = [
            ("run", Field::Int(run as i32)),
            ("step", Field::Int(step as i32 + 1)),
            ("pool_risk", Field::Double(trace.pool_risk)),
            ("uniform_iid", value(0)),
            ("gp_surrogate_lure", value(1)),
            ("are_queries", value(2)),
            // What else was recorded is at the first step of a run.
            ("recorded_toy", if step == 0 { Field::Double(trace.pool_risk) } else { Field::Null }),
        ];
        let found: Vec<(&str, Field)> =
            row.get_column_iter().map(|(name, field)| (name.as_str(), field.clone())).collect();
        assert_eq!(found, expected);
    }
}
