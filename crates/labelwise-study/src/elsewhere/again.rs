//! What can be checked of draws without the pool: the constants of every refresh, and the score, the weight, the time of arrival, q
//! and the expectation of every draw.

use labelwise::ledger::Draw;
use labelwise_sketch::{Arrivals, ExactSum, Key};

use super::KeptScan;
use super::chunk::{KeptRow, Shape, chunk_of};
use super::drawn::{OfRows, of_rows, rho};
use super::ready::constants;
use super::scoring::{Scorer, Scoring};
use super::stand_in;
use super::totals::Totals;
use crate::error::{ElsewhereError, Error, Result, damaged};
use crate::journal::Row;
use crate::journal::record::Record;
use crate::study::Study;
use crate::task::StudyTask;
use crate::verify::{ROUNDING, Verified, difference};

impl Study {
    /// Makes every draw again from the drawn rows and what the refreshes recorded.
    pub(crate) fn scan_again<T: StudyTask>(&self, progress: &dyn Fn(usize, usize)) -> Result<Verified> {
        let record = self.record()?;
        let refreshes = &record.refreshes;
        let mut verified = Verified {
            refreshes: refreshes.len(),
            draws: record.draws.len(),
            events: record.events.len(),
            largest_difference: 0.0,
            ignored_log: None,
        };
        for done in 0..refreshes.len() {
            progress(done, refreshes.len());
            let found = self.refresh_again::<T>(record, done)?;
            verified.largest_difference = verified.largest_difference.max(found);
        }
        progress(refreshes.len(), refreshes.len());
        Ok(verified)
    }

    fn refresh_again<T: StudyTask>(&self, record: &Record, number: usize) -> Result<f64> {
        let (path, settings) = (self.path(), &self.settings);
        let wrong = || damaged(path, "refresh", number);
        let origin = &record.refreshes.get(number).ok_or_else(wrong)?.origin;
        let scan = origin.scan.as_ref().ok_or_else(wrong)?;
        let priors = record.refreshes.first().and_then(|first| first.origin.priors.clone());
        let tables = stand_in::kept_tables(&*self.journal, settings)?;
        if tables.keys().any(|name| stand_in::is_sample(name)) {
            let sample = stand_in::sample(&tables, settings)?;
            let past = record.until(origin.draws, origin.events);
            let again = constants(settings, priors.as_ref(), &sample, &past, path)?;
            if !alike(&again, scan) {
                return Err(wrong());
            }
        }
        let end = record.refreshes.get(number + 1).map_or(record.draws.len(), |next| next.origin.draws);
        let count = end.checked_sub(origin.draws).ok_or_else(wrong)?;
        let drawn = record.draws.get(origin.draws..end).unwrap_or_default();
        if count == 0 {
            return Ok(0.0);
        }
        let shape = Shape::of_settings(settings);
        let width = drawn.first().map_or(1, |first| first.row.experts.len() / shape.given_or_one());
        let kept = |row: &Row| KeptRow {
            prediction: row.prediction.clone(),
            given: row.experts.chunks(width.max(1)).map(<[f64]>::to_vec).collect(),
            said: row.predicted.clone(),
        };
        let rows: Vec<KeptRow> = drawn.iter().map(|drawn| kept(&drawn.row)).collect();
        let chunk = chunk_of(&rows, drawn.iter().map(|drawn| drawn.id.as_str()).collect(), &shape)?;
        let scoring = Scoring { settings: settings.clone(), priors, constants: scan.constants.clone() };
        let scorer = Scorer::<T>::new(scoring)?;
        let scores = scorer.score(&chunk, &[], &mut Totals::default())?;
        let OfRows { controls, bounds, .. } = of_rows(&scorer, settings, &chunk)?;
        let key = Key { seed: settings.seed, refresh: origin.number };
        let arrivals =
            Arrivals::new(key, scan.items, scan.total, rho(settings)).map_err(ElsewhereError::from)?;
        let weights: Vec<f64> = scores.iter().map(|score| arrivals.weight(*score)).collect();
        let totals = origin.asides.get(&settings.metric.loss).ok_or_else(wrong)?;
        let mut control_total: ExactSum = [totals.control].into_iter().collect();
        let mut left: ExactSum = [scan.items as f64].into_iter().collect();
        let (mut largest, mut before) = (0.0_f64, f64::NEG_INFINITY);
        for (place, ((drawn, score), ((weight, control), bounds))) in
            drawn.iter().zip(&scores).zip(weights.iter().zip(controls).zip(bounds)).enumerate()
        {
            let row = &drawn.row.draw;
            let time = arrivals.time(&drawn.id, *score);
            let mass = left.value();
            let reach = totals.reach.map(|(low, high)| labelwise::estimator::RatioBounds {
                low: low * row.mass,
                high: high * row.mass,
            });
            let again = Draw {
                index: origin.draws + place,
                // The last draws of a whole pool are divided by what they sum to.
                q: weight / row.mass,
                mass: if record.draws.len() as u64 == scan.items { row.mass } else { mass },
                control,
                control_total: control_total.value(),
                ratio_bounds: reach,
                bounds,
                refresh: origin.number,
            };
            let differs = difference(&again, row);
            let in_order = time >= before * (1.0 - ROUNDING);
            // What is left of a sum may be the difference of large numbers.
            let small = (again.control_total - row.control_total).abs() <= ROUNDING * totals.control.abs()
                && difference(&Draw { control_total: row.control_total, ..again }, row) <= ROUNDING;
            if row.index != again.index || !in_order || !(differs <= ROUNDING || small) {
                return Err(Error::Differs {
                    path: path.to_owned(),
                    place: origin.draws + place,
                    recorded: row.index,
                    recorded_q: row.q,
                    again: again.index,
                    again_q: again.q,
                });
            }
            largest = largest.max(if differs <= ROUNDING { differs } else { 0.0 });
            before = time;
            control_total.add(-control);
            left.add(-weight);
        }
        Ok(largest)
    }
}

/// Whether constants are those on record, as far as machines round alike.
fn alike(again: &super::Constants, scan: &KeptScan) -> bool {
    let numbers = |constants: &super::Constants| serde_json::to_value(constants).map(|value| flat(&value));
    let (Ok(one), Ok(other)) = (numbers(again), numbers(&scan.constants)) else { return false };
    let near = |(one, other): (&f64, &f64)| {
        (one - other).abs() <= ROUNDING * one.abs().max(other.abs()).max(f64::MIN_POSITIVE) || one == other
    };
    one.len() == other.len() && one.iter().zip(&other).all(near)
}

fn flat(value: &serde_json::Value) -> Vec<f64> {
    match value {
        serde_json::Value::Array(values) => values.iter().flat_map(flat).collect(),
        serde_json::Value::Object(values) => values.values().flat_map(flat).collect(),
        value => value.as_f64().into_iter().collect(),
    }
}
