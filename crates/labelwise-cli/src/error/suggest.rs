//! Hints: the option to type next. The libraries name choices; the names of options are known only here.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use labelwise::plan::Side;
use labelwise::words::{near, shell};
use labelwise_study::{
    ChoiceError, DesignError, Error, FileError, Guess, JudgeError, LikelyColumns, Looks, MetricError,
    PoolError, Purpose, RowFault,
};

/// The suggestion of clap, on one line.
pub(crate) fn of_usage(error: &clap::Error) -> Option<String> {
    let suggested =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let meant = suggested.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word.clone()),
        ContextValue::Strings(words) => words.first().cloned(),
        _ => None,
    });
    meant.map(|word| format!("did you mean {word}?"))
}

/// The option that helps with an evaluation or a pool file.
pub(crate) fn of_store(error: &Error) -> Option<String> {
    match error {
        Error::Pool(error) => of_pool(error),
        Error::Choice(misfit) => of_choice(misfit).map(str::to_owned),
        Error::File(FileError::NoEvaluation { path }) => near_files(path),
        Error::Design(error) => of_design(error).map(str::to_owned),
        Error::NoLabels { next: Some(id), labels: 1.. } => Some(format!(
            "to give it up: labelwise skip EVALUATION {}; `labelwise ask --waiting EVALUATION` prints what waits",
            shell(id)
        )),
        Error::UnboundedSkip { id } | Error::Metric(MetricError::Skipped { id }) => Some(format!(
            "to declare it missing at random: labelwise skip --at-random EVALUATION {}",
            shell(id)
        )),
        Error::Metric(MetricError::ThresholdRange { side, meant, .. }) => {
            let option = match side {
                Some(Side::Below) => "--below",
                Some(Side::Above) => "--above",
                None => "--bar",
            };
            meant.map(|meant| format!("try {option} {meant}"))
        }
        Error::Metric(MetricError::HalfWidthRange { meant, .. }) => {
            meant.map(|meant| format!("try --half-width {meant}"))
        }
        Error::Metric(unfit) => of_metric(unfit).map(str::to_owned),
        Error::Judge(error) => of_judge(error).map(str::to_owned),
        _ => None,
    }
}

/// Files of the same folder whose names are close to one that is not there.
pub(crate) fn near_files(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let (typed, ending) = (path.file_stem()?.to_string_lossy(), path.extension());
    // All files of a kind share an ending, which is not a reason to take one for another.
    let stem = |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let same_kind = names.iter().filter(|name| Path::new(name).extension() == ending);
    let stems: Vec<(String, &String)> = same_kind.filter_map(|name| Some((stem(name)?, name))).collect();
    let close = near(&typed, stems.iter().map(|(stem, _)| stem.as_str()));
    let found = stems.iter().filter(|(stem, _)| close.contains(&stem.as_str()));
    let found: Vec<String> = found
        .map(|(_, name)| shell(folder.map_or_else(|| name.into(), |folder| folder.join(name))))
        .collect();
    (!found.is_empty()).then(|| format!("did you mean {}?", found.join(" or ")))
}

/// The option that helps with a pool file.
fn of_pool(error: &PoolError) -> Option<String> {
    Some(match error {
        PoolError::File { path, source } if source.kind() == ErrorKind::NotFound => near_files(path)?,
        PoolError::UnknownFormat { .. } => "choose the format, for instance --as csv".to_owned(),
        PoolError::NoFamily { likely: Some(LikelyColumns::OneOfTwo(column)), .. } => {
            format!("if `{column}` is the probability of one of two classes: --prob {}", shell(column))
        }
        PoolError::NoFamily { likely: Some(LikelyColumns::Logits(pattern)), .. } => {
            format!("if these are logits: --logits {}", shell(pattern))
        }
        PoolError::NoFamily { likely: Some(LikelyColumns::Mean(error)), .. } => {
            let error = error.map(|name| format!(" --{name} {name}")).unwrap_or_default();
            format!("if `mean` is the predicted number: --mean mean{error}")
        }
        PoolError::NoFamily { .. } => {
            "--probs 'prob_*' names columns of probabilities (`*` is the class); for other predictions use \
             --logits, --hard, --mean or --scores"
                .to_owned()
        }
        PoolError::ManyFamilies { first, .. } => format!("choose one, for instance --probs {}", shell(first)),
        PoolError::NoColumn { purpose, .. } => format!("choose another with {}", option_for(*purpose)?),
        PoolError::TooFewClasses { purpose: Purpose::Probabilities, found: 1, pattern, .. }
            if !pattern.contains('*') =>
        {
            format!("for a model with two classes and one column: --prob {}", shell(pattern))
        }
        PoolError::TooFewClasses { purpose, .. } => {
            format!("choose others with {} (`*` is the class)", option_for(*purpose)?)
        }
        PoolError::Rows { guess: Some(guess), .. } | PoolError::NotProbabilities { guess, .. } => {
            of_guess(guess)
        }
        PoolError::NotLogits { guess, .. } => of_not_logits(guess),
        PoolError::Rows { rows, .. } => rows.iter().find_map(|row| of_row(&row.fault))?.to_owned(),
        PoolError::DeviationColumn { column, .. } => {
            format!("use --std {} instead of --variance", shell(column))
        }
        PoolError::VarianceColumn { column, .. } => {
            format!("use --variance {} instead of --std", shell(column))
        }
        PoolError::ManyDecimals { column, .. } => {
            let column = shell(column);
            format!(
                "for predicted numbers use --mean {column}, for the probability of one of two classes --prob {column}, for \
                 your own scores --scores {column}"
            )
        }
        PoolError::Filters { filters, .. } | PoolError::NoFilter { filters, .. } => {
            format!("for instance --filter {}", shell(filters.first()?))
        }
        PoolError::Epochs { .. } | PoolError::NoEpoch { .. } => "for instance --epoch 1".to_owned(),
        PoolError::TooLarge { .. } => {
            "by default all text columns are read; --carry COLUMN reads only that one, and --single halves the numbers"
                .to_owned()
        }
        PoolError::Memory { .. } => "--single halves the memory, with numbers in single precision".to_owned(),
        PoolError::SurrogateMisses { .. } => {
            "if the ids are not in a column `id`, name their column with --id".to_owned()
        }
        _ => return None,
    })
}

/// The command that helps with a figure.
pub(crate) fn of_paper(error: &labelwise_paper::Error) -> Option<String> {
    let labelwise_paper::Error::NeedsTraining { figure, .. } = error else { return None };
    // Figures that retrain their networks have no archives.
    let archives =
        labelwise_paper::figure::figure(figure).ok()?.recipes(Default::default(), Default::default());
    (!archives.is_empty()).then(|| {
        format!(
            "you can use predictions of another program: `labelwise paper wanted {figure}` lists the archives, and \
             `labelwise paper archive` creates them"
        )
    })
}

/// The option that helps with a metric.
fn of_metric(unfit: &MetricError) -> Option<&'static str> {
    Some(match unfit {
        MetricError::Score { .. } => "choose another with --loss",
        MetricError::NoPositive { .. } | MetricError::UnknownPositive { .. } => "name it with --positive",
        MetricError::PositiveUnused => "remove --positive",
        MetricError::NotCarried { .. } => "labelwise new keeps passthrough columns with --carry",
        MetricError::ManySlices { .. } => "choose another with --by",
        MetricError::ThresholdUnused => "remove --threshold, or name other metrics with --loss",
        MetricError::GroupsOfPool => "give --target population, or remove --group",
        MetricError::SlicedCalibration => "remove --by and --group",
        MetricError::NoMean { .. } | MetricError::Several { .. } => "name it with --loss",
        MetricError::OrdinaryOnly { .. } => "remove --interval and --estimator",
        _ => return None,
    })
}

/// The option that helps with a judge or a history.
fn of_judge(error: &JudgeError) -> Option<&'static str> {
    Some(match error {
        JudgeError::NoPositive { .. } => "name it with --positive",
        JudgeError::Verdict { .. } => {
            "name all classes with --labels, or with their worth: --worth A=1,tie=0.5,B=0"
        }
        JudgeError::Rating { .. } | JudgeError::NotARating { .. } => "the range is that of --range",
        JudgeError::NoScale => "for instance --range 1,5 or --worth A=1,tie=0.5,B=0",
        JudgeError::Blank { .. } | JudgeError::Constant { .. } => "choose another with --judge",
        _ => return None,
    })
}

/// The option that helps with a choice.
fn of_choice(misfit: &ChoiceError) -> Option<&'static str> {
    Some(match misfit {
        ChoiceError::NoOwnBeliefs { .. } => {
            "give --surrogate-probs, --surrogate-file or --features, or --surrogate none"
        }
        ChoiceError::NothingGiven => "name them with --surrogate-probs or --surrogate-file",
        ChoiceError::NoFeatures { .. } | ChoiceError::TrainingFeatures { .. } => "name them with --features",
        ChoiceError::Learner { .. } => "choose another with --surrogate",
        ChoiceError::TrainingUnused => "choose one with --surrogate, or remove --train",
        ChoiceError::TrainingLabel { .. } => "name another column with --train-label",
        ChoiceError::TrainingKind { .. } => "remove --train",
        ChoiceError::Metric { .. } => "choose another with --loss",
        ChoiceError::RetrainUnused => "choose one that learns with --surrogate, or remove --retrain",
        ChoiceError::NotRecalibrated => "remove --belief",
        ChoiceError::RefreshUnused => "remove --refresh, or give --belief recalibrated",
        ChoiceError::CalibrationUnused => "remove --calibration, or give --belief recalibrated",
        ChoiceError::CalibrationLabels { .. } => "name it with --calibration-label",
        ChoiceError::CalibrationSurrogates { .. } => "name them with --surrogate-probs",
        ChoiceError::NeverLearns { .. } => "give --train, or a later --retrain",
        ChoiceError::NothingToScoreBy => "remove --acquisition, or choose a --surrogate",
        ChoiceError::Range { .. } => "remove --range",
        ChoiceError::ThresholdClasses { .. } => "remove --threshold",
        ChoiceError::ThresholdClass { .. } => "name it with --positive",
        ChoiceError::ThresholdValue { .. } => "for instance --threshold 0.5",
        ChoiceError::Cap { .. } => "for instance --cap 1e-15",
        ChoiceError::CapUnused { .. } => "remove --cap",
        _ => return None,
    })
}

/// The option that helps with a design.
fn of_design(error: &DesignError) -> Option<&'static str> {
    Some(match error {
        DesignError::NoBudget { .. } => "for instance --budget 200",
        DesignError::BudgetUnused { .. } => "remove --budget, or give --design one-shot or stratified",
        DesignError::StrataUnused { .. } => "remove --strata, or give --design stratified",
        _ => return None,
    })
}

/// The option for numbers that are not plain probabilities.
fn of_guess(guess: &Guess) -> String {
    match (guess.looks, guess.purpose) {
        (Looks::Percentages, _) => "these look like percentages: add --percent".to_owned(),
        (Looks::Rounded, _) => {
            "these look like rounded probabilities: --normalise divides each row by its sum".to_owned()
        }
        (_, Purpose::SurrogateProbabilities) => {
            "these look like logits: make probabilities of them first, with a softmax".to_owned()
        }
        _ => {
            let option = if guess.single { "--prob" } else { "--probs" };
            format!("if these are logits: --logits {} instead of {option}", shell(&guess.columns))
        }
    }
}

/// The options for logits that are not logits.
fn of_not_logits(guess: &Guess) -> String {
    let option = if guess.single { "--prob" } else { "--probs" };
    let more = match guess.looks {
        Looks::Percentages => " --percent",
        Looks::Rounded => " --normalise",
        _ => "",
    };
    format!("use {option} {}{more} instead of --logits", shell(&guess.columns))
}

/// The option that helps with a row.
fn of_row(fault: &RowFault) -> Option<&'static str> {
    Some(match fault {
        RowFault::ProbabilitySum { .. } => {
            "the probabilities of one item sum to 1: check that all classes have a column"
        }
        RowFault::UnknownLabel { .. } => {
            "the classes are the `*` parts of the names of the probability columns; --classes names those of --prob"
        }
        RowFault::SameId { .. } => "ids must all be different: name another column with --id",
        RowFault::LabelNotFinite { .. } => "name another column with --label-column",
        _ => return None,
    })
}

/// The option that chooses columns for a purpose.
fn option_for(purpose: Purpose) -> Option<&'static str> {
    Some(match purpose {
        Purpose::Probabilities => "--probs",
        Purpose::Probability => "--prob",
        Purpose::Logits => "--logits",
        Purpose::Means => "--mean",
        Purpose::Variances => "--variance",
        Purpose::Deviations => "--std",
        Purpose::Classes => "--hard",
        Purpose::Scores => "--scores",
        Purpose::SurrogateProbabilities => "--surrogate-probs",
        Purpose::Features => "--features",
        Purpose::Ids => "--id",
        Purpose::Labels => "--label-column",
        Purpose::Carried => "--carry",
        _ => return None,
    })
}
