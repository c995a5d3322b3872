//! Wilcoxon's signed-rank test, by which the paper's appendix judges whether one method has the lower squared errors.

use super::error::{Error, SUMMED, checked};
use super::normal_tail::{Probability, above};
use super::rank_law::at_most;
use serde::{Deserialize, Serialize};

/// Maximum number of differing pairs for which the exact law is the default; SciPy has the same limit.
const EXACT_PAIRS: usize = 50;

/// The exact law takes the cube of the number of pairs, and with many more its probabilities would be too small for
/// floats.
const MOST_EXACT_PAIRS: usize = 500;

/// What is claimed of the first sample, against "first less second is as often above 0 as below, and by as much".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alternative {
    /// Its values are lower than the second's. The paper's claim, of squared errors.
    Less,
    /// Its values are higher.
    Greater,
    /// They are one or the other.
    TwoSided,
}

/// How the p-value is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The exact law for up to 50 pairs that differ, else the normal approximation.
    #[default]
    Automatic,
    /// The law over all signs of the ranks as they are, ties included; for up to 500 pairs that differ.
    Exact,
    /// The normal approximation with the variance that ties leave, without continuity correction.
    Normal,
    /// The same with a continuity correction: the rank sum is moved half a rank towards its mean.
    NormalCorrected,
}

/// The outcome of the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignedRank {
    /// How many pairs differ. Those that do not are left out, as Wilcoxon did.
    pub pairs: usize,
    /// How many pairs were left out.
    pub equal_pairs: usize,
    /// The sum of the ranks of pairs in which the first value is higher.
    pub positive_rank_sum: f64,
    /// The sum of the ranks of pairs in which it is lower.
    pub negative_rank_sum: f64,
    /// By how many standard deviations the positive rank sum is above its mean, corrected where the method says so.
    /// None for the exact law.
    pub z: Option<f64>,
    /// The p-value. Below 1e-308 it loses digits and then is 0; its logarithm does not.
    pub p_value: f64,
    /// The logarithm of the p-value to base 10.
    pub log10_p_value: f64,
}

/// Wilcoxon's signed-rank test of two samples that belong together pair by pair, such as the squared errors of two
/// methods in the same runs. Ranks are of the sizes of the differences; equal sizes share the mean of their ranks.
///
/// ```
/// use labelwise_paper::statistics::{Alternative, Method, signed_rank};
/// let ours = [1.0, 2.0, 3.0, 4.0, 7.0];
/// let theirs = [2.0, 4.0, 6.0, 8.0, 7.0];
/// let test = signed_rank(&ours, &theirs, Alternative::Less, Method::default())?;
/// assert_eq!((test.pairs, test.equal_pairs), (4, 1));
/// assert_eq!(test.positive_rank_sum, 0.0);
/// assert_eq!(test.p_value, 1.0 / 16.0);
/// # Ok::<(), labelwise_paper::statistics::Error>(())
/// ```
///
/// # Errors
/// If the samples are empty, of different sizes, have a value that is not finite or no pair that differs, or if the
/// exact law is asked for with too many pairs.
pub fn signed_rank(
    first: &[f64],
    second: &[f64],
    alternative: Alternative,
    method: Method,
) -> Result<SignedRank, Error> {
    if first.len() != second.len() {
        return Err(Error::Unpaired { first: first.len(), second: second.len() });
    }
    let first = checked("the first sample of the signed-rank test", first, SUMMED)?;
    let second = checked("the second sample of the signed-rank test", second, SUMMED)?;
    let ranks = Ranks::new(first, second)?;
    let (z, probability) = match method {
        Method::Exact if ranks.doubled.len() > MOST_EXACT_PAIRS => {
            return Err(Error::TooManyPairs { pairs: ranks.doubled.len(), most: MOST_EXACT_PAIRS });
        }
        Method::Exact => (None, ranks.exact(alternative)),
        Method::Automatic if ranks.doubled.len() <= EXACT_PAIRS => (None, ranks.exact(alternative)),
        Method::Automatic | Method::Normal => ranks.normal(alternative, 0.0),
        Method::NormalCorrected => ranks.normal(alternative, 0.5),
    };
    Ok(SignedRank {
        pairs: ranks.doubled.len(),
        equal_pairs: first.len() - ranks.doubled.len(),
        positive_rank_sum: ranks.positive as f64 / 2.0,
        negative_rank_sum: ranks.negative as f64 / 2.0,
        z,
        p_value: probability.value,
        log10_p_value: probability.log10,
    })
}

/// The ranks of the pairs that differ. All are doubled: whole numbers even where ties share a rank.
struct Ranks {
    doubled: Vec<usize>,
    positive: usize,
    negative: usize,
    /// The sum of t³ - t over the sizes of groups of ties.
    ties: f64,
}

impl Ranks {
    fn new(first: &[f64], second: &[f64]) -> Result<Self, Error> {
        let differences = first.iter().zip(second).map(|(a, b)| a - b);
        let mut differences: Vec<f64> = differences.filter(|difference| *difference != 0.0).collect();
        if differences.is_empty() {
            return Err(Error::NoDifferences { pairs: first.len() });
        }
        differences.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
        let mut ranks =
            Self { doubled: Vec::with_capacity(differences.len()), positive: 0, negative: 0, ties: 0.0 };
        for group in differences.chunk_by(|a, b| a.abs() == b.abs()) {
            // Twice the mean of the ranks that the group takes: the first of them and the last.
            let rank = 2 * ranks.doubled.len() + group.len() + 1;
            let higher = group.iter().filter(|difference| **difference > 0.0).count();
            ranks.positive += higher * rank;
            ranks.negative += (group.len() - higher) * rank;
            ranks.doubled.extend(std::iter::repeat_n(rank, group.len()));
            let size = group.len() as f64;
            ranks.ties += size * size * size - size;
        }
        Ok(ranks)
    }

    /// The positive sum is distributed like the negative one, so that both tails are sums of the first probabilities.
    fn exact(&self, alternative: Alternative) -> Probability {
        match alternative {
            Alternative::Less => Probability::of(at_most(&self.doubled, self.positive)),
            Alternative::Greater => Probability::of(at_most(&self.doubled, self.negative)),
            Alternative::TwoSided => {
                Probability::of(at_most(&self.doubled, self.positive.min(self.negative))).doubled()
            }
        }
    }

    /// z, corrected by a share of a rank, and its p-value.
    fn normal(&self, alternative: Alternative, correction: f64) -> (Option<f64>, Probability) {
        let n = self.doubled.len() as f64;
        let excess = (self.positive as f64 - self.negative as f64) / 4.0;
        let std_dev = ((n * (n + 1.0) * (2.0 * n + 1.0) - self.ties / 2.0) / 24.0).sqrt();
        let corrected = match alternative {
            Alternative::Greater => excess - correction,
            Alternative::Less => excess + correction,
            Alternative::TwoSided if excess == 0.0 => 0.0,
            Alternative::TwoSided => excess - correction.copysign(excess),
        };
        let z = corrected / std_dev;
        let probability = match alternative {
            Alternative::Greater => above(z),
            Alternative::Less => above(-z),
            Alternative::TwoSided => above(z.abs()).doubled(),
        };
        (Some(z), probability)
    }
}
