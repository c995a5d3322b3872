//! Which classes labels can be, and what each is worth.

use labelwise_pool::Column;

use crate::error::{JudgeError, MetricError, Result};
use crate::task::same_class;

/// Pairs of a positive class and its opposite.
const OPPOSITES: [(&str, &str); 20] = [
    ("pass", "fail"),
    ("passed", "failed"),
    ("yes", "no"),
    ("true", "false"),
    ("1", "0"),
    ("good", "bad"),
    ("correct", "incorrect"),
    ("right", "wrong"),
    ("win", "loss"),
    ("positive", "negative"),
    ("pos", "neg"),
    ("safe", "unsafe"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("relevant", "irrelevant"),
    ("helpful", "unhelpful"),
    ("valid", "invalid"),
    ("success", "failure"),
    ("up", "down"),
    ("a", "b"),
];

/// Pairs at the end of the list that name sides, of which none is good.
const SIDES: usize = 2;

/// Whether a verdict is good or bad, as people usually write it.
fn is_good(text: &str) -> Option<bool> {
    let plain = text.trim().to_lowercase();
    let pairs = OPPOSITES.iter().take(OPPOSITES.len() - SIDES);
    pairs.clone().find_map(|(good, bad)| match () {
        () if *good == plain => Some(true),
        () if *bad == plain => Some(false),
        () => None,
    })
}

/// More different verdicts than this are not classes.
const MOST: usize = 50;

/// The classes of labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabelClasses {
    pub(crate) names: Vec<String>,
    /// The worth of each, as it is measured.
    pub(crate) worths: Vec<f64>,
    /// The positive class, for rates.
    pub(crate) positive: Option<String>,
    /// Whether every other text is the first class.
    pub(crate) open: bool,
}

impl LabelClasses {
    /// Classes with their worths.
    pub(crate) fn with_worths(worths: &[(String, f64)]) -> Result<Self> {
        let (mut names, mut values): (Vec<String>, Vec<f64>) = (Vec::new(), Vec::new());
        for (class, worth) in worths {
            if !worth.is_finite() || names.iter().any(|name| same_class(name, class)) {
                return Err(JudgeError::Worth { class: class.clone(), worth: *worth }.into());
            }
            names.push(class.trim().to_owned());
            values.push(*worth);
        }
        if values.iter().all(|worth| Some(worth) == values.first()) {
            return Err(JudgeError::WorthsEqual.into());
        }
        Ok(Self { names, worths: values, positive: None, open: false })
    }

    /// Two or more classes, one of which counts.
    pub(crate) fn of_rate(mut names: Vec<String>, positive: &str) -> Result<Self> {
        let Some(at) = names.iter().position(|name| same_class(name, positive)) else {
            return Err(MetricError::UnknownPositive { class: positive.to_owned(), classes: names }.into());
        };
        // The positive class is the last, as in columns of probabilities.
        let positive = names.remove(at);
        names.push(positive.clone());
        let worths = (1..=names.len()).map(|place| if place == names.len() { 1.0 } else { 0.0 }).collect();
        Ok(Self { names, worths, positive: Some(positive), open: false })
    }

    /// A positive class, and its opposite if that has a usual name.
    pub(crate) fn of_positive(positive: &str) -> Self {
        let plain = positive.trim().to_lowercase();
        let pair = OPPOSITES.iter().find_map(|(one, other)| match () {
            () if *one == plain => Some(*other),
            () if *other == plain => Some(*one),
            () => None,
        });
        let (other, open) = match pair {
            Some(other) => (cased_as(positive.trim(), other), false),
            None => (format!("not {}", positive.trim()), true),
        };
        let names = vec![other, positive.trim().to_owned()];
        Self { names, worths: vec![0.0, 1.0], positive: Some(positive.trim().to_owned()), open }
    }

    /// The place of a class.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let exact = self.names.iter().position(|name| same_class(name, text));
        exact.or_else(|| self.names.iter().position(|name| name.trim().eq_ignore_ascii_case(text.trim())))
    }

    /// The place of the one class that means the same: yes for pass, if the classes are one good and one bad.
    pub(crate) fn meant(&self, text: &str) -> Option<usize> {
        let wanted = is_good(text)?;
        match self.names.as_slice() {
            [one, two] if is_good(one)? != is_good(two)? => {
                self.names.iter().position(|name| is_good(name) == Some(wanted))
            }
            _ => None,
        }
    }

    /// Worths from 0 to 1.
    pub(crate) fn scale(&self) -> Vec<f64> {
        let low = self.worths.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.worths.iter().map(|worth| (worth - low) / (high - low)).collect()
    }
}

/// A class written as another one is: pass and fail, Pass and Fail, PASS and FAIL.
fn cased_as(like: &str, text: &str) -> String {
    let letters = |f: fn(char) -> bool| like.chars().filter(|c| c.is_alphabetic()).all(f);
    if letters(char::is_lowercase) {
        return text.to_owned();
    }
    if letters(char::is_uppercase) {
        return text.to_uppercase();
    }
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// The usual positive class among some.
pub(crate) fn usual_positive(names: &[String]) -> Option<String> {
    let is = |name: &&String| OPPOSITES.iter().any(|(one, _)| *one == name.trim().to_lowercase());
    let mut found = names.iter().filter(is);
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one.clone()),
        _ => None,
    }
}

/// The different texts of columns, without blanks, in the order in which they appear; `None` if there are too many.
pub(crate) fn distinct<'a>(columns: impl Iterator<Item = &'a Column>) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        for row in 0..column.len() {
            let text = column.text(row).unwrap_or_default();
            let text = text.trim();
            if !blank(text) && !names.iter().any(|name| same_class(name, text)) {
                if names.len() == MOST {
                    return None;
                }
                names.push(text.to_owned());
            }
        }
    }
    Some(names)
}

/// Whether a cell holds nothing.
pub(crate) fn blank(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || ["nan", "null", "none", "na", "n/a"].contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_written_alike() {
        let names = |positive: &str| LabelClasses::of_positive(positive).names;
        assert_eq!(names("pass"), ["fail", "pass"]);
        assert_eq!(names("Pass"), ["Fail", "Pass"]);
        assert_eq!(names("FAIL"), ["PASS", "FAIL"]);
        assert_eq!(names("1"), ["0", "1"]);
        let odd = LabelClasses::of_positive("fine");
        assert!(odd.open && odd.names == ["not fine", "fine"]);
    }

    #[test]
    fn verdicts_in_other_words_mean_a_class() {
        let classes = LabelClasses::of_positive("fail");
        assert_eq!(
            (classes.names.as_slice(), classes.meant("Yes"), classes.meant("bad")),
            (["pass".to_owned(), "fail".to_owned()].as_slice(), Some(0), Some(1))
        );
        assert_eq!(classes.meant("perhaps"), None);
        assert_eq!(LabelClasses::of_positive("a").meant("yes"), None);
        assert_eq!(LabelClasses::of_positive("1").meant("no"), Some(0));
    }

    #[test]
    fn worths_are_scaled_from_0_to_1() {
        let worths = [("A".to_owned(), 3.0), ("tie".to_owned(), 2.0), ("B".to_owned(), 1.0)];
        let classes = LabelClasses::with_worths(&worths).unwrap();
        assert_eq!((classes.scale(), classes.find("TIE")), (vec![1.0, 0.5, 0.0], Some(1)));
        assert!(LabelClasses::with_worths(&[("A".to_owned(), 1.0), ("A ".to_owned(), 0.0)]).is_err());
        assert!(LabelClasses::with_worths(&[("A".to_owned(), 1.0), ("B".to_owned(), 1.0)]).is_err());
    }
}
