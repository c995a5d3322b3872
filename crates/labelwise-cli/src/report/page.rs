//! What a page is made of: data that others have gathered, in the words of the page.

use labelwise::{Estimator, Evidence, Method, Report, Strata, Target};

use super::metric::{Form, Metric};

/// Everything that a page shows.
pub(crate) struct Page {
    /// What stands at the top, such as the model's name.
    pub(crate) title: String,
    /// What is measured.
    pub(crate) metric: Metric,
    /// The estimate with its interval and diagnostics, of mean losses.
    pub(crate) report: Report,
    /// What the report is made of, with every skipped loss as the surrogate expected it.
    pub(crate) evidence: Evidence,
    /// The same with skipped losses at their bounds; `None` where none was skipped.
    pub(crate) skipped: Option<Skipped>,
    /// The estimator of the report.
    pub(crate) estimator: Box<dyn Estimator>,
    /// How its interval is made.
    pub(crate) method: Method,
    /// Whose risk it is.
    pub(crate) target: Target,
    /// The probability that the interval is to cover with.
    pub(crate) level: f64,
    /// What else was measured with the same labels.
    pub(crate) others: Vec<OtherMetric>,
    /// The strata that items were drawn within, where they were.
    pub(crate) strata: Option<Strata>,
    /// Metrics that are no means.
    pub(crate) scores: Vec<ScoreLine>,
    /// Every draw, in draw order.
    pub(crate) draws: Vec<DrawLine>,
    /// Where all of this comes from.
    pub(crate) provenance: Provenance,
}

impl Page {
    /// Whether every item that could be drawn counts by now.
    pub(super) fn is_whole(&self) -> bool {
        self.evidence.samples.len() == self.evidence.pool_size
    }

    /// What samples are: some of them may have been skipped.
    pub(super) fn noun(&self) -> &'static str {
        if self.evidence.imputed == 0 { "label" } else { "draw" }
    }
}

/// The evidence with every skipped loss at an end of what it can be.
pub(crate) struct Skipped {
    /// At the lower.
    pub(crate) lowest: Evidence,
    /// At the upper.
    pub(crate) highest: Evidence,
}

/// Another metric, as it is to be shown: nothing is turned round any more.
pub(crate) struct OtherMetric {
    /// Its name.
    pub(crate) name: String,
    /// Its estimate.
    pub(crate) value: f64,
    /// The ends of its interval, where it has one.
    pub(crate) interval: Option<(f64, f64)>,
    /// The labels it rests on.
    pub(crate) labels: usize,
    /// How its numbers are written.
    pub(crate) form: Form,
}

/// A metric that is no mean.
pub(crate) struct ScoreLine {
    /// Its name, with the class it is about.
    pub(crate) name: String,
    /// Its estimate, or why there is none.
    pub(crate) value: Result<f64, String>,
    /// The ends of its interval, where it has one.
    pub(crate) interval: Option<(f64, f64)>,
    /// The labels it rests on.
    pub(crate) labels: usize,
    /// What to keep in mind.
    pub(crate) notes: Vec<String>,
}

/// One line of the table of draws.
pub(crate) struct DrawLine {
    /// Its place in draw order, as other commands count it.
    pub(crate) place: usize,
    /// The item's place in the pool, by which its sample is found.
    pub(crate) index: usize,
    /// What people call the item.
    pub(crate) id: String,
    /// The probability it was drawn with.
    pub(crate) q: f64,
    /// The stratum it was drawn from, counted from 0, where there are strata.
    pub(crate) stratum: Option<usize>,
    /// What became of it.
    pub(crate) fate: Fate,
    /// When that was, or when the item was drawn if nothing became of it yet.
    pub(crate) at: String,
    /// Who did it.
    pub(crate) who: String,
}

/// What became of a draw.
pub(crate) enum Fate {
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
pub(crate) struct Provenance {
    /// The evaluation's file, as it is to be named on a command line.
    pub(crate) file: String,
    /// The fingerprint of the pool.
    pub(crate) fingerprint: String,
    /// The seed of all draws.
    pub(crate) seed: u64,
    /// When the page was made.
    pub(crate) generated_at: String,
    /// The version of labelwise that made it.
    pub(crate) version: String,
    /// The other settings, by name.
    pub(crate) settings: Vec<(String, String)>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] labelwise::Error),
    /// A chart could not be drawn.
    #[error("a chart of the report cannot be drawn: {0}")]
    Chart(#[from] labelwise_plot::Error),
}
