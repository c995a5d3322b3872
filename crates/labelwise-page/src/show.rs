//! What an item looks like: its columns as text, chat, JSON, code, images or audio. Nothing that the model, a judge or the
//! draw says about it is part of it.

use labelwise_study::Asked;
use labelwise_study::display::is_chat;
pub(crate) use labelwise_study::display::{Pair, Telling};
use serde::Serialize;
use serde_json::Value;

use crate::desk::Rules;

/// Values up to this length, in characters, stand in a table of columns rather than as text of their own.
const SHORT: usize = 80;

/// Maximum size of a value that is sent, in bytes. The rest is cut, and the page says so.
const LONGEST: usize = 1 << 20;

/// Columns whose short text is the heading of an item.
const HEADINGS: [&str; 4] = ["title", "subject", "headline", "heading"];

/// A column of an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The text. Chats and JSON are sent as they were written, so that keys keep their order and numbers their digits.
    pub(crate) value: String,
    /// Whether it is folded until someone opens it.
    pub(crate) fold: bool,
    /// Whether it was too long to send.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cut: bool,
    /// The column of the pool, if it is shown under another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<String>,
}

/// How a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The heading of the item.
    Heading,
    /// A short value, in a table of columns.
    Short,
    Text,
    Markdown,
    Chat,
    Json,
    Code,
    Image,
    Audio,
}

/// The columns of an item, in the order they are shown; those of a pair have names of their own.
pub(crate) fn fields(
    asked: &Asked,
    rules: &Rules,
    has_media: bool,
    pair: Option<&Pair>,
    classes: &[String],
) -> Vec<Field> {
    let is_blind = |(name, text): &&(String, String)| {
        rules.fold.contains(name) || !Telling::of(name).hides(text, classes)
    };
    let order: Vec<&String> = match rules.show.is_empty() {
        true => asked.carried.iter().filter(is_blind).map(|(name, _)| name).collect(),
        false => {
            rules.show.iter().chain(rules.fold.iter().filter(|name| !rules.show.contains(name))).collect()
        }
    };
    let order = order.into_iter().filter(|name| pair.is_none_or(|pair| !pair.columns.contains(name)));
    let value = |name: &String| asked.carried.iter().find(|(column, _)| column == name).map(|(_, text)| text);
    let mut fields: Vec<Field> = order
        .filter_map(|name| {
            let field = field(name, value(name)?, has_media);
            Some(Field { fold: rules.fold.contains(name), ..field })
        })
        .filter(|field| !field.value.is_empty())
        .collect();
    // A short value that is all there is to read is read like a text. Several are a table, each with its name.
    let mut open = fields.iter_mut().filter(|field| !field.fold);
    if pair.is_none()
        && let (Some(only), None) = (open.next(), open.next())
        && only.kind == Kind::Short
    {
        only.kind = Kind::Text;
    }
    fields
}

/// The two answers of a comparison in which each has a label of its own, already in random order, and the columns of both.
pub(crate) fn answers(fields: Vec<Field>) -> (Vec<Field>, [Vec<Field>; 2]) {
    let (mut shared, mut sides) = (Vec::new(), [Vec::new(), Vec::new()]);
    let [one, other] = &mut sides;
    for field in fields {
        let side = match (field.name.strip_prefix("first "), field.name.strip_prefix("second ")) {
            (Some(name), _) => Some((&mut *one, name.to_owned())),
            (None, Some(name)) => Some((&mut *other, name.to_owned())),
            (None, None) => None,
        };
        match side {
            Some((side, name)) => {
                let kind = if field.kind == Kind::Short { Kind::Text } else { field.kind };
                side.push(Field { kind, column: Some(field.name), name, ..field });
            }
            None => shared.push(field),
        }
    }
    (shared, sides)
}

/// The two sides of a pair as they are shown.
pub(crate) fn sides(asked: &Asked, pair: &Pair, has_media: bool) -> [Vec<Field>; 2] {
    let side = |name: &String| {
        let text = asked.carried.iter().find(|(column, _)| column == name).map(|(_, text)| text);
        let mut field = field(name, text.map_or("", String::as_str), has_media);
        if matches!(field.kind, Kind::Short | Kind::Heading) {
            field.kind = Kind::Text;
        }
        // The name of the column would say which model it is, and so would the name of a file.
        if matches!(field.kind, Kind::Image | Kind::Audio) {
            field.value = String::new();
        }
        vec![Field { name: String::new(), ..field }]
    };
    let [first, second] = &pair.columns;
    let mut sides = [side(first), side(second)];
    if pair.is_swapped(asked.item) {
        sides.reverse();
    }
    sides
}

fn field(name: &str, text: &str, has_media: bool) -> Field {
    let cut = text.len() > LONGEST;
    let text = cut_at(text, LONGEST);
    let kind = shape(name, text, has_media);
    let value = if matches!(kind, Kind::Chat | Kind::Json) { text.trim() } else { text };
    Field { name: name.to_owned(), kind, value: value.to_owned(), fold: false, cut, column: None }
}

/// The start of a text, whole characters.
fn cut_at(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn shape(name: &str, text: &str, has_media: bool) -> Kind {
    if let Some(kind) = media_kind(text).filter(|_| has_media) {
        return kind;
    }
    let trimmed = text.trim();
    if trimmed.starts_with(['[', '{'])
        && let Ok(value) = serde_json::from_str::<Value>(trimmed)
    {
        return if is_chat(&value) { Kind::Chat } else { Kind::Json };
    }
    if trimmed.chars().count() <= SHORT && !trimmed.contains('\n') {
        if HEADINGS.contains(&name.to_ascii_lowercase().as_str()) { Kind::Heading } else { Kind::Short }
    } else if is_markdown(trimmed) {
        Kind::Markdown
    } else if is_code(name, trimmed) {
        Kind::Code
    } else {
        Kind::Text
    }
}

/// Images and audio by the ending of a file's name. The server decides by content what it sends.
pub(crate) fn media_kind(text: &str) -> Option<Kind> {
    if text.len() > 1024 || text.contains('\n') {
        return None;
    }
    let (_, ending) = text.trim().rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "bmp" | "svg" => Some(Kind::Image),
        "wav" | "mp3" | "ogg" | "oga" | "flac" | "m4a" | "opus" => Some(Kind::Audio),
        _ => None,
    }
}

/// The messages of a chat.
pub(crate) fn messages(text: &str) -> Vec<Value> {
    match serde_json::from_str(text).unwrap_or_default() {
        Value::Array(messages) => messages,
        Value::Object(mut object) => match object.remove("messages") {
            Some(Value::Array(messages)) => messages,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether a text has marks that only Markdown gives a meaning to.
fn is_markdown(text: &str) -> bool {
    let starts = |line: &str| {
        let line = line.trim_start();
        let numbered = line.split_once(". ").is_some_and(|(number, _)| {
            (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        numbered || ["# ", "## ", "### ", "- ", "* ", "> ", "```"].iter().any(|mark| line.starts_with(mark))
    };
    let lines = text.lines().filter(|line| starts(line)).count();
    lines >= 2 || text.contains("```") || text.matches("**").count() >= 2
}

fn is_code(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let named = ["code", "source", "diff", "sql", "log"].iter().any(|word| name == *word);
    named && text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Kind {
        shape("text", text, true)
    }

    #[test]
    fn values_are_shown_as_what_they_are() {
        assert_eq!(kind("short"), Kind::Short);
        assert_eq!(kind(&"long ".repeat(40)), Kind::Text);
        assert_eq!(kind("a\nb"), Kind::Text);
        assert_eq!(kind("- one\n- two"), Kind::Markdown);
        assert_eq!(
            kind("look: **bold** words in a line that is certainly longer than eighty characters are"),
            Kind::Markdown
        );
        assert_eq!(kind(r#"[{"role":"user","content":"hi"}]"#), Kind::Chat);
        assert_eq!(kind(r#"{"messages":[{"role":"user","content":"hi"}]}"#), Kind::Chat);
        assert_eq!(kind(r#"{"a":1}"#), Kind::Json);
        assert_eq!(kind("[1, 2"), Kind::Short);
        assert_eq!(kind("cats/1.JPG"), Kind::Image);
        assert_eq!(kind("a.mp3"), Kind::Audio);
        assert_eq!(shape("Subject", "Hello", false), Kind::Heading);
        assert_eq!(shape("code", "fn main() {\n}", false), Kind::Code);
        assert_eq!(shape("text", "cats/1.jpg", false), Kind::Short);
        assert_eq!(cut_at("a\u{e4}b", 2), "a");
    }
}
