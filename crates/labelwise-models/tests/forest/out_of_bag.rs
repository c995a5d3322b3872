//! Out-of-bag beliefs come from the trees that did not see the row, and from no others.

use labelwise::surrogate::{Data, Model};
use labelwise::{Classification, Matrix};
use labelwise_models::{Bagging, Forest};
use rand_chacha::rand_core::Rng;

use crate::data::{digits, rng, rows};

/// Distinct rows with labels that mean nothing: whoever knows a label has seen it.
fn noise(count: usize) -> Data<Classification> {
    let features: Vec<f64> = (0..count * 2).map(|place| f64::from((place * 7919 % 10_007) as u32)).collect();
    let mut coins = rng(0);
    let labels = (0..count).map(|_| coins.next_u32() as usize % 2).collect();
    Data::new(Matrix::f64(features, 2).unwrap(), labels).unwrap()
}

#[test]
fn they_are_the_means_over_trees_that_did_not_see_the_row() {
    let data = digits().train;
    let forest = Forest::default().trees(12).classification(&data, 10, &mut rng(1)).unwrap();
    let trees: Vec<_> = forest.tree_beliefs(&data.features).unwrap().iter().map(rows).collect();
    assert_eq!(trees.len(), forest.trees());
    let frequencies: Vec<f64> = (0..10)
        .map(|class| data.labels.iter().filter(|label| **label == class).count() as f64 / 200.0)
        .collect();
    let mut always_seen = 0;
    for (row, belief) in rows(&forest.out_of_bag().unwrap()).into_iter().enumerate() {
        let unseen: Vec<_> =
            (0..12).filter(|tree| !forest.saw(*tree, row)).map(|tree| &trees[tree][row]).collect();
        always_seen += usize::from(unseen.is_empty());
        for class in 0..10 {
            let mean = unseen.iter().map(|belief| belief[class]).sum::<f64>() / unseen.len() as f64;
            let expected = if unseen.is_empty() { frequencies[class] } else { mean };
            assert!((belief[class] - expected).abs() < 1e-12, "row {row}: {belief:?}");
        }
    }
    // 200 rows and 12 trees: some 200 · 0.632¹² = 0.8 rows are in every bag; the test above meets both cases.
    assert!(always_seen < 10);
    let few = Forest::default().trees(1).classification(&data, 10, &mut rng(1)).unwrap();
    let seen = (0..200).find(|row| few.saw(0, *row)).unwrap();
    assert_eq!(rows(&few.out_of_bag().unwrap())[seen], frequencies);
}

#[test]
fn the_mean_of_the_trees_is_the_forest() {
    let data = digits();
    let forest = Forest::default().trees(12).classification(&data.train, 10, &mut rng(1)).unwrap();
    let trees: Vec<_> = forest.tree_beliefs(&data.test.features).unwrap().iter().map(rows).collect();
    for (row, belief) in rows(&forest.predict(&data.test.features).unwrap()).into_iter().enumerate() {
        for class in 0..10 {
            let mean = trees.iter().map(|tree| tree[row][class]).sum::<f64>() / 12.0;
            assert!((belief[class] - mean).abs() < 1e-12);
        }
    }
}

/// A tree remembers the rows that it saw, and is right by chance about the others. 3,000 rows and 10 trees give some
/// 11,000 unseen pairs, whose share of lucky guesses has a standard error below 0.02 even if the trees were one.
#[test]
fn trees_know_what_they_saw_and_nothing_else() {
    let data = noise(3000);
    let forest = Forest::default().trees(10).classification(&data, 2, &mut rng(4)).unwrap();
    let (mut seen, mut unseen, mut lucky) = (0, 0, 0);
    for (tree, beliefs) in forest.tree_beliefs(&data.features).unwrap().iter().map(rows).enumerate() {
        for (row, belief) in beliefs.into_iter().enumerate() {
            let known = belief[data.labels[row]] == 1.0;
            if forest.saw(tree, row) {
                seen += 1;
                assert!(known, "tree {tree} forgot row {row}");
            } else {
                unseen += 1;
                lucky += usize::from(known);
            }
        }
    }
    let share = f64::from(seen) / f64::from(seen + unseen);
    assert!((share - (1.0 - (-1_f64).exp())).abs() < 0.01, "{share} of the rows were seen");
    let luck = lucky as f64 / f64::from(unseen);
    assert!((luck - 0.5).abs() < 0.1, "{luck} of the unseen labels were known");
}

/// A bootstrap sample of n rows misses a given one with probability (1 − 1/n)ⁿ. Five standard deviations of 400 trees
/// for each of 20 rows: one false alarm in 80,000.
#[test]
fn every_row_is_seen_as_often() {
    let forest = Forest::default().trees(400).classification(&noise(20), 2, &mut rng(8)).unwrap();
    let chance = 1.0 - 0.95_f64.powi(20);
    for row in 0..20 {
        let seen = (0..400).filter(|tree| forest.saw(*tree, row)).count() as f64;
        let std_dev = (400.0 * chance * (1.0 - chance)).sqrt();
        assert!((seen - 400.0 * chance).abs() < 5.0 * std_dev, "{seen} of 400 trees saw row {row}");
    }
}

#[test]
fn without_bagging_there_are_none() {
    let data = noise(50);
    let forest = Forest::default().trees(3).bagging(Bagging::Off);
    let forest = forest.classification(&data, 2, &mut rng(4)).unwrap();
    assert!(forest.saw(0, 0));
    insta::assert_snapshot!(forest.out_of_bag().unwrap_err(), @"the surrogate failed: out-of-bag beliefs need trees that did not see every row: grow the forest with Bagging::Bootstrap");
}
