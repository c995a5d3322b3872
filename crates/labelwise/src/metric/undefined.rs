//! Metrics without a value so far, which are not errors, and never 0.

use std::fmt;

/// Why a metric has no value: it would be a division by nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undefined {
    /// No label at all, of the slice perhaps.
    NoLabels,
    /// A class that no labelled item was predicted as, nor is labelled with.
    NeverSeen {
        /// The first such class.
        class: usize,
        /// Number of other such classes.
        others: usize,
    },
    /// A class that no labelled item was predicted as.
    NeverPredicted {
        /// The first such class.
        class: usize,
        /// Number of other such classes.
        others: usize,
    },
    /// A class that no item was labelled with.
    NeverLabelled {
        /// The first such class.
        class: usize,
        /// Number of other such classes.
        others: usize,
    },
    /// Every label is of one class.
    OneClassLabelled {
        /// The class.
        class: usize,
    },
    /// Every prediction is of one class.
    OneClassPredicted {
        /// The class.
        class: usize,
    },
    /// All labels are the same number, so that there is nothing to explain.
    ConstantLabels,
    /// Predictions are classes without probabilities.
    NoProbabilities,
}

impl Undefined {
    /// The reason, with a name for each class.
    pub fn in_words(self, name: impl Fn(usize) -> String) -> String {
        let and = |others: usize| match others {
            0 => String::new(),
            1 => " and 1 other class".to_owned(),
            _ => format!(" and {others} other classes"),
        };
        match self {
            Self::NoLabels => "no item has a label yet".to_owned(),
            Self::NeverSeen { class, others } => {
                let class = name(class);
                format!("no labelled item is predicted or labelled as {class}{}", and(others))
            }
            Self::NeverPredicted { class, others } => {
                format!("no labelled item is predicted as {}{}", name(class), and(others))
            }
            Self::NeverLabelled { class, others } => {
                format!("no item is labelled {}{}", name(class), and(others))
            }
            Self::OneClassLabelled { class } => format!("every item is labelled {}", name(class)),
            Self::OneClassPredicted { class } => {
                format!("every labelled item is predicted as {}", name(class))
            }
            Self::ConstantLabels => "all labels are the same number".to_owned(),
            Self::NoProbabilities => "the predictions are classes without probabilities".to_owned(),
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(|class| format!("class {class}")))
    }
}
