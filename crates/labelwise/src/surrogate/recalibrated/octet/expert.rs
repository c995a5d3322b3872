//! What one expert believes of eight items: the powers of its probabilities, and the moments of the loss under them.

use super::{ZERO, add, both, clipped, each};
use crate::numerics::{LANES, Lanes, Wide, exponential, ln, one_by_one};
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
    /// By class.
    pub(super) probabilities: &'a [Lanes],
    pub(super) least: f64,
}

impl Wide for Tempering<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { expert, probabilities, least } = self;
        let mut sum = ZERO;
        for class in one_by_one(expert.logs.len()) {
            let p = each(&probabilities[class], |p| clipped(p, least));
            sum = add(&sum, &p);
            expert.logs[class] = each(&p, ln);
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
        for class in one_by_one(mean.logs.len()) {
            let mut logs = ZERO;
            for expert in experts {
                logs = both(&logs, &expert.logs[class], |sum, log| sum + log / count);
            }
            // Clipped and normalised as every expert is.
            let p = each(&logs, |log| clipped(exponential(log), least));
            sum = add(&sum, &p);
            mean.logs[class] = each(&p, ln);
        }
        mean.raise(&each(&sum, ln));
    }
}

impl Expert {
    /// The powers of the probabilities, from their logarithms, which still lack that of their sum.
    #[inline(always)]
    fn raise(&mut self, shift: &Lanes) {
        let mut top = [f64::NEG_INFINITY; LANES];
        for class in one_by_one(self.logs.len()) {
            let logs = both(&self.logs[class], shift, |log, shift| log - shift);
            top = both(&top, &logs, |top, log| if log > top { log } else { top });
            self.logs[class] = logs;
        }
        for class in one_by_one(self.logs.len()) {
            let relative = both(&self.logs[class], &top, |log, top| log - top);
            self.eighth[class] = each(&relative, |log| exponential(log * 0.125));
            self.flat[class] = each(&relative, |log| exponential(log * (1.0 / 1.4)));
        }
        let [mut t0, mut t1, mut t2, mut t3] = [ZERO; 4];
        let [mut t4, mut t5, mut t6, mut t7] = [ZERO; 4];
        for class in one_by_one(self.logs.len()) {
            let [p0, p1, p2, p3, p4, p5, p6, p7] = all_powers(&self.eighth[class], &self.flat[class]);
            (t0, t1, t2, t3) = (add(&t0, &p0), add(&t1, &p1), add(&t2, &p2), add(&t3, &p3));
            (t4, t5, t6, t7) = (add(&t4, &p4), add(&t5, &p5), add(&t6, &p6), add(&t7, &p7));
        }
        // The largest power is 1.
        self.most = [t0, t1, t2, t3, t4, t5, t6, t7].map(|sum| each(&sum, |sum| 1.0 / sum));
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
