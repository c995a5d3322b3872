//! The strategies of the ablation figures: one for each depth and number of networks.

use super::strategies::{ENSEMBLE, OURS_ENSEMBLE};
use super::{Beliefs, Strategy};

/// How many networks an ensemble of the ablation has.
pub const SIZES: [usize; 4] = [1, 2, 3, 5];
/// The ablation: one row for each number of layers, one column for each number of networks.
pub const ABLATION: [[Strategy; 4]; 3] = [
    [
        ensemble(0, "resnet_18_x1_lure", "1 ResNet-18"),
        ensemble(1, "resnet_18_x2_lure", "2 ResNet-18"),
        ensemble(2, "resnet_18_x3_lure", "3 ResNet-18"),
        ensemble(3, "resnet_18_x5_lure", "5 ResNet-18"),
    ],
    [
        ensemble(4, "resnet_34_x1_lure", "1 ResNet-34"),
        ensemble(5, "resnet_34_x2_lure", "2 ResNet-34"),
        ensemble(6, "resnet_34_x3_lure", "3 ResNet-34"),
        ensemble(7, "resnet_34_x5_lure", "5 ResNet-34"),
    ],
    [
        ensemble(8, "resnet_50_x1_lure", "1 ResNet-50"),
        ensemble(9, "resnet_50_x2_lure", "2 ResNet-50"),
        ensemble(10, "resnet_50_x3_lure", "3 ResNet-50"),
        ensemble(11, "resnet_50_x5_lure", "5 ResNet-50"),
    ],
];
/// The ablation with our proposal and estimator.
pub const ABLATION_OURS: [[Strategy; 4]; 3] = [
    [
        ours(0, "labelwise_resnet_18_x1", "labelwise, 1 ResNet-18"),
        ours(1, "labelwise_resnet_18_x2", "labelwise, 2 ResNet-18"),
        ours(2, "labelwise_resnet_18_x3", "labelwise, 3 ResNet-18"),
        ours(3, "labelwise_resnet_18_x5", "labelwise, 5 ResNet-18"),
    ],
    [
        ours(4, "labelwise_resnet_34_x1", "labelwise, 1 ResNet-34"),
        ours(5, "labelwise_resnet_34_x2", "labelwise, 2 ResNet-34"),
        ours(6, "labelwise_resnet_34_x3", "labelwise, 3 ResNet-34"),
        ours(7, "labelwise_resnet_34_x5", "labelwise, 5 ResNet-34"),
    ],
    [
        ours(8, "labelwise_resnet_50_x1", "labelwise, 1 ResNet-50"),
        ours(9, "labelwise_resnet_50_x2", "labelwise, 2 ResNet-50"),
        ours(10, "labelwise_resnet_50_x3", "labelwise, 3 ResNet-50"),
        ours(11, "labelwise_resnet_50_x5", "labelwise, 5 ResNet-50"),
    ],
];
/// The ablation of published networks: rows begin with networks of one architecture and three depths, columns add networks of
/// other architectures.
pub const ABLATION_PUBLISHED: [[Strategy; 4]; 3] = [
    [
        ensemble(0, "shallow_x1_lure", "shallow"),
        ensemble(1, "shallow_x2_lure", "shallow + 1 other"),
        ensemble(2, "shallow_x3_lure", "shallow + 2 others"),
        ensemble(3, "shallow_x4_lure", "shallow + 3 others"),
    ],
    [
        ensemble(4, "medium_x1_lure", "medium"),
        ensemble(5, "medium_x2_lure", "medium + 1 other"),
        ensemble(6, "medium_x3_lure", "medium + 2 others"),
        ensemble(7, "medium_x4_lure", "medium + 3 others"),
    ],
    [
        ensemble(8, "deep_x1_lure", "deep"),
        ensemble(9, "deep_x2_lure", "deep + 1 other"),
        ensemble(10, "deep_x3_lure", "deep + 2 others"),
        ensemble(11, "deep_x4_lure", "deep + 3 others"),
    ],
];
/// The same with our proposal and estimator.
pub const ABLATION_PUBLISHED_OURS: [[Strategy; 4]; 3] = [
    [
        ours(0, "labelwise_shallow_x1", "labelwise, shallow"),
        ours(1, "labelwise_shallow_x2", "labelwise, shallow + 1 other"),
        ours(2, "labelwise_shallow_x3", "labelwise, shallow + 2 others"),
        ours(3, "labelwise_shallow_x4", "labelwise, shallow + 3 others"),
    ],
    [
        ours(4, "labelwise_medium_x1", "labelwise, medium"),
        ours(5, "labelwise_medium_x2", "labelwise, medium + 1 other"),
        ours(6, "labelwise_medium_x3", "labelwise, medium + 2 others"),
        ours(7, "labelwise_medium_x4", "labelwise, medium + 3 others"),
    ],
    [
        ours(8, "labelwise_deep_x1", "labelwise, deep"),
        ours(9, "labelwise_deep_x2", "labelwise, deep + 1 other"),
        ours(10, "labelwise_deep_x3", "labelwise, deep + 2 others"),
        ours(11, "labelwise_deep_x4", "labelwise, deep + 3 others"),
    ],
];

const fn ensemble(place: usize, key: &'static str, name: &'static str) -> Strategy {
    Strategy { key, name, beliefs: Beliefs::Ensemble(place), ..ENSEMBLE }
}

const fn ours(place: usize, key: &'static str, name: &'static str) -> Strategy {
    Strategy { key, name, beliefs: Beliefs::Ensemble(place), ..OURS_ENSEMBLE }
}
