//! Handwritten digits of 8 x 8 pixels, which the repository has, as images.

#![allow(dead_code, reason = "not every test needs all of it")]

use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::Data;
use labelwise::{Classification, Matrix, Seed};
use labelwise_deep::{Shape, Training};

pub(crate) fn shape() -> Shape {
    Shape::new(1, 8, 8).unwrap()
}

/// Rows of digits from the first, standardised by eye.
pub(crate) fn digits(rows: std::ops::Range<usize>) -> Data<Classification> {
    let text = include_str!("../../../labelwise-models/tests/fixtures/logistic_digits.csv");
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for line in text.lines().skip(2).skip(rows.start).take(rows.len()) {
        let mut fields = line.split(',').skip(1).map(|field| field.parse::<f32>().unwrap());
        labels.push(fields.next().unwrap() as usize);
        pixels.extend(fields.map(|pixel| (pixel - 5.0) / 6.0));
    }
    assert_eq!(labels.len(), rows.len());
    Data::new(Matrix::f32(pixels, 64).unwrap(), labels).unwrap()
}

/// The same digits, each pixel four times, as the larger windows of a radial network need them.
pub(crate) fn enlarged(data: &Data<Classification>) -> (Data<Classification>, Shape) {
    let mut reader = data.features.reader();
    let mut pixels = Vec::new();
    for row in 0..data.labels.len() {
        let image = reader.row(row);
        pixels.extend((0..256).map(|place| image[place / 32 * 8 + place % 16 / 2] as f32));
    }
    let features = Matrix::f32(pixels, 256).unwrap();
    (Data::new(features, data.labels.clone()).unwrap(), Shape::new(1, 16, 16).unwrap())
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    Seed(seed).stream(Stream::Fit, 0)
}

/// Short training on all rows.
pub(crate) fn short(epochs: usize) -> Training {
    Training { epochs, batch: 16, validation: 0, patience: None, ..Training::resnet() }
}

pub(crate) fn table(matrix: &Matrix) -> Vec<f64> {
    let mut reader = matrix.reader();
    (0..matrix.rows()).flat_map(|row| reader.row(row).to_vec()).collect()
}

/// The share of rows whose likeliest class is the label.
pub(crate) fn accuracy(probabilities: &Matrix, labels: &[usize]) -> f64 {
    let mut reader = probabilities.reader();
    let right = labels.iter().enumerate().filter(|&(row, &label)| {
        let row = reader.row(row);
        row.iter().enumerate().all(|(class, &p)| class == label || p < row[label])
    });
    right.count() as f64 / labels.len() as f64
}
