//! Data and settings that networks cannot be trained on: errors that name them, never panics.

#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]

use labelwise::Matrix;
use labelwise::surrogate::{Data, Learner};
use labelwise_deep::{Architecture, Error, Network, Optimiser, Rate, Training};

mod digits;

use digits::{digits, rng, shape, short};

fn network(training: Training) -> Network {
    Network::new(Architecture::small_cnn().width(0.125).unwrap(), shape(), training).unwrap()
}

#[test]
fn rows_of_another_shape() {
    let data = Data::new(Matrix::f32(vec![0.0; 4 * 63], 63).unwrap(), vec![0, 1, 0, 1]).unwrap();
    let refused = network(short(1)).train(&data, 2, &mut rng(1)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "rows of 63 numbers are not images of shape 1 x 8 x 8, which have 64 pixels"
    );
    let trained = network(short(1)).train(&digits(0..8), 10, &mut rng(1)).unwrap();
    assert!(matches!(trained.predict(&data.features), Err(Error::Pixels { .. })));
}

#[test]
fn numbers_that_are_not_finite() {
    let trained = network(short(1)).train(&digits(0..8), 10, &mut rng(1)).unwrap();
    // The last is finite in f64 and infinite in f32.
    for value in [f64::NAN, f64::INFINITY, 1e300] {
        let mut pixels = vec![0.0; 4 * 64];
        *pixels.get_mut(70).unwrap() = value;
        let features = Matrix::f64(pixels, 64).unwrap();
        let refused = trained.predict(&features).unwrap_err().to_string();
        assert!(refused.contains("item 1") && refused.contains("column 6"), "{refused}");
        let data = Data { features, labels: vec![0, 1, 0, 1] };
        let refused = network(short(1)).train(&data, 2, &mut rng(1)).unwrap_err();
        assert!(matches!(refused, Error::Core(labelwise::Error::NotFinite { item: 1, column: 6, .. })));
    }
}

#[test]
fn too_few_rows() {
    let empty = Data::new(Matrix::f32(Vec::new(), 64).unwrap(), Vec::new()).unwrap();
    let refused = network(short(1)).train(&empty, 10, &mut rng(1)).unwrap_err();
    assert!(matches!(refused, Error::TooFew { rows: 0, validation: 0 }), "{refused}");
    let refused = network(Training { validation: 8, ..short(1) }).train(&digits(0..8), 10, &mut rng(1));
    assert!(matches!(refused, Err(Error::TooFew { rows: 8, validation: 8 })));
    // A single image is enough to be trained on, and no row to predict is no error.
    let one = network(short(1)).train(&digits(0..1), 10, &mut rng(1)).unwrap();
    assert_eq!(one.predict(&empty.features).unwrap().rows(), 0);
}

#[test]
fn labels_and_classes_that_cannot_be() {
    let refused = network(short(1)).train(&digits(0..32), 9, &mut rng(1)).unwrap_err();
    assert!(
        matches!(refused, Error::Core(labelwise::Error::LabelOutOfRange { classes: 9, .. })),
        "{refused}"
    );
    assert!(matches!(network(short(1)).train(&digits(0..8), 1, &mut rng(1)), Err(Error::Setting { .. })));
    let uneven = Data { features: digits(0..8).features, labels: vec![0; 7] };
    let refused = network(short(1)).train(&uneven, 10, &mut rng(1)).unwrap_err();
    assert!(matches!(refused, Error::Core(labelwise::Error::TrainingRows { features: 8, labels: 7 })));
    assert!(network(short(1)).train_many(&uneven, 10, vec![rng(1)]).is_err());
}

#[test]
fn settings_out_of_range() {
    let wrong = [
        Training { epochs: 0, ..short(1) },
        Training { batch: 0, ..short(1) },
        Training { rate: Rate::Constant(0.0), ..short(1) },
        Training { rate: Rate::Cosine { from: f64::NAN }, ..short(1) },
        Training { rate: Rate::Steps { from: 0.1, after: vec![1], factor: -1.0 }, ..short(1) },
        Training { optimiser: Optimiser::Sgd { momentum: 1.0, nesterov: false }, ..short(1) },
        Training { rate: Rate::WarmCosine { peak: 0.1, warm: 1.0 }, ..short(1) },
        Training { weight_decay: -1e-4, ..short(1) },
        Training { patience: Some(0), validation: 5, ..short(1) },
        Training { patience: Some(3), validation: 0, ..short(1) },
    ];
    for training in wrong {
        let refused = Network::new(Architecture::small_cnn(), shape(), training.clone());
        assert!(matches!(refused, Err(Error::Setting { .. })), "{training:?}");
    }
}

#[test]
fn learners_tell_in_the_core_s_words() {
    let data = Data::new(Matrix::f32(vec![0.0; 63], 63).unwrap(), vec![0]).unwrap();
    let refused = network(short(1)).fit(&data, 2, &mut rng(1)).err().unwrap();
    assert!(refused.to_string().starts_with("the surrogate failed: rows of 63 numbers"), "{refused}");
    let refused = network(short(1)).fit(&digits(0..32), 9, &mut rng(1)).err().unwrap();
    assert!(matches!(refused, labelwise::Error::LabelOutOfRange { .. }), "{refused}");
}
