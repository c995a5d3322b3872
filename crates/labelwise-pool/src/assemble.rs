//! Makes a pool from the columns of a file: selects the columns and checks their values.

use std::io;
use std::path::Path;

use crate::block::Block;
use crate::column::Column;
use crate::error::{Error, Result};
use crate::error::{Purpose, RowFault};
use crate::families::{self, Family};
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::labels::{Numbering, labels, values_of};
use crate::offences::Offences;
use crate::predictions::{self, Predictions};
use crate::reading::{Reading, Taking};
use crate::source::{self, Empty, Field, Kind, SelectedBlock, SelectedColumn, Selection, Source};
use crate::table::{Features, PoolTable};

/// The type of the first wanted columns.
enum Shape {
    Probabilities(Family),
    Logits(Family),
    Values,
    Hard,
    Scores,
}

pub(crate) fn assemble(
    path: &Path,
    format: Format,
    source: &mut dyn Source,
    reading: &Reading,
    fingerprint: impl FnOnce(&Ids, &Predictions) -> io::Result<Fingerprint>,
) -> Result<PoolTable> {
    let fields = source.fields().to_vec();
    source::check_names(path, &fields)?;
    let mut wanted = Selection { single: reading.single, ..Selection::default() };
    let shape = want_predictions(path, source, reading, &mut wanted)?;
    let surrogates: Result<Vec<Family>> = reading
        .surrogates
        .iter()
        .map(|pattern| families::chosen(path, &fields, pattern, Purpose::SurrogateProbabilities))
        .collect();
    let surrogates = surrogates?;
    wanted.blocks.extend(surrogates.iter().map(Family::wanted));
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
    let texts = if reading.carry_texts { leftover(format, &fields, &wanted) } else { Vec::new() };
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
    let names = |family: &Family, width: usize| {
        class_names_of(path, family.classes.clone().or_else(|| class_names.clone()), width)
    };

    let mut next = || blocks.next().unwrap_or_default();
    let refused = |offences: Offences| refusal(path, offences, &loaded.places);
    let mut predicted = match &shape {
        Shape::Probabilities(family) | Shape::Logits(family) => {
            let logits = matches!(shape, Shape::Logits(_));
            classes(next(), logits, offences, |width| names(family, width), &refused)?
        }
        Shape::Values => {
            let predicted = values(&next(), &mut offences);
            (predicted, offences)
        }
        Shape::Scores => {
            let scores = next().column(0);
            predictions::check_not_negative(&scores, |value| RowFault::Score { value }, &mut offences);
            (Predictions::Scores(scores), offences)
        }
        Shape::Hard => (hard(&columns.next().unwrap_or_default()), offences),
    };
    let mut believed = Vec::new();
    for family in &surrogates {
        let (beliefs, offences) =
            classes(next(), false, predicted.1, |width| names(family, width), &refused)?;
        believed.push(beliefs);
        predicted.1 = offences;
    }
    let (mut predictions, mut offences) = predicted;
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
    ids.note_twins(&loaded.places, &mut offences);
    let labels = label_field.map(|field| {
        let column = columns.next().unwrap_or_default();
        let is_score = fields.get(field).is_some_and(|field| field.kind == Kind::Score);
        if is_score {
            values_of(&column, &mut offences)
        } else {
            labels(&column, &mut predictions, &mut offences)
        }
    });
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
        fingerprint: fingerprint.map_err(|source| Error::File { path: path.to_owned(), source })?,
    })
}

/// Names of columns of labels, which a labeller should not see.
const LABELS: [&str; 8] = ["label", "labels", "target", "targets", "truth", "gold", "answer", "y"];

/// Maximum number of passthrough columns by default.
const MOST_TEXTS: usize = 20;

/// Columns of a plain table that can hold texts and have no other use.
fn leftover(format: Format, fields: &[Field], wanted: &Selection) -> Vec<usize> {
    if matches!(format, Format::LmEval | Format::Inspect) {
        return Vec::new();
    }
    let used = |field: usize| {
        wanted.columns.iter().any(|column| column.field == field)
            || wanted.blocks.iter().any(|block| block.fields.contains(&field))
    };
    let may = |field: &Field| {
        let name = field.name.to_ascii_lowercase();
        matches!(field.kind, Kind::Text | Kind::Cell) && !LABELS.contains(&name.as_str())
    };
    let fields = fields.iter().enumerate().filter(|(at, field)| !used(*at) && may(field));
    fields.map(|(at, _)| at).take(MOST_TEXTS).collect()
}

/// Whether a column has a value that is not a number.
fn has_words(column: &Column) -> bool {
    let Column::Texts(texts) = column else { return false };
    texts.iter().any(|text| !text.trim().is_empty() && text.trim().parse::<f64>().is_err())
}

pub(crate) fn refusal(path: &Path, offences: Offences, places: &crate::offences::Places) -> Error {
    let (rows, more) = offences.into_rows(places);
    Error::Rows { path: path.to_owned(), rows, more }
}

fn want_predictions(
    path: &Path,
    source: &dyn Source,
    reading: &Reading,
    wanted: &mut Selection,
) -> Result<Shape> {
    let fields = source.fields();
    Ok(match &reading.taking {
        Taking::Recognised => {
            // A log of answers in words has one column of predictions, and no probabilities.
            if let Some(field) = source.answer_field() {
                wanted.columns.push(SelectedColumn { field, empty: Empty::Refused });
                return Ok(Shape::Hard);
            }
            let family = families::recognise(path, fields)?;
            wanted.blocks.push(family.wanted());
            Shape::Probabilities(family)
        }
        Taking::Probabilities(pattern) => {
            let family = families::chosen(path, fields, pattern, Purpose::Probabilities)?;
            wanted.blocks.push(family.wanted());
            Shape::Probabilities(family)
        }
        Taking::Logits(pattern) => {
            let family = families::chosen(path, fields, pattern, Purpose::Logits)?;
            wanted.blocks.push(family.wanted());
            Shape::Logits(family)
        }
        Taking::Values { mean, variance } => {
            let mut places = vec![families::place(path, fields, mean, Purpose::Means)?];
            if let Some(variance) = variance {
                places.push(families::place(path, fields, variance, Purpose::Variances)?);
            }
            wanted.blocks.push(SelectedBlock { fields: places, lists: false });
            Shape::Values
        }
        Taking::Scores(column) => {
            let fields = vec![families::place(path, fields, column, Purpose::Scores)?];
            wanted.blocks.push(SelectedBlock { fields, lists: false });
            Shape::Scores
        }
        Taking::Hard(column) => {
            let field = families::place(path, fields, column, Purpose::Classes)?;
            wanted.columns.push(SelectedColumn { field, empty: Empty::Refused });
            Shape::Hard
        }
    })
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

fn class_names_of(path: &Path, names: Option<Vec<String>>, width: usize) -> Result<Vec<String>> {
    match names {
        Some(names) if names.len() == width => Ok(names),
        Some(names) => {
            Err(Error::ClassNames { path: path.to_owned(), names: names.len(), probabilities: width })
        }
        None => Ok((0..width).map(|class| class.to_string()).collect()),
    }
}

/// Class probabilities, with the invalid rows noted so far and those found here.
fn classes(
    mut block: Block,
    logits: bool,
    mut offences: Offences,
    names: impl Fn(usize) -> Result<Vec<String>>,
    refused: &impl Fn(Offences) -> Error,
) -> Result<(Predictions, Offences)> {
    if block.columns() == 0 {
        // No row has a list; the error names the first.
        offences.note(0, || RowFault::NoProbabilities);
        return Err(refused(offences));
    }
    if logits {
        predictions::check_logits(&block, &mut offences);
        block.change_rows(predictions::softmax);
    } else {
        predictions::check_probabilities(&block, &mut offences);
    }
    let names = names(block.columns())?;
    Ok((Predictions::Classes { names, rows: block.into_matrix()? }, offences))
}

fn values(block: &Block, offences: &mut Offences) -> Predictions {
    let means = block.column(0);
    for (row, mean) in means.iter().enumerate() {
        if !mean.is_finite() && !offences.passes_over(row) {
            offences.note(row, || RowFault::Mean { value: *mean });
        }
    }
    let variances = (block.columns() > 1).then(|| block.column(1));
    if let Some(variances) = &variances {
        predictions::check_not_negative(variances, |value| RowFault::Variance { value }, offences);
    }
    Predictions::Values { means, variances }
}

fn hard(column: &Column) -> Predictions {
    let mut names = Vec::new();
    let mut numbering = Numbering::new(&mut names);
    let classes = (0..column.len()).map(|row| numbering.of(&column.text(row).unwrap_or_default())).collect();
    Predictions::Hard { names, classes }
}
