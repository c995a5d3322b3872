//! Options and files that do not go together, which clap cannot see.

use std::path::PathBuf;

use labelwise_images::Set;
use labelwise_paper::workshop::Difference;

use crate::output::text::thousands;

/// Why options or files do not go together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum UsageError {
    /// One pool alone.
    #[error(
        "{} is one model, and a comparison takes two: name the predictions of another beside it",
        .path.display()
    )]
    OneModel {
        /// The file.
        path: PathBuf,
    },
    /// An evaluation in the wrong place.
    #[error(
        "{} is an evaluation: give it first, and at most one file of predictions after it",
        .path.display()
    )]
    EvaluationPlace {
        /// The file.
        path: PathBuf,
    },
    /// Options of something else.
    #[error("{option} is for {purpose}")]
    Option {
        /// The option.
        option: &'static str,
        /// What it is for.
        purpose: &'static str,
    },
    /// The image set is not known.
    #[error(
        "{} is no name that a figure looks for, and so does not say which images are predicted: give --set and --part, or \
         take a name that `labelwise paper wanted` lists", .out.display()
    )]
    UnknownImages {
        /// The archive's name.
        out: PathBuf,
    },
    /// Classes of another set.
    #[error(
        "{} has probabilities of {found} classes, but {set} has {}: give another --set, or name the columns with --probs",
        .file.display(), .set.classes()
    )]
    Classes {
        /// The file.
        file: PathBuf,
        /// How many there are.
        found: usize,
        /// The set.
        set: Set,
    },
    /// An image that is not there.
    #[error(
        "{} speaks of the image {image}, but {set} has {} in {part}, counted from 0: predict the images of that part alone, or \
         name the column of their numbers with --id", .file.display(), thousands(*.images)
    )]
    NoImage {
        /// The file.
        file: PathBuf,
        /// The image.
        image: u32,
        /// The set.
        set: Set,
        /// The part.
        part: String,
        /// How many it has.
        images: usize,
    },
    /// A figure would refuse it.
    #[error(
        "figure {figure} looks for {file} and would refuse this one ({what}: {given} given, {wanted} wanted): {}, or write \
         it under another name", way_out(*.what)
    )]
    Unwanted {
        /// The figure.
        figure: &'static str,
        /// The archive's name.
        file: String,
        /// What differs.
        what: Difference,
        /// Its value.
        given: String,
        /// The value that is wanted.
        wanted: String,
    },
}

impl UsageError {
    /// A planned number of labels for an interval that has none.
    pub(crate) fn planned() -> Self {
        Self::Option { option: "--planned", purpose: "--interval anytime: leave it out, or choose that" }
    }
}

fn way_out(what: Difference) -> &'static str {
    match what {
        Difference::Set => "leave --set out",
        Difference::Part => "leave --part out",
        Difference::Architecture => "put it into a --note in place of --architecture",
        Difference::TrainingSize => "put it into a --note in place of --training-size",
        Difference::Seed => "put it into a --note in place of --seed",
        Difference::Members => "name the probabilities of each member with a --probs of its own",
        _ => "leave out what is said of it",
    }
}
