//! Columns of class probabilities or logits: which columns they are, and the probabilities that their numbers make.

use std::path::Path;

use crate::block::Block;
use crate::error::{Error, Purpose, Result};
use crate::families::{self, Family};
use crate::numbers::{ClassColumns, ClassNumbers};
use crate::offences::Offences;
use crate::one_column;
use crate::predictions::Predictions;
use crate::reading::{Reading, Taking};
use crate::source::Field;

/// Columns of class probabilities or logits.
pub(crate) struct ClassShape {
    pub(crate) family: Family,
    pub(crate) numbers: ClassNumbers,
    pub(crate) purpose: Purpose,
    /// The columns, as an option names them.
    pub(crate) columns: String,
}

impl ClassShape {
    /// Whether one column is enough, for a model with two classes.
    fn may_be_one(&self) -> bool {
        self.numbers == ClassNumbers::Logits || self.purpose == Purpose::Probability
    }
}

/// Columns of a surrogate's probabilities; one column if the model has one.
pub(crate) fn surrogate_columns(
    path: &Path,
    fields: &[Field],
    reading: &Reading,
    pattern: &str,
) -> Result<ClassShape> {
    let purpose = Purpose::SurrogateProbabilities;
    let one = matches!(reading.taking, Taking::Probability(_));
    let place = fields.iter().position(|field| one && field.name == pattern);
    let (family, purpose) = match place {
        Some(at) => (Family::one(at), Purpose::Probability),
        None => (families::chosen(path, fields, pattern, purpose)?, purpose),
    };
    Ok(ClassShape { family, numbers: ClassNumbers::Probabilities, purpose, columns: pattern.to_owned() })
}

/// Makes class probabilities from blocks of numbers.
pub(crate) struct Classes<'a> {
    path: &'a Path,
    reading: &'a Reading,
    fields: &'a [Field],
    /// The names of the classes that the file stores separately.
    class_names: Option<Vec<String>>,
    /// The classes of a model with one column.
    pub(crate) one: Option<[String; 2]>,
    pub(crate) notes: Vec<String>,
}

impl<'a> Classes<'a> {
    pub(crate) fn new(
        path: &'a Path,
        reading: &'a Reading,
        fields: &'a [Field],
        class_names: Option<Vec<String>>,
    ) -> Self {
        Self { path, reading, fields, class_names, one: None, notes: Vec::new() }
    }

    /// Class probabilities. Invalid rows are noted.
    pub(crate) fn read(
        &mut self,
        shape: &ClassShape,
        block: Block,
        offences: &mut Offences,
    ) -> Result<Predictions> {
        let ClassShape { family, numbers, purpose, columns } = shape;
        let (path, width) = (self.path, block.columns());
        let named = ClassColumns {
            path,
            numbers: *numbers,
            notation: self.reading.notation,
            purpose: *purpose,
            columns,
        };
        if width > 1 {
            let block = named.probabilities(block, offences, &mut self.notes)?;
            let names = family.classes.clone().or_else(|| self.class_names.clone());
            let names = class_names_of(path, names, block.columns())?;
            return Ok(Predictions::Classes { names, rows: block.into_matrix()? });
        }
        if !shape.may_be_one() {
            return Err(Error::TooFewClasses {
                path: path.to_owned(),
                pattern: columns.clone(),
                found: 1,
                purpose: *purpose,
                columns: families::listed(self.fields),
            });
        }
        let block = named.probabilities(block, offences, &mut self.notes)?;
        let names = match &self.one {
            Some(names) => names.clone(),
            None => {
                let given = self.reading.classes.clone();
                let names = given.unwrap_or_else(|| one_column::classes(columns));
                let [other, class] = &names;
                let what = match numbers {
                    ClassNumbers::Probabilities => "the probability",
                    ClassNumbers::Logits => "the log-odds",
                };
                self.notes
                    .push(format!("`{columns}` is {what} of class {class}; the other class is {other}"));
                self.one = Some(names.clone());
                names
            }
        };
        Ok(Predictions::Classes { names: names.into(), rows: block.into_matrix()? })
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
