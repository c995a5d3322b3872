//! Selects the columns of predictions and features, and refuses columns of a wrong type.

use std::path::Path;

use crate::class_columns::ClassShape;
use crate::error::{Error, Purpose, Result};
use crate::families::{self, Family};
use crate::numbers::{ClassNumbers, Notation};
use crate::reading::{Reading, Taking};
use crate::source::{Empty, Field, Kind, SelectedBlock, SelectedColumn, Selection, Source};
use crate::spread::Spread;

/// The type of the first wanted columns.
pub(super) enum Shape {
    Classes(ClassShape),
    /// Values; a second column holds variances or standard deviations.
    Values {
        deviations: bool,
    },
    /// Predicted classes, in the column of this name.
    Hard(String),
    Scores,
    /// Judges and other models; predictions are made of them later.
    Judged,
}

pub(super) fn want_predictions(
    path: &Path,
    source: &dyn Source,
    reading: &Reading,
    wanted: &mut Selection,
) -> Result<Shape> {
    let fields = source.fields();
    let probabilities =
        if reading.for_surrogate { Purpose::SurrogateProbabilities } else { Purpose::Probabilities };
    let class_columns = |family: Family, numbers, purpose, columns: &str| {
        Shape::Classes(ClassShape { family, numbers, purpose, columns: columns.to_owned() })
    };
    check_options(path, reading)?;
    if reading.is_judged() {
        return Ok(Shape::Judged);
    }
    let shape = match &reading.taking {
        Taking::Recognised => {
            // A log of answers in words has one column of predictions, and no probabilities.
            if let Some(field) = source.answer_field() {
                wanted.columns.push(SelectedColumn { field, empty: Empty::Refused });
                let name = fields.get(field).map(|field| field.name.clone()).unwrap_or_default();
                return Ok(Shape::Hard(name));
            }
            let (pattern, family) = families::recognise(path, fields)?;
            class_columns(family, ClassNumbers::Probabilities, probabilities, pattern)
        }
        Taking::Probabilities(pattern) => {
            let family = families::chosen(path, fields, pattern, probabilities)?;
            class_columns(family, ClassNumbers::Probabilities, probabilities, pattern)
        }
        Taking::Probability(column) => {
            let family = Family::one(families::place(path, fields, column, Purpose::Probability)?);
            class_columns(family, ClassNumbers::Probabilities, Purpose::Probability, column)
        }
        Taking::Logits(pattern) => {
            let family = families::one_or_several(path, fields, pattern, Purpose::Logits)?;
            class_columns(family, ClassNumbers::Logits, Purpose::Logits, pattern)
        }
        Taking::Values { mean, spread } => {
            let mut places = vec![families::place(path, fields, mean, Purpose::Means)?];
            let deviations = matches!(spread, Some(Spread::Deviation(_)));
            if let Some(spread) = spread {
                let purpose = if deviations { Purpose::Deviations } else { Purpose::Variances };
                places.push(families::place(path, fields, spread.column(), purpose)?);
                spread.check(path)?;
            }
            wanted.blocks.push(SelectedBlock { fields: places, lists: false });
            Shape::Values { deviations }
        }
        Taking::Scores(column) => {
            let fields = vec![families::place(path, fields, column, Purpose::Scores)?];
            wanted.blocks.push(SelectedBlock { fields, lists: false });
            Shape::Scores
        }
        Taking::Hard(column) => {
            let field = families::place(path, fields, column, Purpose::Classes)?;
            wanted.columns.push(SelectedColumn { field, empty: Empty::Refused });
            Shape::Hard(column.clone())
        }
    };
    if let Shape::Classes(shape) = &shape {
        wanted.blocks.push(shape.family.wanted());
    }
    Ok(shape)
}

/// Refuses options about class probabilities for other predictions.
fn check_options(path: &Path, reading: &Reading) -> Result<()> {
    let classes = !matches!(reading.taking, Taking::Values { .. } | Taking::Hard(_) | Taking::Scores(_));
    let one = matches!(reading.taking, Taking::Probability(_) | Taking::Logits(_));
    let unused = |option, needs| Err(Error::Unused { path: path.to_owned(), option, needs });
    match reading.notation {
        Notation { percent: true, .. } if !classes => unused("percent", "class probabilities"),
        Notation { normalise: true, .. } if !classes => unused("normalise", "class probabilities"),
        _ if reading.classes.is_some() && !one => unused("classes", "one column of probabilities"),
        _ => Ok(()),
    }
}

pub(super) fn feature_fields(path: &Path, fields: &[Field], reading: &Reading) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for pattern in &reading.features {
        if pattern.contains('*') {
            let found = families::matching(pattern, fields).fields;
            if found.is_empty() {
                families::place(path, fields, pattern, Purpose::Features)?;
            }
            places.extend(found);
        } else {
            places.push(families::place(path, fields, pattern, Purpose::Features)?);
        }
    }
    Ok(places)
}

/// Refuses columns of a wrong type, before anything is read.
pub(super) fn check_kinds(path: &Path, fields: &[Field], wanted: &Selection) -> Result<()> {
    let fits = |field: usize, lists: bool| {
        fields.get(field).is_some_and(|field| match field.kind {
            Kind::List | Kind::SingleList => lists,
            Kind::Other => false,
            Kind::Single | Kind::Number | Kind::Text | Kind::Score | Kind::Cell => true,
        })
    };
    let in_blocks =
        wanted.blocks.iter().flat_map(|block| block.fields.iter().map(|&field| (field, block.lists)));
    let in_columns = wanted.columns.iter().map(|column| (column.field, false));
    let odd = in_blocks.chain(in_columns).find(|&(field, lists)| !fits(field, lists));
    match odd.and_then(|(field, _)| fields.get(field)) {
        Some(field) => Err(Error::Unsupported {
            path: path.to_owned(),
            what: format!("values of an unknown type in column {}", families::shown(&field.name)),
            way_out: "write numbers, texts, or one column of lists of numbers",
        }),
        None => Ok(()),
    }
}
