//! Pools of Python: files, tables of other libraries and arrays, as a pool table and back.

use std::path::PathBuf;

use labelwise_study::{
    ClassNumbers, Column, ColumnNames, Examination, Features, Format, Ids, JudgeColumn, JudgedColumns,
    Labels, Notation, PoolTable, Predictions, Reading,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Error, Outcome, Raised, detached};
use crate::{arrays, arrow};

/// Which columns of a pool are what.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    pub(crate) format: Option<String>,
    pub(crate) probabilities: Option<String>,
    pub(crate) probability: Option<String>,
    pub(crate) classes: Option<[String; 2]>,
    pub(crate) percent: bool,
    pub(crate) normalise: bool,
    pub(crate) logits: Option<String>,
    pub(crate) mean: Option<String>,
    pub(crate) variance: Option<String>,
    pub(crate) std: Option<String>,
    pub(crate) hard: Option<String>,
    pub(crate) scores: Option<String>,
    pub(crate) ids: Option<String>,
    pub(crate) features: Vec<String>,
    pub(crate) carry: Vec<String>,
    pub(crate) surrogate: Vec<String>,
    pub(crate) labels: Option<String>,
    pub(crate) judge: Vec<String>,
    pub(crate) history: Vec<String>,
    pub(crate) filter: Option<String>,
    pub(crate) epoch: Option<u64>,
    pub(crate) single: bool,
}

impl Columns {
    /// What is to be read.
    pub(crate) fn reading(&self) -> Outcome<Reading> {
        Ok(Reading::from(self.names()?))
    }

    /// The columns by their names.
    pub(crate) fn names(&self) -> Outcome<ColumnNames> {
        let format = |name: &String| {
            name.parse().map_err(|_| {
                let known: Vec<&str> = Format::ALL.map(Format::name).to_vec();
                Error::Argument(format!("format is {name:?}, but must be one of {}", known.join(", ")))
            })
        };
        let given = self.clone();
        Ok(ColumnNames {
            format: self.format.as_ref().map(format).transpose()?,
            probabilities: given.probabilities,
            probability: given.probability,
            classes: given.classes,
            notation: self.notation(),
            logits: given.logits,
            mean: given.mean,
            variance: given.variance,
            deviation: given.std,
            hard: given.hard,
            scores: given.scores,
            surrogate: given.surrogate,
            ids: given.ids,
            labels: given.labels,
            features: given.features,
            carry: given.carry,
            judges: given.judge,
            history: given.history,
            filter: given.filter,
            epoch: given.epoch,
            single: given.single,
        })
    }

    /// How probabilities are written, in files and in arrays.
    pub(crate) fn notation(&self) -> Notation {
        Notation { percent: self.percent, normalise: self.normalise }
    }
}

/// The predictions of a model: a file, a table of another library, or arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PoolOptions<'py> {
    pub(crate) source: Option<Bound<'py, PyAny>>,
    pub(crate) columns: Columns,
    pub(crate) probabilities: Option<Bound<'py, PyAny>>,
    pub(crate) logits: Option<Bound<'py, PyAny>>,
    pub(crate) mean: Option<Bound<'py, PyAny>>,
    pub(crate) variance: Option<Bound<'py, PyAny>>,
    pub(crate) std: Option<Bound<'py, PyAny>>,
    pub(crate) classes: Option<Vec<String>>,
    pub(crate) ids: Option<Vec<String>>,
    pub(crate) carry: Vec<(String, Vec<String>)>,
    pub(crate) features: Option<Bound<'py, PyAny>>,
    /// Judges and other models: names, and what they say of each item as texts.
    pub(crate) judges: Vec<(String, Vec<String>)>,
    pub(crate) history: Vec<(String, Vec<String>)>,
}

impl PoolOptions<'_> {
    /// The pool. Passthrough columns, ids and features that are given apart belong to its rows in order.
    pub(crate) fn table(&self, py: Python<'_>) -> PyResult<PoolTable> {
        let mut table = match &self.source {
            Some(source) => self.read(py, source)?,
            None => self.arrays()?,
        };
        let size = table.rows();
        let fits = |name: &str, values: usize| match values == size {
            true => Ok(()),
            false => {
                Err(Error::Argument(format!("{name} has {values} rows, but needs {size}, one per item")))
            }
        };
        if let Some(ids) = &self.ids {
            fits("ids", ids.len())?;
            table.ids = Ids::Column(Column::Texts(ids.iter().map(String::as_str).collect()));
        }
        for (name, texts) in &self.carry {
            fits(&format!("carry[{name:?}]"), texts.len())?;
            let column = Column::Texts(texts.iter().map(String::as_str).collect());
            table.carried.push((name.clone(), column));
        }
        if let Some(features) = &self.features {
            let rows = arrays::table("features", features)?;
            fits("features", rows.rows())?;
            table.features = Some(Features { names: vec!["features".to_owned()], rows });
        }
        Ok(table)
    }

    fn read(&self, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<PoolTable> {
        let mut reading = self.columns.reading()?;
        if self.columns.carry.is_empty() {
            reading = reading.carry_texts();
        }
        if arrow::is_stream(source)? {
            let stream = arrow::stream("pool", source)?;
            return Ok(PoolTable::from_batches("(table)", stream.schema.clone(), stream, &reading)
                .map_err(Error::from)?);
        }
        let path: PathBuf = source.extract()?;
        detached(py, &Raised::default(), || Ok(PoolTable::open(path, &reading)?))
    }

    /// A pool of judges and histories.
    fn judged(&self) -> Outcome<PoolTable> {
        let column = |texts: &[String]| Column::Texts(texts.iter().map(String::as_str).collect());
        let all = || self.judges.iter().chain(&self.history);
        let size = all().next().map_or(0, |(_, texts)| texts.len());
        if let Some((name, texts)) = all().find(|(_, texts)| texts.len() != size) {
            let rows = texts.len();
            return Err(Error::Argument(format!("{name} has {rows} rows, but needs {size}, one per item")));
        }
        let judge = |(name, texts): &(String, Vec<String>)| JudgeColumn {
            name: name.clone(),
            orders: vec![column(texts)],
        };
        let history = self.history.iter().map(|(name, texts)| (name.clone(), column(texts)));
        let judged = JudgedColumns {
            judges: self.judges.iter().map(judge).collect(),
            history: history.collect(),
            labels: None,
            second: None,
        };
        let mut table = PoolTable::new(Predictions::Scores(vec![0.0; size]));
        table.judged = Some(judged);
        Ok(table)
    }

    fn arrays(&self) -> Outcome<PoolTable> {
        if !self.judges.is_empty() || !self.history.is_empty() {
            return self.judged();
        }
        let classes = [
            ("probabilities", &self.probabilities, ClassNumbers::Probabilities),
            ("logits", &self.logits, ClassNumbers::Logits),
        ];
        for (name, given, numbers) in classes {
            if let Some(given) = given {
                let rows = arrays::table(name, given)?;
                let names = self.classes.clone();
                return Ok(PoolTable::of_classes(&rows, names, numbers, self.columns.notation())?);
            }
        }
        let Some(means) = &self.mean else {
            return Err(Error::Argument("give probabilities, mean or pool".to_owned()));
        };
        let means = arrays::numbers("mean", means)?;
        let variances = match (&self.variance, &self.std) {
            (Some(variances), _) => Some(arrays::numbers("variance", variances)?),
            (None, Some(deviations)) => Some(squares(arrays::numbers("std", deviations)?)?),
            (None, None) => None,
        };
        Ok(PoolTable::new(Predictions::Values { means, variances }))
    }
}

/// Variances of standard deviations.
fn squares(deviations: Vec<f64>) -> Outcome<Vec<f64>> {
    let fits = |value: f64| value.is_finite() && value >= 0.0;
    if let Some((place, value)) = deviations.iter().enumerate().find(|(_, value)| !fits(**value)) {
        return Err(Error::Argument(format!("std[{place}] is {value}, but must be finite and not negative")));
    }
    Ok(deviations.into_iter().map(|deviation| deviation * deviation).collect())
}

/// What is in a file, and which command comes next, as JSON.
#[pyfunction]
pub(crate) fn doctor(py: Python<'_>, path: PathBuf, columns: Columns) -> PyResult<String> {
    detached(py, &Raised::default(), || {
        let found = Examination::of(path, &columns.reading()?)?;
        serde_json::to_string(&found).map_err(|error| Error::Other(error.to_string()))
    })
}

/// The columns of a pool file as arrays.
#[pyfunction]
pub(crate) fn read_pool<'py>(
    py: Python<'py>,
    path: PathBuf,
    columns: Columns,
) -> PyResult<Bound<'py, PyDict>> {
    let table = detached(py, &Raised::default(), || Ok(PoolTable::open(path, &columns.reading()?)?))?;
    let dict = PyDict::new(py);
    for name in ["classes", "probabilities", "mean", "variance", "predicted", "scores", "labels", "features"]
    {
        dict.set_item(name, py.None())?;
    }
    let ids: Option<Vec<String>> = match &table.ids {
        Ids::Column(_) => (0..table.rows()).map(|row| table.ids.get(row)).collect(),
        _ => None,
    };
    dict.set_item("ids", ids)?;
    match &table.predictions {
        Predictions::Classes { names, rows } => {
            dict.set_item("classes", names)?;
            dict.set_item("probabilities", arrays::lent(py, rows)?)?;
        }
        Predictions::Values { means, variances } => {
            dict.set_item("mean", PyArray1::from_slice(py, means))?;
            if let Some(variances) = variances {
                dict.set_item("variance", PyArray1::from_slice(py, variances))?;
            }
        }
        Predictions::Hard { names, classes } => {
            dict.set_item("classes", names)?;
            dict.set_item(
                "predicted",
                PyArray1::from_iter(py, classes.iter().map(|&class| i64::from(class))),
            )?;
        }
        Predictions::Scores(scores) => dict.set_item("scores", PyArray1::from_slice(py, scores))?,
    }
    match &table.labels {
        Some(Labels::Classes(labels)) => {
            dict.set_item("labels", PyArray1::from_iter(py, labels.iter().map(|&label| i64::from(label))))?;
        }
        Some(Labels::Values(labels)) => dict.set_item("labels", PyArray1::from_slice(py, labels))?,
        _ => {}
    }
    if let Some(features) = &table.features {
        dict.set_item("features", arrays::lent(py, &features.rows)?)?;
    }
    Ok(dict)
}
