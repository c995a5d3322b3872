//! Words for machines: what an error is called, whatever its sentence says.

use std::fmt::Debug;

/// The name of the variant, in small letters with hyphens. Every error has one that way, and no list can forget any.
pub(crate) fn of(error: &impl Debug) -> String {
    let shown = format!("{error:?}");
    let name = shown.chars().take_while(char::is_ascii_alphanumeric);
    let mut word = String::new();
    for letter in name {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_word_is_the_name_of_the_variant() {
        assert_eq!(of(&labelwise::Error::EmptyPool), "empty-pool");
        let error = labelwise::Error::PoolExhausted { wanted: 1, left: 0, pool_size: 5 };
        assert_eq!(of(&error), "pool-exhausted");
    }
}
