//! Random numbers of networks. All of them are made here from the generator of the fit, none by the device, so that equal
//! seeds give equal networks, whatever else is trained at the same time.

use labelwise::rng::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// A uniform number strictly between 0 and 1.
pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1_u64 << 52) as f64)
}

/// A whole number below `end`.
pub(crate) fn below(end: usize, rng: &mut ChaCha8Rng) -> usize {
    ((u128::from(rng.next_u64()) * end as u128) >> 64) as usize
}

/// So many standard normal numbers, by Box and Muller, who give two at a time.
pub(crate) fn normals(count: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(count + 1);
    while numbers.len() < count {
        let radius = (-2.0 * uniform(rng).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * uniform(rng)).sin_cos();
        numbers.extend([(radius * cosine) as f32, (radius * sine) as f32]);
    }
    numbers.truncate(count);
    numbers
}

/// Noise of a radial posterior over `count` weights: a direction uniform on the sphere, times a normal distance.
pub(crate) fn radial(count: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut noise = normals(count, rng);
    let distance = f64::from(normals(1, rng).first().copied().unwrap_or_default());
    let norm = noise.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    noise.iter_mut().for_each(|x| *x = (f64::from(*x) * distance / norm) as f32);
    noise
}

/// Puts things into a random order, by Fisher and Yates.
pub(crate) fn shuffle<T>(things: &mut [T], rng: &mut ChaCha8Rng) {
    for last in (1..things.len()).rev() {
        things.swap(last, below(last + 1, rng));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail loudly")]
mod tests {
    use labelwise::Seed;
    use labelwise::rng::Stream;

    use super::{normals, radial};

    /// The largest distance between the distribution of the numbers and the function; above 1.95 / √n it is by chance less
    /// than once in a thousand.
    fn distance(mut numbers: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
        numbers.sort_by(f64::total_cmp);
        let count = numbers.len() as f64;
        let distances = numbers.iter().enumerate().map(|(rank, &x)| {
            let below = distribution(x);
            (below - rank as f64 / count).abs().max((below - (rank + 1) as f64 / count).abs())
        });
        distances.fold(0.0, f64::max) * count.sqrt()
    }

    /// P(|N(0, 1)| ≤ x) = erf(x / √2), by its series.
    fn half_normal(x: f64) -> f64 {
        let x = x / 2_f64.sqrt();
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        (2.0 / std::f64::consts::PI.sqrt() * sum).clamp(0.0, 1.0)
    }

    fn samples(size: usize) -> Vec<Vec<f64>> {
        let mut rng = Seed(5).stream(Stream::Fit, 0);
        (0..4_000).map(|_| radial(size, &mut rng).into_iter().map(f64::from).collect()).collect()
    }

    fn norm(noise: &[f64]) -> f64 {
        noise.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    #[test]
    fn lengths_of_radial_noise_are_half_normal_in_any_dimension() {
        assert!((half_normal(1.0) - 0.682_689_492).abs() < 1e-9);
        for size in [1, 3, 1_000] {
            let lengths = samples(size).iter().map(|noise| norm(noise)).collect();
            let far = distance(lengths, half_normal);
            assert!(far < 1.95, "{size}: {far}");
        }
    }

    #[test]
    fn directions_of_radial_noise_are_uniform() {
        // On a sphere in three dimensions every coordinate is uniform (Archimedes), and so along any other axis.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, -0.8], [0.48, 0.6, 0.64]];
        for axis in axes {
            let samples = samples(3);
            let along = samples
                .iter()
                .map(|noise| noise.iter().zip(axis).map(|(x, a)| x * a).sum::<f64>() / norm(noise));
            let far = distance(along.collect(), |x| (x + 1.0) / 2.0);
            assert!(far < 1.95, "{axis:?}: {far}");
        }
        // The direction does not depend on the length: squares of coordinates have mean 1/D among long and short noise.
        for long in [true, false] {
            let chosen: Vec<_> =
                samples(4).into_iter().filter(|noise| (norm(noise) > 0.67) == long).collect();
            let share = |noise: &Vec<f64>| (noise.first().unwrap() / norm(noise)).powi(2);
            let mean = chosen.iter().map(share).sum::<f64>() / chosen.len() as f64;
            assert!((mean - 0.25).abs() < 0.02, "{long}: {mean}");
        }
    }

    #[test]
    fn normal_numbers_are_normal() {
        let numbers: Vec<f64> =
            normals(20_001, &mut Seed(3).stream(Stream::Fit, 0)).into_iter().map(f64::from).collect();
        assert_eq!(numbers.len(), 20_001);
        let far = distance(numbers, |x| 0.5 + 0.5 * x.signum() * half_normal(x.abs()));
        assert!(far < 1.95, "{far}");
    }
}
