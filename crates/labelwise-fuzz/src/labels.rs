//! Files of labels, told to an evaluation.

use labelwise::Matrix;
use labelwise_study::{Author, Choices, PoolTable, Predictions, Study};
use serde_json::{Value, json};

use crate::depth::{Reached, questions};
use crate::files::twist_json;
use crate::random::Random;
use crate::table::{CLASSES, strange_text};

/// Items of the evaluation.
const ITEMS: usize = 8;

/// Tells a file of labels. A byte chooses what the evaluation is about.
pub(crate) fn run(kind: u8, bytes: &[u8]) -> Reached {
    let Ok(answers) = labelwise_cli::read_labels(bytes) else { return Reached::default() };
    let (mut study, by) = (study(kind), Author::default());
    study.ask(ITEMS, &by).expect("a new study has items");
    let told = study.tell(&answers, &by);
    let labels = study.labels();
    assert!(told.is_ok() || labels == 0, "a refused file was recorded");
    let _ = study.amend(&answers, &by);
    Reached { read: true, estimated: told.is_ok() && questions(&study).is_ok(), simulated: false }
}

fn study(kind: u8) -> Study {
    let predictions = match kind % 3 {
        0 => {
            let rows: Vec<f64> =
                (0..ITEMS).flat_map(|item| [0.1 * item as f64, 1.0 - 0.1 * item as f64]).collect();
            let names = CLASSES[..2].iter().map(|&class| class.to_owned()).collect();
            Predictions::Classes { names, rows: Matrix::f64(rows, 2).expect("two columns") }
        }
        1 => Predictions::Values { means: (0..ITEMS).map(|item| item as f64).collect(), variances: None },
        _ => Predictions::hard((0..ITEMS).map(|item| CLASSES[item % 3])),
    };
    Study::in_memory(PoolTable::new(predictions), &Choices::default()).expect("a valid pool").evaluation
}

/// A file of labels for the evaluation, in one of the formats that are read.
pub(crate) fn file(kind: u8, random: &mut Random) -> Vec<u8> {
    let rows: Vec<(String, String, &str)> = (0..1 + random.below(ITEMS))
        .map(|item| {
            let label = match kind % 3 {
                0 => CLASSES[random.below(2)].to_owned(),
                1 => (random.unit() * 9.0).to_string(),
                _ => CLASSES[random.below(4)].to_owned(),
            };
            let strange = random.one_in(25);
            let skip = if random.one_in(10) { "true" } else { "" };
            (item.to_string(), if strange { strange_text(random) } else { label }, skip)
        })
        .collect();
    if random.one_in(2) {
        return delimited(&rows, random);
    }
    let mut objects: Vec<Value> =
        rows.iter().map(|(id, label, skip)| json!({"id": id, "label": label, "skip": skip})).collect();
    if random.one_in(2) {
        let at = random.below(objects.len());
        twist_json(&mut objects[at], random);
    }
    if random.one_in(3) {
        return Value::from(objects).to_string().into_bytes();
    }
    objects.iter().map(|object| format!("{object}\n")).collect::<String>().into_bytes()
}

fn delimited(rows: &[(String, String, &str)], random: &mut Random) -> Vec<u8> {
    let delimiter = random.pick(b",\t;");
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).flexible(true).from_writer(Vec::new());
    let _ = writer.write_record(["id", "label", "skip", "note"]);
    for (id, label, skip) in rows {
        let _ = writer.write_record([id, label, *skip, ""]);
    }
    writer.into_inner().unwrap_or_default()
}
