//! Is the risk below a bar? An answer that may be looked at after every label, and acted on.

use super::label_forecast::check_level;
use crate::error::{Error, Result};
use crate::estimator::Lure;
use crate::interval::{Basis, Interval, Method, Target, can_be_guaranteed, look};
use crate::ledger::{Evidence, Ledger};
use crate::task::Task;

/// Number of labels below which the asymptotic sequence is not used. Where the risk hangs on a few large losses that were not
/// seen yet, any interval that rests on the variance misses more often than it should: on real pools up to 18 % of the
/// time from 100 labels on in place of 5 %, and less than 5 % from 500 on.
const FIRST_LOOK: usize = 500;

/// The same for a loss without bounds, whose largest losses are rarer still.
const FIRST_LOOK_WITHOUT_BOUNDS: usize = 800;

/// The number of labels that the asymptotic sequence is narrowest at.
const PLANNED: usize = 1000;

/// The wanted side of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The risk is to be at most the bar.
    Below,
    /// The risk is to be at least the bar.
    Above,
}

/// The assurance that an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assurance {
    /// By the betting sequence: wrong with the probability promised at most, however often one looks, whatever the pool
    /// and the surrogate. The loss must have bounds.
    Guaranteed,
    /// However often one looks, with fewer labels: by the betting sequence, joined from 500 labels on by an asymptotic one,
    /// each with half of the error probability. For a loss without bounds by the latter alone, from 800 on, and the other half is a
    /// margin for the large losses that nobody can foresee.
    Anytime,
    /// By the ordinary interval, for a number of labels that was fixed in advance. Whoever looks again and again until it
    /// is met is wrong far more often.
    Once,
}

/// A risk that is to be kept to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The risk.
    pub value: f64,
    /// On which side of it one wants to be.
    pub side: Side,
    /// The probability that an answer is right with.
    pub level: f64,
    /// The assurance that an answer has.
    pub assurance: Assurance,
    /// Whether it is about this pool or about the population.
    pub target: Target,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The risk is on the wanted side.
    Met,
    /// The metric is on the other side.
    NotMet,
    /// Not to be told yet.
    Undecided,
}

/// An answer with what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// What every look so far leaves for the risk; each end by itself is wrong with probability 1 − level at most. `None`
    /// while it was too early to look.
    pub interval: Option<(f64, f64)>,
    /// The basis of the interval.
    pub basis: Option<Basis>,
    /// The labels that the answer rests on; an earlier look may have decided.
    pub labels: usize,
}

impl<T: Task> Ledger<T> {
    /// Whether the risk keeps to a bar, by the labels so far. Only one of the two answers can be wrong, so each may use
    /// all of the error probability: an interval behind it has the level 1 − 2 (1 − level).
    pub fn check(&self, bar: &Threshold) -> Result<Decision> {
        check_level(bar.level, 0.5)?;
        if !bar.value.is_finite() {
            return Err(Error::Option { name: "the threshold", value: bar.value, range: "a finite number" });
        }
        let level = 2.0 * bar.level - 1.0;
        self.refuse_strata()?;
        let gathered = self.gather(self.usual_estimator())?;
        let evidence = gathered.evidence();
        let labels = evidence.samples.len() - evidence.imputed;
        let whole = evidence.samples.len() == evidence.pool_size && bar.target == Target::Pool;
        let ordinary = || gathered.interval(Method::Ordinary, bar.target, level);
        let guaranteed = |level| self.interval(&Lure, Method::Guaranteed, bar.target, level);
        Ok(match bar.assurance {
            _ if whole => bar.one_look(&ordinary()?, labels),
            Assurance::Once => match ordinary() {
                Err(Error::TooFewLabels { .. }) => Decision::too_early(labels),
                Ok(Interval {
                    caution: Some(_),
                    basis: Basis::LogT { .. } | Basis::LogitT { .. } | Basis::T { .. },
                    ..
                }) => {
                    // What is provisional decides nothing.
                    Decision::too_early(labels)
                }
                interval => bar.one_look(&interval?, labels),
            },
            Assurance::Guaranteed => bar.one_look(&guaranteed(level)?, labels),
            Assurance::Anytime => {
                let evidences = gathered.extremes().map_or_else(|| vec![evidence], Vec::from);
                let bounded = evidences.iter().all(|evidence| can_be_guaranteed(evidence, bar.target));
                let so_far = match bounded.then(|| guaranteed(bar.level)) {
                    // Items missing since a refresh leave no guarantee.
                    None | Some(Err(Error::MissingSinceRefresh)) => Decision::too_early(labels),
                    Some(interval) => bar.one_look(&interval?, labels),
                };
                bar.many_looks(&evidences, bounded, so_far)?
            }
        })
    }
}

impl Decision {
    fn too_early(labels: usize) -> Self {
        Self { verdict: Verdict::Undecided, interval: None, basis: None, labels }
    }
}

impl Threshold {
    /// What ends that leave the risk between them say.
    pub fn verdict(&self, low: f64, high: f64) -> Verdict {
        // But for rounding: a bar on accuracy of 0.9 is one on errors of 0.09999999999999998.
        let slack = 1e-12 * (1.0 + self.value.abs());
        match self.side {
            Side::Below if high <= self.value + slack => Verdict::Met,
            Side::Below if low > self.value + slack => Verdict::NotMet,
            Side::Above if low >= self.value - slack => Verdict::Met,
            Side::Above if high < self.value - slack => Verdict::NotMet,
            _ => Verdict::Undecided,
        }
    }

    fn one_look(&self, interval: &Interval, labels: usize) -> Decision {
        let Interval { low, high, basis, .. } = *interval;
        Decision { verdict: self.verdict(low, high), interval: Some((low, high)), basis: Some(basis), labels }
    }

    /// The first look that decides, or what all of them leave of `so_far`. A confidence sequence covers at all moments at
    /// once, so what one of them excluded stays so, and looking again later takes no answer back.
    fn many_looks(&self, evidences: &[&Evidence], bounded: bool, so_far: Decision) -> Result<Decision> {
        let mut decision = so_far;
        let count = evidences.first().map_or(0, |evidence| evidence.samples.len());
        for draws in looks(first_look(bounded), count) {
            if decision.verdict != Verdict::Undecided {
                break;
            }
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for evidence in evidences {
                let then = if draws == count { (*evidence).clone() } else { prefix(evidence, draws) };
                let planned = planned(then.pool_size);
                let seen = look(&then, evidence.usual_estimator(), planned, self.target, self.level)?;
                // Too little to go by says nothing.
                let said = if seen.caution.is_none() {
                    (seen.low, seen.high)
                } else {
                    (f64::NEG_INFINITY, f64::INFINITY)
                };
                (least, most) = (least.min(said.0), most.max(said.1));
            }
            let (low, high) = decision.interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let (low, high) = (low.max(least), high.min(most));
            if (Some((low, high)) != decision.interval) && (low.is_finite() || high.is_finite()) {
                let (verdict, basis) = (self.verdict(low, high), Some(Basis::Anytime));
                decision = Decision { verdict, interval: Some((low, high)), basis, ..decision };
            }
        }
        Ok(decision)
    }
}

/// What the asymptotic sequence is tuned for in a pool of a size.
pub(super) fn planned(pool_size: usize) -> usize {
    PLANNED.min(pool_size.saturating_sub(1)).max(1)
}

/// The labels at which the asymptotic sequence is first looked at.
pub(crate) fn first_look(bounded: bool) -> usize {
    if bounded { FIRST_LOOK } else { FIRST_LOOK_WITHOUT_BOUNDS }
}

/// When to look: after every label up to a thousand, after every five hundredth part more of them later, and now.
fn looks(first: usize, count: usize) -> Vec<usize> {
    let mut looks = Vec::new();
    let mut next = first;
    while next < count {
        looks.push(next);
        next += (next / 500).max(1);
    }
    if count >= first {
        looks.push(count);
    }
    looks
}

/// What was known after some draws. Bounds of what came later are not known one by one, and left out.
fn prefix(evidence: &Evidence, draws: usize) -> Evidence {
    let samples = evidence.samples.iter().take(draws).copied().collect();
    Evidence { samples, unlabelled: None, imputed: 0, belief: None, ..*evidence }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_LOOK, looks};

    #[test]
    fn looks_go_on_as_labels_come_and_end_with_now() {
        assert!(looks(FIRST_LOOK, FIRST_LOOK - 1).is_empty());
        assert_eq!(looks(FIRST_LOOK, FIRST_LOOK), [FIRST_LOOK]);
        assert_eq!(looks(FIRST_LOOK, FIRST_LOOK + 2), [FIRST_LOOK, FIRST_LOOK + 1, FIRST_LOOK + 2]);
        let (some, more) = (looks(FIRST_LOOK, 5000), looks(FIRST_LOOK, 100_000));
        // What was looked at stays looked at, but for the last.
        assert_eq!(some[..some.len() - 1], more[..some.len() - 1]);
        assert!(more.len() < 4000 && more.windows(2).all(|pair| pair[0] < pair[1]), "{}", more.len());
    }
}
