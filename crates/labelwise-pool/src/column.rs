//! A column of single values: ids, labels, hard predictions, passthrough columns.

use crate::strings::Strings;

/// Values of one type, one per item.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Strings),
}

impl Default for Column {
    fn default() -> Self {
        Self::Integers(Vec::new())
    }
}

impl Column {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a place as text.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Integers(values) => values.get(row).map(i64::to_string),
            Self::Numbers(values) => values.get(row).map(f64::to_string),
            Self::Texts(texts) => texts.get(row).map(str::to_owned),
        }
    }

    /// The values at some places, in order.
    pub(crate) fn picked(&self, rows: &[usize]) -> Self {
        match self {
            Self::Integers(values) => {
                Self::Integers(rows.iter().filter_map(|&row| values.get(row).copied()).collect())
            }
            Self::Numbers(values) => {
                Self::Numbers(rows.iter().filter_map(|&row| values.get(row).copied()).collect())
            }
            Self::Texts(texts) => Self::Texts(rows.iter().filter_map(|&row| texts.get(row)).collect()),
        }
    }

    /// The values at some places, in order; nothing where there is no place.
    pub(crate) fn joined(&self, rows: &[Option<usize>]) -> Self {
        let text = |row: &Option<usize>| row.and_then(|row| self.text(row)).unwrap_or_default();
        let texts: Vec<String> = rows.iter().map(text).collect();
        Self::Texts(texts.iter().map(String::as_str).collect())
    }

    /// The value at a place, if it is a number.
    #[allow(clippy::cast_precision_loss, reason = "labels that are whole numbers are small")]
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Integers(values) => values.get(row).map(|&value| value as f64),
            Self::Numbers(values) => values.get(row).copied(),
            Self::Texts(texts) => texts.get(row)?.trim().parse().ok(),
        }
    }

    /// Appends another column; both become the type that can hold all values.
    pub(crate) fn append(&mut self, more: Self) {
        if self.is_empty() {
            *self = more;
            return;
        }
        match more {
            Self::Integers(values) => match self {
                Self::Integers(all) => all.extend(values),
                _ => values.into_iter().for_each(|value| self.push_integer(value)),
            },
            Self::Numbers(values) => values.into_iter().for_each(|value| self.push_number(value)),
            Self::Texts(texts) => texts.iter().for_each(|text| self.push_text(text)),
        }
    }

    /// Appends a whole number, converted to the type of the column.
    #[allow(clippy::cast_precision_loss, reason = "the column holds numbers that are not whole already")]
    pub(crate) fn push_integer(&mut self, value: i64) {
        match self {
            Self::Integers(values) => values.push(value),
            Self::Numbers(values) => values.push(value as f64),
            Self::Texts(texts) => texts.push(&value.to_string()),
        }
    }

    /// Appends a number; earlier whole numbers become numbers.
    #[allow(clippy::cast_precision_loss, reason = "a column of both kinds holds numbers")]
    pub(crate) fn push_number(&mut self, value: f64) {
        match self {
            Self::Integers(values) => {
                let mut numbers: Vec<f64> = values.iter().map(|&whole| whole as f64).collect();
                numbers.push(value);
                *self = Self::Numbers(numbers);
            }
            Self::Numbers(values) => values.push(value),
            Self::Texts(texts) => texts.push(&value.to_string()),
        }
    }

    /// Appends a text; earlier numbers become texts.
    pub(crate) fn push_text(&mut self, value: &str) {
        if let Self::Texts(texts) = self {
            texts.push(value);
            return;
        }
        let mut texts = Strings::default();
        for row in 0..self.len() {
            texts.push(&self.text(row).unwrap_or_default());
        }
        texts.push(value);
        *self = Self::Texts(texts);
    }
}
