//! What a page is made of: data gathered from an evaluation, in the words of the page.

use std::collections::BTreeMap;

use labelwise::Target;
use labelwise::design::Strata;
use labelwise::estimator::{Estimator, Sample};
use labelwise::interval::Method;
use labelwise::ledger::{Evidence, Imputed};
use labelwise::report::Report;
use labelwise_study::Misjudgement;

use super::about::About;
use super::metric::{Form, Metric};

/// Everything that a page shows.
pub struct Page {
    /// What stands at the top, such as the model's name.
    pub title: String,
    /// The mean loss that is measured, or that was recorded if the page is about another metric.
    pub metric: Metric,
    /// The metric that is not an average, if the page is about one.
    pub about: Option<About>,
    /// Names of the metrics that draws are made for.
    pub made_for: String,
    /// The estimate with its interval and diagnostics, of mean losses.
    pub report: Report,
    /// What the report is made of, with every skipped loss as the surrogate expected it.
    pub evidence: Evidence,
    /// The same with skipped losses at their bounds; `None` where none was skipped.
    pub skipped: Option<Skipped>,
    /// The estimator of the report.
    pub estimator: Box<dyn Estimator>,
    /// How its interval is made.
    pub method: Method,
    /// Whose risk it is.
    pub target: Target,
    /// The probability that the interval is to cover with.
    pub level: f64,
    /// What else was measured with the same labels.
    pub others: Vec<OtherMetric>,
    /// The strata that items were drawn within, where they were.
    pub strata: Option<Strata>,
    /// Metrics that are not averages.
    pub scores: Vec<ScoreLine>,
    /// What labels say of the judge, if the pool has one.
    pub judge: Option<JudgeLines>,
    /// Every draw, in draw order.
    pub draws: Vec<DrawLine>,
    /// Where all of this comes from.
    pub provenance: Provenance,
}

impl Page {
    /// Whether every item that could be drawn counts by now.
    pub(super) fn is_whole(&self) -> bool {
        self.evidence.samples.len() == self.evidence.pool_size
    }

    /// The samples that the estimate is made of, in draw order.
    pub(super) fn samples(&self) -> Result<Vec<Counted<'_>>, Error> {
        let Evidence { samples, pool_size, .. } = &self.evidence;
        let lines: BTreeMap<usize, &DrawLine> = self.draws.iter().map(|line| (line.index, line)).collect();
        let terms = self.estimator.terms(samples, *pool_size)?;
        let weights = self.estimator.weights(samples, *pool_size)?;
        let variance = terms.variance().filter(|variance| *variance > 0.0);
        let shares: Vec<Option<f64>> = match &self.about {
            None => terms
                .contributions()
                .into_iter()
                .map(|part| variance.map(|variance| part / variance))
                .collect(),
            Some(about) => {
                let shares = about.course.shares.as_deref().unwrap_or_default();
                (0..samples.len()).map(|draw| shares.get(draw).copied()).collect()
            }
        };
        let counted = samples.iter().zip(weights).zip(shares).map(|((sample, v), share)| {
            let line = lines.get(&sample.index).copied();
            Counted { sample, v, share, line }
        });
        Ok(counted.collect())
    }

    /// What samples are: some of them may have been skipped.
    pub(super) fn noun(&self) -> &'static str {
        if self.evidence.imputed == 0 { "label" } else { "draw" }
    }
}

/// The evidence with every skipped loss at an end of what it can be.
pub struct Skipped {
    /// At the lower.
    pub lowest: Evidence,
    /// At the upper.
    pub highest: Evidence,
}

impl Skipped {
    /// Both ends, from where evidence comes from; `None` where the report has no skipped loss.
    pub(super) fn of<E>(
        report: &Report,
        evidence: impl Fn(Imputed) -> Result<Evidence, E>,
    ) -> Result<Option<Self>, E> {
        let ends = || Ok(Self { lowest: evidence(Imputed::Lowest)?, highest: evidence(Imputed::Highest)? });
        report.estimate.skipped.map(|_| ends()).transpose()
    }
}

/// A sample and what it means for the estimate.
pub(super) struct Counted<'a> {
    /// As estimators see it.
    pub(super) sample: &'a Sample,
    /// v_m.
    pub(super) v: f64,
    /// Its share of the variance; `None` without a variance.
    pub(super) share: Option<f64>,
    /// Its line in the table.
    pub(super) line: Option<&'a DrawLine>,
}

impl Counted<'_> {
    /// Whether its loss was seen, rather than put in the place of one that was skipped.
    pub(super) fn is_seen(&self) -> bool {
        self.line.is_none_or(|line| matches!(line.fate, Fate::Labelled { .. }))
    }
}

/// Whether every item had the same chance.
pub(super) fn is_even(samples: &[Counted<'_>]) -> bool {
    samples.iter().all(|sample| (sample.v - 1.0).abs() < 1e-9)
}

/// The largest share of the variance, and the draw that has it; `None` without a variance.
pub(super) fn largest_share<'a>(samples: &[Counted<'a>]) -> Option<(f64, Option<&'a DrawLine>)> {
    let shares = samples.iter().filter_map(|sample| Some((sample.share?, sample.line)));
    shares.max_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// Another metric, in the units in which it is shown.
pub struct OtherMetric {
    /// Its name.
    pub name: String,
    /// Its estimate.
    pub value: f64,
    /// The ends of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
    /// The labels it rests on.
    pub labels: usize,
    /// How its numbers are written.
    pub form: Form,
}

/// What labels say of a judge.
pub struct JudgeLines {
    /// What one label is worth by the judge alone and with choosing.
    pub worth: String,
    /// The items on which it was surest and wrong, the surest first.
    pub wrong: Vec<Misjudgement>,
}

/// A metric that is not an average.
pub struct ScoreLine {
    /// Its name, with the class it is about.
    pub name: String,
    /// Its estimate, or why there is none.
    pub value: Result<f64, String>,
    /// The ends of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
    /// The labels it rests on.
    pub labels: usize,
    /// What to keep in mind.
    pub notes: Vec<String>,
}

/// One line of the table of draws.
pub struct DrawLine {
    /// Its place in draw order, as other commands count it.
    pub place: usize,
    /// The item's place in the pool, by which its sample is found.
    pub index: usize,
    /// What people call the item.
    pub id: String,
    /// The probability it was drawn with.
    pub q: f64,
    /// The stratum it was drawn from, counted from 0, where there are strata.
    pub stratum: Option<usize>,
    /// What became of it.
    pub fate: Fate,
    /// When that was, or when the item was drawn if nothing became of it yet, and who did it; `None` where nobody keeps
    /// record of that.
    pub last: Option<(String, String)>,
}

/// What became of a draw.
pub enum Fate {
    /// It waits for its label.
    Open,
    /// It has one.
    Labelled {
        /// The label that counts.
        label: String,
        /// Its loss.
        loss: f64,
        /// How often it was changed.
        amendments: usize,
    },
    /// Its label was given up, and why may have to do with what it would have been.
    Skipped,
    /// Its label was given up for reasons that have nothing to do with it.
    Missing,
}

/// Where the numbers come from, and how to get them again.
pub struct Provenance {
    /// The evaluation's file, as it is to be named on a command line; `None` of one in memory.
    pub file: Option<String>,
    /// The fingerprint of the pool, where there is one.
    pub fingerprint: Option<String>,
    /// The seed of all draws.
    pub seed: u64,
    /// When the page was made.
    pub generated_at: String,
    /// The version of labelwise that made it.
    pub version: String,
    /// The other settings, by name.
    pub settings: Vec<(String, String)>,
}

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// The evaluation on disk refused.
    #[error(transparent)]
    Store(#[from] labelwise_study::Error),
    /// A chart could not be drawn.
    #[error("a chart of the report cannot be drawn: {0}")]
    Chart(#[from] labelwise_plot::Error),
}
