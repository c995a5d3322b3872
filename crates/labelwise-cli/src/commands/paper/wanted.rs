//! `labelwise paper wanted`: lists the archives that a figure needs.

use std::io::Write;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use labelwise_images::Set;
use labelwise_paper::figure::{FIGURES, figure};
use labelwise_paper::workshop::{Found, Wanted};
use serde::Serialize;

use super::{ScaleName, SettingsName};
use crate::error::Error;
use crate::output::print_json;
use crate::output::table;
use crate::output::text::{cells, counted};

/// List the archives that a figure needs, and which of them exist.
///
/// An archive holds a network's predictions for test images. Builds with the feature `deep` train the missing
/// networks. Predictions of other tools work too: `labelwise paper archive` makes an archive with the listed
/// name from them. Their number of images may differ from the listed one, but networks that a figure compares
/// must predict the same images in the same order.
///
/// At scale published, no network is trained: you choose which networks the archives are of. On CIFAR-10 the
/// surrogates 1 to 3 are meant to be of one architecture, from shallow to deep, and 4 to 6 of others. An archive
/// may hold an ensemble, whose mean is used.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  labelwise paper wanted 5 --scale smoke")]
pub(crate) struct Options {
    /// Figure to make
    #[arg(value_name = "FIGURE", value_parser = PossibleValuesParser::new(FIGURES.map(|figure| figure.name)))]
    figure: String,
    /// Scale of the figure
    #[arg(long, value_name = "SCALE", default_value = "laptop")]
    scale: ScaleName,
    /// Settings to use if the paper's text and the authors' released code disagree
    #[arg(long, value_name = "SETTINGS", default_value = "text")]
    settings: SettingsName,
    /// Folder of archives
    #[arg(long, value_name = "FOLDER", default_value = "paper-runs/archives")]
    archives: PathBuf,
    /// Print one JSON object (schema labelwise.paper-wanted/1) instead of text
    #[arg(long)]
    json: bool,
}

/// The JSON object.
#[derive(Serialize)]
struct List {
    schema: &'static str,
    figure: &'static str,
    scale: &'static str,
    settings: &'static str,
    folder: PathBuf,
    archives: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    file: String,
    set: Set,
    part: &'static str,
    classes: usize,
    /// Nothing of a network that others trained.
    architecture: Option<String>,
    training_size: Option<usize>,
    seed: Option<u64>,
    items: usize,
    members: usize,
    state: State,
    /// The reason that an existing archive is refused.
    why: Option<String>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum State {
    There,
    Missing,
    Refused,
}

/// Lists them.
pub(crate) fn run(options: &Options, out: &mut impl Write) -> Result<(), Error> {
    let (figure, folder) = (figure(&options.figure)?, &options.archives);
    let (scale, settings) = (options.scale.into(), options.settings.into());
    figure.check_scale(scale)?;
    let wanted = Wanted::by(figure, scale, settings);
    let list = List {
        schema: "labelwise.paper-wanted/1",
        figure: figure.name,
        scale: scale.name(),
        settings: settings.name(),
        folder: folder.clone(),
        archives: wanted.iter().map(|wanted| row(wanted, wanted.look(folder))).collect(),
    };
    if options.json {
        print_json(&list, out)?;
    } else {
        out.write_all(text(&list).as_bytes())?;
    }
    Ok(())
}

/// An existing archive shows its own numbers, a missing one those of the network that would be trained.
fn row(wanted: &Wanted, found: Found) -> Row {
    let recipe = &wanted.recipe;
    let trained = Some(recipe).filter(|recipe| !recipe.is_given());
    let usual = (recipe.split.test, recipe.member_count());
    let (state, why, (items, members)) = match found {
        Found::There(archive) => (State::There, None, (archive.len(), archive.members().len())),
        Found::Missing => (State::Missing, None, usual),
        Found::Refused(error) => (State::Refused, Some(error.to_string()), usual),
    };
    Row {
        file: recipe.file(),
        set: recipe.set,
        part: wanted.part(),
        classes: recipe.set.classes(),
        architecture: trained.map(|recipe| recipe.network.name()),
        training_size: trained.map(|recipe| recipe.split.train),
        seed: trained.map(|recipe| recipe.seed),
        items,
        members,
        state,
        why,
    }
}

fn text(list: &List) -> String {
    let List { figure, scale, settings, folder, archives, .. } = list;
    if archives.is_empty() {
        return format!("Figure {figure} uses no archives: its networks are trained in every run.\n");
    }
    let is = |state: State| archives.iter().filter(move |row| row.state == state);
    let (count, there) = (counted(archives.len(), "archive"), is(State::There).count());
    let folder = folder.display();
    let mut text = format!(
        "Figure {figure} uses {count} (scale {scale}, settings {settings}); the folder {folder} has {there} of \
         them.\n\n"
    );
    let mut rows = vec![cells(["", "part", "images", "members", ""])];
    rows.extend(archives.iter().map(|row| {
        let state = match row.state {
            State::There => "there",
            State::Missing => "missing",
            State::Refused => "refused",
        };
        let (items, members) = (row.items.to_string(), row.members.to_string());
        vec![row.file.clone(), row.part.to_owned(), items, members, state.to_owned()]
    }));
    text.push_str(&table::aligned(&rows));
    for why in archives.iter().filter_map(|row| row.why.as_ref()) {
        text.push_str(&format!("\nRefused: {why}\n"));
    }
    if let Some(row) = is(State::Missing).next() {
        text.push_str(&format!(
            "\nTo use predictions of another program for the first missing archive:\n  labelwise paper archive FILE \
             --out {folder}/{}\n",
            row.file
        ));
    }
    text
}
