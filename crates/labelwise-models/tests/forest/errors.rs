//! What a forest refuses, and in which words.

use labelwise::surrogate::{Data, Model};
use labelwise::{Classification, Matrix, Regression};
use labelwise_models::{Forest, MaxFeatures};

use crate::data::rng;

fn data(features: Vec<f64>, labels: Vec<usize>) -> Data<Classification> {
    // Not by Data::new, which checks on its own: whoever writes the fields meets the forest's checks.
    Data { features: Matrix::f64(features, 2).unwrap(), labels }
}

fn refusal(forest: &Forest, data: &Data<Classification>, classes: usize) -> String {
    forest.classification(data, classes, &mut rng(1)).unwrap_err().to_string()
}

#[test]
fn bad_data_are_named() {
    let forest = Forest::default();
    let mut refusals = vec![
        refusal(&forest, &data(vec![], vec![]), 2),
        refusal(&forest, &data(vec![1.0, 2.0], vec![0, 1]), 2),
        refusal(&forest, &data(vec![1.0, 2.0, 3.0, f64::NAN], vec![0, 1]), 2),
        refusal(&forest, &data(vec![f64::INFINITY, 2.0], vec![0]), 2),
        refusal(&forest, &data(vec![1.0, 2.0, 3.0, 4.0], vec![0, 2]), 2),
        refusal(&forest, &data(vec![1.0, 2.0], vec![0]), 0),
        refusal(&forest, &data(vec![1.0, 2.0], vec![0]), 100_000),
    ];
    let values = |labels: Vec<f64>, features: Vec<f64>| {
        let data = Data::<Regression> { features: Matrix::f64(features, 1).unwrap(), labels };
        forest.regression(&data, &mut rng(1)).unwrap_err().to_string()
    };
    refusals.push(values(vec![1.0, f64::NAN], vec![1.0, 2.0]));
    refusals.push(values(vec![1.0], vec![f64::NAN]));
    refusals.push(values(vec![], vec![]));
    insta::assert_snapshot!(refusals.join("\n"), @r"
    the surrogate failed: a forest needs training rows: give at least one labelled row
    there are 1 rows of training features and 2 training labels: give one label per row
    training features of item 1: column 1 is NaN, but must be a finite number; drop the item or correct the value
    training features of item 0: column 0 is inf, but must be a finite number; drop the item or correct the value
    label 2 of item 1 is not one of the 2 classes: give a number from 0 to 1
    the forest's probabilities: 0 columns, but the table needs 2 to 65536 (one per class)
    the forest's probabilities: 100000 columns, but the table needs 2 to 65536 (one per class)
    the label of item 1 is NaN: give a finite number
    training features of item 0: column 0 is NaN, but must be a finite number; drop the item or correct the value
    the surrogate failed: a forest needs training rows: give at least one labelled row
    ");
}

#[test]
fn bad_options_are_named() {
    let data = data(vec![1.0, 2.0, 3.0, 4.0], vec![0, 1]);
    let of = |forest: Forest| refusal(&forest, &data, 2);
    let refusals = [
        of(Forest::default().trees(0)),
        of(Forest::default().max_depth(0)),
        of(Forest::default().min_samples_split(1)),
        of(Forest::default().min_samples_leaf(0)),
        of(Forest::default().max_features(MaxFeatures::Fraction(0.0))),
        of(Forest::default().max_features(MaxFeatures::Fraction(1.5))),
        of(Forest::default().max_features(MaxFeatures::Fraction(f64::NAN))),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r"
    the number of trees is 0, but must be at least 1
    max_depth is 0, but must be at least 1
    min_samples_split is 1, but must be at least 2
    min_samples_leaf is 0, but must be at least 1
    the fraction of features a split is chosen from is 0, but must be above 0 and at most 1
    the fraction of features a split is chosen from is 1.5, but must be above 0 and at most 1
    the fraction of features a split is chosen from is NaN, but must be above 0 and at most 1
    ");
}

#[test]
fn bad_rows_to_predict_are_named() {
    let forest = Forest::default().trees(3);
    let fitted = forest.classification(&data(vec![1.0, 2.0, 3.0, 4.0], vec![0, 1]), 2, &mut rng(1)).unwrap();
    let of = |features: Vec<f64>, columns| {
        fitted.predict(&Matrix::f64(features, columns).unwrap()).unwrap_err().to_string()
    };
    let refusals = [of(vec![1.0, 2.0, 3.0], 3), of(vec![1.0, 2.0, 3.0, f64::NAN], 2)];
    insta::assert_snapshot!(refusals.join("\n"), @r"
    features: 3 columns, but the table needs 2 (as in the training rows)
    features of item 1: column 1 is NaN, but must be a finite number; drop the item or correct the value
    ");
    assert!(fitted.tree_beliefs(&Matrix::f64(vec![1.0], 1).unwrap()).is_err());
}
