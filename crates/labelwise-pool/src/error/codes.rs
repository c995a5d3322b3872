//! The codes of this crate's errors, for programs. `docs/errors.md` lists them all.

use labelwise::error_codes;

use super::{Error, MatchError};

error_codes! {
    pub Error {
        File => "file",
        UnknownFormat => "unknown-format",
        NoFormat => "no-format",
        Damaged => "damaged",
        Unsupported => "unsupported",
        Folder => "folder",
        NoFiles => "no-files",
        NoIds => "no-ids",
        PartDiffers => "part-differs",
        RepeatedIds => "repeated-ids",
        NotAPool => "not-a-pool",
        NoContent => "no-content",
        TooLarge => "too-large",
        TooWide => "too-wide",
        Memory => "memory",
        Empty => "empty",
        TwiceNamed => "twice-named",
        NoColumn => "no-column",
        LabelsTwice => "labels-twice",
        TooFewClasses => "too-few-classes",
        NoFamily => "no-family",
        ManyFamilies => "many-families",
        Rows => "rows",
        NotLogits => "not-logits",
        NotProbabilities => "not-probabilities",
        DeviationColumn => "deviation-column",
        VarianceColumn => "variance-column",
        ManyDecimals => "many-decimals",
        Unused => "unused",
        Filters => "filters",
        NoFilter => "no-filter",
        HistoryIds => "history-ids",
        ManyResults => "many-results",
        NoResults => "no-results",
        Epochs => "epochs",
        NoEpoch => "no-epoch",
        ClassNames => "class-names",
        SurrogateMisses => "surrogate-misses",
        SurrogateDiffers => "surrogate-differs",
    }
    in Core, Match
}

error_codes! {
    pub MatchError {
        Items => "items",
        NothingCommon => "nothing-common",
        Rows => "rows",
        Ids => "ids",
        Kinds => "kinds",
        Scores => "scores",
    }
}
