//! The report of an evaluation in memory as one page, the same that the program writes.

use labelwise::{Classification, Regression};
use labelwise_report::{About, Form, Metric, OtherMetric, Page, Provenance, ScoreLine, page_of};
use labelwise_study::{self as store, Measurable, View, moment, now};

use crate::build::Running;
use crate::error::{Error, Outcome};
use crate::estimates::{Answer, Asked, Shown, estimate};
use crate::names;
use crate::verbs::Numbered;

/// What a page is to be.
pub(crate) struct Order {
    pub(crate) title: String,
    pub(crate) level: f64,
    pub(crate) target: String,
    /// What classes are called.
    pub(crate) classes: Option<Vec<String>>,
    pub(crate) seed: u64,
    /// What else there is to say, by name.
    pub(crate) settings: Vec<(String, String)>,
}

/// What is measured besides, if nothing else was asked for.
pub(crate) trait Usual {
    const MEANS: &'static [&'static str];
    const SCORES: &'static [&'static str];
}

impl Usual for Classification {
    const MEANS: &'static [&'static str] = &["accuracy", "cross-entropy", "brier"];
    const SCORES: &'static [&'static str] = &["f1_macro", "balanced_accuracy", "matthews_corrcoef"];
}

impl Usual for Regression {
    const MEANS: &'static [&'static str] = &["squared-error", "absolute-error"];
    const SCORES: &'static [&'static str] = &["rmse", "r2"];
}

/// The estimate as it was after some draws: how many, its value, its interval, and that of uniform sampling.
pub(crate) type Stop = (usize, f64, Option<(f64, f64)>, Option<(f64, f64)>);

/// The estimate as it was after some of the draws.
pub(crate) fn course(page: &Page) -> Outcome<Vec<Stop>> {
    let steps = labelwise_report::course(page)?.into_iter();
    Ok(steps.map(|step| (step.draws, step.estimate, step.ends, step.uniform)).collect())
}

/// The page of an evaluation in memory.
pub(crate) fn page<T: Shown + Numbered + Usual>(running: &mut Running<T>, order: &Order) -> Outcome<Page> {
    let metric = running.own.as_ref().map_or_else(|| custom(running.evaluation.loss().name()), Metric::from);
    let scores: Vec<String> = running.aims.iter().filter(|aim| aim.loss().is_none()).map(aim_name).collect();
    let scores = scores.into_iter().chain(T::SCORES.iter().map(|&name| name.to_owned()));
    let (mut others, mut lines, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for name in T::MEANS {
        let known: store::Metric =
            name.parse().map_err(|_| Error::Other(format!("there is no metric {name}")))?;
        if running.own.as_ref().is_some_and(|own| own.loss == known.loss) {
            continue;
        }
        others.extend(measured(running, order, name)?.into_iter().map(|found| other(found, &known)));
    }
    for name in scores {
        if !seen.contains(&name) {
            lines.extend(measured(running, order, &name)?.into_iter().map(|found| line(found, order)));
            seen.push(name);
        }
    }
    let label = |label: T::Label| {
        let number = T::number(label);
        let name = order
            .classes
            .as_ref()
            .and_then(|names| names.iter().zip(0_u32..).find(|(_, n)| f64::from(*n) == number));
        name.map_or_else(|| number.to_string(), |(name, _)| name.clone())
    };
    let about = About {
        title: order.title.clone(),
        metric,
        target: names::target(&order.target)?,
        level: order.level,
        label: &label,
        others,
        scores: lines,
        provenance: Provenance {
            file: None,
            fingerprint: None,
            seed: order.seed,
            generated_at: moment(now()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: order.settings.clone(),
        },
    };
    Ok(page_of(running.evaluation.ledger(), about)?)
}

/// A loss of the user's own.
fn custom(name: &str) -> Metric {
    let own = store::Metric { name: name.to_owned(), loss: store::LossName::Value, view: View::Plain };
    Metric { loss: name.to_owned(), ..Metric::from(&own) }
}

fn aim_name(aim: &Measurable) -> String {
    match aim {
        Measurable::Loss(metric) => metric.name.clone(),
        Measurable::Score(score) => score.name.clone(),
    }
}

/// What a name measures; nothing where skipped items leave it without bounds.
fn measured<T: Shown>(running: &mut Running<T>, order: &Order, name: &str) -> Outcome<Vec<Answer>> {
    let asked = Asked {
        metric: Some(name.to_owned()),
        level: order.level,
        target: order.target.clone(),
        interval: "ordinary".to_owned(),
        planned: None,
        estimator: "regression".to_owned(),
        positive: None,
    };
    match estimate(running, &asked) {
        Err(Error::Core(labelwise::Error::Metric(_) | labelwise::Error::UnboundedSkip { .. })) => {
            Ok(Vec::new())
        }
        found => found,
    }
}

fn other(found: Answer, metric: &store::Metric) -> OtherMetric {
    let Answer { metric: name, value, interval, labels, .. } = found;
    OtherMetric { name, value: value.unwrap_or(f64::NAN), interval, labels, form: Form::of(metric) }
}

fn line(found: Answer, order: &Order) -> ScoreLine {
    let Answer { metric, class, value, interval, labels, warnings, .. } = found;
    let class = class.map(|class| {
        let names = order.classes.as_ref();
        names.and_then(|names| names.get(class)).map_or_else(|| class.to_string(), Clone::clone)
    });
    let name = class.map_or_else(|| metric.clone(), |class| format!("{metric} of {class}"));
    ScoreLine { name, value, interval, labels, notes: warnings }
}
