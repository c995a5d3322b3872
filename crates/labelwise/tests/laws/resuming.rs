//! Going on from draws and labels that were kept elsewhere, and what draws for one loss say of another.

use labelwise::estimator::{RatioBounds, RegressionLure};
use labelwise::loss::{Brier, ZeroOne};
use labelwise::surrogate::Schedule;
use labelwise::{CrossEntropy, Error, Target};

use crate::pools::{assert_close, builder, label};

#[test]
fn an_evaluation_that_is_resumed_draws_what_it_would_have_drawn() {
    let make = || builder(60, CrossEntropy::default()).rescore(Schedule::Every(5));
    let mut evaluation = make().build().unwrap();
    for refresh in 0..4 {
        evaluation.run(5, &mut |item| Ok(label(item, 3))).unwrap();
        let (ledger, observed) = (evaluation.ledger().clone(), evaluation.observed().to_vec());
        let mut resumed = make().resume(ledger, observed, refresh).unwrap();
        assert_eq!(resumed.report(Target::Pool, 0.9).unwrap(), evaluation.report(Target::Pool, 0.9).unwrap());
        let mut uninterrupted = make().replay(evaluation.journal()).unwrap();
        let expected = uninterrupted.ask_batch(7).unwrap();
        assert!(expected.iter().all(|draw| draw.refresh == refresh + 1));
        assert_eq!(resumed.ask_batch(7).unwrap(), expected);
        let index = expected[3].index;
        assert_eq!(resumed.tell(index, 1).unwrap(), uninterrupted.tell(index, 1).unwrap());
        assert_eq!(resumed.outcomes(), uninterrupted.outcomes());
    }
}

#[test]
fn nothing_is_resumed_that_has_nothing_left() {
    let mut evaluation = builder(20, Brier).build().unwrap();
    evaluation.run(20, &mut |item| Ok(label(item, 3))).unwrap();
    let error = builder(20, Brier).resume(evaluation.ledger().clone(), evaluation.observed().to_vec(), 0);
    assert!(matches!(error.unwrap_err(), Error::PoolExhausted { wanted: 1, left: 0, pool_size: 20 }));
}

#[test]
fn another_loss_is_estimated_as_if_it_had_led() {
    // The proposal is that of the Brier score; the ledger of the zero-one loss is made by hand of what `aside` says.
    let mut evaluation = builder(50, Brier).build().unwrap();
    let aside = evaluation.loss_totals(&ZeroOne).unwrap();
    let own = evaluation.loss_totals(&Brier).unwrap();
    assert_eq!(evaluation.own_totals(), own);
    evaluation.run(30, &mut |item| Ok(label(item, 3))).unwrap();
    let first = evaluation.draws()[0];
    assert_eq!(first.control_total, own.control_total);
    let RatioBounds { low, high } = own.ratio_bounds.unwrap();
    assert_eq!(first.ratio_bounds, Some(RatioBounds { low: low * first.mass, high: high * first.mass }));
    assert_eq!(evaluation.ledger().facts().bounds, own.bounds);

    let mut uniform = builder(50, ZeroOne).build().unwrap();
    let of_its_own = uniform.loss_totals(&ZeroOne).unwrap();
    assert_eq!(aside.control_total, of_its_own.control_total);
    assert_eq!(aside.bounds, of_its_own.bounds);
    uniform.run(50, &mut |item| Ok(label(item, 3))).unwrap();
    let whole: f64 = uniform.draws().iter().map(|draw| draw.control).sum();
    assert_close(aside.control_total, whole, 1e-12, "the sum of the expectations");
    assert!(matches!(evaluation.ledger().estimate(&RegressionLure), Ok(estimate) if estimate.labels == 30));
}
