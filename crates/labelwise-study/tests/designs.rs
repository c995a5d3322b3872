//! A stratified evaluation in its file is the one of the core, bit by bit, whatever becomes of its draws.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;

use labelwise::design::Stratification;
use labelwise::interval::Method;
use labelwise::ledger::{Ledger, Outcome};
use labelwise::loss::{Brier, Loss};
use labelwise::{Classification, CrossEntropy, Pool, Seed, Target};
use labelwise_study::{
    Answer, Author, Choices, Design, DesignWish, EstimateOptions, EstimatorName, LossName, PoolTable,
    Reading, Reply, Study,
};

const SIZE: usize = 90;
const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

fn rows() -> Vec<f64> {
    let row = |item: usize| {
        let (cat, dog) = (0.05 + 0.4 * (item % 17) as f64 / 17.0, 0.1 + 0.3 * (item % 5) as f64 / 5.0);
        [cat, dog].map(|value| format!("{value:.6}").parse::<f64>().unwrap())
    };
    (0..SIZE).map(row).flat_map(|[cat, dog]| [cat, dog, 1.0 - cat - dog]).collect()
}

fn choices(strata: usize) -> Choices {
    Choices {
        design: DesignWish::Stratified { budget: 40, strata: Some(strata) },
        seed: 9,
        ..Choices::default()
    }
}

#[test]
fn files_and_memory_agree_on_draws_and_on_every_loss() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, path) = (folder.path().join("pool.csv"), folder.path().join("e.labelwise"));
    let text: Vec<String> =
        rows().chunks(3).enumerate().map(|(i, r)| format!("{i},{},{},{}", r[0], r[1], r[2])).collect();
    fs::write(&csv, format!("id,prob_cat,prob_dog,prob_owl\n{}\n", text.join("\n"))).unwrap();
    let table = PoolTable::open(&csv, &Reading::new()).unwrap();
    let mut evaluation = Study::create(&path, table, &choices(6)).unwrap().evaluation;
    assert_eq!(evaluation.settings().design, Design::Stratified { budget: 40, strata: 6 });

    let labelwise_study::Predictions::Classes { rows, .. } =
        PoolTable::open(&csv, &Reading::new()).unwrap().predictions
    else {
        panic!("probabilities")
    };
    let pool = Pool::classification(rows).unwrap();
    let (loss, beliefs) = (CrossEntropy::default(), pool.own_beliefs().unwrap());
    let sample = Stratification::new(&pool, &loss, &beliefs, 40, 6, Seed(9)).unwrap();
    assert_eq!(evaluation.strata().unwrap().as_ref(), Some(sample.strata()));

    let asked = evaluation.ask(40, &Author::default()).unwrap();
    let items: Vec<usize> = asked.iter().map(|asked| asked.item).collect();
    assert_eq!(items, sample.draws().iter().map(|draw| draw.index).collect::<Vec<_>>());

    let brier = Brier;
    let mut ledgers: [Ledger<Classification>; 2] = [sample.ledger(), sample.ledger()];
    for (place, draw) in sample.draws().iter().enumerate() {
        let label = (draw.index * 7) % 3;
        let (reply, outcomes) = match place % 13 {
            // Some are missing, one is skipped, and the last wait.
            5 => (Reply::MissingAtRandom, [Outcome::MissingAtRandom; 2]),
            _ if place > 36 => continue,
            _ => {
                let prediction = pool.predictions().reader().row(draw.index).to_vec();
                let outcome = |loss: f64| Outcome::Labelled { label, loss };
                let losses = [loss.loss(&prediction, label), brier.loss(&prediction, label)];
                (Reply::Label(CLASSES[label].to_owned()), losses.map(outcome))
            }
        };
        let answer = Answer { id: draw.index.to_string(), reply, line: None, note: None, who: None };
        evaluation.tell(&[answer], &Author::default()).unwrap();
        ledgers.iter_mut().zip(outcomes).for_each(|(ledger, outcome)| ledger.settle(place, outcome));
    }
    let again = Study::read(&path).unwrap();
    assert_eq!(again.verify(&|_, _| {}).unwrap().largest_difference, 0.0);
    let counted = again.counting().unwrap();
    for (ledger, name) in ledgers.iter().zip([LossName::CrossEntropy, LossName::Brier]) {
        for target in [Target::Pool, Target::Population] {
            let wanted = EstimateOptions { metrics: vec![name.into()], target, ..EstimateOptions::default() };
            let found = again.estimate(&wanted).unwrap().remove(0).report;
            let expected = ledger.report(target, 0.95).unwrap();
            assert_eq!(found.estimate, expected.estimate);
            assert_eq!(found.estimate.labels, counted);
            if name == LossName::CrossEntropy {
                assert_eq!(found, expected);
            }
        }
    }
    let lure = EstimateOptions { estimator: EstimatorName::Lure, ..EstimateOptions::default() };
    assert!(again.estimate(&lure).unwrap_err().to_string().contains("within strata"));
    let early = EstimateOptions { method: Method::GuaranteedAtBudget, ..EstimateOptions::default() };
    assert!(again.estimate(&early).unwrap_err().to_string().contains("all 40 labels"));
    let plain = again.evidence(&LossName::Brier.into(), labelwise::ledger::Imputed::Expected);
    assert!(plain.unwrap_err().to_string().contains("within strata"));
}

/// A pool without anything that tells items apart is one stratum, and scores of all kinds work.
#[test]
fn items_that_are_alike_are_one_stratum() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, path) = (folder.path().join("pool.csv"), folder.path().join("e.labelwise"));
    let rows: String = (0..50).map(|item| format!("{item},{}.5\n", item % 7)).collect();
    fs::write(&csv, format!("id,guess\n{rows}")).unwrap();
    let table = PoolTable::open(&csv, &Reading::new().mean("guess")).unwrap();
    let created = Study::create(&path, table, &choices(8)).unwrap();
    let last = created.decisions.last().unwrap();
    assert!(last.contains("from 1 stratum of the expected loss"), "{last}");
    let mut evaluation = created.evaluation;
    for asked in evaluation.ask(40, &Author::default()).unwrap() {
        evaluation.tell(&[Answer::new(asked.id, format!("{}", asked.item % 7))], &Author::default()).unwrap();
    }
    let report = evaluation.estimate(&EstimateOptions::default()).unwrap().remove(0).report;
    assert!((report.estimate.value - 0.25).abs() < 1e-12, "{report}");
}
