//! An item as text for a terminal.

use serde_json::Value;

use crate::desk::View;
use crate::show::{Field, Kind, messages};

/// Text without the characters that terminals obey.
pub(super) fn visible(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\n' | '\t' => letter,
        // Marks that change the direction of what follows would let an item pose as the question.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    };
    text.chars().map(shown).collect()
}

/// The item under its number and id.
pub(super) fn item_text(view: &View, position: &str) -> String {
    let mut text = format!("--- {position}: {}\n", visible(&view.item));
    let open = || view.fields.iter().filter(|field| !field.fold);
    let are_several = open().filter(|field| is_long(field)).count() > 1;
    for field in open() {
        if are_several && is_long(field) {
            text.push_str(&format!("{}:\n", visible(&field.name)));
        }
        add(&mut text, field);
    }
    if let Some(sides) = &view.sides {
        for (letter, side) in ["A", "B"].iter().zip(sides) {
            text.push_str(&format!("\n[{letter}]\n"));
            side.iter().for_each(|field| add(&mut text, field));
        }
    }
    let folded: Vec<&str> =
        view.fields.iter().filter(|field| field.fold).map(|field| field.name.as_str()).collect();
    if !folded.is_empty() {
        text.push_str(&format!("({} folded: {})\n", folded.len(), visible(&folded.join(", "))));
    }
    text
}

/// Whether a column is shown as a text of its own, which needs a name where there are several.
fn is_long(field: &Field) -> bool {
    !matches!(field.kind, Kind::Short | Kind::Heading | Kind::Image | Kind::Audio)
}

fn add(text: &mut String, field: &Field) {
    let value = match field.kind {
        Kind::Chat => chat(&messages(&field.value)),
        _ => visible(&field.value),
    };
    match field.kind {
        Kind::Short if !field.name.is_empty() => {
            text.push_str(&format!("{}: {value}\n", visible(&field.name)))
        }
        Kind::Image | Kind::Audio => {
            text.push_str(&format!("{}: {value} (not shown here)\n", visible(&field.name)))
        }
        _ => text.push_str(&format!("{}\n", value.trim_end())),
    }
}

fn chat(messages: &[Value]) -> String {
    let line = |message: &Value| {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("?");
        let content = match message.get("content") {
            Some(Value::String(content)) => content.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let calls = message.get("tool_calls").map(|calls| format!(" {calls}")).unwrap_or_default();
        format!("{}: {}{}", visible(role), visible(&content), visible(&calls))
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn terminals_get_no_commands_from_items() {
        assert_eq!(visible("a\u{1b}[2Jb\r\u{7}\u{202e}c\n"), "a\u{fffd}[2Jb\u{fffd}\u{fffd}\u{fffd}c\n");
    }
}
