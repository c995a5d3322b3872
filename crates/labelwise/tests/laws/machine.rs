//! Random histories of ask, tell, skip, give up and amend, against the plain rules they must keep.

use std::collections::HashSet;

use labelwise::estimator::RegressionLure;
use labelwise::evaluation::Event;
use labelwise::ledger::Outcome;
use labelwise::loss::Brier;
use labelwise::{Lure, Target};
use proptest::prelude::*;

use crate::pools::{builder, label, losses, mean};

#[derive(Debug, Clone, Copy)]
enum Step {
    Ask(usize),
    Tell(usize, usize),
    Skip(usize),
    Missing(usize),
    Amend(usize, usize),
    Nonsense(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1_usize..5).prop_map(Step::Ask),
        8 => (0_usize..40, 0_usize..3).prop_map(|(place, label)| Step::Tell(place, label)),
        1 => (0_usize..40).prop_map(Step::Skip),
        1 => (0_usize..40).prop_map(Step::Missing),
        1 => (0_usize..40, 0_usize..3).prop_map(|(place, label)| Step::Amend(place, label)),
        1 => (0_usize..60).prop_map(Step::Nonsense),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_history_keeps_the_rules(steps in prop::collection::vec(step(), 1..80)) {
        const SIZE: usize = 40;
        let mut evaluation = builder(SIZE, Brier).build().unwrap();
        for step in steps {
            let before = evaluation.journal().len();
            let place = |place: usize| evaluation.draws().get(place % evaluation.draws().len().max(1)).map(|d| d.index);
            let result = match step {
                Step::Ask(count) => evaluation.ask_batch(count).map(|_| ()),
                Step::Tell(at, label) => match place(at) { Some(item) => evaluation.tell(item, label).map(|_| ()), None => continue },
                Step::Skip(at) => match place(at) { Some(item) => evaluation.skip(item), None => continue },
                Step::Missing(at) => match place(at) { Some(item) => evaluation.missing_at_random(item), None => continue },
                Step::Amend(at, label) => match place(at) { Some(item) => evaluation.amend(item, label), None => continue },
                Step::Nonsense(item) => evaluation.tell(item, 7).map(|_| ()),
            };
            if result.is_err() {
                prop_assert_eq!(evaluation.journal().len(), before, "a refused call left a trace");
            }

            let items: HashSet<usize> = evaluation.draws().iter().map(|draw| draw.index).collect();
            prop_assert_eq!(items.len(), evaluation.draws().len(), "an item was drawn twice");
            prop_assert_eq!(evaluation.left() + items.len(), SIZE);
            prop_assert!(evaluation.draws().iter().all(|draw| draw.q > 0.0 && draw.q <= 1.0));
            let open = evaluation.outcomes().iter().position(|outcome| *outcome == Outcome::Open);
            prop_assert_eq!(evaluation.complete(), open.unwrap_or(items.len()), "the prefix");
            let labelled = evaluation.outcomes().iter().filter(|o| matches!(o, Outcome::Labelled { .. })).count();
            prop_assert_eq!(evaluation.observed().len(), labelled, "labels told once each");
            if let Ok(report) = evaluation.report(Target::Pool, 0.9) {
                prop_assert!(report.estimate.value.is_finite());
                let interval = report.interval.expect("the Brier score has bounds");
                prop_assert!(interval.low <= interval.high && interval.low >= 0.0 && interval.high <= 2.1);
            }
        }
        let again = builder(SIZE, Brier).replay(evaluation.journal()).unwrap();
        prop_assert_eq!(again.draws(), evaluation.draws());
        prop_assert_eq!(again.outcomes(), evaluation.outcomes());
        prop_assert_eq!(again.report(Target::Pool, 0.9).ok(), evaluation.report(Target::Pool, 0.9).ok());
        let asked = evaluation.journal().iter().filter(|event| matches!(event, Event::Asked { .. })).count();
        prop_assert_eq!(asked, evaluation.draws().len());
    }

    #[test]
    fn all_labels_give_the_pool_risk_whatever_the_order(order in Just((0..25).collect::<Vec<usize>>()).prop_shuffle()) {
        let mut evaluation = builder(25, Brier).build().unwrap();
        let draws = evaluation.ask_batch(25).unwrap();
        for place in order {
            evaluation.tell(draws[place].index, label(draws[place].index, 3)).unwrap();
        }
        let risk = mean(&losses(evaluation.pool(), evaluation.loss(), |item| label(item, 3)));
        prop_assert!((evaluation.estimate(&Lure).unwrap().value - risk).abs() < 1e-12);
        prop_assert!((evaluation.estimate(&RegressionLure).unwrap().value - risk).abs() < 1e-12);
    }
}
