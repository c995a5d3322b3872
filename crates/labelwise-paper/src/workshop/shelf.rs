//! Archives in a folder. A network that is not there is trained; one that is there under its name, and is another, is
//! refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use labelwise::rng::Stream;
use labelwise::{Matrix, Seed};
use labelwise_images::{Archive, Images, Set};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::check::{self, Difference, provenance, said_images};
use super::fits::Fit;
use super::{EpochDone, Parts, Trainer, Workshop};
use crate::error::{Error, Result};
use crate::figure::each_once;
use crate::recipe::Recipe;

/// The archives of a figure, all of them there.
pub struct Shelf<'a> {
    folder: &'a Path,
    /// The seconds that the networks took which were not there, by their files.
    trained: BTreeMap<String, f64>,
}

/// What an archive is, for the record of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArchiveNote {
    /// Its file.
    pub file: String,
    /// A checksum of the file.
    pub crc32: String,
    /// How many items it has.
    pub items: usize,
    /// How many members.
    pub members: usize,
    /// How many images it was trained on, where that is known.
    pub training_size: Option<usize>,
    /// Where its most probable class is the label.
    pub accuracy: f64,
    /// Its mean cross-entropy.
    pub cross_entropy: f64,
    /// The mean entropy of its predictions: over the cross-entropy it is below 1 if the network is too sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// What the network is, where the archive says so and its name does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub architecture: String,
    /// How many epochs it was trained for, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub epochs: Vec<usize>,
    /// Whatever else the archive says of its training and its making.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, String>,
    /// The seconds that its training and its predictions took on one thread, where that was for this figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training_seconds: Option<f64>,
}

/// The note under which an archive has the least cross-entropy of its network on the images held out.
const VALIDATION_LOSS: &str = "validation-loss";

/// Both parts of a set, and what they are known by.
struct Material {
    train: Images,
    test: Images,
    images: String,
}

impl<'a> Shelf<'a> {
    pub(super) fn new(workshop: &'a Workshop<'_>, recipes: &[Recipe]) -> Result<Self> {
        let mut shelf = Self { folder: &workshop.archives, trained: BTreeMap::new() };
        let recipes = each_once(recipes.iter().cloned());
        let (there, missing): (Vec<&Recipe>, Vec<&Recipe>) =
            recipes.iter().partition(|recipe| shelf.path(recipe).exists());
        // What others trained cannot be trained here.
        let mut given = missing.iter().filter(|recipe| recipe.is_given());
        if let Some(first) = given.next() {
            let needs = match given.count() {
                0 => "an archive of published predictions that is missing".to_owned(),
                more => format!("{} archives of published predictions that are missing", more + 1),
            };
            return Err(Error::NeedsArchive { needs, figure: workshop.figure, path: shelf.path(first) });
        }
        if let Some(first) = missing.first() {
            let needs = || {
                let (count, file, folder) = (missing.len(), first.file(), shelf.folder.display());
                match count {
                    1 => format!("the network {file}, which is not in {folder},"),
                    _ => format!("{count} networks that are not in {folder}, the first of them {file},"),
                }
            };
            let trainer = workshop.trainer(needs)?;
            let material = material(workshop, &missing)?;
            // An archive that does not fit the new ones is refused before they are trained.
            there.iter().try_for_each(|recipe| shelf.fits(recipe, &material))?;
            fs::create_dir_all(shelf.folder).map_err(Error::file(shelf.folder, "made"))?;
            shelf.trained = shelf.train(workshop, trainer, &missing, &material)?;
        }
        Ok(shelf)
    }

    /// Trains networks, each on one thread and several at once: each is stored when it is done. Returns the seconds each took.
    fn train(
        &self,
        workshop: &Workshop<'_>,
        trainer: &dyn Trainer,
        missing: &[&Recipe],
        material: &BTreeMap<Set, Material>,
    ) -> Result<BTreeMap<String, f64>> {
        let (begun, count) = (AtomicUsize::new(0), missing.len());
        let train = |recipe: &Recipe, words: Sender<String>| -> Result<Option<(String, f64)>> {
            let Some(material) = material.get(&recipe.set) else { return Ok(None) };
            let start = Instant::now();
            let place = begun.fetch_add(1, Ordering::Relaxed) + 1;
            let what = format!("training network {place} of {count}: {}", recipe.file());
            // After the end, nobody receives messages.
            let _ = words.send(what.clone());
            let fit = Arc::new(Mutex::new(Fit::default()));
            let counted = Arc::clone(&fit);
            let heard = Box::new(move |done: EpochDone| {
                counted.lock().unwrap_or_else(PoisonError::into_inner).hear(done);
                let _ = words.send(format!("{what}, epoch {} of {}", done.epoch, done.of));
            });
            let learner = trainer.learner(recipe.set, &recipe.network, &recipe.training, heard)?;
            let parts = Parts::of(&recipe.split, &material.train, &material.test)?;
            let predicted = trained(recipe, &parts, &*learner)?;
            let mut provenance = provenance(recipe, Some(&material.images));
            let fit = *fit.lock().unwrap_or_else(PoisonError::into_inner);
            provenance.epochs = vec![fit.epochs];
            if let Some(loss) = fit.validation_loss {
                provenance.notes.insert(VALIDATION_LOSS.to_owned(), format!("{loss:.6}"));
            }
            Archive::new(predicted.ids, predicted.labels, predicted.members, provenance)?
                .rounded(recipe.bits)?
                .write(&self.path(recipe))?;
            Ok(Some((recipe.file(), start.elapsed().as_secs_f64())))
        };
        let (words, said) = mpsc::channel();
        let seconds: Vec<Option<(String, f64)>> = thread::scope(|scope| {
            scope.spawn(move || said.into_iter().for_each(|words: String| (workshop.tell)(&words)));
            let trained = missing.par_iter().with_max_len(1);
            let trained = trained.map_with(words, |words, recipe| train(recipe, words.clone()));
            trained.collect::<Result<_>>()
        })?;
        Ok(seconds.into_iter().flatten().collect())
    }

    /// Refuses an archive that is there and is not of its network, or of other images than are there now.
    fn fits(&self, recipe: &Recipe, material: &BTreeMap<Set, Material>) -> Result<()> {
        let archive = self.archive(recipe)?;
        let here = material.get(&recipe.set).map(|material| &material.images);
        match (said_images(&archive), here) {
            (Some(there), Some(here)) if there != here => Err(Error::OtherArchive {
                path: self.path(recipe),
                what: Difference::Images,
                there: there.clone(),
                here: here.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn path(&self, recipe: &Recipe) -> PathBuf {
        self.folder.join(recipe.file())
    }

    /// The archive of a network.
    pub(crate) fn archive(&self, recipe: &Recipe) -> Result<Archive> {
        check::read(&self.path(recipe), recipe)
    }

    /// What a network says of the items of another's archive, in their order.
    pub(crate) fn beside(&self, recipe: &Recipe, other: &Archive) -> Result<Matrix> {
        let archive = self.archive(recipe)?;
        if archive.ids() != other.ids() || archive.labels() != other.labels() {
            return Err(Error::OtherItems { path: self.path(recipe) });
        }
        Ok(archive.mean().clone())
    }

    /// What these archives are.
    pub(crate) fn notes(&self, recipes: &[Recipe]) -> Result<Vec<ArchiveNote>> {
        let note = |recipe: &Recipe| {
            let (path, archive) = (self.path(recipe), self.archive(recipe)?);
            let bytes = fs::read(&path).map_err(Error::file(&path, "read"))?;
            Ok(ArchiveNote {
                file: recipe.file(),
                crc32: format!("{:08x}", crc32fast::hash(&bytes)),
                items: archive.len(),
                members: archive.members().len(),
                training_size: archive.provenance().training_size,
                accuracy: archive.accuracy(),
                cross_entropy: archive.cross_entropy(),
                entropy: Some(archive.entropy()),
                architecture: match recipe.is_given() {
                    true => archive.provenance().architecture.clone(),
                    false => String::new(),
                },
                epochs: archive.provenance().epochs.clone(),
                said: check::said(&archive),
                training_seconds: self.trained.get(&recipe.file()).copied(),
            })
        };
        recipes.iter().map(note).collect()
    }
}

/// The images of every set that is learnt from.
fn material(workshop: &Workshop<'_>, recipes: &[&Recipe]) -> Result<BTreeMap<Set, Material>> {
    let sets: BTreeSet<Set> = recipes.iter().map(|recipe| recipe.set).collect();
    let of = |set: Set| {
        let (train, test) = workshop.images(set)?;
        let images = format!(
            "{} training images {}, {} test images {}",
            train.len(),
            train.md5(),
            test.len(),
            test.md5()
        );
        Ok((set, Material { train, test, images }))
    };
    sets.into_iter().map(of).collect()
}

/// What a network says of its test images.
struct Predicted {
    ids: Vec<u32>,
    labels: Vec<u32>,
    members: Vec<Matrix>,
}

/// Trains a network, and has it say what it thinks of the test images.
fn trained(
    recipe: &Recipe,
    parts: &Parts,
    learner: &dyn labelwise::surrogate::Learner<labelwise::Classification>,
) -> Result<Predicted> {
    let (scaling, classes) = (parts.scaling()?, recipe.set.classes());
    let rng = &mut Seed(recipe.seed).stream(Stream::Fit, 0);
    let model = learner.fit(&parts.train.data(&scaling)?, classes, rng)?;
    let features = scaling.features(&parts.test)?;
    let mut members = if recipe.members { model.members(&features)? } else { Vec::new() };
    if members.is_empty() {
        members.push(model.predict(&features)?);
    }
    let ids = parts.test_items.iter().map(|&item| item as u32).collect();
    let labels = parts.test.labels().iter().map(|&label| u32::from(label)).collect();
    Ok(Predicted { ids, labels, members })
}
