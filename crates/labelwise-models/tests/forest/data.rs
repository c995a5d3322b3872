//! The data sets that scikit-learn's scores are for, and small random ones.

use labelwise::rng::Stream;
use labelwise::surrogate::Data;
use labelwise::{Classification, Matrix, Regression, Seed, Task};
use proptest::prelude::*;

use crate::images::{PIXELS, images};

/// Features and labels, of which the first rows train.
pub(crate) struct Split<T: Task> {
    pub(crate) train: Data<T>,
    pub(crate) test: Data<T>,
}

impl<T: Task> Split<T> {
    fn new(features: &[f64], labels: &[T::Label], columns: usize, train: usize) -> Self {
        let part = |features: &[f64], labels: &[T::Label]| {
            Data::new(Matrix::f64(features.to_vec(), columns).unwrap(), labels.to_vec()).unwrap()
        };
        let (features, labels) = (features.split_at(train * columns), labels.split_at(train));
        Self { train: part(features.0, labels.0), test: part(features.1, labels.1) }
    }
}

/// The fields of each line of a fixture.
pub(crate) fn lines(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    file.lines().skip(2).map(|line| line.split(',').collect())
}

/// A fixture of whole numbers over 65,536, but for the last column.
fn table(file: &'static str) -> (Vec<f64>, Vec<f64>) {
    let (mut features, mut last) = (Vec::new(), Vec::new());
    for line in lines(file) {
        let numbers: Vec<f64> = line.iter().map(|field| field.parse().unwrap()).collect();
        let (label, row) = numbers.split_last().unwrap();
        features.extend(row.iter().map(|number| number / 65_536.0));
        last.push(*label);
    }
    (features, last)
}

pub(crate) fn moons() -> Split<Classification> {
    let (features, labels) = table(include_str!("../fixtures/forest_moons.csv"));
    let labels: Vec<usize> = labels.iter().map(|label| *label as usize).collect();
    Split::new(&features, &labels, 2, 50)
}

pub(crate) fn digits() -> Split<Classification> {
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for line in lines(include_str!("../fixtures/forest_digits.csv")) {
        labels.push(line[0].parse().unwrap());
        features.extend(line[1].bytes().map(|letter| f64::from(letter - b'a')));
    }
    Split::new(&features, &labels, 64, 200)
}

pub(crate) fn pictures() -> Split<Classification> {
    let (features, labels) = images(2, 1250);
    Split::new(&features, &labels, PIXELS, 250)
}

pub(crate) fn friedman() -> Split<Regression> {
    let (features, values) = table(include_str!("../fixtures/forest_friedman.csv"));
    let values: Vec<f64> = values.iter().map(|value| value / 65_536.0).collect();
    Split::new(&features, &values, 8, 200)
}

/// The generator of a seed.
pub(crate) fn rng(seed: u64) -> labelwise::rng::ChaCha8Rng {
    Seed(seed).stream(Stream::Fit, 0)
}

/// All rows of a table.
pub(crate) fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    let mut reader = matrix.reader();
    (0..matrix.rows()).map(|row| reader.row(row).to_vec()).collect()
}

/// Classes of a few rows of one to four features, with many ties or with none.
pub(crate) fn small_data(classes: usize) -> impl Strategy<Value = Data<Classification>> {
    (1..5_usize, 1..60_usize, prop_oneof![Just(2.0), Just(1e9)]).prop_flat_map(
        move |(columns, rows, scale)| {
            let features = prop::collection::vec(-1.0..1.0_f64, columns * rows);
            let labels = prop::collection::vec(0..classes, rows);
            (features, labels).prop_map(move |(features, labels)| {
                let coarse: Vec<f64> = features.iter().map(|x| (x * scale).round() / scale).collect();
                Data::new(Matrix::f64(coarse, columns).unwrap(), labels).unwrap()
            })
        },
    )
}
