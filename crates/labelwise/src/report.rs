//! Diagnostics of an estimate, and warnings if its numbers are not reliable yet.

use std::fmt;

use crate::error::{Error, Result};
use crate::estimator::{Bias, Estimator, Lure, Replacement, Sample};
use crate::interval::{Basis, Caution, ENOUGH_HITS, Interval, Target};
use crate::ledger::{Estimate, Evidence, Fit};
use crate::words::thousands;

/// With fewer labels, the interval of a loss with a heavy tail is rough.
const SETTLED: usize = 100;

/// A loss whose range is wider than this has a heavy tail.
const HEAVY: f64 = 5.0;

/// An estimate with its interval and its diagnostics.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The estimator's name.
    pub estimator: &'static str,
    /// Its bias.
    pub bias: Bias,
    /// The estimate.
    pub estimate: Estimate,
    /// The interval; `None` while there are too few labels for one.
    pub interval: Option<Interval>,
    /// The number of items in the pool.
    pub pool_size: usize,
    /// The effective number of terms that carry the variance.
    pub effective_hits: f64,
    /// The share of the variance that the largest term has.
    pub largest_share: Option<f64>,
    /// (Σ v)² / Σ v²: the number of labels of equal weight that are worth as much.
    pub weight_ess: f64,
    /// The mean of v, which should be near 1.
    pub mean_v: f64,
    /// The smallest n·q of the draws: 1 is uniform.
    pub smallest_nq: f64,
    /// The fitted weight of the surrogate's expectation: near 1 if it predicts losses well, near 0 if not at all.
    pub usefulness: f64,
    /// The number of labels that do not count yet, because an earlier draw has no label.
    pub waiting: usize,
    /// The number of invalid scores that took the median.
    pub mended_scores: usize,
    /// Whether items missing at random were drawn after a refresh of the proposal.
    pub missing_since_refresh: bool,
    /// Labels whose loss is the cap of cross-entropy.
    pub at_cap: Option<AtCap>,
    heavy_tail: bool,
    of_strata: bool,
    uniform: bool,
}

impl Report {
    pub(crate) fn new(
        evidence: &Evidence,
        fit: &Fit<'_>,
        estimate: Estimate,
        interval: Result<Interval>,
    ) -> Result<Self> {
        let interval = match interval {
            Ok(interval) => Some(interval),
            Err(Error::TooFewLabels { .. }) => None,
            Err(error) => return Err(error),
        };
        let (samples, size) = (&evidence.samples, evidence.pool_size);
        let Fit { estimator, terms, .. } = fit;
        let within_strata = estimator.replacement() == Replacement::WithinStrata;
        let weights = if within_strata { estimator.weights(samples, size)? } else { evidence.weights() };
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
        let nq: Vec<f64> = if within_strata {
            weights.iter().map(|v| 1.0 / v).collect()
        } else {
            samples.iter().enumerate().map(|(before, sample)| (size - before) as f64 * sample.q).collect()
        };
        let (hits, usefulness) = if within_strata {
            (terms.effective_hits(), slope(samples, &weights))
        } else {
            let plain = Lure.terms(samples, size)?.effective_hits();
            (terms.effective_hits().min(plain), evidence.controls(fit)?.b1)
        };
        Ok(Self {
            estimator: estimator.name(),
            bias: estimator.bias(),
            estimate,
            interval,
            pool_size: evidence.whole_size(),
            effective_hits: hits,
            largest_share: terms.largest_share(),
            weight_ess: sum * sum / squares,
            mean_v: sum / weights.len() as f64,
            smallest_nq: nq.iter().copied().fold(f64::INFINITY, f64::min),
            usefulness,
            waiting: 0,
            mended_scores: 0,
            missing_since_refresh: false,
            at_cap: None,
            heavy_tail: evidence.range.is_none_or(|range| range.high - range.low > HEAVY),
            of_strata: within_strata,
            uniform: nq.iter().all(|nq| (nq - 1.0).abs() < 1e-9),
        })
    }

    /// Reasons not to rely on the numbers yet.
    pub fn warnings(&self) -> Vec<Warning> {
        let labels = self.estimate.labels;
        let enough = labels >= 50 && labels < self.pool_size;
        let mut warnings = Vec::new();
        if self.bias == Bias::UnlessUniform && !self.uniform {
            warnings.push(Warning::Biased);
        }
        match self.interval {
            None if self.of_strata => warnings.push(Warning::ThinStratum),
            None => warnings.push(Warning::NoInterval { labels }),
            Some(Interval { caution: Some(caution), basis, .. }) => {
                let replaced = matches!(basis, Basis::BettingAtBudget | Basis::Chernoff);
                let hits = self.effective_hits;
                warnings.push(match caution {
                    Caution::FewLabels => Warning::FewLabels { labels, replaced },
                    Caution::FewHits => Warning::FewHits { hits, replaced },
                });
            }
            // Where a belief stands in for a variance that nothing carries yet.
            Some(Interval { basis: Basis::LogT { .. } | Basis::LogitT { .. } | Basis::T { .. }, .. })
                if self.effective_hits < ENOUGH_HITS && labels < self.pool_size =>
            {
                warnings.push(Warning::FewHits { hits: self.effective_hits, replaced: false });
            }
            Some(Interval { basis: Basis::LogT { .. } | Basis::T { .. }, .. })
                if self.heavy_tail && labels < SETTLED && labels < self.pool_size =>
            {
                warnings.push(Warning::Provisional { labels });
            }
            Some(_) => {}
        }
        if let Some(share) = self.largest_share.filter(|share| enough && *share > 0.25) {
            warnings.push(Warning::OneTerm { share });
        }
        if enough && !self.uniform && self.usefulness < 0.2 {
            warnings.push(Warning::Useless { b1: self.usefulness });
        }
        if enough && (self.mean_v - 1.0).abs() > 0.25 {
            warnings.push(Warning::Weights { mean_v: self.mean_v });
        }
        if let Some(at_cap) = self.at_cap {
            warnings.push(Warning::AtCap(at_cap));
        }
        if self.estimate.skipped.is_some() {
            warnings.push(Warning::Skipped);
        }
        if self.missing_since_refresh {
            warnings.push(Warning::MissingSinceRefresh);
        }
        if self.waiting > 0 {
            warnings.push(Warning::Waiting { labels: self.waiting });
        }
        if self.mended_scores > 0 {
            warnings.push(Warning::Mended { items: self.mended_scores });
        }
        warnings
    }
}

/// Slope of a weighted regression of losses on the surrogate's expectations, shrunk towards 1 with the weight of three
/// labels, as the fitted weight of other estimators is.
fn slope(samples: &[Sample], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean =
        |of: fn(&Sample) -> f64| samples.iter().zip(weights).map(|(s, v)| v * of(s)).sum::<f64>() / total;
    let (loss, control) = (mean(|s| s.loss), mean(|s| s.control));
    let (mut both, mut square) = (0.0, 0.0);
    for (sample, v) in samples.iter().zip(weights) {
        both += v * (sample.control - control) * (sample.loss - loss);
        square += v * (sample.control - control).powi(2);
    }
    let pull = 3.0 / samples.len() as f64;
    // A surrogate that expects the same loss for every item has no slope.
    if square > 1e-20 * total * control * control { (both / square + pull) / (1.0 + pull) } else { 1.0 }
}

/// Labels whose predicted probability is below the cap of cross-entropy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtCap {
    /// Number of labels.
    pub labels: usize,
    /// Their share of the weighted losses.
    pub share: f64,
    /// What each of them costs.
    pub loss: f64,
}

/// A reason not to rely on the numbers yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Warning {
    /// The plain mean is used, and draws were not uniform.
    Biased,
    /// Too few labels for any interval.
    NoInterval {
        /// The labels there are.
        labels: usize,
    },
    /// A stratum has too few labels for any interval.
    ThinStratum,
    /// Too few labels for the ordinary interval.
    FewLabels {
        /// The labels there are.
        labels: usize,
        /// Whether the guaranteed interval is shown in its place.
        replaced: bool,
    },
    /// Too few samples carry the variance.
    FewHits {
        /// Effective number of draws that carry the variance.
        hits: f64,
        /// Whether the guaranteed interval is shown in its place.
        replaced: bool,
    },
    /// A loss with a heavy tail, and fewer than 100 labels.
    Provisional {
        /// The labels there are.
        labels: usize,
    },
    /// One sample has a large part of the variance.
    OneTerm {
        /// Its share.
        share: f64,
    },
    /// The surrogate does not predict losses.
    Useless {
        /// The fitted weight of its expectation.
        b1: f64,
    },
    /// The weights do not average one.
    Weights {
        /// What they average.
        mean_v: f64,
    },
    /// A part of the estimate hangs on the cap of cross-entropy.
    AtCap(AtCap),
    /// Some items were skipped.
    Skipped,
    /// Items missing at random were drawn after a refresh of the proposal.
    MissingSinceRefresh,
    /// Labels do not count yet, because an earlier draw has no label.
    Waiting {
        /// How many.
        labels: usize,
    },
    /// Scores took the median.
    Mended {
        /// Of how many items.
        items: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instead = |replaced: bool| {
            if replaced { "the guaranteed interval is shown instead" } else { "treat this one as rough" }
        };
        match *self {
            Self::Biased => f.write_str("the plain mean is biased: items were not drawn uniformly"),
            Self::NoInterval { labels } => write!(f, "no interval yet: too few labels ({labels})"),
            Self::ThinStratum => f.write_str("no interval yet: it needs 2 labels of every stratum that count"),
            Self::FewLabels { labels, replaced } => {
                write!(f, "the ordinary interval needs 50 labels, and there are {labels}; {}", instead(replaced))
            }
            Self::FewHits { hits, replaced } => {
                write!(f, "only about {hits:.1} labels carry the variance, and the ordinary interval needs 3; {}", instead(replaced))
            }
            Self::Provisional { labels } => {
                write!(f, "large losses may be rare: with {labels} labels (fewer than 100), the interval may be too short")
            }
            Self::OneTerm { share } => {
                write!(f, "one label has {:.0} % of the variance: more labels may move the estimate", 100.0 * share)
            }
            Self::Useless { b1 } => {
                write!(f, "the surrogate hardly predicts the losses (b1 = {b1:.2}): uniform sampling would be as good")
            }
            Self::Weights { mean_v } => {
                write!(f, "the mean weight is {mean_v:.2} instead of 1: the draws have missed a part of the pool so far")
            }
            Self::AtCap(AtCap { labels, share, loss }) => {
                let (have, each) = if labels == 1 { ("label has", "it") } else { ("labels have", "each") };
                write!(
                    f,
                    "{:.0} % of the estimate hangs on the cap of cross-entropy: {labels} {have} a probability of 0 or nearly 0, \
                     and {each} costs {loss:.1}",
                    100.0 * share
                )
            }
            Self::Skipped => {
                f.write_str("some items were skipped: the interval includes their losses at the lower and at the upper bound")
            }
            Self::MissingSinceRefresh => f.write_str(
                "items missing at random were drawn after the proposal was computed again: the estimate may be slightly biased \
                 (less with LURE), and there is no guaranteed interval",
            ),
            Self::Waiting { labels } => {
                let do_not = if labels == 1 { "label does" } else { "labels do" };
                write!(f, "{} {do_not} not count yet, because an earlier draw has no label; tell or skip that item", thousands(labels))
            }
            Self::Mended { items: 1 } => f.write_str("1 item had an invalid score and took the median score"),
            Self::Mended { items } => {
                write!(f, "{} items had invalid scores and took the median score", thousands(items))
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { value, labels, .. } = self.estimate;
        let size = thousands(self.pool_size);
        write!(f, "{value:.4} by {} from {} of {size} items", self.estimator, thousands(labels))?;
        match self.interval {
            Some(Interval { low, high, level, target, .. }) => {
                let whose = match target {
                    Target::Pool => "this pool",
                    Target::Population => "the population",
                };
                // Rounded, so that 0.999 is printed as 99.9 and not as 99.90000000000001.
                let percent = (1e9 * level).round() / 1e7;
                writeln!(f, "; {percent} % interval for {whose} {low:.4} to {high:.4}")?;
            }
            None => writeln!(f, "; no interval yet")?,
        }
        f.write_str(&self.diagnostics())
    }
}

impl Report {
    /// What the estimate rests on, and the warnings, in words.
    pub fn diagnostics(&self) -> String {
        let share = self.largest_share.map_or("none".to_owned(), |share| format!("{:.0} %", 100.0 * share));
        let hits = self.effective_hits;
        let notes =
            self.warnings().into_iter().map(|warning| format!("\nnote: {warning}")).collect::<String>();
        format!(
            "about {hits:.1} labels carry the variance; the largest share of one label is {share}\n\
             weights: effective number {:.1}, mean {:.3}; smallest n·q {:.3}; surrogate's usefulness b1 {:.2}{notes}",
            self.weight_ess, self.mean_v, self.smallest_nq, self.usefulness
        )
    }
}
