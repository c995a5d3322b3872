//! Makes a pool from the columns of a file: selects the columns and checks their values.

mod passthrough;
mod wanted;

use std::io;
use std::path::Path;

use crate::block::Block;
use crate::class_columns::{ClassShape, Classes, surrogate_columns};
use crate::column::Column;
use crate::error::{Error, Result};
use crate::error::{Purpose, RowFault};
use crate::families;
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::ids::Ids;
use crate::judged;
use crate::labels::{Numbering, labels, values_of};
use crate::limits::Budget;
use crate::offences::Offences;
use crate::predictions::{self, Predictions};
use crate::reading::Reading;
use crate::source::{self, Empty, Kind, SelectedBlock, SelectedColumn, Selection, Source};
use crate::table::{Features, PoolTable};
use passthrough::leftover;
pub(crate) use passthrough::{passthrough, passthrough_names, wanted_names};
use wanted::{Shape, check_kinds, feature_fields, want_predictions};

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
