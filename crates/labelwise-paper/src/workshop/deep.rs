//! Networks of this workspace as trainers.

use labelwise::Classification;
use labelwise::surrogate::Learner;
use labelwise_deep as deep;
use labelwise_images::Set;

use super::{EpochDone, Heard, Trainer};
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
        Ok(Box::new(network.progress(move |epoch| heard(done(epoch)))))
    }
}

fn done(epoch: &deep::Epoch) -> EpochDone {
    let validation_loss = epoch.validation.map(|validation| validation.loss);
    EpochDone { epoch: epoch.epoch, of: epoch.of, validation_loss }
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
        Family::Given(_) => {
            let why = "a network that is given as an archive is not trained".to_owned();
            return Err(deep::Error::Computation(why));
        }
    };
    deep::Architecture::from(family).width(network.width)
}

fn way(training: &Training) -> deep::Training {
    let (optimiser, from, weight_decay) = match training.optimiser {
        Optimiser::Sgd { rate, momentum, weight_decay, nesterov } => {
            (deep::Optimiser::Sgd { momentum, nesterov }, rate, weight_decay)
        }
        Optimiser::Adam { rate, weight_decay } => (deep::Optimiser::Adam, rate, weight_decay),
    };
    let rate = match &training.rate {
        Rate::Constant => deep::Rate::Constant(from),
        Rate::Cosine => deep::Rate::Cosine { from },
        Rate::Steps { at, factor } => deep::Rate::Steps { from, after: at.clone(), factor: *factor },
        Rate::WarmCosine { warm } => deep::Rate::WarmCosine { peak: from, warm: *warm },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Settings;
    use crate::recipe::Networks;
    use crate::scale::Scale;

    const PAPER: Networks = Networks { scale: Scale::Paper, settings: Settings::Text };

    #[test]
    fn small_networks_are_trained_by_the_presets() {
        assert_eq!(way(&PAPER.small_residual().1), deep::Training::resnet());
        assert_eq!(way(&PAPER.small_radial().1), deep::Training::radial_bnn());
        assert_eq!(way(&PAPER.wide().training), deep::Training::wide_resnet());
    }

    /// On whole sets there are fewer epochs and more images held out.
    #[test]
    fn large_networks_are_trained_by_the_presets_but_for_what_the_paper_says() {
        let whole =
            || deep::Training { epochs: 30, patience: Some(5), validation: 2560, ..deep::Training::resnet() };
        let cropped = || deep::Training { augmentation: Some(deep::Augmentation::cifar()), ..whole() };
        for family in [Family::ResNet18, Family::ResNet34, Family::ResNet50] {
            assert_eq!(way(&PAPER.residual(Set::Cifar10, family).training), cropped());
            assert_eq!(way(&PAPER.residual(Set::Cifar100, family).training), cropped());
            assert_eq!(way(&PAPER.residual(Set::FashionMnist, family).training), whole());
        }
        for (set, epochs) in [(Set::Mnist, 50), (Set::FashionMnist, 30)] {
            let expected = deep::Training { epochs, validation: 1280, ..deep::Training::radial_bnn() };
            assert_eq!(way(&PAPER.radial(set, 0).training), expected);
        }
    }

    #[test]
    fn networks_are_those_of_their_names() {
        let of = |network: Network| architecture(&network).unwrap();
        let size = |network: Network, set: Set| {
            let shape = set.shape();
            let shape = deep::Shape::new(shape.channels, shape.height, shape.width).unwrap();
            of(network).parameters(shape, set.classes()).unwrap()
        };
        let residual = |family: Family| PAPER.residual(Set::Cifar10, family).network;
        // The published numbers of the variants with a stem of 3 x 3 pixels.
        for (family, parameters) in
            [(Family::ResNet18, 11_173_962), (Family::ResNet34, 21_282_122), (Family::ResNet50, 23_520_842)]
        {
            assert_eq!(size(residual(family), Set::Cifar10), parameters, "{family:?}");
        }
        assert_eq!(of(PAPER.wide().network), deep::Architecture::wide_resnet40(10));
        // The paper's prior, samples and weight of the divergence are the defaults.
        let (radial, _) = PAPER.small_radial();
        assert_eq!(of(radial), deep::Architecture::radial_bnn());
        let weights = (25 * 16 + 16) + (25 * 16 * 32 + 32) + (32 * 4 * 4 * 128 + 128) + (128 * 10 + 10);
        assert_eq!(size(radial, Set::Mnist), 2 * weights);
        let family = Family::RadialBnn { train_samples: 2, test_samples: 12 };
        let expected = deep::Radial { training_samples: 2, samples: 12, ..deep::Radial::default() };
        let half = deep::Architecture::from(deep::Family::RadialBnn(expected)).width(0.5).unwrap();
        assert_eq!(of(Network { family, width: 0.5 }), half);
    }
}
