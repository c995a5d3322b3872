//! Verdicts of comparisons: intervals and p-values say the same, and looks that may be repeated are safe from the first.

use labelwise::compare::{Question, Rivals, compare};
use labelwise::interval::{Basis, Method};
use labelwise::loss::ZeroOne;
use labelwise::proposal::Floor;
use labelwise::{Classification, Evaluation, Fixed, Lure, Seed, Target};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::comparisons::rivals;
use crate::pools::assert_close;

/// A comparison of two models with some labels, of which `better` per cent favour the first.
pub(crate) fn told(labels: usize, better: usize) -> Evaluation<Rivals<Classification>> {
    let pool = rivals(400, 2, |_| true);
    let chosen = |row: &[f64]| (0..3).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
    let rows: Vec<Vec<f64>> = (0..400).map(|item| pool.predictions().reader().row(item).to_vec()).collect();
    let own = Fixed(pool.own_beliefs().unwrap());
    let builder = Evaluation::comparison(pool, ZeroOne, own).unwrap();
    let mut evaluation = builder.seed(Seed(5)).floor(Floor::Mixture { rho: 0.5 }).build().unwrap();
    let label = |item: usize| {
        let row = &rows[item];
        Ok(chosen(if item * 37 % 100 < better { &row[..3] } else { &row[3..] }))
    };
    evaluation.run(labels, &mut label.clone()).unwrap();
    evaluation
}

#[test]
fn the_p_value_of_the_ordinary_interval_is_students() {
    for (labels, better) in [(60, 40), (60, 52), (100, 58), (100, 46), (150, 55)] {
        let evaluation = told(labels, better);
        let verdict = compare(evaluation.ledger(), &Question::default()).unwrap();
        let labelwise::interval::Basis::T { freedom } = verdict.report.interval.unwrap().basis else {
            panic!()
        };
        let error = verdict.report.estimate.standard_error.unwrap();
        let t = StudentsT::new(0.0, 1.0, freedom).unwrap();
        let exact = 2.0 * t.cdf(-(verdict.difference() / error).abs());
        assert!(exact > 1e-7 && exact < 0.999, "p = {exact} of {labels}, {better} tests something");
        assert_close(verdict.p_value.unwrap() / exact, 1.0, 1e-6, "p");
        let turned = verdict.clone().turned();
        assert_eq!((turned.difference(), turned.p_value), (-verdict.difference(), verdict.p_value));
    }
}

#[test]
fn p_values_and_intervals_say_the_same() {
    let mut seen = [0, 0];
    for (labels, better) in [(20, 90), (60, 52), (100, 65), (150, 75), (200, 50), (200, 95)] {
        let evaluation = told(labels, better);
        let methods = [
            Method::Ordinary,
            Method::Guaranteed,
            Method::GuaranteedAtBudget,
            Method::Anytime { planned: 100 },
        ];
        for method in methods {
            for (level, comparisons) in [(0.5, 1), (0.9, 1), (0.95, 1), (0.95, 6), (0.999, 1)] {
                let question = Question { method, level, comparisons, ..Question::default() };
                let verdict = compare(evaluation.ledger(), &question).unwrap();
                let p = verdict.p_value.unwrap();
                let what = format!("{method:?} at {level} of {comparisons}, {labels} labels: p = {p}");
                assert_eq!(p < 1.0 - level, verdict.decided(), "{what}");
                assert!((0.0..=1.0).contains(&p), "{what}");
                seen[usize::from(verdict.decided())] += 1;
                let alone = compare(evaluation.ledger(), &Question { comparisons: 1, ..question }).unwrap();
                let corrected = (alone.p_value.unwrap() * comparisons as f64).min(1.0);
                let free = !matches!(method, Method::GuaranteedAtBudget) && labels >= 50;
                assert!(!free || (p / corrected - 1.0).abs() < 1e-6, "{what}, {corrected}");
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 20), "{seen:?}");
}

/// While labels are few, the variance that they show may be nothing at all: betting alone decides, with half of the error
/// probability, and the other half is kept for what joins later.
#[test]
fn few_labels_are_looked_at_by_betting() {
    for labels in [5, 60, 200] {
        let evaluation = told(labels, 95);
        let method = Method::Anytime { planned: 100 };
        let question = Question { method, level: 0.9, ..Question::default() };
        let found = compare(evaluation.ledger(), &question).unwrap().report.interval.unwrap();
        let betting = evaluation.interval(&Lure, Method::Guaranteed, Target::Pool, 0.95).unwrap();
        assert_eq!((found.low, found.high), (betting.low, betting.high), "with {labels} labels");
        assert_ne!(found.basis, Basis::Anytime);
    }
}
