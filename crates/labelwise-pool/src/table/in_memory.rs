//! Pools in memory: Arrow's batches of rows, and CSV text.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use labelwise::Matrix;

use super::PoolTable;
use crate::assemble;
use crate::error::Result;
use crate::files::Carried;
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::limits::Budget;
use crate::reading::Reading;
use crate::source::{self, CsvFile, InMemory};

impl PoolTable {
    /// Reads a table in memory, batch by batch, like a file with the same columns.
    ///
    /// The batches can come from any library with Arrow's C interface; `arrow_array::RecordBatchReader` is such an
    /// iterator, and has the schema. Only the columns that `reading` names are copied. `name` is the file's name in
    /// errors and in [`PoolTable::path`]. The fingerprint is that of the ids and predictions, and does not depend on
    /// the batches.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
    /// use labelwise_pool::{PoolTable, Predictions, Reading};
    /// let columns: [(&str, ArrayRef); 3] = [
    ///     ("id", Arc::new(StringArray::from(vec!["x", "y"]))),
    ///     ("prob_cat", Arc::new(Float32Array::from(vec![0.25, 1.0]))),
    ///     ("prob_dog", Arc::new(Float32Array::from(vec![0.75, 0.0]))),
    /// ];
    /// let batch = RecordBatch::try_from_iter(columns)?;
    /// let pool = PoolTable::from_batches("pool", batch.schema(), [Ok(batch)], &Reading::new())?;
    /// let Predictions::Classes { rows, .. } = &pool.predictions else { unreachable!() };
    /// assert_eq!(rows.reader().row(0), [0.25, 0.75]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_batches(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        reading: &Reading,
    ) -> Result<Self> {
        let name = name.as_ref();
        let mut source = InMemory::new(name, schema, batches.into_iter());
        let budget = Budget::unlimited(name);
        assemble::assemble(name, Format::Arrow, &mut source, reading, &budget, |ids, predictions| {
            Ok(if reading.of_part { Fingerprint::default() } else { Fingerprint::of_rows(ids, predictions) })
        })
    }

    /// The names of the columns that `reading` reads as ids and predictions of a table with this schema; the ids are the first.
    pub fn wanted_columns(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        reading: &Reading,
    ) -> Result<Vec<String>> {
        let name = name.as_ref();
        let source = InMemory::new(name, schema, std::iter::empty());
        assemble::wanted_names(name, &source, reading)
    }

    /// The ids of a table in memory.
    pub fn ids_of(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        reading: &Reading,
    ) -> Result<Ids> {
        let mut source = InMemory::new(name.as_ref(), schema, batches.into_iter());
        Ok(assemble::passthrough(name.as_ref(), Format::Arrow, &mut source, &reading.of_part())?.0)
    }

    /// The ids and the passthrough columns of a table in memory.
    pub fn passthrough(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        ids: &str,
    ) -> Result<Carried> {
        let name = name.as_ref();
        let others = schema.fields().iter().map(|field| field.name()).filter(|other| *other != ids);
        let reading = Reading::new().ids(ids).scores(ids).carrying(others.cloned());
        let mut source = InMemory::new(name, Arc::clone(&schema), batches.into_iter());
        assemble::passthrough(name, Format::Arrow, &mut source, &reading)
    }

    /// Reads CSV text in memory. `name` is the file's name in errors and in [`PoolTable::path`]; the fingerprint is
    /// that of the ids and predictions.
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Reading};
    /// let text = "id,prob_cat,prob_dog\nx,0.25,0.75\ny,1,0\n";
    /// let pool = PoolTable::from_csv("pool", text.as_bytes(), &Reading::new())?;
    /// assert_eq!(pool.rows(), 2);
    /// # Ok::<(), labelwise_pool::Error>(())
    /// ```
    pub fn from_csv(name: impl AsRef<Path>, text: impl Read + 'static, reading: &Reading) -> Result<Self> {
        let (name, format) = (name.as_ref(), Format::Csv);
        let budget = Arc::new(Budget::unlimited(name));
        let mut source = CsvFile::new(name, format, Box::new(text), &budget)?;
        assemble::assemble(name, format, &mut source, reading, &budget, |ids, predictions| {
            Ok(Fingerprint::of_rows(ids, predictions))
        })
    }

    /// Reads all columns of a table in memory as one table of numbers, such as features; a column of lists must be the
    /// only one. Types and nulls are treated as in [`from_batches`](Self::from_batches).
    pub fn numbers(
        name: impl AsRef<Path>,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    ) -> Result<Matrix> {
        source::read_numbers(name.as_ref(), schema, batches.into_iter())
    }
}
