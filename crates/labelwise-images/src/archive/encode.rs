//! An archive as a Parquet file.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use labelwise::Matrix;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{FloatType, Int32Type};
use parquet::errors::{ParquetError, Result as Encoded};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::Archive;
use super::provenance::{Head, KEY};
use crate::error::{Error, Result};

/// How hard zstd tries: more takes several times as long and saves next to nothing of floats.
const LEVEL: i32 = 9;

pub(super) fn write(archive: &Archive, path: &Path) -> Result<()> {
    let bytes = bytes(archive, path)?;
    make_folder(path)?;
    labelwise_atomic_file::write(path, &bytes).map_err(Error::file(path, "written"))
}

/// Whether a file was written: one that is there already is left, and must be the same.
pub(super) fn write_new(archive: &Archive, path: &Path) -> Result<bool> {
    let bytes = bytes(archive, path)?;
    make_folder(path)?;
    // Looked up first: an archive that is there may be in a folder where nobody can write.
    let written = match path.exists() {
        true => Err(ErrorKind::AlreadyExists.into()),
        false => labelwise_atomic_file::write_new(path, &bytes),
    };
    match written {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => match fs::read(path) {
            Ok(there) if there == bytes => Ok(false),
            _ => Err(Error::Exists { path: path.to_owned() }),
        },
        written => written.map(|()| true).map_err(Error::file(path, "written")),
    }
}

fn bytes(archive: &Archive, path: &Path) -> Result<Vec<u8>> {
    encoded(archive).map_err(|source| Error::Encoding { path: path.to_owned(), source })
}

fn make_folder(path: &Path) -> Result<()> {
    path.parent().map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(Error::file(folder, "made")))
}

fn encoded(archive: &Archive) -> Encoded<Vec<u8>> {
    let classes = archive.classes();
    let head = Head::of(archive).and_then(|head| serde_json::to_string(&head));
    let head = head.map_err(|error| ParquetError::External(Box::new(error)))?;
    // The one member of a plain model is the mean, and is written once.
    let members = if archive.members().len() > 1 { archive.members() } else { &[] };
    let mut fields = "REQUIRED INT32 id; REQUIRED INT32 label;".to_owned();
    (0..classes).for_each(|class| fields.push_str(&format!(" REQUIRED FLOAT prob_{class};")));
    for member in 0..members.len() {
        (0..classes)
            .for_each(|class| fields.push_str(&format!(" REQUIRED FLOAT member_{member}_prob_{class};")));
    }
    let schema = parse_message_type(&format!("message predictions {{ {fields} }}"))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        // Signs and exponents of a column lie together then, and are what compresses.
        .set_encoding(Encoding::BYTE_STREAM_SPLIT)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_key_value_metadata(Some(vec![KeyValue::new(KEY.to_owned(), head)]))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
    let mut rows = writer.next_row_group()?;
    write_numbers(&mut rows, archive.ids())?;
    write_numbers(&mut rows, archive.labels())?;
    std::iter::once(archive.mean()).chain(members).try_for_each(|table| write_table(&mut rows, table))?;
    rows.close()?;
    writer.close()?;
    Ok(bytes)
}

fn write_numbers<W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    numbers: &[u32],
) -> Encoded<()> {
    let too_large = |_| ParquetError::General("a number does not fit in 31 bits".to_owned());
    let numbers: Vec<i32> =
        numbers.iter().map(|&number| i32::try_from(number).map_err(too_large)).collect::<Encoded<_>>()?;
    let mut column = rows.next_column()?.ok_or_else(short)?;
    column.typed::<Int32Type>().write_batch(&numbers, None, None)?;
    column.close()
}

fn write_table<W: Write + Send>(rows: &mut SerializedRowGroupWriter<'_, W>, table: &Matrix) -> Encoded<()> {
    let all = table.singles().ok_or_else(short)?;
    for class in 0..table.columns() {
        let values: Vec<f32> = all.iter().skip(class).step_by(table.columns()).copied().collect();
        let mut column = rows.next_column()?.ok_or_else(short)?;
        column.typed::<FloatType>().write_batch(&values, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn short() -> ParquetError {
    ParquetError::General("a column is missing".to_owned())
}
