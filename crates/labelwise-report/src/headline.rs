//! The result in one sentence, what to keep in mind about it, and what it took.

use labelwise::Target;
use labelwise::interval::Basis;

use super::counted::{Counted, is_even};
use super::page::{Fate, Page};
use super::uniform::{Uniform, Unknown};
use super::words::{capitalised, count, counted, escaped, level, name, number, percent};

/// The top of the page.
pub(super) fn header(page: &Page, samples: &[Counted<'_>], uniform: &Result<Uniform, Unknown>) -> String {
    let notes: String = page
        .report
        .warnings()
        .iter()
        .map(|warning| format!("<li><strong>Note:</strong> {}.</li>\n", escaped(&warning.to_string())))
        .collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul class=\"notes\">\n{notes}</ul>\n") };
    format!(
        "<header>\n<p class=\"eyebrow\">Evaluation report · {}</p>\n<h1>{}</h1>\n<p class=\"headline\">{}</p>\n\
         <p>{}</p>\n{notes}<dl class=\"facts\">\n{}{}{}</dl>\n</header>\n",
        escaped(&page.provenance.generated_at),
        name(&page.title),
        sentence(page),
        rests_on(page, samples),
        labels(page),
        saved(page, uniform),
        influence(samples),
    )
}

/// The result, for a stranger.
pub(super) fn sentence(page: &Page) -> String {
    let metric = &page.metric;
    let items = counted(page.report.pool_size, "item");
    let whose = match page.target {
        Target::Pool => format!("on this pool of {items}"),
        Target::Population => format!("on the population that this pool of {items} was drawn from"),
    };
    let subject = format!("The {} {whose} is", escaped(&metric.name));
    let value = metric.shown(page.report.estimate.value);
    let Some(interval) = page.report.interval else {
        let value = metric.form.text(value, None);
        return format!(
            "{subject} estimated at <strong>{value}</strong>; there are too few labels for an interval yet."
        );
    };
    let (low, high) = metric.shown_ends(interval.low, interval.high);
    let width = Some(high - low).filter(|width| *width > 0.0);
    let [value, low, high] = [value, low, high].map(|value| metric.form.text(value, width));
    if interval.basis == Basis::WholePool && width.is_none() {
        return format!("{subject} <strong>{value}</strong>, exactly: every item has its label.");
    }
    format!(
        "{subject} estimated at <strong>{value}</strong>, with a {} interval from <strong>{low}</strong> to \
         <strong>{high}</strong>.",
        level(page.level)
    )
}

fn rests_on(page: &Page, samples: &[Counted<'_>]) -> String {
    let (labels, size) = (page.report.estimate.labels, page.report.pool_size);
    let how = if page.is_whole() {
        ""
    } else if is_even(samples) {
        ", drawn uniformly"
    } else if page.strata.is_some() {
        ", drawn from strata and more where losses were expected to differ"
    } else {
        ", chosen where they tell most"
    };
    let mut text = format!(
        "It rests on {}, {} of the pool{how}. {}",
        counted(labels, "label"),
        percent(labels as f64 / size as f64),
        page.metric.better.words()
    );
    if page.evidence.known.count > 0 {
        text.push_str(&format!(
            " The loss of {} was known without a label.",
            counted(page.evidence.known.count, "item")
        ));
    }
    if let Some(bounds) = page.report.estimate.skipped {
        let (low, high) = page.metric.shown_ends(bounds.low, bounds.high);
        let [low, high] = [low, high].map(|value| page.metric.form.text(value, Some(high - low)));
        text.push_str(&format!(
            " Labels that were skipped could put the estimate anywhere from {low} to {high}; the interval allows for it."
        ));
    }
    text
}

fn fact(title: &str, value: &str, remark: &str) -> String {
    format!("<div><dt>{title}</dt><dd>{value}<small>{remark}</small></dd></div>\n")
}

fn labels(page: &Page) -> String {
    let many = |is: &dyn Fn(&Fate) -> bool| page.draws.iter().filter(|line| is(&line.fate)).count();
    let asides = [
        (many(&|fate| matches!(fate, Fate::Skipped)), "skipped"),
        (many(&|fate| matches!(fate, Fate::Missing)), "missing"),
        (many(&|fate| matches!(fate, Fate::Open)), "open"),
        (page.report.waiting, "waiting"),
    ];
    let asides = asides.into_iter().filter(|(many, _)| *many > 0);
    let asides: Vec<String> = asides.map(|(many, word)| format!("{} {word}", count(many))).collect();
    let remark = if asides.is_empty() { "no draw is open or skipped".to_owned() } else { asides.join(", ") };
    let value = format!("{} of {}", count(page.report.estimate.labels), count(page.report.pool_size));
    fact("Labels that count", &value, &remark)
}

fn saved(page: &Page, uniform: &Result<Uniform, Unknown>) -> String {
    let title = "Uniform sampling would need";
    if page.is_whole() {
        return fact(title, "as many", "nothing is left to estimate");
    }
    match (uniform, page.report.estimate.standard_error) {
        (Ok(uniform), Some(error)) => {
            let needed = uniform.needed(error);
            let worth = needed / page.report.estimate.labels.max(1) as f64;
            let remark = format!("labels for the same precision: {} for each one here", number(worth, 1));
            fact(title, &format!("about {}", count(uniform.about(error))), &remark)
        }
        (Err(unknown), _) => fact(title, "not known yet", unknown.words()),
        (_, None) => fact(title, "not known yet", Unknown::FewLabels.words()),
    }
}

fn influence(samples: &[Counted<'_>]) -> String {
    let title = "Largest influence of one label";
    let largest = samples.iter().filter_map(|sample| Some((sample.share?, sample.line)));
    match largest.max_by(|(one, _), (other, _)| one.total_cmp(other)) {
        Some((share, Some(line))) => {
            fact(title, &percent(share), &format!("of the variance, by item {}", name(&line.id)))
        }
        Some((share, None)) => fact(title, &percent(share), "of the variance"),
        None => fact(title, "none", "the estimate has no variance"),
    }
}

/// The title of the window, in plain text.
pub(super) fn window_title(page: &Page) -> String {
    format!("{}: {}", escaped(&page.title), escaped(&capitalised(&page.metric.name)))
}
