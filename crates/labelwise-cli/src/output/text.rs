//! Numbers and sentences as people read them.

use labelwise::Target;
pub(crate) use labelwise_plot::format::{counted, thousands};

/// The columns that every terminal has.
const WIDTH: usize = 80;

/// Text wrapped to 80 columns. The first line begins with `first`, the others with `indent`. Words that are joined by a
/// no-break space stay on one line.
pub(crate) fn wrapped(text: &str, first: &str, indent: &str) -> String {
    let (mut lines, mut line) = (String::new(), first.to_owned());
    let mut fresh = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line = indent.to_owned();
            fresh = true;
        }
        if !fresh {
            line.push(' ');
        }
        line.push_str(word);
        fresh = false;
    }
    (lines + &line + "\n").replace('\u{a0}', " ")
}

/// The cells of a row.
pub(crate) fn cells<const COLUMNS: usize>(cells: [&str; COLUMNS]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// A confidence level with an ordinary space, for terminals.
pub(crate) fn percent(level: f64) -> String {
    labelwise_plot::format::level(level).replace('\u{a0}', " ")
}

/// The target of an estimate in words.
pub(crate) fn whose(target: Target) -> &'static str {
    match target {
        Target::Pool => "this pool",
        Target::Population => "the population",
    }
}

/// A measured share.
pub(crate) fn percent_rounded(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_text_is_wrapped_between_words() {
        let text = wrapped(&"word ".repeat(30), "note: ", "  ");
        assert!(text.lines().all(|line| line.len() <= super::WIDTH && line.ends_with("word")));
        assert_eq!(text.matches("word").count(), 30);
        assert_eq!(wrapped("", "", ""), "\n");
    }

    #[test]
    fn what_holds_together_is_not_torn() {
        let text = wrapped(&"61\u{a0}% of it ".repeat(20), "", "");
        assert!(text.lines().all(|line| !line.ends_with("61") && !line.starts_with('%')));
        assert_eq!(text.matches("61 %").count(), 20);
    }
}
