//! What to type next. The libraries speak of choices; only here do choices have the names of options.

use clap::error::{ContextKind, ContextValue};
use labelwise_store::{Error, Misfit, Purpose, RowFault, Unfit};

/// What clap would suggest, on one line.
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

/// The option that helps with a file.
pub(crate) fn of_store(error: &Error) -> Option<String> {
    Some(match error {
        Error::UnknownFormat { .. } => "say what it is, for instance --as csv".to_owned(),
        Error::NoFamily { .. } => {
            "--probs 'prob_*' names columns of probabilities, `*` standing for the class; \
                                   for other predictions there are --logits, --hard, --mean and --scores"
                .to_owned()
        }
        Error::ManyFamilies { first, .. } => format!("choose one, for instance --probs '{first}'"),
        Error::NoColumn { purpose, .. } => format!("choose another with {}", option_for(*purpose)?),
        Error::TooFewClasses { purpose, .. } => {
            format!("choose others with {}, `*` standing for the class", option_for(*purpose)?)
        }
        Error::Rows { rows, .. } => rows.iter().find_map(|row| of_row(&row.fault))?.to_owned(),
        Error::Misfit(misfit) => of_choice(misfit)?.to_owned(),
        Error::Unfit(unfit) => of_metric(unfit)?.to_owned(),
        Error::Filters { filters, .. } | Error::NoFilter { filters, .. } => {
            format!("for instance --filter {}", filters.first()?)
        }
        Error::Epochs { .. } | Error::NoEpoch { .. } => "for instance --epoch 1".to_owned(),
        Error::Memory { .. } => "--single halves the memory: numbers are kept in single precision".to_owned(),
        Error::SurrogateMisses { .. } => "where ids are not in a column `id`, name it with --id".to_owned(),
        _ => return None,
    })
}

/// The command that helps with a figure.
pub(crate) fn of_paper(error: &labelwise_paper::Error) -> Option<String> {
    let labelwise_paper::Error::NeedsTraining { figure, .. } = error else { return None };
    // Networks that are trained again and again are in no archive.
    let archives =
        labelwise_paper::figures::figure(figure).ok()?.recipes(Default::default(), Default::default());
    (!archives.is_empty()).then(|| {
        format!(
            "predictions that were made elsewhere serve as well: `labelwise paper wanted {figure}` lists what is wanted, and \
             `labelwise paper archive` makes it"
        )
    })
}

/// The option that helps with a metric.
fn of_metric(unfit: &Unfit) -> Option<&'static str> {
    Some(match unfit {
        Unfit::Score { .. } => "choose another with --loss",
        Unfit::NoPositive { .. } | Unfit::UnknownPositive { .. } => "name it with --positive",
        Unfit::PositiveUnused => "leave --positive out",
        Unfit::NotCarried { .. } => "labelwise new takes columns along with --carry",
        Unfit::ManySlices { .. } => "choose another with --by",
        Unfit::GroupsOfPool => "give --target population, or leave --group out",
        Unfit::SlicedCalibration => "leave --by and --group out",
        _ => return None,
    })
}

/// The option that was chosen otherwise than it can be.
fn of_choice(misfit: &Misfit) -> Option<&'static str> {
    Some(match misfit {
        Misfit::NoOwnBeliefs { .. } => {
            "give --surrogate-probs, --surrogate-file or --features, or --surrogate none"
        }
        Misfit::NothingGiven => "name them with --surrogate-probs or --surrogate-file",
        Misfit::NoFeatures { .. } | Misfit::TrainingFeatures { .. } => "name them with --features",
        Misfit::Learner { .. } => "choose another with --surrogate",
        Misfit::TrainingUnused => "choose one with --surrogate, or leave --train out",
        Misfit::TrainingLabel { .. } => "name another column with --train-label",
        Misfit::TrainingKind { .. } => "leave --train out",
        Misfit::Metric { .. } => "choose another with --loss",
        Misfit::RetrainUnused => "choose one that learns with --surrogate, or leave --retrain out",
        Misfit::NeverLearns { .. } => "give --train, or a later --retrain",
        Misfit::NothingToScoreBy => "leave --acquisition out, or choose a --surrogate",
        Misfit::Range { .. } => "leave --range out",
        _ => return None,
    })
}

/// What helps with a row.
fn of_row(fault: &RowFault) -> Option<&'static str> {
    Some(match fault {
        RowFault::NoProbabilities | RowFault::Probability { .. } | RowFault::ProbabilitySum { .. } => {
            "if these are logits, say so with --logits in place of --probs"
        }
        RowFault::UnknownLabel { .. } => {
            "the classes are what `*` stands for in the columns of probabilities"
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
        Purpose::Logits => "--logits",
        Purpose::Means => "--mean",
        Purpose::Variances => "--variance",
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
