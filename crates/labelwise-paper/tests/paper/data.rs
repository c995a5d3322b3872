//! The paper's synthetic data: their laws, and how they are split.

use std::f64::consts::PI;

use labelwise::{Matrix, Seed, Task};
use labelwise_paper::data::{Function, Moons, Split};

const FUNCTIONS: [Function; 3] = [Function::GaussianProcess, Function::Quadratic, Function::Sinusoid];
const POINTS: usize = 50;
const TRAIN: usize = 5;

fn rows(features: &Matrix) -> Vec<Vec<f64>> {
    let mut reader = features.reader();
    (0..features.rows()).map(|row| reader.row(row).to_vec()).collect()
}

/// The first feature of each row.
fn places(features: &Matrix) -> Vec<f64> {
    rows(features).into_iter().map(|row| row[0]).collect()
}

/// x and y of all points, train and test together, in the order of x.
fn all(split: &Split<labelwise::Regression>) -> Vec<(f64, f64)> {
    let features = [places(&split.train.features), places(&split.features)].concat();
    let labels = [split.train.labels.as_slice(), &split.labels].concat();
    let mut all: Vec<(f64, f64)> = features.into_iter().zip(labels).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all
}

/// Where a function's points lie.
fn grid(function: Function) -> Vec<f64> {
    let evenly = |from: f64, to: f64, count: u32| {
        (0..count).map(move |place| from + (to - from) * f64::from(place) / f64::from(count - 1))
    };
    match function {
        Function::Sinusoid => evenly(0.0, 0.99, 5).chain(evenly(1.0, 2.0, 45)).collect(),
        Function::GaussianProcess | Function::Quadratic => evenly(0.0, 1.0, 50).collect(),
    }
}

fn assert_close(value: f64, expected: f64, what: &str) {
    assert!((value - expected).abs() < 1e-12, "{what}: {value}, not {expected}");
}

/// A mean of so many standard errors from what it should be at most.
fn assert_within(errors: f64, value: f64, expected: f64, error: f64, what: &str) {
    let off = (value - expected) / error;
    assert!(off.abs() < errors, "{what}: {value} is {off:.1} standard errors from {expected}");
}

#[test]
fn every_point_is_in_train_or_in_test_once() {
    for function in FUNCTIONS {
        for seed in 0..200 {
            let split = function.split(POINTS, TRAIN, Seed(seed)).unwrap();
            assert_eq!(split.train.labels.len(), TRAIN);
            assert_eq!((split.train.features.rows(), split.train.features.columns()), (TRAIN, 1));
            assert_eq!(split.labels.len(), POINTS - TRAIN);
            assert_eq!((split.features.rows(), split.features.columns()), (POINTS - TRAIN, 1));
            let all = all(&split);
            for ((x, _), expected) in all.iter().zip(grid(function)) {
                assert_close(*x, expected, &format!("x of {function:?}, seed {seed}"));
            }
            let tested = places(&split.features);
            assert!(tested.is_sorted(), "test points of {function:?} lie in the order of x");
        }
    }
}

#[test]
fn labels_are_the_function_s() {
    let mean = grid(Function::Quadratic).iter().map(|x| x * x).sum::<f64>() / POINTS as f64;
    for seed in 0..20 {
        let quadratic = all(&Function::Quadratic.split(POINTS, TRAIN, Seed(seed)).unwrap());
        assert_close(quadratic.iter().map(|(_, y)| y).sum(), 0.0, "the sum of the quadratic's labels");
        for (x, y) in quadratic {
            assert_close(y, x * x - mean, "the quadratic");
        }
        for (x, y) in all(&Function::Sinusoid.split(POINTS, TRAIN, Seed(seed)).unwrap()) {
            assert_close(y, (10.0 * x).sin() + x * x * x, "the sinusoid");
        }
    }
}

#[test]
fn four_of_the_five_sparse_points_are_tested_whatever_the_seed() {
    let seeds = 3000;
    let mut trained = [0_u32; 5];
    for seed in 0..seeds {
        let split = Function::Sinusoid.split(POINTS, TRAIN, Seed(seed)).unwrap();
        let tested = places(&split.features).into_iter().filter(|x| *x < 1.0).count();
        assert!(tested >= 4, "seed {seed} tests {tested} sparse points");
        for x in places(&split.train.features).into_iter().filter(|x| *x < 1.0) {
            trained[(x / 0.99 * 4.0).round() as usize] += 1;
        }
    }
    // One of five is free, and then one of 46 of which 5 are trained on.
    let expected = 1.0 / 5.0 * 5.0 / 46.0;
    let error = (expected * (1.0 - expected) / seeds as f64).sqrt();
    for (place, count) in trained.into_iter().enumerate() {
        let share = f64::from(count) / seeds as f64;
        assert_within(5.0, share, expected, error, &format!("sparse point {place} is trained on"));
    }
}

#[test]
fn each_point_is_trained_on_as_often_as_any_other() {
    let seeds = 4000;
    let mut trained = [0_u32; POINTS];
    for seed in 0..seeds {
        let split = Function::Quadratic.split(POINTS, TRAIN, Seed(seed)).unwrap();
        for x in places(&split.train.features) {
            trained[(x * 49.0).round() as usize] += 1;
        }
    }
    let expected = 0.1;
    let error = (expected * (1.0 - expected) / seeds as f64).sqrt();
    for (place, count) in trained.into_iter().enumerate() {
        // 50 shares at 5 standard errors: a false alarm in 35,000 seeds.
        assert_within(5.0, f64::from(count) / seeds as f64, expected, error, &format!("point {place}"));
    }
}

#[test]
fn draws_of_the_prior_have_its_mean_and_covariance() {
    let (seeds, looked_at) = (4000_u64, [0, 1, 7, 24, 49]);
    let draws: Vec<Vec<f64>> = (0..seeds)
        .map(|seed| {
            let all = all(&Function::GaussianProcess.split(POINTS, TRAIN, Seed(seed)).unwrap());
            all.into_iter().map(|(_, y)| y).collect()
        })
        .collect();
    let mean = |value: &dyn Fn(&[f64]) -> f64| draws.iter().map(|y| value(y)).sum::<f64>() / seeds as f64;
    for i in looked_at {
        let error = (1.0 / seeds as f64).sqrt();
        assert_within(5.0, mean(&|y| y[i]), 0.0, error, &format!("the mean of y at {i}"));
        for j in looked_at.into_iter().filter(|j| *j >= i) {
            let distance = 3.0_f64.sqrt() * (j - i) as f64 / 49.0;
            let matern = (1.0 + distance) * (-distance).exp();
            let error = ((1.0 + matern * matern) / seeds as f64).sqrt();
            let what = format!("the covariance of y at {i} and {j}");
            assert_within(5.0, mean(&|y| y[i] * y[j]), matern, error, &what);
        }
        // What the raw products cannot see beside their own spread: neighbours differ by little.
        if i < 49 {
            let distance = 3.0_f64.sqrt() / 49.0;
            let variance = 2.0 - 2.0 * (1.0 + distance) * (-distance).exp();
            let error = variance * (2.0 / seeds as f64).sqrt();
            let square = mean(&|y| (y[i + 1] - y[i]).powi(2));
            assert_within(5.0, square, variance, error, &format!("the squared step at {i}"));
        }
    }
}

const MOONS: Moons = Moons { points: 500, train: 50, noise: 0.1 };

/// Coordinates and class of every point, train first.
fn dots<T: Task<Label = usize>>(split: &Split<T>) -> Vec<(f64, f64, usize)> {
    let features = [rows(&split.train.features), rows(&split.features)].concat();
    let labels = [split.train.labels.as_slice(), &split.labels].concat();
    features.into_iter().zip(labels).map(|(row, class)| (row[0], row[1], class)).collect()
}

#[test]
fn moons_without_noise_are_two_half_circles_point_for_point() {
    for seed in 0..20 {
        let split = Moons { noise: 0.0, ..MOONS }.split(Seed(seed)).unwrap();
        assert_eq!((split.train.features.rows(), split.train.features.columns()), (50, 2));
        assert_eq!((split.features.rows(), split.features.columns()), (450, 2));
        assert_eq!((split.train.labels.len(), split.labels.len()), (50, 450));
        let mut angles = [Vec::new(), Vec::new()];
        for (x, y, class) in dots(&split) {
            let (x, y) = if class == 0 { (x, y) } else { (1.0 - x, 0.5 - y) };
            assert_close(x.hypot(y), 1.0, "the radius");
            assert!(y > -1e-12, "{y} is on the other half");
            angles[class].push(x.acos());
        }
        for mut angles in angles {
            angles.sort_by(f64::total_cmp);
            assert_eq!(angles.len(), 250);
            for (place, angle) in angles.into_iter().enumerate() {
                assert!((angle - PI * place as f64 / 249.0).abs() < 1e-7, "point {place} is at {angle}");
            }
        }
    }
}

#[test]
fn moons_of_an_odd_number_of_points_have_one_more_inside() {
    let split = Moons { points: 7, train: 3, noise: 0.1 }.split(Seed(0)).unwrap();
    let classes: usize = dots(&split).into_iter().map(|(_, _, class)| class).sum();
    assert_eq!((split.train.labels.len(), split.labels.len(), classes), (3, 4, 4));
}

#[test]
fn the_moons_noise_is_normal_with_the_given_variance() {
    let mut noise = Vec::new();
    for seed in 0..40 {
        // The same seed without noise has the same points in the same order.
        let (with, without) = (MOONS.split(Seed(seed)), Moons { noise: 0.0, ..MOONS }.split(Seed(seed)));
        let pairs = dots(&with.unwrap()).into_iter().zip(dots(&without.unwrap()));
        noise.extend(pairs.map(|((x, y, _), (x0, y0, _))| ((x - x0) / 0.1, (y - y0) / 0.1)));
    }
    let count = noise.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| noise.iter().map(value).sum::<f64>() / count;
    let error = (1.0 / count).sqrt();
    assert_within(5.0, mean(|(x, _)| *x), 0.0, error, "the mean of the noise in x");
    assert_within(5.0, mean(|(_, y)| *y), 0.0, error, "the mean of the noise in y");
    assert_within(5.0, mean(|(x, _)| x * x), 1.0, 2.0_f64.sqrt() * error, "its variance in x");
    assert_within(5.0, mean(|(_, y)| y * y), 1.0, 2.0_f64.sqrt() * error, "its variance in y");
    assert_within(5.0, mean(|(x, y)| x * y), 0.0, error, "the covariance of both");
    // The fourth moment of a normal number is 3, with variance 105 - 9.
    assert_within(5.0, mean(|(x, _)| x.powi(4)), 3.0, 96.0_f64.sqrt() * error, "its fourth moment");
}

#[test]
fn the_moons_lie_where_their_half_circles_do() {
    let dots: Vec<_> = (0..40).flat_map(|seed| dots(&MOONS.split(Seed(seed)).unwrap())).collect();
    let height = (0..250).map(|place| (PI * f64::from(place) / 249.0).sin()).sum::<f64>() / 250.0;
    for (class, expected) in [(0, (0.0, height)), (1, (1.0, 0.5 - height))] {
        let of_class: Vec<_> = dots.iter().filter(|(_, _, of)| *of == class).collect();
        let count = of_class.len() as f64;
        assert_eq!(count, 250.0 * 40.0);
        let mean =
            |value: fn(&(f64, f64, usize)) -> f64| of_class.iter().map(|dot| value(dot)).sum::<f64>() / count;
        // Every point of a half circle is there in every run: the noise alone moves the mean.
        let error = 0.1 / count.sqrt();
        assert_within(5.0, mean(|dot| dot.0), expected.0, error, &format!("x of class {class}"));
        assert_within(5.0, mean(|dot| dot.1), expected.1, error, &format!("y of class {class}"));
    }
}

#[test]
fn the_same_seed_gives_the_same_data_and_another_seed_others() {
    for function in FUNCTIONS {
        let of = |seed| {
            let split = function.split(POINTS, TRAIN, Seed(seed)).unwrap();
            (places(&split.train.features), split.train.labels, places(&split.features), split.labels)
        };
        assert_eq!(of(3), of(3), "{function:?}");
        assert_ne!(of(3), of(4), "{function:?}");
    }
    let of = |seed| dots(&MOONS.split(Seed(seed)).unwrap());
    assert_eq!(of(3), of(3));
    assert_ne!(of(3), of(4));
}

#[test]
fn functions_of_the_prior_differ_and_not_only_their_splits() {
    let labels = |seed| all(&Function::GaussianProcess.split(POINTS, TRAIN, Seed(seed)).unwrap());
    let pairs = labels(3).into_iter().zip(labels(4));
    assert!(pairs.into_iter().all(|((_, one), (_, other))| one != other));
}
