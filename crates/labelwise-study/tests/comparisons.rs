//! Comparisons in a file: the same draws and the same verdict as in memory, for every kind of predictions; and labels of one
//! evaluation used for another model.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;
use std::path::{Path, PathBuf};

use labelwise::compare::{Question, Rivals, Versus, compare, standings};
use labelwise::interval::Method;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Matrix, Pool, Seed};
use labelwise_study::{
    Answer, Author, Choices, CompareError, Error, EstimateOptions, LearnerName, LossName, MatchError, Metric,
    PoolError, PoolTable, Reading, RecipeName, Reply, Study, SurrogateWish, Times, Unmatched,
};
use tempfile::TempDir;

const SIZE: usize = 120;
const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

/// Numbers that only have to differ, between 0 and 1.
fn spread(item: usize, salt: usize) -> f64 {
    ((item * 2_654_435_761 + salt * 40_503 + 12_345) % 1_000_003) as f64 / 1_000_003.0
}

/// The probabilities of a model; the second agrees with the first on every third item.
fn probabilities(item: usize, model: usize) -> Vec<f64> {
    let model = if item.is_multiple_of(3) { 0 } else { model };
    let parts: Vec<f64> = (0..3).map(|class| 0.02 + spread(item, class + 10 * model).powi(3)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}

fn class(item: usize) -> usize {
    let (u, rows) = (spread(item, 99), probabilities(item, 0));
    if u < rows[0] {
        0
    } else if u < rows[0] + rows[1] {
        1
    } else {
        2
    }
}

fn top(row: &[f64]) -> usize {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap()
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        for model in 0..3 {
            let row = |item: usize| {
                let (p, x) = (probabilities(item, model), spread(item, 50));
                let mean = spread(item, 60)
                    + if item.is_multiple_of(4) { 0.0 } else { 0.2 * spread(item, 61 + model) };
                let words = CLASSES[top(&p)];
                format!("row-{item},{:?},{:?},{:?},{mean},{words},{x}\n", p[0], p[1], p[2])
            };
            let rows: String = (0..SIZE).map(row).collect();
            files.write(
                &format!("{model}.csv"),
                &format!("id,prob_cat,prob_dog,prob_owl,mean,said,x\n{rows}"),
            );
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn table(&self, name: &str, reading: &Reading) -> PoolTable {
        PoolTable::open(self.path(name), reading).unwrap()
    }

    fn beside(&self, models: usize, reading: &Reading) -> PoolTable {
        let models =
            (0..models).map(|model| (model.to_string(), self.table(&format!("{model}.csv"), reading)));
        PoolTable::beside(models.collect(), Unmatched::Refused).unwrap()
    }
}

fn choices(loss: LossName) -> Choices {
    let recipe = RecipeName::RootMeanSquare;
    Choices { metric: Some(Metric::plain(loss)), seed: 5, recipe, ..Choices::default() }
}

fn tell(path: &Path, count: usize, label: impl Fn(usize) -> String) {
    let mut evaluation = Study::open(path).unwrap();
    let asked = evaluation.ask(count, &Author::default()).unwrap();
    let answers: Vec<Answer> = asked.iter().map(|asked| Answer::new(&asked.id, label(asked.item))).collect();
    evaluation.tell(&answers, &Author::default()).unwrap();
}

fn whole() -> impl Fn(usize) -> String {
    |item| CLASSES[class(item)].to_owned()
}

#[test]
fn the_file_and_the_memory_say_the_same() {
    for (models, loss) in [
        (2, LossName::CrossEntropy),
        (2, LossName::ZeroOne),
        (3, LossName::CrossEntropy),
        (3, LossName::ZeroOne),
    ] {
        let files = Files::new();
        let (path, table) = (files.path("ab.labelwise"), files.beside(models, &Reading::new()));
        let created = Study::create(&path, table, &choices(loss)).unwrap();
        let left = created.evaluation.left();
        drop(created);
        tell(&path, left / 2, whole());
        tell(&path, left / 4, whole());
        let told = left / 2 + left / 4;
        let mut durable = Study::open(&path).unwrap();
        let skipped = durable.ask(1, &Author::default()).unwrap().remove(0);
        let skip = Answer { id: skipped.id, reply: Reply::Skip, line: None, note: None, who: None };
        durable.tell(&[skip], &Author::default()).unwrap();

        let rows = |model: usize| {
            let values: Vec<f64> = (0..SIZE).flat_map(|item| probabilities(item, model)).collect();
            Matrix::f64(values, 3).unwrap()
        };
        let all: Vec<Matrix> = (0..models).map(rows).collect();
        let pool = Pool::<Rivals<Classification>>::rivals(&all).unwrap();
        let own = Fixed(pool.own_beliefs().unwrap());
        let plain = || -> Box<dyn Loss<Classification>> {
            match loss {
                LossName::ZeroOne => Box::new(ZeroOne),
                _ => Box::new(CrossEntropy::default()),
            }
        };
        let builder = Evaluation::comparison(pool.clone(), plain(), own).unwrap();
        let mut memory = builder.seed(Seed(5)).build().unwrap();
        memory.run(told, &mut |item| Ok(class(item))).unwrap();
        let last = memory.ask().unwrap().index;
        memory.skip(last).unwrap();
        assert_eq!(durable.left(), memory.left());
        for (drawn, draw) in durable.history().unwrap().zip(memory.draws()) {
            assert_eq!((drawn.item, drawn.q.to_bits()), (draw.index, draw.q.to_bits()), "{loss} of {models}");
        }
        let question = Question::default();
        let versus = Versus::between(plain(), 3, 0, 1);
        let mut ledger = |one, other| memory.ledger_for(&pool, &versus.of(one, Some(other)));
        for baseline in [None, Some(1)] {
            let named = baseline.map(|model: usize| model.to_string());
            let found = durable.compare(&EstimateOptions::default(), named.as_deref()).unwrap();
            let expected = standings(models, baseline, &question, &mut ledger).unwrap();
            assert_eq!((found.reference, found.named), (expected.reference, baseline.is_some()));
            for (model, comparison) in &expected.others {
                let there = found.models[*model].against.as_ref().unwrap();
                let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{loss} of {models}: {a} and {b}");
                close(there.difference(), comparison.difference());
                close(there.p_value.unwrap(), comparison.p_value.unwrap());
                let (there, here) = (there.report.interval.unwrap(), comparison.report.interval.unwrap());
                assert_eq!(there.basis.to_string(), here.basis.to_string());
                close(there.low, here.low);
                close(there.high, here.high);
            }
        }
        // Ties hide what each model loses by itself.
        let found = durable.compare(&EstimateOptions::default(), None).unwrap();
        let ties = durable.settings().ties;
        assert!(ties >= SIZE / 3, "{ties}");
        assert!(found.models.iter().all(|model| model.alone.is_none()));
        assert_eq!(durable.verify(&|_, _| ()).unwrap().largest_difference, 0.0);
        assert!(matches!(
            durable.estimate(&EstimateOptions::default()),
            Err(Error::Compare(CompareError::OneOfMany { .. }))
        ));
    }
}

#[test]
fn every_kind_is_exact_once_all_that_differs_is_labelled() {
    let files = Files::new();
    let said = |item: usize, model: usize| CLASSES[top(&probabilities(item, model))];
    let truth = |item: usize| {
        if item.is_multiple_of(7) { "a kettle".to_owned() } else { CLASSES[class(item)].to_owned() }
    };
    let value = |item: usize, model: usize| {
        spread(item, 60) + if item.is_multiple_of(4) { 0.0 } else { 0.2 * spread(item, 61 + model) }
    };
    let number = |item: usize| spread(item, 60) + 0.1 * spread(item, 70);
    let mean = |of: &dyn Fn(usize) -> f64| (0..SIZE).map(of).sum::<f64>() / SIZE as f64;

    let path = files.path("hard.labelwise");
    Study::create(&path, files.beside(3, &Reading::new().hard("said")), &choices(LossName::ZeroOne)).unwrap();
    let left = Study::read(&path).unwrap().left();
    let agree = (0..SIZE).filter(|&item| said(item, 0) == said(item, 1) && said(item, 0) == said(item, 2));
    assert_eq!(left, SIZE - agree.count());
    tell(&path, left, truth);
    let durable = Study::read(&path).unwrap();
    let found = durable.compare(&EstimateOptions::default(), Some("2")).unwrap();
    for model in 0..2 {
        let wrong = |item: usize, model: usize| f64::from(u8::from(said(item, model) != truth(item)));
        let exact = mean(&|item| wrong(item, model) - wrong(item, 2));
        let there = found.models[model].against.as_ref().unwrap();
        assert!((there.difference() - exact).abs() < 1e-12, "{} and {exact}", there.difference());
    }
    durable.verify(&|_, _| ()).unwrap();
    // Other writing of the same class is no other class.
    let mut again = Study::open(&path).unwrap();
    let id = again.history().unwrap().next().unwrap().id.to_owned();
    let item: usize = id.trim_start_matches("row-").parse().unwrap();
    let shout = said(item, 0).to_uppercase();
    let refused = again.amend(&[Answer::new(&id, shout)], &Author::default()).unwrap_err().to_string();
    assert!(refused.contains("spelled as the model spells it"), "{refused}");

    let path = files.path("values.labelwise");
    let ranged = Choices { range: Some((-1.0, 3.0)), ..choices(LossName::AbsoluteError) };
    Study::create(&path, files.beside(2, &Reading::new().mean("mean")), &ranged).unwrap();
    tell(&path, 60, |item| number(item).to_string());
    let exact = mean(&|item| (value(item, 0) - number(item)).abs() - (value(item, 1) - number(item)).abs());
    for method in [Method::Ordinary, Method::Guaranteed, Method::Anytime { planned: 50 }] {
        let wanted = EstimateOptions { method, ..EstimateOptions::default() };
        let found = Study::read(&path).unwrap().compare(&wanted, Some("1")).unwrap();
        let interval = found.models[0].against.as_ref().unwrap().report.interval.unwrap();
        assert!(interval.covers(exact), "{interval:?} for {exact}");
    }
    tell(&path, 30, |item| number(item).to_string());
    let durable = Study::read(&path).unwrap();
    assert_eq!(durable.left(), 0);
    let found = durable.compare(&EstimateOptions::default(), Some("1")).unwrap();
    assert!((found.models[0].against.as_ref().unwrap().difference() - exact).abs() < 1e-12);
    durable.verify(&|_, _| ()).unwrap();
}

#[test]
fn without_ties_each_model_has_its_own_number() {
    let files = Files::new();
    for model in 0..2 {
        let row = |item: usize| {
            let p = probabilities(3 * item + 1, model);
            format!("row-{item},{:?},{:?},{:?}\n", p[0], p[1], p[2])
        };
        let rows: String = (0..SIZE).map(row).collect();
        files.write(&format!("{model}.csv"), &format!("id,prob_cat,prob_dog,prob_owl\n{rows}"));
    }
    let path = files.path("ab.labelwise");
    Study::create(&path, files.beside(2, &Reading::new()), &choices(LossName::Brier)).unwrap();
    tell(&path, SIZE, |item| CLASSES[class(3 * item + 1)].to_owned());
    let found = Study::read(&path).unwrap().compare(&EstimateOptions::default(), None).unwrap();
    for (model, standing) in found.models.iter().enumerate() {
        let loss = |item: usize| {
            labelwise::loss::Brier.loss(&probabilities(3 * item + 1, model), class(3 * item + 1))
        };
        let exact = (0..SIZE).map(loss).sum::<f64>() / SIZE as f64;
        let alone = standing.alone.as_ref().unwrap().estimate.value;
        assert!((alone - exact).abs() < 1e-9, "{alone} and {exact}");
    }
}

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

#[test]
fn what_cannot_be_compared_is_refused() {
    let files = Files::new();
    files.write("plain.csv", "id,mean\nx,1\ny,2.5\n");
    let plain = || ("p".to_owned(), files.table("plain.csv", &Reading::new().mean("mean")));
    let both = PoolTable::beside(vec![plain(), plain()], Unmatched::Refused).unwrap();
    let refused = |choices: Choices, table: PoolTable| {
        Study::create(files.path("no.labelwise"), table, &choices).unwrap_err()
    };
    let nll = choices(LossName::GaussianNll);
    assert!(matches!(refused(nll, both), Error::Choice(_)));
    let learns =
        Choices { surrogate: Some(SurrogateWish::Learnt(LearnerName::Forest)), ..Choices::default() };
    let table = || files.beside(2, &Reading::new());
    assert!(matches!(refused(learns, table()), Error::Compare(CompareError::Learns)));
    let same = || ("a".to_owned(), files.table("0.csv", &Reading::new()));
    let same = PoolTable::beside(vec![same(), same()], Unmatched::Refused).unwrap();
    let never = refused(Choices::default(), same).to_string();
    assert!(never.starts_with("the two models never differ by this loss"), "{never}");
    assert!(!files.path("no.labelwise").exists());
}

/// Arrays are checked as they are used, and the refusal says what they look like.
#[test]
fn arrays_that_are_percentages_are_named_so() {
    use labelwise::Matrix;
    use labelwise_study::{Choices, Looks, PoolError, PoolTable, Predictions, Study, Unmatched};
    let table = |times: f64| {
        let rows =
            (1..40).flat_map(|item| [times * f64::from(item) / 40.0, times * f64::from(40 - item) / 40.0]);
        let rows = Matrix::f64(rows.collect::<Vec<f64>>(), 2).unwrap();
        PoolTable::new(Predictions::Classes { names: vec!["a".to_owned(), "b".to_owned()], rows })
    };
    let looks = |table: PoolTable| match Study::in_memory(table, &Choices::default()).unwrap_err() {
        labelwise_study::Error::Pool(PoolError::NotProbabilities { guess, .. }) => guess.looks,
        other => panic!("{other}"),
    };
    assert_eq!(looks(table(100.0)), Looks::Percentages);
    assert_eq!(looks(table(1.01)), Looks::Rounded);
    let models = vec![("one".to_owned(), table(1.0)), ("other".to_owned(), table(100.0))];
    assert_eq!(looks(PoolTable::beside(models, Unmatched::Refused).unwrap()), Looks::Percentages);
    let mut with_surrogate = table(1.0);
    with_surrogate.surrogates.push(table(100.0).predictions);
    assert_eq!(looks(with_surrogate), Looks::Percentages);
}
