//! CSV, JSON Lines and JSON.

use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::table::{Table, Values, strange_number, strange_text};

/// A table as CSV.
pub(crate) fn csv(table: &Table, random: &mut Random) -> Vec<u8> {
    let terminator = if random.one_in(3) { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
    let mut writer = csv::WriterBuilder::new().terminator(terminator).flexible(true).from_writer(Vec::new());
    let _ = writer.write_record(table.columns.iter().map(|(name, _)| name));
    for row in 0..table.rows {
        let _ = writer.write_record(table.columns.iter().map(|(_, values)| cell(values, row)));
    }
    let mut bytes = writer.into_inner().unwrap_or_default();
    if random.one_in(8) {
        bytes.splice(0..0, *b"\xef\xbb\xbf");
    }
    bytes
}

fn cell(values: &Values, row: usize) -> String {
    match values {
        Values::Numbers(numbers) => numbers[row].map(|number| number.to_string()).unwrap_or_default(),
        Values::Texts(texts) => texts[row].clone().unwrap_or_default(),
        Values::Lists(lists) => format!("{:?}", lists[row]),
    }
}

/// A table as JSON Lines.
pub(crate) fn jsonl(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in 0..table.rows {
        let object = table.columns.iter().map(|(name, values)| (name.clone(), value(values, row)));
        let object = Value::Object(object.collect::<Map<_, _>>());
        bytes.extend(object.to_string().into_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// A table as one JSON object with columns and data.
pub(crate) fn json_table(table: &Table) -> Vec<u8> {
    let names: Vec<&String> = table.columns.iter().map(|(name, _)| name).collect();
    let row =
        |row: usize| -> Vec<Value> { table.columns.iter().map(|(_, values)| value(values, row)).collect() };
    let data: Vec<Vec<Value>> = (0..table.rows).map(row).collect();
    let object = json!({"columns": names, "data": data});
    object.to_string().into_bytes()
}

fn value(values: &Values, row: usize) -> Value {
    match values {
        Values::Numbers(numbers) => numbers[row].map_or(Value::Null, Value::from),
        Values::Texts(texts) => texts[row].clone().map_or(Value::Null, Value::from),
        Values::Lists(lists) => lists[row].clone().into(),
    }
}

/// Lines of JSON with one value changed.
pub(crate) fn twisted_lines(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let changed = random.below(text.lines().count());
    let line = |(number, line): (usize, &str)| match serde_json::from_str::<Value>(line) {
        Ok(mut value) if number == changed => {
            twist_json(&mut value, random);
            format!("{value}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(line).collect::<String>().into_bytes()
}

/// Changes one value somewhere in a JSON value.
pub(crate) fn twist_json(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) if !items.is_empty() && !random.one_in(6) => {
            let at = random.below(items.len());
            if random.one_in(10) {
                items.remove(at);
            } else {
                twist_json(&mut items[at], random);
            }
        }
        Value::Object(entries) if !entries.is_empty() && !random.one_in(10) => {
            let at = random.below(entries.len());
            let Some(key) = entries.keys().nth(at).cloned() else { return };
            if random.one_in(12) {
                entries.remove(&key);
            } else if let Some(entry) = entries.get_mut(&key) {
                twist_json(entry, random);
            }
        }
        value => *value = strange_value(random),
    }
}

fn strange_value(random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => Value::from(random.word() as i64),
        3 => Value::from(random.word()),
        4 => Value::from(random.below(40)),
        5 => json!([]),
        6 => json!({"a": [1, {"b": null}]}),
        7 => Value::from(strange_number(random)),
        _ => Value::from(strange_text(random)),
    }
}
