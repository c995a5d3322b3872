//! The archives that figures are made of: by which names they are looked for, and whether they are there.

use std::path::Path;

use labelwise_images::Archive;

use super::check::{self, Difference, difference, part};
use crate::error::Error;
use crate::figure::{FIGURES, Figure, Jobs};
use crate::problem::Settings;
use crate::recipe::Recipe;
use crate::scale::Scale;

/// An archive that a figure is made of.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The figure's name.
    pub figure: &'static str,
    /// At this scale.
    pub scale: Scale,
    /// By these settings.
    pub settings: Settings,
    /// The network whose archive it is.
    pub recipe: Recipe,
}

/// What lies under the name of an archive.
#[derive(Debug)]
pub enum Found {
    /// The archive.
    There(Box<Archive>),
    /// Nothing.
    Missing,
    /// Something that the figure would refuse.
    Refused(Error),
}

impl Wanted {
    /// All that a figure reads; none where whatever it tests is trained in every run.
    pub fn by(figure: &Figure, scale: Scale, settings: Settings) -> Vec<Self> {
        let wanted = |recipe| Self { figure: figure.name, scale, settings, recipe };
        figure.recipes(settings, scale).into_iter().map(wanted).collect()
    }

    /// The first that is looked for by this name of a file.
    pub fn named(file: &str) -> Option<Self> {
        // Figures that show the runs of others read what those read.
        let figures = || FIGURES.into_iter().filter(|figure| !matches!(figure.jobs, Jobs::Of(_)));
        let orders = Settings::ALL.into_iter().flat_map(|settings| Scale::ALL.map(|scale| (settings, scale)));
        let mut wanted = orders.flat_map(|(settings, scale)| {
            figures().flat_map(move |figure| Self::by(figure, scale, settings))
        });
        wanted.find(|wanted| wanted.recipe.file() == file)
    }

    /// The part of its set that the items are of, by its name in archives.
    pub fn part(&self) -> &'static str {
        part(&self.recipe)
    }

    /// What is in a folder under its name.
    pub fn look(&self, folder: &Path) -> Found {
        let path = folder.join(self.recipe.file());
        if !path.exists() {
            return Found::Missing;
        }
        check::read(&path, &self.recipe)
            .map_or_else(Found::Refused, |archive| Found::There(Box::new(archive)))
    }

    /// The first thing in which an archive is not of this network, its value there and the one that is wanted. What an
    /// archive does not say of itself is not held against it.
    pub fn difference(&self, archive: &Archive) -> Option<(Difference, String, String)> {
        difference(archive, &self.recipe)
    }
}
