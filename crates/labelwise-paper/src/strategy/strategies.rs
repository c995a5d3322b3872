//! Every strategy of the paper's figures, ours, and those of later work.

use labelwise_plot::{Colour, Dash};

use super::{Beliefs, EstimatorKind, Look, Origin, Proposal, Strategy};

/// Uniform draws, plain mean: what active testing is compared with.
pub const UNIFORM: Strategy = Strategy {
    key: "uniform_iid",
    name: "uniform",
    beliefs: Beliefs::Model,
    proposal: Proposal::Uniform,
    estimator: EstimatorKind::Iid,
    look: look(Colour::Vermilion, Dash::Solid),
    origin: Origin::Paper,
};
/// Draws by the true loss, which only an oracle knows.
pub const TRUE_LOSS: Strategy = Strategy {
    key: "true_loss_lure",
    name: "true loss",
    beliefs: Beliefs::Model,
    proposal: Proposal::TrueLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Black, Dash::Dotted),
    origin: Origin::Oracle,
};
/// Draws by the distance to the observed points.
pub const DISTANCE: Strategy = Strategy {
    key: "distance_lure",
    name: "distance",
    beliefs: Beliefs::Model,
    proposal: Proposal::Distance,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Orange, Dash::DashDot),
    origin: Origin::Paper,
};
/// Draws by the loss that the retrained Gaussian process expects.
pub const PROCESS: Strategy = Strategy {
    key: "gp_surrogate_lure",
    name: "GP surrogate",
    beliefs: Beliefs::Process,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Blue, Dash::Solid),
    origin: Origin::Paper,
};
/// The same draws without weights, biased on purpose.
pub const PROCESS_IID: Strategy = Strategy {
    key: "gp_surrogate_iid",
    name: "GP surrogate",
    beliefs: Beliefs::Process,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Iid,
    look: look(Colour::Grey, Dash::Dotted),
    origin: Origin::Paper,
};
/// Draws by the model's own predictive variance.
pub const UNCERTAINTY: Strategy = Strategy {
    key: "gp_uncertainty_lure",
    name: "GP uncertainty",
    beliefs: Beliefs::Model,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::SkyBlue, Dash::Dashed),
    origin: Origin::Paper,
};
/// Draws by the loss that the retrained forest expects.
pub const FOREST: Strategy = Strategy {
    key: "forest_surrogate_lure",
    name: "forest surrogate",
    beliefs: Beliefs::Forest,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Blue, Dash::Solid),
    origin: Origin::Paper,
};
/// The same draws without weights, biased on purpose.
pub const FOREST_IID: Strategy = Strategy {
    key: "forest_surrogate_iid",
    name: "forest surrogate",
    beliefs: Beliefs::Forest,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Iid,
    look: look(Colour::Grey, Dash::Dotted),
    origin: Origin::Paper,
};
/// Draws by the model's own entropy, or by the loss that it expects of itself.
pub const ENTROPY: Strategy = Strategy {
    key: "own_entropy_lure",
    name: "own entropy",
    beliefs: Beliefs::Model,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::SkyBlue, Dash::Dashed),
    origin: Origin::Paper,
};
/// The same draws without weights, biased on purpose.
pub const ENTROPY_IID: Strategy = Strategy {
    key: "own_entropy_iid",
    name: "own entropy",
    beliefs: Beliefs::Model,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Iid,
    look: look(Colour::Grey, Dash::Dotted),
    origin: Origin::Paper,
};
/// Draws by mutual information, which active learning seeks.
pub const INFORMATION: Strategy = Strategy {
    key: "mutual_information_lure",
    name: "mutual information",
    beliefs: Beliefs::Model,
    proposal: Proposal::MutualInformation,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Orange, Dash::DashDot),
    origin: Origin::Paper,
};
/// Draws by the loss that a network of the model's kind expects, which is trained again on a schedule.
pub const NETWORK: Strategy = Strategy {
    key: "network_surrogate_lure",
    name: "network surrogate",
    beliefs: Beliefs::Network,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Orange, Dash::Solid),
    origin: Origin::Paper,
};
/// Draws by the loss that networks of the model's kind expect on average, which were trained once.
pub const ENSEMBLE: Strategy = Strategy {
    key: "train_ensemble_lure",
    name: "train ensemble",
    beliefs: Beliefs::Ensemble(0),
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Purple, Dash::Solid),
    origin: Origin::Paper,
};
/// Active risk estimation at its best: with the oracle's risk and labels.
pub const ARE_OPTIMAL: Strategy = Strategy {
    key: "are_optimal_is",
    name: "ARE, optimal",
    beliefs: Beliefs::Oracle,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Purple, Dash::Solid),
    origin: Origin::Oracle,
};
/// The same, counted in different items seen.
pub const ARE_OPTIMAL_NOVEL: Strategy = Strategy {
    key: "are_optimal_novel_is",
    name: "ARE, optimal, by items",
    beliefs: Beliefs::Oracle,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Purple, Dash::Solid),
    origin: Origin::Oracle,
};
/// How many queries that took.
pub const ARE_OPTIMAL_QUERIES: Strategy = Strategy {
    key: "are_optimal_queries",
    name: "ARE, optimal",
    beliefs: Beliefs::Oracle,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Purple, Dash::Solid),
    origin: Origin::Oracle,
};
/// The optimum with the known normaliser in place of an estimated one.
pub const ARE_OPTIMAL_KNOWN: Strategy = Strategy {
    key: "are_optimal_hh",
    name: "ARE, optimal",
    beliefs: Beliefs::Oracle,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::HansenHurwitz,
    look: look(Colour::Grey, Dash::Solid),
    origin: Origin::Oracle,
};
/// The optimum drawn without replacement, by importance sampling.
pub const ARE_REMOVED: Strategy = Strategy {
    key: "are_without_replacement_is",
    name: "ARE without replacement",
    beliefs: Beliefs::Oracle,
    proposal: Proposal::ActiveRisk,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Yellow, Dash::Solid),
    origin: Origin::Oracle,
};
/// The optimum drawn without replacement, by the plain mean.
pub const ARE_REMOVED_IID: Strategy = Strategy {
    key: "are_without_replacement_iid",
    name: "ARE without replacement",
    beliefs: Beliefs::Oracle,
    proposal: Proposal::ActiveRisk,
    estimator: EstimatorKind::Iid,
    look: look(Colour::Black, Dash::Solid),
    origin: Origin::Oracle,
};
/// Active risk estimation as it can be done, with the model's own beliefs.
pub const ARE: Strategy = Strategy {
    key: "are_is",
    name: "ARE",
    beliefs: Beliefs::Model,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Orange, Dash::Solid),
    origin: Origin::Paper,
};
/// The same with the known normaliser in place of an estimated one.
pub const ARE_KNOWN: Strategy = Strategy {
    key: "are_hh",
    name: "ARE",
    beliefs: Beliefs::Model,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::HansenHurwitz,
    look: look(Colour::Grey, Dash::Solid),
    origin: Origin::Paper,
};
/// The same, counted in different items seen.
pub const ARE_NOVEL: Strategy = Strategy {
    key: "are_novel_is",
    name: "ARE, by items",
    beliefs: Beliefs::Model,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Orange, Dash::Solid),
    origin: Origin::Paper,
};
/// How many queries that took.
pub const ARE_QUERIES: Strategy = Strategy {
    key: "are_queries",
    name: "ARE",
    beliefs: Beliefs::Model,
    proposal: Proposal::ActiveRiskReplaced,
    estimator: EstimatorKind::ImportanceSampling,
    look: look(Colour::Orange, Dash::Solid),
    origin: Origin::Paper,
};
/// Our proposal and estimator with the Gaussian process of the paper's strategy.
pub const OURS: Strategy = Strategy {
    key: "labelwise_default",
    name: "labelwise",
    beliefs: Beliefs::Process,
    proposal: Proposal::RootMeanSquare,
    estimator: EstimatorKind::RegressionLure,
    look: look(Colour::Green, Dash::Solid),
    origin: Origin::Later,
};
/// The same with the forest of two moons.
pub const OURS_MOONS: Strategy = Strategy {
    key: "labelwise_default",
    name: "labelwise",
    beliefs: Beliefs::Forest,
    proposal: Proposal::RootMeanSquare,
    estimator: EstimatorKind::RegressionLure,
    look: look(Colour::Green, Dash::Solid),
    origin: Origin::Later,
};
/// The same with the model as its own surrogate.
pub const OURS_OWN: Strategy = Strategy {
    key: "labelwise_own",
    name: "labelwise, own beliefs",
    beliefs: Beliefs::Model,
    proposal: Proposal::RootMeanSquare,
    estimator: EstimatorKind::RegressionLure,
    look: look(Colour::Green, Dash::Solid),
    origin: Origin::Later,
};
/// The same with the retrained network.
pub const OURS_NETWORK: Strategy = Strategy {
    key: "labelwise_network",
    name: "labelwise, network surrogate",
    beliefs: Beliefs::Network,
    proposal: Proposal::RootMeanSquare,
    estimator: EstimatorKind::RegressionLure,
    look: look(Colour::Green, Dash::DashDot),
    origin: Origin::Later,
};
/// The same with the retrained forest.
pub const OURS_FOREST: Strategy = Strategy {
    key: "labelwise_forest",
    name: "labelwise, forest surrogate",
    beliefs: Beliefs::Forest,
    proposal: Proposal::RootMeanSquare,
    estimator: EstimatorKind::RegressionLure,
    look: look(Colour::Green, Dash::Solid),
    origin: Origin::Later,
};
/// The same with the ensemble.
pub const OURS_ENSEMBLE: Strategy = Strategy {
    key: "labelwise_ensemble",
    name: "labelwise, train ensemble",
    beliefs: Beliefs::Ensemble(0),
    proposal: Proposal::RootMeanSquare,
    estimator: EstimatorKind::RegressionLure,
    look: look(Colour::Green, Dash::Dashed),
    origin: Origin::Later,
};
/// Active surrogate estimation: the same draws, and what the retrained Gaussian process itself says of the risk.
pub const ASE_PROCESS: Strategy = Strategy {
    key: "gp_surrogate_ase",
    name: "GP surrogate",
    beliefs: Beliefs::Process,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Surrogate,
    look: look(Colour::Purple, Dash::Dashed),
    origin: Origin::Later,
};
/// The same with the retrained forest.
pub const ASE_FOREST: Strategy = Strategy {
    key: "forest_surrogate_ase",
    name: "forest surrogate",
    beliefs: Beliefs::Forest,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Surrogate,
    look: look(Colour::Purple, Dash::Dashed),
    origin: Origin::Later,
};
/// The Thompson ensemble: every fit is of another family, with other hyperparameters.
pub const VARIED: Strategy = Strategy {
    key: "varied_surrogate_lure",
    name: "Thompson ensemble",
    beliefs: Beliefs::Varied,
    proposal: Proposal::ExpectedLoss,
    estimator: EstimatorKind::Lure,
    look: look(Colour::Orange, Dash::Dashed),
    origin: Origin::Later,
};

const fn look(colour: Colour, dash: Dash) -> Look {
    Look { colour, dash }
}
