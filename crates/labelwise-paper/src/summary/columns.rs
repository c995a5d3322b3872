//! Numbers of many steps as columns.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::statistics::Summary;

/// A column a number, one entry a step, six digits each: a third of the size of an object a step, and what plots want.
pub(super) fn columns<S: Serializer>(
    steps: &[Summary],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    type Number = fn(&Summary) -> Option<f64>;
    let numbers: [(&str, Number); 21] = [
        ("mean_error", |step| Some(step.mean)),
        ("mean_error_std_error", |step| step.mean_std_error),
        ("std_dev", |step| step.std_dev),
        ("std_dev_std_error", |step| step.std_dev_std_error),
        ("mean_squared_error", |step| Some(step.mean_squared_error)),
        ("mean_squared_error_std_error", |step| step.mean_squared_error_std_error),
        ("median_squared_error", |step| Some(step.median_squared_error)),
        ("median_squared_error_low", |step| step.median_squared_error_range.map(|range| range.low)),
        ("median_squared_error_high", |step| step.median_squared_error_range.map(|range| range.high)),
        ("squared_error_q05", |step| Some(step.squared_error_quantiles.q05)),
        ("squared_error_q10", |step| Some(step.squared_error_quantiles.q10)),
        ("squared_error_q25", |step| Some(step.squared_error_quantiles.q25)),
        ("squared_error_q75", |step| Some(step.squared_error_quantiles.q75)),
        ("squared_error_q90", |step| Some(step.squared_error_quantiles.q90)),
        ("squared_error_q95", |step| Some(step.squared_error_quantiles.q95)),
        ("error_q10", |step| step.error_quantiles.first().copied()),
        ("error_median", |step| step.error_quantiles.get(1).copied()),
        ("error_q90", |step| step.error_quantiles.last().copied()),
        ("exact_runs", |step| Some(step.exact_runs as f64)),
        ("mean_log_squared_error", |step| step.mean_log_squared_error),
        ("mean_log_squared_error_std_error", |step| step.mean_log_squared_error_std_error),
    ];
    let kept = || steps.iter().zip(1..).filter(|(_, m)| is_kept(*m, steps.len()));
    let column = |number: Number| kept().map(|(step, _)| number(step).map(six_digits)).collect::<Vec<_>>();
    let mut columns: BTreeMap<&str, Vec<Option<f64>>> =
        numbers.into_iter().map(|(name, number)| (name, column(number))).collect();
    if steps.len() > LONG {
        columns.insert("step", kept().map(|(_, m)| Some(m as f64)).collect());
    }
    columns.serialize(serializer)
}

/// Curves with more steps are written down at some of them: the traces have all.
const LONG: usize = 150;

/// Whether step `m` (from 1) of `steps` is written down: of a long curve the first 20 and every tenth.
pub(super) fn is_kept(m: usize, steps: usize) -> bool {
    steps <= LONG || m <= 20 || m.is_multiple_of(10)
}

/// The nearest number of six digits.
pub(super) fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
