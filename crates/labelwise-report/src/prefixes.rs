//! The estimate after each number of draws, from what was known then.

use labelwise::Error as CoreError;
use labelwise::interval::{Basis, Interval, Method, interval};
use labelwise::ledger::Evidence;
use labelwise::loss::{Bounds, Sign};

use super::page::{Counted, Error, Page, Skipped};
use super::uniform::{Uniform, Unknown};
use super::words::{capitalised, counted, thousands};

/// Maximum number of points; more cannot be seen.
const MOST_STEPS: usize = 60;

/// A guaranteed interval takes long to find, and changes slowly.
const MOST_GUARANTEED: usize = 24;

/// The estimate as it was after some draws.
pub struct Step {
    /// Number of draws.
    pub draws: usize,
    /// As the metric is shown.
    pub estimate: f64,
    /// Of its interval; `None` while there are too few labels for one.
    pub ends: Option<(f64, f64)>,
    /// Of the interval that uniform sampling would be expected to have.
    pub uniform: Option<(f64, f64)>,
    /// What its interval rests on.
    pub basis: Option<Basis>,
}

/// The estimate as it was after some of the draws, denser early, to what it is now: what the page shows as a picture.
pub fn course(page: &Page) -> Result<Vec<Step>, Error> {
    steps(page, &page.samples()?, &Uniform::new(page))
}

impl Step {
    /// Whether an end of its intervals is out of view.
    pub(super) fn is_cut_by(&self, (low, high): (f64, f64)) -> bool {
        let ends = [self.ends, self.uniform].into_iter().flatten();
        ends.flat_map(|(from, to)| [from, to]).any(|end| end < low || end > high)
    }
}

/// Prefix lengths of a metric that is not an average.
pub(super) fn score_lengths(total: usize) -> Vec<usize> {
    lengths(total, MOST_STEPS)
}

/// Prefix lengths, denser where the estimate still moves: all of a few, or growing as a square.
fn lengths(total: usize, most: usize) -> Vec<usize> {
    if total <= most {
        return (1..=total).collect();
    }
    let part = |step: usize| (step as f64 / most as f64).powi(2);
    let mut lengths: Vec<usize> =
        (1..=most).map(|step| ((total as f64 * part(step)).ceil() as usize).clamp(1, total)).collect();
    lengths.dedup();
    lengths
}

/// The estimate as it was, denser early, to what it is now.
pub(super) fn steps(
    page: &Page,
    samples: &[Counted<'_>],
    uniform: &Result<Uniform, Unknown>,
) -> Result<Vec<Step>, Error> {
    let total = samples.len();
    if let Some(about) = &page.about {
        return Ok(page.score_steps(about, |draws| uniform.as_ref().ok()?.interval(draws)));
    }
    let mut steps = Vec::new();
    let most = match page.method {
        Method::Ordinary | Method::Anytime { .. } => MOST_STEPS,
        Method::Guaranteed | Method::GuaranteedAtBudget => MOST_GUARANTEED,
    };
    for draws in lengths(total, most) {
        // The last is what the report says, to the last bit.
        let (estimate, interval) = if draws == total {
            (page.report.estimate.value, page.report.interval)
        } else {
            let imputed = samples.iter().take(draws).filter(|sample| !sample.is_seen()).count();
            let prefix = |evidence: &Evidence| prefix(evidence, draws, imputed);
            match prefix(&page.evidence).estimate(&*page.estimator) {
                Ok(estimate) => (estimate, interval_then(page, &prefix)?),
                // There was no label of some stratum yet.
                Err(CoreError::Design(_)) => continue,
                Err(error) => return Err(error.into()),
            }
        };
        let metric = &page.metric;
        let ends = |(low, high)| metric.shown_ends(low, high);
        steps.push(Step {
            draws,
            estimate: metric.shown(estimate),
            ends: interval.map(|interval| ends((interval.low, interval.high))),
            uniform: uniform.as_ref().ok().and_then(|uniform| uniform.interval(draws)).map(ends),
            basis: interval.map(|interval| interval.basis),
        });
    }
    Ok(steps)
}

/// The interval of a prefix; `None` while there are too few labels for one. As for all draws, skipped losses stand at
/// both of their bounds.
fn interval_then(page: &Page, prefix: &dyn Fn(&Evidence) -> Evidence) -> Result<Option<Interval>, Error> {
    let of = |evidence: &Evidence| match interval(
        &prefix(evidence),
        &*page.estimator,
        page.method,
        page.target,
        page.level,
    ) {
        Ok(interval) => Ok(Some(interval)),
        Err(CoreError::TooFewLabels { .. }) => Ok(None),
        Err(error) => Err(Error::from(error)),
    };
    let Some(Skipped { lowest, highest }) = &page.skipped else { return of(&page.evidence) };
    let (Some(low), Some(high)) = (of(lowest)?, of(highest)?) else { return Ok(None) };
    Ok(Some(Interval { low: low.low.min(high.low), high: low.high.max(high.high), ..high }))
}

/// What was known after some draws. The bounds of later items are not recorded one by one, so each is given all that
/// the loss can be: wider than need be, and never wrong.
fn prefix(evidence: &Evidence, draws: usize, imputed: usize) -> Evidence {
    let samples: Vec<_> = evidence.samples.iter().take(draws).copied().collect();
    let later = (evidence.samples.len() - samples.len()) as f64;
    let unlabelled = evidence.unlabelled.zip(evidence.range).map(|(left, range)| {
        let low = match evidence.sign {
            Sign::NonNegative => 0.0,
            Sign::Signed => range.low,
        };
        Bounds { low: left.low + later * low, high: left.high + later * range.high }
    });
    Evidence { samples, unlabelled, imputed, belief: None, ..*evidence }
}

/// Where the guaranteed interval is shown, in words; `None` if it is not. Steps that rest on the variance may come in between,
/// where labels happened to differ enough for a while.
pub(super) fn guarded(steps: &[Step], noun: &str) -> Option<String> {
    let is_guarded = |step: &Step| {
        step.basis
            .is_some_and(|basis| matches!(basis, Basis::Betting | Basis::BettingAtBudget | Basis::Chernoff))
    };
    let runs = steps.chunk_by(|one, other| is_guarded(one) == is_guarded(other));
    let runs: Vec<(usize, usize)> = runs
        .filter(|run| run.first().is_some_and(is_guarded))
        .filter_map(|run| Some((run.first()?.draws, run.last()?.draws)))
        .collect();
    let (first, last) = (steps.iter().find(|step| step.basis.is_some())?.draws, steps.last()?.draws);
    let words = |&(from, to): &(usize, usize)| match (from == first, to == last) {
        (true, true) => "everywhere".to_owned(),
        (true, false) => format!("up to {}", counted(to, noun)),
        (false, true) => format!("from {} on", counted(from, noun)),
        (false, false) if from == to => format!("at {}", counted(from, noun)),
        (false, false) => format!("from {} to {}", thousands(from), counted(to, noun)),
    };
    (!runs.is_empty()).then(|| capitalised(&runs.iter().map(words).collect::<Vec<_>>().join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::{MOST_STEPS, lengths};

    #[test]
    fn prefixes_are_denser_early_and_end_with_all_draws() {
        assert!(lengths(0, MOST_STEPS).is_empty());
        assert_eq!(lengths(3, MOST_STEPS), [1, 2, 3]);
        for total in [61, 150, 10_000] {
            let lengths = lengths(total, MOST_STEPS);
            assert!(lengths.len() <= 60 && lengths.len() > 40, "{} of {total}", lengths.len());
            assert_eq!((lengths.first(), lengths.last()), (Some(&lengths[0]), Some(&total)));
            let gaps: Vec<usize> = lengths.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(gaps.iter().all(|gap| *gap > 0));
            assert!(gaps[0] < gaps[gaps.len() - 1] || total < 100);
        }
    }
}
