//! NumPy arrays as tables of the core, where they lie.

use labelwise::Matrix;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::{Error, Outcome};

/// The numbers of an array, which lives for as long as this does.
struct Lent<T> {
    numbers: *const T,
    count: usize,
    /// Whose numbers they are; held, never looked at.
    _array: Py<PyArray2<T>>,
}

#[allow(unsafe_code, reason = "an array of Python is read where it lies, from any thread, while it is held")]
// SAFETY: the memory is only read, stays where it is for as long as the array is held, and belongs to no thread. NumPy
// refuses to resize an array that somebody else holds.
unsafe impl<T: Sync> Send for Lent<T> {}

#[allow(unsafe_code, reason = "an array of Python is read where it lies, from any thread, while it is held")]
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T> AsRef<[T]> for Lent<T> {
    #[allow(
        unsafe_code,
        reason = "an array of Python is read where it lies, from any thread, while it is held"
    )]
    fn as_ref(&self) -> &[T] {
        // SAFETY: pointer and count are those of a contiguous array that is held; see `lend`.
        unsafe { std::slice::from_raw_parts(self.numbers, self.count) }
    }
}

fn lend<T: Element>(name: &str, array: &Bound<'_, PyArray2<T>>) -> Outcome<Lent<T>> {
    let readable =
        array.try_readonly().map_err(|_| Error::Argument(format!("{name} is being written to")))?;
    let slice = readable
        .as_slice()
        .map_err(|_| Error::Argument(format!("{name} must lie in memory row after row: copy it first")))?;
    Ok(Lent { numbers: slice.as_ptr(), count: slice.len(), _array: array.clone().unbind() })
}

/// A table of an array of f32 or f64 with two dimensions, without a copy.
pub(crate) fn table(name: &str, array: &Bound<'_, PyAny>) -> Outcome<Matrix> {
    if let Ok(array) = array.cast::<PyArray2<f64>>() {
        let columns = array.shape().get(1).copied().unwrap_or(0);
        return Ok(Matrix::f64(lend(name, array)?, columns)?);
    }
    if let Ok(array) = array.cast::<PyArray2<f32>>() {
        let columns = array.shape().get(1).copied().unwrap_or(0);
        return Ok(Matrix::f32(lend(name, array)?, columns)?);
    }
    let kind = array.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
    Err(Error::Argument(format!("{name} must be an array of f32 or f64 with two dimensions, not {kind}")))
}

/// A column of numbers.
pub(crate) fn numbers(name: &str, array: &Bound<'_, PyAny>) -> Outcome<Vec<f64>> {
    let array = array
        .cast::<PyArray1<f64>>()
        .map_err(|_| Error::Argument(format!("{name} must be an array of f64 with one dimension")))?;
    Ok(array.readonly().as_array().to_vec())
}

/// A table as an array of Python, in the precision it has.
pub(crate) fn lent<'py>(py: Python<'py>, table: &Matrix) -> PyResult<Bound<'py, PyAny>> {
    let shape = [table.rows(), table.columns()];
    if let Some(singles) = table.singles() {
        return Ok(PyArray1::from_slice(py, singles).reshape(shape)?.into_any());
    }
    let mut reader = table.reader();
    let values = reader.rows(0..table.rows()).values();
    Ok(PyArray1::from_slice(py, values).reshape(shape)?.into_any())
}
