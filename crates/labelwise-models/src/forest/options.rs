//! What a forest can be told, in plain words. Defaults are scikit-learn's, which the paper's forests use.

use labelwise::{Error, Result};

/// How the purity of class labels is measured when a split is chosen; regression has the variance and no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// 1 − Σ p², scikit-learn's default.
    #[default]
    Gini,
    /// −Σ p ln p.
    Entropy,
}

/// How many features a split is chosen from; they are drawn again at each node.
///
/// ```
/// use labelwise_models::{Forest, MaxFeatures};
/// let forest = Forest::default().max_features(MaxFeatures::Fraction(1.0 / 3.0));
/// assert_ne!(forest, Forest::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaxFeatures {
    /// The square root of their number, the default for classification.
    Sqrt,
    /// Every feature, the default for regression.
    All,
    /// This fraction of them, above 0 and at most 1.
    Fraction(f64),
}

impl MaxFeatures {
    /// How many of `features`: rounded down, but at least one.
    pub(super) fn of(self, features: usize) -> Result<usize> {
        let wanted = match self {
            Self::Sqrt => features.isqrt(),
            Self::All => features,
            Self::Fraction(fraction) if fraction > 0.0 && fraction <= 1.0 => {
                (fraction * features as f64) as usize
            }
            Self::Fraction(value) => {
                return Err(Error::Option {
                    name: "the fraction of features a split is chosen from",
                    value,
                    range: "above 0 and at most 1",
                });
            }
        };
        Ok(wanted.max(1))
    }
}

/// How a feature is cut in two.
///
/// ```
/// use labelwise_models::{Bagging, Forest, Splitter};
/// let forest = Forest::default().splitter(Splitter::Random).bagging(Bagging::Off);
/// assert_eq!(forest, Forest::extremely_randomised());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Splitter {
    /// Where the children are purest: the random forest of Breiman (2001).
    #[default]
    Best,
    /// At a uniform random place between the node's smallest and largest value: the extremely randomised trees of
    /// Geurts, Ernst and Wehenkel (2006).
    Random,
}

/// Which rows a tree grows on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bagging {
    /// As many rows as there are, drawn with replacement for each tree.
    #[default]
    Bootstrap,
    /// All rows, the same for each tree.
    Off,
}

/// Refuses a whole number below `least`.
pub(super) fn at_least(name: &'static str, value: usize, least: usize, range: &'static str) -> Result<()> {
    if value >= least { Ok(()) } else { Err(Error::Option { name, value: value as f64, range }) }
}
