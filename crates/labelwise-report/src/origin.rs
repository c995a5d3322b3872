//! Where the numbers come from and how to get them again, and what the words on the page mean.

use labelwise::Target;

use super::page::{Fate, Page, Provenance};
use super::words::{count, escaped, level, name};

/// The section on how to repeat it all.
pub(super) fn section(page: &Page) -> String {
    let missing = page.draws.iter().filter(|line| matches!(line.fate, Fate::Missing)).count();
    let items = match missing {
        0 => count(page.report.pool_size),
        _ => format!("{}, without {} missing", count(page.report.pool_size), count(missing)),
    };
    let Provenance { file, fingerprint, seed, settings, version, .. } = &page.provenance;
    let mut facts: Vec<(String, String)> = vec![
        ("Made by".to_owned(), format!("labelwise {}", escaped(version))),
        ("Seed".to_owned(), seed.to_string()),
        ("Estimator".to_owned(), escaped(page.report.estimator)),
        ("Whose loss".to_owned(), whose(page.target).to_owned()),
        ("Level of the interval".to_owned(), level(page.level)),
    ];
    let known = [
        file.as_deref().map(|file| ("Evaluation", name(file))),
        fingerprint
            .as_deref()
            .map(|print| ("Fingerprint of the pool", format!("<code>{}</code>", escaped(print)))),
        Some(("Items in the pool", items)),
    ];
    facts.splice(1..1, known.into_iter().flatten().map(|(fact, value)| (fact.to_owned(), value)));
    if let Some(interval) = page.report.interval {
        facts.push(("Kind of interval".to_owned(), interval.basis.to_string()));
    }
    facts.extend(settings.iter().map(|(setting, value)| (escaped(setting), name(value))));
    let facts: String =
        facts.iter().map(|(fact, value)| format!("<div><dt>{fact}</dt><dd>{value}</dd></div>\n")).collect();
    let how = match file {
        Some(file) => format!(
            "<p>The evaluation is one file. Whoever has it can check every number on this page against its record of draws \
             and labels:</p>\n<pre><code>labelwise verify {}</code></pre>\n",
            escaped(&argument(file))
        ),
        None => "<p>The evaluation was in the memory of a program. The same predictions, settings, seed and labels, told in \
                 the same order, give the same draws and the same numbers.</p>\n"
            .to_owned(),
    };
    format!(
        "<section>\n<h2>How to repeat this</h2>\n{how}<dl class=\"settings\">\n{facts}</dl>\n</section>\n"
    )
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
pub(super) fn glossary(page: &Page) -> String {
    let level = level(page.level);
    format!(
        "<section class=\"glossary\">\n<h2>Words on this page</h2>\n<dl>\n\
         <div><dt>Pool</dt><dd>The items that the model is tested on. It has predicted all of them; labels are known \
         for few.</dd></div>\n\
         <div><dt>{level} interval</dt><dd>Of many evaluations done this way, about {level} have an interval that holds \
         the true value.</dd></div>\n\
         <div><dt>Loss</dt><dd>How wrong the model was on one item: here its {}. The metric is made of the mean loss \
         over the pool.</dd></div>\n\
         <div><dt>Surrogate</dt><dd>A guess at the labels before they are known. Items of which it expects a large loss \
         are more likely to be drawn.</dd></div>\n\
         <div><dt>Weight v</dt><dd>What a label counts for, so that preferring some items does not bend the \
         result.</dd></div>\n\
         <div><dt>Share of variance</dt><dd>How much of the estimate’s uncertainty is due to one label.</dd></div>\n\
         </dl>\n</section>\n",
        escaped(&page.metric.loss)
    )
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
