//! Names, texts and counts in sentences: quoted and shortened, listed, compared with what was typed, quoted for a shell.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt::Write;

/// The number of characters of a text that a sentence shows.
const SHOWN: usize = 80;

/// The number of names that a sentence lists.
const LISTED: usize = 12;

/// A text in quotes, with control characters as escapes. Of a long text only the beginning is shown.
///
/// ```
/// use labelwise::words::quoted;
/// assert_eq!(quoted("a \"cat\"\n"), r#""a \"cat\"\n""#);
/// assert_eq!(quoted(&"x".repeat(3_000_000)), format!("\"{}...\" (3,000,000 characters)", "x".repeat(77)));
/// ```
pub fn quoted(text: &str) -> String {
    // A character has at most four bytes.
    if text.len() <= SHOWN || text.chars().count() <= SHOWN {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(SHOWN - 3).collect();
    let start = format!("{start:?}");
    format!("{}...\" ({} characters)", start.trim_end_matches('"'), thousands(text.chars().count()))
}

/// The first names in quotes, and how many more there are.
///
/// ```
/// use labelwise::words::listed;
/// assert_eq!(listed(&["cat", "comp.graphics, 2D"]), r#""cat", "comp.graphics, 2D""#);
/// assert_eq!(listed(&["a"; 14]).split("\"a\"").count(), 13);
/// assert!(listed(&["a"; 14]).ends_with(" and 2 more"));
/// ```
pub fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| quoted(name.as_ref())).collect();
    let mut list = shown.join(", ");
    if let Some(more @ 1..) = names.len().checked_sub(LISTED) {
        let _ = write!(list, " and {more} more");
    }
    list
}

/// The order of names as people read them: numbers by their size, and digits within a name as a number.
///
/// ```
/// use labelwise::words::natural;
/// let mut names = ["item 10", "2", "-1.5", "item 9", "10", "item"];
/// names.sort_by(|one, other| natural(one, other));
/// assert_eq!(names, ["-1.5", "2", "10", "item", "item 9", "item 10"]);
/// ```
pub fn natural(one: &str, other: &str) -> Ordering {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let order = match (number(one), number(other)) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => by_parts(one, other),
    };
    order.then_with(|| one.cmp(other))
}

/// The order of texts by runs of digits and runs of other characters.
fn by_parts(mut one: &str, mut other: &str) -> Ordering {
    while !one.is_empty() && !other.is_empty() {
        let ((left, one_rest), (right, other_rest)) = (first_run(one), first_run(other));
        let digits = |run: &str| run.starts_with(|letter: char| letter.is_ascii_digit());
        let order = if digits(left) && digits(right) {
            let plain = |run: &str| run.trim_start_matches('0').to_owned();
            let (left, right) = (plain(left), plain(right));
            left.len().cmp(&right.len()).then_with(|| left.cmp(&right))
        } else {
            left.cmp(right)
        };
        if order != Ordering::Equal {
            return order;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.len().cmp(&other.len())
}

/// The first run of digits or of other characters, and the rest.
fn first_run(text: &str) -> (&str, &str) {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let first = text.starts_with(is_digit);
    text.split_at(text.find(|letter| is_digit(letter) != first).unwrap_or(text.len()))
}

/// A count with commas between thousands.
///
/// ```
/// use labelwise::words::thousands;
/// assert_eq!((thousands(999), thousands(1597), thousands(12_345_678)), ("999".into(), "1,597".into(), "12,345,678".into()));
/// ```
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut groups = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            groups.push(',');
        }
        groups.push(digit);
    }
    groups
}

/// The names that are close to what was typed, the closest first, at most three. Upper and lower case are the same here.
///
/// ```
/// use labelwise::words::near;
/// assert_eq!(near("lable", ["id", "label", "text"]), ["label"]);
/// assert_eq!(near("comp.sys.ibm", ["comp.sys.ibm.pc.hardware", "sci.med"]), ["comp.sys.ibm.pc.hardware"]);
/// assert!(near("kettle", ["cat", "dog"]).is_empty());
/// ```
pub fn near<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // Nobody types longer names by hand, and the distance takes time in the square of the length.
    const LONGEST: usize = 100;
    let simple = |text: &str| text.trim().to_lowercase().replace(['_', ' '], "-");
    let typed = simple(typed);
    let length = typed.chars().count();
    if length == 0 || length > LONGEST {
        return Vec::new();
    }
    let closeness = |name: &'a str| {
        let simple = simple(name);
        let longer = simple.chars().count();
        if longer > LONGEST {
            return None;
        }
        let away = distance(&typed, &simple);
        // A third of the letters may be wrong; what was typed may also be the beginning of the name, or hold it.
        let is_part = length.min(longer) >= 3 && (simple.starts_with(&typed) || typed.starts_with(&simple));
        let is_near = away <= length.max(longer).div_ceil(3).min(length.min(longer).saturating_sub(1));
        (is_near || is_part).then_some((if is_part { away.min(1) } else { away }, name))
    };
    let mut found: Vec<(usize, &str)> = names.into_iter().filter_map(closeness).collect();
    found.sort_by_key(|(away, _)| *away);
    found.dedup_by_key(|(_, name)| *name);
    let best = found.first().map_or(0, |(away, _)| *away);
    found.into_iter().filter(|(away, _)| *away <= best + 1).map(|(_, name)| name).take(3).collect()
}

/// The end of a sentence that names what may have been meant, or nothing.
///
/// ```
/// use labelwise::words::did_you_mean;
/// assert_eq!(did_you_mean("lable", ["id", "label"]), "; did you mean \"label\"?");
/// assert_eq!(did_you_mean("kettle", ["id", "label"]), "");
/// ```
pub fn did_you_mean<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near: Vec<String> = near(typed, names).into_iter().map(quoted).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// The number of letters to insert, remove, replace or swap with their neighbour.
fn distance(one: &str, two: &str) -> usize {
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    // Three rows of the table of distances of all beginnings: before the last, the last, and this one.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in two.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX - 1);
            let mut away =
                (at(&last, j) + usize::from(a != b)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && one.get(i - 1) == Some(b) && two.get(j - 1) == Some(a) {
                away = away.min(at(&before, j - 1) + 1);
            }
            row.push(away);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// A word of a command, quoted where a shell would not take it as it is.
///
/// ```
/// use labelwise::words::shell;
/// assert_eq!(shell("pool.labelwise"), "pool.labelwise");
/// assert_eq!(shell("news pandas.labelwise"), "'news pandas.labelwise'");
/// assert_eq!(shell("it's"), r"'it'\''s'");
/// ```
pub fn shell(word: impl AsRef<OsStr>) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "_-./,:=@%+".contains(letter);
    let word = word.as_ref().to_string_lossy();
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{distance, near};

    #[test]
    fn distances_of_words() {
        for (one, two, away) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("aks", "ask", 1),
            ("lable", "label", 1),
            ("a", "b", 1),
        ] {
            assert_eq!((distance(one, two), distance(two, one)), (away, away), "{one} {two}");
        }
    }

    #[test]
    fn the_closest_names_come_first() {
        assert_eq!(near("Label_", ["labels", "label", "text"]), ["labels", "label"]);
        assert_eq!(near("acuracy", ["zero-one", "accuracy", "brier"]), ["accuracy"]);
        assert!(near("x", ["y", "z2"]).is_empty());
        assert!(near("", ["a"]).is_empty() && near(&"x".repeat(5000), ["xx"]).is_empty());
    }
}
