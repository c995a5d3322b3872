//! What a tool gets of an evaluation: the question, the columns that people see, and the items in draw order.

use labelwise::words::{did_you_mean, listed};
use labelwise_study::display::{Pair, Telling, is_chat};
use labelwise_study::{Asked, Study, Subject};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

/// What is shown, as the reader asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Wish {
    /// Columns to show, in this order; empty for all that tell nothing of a judge or a model.
    pub show: Vec<String>,
    /// Two columns to compare side by side.
    pub pair: Option<(String, String)>,
    /// The question above the answers; `None` for one that fits the labels.
    pub question: Option<String>,
}

/// What people see, and what they are asked.
#[derive(Debug, Clone)]
pub struct View {
    /// The evaluation, by its key.
    pub(crate) evaluation: String,
    /// The sentence above the answers.
    pub(crate) words: String,
    pub(crate) question: Question,
    pub(crate) columns: Vec<Column>,
    /// What was asked for.
    pub(crate) wish: Wish,
}

/// A view as it is recorded, so that later items look like the first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct KeptView {
    wish: Wish,
    columns: Vec<Column>,
}

/// A column that people see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    /// Its name in the pool.
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// How a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Text,
    Image,
    Audio,
    Chat,
}

/// What a label is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Question {
    /// One of some classes.
    Classes {
        choices: Vec<Choice>,
        /// Whether a label can be a class that is not listed.
        open: bool,
    },
    /// A number.
    Number { low: Option<f64>, high: Option<f64> },
    /// Which of two sides is better.
    Sides(Pair),
}

/// A class that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The class.
    pub(crate) name: String,
    /// What people read.
    pub(crate) words: String,
}

/// What people read for the sides of a comparison.
pub(crate) const SIDES: [(&str, &str); 3] = [("a", "A is better"), ("b", "B is better"), ("t", "tie")];

impl View {
    /// What people see of these items. Whether a column holds images or chats is decided by them.
    pub fn of(study: &Study, items: &[Asked], wish: &Wish) -> Result<Self> {
        let known = &study.settings().pool.carried;
        let pair = wish.pair.iter().flat_map(|(one, other)| [one, other]);
        for column in wish.show.iter().chain(pair) {
            if !known.contains(column) {
                let near = did_you_mean(column, known.iter().map(String::as_str));
                let known = if known.is_empty() { "none".to_owned() } else { listed(known) };
                return Err(Error::NoSuchColumn { column: column.clone(), known, near });
            }
        }
        let question = Question::of(study, wish)?;
        let classes = study.classes_to_choose()?.unwrap_or_default();
        let values = |name: &String| -> Vec<&str> {
            let of = |asked: &'_ Asked| asked.carried.iter().position(|(column, _)| column == name);
            items
                .iter()
                .filter_map(|asked| asked.carried.get(of(asked)?))
                .map(|(_, text)| text.as_str())
                .collect()
        };
        let is_blind = |name: &&String| match Telling::of(name) {
            Telling::Nothing => true,
            Telling::Everything => false,
            Telling::Class => !values(name).iter().any(|text| Telling::Class.hides(text, &classes)),
        };
        let mut names: Vec<&String> = match wish.show.is_empty() {
            true => known.iter().filter(is_blind).collect(),
            false => wish.show.iter().collect(),
        };
        if let Question::Sides(pair) = &question {
            names.retain(|name| !pair.columns.contains(name));
            names.extend(&pair.columns);
        }
        let columns =
            names.into_iter().map(|name| Column { kind: Kind::of(&values(name)), name: name.clone() });
        Ok(Self {
            evaluation: study.settings().identity(),
            words: wish.question.clone().unwrap_or_else(|| question.usual().to_owned()),
            columns: columns.collect(),
            question,
            wish: wish.clone(),
        })
    }

    /// A view that was recorded; that of the wish if the text is none.
    pub(crate) fn kept(study: &Study, text: &str, wish: &Wish) -> Result<Self> {
        let Ok(KeptView { wish, columns }) = serde_json::from_str(text) else {
            return Self::of(study, &study.waiting()?, wish);
        };
        Ok(Self { columns, ..Self::of(study, &[], &wish)? })
    }

    /// The text to record.
    pub(crate) fn to_keep(&self) -> String {
        let kept = KeptView { wish: self.wish.clone(), columns: self.columns.clone() };
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// The columns that are not shown, because they tell what a judge or a model says.
    pub fn hidden(study: &Study, wish: &Wish) -> Vec<String> {
        let carried = study.settings().pool.carried.iter().filter(|_| wish.show.is_empty());
        carried.filter(|name| Telling::of(name) != Telling::Nothing).cloned().collect()
    }

    /// The texts of an item, column by column, in the order they are shown. The sides of a comparison are in their random order.
    pub(crate) fn texts<'a>(&'a self, asked: &'a Asked) -> Vec<(&'a Column, &'a str)> {
        let text = |name: &str| {
            asked.carried.iter().find(|(column, _)| column == name).map_or("", |(_, text)| text.as_str())
        };
        let mut texts: Vec<(&Column, &str)> =
            self.columns.iter().map(|column| (column, text(&column.name))).collect();
        if let Question::Sides(pair) = &self.question
            && pair.is_swapped(asked.item)
            && let [.., one, other] = texts.as_mut_slice()
        {
            std::mem::swap(&mut one.1, &mut other.1);
        }
        texts
    }

    /// What a column is called for people: the sides of a comparison must not say which system they are.
    pub(crate) fn title<'a>(&self, place: usize, column: &'a Column) -> &'a str {
        match (&self.question, self.columns.len() - place) {
            (Question::Sides(_), 2) => "A",
            (Question::Sides(_), 1) => "B",
            _ => &column.name,
        }
    }
}

impl Question {
    fn of(study: &Study, wish: &Wish) -> Result<Self> {
        let classes = study.classes_to_choose()?;
        if let Some((one, other)) = &wish.pair {
            return match Pair::of(study, one, other)? {
                Some(pair) => Ok(Self::Sides(pair)),
                None => Err(Error::NoSides { classes: classes.unwrap_or_default() }),
            };
        }
        let settings = study.settings();
        let has_answers = settings.judge.as_ref().is_some_and(|judge| judge.pair.is_some());
        Ok(match classes {
            Some(names) => {
                let words = |name: &String| match name.split_once('|').filter(|_| has_answers) {
                    Some((first, second)) => format!("A {first}, B {second}"),
                    None => name.clone(),
                };
                let choices = names.iter().map(|name| Choice { words: words(name), name: name.clone() });
                Self::Classes { choices: choices.collect(), open: settings.subject == Subject::Hard }
            }
            None => {
                let (low, high) = settings.range.unzip();
                Self::Number { low, high }
            }
        })
    }

    /// A question whose answers are taken as they are.
    pub(crate) fn anything() -> Self {
        Self::Number { low: None, high: None }
    }

    fn usual(&self) -> &'static str {
        match self {
            Self::Classes { choices, .. } if choices.iter().any(|choice| choice.words != choice.name) => {
                "Which class is each of the two?"
            }
            Self::Classes { .. } => "Which class is it?",
            Self::Number { .. } => "Which number is it?",
            Self::Sides(_) => "Which side is better?",
        }
    }

    /// What people choose from; `None` for numbers.
    pub(crate) fn choices(&self) -> Option<Vec<&str>> {
        match self {
            Self::Classes { choices, .. } => {
                Some(choices.iter().map(|choice| choice.words.as_str()).collect())
            }
            Self::Sides(pair) => {
                let count = if pair.tie.is_some() { 3 } else { 2 };
                Some(SIDES.iter().take(count).map(|(_, words)| *words).collect())
            }
            Self::Number { .. } => None,
        }
    }

    /// The whole numbers that a label can be, if they are few: from 1 to something.
    pub(crate) fn stars(&self) -> Option<u32> {
        let Self::Number { low: Some(low), high: Some(high) } = self else { return None };
        let few = 2..=10_u32;
        few.into_iter().find(|stars| *low == 1.0 && *high == f64::from(*stars))
    }

    /// The label that an answer means, for an item of the pool. What was not offered is returned as it is.
    pub(crate) fn label(&self, answer: &str, item: usize) -> String {
        let answer = answer.trim();
        match self {
            Self::Classes { choices, .. } => {
                let chosen = choices.iter().find(|choice| choice.words.trim() == answer);
                chosen.map_or(answer, |choice| &choice.name).to_owned()
            }
            Self::Sides(pair) => {
                let side = SIDES.iter().find(|(_, words)| *words == answer).map(|(side, _)| *side);
                side.and_then(|side| pair.class(item, side)).unwrap_or(answer).to_owned()
            }
            Self::Number { .. } => answer.to_owned(),
        }
    }
}

impl Kind {
    /// What all of these values are.
    fn of(values: &[&str]) -> Self {
        let all = |is_it: &dyn Fn(&str) -> bool| {
            let mut filled = values.iter().filter(|text| !text.trim().is_empty()).peekable();
            filled.peek().is_some() && filled.all(|text| is_it(text.trim()))
        };
        if all(&|text| media(text, &["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp"], "image/")) {
            Self::Image
        } else if all(&|text| media(text, &["wav", "mp3", "ogg", "oga", "flac", "m4a", "opus"], "audio/")) {
            Self::Audio
        } else if all(&|text| serde_json::from_str::<Value>(text).is_ok_and(|value| is_chat(&value))) {
            Self::Chat
        } else {
            Self::Text
        }
    }
}

/// Whether a text is an address of a file of such a kind: a browser must be able to load it from there.
fn media(text: &str, endings: &[&str], mime: &str) -> bool {
    if let Some(data) = text.strip_prefix("data:") {
        return data.starts_with(mime);
    }
    let starts = ["http://", "https://", "/data/"].iter().any(|start| text.starts_with(start));
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    starts
        && !text.contains(char::is_whitespace)
        && ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

/// The messages of a chat, each with a role and a text; one message without a role if it is not a chat.
pub(crate) fn messages(text: &str) -> Vec<(String, String)> {
    let value: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    if !is_chat(&value) {
        return vec![(String::new(), text.to_owned())];
    }
    let list = value.get("messages").unwrap_or(&value).as_array().cloned().unwrap_or_default();
    let message = |message: &Value| {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
        let content = message.get("content").unwrap_or(&Value::Null);
        let said = match content {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            Value::Array(parts) => {
                let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
                parts
                    .iter()
                    .map(|part| text(part).unwrap_or_else(|| part.to_string()))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            other => other.to_string(),
        };
        let calls = message
            .get("tool_calls")
            .filter(|calls| !calls.is_null())
            .map(|calls| format!("{said}\n{calls}"));
        (role, calls.unwrap_or(said))
    };
    list.iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::{Kind, Question, messages};

    #[test]
    fn columns_are_what_all_their_values_are() {
        let kind = |values: &[&str]| Kind::of(values);
        assert_eq!(kind(&["https://a.org/1.PNG?x=1", ""]), Kind::Image);
        assert_eq!(kind(&["https://a.org/1.png", "a text"]), Kind::Text);
        assert_eq!(kind(&["images/1.png"]), Kind::Text, "nobody else can load it");
        assert_eq!(kind(&["data:image/png;base64,AAAA"]), Kind::Image);
        assert_eq!(kind(&["http://a/b.mp3"]), Kind::Audio);
        assert_eq!(kind(&[r#"[{"role":"user","content":"hi"}]"#]), Kind::Chat);
        assert_eq!(kind(&["", " "]), Kind::Text);
        assert_eq!(kind(&[]), Kind::Text);
    }

    #[test]
    fn chats_are_messages() {
        let chat = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"a"},
            {"type":"text","text":"b"}],"tool_calls":[1]}]}"#;
        let expected = [("user", "hi"), ("assistant", "a\nb\n[1]")];
        let found = messages(chat);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(role, text)| (role.as_str(), text.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(messages("not a chat"), [(String::new(), "not a chat".to_owned())]);
    }

    #[test]
    fn ratings_from_one_to_a_few_are_stars() {
        let stars = |low, high| Question::Number { low, high }.stars();
        assert_eq!(stars(Some(1.0), Some(5.0)), Some(5));
        assert_eq!(stars(Some(0.0), Some(5.0)), None);
        assert_eq!(stars(Some(1.0), Some(100.0)), None);
        assert_eq!(stars(Some(1.0), Some(4.5)), None);
        assert_eq!(stars(None, None), None);
    }
}
