//! Features of the items from other models' results on them, and the prior that these models' own coefficients make.

use super::logistic::{fit, logit};
use super::prior::JudgePrior;
use crate::error::{Error, Result, Table};
use crate::matrix::Matrix;

/// The models of a history are fitted to at most about so many items.
const ITEMS: usize = 2000;

/// Parts of the models; the features of a part come from the other parts.
const FOLDS: usize = 5;

/// Steps of the power iteration. Scores of nearly equal size may stay mixed, which the prior does not mind.
const POWER_STEPS: usize = 60;

/// Results of other models on the items: a row per item, a column per model, between 0 and 1; NaN where a model did not run.
#[derive(Debug, Clone)]
pub struct History {
    results: Matrix,
}

/// Features and prior of a history.
#[derive(Debug, Clone)]
pub struct HistoryFeatures {
    /// One row per item.
    pub rows: Matrix,
    /// What the models of the history say about the coefficients.
    pub prior: JudgePrior,
    /// Number of scores beside the mean result.
    pub ranks: usize,
}

impl History {
    /// Refuses results that are not between 0 and 1.
    pub fn new(results: Matrix) -> Result<Self> {
        match results.find(|result| result.is_nan() || (0.0..=1.0).contains(&result)) {
            Some((item, class, value)) => {
                Err(Error::Probability { what: Table::Features, item, class, value })
            }
            None => Ok(Self { results }),
        }
    }

    /// Number of models.
    pub fn models(&self) -> usize {
        self.results.columns()
    }

    /// The scores beside the mean result that so many models can tell apart.
    fn ranks(models: usize) -> usize {
        match models {
            0..8 => 0,
            8..25 => 2,
            _ => 5,
        }
    }

    /// The features of all items, with `beside` as further ones (centred), and the prior of the population of models.
    pub fn features(&self, beside: &[Vec<f64>]) -> Result<HistoryFeatures> {
        let (items, models) = (self.results.rows(), self.models());
        let ranks = Self::ranks(models);
        let mut reader = self.results.reader();
        let table: Vec<Vec<f64>> = (0..items).map(|item| reader.row(item).to_vec()).collect();
        let own = scores(&table, &vec![true; models], ranks);
        let centred: Vec<Vec<f64>> = beside.iter().map(|column| about_mean(column)).collect();
        let row = |(item, own): (usize, &Vec<f64>)| {
            let beside = centred.iter().map(move |column| column.get(item).copied().unwrap_or(0.0));
            own.iter().copied().chain(beside).collect::<Vec<f64>>()
        };
        let rows: Vec<f64> = own.iter().enumerate().flat_map(row).collect();
        let prior = match models {
            1 => JudgePrior::one_model(beside.len()),
            _ => JudgePrior::population(&population(&table, models, ranks), ranks, beside.len()),
        };
        Ok(HistoryFeatures { rows: Matrix::f64(rows, 1 + ranks + beside.len())?, prior, ranks })
    }
}

/// The coefficients of every model, with features that its own part of the models has no share in.
fn population(table: &[Vec<f64>], models: usize, ranks: usize) -> Vec<Vec<f64>> {
    let stride = table.len().div_ceil(ITEMS).max(1);
    let some: Vec<Vec<f64>> = table.iter().step_by(stride).cloned().collect();
    let prior = JudgePrior::of_models(ranks);
    let folds = if ranks > 0 { FOLDS } else { models.max(1) };
    let mut all = Vec::with_capacity(models);
    for fold in 0..folds {
        let others: Vec<bool> = (0..models).map(|model| model % folds != fold).collect();
        let features = scores(&some, &others, ranks);
        for model in (0..models).filter(|model| model % folds == fold) {
            let results = some.iter().zip(&features).filter_map(|(row, features)| {
                let result = row.get(model).copied().filter(|result| !result.is_nan())?;
                Some((std::iter::once(1.0).chain(features.iter().copied()).collect(), result))
            });
            let rows: Vec<(Vec<f64>, f64)> = results.collect();
            if !rows.is_empty() {
                all.push(fit(&rows, &prior, 0.0).coefficients);
            }
        }
    }
    all
}

/// Log-odds of the mean result of each item, and its scores on the leading directions in which models differ.
fn scores(table: &[Vec<f64>], used: &[bool], ranks: usize) -> Vec<Vec<f64>> {
    let known = |row: &[f64]| -> (f64, f64) {
        let results = row.iter().zip(used).filter(|(result, used)| **used && !result.is_nan());
        results.fold((0.0, 0.0), |(sum, count), (result, _)| (sum + result, count + 1.0))
    };
    let (all, cells) =
        table.iter().map(|row| known(row)).fold((0.0, 0.0), |(s, n), (sum, count)| (s + sum, n + count));
    let overall = if cells > 0.0 { all / cells } else { 0.5 };
    let means = table.iter().map(|row| {
        let (sum, count) = known(row);
        logit(((sum + overall) / (count + 1.0)).clamp(1e-3, 1.0 - 1e-3)).clamp(-5.0, 5.0)
    });
    let mut features: Vec<Vec<f64>> = means.map(|mean| vec![mean]).collect();
    if ranks == 0 {
        return features;
    }
    let columns: Vec<usize> = used.iter().enumerate().filter(|(_, used)| **used).map(|(at, _)| at).collect();
    let deviations = deviations(table, &columns, known);
    let directions = directions(&deviations, columns.len(), ranks);
    let scale = (columns.len() as f64).sqrt();
    for (features, row) in features.iter_mut().zip(&deviations) {
        features.extend(directions.iter().map(|direction| super::logistic::dot(row, direction) / scale));
    }
    features
}

/// Results about the mean of their item, then about the mean of their model; 0 where a model did not run.
fn deviations(table: &[Vec<f64>], columns: &[usize], known: impl Fn(&[f64]) -> (f64, f64)) -> Vec<Vec<f64>> {
    let about_item = table.iter().map(|row| {
        let (sum, count) = known(row);
        let mean = sum / count.max(1.0);
        let off = |&column: &usize| {
            let result = row.get(column).copied().unwrap_or(f64::NAN);
            if result.is_nan() { 0.0 } else { result - mean }
        };
        columns.iter().map(off).collect::<Vec<f64>>()
    });
    let mut rows: Vec<Vec<f64>> = about_item.collect();
    let mut means = vec![0.0; columns.len()];
    for row in &rows {
        means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / table.len() as f64);
    }
    rows.iter_mut().for_each(|row| row.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean));
    rows
}

/// The leading eigenvectors of X'X, by power iteration.
fn directions(rows: &[Vec<f64>], columns: usize, ranks: usize) -> Vec<Vec<f64>> {
    let mut gram = vec![vec![0.0; columns]; columns];
    for row in rows {
        for (line, one) in gram.iter_mut().zip(row) {
            if *one != 0.0 {
                line.iter_mut().zip(row).for_each(|(cell, other)| *cell += one * other);
            }
        }
    }
    let mut found: Vec<Vec<f64>> = Vec::new();
    for rank in 0..ranks.min(columns) {
        // A start that is not symmetric in the models.
        let mut vector: Vec<f64> =
            (0..columns).map(|at| 1.0 + ((at * (rank + 2) * 7919 + 13) % 101) as f64 / 50.0).collect();
        for _ in 0..POWER_STEPS {
            let mut next: Vec<f64> = gram.iter().map(|line| super::logistic::dot(line, &vector)).collect();
            for earlier in &found {
                let share = super::logistic::dot(&next, earlier);
                next.iter_mut().zip(earlier).for_each(|(value, earlier)| *value -= share * earlier);
            }
            let length = super::logistic::dot(&next, &next).sqrt();
            if length <= f64::MIN_POSITIVE {
                next.fill(0.0);
                vector = next;
                break;
            }
            next.iter_mut().for_each(|value| *value /= length);
            vector = next;
        }
        found.push(vector);
    }
    found
}

/// A column about the mean of what is known of it; 0 where it is not.
fn about_mean(column: &[f64]) -> Vec<f64> {
    let known: Vec<f64> = column.iter().copied().filter(|value| value.is_finite()).collect();
    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
    column.iter().map(|value| if value.is_finite() { value - mean } else { 0.0 }).collect()
}
