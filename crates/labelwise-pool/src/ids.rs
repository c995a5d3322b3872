//! The ids of items.

use std::collections::BTreeSet;
use std::hash::Hasher;

use twox_hash::XxHash3_64;

use crate::column::Column;
use crate::error::RowFault;
use crate::offences::{Offences, Places};

/// The ids of the items, one per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Ids {
    /// Row numbers from 0. They are valid only together with the fingerprint of the file.
    Rows(usize),
    /// The values of a column, all different.
    Column(Column),
}

impl Ids {
    /// Number of ids.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => *rows,
            Self::Column(column) => column.len(),
        }
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of an item as text.
    pub fn get(&self, row: usize) -> Option<String> {
        match self {
            Self::Rows(rows) => (row < *rows).then(|| row.to_string()),
            Self::Column(column) => column.text(row),
        }
    }

    /// Hash of an id; equal for equal ids of any column type.
    fn key(&self, row: usize) -> u64 {
        let hash = |text: &str| {
            let mut hasher = XxHash3_64::with_seed(0);
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        match self {
            Self::Column(Column::Texts(texts)) => hash(texts.get(row).unwrap_or_default()),
            _ => hash(&self.get(row).unwrap_or_default()),
        }
    }

    /// Rows ordered by the keys of their ids.
    fn by_key(&self) -> Vec<(u64, u32)> {
        let mut keys: Vec<(u64, u32)> = (0..self.len() as u64)
            .map(|row| {
                (self.key(usize::try_from(row).unwrap_or(usize::MAX)), u32::try_from(row).unwrap_or(u32::MAX))
            })
            .collect();
        keys.sort_unstable();
        keys
    }

    /// Whether two ids share a key. Usually none do, and the check needs one number per id.
    fn may_have_twins(&self) -> bool {
        let mut keys: Vec<u64> = match self {
            Self::Column(Column::Integers(values)) => {
                values.iter().map(|value| value.cast_unsigned()).collect()
            }
            _ => (0..self.len()).map(|row| self.key(row)).collect(),
        };
        keys.sort_unstable();
        !keys.is_sorted_by(|a, b| a < b)
    }

    /// Notes every row with the id of an earlier row.
    pub(crate) fn note_twins(&self, places: &Places, offences: &mut Offences) {
        // Ascending ids are the common case and need no memory.
        if let Self::Column(Column::Integers(values)) = self
            && values.is_sorted_by(|a, b| a < b)
        {
            return;
        }
        if matches!(self, Self::Rows(_)) || !self.may_have_twins() {
            return;
        }
        for group in self.by_key().chunk_by(|(a, _), (b, _)| a == b).filter(|group| group.len() > 1) {
            for (later, &(_, row)) in group.iter().enumerate().skip(1) {
                let id = self.get(row as usize);
                // Different texts can share a key.
                let twin = group.iter().take(later).find(|&&(_, other)| self.get(other as usize) == id);
                if let (Some(&(_, other)), Some(id)) = (twin, id) {
                    let first = places.of(other as usize);
                    offences.note(row as usize, || RowFault::SameId { id: id.to_string(), first });
                }
            }
        }
    }

    /// The ids that occur more than once, in the order of their texts.
    pub(crate) fn repeated(&self) -> BTreeSet<String> {
        if matches!(self, Self::Rows(_)) || !self.may_have_twins() {
            return BTreeSet::new();
        }
        let keys = self.by_key();
        let twins = keys.chunk_by(|(one, _), (other, _)| one == other).filter(|group| group.len() > 1);
        // Different texts can share a key.
        let of_group = |group: &[(u64, u32)]| {
            let mut texts: Vec<String> =
                group.iter().filter_map(|&(_, row)| self.get(row as usize)).collect();
            texts.sort_unstable();
            texts
                .chunk_by(|one, other| one == other)
                .filter(|same| same.len() > 1)
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
        };
        twins.flat_map(of_group).collect()
    }

    /// For each of these ids, its row in `others`.
    pub fn rows_in(&self, others: &Self) -> Vec<Option<usize>> {
        if self == others {
            return (0..self.len()).map(Some).collect();
        }
        let keys = others.by_key();
        let row_of = |row: usize| {
            let (key, id) = (self.key(row), self.get(row));
            let start = keys.partition_point(|&(other, _)| other < key);
            let same = keys.iter().skip(start).take_while(|&&(other, _)| other == key);
            same.map(|&(_, other)| other as usize).find(|&other| others.get(other) == id)
        };
        (0..self.len()).map(row_of).collect()
    }
}
