//! Quantiles, by the linear interpolation that NumPy has, and an interval for the median.

use super::error::{Error, SUMMED, checked};
use statrs::distribution::{Binomial, DiscreteCDF};

/// A sample in ascending order, for more than one quantile of it.
///
/// ```
/// use labelwise_paper::statistics::Ordered;
/// let squares = Ordered::new(vec![9.0, 1.0, 4.0, 16.0])?;
/// assert_eq!(squares.median(), 6.5);
/// assert_eq!(squares.quantile(0.25)?, 3.25);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ordered(Vec<f64>);

/// The quantile of a sample at a share from 0 to 1, as [`Ordered::quantile`] has it.
///
/// ```
/// use labelwise_paper::statistics::quantile;
/// assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.75)?, 2.5);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
///
/// # Errors
/// If there are no values, one of them is not finite, or the share is not from 0 to 1.
pub fn quantile(values: &[f64], share: f64) -> Result<f64, Error> {
    Ordered::new(values.to_vec())?.quantile(share)
}

/// The median of a sample: its middle value, or midway between the two.
///
/// ```
/// use labelwise_paper::statistics::median;
/// assert_eq!(median(&[4.0, 1.0, 2.0, 3.0])?, 2.5);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
///
/// # Errors
/// If there are no values, or one of them is not finite.
pub fn median(values: &[f64]) -> Result<f64, Error> {
    Ok(Ordered::new(values.to_vec())?.median())
}

impl Ordered {
    /// Puts the values in order.
    ///
    /// # Errors
    /// If there are no values, or one of them is not finite.
    pub fn new(mut values: Vec<f64>) -> Result<Self, Error> {
        checked("the sample of a quantile", &values, SUMMED)?;
        values.sort_unstable_by(f64::total_cmp);
        Ok(Self(values))
    }

    /// The values, in ascending order.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The quantile at a share from 0 to 1: the values stand evenly from 0 to 1, and between two of them it is on the
    /// straight line.
    ///
    /// # Errors
    /// If the share is not from 0 to 1.
    pub fn quantile(&self, share: f64) -> Result<f64, Error> {
        if (0.0..=1.0).contains(&share) { Ok(self.at(share)) } else { Err(Error::Share { share }) }
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.at(0.5)
    }

    /// The quantile at a share that is known to be from 0 to 1.
    pub(super) fn at(&self, share: f64) -> f64 {
        let place = share * (self.0.len() - 1) as f64;
        let below = self.get(place as usize);
        let above = self.get(place.ceil() as usize);
        // From the nearer end, so that the quantile never decreases as the share grows.
        match place.fract() {
            part if part < 0.5 => below + (above - below) * part,
            part => above - (above - below) * (1.0 - part),
        }
    }

    fn get(&self, place: usize) -> f64 {
        // A sample is never empty, and a share of at most 1 stays within.
        self.0.get(place).or(self.0.last()).copied().unwrap_or_default()
    }

    /// Two of the values, between which the median of what the sample is drawn from lies with a probability of at
    /// least `level`, whatever is drawn from. How many values fall below that median is binomial. None where not even
    /// the least and the greatest value are far enough apart, as with five values or fewer at 95 %.
    pub(super) fn median_interval(&self, level: f64) -> Option<(f64, f64)> {
        let size = self.0.len();
        let fair = Binomial::new(0.5, size as u64).ok()?;
        let tail = (1.0 - level) / 2.0;
        // `outside` values are left out on each side: as many as a tail allows.
        let (mut outside, mut too_many) = (0, size.div_ceil(2));
        if fair.cdf(0) > tail {
            return None;
        }
        while too_many - outside > 1 {
            let middle = usize::midpoint(outside, too_many);
            let fits = fair.cdf(middle as u64) <= tail;
            *(if fits { &mut outside } else { &mut too_many }) = middle;
        }
        Some((self.get(outside), self.get(size - 1 - outside)))
    }
}
