//! Groups: several samples of a prompt, which are drawn and labelled together. A label says how many of them pass, from which
//! pass@k and pass^k of the group follow.

use std::collections::HashMap;

use labelwise::Matrix;
use labelwise::surrogate::{JudgePrior, WorthScale, of_score};
use labelwise_pool::{Column, Ids, JudgedColumns, PoolTable, Predictions, Strings};
use serde::{Deserialize, Serialize};

use super::classes::LabelClasses;
use super::columns::{LabelSpace, read};
use super::plan::{self, JudgedPool};
use super::{JudgeChoice, KeptPrior};
use crate::decide::choices::Choices;
use crate::error::{JudgeError, LabelWanted, Result};
use crate::spec::metric::{LossName, Metric};

/// Samples that are drawn and labelled together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupChoice {
    /// The column of groups.
    pub column: String,
    /// Number of samples of each group.
    pub size: usize,
    /// The classes of one sample, the positive one last.
    pub classes: Vec<String>,
}

impl GroupChoice {
    /// The number of samples that pass, from the text of a label: this number, or the class of every sample in order, with `|`,
    /// `/`, `;`, `,` or a blank between.
    pub(crate) fn label(&self, text: &str) -> Result<usize, LabelWanted> {
        let wanted = || LabelWanted::Group { classes: self.classes.clone(), size: self.size };
        let text = text.trim();
        if let Ok(count) = text.parse::<usize>() {
            return Some(count).filter(|count| *count <= self.size).ok_or_else(wanted);
        }
        let between = ['|', '/', ';', ',', ' ']
            .into_iter()
            .find(|between| text.contains(*between))
            .ok_or_else(wanted)?;
        let parts: Vec<&str> = text.split(between).map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.len() != self.size {
            return Err(wanted());
        }
        let mut passed = 0;
        for part in parts {
            let class = self
                .classes
                .iter()
                .position(|class| class.trim().eq_ignore_ascii_case(part))
                .ok_or_else(wanted)?;
            passed += usize::from(class + 1 == self.classes.len());
        }
        Ok(passed)
    }

    /// The worth of every number of passes, by a loss of groups; `None` by another loss, or for more samples than a group has.
    pub(crate) fn worths(&self, loss: LossName) -> Option<Vec<f64>> {
        let (k, any) = match loss {
            LossName::PassAny(k) => (usize::from(k), true),
            LossName::PassAll(k) => (usize::from(k), false),
            _ => return None,
        };
        if !(1..=self.size).contains(&k) {
            return None;
        }
        let worth = |passes: usize| {
            let of = if any { self.size - passes } else { passes };
            let share = chosen_of(of, self.size, k);
            if any { 1.0 - share } else { share }
        };
        Some((0..=self.size).map(worth).collect())
    }
}

/// C(some, k) / C(all, k): the probability that k of all samples are among some of them.
#[allow(clippy::cast_precision_loss, reason = "samples of a prompt are few")]
fn chosen_of(some: usize, all: usize, k: usize) -> f64 {
    (0..k).map(|at| some.saturating_sub(at) as f64 / (all - at) as f64).product()
}

/// The pool of groups.
pub(crate) fn resolved(
    table: &PoolTable,
    judged: &JudgedColumns,
    column: &str,
    choices: &Choices,
    loss: Option<LossName>,
) -> Result<(PoolTable, JudgedPool)> {
    if !judged.history.is_empty() || judged.second.is_some() {
        return Err(JudgeError::Beside { option: "a group of samples" }.into());
    }
    let Some(loss) = loss.filter(|loss| matches!(loss, LossName::PassAny(_) | LossName::PassAll(_))) else {
        return Err(JudgeError::GroupLoss.into());
    };
    let mut space = plan::label_space(judged, choices, Some(LossName::Rate))?;
    let LabelSpace::Classes(classes) = &mut space else { return Err(JudgeError::GroupLoss.into()) };
    let members = members(table, column)?;
    let size = members.first().map_or(0, |(_, rows)| rows.len());
    if let Some((group, rows)) = members.iter().find(|(_, rows)| rows.len() != size) {
        let (first, samples) =
            (members.first().map_or_else(String::new, |(name, _)| name.clone()), rows.len());
        return Err(JudgeError::GroupSize {
            column: column.to_owned(),
            first,
            size,
            group: group.clone(),
            samples,
        }
        .into());
    }
    let group = GroupChoice { column: column.to_owned(), size, classes: classes.names.clone() };
    let Some(scale) = group.worths(loss) else { return Err(JudgeError::GroupSmall { loss, size }.into()) };
    let mut judges = Vec::with_capacity(judged.judges.len());
    for judge in &judged.judges {
        judges.push(read(judge, &space, choices.range, &table.ids)?);
    }
    let mut notes = plan::notes(judges.iter(), table.rows());
    let of_sample = JudgePrior::judges(judges.len());
    let passes = |row: usize| {
        let odds =
            |judge: &super::columns::ReadJudge| judge.odds.get(row).copied().filter(|odds| odds.is_finite());
        let own: Vec<f64> = judges.iter().map(|judge| odds(judge).unwrap_or(0.0)).collect();
        of_sample.plainly_expected(&own)
    };
    let prior = JudgePrior::judges(1);
    let seen = WorthScale::<labelwise::Classification>::seen(&scale, &[]);
    let (mut features, mut rows) = (Vec::new(), Vec::new());
    for (_, samples) in &members {
        let expected: f64 = counts(samples.iter().map(|row| passes(*row)))
            .iter()
            .zip(&scale)
            .map(|(probability, worth)| probability * worth)
            .sum();
        let odds = of_score(expected);
        features.push(odds);
        WorthScale::<labelwise::Classification>::believe(
            &scale,
            prior.plainly_expected(&[odds]),
            &seen,
            &mut rows,
        );
    }
    let mut made = table.clone();
    made.ids = Ids::Column(Column::Texts(members.iter().map(|(name, _)| name.as_str()).collect()));
    let names: Vec<String> = (0..=size).map(|count| count.to_string()).collect();
    made.predictions = Predictions::Classes { names, rows: Matrix::f64(rows, size + 1)? };
    made.carried = shown(table, column, &members);
    made.judged = None;
    made.labels = None;
    if let Some(labels) = &judged.labels {
        made = made.with_labels(&counted(labels, &members, &group)?)?;
    }
    notes.push(format!(
        "an item is a group of {size} samples with the same {column}; a label is how many of them are {}, or the class of each \
         in order",
        group.classes.last().map_or("", String::as_str)
    ));
    let choice = JudgeChoice {
        judges: judges.into_iter().map(|judge| judge.origin).collect(),
        history: 0,
        scale: scale.clone(),
        open: false,
        prior: KeptPrior::from(&prior),
        ratings: choices.range,
        pair: None,
        group: Some(group),
    };
    let metric =
        choices.metric.clone().filter(|metric| metric.loss == loss).unwrap_or_else(|| Metric::plain(loss));
    let features = Matrix::f64(features, 1)?;
    Ok((
        made,
        JudgedPool { choice, features, worths: Vec::new(), positive: None, notes, metric: Some(metric) },
    ))
}

/// The rows of each group, in the order in which groups appear.
fn members(table: &PoolTable, column: &str) -> Result<Vec<(String, Vec<usize>)>> {
    let unknown = || JudgeError::GroupColumn {
        column: column.to_owned(),
        columns: table.carried.iter().map(|(name, _)| name.clone()).collect(),
    };
    let (_, values) = table.carried.iter().find(|(name, _)| name == column).ok_or_else(unknown)?;
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for row in 0..table.rows() {
        let name = values.text(row).unwrap_or_default().trim().to_owned();
        if name.is_empty() {
            let id = table.ids.get(row).unwrap_or_default();
            return Err(JudgeError::NoGroup { column: column.to_owned(), id }.into());
        }
        let place = *places.entry(name.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    Ok(groups)
}

/// The probability of every number of passes of independent samples.
fn counts(passes: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all = vec![1.0];
    for p in passes {
        let mut next = vec![0.0; all.len() + 1];
        for (count, probability) in all.iter().enumerate() {
            for (more, share) in [(0, 1.0 - p), (1, p)] {
                if let Some(cell) = next.get_mut(count + more) {
                    *cell += share * probability;
                }
            }
        }
        all = next;
    }
    all
}

/// Known labels of samples as the number of passes of each group.
fn counted(labels: &Column, members: &[(String, Vec<usize>)], group: &GroupChoice) -> Result<Column> {
    let positive = group.classes.last().map_or("", String::as_str);
    let known = LabelClasses::of_rate(group.classes.clone(), positive)?;
    let mut counts = Vec::with_capacity(members.len());
    for (_, rows) in members {
        let mut passed = 0;
        for &row in rows {
            let text = labels.text(row).unwrap_or_default();
            let class =
                known.find(&text).ok_or_else(|| JudgeError::NoWorth { class: text.trim().to_owned() })?;
            passed += i64::from(class + 1 == known.names.len());
        }
        counts.push(passed);
    }
    Ok(Column::Integers(counts))
}

/// Passthrough columns: those that are the same for all samples of every group once, the others once per sample.
fn shown(table: &PoolTable, group: &str, members: &[(String, Vec<usize>)]) -> Vec<(String, Column)> {
    let mut all = Vec::new();
    for (name, column) in table.carried.iter().filter(|(name, _)| name != group) {
        let text = |row: usize| column.text(row).unwrap_or_default();
        let one = |(_, rows): &(String, Vec<usize>)| {
            let mut texts = rows.iter().map(|row| text(*row));
            let first = texts.next();
            texts.all(|other| Some(&other) == first.as_ref())
        };
        let taken = |place: usize| -> Column {
            let texts: Vec<String> = members
                .iter()
                .map(|(_, rows)| rows.get(place).map_or_else(String::new, |row| text(*row)))
                .collect();
            Column::Texts(texts.iter().map(String::as_str).collect::<Strings>())
        };
        if members.iter().all(one) {
            all.push((name.clone(), taken(0)));
        } else {
            let size = members.first().map_or(0, |(_, rows)| rows.len());
            all.extend((0..size).map(|place| (format!("{name} {}", place + 1), taken(place))));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(size: usize) -> GroupChoice {
        GroupChoice { column: "prompt".into(), size, classes: vec!["fail".into(), "pass".into()] }
    }

    /// Every choice of k of the samples.
    #[test]
    fn pass_at_k_is_that_of_every_choice_of_samples() {
        let size = 5_usize;
        for k in 1..=size {
            let any = group(size).worths(LossName::PassAny(k as u16)).unwrap();
            let all = group(size).worths(LossName::PassAll(k as u16)).unwrap();
            for passes in 0..=size {
                let (mut ways, mut some, mut every) = (0.0, 0.0, 0.0);
                for choice in 0..1_u32 << size {
                    if choice.count_ones() as usize != k {
                        continue;
                    }
                    let hits = (choice & ((1 << passes) - 1)).count_ones() as usize;
                    ways += 1.0;
                    some += f64::from(u8::from(hits > 0));
                    every += f64::from(u8::from(hits == k));
                }
                assert!((any[passes] - some / ways).abs() < 1e-12, "{k} {passes}");
                assert!((all[passes] - every / ways).abs() < 1e-12, "{k} {passes}");
            }
        }
        assert_eq!(group(2).worths(LossName::PassAny(3)), None);
        assert_eq!(group(2).worths(LossName::Rate), None);
    }

    #[test]
    fn labels_of_groups_are_counts_or_lists() {
        let group = group(3);
        for (text, passes) in
            [("2", 2), ("pass|fail|pass", 2), ("fail, fail, fail", 0), ("Pass pass PASS", 3)]
        {
            assert_eq!(group.label(text).unwrap(), passes, "{text}");
        }
        for text in ["4", "pass|fail", "pass", "pass|maybe|fail", ""] {
            assert!(group.label(text).is_err(), "{text}");
        }
    }

    #[test]
    fn passes_of_independent_samples() {
        let found = counts([0.5, 0.25].into_iter());
        assert!(found.iter().zip([0.375, 0.5, 0.125]).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }
}
