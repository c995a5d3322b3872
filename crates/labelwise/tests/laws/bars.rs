//! Whether a bar is met: answers say what intervals say, and are not taken back.

use labelwise::estimator::RegressionLure;
use labelwise::interval::Method;
use labelwise::loss::ZeroOne;
use labelwise::plan::{Assurance, Side, Threshold, Verdict, WidthRule};
use labelwise::{Error, Evaluation, Fixed, Lure, Matrix, Pool, Seed, SquaredError, Target};

use crate::planning::told;
use crate::pools::{builder, label};

fn bar(value: f64, side: Side, assurance: Assurance) -> Threshold {
    Threshold { value, side, level: 0.95, assurance, target: Target::Pool }
}

#[test]
fn a_verdict_says_what_its_interval_does() {
    let (evaluation, _) = told(3000, 700);
    let ledger = evaluation.ledger();
    for assurance in [Assurance::Anytime, Assurance::Guaranteed, Assurance::Once] {
        let mut seen = Vec::new();
        for value in (0..=20).map(|bar| f64::from(bar) / 20.0) {
            let below = ledger.check(&bar(value, Side::Below, assurance)).unwrap();
            let above = ledger.check(&bar(value, Side::Above, assurance)).unwrap();
            assert_eq!(below.labels, 700);
            let (low, high) = below.interval.unwrap();
            let expected = match below.verdict {
                Verdict::Met => high <= value,
                Verdict::NotMet => low > value,
                Verdict::Undecided => low <= value && value < high,
            };
            assert!(expected, "{value} against {low} to {high}: {:?}", below.verdict);
            // What is below is not above.
            let mirrored = match below.verdict {
                Verdict::Met => Verdict::NotMet,
                Verdict::NotMet => Verdict::Met,
                Verdict::Undecided => Verdict::Undecided,
            };
            assert_eq!(above.verdict, mirrored, "{value}");
            seen.push(below.verdict);
        }
        assert!(seen.is_sorted_by_key(|verdict| match verdict {
            Verdict::NotMet => 0,
            Verdict::Undecided => 1,
            Verdict::Met => 2,
        }));
        assert!(
            [Verdict::Met, Verdict::NotMet, Verdict::Undecided].iter().all(|verdict| seen.contains(verdict))
        );
    }
    let (low, high) = ledger.check(&bar(0.5, Side::Below, Assurance::Guaranteed)).unwrap().interval.unwrap();
    let interval = ledger.interval(&Lure, Method::Guaranteed, Target::Pool, 0.9).unwrap();
    assert_eq!((low, high), (interval.low, interval.high), "each side has all of the error");
}

#[test]
fn the_whole_pool_decides_everything() {
    let (evaluation, risk) = told(60, 60);
    for assurance in [Assurance::Anytime, Assurance::Guaranteed, Assurance::Once] {
        let check = |value, side| evaluation.ledger().check(&bar(value, side, assurance)).unwrap().verdict;
        assert_eq!(check(risk, Side::Below), Verdict::Met);
        assert_eq!(check(risk, Side::Above), Verdict::Met);
        assert_eq!(check(risk.next_down(), Side::Below), Verdict::Met, "but for rounding");
        assert_eq!(check(risk.next_up(), Side::Above), Verdict::Met, "but for rounding");
        assert_eq!(check(risk - 1e-6, Side::Below), Verdict::NotMet);
        assert_eq!(check(risk + 1e-6, Side::Above), Verdict::NotMet);
    }
}

#[test]
fn an_answer_is_not_taken_back_by_more_labels() {
    let mut evaluation = builder(3000, ZeroOne).build().unwrap();
    let (mut decided, mut first) = ([Verdict::Undecided; 4], [0; 4]);
    let bars = [0.55, 0.6, 0.75, 0.8];
    for labels in (100..=1500).step_by(100) {
        evaluation.run(100, &mut |item: usize| Ok(label(item, 3))).unwrap();
        for ((value, decided), first) in bars.iter().zip(&mut decided).zip(&mut first) {
            let verdict =
                evaluation.ledger().check(&bar(*value, Side::Below, Assurance::Anytime)).unwrap().verdict;
            assert!(
                *decided == Verdict::Undecided || verdict == *decided,
                "{value} after {labels}: {verdict:?}"
            );
            if *decided == Verdict::Undecided && verdict != Verdict::Undecided {
                *first = labels;
            }
            *decided = verdict;
        }
    }
    assert_eq!(decided, [Verdict::NotMet, Verdict::NotMet, Verdict::Met, Verdict::Met]);
    assert!(first[3] < first[2] && first[0] < first[1], "{first:?}");
}

#[test]
fn an_answer_stays_whatever_comes_later() {
    let rows = 3000;
    let pool = Pool::regression(Matrix::f64(vec![0.0; rows], 1).unwrap()).unwrap();
    let beliefs =
        labelwise::surrogate::Beliefs::new(Matrix::f64([0.0, 1.0].repeat(rows), 2).unwrap(), &pool).unwrap();
    let mut evaluation = Evaluation::builder(pool, SquaredError::default(), Fixed(beliefs)).build().unwrap();
    // Small losses at first, large ones later: as no labels in fact come, or one sequence in twenty.
    let mut told = 0;
    let mut label = |item: usize| {
        told += 1;
        let size = if told <= 900 { 1.0 } else { 4.0 };
        Ok(size * (1.0 + 0.5 * (item as f64).sin()))
    };
    let check = |evaluation: &Evaluation<labelwise::Regression>| {
        evaluation.ledger().check(&bar(2.0, Side::Below, Assurance::Anytime)).unwrap().verdict
    };
    evaluation.run(700, &mut label).unwrap();
    assert_eq!(check(&evaluation), Verdict::Undecided, "too early for a loss without bounds");
    evaluation.run(200, &mut label).unwrap();
    assert_eq!(check(&evaluation), Verdict::Met);
    evaluation.run(900, &mut label).unwrap();
    assert!(evaluation.estimate(&RegressionLure).unwrap().value > 5.0);
    assert_eq!(check(&evaluation), Verdict::Met);
}

#[test]
fn skipped_losses_may_be_anything() {
    let mut evaluation = builder(3000, ZeroOne).build().unwrap();
    for (place, draw) in evaluation.ask_batch(700).unwrap().iter().enumerate() {
        if place % 10 == 3 {
            evaluation.skip(draw.index).unwrap();
        } else {
            evaluation.tell(draw.index, label(draw.index, 3)).unwrap();
        }
    }
    for assurance in [Assurance::Anytime, Assurance::Guaranteed, Assurance::Once] {
        let interval = |evaluation: &Evaluation<labelwise::Classification>| {
            let decision = evaluation.ledger().check(&bar(0.5, Side::Below, assurance)).unwrap();
            (decision.interval.unwrap(), decision.labels)
        };
        let ((low, high), labels) = interval(&evaluation);
        let ((least, most), _) = interval(&told(3000, 700).0);
        assert_eq!(labels, 630);
        // One in ten losses may be 0 or 1, and two in three are 1.
        assert!(
            low < least - 0.03 && high > most + 0.015,
            "{assurance:?}: {low} to {high}, {least} to {most}"
        );
    }
}

#[test]
fn bars_and_levels_without_sense_are_refused() {
    let (evaluation, _) = told(60, 30);
    let ledger = evaluation.ledger();
    let refused = |bar: Threshold| matches!(ledger.check(&bar), Err(Error::Option { .. }));
    let usual = bar(0.1, Side::Below, Assurance::Once);
    for level in [0.0, 0.5, 1.0, f64::NAN] {
        assert!(refused(Threshold { level, ..usual }), "{level}");
    }
    assert!(
        refused(Threshold { value: f64::NAN, ..usual })
            && refused(Threshold { value: f64::INFINITY, ..usual })
    );
    for half_width in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let rule = WidthRule { half_width, level: 0.95, target: Target::Pool };
        assert!(matches!(ledger.width(&rule), Err(Error::Option { .. })), "{half_width}");
    }
    assert!(matches!(
        builder(60, ZeroOne).build().unwrap().ledger().check(&usual),
        Err(Error::NoSamples { .. })
    ));
}

/// What is provisional decides nothing, however far from the bar: with few labels the large losses may not be among them.
#[test]
fn one_look_at_few_labels_decides_nothing() {
    let means: Vec<f64> = (0..400).map(f64::from).collect();
    let rows: Vec<f64> = means.iter().flat_map(|mean| [*mean, 1.0]).collect();
    let pool = Pool::regression(Matrix::f64(rows, 2).unwrap()).unwrap();
    let surrogate = Fixed(pool.own_beliefs().unwrap());
    let evaluation = Evaluation::builder(pool, SquaredError::default(), surrogate).seed(Seed(2)).build();
    let mut evaluation = evaluation.unwrap();
    let mut oracle = |item: usize| Ok(item as f64 + f64::from(u8::from(item.is_multiple_of(3))));
    let once = bar(1e6, Side::Below, Assurance::Once);
    evaluation.run(20, &mut oracle).unwrap();
    let interval = evaluation.interval(&RegressionLure, Method::Ordinary, Target::Pool, 0.9).unwrap();
    assert!(interval.caution.is_some() && interval.high < 1e6, "{interval:?}");
    assert_eq!(evaluation.ledger().check(&once).unwrap().verdict, Verdict::Undecided);
    evaluation.run(180, &mut oracle).unwrap();
    assert_eq!(evaluation.ledger().check(&once).unwrap().verdict, Verdict::Met);
}
