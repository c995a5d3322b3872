//! Metrics that may have been meant by a name that is none.

use labelwise::words::did_you_mean;

use crate::Metric;

/// The names that people type, aliases too.
const METRICS: [&str; 44] = [
    "cross-entropy",
    "log_loss",
    "nll",
    "zero-one",
    "error-rate",
    "accuracy",
    "brier",
    "squared-error",
    "mse",
    "absolute-error",
    "mae",
    "pinball-0.9",
    "gaussian-nll",
    "value",
    "rate",
    "agreement",
    "kappa",
    "weighted_kappa",
    "sensitivity",
    "specificity",
    "ppv",
    "pass_rate",
    "precision",
    "precision_macro",
    "precision_per_class",
    "recall",
    "recall_macro",
    "recall_per_class",
    "f1",
    "f1_macro",
    "f1_micro",
    "f1_per_class",
    "balanced_accuracy",
    "matthews_corrcoef",
    "roc_auc",
    "average_precision",
    "precision_at_recall_0.9",
    "recall_at_precision_0.9",
    "calibration",
    "rmse",
    "r2",
    "neg_log_loss",
    "neg_brier_score",
    "neg_mean_squared_error",
];

/// The end of a sentence about a name that is not a mean loss.
pub(crate) fn near_losses(typed: &str) -> String {
    did_you_mean(typed, METRICS.into_iter().filter(|name| name.parse::<Metric>().is_ok()))
}

/// The end of a sentence about a name that is not a metric.
pub(crate) fn near_metrics(typed: &str) -> String {
    did_you_mean(typed, METRICS)
}

#[cfg(test)]
mod tests {
    use super::{METRICS, near_losses, near_metrics};
    use crate::Measurable;

    #[test]
    fn what_is_suggested_is_a_metric() {
        for name in METRICS {
            assert!(name.parse::<Measurable>().is_ok(), "{name}");
        }
        assert_eq!(near_metrics("acuracy"), "; did you mean \"accuracy\"?");
        assert_eq!((near_metrics("beauty"), near_losses("f1")), (String::new(), String::new()));
    }
}
