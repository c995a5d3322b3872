//! Networks as data: which set, which architecture, trained on what and how. A recipe is all that a network depends on,
//! and what its archive says it was made by.

mod scales;

pub(crate) use scales::{DEPTHS, Networks, OTHERS, published};

use labelwise_images::{Part, Set};
use serde::{Deserialize, Serialize};

/// A network to be trained, and the items it is to be tested on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The images.
    pub set: Set,
    /// What it learns from, and what it is tested on.
    pub split: Split,
    /// What it is.
    pub network: Network,
    /// How it learns.
    pub training: Training,
    /// The seed of its weights and of everything random while it learns.
    pub seed: u64,
    /// Significant bits that its archive has of each probability, of the 24 of an f32: archives that are to be passed
    /// around are smaller with fewer.
    pub bits: u32,
    /// Whether its archive has what every sample of its weights predicts, or their mean alone.
    pub members: bool,
}

/// Which images are learnt from, and which are tested on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Where they come from.
    pub kind: Kind,
    /// How many images are learnt from, those for validation among them.
    pub train: usize,
    /// How many images are tested on.
    pub test: usize,
    /// The seed of the choice, which is stratified by class.
    pub seed: u64,
}

/// Where the images of a split come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// As the set's makers split it.
    Original,
    /// Both parts together, split at random.
    Redrawn,
}

/// An architecture, wider or narrower than its makers had it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// The architecture.
    pub family: Family,
    /// Factor of its numbers of channels.
    pub width: f64,
}

/// Architectures of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// ResNet-18 with a 3x3 stem.
    #[serde(rename = "resnet-18")]
    ResNet18,
    /// ResNet-34 with a 3x3 stem.
    #[serde(rename = "resnet-34")]
    ResNet34,
    /// ResNet-50 with a 3x3 stem.
    #[serde(rename = "resnet-50")]
    ResNet50,
    /// WideResNet of depth 40.
    #[serde(rename = "wide-resnet-40")]
    WideResNet40 {
        /// So many times as wide as a plain residual network.
        widen: usize,
    },
    /// The Bayesian network of two convolutions with a radial posterior.
    RadialBnn {
        /// Samples of the posterior a step of training.
        train_samples: usize,
        /// Samples of the posterior a prediction.
        test_samples: usize,
    },
    /// A network, or an ensemble, that somebody else trained: its predictions are given as an archive.
    Given(Role),
}

/// What a given network is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It is under test.
    Model,
    /// It is a surrogate, the one of this number from 1.
    Surrogate(usize),
}

/// How a network learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// What moves its weights.
    pub optimiser: Optimiser,
    /// How the learning rate changes over the epochs.
    pub rate: Rate,
    /// Images per step.
    pub batch: usize,
    /// Maximum number of epochs.
    pub epochs: usize,
    /// Number of epochs without a better validation loss after which training stops; the best weights are kept.
    pub patience: Option<usize>,
    /// Images of the training set that are not learnt from but looked at after every epoch.
    pub validation: usize,
    /// Whether images are cropped and flipped at random.
    pub augmented: bool,
}

/// What moves weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// Stochastic gradient descent.
    Sgd {
        /// The learning rate.
        rate: f64,
        /// Momentum.
        momentum: f64,
        /// Weight decay.
        weight_decay: f64,
        /// Whether steps look ahead by the momentum. Archives that were made before there was a choice do not.
        #[serde(default, skip_serializing_if = "is_false")]
        nesterov: bool,
    },
    /// Adam.
    Adam {
        /// The learning rate.
        rate: f64,
        /// Weight decay.
        weight_decay: f64,
    },
}

/// How the learning rate changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rate {
    /// Not at all.
    Constant,
    /// Half a cosine from its value to 0 over all epochs.
    Cosine,
    /// By a factor after each of these epochs.
    Steps {
        /// The numbers of epochs.
        at: Vec<usize>,
        /// The factor.
        factor: f64,
    },
    /// By steps: up along a line, then half a cosine down to 0.
    WarmCosine {
        /// The share of all steps that it goes up for.
        warm: f64,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Family {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ResNet18 => "resnet-18",
            Self::ResNet34 => "resnet-34",
            Self::ResNet50 => "resnet-50",
            Self::WideResNet40 { .. } => "wide-resnet-40",
            Self::RadialBnn { .. } => "radial-bnn",
            Self::Given(_) => "given",
        }
    }
}

impl Network {
    /// Its name in files, with the width where it is not 1.
    pub fn name(self) -> String {
        let family = self.family.name();
        if self.width == 1.0 { family.to_owned() } else { format!("{family}-x{}", self.width) }
    }
}

impl Recipe {
    /// A network that somebody else trained, and that is tested on the set's own test images.
    pub fn given(set: Set, role: Role) -> Self {
        // Nothing is known of its training, and nothing of this is compared with its archive.
        let training = Training {
            optimiser: Optimiser::Sgd { rate: 0.0, momentum: 0.0, weight_decay: 0.0, nesterov: false },
            rate: Rate::Constant,
            batch: 0,
            epochs: 0,
            patience: None,
            validation: 0,
            augmented: false,
        };
        Self {
            set,
            split: Split { kind: Kind::Original, train: 0, test: set.published(Part::Test), seed: 0 },
            network: Network { family: Family::Given(role), width: 1.0 },
            training,
            seed: 0,
            bits: 24,
            members: false,
        }
    }

    /// Whether somebody else trained it.
    pub fn is_given(&self) -> bool {
        matches!(self.network.family, Family::Given(_))
    }

    /// The name of its archive's file.
    pub fn file(&self) -> String {
        let Self { set, split, network, training, seed, .. } = self;
        match network.family {
            Family::Given(Role::Model) => return format!("{}_published_model.parquet", set.name()),
            Family::Given(Role::Surrogate(place)) => {
                return format!("{}_published_surrogate-{place}.parquet", set.name());
            }
            _ => {}
        }
        let samples = match network.family {
            Family::RadialBnn { test_samples, .. } => format!("_{test_samples}-samples"),
            _ => String::new(),
        };
        let augmented = if training.augmented { "-augmented" } else { "" };
        let drawn = match split.kind {
            Kind::Original => String::new(),
            Kind::Redrawn => format!("-split-{}", split.seed),
        };
        let (set, network) = (set.name(), network.name());
        let (images, held_out, epochs) = (split.train, training.validation, training.epochs);
        format!(
            "{set}_{network}{samples}_{images}-images{augmented}-{held_out}-held-out{drawn}_{epochs}-epochs_network-{seed}.parquet"
        )
    }

    /// How many members its archive has.
    pub fn member_count(&self) -> usize {
        match self.network.family {
            Family::RadialBnn { test_samples, .. } if self.members => test_samples,
            _ => 1,
        }
    }

    /// The same with another seed.
    pub fn seeded(&self, seed: u64) -> Self {
        Self { seed, ..self.clone() }
    }

    /// All of it in one line, as archives have it.
    pub fn text(&self) -> String {
        // Names and numbers always fit into JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}
