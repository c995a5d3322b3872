//! From a study to its page.

use labelwise::Target;
use labelwise::ledger::Imputed;
use labelwise_study::{
    self as store, CourseOptions, Design, EstimateOptions, Fate as Stored, Measurable, Study, moment,
};

use super::about::About;
use super::metric::{Form, Metric};
use super::page::{DrawLine, Error, Fate, JudgeLines, OtherMetric, Page, Provenance, ScoreLine, Skipped};
use super::prefixes::score_lengths;

/// What a page is to show.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    /// What stands at the top; the file's name by default.
    pub title: Option<String>,
    /// The metric that the page is about. One of every class is shown by its mean over classes.
    pub metric: &'a Measurable,
    /// The positive class, for a metric of one class. Default: that of the settings.
    pub positive: Option<&'a str>,
    /// The probability with which intervals are to cover.
    pub level: f64,
    /// Whose risk.
    pub target: Target,
    /// Microseconds since 1970, UTC: when the page is made.
    pub now: i64,
}

/// The page of a study.
pub fn page(evaluation: &Study, order: &Order<'_>) -> Result<Page, Error> {
    let made = evaluation.settings();
    let &Order { metric: wished, positive, level, target, .. } = order;
    // The mean loss of the page: the wished one, or what was recorded.
    let squared = store::Metric::plain(store::LossName::SquaredError);
    let (measured, shown, about) = match wished {
        Measurable::Loss(_) if positive.is_some() => {
            return Err(store::Error::from(store::MetricError::PositiveUnused).into());
        }
        Measurable::Loss(metric) => (metric, Metric::from(metric), None),
        Measurable::Score(score) if score.score == store::ScoreName::RootMeanSquaredError => {
            if !score.score.fits(&made.subject) {
                evaluation.score_course(score, &course_options(order))?;
            }
            (&squared, Metric::root(score), None)
        }
        Measurable::Score(score) => {
            let course = evaluation.score_course(score, &course_options(order))?;
            (&made.metric, Metric::from(&made.metric), Some(About::new(wished, course)))
        }
    };
    let wanted =
        EstimateOptions { metrics: vec![measured.clone()], level, target, ..EstimateOptions::default() };
    let method = wanted.method;
    let others: Vec<store::Metric> =
        store::Metric::all(made).into_iter().filter(|other| other.name != wished.name()).collect();
    let mut estimates = evaluation.estimate(&wanted)?.into_iter();
    let Some(estimated) = estimates.next() else {
        return Err(labelwise::Error::NoSamples { next: None }.into());
    };
    let evidence = |imputed| evaluation.evidence_by_design(measured, imputed);
    let skipped = Skipped::of(&estimated.report, |imputed| Ok::<_, Error>(evidence(imputed)?.0))?;
    let mut measured_too = Vec::with_capacity(others.len());
    for other in others {
        match evaluation.estimate(&EstimateOptions { metrics: vec![other], ..wanted.clone() }) {
            // The loss that draws are made for may have bounds or known values where another has none.
            Err(error) if has_no_other(&error) => {}
            found => measured_too.extend(found?),
        }
    }
    let other = |other: store::Estimated| OtherMetric {
        form: Form::of(&other.metric),
        name: other.metric.name,
        value: other.value,
        interval: other.interval,
        labels: other.report.estimate.labels,
    };
    let name = || match evaluation.path().file_stem().filter(|_| evaluation.is_durable()) {
        Some(stem) => stem.to_string_lossy().into_owned(),
        None => "An evaluation by labelwise".to_owned(),
    };
    let (evidence, estimator) = evidence(Imputed::Expected)?;
    Ok(Page {
        title: order.title.clone().unwrap_or_else(name),
        metric: shown,
        made_for: made.made_for(),
        evidence,
        report: estimated.report,
        skipped,
        estimator,
        method,
        target,
        level,
        others: measured_too.into_iter().map(other).collect(),
        strata: evaluation.strata()?,
        scores: scores(evaluation, level, target, about.as_ref())?,
        judge: judge(evaluation)?,
        about,
        draws: draws(evaluation, measured)?,
        provenance: provenance(evaluation, order.now),
    })
}

/// Number of items on which a judge was wrong that are shown.
const MOST_WRONG: usize = 20;

/// What labels say of the judge.
fn judge(evaluation: &Study) -> Result<Option<JudgeLines>, Error> {
    let Some(worth) = evaluation.worth_in_words()? else { return Ok(None) };
    Ok(Some(JudgeLines { worth, wrong: evaluation.disagreements(MOST_WRONG)? }))
}

/// How the course of the metric is made.
fn course_options<'a>(order: &Order<'a>) -> CourseOptions<'a> {
    let &Order { positive, level, target, .. } = order;
    CourseOptions { positive, level, target, lengths: score_lengths }
}

/// Whether an error only means that the draws do not support this loss.
fn has_no_other(error: &store::Error) -> bool {
    matches!(error, store::Error::UnboundedSkip { .. } | store::Error::Core(labelwise::Error::Compare(_)))
}

/// The common metrics that are not averages, without the one that the page is about.
fn scores(
    evaluation: &Study,
    level: f64,
    target: Target,
    about: Option<&About>,
) -> Result<Vec<ScoreLine>, Error> {
    let mut scored = Vec::new();
    for metric in evaluation.usual_scores() {
        let (metrics, positive, threshold, by, group) = (vec![metric], None, None, None, None);
        let wanted = store::MetricOptions { metrics, positive, threshold, by, group, level, target };
        match evaluation.measure(&wanted) {
            // Strata give means alone, and skipped items leave some metrics without bounds.
            Err(store::Error::Metric(store::MetricError::Skipped { .. }) | store::Error::Design(_)) => {}
            found => scored.extend(found?),
        }
    }
    let own = |scored: &store::Scored| {
        about.is_some_and(|about| {
            (&about.course.now.name, &about.course.now.class) == (&scored.name, &scored.class)
        })
    };
    scored.retain(|scored| !own(scored));
    let line = |scored: store::Scored| ScoreLine {
        name: scored
            .class
            .as_ref()
            .map_or(scored.name.clone(), |class| format!("{} of {class}", scored.name)),
        value: scored.value,
        interval: scored.interval,
        labels: scored.labels,
        notes: scored.notes,
    };
    Ok(scored.into_iter().map(line).collect())
}

/// Every draw, with what was last said of it.
fn draws(evaluation: &Study, metric: &store::Metric) -> Result<Vec<DrawLine>, Error> {
    let losses = evaluation.losses(metric)?;
    let strata = evaluation.strata()?;
    let turn = |place: usize| strata.as_ref().and_then(|strata| strata.turns().get(place).copied());
    let mut last = vec![None; losses.len()];
    let mut amendments = vec![0; losses.len()];
    for event in evaluation.events()? {
        if let (Some(last), Some(amended)) = (last.get_mut(event.place), amendments.get_mut(event.place)) {
            *last = Some((event.at, event.who));
            *amended += usize::from(event.what == "amended");
        }
    }
    let lines = evaluation.history()?.zip(losses).zip(last).zip(amendments).enumerate();
    Ok(lines
        .map(|(place, (((draw, loss), last), amendments))| {
            let (at, who) = last.unwrap_or((draw.at, draw.who));
            let fate = match (draw.fate, loss) {
                (Stored::Labelled(label), Some(loss)) => {
                    Fate::Labelled { label: label.clone(), loss, amendments }
                }
                (Stored::Skipped, _) => Fate::Skipped,
                (Stored::MissingAtRandom, _) => Fate::Missing,
                _ => Fate::Open,
            };
            let (index, id, q) = (draw.item, draw.id.to_owned(), draw.q);
            let stratum = turn(place);
            // In memory, one process does it all.
            let last = evaluation.is_durable().then(|| (moment(at), who.to_owned()));
            DrawLine { place, index, id, q, stratum, fate, last }
        })
        .collect())
}

fn provenance(evaluation: &Study, now: i64) -> Provenance {
    let made = evaluation.settings();
    let setting = |name: &str, value: String| (name.to_owned(), value);
    let chosen = match made.design {
        Design::OneShot { budget } => format!("{budget} before the first label, from one proposal"),
        Design::Stratified { budget, .. } => format!("{budget} before the first label, within strata"),
        _ => "one after another, as labels arrived".to_owned(),
    };
    let durable = evaluation.is_durable();
    let threshold = made.threshold_in_words().map(|words| setting("decision threshold", words));
    let mut settings = vec![
        setting("pool", format!("{} ({} items)", made.pool.path, made.pool.size)),
        setting("predictions", made.subject.in_words()),
        setting("draws made for", made.made_for()),
        setting("surrogate", made.surrogate_in_words()),
        setting("items chosen", chosen),
        setting("items scored by", made.acquisition.in_words().to_owned()),
        setting("floor", made.floor.in_words()),
        setting("made", format!("{} by labelwise {}", moment(made.created), made.version)),
    ];
    settings.extend(threshold);
    Provenance {
        file: durable.then(|| evaluation.path().display().to_string()),
        fingerprint: durable.then(|| made.pool.fingerprint.clone()),
        seed: made.seed,
        generated_at: moment(now),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings,
    }
}
