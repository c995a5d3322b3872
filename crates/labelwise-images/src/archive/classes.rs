//! The order of classes: by their numbers where they have numbers, whatever the order of a file's columns, as a table
//! that was sorted by its columns' names has class 10 before class 2.

use labelwise::Matrix;

use crate::error::{Error, Result};

/// The classes of one member.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// The classes of its columns.
    names: Vec<String>,
    /// The class of each column, if columns are numbered from 0 in another order.
    numbers: Option<Vec<u32>>,
}

impl Order {
    pub(super) fn of(names: Vec<String>) -> Self {
        let numbers: Option<Vec<u32>> = names.iter().map(|name| name.parse().ok()).collect();
        let all: Vec<u32> = (0_u32..).take(names.len()).collect();
        let numbers = numbers.filter(|numbers| {
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            *numbers != all && sorted == all
        });
        Self { names, numbers }
    }

    /// Refuses another member that has the same words in another order. Other words say nothing of it.
    pub(super) fn check(&self, other: &Self) -> Result<()> {
        if self.numbers.is_some() || other.numbers.is_some() || self.names == other.names {
            return Ok(());
        }
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        if sorted(&self.names) != sorted(&other.names) {
            return Ok(());
        }
        let (found, expected) = (other.names.join(", "), self.names.join(", "));
        let found = format!("the classes in the order {found}");
        Err(Error::Mismatch { what: "a member", found, expected: format!("{expected}, as the first member") })
    }

    /// A member's rows with its classes in order.
    pub(super) fn rows(&self, rows: Matrix) -> Result<Matrix> {
        let Some(numbers) = &self.numbers else { return Ok(rows) };
        let mut reader = rows.reader();
        let mut values = vec![0.0_f32; rows.rows() * rows.columns()];
        for (item, ordered) in values.chunks_exact_mut(rows.columns()).enumerate() {
            for (&class, &value) in numbers.iter().zip(reader.row(item)) {
                if let Some(place) = ordered.get_mut(class as usize) {
                    *place = value as f32;
                }
            }
        }
        Ok(Matrix::f32(values, rows.columns())?)
    }

    /// Labels that are places among the columns, as classes.
    pub(super) fn labels(&self, mut labels: Vec<u32>) -> Vec<u32> {
        let Some(numbers) = &self.numbers else { return labels };
        for label in &mut labels {
            *label = numbers.get(*label as usize).copied().unwrap_or(*label);
        }
        labels
    }
}
