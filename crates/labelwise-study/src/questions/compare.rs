//! Compares models, from the draws alone.

use labelwise::compare::{Comparison, Question, Rival, Rivals};
use labelwise::estimator::Estimator;
use labelwise::interval::Method;
use labelwise::ledger::{Imputed, Ledger};
use labelwise::plan::{Assurance, LabelForecast, LabelRange, Source};
use labelwise::report::Report;
use std::borrow::Cow;

use crate::Study;
use crate::error::{ChoiceError, CompareError, Error, Result};
use crate::questions::estimate::EstimateOptions;
use crate::questions::ledger::Lens;
use crate::questions::planning::still_needed;
use crate::rivals::{Side, versus};
use crate::spec::names::EstimatorName;
use crate::spec::subject::Subject;
use crate::task::StudyTask;

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Standings {
    /// The model that the others are compared with: the baseline, or the one that leads.
    pub reference: usize,
    /// Whether it was named as the baseline.
    pub named: bool,
    /// Every model, in their order.
    pub models: Vec<Standing>,
    /// The number of further labels that will probably decide between two models, and the source of this forecast. `None` if
    /// it is decided, if there are more models, or if there is no forecast.
    pub to_decide: Option<(LabelRange, Source)>,
}

/// The result of one model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its loss minus that of the reference; none for the reference itself.
    pub against: Option<Comparison>,
    /// Its own mean loss; none if some items were never drawn because the models cannot differ on them.
    pub alone: Option<Report>,
}

impl Study {
    /// Compares every model with the baseline, or with the one that leads by the labels so far.
    pub fn compare(&self, wanted: &EstimateOptions, baseline: Option<&str>) -> Result<Standings> {
        if self.settings.rivals.is_empty() {
            return Err(CompareError::OneOnly { path: self.path().to_owned() }.into());
        }
        let baseline = baseline.map(|name| self.model(name)).transpose()?;
        self.check_labels()?;
        match self.settings.subject {
            Subject::Classes { .. } | Subject::Hard => {
                self.standings::<labelwise::Classification>(wanted, baseline)
            }
            Subject::Values | Subject::Scores => self.standings::<labelwise::Regression>(wanted, baseline),
        }
    }

    /// The place of a model by its name.
    fn model(&self, name: &str) -> Result<usize> {
        let rivals = &self.settings.rivals;
        rivals.iter().position(|rival| rival.name == name).ok_or_else(|| {
            let models = rivals.iter().map(|rival| rival.name.clone()).collect();
            let (name, path) = (name.to_owned(), self.path().to_owned());
            CompareError::NoModel { name, path, models }.into()
        })
    }

    fn standings<T: StudyTask + Rival>(
        &self,
        wanted: &EstimateOptions,
        baseline: Option<usize>,
    ) -> Result<Standings> {
        let estimator = wanted.estimator.estimator();
        let question = question(wanted, &*estimator)?;
        let mut wrong = None;
        let ledger = |one: usize, other: usize| {
            self.by_side::<T>(Side { one, other: Some(other) }).map_err(|error| match error {
                Error::Core(error) => error,
                other => {
                    let said = labelwise::Error::Surrogate(other.to_string());
                    wrong = Some(other);
                    said
                }
            })
        };
        let found = labelwise::compare::standings(self.settings.rivals.len(), baseline, &question, ledger);
        let found = found.map_err(|error| wrong.take().unwrap_or_else(|| self.named(error)))?;
        let mut models = Vec::with_capacity(self.settings.rivals.len());
        for (model, rival) in self.settings.rivals.iter().enumerate() {
            let against = found.others.iter().find(|(other, _)| *other == model);
            let alone = if self.settings.ties == 0 {
                let ledger = self.by_side::<T>(Side { one: model, other: None })?;
                let report = match wanted.estimator {
                    EstimatorName::Suited => ledger.report(wanted.target, wanted.level),
                    _ => ledger.report_by(&*estimator, Method::Ordinary, wanted.target, wanted.level),
                };
                Some(report.map_err(|error| self.named(error))?)
            } else {
                None
            };
            let against = against.map(|(_, comparison)| comparison.clone());
            models.push(Standing { name: rival.name.clone(), against, alone });
        }
        let is_decided = found.others.iter().all(|(_, comparison)| comparison.decided());
        let to_decide = if is_decided { None } else { self.to_decide::<T>(wanted)? };
        Ok(Standings { reference: found.reference, named: baseline.is_some(), models, to_decide })
    }

    /// The number of further labels until the interval of the difference of two models will probably leave out 0.
    fn to_decide<T: StudyTask + Rival>(
        &self,
        wanted: &EstimateOptions,
    ) -> Result<Option<(LabelRange, Source)>> {
        if self.settings.rivals.len() != 2 {
            return Ok(None);
        }
        let ledger = self.by_side::<T>(Side { one: 0, other: Some(1) })?;
        let evidence = ledger.evidence(Imputed::Expected).map_err(|error| self.named(error))?;
        let Some(forecast) = LabelForecast::of(&evidence)? else { return Ok(None) };
        let assurance = match wanted.method {
            Method::Anytime { .. } => Assurance::Anytime,
            Method::Guaranteed => Assurance::Guaranteed,
            _ => Assurance::Once,
        };
        // An interval has half of the error probability on each side of 0.
        let level = 0.5 * (1.0 + wanted.level);
        let labels = forecast.for_threshold(0.0, level, assurance, wanted.target)?;
        let further = labels.and_then(|labels| still_needed(labels, evidence.samples.len()));
        Ok(further.map(|labels| (labels, forecast.source)))
    }

    /// The draws by the difference between two models, or by the loss of one.
    fn by_side<T: StudyTask + Rival>(&self, side: Side) -> Result<Ledger<Rivals<T>>> {
        let (settings, name) = (&self.settings, self.settings.metric.loss);
        let own = versus::<T>(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        // A pair is recorded once, in one order.
        let turned = side.other.is_some_and(|other| other < side.one);
        let kept = match side.other {
            Some(other) if turned => Side { one: other, other: Some(side.one) },
            _ => side,
        };
        let recorded = kept == Side { one: 0, other: Some(1) };
        let loss = own.of(side.one, side.other);
        let turn = |(low, high): (f64, f64)| if turned { (-high, -low) } else { (low, high) };
        let lens = Lens {
            loss: &loss,
            row: &|row| Ok(Cow::Borrowed(&row.prediction)),
            totals: &|_, origin| {
                let found = match recorded {
                    true => origin.asides.get(&name).copied(),
                    false => origin.sides.iter().find(|(side, _)| *side == kept).map(|(_, totals)| *totals),
                };
                found.map(|mut totals| {
                    totals.control = if turned { -totals.control } else { totals.control };
                    totals.bounds = totals.bounds.map(turn);
                    totals.reach = totals.reach.map(turn);
                    totals
                })
            },
            recorded: recorded && !turned,
        };
        self.record()?.seen_through::<Rivals<T>, Rivals<T>>(self.path(), settings, &lens)
    }
}

/// The request in the core's types.
pub(crate) fn question<'a>(wanted: &EstimateOptions, estimator: &'a dyn Estimator) -> Result<Question<'a>> {
    wanted.check_guarantee()?;
    let &EstimateOptions { method, target, level, .. } = wanted;
    Ok(Question { estimator, method, target, level, comparisons: 1 })
}
