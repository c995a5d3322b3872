//! Which network: its family and how wide it is.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Shape;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::nets::{Blocks, Net, ResNet, SmallCnn, TwoConvolutions, WideResNet};
use crate::radial::Radial;

/// A family of networks and a multiplier of its widths.
///
/// ```
/// use labelwise_deep::{Architecture, Shape};
/// let images = Shape::new(3, 32, 32)?;
/// assert_eq!(Architecture::resnet18().parameters(images, 10)?, 11_173_962);
/// let narrow = Architecture::resnet18().width(0.125)?;
/// assert_eq!(narrow.to_string(), "ResNet-18 (width 0.125)");
/// # Ok::<(), labelwise_deep::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Architecture {
    family: Family,
    width: f64,
}

/// What networks there are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// 18 layers, two convolutions a block.
    ResNet18,
    /// 34 layers, two convolutions per block.
    ResNet34,
    /// 50 layers, three convolutions per block.
    ResNet50,
    /// A residual network of `depth` layers, each `widen` times as wide.
    WideResNet {
        /// 6n + 4 layers.
        depth: usize,
        /// The factor.
        widen: usize,
    },
    /// Two convolutions of 5 x 5 pixels under a radial posterior.
    RadialBnn(Radial),
    /// Two convolutions of 3 x 3 pixels.
    SmallCnn,
}

impl Architecture {
    /// ResNet-18 with a stem of 3 x 3 pixels.
    pub fn resnet18() -> Self {
        Family::ResNet18.into()
    }

    /// ResNet-34 with a stem of 3 x 3 pixels.
    pub fn resnet34() -> Self {
        Family::ResNet34.into()
    }

    /// ResNet-50 with a stem of 3 x 3 pixels.
    pub fn resnet50() -> Self {
        Family::ResNet50.into()
    }

    /// WideResNet-40 with this factor; the authors' has 10.
    pub fn wide_resnet40(widen: usize) -> Self {
        Family::WideResNet { depth: 40, widen }.into()
    }

    /// A Bayesian network with the paper's radial posterior.
    pub fn radial_bnn() -> Self {
        Family::RadialBnn(Radial::default()).into()
    }

    /// A small convolutional network.
    pub fn small_cnn() -> Self {
        Family::SmallCnn.into()
    }

    /// The same family with all numbers of channels and hidden units times this factor, rounded, and at least 1.
    pub fn width(self, width: f64) -> Result<Self> {
        if width > 0.0 && width <= 64.0 {
            return Ok(Self { width, ..self });
        }
        Err(Error::Setting { name: "the width of a network", value: width, range: "above 0 and at most 64" })
    }

    /// Its family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// How many numbers are trained. A radial posterior has two a weight.
    pub fn parameters(&self, shape: Shape, classes: usize) -> Result<usize> {
        Ok(self.plan(shape, classes)?.layout.size())
    }

    /// The layers and parameters for images of this shape and number of classes.
    pub(crate) fn plan(&self, shape: Shape, classes: usize) -> Result<Plan> {
        self.check(shape, classes)?;
        let mut layout = Layout::default();
        let wide = |channels: usize| ((channels as f64 * self.width).round() as usize).max(1);
        let ends = [shape.channels, classes];
        let net: Box<dyn Net> = match self.family {
            Family::ResNet18 => Box::new(ResNet::new(&mut layout, Blocks::Basic, [2, 2, 2, 2], ends, wide)),
            Family::ResNet34 => Box::new(ResNet::new(&mut layout, Blocks::Basic, [3, 4, 6, 3], ends, wide)),
            Family::ResNet50 => {
                Box::new(ResNet::new(&mut layout, Blocks::Bottleneck, [3, 4, 6, 3], ends, wide))
            }
            Family::WideResNet { depth, widen } => {
                Box::new(WideResNet::new(&mut layout, [depth, widen], ends, wide))
            }
            Family::RadialBnn(_) => Box::new(TwoConvolutions::new(&mut layout, shape, classes, wide)),
            Family::SmallCnn => Box::new(SmallCnn::new(&mut layout, shape, classes, wide)),
        };
        let radial = match self.family {
            Family::RadialBnn(radial) => {
                layout = radial.posterior(&layout);
                Some(radial)
            }
            _ => None,
        };
        Ok(Plan { net, layout, radial })
    }

    /// Refuses what no network can be made for. Values may have come from a file, so all of them are looked at.
    pub(crate) fn check(&self, shape: Shape, classes: usize) -> Result<()> {
        self.width(self.width)?;
        Shape::new(shape.channels, shape.height, shape.width)?;
        if classes < 2 {
            let value = classes as f64;
            return Err(Error::Setting { name: "the number of classes", value, range: "at least 2" });
        }
        let least = match self.family {
            Family::RadialBnn(radial) => {
                radial.check()?;
                TwoConvolutions::LEAST
            }
            Family::SmallCnn => SmallCnn::LEAST,
            Family::WideResNet { depth, widen } => {
                if depth < 10 || depth % 6 != 4 {
                    let value = depth as f64;
                    return Err(Error::Setting {
                        name: "the depth",
                        value,
                        range: "10, 16, 22 or on by sixes",
                    });
                }
                if !(1..=64).contains(&widen) {
                    let value = widen as f64;
                    return Err(Error::Setting { name: "the widening factor", value, range: "from 1 to 64" });
                }
                1
            }
            Family::ResNet18 | Family::ResNet34 | Family::ResNet50 => 1,
        };
        if shape.height < least || shape.width < least {
            return Err(Error::SmallImages { architecture: *self, shape, least });
        }
        Ok(())
    }
}

/// A network without its numbers.
pub(crate) struct Plan {
    pub(crate) net: Box<dyn Net>,
    /// What is trained: weights, or means and rhos of a posterior over them.
    pub(crate) layout: Layout,
    pub(crate) radial: Option<Radial>,
}

impl From<Family> for Architecture {
    fn from(family: Family) -> Self {
        Self { family, width: 1.0 }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.family {
            Family::ResNet18 => f.write_str("ResNet-18"),
            Family::ResNet34 => f.write_str("ResNet-34"),
            Family::ResNet50 => f.write_str("ResNet-50"),
            Family::WideResNet { depth, widen } => write!(f, "WideResNet-{depth}-{widen}"),
            Family::RadialBnn(_) => f.write_str("radial BNN"),
            Family::SmallCnn => f.write_str("small CNN"),
        }?;
        if self.width == 1.0 { Ok(()) } else { write!(f, " (width {})", self.width) }
    }
}
