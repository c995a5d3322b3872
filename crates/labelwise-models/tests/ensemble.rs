//! Ensembles: what their members are fitted with and to, how beliefs are made of the members', and what they refuse.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::sync::{Arc, Mutex};

use labelwise::acquisition::MutualInformation;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::surrogate::{Data, Learner, Model, Retrained, Schedule};
use labelwise::{
    Classification, CrossEntropy, Error, Evaluation, Matrix, Pool, Regression, Result, Seed, Task,
};
use labelwise_models::{Ensemble, LinearRegression, LogisticRegression};
use proptest::prelude::*;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Believes the same of every row: what the closure makes of the data and the random numbers. More than three numbers
/// are more rows than there should be.
struct Say<F>(F);

struct Said(Vec<f64>);

impl<T: Task, F: Fn(&Data<T>, &mut ChaCha8Rng) -> Result<Vec<f64>> + Send + Sync> Learner<T> for Say<F> {
    fn fit(&self, data: &Data<T>, _columns: usize, rng: &mut ChaCha8Rng) -> Result<Box<dyn Model<T>>> {
        Ok(Box::new(Said((self.0)(data, rng)?)))
    }
}

impl<T: Task> Model<T> for Said {
    fn predict(&self, features: &Matrix) -> Result<Matrix> {
        Matrix::f64(self.0.repeat(features.rows()), self.0.len().min(3))
    }
}

fn regression(rows: usize) -> Data<Regression> {
    let features = (0..rows).flat_map(|i| [i as f64, ((i * 7) % 5) as f64]).collect::<Vec<_>>();
    let labels = (0..rows).map(|i| ((i * 13) % 11) as f64).collect();
    Data::new(Matrix::f64(features, 2).unwrap(), labels).unwrap()
}

fn classification(rows: usize) -> Data<Classification> {
    let labels = (0..rows).map(|i| (i * 13) % 11 % 3).collect();
    Data::new(regression(rows).features, labels).unwrap()
}

fn fit<T: Task>(learner: &impl Learner<T>, data: &Data<T>, seed: u64) -> Box<dyn Model<T>> {
    learner.fit(data, 3, &mut Seed(seed).stream(Stream::Fit, 0)).unwrap()
}

fn table(matrix: &Matrix) -> Vec<Vec<f64>> {
    let mut reader = matrix.reader();
    (0..matrix.rows()).map(|item| reader.row(item).to_vec()).collect()
}

fn beliefs<T: Task>(model: &dyn Model<T>, features: &Matrix) -> Vec<Vec<f64>> {
    table(&model.predict(features).unwrap())
}

/// A random number from 0 to 1 as the probability of class 1, and none of class 2.
fn coin(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let p = f64::from(rng.next_u32()) / f64::from(u32::MAX);
    vec![1.0 - p, p, 0.0]
}

#[test]
fn one_member_is_that_member() {
    fn compare<T: Task, L: Learner<T>>(learner: L, data: &Data<T>)
    where
        Ensemble<L>: Learner<T>,
    {
        // The generator that the one member is given is seeded from the ensemble's.
        let mut seeded = ChaCha8Rng::from_rng(&mut Seed(1).stream(Stream::Fit, 0));
        let alone = beliefs(&*learner.fit(data, 3, &mut seeded).unwrap(), &data.features);
        let ensemble = fit(&Ensemble::new(learner, 1).unwrap(), data, 1);
        assert_eq!(beliefs(&*ensemble, &data.features), alone);
    }
    compare(LogisticRegression::default(), &classification(20));
    compare(LinearRegression::default(), &regression(20));
    compare(Say(|_: &Data<Classification>, rng: &mut ChaCha8Rng| Ok(coin(rng))), &classification(20));
}

#[test]
fn the_belief_is_the_mean_of_the_members_which_are_kept() {
    let data = classification(4);
    let random = || Say(|_: &Data<Classification>, rng: &mut ChaCha8Rng| Ok(coin(rng)));
    let model = fit(&Ensemble::new(random(), 7).unwrap(), &data, 3);
    let members: Vec<_> = model.members(&data.features).unwrap().iter().map(table).collect();
    assert_eq!(members.len(), 7);
    let mut rng = Seed(3).stream(Stream::Fit, 0);
    for member in &members {
        assert_eq!(*member, vec![coin(&mut ChaCha8Rng::from_rng(&mut rng)); 4]);
    }
    for (item, row) in beliefs(&*model, &data.features).iter().enumerate() {
        for (class, belief) in row.iter().enumerate() {
            let mean = members.iter().map(|member| member[item][class]).sum::<f64>() / 7.0;
            assert!((belief - mean).abs() < 1e-15);
        }
    }
    // A single model has no members.
    assert!(fit(&random(), &data, 3).members(&data.features).unwrap().is_empty());
}

/// Members that take turns to say these rows, by the order of their seeds.
fn in_turn<T: Task>(rows: &[Vec<f64>], seed: u64) -> impl Learner<T> + use<T> {
    let mut rng = Seed(seed).stream(Stream::Fit, 0);
    let rows: Vec<_> =
        rows.iter().map(|row| (ChaCha8Rng::from_rng(&mut rng).next_u64(), row.clone())).collect();
    Say(move |_: &Data<T>, rng: &mut ChaCha8Rng| {
        let own = rng.next_u64();
        Ok(rows.iter().find(|row| row.0 == own).unwrap().1.clone())
    })
}

#[test]
fn variances_follow_the_law_of_total_variance() {
    let data = regression(2);
    // Mean 2, variance of the means (1 + 0 + 1) / 3; a variance that is not split is aleatoric.
    let three = [vec![1.0, 0.5, 0.1], vec![2.0, 1.0, 0.3], vec![3.0, 1.5, 0.2]];
    let two = three.clone().map(|row| row[..2].to_vec());
    for (rows, own) in [(three, 0.2), (two, 0.0)] {
        let model = fit(&Ensemble::new(in_turn(&rows, 5), 3).unwrap(), &data, 5);
        for (found, expected) in beliefs(&*model, &data.features)[1].iter().zip([2.0, 1.0, own + 2.0 / 3.0]) {
            assert!((found - expected).abs() < 1e-15, "{found}, not {expected}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_on_any_number_of_threads() {
    let (numbers, classes) = (regression(60), classification(60));
    let run = |seed: u64, threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let curves = Ensemble::new(LogisticRegression::default(), 9).unwrap().bootstrap();
            let lines = Ensemble::new(LinearRegression::default(), 9).unwrap().bootstrap();
            let model = fit(&curves, &classes, seed);
            let members: Vec<_> = model.members(&classes.features).unwrap().iter().map(table).collect();
            (
                members,
                beliefs(&*model, &classes.features),
                beliefs(&*fit(&lines, &numbers, seed), &numbers.features),
            )
        })
    };
    let expected = run(1, 1);
    assert_eq!(run(1, 1), expected);
    assert_eq!(run(1, 3), expected);
    assert_ne!(run(2, 1).1, expected.1);
    assert_ne!(run(2, 1).2, expected.2);
    assert!((1..9).all(|k| expected.0[k] != expected.0[0]), "resamples differ");
    // The next fit with the same generator has other members.
    let learner = Ensemble::new(LogisticRegression::default(), 2).unwrap().bootstrap();
    let mut rng = Seed(1).stream(Stream::Fit, 0);
    let [first, second] = [(); 2].map(|()| learner.fit(&classes, 3, &mut rng).unwrap());
    assert_ne!(beliefs(&*first, &classes.features), beliefs(&*second, &classes.features));
}

#[test]
fn resamples_are_drawn_with_replacement_and_keep_rows_whole() {
    let data = regression(1000);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let listener = Say(move |data: &Data<Regression>, _: &mut ChaCha8Rng| {
        note.lock()
            .unwrap()
            .push(table(&data.features).into_iter().zip(data.labels.clone()).collect::<Vec<_>>());
        Ok(vec![0.0, 1.0])
    });
    fit(&Ensemble::new(listener, 20).unwrap().bootstrap(), &data, 11);
    let (originals, seen) = (table(&data.features), seen.lock().unwrap());
    let mut counts = vec![0.0; 1000];
    for resample in seen.iter() {
        assert_eq!(resample.len(), 1000);
        let mut own = [false; 1000];
        for (row, label) in resample {
            let item = row[0] as usize;
            assert_eq!((row, *label), (&originals[item], data.labels[item]));
            counts[item] += 1.0;
            own[item] = true;
        }
        // 632 rows are expected, with a standard deviation of 10: one seed in 100,000 fails here or below.
        let distinct = own.iter().filter(|&&seen| seen).count();
        assert!((580..=684).contains(&distinct), "{distinct}");
    }
    // Chi-square with 999 degrees of freedom: mean 999, standard deviation 45.
    let chi_square: f64 = counts.iter().map(|count| (count - 20.0_f64).powi(2) / 20.0).sum();
    assert!((774.0..1224.0).contains(&chi_square), "{chi_square}");
}

#[test]
fn a_resample_that_lacks_a_class_keeps_its_column() {
    // Two of 30 rows have class 2: most resamples of 40 have it, some lack it.
    let mut data = classification(30);
    data.labels = (0..30).map(|i| if i >= 28 { 2 } else { i % 2 }).collect();
    let model = fit(&Ensemble::new(LogisticRegression::default(), 40).unwrap().bootstrap(), &data, 2);
    let members: Vec<_> = model.members(&data.features).unwrap().iter().map(table).collect();
    let lacking = members.iter().filter(|member| member.iter().all(|row| row[2] == 0.0)).count();
    assert!((1..20).contains(&lacking), "{lacking}");
    assert!(beliefs(&*model, &data.features).iter().all(|row| row[2] > 0.0 && row.len() == 3));
}

#[test]
fn mutual_information_works_on_an_ensemble_that_is_retrained() {
    let data = classification(60);
    let predictions = beliefs(&*fit(&LogisticRegression::default(), &data, 0), &data.features).concat();
    let pool = Pool::classification(Matrix::f64(predictions, 3).unwrap()).unwrap();
    let pool = pool.with_features(data.features.clone()).unwrap();
    let learner = Ensemble::new(LogisticRegression::default(), 5).unwrap().bootstrap();
    let surrogate = Retrained::new(learner, classification(12)).schedule(Schedule::Every(4));
    let mut evaluation = Evaluation::builder(pool, CrossEntropy::default(), surrogate)
        .acquisition(MutualInformation)
        .seed(Seed(4))
        .build()
        .unwrap();
    for _ in 0..12 {
        let draw = evaluation.ask().unwrap();
        evaluation.tell(draw.index, data.labels[draw.index]).unwrap();
    }
    assert!(evaluation.estimate(&labelwise::Lure).unwrap().value > 0.0);
}

#[test]
fn bad_input_is_named_with_the_way_out() {
    insta::assert_snapshot!(Ensemble::new(LinearRegression::default(), 0).unwrap_err(), @"the number of members is 0, but must be at least 1");
    let data = regression(3);
    let refused = |learner: &dyn Learner<Regression>, data: &Data<Regression>| {
        learner.fit(data, 1, &mut Seed(5).stream(Stream::Fit, 0)).map(|_| ()).unwrap_err().to_string()
    };
    let lines = Ensemble::new(LinearRegression::default(), 3).unwrap();
    insta::assert_snapshot!(refused(&lines, &data), @"linear regression without a ridge needs at least 4 labels, but there are 3");
    let empty = Data { features: Matrix::f64(vec![], 2).unwrap(), labels: vec![] };
    insta::assert_snapshot!(refused(&lines.clone().bootstrap(), &empty), @"linear regression without a ridge needs at least 4 labels, but there are 0");
    let ragged = Data { features: regression(3).features, labels: vec![1.0, 2.0] };
    insta::assert_snapshot!(refused(&lines.bootstrap(), &ragged), @"there are 3 rows of training features and 2 training labels: give one label per row");
    // Of several that fail, the first member is heard.
    let failing = |_: &Data<Regression>, rng: &mut ChaCha8Rng| -> Result<Vec<f64>> {
        Err(Error::Surrogate(format!("my seed began with {}", rng.next_u64())))
    };
    let first = ChaCha8Rng::from_rng(&mut Seed(5).stream(Stream::Fit, 0)).next_u64();
    let heard = refused(&Ensemble::new(Say(failing), 8).unwrap(), &data);
    assert!(heard.ends_with(&format!("my seed began with {first}")), "{heard}");
}

#[test]
fn members_that_are_wrong_are_named() {
    let data = regression(3);
    let predict = |rows: &[Vec<f64>]| {
        let model = fit(&Ensemble::new(in_turn(rows, 5), rows.len()).unwrap(), &data, 5);
        model.predict(&data.features).unwrap_err().to_string()
    };
    insta::assert_snapshot!(predict(&[vec![1.0, 1.0], vec![f64::NAN, 1.0]]), @"a member's predictions of item 0: column 0 is NaN, but must be a finite number; drop the item or correct the value");
    insta::assert_snapshot!(predict(&[vec![1.0, 1.0], vec![1.0, -1.0]]), @"a member's predictions of item 0: the variance is -1, but cannot be negative");
    insta::assert_snapshot!(predict(&[vec![1.0, 1.0], vec![1.0]]), @"beliefs: 1 columns, but the table needs 2 (mean, variance) or 3 (mean, aleatoric and epistemic variance)");
    insta::assert_snapshot!(predict(&[vec![1.0; 3], vec![1.0; 6]]), @"a member's predictions: 6 rows, but the pool has 3 items; give one row per item, in the pool's order");
    // Members of different numbers of classes.
    let uneven = in_turn::<Classification>(&[vec![1.0, 0.0], vec![1.0, 0.0, 0.0]], 5);
    let model = fit(&Ensemble::new(uneven, 2).unwrap(), &classification(3), 5);
    insta::assert_snapshot!(model.predict(&data.features).unwrap_err(), @"beliefs: 3 columns, but the table needs 2 (one per class of the predictions)");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Probabilities sum to one, and stay between those of the members.
    #[test]
    fn beliefs_are_between_the_members(seed in any::<u64>(), members in 1_usize..6, rows in 5_usize..30) {
        let data = classification(rows);
        let model = fit(&Ensemble::new(LogisticRegression::default(), members).unwrap().bootstrap(), &data, seed);
        let each: Vec<_> = model.members(&data.features).unwrap().iter().map(table).collect();
        for (item, row) in beliefs(&*model, &data.features).iter().enumerate() {
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (class, belief) in row.iter().enumerate() {
                let own = each.iter().map(|member| member[item][class]);
                let (low, high) = own.fold((1.0_f64, 0.0_f64), |(low, high), p| (low.min(p), high.max(p)));
                prop_assert!((low - 1e-15..=high + 1e-15).contains(belief));
            }
        }
    }

    /// Total variance = mean of total variances + variance of means, whatever the members say.
    #[test]
    fn total_variance_adds_up(
        rows in prop::collection::vec((-10.0..10.0, 0.0..5.0, 0.0..5.0), 1..8), seed in any::<u64>()
    ) {
        let rows: Vec<Vec<f64>> = rows.into_iter().map(|(m, a, e)| vec![m, a, e]).collect();
        let data = regression(1);
        let model = fit(&Ensemble::new(in_turn(&rows, seed), rows.len()).unwrap(), &data, seed);
        let found = &beliefs(&*model, &data.features)[0];
        let count = rows.len() as f64;
        // E[y²] of the mixture, less the square of its mean.
        let second = rows.iter().map(|row| row[0] * row[0] + row[1] + row[2]).sum::<f64>() / count;
        let total = second - (rows.iter().map(|row| row[0]).sum::<f64>() / count).powi(2);
        prop_assert!((found[1] + found[2] - total).abs() < 1e-11, "{found:?} {total}");
    }
}
