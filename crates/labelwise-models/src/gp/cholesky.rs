//! K = L Lᵀ, row by row: one more observation is one more row of L, which costs O(n²).

#![allow(clippy::indexing_slicing, reason = "a triangle of numbers: rows are found by arithmetic")]

/// The lower triangle L, its rows one after the other in one piece of memory.
///
/// A whole factorisation is nothing but its rows appended in turn, and what is subtracted from an element is subtracted
/// in the order of the rows. A [`TrackedProcess`](super::TrackedProcess) does the same, so that appending, tracking and
/// refitting agree to the last bit, however close to singular the covariances are.
#[derive(Debug, Clone, Default)]
pub(super) struct Cholesky {
    packed: Vec<f64>,
    size: usize,
}

/// A pivot below this share of its diagonal cannot be told from rounding: the observation follows from earlier ones.
/// scikit-learn's jitter of 1e-10 keeps pivots far above it.
const TRUSTED: f64 = 1e-13;

/// The share of the diagonal that is then added, as jitter of that observation alone. About the square root of the
/// rounding: less, and rounding shows in what is divided by the pivot's root; more, and so does the jitter.
const RAISED: f64 = 1e-8;

/// What is left of a diagonal element once the earlier rows are taken away, and its square root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pivot {
    pub(super) root: f64,
    /// Whether the jitter had to be raised: the earlier observations determine this one.
    pub(super) raised: bool,
}

impl Pivot {
    /// `signal` is what the earlier rows leave of the diagonal, to which noise and jitter are added. The root is always
    /// a positive number.
    pub(super) fn new(signal: f64, noise: f64, diagonal: f64) -> Self {
        let left = signal + noise;
        if left > TRUSTED * diagonal {
            return Self { root: left.sqrt(), raised: false };
        }
        Self { root: (left.max(0.0) + RAISED * diagonal).sqrt(), raised: true }
    }
}

impl Cholesky {
    /// How many rows there are.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Row `row` up to and with its pivot's root.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        let start = start(row);
        &self.packed[start..=start + row]
    }

    /// Appends a row: `fill` writes the covariances with the earlier observations. The diagonal is `signal` + `noise`.
    pub(super) fn append(&mut self, signal: f64, noise: f64, fill: impl FnOnce(&mut [f64])) -> Pivot {
        let (size, start) = (self.size, start(self.size));
        self.packed.resize(start + size + 1, 0.0);
        let (earlier, new) = self.packed.split_at_mut(start);
        let (covariances, root) = new.split_at_mut(size);
        fill(covariances);
        forward(earlier, covariances);
        let left = covariances.iter().fold(signal, |left, value| left - value * value);
        let pivot = Pivot::new(left, noise, signal + noise);
        root[0] = pivot.root;
        self.size += 1;
        pivot
    }

    /// Takes the last row away.
    pub(super) fn pop(&mut self) {
        self.size = self.size.saturating_sub(1);
        self.packed.truncate(start(self.size));
    }

    /// log det K / 2 = Σ log L_ii.
    pub(super) fn half_log_determinant(&self) -> f64 {
        (0..self.size).map(|row| self.row(row)[row].ln()).sum()
    }

    /// Lᵀ x = b, in place.
    pub(super) fn solve_transposed(&self, values: &mut [f64]) {
        for row in (0..self.size).rev() {
            let (earlier, rest) = values.split_at_mut(row);
            let (l, root) = self.row(row).split_at(row);
            rest[0] /= root[0];
            subtract(earlier, rest[0], l);
        }
    }

    /// K⁻¹, its lower triangle row by row as here.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let mut inverse_of_l = vec![0.0; self.packed.len()];
        for row in 0..self.size {
            let (earlier, rest) = inverse_of_l.split_at_mut(start(row));
            let (out, own) = rest[..=row].split_at_mut(row);
            let (l, root) = self.row(row).split_at(row);
            for (other, &factor) in l.iter().enumerate() {
                subtract(&mut out[..=other], factor, &earlier[start(other)..=start(other) + other]);
            }
            out.iter_mut().for_each(|value| *value /= root[0]);
            own[0] = 1.0 / root[0];
        }
        let mut inverse = vec![0.0; self.packed.len()];
        for row in 0..self.size {
            let values = &inverse_of_l[start(row)..=start(row) + row];
            for (i, &factor) in values.iter().enumerate() {
                subtract(&mut inverse[start(i)..=start(i) + i], -factor, &values[..=i]);
            }
        }
        inverse
    }
}

/// Where row `row` starts.
pub(super) fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

/// L x = b, in place, with as many rows of L as there are values. Four rows at a time: each subtracts in order, and
/// none waits for another until their last elements.
fn forward(packed: &[f64], values: &mut [f64]) {
    let row = |row: usize| &packed[start(row)..=start(row) + row];
    let mut done = 0;
    while done < values.len() {
        let (solved, rest) = values.split_at_mut(done);
        if rest.len() >= 4 {
            let (a, b, c, d) = (row(done), row(done + 1), row(done + 2), row(done + 3));
            let [mut w, mut x, mut y, mut z] = [rest[0], rest[1], rest[2], rest[3]];
            for ((((value, a), b), c), d) in solved.iter().zip(a).zip(b).zip(c).zip(d) {
                w -= a * value;
                x -= b * value;
                y -= c * value;
                z -= d * value;
            }
            rest[..4].copy_from_slice(&[w, x, y, z]);
        } else {
            for (place, rest) in rest.iter_mut().enumerate() {
                *rest = solved.iter().zip(row(done + place)).fold(*rest, |left, (x, l)| left - l * x);
            }
        }
        let together = rest.len().min(4);
        for place in 0..together {
            let l = &row(done + place)[done..];
            let (solved, rest) = rest.split_at_mut(place);
            rest[0] = solved.iter().zip(l).fold(rest[0], |left, (x, l)| left - l * x) / l[place];
        }
        done += together;
    }
}

fn subtract(from: &mut [f64], factor: f64, values: &[f64]) {
    from.iter_mut().zip(values).for_each(|(from, value)| *from -= factor * value);
}

/// Σ a_i b_i in eight sums, which fill vector registers.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (mut a, mut b) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in a.by_ref().zip(b.by_ref()) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Hilbert matrix with something on its diagonal.
    fn element(i: usize, j: usize) -> f64 {
        1.0 / (i + j + 1) as f64 + if i == j { 0.1 } else { 0.0 }
    }

    fn factor(size: usize) -> Cholesky {
        let mut factor = Cholesky::default();
        for i in 0..size {
            let fill = |row: &mut [f64]| row.iter_mut().enumerate().for_each(|(j, out)| *out = element(i, j));
            assert!(!factor.append(element(i, i) - 0.1, 0.1, fill).raised);
        }
        factor
    }

    #[test]
    fn its_square_is_the_matrix() {
        let factor = factor(23);
        for i in 0..23 {
            for j in 0..=i {
                let product = dot(&factor.row(i)[..=j], factor.row(j));
                assert!((product - element(i, j)).abs() < 1e-14, "({i}, {j}): {product}");
            }
        }
    }

    #[test]
    fn the_inverse_times_the_matrix_is_the_unit() {
        let inverse = factor(19).inverse();
        let symmetric = |i: usize, j: usize| inverse[start(i.max(j)) + i.min(j)];
        for i in 0..19 {
            for j in 0..19 {
                let product: f64 = (0..19).map(|m| symmetric(i, m) * element(m, j)).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12, "({i}, {j}): {product}");
            }
        }
    }

    #[test]
    fn transposed_solve() {
        let factor = factor(12);
        let wanted: Vec<f64> = (0..12).map(|i| f64::from(i) - 4.0).collect();
        let mut values: Vec<f64> =
            (0..12).map(|j| (j..12).map(|i| factor.row(i)[j] * wanted[i]).sum()).collect();
        factor.solve_transposed(&mut values);
        values.iter().zip(&wanted).for_each(|(x, wanted)| assert!((x - wanted).abs() < 1e-12));
    }

    #[test]
    fn a_pivot_is_always_positive() {
        for diagonal in [1e-300, 1.0, 1e300] {
            for left in [-1e-3, -0.0, 0.0, 1e-14, 1e-13] {
                let pivot = Pivot::new(left * diagonal, 0.0, diagonal);
                assert!(pivot.raised && pivot.root >= (0.9e-8 * diagonal).sqrt(), "{left} {pivot:?}");
            }
        }
        assert_eq!(Pivot::new(0.15, 0.1, 1.1), Pivot { root: 0.5, raised: false });
        assert!(Pivot::new(f64::NAN, 0.0, 1.0).root > 0.0);
    }

    #[test]
    fn a_row_can_be_taken_back() {
        let (mut longer, shorter) = (factor(9), factor(8));
        longer.pop();
        assert_eq!((longer.packed, longer.size), (shorter.packed, shorter.size));
    }
}
