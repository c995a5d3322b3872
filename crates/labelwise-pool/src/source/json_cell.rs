//! Cells from JSON values, without a tree of values in between.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::cell::Cell;
use crate::limits;

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Cell::Nothing)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(Cell::Truth(truth))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Cell::Integer(value))
    }

    #[allow(clippy::cast_precision_loss, reason = "no whole number of 64 bits and a sign holds it")]
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(value).map_or(Cell::Number(value as f64), Cell::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Cell::Number(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cell::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut numbers = Vec::new();
        while let Some(cell) = items.next_element::<Cell<'de>>()? {
            // One more than the longest list is enough to see that this one is too long.
            if numbers.len() <= limits::COLUMNS {
                numbers.push(cell.number().unwrap_or(f64::NAN));
            }
        }
        Ok(Cell::List(numbers))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other)
    }
}

/// A visitor of the entries of an object.
pub(crate) trait TakeEntries {
    /// Whether to read the value of a key.
    fn wants(&self, key: &str) -> bool;

    fn take(&mut self, key: &str, cell: &Cell<'_>);
}

/// Reads an object entry by entry.
pub(crate) struct Entries<'t, T>(pub(crate) &'t mut T);

impl<'de, T: TakeEntries> Visitor<'de> for Entries<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<Cow<'de, str>>()? {
            if self.0.wants(&key) {
                self.0.take(&key, &entries.next_value::<Cell<'de>>()?);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
