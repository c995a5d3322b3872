//! The ways of spending a budget that are compared: which items to label, and what to make of them.

use labelwise::acquisition::{ExpectedLoss, Uniform};
use labelwise::estimator::{Estimator, Iid, RegressionLure};
use labelwise::evaluation::Builder;
use labelwise::proposal::Floor;
use labelwise::{Lure, Task};
use serde::Serialize;

/// How items are chosen and the risk is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Strategy {
    /// What everybody does: uniform draws, and their plain mean.
    Uniform,
    /// A stratified sample: all items chosen at once, from strata of the expected loss.
    Stratified,
    /// The paper's: expected loss, clip, LURE. The clip is made once a refresh rather than at every step, which would
    /// take far longer and is nearly the same.
    Paper,
    /// Our defaults.
    Labelwise,
}

impl Strategy {
    /// Its own estimator, of items that are drawn one after another.
    pub(super) fn estimator(self) -> Option<&'static dyn Estimator> {
        match self {
            Self::Uniform => Some(&Iid),
            Self::Stratified => None,
            Self::Paper => Some(&Lure),
            Self::Labelwise => Some(&RegressionLure),
        }
    }

    /// What its estimator is called.
    pub(super) fn estimator_name(self) -> &'static str {
        self.estimator().map_or("stratified mean", |estimator| estimator.name())
    }

    /// What it is called in a table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Uniform => "uniform sampling",
            Self::Stratified => "stratified",
            Self::Paper => "the paper's recipe",
            Self::Labelwise => "labelwise",
        }
    }

    /// Its options, on top of the defaults.
    pub(super) fn choose<T: Task>(self, builder: Builder<T>) -> Builder<T> {
        match self {
            Self::Uniform => builder.acquisition(Uniform),
            Self::Paper => builder.acquisition(ExpectedLoss).floor(Floor::PAPER),
            Self::Labelwise | Self::Stratified => builder,
        }
    }
}
