//! The loss law: moments are expectations of the loss under the belief, and bounds bound it.

use labelwise::loss::{
    AbsoluteError, Bounds, Brier, ClassWorths, CostMatrix, Custom, Decision, ExpectedLosses, GaussianNll,
    LabelValue, Loss, Misjudged, Moments, Pinball, ZeroOne,
};
use labelwise::task::{Gaussian, GaussianBelief};
use labelwise::{Classification, CrossEntropy, Matrix, Regression, SquaredError};

use crate::pools::{assert_close, gaussian, pool, probabilities};

fn classification_losses() -> Vec<Box<dyn Loss<Classification>>> {
    let costs = Matrix::f64(vec![0.0, 1.0, 5.0, 2.0, -1.0, 0.5, 3.0, 1.0, 0.0], 3).unwrap();
    vec![
        Box::new(CrossEntropy::default()),
        Box::new(CrossEntropy::with_epsilon(0.01).unwrap()),
        Box::new(ZeroOne),
        Box::new(Misjudged(Decision::threshold(1, 0.3).unwrap())),
        Box::new(Brier),
        Box::new(CostMatrix::new(&costs).unwrap()),
        Box::new(Custom::non_negative(|f: &[f64], y: usize| (1.0 - f[y]).sqrt())),
        Box::new(ClassWorths::rate(2, 3)),
        Box::new(ClassWorths::new(vec![1.0, 0.5, -2.0]).unwrap()),
    ]
}

#[test]
fn class_moments_are_sums_over_the_classes() {
    let (mut predictions, mut beliefs) = (probabilities(40, 3, 1), probabilities(40, 3, 2));
    predictions.extend([1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    beliefs.extend([0.2, 0.3, 0.5, 0.0, 1.0, 0.0]);
    for loss in classification_losses() {
        for (f, pi) in predictions.chunks(3).zip(beliefs.chunks(3)) {
            let each: Vec<f64> = (0..3).map(|y| loss.loss(f, y)).collect();
            let moments = loss.moments(f, pi);
            assert_close(moments.first, pi.iter().zip(&each).map(|(p, l)| p * l).sum(), 1e-12, loss.name());
            assert_close(
                moments.second,
                pi.iter().zip(&each).map(|(p, l)| p * l * l).sum(),
                1e-12,
                loss.name(),
            );
            let Bounds { low, high } = loss.bounds(f).unwrap();
            assert_close(low, each.iter().copied().fold(f64::INFINITY, f64::min), 1e-12, loss.name());
            assert_close(high, each.iter().copied().fold(f64::NEG_INFINITY, f64::max), 1e-12, loss.name());
            if let Some(range) = loss.range() {
                assert!(range.low <= low && high <= range.high, "{}: {low} to {high}", loss.name());
            }
        }
    }
}

#[test]
fn a_run_of_items_is_each_of_them() {
    let (pool, beliefs) = (pool(700, 3), Matrix::f64(probabilities(700, 3, 2), 3).unwrap());
    for loss in classification_losses() {
        let mut together = ExpectedLosses::new(700);
        let (mut predictions, mut beliefs) = (pool.predictions().reader(), beliefs.reader());
        loss.expected_losses(predictions.rows(0..700), beliefs.rows(0..700), &mut together);
        for item in 0..700 {
            let (f, pi) = (predictions.row(item).to_vec(), beliefs.row(item).to_vec());
            // To the last bit: the draws depend on it.
            let Moments { first, second } = loss.moments(&f, &pi);
            let expected = (together.first[item], together.second[item]);
            assert_eq!(expected, (first, second), "{} of item {item}", loss.name());
            let bounds = Bounds { low: together.low[item], high: together.high[item] };
            assert_eq!(Some(bounds), loss.bounds(&f), "{} of item {item}", loss.name());
        }
    }
}

#[test]
fn cross_entropy_is_clipped_and_renormalised() {
    let loss = CrossEntropy::default();
    let clipped = [1.0 - 1e-15, 1e-15, 1e-15];
    let sum: f64 = clipped.iter().sum();
    assert_close(loss.loss(&[1.0, 0.0, 0.0], 1), -(1e-15 / sum).ln(), 1e-14, "a confident miss");
    assert!(loss.loss(&[1.0, 0.0, 0.0], 0) >= 0.0);
    // Rows that sum to a little more than one are divided by their sum.
    assert_close(loss.loss(&[0.5004, 0.25, 0.25], 0), -(0.5004_f64 / 1.0004).ln(), 1e-14, "a sloppy row");
}

#[test]
fn the_model_as_surrogate_gives_predictive_entropy() {
    for f in probabilities(20, 5, 3).chunks(5) {
        let entropy: f64 = -f.iter().map(|p| p * p.ln()).sum::<f64>();
        assert_close(CrossEntropy::default().moments(f, f).first, entropy, 1e-12, "entropy");
    }
}

/// E[h(y)] for y ~ N(mean, variance), by a fine sum over ±12 standard deviations.
fn integral(belief: GaussianBelief, h: impl Fn(f64) -> f64) -> f64 {
    let (steps, width) = (200_000, 24.0 / 200_000.0);
    (0..steps)
        .map(|step| {
            let z = -12.0 + (f64::from(step) + 0.5) * width;
            let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
            width * density * h(belief.mean + belief.variance.sqrt() * z)
        })
        .sum()
}

#[test]
fn gaussian_moments_are_integrals() {
    let smooth = Custom::non_negative(|f: Gaussian, y: f64| (f.mean - y).cosh().ln());
    let losses: [(&dyn Loss<Regression>, f64); 7] = [
        (&SquaredError::default(), 1e-8),
        (&AbsoluteError::default(), 1e-8),
        (&GaussianNll::default(), 1e-8),
        (&Pinball::new(0.5).unwrap(), 1e-8),
        (&Pinball::new(0.9).unwrap(), 1e-8),
        (&Pinball::new(0.001).unwrap(), 1e-8),
        (&smooth, 1e-3),
    ];
    for (loss, tolerance) in losses {
        for (mean, variance) in [(0.0, 1.0), (0.7, 0.04), (-2.0, 3.0), (1.0, 0.0)] {
            let (f, belief) = (gaussian(0.7), GaussianBelief { mean, variance, epistemic: None });
            let moments = loss.moments(f, belief);
            assert_close(moments.first, integral(belief, |y| loss.loss(f, y)), tolerance, loss.name());
            assert_close(
                moments.second,
                integral(belief, |y| loss.loss(f, y).powi(2)),
                tolerance,
                loss.name(),
            );
        }
    }
}

#[test]
fn label_ranges_bound_regression_losses() {
    let losses: [Box<dyn Loss<Regression>>; 6] = [
        Box::new(LabelValue::within(-1.0, 2.0).unwrap()),
        Box::new(SquaredError::with_label_range(-1.0, 2.0).unwrap()),
        Box::new(AbsoluteError::with_label_range(-1.0, 2.0).unwrap()),
        Box::new(GaussianNll::with_label_range(-1.0, 2.0).unwrap()),
        Box::new(Pinball::with_label_range(0.9, -1.0, 2.0).unwrap()),
        Box::new(Pinball::with_label_range(0.2, -1.0, 2.0).unwrap()),
    ];
    for loss in losses {
        for f in [-3.0, -0.5, 0.4, 1.9, 5.0].map(gaussian) {
            let Bounds { low, high } = loss.bounds(f).unwrap();
            let each: Vec<f64> = (0..=3000).map(|step| loss.loss(f, -1.0 + f64::from(step) * 1e-3)).collect();
            assert_close(each.iter().copied().fold(f64::INFINITY, f64::min), low, 1e-5, loss.name());
            assert_close(each.iter().copied().fold(f64::NEG_INFINITY, f64::max), high, 1e-12, loss.name());
        }
    }
    assert_eq!(SquaredError::default().bounds(gaussian(0.0)), None);
}

#[test]
fn pinball_at_one_half_is_half_the_absolute_error() {
    let (half, absolute) = (Pinball::new(0.5).unwrap(), AbsoluteError::default());
    for mean in [-40.0, -2.0, 0.0, 0.7, 3.0, 1e6] {
        for variance in [0.0, 1e-12, 0.04, 1.0, 900.0] {
            let (f, belief) = (gaussian(0.7), GaussianBelief { mean, variance, epistemic: None });
            assert_eq!(half.loss(f, mean), 0.5 * absolute.loss(f, mean));
            let (one, other) = (half.moments(f, belief), absolute.moments(f, belief));
            assert_close(one.first, 0.5 * other.first, 1e-14 * other.first.max(1.0), "first");
            assert_close(one.second, 0.25 * other.second, 1e-14 * other.second.max(1.0), "second");
        }
    }
}

/// Turned about, a quantile is that of the level 1 − τ: one tail is as exact as the other.
#[test]
fn pinball_moments_are_the_same_in_both_tails() {
    for level in [1e-6, 0.1, 0.5] {
        let (low, high) = (Pinball::new(level).unwrap(), Pinball::new(1.0 - level).unwrap());
        for z in [0.0, 0.5, 3.0, 8.0, 20.0, 38.0, 1e3, 1e160] {
            let belief = |mean| GaussianBelief { mean, variance: 4.0, epistemic: None };
            let one = low.moments(gaussian(0.0), belief(2.0 * z));
            let other = high.moments(gaussian(0.0), belief(-2.0 * z));
            assert_close(one.first, other.first, 1e-9 * one.first, "first");
            if z < 1e150 {
                assert_close(one.second, other.second, 1e-9 * one.second, "second");
                let slack = 1e-12 * one.second;
                assert!(one.second + slack >= one.first * one.first, "{one:?} at {z}");
            }
            // Nobody expects less than the loss at the mean: the loss is convex.
            assert!(one.first >= low.loss(gaussian(0.0), 2.0 * z), "{one:?} at {z}");
        }
    }
}

#[test]
fn a_quantile_level_lies_between_zero_and_one() {
    for level in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
        let error = Pinball::new(level).unwrap_err().to_string();
        assert!(error.contains("the quantile level") && error.contains("above 0 and below 1"), "{error}");
    }
    assert!(Pinball::with_label_range(0.5, 2.0, 1.0).is_err());
}
