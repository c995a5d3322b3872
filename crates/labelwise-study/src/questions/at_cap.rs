//! How much of an estimate of cross-entropy hangs on its cap.

use labelwise::estimator::lure_weight;
use labelwise::ledger::{Ledger, Outcome};
use labelwise::report::AtCap;

use crate::Study;
use crate::error::Result;
use crate::spec::metric::LossName;
use crate::spec::subject::Subject;
use crate::task::StudyTask;

impl Study {
    /// The labels whose probability is below the cap, and their share of the weighted losses; `None` without any, for other
    /// losses and for strata.
    pub(crate) fn at_cap<T: StudyTask>(&self, ledger: &Ledger<T>, loss: LossName) -> Result<Option<AtCap>> {
        let classes =
            matches!(self.settings.subject, Subject::Classes { .. }) && self.settings.rivals.is_empty();
        if loss != LossName::CrossEntropy || !classes || ledger.strata().is_some() {
            return Ok(None);
        }
        let (record, size, complete) = (self.record()?, self.settings.drawable(), ledger.complete());
        let (mut labels, mut capped, mut all) = (0, 0.0, 0.0);
        let drawn = ledger.draws().iter().zip(ledger.outcomes()).take(complete).zip(&record.draws);
        for (m, ((draw, outcome), drawn)) in (1..).zip(drawn) {
            let Outcome::Labelled { label, loss } = outcome else { continue };
            let weighted = lure_weight(m, complete, size, draw.q) * loss;
            all += weighted;
            let class = T::class_of(label);
            let p = class.and_then(|class| drawn.row.prediction.get(class)).copied().unwrap_or(1.0);
            if p < self.settings.cap {
                labels += 1;
                capped += weighted;
            }
        }
        let loss = -self.settings.cap.ln();
        Ok((labels > 0 && all > 0.0).then(|| AtCap { labels, share: capped / all, loss }))
    }
}
