//! What is followed over a run: how items were drawn, and how the risk was estimated from them.

use serde::Serialize;

/// A way of drawing with a way of estimating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Curve {
    /// Its column in files of traces.
    pub key: &'static str,
    /// How items were drawn.
    pub acquisition: &'static str,
    /// How the risk was estimated, in words.
    pub estimator: &'static str,
    /// The estimator's symbol, as plots have it.
    #[serde(skip)]
    pub symbol: &'static str,
}

/// One column of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// What it follows.
    pub curve: Curve,
    /// How many steps.
    pub steps: usize,
    /// What its values are.
    pub values: Values,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Estimates of the pool risk.
    Estimates,
    /// Queries made until so many different items were seen.
    Queries,
}

impl Curve {
    /// Acquisition and estimator in words.
    pub fn title(self) -> String {
        format!("{}, {}", self.acquisition, self.estimator)
    }

    /// A column of its estimates.
    pub fn estimates(self, steps: usize) -> Column {
        Column { curve: self, steps, values: Values::Estimates }
    }

    /// A column of its queries.
    pub fn queries(self, steps: usize) -> Column {
        Column { curve: self, steps, values: Values::Queries }
    }
}

/// Every curve of the paper's synthetic figures, and ours.
pub mod curves {
    use super::Curve;

    const LURE: (&str, &str) = ("LURE", "R̂_{LURE}");
    const IID: (&str, &str) = ("plain mean", "R̂_{iid}");
    const IS: (&str, &str) = ("importance sampling", "R̂_{IS}");
    const HH: (&str, &str) = ("Hansen-Hurwitz", "R̂_{HH}");

    const fn curve(
        key: &'static str,
        acquisition: &'static str,
        estimator: (&'static str, &'static str),
    ) -> Curve {
        Curve { key, acquisition, estimator: estimator.0, symbol: estimator.1 }
    }

    /// Uniform draws, plain mean: what active testing is compared with.
    pub const UNIFORM: Curve = curve("uniform_iid", "uniform", IID);
    /// Draws by the true loss, which only an oracle knows.
    pub const TRUE_LOSS: Curve = curve("true_loss_lure", "true loss", LURE);
    /// Draws by the distance to the observed points.
    pub const DISTANCE: Curve = curve("distance_lure", "distance", LURE);
    /// Draws by the loss that the retrained Gaussian process expects.
    pub const PROCESS: Curve = curve("gp_surrogate_lure", "GP surrogate", LURE);
    /// The same draws without weights, biased on purpose.
    pub const PROCESS_IID: Curve = curve("gp_surrogate_iid", "GP surrogate", IID);
    /// Draws by the model's own predictive variance.
    pub const UNCERTAINTY: Curve = curve("gp_uncertainty_lure", "GP uncertainty", LURE);
    /// Draws by the loss that the retrained forest expects.
    pub const FOREST: Curve = curve("forest_surrogate_lure", "forest surrogate", LURE);
    /// The same draws without weights, biased on purpose.
    pub const FOREST_IID: Curve = curve("forest_surrogate_iid", "forest surrogate", IID);
    /// Draws by the model's own entropy.
    pub const ENTROPY: Curve = curve("own_entropy_lure", "own entropy", LURE);
    /// Our default proposal and estimator, with the same surrogate as the paper's curve.
    pub const OURS: Curve = Curve {
        key: "labelwise_default",
        acquisition: "labelwise",
        estimator: "regression LURE",
        symbol: "R̂_{REG}",
    };
    /// Active risk estimation at its best: with the oracle's risk and labels.
    pub const ARE_OPTIMAL: Curve = curve("are_optimal_is", "ARE, optimal", IS);
    /// The same, counted in different items seen.
    pub const ARE_OPTIMAL_NOVEL: Curve = curve("are_optimal_novel_is", "ARE, optimal, by items", IS);
    /// How many queries that took.
    pub const ARE_OPTIMAL_QUERIES: Curve = curve("are_optimal_queries", "ARE, optimal", IS);
    /// The optimum with the known normaliser in place of an estimated one.
    pub const ARE_OPTIMAL_KNOWN: Curve = curve("are_optimal_hh", "ARE, optimal", HH);
    /// The optimum drawn without replacement, by importance sampling.
    pub const ARE_REMOVED: Curve = curve("are_without_replacement_is", "ARE without replacement", IS);
    /// The optimum drawn without replacement, by the plain mean.
    pub const ARE_REMOVED_IID: Curve = curve("are_without_replacement_iid", "ARE without replacement", IID);
    /// Active risk estimation as it can be done, with the model's own beliefs.
    pub const ARE: Curve = curve("are_is", "ARE", IS);
    /// The same with the known normaliser in place of an estimated one.
    pub const ARE_KNOWN: Curve = curve("are_hh", "ARE", HH);
    /// The same, counted in different items seen.
    pub const ARE_NOVEL: Curve = curve("are_novel_is", "ARE, by items", IS);
    /// How many queries that took.
    pub const ARE_QUERIES: Curve = curve("are_queries", "ARE", IS);
}
