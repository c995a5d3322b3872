//! A simulated run is the evaluation that a file would be: the same items with the same q, and the same estimate.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use labelwise_study::simulate::{Plan, RunDetail, Simulation, Stop, Strategy, Unsuited};
use labelwise_study::{
    Answer, AnswerOptions, Answered, Author, Choices, DesignWish, EstimateOptions, Labels, LearnerName,
    Measurable, PoolTable, Reading, RecipeName, Study, SurrogateWish, Times,
};

const SIZE: usize = 120;

fn spread(item: usize, salt: usize) -> f64 {
    let hash = (item * 2_654_435_761 + salt * 40_503 + 12_345) % 1_000_003;
    hash as f64 / 1_000_003.0
}

/// A pool of two classes and of values. Logistic regression does not survive the feature `huge` of a few items.
fn table(reading: &Reading) -> PoolTable {
    let row = |item: usize| {
        let (x, z) = (spread(item, 1), spread(item, 2));
        let label = if spread(item, 3) > x { "b" } else { "a" };
        let huge = if item.is_multiple_of(40) { 1e160 } else { z };
        format!(
            "i{item},{:.4},{:.4},{:.4},{x:.4},{z:.4},{huge:e},{label},{:.4}\n",
            0.1 + 0.8 * x,
            0.9 - 0.8 * x,
            3.0 * x,
            3.0 * x + z
        )
    };
    let rows: String = (0..SIZE).map(row).collect();
    let text = format!("id,prob_a,prob_b,mean,x1,x2,huge,label,value\n{rows}");
    PoolTable::from_csv("pool", std::io::Cursor::new(text), reading).unwrap()
}

fn classes(features: &str) -> PoolTable {
    table(&Reading::new().probabilities("prob_*").features(features).labels("label"))
}

fn learns(learner: LearnerName, every: usize) -> Choices {
    let (surrogate, retrain) = (Some(SurrogateWish::Learnt(learner)), Some(Times::Every(every)));
    Choices { surrogate, retrain, seed: 3, ..Choices::default() }
}

/// Whether each proposal of the file could learn, in order.
fn compare(
    table: &PoolTable,
    strategy: &Strategy,
    base: &Choices,
    file: &Choices,
    labels: usize,
) -> Vec<bool> {
    let RunDetail { draws, report } =
        Simulation::new(table, base).unwrap().once(strategy, labels, file.seed, 0.95).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut kept = Study::create(folder.path().join("e.labelwise"), table.clone(), file).unwrap().evaluation;
    let mut learnt = Vec::new();
    for draw in &draws {
        let asked = kept.ask(1, &Author::default()).unwrap().remove(0);
        assert_eq!(asked.item, draw.index, "draw {}", asked.place);
        let label = match table.labels.as_ref().unwrap() {
            Labels::Classes(places) => ["a", "b"][places[draw.index] as usize].to_owned(),
            Labels::Values(values) => values[draw.index].to_string(),
        };
        kept.tell(&[Answer::new(asked.id, label)], &Author::default()).unwrap();
        if kept.refreshes() > learnt.len() {
            learnt.push(kept.fell_back().unwrap().is_none());
        }
    }
    let qs: Vec<f64> = kept.history().unwrap().map(|draw| draw.q).collect();
    assert_eq!(qs, draws.iter().map(|draw| draw.q).collect::<Vec<_>>());
    let wanted = EstimateOptions { estimator: strategy.estimator, ..EstimateOptions::default() };
    assert_eq!(kept.estimate(&wanted).unwrap()[0].report, report);
    learnt
}

#[test]
fn runs_and_files_draw_the_same_across_refits() {
    // Refits before there are labels enough are refits, too.
    for (learner, every) in [(LearnerName::Forest, 25), (LearnerName::Logistic, 10)] {
        let choices = learns(learner, every);
        let learnt = compare(&classes("x*"), &Strategy::LABELWISE, &choices, &choices, 70);
        assert_eq!(learnt, vec![true; 1 + 69 / every], "{learner}");
    }
    let values = table(&Reading::new().mean("mean").features("x*").labels("value"));
    let choices = learns(LearnerName::Linear, 20);
    assert_eq!(compare(&values, &Strategy::LABELWISE, &choices, &choices, 70), [true; 4]);
}

#[test]
fn runs_and_files_draw_the_same_across_refits_that_fail() {
    let choices = learns(LearnerName::Logistic, 4);
    let learnt = compare(&classes("huge"), &Strategy::LABELWISE, &choices, &choices, 70);
    // From 20 labels on there is something to learn from, and then comes an item that spoils it.
    assert!(learnt[5..].contains(&true) && learnt[5..].contains(&false), "{learnt:?}");
}

#[test]
fn every_strategy_is_a_choice_of_a_file() {
    let (table, base) = (classes("x*"), learns(LearnerName::Forest, 20));
    // The paper's clip is of the items left at every step, of scores that stay or that change at every step.
    let own = Choices { surrogate: Some(SurrogateWish::Own), seed: 3, ..Choices::default() };
    for base in [own, learns(LearnerName::Logistic, 1)] {
        let paper = Choices { recipe: RecipeName::Paper, ..base.clone() };
        compare(&table, &Strategy::PAPER, &base, &paper, 60);
    }
    let (surrogate, retrain) = (Some(SurrogateWish::Nothing), None);
    compare(&table, &Strategy::UNIFORM, &base, &Choices { surrogate, retrain, ..base.clone() }, 60);
    // Before the first label, a learner without rows of its own believes what the model says.
    let design = DesignWish::Stratified { budget: 60, strata: None };
    let own = Choices { surrogate: Some(SurrogateWish::Own), design, retrain: None, ..base.clone() };
    compare(&table, &Strategy::STRATIFIED, &base, &own, 60);
}

#[test]
fn runs_are_the_repetitions_of_the_seed() {
    let (table, choices) = (classes("x*"), Choices::default());
    let simulation = Simulation::new(&table, &choices).unwrap();
    let found = simulation.run(&Strategy::ALL, &Plan::new(30, 3, 8, 0.9), &|| ()).unwrap();
    for (strategy, result) in Strategy::ALL.iter().zip(&found[0].strategies) {
        for (run, outcome) in (0..).zip(&result.outcomes) {
            let seed = labelwise::Seed(8).repetition(run).0;
            let report = simulation.once(strategy, 30, seed, 0.9).unwrap().report;
            assert_eq!(outcome.estimate, report.estimate.value, "{}", strategy.key);
            let ends = outcome.interval.map(|interval| (interval.low, interval.high));
            assert_eq!(ends, report.interval.map(|interval| (interval.low, interval.high)));
        }
    }
}

#[test]
fn strategies_that_do_not_suit_the_pool_are_refused() {
    let values = table(&Reading::new().mean("mean").labels("value"));
    let simulation = Simulation::new(&values, &Choices::default()).unwrap();
    let unsuited = |strategy: &Strategy| strategy.unsuited(simulation.settings());
    assert_eq!(unsuited(&Strategy::LABELWISE), None);
    for strategy in [Strategy::PAPER, Strategy::STRATIFIED] {
        assert_eq!(unsuited(&strategy), Some(Unsuited::NoSurrogate));
        let refused = simulation.once(&strategy, 20, 0, 0.95).unwrap_err();
        assert_eq!(refused.code(), "nothing-to-score-by");
    }
}

#[test]
fn what_may_be_told_is_what_a_simulation_takes() {
    let told = |predicted: &str, label: &str| {
        let text = format!("class,label\n{predicted},{label}\nc,c\nd,d\nc,d\n");
        let table = PoolTable::from_csv(
            "pool",
            std::io::Cursor::new(text),
            &Reading::new().hard("class").labels("label"),
        );
        Simulation::new(&table.unwrap(), &Choices::default()).map(|simulation| simulation.truth().risk)
    };
    assert_eq!(told("a", "b").unwrap(), 0.5);
    // As numbers they are the same class.
    assert_eq!(told("3", "3.0").unwrap(), 0.25);
    let refused = told("cat", "Cat").unwrap_err();
    assert!(refused.to_string().contains("item \"0\" has label \"Cat\""), "{refused}");
}

#[test]
fn a_simulation_needs_every_label_and_a_possible_budget() {
    let code = |refused: labelwise_study::Error| refused.code();
    let unlabelled = table(&Reading::new().probabilities("prob_*"));
    assert_eq!(code(Simulation::new(&unlabelled, &Choices::default()).err().unwrap()), "no-known-labels");
    let mut numbers = classes("x*");
    numbers.labels = Some(Labels::Values(vec![0.5; SIZE]));
    assert_eq!(code(Simulation::new(&numbers, &Choices::default()).err().unwrap()), "known-labels");
    let simulation = Simulation::new(&classes("x*"), &Choices::default()).unwrap();
    for labels in [0, SIZE + 1] {
        let run = simulation.run(&Strategy::ALL, &Plan::new(labels, 1, 0, 0.95), &|| ());
        assert_eq!(code(run.unwrap_err()), "budget");
        assert_eq!(code(simulation.once(&Strategy::UNIFORM, labels, 0, 0.95).unwrap_err()), "budget");
    }
}

/// A metric that is not an average: a run says what the file says, and its truth is that of all labels.
#[test]
fn other_metrics_are_those_of_the_file() {
    let table = classes("x1");
    for name in ["f1", "recall", "f1_macro", "matthews_corrcoef", "roc_auc"] {
        let metric: Measurable = name.parse().unwrap();
        let positive = metric.score().unwrap().score.needs_positive().then(|| "b".to_owned());
        let choices = Choices { aims: vec![metric], positive, seed: 7, ..Choices::default() };
        let simulation = Simulation::new(&table, &choices).unwrap();
        let mut plan = Plan::new(70, 3, 5, 0.95);
        plan.stops.push(Stop { labels: SIZE, interval: true });
        let found = simulation.run(&[Strategy::UNIFORM, Strategy::LABELWISE], &plan, &|| ()).unwrap();
        for result in &found[1].strategies {
            // With every label there is nothing to estimate.
            assert!(result.root_mean_squared_error < 1e-12, "{name}: {result:?}");
            assert_eq!((result.coverage, result.uniform_labels), (Some(1.0), None), "{name}");
        }
        let own = found[0].strategies[1].outcomes[0];
        let seed = labelwise::Seed(5).repetition(0).0;
        let folder = tempfile::tempdir().unwrap();
        let choices = Choices { seed, ..choices };
        let made = Study::create(folder.path().join("e.labelwise"), table.clone(), &choices).unwrap();
        let mut kept = made.evaluation;
        for _ in 0..70 {
            let asked = kept.ask(1, &Author::default()).unwrap().remove(0);
            let Labels::Classes(places) = table.labels.as_ref().unwrap() else { panic!("classes") };
            let label = ["a", "b"][places[asked.item] as usize];
            kept.tell(&[Answer::new(asked.id, label)], &Author::default()).unwrap();
        }
        let Answered::Scores(scores) = kept.answers(&AnswerOptions::default()).unwrap().remove(0) else {
            panic!("{name} is not an average")
        };
        assert!(
            (scores[0].value.clone().unwrap() - own.estimate).abs() < 1e-12,
            "{name}: {:?}, {own:?}",
            scores[0]
        );
        let (low, high) = scores[0].interval.unwrap();
        let interval = own.interval.unwrap();
        assert!((low - interval.low).abs() + (high - interval.high).abs() < 1e-12, "{name}");
    }
    let several =
        Choices { aims: vec!["f1_macro".parse().unwrap(), "mcc".parse().unwrap()], ..Choices::default() };
    let error = Simulation::new(&table, &several).err().unwrap().to_string();
    assert!(error.contains("name one of them"), "{error}");
    let table_of_gaps = Choices { aims: vec!["calibration".parse().unwrap()], ..Choices::default() };
    let error = Simulation::new(&table, &table_of_gaps).err().unwrap().to_string();
    assert!(error.contains("calibration is a table"), "{error}");
}
