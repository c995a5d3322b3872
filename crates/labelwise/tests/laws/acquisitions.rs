//! What acquisitions answer, and the contract of all.

use labelwise::acquisition::{
    Acquisition, ActiveRiskEstimation, Candidates, Distance, ExpectedLoss, MutualInformation, RootMeanSquare,
    StandardDeviation, TrueLoss, Uniform, squared_error_score, zero_one_score,
};
use labelwise::conformance::check_acquisition;
use labelwise::loss::{Brier, Loss, ZeroOne};
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, CrossEntropy, Error, Fixed, Matrix, Pool, Regression, SquaredError};

use crate::pools::{assert_close, label, losses, pool, probabilities, regression};

fn scores<T: labelwise::Task>(
    acquisition: &mut dyn Acquisition<T>,
    pool: &Pool<T>,
    loss: &dyn Loss<T>,
    beliefs: &Beliefs<T>,
    observed: &[(usize, T::Label)],
) -> labelwise::Result<Vec<f64>> {
    let (mut predictions, mut rows) = (pool.predictions().reader(), beliefs.rows().reader());
    let moments = |item| loss.moments(T::prediction(predictions.row(item)), T::belief(rows.row(item)));
    let (first, second) =
        (0..pool.pool_size()).map(moments).map(|m| (m.first, m.second)).unzip::<_, _, Vec<_>, Vec<_>>();
    let open = vec![true; pool.pool_size()];
    acquisition.scores(Candidates { pool, loss, beliefs, first: &first, second, open: &open, observed })
}

fn ensemble(pool: &Pool<Classification>) -> Beliefs<Classification> {
    let member = |salt| Matrix::f64(probabilities(pool.pool_size(), 3, salt), 3).unwrap();
    Beliefs::<Classification>::from_members(vec![member(5), member(6), member(7)], pool).unwrap()
}

type Make<T> = fn() -> Box<dyn Acquisition<T>>;

#[test]
fn every_acquisition_keeps_the_contract() {
    let features = Matrix::f64((0..60).map(|i| f64::from(i * i % 17)).collect::<Vec<_>>(), 2).unwrap();
    let pool = pool(30, 3).with_features(features.clone()).unwrap();
    let beliefs = ensemble(&pool);
    let observed = [(4, 1), (9, 0), (22, 2)];
    let all: [Make<Classification>; 7] = [
        || Box::new(ExpectedLoss),
        || Box::new(RootMeanSquare),
        || Box::new(StandardDeviation),
        || Box::new(Uniform),
        || Box::new(MutualInformation),
        || Box::new(Distance::default()),
        || Box::new(ActiveRiskEstimation),
    ];
    for make in all {
        for loss in [&CrossEntropy::default() as &dyn Loss<Classification>, &ZeroOne, &Brier] {
            check_acquisition(|_| make(), &pool, loss, &beliefs, &observed).unwrap();
        }
    }
    let oracle = |order: &[usize]| -> Box<dyn Acquisition<Classification>> {
        Box::new(TrueLoss::new(order.iter().map(|item| label(*item, 3)).collect()))
    };
    check_acquisition(oracle, &pool, &Brier, &beliefs, &observed).unwrap();

    let (pool, beliefs) = regression(30);
    let pool = pool.with_features(features).unwrap();
    let all: [Make<Regression>; 5] = [
        || Box::new(ExpectedLoss),
        || Box::new(RootMeanSquare),
        || Box::new(MutualInformation),
        || Box::new(Distance::default()),
        || Box::new(ActiveRiskEstimation),
    ];
    for make in all {
        check_acquisition(|_| make(), &pool, &SquaredError::default(), &beliefs, &[(3, 0.5)]).unwrap();
    }
}

#[test]
fn squared_error_scores_are_bias_and_variance() {
    let (pool, beliefs) = regression(8);
    let found = scores(&mut ExpectedLoss, &pool, &SquaredError::default(), &beliefs, &[]).unwrap();
    for (item, score) in found.iter().enumerate() {
        assert_close(*score, 0.09 + 0.2 + 0.1 * (1 + item % 4) as f64, 1e-12, "(f − μ)² + variance");
    }
}

#[test]
fn the_variance_of_an_ensemble_is_decomposed() {
    let member = |shift: f64, variance: f64| {
        Matrix::f64((0..4).flat_map(|i| [f64::from(i) + shift, variance]).collect::<Vec<_>>(), 2).unwrap()
    };
    let (pool, _) = regression(4);
    let beliefs = Beliefs::<Regression>::from_members(&[member(-1.0, 0.5), member(1.0, 1.5)], &pool).unwrap();
    for item in 0..4 {
        let row = beliefs.rows().reader().row(item).to_vec();
        assert_eq!(row, [item as f64, 1.0, 1.0], "mean, aleatoric, epistemic");
    }
    let information = scores(&mut MutualInformation, &pool, &SquaredError::default(), &beliefs, &[]).unwrap();
    assert!(information.iter().all(|i| (i - 0.5 * 2.0_f64.ln()).abs() < 1e-12));
}

#[test]
fn mutual_information_is_zero_when_members_agree() {
    let pool = pool(10, 3);
    let same = Matrix::f64(probabilities(10, 3, 5), 3).unwrap();
    let beliefs = Beliefs::<Classification>::from_members(vec![same.clone(), same], &pool).unwrap();
    let found = scores(&mut MutualInformation, &pool, &ZeroOne, &beliefs, &[]).unwrap();
    assert!(found.iter().all(|score| *score < 1e-12));
    let disagree = scores(&mut MutualInformation, &pool, &ZeroOne, &ensemble(&pool), &[]).unwrap();
    assert!(disagree.iter().all(|score| *score > 0.0));
    // Certain members that disagree know nothing together: log 2.
    let (a, b) = (Matrix::f64(vec![1.0, 0.0], 2).unwrap(), Matrix::f64(vec![0.0, 1.0], 2).unwrap());
    let pool = Pool::classification(a.clone()).unwrap();
    let beliefs = Beliefs::<Classification>::from_members(vec![a, b], &pool).unwrap();
    let found = scores(&mut MutualInformation, &pool, &ZeroOne, &beliefs, &[]).unwrap();
    assert_close(found[0], 2.0_f64.ln(), 1e-15, "log 2");
}

#[test]
fn distance_is_a_softmax_of_mean_distances() {
    let features = Matrix::f64(vec![0.0, 1.0, 3.0], 1).unwrap();
    let pool = pool(3, 3).with_features(features).unwrap();
    let beliefs = pool.own_beliefs().unwrap();
    let mut distance = Distance::default();
    let first = scores(&mut distance, &pool, &ZeroOne, &beliefs, &[]).unwrap();
    assert!(first.iter().all(|score| *score == first[0]), "the first draw is uniform");
    let one = scores(&mut distance, &pool, &ZeroOne, &beliefs, &[(0, 1)]).unwrap();
    assert_close(one[2] / one[1], 2.0_f64.exp(), 1e-12, "distances 1 and 3");
    // With a second label the same object goes on from the first.
    let two = scores(&mut distance, &pool, &ZeroOne, &beliefs, &[(0, 1), (1, 1)]).unwrap();
    assert_close(two[2] / two[1], (2.5_f64 - 0.5).exp(), 1e-12, "means 0.5 and 2.5");
}

#[test]
fn active_risk_estimation_has_its_closed_forms() {
    // Squared error, a Gaussian belief centred on the prediction.
    let predictions: Vec<f64> = (0..6).flat_map(|i| [f64::from(i), 0.2 + f64::from(i)]).collect();
    let pool = Pool::regression(Matrix::f64(predictions, 2).unwrap()).unwrap();
    let beliefs = pool.own_beliefs().unwrap();
    let found = scores(&mut ActiveRiskEstimation, &pool, &SquaredError::default(), &beliefs, &[]).unwrap();
    let risk = 0.2 + 2.5;
    for (item, score) in found.iter().enumerate() {
        assert_close(*score, squared_error_score(0.2 + item as f64, risk), 1e-12, "Eq. (18)");
    }
    // Zero-one loss, the model as its own surrogate.
    let pool = crate::pools::pool(6, 3);
    let beliefs = pool.own_beliefs().unwrap();
    let found = scores(&mut ActiveRiskEstimation, &pool, &ZeroOne, &beliefs, &[]).unwrap();
    let wrong: Vec<f64> =
        probabilities(6, 3, 1).chunks(3).map(|f| 1.0 - f.iter().copied().fold(0.0, f64::max)).collect();
    let risk = crate::pools::mean(&wrong);
    for (score, wrong) in found.iter().zip(&wrong) {
        assert_close(*score, zero_one_score(*wrong, risk), 1e-12, "zero-one");
    }
    // Certain of the true labels it is the distance of the loss from the risk.
    let certain: Vec<f64> =
        (0..6).flat_map(|i| (0..3).map(move |y| f64::from(u8::from(y == label(i, 3))))).collect();
    let beliefs = Beliefs::new(Matrix::f64(certain, 3).unwrap(), &pool).unwrap();
    let found = scores(&mut ActiveRiskEstimation, &pool, &Brier, &beliefs, &[]).unwrap();
    let each = losses(&pool, &Brier, |item| label(item, 3));
    for (score, loss) in found.iter().zip(&each) {
        assert_close(*score, (loss - crate::pools::mean(&each)).abs(), 1e-7, "the optimum");
    }
}

#[test]
fn what_is_missing_is_named() {
    let pool = pool(5, 3);
    let beliefs = pool.own_beliefs().unwrap();
    let error = |acquisition: &mut dyn Acquisition<Classification>| {
        scores(acquisition, &pool, &ZeroOne, &beliefs, &[]).unwrap_err()
    };
    assert!(matches!(error(&mut Distance::default()), Error::Acquisition { acquisition: "distance", .. }));
    assert!(matches!(
        error(&mut MutualInformation),
        Error::Acquisition { acquisition: "mutual information", .. }
    ));
    assert!(matches!(error(&mut TrueLoss::new(vec![0, 1])), Error::Rows { rows: 2, expected: 5, .. }));
    // A loss that may be negative has no expected loss to draw by, and draws by its standard deviation.
    let sharp = Pool::regression(Matrix::f64(vec![0.0, 1e-4, 1.0, 1e-4], 2).unwrap()).unwrap();
    let build = |acquisition: Option<ExpectedLoss>| {
        let surrogate = Fixed(sharp.own_beliefs().unwrap());
        let builder =
            labelwise::Evaluation::builder(sharp.clone(), labelwise::loss::GaussianNll::default(), surrogate);
        let builder =
            if let Some(acquisition) = acquisition { builder.acquisition(acquisition) } else { builder };
        builder.build().map(|_| ())
    };
    assert!(matches!(build(Some(ExpectedLoss)), Err(Error::Score { item: 0, .. })));
    assert_eq!(build(None), Ok(()));
}
