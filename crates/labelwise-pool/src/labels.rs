//! Known labels, for simulations.

use std::collections::HashMap;

use crate::column::Column;
use crate::error::{Result, RowFault};
use crate::limits::{Budget, CLASS, Meter};
use crate::offences::Offences;
use crate::predictions::Predictions;

/// Known labels, one per item.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// The place of each label among the classes of the predictions.
    Classes(Vec<u32>),
    /// Values of a regression, or of any score per item.
    Values(Vec<f64>),
}

/// Labels in the terms of the predictions.
pub(crate) fn labels(
    column: &Column,
    predictions: &mut Predictions,
    offences: &mut Offences,
    budget: &Budget,
) -> Result<Labels> {
    Ok(match predictions {
        Predictions::Classes { names, .. } => {
            let places: HashMap<&str, u32> =
                (0_u32..).zip(names.iter()).map(|(at, name)| (name.as_str(), at)).collect();
            Labels::Classes(classes(column, offences, |text| {
                places.get(text).copied().or_else(|| whole(text).and_then(|name| places.get(name).copied()))
            }))
        }
        // A class that the model never predicts is still a class.
        Predictions::Hard { names, .. } => Labels::Classes(Numbering::new(names).all(column, budget)?),
        Predictions::Values { .. } | Predictions::Scores(_) => values_of(column, offences),
    })
}

/// Labels as numbers, independent of the predictions.
pub(crate) fn values_of(column: &Column, offences: &mut Offences) -> Labels {
    let value = |row: usize| {
        let number = column.number(row).filter(|number| number.is_finite());
        number.unwrap_or_else(|| {
            let text = column.text(row).unwrap_or_default();
            offences.note(row, || RowFault::LabelNotFinite { text });
            f64::NAN
        })
    };
    Labels::Values((0..column.len()).map(value).collect())
}

fn classes(column: &Column, offences: &mut Offences, place: impl Fn(&str) -> Option<u32>) -> Vec<u32> {
    let class = |row: usize| {
        let text = column.text(row).unwrap_or_default();
        place(&text).unwrap_or_else(|| {
            offences.note(row, || RowFault::UnknownLabel { text });
            0
        })
    };
    (0..column.len()).map(class).collect()
}

/// A class number written with an empty fraction, such as `3.0`.
fn whole(text: &str) -> Option<&str> {
    text.strip_suffix(".0")
}

/// Numbers classes in the order in which they appear.
pub(crate) struct Numbering<'a> {
    names: &'a mut Vec<String>,
    places: HashMap<String, u32>,
}

impl<'a> Numbering<'a> {
    pub(crate) fn new(names: &'a mut Vec<String>) -> Self {
        let places = (0_u32..).zip(names.iter()).map(|(at, name)| (name.clone(), at)).collect();
        Self { names, places }
    }

    /// The number of each class in a column.
    pub(crate) fn all(mut self, column: &Column, budget: &Budget) -> Result<Vec<u32>> {
        let mut meter = Meter::new(budget);
        let number = |row| {
            let name = column.text(row).unwrap_or_default();
            if !self.places.contains_key(&name) {
                meter.add(CLASS + 2 * name.len() as u64)?;
            }
            Ok(self.of(&name))
        };
        (0..column.len()).map(number).collect()
    }

    pub(crate) fn of(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }
}
