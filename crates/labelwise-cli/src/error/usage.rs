//! Options and files that do not fit together in ways that clap cannot check.

use std::path::PathBuf;

use labelwise_images::Set;
use labelwise_paper::workshop::Difference;

use crate::output::text::thousands;

/// Why options or files do not fit together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum UsageError {
    /// A comparison needs at least 2 models.
    #[error(
        "{} is one model, and a comparison needs two: name the predictions of another model after it",
        .path.display()
    )]
    OneModel { path: PathBuf },
    /// An evaluation is not the first file.
    #[error(
        "{} is an evaluation: give it first, and at most one file of predictions after it",
        .path.display()
    )]
    EvaluationPlace { path: PathBuf },
    /// The option does not apply here.
    #[error("{option} is only for {purpose}")]
    Option { option: &'static str, purpose: &'static str },
    /// The name of the archive does not tell its image set.
    #[error(
        "{} is not a name that a figure looks for, so its image set is not known: give --set and --part, or \
         use a name that `labelwise paper wanted` lists",
        .out.display()
    )]
    UnknownImages { out: PathBuf },
    /// The predictions have another number of classes than the image set.
    #[error(
        "{} has probabilities of {found} classes, but {set} has {}: give another --set, or name the columns \
         with --probs",
        .file.display(), .set.classes()
    )]
    Classes { file: PathBuf, found: usize, set: Set },
    /// The image set does not have the image.
    #[error(
        "{} has image {image}, but {part} of {set} has {} images, counted from 0: predict only the images of \
         that part, or name the column of their numbers with --id",
        .file.display(), thousands(*.images)
    )]
    NoImage { file: PathBuf, image: u32, set: Set, part: String, images: usize },
    /// The figure that looks for this name would refuse the archive.
    #[error(
        "figure {figure} looks for {file} and would refuse this one ({what}: {given} given, {wanted} wanted): {}, or write \
         it under another name", way_out(*.what)
    )]
    Unwanted { figure: &'static str, file: String, what: Difference, given: String, wanted: String },
}

impl UsageError {
    /// A planned number of labels for an interval that has none.
    pub(crate) fn planned() -> Self {
        Self::Option {
            option: "--planned",
            purpose: "--interval anytime: remove it, or choose that interval",
        }
    }
}

fn way_out(what: Difference) -> &'static str {
    match what {
        Difference::Set => "remove --set",
        Difference::Part => "remove --part",
        Difference::Architecture => "put it into a --note instead of --architecture",
        Difference::TrainingSize => "put it into a --note instead of --training-size",
        Difference::Seed => "put it into a --note instead of --seed",
        Difference::Members => "give one --probs per member",
        _ => "remove the option",
    }
}
