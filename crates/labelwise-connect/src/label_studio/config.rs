//! The label configuration of a project: what people see, and what they can answer, as Label Studio's XML.

use crate::view::{Kind, Question, View};

/// The name of the control whose value is the label.
pub(crate) const LABEL: &str = "label";

/// The name of the text field for a class that is not listed.
pub(crate) const OTHER: &str = "other";

/// From this number of choices on, they are a list to open.
const MANY: usize = 20;

/// The configuration of a view.
pub(crate) fn config(view: &View) -> String {
    let mut xml = String::from("<View>\n");
    let shown = view.columns.len();
    let sides = if matches!(view.question, Question::Sides(_)) { 2 } else { 0 };
    for (place, column) in view.columns.iter().enumerate() {
        let is_side = place + sides >= shown;
        if is_side && place + sides == shown {
            xml += "  <View style=\"display: flex; gap: 2em\">\n";
        }
        let title = attribute(view.title(place, column));
        let (name, value) = (object(place), key(place, &column.name));
        let tag = match column.kind {
            Kind::Text => format!("<Text name=\"{name}\" value=\"${value}\"/>"),
            Kind::Image => format!("<Image name=\"{name}\" value=\"${value}\" zoom=\"true\"/>"),
            Kind::Audio => format!("<Audio name=\"{name}\" value=\"${value}\"/>"),
            Kind::Chat => format!(
                "<Paragraphs name=\"{name}\" value=\"${value}\" layout=\"dialogue\" nameKey=\"role\" textKey=\"content\"/>"
            ),
        };
        // The only column needs no name.
        if shown > 1 {
            let style = if is_side { " style=\"flex: 1\"" } else { "" };
            xml += &format!("  <View{style}><Header value=\"{title}\" size=\"5\"/>{tag}</View>\n");
        } else {
            xml += &format!("  {tag}\n");
        }
        if is_side && place + 1 == shown {
            xml += "  </View>\n";
        }
    }
    if shown == 0 {
        xml += &format!("  <Text name=\"{}\" value=\"$lw_item\"/>\n", object(0));
    }
    xml += &format!("  <Header value=\"{}\"/>\n", attribute(&view.words));
    xml += &control(&view.question);
    xml += "</View>\n";
    xml
}

fn control(question: &Question) -> String {
    let to = object(0);
    if let Some(stars) = question.stars() {
        return format!(
            "  <Rating name=\"{LABEL}\" toName=\"{to}\" maxRating=\"{stars}\" required=\"true\"/>\n"
        );
    }
    if let Question::Number { low, high } = question {
        let limit = |name: &str, limit: &Option<f64>| {
            limit.map_or_else(String::new, |limit| format!(" {name}=\"{limit}\""))
        };
        let limits = limit("min", low) + &limit("max", high);
        return format!(
            "  <Number name=\"{LABEL}\" toName=\"{to}\"{limits} step=\"any\" required=\"true\"/>\n"
        );
    }
    let choices = question.choices().unwrap_or_default();
    let is_open = matches!(question, Question::Classes { open: true, .. });
    let layout = if choices.len() > MANY { " layout=\"select\"" } else { " showInline=\"true\"" };
    let required = if is_open { "" } else { " required=\"true\"" };
    let mut xml = String::new();
    if !choices.is_empty() {
        xml += &format!("  <Choices name=\"{LABEL}\" toName=\"{to}\" choice=\"single\"{layout}{required}>\n");
        let digits =
            choices.iter().all(|name| name.len() == 1 && name.as_bytes().iter().all(u8::is_ascii_digit));
        for (place, name) in choices.iter().enumerate() {
            // Classes that are called by a digit have that key, so that 1 is never the key of 0.
            let hotkey = match digits {
                true => Some((*name).to_owned()),
                false => (place < 9).then(|| (place + 1).to_string()),
            };
            let hotkey = hotkey.map_or_else(String::new, |key| format!(" hotkey=\"{key}\""));
            xml += &format!("    <Choice value=\"{}\"{hotkey}/>\n", attribute(name));
        }
        xml += "  </Choices>\n";
    }
    if is_open {
        xml += &format!(
            "  <TextArea name=\"{OTHER}\" toName=\"{to}\" maxSubmissions=\"1\" placeholder=\"another class\"/>\n"
        );
    }
    xml
}

/// The name of the tag that shows a column.
fn object(place: usize) -> String {
    format!("shown{}", place + 1)
}

/// The key of a column in the data of a task: its name where that can stand in a variable.
pub(crate) fn key(place: usize, name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    match starts && name.chars().all(plain) && !name.starts_with("lw_") && name.len() <= 60 {
        true => name.to_owned(),
        false => format!("lw_column{}", place + 1),
    }
}

/// A text as the value of an attribute. A dollar sign would make it a variable.
fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '$' if out.is_empty() => out.push('\u{ff04}'),
            '\n' | '\r' | '\t' => out.push(' '),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {}
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{attribute, key};

    #[test]
    fn names_are_safe_in_xml_and_in_variables() {
        assert_eq!(attribute("a<b & \"c\"\n'd'\u{7}"), "a&lt;b &amp; &quot;c&quot; &apos;d&apos;");
        assert_eq!(attribute("$text $x"), "\u{ff04}text $x");
        assert_eq!(key(0, "text_2"), "text_2");
        for (place, name) in ["my column", "2", "lw_item", "Größe", ""].iter().enumerate() {
            assert_eq!(key(place, name), format!("lw_column{}", place + 1), "{name}");
        }
    }
}
