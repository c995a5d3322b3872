//! What happens to an evaluation in memory: labels in batches, and everything that happened once more.

use std::collections::HashMap;

use labelwise::evaluation::Event;
use labelwise::ledger::Outcome as Became;
use labelwise::loss::checked_loss;
use labelwise::{Classification, Regression, Task};

use crate::build::Running;
use crate::error::{Error, Outcome};

/// Tells all of the labels, or none if something is wrong with any.
pub(crate) fn tell_all<T: Task>(
    running: &mut Running<T>,
    items: &[usize],
    labels: Vec<T::Label>,
) -> Outcome<usize> {
    if items.len() != labels.len() {
        return Err(Error::Argument(format!(
            "there are {} items and {} labels: give one label an item",
            items.len(),
            labels.len()
        )));
    }
    let evaluation = &mut running.evaluation;
    let mut known: HashMap<usize, Option<T::Label>> = HashMap::with_capacity(evaluation.draws().len());
    for (draw, outcome) in evaluation.draws().iter().zip(evaluation.outcomes()) {
        let label = match outcome {
            Became::Labelled { label, .. } => Some(*label),
            _ => None,
        };
        known.insert(draw.index, label);
    }
    let pool = evaluation.pool();
    let mut reader = pool.predictions().reader();
    for (&item, &label) in items.iter().zip(&labels) {
        let before = known.get_mut(&item);
        let wrong = match before {
            // The core says it best, and refuses without a change.
            None => true,
            Some(Some(before)) if *before != label => true,
            Some(before) => {
                T::check_label(item, label, pool.model_columns())?;
                checked_loss(evaluation.loss(), item, T::prediction(reader.row(item)), label)?;
                *before = Some(label);
                false
            }
        };
        if wrong {
            let same = items.iter().zip(&labels).find(|(other, told)| **other == item && **told != label);
            if let (Some((_, other)), true) = (same, known.contains_key(&item)) {
                return Err(labelwise::Error::LabelDiffers {
                    item,
                    label: other.to_string(),
                    told: label.to_string(),
                }
                .into());
            }
            drop(reader);
            evaluation.tell(item, label)?;
            return Ok(0);
        }
    }
    drop(reader);
    let mut recorded = 0;
    for (&item, label) in items.iter().zip(labels) {
        recorded += usize::from(evaluation.tell(item, label)? == labelwise::evaluation::Told::Recorded);
    }
    Ok(recorded)
}

/// An event as Python keeps it: what, of which item, and a number.
pub(crate) fn entry<T: Numbered>(event: &Event<T>) -> (&'static str, usize, f64) {
    match *event {
        Event::Asked { index, q } => ("asked", index, q),
        Event::Told { index, label } => ("told", index, T::number(label)),
        Event::Amended { index, label } => ("amended", index, T::number(label)),
        Event::Skipped { index } => ("skipped", index, 0.0),
        Event::MissingAtRandom { index } => ("missing", index, 0.0),
    }
}

/// A label as a number, and back.
pub(crate) trait Numbered: Task {
    /// The label of a number.
    fn of(number: f64) -> Self::Label;
    /// The number of a label.
    fn number(label: Self::Label) -> f64;
}

impl Numbered for Classification {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "written from a class number")]
    fn of(number: f64) -> usize {
        number as usize
    }

    fn number(label: usize) -> f64 {
        label as f64
    }
}

impl Numbered for Regression {
    fn of(number: f64) -> f64 {
        number
    }

    fn number(label: f64) -> f64 {
        label
    }
}

/// Makes everything happen again; a draw that comes out differently is an error.
pub(crate) fn again<T: Numbered>(running: &mut Running<T>, journal: &[(String, usize, f64)]) -> Outcome<()> {
    let evaluation = &mut running.evaluation;
    for (place, (what, index, number)) in journal.iter().enumerate() {
        let (index, number) = (*index, *number);
        match what.as_str() {
            "asked" => {
                let draw = evaluation.ask()?;
                if draw.index != index || draw.q.to_bits() != number.to_bits() {
                    return Err(labelwise::Error::Diverged {
                        event: place,
                        recorded: index,
                        recorded_q: number,
                        drawn: draw.index,
                        drawn_q: draw.q,
                    }
                    .into());
                }
            }
            "told" => {
                evaluation.tell(index, T::of(number))?;
            }
            "amended" => evaluation.amend(index, T::of(number))?,
            "skipped" => evaluation.skip(index)?,
            "missing" => evaluation.missing_at_random(index)?,
            other => {
                return Err(Error::Other(format!("the journal has an event {other:?} that is not known")));
            }
        }
    }
    Ok(())
}
