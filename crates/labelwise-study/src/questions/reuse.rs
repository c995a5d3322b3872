//! Reuses the labels and q of one model's evaluation for another model.

use std::collections::HashMap;

use labelwise::compare::{Comparison, Rival, Rivals, Versus, compare, ties};
use labelwise::ledger::Ledger;
use labelwise::loss::{Bounds, Custom, Loss};
use labelwise::report::Report;
use labelwise::{Classification, Matrix, Pool, Regression};
use labelwise_pool::{Column, Ids, MatchError, PoolTable, Predictions, arranged};

use crate::columns::IDS;
use crate::create::tables;
use crate::error::{ChoiceError, CompareError, Result, damaged};
use crate::journal::record::Totals;
use crate::journal::row::Row;
use crate::prepare;
use crate::questions::compare::question;
use crate::questions::estimate::EstimateOptions;
use crate::questions::ledger::Lens;
use crate::refresh_point::RefreshPoint;
use crate::spec::metric::{LossName, Metric};
use crate::spec::names::EstimatorName;
use crate::spec::subject::Subject;
use crate::task::{self, StudyTask, same_class};
use crate::{Fate, Study};

/// Two models on the labels that one of them was evaluated with.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Transfer {
    /// The metric.
    pub metric: Metric,
    /// The model that the draws were made for.
    pub own: Report,
    /// The other.
    pub other: Report,
    /// The loss of the first minus that of the other.
    pub difference: Comparison,
    /// The number of these labels that 1 label drawn for the other model is worth, as the surrogate of the first draw
    /// expects; none without expectations.
    pub other_cost: Option<f64>,
    /// The same for draws made for the difference.
    pub difference_cost: Option<f64>,
    /// Number of items that were not drawn and for which the other model has no prediction. If there are any,
    /// estimates cannot use the surrogate's expectation, and there is no guaranteed interval.
    pub unknown: usize,
}

/// Another model's probabilities: of all items, if it has them, and of the drawn ones.
pub(crate) type DrawnRows = (Option<Matrix>, HashMap<usize, Vec<f64>>);

/// The other model's predictions: of all items, if it has them, and of the drawn ones.
struct Beside {
    all: Option<Matrix>,
    drawn: HashMap<usize, Vec<f64>>,
    unknown: usize,
}

impl Study {
    /// Compares another model on the labels of this evaluation: its loss and the difference of both, by the first
    /// metric of the request or the one that the evaluation was created for. The draws were made for the first model,
    /// but their q is recorded, so the estimates are valid; they may need more labels.
    pub fn compare_with(&self, table: &PoolTable, wanted: &EstimateOptions) -> Result<Transfer> {
        self.check_comparable(table)?;
        let metric = match wanted.metrics.first() {
            Some(metric) => metric,
            None => self.settings.mean_metric()?,
        };
        if metric.loss == LossName::Custom && self.settings.supplied.codes().is_some() {
            // A custom loss may depend on this model.
            return Err(ChoiceError::metric(metric.loss, &self.settings).into());
        }
        let rows = self.rows_in(table)?;
        let kinds = || self.other_kind(table);
        match (&self.settings.subject, &table.predictions) {
            (Subject::Scores, _) => Err(MatchError::Scores.into()),
            (Subject::Hard, Predictions::Hard { names, classes }) => {
                let said = |item: usize| {
                    let row = rows.get(item).copied().flatten()?;
                    classes.get(row).and_then(|&class| names.get(class as usize)).map(String::as_str)
                };
                self.check_labels()?;
                self.by_words(&said, metric, wanted)
            }
            (Subject::Classes { names }, theirs @ Predictions::Classes { .. }) => {
                let like = Predictions::Classes {
                    names: names.clone(),
                    rows: Matrix::f64(Vec::new(), names.len().max(1))?,
                };
                let beside = self.beside(&like, theirs, &rows)?.ok_or_else(kinds)?;
                self.check_labels()?;
                self.on_shared_labels::<Classification>(beside, metric, wanted)
            }
            (Subject::Values, theirs @ Predictions::Values { .. }) => {
                let like = Predictions::Values { means: Vec::new(), variances: None };
                let beside = self.beside(&like, theirs, &rows)?.ok_or_else(kinds)?;
                self.check_labels()?;
                self.on_shared_labels::<Regression>(beside, metric, wanted)
            }
            _ => Err(kinds()),
        }
    }

    /// Refuses comparisons and pools of scores.
    pub(crate) fn check_comparable(&self, table: &PoolTable) -> Result<()> {
        if !self.settings.rivals.is_empty() {
            return Err(CompareError::Another { path: self.path().to_owned() }.into());
        }
        if self.settings.subject == Subject::Scores || matches!(table.predictions, Predictions::Scores(_)) {
            return Err(MatchError::Scores.into());
        }
        Ok(())
    }

    /// The other model's probabilities of all items, if it has them, and of the drawn items; none if they have other classes.
    pub(crate) fn drawn_rows(&self, table: &PoolTable, rows: &[Option<usize>]) -> Result<Option<DrawnRows>> {
        let Subject::Classes { names } = &self.settings.subject else { return Ok(None) };
        let like =
            Predictions::Classes { names: names.clone(), rows: Matrix::f64(Vec::new(), names.len().max(1))? };
        Ok(self.beside(&like, &table.predictions, rows)?.map(|beside| (beside.all, beside.drawn)))
    }

    /// For each item of the pool, its row in the other table. Every drawn item must have one.
    pub(crate) fn rows_in(&self, table: &PoolTable) -> Result<Vec<Option<usize>>> {
        self.settings.needs_pool(self.path(), "the estimate of another model")?;
        let size = self.settings.pool.size;
        let ids = match self.settings.columns.get(IDS) {
            Some(_) => {
                let items: Vec<usize> = (0..size).collect();
                let texts = self.journal.texts(IDS, &items)?;
                Ids::Column(Column::Texts(texts.iter().map(String::as_str).collect()))
            }
            None => Ids::Rows(size),
        };
        match (&ids, &table.ids) {
            (Ids::Rows(here_rows), Ids::Rows(there_rows)) if here_rows != there_rows => {
                let (here, there) = (self.path().to_owned(), table.path.clone());
                let (here_rows, there_rows) = (*here_rows, *there_rows);
                return Err(MatchError::Rows { here, here_rows, there, there_rows }.into());
            }
            (Ids::Rows(_), Ids::Column(_)) => {
                return Err(
                    MatchError::Ids { with: table.path.clone(), without: self.path().to_owned() }.into()
                );
            }
            (Ids::Column(_), Ids::Rows(_)) => {
                return Err(
                    MatchError::Ids { with: self.path().to_owned(), without: table.path.clone() }.into()
                );
            }
            _ => {}
        }
        let rows = ids.rows_in(&table.ids);
        let lacks = |item: usize| rows.get(item).copied().flatten().is_none();
        let missing: Vec<usize> =
            self.record()?.rows().map(|row| row.draw.index).filter(|&item| lacks(item)).collect();
        if missing.is_empty() {
            return Ok(rows);
        }
        let first: Vec<String> = missing.iter().take(5).filter_map(|&item| ids.get(item)).collect();
        Err(CompareError::Drawn {
            path: table.path.clone(),
            evaluation: self.path().to_owned(),
            missing: missing.len(),
            drawn: self.asked(),
            first: first.join(", "),
        }
        .into())
    }

    /// The other model's numbers, in the order of the pool; none if they have other classes.
    fn beside(
        &self,
        like: &Predictions,
        theirs: &Predictions,
        rows: &[Option<usize>],
    ) -> Result<Option<Beside>> {
        let there: Vec<usize> = rows.iter().copied().flatten().collect();
        let Some(mut found) = arranged(like, theirs, &there)? else { return Ok(None) };
        let columns = self.settings.model_columns();
        if let Predictions::Values { variances, .. } = &mut found
            && columns == 1
        {
            *variances = None;
        }
        let (matrix, _) = tables(found)?;
        if matrix.columns() != columns {
            return Ok(None);
        }
        let items = rows.iter().enumerate().filter(|(_, row)| row.is_some()).map(|(item, _)| item);
        let places: HashMap<usize, usize> = items.zip(0..).collect();
        let mut reader = matrix.reader();
        let drawn = self.record()?.rows().filter_map(|row| {
            let item = row.draw.index;
            Some((item, reader.row(*places.get(&item)?).to_vec()))
        });
        let drawn = drawn.collect();
        let unknown = rows.len() - there.len();
        Ok(Some(Beside { all: (unknown == 0).then_some(matrix), drawn, unknown }))
    }

    fn on_shared_labels<T: StudyTask + Rival>(
        &self,
        beside: Beside,
        metric: &Metric,
        wanted: &EstimateOptions,
    ) -> Result<Transfer> {
        let (settings, name) = (&self.settings, metric.loss);
        let plain = || T::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings));
        let loss = plain()?;
        let versus = Versus::between(plain()?, settings.model_columns(), 0, 1);
        let Beside { all, drawn, unknown } = beside;
        let (mut other_totals, mut difference_totals) = (Vec::new(), Vec::new());
        let (mut other_cost, mut difference_cost) = (None, None);
        if let Some(all) = all {
            let own = task::pool::<T>(&*self.journal, settings)?;
            let pair = Pool::<Rivals<T>>::rivals(&[own.predictions().clone(), all.clone()])?;
            let other = T::pool(all, settings)?;
            let refreshes = &self.record()?.refreshes;
            for (row, origin) in refreshes.iter().map(|refresh| &refresh.origin).enumerate() {
                let end = refreshes.get(row + 1).map_or(self.asked(), |next| next.origin.draws);
                if end == origin.draws && row > 0 {
                    other_totals.push(None);
                    difference_totals.push(None);
                    continue;
                }
                let point = RefreshPoint::of(row, origin);
                let mut made = prepare::made::<T>(&*self.journal, settings, self.record()?, point)?;
                other_totals.push(Some(Totals::from(made.evaluation.loss_totals_for(&other, &*loss)?)));
                difference_totals.push(Some(Totals::from(made.evaluation.loss_totals_for(&pair, &versus)?)));
                if row == 0 {
                    other_cost = made.evaluation.cost_for(&other, &*loss, &[])?;
                    difference_cost = made.evaluation.cost_for(&pair, &versus, &ties(&pair, &versus))?;
                }
            }
        }
        let theirs = |row: &Row| {
            drawn.get(&row.draw.index).cloned().ok_or_else(|| damaged(self.path(), "draw", row.draw.index))
        };
        let both = |row: &Row| -> Result<Vec<f64>> { Ok([row.prediction.clone(), theirs(row)?].concat()) };
        let at = |totals: &[Option<Totals>], row: usize| totals.get(row).copied().flatten();
        let (path, record) = (self.path(), self.record()?);
        let other = record.seen_through::<T, T>(
            path,
            settings,
            &Lens {
                loss: &*loss,
                row: &|row| Ok(theirs(row)?.into()),
                totals: &|row, _| at(&other_totals, row),
                recorded: false,
            },
        )?;
        let difference = record.seen_through::<T, Rivals<T>>(
            path,
            settings,
            &Lens {
                loss: &versus,
                row: &|row| Ok(both(row)?.into()),
                totals: &|row, _| at(&difference_totals, row),
                recorded: false,
            },
        )?;
        let own = self.ledger::<T>(metric)?;
        let costs = Costs { other_cost, difference_cost, unknown };
        self.told_of(metric, wanted, &own, &other, &difference, costs)
    }

    /// Classes without probabilities are only right or wrong: no surrogate predicts anything about the other model.
    fn by_words<'a>(
        &self,
        said: &dyn Fn(usize) -> Option<&'a str>,
        metric: &Metric,
        wanted: &EstimateOptions,
    ) -> Result<Transfer> {
        let settings = &self.settings;
        // The predictions are: whether each model is right, and whether both predict the same.
        let record = self.record()?;
        let right: HashMap<usize, [f64; 3]> = record
            .rows()
            .zip(&record.fates)
            .map(|(row, fate)| {
                let item = row.draw.index;
                let other = said(item).unwrap_or_default();
                let wrong = |text: &str| match fate {
                    Fate::Labelled(label) => f64::from(u8::from(!same_class(label, text))),
                    _ => 0.0,
                };
                let same = f64::from(u8::from(same_class(&row.predicted, other)));
                (item, [wrong(&row.predicted), wrong(other), same])
            })
            .collect();
        let row =
            |row: &Row| right.get(&row.draw.index).map(|right| right.to_vec()).unwrap_or_default().into();
        let nothing = |_: usize, _: &crate::journal::record::Origin| None;
        let at = |f: &[f64], place: usize| f.get(place).copied().unwrap_or(f64::NAN);
        let other = Custom::non_negative(move |f: &[f64], _: usize| at(f, 1)).with_bounds(0.0, 1.0)?;
        let difference = Disagreement;
        let (path, record) = (self.path(), self.record()?);
        let other = record.seen_through::<Classification, Classification>(
            path,
            settings,
            &Lens { loss: &other, row: &|drawn| Ok(row(drawn)), totals: &nothing, recorded: false },
        )?;
        let difference = record.seen_through::<Classification, Rivals<Classification>>(
            path,
            settings,
            &Lens { loss: &difference, row: &|drawn| Ok(row(drawn)), totals: &nothing, recorded: false },
        )?;
        let own = self.ledger::<Classification>(metric)?;
        let costs = Costs { other_cost: None, difference_cost: None, unknown: 0 };
        self.told_of(metric, wanted, &own, &other, &difference, costs)
    }

    fn told_of<T: StudyTask, U: labelwise::Task>(
        &self,
        metric: &Metric,
        wanted: &EstimateOptions,
        own: &Ledger<T>,
        other: &Ledger<T>,
        difference: &Ledger<U>,
        Costs { other_cost, difference_cost, unknown }: Costs,
    ) -> Result<Transfer> {
        // The model that draws were made for has the estimate that it has by itself.
        let estimator = match wanted.estimator {
            EstimatorName::Suited => self.settings.estimator.estimator(),
            name => name.estimator(),
        };
        let question = question(wanted, &*estimator)?;
        let report = |ledger: &Ledger<T>| {
            let report =
                ledger.report_by(question.estimator, question.method, question.target, question.level);
            report.map_err(|error| self.named(error))
        };
        let (own, other) = (report(own)?, report(other)?);
        let difference = compare(difference, &question).map_err(|error| self.named(error))?;
        Ok(Transfer { metric: metric.clone(), own, other, difference, other_cost, difference_cost, unknown })
    }
}

struct Costs {
    other_cost: Option<f64>,
    difference_cost: Option<f64>,
    unknown: usize,
}

/// Difference of the zero-one losses, for rows of: the first is wrong, the other is wrong, both predict the same.
#[derive(Debug, Clone, Copy)]
struct Disagreement;

impl Loss<Rivals<Classification>> for Disagreement {
    fn name(&self) -> &'static str {
        "zero-one loss"
    }

    fn loss(&self, row: &[f64], _label: usize) -> f64 {
        if let [one, other, ..] = *row { one - other } else { f64::NAN }
    }

    fn moments(&self, _row: &[f64], _belief: &[f64]) -> labelwise::loss::Moments {
        labelwise::loss::Moments { first: 0.0, second: 1.0 }
    }

    fn bounds(&self, row: &[f64]) -> Option<Bounds> {
        let far = if let [_, _, same, ..] = *row { 1.0 - same } else { 1.0 };
        Some(Bounds { low: -far, high: far })
    }

    fn range(&self) -> Option<Bounds> {
        Some(Bounds { low: -1.0, high: 1.0 })
    }

    fn sign(&self) -> labelwise::loss::Sign {
        labelwise::loss::Sign::Signed
    }
}
