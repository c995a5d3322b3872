//! What holds for every forest.

use labelwise::surrogate::{Data, Learner, Model};
use labelwise::{Classification, Matrix, Regression};
use labelwise_models::{Bagging, Criterion, Forest, MaxFeatures, Splitter};
use proptest::prelude::*;

use crate::data::{digits, friedman, moons, pictures, rng, rows, small_data};

fn predict(forest: &Forest, data: &Data<Classification>, classes: usize, at: &Matrix) -> Vec<Vec<f64>> {
    rows(&forest.classification(data, classes, &mut rng(5)).unwrap().predict(at).unwrap())
}

fn any_forest() -> impl Strategy<Value = Forest> {
    let criteria = prop_oneof![Just(Criterion::Gini), Just(Criterion::Entropy)];
    let splitters = prop_oneof![Just(Splitter::Best), Just(Splitter::Random)];
    let bags = prop_oneof![Just(Bagging::Bootstrap), Just(Bagging::Off)];
    let features = prop_oneof![
        Just(MaxFeatures::Sqrt),
        Just(MaxFeatures::All),
        (0.01..=1.0).prop_map(MaxFeatures::Fraction)
    ];
    (criteria, splitters, bags, features, 1..8_usize, 2..6_usize, 1..4_usize).prop_map(
        |(criterion, splitter, bagging, features, depth, split, leaf)| {
            let forest = Forest::default().trees(7).criterion(criterion).splitter(splitter).bagging(bagging);
            forest.max_features(features).max_depth(depth).min_samples_split(split).min_samples_leaf(leaf)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn beliefs_are_probabilities(forest in any_forest(), data in small_data(4)) {
        let absent = 4;
        for belief in predict(&forest, &data, 5, &data.features) {
            prop_assert_eq!(belief.len(), 5);
            prop_assert!(belief.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", belief);
            prop_assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{:?}", belief);
            prop_assert_eq!(belief[absent], 0.0);
        }
    }

    /// Only the order of values matters to rows that a tree saw. Others fall on either side of a midpoint, which a
    /// doubling keeps exactly.
    #[test]
    fn monotone_transformations_change_nothing(data in small_data(3), shift in -2.0..2.0_f64) {
        let forest = Forest::default().trees(9);
        let columns = data.features.columns();
        let bent = |bend: &dyn Fn(f64) -> f64| {
            let values: Vec<f64> = rows(&data.features).concat().into_iter().map(bend).collect();
            Data::<Classification>::new(Matrix::f64(values, columns).unwrap(), data.labels.clone()).unwrap()
        };
        let whole = forest.clone().bagging(Bagging::Off);
        let straight = predict(&whole, &data, 3, &data.features);
        let cubed = bent(&|x| (x + shift).powi(3) + 100.0 * x);
        prop_assert_eq!(straight, predict(&whole, &cubed, 3, &cubed.features));
        let doubled = bent(&|x| 2.0 * x);
        let between: Vec<f64> = rows(&data.features).concat().iter().map(|x| x + 0.01).collect();
        let doubly: Vec<f64> = between.iter().map(|x| 2.0 * x).collect();
        prop_assert_eq!(
            predict(&forest, &data, 3, &Matrix::f64(between, columns).unwrap()),
            predict(&forest, &doubled, 3, &Matrix::f64(doubly, columns).unwrap())
        );
    }

    /// A full tree on all rows has learnt every row that no other row contradicts.
    #[test]
    fn full_trees_remember(data in small_data(3), splitter in prop_oneof![Just(Splitter::Best), Just(Splitter::Random)]) {
        let forest = Forest::default().trees(3).bagging(Bagging::Off).splitter(splitter);
        let features = rows(&data.features);
        for ((belief, row), &label) in predict(&forest, &data, 3, &data.features).iter().zip(&features).zip(&data.labels) {
            let mut alike = features.iter().zip(&data.labels).filter(|(other, _)| *other == row);
            if alike.all(|(_, other)| *other == label) {
                prop_assert_eq!(belief[label], 1.0);
            }
        }
    }
}

#[test]
fn one_class_alone_is_certain() {
    let features = Matrix::f64((0..30).map(|x| f64::from(x % 7)).collect::<Vec<_>>(), 2).unwrap();
    let data = Data::new(features, vec![2; 15]).unwrap();
    for belief in predict(&Forest::default(), &data, 4, &data.features) {
        assert_eq!(belief, [0.0, 0.0, 1.0, 0.0]);
    }
}

#[test]
fn one_row_and_constant_features_give_the_frequencies() {
    let data = Data::new(Matrix::f64(vec![1.0, 2.0], 2).unwrap(), vec![1]).unwrap();
    assert_eq!(predict(&Forest::default(), &data, 2, &data.features), [[0.0, 1.0]]);
    let data = Data::new(Matrix::f64(vec![1.0; 8], 2).unwrap(), vec![1, 0, 1, 1]).unwrap();
    let forest = Forest::default().bagging(Bagging::Off);
    assert_eq!(predict(&forest, &data, 2, &data.features)[0], [0.25, 0.75]);
}

/// Rows in blocks, alone or in 32 bits meet the same trees.
#[test]
fn rows_are_predicted_one_by_one_as_together() {
    let data = pictures();
    let forest = Forest::default().trees(20).classification(&data.train, 10, &mut rng(3)).unwrap();
    let together = rows(&forest.predict(&data.test.features).unwrap());
    let pixels = rows(&data.test.features);
    for item in [0, 7, 8, 41, 999] {
        let alone = Matrix::f64(pixels[item].clone(), 784).unwrap();
        assert_eq!(rows(&forest.predict(&alone).unwrap())[0], together[item]);
    }
    let narrow: Vec<f32> = pixels.concat().iter().map(|x| *x as f32).collect();
    assert_eq!(rows(&forest.predict(&Matrix::f32(narrow, 784).unwrap()).unwrap()), together);
    assert!(rows(&forest.predict(&Matrix::f64(Vec::new(), 784).unwrap()).unwrap()).is_empty());
}

/// Few distinct values, many, and more than fit into two bytes take different paths, to the same trees.
#[test]
fn columns_of_all_widths_learn_alike() {
    let rows = 70_000;
    for distinct in [200, 256, 257, 65_536, 65_537, 70_000] {
        let x: Vec<f64> = (0..rows).map(|row| f64::from(row * 7919 % rows % distinct)).collect();
        let labels = x.iter().map(|x| usize::from(*x >= 99.5)).collect();
        let data = Data::new(Matrix::f64(x, 1).unwrap(), labels).unwrap();
        let forest = Forest::default().trees(2).bagging(Bagging::Off);
        let at = Matrix::f64(vec![99.49, 99.51], 1).unwrap();
        assert_eq!(predict(&forest, &data, 2, &at), [[1.0, 0.0], [0.0, 1.0]]);
        let beliefs = predict(&forest, &data, 2, &data.features);
        assert!(beliefs.iter().zip(&data.labels).all(|(belief, label)| belief[*label] == 1.0));
    }
}

#[test]
fn equal_seeds_give_equal_forests_on_any_number_of_threads() {
    let (classes, values) = (digits(), friedman());
    let run = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let forest = Forest::default().trees(30);
            let mut generator = rng(seed);
            let fitted = forest.classification(&classes.train, 10, &mut generator).unwrap();
            let values_fitted = forest.regression(&values.train, &mut generator).unwrap();
            let beliefs = fitted.predict(&classes.test.features).unwrap();
            (rows(&beliefs), rows(&values_fitted.predict(&values.test.features).unwrap()))
        })
    };
    let one = run(1, 9);
    assert_eq!(one, run(1, 9));
    assert_eq!(one, run(3, 9));
    assert_ne!(one, run(1, 10));
}

/// A literal prediction: whoever changes it changes results, and says so in the changelog.
#[test]
fn values_are_stable() {
    let data = moons();
    let forest = Forest::default().classification(&data.train, 2, &mut rng(1)).unwrap();
    let beliefs = rows(&forest.predict(&data.test.features).unwrap());
    let unsure: Vec<f64> =
        beliefs.iter().map(|belief| belief[1]).filter(|p| (0.3..0.7).contains(p)).take(6).collect();
    assert_eq!(unsure, [0.42, 0.4, 0.66, 0.62, 0.69, 0.57]);
}

#[test]
fn as_learners_they_fit_into_models() {
    let data = moons();
    let learner: Box<dyn Learner<Classification>> = Box::new(Forest::default().trees(5));
    let model = learner.fit(&data.train, 2, &mut rng(1)).unwrap();
    assert_eq!(model.predict(&data.test.features).unwrap().columns(), 2);
    assert!(model.members(&data.test.features).unwrap().is_empty());
    let data = friedman();
    let learner: Box<dyn Learner<Regression>> = Box::new(Forest::default().trees(5));
    let model = learner.fit(&data.train, 1, &mut rng(1)).unwrap();
    assert_eq!(model.predict(&data.test.features).unwrap().columns(), 3);
}

/// Far from zero the variances are as near to it, and labels that are equal have none.
#[test]
fn values_may_be_far_from_zero() {
    let data = friedman();
    let moved = data.train.labels.iter().map(|label| label + 2_f64.powi(40)).collect();
    let moved = Data::<Regression>::new(data.train.features.clone(), moved).unwrap();
    let forest = Forest::default().trees(30).min_samples_leaf(5);
    let run = |data: &Data<Regression>| {
        rows(&forest.regression(data, &mut rng(2)).unwrap().predict(&data.features).unwrap())
    };
    for (near, far) in run(&data.train).into_iter().zip(run(&moved)) {
        assert!((near[0] + 2_f64.powi(40) - far[0]).abs() < 1e-2, "{near:?} {far:?}");
        assert!((near[1] - far[1]).abs() < 1e-2 && (near[2] - far[2]).abs() < 1e-2, "{near:?} {far:?}");
    }
    let equal = Data::<Regression>::new(data.train.features.clone(), vec![0.1; 200]).unwrap();
    for belief in run(&equal) {
        assert!((belief[0] - 0.1).abs() < 1e-15 && belief[1] < 1e-30 && belief[2] < 1e-30, "{belief:?}");
    }
}
