//! The codes of this crate's errors, for programs. `docs/errors.md` lists them all.

use labelwise::error_codes;

use super::{ChoiceError, CompareError, DesignError, ElsewhereError, Error, JudgeError, MetricError};

error_codes! {
    pub Error {
        Refused => "refused",
        KeyReused => "key-reused",
        GuideDiffers => "guide-differs",
        MajorityOfNumbers => "majority-of-numbers",
        Exhausted => "exhausted",
        NoLabels => "no-labels",
        Crowded => "crowded",
        UnboundedSkip => "unbounded-skip",
        PlainMeanGuaranteed => "plain-mean-guaranteed",
        Differs => "differs",
        Json => "json",
    }
    in Core, Pool, File, Choice, Metric, Compare, Design, Judge, Elsewhere
}

error_codes! {
    pub ChoiceError {
        Metric => "metric",
        OfTwoSystems => "of-two-systems",
        Range => "range",
        ThresholdClasses => "threshold-classes",
        ThresholdClass => "threshold-class",
        ThresholdValue => "threshold-value",
        Cap => "cap",
        CapUnused => "cap-unused",
        NoOwnBeliefs => "no-own-beliefs",
        NothingGiven => "nothing-given",
        NoFeatures => "no-features",
        Learner => "learner",
        SurrogateClasses => "surrogate-classes",
        NothingToScoreBy => "nothing-to-score-by",
        RetrainUnused => "retrain-unused",
        NotRecalibrated => "not-recalibrated",
        RefreshUnused => "refresh-unused",
        CalibrationUnused => "calibration-unused",
        CalibrationLabels => "calibration-labels",
        CalibrationClasses => "calibration-classes",
        CalibrationKind => "calibration-kind",
        CalibrationSurrogates => "calibration-surrogates",
        NeverLearns => "never-learns",
        TrainingUnused => "training-unused",
        TrainingFeatures => "training-features",
        TrainingLabel => "training-label",
        TrainingKind => "training-kind",
        Supplied => "supplied",
        LossNotKept => "loss-not-kept",
        NoFile => "no-file",
        NoKnownLabels => "no-known-labels",
        KnownLabels => "known-labels",
    }
}

error_codes! {
    pub MetricError {
        Score => "score",
        NoMean => "no-mean",
        Several => "several-metrics",
        OneLook => "one-look",
        NotSimulated => "not-simulated",
        NoTruth => "no-truth",
        NoPositive => "no-positive",
        TwoClasses => "two-classes",
        UnknownPositive => "unknown-positive",
        PositiveUnused => "positive-unused",
        ThresholdUnused => "threshold-unused",
        NotCarried => "not-carried",
        ManySlices => "many-slices",
        GroupsOfPool => "groups-of-pool",
        Skipped => "skipped",
        OrdinaryOnly => "ordinary-only",
        SlicedCalibration => "sliced-calibration",
        ThresholdRange => "threshold-range",
        HalfWidthRange => "half-width-range",
    }
}

error_codes! {
    pub DesignError {
        Budget => "budget",
        NoBudget => "design-without-budget",
        BudgetUnused => "budget-without-design",
        StrataUnused => "strata-without-design",
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

error_codes! {
    pub CompareError {
        NoMean => "no-mean",
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
    pub JudgeError {
        Constant => "judge-constant",
        Blank => "judge-blank",
        Verdict => "judge-verdict",
        NotARating => "judge-not-a-rating",
        Rating => "judge-rating",
        Infinite => "judge-infinite",
        NoWorth => "no-worth",
        WorthUnknown => "worth-unknown",
        WorthsEqual => "worths-equal",
        Worth => "worth",
        NoScale => "no-scale",
        WorthUnused => "worth-unused",
        NoPositive => "rate-without-positive",
        Result => "history-result",
        NoJudge => "no-judge",
        NoVerdicts => "no-verdicts",
        Beside => "beside-judge",
        GroupLoss => "group-loss",
        GroupWithoutJudge => "group-without-judge",
        GroupColumn => "group-column",
        NoGroup => "no-group",
        GroupSize => "group-size",
        GroupSmall => "group-small",
        NotApplicable => "not-applicable",
        NoCommonScale => "no-common-scale",
        OtherKind => "other-kind",
        OtherJudges => "other-judges",
    }
}

error_codes! {
    pub ElsewhereError {
        NeedsPool => "needs-pool",
        Spent => "draws-spent",
        RefreshNeedsPool => "refresh-needs-pool",
        HasPool => "has-pool",
        OtherPool => "other-pool",
        Changed => "pool-changed",
        WholePool => "whole-pool",
        Rows => "elsewhere-rows",
        Parts => "parts-differ",
        Different => "different-passes",
        Bytes => "not-a-sketch",
        NotFound => "not-found",
        Repeated => "repeated-ids",
        Order => "order",
        Totals => "totals",
    }
    in Sketch
}
