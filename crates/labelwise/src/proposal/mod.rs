//! q(i_m): scores in, draws out. Nothing else in the crate normalises.

mod race;

use crate::error::Table;
use std::fmt;

use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};
use crate::numerics::SumTree;
use crate::rng::open01;
use race::Race;

/// How q is kept away from zero. Unbiasedness needs q > 0 wherever the loss may not be 0; a floor also bounds the
/// weights in the estimate. It is applied when scores are made, before any draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Floor {
    /// Our default: q = (1 − ρ) · score/Σ + ρ/n.
    Mixture {
        /// The uniform part, in (0, 1].
        rho: f64,
    },
    /// The paper's: max(score/Σ, α/n), and then normalised, which leaves at least α/((1 + α) n).
    Clip {
        /// The part of the uniform probability that is kept, in (0, 1].
        alpha: f64,
    },
    /// Scores as they are, as the authors' released settings have it: an item of score 0 is drawn only when no other
    /// is left, and estimates are unbiased only if its loss is 0.
    Unguarded,
}

impl Default for Floor {
    fn default() -> Self {
        Self::Mixture { rho: 0.3 }
    }
}

impl Floor {
    /// The paper's clip, α = 0.2.
    pub const PAPER: Self = Self::Clip { alpha: 0.2 };

    pub(crate) fn check(self) -> Result<()> {
        let (name, value) = match self {
            Self::Mixture { rho } => ("rho", rho),
            Self::Clip { alpha } => ("alpha", alpha),
            Self::Unguarded => return Ok(()),
        };
        if value > 0.0 && value <= 1.0 {
            Ok(())
        } else {
            Err(Error::Option { name, value, range: "above 0 and at most 1" })
        }
    }
}

/// Why a score cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadScore {
    /// Not a number.
    NotANumber,
    /// Infinite.
    Infinite,
    /// Below zero.
    Negative,
}

impl fmt::Display for BadScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "check the surrogate's belief about it, or let invalid scores take the median",
            Self::Infinite => "scores must be finite; check the surrogate's belief about it",
            Self::Negative => {
                "scores cannot be negative (if the loss can be, use the standard deviation or the root mean square)"
            }
        })
    }
}

/// What happens to scores that are NaN, infinite or negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadScore {
    /// An error that names the item.
    #[default]
    Reject,
    /// The median of the usable scores; the report says of how many items.
    Median,
}

/// One draw: the item, the probability it was really drawn with, and the mass it was drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// i_m.
    pub index: usize,
    /// q(i_m).
    pub q: f64,
    /// The sum of the weights of the items that could have been drawn; their mean was 1 when the scores were made.
    pub mass: f64,
}

/// The distribution draws are made from until the next refresh.
///
/// ```
/// use labelwise::proposal::{Floor, Proposal};
/// use labelwise::rng::Stream;
/// use labelwise::Seed;
/// let scores = vec![0.0, 1.0, 3.0];
/// let mut proposal = Proposal::new(scores, &[true; 3], Floor::Mixture { rho: 0.3 }, Seed(7).stream(Stream::Draw, 0))?;
/// assert!((proposal.q(0) - 0.1).abs() < 1e-15);
/// let batch: Vec<_> = std::iter::from_fn(|| proposal.draw()).collect();
/// assert_eq!(batch.len(), 3);
/// assert_eq!(batch[2].q, 1.0); // The last item left.
/// # Ok::<(), labelwise::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Proposal {
    tree: SumTree,
    race: Race,
}

impl Proposal {
    /// From scores and which of the items may be drawn. `stream` decides the order: the race of item i runs on its
    /// i-th number. If every score is 0, all items are alike.
    pub fn new(mut scores: Vec<f64>, open: &[bool], floor: Floor, stream: ChaCha8Rng) -> Result<Self> {
        floor.check()?;
        if scores.len() != open.len() {
            return Err(Error::Rows {
                what: Table::Other("the column of scores"),
                rows: scores.len(),
                expected: open.len(),
            });
        }
        weigh(&mut scores, open, floor)?;
        Ok(Self { tree: SumTree::new(scores), race: Race::new(stream) })
    }

    /// Draws one of the items left and takes it away: O(log N). `None` when nothing with a weight is left. Calling it
    /// B times is the exponential race for a batch of B; the order of the batch is part of the sample.
    pub fn draw(&mut self) -> Option<Drawn> {
        let index = self.race.next(self.tree.weights(), self.tree.total())?;
        let drawn = Drawn { index, q: self.q(index), mass: self.tree.total() };
        self.tree.take(index);
        Some(drawn)
    }

    /// Says how many draws will be made, so that one pass over the items finds them all. It changes none of them.
    pub(crate) fn expect(&mut self, count: usize) {
        self.race.expect(count);
    }

    /// Says that one draw will be made, so that the first pass finds no more. It changes no draw.
    pub(crate) fn expect_one(&mut self) {
        self.race.expect_one();
    }

    /// Draws one item and leaves it in: for active risk estimation only. `None` when nothing with a weight is left.
    pub fn draw_with_replacement(&self, rng: &mut ChaCha8Rng) -> Option<Drawn> {
        let mass = self.tree.total();
        let index = self.tree.find(open01(rng) * mass);
        (mass > 0.0).then(|| Drawn { index, q: self.q(index), mass })
    }

    /// The probability that an item is the next draw; 0 if it was drawn.
    pub fn q(&self, index: usize) -> f64 {
        let weight = self.tree.weights().get(index).copied().unwrap_or(0.0);
        if weight > 0.0 { weight / self.tree.total() } else { 0.0 }
    }

    /// The weights; their mean is 1 over the items that are open at first.
    pub fn weights(&self) -> &[f64] {
        self.tree.weights()
    }
}

fn usable(score: f64) -> bool {
    (0.0..f64::INFINITY).contains(&score)
}

/// The open items whose score cannot be used.
fn bad_scores<'a>(scores: &'a [f64], open: &'a [bool]) -> impl Iterator<Item = (usize, f64, BadScore)> + 'a {
    scores.iter().zip(open).enumerate().filter_map(|(item, (&score, &open))| {
        let why = if !open || usable(score) {
            return None;
        } else if score.is_nan() {
            BadScore::NotANumber
        } else if score < 0.0 {
            BadScore::Negative
        } else {
            BadScore::Infinite
        };
        Some((item, score, why))
    })
}

/// Puts the median of the usable scores where they are not, and says how many those were.
pub(crate) fn mend(scores: &mut [f64], open: &[bool]) -> usize {
    let bad: Vec<usize> = bad_scores(scores, open).map(|(item, ..)| item).collect();
    if bad.is_empty() {
        return 0;
    }
    let mut good: Vec<f64> =
        scores.iter().zip(open).filter(|(s, o)| **o && usable(**s)).map(|(s, _)| *s).collect();
    let middle = good.len() / 2;
    let median = if good.is_empty() { 0.0 } else { *good.select_nth_unstable_by(middle, f64::total_cmp).1 };
    for &item in &bad {
        if let Some(score) = scores.get_mut(item) {
            *score = median;
        }
    }
    bad.len()
}

/// Scores become weights with mean 1 over the open items, floored; the others weigh nothing.
fn weigh(scores: &mut [f64], open: &[bool], floor: Floor) -> Result<()> {
    let (mut count, mut most, mut bad) = (0_usize, 0.0_f64, false);
    for (score, open) in scores.iter_mut().zip(open) {
        *score = if *open { *score } else { 0.0 };
        count += usize::from(*open);
        bad |= !usable(*score);
        most = if *score > most { *score } else { most };
    }
    if bad && let Some((item, value, why)) = bad_scores(scores, open).next() {
        return Err(Error::Score { item, value, why });
    }
    if most == 0.0 {
        scores.iter_mut().zip(open).for_each(|(score, open)| *score = if *open { 1.0 } else { 0.0 });
        return Ok(());
    }
    // Against a power of two near the largest first: the sum of scores near the largest float would overflow.
    let shrink = 2.0_f64.powi(-most.log2().floor().clamp(-1000.0, 1000.0) as i32);
    let sums = scores.chunks(1024).map(|block| block.iter().map(|score| score * shrink).sum::<f64>());
    let scale = count as f64 / sums.sum::<f64>();
    let normal = |score: f64| score * shrink * scale;
    let (uniform, kept, least) = match floor {
        Floor::Mixture { rho } => (rho, 1.0 - rho, 0.0),
        Floor::Clip { alpha } => (0.0, 1.0, alpha),
        Floor::Unguarded => (0.0, 1.0, 0.0),
    };
    for (score, open) in scores.iter_mut().zip(open) {
        let weight = (kept * normal(*score) + uniform).max(least);
        *score = if *open { weight } else { 0.0 };
    }
    if least > 0.0 {
        let mean = scores.iter().fold(0.0, |sum, weight| sum + weight) / count as f64;
        scores.iter_mut().for_each(|weight| *weight /= mean);
    }
    Ok(())
}
