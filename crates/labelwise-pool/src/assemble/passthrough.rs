//! Ids and passthrough columns.

use std::path::Path;

use super::refusal;
use super::wanted::{check_kinds, want_predictions};
use crate::class_columns::surrogate_columns;
use crate::column::Column;
use crate::error::{Error, Purpose, Result};
use crate::families;
use crate::format::Format;
use crate::ids::Ids;
use crate::offences::Offences;
use crate::reading::Reading;
use crate::source::{self, Empty, Field, Kind, SelectedColumn, Selection, Source};

/// The names of the columns of ids and predictions; the ids are the first.
pub(crate) fn wanted_names(path: &Path, source: &dyn Source, reading: &Reading) -> Result<Vec<String>> {
    let fields = source.fields();
    source::check_names(path, fields)?;
    let mut wanted = Selection::default();
    want_predictions(path, source, reading, &mut wanted)?;
    for pattern in &reading.surrogates {
        wanted.blocks.push(surrogate_columns(path, fields, reading, pattern)?.family.wanted());
    }
    let id_field = match &reading.ids {
        Some(name) => families::place(path, fields, name, Purpose::Ids)?,
        None => source.id_field().ok_or_else(|| Error::NoIds { path: path.to_owned() })?,
    };
    let others = wanted.places().into_iter().filter(|place| *place != id_field);
    let places = std::iter::once(id_field).chain(others);
    Ok(places.filter_map(|place| Some(fields.get(place)?.name.clone())).collect())
}

/// The columns of ids and of passthrough columns.
fn passthrough_fields(
    path: &Path,
    format: Format,
    source: &dyn Source,
    reading: &Reading,
) -> Result<(usize, Vec<usize>)> {
    let fields = source.fields();
    source::check_names(path, fields)?;
    // A column of predictions is not a passthrough column.
    let mut used = Selection::default();
    want_predictions(path, source, reading, &mut used)?;
    for pattern in &reading.surrogates {
        used.blocks.push(surrogate_columns(path, fields, reading, pattern)?.family.wanted());
    }
    let column = |field, empty| SelectedColumn { field, empty };
    let id_field = match &reading.ids {
        Some(name) => families::place(path, fields, name, Purpose::Ids)?,
        None => source.id_field().ok_or_else(|| Error::NoIds { path: path.to_owned() })?,
    };
    used.columns.push(column(id_field, Empty::Refused));
    let mut carried = Vec::new();
    for name in &reading.carried {
        carried.push(families::place(path, fields, name, Purpose::Carried)?);
    }
    used.columns.extend(carried.iter().map(|&field| column(field, Empty::Kept)));
    if reading.carry_texts {
        carried.extend(leftover(format, source, &used, false));
    }
    Ok((id_field, carried))
}

/// The names of the passthrough columns.
pub(crate) fn passthrough_names(
    path: &Path,
    format: Format,
    source: &dyn Source,
    reading: &Reading,
) -> Result<Vec<String>> {
    let (_, carried) = passthrough_fields(path, format, source, reading)?;
    let fields = source.fields();
    Ok(carried.iter().filter_map(|&field| Some(fields.get(field)?.name.clone())).collect())
}

/// The ids and the passthrough columns alone.
pub(crate) fn passthrough(
    path: &Path,
    format: Format,
    source: &mut dyn Source,
    reading: &Reading,
) -> Result<(Ids, Vec<(String, Column)>)> {
    let (id_field, carried) = passthrough_fields(path, format, source, reading)?;
    let fields = source.fields().to_vec();
    let column = |field, empty| SelectedColumn { field, empty };
    let columns = std::iter::once(column(id_field, Empty::Refused));
    let columns = columns.chain(carried.iter().map(|&field| column(field, Empty::Kept))).collect();
    let wanted = Selection { columns, ..Selection::default() };
    check_kinds(path, &fields, &wanted)?;
    let mut offences = Offences::default();
    let loaded = source.read(&wanted, &mut offences)?;
    if !offences.is_empty() {
        return Err(refusal(path, offences, &loaded.places));
    }
    let mut columns = loaded.columns.into_iter();
    let ids = Ids::Column(columns.next().unwrap_or_default());
    let names = carried.iter().filter_map(|&field| fields.get(field)).map(|field| field.name.clone());
    Ok((ids, names.zip(columns).collect()))
}

/// Names of columns of labels, which a labeller should not see.
const LABELS: [&str; 8] = ["label", "labels", "target", "targets", "truth", "gold", "answer", "y"];

/// Maximum number of passthrough columns by default.
const MOST_TEXTS: usize = 20;

/// Columns of a plain table that can hold texts and have no other use.
pub(super) fn leftover(format: Format, source: &dyn Source, wanted: &Selection, judged: bool) -> Vec<usize> {
    if matches!(format, Format::LmEval | Format::Inspect) {
        return Vec::new();
    }
    let used = |field: usize| {
        wanted.columns.iter().any(|column| column.field == field)
            || wanted.blocks.iter().any(|block| block.fields.contains(&field))
    };
    let may = |field: &Field| {
        let name = field.name.to_ascii_lowercase();
        // Of a judge's pool, the answer is what is labelled.
        let hidden = LABELS.contains(&name.as_str()) && !(judged && name == "answer");
        matches!(field.kind, Kind::Text | Kind::Cell) && !hidden
    };
    let fields = source.fields().iter().enumerate();
    let fields = fields.filter(|(at, field)| !used(*at) && may(field) && source.may_carry(*at, wanted));
    fields.map(|(at, _)| at).take(MOST_TEXTS).collect()
}
