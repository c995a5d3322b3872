//! Text and JSON of metrics that are not averages, slices and calibration.

use labelwise::Target;
use labelwise::estimator::Bias;
use labelwise::metric::{Bin, Calibration};
use labelwise_study::{Named, Scored};
use serde::Serialize;

use crate::output::screen::one_line;
use crate::output::table::flush_left;
use crate::output::text::{counted, percent, thousands, whose};

/// The version of the JSON object of a metric; it changes when a field is removed or changes its meaning.
const SCORE: &str = "labelwise.score/1";

/// The same for a calibration.
const CALIBRATION: &str = "labelwise.calibration/1";

/// Maximum number of slices or classes that a table shows.
const MOST_ROWS: usize = 40;

/// Maximum number of rows that a note names.
const NAMED: usize = 3;

/// The level and the target of every number here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntervalOptions {
    /// The probability with which each interval covers.
    pub(crate) level: f64,
    /// Pool or population.
    pub(crate) target: Target,
}

/// The JSON object of one metric, of all items or of one slice.
#[derive(Serialize)]
pub(crate) struct Document {
    schema: &'static str,
    metric: String,
    class: Option<String>,
    slice: Option<SliceDocument>,
    estimate: Option<f64>,
    undefined: Option<String>,
    low: Option<f64>,
    high: Option<f64>,
    level: f64,
    labels: usize,
    pool_size: usize,
    target: &'static str,
    standard_error: Option<f64>,
    interval: Option<&'static str>,
    /// The estimates with the labels of skipped items that make it smallest, and largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<(f64, f64)>,
    bias: &'static str,
    higher_is_better: bool,
    effective_hits: f64,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct SliceDocument {
    column: String,
    value: String,
}

impl Document {
    pub(crate) fn new(scored: Scored, what: IntervalOptions) -> Self {
        let IntervalOptions { level, target } = what;
        let (estimate, undefined) = match scored.value {
            Ok(value) => (Some(value), None),
            Err(why) => (None, Some(why)),
        };
        Self {
            schema: SCORE,
            metric: scored.name,
            class: scored.class,
            slice: scored.slice.map(|slice| SliceDocument { column: slice.column, value: slice.value }),
            estimate,
            undefined,
            low: scored.interval.map(|(low, _)| low),
            high: scored.interval.map(|(_, high)| high),
            level,
            labels: scored.labels,
            pool_size: scored.pool_size,
            target: target.name(),
            standard_error: scored.standard_error,
            interval: scored.basis,
            skipped: scored.skipped,
            bias: bias(scored.bias),
            higher_is_better: scored.higher_is_better,
            effective_hits: scored.effective_hits,
            notes: scored.notes,
        }
    }
}

/// The JSON object of a calibration.
#[derive(Serialize)]
pub(crate) struct CalibrationDocument {
    schema: &'static str,
    squared_error: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    bins: Vec<BinDocument>,
    level: f64,
    labels: usize,
    target: &'static str,
    bias: &'static str,
}

#[derive(Serialize)]
struct BinDocument {
    from: f64,
    to: f64,
    mass: f64,
    confidence: Option<f64>,
    gap: Option<f64>,
    gap_low: Option<f64>,
    gap_high: Option<f64>,
    labels: usize,
}

impl CalibrationDocument {
    pub(crate) fn new(found: &Calibration, what: IntervalOptions) -> Self {
        let bin = |bin: &Bin| BinDocument {
            from: bin.low,
            to: bin.high,
            mass: bin.mass,
            confidence: bin.confidence,
            gap: bin.gap.value.ok(),
            gap_low: bin.gap.interval.map(|span| span.low),
            gap_high: bin.gap.interval.map(|span| span.high),
            labels: bin.gap.labels,
        };
        Self {
            schema: CALIBRATION,
            squared_error: found.squared_error,
            low: found.interval.map(|(low, _)| low),
            high: found.interval.map(|(_, high)| high),
            bins: found.bins.iter().map(bin).collect(),
            level: what.level,
            labels: found.labels,
            target: what.target.name(),
            bias: bias(Bias::Vanishing),
        }
    }
}

/// A bias in one word.
pub(crate) fn bias(bias: Bias) -> &'static str {
    match bias {
        Bias::None => "unbiased",
        Bias::Vanishing => "consistent",
        Bias::UnlessUniform => "biased unless draws are uniform",
    }
}

/// The effective number of labels that carry the variance, in words.
pub(crate) fn carry(hits: f64) -> String {
    if hits < 0.5 {
        return "the labels show no variance".to_owned();
    }
    format!(
        "about {hits:.0} {} the variance",
        if hits.round() == 1.0 { "label carries" } else { "labels carry" }
    )
}

/// A metric of all items, and of its slices.
pub(crate) fn in_words(all: &[Scored], what: IntervalOptions) -> String {
    match all {
        [only] => one(only, what),
        _ => table(all, what),
    }
}

fn one(scored: &Scored, what: IntervalOptions) -> String {
    let (percent, whose) = (percent(what.level), whose(what.target));
    let mut text = match (&scored.value, scored.interval) {
        (Err(why), _) => format!("{}  undefined: {why}", scored.name),
        (Ok(value), None) => format!("{}  {value:.4}   no interval for {whose} yet", scored.name),
        (Ok(value), Some((low, high))) => {
            let basis = scored.basis.unwrap_or("ordinary");
            format!(
                "{}  {value:.4}   {percent} interval for {whose} {low:.4} to {high:.4} ({basis})",
                scored.name
            )
        }
    };
    let class = scored.class.as_ref().map_or_else(String::new, |class| format!("of {}, ", one_line(class)));
    let (labels, items) = (counted(scored.labels, "label"), counted(scored.pool_size, "item"));
    text += &format!("\n  {class}from {labels} of {items}");
    if scored.value.is_ok() {
        text += &format!(", {}; {}", bias(scored.bias), carry(scored.effective_hits));
    }
    text.push('\n');
    for note in &scored.notes {
        text += &format!("  note: {}\n", one_line(note));
    }
    text
}

fn table(all: &[Scored], what: IntervalOptions) -> String {
    let Some(first) = all.first() else {
        return String::new();
    };
    let column = all.iter().find_map(|scored| scored.slice.as_ref()).map(|slice| slice.column.as_str());
    let by = column.map_or_else(String::new, |column| format!(" by {}", one_line(column)));
    let class = first.class.as_ref().filter(|_| column.is_some());
    let of = class.map_or_else(String::new, |class| format!(" of {}", one_line(class)));
    let (percent, whose) = (percent(what.level), whose(what.target));
    let mut text =
        format!("{}{of}{by}   {percent} intervals for {whose}, {}\n", first.name, bias(first.bias));
    let shown = most_labelled(all);
    let rows: Vec<Vec<String>> = shown.iter().map(|scored| row(scored, column.is_some())).collect();
    text += &flush_left(&rows).lines().map(|line| format!("  {line}\n")).collect::<String>();
    if shown.len() < all.len() {
        text += &format!(
            "  ... and {} more with fewer labels; --json prints all\n",
            thousands(all.len() - shown.len())
        );
    }
    text + &notes(&shown, column.is_some())
}

/// The rows of a table, in their order: all of them, or those with the most labels. The first is that of all items.
fn most_labelled(all: &[Scored]) -> Vec<&Scored> {
    let mut labels: Vec<usize> = all.iter().skip(1).map(|scored| scored.labels).collect();
    labels.sort_unstable_by(|one, other| other.cmp(one));
    let Some(&least) = labels.get(MOST_ROWS) else { return all.iter().collect() };
    // Of those with as many labels as the last one that is shown, the first ones are.
    let more = labels.iter().filter(|labels| **labels > least).count();
    let mut equal = MOST_ROWS - more;
    let mut is_shown = |(row, scored): &(usize, &Scored)| {
        let fits = scored.labels == least && equal > 0 && *row > 0;
        equal -= usize::from(fits);
        *row == 0 || scored.labels > least || fits
    };
    all.iter().enumerate().filter(|row| is_shown(row)).map(|(_, scored)| scored).collect()
}

/// The notes on the rows of a table, one line for each kind. A note on one row keeps its numbers.
fn notes(rows: &[&Scored], sliced: bool) -> String {
    let mut kinds: Vec<(&str, Vec<(String, &str)>)> = Vec::new();
    for scored in rows {
        for (kind, note) in scored.kinds.iter().zip(&scored.notes) {
            let on = (part(scored, sliced), note.as_str());
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, rows)) => rows.push(on),
                None => kinds.push((kind, vec![on])),
            }
        }
    }
    let line = |(kind, on): &(&str, Vec<(String, &str)>)| {
        let names: Vec<String> = on.iter().take(NAMED).map(|(row, _)| one_line(row).into_owned()).collect();
        match on.as_slice() {
            [(_, note)] => format!("  note on {}: {}\n", names.concat(), one_line(note)),
            all if all.len() <= NAMED => format!("  note on {}: {}\n", names.join(", "), one_line(kind)),
            all => format!(
                "  note on {} of {} rows ({}, ...): {}\n",
                all.len(),
                rows.len(),
                names.join(", "),
                one_line(kind)
            ),
        }
    };
    kinds.iter().map(line).collect()
}

/// What a row of a table is about.
fn part(scored: &Scored, sliced: bool) -> String {
    match (&scored.slice, &scored.class) {
        (Some(slice), _) if slice.value.is_empty() => "(blank)".to_owned(),
        (Some(slice), _) => slice.value.clone(),
        (None, Some(class)) if !sliced => class.clone(),
        (None, _) => "all items".to_owned(),
    }
}

fn row(scored: &Scored, sliced: bool) -> Vec<String> {
    let (value, interval) = match (&scored.value, scored.interval) {
        (Err(why), _) => ("undefined".to_owned(), why.clone()),
        (Ok(value), None) => (format!("{value:.4}"), "no interval yet".to_owned()),
        (Ok(value), Some((low, high))) => (format!("{value:.4}"), format!("{low:.4} to {high:.4}")),
    };
    let (labels, items) = (counted(scored.labels, "label"), counted(scored.pool_size, "item"));
    vec![part(scored, sliced), value, interval, format!("{labels} of {items}")]
}

/// A calibration as a table of its bins.
pub(crate) fn calibration_in_words(found: &Calibration, what: IntervalOptions) -> String {
    let (percent, whose) = (percent(what.level), whose(what.target));
    let mut text = match (found.squared_error, found.interval) {
        (Some(error), Some((low, high))) => format!(
            "calibration  {error:.5} squared error, corrected for noise   {percent} interval for {whose} {low:.5} to \
             {high:.5}\n"
        ),
        _ => format!("calibration  too few labels for a squared error   {percent} intervals for {whose}\n"),
    };
    text += &format!(
        "  from {}, consistent; a gap above 0 means too much confidence\n",
        counted(found.labels, "label")
    );
    let mut rows =
        vec![["confidence", "of the pool", "gap", "interval", "labels"].map(str::to_owned).to_vec()];
    for bin in found.bins.iter().filter(|bin| bin.mass > 0.0 || bin.gap.labels > 0) {
        let (gap, interval) = match (bin.gap.value, bin.gap.interval) {
            (Err(_), _) => ("none".to_owned(), "no label".to_owned()),
            (Ok(gap), None) => (format!("{gap:+.4}"), "none yet".to_owned()),
            (Ok(gap), Some(span)) => (format!("{gap:+.4}"), format!("{:+.4} to {:+.4}", span.low, span.high)),
        };
        let range = format!("{:.2} to {:.2}", bin.low, bin.high);
        rows.push(vec![
            range,
            format!("{:.1} %", 100.0 * bin.mass),
            gap,
            interval,
            bin.gap.labels.to_string(),
        ]);
    }
    text += &flush_left(&rows).lines().map(|line| format!("  {line}\n")).collect::<String>();
    let unseen: f64 = found.bins.iter().filter(|bin| bin.gap.labels == 0).map(|bin| bin.mass).sum();
    if unseen > 0.0 && found.squared_error.is_some() {
        text += &format!(
            "  note: {:.1} % of the pool are in bins without a label; their gap counts as 0\n",
            100.0 * unseen
        );
    }
    let few = found.bins.iter().filter(|bin| bin.gap.labels > 0 && bin.gap.labels < 50).count();
    if few > 0 {
        text += &format!("  note: {} fewer than 50 labels: treat their intervals as rough\n", {
            if few == 1 { "1 bin has".to_owned() } else { format!("{few} bins have") }
        });
    }
    text
}
