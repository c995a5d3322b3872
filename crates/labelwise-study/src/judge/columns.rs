//! The columns of judges and histories as log-odds.

use labelwise::surrogate::{of_rating, of_raw, of_score, of_verdict};
use labelwise_pool::{Column, Ids, JudgeColumn};

use super::classes::{LabelClasses, blank};
use super::{JudgeKind, JudgeOrigin};
use crate::error::{JudgeError, Result};

/// What labels are: classes, or numbers of a range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LabelSpace {
    Classes(LabelClasses),
    Values { low: f64, high: f64 },
}

/// A judge as features and, if it gives verdicts, as classes.
pub(crate) struct ReadJudge {
    pub(crate) origin: JudgeOrigin,
    /// Log-odds; NaN where there is no verdict.
    pub(crate) odds: Vec<f64>,
    /// The class of each verdict, if the judge gives classes in one order.
    pub(crate) verdicts: Option<Vec<Option<usize>>>,
    /// A sentence about values that few items have, and that may be mistakes.
    pub(crate) doubt: Option<String>,
}

/// Values of a smaller share of the items than this may be mistakes.
const FEW: f64 = 0.01;

/// Reads the column of a judge, or both of its orders.
pub(crate) fn read(
    judge: &JudgeColumn,
    space: &LabelSpace,
    range: Option<(f64, f64)>,
    ids: &Ids,
) -> Result<ReadJudge> {
    let kind = kind(judge, space, range);
    let mut orders = Vec::with_capacity(judge.orders.len());
    for column in &judge.orders {
        orders.push(one_order(&judge.name, column, kind, space, range, ids)?);
    }
    let rows = judge.orders.first().map_or(0, Column::len);
    let mean = |row: usize| {
        let known = orders.iter().filter_map(|order| order.get(row).copied().filter(|odds| odds.is_finite()));
        let (sum, count) = known.fold((0.0, 0.0), |(sum, count), odds| (sum + odds, count + 1.0));
        if count > 0.0 { sum / count } else { f64::NAN }
    };
    let odds: Vec<f64> = (0..rows).map(mean).collect();
    check_varied(judge, &odds)?;
    let missing = odds.iter().filter(|odds| odds.is_nan()).count();
    let verdicts: Option<Vec<Option<usize>>> = match (kind, space, judge.orders.as_slice()) {
        (JudgeKind::Verdict, LabelSpace::Classes(classes), [column]) => {
            Some((0..rows).map(|row| verdict_class(classes, &column.text(row).unwrap_or_default())).collect())
        }
        _ => None,
    };
    let doubt = match (kind, space) {
        (JudgeKind::Raw, _) => few_beyond(judge, ids),
        (_, LabelSpace::Classes(classes)) => {
            verdicts.as_deref().and_then(|said| few_verdicts(judge, said, classes))
        }
        _ => None,
    };
    Ok(ReadJudge { origin: JudgeOrigin { name: judge.name.clone(), kind, missing }, odds, verdicts, doubt })
}

/// Scores of which few are not between 0 and 1: all of them are then numbers of an unknown scale.
fn few_beyond(judge: &JudgeColumn, ids: &Ids) -> Option<String> {
    let column = judge.orders.first()?;
    let number = |row: usize| column.text(row).and_then(|text| text.trim().parse::<f64>().ok());
    let beyond = |row: &usize| number(*row).is_some_and(|number| !(0.0..=1.0).contains(&number));
    let mut rows = (0..column.len()).filter(beyond);
    let (first, count) = (rows.next()?, 1 + rows.count());
    is_few(count, column.len()).then(|| {
        format!(
            "the judge {} says {} of item {}, so its numbers are not taken for scores from 0 to 1: correct {}, if they are",
            judge.name,
            column.text(first).unwrap_or_default().trim(),
            ids.get(first).unwrap_or_default(),
            if count == 1 { "it".to_owned() } else { format!("these {count} items") },
        )
    })
}

/// Verdicts beside the positive class and the usual other one, on few items.
fn few_verdicts(judge: &JudgeColumn, said: &[Option<usize>], classes: &LabelClasses) -> Option<String> {
    let positive = classes.positive.as_ref().filter(|_| classes.names.len() > 2)?;
    let count = |class: usize| said.iter().filter(|verdict| **verdict == Some(class)).count();
    let few = classes.names.iter().enumerate().map(|(class, name)| (name, count(class)));
    let (name, count) =
        few.filter(|(_, count)| *count > 0 && is_few(*count, said.len())).min_by_key(|few| few.1)?;
    let items = if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    (name != positive).then(|| {
        format!(
            "the judge {} says {name} of {items}, which counts as not {positive}: correct the column, or leave the cell blank, if it \
             is not a class",
            judge.name
        )
    })
}

#[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
fn is_few(count: usize, rows: usize) -> bool {
    (count as f64) < FEW * rows as f64
}

/// The class of a verdict; 0 and 1 mean the class that is worth least and most, as scores between them do, and other words what
/// they usually mean.
fn verdict_class(classes: &LabelClasses, text: &str) -> Option<usize> {
    let place = |wanted: f64| {
        let scale = classes.scale();
        let mut at = scale.iter().enumerate().filter(|(_, worth)| **worth == wanted).map(|(at, _)| at);
        at.next().filter(|_| at.next().is_none())
    };
    let text = text.trim();
    classes.find(text).or_else(|| match text.to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" => place(1.0),
        "0" | "0.0" | "false" => place(0.0),
        _ => classes.meant(text),
    })
}

/// What the column holds, by its values.
fn kind(judge: &JudgeColumn, space: &LabelSpace, range: Option<(f64, f64)>) -> JudgeKind {
    let cells =
        || judge.orders.iter().flat_map(|column| (0..column.len()).filter_map(|row| column.text(row)));
    let texts = || cells().filter(|text| !blank(text));
    if let LabelSpace::Classes(classes) = space
        && texts().all(|text| verdict_class(classes, &text).is_some())
    {
        return JudgeKind::Verdict;
    }
    let numbers = || texts().map(|text| text.trim().parse::<f64>().ok());
    if numbers().any(|number| number.is_none()) {
        return JudgeKind::Verdict;
    }
    if range.is_some() || matches!(space, LabelSpace::Values { .. }) {
        return JudgeKind::Rating;
    }
    // A judge that is never in between gives verdicts, however they are written.
    if numbers().flatten().all(|number| [0.0, 0.5, 1.0].contains(&number)) {
        return JudgeKind::Verdict;
    }
    if numbers().flatten().all(|number| (0.0..=1.0).contains(&number)) {
        JudgeKind::Score
    } else {
        JudgeKind::Raw
    }
}

fn one_order(
    judge: &str,
    column: &Column,
    kind: JudgeKind,
    space: &LabelSpace,
    range: Option<(f64, f64)>,
    ids: &Ids,
) -> Result<Vec<f64>> {
    let id = |row: usize| ids.get(row).unwrap_or_default();
    let number = |row: usize| -> Option<f64> {
        let text = column.text(row).unwrap_or_default();
        if blank(&text) { None } else { text.trim().parse().ok() }
    };
    let rows = 0..column.len();
    if kind == JudgeKind::Raw
        && let Some(row) = rows.clone().find(|row| number(*row).is_some_and(f64::is_infinite))
    {
        let value = column.text(row).unwrap_or_default();
        return Err(JudgeError::Infinite { judge: judge.to_owned(), value, id: id(row) }.into());
    }
    match (kind, space) {
        (JudgeKind::Score, _) => Ok(rows.map(|row| number(row).map_or(f64::NAN, of_score)).collect()),
        (JudgeKind::Raw, _) => {
            Ok(of_raw(&rows.map(|row| number(row).unwrap_or(f64::NAN)).collect::<Vec<f64>>()))
        }
        (JudgeKind::Rating, space) => {
            let (low, high) = match (space, range) {
                (_, Some(range)) => range,
                (LabelSpace::Values { low, high }, None) => (*low, *high),
                (LabelSpace::Classes(_), None) => (0.0, 1.0),
            };
            let odds = |row: usize| match number(row) {
                None => Ok(f64::NAN),
                Some(value) if value >= low && value <= high => Ok(of_rating(value, low, high)),
                Some(value) => {
                    Err(JudgeError::Rating { judge: judge.to_owned(), id: id(row), value, low, high }.into())
                }
            };
            rows.map(odds).collect()
        }
        (JudgeKind::Verdict, LabelSpace::Classes(classes)) => {
            let scale = classes.scale();
            let odds = |row: usize| {
                let text = column.text(row).unwrap_or_default();
                if blank(&text) {
                    return Ok(f64::NAN);
                }
                let found = verdict_class(classes, &text).and_then(|class| scale.get(class).copied());
                let number = || text.trim().parse::<f64>().ok().filter(|worth| (0.0..=1.0).contains(worth));
                found.or_else(number).map(of_verdict).ok_or_else(|| {
                    let (judge, classes) = (judge.to_owned(), classes.names.clone());
                    JudgeError::Verdict { judge, verdict: text.trim().to_owned(), id: id(row), classes }
                        .into()
                })
            };
            rows.map(odds).collect()
        }
        (JudgeKind::Verdict, LabelSpace::Values { low, high }) => {
            // A text among numbers.
            let odd = rows.clone().find(|row| {
                let text = column.text(*row).unwrap_or_default();
                !blank(&text) && text.trim().parse::<f64>().is_err()
            });
            let row = odd.unwrap_or_default();
            let verdict = column.text(row).unwrap_or_default().trim().to_owned();
            let (low, high) = range.unwrap_or((*low, *high));
            Err(JudgeError::NotARating { judge: judge.to_owned(), verdict, id: id(row), low, high }.into())
        }
    }
}

fn check_varied(judge: &JudgeColumn, odds: &[f64]) -> Result<()> {
    let mut known = odds.iter().copied().filter(|odds| odds.is_finite());
    let Some(first) = known.next() else {
        return Err(JudgeError::Blank { judge: judge.name.clone() }.into());
    };
    if known.any(|odds| odds != first) {
        return Ok(());
    }
    let texts = judge.orders.iter().flat_map(|column| (0..column.len()).filter_map(|row| column.text(row)));
    let value =
        texts.filter(|text| !blank(text)).map(|text| text.trim().to_owned()).next().unwrap_or_default();
    Err(JudgeError::Constant { judge: judge.name.clone(), value }.into())
}

/// A model's results between 0 and 1; NaN where it did not run.
pub(crate) fn results(name: &str, column: &Column, space: &LabelSpace, ids: &Ids) -> Result<Vec<f64>> {
    let (low, high) = match space {
        LabelSpace::Classes(_) => (0.0, 1.0),
        LabelSpace::Values { low, high } => (*low, *high),
    };
    let result = |row: usize| {
        let text = column.text(row).unwrap_or_default();
        if blank(&text) {
            return Ok(f64::NAN);
        }
        let number = text.trim().parse::<f64>().ok().filter(|number| *number >= low && *number <= high);
        let by_number = number.map(|number| (number - low) / (high - low));
        let by_class = || match space {
            LabelSpace::Classes(classes) => {
                let scale = classes.scale();
                verdict_class(classes, &text).and_then(|class| scale.get(class).copied())
            }
            LabelSpace::Values { .. } => None,
        };
        by_number.or_else(by_class).ok_or_else(|| {
            let (model, id) = (name.to_owned(), ids.get(row).unwrap_or_default());
            JudgeError::Result { model, value: text.trim().to_owned(), id, low, high }.into()
        })
    };
    (0..column.len()).map(result).collect()
}
