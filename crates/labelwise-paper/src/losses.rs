//! The losses of a network's items beside what the network and an ensemble expect of them: Figure 5.

use labelwise::{Beliefs, Classification, CrossEntropy, Loss, Matrix, Pool};
use serde::Serialize;

use crate::claims::{Claim, Verdict};
use crate::error::Result;
use crate::recipe::Recipe;
use crate::workshop::Shelf;

/// A network, and an ensemble beside it.
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
}

/// The items that count most: the largest tenth of the true losses.
const TOP: f64 = 0.9;
/// What is expected is far too low if it is less than this share of the least of these losses.
const TOO_LOW: f64 = 0.1;

/// What the picture's box holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Boxes {
    /// How many items there are.
    pub items: usize,
    /// How many are among the largest losses.
    pub largest: usize,
    /// Below this an expected loss is an order of magnitude too low for any of them.
    pub threshold: f64,
    /// How many of them the model expects less of.
    pub entropy: usize,
    /// How many of them the ensemble expects less of.
    pub ensemble: usize,
    /// How many the model alone does.
    pub entropy_alone: usize,
    /// How many the ensemble alone does.
    pub ensemble_alone: usize,
    /// The share of the sum of all losses that the model's box holds.
    pub entropy_share: f64,
    /// The share that the ensemble's box holds.
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
        let mut items: Vec<[f64; 3]> = Vec::with_capacity(model.len());
        for (item, &label) in model.labels().iter().enumerate() {
            let row = predictions.row(item);
            let expected = |belief: &[f64]| loss.moments(row, belief).first;
            items.push([loss.loss(row, label as usize), expected(row), expected(beliefs.row(item))]);
        }
        items.sort_by(|[one, ..], [other, ..]| one.total_cmp(other));
        let column = |place: usize| items.iter().filter_map(|item| item.get(place).copied()).collect();
        Ok(Self { name: compared.name, truth: column(0), entropy: column(1), ensemble: column(2) })
    }

    /// The place of the first item among the largest losses.
    pub(crate) fn first_of_largest(&self) -> usize {
        (TOP * self.truth.len() as f64) as usize
    }

    /// What the boxes hold.
    pub(crate) fn boxes(&self) -> Boxes {
        let first = self.first_of_largest();
        let threshold = TOO_LOW * self.truth.get(first).copied().unwrap_or_default();
        let sum: f64 = self.truth.iter().sum();
        let largest = || self.truth.iter().zip(self.entropy.iter().zip(&self.ensemble)).skip(first);
        let low = |value: f64| value < threshold;
        let count =
            |holds: &dyn Fn(f64, f64) -> bool| largest().filter(|(_, (e, d))| holds(**e, **d)).count();
        let share = |holds: &dyn Fn(f64, f64) -> bool| {
            largest().filter(|(_, (e, d))| holds(**e, **d)).fold(0.0, |held, (truth, _)| held + truth) / sum
        };
        Boxes {
            items: self.truth.len(),
            largest: self.truth.len() - first,
            threshold,
            entropy: count(&|e, _| low(e)),
            ensemble: count(&|_, d| low(d)),
            entropy_alone: count(&|e, d| low(e) && !low(d)),
            ensemble_alone: count(&|e, d| low(d) && !low(e)),
            entropy_share: share(&|e, _| low(e)),
            ensemble_share: share(&|_, d| low(d)),
        }
    }

    /// What the paper says of the figure.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let boxes = self.boxes();
        let Boxes { largest, entropy, ensemble, entropy_alone, ensemble_alone, .. } = boxes;
        let first = self.first_of_largest();
        let pairs = self.truth.iter().zip(&self.entropy).skip(first);
        let worst = pairs.map(|(truth, entropy)| truth / entropy).fold(0.0, f64::max);
        let underestimated = Claim {
            experiment: self.name,
            claim: "predictive entropy underestimates the true loss of some points by orders of magnitude",
            measured: format!(
                "by a factor of {worst:.0e} at most; of the {largest} largest losses {entropy} by a factor of ten and more"
            ),
            verdict: Verdict::from(worst >= 100.0),
        };
        // Of the items that only one of them gets wrong, half would be the model's if both were alike.
        let (alone, either) = (entropy_alone as f64, (entropy_alone + ensemble_alone) as f64);
        let distance = if either > 0.0 { (2.0 * alone - either) / either.sqrt() } else { 0.0 };
        let avoided = Claim {
            experiment: self.name,
            claim: "the ensemble expects too little of fewer of the largest losses than the model does",
            measured: format!(
                "in the box: {entropy} with the model, {ensemble} with the ensemble ({distance:+.1} standard errors)"
            ),
            verdict: Verdict::by(distance),
        };
        let majority = Claim {
            experiment: self.name,
            claim: "the ensemble avoids the majority of these mistakes",
            measured: format!("{} of {entropy} are out of the box", entropy.saturating_sub(ensemble)),
            verdict: if entropy == 0 { Verdict::Undecided } else { Verdict::from(2 * ensemble < entropy) },
        };
        vec![underestimated, avoided, majority]
    }
}
