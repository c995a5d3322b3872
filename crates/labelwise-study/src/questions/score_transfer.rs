//! Metrics that are not averages of two models, on the labels of one model's evaluation.

use std::collections::{HashMap, HashSet};

use labelwise::ledger::{Ledger, Outcome};
use labelwise::metric::{ClassMetric, Difference, Judged, Measure, Valued, WeightedDraws};
use labelwise::task::Gaussian;
use labelwise::{Classification, Matrix, Regression, Target};
use labelwise_pool::{PoolTable, Predictions};

use crate::Study;
use crate::error::{Error, MetricError, Result, damaged};
use crate::questions::classes::Classes;
use crate::questions::estimate::EstimateOptions;
use crate::questions::reuse::Transfer;
use crate::questions::scored::Scored;
use crate::questions::shown::{EVERYTHING, Item};
use crate::spec::measurable::{Measurable, Score, ScoreName};
use crate::spec::subject::Subject;

/// Two models on the labels of one of them, by the kind of metric.
#[derive(Debug, Clone, PartialEq)]
pub enum OnSharedLabels {
    /// By a mean loss.
    Mean(Box<Transfer>),
    /// By a metric that is not an average: once, or once per class.
    Scores(Vec<ScoreTransfer>),
}

/// Two models by a metric that is not an average, on the labels that one of them was evaluated with.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ScoreTransfer {
    /// The model that the draws were made for.
    pub own: Scored,
    /// The other.
    pub other: Scored,
    /// The metric of the first minus that of the other.
    pub difference: Scored,
    /// The smallest error probability at which the interval of the difference leaves out 0.
    pub p_value: Option<f64>,
    /// Whether the first model is better, if that is decided.
    pub first_is_better: Option<bool>,
}

impl Study {
    /// Compares another model on the labels of this evaluation by any metric; by default, by the one that the evaluation was
    /// created for. `positive` names the class of a metric of one class.
    pub fn compare_by(
        &self,
        table: &PoolTable,
        metric: Option<&Measurable>,
        positive: Option<&str>,
        wanted: &EstimateOptions,
    ) -> Result<OnSharedLabels> {
        let metric = match metric {
            Some(metric) => metric.clone(),
            None => self.one_metric()?,
        };
        match metric {
            Measurable::Loss(_) if positive.is_some() => Err(MetricError::PositiveUnused.into()),
            Measurable::Loss(metric) => {
                let wanted = EstimateOptions { metrics: vec![metric], ..wanted.clone() };
                Ok(OnSharedLabels::Mean(Box::new(self.compare_with(table, &wanted)?)))
            }
            Measurable::Score(score) => {
                Ok(OnSharedLabels::Scores(self.compare_scores(table, &score, positive, wanted)?))
            }
        }
    }

    /// Compares by a metric that is not an average: the difference has the influence of both. A metric of every class is
    /// one comparison per class.
    fn compare_scores(
        &self,
        table: &PoolTable,
        score: &Score,
        positive: Option<&str>,
        wanted: &EstimateOptions,
    ) -> Result<Vec<ScoreTransfer>> {
        if !wanted.is_ordinary() {
            return Err(MetricError::OrdinaryOnly { metric: score.name.clone() }.into());
        }
        let &EstimateOptions { target, level, .. } = wanted;
        let decision = self.settings.decision();
        self.check_comparable(table)?;
        if !score.score.fits(&self.settings.subject) {
            return Err(MetricError::score(score, &self.settings.subject).into());
        }
        if score.score == ScoreName::Calibration {
            return Err(MetricError::NotSimulated { metric: score.name.clone() }.into());
        }
        self.check_weights(&score.name)?;
        self.check_positive(score, positive)?;
        let rows = self.rows_in(table)?;
        self.check_labels()?;
        let row = |item: usize| rows.get(item).copied().flatten();
        let missing = |item: usize| -> labelwise::Error {
            labelwise::Error::Surrogate(format!("the other model has no prediction of item {item}"))
        };
        if self.settings.subject == Subject::Values {
            let own = self.valued(&self.scored_ledger::<Regression>()?)?;
            let Predictions::Values { means, variances } = &table.predictions else {
                return Err(self.other_kind(table));
            };
            let other = own.with_points(|item, point| {
                let row = row(item).ok_or_else(|| missing(item))?;
                let mean = means.get(row).copied().ok_or_else(|| missing(item))?;
                let variance = variances.as_ref().and_then(|all| all.get(row).copied()).unwrap_or(0.0);
                Ok(Valued { prediction: Gaussian { mean, variance }, label: point.label })
            })?;
            let metric = score.score.of_values();
            let make = || -> Box<dyn Measure<Valued>> { Box::new(metric) };
            let item = |measure| Item::score(score, measure, None);
            return Ok(vec![self.transferred(
                &own,
                &other,
                (item(make()), metric),
                (target, level),
                &|class| class.to_string(),
            )?]);
        }
        let ledger = self.scored_ledger::<Classification>()?;
        let (own, mut classes) = self.judged(&ledger, self.classes())?;
        let is_hard = self.settings.subject == Subject::Hard;
        let (all, drawn) = match &table.predictions {
            Predictions::Hard { .. } if is_hard => (None, HashMap::new()),
            _ => self.drawn_rows(table, &rows)?.ok_or_else(|| self.other_kind(table))?,
        };
        // The points of the other model, in the order of draws. Its classes may be new ones.
        let judged = |(item, point): (usize, &Judged)| -> labelwise::Result<Judged> {
            match &table.predictions {
                Predictions::Hard { names, classes: said } if is_hard => {
                    let class = row(item).and_then(|row| said.get(row)).ok_or_else(|| missing(item))?;
                    let name = names.get(*class as usize).ok_or_else(|| missing(item))?;
                    Ok(Judged::hard(classes.number(name), point.label))
                }
                _ => {
                    let row = drawn.get(&item).cloned().ok_or_else(|| missing(item))?;
                    Judged::decided(row, point.label, decision)
                }
            }
        };
        let points: Vec<Judged> = own.items().zip(own.points()).map(judged).collect::<Result<_, _>>()?;
        // With what is known of the pool, as one model's metric is estimated.
        let own = match score.is_ratio() {
            true => own.with_predicted(self.predicted_classes(&ledger, &classes)?),
            false => own,
        };
        let mut points = points.into_iter();
        let other =
            own.with_points(|item, _| points.next().ok_or(labelwise::Error::NoSamples { next: Some(item) }))?;
        let other = match self.predicted_by_other(table, (&rows, all), &ledger, &classes) {
            Some(counts) if score.is_ratio() => other.with_counts(counts),
            _ => other,
        };
        let metrics = classes.metrics(score, positive.or(self.settings.positive.as_deref()))?;
        if metrics.is_empty() {
            return Err(damaged(self.path(), "settings", 1));
        }
        let each = metrics.into_iter().map(|(metric, class): (ClassMetric, Option<usize>)| {
            let item = Item::score(score, Box::new(metric), class);
            self.transferred(&own, &other, (item, metric), (target, level), &|class| classes.name(class))
        });
        each.collect()
    }

    /// How many items the other model predicts as each class, without those missing at random; none if it does not have a
    /// prediction for every item. Items of classes that nothing else has are not counted.
    fn predicted_by_other(
        &self,
        table: &PoolTable,
        (rows, all): (&[Option<usize>], Option<Matrix>),
        ledger: &Ledger<Classification>,
        classes: &Classes,
    ) -> Option<Vec<usize>> {
        let mut counts = vec![0; classes.len()];
        let mut add = |class: usize| {
            if let Some(count) = counts.get_mut(class) {
                *count += 1;
            }
        };
        let outcomes = ledger.draws().iter().zip(ledger.outcomes());
        let missing = outcomes.filter(|(_, outcome)| **outcome == Outcome::MissingAtRandom);
        let missing: HashSet<usize> = missing.map(|(draw, _)| draw.index).collect();
        match (&table.predictions, all) {
            (Predictions::Hard { names, classes: said }, None) => {
                let numbers: Vec<usize> =
                    names.iter().map(|name| classes.find(name).unwrap_or(usize::MAX)).collect();
                for (item, row) in rows.iter().enumerate() {
                    let class = numbers.get(*said.get((*row)?)? as usize)?;
                    if !missing.contains(&item) {
                        add(*class);
                    }
                }
            }
            (_, Some(all)) => {
                let (mut reader, decision) = (all.reader(), self.settings.decision());
                let there = (0..all.rows()).filter(|item| !missing.contains(item));
                there.for_each(|item| add(decision.predicted(reader.row(item))));
            }
            _ => return None,
        }
        Some(counts)
    }

    fn transferred<P: Clone + Send + Sync, M: Measure<P> + Copy + 'static>(
        &self,
        own: &WeightedDraws<P>,
        other: &WeightedDraws<P>,
        (item, metric): (Item<P>, M),
        (target, level): (Target, f64),
        name: &impl Fn(usize) -> String,
    ) -> Result<ScoreTransfer> {
        let size = own.pool_size();
        let refused = |error| self.refused(error);
        let pairs = own.paired(other)?;
        let alone = |draws: &WeightedDraws<P>| -> Result<Scored> {
            Ok(item.scored(draws.measure(&metric, target, level).map_err(refused)?, None, size, name))
        };
        let found = pairs.measure(&Difference(metric), target, level).map_err(refused)?;
        let p_value = found.p_value();
        let of_pairs: Item<(P, P)> = Item {
            name: item.name.clone(),
            class: item.class,
            measure: Box::new(Difference(metric)),
            view: item.view,
            mean: None,
            higher_is_better: item.higher_is_better,
            score: None,
            range: EVERYTHING,
        };
        let difference = of_pairs.scored(found, None, size, name);
        let decided = difference.interval.filter(|(low, high)| *low > 0.0 || *high < 0.0);
        let first_is_better = decided.map(|(low, _)| (low > 0.0) == item.higher_is_better);
        Ok(ScoreTransfer { own: alone(own)?, other: alone(other)?, difference, p_value, first_is_better })
    }

    pub(crate) fn other_kind(&self, table: &PoolTable) -> Error {
        let (there, here) = (table.predictions.kind(), self.settings.subject.in_words());
        let (path, first) = (table.path.clone(), self.path().to_owned());
        labelwise_pool::MatchError::Kinds { path, there, first, here }.into()
    }
}
