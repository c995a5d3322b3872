//! An evaluation in memory from what Python gives: predictions, a loss, a surrogate and options.

use labelwise::acquisition::{Acquisition, ForMetrics, MutualInformation, SamplingTarget};
use labelwise::evaluation::Builder;
use labelwise::loss::Loss;
use labelwise::metric::{ClassMetric, Gap, MeanLoss, ValueMetric};
use labelwise::surrogate::{Data, Surrogate};
use labelwise::{Classification, Evaluation, Matrix, Pool, Regression, Seed, Task};
use labelwise_study::{LossName, Measurable, Metric, Score, ScoreName};
use pyo3::prelude::*;

use crate::arrays;
use crate::error::{Error, Outcome, Raised};
use crate::estimates::{class_metrics, unfit};
use crate::losses::{self, PerClass};
use crate::names::{self, When};
use crate::surrogates::{self, Believed, Taught};

/// Everything that Python says of an evaluation; arrays are of the right kind already.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options<'py> {
    /// One row an item.
    predictions: Bound<'py, PyAny>,
    /// A loss or metric, by name; several are drawn for together.
    aims: Vec<String>,
    /// A loss for every item and class.
    per_class: Option<Bound<'py, PyAny>>,
    /// Costs of decisions.
    costs: Option<Bound<'py, PyAny>>,
    /// A function of prediction and label.
    function: Option<Py<PyAny>>,
    /// Whether a loss of the user's own may be negative.
    signed: bool,
    /// What labels lie between, or a function's values.
    range: Option<(f64, f64)>,
    positive: Option<usize>,
    features: Option<Bound<'py, PyAny>>,
    train: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    surrogate: String,
    members: Vec<Bound<'py, PyAny>>,
    /// What an object of Python believes.
    beliefs: Option<Py<PyAny>>,
    retrain: Option<When>,
    acquisition: Option<String>,
    floor: (String, f64),
    rescore: Option<When>,
    on_bad_score: String,
    known: Vec<(usize, f64)>,
    seed: u64,
}

/// An evaluation that runs, and what is shown of it.
pub(crate) struct Running<T: Task> {
    pub(crate) evaluation: Evaluation<T>,
    /// The model's own predictions, which are not those of the evaluation if losses are given item by item.
    pub(crate) pool: Pool<T>,
    /// What the draws are made for.
    pub(crate) aims: Vec<Measurable>,
    /// What its own loss is called and how it is shown; none for a loss of the user's own.
    pub(crate) own: Option<Metric>,
    /// What labels lie between.
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) positive: Option<usize>,
}

/// What can be built away from Python.
pub(crate) struct Ready<T: Task> {
    builder: Builder<T>,
    pool: Pool<T>,
    aims: Vec<Measurable>,
    own: Option<Metric>,
    range: Option<(f64, f64)>,
    positive: Option<usize>,
}

impl<T: Task> Ready<T> {
    /// Checks everything, fits the surrogate for the first time, and makes the first proposal: the long part.
    pub(crate) fn build(self) -> Outcome<Running<T>> {
        let Self { builder, pool, aims, own, range, positive } = self;
        Ok(Running { evaluation: builder.build()?, pool, aims, own, range, positive })
    }
}

/// The loss of names: the first that is a mean, or what stands for metrics that are none.
fn own(aims: &[Measurable], otherwise: LossName) -> Metric {
    let loss = aims.iter().find_map(Measurable::loss);
    loss.cloned().unwrap_or_else(|| Metric::plain(otherwise))
}

/// Names of metrics.
pub(crate) fn measurables(names: &[String]) -> Outcome<Vec<Measurable>> {
    let parse = |name: &String| {
        name.parse()
            .map_err(|error: labelwise_study::UnknownMeasurable| Error::Argument(format!("loss: {error}")))
    };
    names.iter().map(parse).collect()
}

/// Whether draws are made for the mean of one loss.
fn is_plain(aims: &[Measurable]) -> bool {
    matches!(aims, [] | [Measurable::Loss(_)])
        || matches!(aims, [Measurable::Score(score)] if score.score == ScoreName::RootMeanSquaredError)
}

impl Options<'_> {
    /// A classifier.
    pub(crate) fn classes(&self, raised: &Raised) -> Outcome<Ready<Classification>> {
        let pool = Pool::classification(arrays::table("probabilities", &self.predictions)?)?;
        let pool = self.with_features(pool)?;
        let classes = pool.predictions().columns();
        let aims = measurables(&self.aims)?;
        let mut coded = None;
        let (loss, own): (Box<dyn Loss<Classification>>, _) = if let Some(losses) = &self.per_class {
            let losses = arrays::table("loss", losses)?;
            if (losses.rows(), losses.columns()) != (pool.pool_size(), classes) {
                return Err(Error::Argument(format!(
                    "loss: an array of losses needs {} rows and {classes} columns, not {} and {}",
                    pool.pool_size(),
                    losses.rows(),
                    losses.columns()
                )));
            }
            let codes = Pool::classification(losses::codes(pool.pool_size(), classes)?)?;
            coded = Some(self.with_features(codes)?);
            (Box::new(PerClass::new(losses, self.signed)?), None)
        } else if let Some(costs) = &self.costs {
            (losses::of_costs(&arrays::table("loss", costs)?)?, None)
        } else {
            let metric = own(&aims, if aims.is_empty() { LossName::CrossEntropy } else { LossName::ZeroOne });
            (losses::of_classes(metric.loss)?, Some(metric))
        };
        let train = match &self.train {
            Some((features, labels)) => {
                let labels = arrays::counts("train labels", labels)?;
                if let Some(row) = labels.iter().position(|&label| label >= classes) {
                    let label = labels.get(row).copied().unwrap_or_default();
                    return Err(Error::Argument(format!(
                        "train: label {label} of row {row} is not one of the {classes} classes"
                    )));
                }
                Some(Data::new(arrays::table("train features", features)?, labels)?)
            }
            None => None,
        };
        let surrogate = self.believed(&pool, train, raised)?;
        let positive = self.positive;
        let aimed = |score: &Score| -> Outcome<Vec<Box<dyn SamplingTarget<Classification>>>> {
            if score.score == ScoreName::Calibration {
                return Ok(vec![Box::new(Gap)]);
            }
            let metrics = class_metrics(score, classes, positive)?.into_iter();
            Ok(metrics
                .map(|metric: ClassMetric| -> Box<dyn SamplingTarget<Classification>> { Box::new(metric) })
                .collect())
        };
        let mean = |metric: &Metric| -> Outcome<Box<dyn SamplingTarget<Classification>>> {
            Ok(Box::new(MeanLoss(losses::of_classes(metric.loss)?)))
        };
        let drawn = coded.unwrap_or_else(|| pool.clone());
        let builder = Evaluation::builder(drawn, loss, surrogate);
        let builder = self.chosen(builder, &aims, aimed, mean)?;
        Ok(Ready { builder, pool, aims, own, range: None, positive })
    }

    /// A regression.
    pub(crate) fn values(&self, raised: &Raised) -> Outcome<Ready<Regression>> {
        let pool = Pool::regression(arrays::table("mean", &self.predictions)?)?;
        let pool = self.with_features(pool)?;
        let variances = pool.predictions().columns() > 1;
        let aims = measurables(&self.aims)?;
        let (loss, own) = if let Some(function) = &self.function {
            let function = Python::attach(|py| function.clone_ref(py));
            (losses::of_function(function, variances, self.signed, self.range, raised)?, None)
        } else {
            let metric = own(&aims, LossName::SquaredError);
            (losses::of_values(metric.loss, variances, self.range)?, Some(metric))
        };
        let train = match &self.train {
            Some((features, labels)) => {
                let labels = arrays::numbers("train labels", labels)?;
                Some(Data::new(arrays::table("train features", features)?, labels)?)
            }
            None => None,
        };
        let surrogate = self.believed(&pool, train, raised)?;
        let aimed = |score: &Score| -> Outcome<Vec<Box<dyn SamplingTarget<Regression>>>> {
            match score.score {
                ScoreName::RootMeanSquaredError => Ok(vec![Box::new(ValueMetric::RootMeanSquaredError)]),
                ScoreName::RSquared => Ok(vec![Box::new(ValueMetric::RSquared)]),
                _ => Err(unfit(score, "mean")),
            }
        };
        let mean = |metric: &Metric| -> Outcome<Box<dyn SamplingTarget<Regression>>> {
            Ok(Box::new(MeanLoss(losses::of_values(metric.loss, variances, self.range)?)))
        };
        let builder = Evaluation::builder(pool.clone(), loss, surrogate);
        let range = self.range.filter(|_| self.function.is_none());
        let positive = self.positive;
        let builder = self.chosen(builder, &aims, aimed, mean)?;
        Ok(Ready { builder, pool, aims, own, range, positive })
    }

    fn with_features<T: Task>(&self, pool: Pool<T>) -> Outcome<Pool<T>> {
        match &self.features {
            Some(features) => Ok(pool.with_features(arrays::table("features", features)?)?),
            None => Ok(pool),
        }
    }

    fn believed<T: Believed>(
        &self,
        pool: &Pool<T>,
        train: Option<Data<T>>,
        raised: &Raised,
    ) -> Outcome<Box<dyn Surrogate<T>>> {
        let schedule = When::schedule(self.retrain.clone());
        if let Some(beliefs) = &self.beliefs {
            let beliefs = Python::attach(|py| beliefs.clone_ref(py));
            return Ok(Box::new(Taught::new(beliefs, schedule, raised)));
        }
        if !self.members.is_empty() {
            let members: Outcome<Vec<Matrix>> =
                self.members.iter().map(|member| arrays::table("surrogate", member)).collect();
            return Ok(surrogates::fixed(T::given(members?, pool)?));
        }
        match names::plain(&self.surrogate).as_str() {
            "own" | "self" => Ok(surrogates::fixed(pool.own_beliefs()?)),
            "none" => Ok(surrogates::fixed(T::nothing(pool)?)),
            name => surrogates::learner(name, pool, train, schedule),
        }
    }

    fn chosen<T: Task>(
        &self,
        builder: Builder<T>,
        aims: &[Measurable],
        aimed: impl Fn(&Score) -> Outcome<Vec<Box<dyn SamplingTarget<T>>>>,
        mean: impl Fn(&Metric) -> Outcome<Box<dyn SamplingTarget<T>>>,
    ) -> Outcome<Builder<T>>
    where
        MutualInformation: Acquisition<T>,
    {
        let (kind, value) = &self.floor;
        let builder = builder
            .floor(names::floor(kind, *value)?)
            .on_bad_score(names::on_bad_score(&self.on_bad_score)?)
            .rescore(When::schedule(self.rescore.clone()))
            .known(self.known.iter().copied())
            .seed(Seed(self.seed));
        if let Some(name) = &self.acquisition {
            return names::scored_by(builder, name);
        }
        if is_plain(aims) {
            return Ok(builder);
        }
        let mut all: Vec<Box<dyn SamplingTarget<T>>> = Vec::new();
        for aim in aims {
            match aim {
                Measurable::Loss(metric) => all.push(mean(metric)?),
                Measurable::Score(score) => all.extend(aimed(score)?),
            }
        }
        let mut all = all.into_iter();
        Ok(match all.next() {
            Some(first) => builder.acquisition(all.fold(ForMetrics::new(first), ForMetrics::and)),
            None => builder,
        })
    }
}
