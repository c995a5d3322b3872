//! `labelwise paper archive`: makes an archive of predictions that were made elsewhere.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use labelwise_images::{Archive, Foreign, Part, Provenance, Set};
use labelwise_paper::experiment::Settings;
use labelwise_paper::workshop::Wanted;
use labelwise_store::Format;
use serde::Serialize;

use crate::args::parse::{format_parser, whole};
use crate::error::Failure;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::text::{counted, thousands, wrapped};

/// Make an archive of predictions that were made elsewhere.
///
/// Figures on images are made of archives: what a network says of test images, with their labels. Whatever made the
/// predictions (PyTorch, JAX, any tool), a file of them becomes an archive here. A figure looks for its archives by name:
/// `labelwise paper wanted FIGURE` lists the names, and --out takes one of them.
///
/// An NPZ file has the arrays probs (one row an image, one column a class) and labels, and ids where rows are not all
/// images of the part in their order. Tables have columns prob_0, prob_1 and so on, label, and id. Networks that are
/// looked at together predict the same images, in one order.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, on the pool of the repository's folder examples:\n  \
                        labelwise paper archive examples/pool.csv --out digits.parquet --set mnist --part test")]
pub(crate) struct Options {
    /// The predictions: CSV, TSV, JSON Lines, JSON, Parquet, Arrow or NPZ
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The archive to write. What is there already is left as it is
    #[arg(long, value_name = "ARCHIVE")]
    out: PathBuf,
    /// Which images: mnist, fashion-mnist, cifar-10 or cifar-100 [default: what the name of the archive says, if a figure
    /// looks for it]
    #[arg(long, value_name = "SET", value_parser = |text: &str| text.parse::<Set>())]
    set: Option<Set>,
    /// Which part of them: test, or train+test where both are joined, training images first [default: likewise]
    #[arg(long, value_name = "PART", value_parser = PossibleValuesParser::new(PARTS), hide_possible_values = true)]
    part: Option<String>,
    /// The format of the file, where its name does not tell
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser(), help_heading = COLUMNS)]
    format: Option<Format>,
    /// Class probabilities: a pattern with * for the class, names with commas between, or one array or column of lists;
    /// once a member of an ensemble [default: what is recognised]
    #[arg(long, value_name = "PATTERN", help_heading = COLUMNS)]
    probs: Vec<String>,
    /// Logits, of which a softmax makes probabilities; once a member of an ensemble
    #[arg(long, value_name = "PATTERN", conflicts_with = "probs", help_heading = COLUMNS)]
    logits: Vec<String>,
    /// The labels: classes, counted from 0 or by their names [default: label or labels]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    label_column: Option<String>,
    /// The number of each image in its part, counted from 0 [default: id or ids, or row numbers from 0, also in the place
    /// of names that are no numbers]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    id: Option<String>,
    /// What the model is. A figure holds an archive to what it says of itself; where nothing is said nothing is compared
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, help_heading = ORIGIN)]
    architecture: String,
    /// How many images it learnt from
    #[arg(long, value_name = "IMAGES", value_parser = whole::<usize>, help_heading = ORIGIN)]
    training_size: Option<usize>,
    /// The seed of its training
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>, help_heading = ORIGIN)]
    seed: Option<u64>,
    /// Whatever else is worth knowing; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = note, help_heading = ORIGIN)]
    note: Vec<(String, String)>,
    /// Print one JSON object (schema labelwise.paper-archive/1) in place of text
    #[arg(long)]
    json: bool,
}

const COLUMNS: &str = "The file's columns";
const ORIGIN: &str = "Where it comes from";

/// The parts that networks are tested on, by their names in archives.
const PARTS: [&str; 2] = ["test", "train+test"];

/// Why predictions make no archive that is of use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Misuse {
    /// Nothing says which images these are.
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
         it under another name", way_out(.what)
    )]
    Unwanted {
        /// The figure.
        figure: &'static str,
        /// The archive's name.
        file: String,
        /// What differs.
        what: &'static str,
        /// Its value.
        given: String,
        /// The value that is wanted.
        wanted: String,
    },
}

fn way_out(what: &str) -> &'static str {
    match what {
        "the set" => "leave --set out",
        "the part" => "leave --part out",
        "the architecture" => "put it into a --note in place of --architecture",
        "the training size" => "put it into a --note in place of --training-size",
        "the seed" => "put it into a --note in place of --seed",
        "the members" => "name the probabilities of each member with a --probs of its own",
        _ => "leave out what is said of it",
    }
}

fn note(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("give KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// What was made, as machines read it.
#[derive(Serialize)]
struct Made {
    schema: &'static str,
    out: PathBuf,
    /// Whether it was not there before.
    written: bool,
    set: Set,
    part: String,
    items: usize,
    classes: usize,
    members: usize,
    accuracy: f64,
    cross_entropy: f64,
    /// How to make a figure of it.
    figure: Option<String>,
}

/// Makes the archive, and says how good the predictions in it are.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let Options { out: path, .. } = options;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wanted = Wanted::named(&file);
    let (set, part) = images(options, wanted.as_ref())?;
    let spinner = Spinner::new("reading the predictions");
    let archive = Archive::foreign(&options.file, &foreign(options, set, &part)).map_err(as_of_pools)?;
    check(&archive, &options.file, set, &part)?;
    if let Some(wanted) = &wanted
        && let Some((what, given, here)) = wanted.difference(&archive)
    {
        return Err(Misuse::Unwanted { figure: wanted.figure, file, what, given, wanted: here }.into());
    }
    let written = archive.write_new(path)?;
    drop(spinner);
    let made = Made {
        schema: "labelwise.paper-archive/1",
        out: path.clone(),
        written,
        set,
        part,
        items: archive.len(),
        classes: archive.classes(),
        members: archive.members().len(),
        accuracy: archive.accuracy(),
        cross_entropy: archive.cross_entropy(),
        figure: wanted.map(|wanted| command(&wanted, path)),
    };
    if options.json {
        print_json(&made, out)?;
    } else {
        out.write_all(text(&made).as_bytes())?;
    }
    Ok(())
}

/// Which images were predicted: as is said, or as the figure that looks for the archive wants it.
fn images(options: &Options, wanted: Option<&Wanted>) -> Result<(Set, String), Misuse> {
    let set = options.set.or(wanted.map(|wanted| wanted.recipe.set));
    let part = options.part.clone().or(wanted.map(|wanted| wanted.part().to_owned()));
    set.zip(part).ok_or_else(|| Misuse::UnknownImages { out: options.out.clone() })
}

fn foreign(options: &Options, set: Set, part: &str) -> Foreign {
    let mut provenance = Provenance::new(set.name(), part);
    provenance.architecture.clone_from(&options.architecture);
    provenance.training_size = options.training_size;
    provenance.seed = options.seed;
    provenance.notes.extend(options.note.iter().cloned());
    let mut foreign = Foreign::new(provenance);
    foreign = options.probs.iter().chain(&options.logits).fold(foreign, Foreign::member);
    if !options.logits.is_empty() {
        foreign = foreign.logits();
    }
    if let Some(format) = options.format {
        foreign = foreign.format(format);
    }
    if let Some(column) = &options.label_column {
        foreign = foreign.labels(column);
    }
    match &options.id {
        Some(column) => foreign.ids(column),
        None => foreign,
    }
}

/// What is wrong with a file of predictions is said as of any pool, with the option that helps.
fn as_of_pools(error: labelwise_images::Error) -> Failure {
    match error {
        labelwise_images::Error::Core(error) => error.into(),
        labelwise_images::Error::Store(error) => error.into(),
        other => other.into(),
    }
}

/// Refuses what cannot be of the set.
fn check(archive: &Archive, file: &Path, set: Set, part: &str) -> Result<(), Misuse> {
    let (file, found) = (file.to_owned(), archive.classes());
    if found != set.classes() {
        return Err(Misuse::Classes { file, found, set });
    }
    let parts = Part::ALL.into_iter().filter(|one| part.split('+').any(|name| name == one.name()));
    let images: usize = parts.map(|part| set.published(part)).sum();
    match archive.ids().iter().copied().max() {
        Some(image) if image as usize >= images => {
            Err(Misuse::NoImage { file, image, set, part: part.to_owned(), images })
        }
        _ => Ok(()),
    }
}

/// The command that makes the figure.
fn command(wanted: &Wanted, path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let settings = match wanted.settings {
        Settings::Text => "",
        Settings::Released => " --settings released",
    };
    let (figure, scale) = (wanted.figure, wanted.scale.name());
    format!("labelwise paper {figure} --scale {scale}{settings} --archives {}", folder.display())
}

fn text(made: &Made) -> String {
    let Made { set, part, items, classes, members, accuracy, cross_entropy, .. } = made;
    let done = if made.written { "is written" } else { "was there before, and is the same" };
    let (items, members) = (counted(*items, "image"), counted(*members, "member"));
    let mut text =
        format!("{} {done}: {items} of {set} ({part}), {classes} classes, {members}.\n", made.out.display());
    text.push_str(&format!("Accuracy {accuracy:.4}, cross-entropy {cross_entropy:.4}.\n"));
    // Twice as often right as by chance is next to nothing, even of few images.
    if *accuracy * (*classes as f64) < 2.0 {
        let doubt = "that is hardly better than chance: if the model is, its labels are in another order than its \
                     predictions, or its classes are counted otherwise.";
        text.push_str(&wrapped(doubt, "note: ", "  "));
    }
    if let Some(command) = &made.figure {
        text.push_str(&format!("A figure reads it:\n  {command}\n"));
    }
    text
}
