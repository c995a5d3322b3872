//! What a file is good for: which columns can be what, and which command comes next.

use std::path::Path;

use labelwise::words::shell;
use labelwise_pool::{Reading, Survey, SurveyedColumn, Values};
use serde::Serialize;

use crate::error::Result;
use crate::judge::classes::usual_positive;

/// Names that columns of labels have.
const LABELS: [&str; 14] = [
    "label",
    "labels",
    "target",
    "targets",
    "truth",
    "gold",
    "human",
    "y",
    "annotation",
    "human_label",
    "human_rating",
    "gold_label",
    "ground_truth",
    "human_score",
];

/// Names of columns with texts of a task, even where few of them differ.
const TEXTS: [&str; 11] = [
    "input",
    "output",
    "actual_output",
    "expected_output",
    "expected",
    "question",
    "answer",
    "instruction",
    "text",
    "completion",
    "response",
];

/// Parts of the names of columns that a judge wrote.
const JUDGES: [&str; 20] = [
    "judge",
    "score",
    "verdict",
    "grade",
    "rating",
    "gpt",
    "claude",
    "llama",
    "gemini",
    "llm",
    "win",
    "success",
    "pass",
    "quality",
    "correct",
    "reward",
    "vote",
    "prefer",
    "stars",
    "confidence",
];

/// Names of columns of groups.
const GROUPS: [&str; 8] =
    ["prompt", "group", "conversation", "session", "sessionid", "query", "test", "document"];

/// Number of different values up to which whole numbers are ratings.
const MOST_RATINGS: usize = 11;

/// Number of different values up to which texts are verdicts.
const MOST_VERDICTS: usize = 10;

/// Number of columns with a common start from which they are a history.
const HISTORY: usize = 3;

/// What a file is good for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Examination {
    /// The format.
    pub format: String,
    /// Number of rows.
    pub rows: usize,
    /// How the file is read, and what cannot be read of it.
    pub notes: Vec<String>,
    /// What each column is, and what it can be used as.
    pub columns: Vec<ColumnUse>,
    /// The commands that come next, the most likely first.
    pub next: Vec<Advice>,
}

/// What a column can be used as.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnUse {
    /// Its name.
    pub name: String,
    /// Its values in a few words.
    pub values: String,
    /// Rows without a value.
    pub blank: usize,
    /// What it can be used as, the most likely first; empty if nothing.
    pub uses: Vec<&'static str>,
}

/// A command, and its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Advice {
    /// Why.
    pub reason: String,
    /// The command.
    pub command: String,
}

impl Examination {
    /// Examines a file. Filter and epoch of the reading choose the rows of a log.
    pub fn of(path: impl AsRef<Path>, reading: &Reading) -> Result<Self> {
        let path = path.as_ref();
        let survey = Survey::of(path, reading)?;
        let columns: Vec<ColumnUse> = survey
            .columns
            .iter()
            .map(|column| ColumnUse {
                name: column.name.clone(),
                values: in_words(column),
                blank: column.blank,
                uses: uses(column, &survey),
            })
            .collect();
        let next = advice(&shell(path), &survey, &columns);
        Ok(Self { format: survey.format.to_string(), rows: survey.rows, notes: survey.notes, columns, next })
    }
}

fn in_words(column: &SurveyedColumn) -> String {
    let few = column.distinct.as_ref().filter(|distinct| distinct.len() <= MOST_VERDICTS);
    match (column.values, few) {
        (Values::Numbers { whole: true, .. } | Values::Texts, Some(distinct)) => {
            let mut distinct: Vec<&str> = distinct.iter().map(String::as_str).collect();
            distinct.sort_unstable();
            distinct.join(", ")
        }
        (Values::Numbers { low, high, whole }, _) => {
            let kind = if whole { "whole numbers" } else { "numbers" };
            format!("{kind} from {} to {}", rounded(low), rounded(high))
        }
        (Values::Scores, _) => "scores of the log".to_owned(),
        (Values::Texts, _) => {
            let example: String = column.example.as_deref().unwrap_or_default().chars().take(30).collect();
            format!("texts, such as {example:?}")
        }
        (Values::Lists, _) => "lists of numbers".to_owned(),
        (Values::Nothing, _) => "nothing that can be read".to_owned(),
    }
}

/// A number in six digits, as people write it.
fn rounded(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

fn is_named(name: &str, names: &[&str]) -> bool {
    names.contains(&name.to_ascii_lowercase().as_str())
}

fn sounds_like_judge(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    JUDGES.iter().any(|part| name.contains(part))
}

fn is_probability(name: &str) -> bool {
    ["prob_", ".pred_", "p_"].iter().any(|start| name.starts_with(start))
}

/// Whether its texts are those of a column of labels.
fn says_what_labels_say(column: &SurveyedColumn, survey: &Survey) -> bool {
    let said = column.distinct.as_deref().unwrap_or_default();
    let among = |labels: &Vec<String>| said.iter().all(|text| labels.contains(text));
    let labels = survey.columns.iter().filter(|other| is_named(&other.name, &LABELS));
    !said.is_empty() && labels.filter_map(|label| label.distinct.as_ref()).any(among)
}

fn uses(column: &SurveyedColumn, survey: &Survey) -> Vec<&'static str> {
    let mut uses = Vec::new();
    let distinct = column.distinct.as_ref().map(Vec::len);
    let name = column.name.as_str();
    if survey.ids.as_deref() == Some(name) {
        return vec!["ids"];
    }
    if survey.answers.as_deref() == Some(name) {
        return vec!["predictions"];
    }
    let is_label = is_named(name, &LABELS);
    match column.values {
        Values::Nothing => {}
        _ if is_named(name, &TEXTS) => uses.push("text for the labeller"),
        Values::Scores => uses.extend(["judge", "label"]),
        Values::Lists => uses.push("class probabilities, features"),
        Values::Numbers { low, high, .. } if is_probability(name) && low >= 0.0 && high <= 1.0 => {
            uses.push("class probabilities");
        }
        Values::Numbers { low, high, whole } => {
            let few = distinct.is_some_and(|count| count <= MOST_RATINGS);
            let is_score = low >= 0.0 && high <= 1.0 && !whole;
            if is_label {
                uses.extend(["label", "judge"]);
            } else if is_score || few && distinct.is_some_and(|count| count > 1) || sounds_like_judge(name) {
                uses.extend(["judge", "label"]);
            } else {
                uses.push("features");
            }
        }
        Values::Texts => {
            let few = distinct
                .is_some_and(|count| (2..=MOST_VERDICTS).contains(&count) && 2 * count <= survey.rows);
            match (few, is_label) {
                (true, true) => uses.extend(["label", "judge"]),
                (true, false) if sounds_like_judge(name) || says_what_labels_say(column, survey) => {
                    uses.extend(["judge", "label"]);
                }
                (true, false) => uses.extend(["slices (--by)", "judge"]),
                (false, true) => uses.push("label"),
                (false, false) => uses.push("text for the labeller"),
            }
        }
    }
    if is_named(name, &GROUPS) && column.repeats {
        uses.insert(0, "groups (--group)");
    }
    uses
}

/// The commands that come next.
fn advice(file: &str, survey: &Survey, columns: &[ColumnUse]) -> Vec<Advice> {
    let mut next = Vec::new();
    let mut say = |reason: &str, command: String| next.push(Advice { reason: reason.to_owned(), command });
    let of = |use_: &str| -> Vec<&SurveyedColumn> {
        let first = |column: &&ColumnUse| column.uses.first() == Some(&use_);
        columns
            .iter()
            .filter(first)
            .filter_map(|one| survey.columns.iter().find(|column| column.name == one.name))
            .collect()
    };
    let labels = of("label");
    let label = labels.first().copied();
    let filled = |column: &SurveyedColumn| column.blank == 0;
    if columns.len() <= 3 && label.is_some() && survey.ids.is_some() && of("judge").is_empty() {
        say("ids and labels", format!("labelwise tell EVALUATION {file}"));
    }
    let history = history(columns);
    if of("class probabilities").len() >= 2
        || columns.iter().any(|column| column.uses == ["class probabilities, features"])
    {
        say("class probabilities of a model", format!("labelwise new {file}"));
        if let Some(label) = label.filter(|label| filled(label)) {
            let command = format!("labelwise simulate {file} --label-column {}", shell(&label.name));
            say("with known labels, what choosing would have saved", command);
        }
    }
    if let [one] = of("class probabilities").as_slice() {
        let command = format!("labelwise new {file} --prob {} --loss accuracy", shell(&one.name));
        say("the probability of one of two classes", command);
    }
    if survey.answers.is_some() {
        say("a log of answers", format!("labelwise new {file}"));
    }
    let mut judges = of("judge");
    judges.retain(|judge| {
        history.as_ref().is_none_or(|pattern| !judge.name.starts_with(pattern.trim_end_matches('*')))
    });
    judges.sort_by_key(|judge| (!sounds_like_judge(&judge.name), judge.blank * 2 > survey.rows));
    if let Some(judge) = judges.first() {
        let options = options(judge, label);
        // Several judges that say the same kind of thing are one belief.
        let alike = judges.iter().filter(|other| say_alike(judge, other));
        let named: Vec<String> = alike.map(|judge| format!("--judge {}", shell(&judge.name))).collect();
        let (reason, named) = match named.len() {
            1 => ("a judge's verdicts", named.concat()),
            _ => ("the verdicts of several judges", named.join(" ")),
        };
        say(reason, format!("labelwise new {file} {named} {options}"));
        if let Some(label) = label.filter(|label| filled(label)) {
            let command = format!(
                "labelwise simulate {file} {named} {options} --label-column {} --budget {}",
                shell(&label.name),
                (survey.rows / 4).clamp(10, 200).min(survey.rows)
            );
            say("with known labels, what the judge and choosing would have saved", command);
        }
    }
    if let Some(pattern) = history {
        let (low, high) = (0, 1);
        let target = label.map_or(String::new(), |label| format!(" --label-column {}", shell(&label.name)));
        let verb = if label.is_some_and(filled) { "simulate" } else { "new" };
        let target = if verb == "simulate" { target } else { String::new() };
        say(
            "results of other models on the same items",
            format!(
                "labelwise {verb} {file} --history {} --loss value --range {low},{high}{target}",
                shell(&pattern)
            ),
        );
    }
    if next.is_empty() {
        next.push(Advice {
            reason: "no column is recognised as predictions or as a judge's verdicts: name one of them"
                .to_owned(),
            command: format!("labelwise new {file} --judge COLUMN --loss rate --positive CLASS"),
        });
    }
    next
}

/// Whether two judges can be one belief without other options: both give ratings of one range, verdicts of the same classes, or
/// scores. Columns of one name and another ending, such as scores and their parts, are not compared.
fn say_alike(one: &SurveyedColumn, other: &SurveyedColumn) -> bool {
    let start = |column: &SurveyedColumn| column.name.split(['_', ' ', '.']).next().map(str::to_lowercase);
    if one.name == other.name {
        return true;
    }
    if start(one) == start(other) || !sounds_like_judge(&other.name) {
        return false;
    }
    match (one.values, other.values) {
        (
            Values::Numbers { low, high, whole: true },
            Values::Numbers { low: least, high: most, whole: true },
        ) => (low, high) == (least, most) && high - low > 1.0,
        (Values::Texts, Values::Texts) => match (&one.distinct, &other.distinct) {
            (Some(one), Some(other)) => {
                let within = |some: &[String], all: &[String]| some.iter().all(|text| all.contains(text));
                within(one, other) || within(other, one)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The pattern of columns that only differ after a common start up to `_`.
fn history(columns: &[ColumnUse]) -> Option<String> {
    let mut starts: Vec<(String, usize)> = Vec::new();
    for column in columns.iter().filter(|column| column.uses.contains(&"judge")) {
        let Some((start, _)) = column.name.split_once('_') else { continue };
        match starts.iter_mut().find(|(known, _)| known == start) {
            Some((_, count)) => *count += 1,
            None => starts.push((start.to_owned(), 1)),
        }
    }
    starts.into_iter().find(|(_, count)| *count >= HISTORY).map(|(start, _)| format!("{start}_*"))
}

/// The loss of a judge, and what it needs.
fn options(judge: &SurveyedColumn, label: Option<&SurveyedColumn>) -> String {
    let known = |column: &SurveyedColumn| column.distinct.clone().unwrap_or_default();
    let classes = label.map(known).filter(|names| !names.is_empty()).unwrap_or_else(|| known(judge));
    let grades = ["C", "P", "I", "N"];
    if !classes.is_empty() && classes.iter().all(|class| grades.contains(&class.as_str())) {
        return "--loss value".to_owned();
    }
    let ties = classes.iter().any(|class| class.eq_ignore_ascii_case("tie"));
    let others: Vec<&String> = classes.iter().filter(|class| !class.eq_ignore_ascii_case("tie")).collect();
    if let ([one, two], true) = (others.as_slice(), ties) {
        let (one, two) = if one > two { (two, one) } else { (one, two) };
        return format!("--loss value --worth {}", shell(format!("{one}=1,tie=0.5,{two}=0")));
    }
    match (judge.values, label.map(|label| label.values)) {
        (Values::Numbers { low, high, whole: true }, label) if high - low > 1.0 => {
            let numbers = match label {
                Some(Values::Numbers { low: l, high: h, .. }) if h - l > 1.0 => {
                    Some((low.min(l), high.max(h)))
                }
                None => Some((low, high)),
                _ => None,
            };
            match numbers {
                Some((low, high)) => format!("--loss value --range {low},{high}"),
                None => format!("--range {low},{high} --loss rate --positive {}", positive(&classes)),
            }
        }
        _ => format!("--loss rate --positive {}", positive(&classes)),
    }
}

fn positive(classes: &[String]) -> String {
    let usual = usual_positive(classes);
    let words = classes.iter().any(|class| class.parse::<f64>().is_err());
    shell(
        usual.unwrap_or_else(|| if words || classes.len() != 2 { "pass".to_owned() } else { "1".to_owned() }),
    )
}
