//! The appendix's table of Wilcoxon's signed-rank tests.

use super::{Figure, Jobs, large_scale, proposals, small_data};
use crate::claims::{Claim, Verdict};
use crate::ranks::{Asked, table};
use crate::scale::Scale;
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// The best method of each experiment against all others, at the last step that is shown.
pub(super) const FIGURE: Figure = Figure {
    name: "wilcoxon",
    title: "Wilcoxon's signed-rank tests of Figures 4, 6 and 8",
    jobs: Jobs::Of(&["4a", "4b", "6", "8"]),
    illustrated: None,
    scales: &Scale::ALL,
    pictures: &[],
    claims,
};

/// The rows of the paper's table, in its order.
pub(crate) const PUBLISHED: [Asked; 12] = [
    row("4 a", "MNIST", small_data::RADIAL_NAME, strategies::NETWORK, strategies::UNIFORM, 1000, 5.438e-61),
    row("4 a", "MNIST", small_data::RADIAL_NAME, strategies::NETWORK, strategies::FOREST, 1000, 7.069e-19),
    row("4 a", "MNIST", small_data::RADIAL_NAME, strategies::NETWORK, strategies::ENTROPY, 1000, 9.524e-20),
    row(
        "4 b",
        "Fashion-MNIST",
        small_data::RESIDUAL_NAME,
        strategies::FOREST,
        strategies::ENTROPY,
        1000,
        6.586e-125,
    ),
    row(
        "4 b",
        "Fashion-MNIST",
        small_data::RESIDUAL_NAME,
        strategies::FOREST,
        strategies::UNIFORM,
        1000,
        4.176e-31,
    ),
    row(
        "4 b",
        "Fashion-MNIST",
        small_data::RESIDUAL_NAME,
        strategies::FOREST,
        strategies::NETWORK,
        1000,
        4.249e-17,
    ),
    row(
        "4 b",
        "Fashion-MNIST",
        small_data::RESIDUAL_NAME,
        strategies::FOREST,
        strategies::ENSEMBLE,
        1000,
        4.254e-10,
    ),
    row(
        "6 a",
        "CIFAR-100",
        large_scale::CIFAR_100,
        strategies::ENSEMBLE,
        strategies::UNIFORM,
        500,
        3.010e-11,
    ),
    row("6 a", "CIFAR-10", large_scale::CIFAR_10, strategies::ENSEMBLE, strategies::UNIFORM, 500, 3.988e-76),
    row(
        "6 a",
        "Fashion-MNIST",
        large_scale::FASHION,
        strategies::ENSEMBLE,
        strategies::UNIFORM,
        500,
        2.457e-105,
    ),
    // The paper's table calls this figure 7.
    row("8 b", "Fashion-MNIST", proposals::NAME, strategies::ENTROPY, strategies::UNIFORM, 400, 2.801e-6),
    row("8 b", "Fashion-MNIST", proposals::NAME, strategies::ENTROPY, strategies::INFORMATION, 400, 8.779e-4),
];

const fn row(
    figure: &'static str,
    set: &'static str,
    experiment: &'static str,
    best: Strategy,
    other: Strategy,
    step: usize,
    p_value: f64,
) -> Asked {
    Asked { published: Some((step, p_value)), ..ours(figure, set, experiment, best, other) }
}

/// Our default against uniform draws, and against the paper's recipe with the same surrogate.
pub(crate) const OURS: [Asked; 14] = [
    ours("4 a", "MNIST", small_data::RADIAL_NAME, strategies::OURS_FOREST, strategies::UNIFORM),
    ours("4 a", "MNIST", small_data::RADIAL_NAME, strategies::OURS_FOREST, strategies::FOREST),
    ours("4 b", "Fashion-MNIST", small_data::RESIDUAL_NAME, strategies::OURS_FOREST, strategies::UNIFORM),
    ours("4 b", "Fashion-MNIST", small_data::RESIDUAL_NAME, strategies::OURS_FOREST, strategies::FOREST),
    ours("4 b", "Fashion-MNIST", small_data::RESIDUAL_NAME, strategies::OURS_ENSEMBLE, strategies::UNIFORM),
    ours("4 b", "Fashion-MNIST", small_data::RESIDUAL_NAME, strategies::OURS_ENSEMBLE, strategies::ENSEMBLE),
    ours("6 a", "CIFAR-100", large_scale::CIFAR_100, strategies::OURS_ENSEMBLE, strategies::UNIFORM),
    ours("6 a", "CIFAR-100", large_scale::CIFAR_100, strategies::OURS_ENSEMBLE, strategies::ENSEMBLE),
    ours("6 a", "CIFAR-10", large_scale::CIFAR_10, strategies::OURS_ENSEMBLE, strategies::UNIFORM),
    ours("6 a", "CIFAR-10", large_scale::CIFAR_10, strategies::OURS_ENSEMBLE, strategies::ENSEMBLE),
    ours("6 a", "Fashion-MNIST", large_scale::FASHION, strategies::OURS_ENSEMBLE, strategies::UNIFORM),
    ours("6 a", "Fashion-MNIST", large_scale::FASHION, strategies::OURS_ENSEMBLE, strategies::ENSEMBLE),
    ours("8 b", "Fashion-MNIST", proposals::NAME, strategies::OURS_OWN, strategies::UNIFORM),
    ours("8 b", "Fashion-MNIST", proposals::NAME, strategies::OURS_OWN, strategies::ENTROPY),
];

const fn ours(
    figure: &'static str,
    set: &'static str,
    experiment: &'static str,
    best: Strategy,
    other: Strategy,
) -> Asked {
    Asked { figure, set, experiment, best, other, published: None }
}

/// "We can always reject the null hypothesis at 5e-3 confidence level."
fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let of = |row: crate::ranks::Row| {
        Some(Claim {
            experiment: row.experiment,
            claim: "the null hypothesis is rejected at the level of 0.005",
            measured: format!(
                "{} against {} at step {}: p = {} ({} in the paper, at step {})",
                row.best,
                row.other,
                row.step,
                row.p_value_text(),
                row.published_text(),
                row.published_step.unwrap_or_default()
            ),
            verdict: if row.runs < 20 { Verdict::Undecided } else { row.verdict },
        })
    };
    table(&PUBLISHED, experiments).into_iter().map(of).collect()
}
