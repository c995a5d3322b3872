//! Whether the surrogate knew where losses are: what it expected before each label against what came.

use labelwise::loss::Sign;
use labelwise_plot::{Axis, Colour, Dash, Line, Panel, Points, Scale};
use maud::{Markup, html};

use super::page::{Counted, Error, Page};
use super::picture::{Room, Spoken, Table, cells, figure, svg};
use super::words::{number, significant, thousands, visible};

const GROUPS: usize = 8;

/// Fewer labels than this in a group are not worth a point.
const LEAST: usize = 3;

/// Means that differ by more than this factor are shown on logarithmic axes.
const FAR_APART: f64 = 30.0;

/// Labels with about the same expected loss.
struct Group {
    labels: usize,
    expected: f64,
    observed: f64,
    /// Of the observed mean.
    standard_error: f64,
}

/// The article.
pub(super) fn article(page: &Page, samples: &[Counted<'_>]) -> Result<Markup, Error> {
    let groups = groups(samples);
    Ok(html! {
        article {
            h3 { "What the surrogate expected" }
            @if let Some(groups) = groups {
                (chart(page, &groups)?)
                p { (usefulness(page.report.usefulness)) }
            } @else {
                p {
                    "There is nothing to compare: the surrogate expected the same loss for every item, or there are \
                     fewer than " (2 * LEAST) " labels."
                }
            }
        }
    })
}

fn chart(page: &Page, groups: &[Group]) -> Result<Markup, Error> {
    let summary = summary(page, groups);
    let spoken = Spoken { title: "Observed against expected loss", description: &summary };
    let chart = svg("surrogate", panel(groups, page.evidence.sign), Room::Narrow, &spoken)?;
    let caption = format!(
        "{summary} Each point is a group of labels with similar expectations, weighted as in the estimate; bars reach \
         two standard errors. On the dashed line expectation and observation agree."
    );
    let row = |group: &Group| {
        let [expected, observed] = [group.expected, group.observed].map(|loss| significant(loss, 3));
        cells([&expected, &observed, &significant(group.standard_error, 2), &thousands(group.labels)])
    };
    let numbers = Table {
        caption: "Expected and observed loss",
        heads: &["Expected loss", "Observed loss", "Standard error", "Labels"],
        rows: groups.iter().map(row).collect(),
        words: &[],
    };
    Ok(figure(&[chart], &caption, &numbers))
}

/// What the fitted weight of the expectation means.
fn usefulness(b1: f64) -> String {
    let meaning = if b1 < 0.2 {
        "it hardly predicts which items have a large loss, so uniform sampling would be about as good. A surrogate \
         that knows more than the model would save labels"
    } else if b1 < 0.6 {
        "it predicts which items have a large loss, but exaggerates the difference"
    } else if b1 <= 1.4 {
        "its expectations are nearly correct"
    } else {
        "it predicts which items have a large loss, and underestimates the difference"
    };
    format!(
        "Where the surrogate expects a loss higher by 1, the observed one is higher by {} (its usefulness b1): \
         {meaning}. The estimate is valid even if the surrogate is wrong; a good surrogate makes the interval \
         narrow.",
        number(b1, 2)
    )
}

/// Groups of about the same size, by what was expected; `None` where there is nothing to tell apart.
fn groups(samples: &[Counted<'_>]) -> Option<Vec<Group>> {
    let mut seen: Vec<&Counted<'_>> = samples.iter().filter(|sample| sample.is_seen()).collect();
    seen.sort_by(|one, other| one.sample.control.total_cmp(&other.sample.control));
    let (first, last) = (seen.first()?.sample.control, seen.last()?.sample.control);
    let many = GROUPS.min(seen.len() / LEAST);
    if many < 2 || last - first <= 1e-9 * last.abs().max(first.abs()) {
        return None;
    }
    let ends = (0..=many).map(|end| end * seen.len() / many);
    let ends: Vec<usize> = ends.collect();
    let groups = ends.windows(2).filter_map(|pair| match pair {
        [from, to] => group(seen.get(*from..*to)?),
        _ => None,
    });
    Some(groups.collect())
}

fn group(samples: &[&Counted<'_>]) -> Option<Group> {
    let total: f64 = samples.iter().map(|sample| sample.v).sum();
    if total <= 0.0 {
        return None;
    }
    let mean = |of: &dyn Fn(&Counted<'_>) -> f64| {
        samples.iter().map(|sample| sample.v * of(sample)).sum::<f64>() / total
    };
    let (expected, observed) = (mean(&|sample| sample.sample.control), mean(&|sample| sample.sample.loss));
    let squares = samples.iter().map(|sample| (sample.v * (sample.sample.loss - observed)).powi(2));
    let standard_error = squares.sum::<f64>().sqrt() / total;
    Some(Group { labels: samples.len(), expected, observed, standard_error })
}

fn panel(groups: &[Group], sign: Sign) -> Panel {
    let means = groups.iter().flat_map(|group| [group.expected, group.observed]);
    let (low, high) =
        means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| (low.min(mean), high.max(mean)));
    let scale = if low > 0.0 && high > FAR_APART * low { Scale::Log } else { Scale::Linear };
    let expected: Vec<f64> = groups.iter().map(|group| group.expected).collect();
    let observed: Vec<f64> = groups.iter().map(|group| group.observed).collect();
    let (mut bar_x, mut bar_y) = (Vec::new(), Vec::new());
    for group in groups {
        let reach = 2.0 * group.standard_error;
        let bottom = group.observed - reach;
        let bottom = match (scale, sign) {
            // A bar that would reach zero, which is nowhere on this axis, goes some way below all points.
            (Scale::Log, _) => bottom.max(low / 4.0),
            (Scale::Linear, Sign::NonNegative) => bottom.max(0.0),
            (Scale::Linear, Sign::Signed) => bottom,
        };
        bar_x.extend([group.expected, group.expected, f64::NAN]);
        bar_y.extend([bottom, group.observed + reach, f64::NAN]);
    }
    // On a logarithmic axis zero has no place, and is passed over.
    let axis = |name| Axis::new(name).scale(scale).include(0.0);
    Panel::new()
        .x(axis("Expected loss"))
        .y(axis("Observed loss"))
        .add(
            Line::new([low, high], [low, high])
                .colour(Colour::Grey)
                .dash(Dash::Dashed)
                .width(1.2)
                .label("as expected"),
        )
        .add(Line::new(bar_x, bar_y).colour(Colour::Blue).width(1.4))
        .add(Points::new(expected, observed).colour(Colour::Blue).size(8.0).label("observed"))
}

fn summary(page: &Page, groups: &[Group]) -> String {
    let told = |group: &Group| (significant(group.expected, 2), significant(group.observed, 2));
    let loss = visible(&page.metric.loss);
    match (groups.first(), groups.last()) {
        (Some(first), Some(last)) => {
            let ((low, at_low), (high, at_high)) = (told(first), told(last));
            format!(
                "Where a {loss} of {low} was expected, {at_low} was observed; where {high} was expected, {at_high}."
            )
        }
        _ => String::new(),
    }
}
