//! How far people agree: second opinions compared with the labels of record.

use std::collections::{BTreeMap, HashMap};

use labelwise::interval::t_quantile_of;
use labelwise::ledger::Imputed;
use serde::Serialize;

use crate::error::Result;
use crate::task::{StudyTask, same_class, with_task};
use crate::{Fate, Study};

/// How far second opinions agree with the labels of record.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Agreement {
    /// Items with a label and a second opinion that is a label.
    pub both: usize,
    /// Number of these on which both are equal.
    pub agree: usize,
    /// Cohen's κ: agreement beyond chance. `None` if chance alone would agree always, or labels are numbers.
    pub kappa: Option<f64>,
    /// The same for each pair of people, in alphabetical order.
    pub pairs: Vec<PairAgreement>,
    /// The items on which people differ, in the order of the opinions.
    pub differing: Vec<Disagreement>,
}

/// How far two people agree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairAgreement {
    /// Their names, in alphabetical order.
    pub who: (String, String),
    /// Items with labels of both.
    pub both: usize,
    /// Number of these on which both are equal.
    pub agree: usize,
}

/// An item on which two people differ.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The id of the item.
    pub id: String,
    /// The label of record and its author.
    pub label: (String, String),
    /// The second opinion and its author.
    pub opinion: (String, String),
}

/// How often two people give an item of the pool the same label, with intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HumanAgreement {
    /// Items with labels of several people.
    pub items: usize,
    /// Number of these on which not all labels are equal.
    pub differing: usize,
    /// The probability that two people agree on an item of the pool.
    pub agreement: f64,
    /// Its interval; `None` while fewer than 10 items show a difference.
    pub agreement_interval: Option<(f64, f64)>,
    /// The same beyond chance: 1 − D/E, with D how often two people differ and E how often labels of two items do. `None` if all
    /// labels are one class, or labels are numbers.
    pub kappa: Option<f64>,
    /// Its interval.
    pub kappa_interval: Option<(f64, f64)>,
}

/// With fewer items on which people differ, there is no interval of their agreement.
const ENOUGH_DIFFERENCES: usize = 10;

impl Study {
    /// How often two people give an item of the pool the same label, by the items with several labels and the probabilities they
    /// were drawn with. `None` without such items.
    pub fn human_agreement(&self, level: f64) -> Result<Option<HumanAgreement>> {
        if self.settings.design.is_stratified() || self.opinions()?.is_empty() {
            return Ok(None);
        }
        with_task!(self.settings, T => self.agreement_of::<T>(level))
    }

    fn agreement_of<T: StudyTask>(&self, level: f64) -> Result<Option<HumanAgreement>> {
        let (panel, record) = (self.panel()?, self.record()?);
        let ledger = record.own_ledger::<T>(self.journal.path(), &self.settings)?;
        if ledger.complete() == 0 {
            return Ok(None);
        }
        let evidence = ledger.evidence(Imputed::Expected)?;
        let weights: HashMap<usize, f64> =
            evidence.samples.iter().map(|sample| sample.index).zip(evidence.weights()).collect();
        let mut items = Vec::new();
        for (place, (drawn, fate)) in record.draws.iter().zip(&record.fates).enumerate() {
            let Fate::Labelled(own) = fate else { continue };
            let further = panel.further(place);
            let Some(&weight) = weights.get(&drawn.row.draw.index).filter(|_| !further.is_empty()) else {
                continue;
            };
            let labels: Vec<&str> =
                std::iter::once(own.as_str()).chain(further.iter().map(String::as_str)).collect();
            items.push((weight, labels));
        }
        Ok(measured(&items, level, self.classes_to_choose()?.is_some()))
    }

    /// How far second opinions agree with the labels of record.
    pub fn agreement(&self) -> Result<Agreement> {
        let mut found = Agreement::default();
        let mut pairs: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
        let mut texts: Vec<(String, String)> = Vec::new();
        let record = self.record()?;
        let mut authors: BTreeMap<u64, &str> = BTreeMap::new();
        record.events.iter().filter(|event| event.label.is_some()).for_each(|event| {
            authors.insert(event.place, &event.who);
        });
        for opinion in self.opinions()? {
            let (Some(second), Some(draw)) = (&opinion.label, record.find(&opinion.id)) else { continue };
            let Fate::Labelled(first) = &*draw.fate else { continue };
            let author = (*authors.get(&(draw.place as u64)).unwrap_or(&"")).to_owned();
            let are_equal = equal(first, second);
            let mut who = (author.clone(), opinion.who.clone());
            if who.1 < who.0 {
                who = (who.1, who.0);
            }
            let pair = pairs.entry(who).or_default();
            found.both += 1;
            pair.0 += 1;
            if are_equal {
                found.agree += 1;
                pair.1 += 1;
            } else {
                let (label, second) = ((first.clone(), author), (second.clone(), opinion.who));
                found.differing.push(Disagreement { id: opinion.id, label, opinion: second });
            }
            texts.push((first.clone(), opinion.label.unwrap_or_default()));
        }
        let pair = |(who, (both, agree))| PairAgreement { who, both, agree };
        found.pairs = pairs.into_iter().map(pair).collect();
        let classes = self.classes_to_choose()?.is_some();
        found.kappa = if classes { kappa(&texts, found.agree) } else { None };
        Ok(found)
    }
}

/// Agreement and κ from items with their weights and labels.
#[allow(clippy::cast_precision_loss, reason = "items and labels are counted in thousands")]
fn measured(items: &[(f64, Vec<&str>)], level: f64, classes: bool) -> Option<HumanAgreement> {
    let total: f64 = items.iter().map(|(weight, _)| weight).sum();
    if total <= 0.0 {
        return None;
    }
    let differs = |labels: &[&str]| {
        let pairs = labels.len() * (labels.len() - 1) / 2;
        let unequal = |at: usize| {
            let one = labels.get(at).copied().unwrap_or_default();
            labels.iter().skip(at + 1).filter(|other| !equal(one, other)).count()
        };
        (0..labels.len()).map(unequal).sum::<usize>() as f64 / pairs as f64
    };
    let each: Vec<f64> = items.iter().map(|(_, labels)| differs(labels)).collect();
    let mean = |of: &dyn Fn(usize) -> f64| {
        items.iter().enumerate().map(|(at, (weight, _))| weight * of(at)).sum::<f64>() / total
    };
    let differing = each.iter().filter(|d| **d > 0.0).count();
    let d = mean(&|at| each.get(at).copied().unwrap_or(0.0));
    let mut names: Vec<&str> =
        items.iter().flat_map(|(_, labels)| labels.iter().map(|label| label.trim())).collect();
    names.sort_unstable();
    names.dedup();
    let share = |at: usize, name: &str| {
        let labels = items.get(at).map_or(&[][..], |(_, labels)| labels);
        labels.iter().filter(|label| equal(label, name)).count() as f64 / labels.len().max(1) as f64
    };
    let shares: Vec<f64> = names.iter().map(|name| mean(&|at| share(at, name))).collect();
    let e = 1.0 - shares.iter().map(|share| share * share).sum::<f64>();
    let kappa = (classes && e > 0.0).then(|| 1.0 - d / e);
    let enough = differing >= ENOUGH_DIFFERENCES;
    let half = |of: &dyn Fn(usize) -> f64| {
        let square = |(at, (weight, _)): (usize, &(f64, Vec<&str>))| (weight * of(at)).powi(2);
        let variance = items.iter().enumerate().map(square).sum::<f64>() / (total * total);
        let count = items.len() as f64;
        let freedom = (count - 1.0).max(1.0);
        t_quantile_of(freedom, (1.0 - level) / 2.0) * (variance * count / freedom).sqrt()
    };
    let off = |at: usize| each.get(at).copied().unwrap_or(0.0) - d;
    let agreement_interval = enough.then(|| {
        let (value, half) = (1.0 - d, half(&off));
        ((value - half).max(0.0), (value + half).min(1.0))
    });
    let kappa_interval = kappa.filter(|_| enough).map(|kappa| {
        let chance = |at: usize| -> f64 {
            names.iter().zip(&shares).map(|(name, p)| -2.0 * p * (share(at, name) - p)).sum()
        };
        let half = half(&|at| off(at) / e - d / (e * e) * chance(at));
        ((kappa - half).max(-1.0), (kappa + half).min(1.0))
    });
    let items = items.len();
    Some(HumanAgreement { items, differing, agreement: 1.0 - d, agreement_interval, kappa, kappa_interval })
}

/// Whether two labels are the same class or the same number.
fn equal(one: &str, other: &str) -> bool {
    same_class(one, other)
        || one.trim().parse::<f64>().is_ok_and(|one| other.trim().parse::<f64>() == Ok(one))
}

/// κ = (p − e) / (1 − e), with p the share of equal labels and e what independent raters would have.
fn kappa(texts: &[(String, String)], agree: usize) -> Option<f64> {
    let n = texts.len() as f64;
    let mut counts: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (first, second) in texts {
        counts.entry(first.trim()).or_default().0 += 1.0;
        counts.entry(second.trim()).or_default().1 += 1.0;
    }
    let chance: f64 = counts.values().map(|(first, second)| first * second / (n * n)).sum();
    (!texts.is_empty() && chance < 1.0).then(|| (agree as f64 / n - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::{kappa, measured};

    #[test]
    fn agreement_of_all_pairs_is_that_of_every_item() {
        // 60 items: 40 agree on yes, 8 on no, 12 differ.
        let labels = |at: usize| match at {
            0..40 => vec!["yes", "yes"],
            40..48 => vec!["no", "no"],
            _ => vec!["yes", "no"],
        };
        let items: Vec<(f64, Vec<&str>)> = (0..60).map(|at| (2.5, labels(at))).collect();
        let found = measured(&items, 0.95, true).unwrap();
        let (d, p) = (12.0 / 60.0, (40.0 + 6.0) / 60.0);
        assert!((found.agreement - (1.0 - d)).abs() < 1e-12);
        assert!((found.kappa.unwrap() - (1.0 - d / (2.0 * p * (1.0 - p)))).abs() < 1e-12);
        let (low, high) = found.agreement_interval.unwrap();
        // Student's t with 59 degrees of freedom.
        let half = 2.001 * (d * (1.0 - d) / 59.0).sqrt();
        assert!(
            (low - (1.0 - d - half)).abs() < 1e-4 && (high - (1.0 - d + half)).abs() < 1e-4,
            "{low} {high}"
        );
        let (low, high) = found.kappa_interval.unwrap();
        assert!(low < found.kappa.unwrap() && found.kappa.unwrap() < high && high - low < 0.6);
        assert_eq!(measured(&items[..50], 0.95, true).unwrap().agreement_interval, None);
        assert_eq!(measured(&[], 0.95, true), None);
    }

    #[test]
    fn kappa_is_that_of_the_textbook() {
        // 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p = 0.7, e = 0.5.
        let table = [("yes", "yes", 20), ("yes", "no", 5), ("no", "yes", 10), ("no", "no", 15)];
        let pair = |(one, other, n): (&str, &str, usize)| vec![(one.to_owned(), other.to_owned()); n];
        let texts: Vec<(String, String)> = table.into_iter().flat_map(pair).collect();
        assert!((kappa(&texts, 35).unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(kappa(&texts[..20], 20), None);
        assert_eq!(kappa(&[], 0), None);
    }
}
