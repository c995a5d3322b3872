//! Makes a pool from the columns of a file: selects the columns and checks their values.

use std::io;
use std::path::Path;

use crate::block::Block;
use crate::class_columns::{ClassShape, Classes, surrogate_columns};
use crate::column::Column;
use crate::error::{Error, Result};
use crate::error::{Purpose, RowFault};
use crate::families::{self, Family};
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::judged;
use crate::labels::{Numbering, labels, values_of};
use crate::limits::Budget;
use crate::numbers::{ClassNumbers, Notation};
use crate::offences::Offences;
use crate::predictions::{self, Predictions};
use crate::reading::{Reading, Taking};
use crate::source::{self, Empty, Field, Kind, SelectedBlock, SelectedColumn, Selection, Source};
use crate::spread::Spread;
use crate::table::{Features, PoolTable};

/// The type of the first wanted columns.
enum Shape {
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

pub(crate) fn assemble(
    path: &Path,
    format: Format,
    source: &mut dyn Source,
    reading: &Reading,
    budget: &Budget,
    fingerprint: impl FnOnce(&Ids, &Predictions) -> io::Result<Fingerprint>,
) -> Result<PoolTable> {
    let fields = source.fields().to_vec();
    source::check_names(path, &fields)?;
    let mut wanted = Selection { single: reading.single, ..Selection::default() };
    let shape = want_predictions(path, source, reading, &mut wanted)?;
    let judged = judged::want(path, &fields, reading, &mut wanted)?;
    let surrogates: Result<Vec<ClassShape>> =
        reading.surrogates.iter().map(|pattern| surrogate_columns(path, &fields, reading, pattern)).collect();
    let surrogates = surrogates?;
    wanted.blocks.extend(surrogates.iter().map(|surrogate| surrogate.family.wanted()));
    let features = feature_fields(path, &fields, reading)?;
    if !features.is_empty() {
        let lists = match *features.as_slice() {
            [one] => fields.get(one).is_some_and(|field| matches!(field.kind, Kind::List | Kind::SingleList)),
            _ => false,
        };
        wanted.blocks.push(SelectedBlock { fields: features.clone(), lists });
    }
    let column = |field, empty| SelectedColumn { field, empty };
    let id_field = match &reading.ids {
        Some(name) => Some(families::place(path, &fields, name, Purpose::Ids)?),
        None => source.id_field(),
    };
    wanted.columns.extend(id_field.map(|field| column(field, Empty::Refused)));
    let label_field =
        reading.labels.as_ref().map(|name| families::place(path, &fields, name, Purpose::Labels));
    let label_field = label_field.transpose()?;
    wanted.columns.extend(label_field.map(|field| column(field, Empty::Refused)));
    for name in &reading.carried {
        wanted.columns.push(column(families::place(path, &fields, name, Purpose::Carried)?, Empty::Kept));
    }
    let texts =
        if reading.carry_texts { leftover(format, source, &wanted, reading.is_judged()) } else { Vec::new() };
    wanted.columns.extend(texts.iter().map(|&field| column(field, Empty::Kept)));
    check_kinds(path, &fields, &wanted)?;

    let mut offences = Offences::default();
    let loaded = source.read(&wanted, &mut offences)?;
    if loaded.rows == 0 {
        return Err(Error::Empty { path: path.to_owned() });
    }
    let mut blocks = loaded.blocks.into_iter();
    let mut columns = loaded.columns.into_iter();
    let class_names = source.classes()?;
    let mut next = || blocks.next().unwrap_or_default();
    let refused = |offences: Offences| refusal(path, offences, &loaded.places);
    let mut classes = Classes::new(path, reading, &fields, class_names);
    let mut read_classes = |shape: &ClassShape, block: Block, offences: &mut Offences| {
        if block.columns() == 0 {
            // No row has a list; the error names the first.
            offences.note(0, || RowFault::NoProbabilities);
            return Err(refused(std::mem::take(offences)));
        }
        classes.read(shape, block, offences)
    };
    let mut predictions = match &shape {
        Shape::Classes(shape) => read_classes(shape, next(), &mut offences)?,
        Shape::Values { deviations } => values(&next(), *deviations, &mut offences),
        Shape::Scores => {
            let scores = next().column(0);
            predictions::check_not_negative(&scores, |value| RowFault::Score { value }, &mut offences);
            Predictions::Scores(scores)
        }
        Shape::Hard(name) => hard(path, name, &columns.next().unwrap_or_default(), budget)?,
        Shape::Judged => Predictions::Scores(vec![0.0; loaded.rows]),
    };
    let mut judged = judged.map(|wanted| wanted.take(&mut columns));
    let mut believed = Vec::new();
    for surrogate in &surrogates {
        believed.push(read_classes(surrogate, next(), &mut offences)?);
    }
    let (mut notes, positive) = (classes.notes, classes.one.map(|[_, positive]| positive));
    notes.dedup();
    notes.splice(0..0, source.note());
    let features = match features.as_slice() {
        [] => None,
        places => {
            let block = next();
            predictions::check_features(&block, &mut offences);
            Some((places.iter().filter_map(|&at| Some(fields.get(at)?.name.clone())).collect(), block))
        }
    };
    let ids = match id_field {
        Some(_) => Ids::Column(columns.next().unwrap_or_default()),
        None => Ids::Rows(loaded.rows),
    };
    if !reading.of_part {
        ids.note_twins(&loaded.places, &mut offences);
    }
    if let (Some(judged), Some(_)) = (&mut judged, label_field) {
        judged.labels = columns.next();
    }
    let labels = label_field.filter(|_| judged.is_none()).map(|field| {
        let column = columns.next().unwrap_or_default();
        let is_score = fields.get(field).is_some_and(|field| field.kind == Kind::Score);
        if is_score {
            Ok(values_of(&column, &mut offences))
        } else {
            labels(&column, &mut predictions, &mut offences, budget)
        }
    });
    let labels = labels.transpose()?;
    let mut carried: Vec<(String, Column)> = reading.carried.iter().cloned().zip(columns.by_ref()).collect();
    let texts =
        texts.iter().filter_map(|&field| fields.get(field)).map(|field| field.name.clone()).zip(columns);
    carried.extend(texts.filter(|(_, column)| has_words(column)));
    if !offences.is_empty() {
        return Err(refused(offences));
    }
    let features =
        features.map(|(names, block)| Ok::<_, Error>(Features { names, rows: block.into_matrix()? }));
    let fingerprint = fingerprint(&ids, &predictions);
    Ok(PoolTable {
        path: path.to_owned(),
        format,
        ids,
        predictions,
        surrogates: believed,
        labels,
        features: features.transpose()?,
        carried,
        rivals: None,
        judged,
        positive,
        notes,
        fingerprint: fingerprint.map_err(|source| Error::File { path: path.to_owned(), source })?,
    })
}

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
    // Columns of predictions are no passthrough columns.
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
fn leftover(format: Format, source: &dyn Source, wanted: &Selection, judged: bool) -> Vec<usize> {
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

/// Whether a column has a value that is not a number.
fn has_words(column: &Column) -> bool {
    let Column::Texts(texts) = column else { return false };
    texts.iter().any(|text| !text.trim().is_empty() && text.trim().parse::<f64>().is_err())
}

pub(crate) fn refusal(path: &Path, offences: Offences, places: &crate::offences::Places) -> Error {
    let guess = offences.guess.clone();
    let (rows, more) = offences.into_rows(places);
    Error::Rows { path: path.to_owned(), rows, more, guess }
}

fn want_predictions(
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

fn feature_fields(path: &Path, fields: &[Field], reading: &Reading) -> Result<Vec<usize>> {
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
fn check_kinds(path: &Path, fields: &[Field], wanted: &Selection) -> Result<()> {
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

fn values(block: &Block, deviations: bool, offences: &mut Offences) -> Predictions {
    let means = block.column(0);
    for (row, mean) in means.iter().enumerate() {
        if !mean.is_finite() && !offences.passes_over(row) {
            offences.note(row, || RowFault::Mean { value: *mean });
        }
    }
    let mut variances = (block.columns() > 1).then(|| block.column(1));
    if let Some(variances) = &mut variances {
        let fault = |value| match deviations {
            true => RowFault::Deviation { value },
            false => RowFault::Variance { value },
        };
        predictions::check_not_negative(variances, fault, offences);
        if deviations {
            variances.iter_mut().for_each(|deviation| *deviation *= *deviation);
        }
    }
    Predictions::Values { means, variances }
}

/// More different decimals than this are measured numbers and not classes.
const MOST_DECIMALS: usize = 20;

fn hard(path: &Path, name: &str, column: &Column, budget: &Budget) -> Result<Predictions> {
    let mut names = Vec::new();
    let classes = Numbering::new(&mut names).all(column, budget)?;
    let decimal = |name: &&String| name.trim().parse::<f64>().is_ok_and(|number| number.fract() != 0.0);
    let decimals: Vec<&String> = names.iter().filter(decimal).collect();
    match decimals.first() {
        Some(example) if decimals.len() > MOST_DECIMALS && 2 * decimals.len() > names.len() => {
            Err(Error::ManyDecimals {
                path: path.to_owned(),
                column: name.to_owned(),
                distinct: decimals.len(),
                example: (*example).clone(),
            })
        }
        _ => Ok(Predictions::Hard { names, classes }),
    }
}
