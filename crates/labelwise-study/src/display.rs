//! What labellers may see of an item, and which side of a comparison stands where: one rule for the labelling page and for other
//! people's tools.

use serde_json::Value;

use crate::{Result, Study};

/// Words in the names of columns that say what a judge or a model thinks, whatever is in them.
const OPINIONS: [&str; 6] = ["judge", "verdict", "confidence", "prob", "logit", "logprob"];

/// Starts of the names of columns that hold a prediction. An answer that people judge can have such a name as well.
const PREDICTIONS: [&str; 4] = ["pred", "y_pred", "yhat", "y_hat"];

/// How much a column tells a labeller of what a judge or a model says, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// Nothing.
    Nothing,
    /// Its value, where it is a class.
    Class,
    /// Whatever it holds.
    Everything,
}

impl Telling {
    /// By the name of the column.
    pub fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let is_opinion = |word: &str| OPINIONS.iter().any(|one| word == *one || word == format!("{one}s"));
        if OPINIONS.iter().any(|one| name.starts_with(&format!("{one}_")))
            || name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_opinion)
        {
            Self::Everything
        } else if PREDICTIONS.iter().any(|one| name.starts_with(one)) {
            Self::Class
        } else {
            Self::Nothing
        }
    }

    /// Whether this value of the column tells what a judge or a model says.
    pub fn hides(self, text: &str, classes: &[String]) -> bool {
        match self {
            Self::Nothing => false,
            Self::Class => classes.iter().any(|class| class.eq_ignore_ascii_case(text.trim())),
            Self::Everything => true,
        }
    }
}

/// A comparison of two columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The columns.
    pub columns: [String; 2],
    /// The class that says that a side is better.
    pub classes: [String; 2],
    /// The class that says that neither is better.
    pub tie: Option<String>,
    /// The seed of the evaluation.
    pub seed: u64,
}

impl Pair {
    /// The comparison of two columns; `None` if no classes are named like the columns, or a and b.
    pub fn of(study: &Study, first: &str, second: &str) -> Result<Option<Self>> {
        let classes = study.classes_to_choose()?.unwrap_or_default();
        let class = |column: &str, names: &[&str]| {
            let is_it = |class: &&String| {
                *class == column || names.iter().any(|name| class.eq_ignore_ascii_case(name))
            };
            classes.iter().find(is_it).cloned()
        };
        let (one, two) = (class(first, &["a", "first", "left"]), class(second, &["b", "second", "right"]));
        let tie = class("", &["tie", "t", "draw", "equal", "same", "both"]);
        let columns = [first.to_owned(), second.to_owned()];
        let seed = study.settings().seed;
        Ok(one.zip(two).map(|(one, two)| Self { columns, classes: [one, two], tie, seed }))
    }

    /// Whether the sides of an item change places: random, and the same for everybody.
    pub fn is_swapped(&self, item: usize) -> bool {
        // SplitMix64: every bit of the seed and the item changes half of the results.
        let mut bits = self.seed ^ (item as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) & 1 == 1
    }

    /// The class of an answer: `a`, `b` or `t` as the sides are shown.
    pub fn class(&self, item: usize, answer: &str) -> Option<&str> {
        let [first, second] = &self.classes;
        let (a, b) = if self.is_swapped(item) { (second, first) } else { (first, second) };
        match answer {
            "a" => Some(a),
            "b" => Some(b),
            "t" => self.tie.as_deref(),
            _ => None,
        }
    }

    /// The answer behind a class, as the sides are shown.
    pub fn answer(&self, item: usize, class: &str) -> Option<&'static str> {
        ["a", "b", "t"].into_iter().find(|answer| self.class(item, answer) == Some(class))
    }
}

/// Whether a value is a list of messages with roles, or an object with such a list.
pub fn is_chat(value: &Value) -> bool {
    let list = value.get("messages").unwrap_or(value).as_array();
    let has_role = |message: &Value| message.get("role").is_some_and(Value::is_string);
    list.is_some_and(|list| !list.is_empty() && list.iter().all(has_role))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_tell_what_a_model_says_are_known_by_name_and_value() {
        for name in ["judge", "judge_reason", "Verdict", "gpt-judge", "prob_cat", "confidence", "judges"] {
            assert_eq!(Telling::of(name), Telling::Everything, "{name}");
        }
        for name in ["predicted", "prediction", "y_pred", "Pred_label"] {
            assert_eq!(Telling::of(name), Telling::Class, "{name}");
        }
        for name in ["text", "problem", "subject", "answer", "judgement_date", "spread", "model_answer"] {
            assert_eq!(Telling::of(name), Telling::Nothing, "{name}");
        }
        let classes = ["pass".to_owned(), "fail".to_owned()];
        assert!(Telling::Class.hides(" Pass", &classes));
        assert!(!Telling::Class.hides("Paris", &classes), "an answer that people judge");
    }

    #[test]
    fn sides_change_places_by_seed_and_item_and_answers_follow() {
        let pair = Pair {
            columns: ["x".to_owned(), "y".to_owned()],
            classes: ["x".to_owned(), "y".to_owned()],
            tie: Some("tie".to_owned()),
            seed: 7,
        };
        let swapped = (0..1000).filter(|item| pair.is_swapped(*item)).count();
        assert!((440..560).contains(&swapped), "{swapped}");
        let other = Pair { seed: 8, ..pair.clone() };
        let differ = (0..1000).filter(|item| pair.is_swapped(*item) != other.is_swapped(*item)).count();
        assert!((440..560).contains(&differ), "{differ}");
        for item in 0..50 {
            for answer in ["a", "b", "t"] {
                let class = pair.class(item, answer).unwrap();
                assert_eq!(pair.answer(item, class), Some(answer));
            }
            assert_eq!(pair.class(item, "a") == Some("x"), !pair.is_swapped(item));
        }
        assert_eq!(pair.class(0, "x"), None);
    }
}
