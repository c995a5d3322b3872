//! Small files that become large: by compression, by dictionaries, by repeated lists.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{ArrayRef, DictionaryArray, Float32Array, Int32Array, ListArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::FloatType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Hostile, Written};

pub(crate) const ALL: [Hostile; 12] = [
    Hostile { name: "text.parquet", quick: false, write: |file| parquet(file, &one_text(200, 50 << 20)?) },
    Hostile { name: "texts.parquet", quick: true, write: |file| parquet(file, &one_text(50_000, 1 << 16)?) },
    Hostile { name: "list.parquet", quick: false, write: |file| parquet(file, &one_list(50_000_000)?) },
    Hostile { name: "short_list.parquet", quick: true, write: |file| parquet(file, &one_list(2_000_000)?) },
    Hostile { name: "rows.parquet", quick: false, write: |file| rows(file, 36 << 20) },
    Hostile {
        name: "dictionary.arrow",
        quick: true,
        write: |file| arrow(file, &one_text(100_000, 1 << 20)?),
    },
    Hostile { name: "constant.arrow", quick: false, write: |file| arrow(file, &one_number(50_000_000)?) },
    Hostile { name: "constant.npz", quick: false, write: |file| array(file, 110_000_000) },
    Hostile { name: "small.npz", quick: true, write: |file| array(file, 20_000_000) },
    Hostile {
        name: "array.eval",
        quick: false,
        write: |file| log(file, b"{\"id\":1,\"input\":[0", b",0", 134_000_000, b"]}"),
    },
    Hostile {
        name: "short_array.eval",
        quick: true,
        write: |file| log(file, b"{\"id\":1,\"input\":[0", b",0", 10_000_000, b"]}"),
    },
    Hostile {
        name: "spaces.eval",
        quick: false,
        write: |file| log(file, b"{\"id\":1,", b"  ", 500_000_000, b"\"input\":1}"),
    },
];

/// Rows that all hold one text, by a dictionary of one entry.
fn one_text(rows: usize, length: usize) -> Result<RecordBatch, Box<dyn std::error::Error>> {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(length)]));
    let keys = Int32Array::from(vec![0; rows]);
    let columns: [(&str, ArrayRef); 3] = [
        ("prob_a", Arc::new(Float32Array::from(vec![0.5; rows]))),
        ("prob_b", Arc::new(Float32Array::from(vec![0.5; rows]))),
        ("text", Arc::new(DictionaryArray::<Int32Type>::try_new(keys, text)?)),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// One row with a list of zeros.
fn one_list(length: usize) -> Result<RecordBatch, Box<dyn std::error::Error>> {
    let list = ListArray::from_iter_primitive::<Float32Type, _, _>([Some(vec![Some(0.0); length])]);
    Ok(RecordBatch::try_from_iter([("probs", Arc::new(list) as ArrayRef)])?)
}

fn one_number(rows: usize) -> Result<RecordBatch, Box<dyn std::error::Error>> {
    let half: ArrayRef = Arc::new(Float32Array::from(vec![0.5; rows]));
    Ok(RecordBatch::try_from_iter([("prob_a", Arc::clone(&half)), ("prob_b", half)])?)
}

fn parquet(file: File, batch: &RecordBatch) -> Written {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(1 << 30)
        .set_statistics_truncate_length(Some(8))
        .build();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close()?;
    Ok(())
}

fn arrow(file: File, batch: &RecordBatch) -> Written {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options)?;
    writer.write(batch)?;
    writer.finish()?;
    Ok(())
}

/// Very many equal rows in a few kilobytes.
fn rows(file: File, count: usize) -> Written {
    let schema = Arc::new(parse_message_type("message p { required float p_a; required float p_b; }")?);
    let properties = Arc::new(WriterProperties::builder().set_data_page_row_count_limit(1 << 24).build());
    let mut writer = SerializedFileWriter::new(file, schema, properties)?;
    let halves = vec![0.5_f32; 1 << 20];
    let mut group = writer.next_row_group()?;
    while let Some(mut column) = group.next_column()? {
        for _ in 0..count >> 20 {
            column.typed::<FloatType>().write_batch(&halves, None, None)?;
        }
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

/// A deflated array of 0.5 in rows of two.
fn array(file: File, rows: usize) -> Written {
    let mut archive = ZipWriter::new(BufWriter::new(file));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    archive.start_file("probs.npy", options.large_file(true))?;
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 2), }}\n");
    archive.write_all(b"\x93NUMPY\x01\x00")?;
    archive.write_all(&u16::try_from(header.len())?.to_le_bytes())?;
    archive.write_all(header.as_bytes())?;
    repeat(&mut archive, &0.5_f64.to_le_bytes(), 2 * rows)?;
    archive.finish()?;
    Ok(())
}

/// A log of one sample with a part that is repeated.
fn log(file: File, start: &[u8], part: &[u8], times: usize, end: &[u8]) -> Written {
    let mut archive = ZipWriter::new(BufWriter::new(file));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    archive.start_file("samples/1_epoch_1.json", options.large_file(true))?;
    archive.write_all(start)?;
    repeat(&mut archive, part, times)?;
    archive.write_all(end)?;
    archive.finish()?;
    Ok(())
}

fn repeat(writer: &mut impl Write, part: &[u8], times: usize) -> Written {
    const PIECE: usize = 1 << 16;
    let piece = part.repeat(PIECE);
    for _ in 0..times / PIECE {
        writer.write_all(&piece)?;
    }
    writer.write_all(&part.repeat(times % PIECE))?;
    Ok(())
}
