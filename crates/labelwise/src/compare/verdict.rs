//! From draws to a verdict: the difference, its interval, a p-value, and what several comparisons at once take.

use super::versus::pairs;
use crate::error::{CompareError, Error, Result};
use crate::estimator::{Estimator, Lure, RegressionLure};
use crate::interval::{Interval, Method, Target};
use crate::ledger::{Estimate, Gathered, Ledger};
use crate::plan::first_look;
use crate::report::Report;
use crate::task::Task;

/// No p-value is given below this: the tails are not known that far.
const SMALLEST_P: f64 = 1e-9;

/// What is asked of a comparison.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// How the difference is estimated.
    pub estimator: &'a dyn Estimator,
    /// How its interval is made: one that holds at any time, for those who look again and again until it is decided.
    pub method: Method,
    /// Whose difference.
    pub target: Target,
    /// The probability with which all intervals together are to cover.
    pub level: f64,
    /// How many comparisons share the error probability, by Bonferroni: 1 for two models.
    pub comparisons: usize,
}

impl Default for Question<'_> {
    /// The ordinary interval at 95 % about regression LURE, for this pool.
    fn default() -> Self {
        let (method, target) = (Method::Ordinary, Target::Pool);
        Self { estimator: &RegressionLure, method, target, level: 0.95, comparisons: 1 }
    }
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Question");
        debug.field("estimator", &self.estimator.name()).field("method", &self.method);
        debug.field("target", &self.target).field("level", &self.level);
        debug.field("comparisons", &self.comparisons).finish()
    }
}

/// How two models compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The difference with everything worth knowing about it. Its interval is at the level that each of several
    /// comparisons needs for all of them to hold together.
    pub report: Report,
    /// The two-sided p-value of there being no difference, multiplied by the number of comparisons: the smallest error
    /// probability at which the interval leaves out 0. So it is below 1 − level just if 0 is outside of the interval, and
    /// with an interval that holds at any time it may be looked at any time too. Not below 10⁻⁹; `None` while there is no
    /// interval.
    pub p_value: Option<f64>,
    /// How many comparisons share the error probability.
    pub comparisons: usize,
}

impl Comparison {
    /// The estimated difference: below 0 if the first is better.
    pub fn difference(&self) -> f64 {
        self.report.estimate.value
    }

    /// Whether 0 is outside of the interval.
    pub fn decided(&self) -> bool {
        self.report.interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
    }

    /// The same comparison the other way round.
    pub fn turned(mut self) -> Self {
        let Estimate { value, skipped, .. } = &mut self.report.estimate;
        *value = -*value;
        if let Some(bounds) = skipped {
            (bounds.low, bounds.high) = (-bounds.high, -bounds.low);
        }
        if let Some(interval) = &mut self.report.interval {
            (interval.low, interval.high) = (-interval.high, -interval.low);
        }
        self
    }
}

/// The difference of the ledger with its interval and its p-value.
pub fn compare<T: Task>(ledger: &Ledger<T>, question: &Question<'_>) -> Result<Comparison> {
    let Question { estimator, method, target, level, comparisons } = *question;
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::Option { name: "level", value: level, range: "between 0 and 1, such as 0.95" });
    }
    let share = (1.0 - level) / comparisons.max(1) as f64;
    let gathered = ledger.gather(estimator)?;
    let mut report = gathered.report(method, target, 1.0 - share)?;
    let plain = if matches!(method, Method::Anytime { .. }) { Some(ledger.gather(&Lure)?) } else { None };
    let interval_at = |error: f64| match &plain {
        Some(plain) => at_any_time(&gathered, plain, question, 1.0 - error),
        None => gathered.interval(method, target, 1.0 - error).map(Some),
    };
    if plain.is_some() {
        report.interval = interval_at(share)?;
    }
    let excludes = |error: f64| -> Result<bool> {
        Ok(interval_at(error)?.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0))
    };
    let p_value = match report.interval {
        Some(interval) => {
            let p = smallest_error(excludes)?;
            // An interval for a fixed budget need not be nested in those of other levels; the one that is shown counts.
            let outside = interval.low > 0.0 || interval.high < 0.0;
            let p = if outside { p.min(share * (1.0 - 1e-9)) } else { p.max(share) };
            Some((p * comparisons.max(1) as f64).min(1.0))
        }
        None => None,
    };
    Ok(Comparison { report, p_value, comparisons })
}

/// An interval that may be looked at after every label. One by the variance is wrong far too often while labels are few, so
/// betting decides from the first label, where the difference has bounds, and the other joins later, each with half of the
/// error probability. `None` while neither has anything to say.
fn at_any_time(
    gathered: &Gathered<'_>,
    plain: &Gathered<'_>,
    question: &Question<'_>,
    level: f64,
) -> Result<Option<Interval>> {
    let Question { method, target, .. } = *question;
    let evidence = gathered.evidence();
    let labels = evidence.samples.len();
    if labels == evidence.pool_size && target == Target::Pool {
        return gathered.interval(method, target, level).map(Some);
    }
    let half = 0.5 + 0.5 * level;
    let betting = match plain.interval(Method::Guaranteed, target, half) {
        Ok(interval) => Some(interval),
        Err(Error::Unbounded | Error::MissingSinceRefresh | Error::TooFewLabels { .. }) => None,
        Err(error) => return Err(error),
    };
    if labels < first_look(betting.is_some()) {
        return Ok(betting);
    }
    let joined = gathered.interval(method, target, half)?;
    if joined.caution.is_some() {
        // What is provisional decides nothing.
        return Ok(betting);
    }
    Ok(Some(match betting {
        Some(betting) if betting.low <= joined.high && joined.low <= betting.high => Interval {
            low: joined.low.max(betting.low),
            high: joined.high.min(betting.high),
            level,
            ..joined
        },
        _ => Interval { level, ..joined },
    }))
}

/// The smallest error probability at which 0 is left out; 1 if it never is.
fn smallest_error(excludes: impl Fn(f64) -> Result<bool>) -> Result<f64> {
    let (mut never, mut always) = (SMALLEST_P.ln(), (1.0_f64 - 1e-9).ln());
    if excludes(SMALLEST_P)? {
        return Ok(SMALLEST_P);
    }
    if !excludes(always.exp())? {
        return Ok(1.0);
    }
    for _ in 0..30 {
        let middle = 0.5 * (never + always);
        if excludes(middle.exp())? { always = middle } else { never = middle }
    }
    Ok(always.exp())
}

/// Several models against one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// The baseline, or the leader: the one with the least loss, by the labels so far.
    pub reference: usize,
    /// Each of the others against it, in the order of the models: below 0 if the other is better.
    pub others: Vec<(usize, Comparison)>,
}

/// Every model against a baseline, or against the one that leads.
///
/// Against a baseline that was fixed in advance these are K − 1 comparisons, and they share the error probability. Which
/// model leads is chosen by the same labels that then compare it, and whichever had led, its comparisons would have been
/// looked at: so all K (K − 1) / 2 pairs share it. `ledger` gives the draws by the difference between two models.
pub fn standings<T: Task>(
    models: usize,
    baseline: Option<usize>,
    question: &Question<'_>,
    mut ledger: impl FnMut(usize, usize) -> Result<Ledger<T>>,
) -> Result<Standings> {
    if models < 2 {
        return Err(CompareError::TooFew { models }.into());
    }
    if let Some(model) = baseline.filter(|model| *model >= models) {
        return Err(CompareError::NoSuchModel { model, models }.into());
    }
    let all: Vec<(usize, usize)> = pairs(models, baseline).collect();
    let question = Question { comparisons: all.len(), ..*question };
    let mut ledgers = Vec::with_capacity(all.len());
    let mut lead = vec![0.0; models];
    for &(one, other) in &all {
        let ledger = ledger(one, other)?;
        let difference = ledger.estimate(question.estimator)?.value;
        if let Some(sum) = lead.get_mut(one) {
            *sum += difference;
        }
        if let Some(sum) = lead.get_mut(other) {
            *sum -= difference;
        }
        ledgers.push(ledger);
    }
    // Whose losses are below those of the others by the most.
    let by_lead = (0..models).min_by(|&a, &b| {
        let lead = |model: usize| lead.get(model).copied().unwrap_or(0.0);
        lead(a).total_cmp(&lead(b))
    });
    let reference = baseline.or(by_lead).unwrap_or(0);
    let mut others = Vec::with_capacity(models - 1);
    for (&(one, other), ledger) in all.iter().zip(&ledgers) {
        if other == reference {
            others.push((one, compare(ledger, &question)?));
        } else if one == reference {
            others.push((other, compare(ledger, &question)?.turned()));
        }
    }
    others.sort_by_key(|(model, _)| *model);
    Ok(Standings { reference, others })
}
