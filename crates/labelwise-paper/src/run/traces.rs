//! Raw traces as Parquet: one row per run and step, one column per curve, empty where a curve has ended. Columns at the end
//! have whatever else was recorded, at the first step of each run.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::reader::ColumnReader;
use parquet::data_type::{DoubleType, Int32Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::Repeated;
use crate::problem::Trace;
use crate::strategy::Column;

/// The key of the wall time in a file's metadata.
const SECONDS: &str = "labelwise.wall_seconds";
/// Columns before those of the curves: run, step, pool_risk.
const LEADING: usize = 3;

/// The names of columns with whatever else was recorded begin so.
const RECORDED: &str = "recorded_";

/// The traces of many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Traces {
    /// What each run recorded, in order.
    pub columns: Vec<Column>,
    /// The runs.
    pub runs: Vec<Trace>,
}

impl Traces {
    /// The values of a column at a step, counted from 0, with the pool risk of their run.
    pub fn values(&self, column: usize, step: usize) -> impl Iterator<Item = (f64, f64)> {
        let of_run =
            move |trace: &Trace| trace.values.get(column)?.get(step).map(|value| (*value, trace.pool_risk));
        self.runs.iter().filter_map(of_run)
    }

    /// Estimates minus the pool risk, one per run.
    pub fn errors(&self, column: usize, step: usize) -> Vec<f64> {
        self.values(column, step).map(|(value, risk)| value - risk).collect()
    }

    /// Steps of the longest column.
    fn steps(columns: &[Column]) -> usize {
        columns.iter().map(|column| column.steps).max().unwrap_or(0)
    }
}

/// Writes traces, and the seconds they took.
pub(super) fn write(file: &mut (impl Write + Send), traces: &Traces, seconds: f64) -> Result<()> {
    let names = traces.columns.iter().map(|column| format!("OPTIONAL DOUBLE {};", column.strategy.key));
    // Every run of an experiment records the same things.
    let recorded = traces.runs.first().map_or(&[][..], |run| &run.recorded);
    let others = recorded.iter().map(|(name, _)| format!("OPTIONAL DOUBLE {RECORDED}{name};"));
    let schema = format!(
        "message traces {{ REQUIRED INT32 run; REQUIRED INT32 step; REQUIRED DOUBLE pool_risk; {} }}",
        names.chain(others).collect::<String>()
    );
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![KeyValue::new(SECONDS.to_owned(), seconds.to_string())]))
        .build();
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(parse_message_type(&schema)?), Arc::new(properties))?;
    let mut rows = writer.next_row_group()?;
    let steps = Traces::steps(&traces.columns);
    let each = || traces.runs.iter().enumerate().flat_map(|run| (1..=steps).map(move |step| (run, step)));
    write_numbers(&mut rows, each().map(|((run, _), _)| run as i32).collect())?;
    write_numbers(&mut rows, each().map(|(_, step)| step as i32).collect())?;
    let risks: Vec<f64> = each().map(|((_, trace), _)| trace.pool_risk).collect();
    write_values(&mut rows, &risks, None)?;
    for (place, column) in traces.columns.iter().enumerate() {
        let values =
            traces.runs.iter().flat_map(|trace| trace.values.get(place).into_iter().flatten().copied());
        let present: Vec<i16> = each().map(|(_, step)| i16::from(step <= column.steps)).collect();
        write_values(&mut rows, &values.collect::<Vec<_>>(), Some(&present))?;
    }
    let first: Vec<i16> = each().map(|(_, step)| i16::from(step == 1)).collect();
    for place in 0..recorded.len() {
        let values =
            traces.runs.iter().map(|trace| trace.recorded.get(place).map_or(f64::NAN, |(_, value)| *value));
        write_values(&mut rows, &values.collect::<Vec<_>>(), Some(&first))?;
    }
    rows.close()?;
    writer.close()?;
    Ok(())
}

fn write_numbers<W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    numbers: Vec<i32>,
) -> Result<()> {
    let Some(mut column) = rows.next_column()? else { return Err(short()) };
    column.typed::<Int32Type>().write_batch(&numbers, None, None)?;
    column.close()
}

fn write_values<W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    values: &[f64],
    present: Option<&[i16]>,
) -> Result<()> {
    let Some(mut column) = rows.next_column()? else { return Err(short()) };
    column.typed::<DoubleType>().write_batch(values, present, None)?;
    column.close()
}

fn short() -> ParquetError {
    ParquetError::General("a column is missing".to_owned())
}

/// Reads traces of these columns back, with the seconds they took.
pub(super) fn read(file: Vec<u8>, columns: &[Column]) -> Result<Repeated> {
    let reader = SerializedFileReader::new(Bytes::from(file))?;
    let metadata = reader.metadata().file_metadata();
    let schema = metadata.schema_descr();
    let (others, names): (Vec<String>, Vec<String>) = schema
        .columns()
        .iter()
        .skip(LEADING)
        .map(|column| column.name().to_owned())
        .partition(|name| name.starts_with(RECORDED));
    if !names.into_iter().eq(columns.iter().map(|column| column.strategy.key.to_owned())) {
        return Err(ParquetError::General("its columns are those of another experiment".to_owned()));
    }
    let entries = metadata.key_value_metadata().into_iter().flatten();
    let seconds =
        entries.filter(|entry| entry.key == SECONDS).find_map(|entry| entry.value.as_ref()?.parse().ok());
    let seconds =
        seconds.ok_or_else(|| ParquetError::General("it does not say how long it took".to_owned()))?;
    let rows = reader.get_row_group(0)?;
    let count = usize::try_from(rows.metadata().num_rows()).unwrap_or(0);
    let steps = Traces::steps(columns);
    let risks = read_values(&*rows, LEADING - 1, count)?;
    let values: Vec<Vec<f64>> =
        (0..columns.len()).map(|place| read_values(&*rows, LEADING + place, count)).collect::<Result<_>>()?;
    let recorded: Vec<(String, Vec<f64>)> = others
        .into_iter()
        .enumerate()
        .map(|(place, name)| {
            let values = read_values(&*rows, LEADING + columns.len() + place, count)?;
            Ok((name.trim_start_matches(RECORDED).to_owned(), values))
        })
        .collect::<Result<_>>()?;
    let runs = risks.iter().step_by(steps.max(1)).enumerate().map(|(run, &pool_risk)| {
        let of_run = |(values, column): (&Vec<f64>, &Column)| {
            let range = run * column.steps..(run + 1) * column.steps;
            values.get(range).map(<[f64]>::to_vec).ok_or_else(short)
        };
        let recorded = recorded.iter().map(|(name, values)| {
            let value = values.get(run).copied().ok_or_else(short)?;
            Ok((name.clone(), value))
        });
        let recorded = recorded.collect::<Result<_>>()?;
        let values = values.iter().zip(columns).map(of_run).collect::<Result<_>>()?;
        Ok(Trace { pool_risk, values, recorded })
    });
    let traces = Traces { columns: columns.to_vec(), runs: runs.collect::<Result<_>>()? };
    Ok(Repeated { traces, seconds })
}

fn read_values(rows: &dyn RowGroupReader, place: usize, count: usize) -> Result<Vec<f64>> {
    let ColumnReader::DoubleColumnReader(mut reader) = rows.get_column_reader(place)? else {
        return Err(ParquetError::General(format!("column {place} does not hold numbers")));
    };
    let (mut values, mut present) = (Vec::with_capacity(count), Vec::with_capacity(count));
    reader.read_records(count, Some(&mut present), None, &mut values)?;
    Ok(values)
}
