//! k(x, x'): how alike the labels of two inputs are, before any label is seen.

use labelwise::numerics::{LOWEST, exponential};
use labelwise::task::Table;
use labelwise::{Error, Matrix, Result};

/// A stationary covariance function: a family, a length scale and a signal variance.
///
/// ```
/// use labelwise_models::{Family, Kernel};
/// let smooth = Kernel::new(Family::Rbf, 0.2, 4.0)?;
/// let three_features = Kernel::new(Family::Matern52, vec![1.0, 0.1, 10.0], 1.0)?;
/// assert!(Kernel::new(Family::Rbf, -1.0, 1.0).is_err());
/// # assert_eq!((smooth.variance(), three_features.family()), (4.0, Family::Matern52));
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    family: Family,
    length_scale: LengthScale,
    variance: f64,
}

/// How smooth functions are, from rough to infinitely often differentiable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Matérn with ν = 1/2: continuous only.
    Matern12,
    /// Matérn with ν = 3/2: differentiable once. The paper's.
    Matern32,
    /// Matérn with ν = 5/2: differentiable twice.
    Matern52,
    /// The squared exponential, also called radial basis function.
    Rbf,
}

/// The distance over which labels stop being alike.
#[derive(Debug, Clone, PartialEq)]
pub enum LengthScale {
    /// The same for every feature.
    Shared(f64),
    /// One per feature.
    PerFeature(Vec<f64>),
}

impl From<f64> for LengthScale {
    fn from(scale: f64) -> Self {
        Self::Shared(scale)
    }
}

impl From<Vec<f64>> for LengthScale {
    fn from(scales: Vec<f64>) -> Self {
        Self::PerFeature(scales)
    }
}

impl LengthScale {
    /// The scales: a single one when they are shared.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Shared(scale) => std::slice::from_ref(scale),
            Self::PerFeature(scales) => scales,
        }
    }
}

impl Kernel {
    /// A kernel with one length scale (a number) or one per feature (a vector of them), and k(x, x) = `variance`.
    pub fn new(family: Family, length_scale: impl Into<LengthScale>, variance: f64) -> Result<Self> {
        let length_scale = length_scale.into();
        let above_zero = |name, value: f64| {
            // Within this range, reciprocals and sums are finite.
            if (1e-300..=1e300).contains(&value) {
                return Ok(());
            }
            Err(Error::Option { name, value, range: "above 0 (from 1e-300 to 1e300)" })
        };
        if length_scale.values().is_empty() {
            let expected = "at least 1".to_owned();
            return Err(Error::Columns {
                what: Table::Other("the kernel's length scales"),
                columns: 0,
                expected,
            });
        }
        length_scale.values().iter().try_for_each(|&scale| above_zero("the kernel's length scale", scale))?;
        above_zero("the kernel's variance", variance)?;
        Ok(Self { family, length_scale, variance })
    }

    /// The paper's: Matérn 3/2 with length scale 1 and variance 1.
    pub fn paper() -> Self {
        Self { family: Family::Matern32, length_scale: LengthScale::Shared(1.0), variance: 1.0 }
    }

    /// The same family with other values, which the search keeps within its bounds.
    pub(super) fn rescaled(&self, length_scale: LengthScale, variance: f64) -> Self {
        Self { family: self.family, length_scale, variance }
    }

    /// Its family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Its length scale or scales.
    pub fn length_scale(&self) -> &LengthScale {
        &self.length_scale
    }

    /// k(x, x), the signal variance.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// k(a_i, b_j), with one row per row of `a`.
    ///
    /// ```
    /// use labelwise::Matrix;
    /// let points = Matrix::f64(vec![0.0, 1.0, 3.0], 1)?;
    /// let covariances = labelwise_models::Kernel::paper().covariances(&points, &points)?;
    /// assert_eq!(covariances.reader().row(0)[0], 1.0);
    /// assert!(covariances.reader().row(0)[2] < covariances.reader().row(0)[1]);
    /// # Ok::<(), labelwise::Error>(())
    /// ```
    pub fn covariances(&self, a: &Matrix, b: &Matrix) -> Result<Matrix> {
        check_features(Table::Other("the first features"), a, self, None)?;
        check_features(
            Table::Other("the second features"),
            b,
            self,
            Some((a.columns(), "the first features")),
        )?;
        let (mut from, mut to) = (a.reader(), b.reader());
        let to = to.rows(0..b.rows()).values();
        let mut values = vec![0.0; a.rows() * b.rows()];
        for (row, out) in values.chunks_exact_mut(b.rows().max(1)).enumerate() {
            self.row(from.row(row), to, out);
        }
        Matrix::f64(values, b.rows())
    }

    /// k(point, x_j) for rows x_j that lie one after the other.
    pub(super) fn row(&self, point: &[f64], others: &[f64], out: &mut [f64]) {
        let others_by_row = others.chunks_exact(point.len().max(1));
        match (&self.length_scale, point) {
            // The paper's inputs are numbers; this loop fills vector registers.
            (LengthScale::Shared(scale), &[x]) => {
                let inverse = scale.recip();
                out.iter_mut().zip(others).for_each(|(out, other)| *out = square((x - other) * inverse));
            }
            (LengthScale::Shared(scale), _) => {
                let inverse = scale.recip();
                for (out, other) in out.iter_mut().zip(others_by_row) {
                    *out = point.iter().zip(other).map(|(a, b)| square((a - b) * inverse)).sum();
                }
            }
            (LengthScale::PerFeature(scales), _) => {
                for (out, other) in out.iter_mut().zip(others_by_row) {
                    *out = point.iter().zip(other).zip(scales).map(|((a, b), l)| square((a - b) / l)).sum();
                }
            }
        }
        self.of_squared_distances(out);
    }

    /// Turns squared distances, in length scales, into covariances.
    fn of_squared_distances(&self, values: &mut [f64]) {
        let variance = self.variance;
        match self.family {
            Family::Matern12 => values.iter_mut().for_each(|s| *s = variance * decay(s.sqrt())),
            Family::Matern32 => values.iter_mut().for_each(|s| {
                let a = near((3.0 * *s).sqrt());
                *s = variance * ((1.0 + a) * decay(a));
            }),
            Family::Matern52 => values.iter_mut().for_each(|s| {
                let a = near((5.0 * *s).sqrt());
                *s = variance * ((1.0 + a + a * a / 3.0) * decay(a));
            }),
            Family::Rbf => values.iter_mut().for_each(|s| *s = variance * decay(0.5 * *s)),
        }
    }

    /// -2 dk/ds at the squared distance s, so that ∂k/∂log l_d is this times the d-th feature's share of s.
    pub(super) fn slope(&self, s: f64) -> f64 {
        let unit = match self.family {
            // The kernel has a kink at 0; what this is multiplied by is 0 there.
            Family::Matern12 if s == 0.0 => 0.0,
            Family::Matern12 => decay(s.sqrt()) / s.sqrt(),
            Family::Matern32 => 3.0 * decay((3.0 * s).sqrt()),
            Family::Matern52 => {
                let a = near((5.0 * s).sqrt());
                5.0 / 3.0 * (1.0 + a) * decay(a)
            }
            Family::Rbf => decay(0.5 * s),
        };
        self.variance * unit
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// Distances end where the exponential does; an infinite one times e^-∞ would be NaN.
#[inline(always)]
fn near(distance: f64) -> f64 {
    distance.min(-LOWEST)
}

/// e^-distance.
#[inline(always)]
fn decay(distance: f64) -> f64 {
    exponential(-near(distance))
}

/// Refuses features that are not finite, or not as many as the kernel and the other table have.
pub(super) fn check_features(
    what: Table,
    features: &Matrix,
    kernel: &Kernel,
    other: Option<(usize, &str)>,
) -> Result<()> {
    let columns = features.columns();
    if let Some((other, whose)) = other.filter(|(other, _)| *other != columns) {
        return Err(Error::Columns { what, columns, expected: format!("{other} (as in {whose})") });
    }
    if let LengthScale::PerFeature(scales) = &kernel.length_scale
        && scales.len() != columns
    {
        let expected = format!("{} (one for each length scale of the kernel)", scales.len());
        return Err(Error::Columns { what, columns, expected });
    }
    let mut reader = features.reader();
    for item in 0..features.rows() {
        let row = reader.row(item).iter().enumerate();
        if let Some((column, &value)) = row.into_iter().find(|(_, value)| !value.is_finite()) {
            return Err(Error::NotFinite { what, item, column, value });
        }
    }
    Ok(())
}
