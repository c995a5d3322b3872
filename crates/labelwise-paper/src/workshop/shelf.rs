//! Archives in a folder. A network that is not there is trained; one that is there under its name, and is another, is
//! refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use labelwise::{Matrix, Seed, Stream};
use labelwise_images::{Archive, Images, Set};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::check::{difference, provenance};
use super::{Parts, Workshop};
use crate::error::{Error, Result};
use crate::recipe::Recipe;

/// The archives of a figure, all of them there.
pub struct Shelf<'a> {
    folder: &'a Path,
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
}

impl<'a> Shelf<'a> {
    pub(super) fn new(workshop: &'a Workshop<'_>, recipes: &[Recipe]) -> Result<Self> {
        let shelf = Self { folder: &workshop.archives };
        let mut missing: Vec<&Recipe> = Vec::new();
        for recipe in recipes {
            if !shelf.path(recipe).exists() && !missing.contains(&recipe) {
                missing.push(recipe);
            }
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
            fs::create_dir_all(shelf.folder).map_err(Error::file(shelf.folder, "made"))?;
            let images = images(workshop, &missing)?;
            let (begun, count) = (AtomicUsize::new(0), missing.len());
            // A network is trained on one thread, and several at once: as each is done it is put away.
            let train = |recipe: &&Recipe, words: Sender<String>| -> Result<()> {
                let Some((train, test)) = images.get(&recipe.set) else { return Ok(()) };
                let place = begun.fetch_add(1, Ordering::Relaxed) + 1;
                let what = format!("training network {place} of {count}: {}", recipe.file());
                // Nobody listens after the end, and nothing is said then.
                let _ = words.send(what.clone());
                let heard = Box::new(move |epoch, of| {
                    let _ = words.send(format!("{what}, epoch {epoch} of {of}"));
                });
                let learner = trainer.learner(recipe.set, &recipe.network, &recipe.training, heard)?;
                let parts = Parts::of(&recipe.split, train, test)?;
                Ok(trained(recipe, &parts, &*learner)?.write(&shelf.path(recipe))?)
            };
            let (words, said) = mpsc::channel();
            thread::scope(|scope| {
                scope.spawn(move || said.into_iter().for_each(|words: String| (workshop.tell)(&words)));
                missing
                    .par_iter()
                    .with_max_len(1)
                    .try_for_each_with(words, |words, recipe| train(recipe, words.clone()))
            })?;
        }
        Ok(shelf)
    }

    fn path(&self, recipe: &Recipe) -> PathBuf {
        self.folder.join(recipe.file())
    }

    /// The archive of a network.
    pub(crate) fn archive(&self, recipe: &Recipe) -> Result<Archive> {
        let path = self.path(recipe);
        let archive = Archive::read(&path)?;
        match difference(&archive, recipe) {
            Some((what, there, here)) => Err(Error::OtherArchive { path, what, there, here }),
            None => Ok(archive),
        }
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
            })
        };
        recipes.iter().map(note).collect()
    }
}

/// The images of every set that is learnt from.
fn images(workshop: &Workshop<'_>, recipes: &[&Recipe]) -> Result<BTreeMap<Set, (Images, Images)>> {
    let sets: BTreeSet<Set> = recipes.iter().map(|recipe| recipe.set).collect();
    sets.into_iter().map(|set| Ok((set, workshop.images(set)?))).collect()
}

/// Trains a network, and has it say what it thinks of the test images.
fn trained(
    recipe: &Recipe,
    parts: &Parts,
    learner: &dyn labelwise::Learner<labelwise::Classification>,
) -> Result<Archive> {
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
    Ok(Archive::new(ids, labels, members, provenance(recipe))?.rounded(recipe.bits)?)
}
