//! Reading the markup of labels into runs.

use super::accent::Accent;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Base,
    Below,
    Above,
}

/// Letters that stand together. Accents are (place of the letter in the run, accent).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) level: Level,
    pub(super) accents: Vec<(usize, Accent)>,
}

/// The runs of a label. Braces that are never closed, and `_` and `^` without braces, are ordinary letters.
pub(super) fn runs(label: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rest = label;
    while let Some((before, level, inside, after)) = next_group(rest) {
        push(&mut runs, before, Level::Base);
        push(&mut runs, inside, level);
        rest = after;
    }
    push(&mut runs, rest, Level::Base);
    runs
}

/// The first group: what is before it, its level, what is inside, what is after.
fn next_group(text: &str) -> Option<(&str, Level, &str, &str)> {
    let groups = [("_{", Level::Below), ("^{", Level::Above)];
    let (start, level) = groups
        .into_iter()
        .filter_map(|(open, level)| Some((text.find(open)?, level)))
        .min_by_key(|&(at, _)| at)?;
    let (before, group) = text.split_at(start);
    let (inside, after) = group.get(2..)?.split_once('}')?;
    Some((before, level, inside, after))
}

fn push(runs: &mut Vec<Run>, text: &str, level: Level) {
    let mut run = Run { text: String::new(), level, accents: Vec::new() };
    let mut letters: usize = 0;
    for c in text.chars() {
        match (Accent::of(c), letters.checked_sub(1)) {
            (Some(accent), Some(place)) => run.accents.push((place, accent)),
            _ => {
                run.text.push(c);
                letters += 1;
            }
        }
    }
    if !run.text.is_empty() {
        runs.push(run);
    }
}

/// The label without markup, for those who hear a figure: `R̂_{LURE}` becomes `R̂ LURE`, and `10^{-3}` becomes `10^-3`.
pub(crate) fn plain(label: &str) -> String {
    let mut text = String::new();
    let mut rest = label;
    while let Some((before, level, inside, after)) = next_group(rest) {
        text.push_str(before);
        text.push(if level == Level::Above { '^' } else { ' ' });
        text.push_str(inside);
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::{Accent, Level, Run, plain, runs};

    fn run(text: &str, level: Level) -> Run {
        Run { text: text.to_owned(), level, accents: Vec::new() }
    }

    #[test]
    fn groups_become_runs() {
        let expected = vec![
            Run { accents: vec![(0, Accent::Hat)], ..run("R", Level::Base) },
            run("LURE", Level::Below),
            run(" − 10", Level::Base),
            run("−3", Level::Above),
        ];
        assert_eq!(runs("R\u{302}_{LURE} − 10^{−3}"), expected);
    }

    #[test]
    fn what_is_not_markup_stays() {
        for text in ["file_name", "a^b", "open_{brace", "{x}", "\u{302}"] {
            assert_eq!(runs(text), vec![run(text, Level::Base)]);
        }
        assert_eq!(runs(""), Vec::new());
    }

    #[test]
    fn plain_text_reads_aloud() {
        assert_eq!(plain("R\u{302}_{LURE} at 10^{−3}"), "R\u{302} LURE at 10^−3");
    }
}
