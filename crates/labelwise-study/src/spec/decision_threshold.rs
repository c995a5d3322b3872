//! The decision threshold of a model with two classes: the probability from which on the positive class is predicted.

use labelwise::loss::Decision;

use crate::decide::zeros::check_cap;
use crate::error::ChoiceError;
use crate::questions::classes::Classes;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;

/// The decision that a threshold makes, and the positive class it is about.
pub(crate) fn decision(
    threshold: f64,
    subject: &Subject,
    positive: Option<&str>,
) -> Result<(Decision, String), ChoiceError> {
    let names = match subject {
        Subject::Classes { names } if names.len() == 2 => names,
        _ => return Err(ChoiceError::ThresholdClasses { predictions: subject.in_words() }),
    };
    let classes = Classes::all(names);
    let class = classes.positive_class(positive).ok_or_else(|| match positive {
        Some(class) => ChoiceError::ThresholdClass { class: Some(class.to_owned()), classes: names.clone() },
        None => ChoiceError::ThresholdClass { class: None, classes: names.clone() },
    })?;
    let decision = Decision::threshold(class, threshold)
        .map_err(|_| ChoiceError::ThresholdValue { value: threshold, meant: meant(threshold) })?;
    Ok((decision, classes.name(class)))
}

/// A threshold in per cent as a probability.
fn meant(threshold: f64) -> Option<f64> {
    let share = format!("{:.12}", threshold / 100.0).parse().ok();
    share.filter(|_| (2.0..=100.0).contains(&threshold))
}

impl Settings {
    /// The decision threshold in a few words, if there is one.
    pub fn threshold_in_words(&self) -> Option<String> {
        let (threshold, class) = self.threshold.zip(self.positive.as_deref())?;
        Some(format!("{class} is predicted from a probability of {threshold} on"))
    }

    /// Whether the threshold and the cap are such as can be chosen.
    pub(crate) fn can_be_chosen(&self) -> bool {
        let decided = |threshold| decision(threshold, &self.subject, self.positive.as_deref()).is_ok();
        self.threshold.is_none_or(decided) && check_cap(self.cap).is_ok()
    }

    /// How probabilities become a predicted class.
    pub fn decision(&self) -> Decision {
        let found =
            self.threshold.map(|threshold| decision(threshold, &self.subject, self.positive.as_deref()));
        // A threshold was checked when it was chosen.
        found.and_then(Result::ok).map_or(Decision::MostProbable, |(decision, _)| decision)
    }
}
