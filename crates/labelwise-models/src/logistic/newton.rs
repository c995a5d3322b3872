//! Newton's method for the penalised likelihood, each step by conjugate gradients: the Hessian is only ever multiplied,
//! never formed. Near the minimum the number of right digits doubles with a step, so the tolerance can be tight.

#![allow(clippy::indexing_slicing, reason = "a kernel: it walks flat buffers whose sizes it has set itself")]

use labelwise::{Error, Result};

use super::softmax;
use crate::linear::features::{Centred, dot};

/// The fit is done when a Newton step would lower the sum of cross-entropies by less than half of this. A probability
/// of a training row then moves by at most half of its root.
const TOLERANCE: f64 = 1e-16;

/// A gradient of this squared size is nothing but rounding.
const ROUNDING: f64 = 1e-30;

/// Steps that a fit may take; ten are usual.
const STEPS: usize = 200;

/// The objective, divided by C: Σ cross-entropy + ‖w‖² / 2C.
///
/// Parameters lie feature after feature, the intercepts last, and within a feature score after score. Two classes have
/// one score, the second's against a first that is 0; more classes have one each.
pub(super) struct Problem<'a> {
    features: &'a Centred,
    labels: Vec<usize>,
    scores: usize,
    penalty: f64,
}

/// The current point of the method, with the factors of the Hessian.
struct Point {
    value: f64,
    gradient: Vec<f64>,
    probabilities: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// `labels` are below `classes`, which is at least two.
    pub(super) fn new(features: &'a Centred, labels: Vec<usize>, classes: usize, c: f64) -> Self {
        let scores = if classes == 2 { 1 } else { classes };
        Self { features, labels, scores, penalty: 1.0 / c }
    }

    /// Weights, class after class, and intercepts.
    pub(super) fn solve(&self) -> Result<(Vec<f64>, Vec<f64>)> {
        // A curvature that overflows would make every step 0.
        if !self.features.rows().map(|row| dot(row, row)).sum::<f64>().is_finite() {
            return Err(not_converged());
        }
        let mut theta = vec![0.0; (self.features.means.len() + 1) * self.scores];
        for _ in 0..STEPS {
            let scores = self.scores_at(&theta);
            let point = self.point(&theta, &scores);
            let (step, size) = self.newton_step(&point);
            let decrement = -dot(&point.gradient, &step);
            if ![point.value, size, decrement].iter().all(|number| number.is_finite()) {
                break;
            }
            // The size is at most the decrement times the number of parameters. One that is larger has a step that
            // came out too short, and does not show that this is the minimum.
            if decrement <= TOLERANCE && size <= 10.0 * TOLERANCE * step.len() as f64 {
                theta.iter_mut().zip(&step).for_each(|(t, s)| *t += s);
                return Ok(self.by_class(&theta));
            }
            let here = (point.value, decrement);
            let Some(length) = self.line_search(&theta, &scores, &step, here) else { break };
            theta.iter_mut().zip(&step).for_each(|(t, s)| *t += length * s);
        }
        Err(not_converged())
    }

    /// One row of scores a row of features.
    fn scores_at(&self, theta: &[f64]) -> Vec<f64> {
        let (weights, intercepts) = theta.split_at(theta.len() - self.scores);
        let mut scores = Vec::with_capacity(self.labels.len() * self.scores);
        for row in self.features.rows() {
            if self.scores == 1 {
                scores.push(intercepts[0] + dot(row, weights));
                continue;
            }
            let start = scores.len();
            scores.extend_from_slice(intercepts);
            let sums = &mut scores[start..];
            for (x, weights) in row.iter().zip(weights.chunks_exact(self.scores)) {
                sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum += x * w);
            }
        }
        scores
    }

    /// Features transposed times one number per row and score: the way back from scores to parameters.
    fn back(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; (self.features.means.len() + 1) * self.scores];
        let split = sums.len() - self.scores;
        let (weights, intercepts) = sums.split_at_mut(split);
        for (row, numbers) in self.features.rows().zip(numbers.chunks_exact(self.scores)) {
            if let [number] = *numbers {
                weights.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * number);
            } else {
                for (x, sums) in row.iter().zip(weights.chunks_exact_mut(self.scores)) {
                    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += x * number);
                }
            }
            intercepts.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        sums
    }

    /// Adds the penalty's part of a gradient or of a product with the Hessian.
    fn penalise(&self, sums: &mut [f64], theta: &[f64]) {
        let weights = theta.len() - self.scores;
        sums.iter_mut().zip(&theta[..weights]).for_each(|(sum, t)| *sum += self.penalty * t);
        self.balance(sums);
    }

    /// Makes each feature's numbers sum to 0 over the classes, as the solution's do. Adding the same to every class
    /// changes no probability: the objective is flat that way but for the penalty, and rounding that is let in there
    /// grows until it is all that conjugate gradients see.
    fn balance(&self, sums: &mut [f64]) {
        if self.scores == 1 {
            return;
        }
        for feature in sums.chunks_exact_mut(self.scores) {
            let mean = feature.iter().sum::<f64>() / self.scores as f64;
            feature.iter_mut().for_each(|sum| *sum -= mean);
        }
    }

    fn penalty_at(&self, theta: &[f64]) -> f64 {
        let weights = &theta[..theta.len() - self.scores];
        0.5 * self.penalty * dot(weights, weights)
    }

    /// Turns scores into residuals, probability less 1 for the label and probability for the others, and returns the
    /// sum of the cross-entropies. Both keep their digits where labels are nearly certain.
    fn residuals(&self, scores: &mut [f64]) -> f64 {
        let rows = scores.chunks_exact_mut(self.scores).zip(&self.labels);
        rows.map(|(row, &label)| match row {
            [score] => {
                // Of two classes, the score is the second's; z is that of the class which is not the label.
                let sign = if label == 1 { -1.0 } else { 1.0 };
                let z = sign * *score;
                *score = sign / (1.0 + (-z).exp());
                z.max(0.0) + (-z.abs()).exp().ln_1p()
            }
            row => {
                let own = row[label];
                let (top, rest) = softmax(row);
                row[label] = 0.0;
                row[label] = -row.iter().sum::<f64>();
                top - own + rest
            }
        })
        .sum()
    }

    fn point(&self, theta: &[f64], scores: &[f64]) -> Point {
        let mut residuals = scores.to_vec();
        let value = self.residuals(&mut residuals) + self.penalty_at(theta);
        let mut gradient = self.back(&residuals);
        self.penalise(&mut gradient, theta);
        let mut probabilities = residuals;
        for (row, &label) in probabilities.chunks_exact_mut(self.scores).zip(&self.labels) {
            match row {
                [residual] => *residual += label as f64,
                row => row[label] += 1.0,
            }
        }
        Point { value, gradient, probabilities }
    }

    /// The Hessian times `direction`.
    fn curvature(&self, point: &Point, direction: &[f64]) -> Vec<f64> {
        let mut along = self.scores_at(direction);
        for (row, p) in along.chunks_exact_mut(self.scores).zip(point.probabilities.chunks_exact(self.scores))
        {
            // With one score the other class's is 0, and the mean is p times the score as well.
            let mean = dot(row, p);
            row.iter_mut().zip(p).for_each(|(u, p)| *u = p * (*u - mean));
        }
        let mut product = self.back(&along);
        self.penalise(&mut product, direction);
        product
    }

    /// The Hessian's diagonal, by which conjugate gradients measure: features may differ in scale by orders.
    fn diagonal(&self, point: &Point) -> Vec<f64> {
        let mut sums = vec![self.penalty; point.gradient.len()];
        let split = sums.len() - self.scores;
        let (weights, intercepts) = sums.split_at_mut(split);
        // Nothing penalises an intercept; where every row is certain, this keeps its step finite.
        intercepts.fill(f64::EPSILON);
        let mut spreads = vec![0.0; self.scores];
        for (row, p) in self.features.rows().zip(point.probabilities.chunks_exact(self.scores)) {
            spreads.iter_mut().zip(p).for_each(|(spread, p)| *spread = p * (1.0 - p));
            for (x, sums) in row.iter().zip(weights.chunks_exact_mut(self.scores)) {
                sums.iter_mut().zip(&spreads).for_each(|(sum, spread)| *sum += x * x * spread);
            }
            intercepts.iter_mut().zip(&spreads).for_each(|(sum, spread)| *sum += spread);
        }
        sums
    }

    /// Solves Hessian · step = -gradient by conjugate gradients, roughly at first and closely near the minimum. Also
    /// returns the size of the gradient, squared and measured by the diagonal.
    fn newton_step(&self, point: &Point) -> (Vec<f64>, f64) {
        let diagonal = self.diagonal(point);
        let mut step = vec![0.0; diagonal.len()];
        let mut residual: Vec<f64> = point.gradient.iter().map(|g| -g).collect();
        let mut scaled: Vec<f64> = residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        self.balance(&mut scaled);
        let mut direction = scaled.clone();
        let first = dot(&residual, &scaled);
        let enough = (first * first.clamp(1e-8, 1e-2)).max(ROUNDING);
        let mut size = first;
        for _ in 0..10 * diagonal.len() {
            if size <= enough {
                break;
            }
            let product = self.curvature(point, &direction);
            let curve = dot(&direction, &product);
            // No curvature is left but rounding; what was found so far leads downhill.
            if curve <= 0.0 {
                break;
            }
            let length = size / curve;
            step.iter_mut().zip(&direction).for_each(|(s, d)| *s += length * d);
            residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= length * p);
            scaled.iter_mut().zip(residual.iter().zip(&diagonal)).for_each(|(s, (r, d))| *s = r / d);
            self.balance(&mut scaled);
            let next = dot(&residual, &scaled);
            direction.iter_mut().zip(&scaled).for_each(|(d, s)| *d = s + next / size * *d);
            size = next;
        }
        (step, first)
    }

    /// Halves the step until the objective falls by enough of what its slope promises. Near the minimum rounding hides
    /// the fall; there it counts that the slope has become flat.
    fn line_search(&self, theta: &[f64], scores: &[f64], step: &[f64], here: (f64, f64)) -> Option<f64> {
        let (value, decrement) = here;
        let along = self.scores_at(step);
        (0..60).map(|halvings| 0.5_f64.powi(halvings)).find(|length| {
            let moved: Vec<f64> = theta.iter().zip(step).map(|(t, s)| t + length * s).collect();
            let mut rows: Vec<f64> = scores.iter().zip(&along).map(|(z, u)| z + length * u).collect();
            let there = self.residuals(&mut rows) + self.penalty_at(&moved);
            let weights = theta.len() - self.scores;
            let slope = dot(&rows, &along) + self.penalty * dot(&moved[..weights], &step[..weights]);
            there <= value - 1e-4 * length * decrement
                || there <= value * (1.0 + 1e-6) && slope.abs() <= 0.1 * decrement
        })
    }

    /// Weights class after class; of two classes the first has zeros.
    fn by_class(&self, theta: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let columns = self.features.means.len();
        let (weights, intercepts) = theta.split_at(columns * self.scores);
        if self.scores == 1 {
            return ([vec![0.0; columns], weights.to_vec()].concat(), vec![0.0, intercepts[0]]);
        }
        let classes = 0..self.scores;
        let by_class = classes.flat_map(|class| weights.iter().skip(class).step_by(self.scores)).copied();
        (by_class.collect(), intercepts.to_vec())
    }
}

fn not_converged() -> Error {
    let why = "logistic regression did not converge: rescale the features (they may be too large), or give a smaller C";
    Error::Surrogate(why.to_owned())
}
