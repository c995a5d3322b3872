//! Tables of pandas, polars, pyarrow, DuckDB and others, through Arrow's C stream interface.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayReader, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use labelwise_study::PoolTable;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrays;
use crate::error::{Error, Outcome};

/// The method that every such table has.
const METHOD: &str = "__arrow_c_stream__";

/// A table that comes in batches.
pub(crate) struct Stream {
    pub(crate) schema: SchemaRef,
    reader: ArrayStreamReader,
}

/// Whether an object is such a table.
pub(crate) fn is_stream(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.hasattr(METHOD)
}

/// The stream of a table, or of a series, which is a table of one column.
pub(crate) fn stream(name: &str, object: &Bound<'_, PyAny>) -> Outcome<Stream> {
    let failed = |error: ArrowError| Error::Argument(format!("{name}: its Arrow stream failed: {error}"));
    let capsule = object.call_method0(METHOD)?.cast_into::<PyCapsule>().map_err(PyErr::from)?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    #[allow(unsafe_code, reason = "a capsule of this name holds a stream, which is moved out of it")]
    // SAFETY: by the PyCapsule interface of Arrow, a capsule of this name points to an initialised stream. It is moved out
    // and marked as released, so that the capsule, which lives until the end of this function, does not release it too.
    let reader = unsafe { ArrayStreamReader::from_raw(pointer.as_ptr()) }.map_err(failed)?;
    let schema = match reader.field().data_type() {
        DataType::Struct(fields) => Schema::new(fields.clone()),
        _ => Schema::new(vec![reader.field().clone()]),
    };
    Ok(Stream { schema: Arc::new(schema), reader })
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = |array: ArrayRef| match array.data_type() {
            DataType::Struct(_) => Ok(RecordBatch::from(array.as_struct())),
            _ => RecordBatch::try_new(self.schema.clone(), vec![array]),
        };
        Some(self.reader.next()?.and_then(batch))
    }
}

/// All columns of a table as one array of numbers.
#[pyfunction]
pub(crate) fn numbers<'py>(
    py: Python<'py>,
    name: &str,
    table: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let stream = stream(name, table)?;
    let numbers = PoolTable::numbers(name, stream.schema.clone(), stream).map_err(Error::from)?;
    arrays::lent(py, &numbers)
}
