//! The findings in words and small tables, for people.

use labelwise_study::simulate::{Comparison, Measured};

use super::findings::{Diagnostics, Findings, Line, Repeated, Repetitions};
use crate::output::table::aligned;
use crate::output::text::{cells, counted, percent, percent_rounded, thousands, wrapped};

/// The commands to type next.
const NEXT: &str = "\nNext, with predictions of your own model or scores of your judge (CSV, Parquet, ...):\n  \
                    labelwise doctor YOUR_FILE    # says what each column can be, and which command comes next\n  \
                    labelwise new YOUR_FILE --loss accuracy\n";

/// What the labels were worth, what was done, and how far to trust it.
pub(super) fn findings(findings: &Findings) -> String {
    [
        &conclusion(&findings.repetitions),
        "\n",
        &evaluation(findings),
        &repetitions(&findings.repetitions, findings),
        NEXT,
    ]
    .concat()
}

/// One evaluation in detail.
fn evaluation(findings: &Findings) -> String {
    let Findings { settings, pool, .. } = findings;
    let (labels, size) = (counted(settings.budget, "label"), thousands(pool.pool_size));
    let done = format!(
        "One evaluation: the {} of a {} on a pool of {size} {}, estimated from {labels}. A {} is the surrogate, \
         the seed is {}.",
        settings.loss.in_words(),
        pool.model,
        pool.items,
        pool.surrogate,
        settings.seed,
    );
    let mut text = wrapped(&done, "", "") + "\n";
    let interval = format!("{} interval", percent(settings.level));
    let mut rows = vec![cells(["", "estimate", &interval, "covers", "kind"])];
    rows.extend(findings.estimates.iter().map(estimate));
    let all = format!("true pool risk, by all {size} labels");
    rows.push(cells([&all, &format!("{:.4}", pool.pool_risk)]));
    text.push_str(&aligned(&rows));
    if settings.budget == pool.pool_size {
        return text;
    }
    text.push_str("\nDiagnostics of the active estimate:\n");
    text.push_str(&diagnostics(&findings.diagnostics, settings.budget));
    for note in &findings.notes {
        text.push_str(&wrapped(note, "  note: ", "    "));
    }
    if findings.notes.is_empty() {
        text.push_str("  nothing stands out\n");
    }
    text
}

fn estimate(line: &Line) -> Vec<String> {
    let title = format!("{}, {}", line.title, line.estimator);
    let value = format!("{:.4}", line.value);
    let Some(interval) = &line.interval else { return cells([&title, &value, "none"]) };
    let ends = format!("{:.4} to {:.4}", interval.low, interval.high);
    cells([&title, &value, &ends, if interval.covers { "yes" } else { "no" }, interval.kind])
}

fn diagnostics(diagnostics: &Diagnostics, budget: usize) -> String {
    let share = diagnostics.largest_share.map_or("none".to_owned(), percent_rounded);
    let rows = [
        (
            "effective hits",
            format!("{:.1}", diagnostics.effective_hits),
            "labels that carry the variance; below 3 is too few",
        ),
        ("largest share", share, "of the variance, from one label; above 25 % is much"),
        (
            "effective weights",
            format!("{:.1}", diagnostics.weight_ess),
            &format!("equal weights with the same precision, of {}", thousands(budget)),
        ),
        ("mean weight", format!("{:.3}", diagnostics.mean_v), "near 1 is right"),
        (
            "smallest n·q",
            format!("{:.3}", diagnostics.smallest_nq),
            "the smallest chance of a draw; 1 is uniform",
        ),
        (
            "usefulness b1",
            format!("{:.2}", diagnostics.usefulness),
            "of the surrogate; near 1 is good, near 0 is useless",
        ),
    ];
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let lines =
        rows.iter().map(|(name, value, meaning)| format!("  {name:<width$}   {value:>6}   {meaning}\n"));
    lines.collect()
}

/// How the strategies did over all repetitions.
fn repetitions(repetitions: &Repetitions, findings: &Findings) -> String {
    let settings = &findings.settings;
    let mut text = format!(
        "\n{} of {} each (seeds derived from seed {}):\n\n",
        counted(repetitions.runs, "repetition"),
        counted(settings.budget, "label"),
        repetitions.seed
    );
    let coverage = format!("coverage of {}", percent(settings.level));
    let mut rows = vec![cells(["", "RMSE", "MSE ratio", "worth", &coverage])];
    rows.extend(repetitions.strategies.iter().map(result));
    text.push_str(&aligned(&rows));
    text.push_str(
        "\nRMSE: root mean squared error about the true pool risk.\n\
         MSE ratio: mean squared error of uniform sampling over the row's own.\n\
         worth: uniform labels that are as good as one of the row's, in a pool of this size.\n",
    );
    text
}

fn result(result: &Repeated) -> Vec<String> {
    let title = format!("{}, {}", result.title, result.estimator);
    let rmse = format!("{:.4}", result.root_mean_squared_error);
    let (ratio, worth) = match result.against_uniform {
        Some(Comparison { squared_error_ratio: ratio, uniform_labels_a_label: worth }) => {
            (format!("{:.2}", ratio.value), format!("{:.2}", worth.value))
        }
        None => ("none".to_owned(), "none".to_owned()),
    };
    cells([&title, &rmse, &ratio, &worth, &percent_rounded(result.coverage)])
}

/// The one sentence that matters.
fn conclusion(repetitions: &Repetitions) -> String {
    let active = repetitions.strategies.first();
    let Some(comparison) = active.and_then(|result| result.against_uniform) else {
        return "The whole pool is labelled: nothing is left to estimate or to diagnose.\n".to_owned();
    };
    let Measured { value, standard_error } = comparison.uniform_labels_a_label;
    let error = standard_error.map_or(String::new(), |error| format!(", standard error {error:.2}"));
    let (runs, seed) = (counted(repetitions.runs, "run"), repetitions.seed);
    let sentence = format!(
        "One label that labelwise chose was worth {value:.2} uniformly sampled labels ({runs}, seed {seed}{error})."
    );
    wrapped(&sentence, "", "")
}
