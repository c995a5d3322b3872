//! The answer of a request that is kept under its idempotency key.

use serde::{Deserialize, Serialize};

use crate::error::{AnswerError, RefusedAnswer};
use crate::tell::{PartialTellResult, TellResult};

/// An answer as the journal keeps it.
#[derive(Debug, Serialize, Deserialize)]
struct KeptAnswer {
    recorded: usize,
    already: usize,
    unbounded: usize,
    labels: usize,
    asked: usize,
    #[serde(default)]
    opinions: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refused: Vec<KeptRefusal>,
}

/// A refused answer: its place in the request, its line, its id and the sentence.
type KeptRefusal = (usize, Option<usize>, String, String);

/// The text that the journal keeps.
pub(crate) fn text(result: &PartialTellResult) -> serde_json::Result<String> {
    let TellResult { recorded, already, unbounded, labels, asked, opinions } = result.told;
    let kept = |refused: &RefusedAnswer| {
        (refused.place, refused.line, refused.id.clone(), refused.reason.to_string())
    };
    let refused = result.refused.iter().map(kept).collect();
    serde_json::to_string(&KeptAnswer { recorded, already, unbounded, labels, asked, opinions, refused })
}

/// The answer again; `None` if the text is not one. Earlier versions kept the number of records alone: totals are then those
/// of `now`, labels and asked items.
pub(crate) fn answer(text: &str, answers: usize, now: (usize, usize)) -> Option<PartialTellResult> {
    if let Ok(recorded) = text.parse() {
        let (already, (labels, asked)) = (answers.saturating_sub(recorded), now);
        let told = TellResult { recorded, already, labels, asked, ..TellResult::default() };
        return Some(PartialTellResult { told, refused: Vec::new() });
    }
    let KeptAnswer { recorded, already, unbounded, labels, asked, opinions, refused } =
        serde_json::from_str(text).ok()?;
    let again = |(place, line, id, sentence): KeptRefusal| RefusedAnswer {
        place,
        line,
        id,
        reason: AnswerError::Before { sentence },
    };
    let refused = refused.into_iter().map(again).collect();
    let told = TellResult { recorded, already, unbounded, labels, asked, opinions };
    Some(PartialTellResult { told, refused })
}

#[cfg(test)]
mod tests {
    use super::{answer, text};
    use crate::error::{AnswerError, RefusedAnswer};
    use crate::tell::{PartialTellResult, TellResult};

    #[test]
    fn an_answer_comes_back_as_it_was() {
        let told = TellResult { recorded: 3, already: 1, unbounded: 0, labels: 7, asked: 9, opinions: 2 };
        let refused =
            RefusedAnswer { place: 2, line: Some(4), id: "a".into(), reason: AnswerError::NothingToAmend };
        let sentence = refused.to_string();
        let first = PartialTellResult { told, refused: vec![refused] };
        let again = answer(&text(&first).unwrap(), 5, (100, 200)).unwrap();
        assert_eq!((again.told, again.refused[0].to_string()), (told, sentence));
        assert_eq!(text(&again).unwrap(), text(&first).unwrap());
    }

    #[test]
    fn earlier_versions_kept_a_number() {
        let told = answer("3", 5, (100, 200)).unwrap().told;
        let plain = TellResult { recorded: 3, already: 2, labels: 100, asked: 200, ..TellResult::default() };
        assert_eq!(told, plain);
        assert!(answer("three", 5, (0, 0)).is_none());
    }
}
