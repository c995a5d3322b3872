//! Where the predictions of an archive come from.

use std::collections::BTreeMap;

use md5::{Digest, Md5};
use serde::{Deserialize, Serialize};

use super::Archive;
use crate::read::digits;

/// Which items were predicted, and what by. Only the first two are always known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The set of the items, by its name.
    pub set: String,
    /// The part of it, by its name; `train+test` where both were joined, and items are counted on.
    pub part: String,
    /// The model, in words.
    #[serde(default)]
    pub architecture: String,
    /// How many items it learnt from.
    #[serde(default)]
    pub training_size: Option<usize>,
    /// Number of epochs, one number per member.
    #[serde(default)]
    pub epochs: Vec<usize>,
    /// The seed of the training.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The version of the crate that made it.
    #[serde(default)]
    pub version: String,
    /// Whatever else is worth knowing.
    #[serde(default)]
    pub notes: BTreeMap<String, String>,
}

impl Provenance {
    /// Items of this part of this set.
    pub fn new(set: impl Into<String>, part: impl Into<String>) -> Self {
        Self {
            set: set.into(),
            part: part.into(),
            architecture: String::new(),
            training_size: None,
            epochs: Vec::new(),
            seed: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            notes: BTreeMap::new(),
        }
    }
}

/// The key of what follows, in a file's metadata.
pub(super) const KEY: &str = "labelwise.predictions";
/// What is written under it, and which way of writing it.
pub(super) const SCHEMA: &str = "labelwise.predictions/1";

/// What a file says of itself.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) schema: String,
    pub(super) items: usize,
    pub(super) classes: usize,
    pub(super) members: usize,
    /// For people and other programs: it follows from the rows.
    pub(super) accuracy: f64,
    /// The same.
    pub(super) cross_entropy: f64,
    /// Of everything above, of where it comes from, and of the rows: Parquet takes many a damaged file for a whole one.
    pub(super) md5: String,
    #[serde(flatten)]
    pub(super) provenance: Provenance,
}

impl Head {
    /// What is said of this archive.
    pub(super) fn of(archive: &Archive) -> Result<Self, serde_json::Error> {
        let mut head = Self {
            schema: SCHEMA.to_owned(),
            items: archive.len(),
            classes: archive.classes(),
            members: archive.members().len(),
            accuracy: archive.accuracy(),
            cross_entropy: archive.cross_entropy(),
            md5: String::new(),
            provenance: archive.provenance().clone(),
        };
        head.md5 = checksum(&head, archive)?;
        Ok(head)
    }
}

/// Checksum of a head without a checksum, and of the rows.
fn checksum(head: &Head, archive: &Archive) -> Result<String, serde_json::Error> {
    let mut sum = Md5::new();
    sum.update(serde_json::to_vec(head)?);
    let mut bytes = Vec::new();
    for numbers in [archive.ids(), archive.labels()] {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    sum.update(&bytes);
    for member in archive.members() {
        bytes.clear();
        bytes.extend(member.singles().unwrap_or_default().iter().flat_map(|value| value.to_le_bytes()));
        sum.update(&bytes);
    }
    Ok(digits(&sum.finalize()))
}
