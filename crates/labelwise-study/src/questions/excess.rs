//! Draws by the excess of a ratio over a threshold: a mean loss, for which confidence sequences hold at every look.

use std::borrow::Cow;
use std::collections::HashMap;

use labelwise::Classification;
use labelwise::ledger::Ledger;
use labelwise::loss::Bounds;
use labelwise::metric::{ClassMetric, Excess};

use crate::error::Result;
use crate::journal::record::Totals;
use crate::prepare;
use crate::questions::classes::Classes;
use crate::questions::ledger::Lens;
use crate::refresh_point::RefreshPoint;
use crate::spec::subject::Subject;
use crate::task::StudyTask;
use crate::{Fate, Study};

/// The smallest weights of the proposals by predicted class, which bound what one draw can say.
pub(crate) struct Reaches {
    /// The number of items that are predicted as each class, and of the rest.
    counts: Vec<usize>,
    /// For each refresh, the smallest weight of an item that is predicted as each class, and of the rest; `None` for
    /// refreshes without draws.
    least: Vec<Option<Vec<f64>>>,
}

impl Reaches {
    /// The number of items and the smallest weights of a class, and of all others.
    fn of(&self, class: usize, refresh: usize) -> Option<[(usize, f64); 2]> {
        let least = self.least.get(refresh)?.as_ref()?;
        let mut both = [(0, f64::INFINITY); 2];
        for (other, (count, weight)) in self.counts.iter().zip(least).enumerate() {
            let [own, others] = &mut both;
            let part = if other == class { own } else { others };
            *part = (part.0 + count, part.1.min(*weight));
        }
        Some(both)
    }

    /// Totals of an excess at a refresh.
    fn totals(&self, class: usize, excess: Excess, refresh: usize) -> Option<Totals> {
        let (mut bounds, mut reach) = ((0.0, 0.0), (0.0_f64, 0.0_f64));
        let parts = self.of(class, refresh)?;
        for ((count, weight), predicted) in parts.into_iter().zip([true, false]) {
            let Bounds { low, high } = excess.bounds(predicted);
            #[allow(clippy::cast_precision_loss, reason = "items are counted in millions")]
            let count = count as f64;
            bounds = (bounds.0 + count * low, bounds.1 + count * high);
            if weight.is_finite() {
                reach = (reach.0.min(low / weight), reach.1.max(high / weight));
            }
        }
        Some(Totals { control: 0.0, bounds: Some(bounds), reach: Some(reach) })
    }
}

impl Study {
    /// The smallest weights of every proposal, by predicted class. Makes every proposal again.
    pub(crate) fn reaches(&self, classes: &Classes) -> Result<Reaches> {
        let mut predicted: Vec<u32> = Vec::with_capacity(self.settings.pool.size);
        let rest = classes.len();
        self.each_predicted(classes, &mut |class| {
            predicted.push(u32::try_from(class.min(rest)).unwrap_or(u32::MAX));
        })?;
        let mut counts = vec![0; rest + 1];
        for class in &predicted {
            if let Some(count) = counts.get_mut(*class as usize) {
                *count += 1;
            }
        }
        let refreshes = &self.record()?.refreshes;
        let mut least = Vec::with_capacity(refreshes.len());
        for (row, origin) in refreshes.iter().map(|refresh| &refresh.origin).enumerate() {
            let end = refreshes.get(row + 1).map_or(self.asked(), |next| next.origin.draws);
            if end == origin.draws && row > 0 {
                least.push(None);
                continue;
            }
            let point = RefreshPoint::of(row, origin);
            let made =
                prepare::made::<Classification>(&*self.journal, &self.settings, self.record()?, point)?;
            let mut smallest = vec![f64::INFINITY; rest + 1];
            for (class, weight) in predicted.iter().zip(made.evaluation.weights()) {
                if let Some(slot) = smallest.get_mut(*class as usize).filter(|_| *weight > 0.0) {
                    *slot = slot.min(*weight);
                }
            }
            least.push(Some(smallest));
        }
        Ok(Reaches { counts, least })
    }

    /// The draws by the excess of a ratio over a threshold; `None` for a metric that is not a ratio of one class.
    pub(crate) fn excess_ledger(
        &self,
        classes: &Classes,
        reaches: &Reaches,
        metric: ClassMetric,
        threshold: f64,
    ) -> Result<Option<Ledger<Classification>>> {
        let (Some(excess), Some(class)) = (Excess::of(metric, threshold), metric.class()) else {
            return Ok(None);
        };
        let record = self.record()?;
        let mut rows: HashMap<usize, Vec<f64>> = HashMap::new();
        for (row, fate) in record.rows().zip(&record.fates) {
            let number = |is: bool| f64::from(u8::from(is));
            let predicted = self.predicted_as(classes, row) == class;
            let labelled = match (fate, &self.settings.subject) {
                // A correct answer can be written differently, such as 3.0 for 3.
                (Fate::Labelled(text), Subject::Hard) => {
                    match Classification::label(text, row, &self.settings) {
                        Ok(0) => predicted,
                        _ => classes.find(text) == Some(class),
                    }
                }
                (Fate::Labelled(text), _) => {
                    Classification::label(text, row, &self.settings).is_ok_and(|label| label == class)
                }
                _ => false,
            };
            rows.insert(row.draw.index, vec![number(predicted), number(labelled)]);
        }
        let lens = Lens {
            loss: &excess,
            row: &|row| Ok(Cow::Owned(rows.get(&row.draw.index).cloned().unwrap_or_default())),
            totals: &|refresh, _| reaches.totals(class, excess, refresh),
            recorded: false,
        };
        let ledger =
            record.seen_through::<Classification, Classification>(self.path(), &self.settings, &lens)?;
        Ok(Some(ledger))
    }
}
