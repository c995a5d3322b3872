//! What a folder of results is of: written first, and compared before anything is added to it.

use serde::{Deserialize, Serialize};

/// Everything that results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The name of this format.
    pub schema: String,
    /// Which figure.
    pub figure: String,
    /// Whose settings.
    pub settings: String,
    /// The scale's name, or `custom`.
    pub scale: String,
    /// The seed that every run's is derived from.
    pub seed: u64,
    /// What is repeated, and how often.
    pub experiments: Vec<Planned>,
    /// The version that made them.
    pub version: String,
    /// The commit that version was built from.
    pub commit: String,
}

/// An experiment with its number of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// The experiment's name.
    pub name: String,
    /// How often it is repeated.
    pub runs: usize,
    /// How many labels a run acquires.
    pub steps: usize,
}

/// The name of the format of manifests.
pub(super) const SCHEMA: &str = "labelwise.paper/1";

impl Manifest {
    /// What is to be run, by this build.
    pub fn new(figure: &str, settings: &str, scale: &str, seed: u64, experiments: Vec<Planned>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            figure: figure.to_owned(),
            settings: settings.to_owned(),
            scale: scale.to_owned(),
            seed,
            experiments,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("LABELWISE_COMMIT").to_owned(),
        }
    }

    /// The first thing in which another manifest differs, with both values; the build that made it apart.
    pub(super) fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let pairs = [
            ("the format", self.schema.clone(), other.schema.clone()),
            ("the figure", self.figure.clone(), other.figure.clone()),
            ("the settings", self.settings.clone(), other.settings.clone()),
            ("the seed", self.seed.to_string(), other.seed.to_string()),
            ("the scale", self.scale.clone(), other.scale.clone()),
        ];
        let planned = self.experiments.iter().zip(&other.experiments).flat_map(|(one, other)| {
            let of = |count: usize, planned: &Planned| format!("{count} of {}", planned.name);
            [
                ("the number of runs", of(one.runs, one), of(other.runs, other)),
                ("the number of labels in a run", of(one.steps, one), of(other.steps, other)),
            ]
        });
        pairs.into_iter().chain(planned).find(|(_, one, other)| one != other)
    }
}
