//! Pages of the bundled digits: real draws of a classifier, with whatever can become of them.

use labelwise::acquisition::Uniform;
use labelwise::evaluation::Builder;
use labelwise::loss::ZeroOne;
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, CrossEntropy, Error, Evaluation, Fixed, Matrix, Pool, Target};

use super::ledgers::{Fates, drawn, page};
use crate::metric::{Better, Form, Metric};
use crate::page::Page;

const CSV: &str = include_str!("../../../labelwise-cli/data/digits.csv");
const CLASSES: usize = 10;

pub(super) struct Digits {
    ids: Vec<String>,
    labels: Vec<usize>,
    pool: Pool<Classification>,
    beliefs: Beliefs<Classification>,
}

impl Digits {
    /// The first so many of them.
    pub(super) fn read(many: usize) -> Self {
        let rows: Vec<Vec<&str>> =
            CSV.lines().skip(1).take(many).map(|line| line.split(',').collect()).collect();
        let numbers = |from: usize| -> Vec<f64> {
            let cells = rows.iter().flat_map(|row| &row[from..from + CLASSES]);
            cells.map(|cell| cell.parse().unwrap()).collect()
        };
        let pool = Pool::classification(Matrix::f64(numbers(2), CLASSES).unwrap()).unwrap();
        let beliefs = Beliefs::new(Matrix::f64(numbers(2 + CLASSES), CLASSES).unwrap(), &pool).unwrap();
        let ids = rows.iter().map(|row| row[0].to_owned()).collect();
        let labels = rows.iter().map(|row| row[1].parse().unwrap()).collect();
        Self { ids, labels, pool, beliefs }
    }

    /// The accuracy, from so many draws.
    pub(super) fn accuracy(&self, draws: usize, fates: &Fates) -> Page {
        let metric = Metric {
            name: "accuracy".to_owned(),
            loss: "zero-one loss".to_owned(),
            of: |error| 1.0 - error,
            better: Better::Higher,
            form: Form::Percent,
        };
        let builder = Evaluation::builder(self.pool.clone(), ZeroOne, Fixed(self.beliefs.clone()));
        self.page(builder, draws, fates, metric)
    }

    /// The cross-entropy, from so many draws.
    pub(super) fn cross_entropy(&self, draws: usize, fates: &Fates) -> Page {
        let loss = CrossEntropy::default();
        let builder = Evaluation::builder(self.pool.clone(), loss, Fixed(self.beliefs.clone()));
        self.page(builder, draws, fates, cross_entropy())
    }

    /// The cross-entropy, from so many draws that preferred nothing.
    pub(super) fn uniform(&self, draws: usize) -> Page {
        let loss = CrossEntropy::default();
        let builder = Evaluation::builder(self.pool.clone(), loss, Fixed(self.pool.own_beliefs().unwrap()));
        self.page(builder.acquisition(Uniform), draws, &Fates::default(), cross_entropy())
    }

    fn page(&self, builder: Builder<Classification>, draws: usize, fates: &Fates, metric: Metric) -> Page {
        let evaluation = drawn(builder, draws, fates, |index| self.labels[index]);
        page(evaluation.ledger(), metric, Target::Pool, |index| self.ids[index].clone())
    }
}

fn cross_entropy() -> Metric {
    Metric {
        name: "cross-entropy".to_owned(),
        loss: "cross-entropy".to_owned(),
        of: |loss| loss,
        better: Better::Lower,
        form: Form::Number,
    }
}

/// What the core says to an evaluation whose first draw is still open.
pub(super) fn nothing_yet(digits: &Digits) -> Error {
    let loss = CrossEntropy::default();
    let builder = Evaluation::builder(digits.pool.clone(), loss, Fixed(digits.beliefs.clone()));
    let fates = Fates { open: &[0], ..Fates::default() };
    let evaluation = drawn(builder, 3, &fates, |index| digits.labels[index]);
    evaluation.report(Target::Pool, 0.95).unwrap_err()
}
