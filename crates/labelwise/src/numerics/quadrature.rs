//! Gauss-Hermite quadrature: E[h(z)] for z ~ N(0, 1) as a weighted sum over nodes, exact for polynomials of degree
//! up to 2n − 1.

use std::sync::OnceLock;

/// Enough for a custom loss that is smooth on the scale of the belief, and within a few parts in a hundred for one with
/// a kink.
const NODES: usize = 40;

/// Nodes and weights of the standard normal, computed once.
pub(crate) fn standard_normal() -> &'static [(f64, f64)] {
    static RULE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    RULE.get_or_init(|| rule(NODES))
}

/// The rule with n nodes. The roots of successive Hermite polynomials interlace, so each is found by bisection
/// between two roots of the one before.
fn rule(n: usize) -> Vec<(f64, f64)> {
    let mut roots = vec![0.0];
    for degree in 2..=n {
        let edge = 2.0 * (degree as f64).sqrt() + 1.0;
        let mut fences = vec![-edge];
        fences.append(&mut roots);
        fences.push(edge);
        roots = fences.windows(2).map(|pair| bisect(degree, pair)).collect();
    }
    // The orthonormal polynomial of degree n − 1 at a node gives its weight.
    roots.iter().map(|&z| (z, 1.0 / (n as f64 * hermite(n - 1, z).powi(2)))).collect()
}

fn bisect(degree: usize, pair: &[f64]) -> f64 {
    let &[mut low, mut high] = pair else { return f64::NAN };
    let sign = hermite(degree, low).signum();
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if hermite(degree, middle).signum() == sign { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The Hermite polynomial that is orthonormal under N(0, 1).
fn hermite(degree: usize, z: f64) -> f64 {
    let (mut before, mut value) = (0.0, 1.0);
    for k in 0..degree {
        let k = k as f64;
        (before, value) = (value, (z * value - k.sqrt() * before) / (k + 1.0).sqrt());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_the_standard_normal() {
        let moment = |power: i32| -> f64 { standard_normal().iter().map(|(z, w)| w * z.powi(power)).sum() };
        for (power, exact) in [(0, 1.0), (1, 0.0), (2, 1.0), (4, 3.0), (6, 15.0), (8, 105.0), (11, 0.0)] {
            assert!((moment(power) - exact).abs() < 1e-9, "E[z^{power}] is {}", moment(power));
        }
        // E[exp(z)] = e^(1/2): not a polynomial.
        let exponential: f64 = standard_normal().iter().map(|(z, w)| w * z.exp()).sum();
        assert!((exponential - 0.5_f64.exp()).abs() < 1e-12);
    }
}
