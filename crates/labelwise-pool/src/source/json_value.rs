//! JSON values whose memory is counted while they are parsed. A tree of `serde_json` takes up to 80 bytes per byte.

use std::cell::Cell as Counter;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::cell::Cell;
use crate::limits::Budget;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Truth(bool),
    Integer(i64),
    /// A whole number beyond the signed ones.
    Unsigned(u64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// Entries by key, in order of the keys.
    Object(Vec<(String, Json)>),
}

/// The parts of a value to keep.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    All,
    /// These entries of an object.
    Only(&'static [(&'static str, Shape)]),
    /// The same parts of every value of an object.
    Each(&'static Shape),
    /// The same parts of every item of a list.
    Items(&'static Shape),
}

impl Json {
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Moves an entry out of an object.
    pub(super) fn take(&mut self, key: &str) -> Self {
        let Self::Object(entries) = self else { return Self::Null };
        let found = entries.iter_mut().find(|(name, _)| name == key);
        found.map_or(Self::Null, |(_, value)| std::mem::replace(value, Self::Null))
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    pub(super) fn entries(&self) -> &[(String, Self)] {
        if let Self::Object(entries) = self { entries } else { &[] }
    }

    /// As a cell; the items of a list that are not numbers are NaN.
    #[allow(clippy::cast_precision_loss, reason = "no whole number of 64 bits and a sign holds it")]
    pub(super) fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Nothing,
            Self::Truth(truth) => Cell::Truth(*truth),
            Self::Integer(value) => Cell::Integer(*value),
            Self::Unsigned(value) => Cell::Number(*value as f64),
            Self::Number(value) => Cell::Number(*value),
            Self::Text(text) => Cell::Text(text.into()),
            Self::List(items) => {
                Cell::List(items.iter().map(|item| item.cell().number().unwrap_or(f64::NAN)).collect())
            }
            Self::Object(_) => Cell::Other,
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Truth(truth) => serializer.serialize_bool(*truth),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Parses the parts of a value, and takes their memory from a budget.
#[derive(Clone, Copy)]
pub(super) struct Parse<'b> {
    budget: &'b Budget,
    spent: &'b Counter<u64>,
    shape: Shape,
}

/// Bytes of a value; a list that grows holds up to two of them per item.
const VALUE: u64 = 2 * size_of::<(String, Json)>() as u64;

impl<'b> Parse<'b> {
    /// `spent` is increased by what is taken from the budget.
    pub(super) fn new(budget: &'b Budget, spent: &'b Counter<u64>, shape: Shape) -> Self {
        Self { budget, spent, shape }
    }

    fn count<E: serde::de::Error>(&self, letters: usize) -> Result<(), E> {
        let bytes = VALUE + letters as u64;
        self.budget.take(bytes).map_err(|error| E::custom(error.to_string()))?;
        self.spent.set(self.spent.get() + bytes);
        Ok(())
    }

    /// What to keep of an entry, if anything.
    fn entry(&self, key: &str) -> Option<Self> {
        let shape = match self.shape {
            Shape::All => Shape::All,
            Shape::Each(shape) => *shape,
            Shape::Only(parts) => parts.iter().find(|(name, _)| *name == key)?.1,
            Shape::Items(_) => return None,
        };
        Some(Self { shape, ..*self })
    }

    fn item(&self) -> Option<Self> {
        match self.shape {
            Shape::All => Some(*self),
            Shape::Items(shape) => Some(Self { shape: *shape, ..*self }),
            Shape::Each(_) | Shape::Only(_) => None,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Parse<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Parse<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Json, E> {
        self.count(0).map(|()| Json::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, truth: bool) -> Result<Json, E> {
        self.count(0).map(|()| Json::Truth(truth))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Json, E> {
        self.count(0).map(|()| Json::Integer(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Json, E> {
        self.count(0).map(|()| i64::try_from(value).map_or(Json::Unsigned(value), Json::Integer))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        self.count(0).map(|()| Json::Number(value))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Json, E> {
        self.count(text.len()).map(|()| Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        self.count(0)?;
        let mut kept = Vec::new();
        let Some(item) = self.item() else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Json::Null);
        };
        while let Some(value) = items.next_element_seed(item)? {
            kept.push(value);
        }
        Ok(Json::List(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        self.count(0)?;
        let mut kept: Vec<(String, Json)> = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            match self.entry(&key) {
                Some(parse) => {
                    self.count::<A::Error>(key.len())?;
                    let value = entries.next_value_seed(parse)?;
                    kept.push((key, value));
                }
                None => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        // Of two entries with the same key, the last one counts.
        kept.reverse();
        kept.sort_by(|(a, _), (b, _)| a.cmp(b));
        kept.dedup_by(|(later, _), (first, _)| later == first);
        Ok(Json::Object(kept))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parsed(text: &str, shape: Shape) -> (Json, u64) {
        let (budget, spent) = (Budget::unlimited(Path::new("t")), Counter::new(0));
        let mut deserializer = serde_json::Deserializer::from_str(text);
        (Parse::new(&budget, &spent, shape).deserialize(&mut deserializer).unwrap(), spent.get())
    }

    #[test]
    fn text_comes_back_with_its_keys_in_order() {
        let text = r#"{"b":[1,-2.5,null,true,"x\ny",18446744073709551615],"a":{},"b":[{"c":1}]}"#;
        let (value, _) = parsed(text, Shape::All);
        assert_eq!(value.to_string(), r#"{"a":{},"b":[{"c":1}]}"#);
        let plain = r#"[1,-2.5,null,true,"x\ny",18446744073709551615]"#;
        assert_eq!(parsed(plain, Shape::All).0.to_string(), plain);
    }

    #[test]
    fn parts_that_are_not_wanted_cost_nothing() {
        const SHAPE: Shape = Shape::Only(&[("a", Shape::Each(&Shape::Only(&[("x", Shape::All)])))]);
        let long = "0,".repeat(10_000);
        let text = format!(r#"{{"z":[{long}0],"a":{{"k":{{"x":7,"y":[{long}0]}}}}}}"#);
        let (value, spent) = parsed(&text, SHAPE);
        assert_eq!(value.to_string(), r#"{"a":{"k":{"x":7}}}"#);
        assert!(spent < 2000, "{spent}");
        let (_, spent) = parsed(&text, Shape::All);
        assert!(spent > 20_000 * 60, "{spent}");
    }
}
