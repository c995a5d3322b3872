//! A new evaluation from what Python says: the pool, and what is chosen.

use std::path::PathBuf;
use std::sync::Arc;

use labelwise::{Classification, Regression};
use labelwise_study::{
    BadScores, Choices, Column, DesignName, DesignWish, Features, FloorChoice, Format, Ids, Measurable,
    Named, PoolTable, Predictions, Reading, Supplied, SuppliedLoss, SuppliedSurrogate, Times, Unmatched,
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::error::{Error, Outcome, Raised, detached};
use crate::labels::label_texts;
use crate::surrogate::Taught;
use crate::{arrays, arrow, losses};

/// Which columns of a pool are what.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    format: Option<String>,
    probabilities: Option<String>,
    logits: Option<String>,
    mean: Option<String>,
    variance: Option<String>,
    hard: Option<String>,
    scores: Option<String>,
    ids: Option<String>,
    features: Vec<String>,
    carry: Vec<String>,
    surrogate: Vec<String>,
    labels: Option<String>,
}

impl Columns {
    /// What is to be read.
    pub(crate) fn reading(&self) -> Outcome<Reading> {
        let mut reading = Reading::new();
        if let Some(name) = &self.format {
            let format: Format = name.parse().map_err(|_| {
                let known: Vec<&str> = Format::ALL.map(Format::name).to_vec();
                Error::Argument(format!("format is {name:?}, but must be one of {}", known.join(", ")))
            })?;
            reading = reading.format(format);
        }
        if let Some(pattern) = &self.probabilities {
            reading = reading.probabilities(pattern);
        }
        if let Some(pattern) = &self.logits {
            reading = reading.logits(pattern);
        }
        if let Some(mean) = &self.mean {
            reading = match &self.variance {
                Some(variance) => reading.mean_and_variance(mean, variance),
                None => reading.mean(mean),
            };
        }
        if let Some(column) = &self.hard {
            reading = reading.hard(column);
        }
        if let Some(column) = &self.scores {
            reading = reading.scores(column);
        }
        if let Some(column) = &self.ids {
            reading = reading.ids(column);
        }
        if let Some(column) = &self.labels {
            reading = reading.labels(column);
        }
        reading = self.features.iter().fold(reading, |reading, pattern| reading.features(pattern));
        reading = self.surrogate.iter().fold(reading, |reading, pattern| reading.surrogate(pattern));
        Ok(self.carry.iter().fold(reading, |reading, column| reading.carry(column)))
    }
}

/// The predictions of a model: a file, a table of another library, or arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PoolOptions<'py> {
    source: Option<Bound<'py, PyAny>>,
    columns: Columns,
    probabilities: Option<Bound<'py, PyAny>>,
    mean: Option<Bound<'py, PyAny>>,
    variance: Option<Bound<'py, PyAny>>,
    classes: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    carry: Vec<(String, Vec<String>)>,
    features: Option<Bound<'py, PyAny>>,
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

    fn arrays(&self) -> Outcome<PoolTable> {
        if let Some(probabilities) = &self.probabilities {
            let rows = arrays::table("probabilities", probabilities)?;
            let names = match &self.classes {
                Some(names) => names.clone(),
                None => (0..rows.columns()).map(|class| class.to_string()).collect(),
            };
            return Ok(PoolTable::new(Predictions::Classes { names, rows }));
        }
        let Some(means) = &self.mean else {
            return Err(Error::Argument("give probabilities, mean or pool".to_owned()));
        };
        let means = arrays::numbers("mean", means)?;
        let variances =
            self.variance.as_ref().map(|variances| arrays::numbers("variance", variances)).transpose()?;
        Ok(PoolTable::new(Predictions::Values { means, variances }))
    }
}

/// When something happens, counted in labels.
#[derive(FromPyObject, Clone)]
pub(crate) enum When {
    /// After every so many.
    Every(usize),
    /// At these numbers; none of them is never.
    At(Vec<usize>),
}

impl From<When> for Times {
    fn from(when: When) -> Self {
        match when {
            When::Every(labels) => Self::Every(labels),
            When::At(labels) if labels.is_empty() => Self::Never,
            When::At(labels) => Self::At(labels),
        }
    }
}

/// How q is kept from zero: a kind and its number.
pub(crate) fn floor(kind: &str, value: f64) -> Outcome<FloorChoice> {
    match kind {
        "mixture" => Ok(FloorChoice::Mixture(value)),
        "clip" => Ok(FloorChoice::Clip(value)),
        "none" => Ok(FloorChoice::Unguarded),
        _ => Err(Error::Argument(format!(
            "floor is {kind:?}, but must be a number (the uniform part), (\"clip\", a number), \"paper\" or None"
        ))),
    }
}

/// A choice by its name, if there is one.
fn named<T: Named>(name: Option<&str>) -> Outcome<Option<T>> {
    Ok(name.map(T::named).transpose()?)
}

/// Names of metrics.
pub(crate) fn measurables(names: &[String]) -> Outcome<Vec<Measurable>> {
    names.iter().map(|name| Ok(name.parse()?)).collect()
}

/// Everything that Python says of a new evaluation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options<'py> {
    /// The model by its name, or the models that are compared.
    models: Vec<(String, PoolOptions<'py>)>,
    /// Whether items that not all models have are left out.
    common: bool,
    aims: Vec<String>,
    /// A loss for every item and class.
    per_class: Option<Bound<'py, PyAny>>,
    /// Costs of decisions.
    costs: Option<Bound<'py, PyAny>>,
    /// A function of prediction and label.
    function: Option<Py<PyAny>>,
    /// Whether a loss of the caller's own may be negative.
    signed: bool,
    /// The classes as a function is given them, if not by their names.
    labels: Option<Vec<Bound<'py, PyAny>>>,
    /// What labels lie between, or a function's values.
    range: Option<(f64, f64)>,
    positive: Option<String>,
    surrogate: Option<String>,
    members: Vec<Bound<'py, PyAny>>,
    surrogate_files: Vec<PathBuf>,
    /// An object of Python that learns; `prepare` gives it the classes and asks it for the labels of its own rows.
    learner: Option<Py<PyAny>>,
    train_file: Option<(PathBuf, String)>,
    train_rows: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    retrain: Option<When>,
    acquisition: Option<String>,
    floor: Option<(String, f64)>,
    rescore: Option<When>,
    on_bad_score: String,
    known: Vec<(usize, f64)>,
    design: String,
    budget: Option<usize>,
    strata: Option<usize>,
    seed: u64,
}

impl Options<'_> {
    /// The pool, with the predictions of surrogates.
    pub(crate) fn table(&self, py: Python<'_>) -> PyResult<PoolTable> {
        let mut models = Vec::with_capacity(self.models.len());
        for (name, model) in &self.models {
            models.push((name.clone(), model.table(py)?));
        }
        let mut table = match models.len() {
            1 => models.remove(0).1,
            _ => {
                let unmatched = if self.common { Unmatched::Dropped } else { Unmatched::Refused };
                detached(py, &Raised::default(), || Ok(PoolTable::beside(models, unmatched)?))?
            }
        };
        for member in &self.members {
            let rows = arrays::table("surrogate", member)?;
            let belief = match &table.predictions {
                Predictions::Classes { names, .. } | Predictions::Hard { names, .. } => {
                    Predictions::Classes { names: names.clone(), rows }
                }
                _ => of_columns(&rows),
            };
            table.surrogates.push(belief);
        }
        if let Some((_, first)) = self.models.first() {
            let columns = &first.columns;
            let (features, carry, surrogate) = (Vec::new(), Vec::new(), Vec::new());
            // Of classes, a surrogate gives probabilities whatever the model gives.
            let own = Columns { format: None, hard: None, features, carry, surrogate, ..columns.clone() };
            for file in &self.surrogate_files {
                let reading = own.reading()?;
                table = detached(py, &Raised::default(), || {
                    Ok(table.with_surrogate(PoolTable::open(file, &reading)?)?)
                })?;
            }
        }
        Ok(table)
    }

    /// What is chosen, of this pool.
    pub(crate) fn choices(
        &self,
        py: Python<'_>,
        table: &PoolTable,
        raised: &Raised,
        at: i64,
    ) -> PyResult<Choices> {
        let loss = self.loss(py, table, raised)?;
        let surrogate = self.taught(py, table, raised)?;
        Ok(Choices {
            aims: measurables(&self.aims)?,
            positive: self.positive.clone(),
            // Of a function, it is the values that lie between.
            range: self.range.filter(|_| self.function.is_none()),
            surrogate: named(self.surrogate.as_deref())?,
            retrain: self.retrain.clone().map(Into::into),
            acquisition: named(self.acquisition.as_deref())?,
            floor: self.floor.as_ref().map(|(kind, value)| floor(kind, *value)).transpose()?,
            rescore: self.rescore.clone().map(Into::into),
            seed: self.seed,
            train: self.train(py, table)?,
            known: self.known.clone(),
            bad_scores: BadScores::named(&self.on_bad_score).map_err(Error::from)?,
            supplied: Supplied { loss, surrogate },
            design: self.design()?,
            at,
            ..Choices::default()
        })
    }

    /// A loss of the caller's own.
    fn loss(&self, py: Python<'_>, table: &PoolTable, raised: &Raised) -> PyResult<Option<SuppliedLoss>> {
        let (names, rows) = match &table.predictions {
            Predictions::Classes { names, rows } => (names, rows),
            predictions if self.per_class.is_some() || self.costs.is_some() => {
                let what =
                    if predictions.classes().is_some() { "without probabilities" } else { "of values" };
                let sentence = format!(
                    "loss: arrays of losses and costs are of classes with probabilities, not of predictions {what}"
                );
                return Err(Error::Argument(sentence).into());
            }
            predictions => {
                let variances = matches!(predictions, Predictions::Values { variances: Some(_), .. });
                let function = self.function.as_ref().map(|function| function.clone_ref(py));
                let made =
                    |function| losses::of_function(function, variances, self.signed, self.range, raised);
                return Ok(function.map(made).transpose()?);
            }
        };
        let shape = (rows.rows(), names.len());
        if let Some(costs) = &self.costs {
            return Ok(Some(losses::of_costs(&arrays::table("loss", costs)?)?));
        }
        let losses = match (&self.per_class, &self.function, &self.labels) {
            (Some(losses), ..) => arrays::table("loss", losses)?,
            (None, Some(function), Some(labels)) => losses::of_every_class(py, function, rows, labels)?,
            (None, Some(function), None) => {
                let labels = names.iter().map(|name| name.into_bound_py_any(py));
                losses::of_every_class(py, function, rows, &labels.collect::<PyResult<Vec<_>>>()?)?
            }
            (None, None, _) => return Ok(None),
        };
        Ok(Some(losses::of_table(losses, shape, self.signed)?))
    }

    /// An object that learns, and the labels of its own rows.
    fn taught(
        &self,
        py: Python<'_>,
        table: &PoolTable,
        raised: &Raised,
    ) -> PyResult<Option<(SuppliedSurrogate, Vec<f64>)>> {
        let Some(learner) = &self.learner else { return Ok(None) };
        let classes = match &table.predictions {
            Predictions::Classes { names, .. } => Some(names.clone()),
            Predictions::Values { .. } => None,
            _ => {
                let sentence =
                    "surrogate: an object that learns needs predictions that are probabilities or values";
                return Err(Error::Argument(sentence.to_owned()).into());
            }
        };
        let is_values = classes.is_none();
        let labels = learner.bind(py).call_method1("prepare", (classes, table.rows()))?;
        let labels = labels.cast::<PyArray1<f64>>().map_err(PyErr::from)?.readonly().as_array().to_vec();
        let (learner, raised) = (Arc::new(learner.clone_ref(py)), raised.clone());
        let surrogate = if is_values {
            SuppliedSurrogate::Values(Arc::new(move || {
                Box::new(Taught::<Regression>::new(learner.clone(), raised.clone()))
            }))
        } else {
            SuppliedSurrogate::Classes(Arc::new(move || {
                Box::new(Taught::<Classification>::new(learner.clone(), raised.clone()))
            }))
        };
        Ok(Some((surrogate, labels)))
    }

    /// Labelled rows for a learner of ours.
    fn train(&self, py: Python<'_>, table: &PoolTable) -> PyResult<Option<PoolTable>> {
        let is_values = matches!(table.predictions, Predictions::Values { .. });
        if let (Some((path, label)), Some((_, first))) = (&self.train_file, self.models.first()) {
            let features = first.columns.features.iter();
            let reading = features.fold(Reading::new(), |reading, pattern| reading.features(pattern));
            let reading = if is_values { reading.mean(label) } else { reading.hard(label) };
            return Ok(Some(detached(py, &Raised::default(), || Ok(PoolTable::open(path, &reading)?))?));
        }
        let Some((features, labels)) = &self.train_rows else { return Ok(None) };
        let texts = label_texts(labels, table.predictions.classes().unwrap_or_default())?;
        let predictions = if is_values {
            let number = |text: &String| {
                let number = text.trim().parse().ok();
                number.ok_or_else(|| Error::Argument(format!("train: the label {text:?} is not a number")))
            };
            let means = texts.iter().map(number).collect::<Outcome<Vec<f64>>>()?;
            Predictions::Values { means, variances: None }
        } else {
            Predictions::hard(texts.iter().map(String::as_str))
        };
        let rows = arrays::table("train", features)?;
        let mut train = PoolTable::new(predictions);
        train.features = Some(Features { names: vec!["features".to_owned()], rows });
        Ok(Some(train))
    }

    fn design(&self) -> Outcome<DesignWish> {
        let wish = DesignWish::new(DesignName::named(&self.design)?, self.budget, self.strata);
        Ok(wish.map_err(labelwise_study::Error::from)?)
    }
}

/// A column of means, and one of variances if there is a second.
fn of_columns(rows: &labelwise::Matrix) -> Predictions {
    let mut reader = rows.reader();
    let mut column = |place: usize| -> Vec<f64> {
        (0..rows.rows()).map(|row| reader.row(row).get(place).copied().unwrap_or(f64::NAN)).collect()
    };
    let means = column(0);
    Predictions::Values { means, variances: (rows.columns() > 1).then(|| column(1)) }
}
