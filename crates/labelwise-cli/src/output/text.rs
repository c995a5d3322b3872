//! Numbers and sentences as people read them.

/// The columns that every terminal has.
const WIDTH: usize = 80;

/// Text in lines of a terminal's usual width, the first of them after `first`, the others after `indent`. Words with a
/// no-break space between them stay on one line.
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

/// 1 label, 2 labels.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", thousands(number))
}

/// The cells of a row.
pub(crate) fn cells<const COLUMNS: usize>(cells: [&str; COLUMNS]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// 1597 as 1,597.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A level as it was meant: 0.95 as 95 %, 0.999 as 99.9 %. Rounding hides that 100 times 0.57 is not quite 57, but must
/// not turn a level into certainty.
pub(crate) fn percent(level: f64) -> String {
    let exact = 100.0 * level;
    let rounded = (exact * 1e8).round() / 1e8;
    format!("{} %", if rounded > 0.0 && rounded < 100.0 { rounded } else { exact })
}

/// A measured share.
pub(crate) fn percent_rounded(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::{percent, thousands, wrapped};

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

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1597, 1_000_000].map(thousands), ["0", "999", "1,597", "1,000,000"]);
        assert_eq!([0.95, 0.5, 0.999, 0.57].map(percent), ["95 %", "50 %", "99.9 %", "57 %"]);
        assert_eq!(percent(1.0 - f64::EPSILON / 2.0), "99.99999999999999 %");
    }
}
