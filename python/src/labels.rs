//! Labels and items as people hand them over, and as a study records them.

use labelwise_study::{Answer, IdOrigin, Study, Subject};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};

use crate::error::{Error, Outcome};

/// The names of the classes; none where labels are numbers, or classes of any name.
pub(crate) fn classes(study: &Study) -> &[String] {
    match &study.settings().subject {
        Subject::Classes { names } => names,
        _ => &[],
    }
}

/// A label as it is recorded.
pub(crate) fn label_text(label: &Bound<'_, PyAny>, classes: &[String]) -> Outcome<String> {
    let truth = |truth: bool| {
        let name = if truth { "True" } else { "False" };
        let named = classes.iter().any(|class| class == name);
        if named { name.to_owned() } else { u8::from(truth).to_string() }
    };
    if let Ok(text) = label.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if let Ok(label) = label.cast::<PyBool>() {
        return Ok(truth(label.is_true()));
    }
    if let Ok(whole) = label.extract::<i64>() {
        return Ok(whole.to_string());
    }
    // NumPy's truths are numbers too.
    if !label.is_instance_of::<PyFloat>()
        && let Ok(label) = label.extract::<bool>()
    {
        return Ok(truth(label));
    }
    if let Ok(systems) = label.cast::<PyDict>() {
        return of_systems(systems, classes);
    }
    match label.extract::<f64>() {
        Ok(number) if number.is_nan() => Err(no_label(label)),
        Ok(number) => Ok(format!("{number:?}")),
        Err(_) if label.is_none() => Err(no_label(label)),
        Err(_) => Ok(label.str()?.to_str()?.to_owned()),
    }
}

/// A class for each of two systems, by their names.
fn of_systems(systems: &Bound<'_, PyDict>, classes: &[String]) -> Outcome<String> {
    let mut parts = Vec::with_capacity(systems.len());
    for (name, label) in systems.iter() {
        parts.push(format!("{}={}", name.str()?.to_str()?, label_text(&label, classes)?));
    }
    Ok(parts.join("|"))
}

fn no_label(label: &Bound<'_, PyAny>) -> Error {
    let shown = label.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
    Error::Argument(format!("label is {shown}: use skip for items that nobody will label"))
}

/// Labels of several items.
pub(crate) fn label_texts(labels: &Bound<'_, PyAny>, classes: &[String]) -> Outcome<Vec<String>> {
    if let Ok(labels) = labels.cast::<PyArray1<i64>>() {
        return Ok(labels.readonly().as_array().iter().map(i64::to_string).collect());
    }
    labels.try_iter()?.map(|label| label_text(&label?, classes)).collect()
}

/// The ids of items. In memory, a number is the row of an item; in a file, it is an id like any other.
pub(crate) fn ids(study: &Study, items: &Bound<'_, PyAny>) -> Outcome<Vec<String>> {
    if let Ok(rows) = items.cast::<PyArray1<i64>>() {
        return rows.readonly().as_array().iter().map(|&row| id_of_number(study, row)).collect();
    }
    items.try_iter()?.map(|item| id(study, &item?)).collect()
}

/// Labels of several items, with those that cannot be recorded set aside.
pub(crate) struct Pairs {
    pub(crate) answers: Vec<Answer>,
    /// The place of each answer among the items.
    pub(crate) places: Vec<usize>,
    /// The others: place, item and sentence.
    pub(crate) refused: Vec<(usize, String, String)>,
}

/// Items and labels, one by one. What is not an item or a label is set aside; what Python raises is raised.
pub(crate) fn pairs(
    study: &Study,
    items: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
    note: Option<&str>,
) -> Outcome<Pairs> {
    let items: Vec<Bound<'_, PyAny>> = items.try_iter()?.collect::<PyResult<_>>()?;
    let labels: Vec<Bound<'_, PyAny>> = labels.try_iter()?.collect::<PyResult<_>>()?;
    if items.len() != labels.len() {
        return Err(one_each(items.len(), labels.len()));
    }
    let mut pairs = Pairs { answers: Vec::new(), places: Vec::new(), refused: Vec::new() };
    for (place, (item, label)) in items.iter().zip(&labels).enumerate() {
        let answer = id(study, item).and_then(|id| Ok(Answer::new(id, label_text(label, classes(study))?)));
        match answer {
            Ok(answer) => {
                pairs.answers.push(Answer { note: note.map(str::to_owned), ..answer });
                pairs.places.push(place);
            }
            Err(Error::Argument(sentence) | Error::Item(sentence)) => {
                pairs.refused.push((place, item.str()?.to_string(), sentence));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(pairs)
}

/// The error of items and labels that do not go together.
pub(crate) fn one_each(items: usize, labels: usize) -> Error {
    Error::Argument(format!("there are {items} items and {labels} labels: give one label per item"))
}

/// The id of an item: by its number, by its id, or of an object that has one.
pub(crate) fn id(study: &Study, item: &Bound<'_, PyAny>) -> Outcome<String> {
    if let Ok(number) = item.extract::<i64>()
        && !item.is_instance_of::<PyBool>()
    {
        return id_of_number(study, number);
    }
    if let Ok(id) = item.cast::<PyString>() {
        return Ok(id.to_str()?.to_owned());
    }
    match item.getattr("id") {
        Ok(id) => Ok(id.str()?.to_str()?.to_owned()),
        Err(_) if study.is_durable() => Ok(item.str()?.to_str()?.to_owned()),
        Err(_) => {
            let shown = item.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
            Err(Error::Item(format!(
                "item {shown} is not in the pool: items are whole numbers from 0, or ids"
            )))
        }
    }
}

fn id_of_number(study: &Study, number: i64) -> Outcome<String> {
    if study.is_durable() {
        return Ok(number.to_string());
    }
    let pool = &study.settings().pool;
    match usize::try_from(number) {
        Ok(item) if item < pool.size => match pool.ids {
            IdOrigin::Rows => Ok(item.to_string()),
            IdOrigin::Column => Ok(study.ids(&[item])?.pop().unwrap_or_default()),
        },
        _ => Err(Error::Item(format!(
            "item {number} is not in the pool: items are numbered from 0 to {}",
            pool.size.saturating_sub(1)
        ))),
    }
}
