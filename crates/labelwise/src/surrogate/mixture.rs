//! Beliefs that are an average over components, and what the components expect of losses that were not seen.
//!
//! The variance that a belief expects of an estimate is linear in the weights of its components. Each refresh keeps a few
//! sums per component over the items that can be drawn; with them, no question about labels reads the pool.

use std::sync::Arc;

use super::Observed;
use crate::error::Result;
use crate::estimator::Controls;
use crate::ledger::{BeliefExpectation, Draw};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::pool::Pool;
use crate::task::Task;

/// Sums of one component over the items that could be drawn at a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ComponentSums {
    /// Σ G1, where G1 is E(ℒ) under the component.
    pub first: f64,
    /// Σ G2 / w, where G2 is E(ℒ²) under the component and w the weight of the item.
    pub second: f64,
    /// Σ h G1 / w, where h is the control: E(ℒ) under the belief that made the proposal.
    pub cross: f64,
    /// Σ G2.
    pub square: f64,
}

/// Further sums of a refresh whose control is not trusted to have the size of the losses: with them, the variance of a draw
/// is known for any weights of the controls that an estimate fits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FittedSums {
    /// Σ 1 / w.
    pub inverse: f64,
    /// Σ h / w.
    pub control: f64,
    /// Σ G1 / w of each component.
    pub firsts: Vec<f64>,
    /// Added to every variance that was given.
    pub offset: f64,
}

/// The range of gains that a forecast names leaves out this much weight at either end.
const LEFT_OUT: f64 = 0.1;

/// What a refresh keeps of the components of its belief.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MixtureSums {
    /// Draws that were made before the refresh.
    pub drawn: usize,
    /// Items that can be drawn.
    pub items: usize,
    /// Σ w.
    pub mass: f64,
    /// Σ h.
    pub control: f64,
    /// Σ h² / w.
    pub control_square: f64,
    /// Sums by component.
    pub components: Vec<ComponentSums>,
    /// Further sums, where an estimate fits the size of the control.
    pub fitted: Option<FittedSums>,
    /// The whole proposal, for beliefs whose components are not fixed in advance.
    pub proposal: Option<Arc<KeptProposal>>,
}

/// A proposal, and the belief that made it.
#[derive(Debug, Clone)]
pub struct KeptProposal {
    /// One weight per item; 0 for items that could not be drawn.
    pub weights: Vec<f64>,
    /// The belief about each item.
    pub beliefs: Matrix,
}

impl PartialEq for KeptProposal {
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights
    }
}

/// What a belief expects of one draw's Σ-estimate of the losses that were left at a refresh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedDraw {
    /// Σ w.
    pub mass: f64,
    /// Σ (g2 − 2 h g + h²)/w.
    pub second: f64,
    /// Σ (g − h).
    pub first: f64,
    /// What other weights of the controls change.
    pub fitted: Option<FittedDraw>,
}

/// Sums that the fitted weights of the controls multiply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FittedDraw {
    /// Number of items.
    items: f64,
    /// Σ h.
    control: f64,
    /// Σ (g − h) h/w and Σ (g − h)/w.
    cross: (f64, f64),
    /// Σ h²/w, Σ h/w and Σ 1/w.
    squares: (f64, f64, f64),
}

impl ExpectedDraw {
    /// Σ w · Σ E(ℒ − b1 h − b0)²/w − (Σ (g − b1 h − b0))². Unless the control's size is fitted, b1 = 1 and b0 = 0.
    pub fn variance(&self, controls: Option<Controls>) -> f64 {
        let Self { mass, mut second, mut first, fitted } = *self;
        if let Some((Controls { b0, b1 }, fitted)) = controls.zip(fitted) {
            let FittedDraw { items, control, cross: (of_h, of_one), squares: (hh, h, one) } = fitted;
            let more = b1 - 1.0;
            second -= 2.0 * (more * of_h + b0 * of_one);
            second += more * more * hh + 2.0 * more * b0 * h + b0 * b0 * one;
            first -= more * control + b0 * items;
        }
        (mass * second - first * first).max(0.0)
    }
}

impl MixtureSums {
    /// What the components with these weights expect of one draw.
    pub fn draw(&self, weights: &[f64]) -> ExpectedDraw {
        let (mut second, mut cross, mut first) = (0.0, 0.0, 0.0);
        for (component, weight) in self.components.iter().zip(weights) {
            second += weight * component.second;
            cross += weight * component.cross;
            first += weight * component.first;
        }
        let fitted = self.fitted.as_ref().map(|fitted| {
            let firsts: f64 = fitted.firsts.iter().zip(weights).map(|(first, weight)| first * weight).sum();
            FittedDraw {
                items: self.items as f64,
                control: self.control,
                cross: (cross - self.control_square, firsts - fitted.control),
                squares: (self.control_square, fitted.control, fitted.inverse),
            }
        });
        let second = second - 2.0 * cross + self.control_square;
        ExpectedDraw { mass: self.mass, second, first: first - self.control, fitted }
    }

    /// The loss that the components with these weights expect of all items together.
    pub fn expected(&self, weights: &[f64]) -> f64 {
        self.components.iter().zip(weights).map(|(component, weight)| weight * component.first).sum()
    }

    /// The range of the number of uniformly sampled labels that one label is worth: the smallest and the largest that a
    /// component expects, without the tenth of the weight at either end. `None` where no component expects errors.
    pub fn gain_range(&self, weights: &[f64]) -> Option<(f64, f64)> {
        let components = self.components.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let mut gains: Vec<(f64, f64)> =
            components.filter_map(|(component, weight)| Some((self.gain(component)?, *weight))).collect();
        gains.sort_by(|one, other| one.0.total_cmp(&other.0));
        let total: f64 = gains.iter().map(|(_, weight)| weight).sum();
        let quantile = |share: f64| {
            let mut below = 0.0;
            let reached = |(_, weight): &&(f64, f64)| {
                below += weight;
                below >= share * total
            };
            gains.iter().find(reached).or(gains.last()).map(|(gain, _)| *gain)
        };
        quantile(LEFT_OUT).zip(quantile(1.0 - LEFT_OUT))
    }

    /// Variance of uniform sampling over that of the proposal, with the control of the best slope, as a component expects.
    fn gain(&self, component: &ComponentSums) -> Option<f64> {
        let items = self.items as f64;
        let uniform = items * component.square - component.first.powi(2);
        // Σ (G2 − 2 b h G1 + b² h²)/w is least at this b. A control that explains more than it costs is not dropped.
        let slope = if self.control_square > 0.0 { component.cross / self.control_square } else { 0.0 };
        let second = component.second - slope * component.cross;
        let active = self.mass * second - (component.first - slope * self.control).powi(2);
        (uniform > 0.0 && active > 0.0).then(|| uniform / active)
    }
}

/// A surrogate whose beliefs are an average over components, weighted by the labels seen.
pub trait Mixture<T: Task>: Send + Sync {
    /// The sums over the open items under the weights of a proposal that was made from the beliefs of the last update.
    fn sums(&self, pool: &Pool<T>, open: &[bool], weights: &[f64]) -> Result<MixtureSums>;
    /// The same sums for other losses of the same items, from the same proposal; nothing where the belief does not have them.
    fn sums_by(
        &self,
        _pool: &Pool<T>,
        _open: &[bool],
        _weights: &[f64],
        _losses: &[&dyn Loss<T>],
    ) -> Result<Vec<MixtureSums>> {
        Ok(Vec::new())
    }
    /// The components' weights for intervals, by the labels told so far.
    fn interval_weights(&self, observed: Observed<'_, T>) -> Result<Vec<f64>>;
    /// Σ over items of the loss that the components with these weights expect.
    fn expected(&self, pool: &Pool<T>, items: &[usize], weights: &[f64]) -> Result<f64>;
    /// What the belief, brought up to date with all labels, expects of the estimate from these draws.
    fn expectation(
        &self,
        observed: Observed<'_, T>,
        refreshes: &[MixtureSums],
        draws: &[Draw],
        loss: &dyn Loss<T>,
    ) -> Result<Option<BeliefExpectation>> {
        let weights = self.interval_weights(observed)?;
        let expected = |since: &[Draw]| {
            let items: Vec<usize> = since.iter().map(|draw| draw.index).collect();
            self.expected(observed.pool, &items, &weights)
        };
        BeliefExpectation::new(refreshes, draws, &weights, loss.outcomes(), expected)
    }
}
