//! Metrics that are not averages, and any metric by slices or for groups, from the draws alone.

use labelwise::estimator::Bias;
use labelwise::ledger::{Draw, Ledger};
use labelwise::loss::{Decision, Misjudged};
use labelwise::metric::{Calibration, ErrorRate, Judged, MeanLoss, ValueMetric, Valued, WeightedDraws};
use labelwise::task::Gaussian;
use labelwise::{Classification, Regression, Target};

use crate::columns::PREDICTIONS;
use crate::error::{ChoiceError, DesignError, Error, MetricError, Result};
use crate::questions::classes::Classes;
use crate::questions::scored::{MetricOptions, Scored};
use crate::questions::shown::Item;
use crate::questions::slices::{Part, Sliced};
use crate::spec::decision_threshold;
use crate::spec::measurable::{Measurable, Score, ScoreName};
use crate::spec::metric::LossName;
use crate::spec::subject::Subject;
use crate::task::StudyTask;
use crate::{Fate, Study};

/// Default number of bins of a calibration.
pub const BINS: usize = 10;

impl Study {
    /// The metrics that the draws are made for: the default of estimates.
    pub fn aims(&self) -> Vec<Measurable> {
        if self.settings.aims.is_empty() {
            return vec![Measurable::Loss(self.settings.metric.clone())];
        }
        self.settings.aims.clone()
    }

    /// The metrics that are not averages of a report: the common ones, and those that the draws are made for.
    /// Calibration is a separate table.
    pub fn usual_scores(&self) -> Vec<Measurable> {
        let names: &[&str] = match &self.settings.subject {
            Subject::Classes { names } => {
                let one = Classes::all(names).has_positive(self.settings.positive.as_deref());
                match (one, names.len()) {
                    (true, 2) => {
                        &["precision", "recall", "f1", "roc_auc", "average_precision", "matthews_corrcoef"]
                    }
                    (true, _) => {
                        &["precision", "recall", "f1", "f1_macro", "balanced_accuracy", "matthews_corrcoef"]
                    }
                    (false, _) => &["f1_macro", "balanced_accuracy", "matthews_corrcoef"],
                }
            }
            Subject::Hard => &["f1_macro", "balanced_accuracy", "matthews_corrcoef"],
            Subject::Values => &["rmse", "r2"],
            Subject::Scores => &[],
        };
        let aims = self
            .settings
            .aims
            .iter()
            .filter(|aim| aim.score().is_some_and(|score| score.score != ScoreName::Calibration));
        let mut all: Vec<Measurable> = aims.cloned().collect();
        for metric in names.iter().filter_map(|name| name.parse::<Measurable>().ok()) {
            if !all.iter().any(|other| other.name() == metric.name()) {
                all.push(metric);
            }
        }
        all
    }

    /// Estimates with intervals: per metric one of all items, and one of each slice.
    pub fn measure(&self, wanted: &MetricOptions) -> Result<Vec<Scored>> {
        self.check_one_model()?;
        match wanted.metrics.iter().find(|metric| metric.score().is_some()) {
            Some(metric) => self.check_weights(metric.name())?,
            None if self.settings.design.is_stratified() => return Err(DesignError::WholeOnly.into()),
            None => {}
        }
        self.check_scores(wanted)?;
        match &self.settings.subject {
            Subject::Classes { names } => {
                let decision = self.decision(wanted.threshold, wanted.positive.as_deref())?;
                self.measure_classes(wanted, Classes::all(names).deciding(decision))
            }
            Subject::Hard => self.measure_classes(wanted, Classes::seen()),
            Subject::Values | Subject::Scores => self.measure_values(wanted),
        }
    }

    /// Gaps between confidence and accuracy, in bins of confidence. Reads the predictions of the pool once, to count
    /// the items of each bin.
    pub fn calibration(&self, bins: usize, target: Target, level: f64) -> Result<Calibration> {
        self.check_one_model()?;
        let name = "calibration";
        self.settings.needs_pool(self.path(), "the number of items in every bin of confidence")?;
        if !ScoreName::Calibration.fits(&self.settings.subject) {
            let score = Score { name: name.to_owned(), score: ScoreName::Calibration, negative: false };
            return Err(MetricError::score(&score, &self.settings.subject).into());
        }
        self.check_weights(name)?;
        self.check_labels()?;
        let ledger = self.scored_ledger::<Classification>()?;
        let (sheet, _) = self.judged(&ledger, Classes::default())?;
        let width = self.settings.model_columns();
        let mut counts = vec![0; bins];
        self.journal.each_block(PREDICTIONS, &mut |block| {
            if let labelwise_pool::Column::Numbers(numbers) = block {
                let found = Calibration::count(numbers.chunks_exact(width), bins);
                counts.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
            }
        })?;
        // If items are missing at random, the sizes of the bins are not known.
        let counts = (sheet.pool_size() == self.settings.pool.size).then_some(&counts[..]);
        Calibration::new(&sheet, bins, counts, target, level).map_err(|error| self.refused(error))
    }

    /// A metric without a value, and the reason.
    pub(crate) fn unanswered(&self, metric: &Measurable, reason: String) -> Result<Scored> {
        Ok(Scored {
            name: metric.name().to_owned(),
            class: None,
            slice: None,
            value: Err(reason),
            interval: None,
            basis: None,
            skipped: None,
            standard_error: None,
            labels: self.counting()?,
            pool_size: self.settings.pool.size,
            bias: Bias::Vanishing,
            higher_is_better: metric.higher_is_better(),
            effective_hits: 0.0,
            notes: Vec::new(),
            kinds: Vec::new(),
        })
    }

    /// Refuses stratified designs, whose draws have no weights.
    pub(crate) fn check_weights(&self, metric: &str) -> Result<()> {
        if self.settings.design.is_stratified() {
            return Err(DesignError::MeansOnly { metric: metric.to_owned() }.into());
        }
        Ok(())
    }

    fn check_scores(&self, wanted: &MetricOptions) -> Result<()> {
        let settings = &self.settings;
        let mut about_one = false;
        for metric in &wanted.metrics {
            match metric {
                Measurable::Score(score) => {
                    if !score.score.fits(&settings.subject) {
                        return Err(MetricError::score(score, &settings.subject).into());
                    }
                    if score.score == ScoreName::Calibration {
                        return Err(MetricError::SlicedCalibration.into());
                    }
                    about_one |= score.score.needs_positive();
                }
                Measurable::Loss(metric) => {
                    if !settings.subject.has(metric.loss, settings.variances()) {
                        return Err(ChoiceError::metric(metric.loss, settings).into());
                    }
                }
            }
        }
        if wanted.positive.is_some() && wanted.threshold.is_none() && !about_one {
            return Err(MetricError::PositiveUnused.into());
        }
        if wanted.group.is_some() && wanted.target == Target::Pool {
            return Err(MetricError::GroupsOfPool.into());
        }
        self.check_labels()
    }

    /// How probabilities become a predicted class: by the threshold that is asked for, or by the settings.
    pub(crate) fn decision(&self, threshold: Option<f64>, positive: Option<&str>) -> Result<Decision> {
        let Some(threshold) = threshold else { return Ok(self.settings.decision()) };
        let positive = positive.or(self.settings.positive.as_deref());
        Ok(decision_threshold::decision(threshold, &self.settings.subject, positive)?.0)
    }

    pub(crate) fn scored_ledger<T: StudyTask>(&self) -> Result<Ledger<T>> {
        self.ledger::<T>(&self.settings.metric)
    }

    fn measure_classes(&self, wanted: &MetricOptions, classes: Classes) -> Result<Vec<Scored>> {
        let ledger = self.scored_ledger::<Classification>()?;
        let (sheet, mut classes) = self.judged(&ledger, classes)?;
        let positive = wanted.positive.as_deref().or(self.settings.positive.as_deref());
        let mut items: Vec<Item<Judged>> = Vec::new();
        for metric in &wanted.metrics {
            match metric {
                Measurable::Loss(metric) if self.settings.subject == Subject::Hard => {
                    items.push(Item::loss(metric, Box::new(ErrorRate)));
                }
                // At another threshold there is no expectation of the surrogate on record.
                Measurable::Loss(metric)
                    if metric.loss == LossName::ZeroOne && classes.decision != self.settings.decision() =>
                {
                    let loss = Item::loss(metric, Box::new(MeanLoss(Misjudged(classes.decision))));
                    items.push(Item { mean: None, ..loss });
                }
                Measurable::Loss(metric) => {
                    items.push(Item::of_loss::<Classification>(metric, &self.settings)?)
                }
                Measurable::Score(score) => {
                    let found = classes.metrics(score, positive)?.into_iter();
                    items.extend(found.map(|(metric, class)| Item::score(score, Box::new(metric), class)));
                }
            }
        }
        let by_class = wanted.metrics.iter().any(|metric| metric.score().is_some_and(Score::is_ratio));
        let counted = by_class.then_some(&classes);
        let sheet = match counted {
            Some(classes) => sheet.with_predicted(self.predicted_classes(&ledger, classes)?),
            None => sheet,
        };
        let parts = self.parts(&ledger, wanted, counted)?;
        self.rows(&ledger, sheet, &items, wanted, &parts, |class| classes.name(class))
    }

    fn measure_values(&self, wanted: &MetricOptions) -> Result<Vec<Scored>> {
        let ledger = self.scored_ledger::<Regression>()?;
        let sheet = self.valued(&ledger)?;
        let parts = self.parts(&ledger, wanted, None)?;
        let mut scored = Vec::new();
        for metric in &wanted.metrics {
            let item = match metric {
                Measurable::Loss(metric) => Item::of_loss::<Regression>(metric, &self.settings)?,
                Measurable::Score(score) if score.score == ScoreName::RootMeanSquaredError => {
                    Item::rooted(score, Box::new(ValueMetric::RootMeanSquaredError))
                }
                Measurable::Score(score) => Item::score(score, Box::new(score.score.of_values()), None),
            };
            let name = |class: usize| class.to_string();
            scored.extend(self.rows(&ledger, sheet.clone(), &[item], wanted, &parts, name)?);
        }
        Ok(scored)
    }

    /// The labelled draws of predicted numbers.
    pub(crate) fn valued(&self, ledger: &Ledger<Regression>) -> Result<WeightedDraws<Valued>> {
        let record = self.record()?;
        let sheet = WeightedDraws::new(ledger, |place, _: &Draw, label| {
            let row = record.draws.get(place).map_or(&[][..], |drawn| &drawn.row.prediction);
            let prediction = match *row {
                [mean, variance, ..] => Gaussian { mean, variance },
                _ => Gaussian { mean: row.first().copied().unwrap_or(f64::NAN), variance: 0.0 },
            };
            Ok(Valued { prediction, label })
        });
        sheet.map_err(|error| self.refused(error))
    }

    /// The labelled draws, and all classes seen in them.
    pub(crate) fn judged(
        &self,
        ledger: &Ledger<Classification>,
        mut classes: Classes,
    ) -> Result<(WeightedDraws<Judged>, Classes)> {
        let hard = self.settings.subject == Subject::Hard;
        let decision = classes.decision;
        let record = self.record()?;
        let sheet = WeightedDraws::with_skipped(ledger, |place, _: &Draw, label| {
            let Some(row) = record.draws.get(place).map(|drawn| &drawn.row) else {
                return Err(labelwise::Error::NoSamples { next: None });
            };
            if !hard {
                let label = label.unwrap_or_else(|| decision.predicted(&row.prediction));
                return Judged::decided(row.prediction.clone(), label, decision);
            }
            let predicted = classes.number(&row.predicted);
            let label = match record.fates.get(place) {
                // A correct answer can be written differently, such as 3.0 for 3.
                Some(Fate::Labelled(text)) if label != Some(0) => classes.number(text),
                _ => predicted,
            };
            Ok(Judged::hard(predicted, label))
        });
        let sheet = sheet.map_err(|error| self.refused(error))?;
        Ok((sheet, classes))
    }

    /// A refusal of the core in terms of ids.
    pub(crate) fn refused(&self, error: labelwise::Error) -> Error {
        match error {
            labelwise::Error::Metric(labelwise::metric::MetricError::Skipped { item }) => {
                MetricError::Skipped { id: self.id_of(item) }.into()
            }
            other => other.into(),
        }
    }

    /// The slices that are asked for.
    fn parts<T: StudyTask>(
        &self,
        ledger: &Ledger<T>,
        wanted: &MetricOptions,
        counted: Option<&Classes>,
    ) -> Result<Vec<Part>> {
        match &wanted.by {
            Some(column) => self.slices(ledger, column, counted),
            None => Ok(Vec::new()),
        }
    }

    fn rows<T: StudyTask, P: Sliced>(
        &self,
        ledger: &Ledger<T>,
        mut sheet: WeightedDraws<P>,
        items: &[Item<P>],
        wanted: &MetricOptions,
        parts: &[Part],
        name: impl Fn(usize) -> String,
    ) -> Result<Vec<Scored>> {
        if let Some(column) = &wanted.group {
            sheet = sheet.with_groups(self.groups(ledger, column)?)?;
        }
        let (target, level) = (wanted.target, wanted.level);
        let mut scored = Vec::new();
        for item in items {
            scored.push(self.of_all_items(&sheet, item, wanted, &name)?);
            for part in parts {
                let figure = P::slice(&sheet, part)?.measure(&*item.measure, target, level);
                let figure = figure.map_err(|error| self.refused(error))?;
                scored.push(item.scored(figure, Some(part.slice.clone()), part.slice.size, &name));
            }
        }
        Ok(scored)
    }
}
