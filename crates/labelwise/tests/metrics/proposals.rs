//! The best proposals for metrics: against closed forms, against every other proposal on a small pool, and over runs.

use labelwise::acquisition::{Acquisition, Candidates, ForMetrics, Uniform};
use labelwise::estimator::{Estimator, Sample};
use labelwise::loss::ZeroOne;
use labelwise::metric::{ClassMetric, Gap, Judged, MeanLoss, Measure, ValueMetric, WeightedDraws};
use labelwise::surrogate::{Beliefs, Schedule};
use labelwise::{
    Classification, Evaluation, Fixed, Lure, Matrix, Pool, Regression, Seed, SquaredError, Target,
};

const POSITIVES: [f64; 6] = [0.05, 0.3, 0.45, 0.6, 0.8, 0.97];

fn pool() -> Pool<Classification> {
    let rows: Vec<f64> = POSITIVES.iter().flat_map(|p| [1.0 - p, *p]).collect();
    Pool::classification(Matrix::f64(rows, 2).unwrap()).unwrap()
}

fn scores(aims: &mut ForMetrics<Classification>, observed: &[(usize, usize)]) -> Vec<f64> {
    let pool = pool();
    let beliefs = pool.own_beliefs().unwrap();
    let open: Vec<bool> = (0..6).map(|item| observed.iter().all(|(seen, _)| *seen != item)).collect();
    let second = vec![0.0; 6];
    let (loss, first) = (&ZeroOne, &[][..]);
    aims.scores(Candidates { pool: &pool, loss, beliefs: &beliefs, first, second, open: &open, observed })
        .unwrap()
}

fn same_direction(found: &[f64], expected: &[f64]) {
    let ratio = found[0] / expected[0];
    let close = |(f, e): (&f64, &f64)| (f / e / ratio - 1.0).abs() < 1e-9;
    assert!(found.iter().zip(expected).all(close), "{found:?} and not {expected:?}");
}

/// q ∝ √(p (2ŷ − F (1 + ŷ))² + (1 − p) (F ŷ)²), with F of what is believed.
#[test]
fn for_f1_it_is_the_closed_form() {
    for observed in [&[][..], &[(2, 1), (5, 0)][..]] {
        let positive = |item: usize| {
            observed.iter().find(|(seen, _)| *seen == item).map_or(POSITIVES[item], |(_, y)| *y as f64)
        };
        let predicted = |item: usize| f64::from(u8::from(POSITIVES[item] > 0.5));
        let sum = |of: &dyn Fn(usize) -> f64| (0..6).map(of).sum::<f64>();
        let f = 2.0 * sum(&|i| positive(i) * predicted(i)) / (sum(&positive) + sum(&predicted));
        let expected = |i: usize| {
            let (p, y) = (POSITIVES[i], predicted(i));
            (p * (2.0 * y - f * (1.0 + y)).powi(2) + (1.0 - p) * (f * y).powi(2)).sqrt()
        };
        let expected: Vec<f64> = (0..6).map(expected).collect();
        same_direction(&scores(&mut ForMetrics::new(ClassMetric::F1 { class: 1 }), observed), &expected);
    }
}

#[test]
fn for_others_it_is_theirs_too() {
    let error: Vec<f64> = POSITIVES.iter().map(|p| p.min(1.0 - p).sqrt()).collect();
    same_direction(&scores(&mut ForMetrics::new(MeanLoss(ZeroOne)), &[]), &error);
    // What is wrong with certainty of p is p off, and what is right 1 − p: a calibrated gap has the variance of a coin.
    let gap: Vec<f64> = POSITIVES.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
    same_direction(&scores(&mut ForMetrics::new(Gap), &[]), &gap);
    // Two metrics of the same score are one.
    same_direction(&scores(&mut ForMetrics::new(MeanLoss(ZeroOne)).and(MeanLoss(ZeroOne)), &[]), &error);
    // Recall of a class that nobody expects has no score, and the other metric decides.
    let aims = &mut ForMetrics::new(MeanLoss(ZeroOne))
        .and(ClassMetric::Recall { class: 1 })
        .refreshed(Schedule::Never);
    let shared = scores(aims, &[]);
    assert!(shared.iter().all(|score| *score > 0.0) && Acquisition::schedule(aims) == Schedule::Never);
}

/// Of all proposals for one draw, by enumeration of what the labels may be: the expected variance of LURE on the
/// influences, which are found by moving masses, is least with these scores.
#[test]
fn no_other_proposal_is_better() {
    for metric in [
        ClassMetric::F1 { class: 1 },
        ClassMetric::Recall { class: 1 },
        ClassMetric::Precision { class: 1 },
        ClassMetric::MacroRecall { classes: 2 },
        ClassMetric::Matthews { classes: 2 },
    ] {
        // The distribution that is believed: every item with each label, with the mass of the belief.
        let point = |p: f64, label| Judged::new(vec![1.0 - p, p], label).unwrap();
        let believed: Vec<(Judged, f64)> = POSITIVES
            .iter()
            .flat_map(|p| [(point(*p, 0), (1.0 - p) / 6.0), (point(*p, 1), p / 6.0)])
            .collect();
        let masses = |moved: usize, by: f64| {
            let all = believed.iter().enumerate();
            let all: Vec<(&Judged, f64)> =
                all.map(|(k, (point, w))| (point, if k == moved { w + by } else { *w })).collect();
            metric.linearised(&all).unwrap().value
        };
        let u = |k: usize| (masses(k, 1e-6) - masses(k, -1e-6)) / 2e-6;
        let squares: Vec<f64> = (0..6)
            .map(|i| (1.0 - POSITIVES[i]) * u(2 * i).powi(2) + POSITIVES[i] * u(2 * i + 1).powi(2))
            .collect();
        let variance = |scores: &[f64]| {
            let sum: f64 = scores.iter().sum();
            // What does not count need not be drawn.
            let counts = squares.iter().zip(scores).filter(|(square, _)| **square > 0.0);
            counts.map(|(square, score)| square * sum / score).sum::<f64>()
        };
        let own = scores(&mut ForMetrics::new(metric), &[]);
        let best = variance(&own);
        for other in 0..200_u64 {
            let noise = |i: usize| 0.3 * ((other as f64 + 1.0) * (i as f64 + 1.3)).sin();
            let moved: Vec<f64> = own.iter().enumerate().map(|(i, score)| score * (1.0 + noise(i))).collect();
            assert!(variance(&moved) > best * (1.0 - 1e-7), "{}: {moved:?}", metric.name());
        }
        assert!(variance(&[1.0; 6]) > 1.01 * best, "{} gains nothing", metric.name());
    }
}

/// R² of a Gaussian belief, against the mean of the squared influence over a fine grid of labels.
#[test]
fn for_r_squared_the_moments_are_right() {
    let rows = vec![0.0, 1.0, -1.0, 2.5];
    let (means, variances) = ([0.3, 1.2, -0.5, 2.0], [0.4, 1.0, 0.2, 2.0]);
    let pool = Pool::regression(Matrix::f64(rows.clone(), 1).unwrap()).unwrap();
    let beliefs: Vec<f64> = means.iter().zip(variances).flat_map(|(m, v)| [*m, v]).collect();
    let beliefs: Beliefs<Regression> = Beliefs::new(Matrix::f64(beliefs, 2).unwrap(), &pool).unwrap();
    let candidates = Candidates {
        pool: &pool,
        loss: &SquaredError::default(),
        beliefs: &beliefs,
        first: &[],
        second: vec![0.0; 4],
        open: &[true; 4],
        observed: &[],
    };
    let found = ForMetrics::new(ValueMetric::RSquared).scores(candidates).unwrap();
    let centre = means.iter().sum::<f64>() / 4.0;
    let error: f64 = (0..4).map(|i| (rows[i] - means[i]).powi(2) + variances[i]).sum();
    let spread: f64 = (0..4).map(|i| (means[i] - centre).powi(2) + variances[i]).sum();
    let ratio = error / spread;
    let expected = |i: usize| {
        let (mut sum, mut mass) = (0.0, 0.0);
        for step in -4000..=4000 {
            let z = f64::from(step) / 400.0;
            let y = means[i] + variances[i].sqrt() * z;
            let weight = (-0.5 * z * z).exp();
            sum += weight * ((rows[i] - y).powi(2) - ratio * (y - centre).powi(2)).powi(2);
            mass += weight;
        }
        (sum / mass).sqrt()
    };
    same_direction(&found, &(0..4).map(expected).collect::<Vec<_>>());
}

/// 300 runs of 100 labels: the mean squared error of F1 with its own proposal is well below that of uniform draws.
#[test]
fn draws_for_f1_know_it_better() {
    let positive = |item: usize| (item as f64 / 1500.0).powi(4);
    let rows: Vec<f64> = (0..1500).flat_map(|item| [1.0 - positive(item), positive(item)]).collect();
    let label = |item: usize| usize::from((item as f64 * 0.618_033_988_75).fract() < positive(item));
    let f1 = ClassMetric::F1 { class: 1 };
    let point = |item: usize| Judged::new(vec![1.0 - positive(item), positive(item)], label(item)).unwrap();
    let all: Vec<Judged> = (0..1500).map(point).collect();
    let truth = f1.linearised(&all.iter().map(|p| (p, 1.0)).collect::<Vec<_>>()).unwrap().value;
    let mut squares = [0.0; 2];
    for run in 0..300 {
        for (own, square) in squares.iter_mut().enumerate() {
            let pool = Pool::classification(Matrix::f64(rows.clone(), 2).unwrap()).unwrap();
            let surrogate = Fixed(pool.own_beliefs().unwrap());
            let builder = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(run));
            let builder = if own == 1 {
                builder.acquisition(ForMetrics::new(f1))
            } else {
                builder.acquisition(Uniform)
            };
            let mut evaluation = builder.build().unwrap();
            evaluation.run(100, &mut |item: usize| Ok(label(item))).unwrap();
            let draws = WeightedDraws::new(evaluation.ledger(), |_, draw, _| Ok(point(draw.index))).unwrap();
            let value = draws.measure(&f1, Target::Pool, 0.95).unwrap().value.unwrap();
            *square += (value - truth).powi(2) / 300.0;
        }
    }
    let ratio = (squares[1] / squares[0]).sqrt();
    assert!(ratio < 0.8, "the error is {ratio} of that of uniform draws");
}

/// The scores are looked at again with the labels so far, and draws stay valid: LURE of 1 has the mean 1.
#[test]
fn refreshed_draws_are_recorded_with_the_q_they_were_made_with() {
    let rows: Vec<f64> = (0..40).flat_map(|i| [1.0 - 0.024 * f64::from(i), 0.024 * f64::from(i)]).collect();
    let mut means = 0.0;
    for run in 0..2000 {
        let pool = Pool::classification(Matrix::f64(rows.clone(), 2).unwrap()).unwrap();
        let surrogate = Fixed(pool.own_beliefs().unwrap());
        let aims = ForMetrics::new(ClassMetric::F1 { class: 1 }).refreshed(Schedule::Every(3));
        let mut evaluation =
            Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(run)).acquisition(aims).build().unwrap();
        evaluation.run(12, &mut |item: usize| Ok(usize::from(item.is_multiple_of(5)))).unwrap();
        let samples = evaluation.ledger().draws().iter().map(|draw| Sample::plain(draw.index, draw.q, 1.0));
        means += Lure.estimate(&samples.collect::<Vec<_>>(), 40).unwrap() / 2000.0;
        assert!(evaluation.ledger().draws().last().unwrap().refresh >= 3);
    }
    assert!((means - 1.0).abs() < 0.02, "{means}");
}

/// For the AUC all items are alike, and beside another metric it adds a uniform part.
#[test]
fn for_the_area_all_items_are_alike() {
    let auc = || ClassMetric::Auc { class: 1 };
    same_direction(&scores(&mut ForMetrics::new(auc()), &[]), &[1.0; 6]);
    let recall = scores(&mut ForMetrics::new(ClassMetric::Recall { class: 1 }), &[]);
    let mean = recall.iter().sum::<f64>() / 6.0;
    let both = scores(&mut ForMetrics::new(ClassMetric::Recall { class: 1 }).and(auc()), &[]);
    let expected: Vec<f64> = recall.iter().map(|score| ((score / mean).powi(2) + 1.0).sqrt()).collect();
    same_direction(&both, &expected);
}

/// 200 runs of 150 labels of a rare class: the mean squared error of average precision with its own proposal is well below
/// that of uniform draws.
#[test]
fn draws_for_average_precision_know_it_better() {
    let positive = |item: usize| (item as f64 / 2000.0).powi(8);
    let rows: Vec<f64> = (0..2000).flat_map(|item| [1.0 - positive(item), positive(item)]).collect();
    let label = |item: usize| usize::from((item as f64 * 0.618_033_988_75).fract() < positive(item));
    let area = ClassMetric::AveragePrecision { class: 1 };
    let point = |item: usize| Judged::new(vec![1.0 - positive(item), positive(item)], label(item)).unwrap();
    let all: Vec<Judged> = (0..2000).map(point).collect();
    let truth = area.linearised(&all.iter().map(|p| (p, 1.0)).collect::<Vec<_>>()).unwrap().value;
    let mut squares = [0.0; 2];
    for run in 0..200 {
        for (own, square) in squares.iter_mut().enumerate() {
            let pool = Pool::classification(Matrix::f64(rows.clone(), 2).unwrap()).unwrap();
            let surrogate = Fixed(pool.own_beliefs().unwrap());
            let builder = Evaluation::builder(pool, ZeroOne, surrogate).seed(Seed(run));
            let builder = if own == 1 {
                builder.acquisition(ForMetrics::new(area))
            } else {
                builder.acquisition(Uniform)
            };
            let mut evaluation = builder.build().unwrap();
            evaluation.run(150, &mut |item: usize| Ok(label(item))).unwrap();
            let draws = WeightedDraws::new(evaluation.ledger(), |_, draw, _| Ok(point(draw.index))).unwrap();
            let value = draws.measure(&area, Target::Pool, 0.95).unwrap().value.unwrap();
            *square += (value - truth).powi(2) / 200.0;
        }
    }
    let ratio = (squares[1] / squares[0]).sqrt();
    println!("{ratio}");
    assert!(ratio < 0.8, "the error is {ratio} of that of uniform draws");
}

/// With a threshold, draws for recall go where that threshold is in doubt.
#[test]
fn draws_for_a_threshold_use_its_predictions() {
    use labelwise::acquisition::Decided;
    use labelwise::loss::Decision;
    let metric = ClassMetric::Precision { class: 1 };
    let at = |threshold: f64| {
        let decision = Decision::threshold(1, threshold).unwrap();
        scores(&mut ForMetrics::new(Decided { metric, decision }), &[])
    };
    // Only items that are predicted as the class matter for its precision, so a lower threshold lets more of them in.
    let counted = |scores: &[f64]| scores.iter().filter(|score| **score > 0.0).count();
    let (low, high) = (counted(&at(0.05)), counted(&at(0.95)));
    assert!(low > high, "{low} and {high}");
    let half = scores(&mut ForMetrics::new(metric), &[]);
    assert_eq!(at(0.5), half);
}
