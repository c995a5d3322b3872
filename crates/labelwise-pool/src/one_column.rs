//! A model with two classes and one column of probabilities: what its classes are called.

use crate::families::class_part;

/// Names that come in pairs.
const PAIRS: [(&str, &str); 6] =
    [("1", "0"), ("true", "false"), ("yes", "no"), ("positive", "negative"), ("pos", "neg"), ("t", "f")];

/// The two classes of a column: the other class, then the class whose probability the column is.
///
/// Names come from the column: `prob_1` makes 0 and 1, `prob_yes` no and yes, `prob_fraud` `not fraud` and fraud. A column
/// that does not name a class makes 0 and 1.
pub(crate) fn classes(column: &str) -> [String; 2] {
    let Some(class) = class_part(column) else { return ["0".to_owned(), "1".to_owned()] };
    let plain = class.to_lowercase();
    let other = PAIRS.iter().find_map(|&(one, other)| match plain.as_str() {
        name if name == one => Some(other),
        name if name == other => Some(one),
        _ => None,
    });
    let other = other.map_or_else(|| format!("not {class}"), |other| in_case(class, other));
    [other, class.to_owned()]
}

/// A word in the case of another one.
fn in_case(like: &str, word: &str) -> String {
    let mut letters = like.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_uppercase() => word.to_uppercase(),
        (Some(first), None) if first.is_uppercase() => word.to_uppercase(),
        (Some(first), _) if first.is_uppercase() => {
            let (start, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            start.to_uppercase() + rest
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::classes;

    #[test]
    fn classes_are_called_after_the_column() {
        for (column, expected) in [
            ("prob_1", ["0", "1"]),
            ("prob_0", ["1", "0"]),
            ("p_yes", ["no", "yes"]),
            (".pred_True", ["False", "True"]),
            ("prob_POS", ["NEG", "POS"]),
            ("prob_T", ["F", "T"]),
            ("prob_fraud", ["not fraud", "fraud"]),
            ("score", ["0", "1"]),
            ("prob", ["0", "1"]),
        ] {
            assert_eq!(classes(column), expected, "{column}");
        }
    }
}
