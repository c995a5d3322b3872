//! What the classes of a classifier are worth, and which of them is positive.

use crate::error::{JudgeError, MetricError, Result};
use crate::judge::classes::LabelClasses;
use crate::questions::classes::Classes;
use crate::spec::subject::Subject;
use crate::task::same_class;

/// The worth of each class of a classifier, in the order of its columns.
pub(super) fn worths(given: &[(String, f64)], subject: &Subject) -> Result<Vec<f64>> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let Subject::Classes { names } = subject else {
        return Err(JudgeError::WorthUnused { predictions: subject.in_words() }.into());
    };
    let classes = LabelClasses::with_worths(given)?;
    if let Some(class) = classes.names.iter().find(|class| !names.iter().any(|name| same_class(name, class)))
    {
        return Err(JudgeError::WorthUnknown { class: class.clone(), classes: names.clone() }.into());
    }
    let worth = |name: &String| {
        let place = classes.names.iter().position(|class| same_class(class, name));
        let worth = place.and_then(|place| classes.worths.get(place).copied());
        worth.ok_or_else(|| JudgeError::NoWorth { class: name.clone() }.into())
    };
    names.iter().map(worth).collect()
}

/// The class whose rate is measured.
pub(super) fn rate_class(subject: &Subject, positive: Option<String>) -> Result<String> {
    let Subject::Classes { names } = subject else {
        return positive.ok_or_else(|| JudgeError::NoPositive { classes: Vec::new() }.into());
    };
    let classes = Classes::all(names);
    match classes.positive_class(positive.as_deref()) {
        Some(class) => Ok(classes.name(class)),
        None => match positive {
            Some(class) => Err(MetricError::UnknownPositive { class, classes: names.clone() }.into()),
            None => Err(JudgeError::NoPositive { classes: names.clone() }.into()),
        },
    }
}
