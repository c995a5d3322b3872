//! A column of texts in one piece of memory.

/// Texts in one buffer: two allocations for millions of texts.
///
/// ```
/// use labelwise_pool::Strings;
/// let names: Strings = ["cat", "", "dog"].into_iter().collect();
/// assert_eq!(names.len(), 3);
/// assert_eq!(names.get(2), Some("dog"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a text at the end.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Size of all texts in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The text at a place.
    pub fn get(&self, row: usize) -> Option<&str> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..end)
    }

    /// All texts, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|row| self.get(row))
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut strings = Self::default();
        for text in texts {
            strings.push(text);
        }
        strings
    }
}
