//! Every curve of the paper's figures, and ours.

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
/// Draws by the model's own entropy without weights, biased on purpose.
pub const ENTROPY_IID: Curve = curve("own_entropy_iid", "own entropy", IID);
/// Draws by mutual information, which active learning seeks.
pub const INFORMATION: Curve = curve("mutual_information_lure", "mutual information", LURE);
/// Draws by the loss that a network of the model's kind expects, which is trained again on a schedule.
pub const NETWORK: Curve = curve("network_surrogate_lure", "network surrogate", LURE);
/// Draws by the loss that networks of the model's kind expect on average, which were trained once.
pub const ENSEMBLE: Curve = curve("train_ensemble_lure", "train ensemble", LURE);
/// Our default proposal and estimator, with the model as its own surrogate.
pub const OURS_OWN: Curve = ours("labelwise_own", "labelwise, own beliefs");
/// The same with the retrained network.
pub const OURS_NETWORK: Curve = ours("labelwise_network", "labelwise, network surrogate");
/// The same with the retrained forest.
pub const OURS_FOREST: Curve = ours("labelwise_forest", "labelwise, forest surrogate");
/// The same with the ensemble.
pub const OURS_ENSEMBLE: Curve = ours("labelwise_ensemble", "labelwise, train ensemble");

const fn ours(key: &'static str, acquisition: &'static str) -> Curve {
    Curve { key, acquisition, estimator: OURS.estimator, symbol: OURS.symbol }
}

/// How many networks an ensemble of the ablation has.
pub const SIZES: [usize; 4] = [1, 2, 3, 5];
/// Layers of its networks.
pub const LAYERS: [usize; 3] = [18, 34, 50];
/// The ablation: a row a number of layers, a column a number of networks.
pub const ABLATION: [[Curve; 4]; 3] = [
    [
        curve("resnet_18_x1_lure", "1 ResNet-18", LURE),
        curve("resnet_18_x2_lure", "2 ResNet-18", LURE),
        curve("resnet_18_x3_lure", "3 ResNet-18", LURE),
        curve("resnet_18_x5_lure", "5 ResNet-18", LURE),
    ],
    [
        curve("resnet_34_x1_lure", "1 ResNet-34", LURE),
        curve("resnet_34_x2_lure", "2 ResNet-34", LURE),
        curve("resnet_34_x3_lure", "3 ResNet-34", LURE),
        curve("resnet_34_x5_lure", "5 ResNet-34", LURE),
    ],
    [
        curve("resnet_50_x1_lure", "1 ResNet-50", LURE),
        curve("resnet_50_x2_lure", "2 ResNet-50", LURE),
        curve("resnet_50_x3_lure", "3 ResNet-50", LURE),
        curve("resnet_50_x5_lure", "5 ResNet-50", LURE),
    ],
];
/// The ablation with our default proposal and estimator.
pub const ABLATION_OURS: [[Curve; 4]; 3] = [
    [
        ours("labelwise_resnet_18_x1", "labelwise, 1 ResNet-18"),
        ours("labelwise_resnet_18_x2", "labelwise, 2 ResNet-18"),
        ours("labelwise_resnet_18_x3", "labelwise, 3 ResNet-18"),
        ours("labelwise_resnet_18_x5", "labelwise, 5 ResNet-18"),
    ],
    [
        ours("labelwise_resnet_34_x1", "labelwise, 1 ResNet-34"),
        ours("labelwise_resnet_34_x2", "labelwise, 2 ResNet-34"),
        ours("labelwise_resnet_34_x3", "labelwise, 3 ResNet-34"),
        ours("labelwise_resnet_34_x5", "labelwise, 5 ResNet-34"),
    ],
    [
        ours("labelwise_resnet_50_x1", "labelwise, 1 ResNet-50"),
        ours("labelwise_resnet_50_x2", "labelwise, 2 ResNet-50"),
        ours("labelwise_resnet_50_x3", "labelwise, 3 ResNet-50"),
        ours("labelwise_resnet_50_x5", "labelwise, 5 ResNet-50"),
    ],
];
