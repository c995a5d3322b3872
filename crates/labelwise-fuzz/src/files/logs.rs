//! Logs of evaluations: Inspect and lm-evaluation-harness.

use std::io::Cursor;

use serde_json::{Value, json};
use zip::ZipWriter;

use super::numpy::add;
use super::text::twist_json;
use crate::random::Random;
use crate::table::{CLASSES, strange_text};

/// A log of Inspect as an archive.
pub(crate) fn inspect(random: &mut Random) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let twisted = !random.one_in(3);
    for sample in 0..2 + random.below(10) {
        let mut object = json!({
            "id": sample, "epoch": 1, "input": format!("question {sample}"), "target": CLASSES[sample % 4],
            "output": {"completion": CLASSES[sample * 7 / 3 % 4]},
            "scores": {"match": {"value": if sample % 3 == 0 { "I" } else { "C" }}},
        });
        if twisted && random.one_in(6) {
            twist_json(&mut object, random);
        }
        let name = format!("samples/{sample}_epoch_1.json");
        add(&mut archive, &name, object.to_string().as_bytes(), random);
    }
    if random.one_in(4) {
        add(&mut archive, &strange_text(random), b"{}", random);
    }
    archive.finish().map(Cursor::into_inner).unwrap_or_default()
}

/// Samples of lm-evaluation-harness, with probabilities of choices or with answers in words.
pub(crate) fn lm_eval(random: &mut Random) -> Vec<u8> {
    let (choices, twisted) = (random.one_in(2), !random.one_in(3));
    let mut bytes = Vec::new();
    for document in 0..2 + random.below(10) {
        let mut line = sample(document, choices, random);
        if twisted && random.one_in(6) {
            twist_json(&mut line, random);
        }
        bytes.extend(line.to_string().into_bytes());
        bytes.push(b'\n');
    }
    bytes
}

fn sample(document: usize, choices: bool, random: &mut Random) -> Value {
    let answers: Value = if choices {
        let choice = |_| json!([(-5.0 * random.unit()).to_string(), "False"]);
        (0..3).map(choice).collect()
    } else {
        json!([CLASSES[document * 7 / 3 % 4]])
    };
    json!({
        "doc_id": document, "doc": {"question": format!("question {document}")},
        "target": if choices { (document % 3).to_string() } else { CLASSES[document % 4].to_owned() },
        "filtered_resps": answers, "filter": "none", "metrics": ["acc"], "acc": f64::from(u8::from(document.is_multiple_of(3))),
    })
}
