//! Thresholds on ratios: answers that may be looked at again and again are seldom wrong.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;

use labelwise::Target;
use labelwise::plan::{Assurance, Side, Threshold, Verdict};
use labelwise_study::{Answer, Author, Choices, Measurable, PoolTable, Reading, Study};

const SIZE: usize = 300;
const RUNS: u64 = 24;

/// Numbers between 0 and 1 that look random.
fn random(item: usize, salt: u64) -> f64 {
    let mut hash =
        (item as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
    hash = (hash ^ (hash >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((hash ^ (hash >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn positive(item: usize) -> f64 {
    0.02 + 0.96 * random(item, 1).powi(3)
}

fn is_positive(item: usize) -> bool {
    random(item, 2) < positive(item)
}

/// Precision, recall and F1 of the whole pool.
fn truths() -> [f64; 3] {
    let count = |is: &dyn Fn(usize) -> bool| (0..SIZE).filter(|item| is(*item)).count() as f64;
    let said = |item: usize| positive(item) > 0.5;
    let both = count(&|item| said(item) && is_positive(item));
    let (predicted, labelled) = (count(&said), count(&is_positive));
    [both / predicted, both / labelled, 2.0 * both / (predicted + labelled)]
}

/// At four looks in each of 24 runs, the true value is excluded no more often than promised: with a level of 0.9, about 5 of
/// 24 on both sides together at most are expected.
#[test]
fn the_true_value_is_seldom_excluded_at_any_look() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pool.csv");
    let row = |item: usize| format!("{item},{:.9},{:.9}\n", 1.0 - positive(item), positive(item));
    let rows: String = (0..SIZE).map(row).collect();
    fs::write(&path, format!("id,prob_no,prob_yes\n{rows}")).unwrap();
    for (name, truth) in ["precision", "recall", "f1"].into_iter().zip(truths()) {
        let metric: Measurable = name.parse().unwrap();
        let (mut wrong, mut decided) = (0, 0);
        for seed in 0..RUNS {
            let choices = Choices { aims: vec![metric.clone()], seed, ..Choices::default() };
            let pool = PoolTable::open(&path, &Reading::new()).unwrap();
            let mut study = Study::in_memory(pool, &choices).unwrap().evaluation;
            let bar = |value: f64, side| Threshold {
                value,
                side,
                level: 0.9,
                assurance: Assurance::Anytime,
                target: Target::Pool,
            };
            let mut excluded = false;
            for _ in 0..4 {
                for asked in study.ask(30, &Author::default()).unwrap() {
                    let label = if is_positive(asked.item) { "yes" } else { "no" };
                    study.tell(&[Answer::new(asked.id, label)], &Author::default()).unwrap();
                }
                let check =
                    |value: f64, side| study.check(&metric, None, &bar(value, side)).unwrap().decision;
                // A hair on each side of the truth, so that only a wrong answer says `met`.
                excluded |= check(truth + 1e-6, Side::Above).verdict == Verdict::Met;
                excluded |= check(truth - 1e-6, Side::Below).verdict == Verdict::Met;
            }
            // The ends of the interval say the same.
            let (low, high) =
                study.check(&metric, None, &bar(truth, Side::Above)).unwrap().decision.interval.unwrap();
            assert!(excluded || (low <= truth + 1e-6 && truth - 1e-6 <= high), "{low}, {high}, {truth}");
            let far = study.check(&metric, None, &bar(truth - 0.25, Side::Above)).unwrap().decision;
            decided += usize::from(far.verdict == Verdict::Met);
            wrong += usize::from(excluded);
        }
        assert!(wrong <= 5, "{name}: {wrong} of {RUNS} runs exclude the truth");
        assert!(decided >= 18, "{name}: only {decided} of {RUNS} runs decide");
    }
}
