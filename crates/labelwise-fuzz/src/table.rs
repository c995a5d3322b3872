//! Small tables of predictions, valid but for a few values.

use crate::random::Random;

/// The classes of tables.
pub(crate) const CLASSES: [&str; 4] = ["cat", "dog", "owl", "hen"];

/// Numbers that readers and arithmetic may stumble over.
const NUMBERS: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    1e-300,
    5e-324,
    1e300,
    -1e300,
    f64::MAX,
    9_007_199_254_740_993.0,
    1e-17,
    0.999_999_9,
];

/// Texts that readers and writers may stumble over.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "cat",
    "NaN",
    "1e999",
    "-1",
    "0",
    "true",
    "a,b;c\td",
    "two\nlines\r\n",
    "\"quoted\"",
    "=cmd()",
    "\u{1b}[31mred\u{7}",
    "\u{202e}turned\u{feff}",
    "née 🦉",
    "\0",
];

/// A table in memory, with columns in order.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Number of rows.
    pub(crate) rows: usize,
    /// Names and values.
    pub(crate) columns: Vec<(String, Values)>,
}

/// The values of a column; `None` is a hole.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Lists of numbers.
    Lists(Vec<Vec<f64>>),
}

impl Table {
    /// A table of 2 to 24 rows without columns.
    pub(crate) fn new(random: &mut Random) -> Self {
        Self { rows: 2 + random.below(23), columns: Vec::new() }
    }

    /// Adds a column of numbers.
    pub(crate) fn numbers(&mut self, name: &str, mut value: impl FnMut() -> f64) -> &mut Self {
        let values = (0..self.rows).map(|_| Some(value())).collect();
        self.columns.push((name.to_owned(), Values::Numbers(values)));
        self
    }

    /// Adds a column of texts.
    pub(crate) fn texts(&mut self, name: &str, value: impl FnMut(usize) -> String) -> &mut Self {
        let values = (0..self.rows).map(value).map(Some).collect();
        self.columns.push((name.to_owned(), Values::Texts(values)));
        self
    }

    /// Adds one column of probabilities per class, or one column of lists.
    pub(crate) fn probabilities(
        &mut self,
        name: &str,
        classes: usize,
        lists: bool,
        random: &mut Random,
    ) -> &mut Self {
        let rows: Vec<Vec<f64>> = (0..self.rows).map(|_| distribution(classes, random)).collect();
        if lists {
            self.columns.push((name.to_owned(), Values::Lists(rows)));
            return self;
        }
        for (at, class) in CLASSES.iter().take(classes).enumerate() {
            let column = rows.iter().map(|row| Some(row[at])).collect();
            self.columns.push((format!("{name}{class}"), Values::Numbers(column)));
        }
        self
    }

    /// Changes 1 to 3 values, or once in a while a column.
    pub(crate) fn twist(&mut self, random: &mut Random) {
        for _ in 0..=random.below(3) {
            let place = random.below(self.columns.len());
            if random.one_in(12) {
                self.twist_columns(place, random);
            } else {
                twist_value(&mut self.columns[place].1, random);
            }
        }
    }

    fn twist_columns(&mut self, place: usize, random: &mut Random) {
        let other = random.below(self.columns.len());
        match random.below(4) {
            0 if self.columns.len() > 1 => {
                self.columns.remove(place);
            }
            1 => self.columns[place].0 = random.pick(&TEXTS).to_owned(),
            2 => {
                let copy = self.columns[place].clone();
                self.columns.push(copy);
            }
            _ => {
                let values = self.columns[place].1.clone();
                self.columns[other].1 = values;
            }
        }
    }
}

fn twist_value(values: &mut Values, random: &mut Random) {
    match values {
        Values::Numbers(numbers) => {
            let row = random.below(numbers.len());
            numbers[row] = (!random.one_in(8)).then(|| strange_number(random));
        }
        Values::Texts(texts) => {
            let row = random.below(texts.len());
            texts[row] = (!random.one_in(8)).then(|| strange_text(random));
        }
        Values::Lists(lists) => {
            let row = random.below(lists.len());
            match random.below(3) {
                0 => lists[row].push(strange_number(random)),
                1 => {
                    lists[row].pop();
                }
                _ if lists[row].is_empty() => {}
                _ => {
                    let at = random.below(lists[row].len());
                    lists[row][at] = strange_number(random);
                }
            }
        }
    }
}

/// A number that may make trouble.
pub(crate) fn strange_number(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => f64::from_bits(random.word()),
        1 => random.unit() * 10.0 - 5.0,
        _ => random.pick(&NUMBERS),
    }
}

/// A text that may make trouble.
pub(crate) fn strange_text(random: &mut Random) -> String {
    match random.below(8) {
        0 => random.pick(&TEXTS).repeat(1 + random.below(300)),
        1 => strange_number(random).to_string(),
        _ => random.pick(&TEXTS).to_owned(),
    }
}

/// Probabilities that sum to 1; some of them 0.
pub(crate) fn distribution(classes: usize, random: &mut Random) -> Vec<f64> {
    let mut parts: Vec<f64> =
        (0..classes).map(|_| if random.one_in(9) { 0.0 } else { random.unit() }).collect();
    parts[0] += 0.01;
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}
