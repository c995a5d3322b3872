//! The findings in a few sentences and a small table, for people.

use labelwise_study::simulate::{Measured, StopResult, Strategy, StrategyResult};
use labelwise_study::{LearnerName, SurrogateChoice, Times};

use super::best::Best;
use super::findings::{Believed, Findings};
use crate::output::table::aligned;
use crate::output::text::{cells, counted, percent, percent_rounded, thousands, wrapped};

/// Number of standard errors within which a difference may be chance.
const CLEAR: f64 = 2.0;

/// What came out, first in sentences.
pub(super) fn findings(findings: &Findings) -> String {
    let digits = digits(findings);
    let mut text = wrapped(&headline(findings), "", "");
    text.push('\n');
    text.push_str(&wrapped(&circumstances(findings, digits), "", ""));
    text.push('\n');
    text.push_str(&aligned(&table(findings, digits)));
    text.push_str(&format!(
        "\nRMSE: root mean squared error about the truth; bias: mean of estimate less truth.\n\
         covers: how often the {} interval for this pool held the truth; width: its median width.\n\
         as good as: uniform labels that have the same RMSE.\n",
        percent(findings.level)
    ));
    if let Some(undefined) = undefined(findings) {
        text.push_str(&wrapped(&undefined, "note: ", "  "));
    }
    for note in &findings.notes {
        text.push_str(&wrapped(note, "note: ", "  "));
    }
    if let Some(best) = findings.best.as_ref().filter(|_| findings.saves()) {
        text.push('\n');
        text.push_str(&recommended(best));
    }
    text
}

/// How to get the strategy with the smallest error.
fn recommended(best: &Best) -> String {
    let line = |command: &str, options: &[String]| format!("  labelwise {command} {}\n", options.join(" "));
    if best.new.is_empty() && best.estimate.is_empty() {
        return "Smallest RMSE: labelwise, which is what labelwise new does by default.\n".to_owned();
    }
    let head = format!("Smallest RMSE: {}. To get it on a pool of your own:\n", best.title);
    let mut text = head + &line("new POOL", &best.new);
    if !best.estimate.is_empty() {
        text.push_str(&line("estimate EVALUATION", &best.estimate));
    }
    text.push_str("Give new the options for loss, columns and surrogate that you gave here.\n");
    if best.learns_more {
        text.push_str("It retrains the surrogate after every label, more often than here.\n");
    }
    text
}

/// The runs in which the metric had no value.
fn undefined(findings: &Findings) -> Option<String> {
    let results =
        findings.budgets.iter().flat_map(|at| at.strategies.iter().map(move |result| (at.labels, result)));
    let without: Vec<String> = results
        .filter(|(_, result)| result.undefined > 0)
        .map(|(labels, result)| {
            format!(
                "{} of {} at {}",
                result.title,
                counted(result.undefined, "run"),
                counted(labels, "label")
            )
        })
        .collect();
    (!without.is_empty()).then(|| {
        format!(
            "the {} has no value in some runs, which are left out: {}",
            findings.metric,
            without.join("; ")
        )
    })
}

/// What a stranger wants to know.
fn headline(findings: &Findings) -> String {
    let (labels, size) = (counted(findings.budget, "label"), thousands(findings.pool.pool_size));
    let metric = &findings.metric;
    let Some(uniform) = findings.result(&Strategy::LABELWISE).and_then(|result| result.uniform_labels) else {
        return if findings.budget == findings.pool.pool_size {
            format!("The whole pool of {size} items is labelled: nothing is left to estimate or to save.")
        } else {
            format!("Every item of this pool has the same loss: one label says the {metric}.")
        };
    };
    let Measured { value, standard_error } = uniform;
    let cost = findings.budget as f64 / value;
    let clear = standard_error.map(|error| (value - findings.budget as f64).abs() > CLEAR * error);
    let saving = match clear {
        None => "one run does not tell what is saved".to_owned(),
        Some(false) => "that is no clear difference from uniform sampling".to_owned(),
        Some(true) if cost < 1.0 => {
            format!("labelwise saves {:.0}\u{a0}% of the labels", 100.0 * (1.0 - cost))
        }
        Some(true) => {
            format!("labelwise costs {:.0}\u{a0}% more labels than uniform sampling", 100.0 * (cost - 1.0))
        }
    };
    let worth = format!("{} uniform labels", thousands(value.round() as usize));
    let error = standard_error.map_or(String::new(), |error| format!(" (standard error {error:.0})"));
    format!("With {labels}, labelwise knows the {metric} of this pool as well as {worth}{error}: {saving}.")
}

fn circumstances(findings: &Findings, digits: usize) -> String {
    let Findings { pool, runs, seed, level, .. } = findings;
    let mut text = format!(
        "The truth is {:.digits$}, by all {} labels. {}. Repeated in {}, seed {seed}.",
        pool.truth,
        thousands(pool.pool_size),
        surrogate(&findings.surrogate),
        counted(*runs, "run"),
    );
    let [ours, uniform] = [Strategy::LABELWISE, Strategy::UNIFORM].map(|strategy| findings.result(&strategy));
    if let (Some(ours), Some(uniform)) = (ours, uniform)
        && let (Some(coverage), Some(width), Some(other)) =
            (ours.coverage, ours.median_width, uniform.median_width)
        && other > 0.0
    {
        text.push_str(&format!(
            " The {} intervals of labelwise held the truth in {} of the runs; half of them were at most \
             {width:.digits$} wide, and those of uniform sampling {other:.digits$}.",
            percent(*level).replace(' ', "\u{a0}"),
            percent_rounded(coverage).replace(' ', "\u{a0}"),
        ));
    }
    text
}

fn surrogate(surrogate: &Believed) -> String {
    if let Some(judge) = &surrogate.judge {
        return format!("The surrogate is {judge}");
    }
    let (learner, retrain, train) = match &surrogate.choice {
        SurrogateChoice::Own => return "The surrogate is the model itself".to_owned(),
        SurrogateChoice::Given { members: 1 } => {
            return "The surrogate is another model's predictions".to_owned();
        }
        SurrogateChoice::Given { members } => {
            return format!("The surrogate is the mean of {members} models' predictions");
        }
        SurrogateChoice::Nothing | SurrogateChoice::Supplied { .. } => {
            return "There is no surrogate".to_owned();
        }
        SurrogateChoice::Learnt { learner, retrain, train } => (learner, retrain, *train),
    };
    let name = match learner {
        LearnerName::Forest => "a random forest",
        LearnerName::Logistic => "logistic regression",
        LearnerName::Gp => "a Gaussian process",
        LearnerName::Linear => "linear regression",
    };
    let train = if train == 0 { String::new() } else { format!(" and {}", counted(train, "training row")) };
    let refitted = match retrain {
        Times::Every(labels) => format!("refitted after every {}", counted(*labels, "label")),
        Times::At(list) => {
            let list: Vec<String> = list.iter().map(usize::to_string).collect();
            format!("refitted at {} labels", list.join(", "))
        }
        Times::Never => "never refitted".to_owned(),
    };
    format!("The surrogate is {name} on {}{train}, {refitted}", counted(surrogate.features, "feature"))
}

fn table(findings: &Findings, digits: usize) -> Vec<Vec<String>> {
    let mut rows = vec![cells(["labels", "RMSE", "bias", "covers", "width", "as good as", "saves"])];
    for at in &findings.budgets {
        rows.push(vec![thousands(at.labels)]);
        rows.extend(at.strategies.iter().map(|result| row(result, at, digits)));
    }
    rows
}

fn row(result: &StrategyResult, at: &StopResult, digits: usize) -> Vec<String> {
    let none = || "-".to_owned();
    let title = format!("  {}", result.title);
    let rmse = result.exact_root_mean_squared_error.unwrap_or(result.root_mean_squared_error);
    let coverage = match (result.coverage, result.without_interval) {
        (Some(coverage), 0) => percent_rounded(coverage),
        // The intervals there are do not speak for the runs without one.
        (Some(coverage), missing) => format!("{} ({missing} none)", percent_rounded(coverage)),
        (None, _) => none(),
    };
    let as_good = result.uniform_labels.map_or_else(none, |labels| thousands(labels.value.round() as usize));
    // A whole number, since a saving of nothing has no sign.
    let saved = |labels: Measured| (100.0 * (1.0 - at.labels as f64 / labels.value)).round() as i64;
    let saves = result.uniform_labels.map_or_else(none, |labels| format!("{} %", saved(labels)));
    vec![
        title,
        format!("{rmse:.digits$}"),
        signed(result.bias.value, digits),
        coverage,
        result.median_width.map_or_else(none, |width| format!("{width:.digits$}")),
        as_good,
        saves,
    ]
}

/// A number with its sign; a nought has none.
fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    let nought = text.chars().all(|letter| !('1'..='9').contains(&letter));
    if nought { text.trim_start_matches(['+', '-']).to_owned() } else { text }
}

/// Number of decimals that shows three digits of the smallest error.
fn digits(findings: &Findings) -> usize {
    let results = findings.budgets.iter().flat_map(|at| &at.strategies);
    let errors = results.map(|result| result.root_mean_squared_error).filter(|error| *error > 1e-12);
    let smallest = errors.fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { (2.0 - smallest.log10().floor()).clamp(0.0, 12.0) as usize } else { 4 }
}
