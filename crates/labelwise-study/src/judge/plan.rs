//! Makes a pool of the columns of judges and histories: what labels can be, the features of the belief, and the predictions
//! that agreement is measured of.

use std::borrow::Cow;

use labelwise::Matrix;
use labelwise::surrogate::{History, JudgePrior, WorthScale, rating_of};
use labelwise_pool::{Column, JudgeColumn, JudgedColumns, Labels, PoolTable, Predictions, Strings};

use super::classes::{LabelClasses, distinct, usual_positive};
use super::columns::{LabelSpace, ReadJudge, read, results};
use super::{JudgeChoice, JudgeKind, KeptPrior, group, pair};
use crate::decide::choices::Choices;
use crate::error::{JudgeError, Result};
use crate::spec::measurable::Measurable;
use crate::spec::metric::{LossName, Metric};

/// A judge that misses a larger share of items is mentioned.
const MISSING_SHARE: f64 = 0.01;

/// A pool of judges and histories, ready to be decided about.
pub(crate) struct JudgedPool {
    pub(crate) choice: JudgeChoice,
    /// One row per item.
    pub(crate) features: Matrix,
    /// The worth of each class as it is measured; empty if labels are numbers.
    pub(crate) worths: Vec<f64>,
    pub(crate) positive: Option<String>,
    /// Sentences about the columns.
    pub(crate) notes: Vec<String>,
    /// The metric, if it follows from the pool.
    pub(crate) metric: Option<Metric>,
}

/// The loss that choices name first.
pub(crate) fn first_loss(choices: &Choices) -> Option<LossName> {
    let metric = choices.metric.as_ref().map(|metric| metric.loss);
    metric.or_else(|| choices.aims.iter().find_map(Measurable::loss).map(|metric| metric.loss))
}

/// Replaces the columns of judges by predictions. Other pools stay as they are, except predicted classes of which a rate or a
/// value is asked: these are verdicts.
pub(crate) fn resolved<'a>(
    table: &'a PoolTable,
    choices: &Choices,
) -> Result<(Cow<'a, PoolTable>, Option<JudgedPool>)> {
    let loss = first_loss(choices);
    let of_label = matches!(loss, Some(LossName::Rate | LossName::Value));
    let judged = match (&table.judged, &table.predictions) {
        (Some(judged), _) => judged.clone(),
        (None, Predictions::Hard { names, classes }) if of_label && table.rivals.is_none() => {
            verdicts(names, classes, table.labels.as_ref())
        }
        _ if choices.group.is_some() => return Err(JudgeError::GroupWithoutJudge.into()),
        _ => return Ok((Cow::Borrowed(table), None)),
    };
    if choices.surrogate.is_some() || !table.surrogates.is_empty() {
        return Err(JudgeError::Beside { option: "a surrogate" }.into());
    }
    if choices.calibration.is_some() {
        return Err(JudgeError::Beside { option: "a file of labelled predictions" }.into());
    }
    if let Some(column) = &choices.group {
        let (made, pool) = group::resolved(table, &judged, column, choices, loss)?;
        return Ok((Cow::Owned(made), Some(pool)));
    }
    let space = label_space(&judged, choices, loss)?;
    if let Some(second) = &judged.second {
        let LabelSpace::Classes(classes) = &space else {
            return Err(JudgeError::Beside { option: "a range of ratings of two systems" }.into());
        };
        let (made, pool) = pair::resolved(table, &judged, second, classes, choices)?;
        return Ok((Cow::Owned(made), Some(pool)));
    }
    let mut judges = Vec::with_capacity(judged.judges.len());
    for judge in &judged.judges {
        judges.push(read(judge, &space, choices.range, &table.ids)?);
    }
    let rows = table.rows();
    let notes = notes(judges.iter(), rows);
    let (features, mut prior) = features(&judged, &judges, &space, table)?;
    if let Some(earlier) = choices.prior.as_ref().filter(|earlier| earlier.features() == prior.features()) {
        prior = earlier.clone();
    }
    let predictions = predictions(&judges, &features, &prior, &space)?;
    let (scale, worths, positive, open) = match &space {
        LabelSpace::Classes(classes) => {
            (classes.scale(), classes.worths.clone(), classes.positive.clone(), classes.open)
        }
        LabelSpace::Values { .. } => (Vec::new(), Vec::new(), None, false),
    };
    let choice = JudgeChoice {
        judges: judges.into_iter().map(|judge| judge.origin).collect(),
        history: judged.history.len(),
        scale,
        open,
        prior: KeptPrior::from(&prior),
        ratings: choices.range,
        pair: None,
        group: None,
    };
    let mut made = table.clone();
    made.predictions = predictions;
    made.judged = None;
    made.labels = None;
    if let Some(labels) = &judged.labels {
        made = made.with_labels(labels)?;
    }
    Ok((Cow::Owned(made), Some(JudgedPool { choice, features, worths, positive, notes, metric: None })))
}

/// Predicted classes as the verdicts of a judge.
fn verdicts(names: &[String], classes: &[u32], labels: Option<&Labels>) -> JudgedColumns {
    let name = |class: &u32| names.get(*class as usize).map_or("", String::as_str);
    let texts = |classes: &[u32]| Column::Texts(classes.iter().map(name).collect::<Strings>());
    let labels = match labels {
        Some(Labels::Classes(classes)) => Some(texts(classes)),
        _ => None,
    };
    let judge = JudgeColumn { name: "predicted class".to_owned(), orders: vec![texts(classes)] };
    JudgedColumns { judges: vec![judge], labels, ..JudgedColumns::default() }
}

/// Inspect's grades: correct, partially correct, incorrect, no answer.
const GRADES: [(&str, f64); 4] = [("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", 0.0)];

/// Whether all verdicts are Inspect's grades.
fn says_grades(judged: &JudgedColumns) -> bool {
    let said = distinct(judged.judges.iter().flat_map(|judge| &judge.orders)).unwrap_or_default();
    !said.is_empty() && said.iter().all(|text| GRADES.iter().any(|(grade, _)| grade == text))
}

/// What labels can be.
pub(super) fn label_space(
    judged: &JudgedColumns,
    choices: &Choices,
    loss: Option<LossName>,
) -> Result<LabelSpace> {
    if !choices.worths.is_empty() {
        let mut classes = LabelClasses::with_worths(&choices.worths)?;
        classes.positive = choices.positive.clone();
        if let Some(label) = judged.labels.as_ref().and_then(|column| distinct(std::iter::once(column)))
            && let Some(class) = label.into_iter().find(|label| classes.find(label).is_none())
        {
            return Err(JudgeError::NoWorth { class }.into());
        }
        return Ok(LabelSpace::Classes(classes));
    }
    if loss == Some(LossName::Value) && choices.range.is_none() && says_grades(judged) {
        let grades = GRADES.map(|(grade, worth)| (grade.to_owned(), worth));
        return LabelClasses::with_worths(&grades).map(LabelSpace::Classes);
    }
    let values = loss == Some(LossName::Value) || loss.is_none() && choices.range.is_some();
    if values {
        return match choices.range {
            Some((low, high)) if low < high => Ok(LabelSpace::Values { low, high }),
            _ => Err(JudgeError::NoScale.into()),
        };
    }
    let labelled = judged.labels.as_ref().and_then(|column| distinct(std::iter::once(column)));
    let said = judged.judges.iter().flat_map(|judge| &judge.orders);
    // Numbers are scores or ratings, unless labels are numbers too.
    let said = distinct(said).filter(|names| names.iter().any(|name| name.parse::<f64>().is_err()));
    let names = if choices.labels.is_empty() { labelled.or(said) } else { Some(choices.labels.clone()) };
    let usual = names.as_deref().and_then(usual_positive);
    let Some(positive) = choices.positive.clone().or(usual) else {
        return Err(JudgeError::NoPositive { classes: names.unwrap_or_default() }.into());
    };
    let classes = match names {
        Some(names) if names.len() > 1 => LabelClasses::of_rate(names, &positive)?,
        _ => LabelClasses::of_positive(&positive),
    };
    Ok(LabelSpace::Classes(classes))
}

pub(super) fn features(
    judged: &JudgedColumns,
    judges: &[ReadJudge],
    space: &LabelSpace,
    table: &PoolTable,
) -> Result<(Matrix, JudgePrior)> {
    let rows = table.rows();
    if judged.history.is_empty() {
        let known = |odds: f64| if odds.is_finite() { odds } else { 0.0 };
        let row = |item: usize| {
            judges.iter().map(move |judge| known(judge.odds.get(item).copied().unwrap_or(f64::NAN)))
        };
        let values: Vec<f64> = (0..rows).flat_map(row).collect();
        return Ok((Matrix::f64(values, judges.len().max(1))?, JudgePrior::judges(judges.len())));
    }
    let mut columns = Vec::with_capacity(judged.history.len());
    for (name, column) in &judged.history {
        columns.push(results(name, column, space, &table.ids)?);
    }
    let row = |item: usize| columns.iter().map(move |column| column.get(item).copied().unwrap_or(f64::NAN));
    let values: Vec<f64> = (0..rows).flat_map(row).collect();
    let beside: Vec<Vec<f64>> = judges.iter().map(|judge| judge.odds.clone()).collect();
    let made = History::new(Matrix::f64(values, columns.len())?)?.features(&beside)?;
    Ok((made.rows, made.prior))
}

/// Probability of the class that a verdict names.
const VERDICT: f64 = 0.8;

/// What judges say, as predictions: verdicts stay the most probable class.
pub(super) fn predictions(
    judges: &[ReadJudge],
    features: &Matrix,
    prior: &JudgePrior,
    space: &LabelSpace,
) -> Result<Predictions> {
    let mut reader = features.reader();
    match space {
        LabelSpace::Values { low, high } => {
            let scale = (*low, *high);
            let seen = WorthScale::<labelwise::Regression>::seen(&scale, &[]);
            let (mut means, mut variances, mut row) = (Vec::new(), Vec::new(), Vec::new());
            for item in 0..features.rows() {
                row.clear();
                let expected = prior.plainly_expected(reader.row(item));
                WorthScale::<labelwise::Regression>::believe(&scale, expected, &seen, &mut row);
                means.extend(mean_rating(judges, item, scale).or(row.first().copied()));
                variances.extend(row.get(1));
            }
            Ok(Predictions::Values { means, variances: Some(variances) })
        }
        LabelSpace::Classes(classes) => {
            let (scale, count) = (classes.scale(), classes.names.len());
            let seen = WorthScale::<labelwise::Classification>::seen(&scale, &[]);
            let by_verdict =
                count > 2 && judges.iter().all(|judge| judge.verdicts.is_some()) && !judges.is_empty();
            let mut values = Vec::with_capacity(count * features.rows());
            for item in 0..features.rows() {
                if by_verdict {
                    values.extend(voted(judges, item, count));
                } else {
                    let expected = prior.plainly_expected(reader.row(item));
                    WorthScale::<labelwise::Classification>::believe(&scale, expected, &seen, &mut values);
                }
            }
            Ok(Predictions::Classes { names: classes.names.clone(), rows: Matrix::f64(values, count)? })
        }
    }
}

/// The mean of the judges' ratings of an item; `None` if not all judges give ratings, or none of them rated it.
fn mean_rating(judges: &[ReadJudge], item: usize, (low, high): (f64, f64)) -> Option<f64> {
    if judges.is_empty() || judges.iter().any(|judge| judge.origin.kind != JudgeKind::Rating) {
        return None;
    }
    let known =
        judges.iter().filter_map(|judge| judge.odds.get(item).copied().filter(|odds| odds.is_finite()));
    let (sum, count) = known.fold((0.0, 0.0), |(sum, count), odds| (sum + rating_of(odds), count + 1.0));
    (count > 0.0).then(|| (low + (high - low) * sum / count).clamp(low, high))
}

/// The mean of the judges' verdicts, each right with probability 0.8.
#[allow(clippy::cast_precision_loss, reason = "classes and judges are few")]
fn voted(judges: &[ReadJudge], item: usize, classes: usize) -> Vec<f64> {
    let mut row = vec![0.0; classes];
    for judge in judges {
        let verdict = judge.verdicts.as_ref().and_then(|verdicts| verdicts.get(item).copied().flatten());
        for (class, p) in row.iter_mut().enumerate() {
            let own = match verdict {
                None => 1.0 / classes as f64,
                Some(verdict) if verdict == class => VERDICT,
                Some(_) => (1.0 - VERDICT) / (classes as f64 - 1.0),
            };
            *p += own / judges.len() as f64;
        }
    }
    row
}

#[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
pub(super) fn notes<'a>(judges: impl Iterator<Item = &'a ReadJudge>, rows: usize) -> Vec<String> {
    let mut notes = Vec::new();
    for ReadJudge { origin, doubt, .. } in judges {
        if origin.missing as f64 > MISSING_SHARE * rows as f64 {
            let share = 100.0 * origin.missing as f64 / rows.max(1) as f64;
            notes.push(format!(
                "the judge {} has no verdict on {} of {rows} items ({share:.1} %); these items count as unknown, not as wrong",
                origin.name, origin.missing
            ));
        }
        notes.extend(doubt.clone());
    }
    notes
}
