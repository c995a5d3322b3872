//! How the networks of each figure are trained: as the paper's appendix says at scale `paper`, and less of everything at
//! the others.

use labelwise_images::Set;

use super::{Family, Kind, Network, Optimiser, Rate, Recipe, Role, Split, Training};
use crate::problem::Settings;
use crate::scale::Scale;

/// The networks of one scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Networks {
    pub(crate) scale: Scale,
    pub(crate) settings: Settings,
}

/// How much of everything.
struct Size {
    train: usize,
    test: usize,
    validation: usize,
    epochs: usize,
    width: f64,
}

/// "We use a learning rate of 0.1, weight decay of 5e-4, and momentum of 0.9 with an SGD optimizer."
const SGD: Optimiser = Optimiser::Sgd { rate: 0.1, momentum: 0.9, weight_decay: 5e-4, nesterov: false };
/// The same with Nesterov's steps, for schedules that are shorter than the paper's.
const AHEAD: Optimiser = Optimiser::Sgd { rate: 0.1, momentum: 0.9, weight_decay: 5e-4, nesterov: true };
/// "We use a learning rate of 1e-4 and weight decay of 1e-4 with the ADAM optimizer."
const ADAM: Optimiser = Optimiser::Adam { rate: 1e-4, weight_decay: 1e-4 };
/// Few epochs on few images do not get far with the paper's learning rate.
const FASTER_ADAM: Optimiser = Optimiser::Adam { rate: 2e-3, weight_decay: 1e-4 };

/// How many surrogates of CIFAR-10 are of one architecture, from the shallowest to the deepest.
pub(crate) const DEPTHS: usize = 3;
/// How many surrogates of CIFAR-10 are of other architectures.
pub(crate) const OTHERS: usize = 3;
/// How many surrogates CIFAR-100 has.
const OF_CIFAR_100: usize = 4;

/// The published network under test on a set, and the surrogates beside it.
pub(crate) fn published(set: Set) -> (Recipe, Vec<Recipe>) {
    let count = if set == Set::Cifar10 { DEPTHS + OTHERS } else { OF_CIFAR_100 };
    let surrogates = (1..=count).map(|place| Recipe::given(set, Role::Surrogate(place)));
    (Recipe::given(set, Role::Model), surrogates.collect())
}

impl Networks {
    /// A ResNet on one of the sets as its makers split it: Figures 5, 6 and 7.
    pub(crate) fn residual(self, set: Set, family: Family) -> Recipe {
        if self.scale == Scale::Desk {
            return self.to_the_end(set, family);
        }
        let size = match self.scale {
            Scale::Smoke => Size { train: 300, test: 400, validation: 60, epochs: 1, width: 0.0625 },
            Scale::Laptop => {
                // 100 numbers per item make large archives, and 100 classes take longer to learn.
                let (test, epochs) = if set == Set::Cifar100 { (2000, 20) } else { (4000, 5) };
                Size { train: 7000, test, validation: 500, epochs, width: 0.125 }
            }
            Scale::Desk | Scale::Paper | Scale::Published => {
                Size { train: 50_000, test: 10_000, validation: self.validation(set), epochs: 30, width: 1.0 }
            }
        };
        let patience = if self.scale == Scale::Paper { 5 } else { size.epochs };
        self.original(set, family, size, Rate::Cosine, Some(patience))
    }

    /// A narrow ResNet that learns from every image to the end of its schedule: no image is held out, and the last weights are
    /// kept. The paper's claims are about networks that are surer than they are right.
    fn to_the_end(self, set: Set, family: Family) -> Recipe {
        let (train, epochs, width) = match set {
            Set::Mnist | Set::FashionMnist => (50_000, 12, 0.125),
            Set::Cifar10 => (50_000, 15, 0.25),
            // 100 images per class.
            Set::Cifar100 => (10_000, 60, 0.25),
        };
        let size = Size { train, test: 10_000, validation: 0, epochs, width };
        let rate = Rate::WarmCosine { warm: 0.2 };
        let mut recipe = self.original(set, family, size, rate, None);
        recipe.training.optimiser = AHEAD;
        recipe
    }

    /// The WideResNet on CIFAR-100 of Figure 6. The text does not say how wide it is: the authors' code has a factor of 10.
    pub(crate) fn wide(self) -> Recipe {
        let set = Set::Cifar100;
        let (size, widen, rate) = match self.scale {
            Scale::Smoke => {
                (Size { train: 300, test: 400, validation: 100, epochs: 1, width: 0.25 }, 1, Rate::Cosine)
            }
            Scale::Laptop => {
                (Size { train: 8000, test: 3000, validation: 500, epochs: 5, width: 0.5 }, 1, Rate::Cosine)
            }
            Scale::Desk => return self.to_the_end(set, Family::ResNet18),
            Scale::Paper | Scale::Published => {
                let validation = self.validation(set);
                let size = Size { train: 50_000, test: 10_000, validation, epochs: 200, width: 1.0 };
                (size, 10, Rate::Steps { at: vec![60, 120, 160], factor: 0.2 })
            }
        };
        self.original(set, Family::WideResNet40 { widen }, size, rate, None)
    }

    /// The radial network on both parts of a set, split again in each run: Figures 8 and A.2.
    pub(crate) fn radial(self, set: Set, seed: u64) -> Recipe {
        let (size, samples) = match self.scale {
            Scale::Smoke => (Size { train: 300, test: 400, validation: 60, epochs: 20, width: 0.25 }, (1, 6)),
            // More networks of the same kind.
            Scale::Laptop | Scale::Desk => {
                (Size { train: 15_000, test: 2000, validation: 500, epochs: 10, width: 0.5 }, (2, 12))
            }
            Scale::Paper | Scale::Published => {
                let epochs = match (set, self.settings) {
                    (Set::FashionMnist, Settings::Text) => 30,
                    _ => 50,
                };
                let size = Size { train: 50_000, test: 10_000, validation: 1280, epochs, width: 1.0 };
                (size, self.paper_samples())
            }
        };
        Recipe {
            set,
            split: Split { kind: Kind::Redrawn, train: size.train, test: size.test, seed },
            network: Network { family: family(samples), width: size.width },
            training: self.radial_training(&size, Some(5)),
            seed,
            bits: self.bits(),
            members: true,
        }
    }

    /// The radial network on 250 images of MNIST: Figure 4 a.
    pub(crate) fn small_radial(self) -> (Network, Training) {
        let (size, patience, samples) = match self.scale {
            Scale::Smoke => (Size { train: 0, test: 0, validation: 20, epochs: 2, width: 0.25 }, 5, (1, 4)),
            Scale::Laptop => (Size { train: 0, test: 0, validation: 50, epochs: 30, width: 0.5 }, 5, (2, 12)),
            Scale::Desk => (Size { train: 0, test: 0, validation: 50, epochs: 60, width: 0.5 }, 5, (2, 12)),
            Scale::Paper | Scale::Published => {
                (Size { train: 0, test: 0, validation: 50, epochs: 500, width: 1.0 }, 5, self.paper_samples())
            }
        };
        let network = Network { family: family(samples), width: size.width };
        (network, self.radial_training(&size, Some(patience)))
    }

    /// ResNet-18 on 250 images of Fashion-MNIST: Figure 4 b.
    pub(crate) fn small_residual(self) -> (Network, Training) {
        let (width, epochs, patience, validation) = match self.scale {
            Scale::Smoke => (0.0625, 1, 1, 20),
            Scale::Laptop => (0.125, 16, 8, 50),
            Scale::Desk => (0.125, 30, 10, 50),
            Scale::Paper | Scale::Published => (1.0, 160, 20, 50),
        };
        let batch = if self.scale == Scale::Paper { 128 } else { 32 };
        let (optimiser, rate, patience) = (SGD, Rate::Cosine, Some(patience));
        let augmented = false;
        let training = Training { optimiser, rate, batch, epochs, patience, validation, augmented };
        (Network { family: Family::ResNet18, width }, training)
    }

    fn original(self, set: Set, family: Family, size: Size, rate: Rate, patience: Option<usize>) -> Recipe {
        let Size { train, test, validation, epochs, width } = size;
        let batch = if matches!(self.scale, Scale::Desk | Scale::Paper) { 128 } else { 32 };
        let augmented = match set {
            Set::Cifar10 | Set::Cifar100 => true,
            Set::Mnist | Set::FashionMnist => self.settings == Settings::Released,
        };
        Recipe {
            set,
            split: Split { kind: Kind::Original, train, test, seed: 0 },
            network: Network { family, width },
            training: Training { optimiser: SGD, rate, batch, epochs, patience, validation, augmented },
            seed: 0,
            bits: self.bits(),
            members: false,
        }
    }

    /// Ten bits are one part in two thousand of a probability.
    fn bits(self) -> u32 {
        if self.scale == Scale::Paper { 24 } else { 10 }
    }

    fn radial_training(self, size: &Size, patience: Option<usize>) -> Training {
        let optimiser = if self.scale == Scale::Paper { ADAM } else { FASTER_ADAM };
        let Size { validation, epochs, .. } = *size;
        let (rate, batch, augmented) = (Rate::Constant, 64, false);
        Training { optimiser, rate, batch, epochs, patience, validation, augmented }
    }

    /// The text has 2,560 of them, the released configuration of CIFAR 2,000.
    fn validation(self, set: Set) -> usize {
        match (set, self.settings) {
            (Set::Cifar10 | Set::Cifar100, Settings::Released) => 2000,
            _ => 2560,
        }
    }

    /// Eight samples in training; a hundred in testing, by the text, and eight by the code.
    fn paper_samples(self) -> (usize, usize) {
        match self.settings {
            Settings::Text => (8, 100),
            Settings::Released => (8, 8),
        }
    }
}

fn family((train_samples, test_samples): (usize, usize)) -> Family {
    Family::RadialBnn { train_samples, test_samples }
}
