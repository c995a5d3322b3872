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

mod arrays;
mod files;
mod transfer;

use files::{CLASSES, Files, SIZE, choices, class, probabilities, spread, tell, top, whole};
use labelwise::compare::{Question, Rivals, Versus, standings};
use labelwise::interval::Method;
use labelwise::loss::{Loss, ZeroOne};
use labelwise::{Classification, CrossEntropy, Evaluation, Fixed, Matrix, Pool, Seed};
use labelwise_study::{
    Answer, Author, Choices, CompareError, Error, EstimateOptions, LearnerName, LossName, PoolTable, Reading,
    Reply, Study, SurrogateWish, Unmatched,
};

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
