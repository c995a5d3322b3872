//! What a person reads on the page.

use insta::assert_snapshot;
use labelwise::Target;
use labelwise::interval::Basis;

use super::digits::{Digits, nothing_yet};
use super::heights::root_mean_squared_error;
use super::ledgers::Fates;
use super::tags::text;
use crate::document::html;
use crate::page::Fate;
use crate::prefixes::steps;
use crate::uniform::Uniform;

/// 160 draws of all digits: two skipped, one missing, one open, so that four labels wait behind it.
const ALL_KINDS: Fates = Fates { skipped: &[20, 90], missing: &[31], open: &[155] };

#[test]
fn an_accuracy_with_all_that_can_become_of_draws() {
    let page = Digits::read(1597).accuracy(160, &ALL_KINDS);
    let text = text(&html(&page).unwrap());
    let (before, table) = text.split_once("\n10 | digit-").unwrap();
    assert!(table.lines().count() > 100);
    assert_snapshot!(before);
}

#[test]
fn a_cross_entropy_without_anything_special() {
    let page = Digits::read(1597).cross_entropy(150, &Fates::default());
    let text = text(&html(&page).unwrap());
    let shown: Vec<&str> = text.lines().take_while(|line| *line != "Every draw").collect();
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn the_sentence_has_the_reports_numbers() {
    let digits = Digits::read(1597);
    let page = digits.cross_entropy(150, &Fates::default());
    let interval = page.report.interval.unwrap();
    let text = text(&html(&page).unwrap());
    let value = page.report.estimate.value;
    let expected = format!(
        "The cross-entropy on this pool of 1,597 items is estimated at {value:.3}, with a 95\u{a0}% interval from {:.3} \
         to {:.3}.",
        interval.low, interval.high
    );
    assert!(text.contains(&expected), "{expected}\nis not in\n{text}");
}

#[test]
fn the_population_is_named_and_costs_more() {
    let of = |target| root_mean_squared_error(300, 150, target);
    let (pool, population) = (of(Target::Pool), of(Target::Population));
    let text = text(&html(&population).unwrap());
    assert!(
        text.contains("on the population that this pool of 300 items was drawn from is estimated"),
        "{text}"
    );
    // What uniform sampling would have grows by what the pool's own distance from the population adds.
    let width = |page| {
        let (low, high) = Uniform::new(page).unwrap().interval(150).unwrap();
        high - low
    };
    let ratio = width(&population) / width(&pool);
    assert!(
        (ratio - 2f64.sqrt()).abs() < 1e-9,
        "{ratio}: half of the pool is labelled, so both parts are equal"
    );
}

#[test]
fn a_metric_may_be_any_monotone_function() {
    let page = root_mean_squared_error(2000, 120, Target::Pool);
    let text = text(&html(&page).unwrap());
    let interval = page.report.interval.unwrap();
    let [value, low, high] = [page.report.estimate.value, interval.low, interval.high].map(f64::sqrt);
    let expected = format!("estimated at {value:.2}, with a 95\u{a0}% interval from {low:.2} to {high:.2}.");
    assert!(text.contains(&expected), "{expected}\nis not in\n{text}");
    // Before the fourth label a loss without bounds has no interval.
    assert!(text.contains("\n1 | ") && text.contains(" | – | – | – | –\n"), "{text}");
}

/// Each step is what the report would have said then. Only the guaranteed intervals of early steps may be wider: the
/// bounds of later items are not known one by one.
#[test]
fn the_course_is_what_was_said_at_the_time() {
    let digits = Digits::read(1597);
    let fates = Fates { skipped: &[20, 90], ..Fates::default() };
    for of in [Digits::accuracy, Digits::cross_entropy] {
        let page = of(&digits, 160, &fates);
        let steps = steps(&page, &page.samples().unwrap(), &Uniform::new(&page)).unwrap();
        assert!(steps.len() > 40);
        for step in steps.iter().step_by(6).chain(steps.last()) {
            let then = of(&digits, step.draws, &fates);
            let metric = &then.metric;
            let difference = step.estimate - metric.shown(then.report.estimate.value);
            assert!(difference.abs() < 1e-12, "the estimate after {} differs by {difference}", step.draws);
            let interval = then.report.interval.unwrap();
            let (low, high) = metric.shown_ends(interval.low, interval.high);
            let (from, to) = step.ends.unwrap();
            let slack = 1e-9;
            assert!(from <= low + slack && to >= high - slack, "after {}: {from} to {to}", step.draws);
            if !matches!(interval.basis, Basis::BettingAtBudget) {
                assert!((from - low).abs() < slack && (to - high).abs() < slack, "after {}", step.draws);
            }
        }
    }
}

#[test]
fn uniform_sampling_needs_what_its_variance_says() {
    let page = root_mean_squared_error(300, 150, Target::Pool);
    let uniform = Uniform::new(&page).unwrap();
    // As many labels have the standard error that was asked for, so their interval is t times as wide.
    let error = page.report.estimate.standard_error.unwrap();
    let needed = uniform.needed(error).round();
    let (low, high) = uniform.interval(needed as usize).unwrap();
    let quantile = (high - low) / 2.0 / error;
    assert!((1.9..2.05).contains(&quantile), "{quantile} after {needed}");
    assert!((uniform.needed(0.0) - 300.0).abs() < 1e-9);
}

#[test]
fn a_falling_metric_turns_its_interval_round() {
    let page = Digits::read(1597).accuracy(160, &Fates::default());
    let interval = page.report.interval.unwrap();
    let (low, high) = page.metric.shown_ends(interval.low, interval.high);
    assert_eq!((low, high), (1.0 - interval.high, 1.0 - interval.low));
    let text = text(&html(&page).unwrap());
    let (low, high) = (format!("{:.1}\u{a0}%", 100.0 * low), format!("{:.1}\u{a0}%", 100.0 * high));
    assert!(text.contains(&format!("from {low} to {high}")), "{text}");
}

#[test]
fn few_labels_are_owned_up_to() {
    let digits = Digits::read(1597);
    for draws in [1, 2, 5] {
        let page = digits.cross_entropy(draws, &Fates::default());
        let text = text(&html(&page).unwrap());
        assert!(text.contains("Note:"), "{text}");
    }
    let error = nothing_yet(&digits);
    assert!(matches!(error, labelwise::Error::NoSamples { .. }), "{error}");
}

#[test]
fn a_whole_pool_is_exact() {
    let page = Digits::read(60).cross_entropy(60, &Fates::default());
    assert_eq!(page.report.interval.unwrap().basis, Basis::WholePool);
    let text = text(&html(&page).unwrap());
    assert!(text.contains(", exactly: every item has its label."), "{text}");
    assert!(text.contains("nothing is left to estimate"), "{text}");
}

#[test]
fn uniform_draws_are_worth_one_label_each() {
    let page = Digits::read(1597).uniform(200);
    let text = text(&html(&page).unwrap());
    assert!(text.contains("Every item had the same probability"), "{text}");
}

#[test]
fn every_draw_has_its_line() {
    let page = Digits::read(1597).accuracy(160, &ALL_KINDS);
    let text = text(&html(&page).unwrap());
    let (_, table) = text.split_once("Share of variance | When | Who").unwrap();
    let lines: Vec<&str> = table.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.iter().filter(|line| line.contains(" | digit-")).count(), 160);
    let weights = page.evidence.weights();
    for (place, line) in page.draws.iter().enumerate() {
        let cells: Vec<&str> = lines[place].split('|').map(str::trim).collect();
        let at = page.evidence.samples.iter().position(|sample| sample.index == line.index);
        assert_eq!((cells[0], cells[1]), (place.to_string().as_str(), line.id.as_str()));
        let label = match &line.fate {
            Fate::Open => "open".to_owned(),
            Fate::Skipped => "skipped".to_owned(),
            Fate::Missing => "missing".to_owned(),
            Fate::Labelled { label, amendments: 0, .. } => label.clone(),
            Fate::Labelled { label, .. } => format!("{label} (amended)"),
        };
        assert_eq!(cells[3], label, "{place}");
        let weight = match (at, &line.fate) {
            (Some(at), _) => format!("{:.2}", weights[at]),
            (None, Fate::Labelled { .. }) => "waits".to_owned(),
            (None, _) => "–".to_owned(),
        };
        assert_eq!(cells[5], weight, "{place}");
    }
    assert!(text.contains("4 labels do not count yet"), "{text}");
}

#[test]
fn the_table_ends_where_nobody_reads_on() {
    let page = Digits::read(1597).cross_entropy(1100, &Fates::default());
    let text = text(&html(&page).unwrap());
    let (_, table) = text.split_once("Share of variance | When | Who").unwrap();
    assert_eq!(table.lines().filter(|line| line.contains(" | digit-")).count(), 1000);
    assert!(text.contains("The first 1,000 are shown and 100 left out; labelwise export has all of them."));
}
