//! Batches in memory: tables of other libraries, received through Arrow's C interface.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use labelwise::Matrix;

use super::batches::{self, Sink};
use super::guard::guarded;
use super::{Field, Loaded, SelectedBlock, Selection, Source, empty};
use crate::assemble::refusal;
use crate::error::Result;
use crate::format::Format;
use crate::limits::Budget;
use crate::offences::Offences;

/// A table whose batches arrive one after the other.
pub(crate) struct InMemory<I> {
    name: PathBuf,
    schema: SchemaRef,
    fields: Vec<Field>,
    batches: I,
}

impl<I> InMemory<I> {
    pub(crate) fn new(name: &Path, schema: SchemaRef, batches: I) -> Self {
        Self { name: name.to_owned(), fields: batches::fields(&schema), schema, batches }
    }
}

/// Reads all columns of a table in memory as one table of numbers; a column of lists must be the only one.
pub(crate) fn read_numbers(
    name: &Path,
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<Matrix> {
    let mut source = InMemory::new(name, schema, batches);
    let lists = source.fields.len() == 1 && source.fields.iter().all(|field| field.kind.may_be_list());
    let block = SelectedBlock { fields: (0..source.fields.len()).collect(), lists };
    let mut offences = Offences::default();
    let mut loaded =
        source.read(&Selection { blocks: vec![block], ..Selection::default() }, &mut offences)?;
    if !offences.is_empty() {
        return Err(refusal(name, offences, &loaded.places));
    }
    loaded.blocks.pop().unwrap_or_default().into_matrix()
}

impl<I: Iterator<Item = Result<RecordBatch, ArrowError>>> Source for InMemory<I> {
    fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn read(&mut self, wanted: &Selection, offences: &mut Offences) -> Result<Loaded> {
        let Self { name, schema, fields, batches } = self;
        let mut loaded = empty(wanted, fields);
        let budget = Budget::unlimited(name);
        let sink = Sink::new((name, Format::Arrow), fields, wanted, &budget);
        let expected = schema.project(sink.places()).map_err(|error| sink.damaged(error.to_string()))?;
        while let Some(batch) =
            guarded(|| batches.next().transpose()).map_err(|reason| sink.damaged(reason))?
        {
            let batch = batch.project(sink.places()).map_err(|error| sink.damaged(error.to_string()))?;
            let types = expected.fields().iter().map(|field| field.data_type());
            if !types.eq(batch.columns().iter().map(|column| column.data_type())) {
                return Err(sink.damaged("a batch has other types than the schema"));
            }
            sink.append(&batch, &mut loaded, offences)?;
        }
        Ok(loaded)
    }
}
