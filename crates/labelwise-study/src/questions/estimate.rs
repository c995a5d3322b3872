//! Estimates by any loss that fits the predictions, from the draws alone.

use std::fmt;

use labelwise::estimator::{
    CentredLure, ControlledLure, Estimator, HansenHurwitz, Iid, ImportanceSampling, Pure, RegressionLure,
};
use labelwise::interval::Method;
use labelwise::ledger::{Evidence, Imputed, Ledger, Outcome};
use labelwise::plan::Diagnosis;
use labelwise::report::Report;
use labelwise::{Lure, Target};

use crate::error::{CompareError, DesignError, Error, Result};
use crate::questions::answers::basis_in_words;
use crate::spec::metric::Metric;
use crate::spec::names::EstimatorName;
use crate::spec::settings::Settings;
use crate::task::{StudyTask, with_task};
use crate::{Fate, Study};

/// A request for estimates.
#[derive(Debug, Clone)]
pub struct EstimateOptions {
    /// The mean losses. Default: the one that the evaluation was created for.
    pub metrics: Vec<Metric>,
    /// The probability with which intervals cover.
    pub level: f64,
    /// Pool or population.
    pub target: Target,
    /// How intervals are made.
    pub method: Method,
    /// How estimates are made.
    pub estimator: EstimatorName,
}

impl Default for EstimateOptions {
    fn default() -> Self {
        Self {
            metrics: Vec::new(),
            level: 0.95,
            target: Target::Pool,
            method: Method::Ordinary,
            estimator: EstimatorName::Suited,
        }
    }
}

impl EstimateOptions {
    /// Whether interval and estimator are those that metrics have which are not averages.
    pub(crate) fn is_ordinary(&self) -> bool {
        use EstimatorName::{Centred, Regression, Suited};
        self.method == Method::Ordinary && matches!(self.estimator, Suited | Regression | Centred)
    }

    /// Refuses a guaranteed interval about the plain mean.
    pub(crate) fn check_guarantee(&self) -> Result<()> {
        let guaranteed = matches!(self.method, Method::Guaranteed | Method::GuaranteedAtBudget);
        match self.estimator == EstimatorName::Iid && guaranteed {
            true => Err(Error::PlainMeanGuaranteed),
            false => Ok(()),
        }
    }
}

impl EstimatorName {
    /// The estimator for items that were drawn from the whole pool.
    pub fn estimator(self) -> Box<dyn Estimator> {
        match self {
            Self::Suited | Self::Regression => Box::new(RegressionLure),
            Self::Centred => Box::new(CentredLure),
            Self::Lure => Box::new(Lure),
            Self::Controlled => Box::new(ControlledLure),
            Self::Iid => Box::new(Iid),
            Self::Pure => Box::new(Pure),
            Self::ImportanceSampling => Box::new(ImportanceSampling),
            Self::HansenHurwitz => Box::new(HansenHurwitz),
        }
    }
}

/// An estimate of one metric.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimated {
    /// The metric.
    pub metric: Metric,
    /// The estimate as the metric is shown.
    pub value: f64,
    /// The interval as the metric is shown; `None` while there are too few labels.
    pub interval: Option<(f64, f64)>,
    /// The kind of the interval, in a few words.
    pub basis: Option<&'static str>,
    /// The mean loss with its diagnostics.
    pub report: Report,
    /// The gain compared with uniform sampling, and its reasons. `None` with too few labels, for draws within strata,
    /// and for estimators other than regression LURE.
    pub diagnosis: Option<Diagnosis>,
}

/// The estimate as its metric is shown, and its diagnostics.
impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { estimator, estimate, pool_size, interval, .. } = &self.report;
        let (name, value, labels) = (&self.metric.name, self.value, estimate.labels);
        write!(f, "{name} {value:.4} by {estimator} from {labels} of {pool_size} items")?;
        match (self.interval, interval) {
            (Some((low, high)), Some(interval)) => {
                let (percent, whose) = (percent(interval.level), whose(interval.target));
                writeln!(f, "; {percent} % interval for {whose} {low:.4} to {high:.4}")?;
            }
            _ => writeln!(f, "; no interval yet")?,
        }
        f.write_str(&self.report.diagnostics())
    }
}

/// Rounded, so that 0.999 is printed as 99.9 and not as 99.90000000000001.
fn percent(level: f64) -> f64 {
    (1e9 * level).round() / 1e7
}

fn whose(target: Target) -> &'static str {
    match target {
        Target::Pool => "this pool",
        Target::Population => "the population",
    }
}

impl Study {
    /// Estimates with intervals, one per metric, from the longest prefix of draws in which no draw waits for a label.
    pub fn estimate(&self, wanted: &EstimateOptions) -> Result<Vec<Estimated>> {
        let own =
            if wanted.metrics.is_empty() { vec![self.settings.mean_metric()?.clone()] } else { Vec::new() };
        own.iter().chain(&wanted.metrics).map(|metric| self.estimate_one(metric, wanted)).collect()
    }

    fn estimate_one(&self, metric: &Metric, wanted: &EstimateOptions) -> Result<Estimated> {
        self.check_one_model()?;
        self.check_labels()?;
        let (report, diagnosis) = with_task!(self.settings, T => {
            let ledger = self.ledger::<T>(metric)?;
            let mut report = self.report_of(&ledger, wanted)?;
            report.at_cap = self.at_cap(&ledger, metric.loss)?;
            (report, diagnosis(&ledger, wanted.estimator, &self.settings)?)
        });
        let value = metric.shown(report.estimate.value);
        let interval = report.interval.map(|interval| metric.shown_interval(interval.low, interval.high));
        let basis = report.interval.map(|interval| basis_in_words(interval.basis));
        Ok(Estimated { metric: metric.clone(), value, interval, basis, report, diagnosis })
    }

    /// Refuses a comparison, of which only differences are known.
    pub(crate) fn check_one_model(&self) -> Result<()> {
        if self.settings.rivals.is_empty() {
            return Ok(());
        }
        Err(CompareError::OneOfMany { path: self.path().to_owned(), models: self.settings.models() }.into())
    }

    /// Refuses if no label counts yet.
    pub(crate) fn check_labels(&self) -> Result<()> {
        let open = |fate: Option<&Fate>| fate.is_none_or(|fate| *fate == Fate::Open);
        let fates = self.fates()?;
        let nothing = if self.settings.design.is_stratified() {
            fates.iter().all(|fate| open(Some(fate)))
        } else {
            open(fates.first())
        };
        if nothing {
            let next = self.record()?.draws.first().map(|drawn| drawn.id.clone());
            return Err(Error::NoLabels { next, labels: self.labels() });
        }
        Ok(())
    }

    fn report_of<T: StudyTask>(&self, ledger: &Ledger<T>, wanted: &EstimateOptions) -> Result<Report> {
        wanted.check_guarantee()?;
        if let Some(budget) = self.settings.design.budget()
            && wanted.method == Method::GuaranteedAtBudget
            && ledger.complete() < budget
        {
            let counting = self.counting()?;
            return Err(DesignError::BatchIncomplete { budget, counting }.into());
        }
        let estimator = suited(wanted.estimator, &self.settings, ledger)?;
        let report = ledger.report_by(&*estimator, wanted.method, wanted.target, wanted.level);
        let mut report = report.map_err(|error| self.named(error))?;
        report.mended_scores =
            self.record()?.refreshes.last().map_or(0, |refresh| refresh.origin.mended_scores);
        Ok(report)
    }

    /// An error of the core in terms of ids.
    pub(crate) fn named(&self, error: labelwise::Error) -> Error {
        match error {
            labelwise::Error::UnboundedSkip { item } => Error::UnboundedSkip { id: self.id_of(item) },
            other => other.into(),
        }
    }

    /// The samples of an estimate, in draw order, with replacements for skipped losses.
    pub fn evidence(&self, metric: &Metric, imputed: Imputed) -> Result<Evidence> {
        Ok(with_task!(self.settings, T => self.ledger::<T>(metric)?.evidence(imputed))?)
    }

    /// The same by the default estimator of the design.
    pub fn evidence_by_design(
        &self,
        metric: &Metric,
        imputed: Imputed,
    ) -> Result<(Evidence, Box<dyn Estimator>)> {
        with_task!(self.settings, T => {
            let ledger = self.ledger::<T>(metric)?;
            let estimator = suited(EstimatorName::Suited, &self.settings, &ledger)?;
            Ok((ledger.evidence_by(&*estimator, imputed)?, estimator))
        })
    }

    /// The loss of every draw that has a label, in draw order.
    pub fn losses(&self, metric: &Metric) -> Result<Vec<Option<f64>>> {
        Ok(with_task!(self.settings, T => losses(&self.ledger::<T>(metric)?)))
    }

    /// The id of a drawn item.
    pub(crate) fn id_of(&self, item: usize) -> String {
        let record = self.record().ok();
        let drawn = record.and_then(|record| record.draws.iter().find(|drawn| drawn.row.draw.index == item));
        drawn.map_or_else(String::new, |drawn| drawn.id.clone())
    }
}

/// An estimator for these draws. One that does not fit is refused when it is used.
pub(crate) fn suited<T: StudyTask>(
    name: EstimatorName,
    settings: &Settings,
    ledger: &Ledger<T>,
) -> Result<Box<dyn Estimator>> {
    let name = match name {
        EstimatorName::Suited if ledger.strata().is_some() => return Ok(Box::new(ledger.by_strata()?)),
        EstimatorName::Suited => settings.estimator,
        name => name,
    };
    Ok(name.estimator())
}

fn diagnosis<T: StudyTask>(
    ledger: &Ledger<T>,
    estimator: EstimatorName,
    settings: &Settings,
) -> Result<Option<Diagnosis>> {
    let regression =
        matches!(estimator, EstimatorName::Suited | EstimatorName::Regression | EstimatorName::Centred);
    if !regression || ledger.strata().is_some() {
        return Ok(None);
    }
    Ok(Diagnosis::of(&ledger.evidence(Imputed::Expected)?, &*suited(estimator, settings, ledger)?)?)
}

fn losses<T: StudyTask>(ledger: &Ledger<T>) -> Vec<Option<f64>> {
    let loss = |outcome: &Outcome<T>| match outcome {
        Outcome::Labelled { loss, .. } => Some(*loss),
        Outcome::Open | Outcome::Skipped | Outcome::MissingAtRandom => None,
    };
    ledger.outcomes().iter().map(loss).collect()
}
