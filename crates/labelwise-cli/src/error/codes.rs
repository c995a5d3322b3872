//! The codes of the program's own errors, which `--json` prints. `docs/errors.md` lists those of all crates.

use labelwise::error_codes;

use super::{Error, UsageError};

error_codes! {
    pub(crate) Error {
        Usage => "usage",
        Budget => "budget",
        Level => "level",
        Runs => "runs",
        SettingsSyntax => "settings-syntax",
        SettingUnknown => "setting-unknown",
        SettingValue => "setting-value",
        NewSetting => "new-setting",
        NewSettingValue => "new-setting-value",
        NoSettingsFile => "no-settings-file",
        Variable => "variable",
        Read => "read",
        Write => "write",
        LabelsEncoding => "labels-encoding",
        LabelsColumns => "labels-columns",
        NoLabels => "no-labels",
        LabelsLines => "labels-lines",
        LabelsEmpty => "labels-empty",
        OverEvaluation => "over-evaluation",
        TrainColumn => "train-column",
        Picture => "picture",
        Report => "report",
        NoDataFolder => "no-data-folder",
        Threads => "threads",
        Json => "json",
        Output => "output",
        OutputAfter => "output-after",
        ExportName => "export-name",
        LogName => "log-name",
    }
    in Connect, Core, Images, Options, Page, Paper, Plot, Store
}

error_codes! {
    pub(crate) UsageError {
        OneModel => "one-model",
        EvaluationPlace => "evaluation-place",
        Option => "option",
        UnknownImages => "unknown-images",
        Classes => "classes",
        NoImage => "no-image",
        Unwanted => "unwanted",
    }
}
