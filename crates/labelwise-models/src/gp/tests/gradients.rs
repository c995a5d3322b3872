use crate::gp::likelihood::Likelihood;
use crate::gp::{Family, GaussianProcess, Kernel, LengthScale};

/// Central differences of the likelihood against its gradient.
#[test]
fn gradients_are_slopes() {
    let inputs: Vec<f64> = (0..30).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let labels: Vec<f64> = inputs.chunks(3).map(|x| x[0] + x[1] * x[2]).collect();
    let scales = [LengthScale::Shared(0.6), LengthScale::PerFeature(vec![0.4, 0.9, 2.0])];
    for family in [Family::Matern12, Family::Matern32, Family::Matern52, Family::Rbf] {
        for scale in &scales {
            for noise_variance in [0.0, 0.07] {
                let count = scale.values().len() + 1 + usize::from(noise_variance > 0.0);
                let at = |moved: usize, by: f64, gradient: &mut [f64]| {
                    let factor = |place: usize| if place == moved { by.exp() } else { 1.0 };
                    let values = scale.values().iter().enumerate().map(|(d, scale)| scale * factor(d));
                    let scale = match scale {
                        LengthScale::Shared(scale) => LengthScale::Shared(scale * factor(0)),
                        LengthScale::PerFeature(_) => LengthScale::PerFeature(values.collect()),
                    };
                    let place = scale.values().len();
                    let kernel = Kernel::new(family, scale, 1.3 * factor(place)).unwrap();
                    let noise_variance = noise_variance * factor(place + 1);
                    // Without this much jitter, rounding would show in the differences.
                    let process =
                        GaussianProcess { noise_variance, jitter: 1e-3, ..GaussianProcess::new(kernel) };
                    Likelihood::new(&process, &inputs, 3, &labels).minus_log_likelihood(&process, gradient)
                };
                let (mut gradient, mut unused) = (vec![0.0; count], vec![0.0; count]);
                at(0, 0.0, &mut gradient);
                for (place, slope) in gradient.iter().enumerate() {
                    let step = 1e-5;
                    let rise = at(place, step, &mut unused) - at(place, -step, &mut unused);
                    let off = (rise / (2.0 * step) - slope).abs();
                    assert!(off < 1e-6 * slope.abs().max(1.0), "{family:?} {scale:?} {place}: off by {off}");
                }
            }
        }
    }
}

/// A place repeated, or as far away as numbers go, leaves likelihood and gradient finite.
#[test]
fn gradients_are_finite_at_the_extremes() {
    let inputs = [0.0, 0.0, 1e-300, 1e300, -1e300, 1.0];
    for family in [Family::Matern12, Family::Matern32, Family::Matern52, Family::Rbf] {
        for (scale, variance) in [(1e-5, 1e5), (1.0, 1.0), (1e5, 1e-5)] {
            let process = GaussianProcess::new(Kernel::new(family, scale, variance).unwrap());
            let mut gradient = [0.0; 2];
            let labels = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
            let value =
                Likelihood::new(&process, &inputs, 1, &labels).minus_log_likelihood(&process, &mut gradient);
            assert!(value.is_finite() && gradient.iter().all(|slope| slope.is_finite()), "{family:?}");
        }
    }
}
