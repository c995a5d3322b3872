//! Networks of this workspace as trainers.

use labelwise::{Classification, Learner};
use labelwise_deep as deep;
use labelwise_images::Set;

use super::{Heard, Trainer};
use crate::error::Result;
use crate::recipe::{Family, Network, Optimiser, Rate, Training};

/// Networks that are computed with burn.
pub(super) struct Burn;

impl Trainer for Burn {
    fn learner(
        &self,
        set: Set,
        network: &Network,
        training: &Training,
        heard: Heard,
    ) -> Result<Box<dyn Learner<Classification>>> {
        let made = || -> deep::Result<deep::Network> {
            let shape = set.shape();
            let shape = deep::Shape::new(shape.channels, shape.height, shape.width)?;
            deep::Network::new(architecture(network)?, shape, way(training))
        };
        let network = made().map_err(labelwise::Error::from)?;
        Ok(Box::new(network.progress(move |epoch| heard(epoch.epoch, epoch.of))))
    }
}

fn architecture(network: &Network) -> deep::Result<deep::Architecture> {
    let family = match network.family {
        Family::ResNet18 => deep::Family::ResNet18,
        Family::ResNet34 => deep::Family::ResNet34,
        Family::ResNet50 => deep::Family::ResNet50,
        Family::WideResNet40 { widen } => deep::Family::WideResNet { depth: 40, widen },
        Family::RadialBnn { train_samples, test_samples } => deep::Family::RadialBnn(deep::Radial {
            training_samples: train_samples,
            samples: test_samples,
            ..deep::Radial::default()
        }),
    };
    deep::Architecture::from(family).width(network.width)
}

fn way(training: &Training) -> deep::Training {
    let (optimiser, from, weight_decay) = match training.optimiser {
        Optimiser::Sgd { rate, momentum, weight_decay } => {
            (deep::Optimiser::Sgd { momentum }, rate, weight_decay)
        }
        Optimiser::Adam { rate, weight_decay } => (deep::Optimiser::Adam, rate, weight_decay),
    };
    let rate = match &training.rate {
        Rate::Constant => deep::Rate::Constant(from),
        Rate::Cosine => deep::Rate::Cosine { from },
        Rate::Steps { at, factor } => deep::Rate::Steps { from, after: at.clone(), factor: *factor },
    };
    deep::Training {
        optimiser,
        rate,
        weight_decay,
        epochs: training.epochs,
        batch: training.batch,
        validation: training.validation,
        patience: training.patience,
        augmentation: training.augmented.then(deep::Augmentation::cifar),
    }
}
