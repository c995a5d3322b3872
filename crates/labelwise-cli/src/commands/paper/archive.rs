//! `labelwise paper archive`: makes an archive from predictions of other tools.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use labelwise_images::{Archive, Foreign, Part, Provenance, Set};
use labelwise_models::Temperature;
use labelwise_paper::problem::Settings;
use labelwise_paper::workshop::Wanted;
use labelwise_study::Format;
use serde::Serialize;

use crate::args::parse::{format_parser, whole};
use crate::error::{Error, UsageError};
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::text::{counted, wrapped};

/// Make an archive from predictions of other tools.
///
/// Figures on images are made from archives: a network's predictions for test images, with their labels. This
/// command makes an archive from a file of predictions of any tool (PyTorch, JAX, ...). A figure finds its
/// archives by name: `labelwise paper wanted FIGURE` lists the names for --out.
///
/// An NPZ file has the arrays probs (one row per image, one column per class) and labels, and also ids if its
/// rows are not all images of the part in their order. A table has the columns prob_0, prob_1 and so on,
/// label, and id. Networks that a figure compares must predict the same images in the same order.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, on the pool of the repository's folder examples:\n  \
                        labelwise paper archive examples/pool.csv --out digits.parquet --set mnist --part test")]
pub(crate) struct Options {
    /// File of predictions: CSV, TSV, JSON Lines, JSON, Parquet, Arrow or NPZ
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Archive to write; an existing archive is not changed
    #[arg(long, value_name = "ARCHIVE")]
    out: PathBuf,
    /// Image set: mnist, fashion-mnist, cifar-10 or cifar-100 [default: by the archive's name, if a figure
    /// needs it]
    #[arg(long, value_name = "SET", value_parser = |text: &str| text.parse::<Set>())]
    set: Option<Set>,
    /// Part of the set: test, or train+test (both, training images first) [default: by the archive's name, if
    /// a figure needs it]
    #[arg(long, value_name = "PART", value_parser = PossibleValuesParser::new(PARTS), hide_possible_values = true)]
    part: Option<String>,
    /// Format of the file [default: that of its contents]
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser(), help_heading = COLUMNS)]
    format: Option<Format>,
    /// Class probabilities: a pattern with * for the class, comma-separated names, or one array or column of
    /// lists; repeat for each member of an ensemble [default: the columns that are recognised]
    #[arg(long, value_name = "PATTERN", help_heading = COLUMNS)]
    probs: Vec<String>,
    /// Logits; a softmax turns them into probabilities; repeat for each member of an ensemble
    #[arg(long, value_name = "PATTERN", conflicts_with = "probs", help_heading = COLUMNS)]
    logits: Vec<String>,
    /// Labels: classes by number from 0 or by name [default: label or labels]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    label_column: Option<String>,
    /// Number of each image in its part, counted from 0 [default: id or ids; row numbers from 0 if there are
    /// none or they are not numbers]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    id: Option<String>,
    /// Keep this many images, chosen by class, out of the archive, to fit --temper to; the same number in archives
    /// of the same images leaves the same images
    #[arg(long, value_name = "IMAGES", value_parser = whole::<usize>, help_heading = COLUMNS)]
    hold_out: Option<usize>,
    /// Divide the log probabilities of each member by the temperature that minimises the cross-entropy of the
    /// images kept out: for networks that are too sure or not sure enough
    #[arg(long, requires = "hold_out", help_heading = COLUMNS)]
    temper: bool,
    /// Name of the model. A figure compares this description with what it needs, and skips what is not given
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, help_heading = ORIGIN)]
    architecture: String,
    /// Number of training images
    #[arg(long, value_name = "IMAGES", value_parser = whole::<usize>, help_heading = ORIGIN)]
    training_size: Option<usize>,
    /// Seed of the training
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>, help_heading = ORIGIN)]
    seed: Option<u64>,
    /// Another note about the model; can be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = note, help_heading = ORIGIN)]
    note: Vec<(String, String)>,
    /// Print one JSON object (schema labelwise.paper-archive/1) instead of text
    #[arg(long)]
    json: bool,
}

const COLUMNS: &str = "The file's columns";
const ORIGIN: &str = "Where it comes from";

/// Smaller probabilities are raised to this before they are tempered.
const LEAST: f64 = 1e-12;

/// The parts that networks are tested on, by their names in archives.
const PARTS: [&str; 2] = ["test", "train+test"];

fn note(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("give KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// The JSON object.
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
    /// The mean entropy of the predictions over their mean cross-entropy: below 1 they are too sure.
    entropy_over_cross_entropy: f64,
    /// How many images were kept out.
    held_out: usize,
    /// The temperature of each member, if they were tempered.
    temperatures: Vec<f64>,
    /// How to make a figure of it.
    figure: Option<String>,
}

/// Makes the archive and prints the quality of its predictions.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let Options { out: path, .. } = options;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wanted = Wanted::named(&file);
    let (set, part) = images(options, wanted.as_ref())?;
    let spinner = Spinner::new("reading the predictions");
    let archive = Archive::foreign(&options.file, &foreign(options, set, &part)).map_err(as_of_pools)?;
    check(&archive, &options.file, set, &part)?;
    let (archive, temperatures) = tempered(archive, options)?;
    if let Some(wanted) = &wanted
        && let Some((what, given, here)) = wanted.difference(&archive)
    {
        return Err(UsageError::Unwanted { figure: wanted.figure, file, what, given, wanted: here }.into());
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
        entropy_over_cross_entropy: archive.entropy() / archive.cross_entropy(),
        held_out: options.hold_out.unwrap_or_default(),
        temperatures,
        figure: wanted.map(|wanted| command(&wanted, path)),
    };
    if options.json {
        print_json(&made, out)?;
    } else {
        out.write_all(text(&made).as_bytes())?;
    }
    Ok(())
}

/// The images that were predicted: as the options say, or as the figure needs them.
fn images(options: &Options, wanted: Option<&Wanted>) -> Result<(Set, String), UsageError> {
    let set = options.set.or(wanted.map(|wanted| wanted.recipe.set));
    let part = options.part.clone().or(wanted.map(|wanted| wanted.part().to_owned()));
    set.zip(part).ok_or_else(|| UsageError::UnknownImages { out: options.out.clone() })
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

/// The images that are not kept out, with the temperatures that were fitted to those that are.
fn tempered(archive: Archive, options: &Options) -> Result<(Archive, Vec<f64>), Error> {
    let Some(images) = options.hold_out else { return Ok((archive, Vec::new())) };
    let (kept_out, rest) = archive.split(images)?;
    let mut notes = vec![(
        "held-out".to_owned(),
        format!("{images} images by class, of which nothing is in the archive"),
    )];
    let mut temperatures = Vec::new();
    let mut members = Vec::with_capacity(rest.members().len());
    let labels: Vec<usize> = kept_out.labels().iter().map(|&label| label as usize).collect();
    for (member, before) in rest.members().iter().zip(kept_out.members()) {
        if options.temper {
            let fitted = Temperature::fit(before, &labels, LEAST)?;
            temperatures.push(fitted.temperature());
            members.push(fitted.apply(member)?);
        } else {
            members.push(member.clone());
        }
    }
    if !temperatures.is_empty() {
        let texts: Vec<String> = temperatures.iter().map(|temperature| format!("{temperature:.4}")).collect();
        notes.push(("temperatures".to_owned(), texts.join(", ")));
    }
    let mut provenance = rest.provenance().clone();
    provenance.notes.extend(notes);
    let archive = Archive::new(rest.ids().to_vec(), rest.labels().to_vec(), members, provenance)?;
    Ok((archive, temperatures))
}

/// Errors of a prediction file are those of a pool, with this command's options.
fn as_of_pools(error: labelwise_images::Error) -> Error {
    match error {
        labelwise_images::Error::Core(error) => error.into(),
        labelwise_images::Error::Pool(error) => error.into(),
        other => other.into(),
    }
}

/// Refuses what cannot be of the set.
fn check(archive: &Archive, file: &Path, set: Set, part: &str) -> Result<(), UsageError> {
    let (file, found) = (file.to_owned(), archive.classes());
    if found != set.classes() {
        return Err(UsageError::Classes { file, found, set });
    }
    let parts = Part::ALL.into_iter().filter(|one| part.split('+').any(|name| name == one.name()));
    let images: usize = parts.map(|part| set.published(part)).sum();
    match archive.ids().iter().copied().max() {
        Some(image) if image as usize >= images => {
            Err(UsageError::NoImage { file, image, set, part: part.to_owned(), images })
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
    let done = if made.written { "is written" } else { "already exists with the same contents" };
    let (items, members) = (counted(*items, "image"), counted(*members, "member"));
    let mut text =
        format!("{} {done}: {items} of {set} ({part}), {classes} classes, {members}.\n", made.out.display());
    text.push_str(&format!(
        "Accuracy {accuracy:.4}, cross-entropy {cross_entropy:.4}, mean entropy over it {:.2}.\n",
        made.entropy_over_cross_entropy
    ));
    if made.held_out > 0 {
        text.push_str(&format!("{} kept out by class.\n", counted(made.held_out, "image")));
    }
    if !made.temperatures.is_empty() {
        let texts: Vec<String> =
            made.temperatures.iter().map(|temperature| format!("{temperature:.3}")).collect();
        text.push_str(&format!("Temperature fitted to them: {}.\n", texts.join(", ")));
    }
    // Twice as often right as by chance is next to nothing, even of few images.
    if *accuracy * (*classes as f64) < 2.0 {
        let doubt = "that is hardly better than chance. If the model is better, its labels have another order than \
             its predictions, or its classes have other numbers.";
        text.push_str(&wrapped(doubt, "note: ", "  "));
    }
    if let Some(command) = &made.figure {
        text.push_str(&format!("A figure uses it:\n  {command}\n"));
    }
    text
}
