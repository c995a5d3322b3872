//! The losses of a network's items, and what the network and an ensemble expect of them: Figure 5.

use labelwise::loss::Loss;
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, CrossEntropy, Matrix, Pool};
use serde::Serialize;

use crate::claims::{Claim, Verdict};
use crate::error::Result;
use crate::recipe::Recipe;
use crate::workshop::Shelf;

/// A network and an ensemble.
#[derive(Debug, Clone)]
pub(crate) struct Compared {
    /// A short name.
    pub(crate) name: &'static str,
    pub(crate) model: Recipe,
    pub(crate) ensemble: Vec<Recipe>,
}

impl Compared {
    pub(crate) fn recipes(&self) -> Vec<Recipe> {
        std::iter::once(&self.model).chain(&self.ensemble).cloned().collect()
    }
}

/// Losses of every item, in the order of the true ones.
#[derive(Debug, Clone)]
pub(crate) struct Losses {
    pub(crate) name: &'static str,
    /// The true ones, which ascend.
    pub(crate) truth: Vec<f64>,
    /// What the model expects: its entropy.
    pub(crate) entropy: Vec<f64>,
    /// What the ensemble expects.
    pub(crate) ensemble: Vec<f64>,
    /// The root mean square of the loss by the ensemble, which our default draws by.
    pub(crate) root_mean_square: Vec<f64>,
}

/// The items that count most: the largest tenth of the true losses.
const TOP: f64 = 0.9;
/// What is expected of an item is far too low if it is this share of its loss or less.
const TOO_LOW: f64 = 0.1;

/// The paper's clip: no item is drawn with less than this share of a uniform probability.
const ALPHA: f64 = 0.2;

/// How many of the largest losses are expected to be far too low.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Boxes {
    /// How many items there are.
    pub items: usize,
    /// How many are among the largest losses.
    pub largest: usize,
    /// How many of them the model expects a tenth or less of.
    pub entropy: usize,
    /// How many of them the ensemble expects a tenth or less of.
    pub ensemble: usize,
    /// Of how many of them the root mean square by the ensemble is a tenth or less.
    pub root_mean_square: usize,
    /// How many the model alone underestimates so, and not the ensemble.
    pub entropy_alone: usize,
    /// How many the ensemble alone does.
    pub ensemble_alone: usize,
    /// The share of the sum of all losses that those of the model hold.
    pub entropy_share: f64,
    /// The share that those of the ensemble hold.
    pub ensemble_share: f64,
}

impl Losses {
    pub(crate) fn new(compared: &Compared, shelf: &Shelf<'_>) -> Result<Self> {
        let model = shelf.archive(&compared.model)?;
        let members = compared.ensemble.iter().map(|recipe| shelf.beside(recipe, &model));
        let members = members.collect::<Result<Vec<Matrix>>>()?;
        let pool = Pool::<Classification>::classification(model.mean().clone())?;
        let beliefs = Beliefs::<Classification>::from_members(members, &pool)?;
        let loss = CrossEntropy::default();
        let (mut predictions, mut beliefs) = (model.mean().reader(), beliefs.rows().reader());
        let mut items: Vec<[f64; 4]> = Vec::with_capacity(model.len());
        for (item, &label) in model.labels().iter().enumerate() {
            let row = predictions.row(item);
            let own = loss.moments(row, row).first;
            let expected = loss.moments(row, beliefs.row(item));
            items.push([loss.loss(row, label as usize), own, expected.first, expected.second.sqrt()]);
        }
        items.sort_by(|[one, ..], [other, ..]| one.total_cmp(other));
        let column = |place: usize| items.iter().filter_map(|item| item.get(place).copied()).collect();
        let (truth, entropy, ensemble, root_mean_square) = (column(0), column(1), column(2), column(3));
        Ok(Self { name: compared.name, truth, entropy, ensemble, root_mean_square })
    }

    /// The place of the first item among the largest losses.
    pub(crate) fn first_of_largest(&self) -> usize {
        (TOP * self.truth.len() as f64) as usize
    }

    /// What a proposal by these expectations goes by: none below the share α of their mean, as the clip has it.
    pub(crate) fn clipped(expected: &[f64]) -> Vec<f64> {
        let mean = expected.iter().sum::<f64>() / expected.len().max(1) as f64;
        expected.iter().map(|value| value.max(ALPHA * mean)).collect()
    }

    /// Whether an item is among the largest losses, and a tenth or less of its loss is expected.
    pub(crate) fn too_low(&self, expected: &[f64], item: usize) -> bool {
        let pair = self.truth.get(item).zip(expected.get(item));
        item >= self.first_of_largest() && pair.is_some_and(|(truth, expected)| *expected <= TOO_LOW * truth)
    }

    /// How many of the largest losses are expected to be far too low.
    pub(crate) fn boxes(&self) -> Boxes {
        let first = self.first_of_largest();
        let largest = self.truth.iter().skip(first);
        // Whether each of the largest losses is far larger than these numbers say.
        let low = |expected: &[f64]| -> Vec<bool> {
            (first..self.truth.len()).map(|item| self.too_low(expected, item)).collect()
        };
        let (entropy, ensemble) = (low(&self.entropy), low(&self.ensemble));
        let count = |low: &[bool]| low.iter().filter(|low| **low).count();
        let alone = |one: &[bool], other: &[bool]| {
            one.iter().zip(other).filter(|(one, other)| **one && !**other).count()
        };
        let sum: f64 = self.truth.iter().sum();
        let share = |low: &[bool]| {
            let held = largest.clone().zip(low).filter(|(_, low)| **low);
            held.fold(0.0, |held, (truth, _)| held + truth) / sum
        };
        Boxes {
            items: self.truth.len(),
            largest: self.truth.len() - first,
            entropy: count(&entropy),
            ensemble: count(&ensemble),
            root_mean_square: count(&low(&self.root_mean_square)),
            entropy_alone: alone(&entropy, &ensemble),
            ensemble_alone: alone(&ensemble, &entropy),
            entropy_share: share(&entropy),
            ensemble_share: share(&ensemble),
        }
    }

    /// What the paper says of the figure.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let Boxes { largest, entropy, ensemble, entropy_alone, ensemble_alone, .. } = self.boxes();
        let first = self.first_of_largest();
        let pairs = self.truth.iter().zip(&self.entropy).skip(first);
        let worst = pairs.map(|(truth, entropy)| truth / entropy).fold(0.0, f64::max);
        let underestimated = Claim {
            experiment: self.name,
            claim: "predictive entropy underestimates the true loss of some points by orders of magnitude",
            measured: format!(
                "by a factor of {worst:.0} at most; of the {largest} largest losses {entropy} by a factor of ten and more"
            ),
            verdict: Verdict::from(worst >= 100.0),
        };
        // Of the items that only one of them gets wrong, half would be the model's if both were alike.
        let fewer = against_half(entropy_alone, entropy_alone + ensemble_alone);
        let avoided = Claim {
            experiment: self.name,
            claim: "the ensemble underestimates fewer of the largest losses so than the model does",
            measured: format!(
                "by a factor of ten and more: {entropy} by the model, {ensemble} by the ensemble ({fewer:+.1} standard errors)"
            ),
            verdict: Verdict::by(fewer),
        };
        let most = against_half(entropy_alone, entropy);
        let majority = Claim {
            experiment: self.name,
            claim: "the ensemble avoids the majority of these mistakes",
            measured: format!("{entropy_alone} of {entropy}, {most:+.1} standard errors from one half"),
            verdict: Verdict::by(most),
        };
        vec![underestimated, avoided, majority]
    }
}

/// How far `some` is from one half of `all`, in standard errors.
fn against_half(some: usize, all: usize) -> f64 {
    let (some, all) = (some as f64, all as f64);
    if all > 0.0 { (2.0 * some - all) / all.sqrt() } else { 0.0 }
}
