//! What one expert believes of eight items: the powers of its probabilities, and the moments of the loss under them.

use super::{ZERO, clipped, each};
use crate::numerics::{LANES, Lanes, Wide, exponential, ln};
use crate::surrogate::recalibrated::grid::TEMPERATURES;

/// Number of temperatures.
pub(super) const COUNT: usize = TEMPERATURES.len();

/// One number per temperature and lane.
pub(super) type Tempered = [Lanes; COUNT];

/// One expert on eight items.
#[derive(Debug, Clone)]
pub(super) struct Expert {
    /// ln p by class.
    pub(super) logs: Vec<Lanes>,
    /// (p / max p)^(1/8) by class.
    pub(super) eighth: Vec<Lanes>,
    /// (p / max p)^(1/1.4) by class.
    pub(super) flat: Vec<Lanes>,
    /// max p_T.
    pub(super) most: Tempered,
    /// E(ℒ) and E(ℒ²) under p_T.
    pub(super) moments: [Tempered; 2],
}

/// Probabilities of one expert, raised to the least and divided by their sum, at all temperatures.
pub(super) struct Tempering<'a> {
    pub(super) expert: &'a mut Expert,
    pub(super) rows: [&'a [f64]; LANES],
    pub(super) least: f64,
}

impl Wide for Tempering<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { expert, rows, least } = self;
        let mut sum = ZERO;
        for (class, logs) in expert.logs.iter_mut().enumerate() {
            for lane in 0..LANES {
                let p = clipped(rows[lane][class], least);
                sum[lane] += p;
                logs[lane] = p;
            }
            *logs = each(logs, ln);
        }
        expert.raise(&each(&sum, ln));
    }
}

/// The normalised geometric mean of experts.
pub(super) struct Averaging<'a> {
    pub(super) experts: &'a [Expert],
    pub(super) mean: &'a mut Expert,
    pub(super) least: f64,
}

impl Wide for Averaging<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { experts, mean, least } = self;
        let count = experts.len() as f64;
        let mut sum = ZERO;
        for (class, logs) in mean.logs.iter_mut().enumerate() {
            *logs = ZERO;
            for expert in experts {
                for lane in 0..LANES {
                    logs[lane] += expert.logs[class][lane] / count;
                }
            }
            for lane in 0..LANES {
                // Clipped and normalised as every expert is.
                let p = clipped(exponential(logs[lane]), least);
                sum[lane] += p;
                logs[lane] = ln(p);
            }
        }
        mean.raise(&each(&sum, ln));
    }
}

impl Expert {
    /// The powers of the probabilities, from their logarithms, which still lack that of their sum.
    #[inline(always)]
    fn raise(&mut self, shift: &Lanes) {
        let mut top = [f64::NEG_INFINITY; LANES];
        for logs in &mut self.logs {
            for lane in 0..LANES {
                logs[lane] -= shift[lane];
                top[lane] = if logs[lane] > top[lane] { logs[lane] } else { top[lane] };
            }
        }
        let mut sums = [ZERO; COUNT];
        let places = self.eighth.iter_mut().zip(&mut self.flat);
        for (logs, (eighth, flat)) in self.logs.iter().zip(places) {
            let mut relative = *logs;
            for lane in 0..LANES {
                relative[lane] -= top[lane];
            }
            let one_eighth = each(&relative, |log| exponential(log * 0.125));
            let flattened = each(&relative, |log| exponential(log * (1.0 / 1.4)));
            let powers = all_powers(&one_eighth, &flattened);
            (*eighth, *flat) = (one_eighth, flattened);
            for temperature in 0..COUNT {
                for lane in 0..LANES {
                    sums[temperature][lane] += powers[temperature][lane];
                }
            }
        }
        // The largest power is 1.
        for temperature in 0..COUNT {
            self.most[temperature] = each(&sums[temperature], |sum| 1.0 / sum);
        }
    }
}

/// Moments of the loss under every p_T.
pub(super) struct Expecting<'a> {
    pub(super) losses: &'a [Lanes],
    pub(super) uniform: &'a mut [Lanes; 2],
    pub(super) experts: &'a mut [Expert],
}

impl Wide for Expecting<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { losses, uniform, experts } = self;
        let (mut first, mut second) = (ZERO, ZERO);
        for loss in losses {
            for lane in 0..LANES {
                first[lane] += loss[lane];
                second[lane] += loss[lane] * loss[lane];
            }
        }
        let count = losses.len() as f64;
        *uniform = [each(&first, |sum| sum / count), each(&second, |sum| sum / count)];
        for expert in experts {
            expert.expect::<0>(losses);
            expert.expect::<1>(losses);
            expert.expect::<2>(losses);
            expert.expect::<3>(losses);
            expert.expect::<4>(losses);
            expert.expect::<5>(losses);
            expert.expect::<6>(losses);
            expert.expect::<7>(losses);
        }
    }
}

impl Expert {
    /// The moments at one temperature. One at a time leaves the compiler few enough sums to keep in registers.
    #[inline(always)]
    fn expect<const TEMPERATURE: usize>(&mut self, losses: &[Lanes]) {
        let (mut first, mut second) = (ZERO, ZERO);
        for ((loss, eighth), flat) in losses.iter().zip(&self.eighth).zip(&self.flat) {
            for lane in 0..LANES {
                let part = powers(eighth[lane], flat[lane])[TEMPERATURE] * loss[lane];
                first[lane] += part;
                second[lane] += part * loss[lane];
            }
        }
        let most = self.most[TEMPERATURE];
        for lane in 0..LANES {
            first[lane] *= most[lane];
            second[lane] *= most[lane];
        }
        self.moments[0][TEMPERATURE] = first;
        self.moments[1][TEMPERATURE] = second;
    }
}

/// p^(1/T) for all temperatures, in the order of [`TEMPERATURES`].
#[inline(always)]
pub(super) fn powers(eighth: f64, flat: f64) -> [f64; COUNT] {
    let quarter = eighth * eighth;
    let half = quarter * quarter;
    let whole = half * half;
    let sharp = flat * flat;
    [sharp * sharp, whole * whole, sharp, whole, flat, half, quarter, eighth]
}

/// The same for all lanes.
#[inline(always)]
pub(super) fn all_powers(eighth: &Lanes, flat: &Lanes) -> Tempered {
    let square = |x: &Lanes| each(x, |x| x * x);
    let quarter = square(eighth);
    let half = square(&quarter);
    let whole = square(&half);
    let sharp = square(flat);
    [square(&sharp), square(&whole), sharp, whole, *flat, half, quarter, *eighth]
}
