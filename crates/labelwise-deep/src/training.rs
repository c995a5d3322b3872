//! How a network is trained.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How a network is trained. The presets are the paper's; any of their fields may be changed.
///
/// ```
/// use labelwise_deep::{Rate, Training};
/// let short = Training { epochs: 10, rate: Rate::Cosine { from: 0.05 }, ..Training::resnet() };
/// assert_eq!(short.rate.at(0, short.epochs), 0.05);
/// assert!(short.rate.at(9, short.epochs) < 0.002);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// What makes a step of a gradient.
    pub optimiser: Optimiser,
    /// How large the steps are.
    pub rate: Rate,
    /// How much of each number is added to its gradient.
    pub weight_decay: f64,
    /// How often, at most, each image is seen.
    pub epochs: usize,
    /// Images in a batch.
    pub batch: usize,
    /// Images held out, by class, to measure the loss after each epoch. The weights with the least loss are kept;
    /// with none held out, the last ones are.
    pub validation: usize,
    /// Epochs without a smaller loss on the images held out after which training ends.
    pub patience: Option<usize>,
    /// How images are changed before the network sees them.
    pub augmentation: Option<Augmentation>,
}

/// What makes a step of a gradient.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// Gradient descent with momentum.
    Sgd {
        /// How much of the last step is kept.
        momentum: f64,
        /// Whether a step also looks ahead by the momentum (Nesterov), as in PyTorch.
        #[serde(default, skip_serializing_if = "is_false")]
        nesterov: bool,
    },
    /// Adam (Kingma and Ba, 2015) with its usual constants; weight decay goes through the gradient, as in PyTorch.
    Adam,
}

/// The learning rate over the epochs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rate {
    /// Always the same.
    Constant(f64),
    /// Down to nothing along half a cosine over all epochs.
    Cosine {
        /// The first rate.
        from: f64,
    },
    /// Multiplied by a factor after these numbers of epochs.
    Steps {
        /// The first rate.
        from: f64,
        /// Numbers of epochs that were done.
        after: Vec<usize>,
        /// The factor.
        factor: f64,
    },
    /// By steps instead of epochs: up from 0 along a line, then down to 0 along half a cosine.
    WarmCosine {
        /// The highest rate.
        peak: f64,
        /// The share of all steps that the rate goes up for.
        warm: f64,
    },
}

impl Rate {
    /// The rate after `done` of all epochs, as if each of them were one step.
    pub fn at(&self, done: usize, epochs: usize) -> f64 {
        self.during(done, epochs, 0, 1)
    }

    /// The rate of a step after `done` of all epochs. `step` counts from 0 in its epoch, which has `steps` of them.
    pub fn during(&self, done: usize, epochs: usize, step: usize, steps: usize) -> f64 {
        match self {
            Self::Constant(rate) => *rate,
            Self::Cosine { from } => from * half_cosine(done as f64 / epochs as f64),
            Self::Steps { from, after, factor } => {
                let count = after.iter().filter(|&&epochs| epochs <= done).count();
                from * factor.powi(count as i32)
            }
            Self::WarmCosine { peak, warm } => {
                let (place, all) = ((done * steps + step) as f64, (epochs * steps) as f64);
                let rising = (warm * all).round();
                if place < rising {
                    peak * (place + 1.0) / rising
                } else {
                    peak * half_cosine((place - rising) / (all - rising))
                }
            }
        }
    }

    fn first(&self) -> f64 {
        match self {
            Self::Constant(from)
            | Self::Cosine { from }
            | Self::Steps { from, .. }
            | Self::WarmCosine { peak: from, .. } => *from,
        }
    }
}

/// From 1 at 0 to 0 at 1.
fn half_cosine(share: f64) -> f64 {
    (1.0 + (std::f64::consts::PI * share).cos()) / 2.0
}

/// Settings that were saved before there was a choice stay as they were.
fn is_false(value: &bool) -> bool {
    !value
}

/// Random changes of an image that its class survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Augmentation {
    /// Maximum number of pixels that the image is moved by; what comes in from outside is 0.
    pub crop: usize,
    /// Whether half of the images are mirrored.
    pub flip: Flip,
}

/// Whether images are mirrored left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flip {
    /// Every other one, at random.
    Half,
    /// None.
    Never,
}

impl Augmentation {
    /// The paper's for CIFAR: crops of images padded by 4 pixels, and flips.
    pub fn cifar() -> Self {
        Self { crop: 4, flip: Flip::Half }
    }
}

impl Training {
    /// The paper's for ResNets on 250 images: momentum 0.9, rate 0.1 along a cosine over 160 epochs, weight decay 5e-4,
    /// batches of 128, 50 images held out, patience 20. On whole sets it has 30 epochs, patience 5 and 2,560 held out.
    pub fn resnet() -> Self {
        Self {
            optimiser: Optimiser::Sgd { momentum: 0.9, nesterov: false },
            rate: Rate::Cosine { from: 0.1 },
            weight_decay: 5e-4,
            epochs: 160,
            batch: 128,
            validation: 50,
            patience: Some(20),
            augmentation: None,
        }
    }

    /// The paper's for WideResNets on CIFAR-100: 200 epochs, rate 0.1 times 0.2 after 60, 120 and 160, crops and flips.
    pub fn wide_resnet() -> Self {
        Self {
            rate: Rate::Steps { from: 0.1, after: vec![60, 120, 160], factor: 0.2 },
            epochs: 200,
            validation: 2_560,
            patience: None,
            augmentation: Some(Augmentation::cifar()),
            ..Self::resnet()
        }
    }

    /// The paper's for radial BNNs on 250 images: Adam with rate 1e-4 and weight decay 1e-4, at most 500 epochs with
    /// patience 5, batches of 64, 50 images held out.
    pub fn radial_bnn() -> Self {
        Self {
            optimiser: Optimiser::Adam,
            rate: Rate::Constant(1e-4),
            weight_decay: 1e-4,
            epochs: 500,
            batch: 64,
            validation: 50,
            patience: Some(5),
            augmentation: None,
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let setting = |name, value: f64, fits: bool, range| {
            if fits { Ok(()) } else { Err(Error::Setting { name, value, range }) }
        };
        let rate = self.rate.first();
        setting("the learning rate", rate, rate > 0.0 && rate.is_finite(), "above 0")?;
        if let Rate::Steps { factor, .. } = self.rate {
            setting("the factor of the steps", factor, factor > 0.0 && factor.is_finite(), "above 0")?;
        }
        if let Rate::WarmCosine { warm, .. } = self.rate {
            setting("the warm-up's share", warm, (0.0..1.0).contains(&warm), "at least 0 and below 1")?;
        }
        if let Optimiser::Sgd { momentum, .. } = self.optimiser {
            setting("the momentum", momentum, (0.0..1.0).contains(&momentum), "at least 0 and below 1")?;
        }
        let decay = self.weight_decay;
        setting("the weight decay", decay, decay >= 0.0 && decay.is_finite(), "at least 0")?;
        setting("the number of epochs", self.epochs as f64, self.epochs > 0, "at least 1")?;
        setting("the batch size", self.batch as f64, self.batch > 0, "at least 1")?;
        if let Some(patience) = self.patience {
            setting("the patience", patience as f64, patience > 0, "at least 1 epoch")?;
            let held_out = self.validation as f64;
            setting(
                "the number of images held out",
                held_out,
                self.validation > 0,
                "at least 1 with a patience",
            )?;
        }
        Ok(())
    }
}
