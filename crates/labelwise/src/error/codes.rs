//! Words for programs: what an error is called, whatever its sentence says. `docs/errors.md` lists them all.

use super::{CompareError, Error};
use crate::design::DesignError;

/// Gives an error type `code` and the list of its codes. The `match` has no wildcard, so a new variant needs a code to
/// compile; variants after `in` hold another error, and have its code.
#[doc(hidden)]
#[macro_export]
macro_rules! error_codes {
    ($vis:vis $error:ident { $($variant:ident => $code:literal,)+ } $(in $($nested:ident),+)?) => {
        impl $error {
            /// Every variant that has a code of its own, and the code.
            #[doc(hidden)]
            #[allow(dead_code, reason = "the test that writes docs/errors.md reads it")]
            $vis const CODES: &'static [(&'static str, &'static str)] =
                &[$((stringify!($variant), $code)),+];

            /// The name of the error for programs. It stays the same when sentences change.
            $vis fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $code,)+
                    $($(Self::$nested(error) => error.code(),)+)?
                }
            }
        }
    };
}

error_codes! {
    pub Error {
        EmptyPool => "empty-pool",
        Shape => "shape",
        Rows => "rows",
        Columns => "columns",
        NoMembers => "no-members",
        TrainingRows => "training-rows",
        CostShape => "cost-shape",
        Probability => "probability",
        ProbabilitySum => "probability-sum",
        NotFinite => "not-finite",
        NegativeVariance => "negative-variance",
        NeedsVariance => "needs-variance",
        Option => "option",
        LabelOutOfRange => "label-out-of-range",
        LabelNotFinite => "label-not-finite",
        LossNotFinite => "loss-not-finite",
        LossOutOfBounds => "loss-out-of-bounds",
        Moments => "moments",
        Score => "score",
        Acquisition => "acquisition",
        PoolExhausted => "pool-exhausted",
        Budget => "budget",
        UnknownItem => "unknown-item",
        NotAsked => "not-asked",
        LabelDiffers => "label-differs",
        NothingToAmend => "nothing-to-amend",
        AlreadyLabelled => "already-labelled",
        KnownNotFinite => "known-not-finite",
        KnownTwice => "known-twice",
        AllKnown => "all-known",
        NoSamples => "no-samples",
        TooManySamples => "too-many-samples",
        Sample => "sample",
        UnboundedSkip => "unbounded-skip",
        Unbounded => "unbounded",
        MissingSinceRefresh => "missing-since-refresh",
        NeedsWithoutReplacement => "needs-without-replacement",
        NegativeLoss => "negative-loss",
        KnownOutOfBounds => "known-out-of-bounds",
        TooFewLabels => "too-few-labels",
        Diverged => "diverged",
        Surrogate => "surrogate",
        Interrupted => "interrupted",
        Oracle => "oracle",
        Metric => "metric",
    }
    in Compare, Design
}

error_codes! {
    pub CompareError {
        TooFew => "too-few",
        Shapes => "shapes",
        NoSuchModel => "no-such-model",
        Model => "model",
        NeverDiffer => "never-differ",
        NotDrawn => "not-drawn",
    }
}

error_codes! {
    pub DesignError {
        NoStrata => "no-strata",
        BudgetOfStrata => "budget-of-strata",
        Turns => "turns",
        Sizes => "sizes",
        Stranger => "stranger",
        Unlabelled => "unlabelled",
        DrawnWithinStrata => "drawn-within-strata",
        DrawnFromWholePool => "drawn-from-whole-pool",
        NotAtAnyTime => "not-at-any-time",
    }
}
