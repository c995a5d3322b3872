//! The sets, and the two parts that each comes in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::images::Shape;

/// A set of labelled images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Set {
    /// Handwritten digits.
    Mnist,
    /// Articles of clothing.
    FashionMnist,
    /// Colour photographs of ten kinds of things.
    #[serde(rename = "cifar-10")]
    Cifar10,
    /// Colour photographs of a hundred kinds of things.
    #[serde(rename = "cifar-100")]
    Cifar100,
}

/// Which images of a set, as its makers split it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Those to learn from.
    Train,
    /// Those to test with.
    Test,
}

impl Set {
    /// Every set.
    pub const ALL: [Self; 4] = [Self::Mnist, Self::FashionMnist, Self::Cifar10, Self::Cifar100];

    /// Its name in options and folders.
    ///
    /// ```
    /// use labelwise_images::Set;
    /// assert_eq!(Set::Cifar10.name(), "cifar-10");
    /// assert_eq!("cifar-10".parse::<Set>()?, Set::Cifar10);
    /// # Ok::<(), labelwise_images::Error>(())
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Mnist => "mnist",
            Self::FashionMnist => "fashion-mnist",
            Self::Cifar10 => "cifar-10",
            Self::Cifar100 => "cifar-100",
        }
    }

    /// Its name in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Mnist => "MNIST",
            Self::FashionMnist => "Fashion-MNIST",
            Self::Cifar10 => "CIFAR-10",
            Self::Cifar100 => "CIFAR-100",
        }
    }

    /// How many classes there are.
    pub fn classes(self) -> usize {
        match self {
            Self::Mnist | Self::FashionMnist | Self::Cifar10 => 10,
            Self::Cifar100 => 100,
        }
    }

    /// Channels, height and width of each image.
    pub fn shape(self) -> Shape {
        match self {
            Self::Mnist | Self::FashionMnist => Shape { channels: 1, height: 28, width: 28 },
            Self::Cifar10 | Self::Cifar100 => Shape { channels: 3, height: 32, width: 32 },
        }
    }

    /// How many images its makers published in a part.
    pub fn published(self, part: Part) -> usize {
        match (self, part) {
            (Self::Mnist | Self::FashionMnist, Part::Train) => 60_000,
            (Self::Cifar10 | Self::Cifar100, Part::Train) => 50_000,
            (_, Part::Test) => 10_000,
        }
    }

    /// How its files are had.
    pub(crate) fn way_out(self) -> &'static str {
        match self {
            Self::Mnist => "get it with `labelwise paper data mnist`",
            Self::FashionMnist => "get it with `labelwise paper data fashion-mnist`",
            Self::Cifar10 => "get it with `labelwise paper data cifar-10`",
            Self::Cifar100 => {
                "get it with `labelwise paper data cifar-100`, or put train.bin and test.bin of cifar-100-binary there"
            }
        }
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl FromStr for Set {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|set| set.name() == text).ok_or_else(|| Error::UnknownSet {
            name: text.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

impl Part {
    /// Both parts.
    pub const ALL: [Self; 2] = [Self::Train, Self::Test];

    /// Its name in sentences and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
