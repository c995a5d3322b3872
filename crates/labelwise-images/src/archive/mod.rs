//! Prediction archives: what a model, or each member of an ensemble, says of the items of a test set, in one file with
//! where it comes from. Everything after training is then repeatable in seconds, and predictions that were made elsewhere
//! are used the same way.

mod classes;
mod decode;
mod encode;
mod provenance;

use std::path::Path;

use labelwise::loss::{Loss, ZeroOne};
use labelwise::rng::Stream;
use labelwise::{Classification, CrossEntropy, Matrix, Seed, Task};

pub use decode::Foreign;
pub use provenance::Provenance;

use crate::error::{Error, Result};
use crate::subset::stratified;

/// The stream of splits in two, which no split of images uses.
const SPLIT: u64 = 7;

/// The probabilities that a model gives the classes of each item, or that each member of an ensemble gives them, with the
/// labels.
///
/// As a file it is Parquet. The columns are `id` (the item's number in its set), `label`, and `prob_0`, `prob_1` and so on,
/// which are what `labelwise new` and `labelwise simulate` take for a pool. An ensemble has its mean there, and its
/// members in `member_0_prob_0`, `member_0_prob_1` and so on.
///
/// ```
/// use labelwise::Matrix;
/// use labelwise_images::{Archive, Provenance};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("two.parquet");
/// let members = [vec![0.9_f32, 0.1, 0.5, 0.5], vec![0.7, 0.3, 0.5, 0.5]];
/// let members = members.map(|rows| Matrix::f32(rows, 2)).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let archive = Archive::new(vec![7, 3], vec![0, 1], members, Provenance::new("mnist", "test"))?;
/// archive.write(&path)?;
/// let again = Archive::read(&path)?;
/// assert_eq!(again.ids(), [7, 3]);
/// assert!((again.mean().reader().row(0)[0] - 0.8).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Archive {
    ids: Vec<u32>,
    labels: Vec<u32>,
    members: Vec<Matrix>,
    mean: Matrix,
    provenance: Provenance,
}

impl Archive {
    /// Of these items: their numbers in their set, their labels, and one table of probabilities per member, one row per item.
    /// Probabilities are kept in f32.
    pub fn new(
        ids: Vec<u32>,
        labels: Vec<u32>,
        members: Vec<Matrix>,
        provenance: Provenance,
    ) -> Result<Self> {
        let (items, classes) = (labels.len(), members.first().map_or(0, Matrix::columns));
        let mismatch = |what, found: String, expected: String| Err(Error::Mismatch { what, found, expected });
        if items == 0 || classes < 2 {
            let found = format!("{items} items and {classes} classes");
            return mismatch("the archive", found, "at least 1 item, 1 member and 2 classes".to_owned());
        }
        if ids.len() != items {
            return mismatch(
                "the list of items",
                format!("{} numbers", ids.len()),
                format!("{items}, one per label"),
            );
        }
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        if let Some((twice, _)) = sorted.iter().zip(sorted.iter().skip(1)).find(|(a, b)| a == b) {
            return mismatch(
                "the list of items",
                format!("item {twice} twice"),
                "different items".to_owned(),
            );
        }
        if let Some((item, &label)) = labels.iter().enumerate().find(|(_, label)| **label as usize >= classes)
        {
            return Err(Error::Label { item, label, classes });
        }
        for member in &members {
            if (member.rows(), member.columns()) != (items, classes) {
                let found = format!("{} rows of {}", member.rows(), member.columns());
                return mismatch("a member", found, format!("{items} rows of {classes} probabilities"));
            }
            Classification::check_rows(
                labelwise::task::Table::Other("probabilities"),
                0,
                member.reader().rows(0..items),
            )?;
        }
        let members = members.iter().map(singles).collect::<Result<Vec<_>>>()?;
        let mean = mean(&members)?;
        Ok(Self { ids, labels, members, mean, provenance })
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none, which no archive has.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.mean.columns()
    }

    /// The number of each item in its part of its set.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The label of each item.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The probabilities of each member, one row per item; a plain model is its one member.
    pub fn members(&self) -> &[Matrix] {
        &self.members
    }

    /// The mean of the members: of a plain model its own probabilities.
    pub fn mean(&self) -> &Matrix {
        &self.mean
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Where the mean's most probable class is the label.
    pub fn accuracy(&self) -> f64 {
        1.0 - self.mean_loss(&ZeroOne)
    }

    /// The mean's mean cross-entropy.
    pub fn cross_entropy(&self) -> f64 {
        self.mean_loss(&CrossEntropy::default())
    }

    /// The mean entropy of the mean's rows: what it expects its cross-entropy to be. Above the cross-entropy it is less
    /// sure than it could be, below it too sure.
    pub fn entropy(&self) -> f64 {
        let loss = CrossEntropy::default();
        let mut reader = self.mean.reader();
        let mut of = |item| {
            let row = reader.row(item);
            loss.moments(row, row).first
        };
        (0..self.len()).map(&mut of).sum::<f64>() / self.len() as f64
    }

    fn mean_loss(&self, loss: &impl Loss<Classification>) -> f64 {
        let mut reader = self.mean.reader();
        let losses =
            self.labels.iter().enumerate().map(|(item, &label)| loss.loss(reader.row(item), label as usize));
        losses.sum::<f64>() / self.len() as f64
    }

    /// Holds out this number of items, chosen by class; returns these and the others, each in their order. The choice depends on the labels alone.
    pub fn split(&self, chosen: usize) -> Result<(Self, Self)> {
        // No set has more than 256 classes.
        let labels: Vec<u8> = self.labels.iter().map(|&label| label as u8).collect();
        let rng = &mut Seed(0).stream(Stream::Split, SPLIT);
        let mut chosen = stratified(&labels, &[chosen], rng)?.pop().unwrap_or_default();
        chosen.sort_unstable();
        let rest: Vec<usize> = (0..self.len()).filter(|item| chosen.binary_search(item).is_err()).collect();
        Ok((self.select(&chosen)?, self.select(&rest)?))
    }

    /// Some of its items, in this order.
    pub fn select(&self, items: &[usize]) -> Result<Self> {
        let chosen = |values: &[u32]| -> Result<Vec<u32>> {
            let value =
                |&item: &usize| values.get(item).copied().ok_or(Error::NoItem { item, items: values.len() });
            items.iter().map(value).collect()
        };
        let (ids, labels) = (chosen(&self.ids)?, chosen(&self.labels)?);
        let classes = self.classes();
        let rows = |member: &Matrix| -> Result<Matrix> {
            let all = member.singles().unwrap_or_default();
            let rows = items.iter().filter_map(|&item| all.get(item * classes..(item + 1) * classes));
            Ok(Matrix::f32(rows.flatten().copied().collect::<Vec<f32>>(), classes)?)
        };
        let members = self.members.iter().map(rows).collect::<Result<Vec<_>>>()?;
        Self::new(ids, labels, members, self.provenance.clone())
    }

    /// The same with `bits` significant bits of each probability, from 1 to 24 (all bits of an f32). Files become
    /// smaller with fewer; 12 leave rows that sum to 1 within 0.0003.
    pub fn rounded(&self, bits: u32) -> Result<Self> {
        let dropped = 24_u32.saturating_sub(bits.max(1));
        let half = if dropped > 0 { 1_u32 << (dropped - 1) } else { 0 };
        let round = |value: &f32| f32::from_bits(((value.to_bits() + half) >> dropped) << dropped);
        let rows = |member: &Matrix| -> Result<Matrix> {
            let rounded: Vec<f32> = member.singles().unwrap_or_default().iter().map(round).collect();
            Ok(Matrix::f32(rounded, member.columns())?)
        };
        let members = self.members.iter().map(rows).collect::<Result<Vec<_>>>()?;
        Self::new(self.ids.clone(), self.labels.clone(), members, self.provenance.clone())
    }

    /// Writes it as one Parquet file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        encode::write(self, path)
    }

    /// Writes it where nothing is yet, and says whether that was needed: the same file may be there before. Any other is
    /// left as it is.
    pub fn write_new(&self, path: &Path) -> Result<bool> {
        encode::write_new(self, path)
    }

    /// Reads an archive that was written by [`write`](Self::write).
    pub fn read(path: &Path) -> Result<Self> {
        decode::read(path)
    }

    /// Reads predictions that were made elsewhere, from any file that `labelwise new` reads as a pool.
    pub fn foreign(path: &Path, foreign: &Foreign) -> Result<Self> {
        decode::foreign(path, foreign)
    }
}

/// A table in f32.
fn singles(matrix: &Matrix) -> Result<Matrix> {
    if matrix.singles().is_some() {
        return Ok(matrix.clone());
    }
    let mut reader = matrix.reader();
    let values =
        reader.rows(0..matrix.rows()).values().iter().map(|&value| value as f32).collect::<Vec<f32>>();
    Ok(Matrix::f32(values, matrix.columns())?)
}

/// The mean of tables of one size.
fn mean(members: &[Matrix]) -> Result<Matrix> {
    if let [one] = members {
        return Ok(one.clone());
    }
    let mut sums = vec![0.0_f64; members.first().map_or(0, |member| member.rows() * member.columns())];
    for member in members {
        let values = member.singles().unwrap_or_default();
        sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    let count = members.len() as f64;
    let means: Vec<f32> = sums.into_iter().map(|sum| (sum / count) as f32).collect();
    Ok(Matrix::f32(means, members.first().map_or(1, Matrix::columns))?)
}
