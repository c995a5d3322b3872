//! The codes of this crate's errors, for programs. `docs/errors.md` lists them all.

use labelwise::error_codes;

use super::{ChoiceError, CompareError, DesignError, Error, FileError, MetricError, PoolError};

error_codes! {
    pub Error {
        Refused => "refused",
        KeyReused => "key-reused",
        Exhausted => "exhausted",
        NoLabels => "no-labels",
        Crowded => "crowded",
        UnboundedSkip => "unbounded-skip",
        PlainMeanGuaranteed => "plain-mean-guaranteed",
        Differs => "differs",
        Json => "json",
    }
    in Core, Pool, File, Choice, Metric, Compare, Design
}

error_codes! {
    pub PoolError {
        File => "file",
        UnknownFormat => "unknown-format",
        Damaged => "damaged",
        Unsupported => "unsupported",
        Unbelievable => "unbelievable",
        Memory => "memory",
        Empty => "empty",
        TwiceNamed => "twice-named",
        NoColumn => "no-column",
        TooFewClasses => "too-few-classes",
        NoFamily => "no-family",
        ManyFamilies => "many-families",
        Rows => "rows",
        Filters => "filters",
        NoFilter => "no-filter",
        Epochs => "epochs",
        NoEpoch => "no-epoch",
        ClassNames => "class-names",
        SurrogateMisses => "surrogate-misses",
        SurrogateDiffers => "surrogate-differs",
    }
    in Core
}

error_codes! {
    pub FileError {
        File => "file",
        Exists => "exists",
        Leftover => "leftover",
        NotMade => "not-made",
        NoSettings => "no-settings",
        NoEvaluation => "no-evaluation",
        NotAnEvaluation => "not-an-evaluation",
        NewerSchema => "newer-schema",
        Busy => "busy",
        DiskFull => "disk-full",
        ReadOnly => "read-only",
        LogApart => "log-apart",
        Disk => "disk",
        Poisoned => "poisoned",
        Broken => "broken",
        NotRecorded => "not-recorded",
        LongText => "long-text",
        NotNext => "not-next",
        NoSuchDraw => "no-such-draw",
        NotThisRefresh => "not-this-refresh",
    }
}

error_codes! {
    pub ChoiceError {
        Metric => "metric",
        Range => "range",
        NoOwnBeliefs => "no-own-beliefs",
        NothingGiven => "nothing-given",
        NoFeatures => "no-features",
        Learner => "learner",
        SurrogateClasses => "surrogate-classes",
        NothingToScoreBy => "nothing-to-score-by",
        RetrainUnused => "retrain-unused",
        NeverLearns => "never-learns",
        TrainingUnused => "training-unused",
        TrainingFeatures => "training-features",
        TrainingLabel => "training-label",
        TrainingKind => "training-kind",
        Supplied => "supplied",
        LossNotKept => "loss-not-kept",
    }
}

error_codes! {
    pub MetricError {
        Score => "score",
        NoMean => "no-mean",
        NoPositive => "no-positive",
        UnknownPositive => "unknown-positive",
        PositiveUnused => "positive-unused",
        NotCarried => "not-carried",
        ManySlices => "many-slices",
        GroupsOfPool => "groups-of-pool",
        Skipped => "skipped",
        SlicedCalibration => "sliced-calibration",
    }
}

error_codes! {
    pub CompareError {
        Items => "items",
        NothingCommon => "nothing-common",
        Rows => "rows",
        Ids => "ids",
        Kinds => "kinds",
        NoMean => "no-mean",
        Scores => "scores",
        Learns => "learns",
        GivenHard => "given-hard",
        Expectation => "expectation",
        OneOfMany => "one-of-many",
        OneOnly => "one-only",
        Another => "another",
        NoModel => "no-model",
        Drawn => "drawn",
    }
}

error_codes! {
    pub DesignError {
        Budget => "budget",
        NoStrata => "no-strata",
        NothingAgain => "nothing-again",
        NoProposal => "no-proposal",
        MeansOnly => "means-only",
        Settled => "settled",
        WholeOnly => "whole-only",
        Spent => "spent",
        BatchIncomplete => "batch-incomplete",
        StrataDiffer => "strata-differ",
    }
}
