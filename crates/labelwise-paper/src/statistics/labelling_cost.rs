//! How many labels reach an error, and the relative labelling cost of the paper (figure 6 b, and MNIST in the appendix).
//!
//! A curve is the size of the error after 1, 2, ... labels: medians or means of squared errors, or standard deviations.
//! Curves of finitely many runs go up here and there, and then an error is reached more than once. What counts is the
//! first time: the curve is read as the least error so far, which never goes up.

use super::error::{Error, SUMMED, checked};

/// After how many labels a curve is first at `value` or below. None if it never is.
///
/// ```
/// use labelwise_paper::statistics::first_below;
/// let std_dev = [0.9, 0.5, 0.3, 0.35, 0.1];
/// assert_eq!(first_below(&std_dev, 0.4), Some(3));
/// assert_eq!(first_below(&std_dev, 0.05), None);
/// ```
pub fn first_below(curve: &[f64], value: f64) -> Option<usize> {
    curve.iter().position(|&error| error <= value).map(|place| place + 1)
}

/// The relative labelling cost at M = 1, 2, ... uniform labels: "the proportion of actively chosen points needed to get
/// the same performance as naive uniform sampling". 0.25 means that a quarter of the labels does.
///
/// The number of active labels is where the line through the active curve's least errors so far first comes down to the
/// least error that uniform sampling has reached with M labels; it is never less than 1, since nothing is known of no
/// labels. It is divided by the number of uniform labels that first reached that error. This is M wherever the uniform
/// curve is at a new low; elsewhere M would count it as a saving that the uniform curve went up by chance, and two
/// curves that are equal would not cost the same. None where the active curve does not come down so far.
///
/// ```
/// use labelwise_paper::statistics::relative_labelling_cost;
/// let uniform = [8.0, 4.0, 2.0, 1.0];
/// let active = [6.0, 2.0, 1.5];
/// let cost = relative_labelling_cost(&active, &uniform)?;
/// assert_eq!(cost, [Some(1.0), Some(1.5 / 2.0), Some(2.0 / 3.0), None]);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
///
/// # Errors
/// If a curve is empty, or has a value that is negative or not finite.
pub fn relative_labelling_cost(active: &[f64], uniform: &[f64]) -> Result<Vec<Option<f64>>, Error> {
    let active = least_so_far("the active curve", active)?;
    let uniform = least_so_far("the uniform curve", uniform)?;
    let mut labels = 1;
    let mut reached = uniform.first().copied().unwrap_or_default();
    let mut costs = Vec::with_capacity(uniform.len());
    for (place, &error) in uniform.iter().enumerate() {
        if error < reached {
            (labels, reached) = (place + 1, error);
        }
        costs.push(labels_to_reach(&active, reached).map(|needed| needed / labels as f64));
    }
    Ok(costs)
}

/// The relative labelling cost as the authors' code counts it, at m = 1, 2, ... active labels: m over the first number of
/// uniform labels whose error is that of m active labels or less. None where uniform sampling does not get so far.
///
/// ```
/// use labelwise_paper::statistics::authors_labelling_cost;
/// let (uniform, active) = ([8.0, 4.0, 2.0, 1.0], [6.0, 2.0, 0.5]);
/// assert_eq!(authors_labelling_cost(&active, &uniform)?, [Some(0.5), Some(2.0 / 3.0), None]);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
///
/// # Errors
/// If a curve is empty, or has a value that is not finite.
pub fn authors_labelling_cost(active: &[f64], uniform: &[f64]) -> Result<Vec<Option<f64>>, Error> {
    let active = checked("the active curve", active, SUMMED)?;
    let uniform = checked("the uniform curve", uniform, SUMMED)?;
    let cost =
        |(&error, m): (&f64, usize)| first_below(uniform, error).map(|labels| m as f64 / labels as f64);
    Ok(active.iter().zip(1..).map(cost).collect())
}

/// The curve's least value so far, at each number of labels.
fn least_so_far(what: &'static str, curve: &[f64]) -> Result<Vec<f64>, Error> {
    let curve = checked(what, curve, SUMMED)?;
    if let Some((place, &value)) = curve.iter().enumerate().find(|(_, value)| **value < 0.0) {
        return Err(Error::Negative { what, labels: place + 1, value });
    }
    let lowest = curve.iter().scan(f64::INFINITY, |least, &value| {
        *least = value.min(*least);
        Some(*least)
    });
    Ok(lowest.collect())
}

/// Where a curve that never goes up first comes down to `error`, on straight lines between the numbers of labels.
fn labels_to_reach(curve: &[f64], error: f64) -> Option<f64> {
    let place = curve.partition_point(|&value| value > error);
    let after = *curve.get(place)?;
    let Some(&before) = place.checked_sub(1).and_then(|previous| curve.get(previous)) else {
        return Some(1.0);
    };
    // Place counts from 0, labels from 1: the value before is that of `place` labels.
    Some(place as f64 + (before - error) / (before - after))
}
