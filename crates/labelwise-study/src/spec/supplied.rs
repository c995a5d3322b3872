//! A custom loss and a custom surrogate. They are objects of the process: a study in memory accepts them, and a file
//! refuses them, because another process could not continue it.

use std::fmt;
use std::sync::Arc;

use labelwise::loss::{Loss, Sign};
use labelwise::surrogate::Surrogate;
use labelwise::{Classification, Matrix, Regression, Task};

/// Makes the loss each time it is needed.
pub type LossMaker<T> = Arc<dyn Fn() -> Box<dyn Loss<T>> + Send + Sync>;

/// Makes the surrogate at each refresh, before it has seen a label of the pool.
pub type SurrogateMaker<T> = Arc<dyn Fn() -> Box<dyn Surrogate<T>> + Send + Sync>;

/// A custom loss.
#[derive(Clone)]
pub enum SuppliedLoss {
    /// Of classes.
    Classes {
        /// The loss.
        loss: LossMaker<Classification>,
        /// The input of the loss instead of the predictions, one row per item, for losses that depend on the item.
        codes: Option<Matrix>,
    },
    /// Of values.
    Values(LossMaker<Regression>),
}

/// A custom surrogate.
#[derive(Clone)]
pub enum SuppliedSurrogate {
    /// Of classes.
    Classes(SurrogateMaker<Classification>),
    /// Of values.
    Values(SurrogateMaker<Regression>),
}

/// The custom objects.
#[derive(Clone, Default)]
pub struct Supplied {
    /// The loss that draws are made for.
    pub loss: Option<SuppliedLoss>,
    /// The surrogate, and the labels of its training rows: class numbers, or values.
    pub surrogate: Option<(SuppliedSurrogate, Vec<f64>)>,
}

impl fmt::Debug for Supplied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (loss, surrogate) = (self.loss.is_some(), self.surrogate.is_some());
        f.debug_struct("Supplied").field("loss", &loss).field("surrogate", &surrogate).finish()
    }
}

impl PartialEq for Supplied {
    /// Objects are not compared: settings that are read from a file have none.
    fn eq(&self, other: &Self) -> bool {
        (self.loss.is_some(), self.surrogate.is_some()) == (other.loss.is_some(), other.surrogate.is_some())
    }
}

/// A task whose losses and surrogates can be supplied.
pub(crate) trait SuppliedTask: Task {
    fn supplied_loss(supplied: &Supplied) -> Option<Box<dyn Loss<Self>>>;
    fn supplied_surrogate(supplied: &Supplied) -> Option<Box<dyn Surrogate<Self>>>;
}

impl SuppliedTask for Classification {
    fn supplied_loss(supplied: &Supplied) -> Option<Box<dyn Loss<Self>>> {
        match &supplied.loss {
            Some(SuppliedLoss::Classes { loss, .. }) => Some(loss()),
            _ => None,
        }
    }

    fn supplied_surrogate(supplied: &Supplied) -> Option<Box<dyn Surrogate<Self>>> {
        match &supplied.surrogate {
            Some((SuppliedSurrogate::Classes(surrogate), _)) => Some(surrogate()),
            _ => None,
        }
    }
}

impl SuppliedTask for Regression {
    fn supplied_loss(supplied: &Supplied) -> Option<Box<dyn Loss<Self>>> {
        match &supplied.loss {
            Some(SuppliedLoss::Values(loss)) => Some(loss()),
            _ => None,
        }
    }

    fn supplied_surrogate(supplied: &Supplied) -> Option<Box<dyn Surrogate<Self>>> {
        match &supplied.surrogate {
            Some((SuppliedSurrogate::Values(surrogate), _)) => Some(surrogate()),
            _ => None,
        }
    }
}

impl Supplied {
    /// Whether the loss can be negative; none without a loss.
    pub(crate) fn is_signed(&self) -> Option<bool> {
        let sign = match self.loss.as_ref()? {
            SuppliedLoss::Classes { loss, .. } => loss().sign(),
            SuppliedLoss::Values(loss) => loss().sign(),
        };
        Some(sign == Sign::Signed)
    }

    /// The labels of the surrogate's training rows.
    pub(crate) fn train(&self) -> &[f64] {
        self.surrogate.as_ref().map_or(&[], |(_, labels)| labels)
    }

    /// The input of the loss, if it is not the predictions.
    pub(crate) fn codes(&self) -> Option<&Matrix> {
        match &self.loss {
            Some(SuppliedLoss::Classes { codes, .. }) => codes.as_ref(),
            _ => None,
        }
    }
}
