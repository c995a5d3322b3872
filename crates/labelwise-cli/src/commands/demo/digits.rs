//! The bundled pool of handwritten digits: predictions, a surrogate's beliefs, and every label.

use labelwise::surrogate::Beliefs;
use labelwise::{Classification, Matrix, Pool};

use crate::error::Error;

/// See `data/README.md` for where it comes from.
const CSV: &str = include_str!("../../../data/digits.csv");

/// Ten digits, so ten classes.
const CLASSES: usize = 10;

/// The pool, with what only a demonstration knows beside it: all the labels.
pub(super) struct Digits {
    /// The model's predictions.
    pub(super) pool: Pool<Classification>,
    /// The surrogate's.
    pub(super) beliefs: Beliefs<Classification>,
    /// What nobody would know without paying for it.
    pub(super) labels: Vec<usize>,
}

impl Digits {
    /// Reads the file that is part of the program: id, label, ten probabilities of the model, ten of the surrogate.
    pub(super) fn read() -> Result<Self, Error> {
        let mut lines = CSV.lines().zip(1..);
        let header = lines.next().map(|(header, _)| header.split(',').collect::<Vec<_>>());
        if header.unwrap_or_default() != columns() {
            return Err(Error::BundledPool { line: 1, why: "its columns are not those expected" });
        }
        let (mut labels, mut predictions, mut beliefs) = (Vec::new(), Vec::new(), Vec::new());
        for (text, line) in lines {
            let fail = |why| Error::BundledPool { line, why };
            let mut fields = text.split(',').skip(1);
            let label = fields.next().and_then(|label| label.parse().ok());
            labels.push(label.ok_or_else(|| fail("its label is not a digit"))?);
            let numbers: Result<Vec<f64>, _> = fields.map(str::parse).collect();
            let numbers = numbers.map_err(|_| fail("a probability is not a number"))?;
            let (model, surrogate) = numbers
                .split_at_checked(CLASSES)
                .filter(|(_, surrogate)| surrogate.len() == CLASSES)
                .ok_or_else(|| fail("it does not have 20 probabilities"))?;
            predictions.extend_from_slice(model);
            beliefs.extend_from_slice(surrogate);
        }
        let pool = Pool::classification(Matrix::f64(predictions, CLASSES)?)?;
        let beliefs = Beliefs::new(Matrix::f64(beliefs, CLASSES)?, &pool)?;
        Ok(Self { pool, beliefs, labels })
    }
}

/// The names of the columns.
fn columns() -> Vec<String> {
    let probabilities = |whose: &'static str| (0..CLASSES).map(move |class| format!("{whose}_{class}"));
    let first = ["id", "label"].map(str::to_owned).into_iter();
    first.chain(probabilities("model")).chain(probabilities("surrogate")).collect()
}
