//! A reader of tags, as strict as the page should be: every element that is opened is closed, in order.

/// Elements that have no end.
const VOID: [&str; 3] = ["meta", "link", "br"];

/// The elements of a page in order: name and attributes. Fails at whatever is out of order.
pub(super) fn elements(html: &str) -> Result<Vec<(String, String)>, String> {
    let mut open: Vec<String> = Vec::new();
    let mut elements = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    while let Some(start) = rest.find('<') {
        let text = rest.get(..start).unwrap_or_default();
        if text.contains('>') {
            return Err(format!("a stray > in {text:?}"));
        }
        entities(text)?;
        let (tag, after) = rest[start + 1..].split_once('>').ok_or("a tag without an end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => {}
                last => return Err(format!("</{name}> closes {last:?}")),
            }
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let is_closed = attributes.ends_with('/') || name.ends_with('/');
        let name = name.trim_end_matches('/');
        if !name.chars().all(|letter| letter.is_ascii_alphanumeric()) || name.is_empty() {
            return Err(format!("<{tag}> is no tag"));
        }
        if attributes.contains('<') || attributes.matches('"').count() % 2 != 0 {
            return Err(format!("<{tag}> has attributes out of order"));
        }
        entities(attributes)?;
        elements.push((name.to_owned(), attributes.trim_end_matches('/').to_owned()));
        if name == "style" {
            rest = rest.split_once("</style>").ok_or("a style without an end")?.1;
        } else if !is_closed && !VOID.contains(&name) {
            open.push(name.to_owned());
        }
    }
    if open.is_empty() { Ok(elements) } else { Err(format!("never closed: {open:?}")) }
}

/// Every & begins an entity.
fn entities(text: &str) -> Result<(), String> {
    for after in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        if !known.iter().any(|entity| after.starts_with(entity)) {
            return Err(format!("a stray & before {after:?}"));
        }
    }
    Ok(())
}

/// What a person reads, one block a line; charts are left to their descriptions.
pub(super) fn text(html: &str) -> String {
    let (_, body) = html.split_once("<body>").unwrap();
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = after.split_once('>').unwrap();
        rest = match tag {
            "desc" | "title" => after,
            _ if tag.starts_with("g ") => {
                after.rsplit_once("</svg>").map_or(after, |_| after.split_once("</svg>").unwrap().1)
            }
            _ => after,
        };
        match tag.split_whitespace().next().unwrap_or_default() {
            "/th" | "/td" | "/dt" | "small" => text.push_str(" | "),
            "/h1" | "/h2" | "/h3" | "/p" | "/pre" | "/tr" | "/li" | "/div" | "/caption" | "/figcaption"
            | "/summary" | "/desc" | "/title" => text.push('\n'),
            _ => {}
        }
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    let text = text.replace("&amp;", "&");
    let lines = text.lines().map(|line| line.trim().trim_end_matches('|').trim_end());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_reader_sees_what_is_out_of_order() {
    let page = |body: &str| elements(&format!("<!DOCTYPE html><html>{body}</html>"));
    assert!(page("<p>a &amp; b<br></p><g a=\"b\"/>").is_ok());
    for body in
        ["<p>", "</p>", "<p><b></p></b>", "a > b", "a & b", "<p a=\"b></p>", "<p a=\"<\"></p>", "< p>"]
    {
        assert!(page(body).is_err(), "{body}");
    }
}
