//! Whether an archive is of the network that is wanted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use labelwise_images::{Archive, Provenance};

use crate::error::{Error, Result};
use crate::recipe::{Kind, Recipe};

/// In what an archive is not of the network that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The image set.
    Set,
    /// The part of the set that is predicted.
    Part,
    /// The number of classes.
    Classes,
    /// The network's architecture.
    Architecture,
    /// How many images it was trained on.
    TrainingSize,
    /// The seed of its training.
    Seed,
    /// The recipe of its training.
    Recipe,
    /// The images that were predicted.
    Images,
    /// The number of members, where several are needed.
    Members,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Set => "the set",
            Self::Part => "the part",
            Self::Classes => "the classes",
            Self::Architecture => "the architecture",
            Self::TrainingSize => "the training size",
            Self::Seed => "the seed",
            Self::Recipe => "the recipe",
            Self::Images => "the images",
            Self::Members => "the members",
        })
    }
}

/// The note under which an archive has its recipe.
const RECIPE: &str = "recipe";
/// The note under which an archive has the images it was made of.
const IMAGES: &str = "images";

/// Where an archive of this network, made of these images, says it comes from.
pub(super) fn provenance(recipe: &Recipe, images: Option<&str>) -> Provenance {
    let mut provenance = Provenance::new(recipe.set.name(), part(recipe));
    if recipe.is_given() {
        return provenance;
    }
    provenance.architecture = recipe.network.name();
    provenance.training_size = Some(recipe.split.train);
    provenance.seed = Some(recipe.seed);
    provenance.notes.insert(RECIPE.to_owned(), recipe.text());
    provenance.notes.extend(images.map(|images| (IMAGES.to_owned(), images.to_owned())));
    provenance
}

/// The images that an archive says it was made of.
pub(super) fn said_images(archive: &Archive) -> Option<&String> {
    archive.provenance().notes.get(IMAGES)
}

/// Whatever an archive says that neither its name nor its recipe does.
pub(super) fn said(archive: &Archive) -> BTreeMap<String, String> {
    let mut notes = archive.provenance().notes.clone();
    notes.retain(|key, _| ![RECIPE, IMAGES].contains(&key.as_str()));
    notes
}

/// The part of its set that a network is tested on.
pub(super) fn part(recipe: &Recipe) -> &'static str {
    match recipe.split.kind {
        Kind::Original => "test",
        Kind::Redrawn => "train+test",
    }
}

/// The first thing in which an archive is not of this network, with both values. One that was made elsewhere says less,
/// and is held to what it says.
pub(super) fn difference(archive: &Archive, recipe: &Recipe) -> Option<(Difference, String, String)> {
    let (there, here) = (archive.provenance(), provenance(recipe, None));
    let known = |what: Difference, there: Option<String>, here: String| {
        there.filter(|there| *there != here).map(|there| (what, there, here))
    };
    let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let number = |value: Option<usize>| value.map(|value| value.to_string());
    let classes = recipe.set.classes();
    let images = known(Difference::Set, Some(there.set.clone()), here.set)
        .or_else(|| known(Difference::Part, Some(there.part.clone()), here.part))
        .or_else(|| known(Difference::Classes, Some(archive.classes().to_string()), classes.to_string()));
    if recipe.is_given() {
        return images;
    }
    images
        .or_else(|| known(Difference::Architecture, said(&there.architecture), here.architecture))
        .or_else(|| {
            known(Difference::TrainingSize, number(there.training_size), recipe.split.train.to_string())
        })
        .or_else(|| known(Difference::Seed, there.seed.map(|seed| seed.to_string()), recipe.seed.to_string()))
        .or_else(|| known(Difference::Recipe, there.notes.get(RECIPE).cloned(), recipe.text()))
        // Mutual information is about members, and one alone has none.
        .or_else(|| {
            let alone = recipe.members && archive.members().len() == 1;
            alone.then(|| (Difference::Members, "1".to_owned(), "several".to_owned()))
        })
}

/// The archive of a network; one of another is refused.
pub(super) fn read(path: &Path, recipe: &Recipe) -> Result<Archive> {
    let archive = Archive::read(path)?;
    match difference(&archive, recipe) {
        Some((what, there, here)) => Err(Error::OtherArchive { path: path.to_owned(), what, there, here }),
        None => Ok(archive),
    }
}
