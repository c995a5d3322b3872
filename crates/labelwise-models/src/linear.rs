//! Linear regression: least squares with an intercept, and optionally a ridge. The cheapest surrogate
//! π(y | x) of a regression pool that still says how sure it is.

#![allow(
    clippy::indexing_slicing,
    reason = "a kernel: it walks flat buffers whose sizes it has set itself, and rows whose widths were checked"
)]

pub(crate) mod features;

use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Error, Matrix, Regression, Result};

use features::{Centred, check_training, dot, mean, predict_rows};

/// Degrees of freedom, as a share of the rows, below which the residual variance would be rounding error.
const LEAST_FREEDOM: f64 = 1e-6;

/// Least squares with an intercept, solved by Householder reflections.
///
/// Without a ridge, p counts the intercept: p is one more than there are features. The noise is the residual variance
/// s² = RSS / (n - p), so a fit needs more rows than p; fewer are an error that says how many are needed. A feature
/// that is constant, or a linear combination of the features before it, is an error that names it.
///
/// With a ridge λ, the fit minimises RSS + λ ‖w‖² (scikit-learn's `Ridge(alpha=λ)`); the intercept is free. Any two
/// rows will do. The degrees of freedom are then n minus the trace of the hat matrix, which is p when λ vanishes.
///
/// ```
/// use labelwise::surrogate::{Data, Model};
/// use labelwise::Matrix;
/// use labelwise_models::LinearRegression;
///
/// let data = Data::new(Matrix::f64(vec![0.0, 1.0, 2.0, 3.0], 1)?, vec![1.0, 2.9, 5.1, 7.0])?;
/// let model = LinearRegression::default().learn(&data)?;
/// assert!((model.coefficients()[0] - 2.02).abs() < 1e-12);
///
/// let belief = model.predict(&Matrix::f64(vec![10.0], 1)?)?; // mean, aleatoric and epistemic variance
/// assert!((belief.reader().row(0)[0] - 21.17).abs() < 1e-12);
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinearRegression {
    /// 0 means plain least squares.
    ridge: f64,
}

impl LinearRegression {
    /// With the penalty λ ‖w‖² on the weights, not on the intercept.
    ///
    /// ```
    /// use labelwise_models::LinearRegression;
    /// assert!(LinearRegression::with_ridge(0.1).is_ok());
    /// assert!(LinearRegression::with_ridge(-0.1).is_err());
    /// ```
    pub fn with_ridge(ridge: f64) -> Result<Self> {
        if !(ridge.is_finite() && ridge > 0.0) {
            let range = "a finite number above 0 (the default is plain least squares)";
            return Err(Error::Option { name: "ridge", value: ridge, range });
        }
        Ok(Self { ridge })
    }

    /// What [`Learner::fit`] does, as the model's own type. Nothing about it is random.
    pub fn learn(&self, data: &Data<Regression>) -> Result<LinearModel> {
        let (rows, columns) = check_training(data)?;
        if let Some((item, &label)) = data.labels.iter().enumerate().find(|(_, label)| !label.is_finite()) {
            return Err(Error::LabelNotFinite { item, label });
        }
        let (what, needed) = match self.ridge > 0.0 {
            true => ("ridge regression", 2),
            false => ("linear regression without a ridge", columns + 2),
        };
        if rows < needed {
            return Err(Error::TooFewLabels { what, needed, labels: rows });
        }
        let centred = Centred::new(&data.features);
        let label_mean = mean(&data.labels);
        let (factor, coefficients) = self.solve(&data.labels, label_mean, &centred, &data.features)?;
        let residuals = centred.rows().zip(&data.labels).map(|(x, y)| y - label_mean - dot(x, &coefficients));
        // n minus the trace of X(X'X + λ)⁻¹X' and the intercept's 1.
        let shrunk = if self.ridge > 0.0 { self.ridge * inverse_square(&factor, columns) } else { 0.0 };
        let freedom = rows as f64 - 1.0 - columns as f64 + shrunk;
        if freedom < LEAST_FREEDOM * rows as f64 {
            return Err(Error::Surrogate(format!(
                "ridge regression of {rows} rows on {columns} features keeps only {freedom:e} degrees of freedom with \
                 a ridge of {}: give a larger ridge, or at least {} rows",
                self.ridge,
                columns + 2
            )));
        }
        let variance = residuals.map(|residual| residual * residual).sum::<f64>() / freedom;
        let means = centred.means;
        let model = LinearModel { rows, means, label_mean, coefficients, factor, variance };
        if model.is_finite() { Ok(model) } else { Err(too_large()) }
    }

    /// R of the centred features' QR decomposition, and the weights. The ridge is d more rows, √λ on the diagonal.
    fn solve(
        &self,
        labels: &[f64],
        mean: f64,
        centred: &Centred,
        raw: &Matrix,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let columns = centred.means.len();
        // Labels are one more column, which the reflections turn into Q'y.
        let width = columns + 1;
        let mut table = Vec::with_capacity((labels.len() + columns) * width);
        for (row, label) in centred.rows().zip(labels) {
            table.extend_from_slice(row);
            table.push(label - mean);
        }
        if self.ridge > 0.0 {
            for column in 0..columns {
                table.extend((0..width).map(|other| if other == column { self.ridge.sqrt() } else { 0.0 }));
            }
        }
        reflect(&mut table, width);
        if !table[..columns * width].iter().all(|value| value.is_finite()) {
            return Err(too_large());
        }
        self.check_rank(&table, centred, raw)?;
        let mut weights = vec![0.0; columns];
        for i in (0..columns).rev() {
            let row = &table[i * width..][..width];
            weights[i] = (row[columns] - dot(&row[i + 1..columns], &weights[i + 1..])) / row[i];
        }
        let factor = table.chunks_exact(width).take(columns).flat_map(|row| &row[..columns]).copied();
        Ok((factor.collect(), weights))
    }

    /// The ratio of R's diagonal to its column's length says how much of the column the former ones leave unexplained.
    fn check_rank(&self, table: &[f64], centred: &Centred, raw: &Matrix) -> Result<()> {
        let columns = centred.means.len();
        let tolerance = f64::EPSILON * raw.rows().max(columns) as f64;
        // Before centring: what is left of a large constant is only its rounding.
        let mut squares = vec![0.0; columns];
        let mut spreads = vec![0.0; columns];
        let mut reader = raw.reader();
        for (item, row) in centred.rows().enumerate() {
            squares.iter_mut().zip(reader.row(item)).for_each(|(sum, x)| *sum += x * x);
            spreads.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        for column in 0..columns {
            let least = tolerance * f64::sqrt(squares[column] + self.ridge);
            if table[column * (columns + 1) + column].abs() > least {
                continue;
            }
            let why = match f64::sqrt(spreads[column]) <= least {
                true => "is constant, which the intercept covers",
                false => "is a linear combination of the features before it",
            };
            let way_out = match self.ridge > 0.0 {
                true => "give a larger ridge",
                false => "give a ridge (LinearRegression::with_ridge)",
            };
            return Err(Error::Surrogate(format!("feature {column} {why}: drop it, or {way_out}")));
        }
        Ok(())
    }
}

impl Learner<Regression> for LinearRegression {
    fn fit(
        &self,
        data: &Data<Regression>,
        _columns: usize,
        _rng: &mut ChaCha8Rng,
    ) -> Result<Box<dyn Model<Regression>>> {
        Ok(Box::new(self.learn(data)?))
    }
}

/// A fitted [`LinearRegression`]. Its beliefs have three columns: the mean; the aleatoric variance s², the same for
/// every row; and the epistemic variance s² x'(X'X)⁻¹x, where x and X have the intercept's 1 (and X'X the ridge). Where
/// the line goes through every label, both variances are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    rows: usize,
    means: Vec<f64>,
    label_mean: f64,
    coefficients: Vec<f64>,
    factor: Vec<f64>,
    variance: f64,
}

impl LinearModel {
    /// One weight per feature.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The mean where every feature is 0.
    pub fn intercept(&self) -> f64 {
        self.label_mean - dot(&self.means, &self.coefficients)
    }

    /// s², the variance of the noise.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    fn is_finite(&self) -> bool {
        let numbers = [self.label_mean, self.variance];
        numbers.iter().chain(&self.means).chain(&self.coefficients).all(|number| number.is_finite())
    }
}

impl Model<Regression> for LinearModel {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        let columns = self.means.len();
        predict_rows(features, &self.means, 3, |row, belief| {
            let mean = self.label_mean + dot(row, &self.coefficients);
            // With X'X = R'R, x'(X'X)⁻¹x is the squared length of R⁻ᵀx; the intercept adds its own 1/n.
            let mut leverage = 1.0 / self.rows as f64;
            for i in 0..columns {
                let factor = &self.factor[i * columns..][..columns];
                let z = row[i] / factor[i];
                row[i + 1..].iter_mut().zip(&factor[i + 1..]).for_each(|(rest, r)| *rest -= r * z);
                leverage += z * z;
            }
            belief.copy_from_slice(&[mean, self.variance, self.variance * leverage]);
        })
    }
}

fn too_large() -> Error {
    let why = "linear regression overflowed: the features or labels are too large, rescale them";
    Error::Surrogate(why.to_owned())
}

/// Householder's reflections: all columns but the last become triangular, the last one Q' times itself. Columns are
/// walked row by row, the way they lie in memory.
fn reflect(table: &mut [f64], width: usize) {
    let mut products = vec![0.0; width];
    for pivot in 0..width - 1 {
        let below = &mut table[pivot * width..];
        let length = below.chunks_exact(width).map(|row| row[pivot] * row[pivot]).sum::<f64>().sqrt();
        if length == 0.0 {
            continue;
        }
        // The sign that adds to the diagonal instead of cancelling it.
        let diagonal = below[pivot] + length.copysign(below[pivot]);
        below[pivot] = diagonal;
        products.fill(0.0);
        for row in below.chunks_exact(width) {
            let v = row[pivot];
            products[pivot + 1..].iter_mut().zip(&row[pivot + 1..]).for_each(|(sum, x)| *sum += v * x);
        }
        // v'v / 2 is the length times the new diagonal of v.
        let half = length * diagonal.abs();
        for row in below.chunks_exact_mut(width) {
            let v = row[pivot] / half;
            row[pivot + 1..].iter_mut().zip(&products[pivot + 1..]).for_each(|(x, sum)| *x -= v * sum);
            row[pivot] = 0.0;
        }
        below[pivot] = -length.copysign(diagonal);
    }
}

/// The squared Frobenius norm of R⁻¹, which is the trace of (X'X + λ)⁻¹.
fn inverse_square(factor: &[f64], columns: usize) -> f64 {
    let mut sum = 0.0;
    let mut z = vec![0.0; columns];
    for unit in 0..columns {
        z.fill(0.0);
        z[unit] = 1.0;
        for i in unit..columns {
            let row = &factor[i * columns..][..columns];
            z[i] /= row[i];
            let (solved, rest) = z.split_at_mut(i + 1);
            rest.iter_mut().zip(&row[i + 1..]).for_each(|(rest, r)| *rest -= r * solved[i]);
        }
        sum += dot(&z, &z);
    }
    sum
}
