//! The items of a pool by the class they are predicted as: known without a label, and the domains of metrics of classes.

use std::collections::BTreeMap;

use labelwise::Matrix;
use labelwise::ledger::{Ledger, Outcome};
use labelwise::metric::PredictedClasses;
use labelwise_pool::Column;

use crate::Study;
use crate::columns::{PREDICTED, PREDICTIONS};
use crate::error::Result;
use crate::journal::Journal;
use crate::journal::record::PredictedClass;
use crate::journal::row::Row;
use crate::prepare;
use crate::questions::classes::Classes;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::task::StudyTask;

/// Maximum number of predicted texts that are counted.
const MOST: usize = 1000;

/// The items that can be drawn, with their weights in a proposal.
pub(crate) fn weighed(
    journal: &dyn Journal,
    settings: &Settings,
    predictions: &Matrix,
    weights: &[f64],
) -> Result<Vec<PredictedClass>> {
    let none = PredictedClass { text: String::new(), items: 0, weight: 0.0 };
    let add = |sum: &mut PredictedClass, weight: f64| {
        sum.items += usize::from(weight > 0.0);
        sum.weight += weight;
    };
    match &settings.subject {
        Subject::Classes { names } => {
            let mut sums = vec![none; names.len()];
            let decision = settings.decision();
            let mut reader = predictions.reader();
            for (item, weight) in weights.iter().enumerate() {
                if let Some(sum) = sums.get_mut(decision.predicted(reader.row(item))) {
                    add(sum, *weight);
                }
            }
            Ok(sums)
        }
        Subject::Hard => {
            let mut sums: BTreeMap<String, PredictedClass> = BTreeMap::new();
            let mut left = weights.iter();
            journal.each_block(PREDICTED, &mut |block| {
                for (text, weight) in (0..block.len()).filter_map(|row| block.text(row)).zip(&mut left) {
                    if sums.len() <= MOST {
                        add(sums.entry(text).or_insert_with(|| none.clone()), *weight);
                    }
                }
            })?;
            if sums.len() > MOST {
                return Ok(Vec::new());
            }
            Ok(sums.into_iter().map(|(text, sum)| PredictedClass { text, ..sum }).collect())
        }
        Subject::Values | Subject::Scores => Ok(Vec::new()),
    }
}

impl Study {
    /// How many items of the pool are predicted as each class, without those missing at random, and the weights of each
    /// proposal where they are on record. Reads the pool only for evaluations made by earlier versions.
    pub(crate) fn predicted_classes<T: StudyTask>(
        &self,
        ledger: &Ledger<T>,
        classes: &Classes,
    ) -> Result<PredictedClasses> {
        let record = self.record()?;
        // What is on record was counted by the decision of the settings.
        let recorded = classes.decision == self.settings.decision();
        let late = if recorded { self.late_predicted::<T>()? } else { None };
        let of_refresh = record.refreshes.iter().map(|refresh| &refresh.origin.predicted[..]);
        let kept: Vec<&[PredictedClass]> = match &late {
            Some(late) => vec![late],
            None => of_refresh.map(|predicted| if recorded { predicted } else { &[] }).collect(),
        };
        let size = classes.len();
        let sum_of = |kept: &[PredictedClass]| {
            let mut sums = vec![(0, 0.0); size + 1];
            for (number, of_class) in kept.iter().enumerate() {
                let class = self.class_of(classes, number, &of_class.text).min(size);
                if let Some(sum) = sums.get_mut(class) {
                    *sum = (sum.0 + of_class.items, sum.1 + of_class.weight);
                }
            }
            sums
        };
        let mut counts: Vec<usize> = match kept.first().filter(|first| !first.is_empty()) {
            Some(first) => sum_of(first).iter().take(size).map(|sum| sum.0).collect(),
            None => self.predicted_within(classes, &[])?.pop().unwrap_or_default(),
        };
        let numbers = record.refreshes.iter().map(|refresh| (refresh.origin.draws, refresh.origin.number));
        let starts: Vec<(usize, u64)> = numbers.collect();
        let mut weights: Vec<Vec<f64>> =
            kept.iter().map(|kept| sum_of(kept).iter().map(|sum| sum.1).collect()).collect();
        for (place, (draw, outcome)) in ledger.draws().iter().zip(ledger.outcomes()).enumerate() {
            let Some(row) = record.draws.get(place).map(|drawn| &drawn.row) else { continue };
            if *outcome != Outcome::MissingAtRandom {
                continue;
            }
            let class = self.predicted_as(classes, row).min(size);
            if let Some(count) = counts.get_mut(class) {
                *count = count.saturating_sub(1);
            }
            // As estimates do: the weight that the item had when it was drawn stands for those before.
            for (_, weights) in starts.iter().zip(&mut weights).filter(|((draws, _), _)| *draws <= place) {
                if let Some(weight) = weights.get_mut(class) {
                    *weight = (*weight - draw.q * draw.mass).max(0.0);
                }
            }
        }
        // A proposal that ran out of weights went on as a uniform one, whose weights are not on record.
        let as_recorded = ledger.draws().iter().enumerate().all(|(place, draw)| {
            let own = starts.iter().rev().find(|(draws, _)| *draws <= place);
            own.is_some_and(|(_, number)| *number == draw.refresh)
        });
        let mut found = PredictedClasses::new(counts);
        if as_recorded && kept.iter().all(|kept| !kept.is_empty()) {
            for ((draws, _), weights) in starts.into_iter().zip(weights) {
                found = found.with_proposal(draws, weights)?;
            }
        }
        Ok(found)
    }

    /// The items by predicted class at the only refresh, if the journal does not have them.
    fn late_predicted<T: StudyTask>(&self) -> Result<Option<Vec<PredictedClass>>> {
        if self.journal.is_durable() || self.settings.refreshes() {
            return Ok(None);
        }
        if let Some(predicted) = &self.late.borrow().predicted {
            return Ok(Some(predicted.clone()));
        }
        let made = prepare::made_first::<T>(&*self.journal, &self.settings)?;
        let predicted = made.predicted(&*self.journal, &self.settings)?;
        self.late.borrow_mut().predicted = Some(predicted.clone());
        Ok(Some(predicted))
    }

    /// How many items of each part of the pool are predicted as each class: one pass over the predictions. `parts` has the part
    /// of each item; if it is empty, the pool is one part.
    pub(crate) fn predicted_within(&self, classes: &Classes, parts: &[u32]) -> Result<Vec<Vec<usize>>> {
        let count = parts.iter().max().map_or(1, |most| *most as usize + 1);
        let mut counts = vec![vec![0; classes.len()]; count];
        let mut item = 0;
        self.each_predicted(classes, &mut |class| {
            let part = parts.get(item).map_or(0, |part| *part as usize);
            if let Some(count) = counts.get_mut(part).and_then(|counts| counts.get_mut(class)) {
                *count += 1;
            }
            item += 1;
        })?;
        Ok(counts)
    }

    /// The predicted class of every item, in the order of the pool; a number past the last one for a text that is no known
    /// class.
    pub(crate) fn each_predicted(&self, classes: &Classes, add: &mut dyn FnMut(usize)) -> Result<()> {
        self.settings.needs_pool(self.path(), "the number of items by predicted class")?;
        if self.settings.subject == Subject::Hard {
            let mut known: BTreeMap<String, usize> = BTreeMap::new();
            self.journal.each_block(PREDICTED, &mut |block| {
                for text in (0..block.len()).filter_map(|row| block.text(row)) {
                    let class = known.get(&text).copied().unwrap_or_else(|| {
                        let class = self.class_of(classes, 0, &text);
                        if known.len() < MOST {
                            known.insert(text, class);
                        }
                        class
                    });
                    add(class);
                }
            })?;
        } else {
            let width = self.settings.model_columns().max(1);
            self.journal.each_block(PREDICTIONS, &mut |block| {
                if let Column::Numbers(numbers) = block {
                    numbers.chunks_exact(width).for_each(|row| add(classes.decision.predicted(row)));
                }
            })?;
        }
        Ok(())
    }

    /// The predicted class of a draw; a number past the last one for a text that is not a known class.
    pub(crate) fn predicted_as(&self, classes: &Classes, row: &Row) -> usize {
        self.class_of(classes, classes.decision.predicted(&row.prediction), &row.predicted)
    }

    fn class_of(&self, classes: &Classes, number: usize, text: &str) -> usize {
        if self.settings.subject != Subject::Hard {
            return number;
        }
        classes.find(text).unwrap_or(usize::MAX)
    }
}
