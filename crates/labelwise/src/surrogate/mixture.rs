//! Beliefs that are an average over components, and what the components expect of losses that were not seen.
//!
//! The variance that a belief expects of an estimate is linear in the weights of its components. Each refresh keeps a few
//! sums per component over the items that can be drawn; with them, no question about labels reads the pool.

use super::Observed;
use crate::error::Result;
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
}

/// What a refresh keeps of the components of its belief.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MixtureSums {
    /// Draws that were made before the refresh.
    pub drawn: usize,
    /// Σ w.
    pub mass: f64,
    /// Σ h.
    pub control: f64,
    /// Σ h² / w.
    pub control_square: f64,
    /// Sums by component.
    pub components: Vec<ComponentSums>,
}

impl MixtureSums {
    /// Variance of one draw's Σ-estimate of the remaining losses, as the components with these weights expect it:
    /// Σ w · Σ (g2 − 2 h g + h²)/w − (Σ (g − h))².
    pub fn draw_variance(&self, weights: &[f64]) -> f64 {
        let (mut second, mut cross, mut first) = (0.0, 0.0, 0.0);
        for (component, weight) in self.components.iter().zip(weights) {
            second += weight * component.second;
            cross += weight * component.cross;
            first += weight * component.first;
        }
        let square = self.mass * (second - 2.0 * cross + self.control_square);
        (square - (first - self.control).powi(2)).max(0.0)
    }

    /// The loss that the components with these weights expect of all items together.
    pub fn expected(&self, weights: &[f64]) -> f64 {
        self.components.iter().zip(weights).map(|(component, weight)| weight * component.first).sum()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.control += other.control;
        self.control_square += other.control_square;
        for (sum, part) in self.components.iter_mut().zip(&other.components) {
            sum.first += part.first;
            sum.second += part.second;
            sum.cross += part.cross;
        }
    }
}

/// A surrogate whose beliefs are an average over components, weighted by the labels seen.
pub trait Mixture<T: Task>: Send + Sync {
    /// The sums over the open items under the weights of a proposal that was made from the beliefs of the last update.
    fn sums(&self, pool: &Pool<T>, open: &[bool], weights: &[f64]) -> Result<MixtureSums>;
    /// The components' weights for intervals, by the labels told so far.
    fn interval_weights(&self, observed: Observed<'_, T>) -> Result<Vec<f64>>;
    /// Σ over items of the loss that the components with these weights expect.
    fn expected(&self, pool: &Pool<T>, items: &[usize], weights: &[f64]) -> Result<f64>;
}
