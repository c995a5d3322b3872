//! The choices of a new evaluation, and their defaults.

use labelwise_pool::{Ids, PoolTable, Predictions};

use crate::decide::targets::MadeFor;
use crate::decide::worths::{rate_class, worths};
use crate::decide::zeros;
use crate::error::{ChoiceError, CompareError, DesignError, JudgeError, MetricError, Result};
use crate::judge::plan::JudgedPool;
use crate::spec::decision_threshold::decision;
use crate::spec::design::{Design, DesignWish};
use crate::spec::measurable::Measurable;
use crate::spec::metric::{LossName, Metric};
use crate::spec::names::{AcquisitionName, BadScores, BeliefName, EstimatorName, LearnerName, RecipeName};
use crate::spec::settings::{
    FloorChoice, IdOrigin, PoolOrigin, RivalOrigin, Settings, SurrogateChoice, Times,
};
use crate::spec::subject::Subject;
use crate::spec::supplied::Supplied;

/// Options of a new evaluation. Defaults depend on the pool.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The mean loss to measure.
    pub metric: Option<Metric>,
    /// The metrics to measure, if there are several or one is not an average; then `metric` is `None`.
    pub aims: Vec<Measurable>,
    /// The positive class, for metrics of one class.
    pub positive: Option<String>,
    /// The probability from which on the positive class is predicted, of two classes. Default: the most probable class is
    /// predicted.
    pub threshold: Option<f64>,
    /// The cap of cross-entropy: smaller probabilities count as this one. Default: 1e-15.
    pub cap: Option<f64>,
    /// What each class is worth, for the value of classes.
    pub worths: Vec<(String, f64)>,
    /// All classes that a label can be, for a judge whose column does not name them.
    pub labels: Vec<String>,
    /// The passthrough column of groups, such as a prompt with several samples: whole groups are drawn and labelled.
    pub group: Option<String>,
    /// Smallest and largest possible label, if labels are numbers. Guaranteed intervals need it.
    pub range: Option<(f64, f64)>,
    /// The surrogate.
    pub surrogate: Option<SurrogateWish>,
    /// When the surrogate is retrained.
    pub retrain: Option<Times>,
    /// The choices behind a name; each can be replaced by another one.
    pub recipe: RecipeName,
    /// How the surrogate's beliefs are used.
    pub belief: Option<BeliefName>,
    /// When labels refresh recalibrated beliefs.
    pub refresh: Option<Times>,
    /// How items are scored.
    pub acquisition: Option<AcquisitionName>,
    /// The floor under q.
    pub floor: Option<FloorChoice>,
    /// When scores are recomputed if the surrogate did not change.
    pub rescore: Option<Times>,
    /// The seed of all randomness.
    pub seed: u64,
    /// Labelled rows for a surrogate that learns: features, and labels read as predictions (`Reading::hard` for classes,
    /// `Reading::mean` for values).
    pub train: Option<PoolTable>,
    /// Labelled items that are not of the pool, with predictions as the pool has them: they recalibrate beliefs before the
    /// first draw.
    pub calibration: Option<PoolTable>,
    /// What the labels of an earlier batch say of the judges: see [`Study::successor`](crate::Study::successor).
    pub prior: Option<labelwise::surrogate::JudgePrior>,
    /// Losses that are known without a label, by item.
    pub known: Vec<(usize, f64)>,
    /// The rule for invalid scores.
    pub bad_scores: BadScores,
    /// A custom loss and a custom surrogate, for a study in memory.
    pub supplied: Supplied,
    /// When items are chosen.
    pub design: DesignWish,
    /// The time, in microseconds since 1970, UTC.
    pub at: i64,
}

/// A surrogate by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurrogateWish {
    /// The model's own predictions.
    Own,
    /// The predictions that came with the pool.
    Given,
    /// A learner on the features.
    Learnt(LearnerName),
    /// None: uniform sampling.
    Nothing,
}

/// The settings, and the decisions about options that were not given, as sentences.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub(crate) settings: Settings,
    pub(crate) decisions: Vec<String>,
}

impl Choices {
    pub(crate) fn decide(&self, table: &PoolTable, judged: Option<&JudgedPool>) -> Result<Decided> {
        let mut decisions = table.notes.clone();
        decisions.extend(judged.iter().flat_map(|judged| judged.notes.clone()));
        decisions.extend(self.train.iter().chain(&self.calibration).flat_map(|rows| rows.notes.clone()));
        let subject = match &table.predictions {
            Predictions::Classes { names, .. } => Subject::Classes { names: names.clone() },
            Predictions::Hard { .. } => Subject::Hard,
            Predictions::Values { .. } => Subject::Values,
            Predictions::Scores(_) => Subject::Scores,
        };
        let variances = matches!(&table.predictions, Predictions::Values { variances: Some(_), .. });
        let losses = subject.losses(variances);
        // The one column of a model with two classes is about its positive class.
        let judged_positive = judged.and_then(|judged| judged.positive.clone());
        let mut positive = judged_positive.or(self.positive.clone()).or_else(|| table.positive.clone());
        if let Some(threshold) = self.threshold {
            let (_, class) = decision(threshold, &subject, positive.as_deref())?;
            decisions.push(format!("class {class} is predicted if its probability is at least {threshold}"));
            positive = Some(class);
        }
        let made_for =
            MadeFor::new(&self.aims, positive.as_deref(), &subject, judged.is_some(), &mut decisions)?;
        let told = self.metric.as_ref().is_some_and(|metric| metric.loss == LossName::Rate);
        if self.positive.is_some()
            && self.threshold.is_none()
            && judged.is_none()
            && !told
            && !self.aims.iter().any(Measurable::needs_positive)
        {
            return Err(MetricError::PositiveUnused.into());
        }
        let design = self.design(table.rows())?;
        for aim in &made_for.aims {
            match aim {
                Measurable::Score(score) if table.rivals.is_some() => {
                    return Err(CompareError::NoMean { metric: score.name.clone() }.into());
                }
                Measurable::Score(score) if design.is_stratified() => {
                    return Err(DesignError::MeansOnly { metric: score.name.clone() }.into());
                }
                _ => {}
            }
        }
        let metric = match self.metric.as_ref().or(made_for.metric.as_ref()) {
            _ if self.supplied.loss.is_some() => Metric::plain(LossName::Custom),
            _ if let Some(metric) = judged.and_then(|judged| judged.metric.as_ref()) => metric.clone(),
            Some(metric) if subject.has(metric.loss, variances) => metric.clone(),
            Some(metric) => return Err(ChoiceError::metric_of(metric.loss, &subject, variances).into()),
            None if judged.is_some() => {
                let loss = if judged.is_some_and(|judged| judged.positive.is_some() && self.worths.is_empty())
                {
                    LossName::Rate
                } else {
                    LossName::Value
                };
                decisions.push(format!("loss: {loss}"));
                Metric::plain(loss)
            }
            None => {
                let loss = losses.first().copied().unwrap_or(LossName::ZeroOne);
                decisions.push(format!("loss: {loss}, because the pool has {}", subject.in_words()));
                Metric::plain(loss)
            }
        };
        let worths = match judged {
            Some(judged) => judged.worths.clone(),
            None => worths(&self.worths, &subject)?,
        };
        let measured_losses = || made_for.aims.iter().filter_map(Measurable::loss).chain([&metric]);
        if measured_losses().any(|metric| metric.loss == LossName::Value)
            && worths.is_empty()
            && matches!(subject, Subject::Classes { .. })
        {
            return Err(JudgeError::NoScale.into());
        }
        if measured_losses().any(|metric| metric.loss == LossName::Rate) {
            positive = Some(rate_class(&subject, positive)?);
        }
        let cap = self.cap(&subject)?;
        let by_probability =
            |loss: LossName| loss == LossName::CrossEntropy && matches!(subject, Subject::Classes { .. });
        let measured = made_for.aims.iter().filter_map(Measurable::loss);
        if by_probability(metric.loss) || measured.clone().any(|metric| by_probability(metric.loss)) {
            decisions.extend(zeros::in_words(table, cap));
        }
        if let Some(wrong) = measured.into_iter().find(|metric| !subject.has(metric.loss, variances)) {
            return Err(ChoiceError::metric_of(wrong.loss, &subject, variances).into());
        }
        let surrogate = if let Some(judged) = judged {
            decisions.push(format!("surrogate: {}", judged.choice.in_words()));
            SurrogateChoice::Own
        } else if table.rivals.is_some() {
            self.rivals_surrogate(table, &subject, &mut decisions)?
        } else {
            self.surrogate(table, &subject, variances, &mut decisions)?
        };
        if surrogate == SurrogateChoice::Nothing
            && self.acquisition.is_some_and(|acquisition| acquisition != AcquisitionName::Uniform)
        {
            return Err(ChoiceError::NothingToScoreBy.into());
        }
        let recalibrated = match judged {
            Some(_) => self.judged_refreshes(table, &made_for, &design, &mut decisions),
            None => {
                let measured = (&subject, metric.loss);
                self.recalibrated(table, &surrogate, &made_for, &design, measured, &mut decisions)?
            }
        };
        // Of numbers, labels teach intervals alone.
        let numbers = subject == Subject::Values && judged.is_none();
        let of_recipe = self.recipe.acquisition().filter(|_| surrogate != SurrogateChoice::Nothing);
        let acquisition = self.acquisition.or(of_recipe).unwrap_or_else(|| {
            if design.is_stratified() {
                return AcquisitionName::ExpectedLoss;
            }
            let signed = self.supplied.is_signed().unwrap_or(metric.loss.is_signed());
            let (name, words) = if surrogate == SurrogateChoice::Nothing {
                (AcquisitionName::Uniform, "uniformly")
            } else if let Some(name) = made_for.acquisition {
                let alike = made_for.aims.iter().all(Measurable::is_auc);
                let words = "uniformly, because a surrogate says little about an item's influence on the AUC";
                (name, if alike { words } else { "by their expected influence on the metrics" })
            } else if recalibrated.is_some() && !numbers {
                (AcquisitionName::Centred, "by the centred deviation of the loss that the surrogate expects")
            } else if table.rivals.is_some() {
                (
                    AcquisitionName::RootMeanSquare,
                    "by the root mean square of the difference of the models' losses",
                )
            } else if signed {
                (
                    AcquisitionName::StandardDeviation,
                    "by the standard deviation of the loss, because the loss can be negative",
                )
            } else {
                (
                    AcquisitionName::RootMeanSquare,
                    "by the root mean square of the loss that the surrogate expects",
                )
            };
            decisions.push(format!("items are drawn {words}"));
            name
        });
        let of_recipe = self.recipe.rescore().filter(|_| design == Design::Adaptive);
        let rescore = self.rescore.clone().or(of_recipe).unwrap_or_else(|| match made_for.rescore {
            Some(times) if acquisition == AcquisitionName::Metrics && design == Design::Adaptive => {
                if let Times::Every(labels) = times {
                    decisions.push(format!(
                        "items are scored again after every {labels} labels, with the metrics of that moment"
                    ));
                }
                times
            }
            // The distance changes with every label.
            _ if acquisition == AcquisitionName::Distance && design == Design::Adaptive => Times::Every(1),
            _ => Times::Never,
        });
        let floor = self.floor.or(self.recipe.floor()).unwrap_or_else(|| {
            if design.is_stratified() {
                return FloorChoice::Unguarded;
            }
            let centred = acquisition == AcquisitionName::Centred && judged.is_none();
            let uniform = if centred { 0.2 } else { 0.3 };
            if acquisition != AcquisitionName::Uniform {
                let percent = 100.0 * uniform;
                decisions
                    .push(format!("{percent} % of every draw is uniform, so that every item can be drawn"));
            }
            FloorChoice::Mixture(uniform)
        });
        let estimator = match self.recipe {
            RecipeName::Paper => EstimatorName::Lure,
            _ if recalibrated.is_some() && !numbers => EstimatorName::Centred,
            _ => EstimatorName::Regression,
        };
        if let Some((low, high)) = self.range {
            let usable = low.is_finite() && high.is_finite() && low < high;
            // The ratings of a judge have a range too.
            let numbers = matches!(subject, Subject::Values | Subject::Scores) || judged.is_some();
            if !numbers || !usable {
                return Err(ChoiceError::Range { low, high }.into());
            }
        }
        if !table.carried.is_empty() {
            let names: Vec<&str> = table.carried.iter().map(|(name, _)| name.as_str()).collect();
            decisions.push(format!("passthrough columns for the labeller: {}", names.join(", ")));
        }
        let ids = match table.ids {
            Ids::Rows(_) => {
                decisions
                    .push("ids are row numbers from 0, so they are valid only for this pool file".to_owned());
                IdOrigin::Rows
            }
            Ids::Column(_) => IdOrigin::Column,
        };
        let pool = PoolOrigin {
            path: table.path.display().to_string(),
            format: table.format.to_string(),
            fingerprint: table.fingerprint.to_string(),
            size: table.rows(),
            ids,
            carried: table.carried.iter().map(|(name, _)| name.clone()).collect(),
        };
        let settings = Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created: self.at,
            pool,
            metric,
            range: self.range.filter(|_| matches!(subject, Subject::Values | Subject::Scores)),
            subject,
            worths,
            judge: judged.map(|judged| judged.choice.clone()),
            surrogate,
            acquisition,
            floor,
            recalibrated,
            estimator,
            rescore,
            seed: self.seed,
            known: self.known.clone(),
            bad_scores: self.bad_scores,
            supplied: self.supplied.clone(),
            aims: made_for.aims,
            positive,
            threshold: self.threshold,
            cap,
            rivals: rivals(table, &mut decisions),
            ties: 0,
            design,
            elsewhere: None,
            columns: std::collections::BTreeMap::new(),
        };
        Ok(Decided { settings, decisions })
    }

    /// The cap of cross-entropy.
    fn cap(&self, subject: &Subject) -> Result<f64> {
        match self.cap {
            Some(_) if !matches!(subject, Subject::Classes { .. }) => {
                Err(ChoiceError::CapUnused { predictions: subject.in_words() }.into())
            }
            Some(cap) => Ok(zeros::check_cap(cap)?),
            None => Ok(zeros::USUAL_CAP),
        }
    }
}

/// The models that are compared.
fn rivals(table: &PoolTable, decisions: &mut Vec<String>) -> Vec<RivalOrigin> {
    let Some(rivals) = &table.rivals else { return Vec::new() };
    decisions.extend(rivals.notes.iter().cloned());
    let files = rivals.names.iter().zip(&rivals.files);
    files
        .map(|(name, (path, fingerprint))| RivalOrigin {
            name: name.clone(),
            path: path.clone(),
            fingerprint: fingerprint.clone(),
        })
        .collect()
}
