//! Parts of sentences that depend on a value.

/// The way out for a number that is not a probability.
pub(super) fn not_a_probability(value: f64) -> &'static str {
    if value.is_nan() {
        "drop the item or correct the value"
    } else {
        "give probabilities, not logits or percentages"
    }
}

pub(super) fn open_draws(open: usize, next: Option<usize>) -> String {
    match next {
        Some(next) if open == 1 => format!("1 draw waits for a label, item {next}"),
        Some(next) => format!("{open} draws wait for a label, the first is item {next}"),
        None => "no draw waits for a label, so ask first".to_owned(),
    }
}

pub(super) fn first_open(next: Option<usize>) -> String {
    match next {
        Some(next) => format!(": the first draw, item {next}, has no label yet"),
        None => ": ask and tell first".to_owned(),
    }
}
