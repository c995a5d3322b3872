//! Slices: the same metrics of a part of the items.

use labelwise::Target;
use labelwise::loss::ZeroOne;
use labelwise::metric::{ClassMetric, ErrorRate, IntervalKind, MeanLoss, Undefined, WeightedDraws};

use crate::reference::judged;
use crate::whole::draws;

#[test]
fn a_slice_that_is_labelled_as_a_whole_is_exact() {
    let points = judged("four all alike");
    let (draws, items) = draws(150, 8);
    // Twelve of the items that happen to be labelled: their slice is known, though the pool is not.
    let chosen: Vec<usize> = items.iter().copied().take(12).collect();
    let inside: Vec<bool> = items.iter().map(|item| chosen.contains(item)).collect();
    let wrong = chosen.iter().filter(|item| !points[**item].0.is_right()).count();
    let error = wrong as f64 / 12.0;
    let figure = draws
        .slice(inside.clone(), Some(12))
        .unwrap()
        .measure(&MeanLoss(ZeroOne), Target::Pool, 0.9)
        .unwrap();
    assert!((figure.value.unwrap() - error).abs() < 1e-12);
    assert_eq!(figure.interval.unwrap().kind, IntervalKind::Exact);
    assert_eq!(figure.labels, 12);
    // Of a larger slice it is an estimate.
    let figure =
        draws.slice(inside, Some(13)).unwrap().measure(&MeanLoss(ZeroOne), Target::Pool, 0.9).unwrap();
    let span = figure.interval.unwrap();
    assert!(span.low < span.high, "{span:?}");
}

/// Of the population, a slice of n items says as much as n items do, however many others are labelled.
#[test]
fn a_whole_slice_is_a_sample_of_the_population() {
    let points = judged("four all alike");
    for labels in [60, 150] {
        let (draws, items) = draws(labels, 8);
        let chosen: Vec<usize> = items.iter().copied().take(40).collect();
        let wrong = chosen.iter().filter(|item| !points[**item].0.is_right()).count();
        let error = wrong as f64 / 40.0;
        assert!(wrong > 0 && wrong < 40);
        let inside = items.iter().map(|item| chosen.contains(item)).collect();
        let slice = draws.slice(inside, Some(40)).unwrap();
        let figure = slice.measure(&MeanLoss(ZeroOne), Target::Population, 0.95).unwrap();
        let expected = (error * (1.0 - error) / 40.0).sqrt();
        assert!((figure.standard_error.unwrap() / expected - 1.0).abs() < 1e-9, "{figure:?}, {expected}");
    }
}

#[test]
fn slices_of_a_labelled_pool_are_exact_and_make_up_the_whole() {
    let points = judged("four all alike");
    let (draws, items) = draws(200, 8);
    let mut together = 0.0;
    for part in 0..3 {
        let inside: Vec<bool> = items.iter().map(|item| item % 3 == part).collect();
        let slice = draws.slice(inside, None).unwrap();
        let figure = slice.measure(&MeanLoss(ZeroOne), Target::Pool, 0.95).unwrap();
        let own: Vec<f64> =
            points.iter().skip(part).step_by(3).map(|(p, _)| f64::from(u8::from(!p.is_right()))).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((figure.value.unwrap() - mean).abs() < 1e-12);
        assert_eq!(figure.standard_error, Some(0.0));
        together += figure.labels as f64 * mean / 200.0;
    }
    let whole = draws.measure(&MeanLoss(ZeroOne), Target::Pool, 0.95).unwrap().value.unwrap();
    assert!((together - whole).abs() < 1e-12);
    assert_eq!(draws.measure(&ErrorRate, Target::Pool, 0.95).unwrap().value, Ok(whole));
}

#[test]
fn a_slice_without_labels_says_so() {
    let (draws, items) = draws(60, 8);
    let slice = draws.slice(vec![false; items.len()], Some(40)).unwrap();
    let figure = slice.measure(&ClassMetric::F1 { class: 1 }, Target::Pool, 0.95).unwrap();
    assert_eq!(figure.value, Err(Undefined::NoLabels));
    assert_eq!((figure.labels, figure.interval, figure.standard_error), (0, None, None));
    let error = draws.slice(vec![true; 3], None).unwrap_err().to_string();
    assert!(error.contains("a slice: 3 entries, but 60 are needed"), "{error}");
}

/// Ratio estimates of a slice by its own draws: over all orders of draws the mean of numerator and denominator is
/// right, so their ratio is over many runs. 400 runs at 60 labels; the mean of errors has a standard error of a
/// twentieth of their deviation.
#[test]
fn a_slice_is_estimated_with_little_bias() {
    let points = judged("four all alike");
    let truth = {
        let own: Vec<_> = points.iter().step_by(2).map(|(point, _)| point.is_right()).collect();
        1.0 - own.iter().filter(|right| **right).count() as f64 / own.len() as f64
    };
    let errors: Vec<f64> = (0..400)
        .map(|seed| {
            let (draws, items): (WeightedDraws<_>, _) = draws(60, seed);
            let slice = draws.slice(items.iter().map(|item| item % 2 == 0).collect(), Some(100)).unwrap();
            slice.measure(&MeanLoss(ZeroOne), Target::Pool, 0.95).unwrap().value.unwrap() - truth
        })
        .collect();
    let mean = errors.iter().sum::<f64>() / 400.0;
    let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / 400.0).sqrt();
    assert!(mean.abs() < 0.25 * deviation, "bias {mean}, deviation {deviation}");
}
