//! A 128-bit fingerprint of a file's contents.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use twox_hash::xxhash3_128::Hasher;

use crate::ids::Ids;
use crate::predictions::Predictions;

/// XXH3 of a file's bytes. It notices accidental changes and edits; it is not a signature.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pool.csv");
/// std::fs::write(&path, "id,prob_a,prob_b\n1,0.5,0.5\n")?;
/// let before = labelwise_pool::Fingerprint::of(&path)?;
/// std::fs::write(&path, "id,prob_a,prob_b\n1,0.4,0.6\n")?;
/// assert_ne!(before, labelwise_pool::Fingerprint::of(&path)?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Fingerprint of a file.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hasher = Hasher::new();
        let mut piece = vec![0; 1 << 18];
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Ok(Self(hasher.finish_128())),
                Ok(read) => hasher.write(piece.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Fingerprint of several parts, in order.
    pub(crate) fn of_parts(parts: impl Iterator<Item = Self>) -> Self {
        let mut hasher = Hasher::new();
        parts.for_each(|part| hasher.write(&part.0.to_le_bytes()));
        Self(hasher.finish_128())
    }

    /// Fingerprint of a pool in memory: of its ids and predictions, row by row.
    pub(crate) fn of_rows(ids: &Ids, predictions: &Predictions) -> Self {
        let mut hasher = Hasher::new();
        let mut text = |text: &str| {
            hasher.write(&(text.len() as u64).to_le_bytes());
            hasher.write(text.as_bytes());
        };
        (0..ids.len()).for_each(|row| text(&ids.get(row).unwrap_or_default()));
        predictions.classes().iter().copied().flatten().for_each(|name| text(name));
        let mut number = |number: f64| hasher.write(&number.to_le_bytes());
        match predictions {
            Predictions::Classes { rows, .. } => {
                let mut reader = rows.reader();
                (0..rows.rows()).for_each(|row| reader.row(row).iter().copied().for_each(&mut number));
            }
            Predictions::Hard { classes, .. } => {
                classes.iter().for_each(|&class| number(class.into()));
            }
            Predictions::Values { means, variances } => {
                means.iter().chain(variances.iter().flatten()).copied().for_each(number);
            }
            Predictions::Scores(scores) => scores.iter().copied().for_each(number),
        }
        Self(hasher.finish_128())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
