//! Sums that are exact until they are rounded once, by Shewchuk's expansions: the running sum is kept as parts that do
//! not overlap, so that no bit is lost on the way.

use super::error::{Error, SUMMED, checked};

/// The mean.
///
/// The sum is exact, so that the order of the values does not matter:
///
/// ```
/// use labelwise_paper::statistics::mean;
/// assert_eq!(mean(&[1e100, 3.0, -1e100])?, 1.0);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
///
/// # Errors
/// If there are no values, or one of them is not finite.
pub fn mean(values: &[f64]) -> Result<f64, Error> {
    Ok(mean_of(checked("the sample of a mean", values, SUMMED)?))
}

/// The mean of values that are known to be finite, of which there is at least one.
pub(super) fn mean_of(values: &[f64]) -> f64 {
    sum(values.iter().copied()) / values.len() as f64
}

/// The float nearest to the exact sum. None of the values may be infinite, nor may any partial sum.
pub(super) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    // Smallest first, none of them overlapping: rarely more than three.
    let mut parts: Vec<f64> = Vec::with_capacity(8);
    for value in values {
        let mut carried = value;
        parts.retain_mut(|part| {
            let (total, lost) = add_exactly(carried, *part);
            carried = total;
            *part = lost;
            lost != 0.0
        });
        parts.push(carried);
    }
    round(&parts)
}

/// a + b rounded, and what the rounding lost.
fn add_exactly(a: f64, b: f64) -> (f64, f64) {
    let (large, small) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let total = large + small;
    (total, small - (total - large))
}

/// The sum of parts that do not overlap, rounded once.
fn round(parts: &[f64]) -> f64 {
    let mut below = parts.iter().rev();
    let mut total = below.next().copied().unwrap_or(0.0);
    for &part in below.by_ref() {
        let (rounded, lost) = add_exactly(total, part);
        total = rounded;
        if lost != 0.0 {
            // What was lost may be just half of the last bit, which was rounded to even; the parts below then say to
            // which side the sum really lies.
            let next = below.next().copied().unwrap_or(0.0);
            let nudged = total + 2.0 * lost;
            let same_side = (lost > 0.0 && next > 0.0) || (lost < 0.0 && next < 0.0);
            if same_side && nudged - total == 2.0 * lost {
                total = nudged;
            }
            break;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::{mean, sum};

    #[test]
    fn sums_are_exact() {
        assert_eq!(sum([]), 0.0);
        assert_eq!(sum([0.1; 10]), 1.0);
        assert_eq!(sum([1e16, 1.0, -1e16, 1e-16]), 1.0);
        let small = f64::EPSILON / 2.0;
        // Half of the last bit goes to the even neighbour, and anything more goes up.
        assert_eq!(sum([1.0, small]), 1.0);
        assert_eq!(sum([1.0, small, 1e-40]), 1.0 + f64::EPSILON);
        assert_eq!(sum([1.0, small, -1e-40]), 1.0);
        assert_eq!(sum([1.0 + f64::EPSILON, small, -1e-40]), 1.0 + f64::EPSILON);
        assert_eq!(sum([1.0 + f64::EPSILON, small, 1e-40]), 1.0 + 2.0 * f64::EPSILON);
    }

    #[test]
    fn order_does_not_matter() {
        let mut values: Vec<f64> = (1..=2000).map(|i| (f64::from(i) * 0.7).sin().powi(9) * 1e3).collect();
        let forwards = mean(&values).unwrap();
        values.reverse();
        assert_eq!(forwards, mean(&values).unwrap());
        values.sort_by(f64::total_cmp);
        assert_eq!(forwards, mean(&values).unwrap());
        // A plain sum does depend on it, or this test would show nothing.
        let plain: f64 = values.iter().sum();
        let reversed: f64 = values.iter().rev().sum();
        assert_ne!(plain, reversed);
    }
}
