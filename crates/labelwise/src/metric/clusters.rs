//! How far the pool itself may be from its population: the part of the variance that no label of the pool takes away.
//!
//! To first order the metric of the pool is off by (1/N) Σ u_i. With items drawn one by one from the population, the
//! variance of that is mean(u²) / N. With groups drawn (several items of one document or person), sums over a group vary
//! together: the variance is Σ_g (Σ_{i ∈ g} u_i)² / N², times G / (G − 1) as for any variance about an estimate. The
//! squares of single items are a mean again; products of two items of one group are estimated by the pairs that were
//! both labelled, with the product of their weights times M (N − 1) / (N (M − 1)), exact for uniform draws and for all.

use std::collections::BTreeMap;

/// A variance with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BetweenGroups {
    pub(super) variance: f64,
    pub(super) freedom: f64,
    /// Groups with a label, where there are groups.
    pub(super) groups: Option<usize>,
}

/// The variance of the pool's metric about the population's. `weighted` has w_m and u_m of each draw, w summing to about 1.
pub(super) fn between(weighted: &[(f64, f64)], groups: Option<&[usize]>, pool_size: usize) -> BetweenGroups {
    let (count, n) = (weighted.len() as f64, pool_size as f64);
    let mass: f64 = weighted.iter().map(|(w, _)| w).sum();
    let single = weighted.iter().map(|(w, u)| w * u * u).sum::<f64>() / mass / n;
    let most = (count - 1.0).max(1.0);
    let Some(groups) = groups else {
        return BetweenGroups { variance: single, freedom: most, groups: None };
    };
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (&group, (w, u)) in groups.iter().zip(weighted) {
        let sum = sums.entry(group).or_default();
        sum.0 += w * u / mass;
        sum.1 += (w * u / mass).powi(2);
    }
    let seen = sums.len() as f64;
    let pairs: f64 = sums.values().map(|(sum, squares)| sum * sum - squares).sum();
    let pairs = if count > 1.0 { pairs * count * (n - 1.0) / (n * (count - 1.0)) } else { 0.0 };
    // Groups widen: a negative sum of products is taken for the noise that it nearly always is.
    let variance = (single + pairs.max(0.0)) * seen / (seen - 1.0).max(1.0);
    let squares: Vec<f64> = sums.values().map(|(sum, _)| sum * sum).collect();
    let total: f64 = squares.iter().sum();
    let rest = squares.iter().map(|x| x * x).sum::<f64>() - total * total / seen;
    let freedom = if rest > 0.0 { 2.0 * total * total / rest } else { most };
    let freedom = freedom.clamp(1.0, (seen - 1.0).max(1.0));
    BetweenGroups { variance, freedom, groups: Some(sums.len()) }
}
