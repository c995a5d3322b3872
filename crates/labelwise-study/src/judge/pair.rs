//! Two systems, a label for each answer. An item is a prompt; its label is a pair of classes, told in the order in which the
//! answers are shown, which is random and does not name the systems.

use labelwise::interval::Method;
use labelwise::ledger::Draw;
use labelwise::loss::{ClassWorths, Loss};
use labelwise::surrogate::{
    JudgePrior, Judges, Observed, PairedJudges, RatioScale, Schedule, WorthScale, judged_mean,
};
use labelwise::{Classification, Matrix, Pool, Target};
use labelwise_pool::{Column, JudgedColumns, PoolTable, Predictions, SecondSystem, Strings};
use serde::{Deserialize, Serialize};

use super::classes::LabelClasses;
use super::columns::{LabelSpace, ReadJudge, read};
use super::plan::JudgedPool;
use super::surrogate::{Judging, Lasting};
use super::{JudgeChoice, KeptPrior};
use crate::Study;
use crate::decide::choices::Choices;
use crate::error::{JudgeError, LabelWanted, Result, damaged};
use crate::inputs::ProposalInputs;
use crate::questions::estimate::{EstimateOptions, Estimated};
use crate::spec::metric::{LossName, Metric, View};

/// The systems of a comparison in which each answer has its own label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairChoice {
    /// The systems: the first, and the one that is compared with it.
    pub names: [String; 2],
    /// The classes of one answer.
    pub classes: Vec<String>,
    /// The worth of each; empty in files of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) worths: Vec<f64>,
}

/// The rate or the mean value of one of two systems.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SystemRate {
    /// The system.
    pub system: String,
    /// The estimate.
    pub estimate: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The difference of two systems whose answers each have a label of their own, and the decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PairVerdict {
    /// The systems: the first, and the one that is compared with it.
    pub systems: [String; 2],
    /// The second less the first.
    pub difference: Estimated,
    /// The smallest error probability at which the interval leaves out 0.
    pub p_value: f64,
    /// The system that is better; `None` if the labels do not decide.
    pub better: Option<String>,
    /// The rate or the mean value of each system; only with ordinary intervals for the pool.
    pub rates: Vec<SystemRate>,
}

/// Whether the second system's answer is shown first: a function of seed and item.
pub(crate) fn swapped(seed: u64, item: usize) -> bool {
    // SplitMix64, so that neighbours have nothing in common.
    let mut bits = seed.wrapping_add((item as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits ^ (bits >> 31)) & 1 == 1
}

impl PairChoice {
    /// The class of a pair from the text of its label: the classes of the first and the second answer as they were shown, with
    /// `|`, `/`, `;`, `,` or a blank between; or the class of each system by its name, `v3=pass|v4=fail`.
    pub(crate) fn label(&self, text: &str, seed: u64, item: usize) -> Result<usize, LabelWanted> {
        let wanted = || LabelWanted::Pair(self.classes.clone());
        let find = |part: &str| self.classes.iter().position(|class| class.trim() == part.trim());
        let parts =
            || ['|', '/', ';', ',', ' '].iter().filter_map(|between| text.trim().split_once(*between));
        let shown = || {
            let (first, second) = parts().find_map(|(first, second)| find(first).zip(find(second)))?;
            Some(if swapped(seed, item) { (second, first) } else { (first, second) })
        };
        let named = || parts().find_map(|(first, second)| self.by_names([first, second], find));
        let (one, two) = shown().or_else(named).ok_or_else(wanted)?;
        Ok(one * self.classes.len() + two)
    }

    /// The classes of two parts that name each system once.
    fn by_names(&self, parts: [&str; 2], find: impl Fn(&str) -> Option<usize>) -> Option<(usize, usize)> {
        let [one, two] = &self.names;
        let of = |system: &String| {
            let rest = parts.iter().find_map(|part| part.trim().strip_prefix(system.as_str()));
            rest.and_then(|rest| rest.trim_start().strip_prefix('='))
        };
        find(of(one)?).zip(find(of(two)?))
    }
}

/// The pool of pairs of two systems.
pub(crate) fn resolved(
    table: &PoolTable,
    judged: &JudgedColumns,
    second: &SecondSystem,
    classes: &LabelClasses,
    choices: &Choices,
) -> Result<(PoolTable, JudgedPool)> {
    if !judged.history.is_empty() {
        return Err(JudgeError::Beside { option: "a history of two systems" }.into());
    }
    let space = LabelSpace::Classes(classes.clone());
    let all = |columns: &JudgedColumns| -> Result<Vec<ReadJudge>> {
        columns.judges.iter().map(|judge| read(judge, &space, choices.range, &table.ids)).collect()
    };
    let sides = [all(judged)?, all(&second.judged)?];
    let count = judged.judges.len();
    let prior = JudgePrior::judges(count);
    let odds = |side: &[ReadJudge], item: usize| -> Vec<f64> {
        let of =
            |judge: &ReadJudge| judge.odds.get(item).copied().filter(|odds| odds.is_finite()).unwrap_or(0.0);
        side.iter().map(of).collect()
    };
    let scale = classes.scale();
    let seen = WorthScale::<Classification>::seen(&scale, &[]);
    let (mut features, mut rows) = (Vec::new(), Vec::new());
    for item in 0..table.rows() {
        let mut shares: [Vec<f64>; 2] = Default::default();
        for (side, share) in sides.iter().zip(&mut shares) {
            let own = odds(side, item);
            let expected = prior.plainly_expected(&own);
            WorthScale::<Classification>::believe(&scale, expected, &seen, share);
            features.extend(own);
        }
        let [one, two] = &shares;
        rows.extend(one.iter().flat_map(|a| two.iter().map(move |b| a * b)));
    }
    let size = classes.names.len();
    let names = classes.names.iter().flat_map(|a| classes.names.iter().map(move |b| format!("{a}|{b}")));
    let worths = classes.worths.iter().flat_map(|a| classes.worths.iter().map(move |b| b - a)).collect();
    let mut made = table.clone();
    made.predictions = Predictions::Classes { names: names.collect(), rows: Matrix::f64(rows, size * size)? };
    made.carried = shown(table, second, choices.seed);
    made.judged = None;
    made.labels = None;
    let [one, two] = &second.names;
    let mut notes = super::plan::notes(sides.iter().flatten(), table.rows());
    notes.push(format!(
        "a label is of both answers, in the order in which they are shown: {first}|{last}; the order is random",
        first = classes.names.first().map_or("", String::as_str),
        last = classes.names.last().map_or("", String::as_str),
    ));
    let [first, _] = sides;
    let choice = JudgeChoice {
        judges: first.into_iter().map(|judge| judge.origin).collect(),
        history: 0,
        scale,
        open: false,
        prior: KeptPrior::from(&prior),
        ratings: choices.range,
        group: None,
        pair: Some(PairChoice {
            names: second.names.clone(),
            classes: classes.names.clone(),
            worths: classes.worths.clone(),
        }),
    };
    let metric = Metric { name: format!("{two} - {one}"), loss: LossName::Value, view: View::Plain };
    let features = Matrix::f64(features, (2 * count).max(1))?;
    Ok((made, JudgedPool { choice, features, worths, positive: None, notes, metric: Some(metric) }))
}

/// Passthrough columns: those that are the same for both systems once, the others as first and second.
fn shown(table: &PoolTable, second: &SecondSystem, seed: u64) -> Vec<(String, Column)> {
    let mut all = Vec::new();
    for (name, one) in &table.carried {
        let Some((_, two)) = second.carried.iter().find(|(other, _)| other == name) else { continue };
        let text = |column: &Column, row: usize| column.text(row).unwrap_or_default();
        if (0..table.rows()).all(|row| text(one, row) == text(two, row)) {
            all.push((name.clone(), one.clone()));
            continue;
        }
        for (place, last) in [("first", false), ("second", true)] {
            let cell = |row: usize| text(if swapped(seed, row) == last { one } else { two }, row);
            let texts: Strings =
                (0..table.rows()).map(cell).collect::<Vec<_>>().iter().map(String::as_str).collect();
            all.push((format!("{place} {name}"), Column::Texts(texts)));
        }
    }
    all
}

/// The belief about pairs.
pub(crate) fn judging(
    choice: &JudgeChoice,
    features: &Matrix,
    loss: impl Fn() -> Option<Box<dyn Loss<Classification>>>,
    pool: &Pool<Classification>,
) -> Result<Box<dyn Judging<Classification>>> {
    let broken = || damaged("evaluation".as_ref(), "settings", "judge");
    let width = features.columns() / 2;
    let mut reader = features.reader();
    let mut halves: [Vec<f64>; 2] = Default::default();
    for item in 0..features.rows() {
        let (one, two) = reader.row(item).split_at(width);
        halves[0].extend_from_slice(one);
        halves[1].extend_from_slice(two);
    }
    let side = |values: Vec<f64>| -> Result<Judges<Classification>> {
        let prior = choice.prior.prior().ok_or_else(broken)?;
        let (features, loss) = (Matrix::f64(values, width.max(1))?, loss().ok_or_else(broken)?);
        Ok(Judges::new(features, prior, choice.scale.clone(), loss.into(), pool)?.schedule(Schedule::Never))
    };
    let [one, two] = halves;
    Ok(Box::new(Lasting(PairedJudges::new(side(one)?, side(two)?))))
}

impl Study {
    /// The difference of two systems and the decision; `None` if each answer does not have a label of its own.
    pub fn pair_verdict(&self, wanted: &EstimateOptions) -> Result<Option<PairVerdict>> {
        let Some(pair) = self.settings.judge.as_ref().and_then(|judge| judge.pair.as_ref()) else {
            return Ok(None);
        };
        let p_value = self.pair_p_value(wanted)?;
        let Some(difference) = self.estimate(wanted)?.pop() else { return Ok(None) };
        let [one, two] = &pair.names;
        let better = match difference.interval {
            Some((low, _)) if low > 0.0 => Some(two.clone()),
            Some((_, high)) if high < 0.0 => Some(one.clone()),
            _ => None,
        };
        let rates = match (wanted.target, wanted.method) {
            (Target::Pool, Method::Ordinary) => self.pair_rates(wanted.level)?,
            _ => Vec::new(),
        };
        Ok(Some(PairVerdict { systems: pair.names.clone(), difference, p_value, better, rates }))
    }

    /// The rates or mean values of both systems by the labels of a comparison, with ordinary intervals for this pool; none
    /// before there are labels, or with skipped items.
    pub fn pair_rates(&self, level: f64) -> Result<Vec<SystemRate>> {
        let Some(pair) = self.settings.judge.as_ref().and_then(|judge| judge.pair.as_ref()) else {
            return Ok(Vec::new());
        };
        let (low, high) =
            pair.worths.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), worth| {
                (low.min(*worth), high.max(*worth))
            });
        let inputs = ProposalInputs::<Classification>::new(&*self.journal, &self.settings)?;
        let draws = self.labelled_draws::<Classification>()?.filter(|draws| draws.len() > 1);
        let (Some(judges), Some(draws), true) = (&inputs.judges, draws, low < high) else {
            return Ok(Vec::new());
        };
        let refreshes = self.proposals(&inputs)?;
        let labels = self.record()?.observed::<Classification>(self.journal.path(), &self.settings)?;
        let observed = Observed { pool: &inputs.pool, labels: &labels };
        let plain: Vec<Draw> = draws.iter().map(|(draw, _)| *draw).collect();
        let (mut rates, classes) = (Vec::new(), pair.classes.len());
        for (side, system) in pair.names.iter().enumerate() {
            let scale: Vec<f64> = (0..classes * classes)
                .map(|label| if side == 0 { label / classes } else { label % classes })
                .map(|class| (pair.worths.get(class).copied().unwrap_or(low) - low) / (high - low))
                .collect();
            let loss = ClassWorths::new(scale)?;
            let expected = judges.expectation(observed, &refreshes, &plain, &loss)?;
            let Some(found) = judged_mean(observed, &refreshes, &draws, &loss, expected.as_ref())? else {
                return Ok(Vec::new());
            };
            let ends = found.interval(RatioScale::Share, level);
            let told = |share: f64| low + (high - low) * share.clamp(0.0, 1.0);
            let (from, to) = (told(ends.0), told(ends.1));
            rates.push(SystemRate {
                system: system.clone(),
                estimate: told(found.value),
                low: from,
                high: to,
            });
        }
        Ok(rates)
    }

    /// The p-value of the difference of two systems: the smallest error probability at which the interval leaves out 0.
    fn pair_p_value(&self, wanted: &EstimateOptions) -> Result<f64> {
        let leaves_out = |level: f64| -> Result<bool> {
            let options = EstimateOptions { level, ..wanted.clone() };
            let found = self.estimate(&options)?.pop();
            Ok(found.and_then(|found| found.interval).is_some_and(|(low, high)| low > 0.0 || high < 0.0))
        };
        let (mut low, mut high) = (1e-5, 1.0 - 1e-6);
        if leaves_out(1.0 - low)? {
            return Ok(low);
        }
        for _ in 0..16 {
            let middle: f64 = (f64::ln(low) + f64::ln(high)) / 2.0;
            let middle = middle.exp();
            if leaves_out(1.0 - middle)? { high = middle } else { low = middle }
        }
        Ok(high)
    }
}
