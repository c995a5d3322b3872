//! How far people agree: second opinions compared with the labels of record.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::task::same_class;
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

impl Study {
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
    use super::kappa;

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
