//! What is to be expected of labels is in the file, and is what an evaluation in memory expects.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;

use labelwise::loss::{Brier, ZeroOne};
use labelwise::plan::{Assurance, Side, Source, Threshold, Verdict, WidthRule};
use labelwise::{CrossEntropy, Evaluation, Fixed, Pool, Seed, Target};
use labelwise_study::simulate::{Simulation, Strategy};
use labelwise_study::{
    Answer, Author, Choices, LossName, Metric, PoolTable, Predictions, Reading, RecipeName, Study,
    SurrogateWish, Times,
};

fn table(folder: &std::path::Path, rows: usize) -> PoolTable {
    let row = |item: usize| {
        let (cat, dog) = (0.05 + 0.4 * (item % 17) as f64 / 17.0, 0.1 + 0.3 * (item % 5) as f64 / 5.0);
        format!("{item},{cat:.6},{dog:.6},{:.6}\n", 1.0 - cat - dog)
    };
    let path = folder.join("pool.csv");
    let rows: String = (0..rows).map(row).collect();
    fs::write(&path, format!("id,prob_cat,prob_dog,prob_owl\n{rows}")).unwrap();
    PoolTable::open(&path, &Reading::new()).unwrap()
}

#[test]
fn the_file_expects_what_the_evaluation_in_memory_does() {
    let folder = tempfile::tempdir().unwrap();
    let Predictions::Classes { rows, .. } = table(folder.path(), 300).predictions else { panic!("classes") };
    let pool = Pool::classification(rows).unwrap();
    let surrogate = Fixed(pool.own_beliefs().unwrap());
    let mut memory =
        Evaluation::builder(pool, CrossEntropy::default(), surrogate).seed(Seed(5)).build().unwrap();
    let choices = Choices { seed: 5, recipe: RecipeName::RootMeanSquare, ..Choices::default() };
    let path = folder.path().join("e.labelwise");
    Study::create(&path, table(folder.path(), 300), &choices).unwrap();
    let durable = Study::read(&path).unwrap();
    let forecast = |loss: LossName| durable.forecast(&Metric::plain(loss)).unwrap().unwrap();
    assert_eq!(forecast(LossName::CrossEntropy), memory.forecast().unwrap());
    assert_eq!(forecast(LossName::ZeroOne), memory.survey(&ZeroOne).unwrap().1);
    assert_eq!(forecast(LossName::Brier), memory.survey(&Brier).unwrap().1);
    assert!(forecast(LossName::CrossEntropy) != forecast(LossName::Brier));
}

#[test]
fn without_beliefs_nothing_is_expected() {
    let folder = tempfile::tempdir().unwrap();
    let choices = Choices { surrogate: Some(SurrogateWish::Nothing), ..Choices::default() };
    let path = folder.path().join("e.labelwise");
    let durable = Study::create(&path, table(folder.path(), 300), &choices).unwrap().evaluation;
    let metric = durable.settings().metric.clone();
    assert_eq!(durable.forecast(&metric).unwrap(), None);
    assert_eq!(durable.prospect(&metric).unwrap(), None);
}

#[test]
fn a_bar_is_meant_as_the_metric_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e.labelwise");
    let accuracy: Metric = "accuracy".parse().unwrap();
    let choices = Choices { metric: Some(accuracy.clone()), ..Choices::default() };
    let mut durable = Study::create(&path, table(folder.path(), 300), &choices).unwrap().evaluation;
    let bar = |value, side| Threshold {
        value,
        side,
        level: 0.95,
        assurance: Assurance::Anytime,
        target: Target::Pool,
    };
    let verdict = |durable: &Study, value, side| {
        durable.check(&accuracy.clone().into(), None, &bar(value, side)).unwrap().decision.verdict
    };
    assert_eq!(verdict(&durable, 0.5, Side::Above), Verdict::Undecided, "before the first label");
    let rule = WidthRule { half_width: 0.1, level: 0.95, target: Target::Pool };
    assert_eq!(durable.width(&accuracy, &rule).unwrap(), None);
    assert_eq!(durable.prospect(&accuracy).unwrap().unwrap().source, Source::Surrogate);
    let asked = durable.ask(120, &Author::default()).unwrap();
    // Two of three are owls, whatever the model says.
    let answers: Vec<Answer> = asked
        .iter()
        .map(|asked| Answer::new(&asked.id, if asked.item % 3 == 0 { "cat" } else { "owl" }))
        .collect();
    durable.tell(&answers, &Author::default()).unwrap();
    assert_eq!(verdict(&durable, 0.2, Side::Above), Verdict::Met);
    assert_eq!(verdict(&durable, 0.2, Side::Below), Verdict::NotMet);
    assert_eq!(verdict(&durable, 0.95, Side::Above), Verdict::NotMet);
    assert_eq!(verdict(&durable, 0.95, Side::Below), Verdict::Met);
    let (low, high) = durable
        .check(&accuracy.clone().into(), None, &bar(0.5, Side::Above))
        .unwrap()
        .decision
        .interval
        .unwrap();
    let zero_one = durable
        .check(&Metric::plain(LossName::ZeroOne).into(), None, &bar(0.5, Side::Below))
        .unwrap()
        .decision;
    let (least, most) = zero_one.interval.unwrap();
    assert!((least - (1.0 - high)).abs() < 1e-12 && (most - (1.0 - low)).abs() < 1e-12);
    assert!(low < 0.67 && 0.6 < high, "{low} to {high}");
    let progress = durable.width(&accuracy, &rule).unwrap().unwrap();
    assert!(progress.reached == (progress.half_width.unwrap() <= 0.1));
    assert_eq!(durable.prospect(&accuracy).unwrap().unwrap().source, Source::Labels(120));
}

#[test]
fn what_new_foretells_is_what_labels_of_the_bundled_pools_are_worth() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bundled = [
        ("examples/pool.csv", Reading::new().labels("label")),
        ("crates/labelwise-cli/data/digits.csv", Reading::new().probabilities("model_*").labels("label")),
    ];
    for (file, reading) in bundled {
        let table = PoolTable::open(root.join(file), &reading).unwrap();
        for loss in ["accuracy", "cross-entropy"] {
            let choices = Choices { aims: vec![loss.parse().unwrap()], ..Choices::default() };
            let study = Study::in_memory(table.clone(), &choices).unwrap().evaluation;
            let (low, high) = study.expected_gain().unwrap().unwrap();
            let simulation = Simulation::new(&table, &choices).unwrap();
            let labels = 60;
            let errors =
                simulation.conditional_error(&Strategy::LABELWISE, &[labels], 4, 0).unwrap().unwrap();
            let per_draw = 1.0 / labels as f64 - 1.0 / table.rows() as f64;
            let worth = simulation.truth().variance * per_draw / (errors[0] * errors[0]);
            assert!((low..high).contains(&worth), "{file}, {loss}: {worth}, not {low} to {high}");
            // The examples are pools on which choosing pays.
            assert!(worth > 1.4, "{file}, {loss}: {worth}");
            let forecast = study.surrogate_forecast(&study.settings().metric).unwrap().unwrap();
            let spread = errors[0] * errors[0] / per_draw;
            assert!(
                (forecast.spread.low..forecast.spread.high).contains(&spread),
                "{file}, {loss}: {spread}"
            );
            // A proposal that stays as it is promises what its components expect of it.
            let never = Choices { refresh: Some(Times::Never), ..choices };
            let never = Study::in_memory(table.clone(), &never).unwrap().evaluation;
            assert_ne!(never.expected_gain().unwrap(), Some((low, high)));
        }
    }
}
