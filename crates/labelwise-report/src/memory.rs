//! From an evaluation in memory to its page.

use labelwise::estimator::RegressionLure;
use labelwise::interval::Method;
use labelwise::ledger::{Imputed, Ledger, Outcome};
use labelwise::{Target, Task};

use super::metric::Metric;
use super::page::{DrawLine, Error, Fate, OtherMetric, Page, Provenance, ScoreLine, Skipped};

/// What a page of a ledger is to show besides its draws.
pub struct About<'a, T: Task> {
    /// What stands at the top.
    pub title: String,
    /// What the losses of the ledger are shown as.
    pub metric: Metric,
    /// Whose risk.
    pub target: Target,
    /// The probability with which intervals are to cover.
    pub level: f64,
    /// A label, as people know it.
    pub label: &'a dyn Fn(T::Label) -> String,
    /// What else was measured with the same labels.
    pub others: Vec<OtherMetric>,
    /// Metrics that are no means.
    pub scores: Vec<ScoreLine>,
    /// Where all of this comes from.
    pub provenance: Provenance,
}

/// The page of draws and what became of them, by regression LURE. Items are called by their place in the pool.
pub fn page_of<T: Task>(ledger: &Ledger<T>, about: About<'_, T>) -> Result<Page, Error> {
    let About { title, metric, target, level, label, others, scores, provenance } = about;
    let (estimator, method) = (RegressionLure, Method::Ordinary);
    let report = ledger.report_by(&estimator, method, target, level)?;
    let evidence = |imputed| ledger.evidence_by(&estimator, imputed);
    let fate = |outcome: &Outcome<T>| match outcome {
        Outcome::Open => Fate::Open,
        Outcome::Skipped => Fate::Skipped,
        Outcome::MissingAtRandom => Fate::Missing,
        Outcome::Labelled { label: told, loss } => {
            Fate::Labelled { label: label(*told), loss: *loss, amendments: 0 }
        }
    };
    let draws = ledger.draws().iter().zip(ledger.outcomes()).enumerate().map(|(place, (draw, outcome))| {
        let (index, id, q) = (draw.index, draw.index.to_string(), draw.q);
        DrawLine { place, index, id, q, stratum: None, fate: fate(outcome), last: None }
    });
    Ok(Page {
        title,
        metric,
        skipped: Skipped::of(&report, evidence)?,
        evidence: evidence(Imputed::Expected)?,
        report,
        estimator: Box::new(estimator),
        method,
        target,
        level,
        others,
        strata: None,
        scores,
        draws: draws.collect(),
        provenance,
    })
}
