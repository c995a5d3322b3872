//! Parquet and Arrow.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float64Builder, LargeListBuilder, ListBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    RecordBatchOptions, StringArray, StringViewArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use crate::random::Random;
use crate::table::{Table, Values};

/// A table as Parquet; empty if the writer refuses it.
pub(crate) fn parquet(table: &Table, random: &mut Random) -> Vec<u8> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
    ];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let statistics = [EnabledStatistics::None, EnabledStatistics::Chunk, EnabledStatistics::Page];
    let properties = WriterProperties::builder()
        .set_compression(random.pick(&codecs))
        .set_writer_version(random.pick(&versions))
        .set_dictionary_enabled(random.one_in(2))
        .set_statistics_enabled(random.pick(&statistics))
        .set_max_row_group_row_count(Some(random.pick(&[3, 10, 1000])))
        .set_data_page_row_count_limit(random.pick(&[2, 1000]))
        .set_write_batch_size(2)
        .build();
    let write = || -> parquet::errors::Result<Vec<u8>> {
        let batch = batch(table, random)?;
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    write().unwrap_or_default()
}

/// A table as Arrow IPC, a file or a stream; empty if the writer refuses it.
pub(crate) fn arrow(table: &Table, random: &mut Random) -> Vec<u8> {
    let codecs = [None, Some(CompressionType::ZSTD), Some(CompressionType::LZ4_FRAME)];
    let (codec, stream) = (random.pick(&codecs), random.one_in(2));
    let mut write = || -> Result<Vec<u8>, arrow_schema::ArrowError> {
        let batch = batch(table, random)?;
        let options = IpcWriteOptions::default().try_with_compression(codec)?;
        if stream {
            let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options)?;
            writer.write(&batch)?;
            writer.finish()?;
            return writer.into_inner();
        }
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options)?;
        let half = batch.num_rows() / 2;
        writer.write(&batch.slice(0, half))?;
        writer.write(&batch.slice(half, batch.num_rows() - half))?;
        writer.finish()?;
        writer.into_inner()
    };
    write().unwrap_or_default()
}

fn batch(table: &Table, random: &mut Random) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let arrays: Vec<ArrayRef> = table.columns.iter().map(|(_, values)| array(values, random)).collect();
    let field = |((name, _), array): (&(String, Values), &ArrayRef)| {
        Field::new(name, array.data_type().clone(), true)
    };
    let fields: Vec<Field> = table.columns.iter().zip(&arrays).map(field).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(table.rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}

fn array(values: &Values, random: &mut Random) -> ArrayRef {
    match values {
        Values::Numbers(numbers) => match random.below(6) {
            0 => Arc::new(Float32Array::from_iter(numbers.iter().map(|number| number.map(|n| n as f32)))),
            1 if numbers.iter().flatten().all(|number| number.fract() == 0.0) => {
                Arc::new(Int64Array::from_iter(numbers.iter().map(|number| number.map(|n| n as i64))))
            }
            _ => Arc::new(Float64Array::from_iter(numbers.iter().copied())),
        },
        Values::Texts(texts) => match random.below(6) {
            0 => Arc::new(LargeStringArray::from_iter(texts)),
            1 => Arc::new(StringViewArray::from_iter(texts)),
            2 => Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>()),
            _ => Arc::new(StringArray::from_iter(texts)),
        },
        Values::Lists(lists) => of_lists(lists, random),
    }
}

fn of_lists(lists: &[Vec<f64>], random: &mut Random) -> ArrayRef {
    let width = lists.first().map_or(0, Vec::len);
    match random.below(3) {
        0 if lists.iter().all(|list| list.len() == width) => {
            let mut builder = FixedSizeListBuilder::new(Float64Builder::new(), width as i32);
            for list in lists {
                builder.values().append_slice(list);
                builder.append(true);
            }
            Arc::new(builder.finish())
        }
        1 => {
            let mut builder = LargeListBuilder::new(Float64Builder::new());
            for list in lists {
                builder.values().append_slice(list);
                builder.append(true);
            }
            Arc::new(builder.finish())
        }
        _ => {
            let mut builder = ListBuilder::new(Float64Builder::new());
            for list in lists {
                builder.values().append_slice(list);
                builder.append(true);
            }
            Arc::new(builder.finish())
        }
    }
}
