//! Going on from draws and labels that were kept elsewhere, and what draws for one loss say of another.

use labelwise::acquisition::ExpectedLoss;
use labelwise::estimator::{RatioBounds, RegressionLure};
use labelwise::loss::{Brier, ZeroOne};
use labelwise::proposal::Floor;
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
fn a_floor_that_is_applied_at_every_step_draws_as_scores_that_are_made_at_every_step() {
    // A pool above the first batch of arrivals, and one below.
    for (size, labels) in [(60, 60), (1500, 40)] {
        let make = || builder(size, CrossEntropy::default()).acquisition(ExpectedLoss).floor(Floor::PAPER);
        let mut slow = make().rescore(Schedule::Every(1)).build().unwrap();
        slow.run(labels, &mut |item| Ok(label(item, 3))).unwrap();
        let mut fast = make().build().unwrap();
        for place in 0..labels {
            if place > 0 {
                fast.reweigh().unwrap();
            }
            let draw = fast.ask().unwrap();
            fast.tell(draw.index, label(draw.index, 3)).unwrap();
        }
        fast.reweigh().unwrap();
        for (fast, slow) in fast.draws().iter().zip(slow.draws()) {
            let same = |draw: &labelwise::ledger::Draw| {
                (draw.index, draw.q, draw.mass, draw.control, draw.ratio_bounds, draw.refresh)
            };
            assert_eq!(same(fast), same(slow));
            assert_close(fast.control_total, slow.control_total, 1e-12, "the control");
        }
        // The clip is of the items left: with a floor of the first step only, other items are drawn.
        let mut once = make().build().unwrap();
        let items = once.ask_batch(labels).unwrap().into_iter().map(|draw| draw.index);
        assert!(items.ne(slow.draws().iter().map(|draw| draw.index)));
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
