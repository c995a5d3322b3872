//! Parts of sentences that depend on what there is.

/// What waits for a label.
pub(super) fn open_draws(open: usize, next: Option<usize>) -> String {
    match next {
        Some(next) if open == 1 => format!("the one draw that waits for a label is item {next}"),
        Some(next) => format!("{open} draws wait for a label, the first of them item {next}"),
        None => "no draw waits for a label; ask first".to_owned(),
    }
}

/// What everything waits for.
pub(super) fn first_open(next: Option<usize>) -> String {
    match next {
        Some(next) => format!(": the first draw, item {next}, still waits for its label"),
        None => ": ask and tell first".to_owned(),
    }
}
