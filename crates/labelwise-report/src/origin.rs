//! Where the numbers come from and how to get them again, and what the words on the page mean.

use labelwise::Target;
use maud::{Markup, Render, html};

use super::page::{Fate, Page, Provenance};
use super::words::{Name, level, thousands, visible};

/// The section on how to repeat it all.
pub(super) fn section(page: &Page) -> Markup {
    let missing = page.draws.iter().filter(|line| matches!(line.fate, Fate::Missing)).count();
    let items = match missing {
        0 => thousands(page.report.pool_size),
        _ => format!("{}, without {} missing", thousands(page.report.pool_size), thousands(missing)),
    };
    let Provenance { file, fingerprint, seed, settings, version, .. } = &page.provenance;
    html! {
        section {
            h2 { "How to repeat this" }
            @if let Some(file) = file {
                p {
                    "The evaluation is one file. With it you can check every number on this page against the record \
                     of draws and labels:"
                }
                pre { code { "labelwise verify " (visible(&argument(file))) } }
            } @else {
                p {
                    "The evaluation was in the memory of a program. The same predictions, settings, seed and labels, told in \
                     the same order, give the same draws and the same numbers."
                }
            }
            dl.settings {
                (fact("Made by", format!("labelwise {}", visible(version))))
                @if let Some(file) = file { (fact("Evaluation", Name(file))) }
                @if let Some(print) = fingerprint {
                    (fact("Fingerprint of the pool", html! { code { (visible(print)) } }))
                }
                (fact("Items in the pool", items))
                (fact("Seed", seed))
                (fact("Estimator", visible(page.estimator())))
                (fact("Whose metric", whose(page.target)))
                (fact("Level of the interval", level(page.level)))
                @if let Some(basis) = page.basis() { (fact("Kind of interval", basis)) }
                @for (setting, value) in settings { (fact(&visible(setting), Name(value))) }
            }
        }
    }
}

fn fact(term: &str, value: impl Render) -> Markup {
    html! { div { dt { (term) } dd { (value) } } }
}

fn whose(target: Target) -> &'static str {
    match target {
        Target::Pool => "that of this pool",
        Target::Population => "that of the population the pool was drawn from",
    }
}

/// A file's name as a shell takes it.
fn argument(file: &str) -> String {
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-/+=:,@%".contains(letter);
    if !file.is_empty() && file.chars().all(is_plain) {
        file
    } else {
        format!("'{}'", file.replace('\'', "'\\''"))
    }
}

/// The words, for a reader who meets them here first.
pub(super) fn glossary(page: &Page) -> Markup {
    let level = level(page.level);
    let interval = format!(
        "Of many evaluations done this way, about {level} have an interval that holds the true value."
    );
    let from_mean = match page.about {
        None => " The metric is computed from the mean loss over the pool.",
        Some(_) => " The metric is not a mean of it; the labels count with the same weights.",
    };
    let loss =
        format!("How wrong the model is on one item: here its {}.{from_mean}", visible(&page.metric.loss));
    html! {
        section.glossary {
            h2 { "Words on this page" }
            dl {
                (fact("Pool", "The test items. The model has predicted all of them; few of them have a label."))
                (fact(&format!("{level} interval"), interval))
                (fact("Loss", loss))
                (fact("Surrogate", "A predictor of the labels. Items for which it expects a large loss are more \
                     likely to be drawn."))
                (fact("Weight v", "The factor of a label in the estimate. It corrects for the preference of some \
                     items."))
                (fact("Share of variance", "The part of the estimate’s uncertainty that is due to one label."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::argument;

    #[test]
    fn a_shell_takes_any_name_for_one_file() {
        let cases = [
            ("cifar.labelwise", "cifar.labelwise"),
            ("my model.labelwise", "'my model.labelwise'"),
            ("-rf", "./-rf"),
            ("a'; rm b", "'a'\\''; rm b'"),
            ("", "''"),
        ];
        for (file, expected) in cases {
            assert_eq!(argument(file), expected);
        }
    }
}
