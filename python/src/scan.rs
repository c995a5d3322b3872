//! Pools that outgrow one machine: the kernel for Spark, Ray, Dask and others. A worker makes a sketch of its part, the driver merges
//! sketches and writes the evaluation.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use labelwise_study::elsewhere::{Part as Kernel, Phase, Scan as Passes};
use labelwise_study::{Error as StudyError, PoolTable, Predictions, Reading, now};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::arrow;
use crate::error::{Error, Outcome, Raised, detached};
use crate::options::Options;
use crate::pool::Columns;

/// The passes over a pool that make an evaluation, or a refresh of one.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct Scan {
    passes: Mutex<Option<Passes>>,
    /// The schema of the pool, which says what the columns are.
    schema: Option<SchemaRef>,
    reading: Reading,
}

#[pymethods]
impl Scan {
    /// The passes of a new evaluation. `schema` is the table's, or the names of its columns.
    #[new]
    #[pyo3(signature = (name, schema, columns, options, ahead = None))]
    fn new(
        py: Python<'_>,
        name: &str,
        schema: &Bound<'_, PyAny>,
        columns: Columns,
        options: Options<'_>,
        ahead: Option<usize>,
    ) -> PyResult<Self> {
        let schema = schema_of(schema)?;
        let dummy = PoolTable::new(Predictions::Scores(Vec::new()));
        let choices = options.choices(py, &dummy, &Raised::default(), now())?;
        let reading = columns.reading()?;
        let passes =
            detached(py, &Raised::default(), || Ok(Passes::new(name, columns.names()?, choices, ahead)?))?;
        Ok(Self { passes: Mutex::new(Some(passes)), schema: Some(schema), reading })
    }

    /// The pass that refreshes the scores of an evaluation by its labels.
    #[staticmethod]
    #[pyo3(signature = (path, schema = None, ahead = None))]
    fn refresh(
        py: Python<'_>,
        path: PathBuf,
        schema: Option<&Bound<'_, PyAny>>,
        ahead: Option<usize>,
    ) -> PyResult<Self> {
        let schema = schema.map(schema_of).transpose()?;
        let passes = detached(py, &Raised::default(), || Ok(Passes::refresh(path, ahead)?))?;
        let reading = Reading::from(passes.columns().clone());
        Ok(Self { passes: Mutex::new(Some(passes)), schema, reading })
    }

    /// What the next pass sends to the workers; None if there is none.
    fn work<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let work = self.with(|passes| Ok(passes.work()?))?;
        Ok(work.map(|work| PyBytes::new(py, &work)))
    }

    /// The next pass: pilot, draw or done.
    #[getter]
    fn phase(&self) -> PyResult<&'static str> {
        self.with(|passes| {
            Ok(match passes.phase() {
                Phase::Pilot => "pilot",
                Phase::Draw => "draw",
                Phase::Done => "done",
            })
        })
    }

    /// The columns that the passes read: ids first.
    #[getter]
    fn columns(&self) -> PyResult<Vec<String>> {
        let Some(schema) = &self.schema else {
            return Err(Error::Argument("give the schema of the pool to Scan.refresh".to_owned()).into());
        };
        let wanted = PoolTable::wanted_columns("the table", Arc::clone(schema), &self.reading);
        Ok(wanted.map_err(Error::from)?)
    }

    /// The column of ids.
    #[getter]
    fn id_column(&self) -> PyResult<String> {
        Ok(self.columns()?.into_iter().next().unwrap_or_default())
    }

    /// The passthrough columns that `finish` wants.
    #[getter]
    fn carry(&self) -> PyResult<Vec<String>> {
        self.with(|passes| Ok(passes.carry().to_vec()))
    }

    /// Takes the merged sketch of a pass.
    fn take(&self, py: Python<'_>, sketch: &[u8]) -> PyResult<()> {
        detached(py, &Raised::default(), || self.held(|passes| Ok(passes.take(sketch)?)))
    }

    /// The ids of the draws, in draw order.
    fn drawn(&self) -> PyResult<Vec<String>> {
        self.with(|passes| Ok(passes.drawn()?))
    }

    /// Writes the evaluation, or records the refresh if there is no path. Returns the decisions as sentences.
    #[pyo3(signature = (carried = None, out = None))]
    fn finish(
        &self,
        py: Python<'_>,
        carried: Option<&Bound<'_, PyAny>>,
        out: Option<PathBuf>,
    ) -> PyResult<Vec<String>> {
        let carried = match carried {
            None => Vec::new(),
            Some(table) => {
                let id = self.id_column()?;
                let stream = arrow::stream("carried", table)?;
                let schema = stream.schema.clone();
                let found = PoolTable::passthrough("carried", schema, stream, &id).map_err(Error::from)?;
                vec![found]
            }
        };
        let passes = self.passes.lock().map_err(|_| poisoned())?.take().ok_or_else(finished)?;
        detached(py, &Raised::default(), || match out {
            Some(out) => Ok(passes.finish(out, &carried)?.decisions),
            None => {
                passes.finish_refresh(&carried)?;
                Ok(Vec::new())
            }
        })
    }
}

impl Scan {
    fn held<R>(&self, work: impl FnOnce(&mut Passes) -> Outcome<R>) -> Outcome<R> {
        let mut passes = self.passes.lock().map_err(|_| poisoned())?;
        work(passes.as_mut().ok_or_else(finished)?)
    }

    fn with<R>(&self, work: impl FnOnce(&mut Passes) -> Outcome<R>) -> PyResult<R> {
        Ok(self.held(work)?)
    }
}

fn poisoned() -> Error {
    Error::Other("an earlier call failed in its middle: start again".to_owned())
}

fn finished() -> Error {
    Error::Argument("this scan is finished: make a new one".to_owned())
}

/// The sketch of a part of a pool, on a worker.
#[pyclass(frozen, module = "labelwise._engine")]
pub(crate) struct Part(Mutex<Kernel>);

#[pymethods]
impl Part {
    /// An empty part.
    #[new]
    fn new(py: Python<'_>, work: &[u8]) -> PyResult<Self> {
        detached(py, &Raised::default(), || Ok(Self(Mutex::new(Kernel::new(work)?))))
    }

    /// Adds the rows of a record batch or of a table.
    fn add(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        if arrow::is_stream(batch)? {
            let stream = arrow::stream("batch", batch)?;
            for batch in stream {
                let batch = batch
                    .map_err(|error| Error::Argument(format!("batch: its Arrow stream failed: {error}")))?;
                detached(py, &Raised::default(), || self.add_batch(&batch))?;
            }
            return Ok(());
        }
        let batch = batch_of(batch)?;
        detached(py, &Raised::default(), || self.add_batch(&batch))
    }

    /// The sketch as bytes.
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.0.lock().map_err(|_| poisoned())?.to_bytes();
        Ok(PyBytes::new(py, &bytes))
    }
}

impl Part {
    fn add_batch(&self, batch: &RecordBatch) -> Outcome<()> {
        let mut kernel = self.0.lock().map_err(|_| poisoned())?;
        let read = |rows: std::ops::Range<usize>, reading: &Reading| {
            let some = batch.slice(rows.start, rows.len());
            PoolTable::from_batches("batch", some.schema(), [Ok(some)], reading)
        };
        let reading = kernel.reading().clone();
        // A row without an id has no name.
        let id = |row: usize| {
            let one = batch.slice(row, 1);
            let ids = PoolTable::ids_of("batch", one.schema(), [Ok(one)], &reading);
            ids.ok().and_then(|ids| ids.get(0)).unwrap_or_default()
        };
        Ok(kernel.add_rows(batch.num_rows(), &read, &id)?)
    }
}

/// The sketches of several parts as one.
#[pyfunction]
pub(crate) fn merge<'py>(py: Python<'py>, parts: Vec<Bound<'py, PyBytes>>) -> PyResult<Bound<'py, PyBytes>> {
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    let merged = detached(py, &Raised::default(), || {
        Kernel::merge(parts.iter().copied()).map_err(|error: StudyError| error.into())
    })?;
    Ok(PyBytes::new(py, &merged))
}

/// A schema, or the names of columns: ids are texts then, and everything else is numbers.
fn schema_of(object: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    if object.hasattr("__arrow_c_schema__")? {
        let capsule = object.call_method0("__arrow_c_schema__")?.cast_into::<PyCapsule>()?;
        let schema = schema_in(&capsule)?;
        return Ok(Arc::new(schema));
    }
    let names: Vec<String> = object.extract()?;
    let field = |name: &String| Field::new(name, DataType::Float64, true);
    Ok(Arc::new(Schema::new(names.iter().map(field).collect::<Vec<_>>())))
}

fn schema_in(capsule: &Bound<'_, PyCapsule>) -> PyResult<Schema> {
    let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    #[allow(unsafe_code, reason = "a capsule of this name holds a schema, which is read")]
    // SAFETY: by the PyCapsule interface of Arrow, a capsule of this name points to an initialised schema, which lives as long
    // as the capsule.
    let schema = unsafe { pointer.as_ref() };
    let schema = Schema::try_from(schema);
    Ok(schema.map_err(|error| Error::Argument(format!("the schema cannot be read: {error}")))?)
}

/// A record batch by Arrow's C interface.
fn batch_of(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    if !object.hasattr("__arrow_c_array__")? {
        let sentence =
            "add wants a record batch of pyarrow, or anything with __arrow_c_array__ or __arrow_c_stream__";
        return Err(Error::Argument(sentence.to_owned()).into());
    }
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
        object.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    #[allow(
        unsafe_code,
        reason = "capsules of these names hold a schema and an array, which is moved out of its capsule"
    )]
    // SAFETY: by the PyCapsule interface of Arrow, capsules of these names point to an initialised schema and array. The array
    // is moved out and marked as released, so that the capsule does not release it too; the schema is only read.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(|error| Error::Argument(format!("the record batch cannot be read: {error}")))?;
    Ok(RecordBatch::from(StructArray::from(data)))
}
