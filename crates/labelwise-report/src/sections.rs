//! Sections that are a paragraph and a table: which labels matter, why the gain was small, strata, and other metrics.

use labelwise::plan::Diagnosis;
use labelwise_study::Misjudgement;
use maud::{Markup, Render, html};

use super::metric::Form;
use super::page::{Counted, DrawLine, Error, Fate, JudgeLines, OtherMetric, Page, ScoreLine};
use super::picture::{Table, cells};
use super::words::{NONE, Name, capitalised, level, number, percent, significant, thousands, visible};

/// How many of the labels that matter most are shown: the first to look at when the result is in doubt.
const MOST_INFLUENTIAL: usize = 5;

/// The article on labels that matter most; nothing where no label has a share of any variance.
pub(super) fn influence(samples: &[Counted<'_>]) -> Markup {
    let mut shares: Vec<(f64, &Counted<'_>)> =
        samples.iter().filter_map(|sample| Some((sample.share?, sample))).collect();
    shares.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    shares.truncate(MOST_INFLUENTIAL);
    if shares.is_empty() {
        return html! {};
    }
    let together: f64 = shares.iter().map(|(share, _)| share).sum();
    let row = |(share, sample): &(f64, &Counted<'_>)| {
        let (item, label) = match sample.line {
            Some(DrawLine { id, fate: Fate::Labelled { label, .. }, .. }) => {
                (Name(id).render(), Name(label).render())
            }
            Some(DrawLine { id, .. }) => (Name(id).render(), html! { em { "skipped" } }),
            None => (sample.sample.index.render(), NONE.render()),
        };
        // In the place of a skipped loss stands what was expected; nothing was observed.
        let loss = if sample.is_seen() { significant(sample.sample.loss, 3) } else { NONE.to_owned() };
        let expected = significant(sample.sample.control, 3);
        cells([&item, &label, &loss, &expected, &number(sample.v, 2), &percent(*share)])
    };
    let table = Table {
        caption: "Labels by their share of the variance",
        heads: &["Item", "Label", "Loss", "Expected loss", "Weight v", "Share of variance"],
        rows: shares.iter().map(row).collect(),
        words: &[0, 1],
    };
    html! {
        article {
            h3 { "Labels that matter most" }
            p {
                "These carry " (percent(together)) " of the variance of the estimate together. If there is any doubt about \
                 a label, look here first."
            }
            (table)
        }
    }
}

/// The article on why a label was worth little more than one of uniform sampling; nothing where the gain was not small,
/// or cannot be told yet.
pub(super) fn small_gain(page: &Page) -> Result<Markup, Error> {
    if page.strata.is_some() || page.about.is_some() {
        // Strata have no proposal whose weights could be to blame, and of other metrics the gain is in the header.
        return Ok(html! {});
    }
    let found = Diagnosis::of(&page.evidence, &*page.estimator)?.filter(Diagnosis::is_small);
    Ok(html! {
        @if let Some(Diagnosis { gain, reasons }) = found {
            article {
                h3 { "Why the gain was small" }
                p { "A label here was worth " (number(gain, 2)) " labels of uniform sampling." }
                ul { @for reason in &reasons { li { (capitalised(&reason.to_string())) "." } } }
            }
        }
    })
}

/// Longest text of an item on which the judge was wrong.
const LONGEST: usize = 400;

/// The section on the judge: what it is worth, and where it was surest and wrong, with the texts; nothing without a judge.
pub(super) fn judge(page: &Page) -> Markup {
    let Some(JudgeLines { worth, wrong }) = &page.judge else { return html! {} };
    let row = |one: &Misjudgement| {
        let texts = html! {
            @for (name, text) in one.texts.iter().filter(|(_, text)| !text.trim().is_empty()) {
                p { strong { (visible(name)) ": " } (visible(&shortened(text))) }
            }
        };
        let (surety, id) = (percent(one.surety), Name(&one.id));
        cells([&id, &Name(&one.judge), &Name(&one.label), &surety, &texts])
    };
    let table = Table {
        caption: "Where the judge was surest and wrong",
        heads: &["Item", "Judge", "Label", "How sure", "Texts"],
        rows: wrong.iter().map(row).collect(),
        words: &[0, 1, 2, 4],
    };
    html! {
        section {
            h2 { "The judge" }
            p { (visible(&capitalised(worth))) "." }
            @if wrong.is_empty() {
                p { "No label differs from what the judge says." }
            } @else {
                p {
                    "Labelled items on which the judge is wrong, the surest first. For numbers, how sure it was is the \
                     distance from the label, as a share of the range."
                }
                (table)
            }
        }
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start} …")
}

/// The section on strata: how many items each has, how many were drawn, and what came of them; nothing where items were
/// not drawn within strata.
pub(super) fn strata(page: &Page) -> Markup {
    let Some(strata) = &page.strata else { return html! {} };
    let rows = strata.sizes().iter().zip(strata.counts()).enumerate().map(|(stratum, (&size, drawn))| {
        let lines = page.draws.iter().filter(|line| line.stratum == Some(stratum));
        let losses: Vec<f64> = lines
            .filter_map(|line| match line.fate {
                Fate::Labelled { loss, .. } => Some(loss),
                _ => None,
            })
            .collect();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        let mean = if losses.is_empty() { NONE.to_owned() } else { significant(mean, 3) };
        let [stratum, size, drawn, labelled] = [stratum + 1, size, drawn, losses.len()].map(thousands);
        cells([&stratum, &size, &drawn, &labelled, &mean])
    });
    let table = Table {
        caption: "Strata, from the lowest expected loss to the highest",
        heads: &["Stratum", "Items", "To be drawn", "Labelled", "Mean loss"],
        rows: rows.collect(),
        words: &[],
    };
    html! {
        section {
            h2 { "Strata" }
            p {
                "Before the first label, items were grouped into strata by their expected loss. Strata whose losses \
                 were expected to differ more get more draws; draws within a stratum are uniform. The estimate is \
                 the mean of the strata’s means, weighted by their share of the pool."
            }
            (table)
        }
    }
}

/// The section on other metrics of the same labels; nothing where there are none.
pub(super) fn others(page: &Page) -> Markup {
    let row = |OtherMetric { name, value, interval, labels, form }: &OtherMetric| {
        let (value, interval) = texts(*form, *value, *interval);
        cells([&visible(&capitalised(name)), &value, &interval, &thousands(*labels)])
    };
    let table = Table {
        caption: "Other metrics",
        heads: &["Metric", "Estimate", &format!("{} interval", level(page.level)), "Labels"],
        rows: page.others.iter().map(row).collect(),
        words: &[0],
    };
    html! {
        @if !page.others.is_empty() {
            section {
                h2 { "Other metrics" }
                p {
                    "From the same labels, which were chosen for " (visible(&page.made_for)) ": draws made \
                         for these metrics would give them narrower intervals."
                }
                (table)
            }
        }
    }
}

/// The section on metrics that are not averages; empty if there are none.
pub(super) fn scores(page: &Page) -> Markup {
    let row = |ScoreLine { name, value, interval, labels, notes }: &ScoreLine| {
        let (shown, interval) =
            texts(Form::Number, value.as_ref().map_or(f64::NAN, |value| *value), *interval);
        let shown = if value.is_ok() { shown } else { "undefined".to_owned() };
        let notes = value.as_ref().err().into_iter().chain(notes);
        let notes: Vec<String> = notes.map(|note| visible(&capitalised(note))).collect();
        let notes = if notes.is_empty() { NONE.to_owned() } else { notes.join(". ") };
        cells([&visible(&capitalised(name)), &shown, &interval, &thousands(*labels), &notes])
    };
    let table = Table {
        caption: "Metrics that are not averages",
        heads: &["Metric", "Estimate", &format!("{} interval", level(page.level)), "Labels", "Keep in mind"],
        rows: page.scores.iter().map(row).collect(),
        words: &[0, 4],
    };
    html! {
        @if !page.scores.is_empty() {
            section {
                h2 { "Metrics that are not averages" }
                p {
                    "From the same labels. These are consistent, not unbiased: their bias vanishes as labels arrive."
                }
                (table)
            }
        }
    }
}

/// An estimate and its interval, as exact as the interval is narrow.
fn texts(form: Form, value: f64, interval: Option<(f64, f64)>) -> (String, String) {
    let width = interval.map(|(low, high)| high - low);
    let text = |value| form.text(value, width);
    let ends = interval.map_or(NONE.to_owned(), |(low, high)| format!("{} to {}", text(low), text(high)));
    (text(value), ends)
}
