//! Pages of ledgers: draws of a real evaluation, with whatever can become of them.

use std::fmt::Display;

use labelwise::estimator::RegressionLure;
use labelwise::evaluation::Builder;
use labelwise::interval::Method;
use labelwise::ledger::{Draw, Imputed, Ledger, Outcome};
use labelwise::{Evaluation, Seed, Target, Task};

use crate::metric::{Form, Metric};
use crate::page::{DrawLine, Fate, OtherMetric, Page, Provenance, ScoreLine, Skipped};

const SEED: u64 = 7;
const LEVEL: f64 = 0.95;

/// What happens to the draws at some places; all others are labelled.
#[derive(Default)]
pub(super) struct Fates {
    pub(super) skipped: &'static [usize],
    pub(super) missing: &'static [usize],
    pub(super) open: &'static [usize],
}

/// An evaluation after so many draws.
pub(super) fn drawn<T: Task>(
    builder: Builder<T>,
    draws: usize,
    fates: &Fates,
    label: impl Fn(usize) -> T::Label,
) -> Evaluation<T> {
    let mut evaluation = builder.seed(Seed(SEED)).build().unwrap();
    for (place, draw) in evaluation.ask_batch(draws).unwrap().iter().enumerate() {
        let index = draw.index;
        if fates.skipped.contains(&place) {
            evaluation.skip(index).unwrap();
        } else if fates.missing.contains(&place) {
            evaluation.missing_at_random(index).unwrap();
        } else if !fates.open.contains(&place) {
            evaluation.tell(index, label(index)).unwrap();
        }
    }
    evaluation
}

/// The page of a ledger.
pub(super) fn page<T: Task>(
    ledger: &Ledger<T>,
    metric: Metric,
    target: Target,
    id: impl Fn(usize) -> String,
) -> Page
where
    T::Label: Display,
{
    let report = ledger.report(target, LEVEL).unwrap();
    let skipped = report.estimate.skipped.map(|_| Skipped {
        lowest: ledger.evidence(Imputed::Lowest).unwrap(),
        highest: ledger.evidence(Imputed::Highest).unwrap(),
    });
    let draws = ledger.draws().iter().zip(ledger.outcomes()).enumerate();
    let draws = draws.map(|(place, (draw, outcome))| line(place, draw, outcome, id(draw.index)));
    Page {
        title: "Logistic regression on handwritten digits".to_owned(),
        made_for: metric.name.clone(),
        about: None,
        metric,
        evidence: ledger.evidence(Imputed::Expected).unwrap(),
        skipped,
        estimator: Box::new(RegressionLure),
        strata: None,
        method: Method::Ordinary,
        target,
        level: LEVEL,
        others: vec![OtherMetric {
            name: "Brier score".to_owned(),
            value: 0.1234,
            interval: Some((0.1042, 0.1466)),
            labels: report.estimate.labels,
            form: Form::Number,
        }],
        scores: vec![
            ScoreLine {
                name: "F1 of class 3".to_owned(),
                value: Ok(0.8765),
                interval: Some((0.8123, 0.9234)),
                labels: report.estimate.labels,
                notes: vec!["one sample has 31 % of the variance".to_owned()],
            },
            ScoreLine {
                name: "recall of class 4".to_owned(),
                value: Err("no item is labelled 4".to_owned()),
                interval: None,
                labels: report.estimate.labels,
                notes: Vec::new(),
            },
        ],
        judge: None,
        report,
        draws: draws.collect(),
        provenance: Provenance {
            file: Some("digits.labelwise".to_owned()),
            fingerprint: Some("5f2c9d1e88a0b734".to_owned()),
            seed: SEED,
            generated_at: "2026-03-04 10:22 UTC".to_owned(),
            version: "0.1.0".to_owned(),
            settings: vec![
                ("Surrogate".to_owned(), "given predictions (random forest)".to_owned()),
                ("Proposal".to_owned(), "root mean square, 10 % uniform".to_owned()),
            ],
        },
    }
}

fn line<T: Task>(place: usize, draw: &Draw, outcome: &Outcome<T>, id: String) -> DrawLine
where
    T::Label: Display,
{
    let fate = match outcome {
        Outcome::Open => Fate::Open,
        Outcome::Labelled { label, loss } => {
            Fate::Labelled { label: label.to_string(), loss: *loss, amendments: usize::from(place == 4) }
        }
        Outcome::Skipped => Fate::Skipped,
        Outcome::MissingAtRandom => Fate::Missing,
    };
    let at = format!("2026-03-0{} {:02}:{:02}", 1 + place / 120 % 9, 9 + place / 60 % 8, place % 60);
    DrawLine {
        stratum: None,
        place,
        index: draw.index,
        id,
        q: draw.q,
        fate,
        last: Some((at, ["ada", "grace"][place % 2].to_owned())),
    }
}
