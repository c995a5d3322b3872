//! Where networks come from: archives in a folder, and training for those that are not there yet. Whatever trains is
//! behind [`Trainer`], so that everything but the networks themselves is the same in builds without them.

mod check;
#[cfg(feature = "deep")]
mod deep;
mod fits;
mod parts;
mod shelf;
mod wanted;

use std::path::PathBuf;

use labelwise::Classification;
use labelwise::surrogate::Learner;
use labelwise_images::{Images, Part, Set, read};

pub use check::Difference;
pub(crate) use fits::{hear_here, heard_here};
pub(crate) use parts::Parts;
pub use shelf::{ArchiveNote, Shelf};
pub use wanted::{Found, Wanted};

use crate::error::{Error, Result};
use crate::recipe::{Network, Recipe, Training};

/// Makes learners of networks as data.
pub trait Trainer: Sync {
    /// A learner of images of this set. It keeps the validation images out of what it is given by itself.
    fn learner(
        &self,
        set: Set,
        network: &Network,
        training: &Training,
        heard: Heard,
    ) -> Result<Box<dyn Learner<Classification>>>;
}

/// Hears of each epoch that is done, on the thread that trains.
pub type Heard = Box<dyn Fn(EpochDone) + Send + Sync>;

/// An epoch that is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpochDone {
    /// Which, from 1.
    pub epoch: usize,
    /// How many there are at most.
    pub of: usize,
    /// The mean cross-entropy of the images held out, if there are any.
    pub validation_loss: Option<f64>,
}

/// The trainer of this build, if it has one.
pub fn trainer() -> Option<&'static dyn Trainer> {
    #[cfg(feature = "deep")]
    return Some(&deep::Burn);
    #[cfg(not(feature = "deep"))]
    None
}

/// What experiments on images need from outside.
pub struct Workshop<'a> {
    /// The figure that is made.
    pub figure: &'static str,
    /// The folder of archives: looked for there, and written there.
    pub archives: PathBuf,
    /// The folder of image sets.
    pub data: Option<PathBuf>,
    /// Whoever trains, in builds that can.
    pub trainer: Option<&'a dyn Trainer>,
    /// Told what takes its time.
    pub tell: &'a (dyn Fn(&str) + Sync),
}

impl Workshop<'_> {
    /// The archives of these networks; those that are not there are trained.
    pub fn shelf(&self, recipes: &[Recipe]) -> Result<Shelf<'_>> {
        Shelf::new(self, recipes)
    }

    /// Both parts of a set.
    pub(crate) fn images(&self, set: Set) -> Result<(Images, Images)> {
        let Some(folder) = &self.data else { return Err(Error::NoData { set: set.title() }) };
        Ok((read(set, Part::Train, folder)?, read(set, Part::Test, folder)?))
    }

    /// Whoever trains; an error that says how to have one where there is none.
    pub(crate) fn trainer(&self, needs: impl FnOnce() -> String) -> Result<&dyn Trainer> {
        self.trainer.ok_or_else(|| Error::NeedsTraining { needs: needs(), figure: self.figure })
    }
}
