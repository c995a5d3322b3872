//! A new evaluation from what Python says: the pool, and what is chosen.

use std::path::PathBuf;
use std::sync::Arc;

use labelwise::surrogate::JudgePrior;
use labelwise::{Classification, Regression};
use labelwise_study::{
    BadScores, Choices, Column, DesignName, DesignWish, Features, FloorChoice, Measurable, Named, PoolTable,
    Predictions, Supplied, SuppliedLoss, SuppliedSurrogate, Times, Unmatched,
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::error::{Error, Outcome, Raised, detached};
use crate::labels::label_texts;
use crate::pool::PoolOptions;
use crate::surrogate::Taught;
use crate::{arrays, losses};

/// When something happens, counted in labels.
#[derive(FromPyObject, Clone)]
pub(crate) enum When {
    /// After every N labels.
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

/// What is believed of judges, as numbers: means, their precision row after row, and shares of items on which judges say nothing.
pub(crate) type PriorNumbers = (Vec<f64>, Vec<f64>, [f64; 4]);

fn prior((mean, precision, shares): PriorNumbers) -> Outcome<JudgePrior> {
    let broken = || Error::Argument("prior is not that of an evaluation with a judge".to_owned());
    JudgePrior::from_numbers(mean, precision, shares).ok_or_else(broken)
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
    /// What each class is worth.
    worths: Vec<(String, f64)>,
    /// All classes that a label can be, of a pool of judges.
    label_classes: Vec<String>,
    /// The passthrough column of groups that are drawn whole.
    group: Option<String>,
    /// What labels of an earlier batch say of the judges.
    prior: Option<PriorNumbers>,
    positive: Option<String>,
    threshold: Option<f64>,
    cap: Option<f64>,
    surrogate: Option<String>,
    members: Vec<Bound<'py, PyAny>>,
    surrogate_files: Vec<PathBuf>,
    /// An object of Python that learns; `prepare` gives it the classes and asks it for the labels of its own rows.
    learner: Option<Py<PyAny>>,
    train_file: Option<(PathBuf, String)>,
    train_rows: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    retrain: Option<When>,
    /// Labelled items that are not of the pool, as a file and its column of labels.
    calibration_file: Option<(PathBuf, String)>,
    /// The same as arrays: predictions, and their labels.
    calibration_rows: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    recipe: Option<String>,
    belief: Option<String>,
    refresh: Option<When>,
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
                detached(py, &Raised::default(), || beside(models, unmatched))?
            }
        };
        let notation = self.models.first().map(|(_, model)| model.columns.notation()).unwrap_or_default();
        for member in &self.members {
            let rows = arrays::table("surrogate", member)?;
            match &table.predictions {
                Predictions::Classes { .. } | Predictions::Hard { .. } => {
                    table = table.with_beliefs(&rows, notation).map_err(Error::from)?;
                }
                _ => table.surrogates.push(of_columns(&rows)),
            }
        }
        if let Some((_, first)) = self.models.first() {
            let reading = first.columns.reading()?.of_surrogate(None);
            for file in &self.surrogate_files {
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
            worths: self.worths.clone(),
            labels: self.label_classes.clone(),
            group: self.group.clone(),
            prior: self.prior.clone().map(prior).transpose()?,
            positive: self.positive.clone(),
            threshold: self.threshold,
            cap: self.cap,
            // Of a function, it is the values that lie between.
            range: self.range.filter(|_| self.function.is_none()),
            surrogate: named(self.surrogate.as_deref())?,
            retrain: self.retrain.clone().map(Into::into),
            recipe: named(self.recipe.as_deref())?.unwrap_or_default(),
            belief: named(self.belief.as_deref())?,
            refresh: self.refresh.clone().map(Into::into),
            acquisition: named(self.acquisition.as_deref())?,
            floor: self.floor.as_ref().map(|(kind, value)| floor(kind, *value)).transpose()?,
            rescore: self.rescore.clone().map(Into::into),
            seed: self.seed,
            train: self.train(py, table)?,
            calibration: self.calibration(py, table)?,
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
            let reading = first.columns.reading()?.of_training(label, is_values);
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

    /// Labelled items that are not of the pool.
    fn calibration(&self, py: Python<'_>, table: &PoolTable) -> PyResult<Option<PoolTable>> {
        if let (Some((path, label)), Some((_, first))) = (&self.calibration_file, self.models.first()) {
            let reading = first.columns.reading()?.labels(label);
            return Ok(Some(detached(py, &Raised::default(), || Ok(PoolTable::open(path, &reading)?))?));
        }
        let Some((rows, labels)) = &self.calibration_rows else { return Ok(None) };
        let names = table.predictions.classes().unwrap_or_default().to_vec();
        let texts = label_texts(labels, &names)?;
        let rows = arrays::table("calibration", rows)?;
        if rows.columns() != names.len() {
            let sentence = format!(
                "calibration has {} columns, but the pool has {} classes: give one probability per class",
                rows.columns(),
                names.len()
            );
            return Err(Error::Argument(sentence).into());
        }
        let held_out = PoolTable::new(Predictions::Classes { names, rows });
        let labels = Column::Texts(texts.iter().map(String::as_str).collect());
        Ok(Some(held_out.with_labels(&labels).map_err(Error::from)?))
    }

    fn design(&self) -> Outcome<DesignWish> {
        let wish = DesignWish::new(DesignName::named(&self.design)?, self.budget, self.strata);
        Ok(wish.map_err(labelwise_study::Error::from)?)
    }
}

/// Several models on the same items; or two systems whose answers a judge has seen, which each have a label of their own.
fn beside(mut models: Vec<(String, PoolTable)>, unmatched: Unmatched) -> Outcome<PoolTable> {
    if models.iter().all(|(_, table)| table.judged.is_none()) {
        return Ok(PoolTable::beside(models, unmatched)?);
    }
    match (models.pop(), models.pop(), models.pop()) {
        (Some(second), Some(first), None) => Ok(PoolTable::paired(first, second, unmatched)?),
        _ => Err(Error::Argument("a judge is for two systems: compare two of them".to_owned())),
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
