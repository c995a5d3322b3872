//! The page as a whole, and its top: the result in one sentence, what to keep in mind about it, and what it took.

use labelwise::Target;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::page::{Counted, Error, Fate, Page, is_even, largest_share};
use super::uniform::{Uniform, Unknown};
use super::words::{Name, capitalised, counted, level, number, percent, thousands, visible};
use super::{course, draws, origin, sections, surrogate, weights};

const STYLE: &str = include_str!("style.css");
/// The page holds all it needs and runs nothing. Should a name from the data ever get out of its place, the browser
/// refuses what it asks for.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// The page of an evaluation: one file that needs nothing else.
///
/// # Errors
///
/// The evidence is not of draws that can have been made, or a chart could not be drawn.
pub fn html(page: &Page) -> Result<String, Error> {
    let samples = &page.samples()?;
    let uniform = &Uniform::new(page);
    let title = format!("{}: {}", visible(&page.title), visible(&capitalised(page.name())));
    let (version, at) = (visible(&page.provenance.version), visible(&page.provenance.generated_at));
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(page, samples, uniform))
                main {
                    (course::section(page, samples, uniform)?)
                    section {
                        h2 { "How far to trust it" }
                        div.pair { (weights::article(page, samples)?) (surrogate::article(page, samples)?) }
                        (sections::influence(samples))
                        (sections::small_gain(page)?)
                    }
                    (sections::judge(page))
                    (sections::strata(page))
                    (sections::others(page))
                    (sections::scores(page))
                    (origin::section(page))
                    (origin::glossary(page))
                    (draws::section(page, samples))
                }
                footer { "Made by labelwise " (version) " on " (at) "." }
            }
        }
    };
    Ok(document.into_string())
}

fn header(page: &Page, samples: &[Counted<'_>], uniform: &Result<Uniform, Unknown>) -> Markup {
    let notes = page.notes();
    html! {
        header {
            p.eyebrow { "Evaluation report · " (visible(&page.provenance.generated_at)) }
            h1 { (Name(&page.title)) }
            p.headline { (sentence(page)) }
            p { (rests_on(page, samples)) }
            @if !notes.is_empty() {
                ul.notes {
                    @for note in &notes { li { strong { "Note:" } " " (visible(note)) "." } }
                }
            }
            dl.facts { (labels(page)) (saved(page, uniform)) (influence(samples)) }
        }
    }
}

/// The result, for a stranger.
fn sentence(page: &Page) -> Markup {
    let form = page.form();
    let items = counted(page.report.pool_size, "item");
    let whose = match page.target {
        Target::Pool => format!("on this pool of {items}"),
        Target::Population => format!("on the population that this pool of {items} was drawn from"),
    };
    let subject = format!("The {} {whose} is", visible(page.name()));
    let value = match page.estimate() {
        Ok(value) => value,
        Err(why) => return html! { (subject) " not defined yet: " (visible(&why)) "." },
    };
    let Some((low, high)) = page.ends() else {
        let value = form.text(value, None);
        return html! {
            (subject) " estimated at " strong { (value) } "; there are too few labels for an interval yet."
        };
    };
    let width = Some(high - low).filter(|width| *width > 0.0);
    let [value, low, high] = [value, low, high].map(|value| form.text(value, width));
    if page.is_exact() && width.is_none() {
        return html! {
            (subject) " " strong { (value) } ", exactly: "
            @if page.is_whole() { "every item has its label." } @else { "the labels leave no other value." }
        };
    }
    html! {
        (subject) " estimated at " strong { (value) } ", with a " (level(page.level)) " interval from "
        strong { (low) } " to " strong { (high) } "."
    }
}

fn rests_on(page: &Page, samples: &[Counted<'_>]) -> String {
    let (labels, size) = (page.report.estimate.labels, page.report.pool_size);
    let how = if page.is_whole() {
        ""
    } else if is_even(samples) {
        ", drawn uniformly"
    } else if page.strata.is_some() {
        ", drawn from strata, more from those whose losses were expected to differ"
    } else {
        ", chosen where they are most informative"
    };
    let mut text = format!(
        "It uses {}, {} of the pool{how}. {}",
        counted(labels, "label"),
        percent(labels as f64 / size as f64),
        page.better().words()
    );
    text.truncate(text.trim_end().len());
    if page.evidence.known.count > 0 {
        let items = counted(page.evidence.known.count, "item");
        text.push_str(&format!(" The loss of {items} was known without a label."));
    }
    if let Some((low, high)) = page.skipped_ends() {
        let [low, high] = [low, high].map(|value| page.form().text(value, Some(high - low)));
        text.push_str(&format!(
            " Depending on the skipped items, the estimate is between {low} and {high}; the interval includes this."
        ));
    }
    text
}

fn fact(title: &str, value: &str, remark: impl Render) -> Markup {
    html! { div { dt { (title) } dd { (value) small { (remark) } } } }
}

fn labels(page: &Page) -> Markup {
    let many = |is: fn(&Fate) -> bool| page.draws.iter().filter(|line| is(&line.fate)).count();
    let asides = [
        (many(|fate| matches!(fate, Fate::Skipped)), "skipped"),
        (many(|fate| matches!(fate, Fate::Missing)), "missing"),
        (many(|fate| matches!(fate, Fate::Open)), "open"),
        (page.report.waiting, "waiting"),
    ];
    let asides = asides.into_iter().filter(|(many, _)| *many > 0);
    let asides: Vec<String> = asides.map(|(many, word)| format!("{} {word}", thousands(many))).collect();
    let remark = if asides.is_empty() { "no draw is open or skipped".to_owned() } else { asides.join(", ") };
    let value = format!("{} of {}", thousands(page.report.estimate.labels), thousands(page.report.pool_size));
    fact("Labels that count", &value, remark)
}

fn saved(page: &Page, uniform: &Result<Uniform, Unknown>) -> Markup {
    let title = "Uniform sampling would need";
    if page.is_whole() {
        return fact(title, "as many", "nothing is left to estimate");
    }
    match (uniform, page.standard_error()) {
        (Ok(uniform), Some(error)) => {
            let worth = uniform.needed(error) / page.report.estimate.labels.max(1) as f64;
            let remark = format!("labels for the same precision: {} per label here", number(worth, 1));
            fact(title, &format!("about {}", thousands(uniform.about(error))), remark)
        }
        (Err(unknown), _) => fact(title, "not known yet", unknown.words()),
        (_, None) => fact(title, "not known yet", Unknown::FewLabels.words()),
    }
}

fn influence(samples: &[Counted<'_>]) -> Markup {
    let title = "Largest influence of one label";
    match largest_share(samples) {
        Some((share, line)) => {
            let remark = html! {
                "of the variance" @if let Some(line) = line { ", by item " (Name(&line.id)) }
            };
            fact(title, &percent(share), remark)
        }
        None => fact(title, "none", "the estimate has no variance"),
    }
}
