//! What is known of judges and of histories before the first label.

use super::logistic::{self, Gaussian, logit};

/// Shares of items on which the features say nothing. The belief is an average over them.
pub(super) const CONTAMINATION: [f64; 4] = [0.0, 0.02, 0.1, 0.3];

/// Prior weights of the shares for judges, which can be confidently wrong.
const OF_JUDGES: [f64; 4] = [1.0, 0.5, 0.3, 0.2];

/// Prior weights of the shares for a history, whose own models have shown what it says.
const OF_HISTORY: [f64; 4] = [1.0, 0.03, 0.01, 0.01];

/// Standard deviation of the sum of the judges' slopes about 1.
const TOTAL_SLOPE: f64 = 0.3;

/// Log-odds are kept between ± this.
const MOST: f64 = 7.0;

/// Log-odds of a verdict: a judge is taken to be right with probability 0.8.
const VERDICT: f64 = 1.386_294_361_119_890_6;

/// The log-odds of a score between 0 and 1: a probability that the label is positive.
pub fn of_score(score: f64) -> f64 {
    logit(score.clamp(1e-6, 1.0 - 1e-6)).clamp(-MOST, MOST)
}

/// The log-odds of a verdict by its worth: 1 for pass, 0 for fail, 0.5 for a tie.
pub fn of_verdict(worth: f64) -> f64 {
    VERDICT * (2.0 * worth - 1.0)
}

/// The log-odds of a rating between `low` and `high`.
pub fn of_rating(rating: f64, low: f64, high: f64) -> f64 {
    logit((0.1 + 0.8 * (rating - low) / (high - low)).clamp(0.01, 0.99))
}

/// The rating between 0 and 1 behind its log-odds.
pub fn rating_of(odds: f64) -> f64 {
    (logistic::sigmoid(odds) - 0.1) / 0.8
}

/// Log-odds of numbers of an unknown scale, such as differences of rewards: centred, in units of their root mean square.
/// NaN where there is none.
pub fn of_raw(numbers: &[f64]) -> Vec<f64> {
    let mut known: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    let at = |place: usize| known.get(place).copied().unwrap_or(0.0);
    let median = 0.5 * (at(known.len().saturating_sub(1) / 2) + at(known.len() / 2));
    let square =
        known.iter().map(|number| (number - median).powi(2)).sum::<f64>() / known.len().max(1) as f64;
    let unit = if square > 0.0 { square.sqrt() } else { 1.0 };
    numbers.iter().map(|number| (VERDICT * (number - median) / unit).clamp(-4.0, 4.0)).collect()
}

/// Variances that a new batch adds to what the last one's labels say of the intercept and of the slopes: as far as the models
/// of a history differ from one another.
const DRIFT: (f64, f64) = (1.0, 0.01);

/// Smallest weight of a share of contamination in a new batch.
const LEAST_SHARE: f64 = 0.02;

/// What is believed of the coefficients before the first label.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgePrior {
    pub(super) coefficients: Gaussian,
    /// Weights of [`CONTAMINATION`], which sum to 1.
    pub(super) contamination: [f64; 4],
}

impl JudgePrior {
    /// K judges with log-odds each: their slopes sum to about 1, and which of them is right is open.
    pub fn judges(count: usize) -> Self {
        let k = count.max(1) as f64;
        let size = count + 1;
        let mut precision = vec![0.0; size * size];
        for (row, line) in precision.chunks_exact_mut(size).enumerate() {
            for (column, cell) in line.iter_mut().enumerate() {
                *cell = match (row, column) {
                    (0, 0) => 1.0,
                    (0, _) | (_, 0) => 0.0,
                    // K [ u u' / 0.3² + (I − u u') ] with u = (1, ..., 1)/√K.
                    _ => {
                        let own = if row == column { k } else { 0.0 };
                        own + TOTAL_SLOPE.powi(-2) - 1.0
                    }
                };
            }
        }
        let mean = std::iter::once(0.0).chain(std::iter::repeat_n(1.0 / k, count)).collect();
        Self { coefficients: Gaussian { mean, precision }, contamination: normalised(OF_JUDGES) }
    }

    /// The coefficients that the models of a history have themselves, one list per model: intercept, slope of the mean
    /// result, and those of `ranks` further scores. `extra` columns beside them are confidences or judges.
    pub(super) fn population(models: &[Vec<f64>], ranks: usize, extra: usize) -> Self {
        let count = models.len().max(1) as f64;
        let of = |place: usize| models.iter().map(move |b| b.get(place).copied().unwrap_or(0.0));
        let mean = |place: usize| of(place).sum::<f64>() / count;
        let variance = |place: usize| {
            let centre = mean(place);
            of(place).map(|b| (b - centre).powi(2)).sum::<f64>() / count
        };
        let mut means = vec![mean(0), mean(1)];
        // The wide intercept lets the target be weaker or stronger than all of history.
        let mut precisions = vec![1.0 / (variance(0) + 1.0), 1.0 / (variance(1) + 0.01)];
        for rank in 0..ranks {
            means.push(0.0);
            let square = of(2 + rank).map(|b| b * b).sum::<f64>() / count;
            precisions.push(1.0 / (square + 0.01));
        }
        means.extend(std::iter::repeat_n(0.0, extra));
        precisions.extend(std::iter::repeat_n(4.0, extra));
        Self { coefficients: Gaussian::diagonal(means, &precisions), contamination: normalised(OF_HISTORY) }
    }

    /// A history of one model shows nothing of how models differ, so its results are taken for the verdicts of a judge. `extra`
    /// columns beside them are confidences or judges.
    pub(super) fn one_model(extra: usize) -> Self {
        let mean = [0.0, 1.0].into_iter().chain(std::iter::repeat_n(0.0, extra)).collect();
        let precisions: Vec<f64> =
            [1.0, TOTAL_SLOPE.powi(-2)].into_iter().chain(std::iter::repeat_n(4.0, extra)).collect();
        Self { coefficients: Gaussian::diagonal(mean, &precisions), contamination: normalised(OF_JUDGES) }
    }

    /// The prior of the models of a history before their results were seen.
    pub(super) fn of_models(ranks: usize) -> Gaussian {
        let mean = [0.0, 1.0].into_iter().chain(std::iter::repeat_n(0.0, ranks)).collect();
        let precisions: Vec<f64> = [0.01, 0.1].into_iter().chain(std::iter::repeat_n(0.02, ranks)).collect();
        Gaussian::diagonal(mean, &precisions)
    }

    /// What a fit to one batch leaves to believe of the next: the same mean, with the variance of the fit and of the drift
    /// between batches. `None` if the information is not positive definite.
    pub(super) fn after(mean: Vec<f64>, information: &[f64], contamination: [f64; 4]) -> Option<Self> {
        let size = mean.len();
        let mut covariance = logistic::inverse(information, size)?;
        for (place, cell) in covariance.iter_mut().step_by(size + 1).enumerate() {
            *cell += if place == 0 { DRIFT.0 } else { DRIFT.1 };
        }
        let precision = logistic::inverse(&covariance, size)?;
        let contamination = normalised(contamination.map(|share| share.max(LEAST_SHARE)));
        Some(Self { coefficients: Gaussian { mean, precision }, contamination })
    }

    /// E(y) of an item by the mean coefficients alone, without contamination: what judges say, taken at their word.
    pub fn plainly_expected(&self, features: &[f64]) -> f64 {
        let row: Vec<f64> = std::iter::once(1.0).chain(features.iter().copied()).collect();
        logistic::expected(&row, &self.coefficients.mean, 0.0)
    }

    /// Number of features, without the constant.
    pub fn features(&self) -> usize {
        self.coefficients.mean.len() - 1
    }

    /// E(y) of an item before the first label, by its features.
    pub fn expected(&self, features: &[f64]) -> f64 {
        let row: Vec<f64> = std::iter::once(1.0).chain(features.iter().copied()).collect();
        let parts = CONTAMINATION.iter().zip(&self.contamination);
        parts
            .map(|(epsilon, weight)| weight * logistic::expected(&row, &self.coefficients.mean, *epsilon))
            .sum()
    }

    /// Mean and precision of the coefficients, and the weights of the contaminations, as numbers that a file can keep.
    pub fn to_numbers(&self) -> (Vec<f64>, Vec<f64>, [f64; 4]) {
        (self.coefficients.mean.clone(), self.coefficients.precision.clone(), self.contamination)
    }

    /// The same from its numbers; `None` if their counts do not fit.
    pub fn from_numbers(mean: Vec<f64>, precision: Vec<f64>, contamination: [f64; 4]) -> Option<Self> {
        let fits = !mean.is_empty() && precision.len() == mean.len() * mean.len();
        fits.then_some(Self { coefficients: Gaussian { mean, precision }, contamination })
    }
}

fn normalised(weights: [f64; 4]) -> [f64; 4] {
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_judge_is_believed_as_it_says() {
        let prior = JudgePrior::judges(1);
        assert_eq!(prior.features(), 1);
        let precision = &prior.coefficients.precision;
        assert!((precision[3] - 1.0 / 0.09).abs() < 1e-9 && precision[1] == 0.0, "{precision:?}");
        assert!((prior.expected(&[0.0]) - 0.5).abs() < 1e-12);
        assert!((prior.expected(&[2.0]) + prior.expected(&[-2.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn features_are_the_same_from_both_sides() {
        for score in [0.0, 1e-9, 0.1, 0.5, 0.73, 1.0] {
            assert!((of_score(score) + of_score(1.0 - score)).abs() < 1e-9, "{score}");
        }
        for rating in [1.0, 2.0, 3.5, 5.0] {
            assert!((of_rating(rating, 1.0, 5.0) + of_rating(6.0 - rating, 1.0, 5.0)).abs() < 1e-9);
        }
        let (one, other) = (of_raw(&[3.0, -1.0, 0.5, f64::NAN]), of_raw(&[-3.0, 1.0, -0.5, f64::NAN]));
        assert!(one.iter().zip(&other).take(3).all(|(a, b)| (a + b).abs() < 1e-12) && one[3].is_nan());
        assert_eq!(of_raw(&[2.0, 2.0]), [0.0, 0.0]);
    }
}
