use labelwise::Seed;
use labelwise::rng::Stream;
use labelwise::surrogate::Model;

use super::{column, data};
use crate::gp::normal::standard_normal;
use crate::gp::{FittedProcess, GaussianProcess};

/// How many draws a test takes.
const DRAWS: usize = 20_000;

/// Means and covariances of draws are within five of their standard errors. Of 20 entries, one is beyond in 12 of a
/// million seeds.
#[track_caller]
fn check_moments(
    means: &[f64],
    covariance: impl Fn(usize, usize) -> f64,
    mut draw: impl FnMut() -> Vec<f64>,
) {
    let size = means.len();
    let (mut sums, mut products) = (vec![0.0; size], vec![0.0; size * size]);
    for _ in 0..DRAWS {
        let centred: Vec<f64> = draw().iter().zip(means).map(|(value, mean)| value - mean).collect();
        for i in 0..size {
            sums[i] += centred[i];
            (0..=i).for_each(|j| products[i * size + j] += centred[i] * centred[j]);
        }
    }
    let count = DRAWS as f64;
    for i in 0..size {
        let error = (covariance(i, i) / count).sqrt();
        assert!((sums[i] / count).abs() < 5.0 * error, "mean {i} is off by {}", sums[i] / count);
        for j in 0..=i {
            let error = ((covariance(i, i) * covariance(j, j) + covariance(i, j).powi(2)) / count).sqrt();
            let off = products[i * size + j] / count - covariance(i, j);
            assert!(off.abs() < 5.0 * error, "covariance ({i}, {j}) is off by {off}");
        }
    }
}

fn fitted(jitter: f64) -> FittedProcess {
    let process = GaussianProcess { prior_mean: 0.7, jitter, ..GaussianProcess::paper() };
    FittedProcess::new(process, &data(&[0.0, 1.0], &[0.2, 1.5])).unwrap()
}

#[test]
fn normal_numbers_are_normal() {
    let mut rng = Seed(3).stream(Stream::Data, 0);
    let numbers: Vec<f64> = (0..DRAWS).map(|_| standard_normal(&mut rng)).collect();
    check_moments(&[0.0], |_, _| 1.0, || vec![standard_normal(&mut rng)]);
    // The largest distance of the distribution function from the normal one at a few places, where it is known. Five
    // standard errors of at most 0.5 / √20,000: wrong in 3 of a million seeds.
    for (place, below) in
        [(-2.0, 0.022_750_13), (-1.0, 0.158_655_25), (0.0, 0.5), (0.5, 0.691_462_46), (3.0, 0.998_650_1)]
    {
        let found = numbers.iter().filter(|number| **number < place).count() as f64 / DRAWS as f64;
        assert!((found - below).abs() < 5.0 * 0.5 / (DRAWS as f64).sqrt(), "{found} are below {place}");
    }
}

#[test]
fn draws_of_the_prior_have_its_covariance() {
    let x = column([0.1, 0.3, 0.35, 0.9, 2.0]);
    let process = GaussianProcess { prior_mean: 0.7, ..GaussianProcess::paper() };
    let covariances = process.kernel.covariances(&x, &x).unwrap();
    let mut rng = Seed(20).stream(Stream::Data, 0);
    let draw = || process.draw_prior(&x, &mut rng).unwrap();
    check_moments(&[0.7; 5], |i, j| covariances.reader().row(i)[j], draw);
}

#[test]
fn draws_of_the_posterior_have_its_mean_and_covariance() {
    let x = column([0.1, 0.3, 0.35, 0.9, 2.0]);
    let fitted = fitted(0.0);
    let beliefs = fitted.predict(&x).unwrap();
    let means: Vec<f64> = (0..5).map(|item| beliefs.reader().row(item)[0]).collect();
    // Conditional on two labels, by the inverse of a 2 x 2 matrix.
    let kernel = &fitted.process().kernel;
    let (labelled, own) = (column([0.0, 1.0]), kernel.covariances(&x, &x).unwrap());
    let (across, among) =
        (kernel.covariances(&x, &labelled).unwrap(), kernel.covariances(&labelled, &labelled).unwrap());
    let (one, rho) = (among.reader().row(0)[0], among.reader().row(0)[1]);
    let covariance = |i: usize, j: usize| {
        let ([a, b], [c, d]) = (pair(across.reader().row(i)), pair(across.reader().row(j)));
        own.reader().row(i)[j] - (one * (a * c + b * d) - rho * (a * d + b * c)) / (one * one - rho * rho)
    };
    let mut rng = Seed(21).stream(Stream::Data, 0);
    check_moments(&means, covariance, || fitted.draw_posterior(&x, &mut rng).unwrap());
}

fn pair(row: &[f64]) -> [f64; 2] {
    [row[0], row[1]]
}

#[test]
fn draws_go_through_the_labels_and_repeat_where_features_do() {
    for jitter in [0.0, 1e-10] {
        let x = column([0.5, 0.0, 0.5, 1.0]);
        let draw = fitted(jitter).draw_posterior(&x, &mut Seed(1).stream(Stream::Data, 0)).unwrap();
        let slack = 6.0 * f64::sqrt(jitter + 1e-12);
        for (value, expected) in [(draw[1], 0.2), (draw[2], draw[0]), (draw[3], 1.5)] {
            assert!((value - expected).abs() < slack, "{draw:?} with jitter {jitter}");
        }
    }
}

/// Literal draws: changing them changes the data of experiments.
#[test]
fn draws_are_stable() {
    let x = column((0..4).map(|i| f64::from(i) / 3.0));
    let draw = GaussianProcess::paper().draw_prior(&x, &mut Seed(7).stream(Stream::Data, 0)).unwrap();
    insta::assert_snapshot!(format!("{draw:.12?}"), @"[-1.503884500190, -1.251362823682, -1.183282862018, -1.577280939669]");
}
