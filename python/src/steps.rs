//! What happened to a study as tuples that Python can pickle.

use labelwise_study::{Answer, Reply, Step};

use crate::error::{Error, Outcome};

/// What happened, the id of the item, its label, a note, the row of the item, and q.
pub(crate) type StepRow = (String, String, Option<String>, Option<String>, usize, f64);

/// A step as a tuple.
pub(crate) fn row_of(step: Step) -> StepRow {
    let (answer, amends) = match step {
        Step::Asked { item, q } => return ("asked".to_owned(), String::new(), None, None, item, q),
        Step::Told(answer) => (answer, false),
        Step::Amended(answer) => (answer, true),
    };
    let (what, label) = match answer.reply {
        Reply::Label(label) => (if amends { "amended" } else { "told" }, Some(label)),
        Reply::Skip => ("skipped", None),
        Reply::MissingAtRandom => ("missing", None),
    };
    (what.to_owned(), answer.id, label, answer.note, 0, 0.0)
}

/// The step of a tuple.
pub(crate) fn step_of((what, id, label, note, item, q): StepRow) -> Outcome<Step> {
    let answer = |reply| Answer { id, reply, line: None, note, who: None };
    Ok(match (what.as_str(), label) {
        ("asked", _) => Step::Asked { item, q },
        ("told", Some(label)) => Step::Told(answer(Reply::Label(label))),
        ("amended", Some(label)) => Step::Amended(answer(Reply::Label(label))),
        ("skipped", _) => Step::Told(answer(Reply::Skip)),
        ("missing", _) => Step::Told(answer(Reply::MissingAtRandom)),
        _ => {
            return Err(Error::Other(format!("what happened is {what:?}, which this version does not know")));
        }
    })
}
