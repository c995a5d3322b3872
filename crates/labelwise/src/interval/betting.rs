//! Guaranteed intervals by betting: a gambler who bets against a risk r that is the true one does not get rich, so
//! every r against which the gambler did get rich is out. No distribution is assumed; losses need bounds.

use super::{Basis, Interval, Target};
use crate::error::{Error, Result};
use crate::estimator::Lure;
use crate::ledger::Evidence;

/// Parts of the stake that the confidence sequence spreads over: it need not know the variance.
const FRACTIONS: [f64; 12] = [0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99];

/// The part of the error probability that the pool's distance from its population may spend.
pub(super) const POPULATION_SHARE: f64 = 0.2;

/// Whether losses have the bounds this needs.
pub(super) fn possible(evidence: &Evidence, target: Target) -> bool {
    let bounded = evidence.samples.iter().all(|s| s.ratio_bounds.is_some()) && evidence.unlabelled.is_some();
    bounded && (target == Target::Pool || evidence.range.is_some())
}

pub(super) fn interval(evidence: &Evidence, basis: Basis, target: Target, level: f64) -> Result<Interval> {
    if evidence.samples.is_empty() {
        return Err(Error::NoSamples { next: None });
    }
    let range = match (target, evidence.range) {
        (Target::Pool, _) => 0.0,
        (Target::Population, Some(range)) => range.high - range.low,
        (Target::Population, None) => return Err(Error::Unbounded),
    };
    let error = 1.0 - level;
    let (error, aside) = match target {
        Target::Pool => (error, 0.0),
        Target::Population => {
            let spent = POPULATION_SHARE * error;
            (error - spent, beside_pool(range, spent, evidence.whole_size()))
        }
    };
    let rounds = rounds(evidence)?;
    let certain = evidence.certain();
    // Everything is played on the part of the pool that draws speak for.
    let open =
        |risk: f64| (risk * evidence.whole_size() as f64 - evidence.known.sum) / evidence.pool_size as f64;
    let low = rounds.iter().fold(open(certain.low), |low, round| low.max(round.low));
    let high = rounds.iter().fold(open(certain.high), |high, round| high.min(round.high)).max(low);
    let bar = (2.0 / error).ln();
    let game = match basis {
        Basis::BettingAtBudget => Game::Fixed(stakes(&rounds, bar)),
        _ => Game::Sequence,
    };
    let from = crossing(low, high, |r| game.wealth(&rounds, r, Side::Above) < bar);
    let to = -crossing(-high, -low, |r| game.wealth(&rounds, -r, Side::Below) < bar);
    let (low, high) = (evidence.whole_risk(from) - aside, evidence.whole_risk(to.max(from)) + aside);
    let (low, high) =
        if target == Target::Population { super::within(evidence, target, low, high) } else { (low, high) };
    Ok(Interval { low, high, level, target, basis, caution: None })
}

/// How far the pool's risk is from its population's, but for the probability that is spent on it. Hoeffding: the pool is a
/// sample of independent items, each with a loss in the range.
pub(super) fn beside_pool(range: f64, spent: f64, size: usize) -> f64 {
    range * ((2.0 / spent).ln() / (2.0 * size as f64)).sqrt()
}

/// One draw as a round of the game: a has mean R given the past, and lies between low and high for certain.
struct Round {
    a: f64,
    low: f64,
    high: f64,
}

fn rounds(evidence: &Evidence) -> Result<Vec<Round>> {
    let terms = evidence.terms(&Lure)?;
    let size = evidence.pool_size as f64;
    let mut past = 0.0;
    let mut rounds = Vec::with_capacity(terms.labels());
    for (sample, &a) in evidence.samples.iter().zip(terms.a()) {
        let ratio_bounds = sample.ratio_bounds.ok_or(Error::Unbounded)?;
        rounds.push(Round {
            a,
            low: (past + ratio_bounds.low) / size,
            high: (past + ratio_bounds.high) / size,
        });
        past += sample.loss;
    }
    Ok(rounds)
}

/// Which way the gambler bets.
#[derive(Clone, Copy)]
enum Side {
    /// That the risk is above r.
    Above,
    /// That it is below.
    Below,
}

enum Game {
    /// Stakes tuned to a budget, for each round; the wealth at the end counts.
    Fixed(Vec<f64>),
    /// A spread of stakes; the best moment counts.
    Sequence,
}

impl Game {
    /// The logarithm of the wealth of a gambler who bets against r.
    fn wealth(&self, rounds: &[Round], r: f64, side: Side) -> f64 {
        match self {
            Self::Fixed(stakes) => {
                // What a bet can lose, against the worst outcome on its side, is at most nine tenths.
                let (most, bets) = (0.9, rounds.iter().zip(stakes));
                let growth = bets.map(|(round, stake)| match side {
                    Side::Above => stake.min(most / (r - round.low).max(0.0)) * (round.a - r),
                    Side::Below => stake.min(most / (round.high - r).max(0.0)) * (r - round.a),
                });
                growth.map(f64::ln_1p).sum()
            }
            Self::Sequence => {
                let mut logs = [0.0; FRACTIONS.len()];
                let mut best = f64::NEG_INFINITY;
                for round in rounds {
                    let gain = match side {
                        Side::Above => (round.a - r) / (r - round.low),
                        Side::Below => (r - round.a) / (round.high - r),
                    };
                    if !gain.is_finite() {
                        // r stands on the bound itself, where any other outcome rules it out.
                        return f64::INFINITY;
                    }
                    logs.iter_mut().zip(FRACTIONS).for_each(|(log, f)| *log += (f * gain).ln_1p());
                    best = best.max(log_mean_exp(&logs));
                }
                best
            }
        }
    }
}

fn log_mean_exp(logs: &[f64]) -> f64 {
    let most = logs.iter().fold(f64::NEG_INFINITY, |most, log| most.max(*log));
    most + (logs.iter().map(|log| (log - most).exp()).sum::<f64>() / logs.len() as f64).ln()
}

/// The stake of each round for a fixed budget, from the variance of the rounds before it.
fn stakes(rounds: &[Round], bar: f64) -> Vec<f64> {
    let budget = rounds.len() as f64;
    let mut squares = rounds.first().map_or(0.0, |round| ((round.high - round.low) / 2.0).powi(2));
    let mut sum = 0.0;
    rounds
        .iter()
        .zip(1_u32..)
        .map(|(round, m)| {
            let (m, range) = (f64::from(m), round.high - round.low);
            let tuned = (2.0 * bar / (budget * squares / m)).sqrt();
            let mean = if m > 1.0 { sum / (m - 1.0) } else { 0.5 * (round.low + round.high) };
            squares += (round.a - mean).powi(2);
            sum += round.a;
            // A round that can have one outcome only is not bet on.
            if range > 0.0 { tuned } else { 0.0 }
        })
        .collect()
}

/// The point between low and high from which on `stays` is true, by bisection; its outer side, so that rounding
/// widens the interval.
fn crossing(low: f64, high: f64, stays: impl Fn(f64) -> bool) -> f64 {
    if stays(low) {
        return low;
    }
    let (mut out, mut inside) = (low, high);
    for _ in 0..60 {
        let middle = 0.5 * (out + inside);
        if stays(middle) { inside = middle } else { out = middle }
    }
    out
}
