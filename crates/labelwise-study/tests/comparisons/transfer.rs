//! Labels of one evaluation, used for another model.

use std::fs;

use labelwise::compare::{Question, Rivals, Versus, compare};
use labelwise::interval::Method;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Matrix, Pool, Seed};
use labelwise_study::{
    Choices, CompareError, Error, EstimateOptions, LearnerName, LossName, MatchError, PoolError, Reading,
    Study, SurrogateWish, Times,
};

use crate::files::{Files, SIZE, choices, class, probabilities, tell, top, whole};

#[test]
fn labels_of_one_model_serve_another() {
    let files = Files::new();
    let path = files.path("a.labelwise");
    Study::create(&path, files.table("0.csv", &Reading::new()), &choices(LossName::CrossEntropy)).unwrap();
    tell(&path, 60, whole());
    let durable = Study::read(&path).unwrap();
    let other = files.table("1.csv", &Reading::new());
    let found = durable.compare_with(&other, &EstimateOptions::default()).unwrap();

    let matrix = |model: usize| {
        let values: Vec<f64> = (0..SIZE).flat_map(|item| probabilities(item, model)).collect();
        Matrix::f64(values, 3).unwrap()
    };
    let (one, two) = (Pool::classification(matrix(0)).unwrap(), Pool::classification(matrix(1)).unwrap());
    let pair = Pool::<Rivals<Classification>>::rivals(&[matrix(0), matrix(1)]).unwrap();
    let surrogate = Fixed(one.own_beliefs().unwrap());
    let loss = CrossEntropy::default();
    let mut memory = Evaluation::builder(one, loss, surrogate).seed(Seed(5)).build().unwrap();
    let versus = Versus::between(loss, 3, 0, 1);
    let tied = labelwise::compare::ties(&pair, &versus);
    let costs = (memory.cost_for(&two, &loss, &[]).unwrap(), memory.cost_for(&pair, &versus, &tied).unwrap());
    assert_eq!((found.other_cost, found.difference_cost), costs);
    assert!(costs.1.unwrap() > 1.2 && found.unknown == 0, "{costs:?}");
    memory.run(60, &mut |item| Ok(class(item))).unwrap();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} and {b}");
    let theirs = memory.ledger_for(&two, &loss).unwrap().report(labelwise::Target::Pool, 0.95).unwrap();
    close(found.other.estimate.value, theirs.estimate.value);
    close(found.other.interval.unwrap().high, theirs.interval.unwrap().high);
    let verdict = compare(&memory.ledger_for(&pair, &versus).unwrap(), &Question::default()).unwrap();
    close(found.difference.difference(), verdict.difference());
    close(found.difference.p_value.unwrap(), verdict.p_value.unwrap());
    // Draws made for one loss serve another, of both models.
    let accuracy =
        EstimateOptions { metrics: vec!["accuracy".parse().unwrap()], ..EstimateOptions::default() };
    let wrong = Versus::between(ZeroOne, 3, 0, 1);
    let by_error = compare(&memory.ledger_for(&pair, &wrong).unwrap(), &Question::default()).unwrap();
    let found = durable.compare_with(&other, &accuracy).unwrap();
    assert_eq!(found.metric.name, "accuracy");
    close(found.difference.difference(), by_error.difference());
    assert_ne!(by_error.difference(), verdict.difference());
    for method in [Method::Guaranteed, Method::Anytime { planned: 60 }] {
        durable.compare_with(&other, &EstimateOptions { method, ..EstimateOptions::default() }).unwrap();
    }

    // A model that knows nothing of items that were never asked for does as well, without guarantees.
    let asked: Vec<usize> = durable.history().unwrap().map(|draw| draw.item).collect();
    let text = fs::read_to_string(files.path("1.csv")).unwrap();
    let without = |left: &dyn Fn(usize) -> bool| -> String {
        let lines = text.lines().enumerate().filter(|(line, _)| *line == 0 || !left(line - 1));
        lines.map(|(_, line)| format!("{line}\n")).collect()
    };
    files.write("part.csv", &without(&|item| !asked.contains(&item) && item % 2 == 0));
    let part =
        durable.compare_with(&files.table("part.csv", &Reading::new()), &EstimateOptions::default()).unwrap();
    assert!(part.unknown > 10 && part.other_cost.is_none());
    assert!((part.difference.difference() - verdict.difference()).abs() < 0.2);
    let guaranteed = EstimateOptions { method: Method::Guaranteed, ..EstimateOptions::default() };
    assert!(durable.compare_with(&files.table("part.csv", &Reading::new()), &guaranteed).is_err());
    let first = asked[0];
    files.write("less.csv", &without(&|item| item == first));
    let refused =
        durable.compare_with(&files.table("less.csv", &Reading::new()), &EstimateOptions::default());
    assert!(
        matches!(refused, Err(Error::Compare(CompareError::Drawn { missing: 1, drawn: 60, .. }))),
        "{refused:?}"
    );
}

#[test]
fn a_surrogate_that_learns_and_words_serve_another_model_too() {
    let files = Files::new();
    let learns = Choices {
        surrogate: Some(SurrogateWish::Learnt(LearnerName::Forest)),
        retrain: Some(Times::Every(25)),
        ..choices(LossName::Brier)
    };
    let path = files.path("a.labelwise");
    let reading = Reading::new().features("x");
    Study::create(&path, files.table("0.csv", &reading), &learns).unwrap();
    for _ in 0..4 {
        tell(&path, 25, whole());
    }
    let durable = Study::read(&path).unwrap();
    assert!(durable.refreshes() > 3);
    let other = files.table("2.csv", &Reading::new());
    let found = durable.compare_with(&other, &EstimateOptions::default()).unwrap();
    let exact = |model: usize| {
        let loss = |item| labelwise::loss::Brier.loss(&probabilities(item, model), class(item));
        (0..SIZE).map(loss).sum::<f64>() / SIZE as f64
    };
    assert!(found.other.interval.unwrap().covers(exact(2)), "{} for {}", found.other, exact(2));
    tell(&path, 20, whole());
    let durable = Study::read(&path).unwrap();
    let found = durable.compare_with(&other, &EstimateOptions::default()).unwrap();
    assert!((found.other.estimate.value - exact(2)).abs() < 1e-9);
    assert!((found.difference.difference() - (exact(0) - exact(2))).abs() < 1e-9);

    let path = files.path("hard.labelwise");
    let hard = Reading::new().hard("said");
    Study::create(&path, files.table("0.csv", &hard), &choices(LossName::ZeroOne)).unwrap();
    tell(&path, SIZE, whole());
    let durable = Study::read(&path).unwrap();
    let found = durable.compare_with(&files.table("1.csv", &hard), &EstimateOptions::default()).unwrap();
    let wrong = |model: usize| {
        let wrong = |item: &usize| top(&probabilities(*item, model)) != class(*item);
        (0..SIZE).filter(wrong).count() as f64 / SIZE as f64
    };
    assert!((found.other.estimate.value - wrong(1)).abs() < 1e-12);
    assert!((found.difference.difference() - (wrong(0) - wrong(1))).abs() < 1e-12);
    let kinds = durable.compare_with(&other, &EstimateOptions::default());
    assert!(matches!(kinds, Err(Error::Pool(PoolError::Match(MatchError::Kinds { .. })))), "{kinds:?}");
}
