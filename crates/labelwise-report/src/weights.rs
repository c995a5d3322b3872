//! How much each label stands for: the weights v, and what they say about the draws.

use labelwise_plot::{Axis, Bars, Colour, Panel, Rule};
use maud::{Markup, html};

use super::page::{Counted, Error, Page, is_even, largest_share};
use super::picture::{Room, Spoken, Table, cells, figure, svg};
use super::words::{Name, capitalised, counted, number, percent, thousands};

/// About as many bars as can be told apart.
const BARS: f64 = 24.0;

/// With fewer labels, the mean weight says nothing.
const ENOUGH: usize = 50;

/// A mean weight further from 1 than this says that draws missed a part of the pool.
const FAR: f64 = 0.25;

/// A share of the variance above this is much for one label.
const MUCH: f64 = 0.25;

/// Weights that fell together.
struct Bin {
    from: f64,
    to: f64,
    count: usize,
}

/// The article.
pub(super) fn article(page: &Page, samples: &[Counted<'_>]) -> Result<Markup, Error> {
    Ok(html! {
        article {
            h3 { "Weights of the labels" }
            // Weights that are all the same need no chart.
            @if !is_even(samples) { (chart(page, samples)?) }
            p { (meaning(page, samples)) (share(samples)) }
        }
    })
}

fn chart(page: &Page, samples: &[Counted<'_>]) -> Result<Markup, Error> {
    let bins = bins(samples.iter().map(|sample| sample.v));
    let smallest = samples.iter().fold(f64::INFINITY, |least, sample| least.min(sample.v));
    let largest = samples.iter().fold(f64::NEG_INFINITY, |most, sample| most.max(sample.v));
    let summary = format!(
        "Weights are between {} and {}, with a mean of {}. The {} together are worth {} of equal weight.",
        number(smallest, 2),
        number(largest, 2),
        number(page.report.mean_v, 2),
        counted(samples.len(), page.noun()),
        thousands(page.report.weight_ess.round() as usize)
    );
    let spoken = Spoken { title: "Histogram of the weights v", description: &summary };
    let head = format!("{}s", capitalised(page.noun()));
    let chart = svg("weights", panel(&bins, &head), Room::Narrow, &spoken)?;
    let numbers = Table {
        caption: "Weights",
        heads: &["Weight from", "To", &head],
        rows: bins
            .iter()
            .map(|bin| cells([&short(bin.from), &short(bin.to), &thousands(bin.count)]))
            .collect(),
        words: &[],
    };
    Ok(figure(&[chart], &summary, &numbers))
}

/// What to make of them.
fn meaning(page: &Page, samples: &[Counted<'_>]) -> String {
    if page.is_whole() {
        return "The whole pool is labelled, so every label has the same weight.".to_owned();
    }
    if is_even(samples) {
        return "Every item had the same probability, so every label has the same weight.".to_owned();
    }
    let mean = page.report.mean_v;
    let mean = if page.report.estimate.labels < ENOUGH {
        " Their mean approaches 1 with more labels.".to_owned()
    } else if (mean - 1.0).abs() <= FAR {
        format!(" The mean weight of {} is near 1, as it should be.", number(mean, 2))
    } else {
        format!(
            " The mean weight should be near 1, but is {}: the draws have missed a part of the pool so far.",
            number(mean, 2)
        )
    };
    format!(
        "Items that were likely to be drawn have a weight below 1; unlikely items have a larger weight, because they \
         represent others like them. So choosing items does not bias the estimate.{mean}"
    )
}

/// How much hangs on one label.
fn share(samples: &[Counted<'_>]) -> Markup {
    let Some((share, line)) = largest_share(samples) else { return html! {} };
    let item = line.map(|line| html! { " (item " (Name(&line.id)) ")" }).unwrap_or_default();
    html! {
        @if share > MUCH {
            " " strong { "One label" (item) " carries " (percent(share)) " of the variance:" } " check that it is right, and \
             label more before you rely on the result."
        } @else {
            " No single label decides the result: the largest share of the variance is " (percent(share)) (item) "."
        }
    }
}

/// Bars of a round width that hold all weights.
fn bins(weights: impl Iterator<Item = f64> + Clone) -> Vec<Bin> {
    let largest = weights.clone().fold(1.0_f64, f64::max);
    let raw = largest / BARS;
    let power = 10f64.powf(raw.log10().floor());
    let width = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|width| *width >= raw);
    let width = width.unwrap_or(raw);
    let many = (largest / width).floor() as usize + 1;
    let mut bins: Vec<Bin> = (0..many)
        .map(|place| Bin { from: place as f64 * width, to: (place + 1) as f64 * width, count: 0 })
        .collect();
    for weight in weights {
        let place = ((weight / width).floor().max(0.0) as usize).min(many - 1);
        if let Some(bin) = bins.get_mut(place) {
            bin.count += 1;
        }
    }
    bins
}

fn panel(bins: &[Bin], what: &str) -> Panel {
    let middles: Vec<f64> = bins.iter().map(|bin| (bin.from + bin.to) / 2.0).collect();
    let counts: Vec<f64> = bins.iter().map(|bin| bin.count as f64).collect();
    let width = bins.first().map_or(1.0, |bin| bin.to - bin.from);
    Panel::new()
        .x(Axis::new("Weight v").include(0.0))
        .y(Axis::new(what).integer())
        .add(Bars::new(middles, counts, width).colour(Colour::Blue).label(what.to_lowercase()))
        .add(Rule::vertical(1.0).colour(Colour::Black).label("all weights of uniform sampling"))
}

/// The end of a bin: steps are round, so a few decimals are all of it.
fn short(value: f64) -> String {
    let text = number(value, 3);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::bins;

    #[test]
    fn every_weight_is_in_one_bin() {
        for weights in [vec![1.0; 5], vec![0.0, 0.2, 0.4, 3.7, 24.0], vec![0.01, 0.02], vec![1e4, 1.0]] {
            let bins = bins(weights.iter().copied());
            assert_eq!(bins.iter().map(|bin| bin.count).sum::<usize>(), weights.len());
            assert!(bins.len() <= 26, "{} bins of {weights:?}", bins.len());
            for weight in weights {
                let hits = bins.iter().filter(|bin| bin.from <= weight && weight < bin.to && bin.count > 0);
                assert_eq!(hits.count(), 1, "{weight}");
            }
        }
    }
}
