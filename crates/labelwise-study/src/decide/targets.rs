//! Draws for metrics that are not averages, or for several metrics at once.

use labelwise::acquisition::{Decided, ForMetrics, SamplingTarget};
use labelwise::loss::Loss;
use labelwise::metric::{Gap, MeanLoss, ValueMetric};
use labelwise::surrogate::Schedule;
use labelwise::{Classification, Regression, Task};

use crate::error::{ChoiceError, MetricError, Result};
use crate::questions::classes::Classes;
use crate::spec::measurable::{Measurable, Score, ScoreName};
use crate::spec::metric::{LossName, Metric};
use crate::spec::names::AcquisitionName;
use crate::spec::settings::{Settings, Times};
use crate::spec::subject::Subject;
use crate::task::StudyTask;

/// Labels between two computations of scores for metrics that are not averages.
const LOOK_EVERY: usize = 50;

/// A task whose metrics can be drawn for.
pub(crate) trait Aimed: Task {
    /// The influence that draws for a metric use.
    fn aims(score: &Score, settings: &Settings) -> Result<Vec<Box<dyn SamplingTarget<Self>>>>;
}

impl Aimed for Classification {
    fn aims(score: &Score, settings: &Settings) -> Result<Vec<Box<dyn SamplingTarget<Self>>>> {
        let Subject::Classes { names } = &settings.subject else {
            return Err(MetricError::score(score, &settings.subject).into());
        };
        if score.score == ScoreName::Calibration {
            return Ok(vec![Box::new(Gap)]);
        }
        let metrics = Classes::all(names).metrics(score, settings.positive.as_deref())?;
        let decision = settings.decision();
        let target = |metric| -> Box<dyn SamplingTarget<Self>> { Box::new(Decided { metric, decision }) };
        Ok(metrics.into_iter().map(|(metric, _)| target(metric)).collect())
    }
}

impl Aimed for Regression {
    fn aims(score: &Score, settings: &Settings) -> Result<Vec<Box<dyn SamplingTarget<Self>>>> {
        match score.score {
            ScoreName::RootMeanSquaredError => Ok(vec![Box::new(ValueMetric::RootMeanSquaredError)]),
            ScoreName::RSquared => Ok(vec![Box::new(ValueMetric::RSquared)]),
            // Its proposal is that of the loss.
            ScoreName::WeightedKappa => Ok(Vec::new()),
            _ => Err(MetricError::score(score, &settings.subject).into()),
        }
    }
}

/// The acquisition for all metrics that draws are made for.
pub(crate) fn for_metrics<T: StudyTask>(settings: &Settings) -> Result<ForMetrics<T>> {
    let mut aims: Vec<Box<dyn SamplingTarget<T>>> = Vec::new();
    let loss = |metric: &Metric| -> Result<Box<dyn SamplingTarget<T>>> {
        let loss: Box<dyn Loss<T>> =
            T::loss(metric.loss, settings).ok_or_else(|| ChoiceError::metric(metric.loss, settings))?;
        Ok(Box::new(MeanLoss(loss)))
    };
    for aim in &settings.aims {
        match aim {
            Measurable::Loss(metric) => aims.push(loss(metric)?),
            Measurable::Score(score) => aims.extend(T::aims(score, settings)?),
        }
    }
    let mut aims = aims.into_iter();
    let first = match aims.next() {
        Some(first) => first,
        None => loss(&settings.metric)?,
    };
    // The study decides when scores are recomputed.
    let first = ForMetrics::new(first).refreshed(Schedule::Never);
    Ok(aims.fold(first, ForMetrics::and))
}

/// The metrics that draws are made for, and what follows from them.
pub(crate) struct MadeFor {
    /// The loss that is recorded.
    pub(crate) metric: Option<Metric>,
    /// All metrics, if there are others than that loss.
    pub(crate) aims: Vec<Measurable>,
    /// The acquisition, if it follows from the metrics.
    pub(crate) acquisition: Option<AcquisitionName>,
    /// When scores are recomputed, if it follows from the metrics.
    pub(crate) rescore: Option<Times>,
}

impl MadeFor {
    /// From a list of metrics, which must fit the predictions.
    pub(crate) fn new(
        wished: &[Measurable],
        positive: Option<&str>,
        subject: &Subject,
        judged: bool,
        decisions: &mut Vec<String>,
    ) -> Result<Self> {
        let mut losses = wished.iter().filter_map(|metric| match metric {
            Measurable::Loss(metric) => Some(metric.clone()),
            Measurable::Score(_) => None,
        });
        let scores: Vec<&Score> = wished.iter().filter_map(Measurable::score).collect();
        let mut assumed = None;
        for score in &scores {
            if !score.score.fits(subject) {
                return Err(MetricError::score(score, subject).into());
            }
            if let Subject::Classes { names } = subject {
                let mut classes = Classes::all(names);
                let found = classes.metrics(score, positive)?;
                if let (None, true, Some((_, Some(class)))) =
                    (positive, score.score.needs_positive(), found.first())
                {
                    assumed = Some(classes.name(*class));
                }
            }
        }
        if let Some(class) = assumed {
            decisions.push(format!("positive class: {class}, because of its name"));
        }
        let first = losses.next();
        if wished.is_empty() || (scores.is_empty() && wished.len() == 1) {
            return Ok(Self { metric: first, aims: Vec::new(), acquisition: None, rescore: None });
        }
        let metric = first.unwrap_or_else(|| {
            Metric::plain(if judged {
                if positive.is_some() { LossName::Rate } else { LossName::Value }
            } else if *subject == Subject::Values {
                LossName::SquaredError
            } else {
                LossName::ZeroOne
            })
        });
        let roots = scores.iter().all(|score| score.score == ScoreName::RootMeanSquaredError);
        let alone = roots && wished.len() == 1;
        let (acquisition, rescore) = if *subject == Subject::Hard {
            decisions.push(format!(
                "items are drawn for the {} loss, because predictions without probabilities do not say which class an \
                 error would be",
                metric.loss
            ));
            (None, None)
        } else if judged {
            decisions
                .push(format!("items are drawn for {}; the other metrics use the same labels", metric.name));
            (None, None)
        } else if alone {
            (None, None)
        } else {
            (Some(AcquisitionName::Metrics), Some(Times::Every(LOOK_EVERY)))
        };
        Ok(Self { metric: Some(metric), aims: wished.to_vec(), acquisition, rescore })
    }
}
