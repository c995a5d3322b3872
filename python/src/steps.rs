//! What happened to a study as tuples that Python can pickle.

use labelwise_study::{Answer, Reply, Step};

use crate::error::{Error, Outcome};

/// What happened, the id of the item, its label, a note, the row of the item, and q or the time.
///
/// What is kept by its key has the key, the answer, the kind of request, its hash and the time in these places. `by` names the
/// author of the answers after it.
pub(crate) type StepRow = (String, String, Option<String>, Option<String>, usize, f64);

/// Steps as tuples.
pub(crate) fn rows_of(steps: Vec<Step>) -> Vec<StepRow> {
    let mut rows = Vec::with_capacity(steps.len());
    let mut author = None;
    for step in steps {
        let (answer, at, amends) = match step {
            Step::Asked { item, q } => {
                rows.push(("asked".to_owned(), String::new(), None, None, item, q));
                continue;
            }
            Step::Refreshed => {
                rows.push(("refreshed".to_owned(), String::new(), None, None, 0, 0.0));
                continue;
            }
            Step::Kept { key, verb, digest, answer, at } => {
                let digest = usize::try_from(digest).unwrap_or(usize::MAX);
                rows.push(("kept".to_owned(), key, Some(answer), Some(verb), digest, at as f64));
                continue;
            }
            Step::Told { answer, at } => (answer, at, false),
            Step::Amended { answer, at } => (answer, at, true),
        };
        let who = answer.who.unwrap_or_default();
        if author.as_ref() != Some(&who) {
            rows.push(("by".to_owned(), who.clone(), None, None, 0, 0.0));
            author = Some(who);
        }
        let (what, label) = match answer.reply {
            Reply::Label(label) => (if amends { "amended" } else { "told" }, Some(label)),
            Reply::Skip => ("skipped", None),
            Reply::MissingAtRandom => ("missing", None),
        };
        rows.push((what.to_owned(), answer.id, label, answer.note, 0, at as f64));
    }
    rows
}

/// The steps of tuples.
pub(crate) fn steps_of(rows: Vec<StepRow>) -> Outcome<Vec<Step>> {
    let mut steps = Vec::with_capacity(rows.len());
    let mut who = None;
    for (what, id, label, note, item, q) in rows {
        let at = q as i64;
        let answer = |reply, id| Answer { id, reply, line: None, note: note.clone(), who: who.clone() };
        steps.push(match (what.as_str(), label) {
            ("by", _) => {
                who = Some(id);
                continue;
            }
            ("asked", _) => Step::Asked { item, q },
            ("refreshed", _) => Step::Refreshed,
            ("kept", Some(answer)) => {
                let verb = note.unwrap_or_default();
                Step::Kept { key: id, verb, digest: item as u64, answer, at }
            }
            ("told", Some(label)) => Step::Told { answer: answer(Reply::Label(label), id), at },
            ("amended", Some(label)) => Step::Amended { answer: answer(Reply::Label(label), id), at },
            ("skipped", _) => Step::Told { answer: answer(Reply::Skip, id), at },
            ("missing", _) => Step::Told { answer: answer(Reply::MissingAtRandom, id), at },
            _ => {
                return Err(Error::Other(format!(
                    "what happened is {what:?}, which this version does not know"
                )));
            }
        });
    }
    Ok(steps)
}
