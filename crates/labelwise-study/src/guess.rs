//! What tables of class probabilities look like that the core refused: percentages, rounded probabilities or logits.

use std::collections::BTreeMap;

use labelwise::Matrix;
use labelwise::compare::CompareError;
use labelwise::task::Table;
use labelwise_pool::{Error as PoolError, Guess, Looks, Purpose};

use crate::columns::PREDICTIONS;
use crate::error::Error;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;

/// Rows that a guess looks at.
const SAMPLE: usize = 1_000;

/// Adds to a refusal of class probabilities what the numbers look like. Files were checked when they were read; this is for
/// arrays, which are checked as they are used.
pub(crate) fn explained(error: Error, tables: &BTreeMap<String, Matrix>, settings: &Settings) -> Error {
    let Error::Core(refused) = &error else { return error };
    let Some(what) = table_of(refused) else { return error };
    let Subject::Classes { names } = &settings.subject else { return error };
    let predictions = what == Table::Predictions;
    let purpose = match predictions {
        true => Purpose::Probabilities,
        false => Purpose::SurrogateProbabilities,
    };
    let wrong = tables.iter().filter(|(name, _)| (*name == PREDICTIONS) == predictions);
    let mut looks = wrong.filter(|(_, table)| table.columns() % names.len().max(1) == 0);
    let looks = looks.find_map(|(_, table)| looks_like(table, names.len()));
    match (error, looks) {
        (Error::Core(refused), Some(looks)) => {
            let guess = Guess::new(looks, purpose, "", false);
            PoolError::NotProbabilities { refused, guess }.into()
        }
        (error, _) => error,
    }
}

/// The table of class probabilities that was refused.
fn table_of(refused: &labelwise::Error) -> Option<Table> {
    use labelwise::Error as Core;
    match refused {
        Core::Probability { what, .. } | Core::ProbabilitySum { what, .. } => Some(*what),
        Core::Compare(CompareError::Model { error, .. }) => table_of(error),
        _ => None,
    }
}

/// What the first of the models in a table looks like whose numbers are not probabilities.
fn looks_like(table: &Matrix, classes: usize) -> Option<Looks> {
    let mut reader = table.reader();
    let rows = reader.rows(0..table.rows().min(SAMPLE));
    let models = table.columns().checked_div(classes)?;
    (0..models).find_map(|model| {
        let columns =
            |row: &'_ [f64]| row.get(model * classes..(model + 1) * classes).unwrap_or_default().to_vec();
        let values: Vec<f64> = rows.iter().flat_map(columns).collect();
        Looks::of(&values, classes).filter(|looks| *looks != Looks::Probabilities)
    })
}
