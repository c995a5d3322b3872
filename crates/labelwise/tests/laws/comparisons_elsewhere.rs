//! Draws made for one model, used for another: q stays valid, and what it costs is said.

use labelwise::acquisition::RootMeanSquare;
use labelwise::compare::{Question, Rivals, Versus, compare};
use labelwise::conformance::every_path;
use labelwise::estimator::{RegressionLure, Sample};
use labelwise::interval::Method;
use labelwise::ledger::Outcome;
use labelwise::loss::{Brier, Loss, ZeroOne};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Lure, Matrix, Pool, Seed, Target};

use crate::pools::{assert_close, beliefs, label, losses, mean, pool, probabilities};

fn other(rows: usize) -> Pool<Classification> {
    Pool::classification(Matrix::f64(probabilities(rows, 3, 9), 3).unwrap()).unwrap()
}

fn both(one: &Pool<Classification>, other: &Pool<Classification>) -> Pool<Rivals<Classification>> {
    Pool::rivals(&[one.predictions().clone(), other.predictions().clone()]).unwrap()
}

fn told(rows: usize, labels: usize, loss: impl Loss<Classification> + 'static) -> Evaluation<Classification> {
    let pool = pool(rows, 3);
    let beliefs = beliefs(&pool);
    let mut evaluation = Evaluation::builder(pool, loss, Fixed(beliefs)).seed(Seed(4)).build().unwrap();
    evaluation.run(labels, &mut |item| Ok(label(item, 3))).unwrap();
    evaluation
}

#[test]
fn the_same_model_by_the_same_loss_has_the_same_ledger() {
    let mut evaluation = told(150, 60, CrossEntropy::default());
    evaluation.ask_batch(3).unwrap();
    let skipped = evaluation.open_draws().next().unwrap().index;
    evaluation.skip(skipped).unwrap();
    let (own, pool) = (evaluation.ledger().clone(), evaluation.pool().clone());
    let again = evaluation.ledger_for(&pool, &CrossEntropy::default()).unwrap();
    assert_eq!(again.outcomes(), own.outcomes());
    for (again, own) in again.draws().iter().zip(own.draws()) {
        assert_eq!((again.index, again.q, again.bounds), (own.index, own.q, own.bounds));
        assert_close(again.control, own.control, 1e-12, "control");
        assert_close(again.control_total, own.control_total, 1e-12, "its sum");
        let (again, own) = (again.ratio_bounds.unwrap(), own.ratio_bounds.unwrap());
        assert_close(again.low, own.low, 1e-12, "ratio_bounds");
        // Of items that are gone, the ratio_bounds of the proposal still knows.
        assert!(again.high <= own.high * (1.0 + 1e-12), "{} and {}", again.high, own.high);
    }
    let (again_bounds, own_bounds) = (again.facts().bounds.unwrap(), own.facts().bounds.unwrap());
    assert_close(again_bounds.high, own_bounds.high, 1e-12, "bounds");
    assert_close(again_bounds.low, own_bounds.low, 1e-12, "bounds");
    let value = |ledger: &labelwise::ledger::Ledger<_>| ledger.estimate(&RegressionLure).unwrap().value;
    assert_close(value(&again), value(&own), 1e-12, "estimate");

    // A comparison's own ledger is that of its own pair, and of the pair turned round its negative.
    let pair = both(evaluation.pool(), &other(150));
    let surrogate = Fixed(pair.own_beliefs().unwrap());
    let mut contest = Evaluation::comparison(pair.clone(), Brier, surrogate).unwrap().build().unwrap();
    contest.run(40, &mut |item| Ok(label(item, 3))).unwrap();
    let versus = Versus::between(Brier, 3, 0, 1);
    let (own, turned) =
        (contest.ledger().clone(), contest.ledger_for(&pair, &versus.of(1, Some(0))).unwrap());
    let (own, turned) = (own.estimate(&RegressionLure).unwrap(), turned.estimate(&RegressionLure).unwrap());
    assert_close(own.value, -turned.value, 1e-12, "turned round");
    // Nothing tied, so each model's own loss is there too, and by LURE their difference is the paired one.
    let mut alone =
        |model| contest.ledger_for(&pair, &versus.of(model, None)).unwrap().estimate(&Lure).unwrap().value;
    let difference = alone(0) - alone(1);
    assert_close(difference, contest.estimate(&Lure).unwrap().value, 1e-12, "LURE is linear");
}

#[test]
fn the_other_model_is_estimated_without_bias_by_every_order_of_draws() {
    let (one, two) = (pool(6, 3), other(6));
    let believed = beliefs(&one);
    let scores: Vec<f64> = (0..6)
        .map(|item| {
            let (row, belief) =
                (one.predictions().reader().row(item).to_vec(), believed.rows().reader().row(item).to_vec());
            CrossEntropy::default().moments(&row, &belief).second.sqrt() + 0.1
        })
        .collect();
    for loss in [&CrossEntropy::default() as &dyn Loss<Classification>, &Brier, &ZeroOne] {
        let theirs = losses(&two, loss, |item| label(item, 3));
        let ours = losses(&one, loss, |item| label(item, 3));
        for budget in 1..=6 {
            let (mut risk, mut difference) = (0.0, 0.0);
            for path in every_path(6, budget, |_| scores.clone()) {
                let of = |losses: &[f64]| {
                    let samples: Vec<Sample> =
                        path.draws.iter().map(|&(item, q)| Sample::plain(item, q, losses[item])).collect();
                    path.probability * labelwise::estimator::Estimator::estimate(&Lure, &samples, 6).unwrap()
                };
                risk += of(&theirs);
                difference += of(&ours.iter().zip(&theirs).map(|(a, b)| a - b).collect::<Vec<_>>());
            }
            assert_close(risk, mean(&theirs), 1e-10, loss.name());
            assert_close(difference, mean(&ours) - mean(&theirs), 1e-10, loss.name());
        }
    }
}

#[test]
fn draws_for_one_model_say_what_another_loses_and_by_how_much_they_differ() {
    let mut evaluation = told(300, 150, CrossEntropy::default());
    let (one, two) = (evaluation.pool().clone(), other(300));
    let loss = CrossEntropy::default();
    let theirs = evaluation.ledger_for(&two, &loss).unwrap();
    let exact = mean(&losses(&two, &loss, |item| label(item, 3)));
    let report = theirs.report(Target::Pool, 0.95).unwrap();
    assert!(report.interval.unwrap().covers(exact), "{report} for {exact}");
    for (outcome, draw) in theirs.outcomes().iter().zip(theirs.draws()) {
        let Outcome::Labelled { label, loss: found } = outcome else { panic!() };
        assert_eq!(*found, loss.loss(two.predictions().reader().row(draw.index), *label));
    }
    let pair = both(&one, &two);
    let versus = Versus::between(loss, 3, 0, 1);
    let difference = mean(&losses(&one, &loss, |item| label(item, 3))) - exact;
    for method in [Method::Ordinary, Method::Guaranteed, Method::Anytime { planned: 150 }] {
        let question = Question { method, ..Question::default() };
        let verdict = compare(&evaluation.ledger_for(&pair, &versus).unwrap(), &question).unwrap();
        assert!(verdict.report.interval.unwrap().covers(difference), "{verdict:?} for {difference}");
    }
    // All of the pool labelled, both are exact.
    evaluation.run(150, &mut |item| Ok(label(item, 3))).unwrap();
    let whole = evaluation.ledger_for(&two, &loss).unwrap().estimate(&RegressionLure).unwrap();
    assert_close(whole.value, exact, 1e-12, "the whole pool");
}

#[test]
fn what_it_costs_is_nothing_for_the_own_loss_and_more_for_others() {
    let mut evaluation = told(300, 0, CrossEntropy::default());
    let (one, two) = (evaluation.pool().clone(), other(300));
    let cost = evaluation.cost_for(&one, &CrossEntropy::default(), &[]).unwrap().unwrap();
    assert_close(cost, 1.0, 1e-12, "draws made for it");
    let theirs = evaluation.cost_for(&two, &CrossEntropy::default(), &[]).unwrap().unwrap();
    assert!(theirs > 1.05, "draws made for another model: {theirs}");
    // Only where models differ do labels tell something of a difference.
    let pair = both(&one, &two);
    let versus = Versus::between(ZeroOne, 3, 0, 1);
    let tied = labelwise::compare::ties(&pair, &versus);
    let with = evaluation.cost_for(&pair, &versus, &tied).unwrap().unwrap();
    let without = evaluation.cost_for(&pair, &versus, &[]).unwrap().unwrap();
    assert!(with > without && without > 1.0, "{with} and {without}");
    // By hand: Σ w Σ v/w under both weights.
    let own = Evaluation::comparison(pair.clone(), ZeroOne, Fixed(beliefs(&one).for_rivals())).unwrap();
    let mut own = own.acquisition(RootMeanSquare).build().unwrap();
    let none = own.cost_for(&pair, &versus, &tied).unwrap().unwrap();
    assert_close(none, 1.0, 1e-12, "draws made for the difference");
    // A surrogate that is sure of everything expects no variance, and there is nothing to say.
    let sure = Matrix::f64([1.0, 0.0, 0.0].repeat(300), 3).unwrap();
    let sure = labelwise::surrogate::Beliefs::new(sure, &one).unwrap();
    let mut sure = Evaluation::builder(one, ZeroOne, Fixed(sure)).build().unwrap();
    assert_eq!(sure.cost_for(&two, &ZeroOne, &[]).unwrap(), None);
}
