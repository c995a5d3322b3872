//! An evaluation tried out in memory is the one that a file would be: the same items, with the same q.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;
use std::path::Path;

use labelwise::evaluation::Builder;
use labelwise::surrogate::Surrogate;
use labelwise::{Seed, Task};
use labelwise_study::{
    Answer, AnyTrial, By, Choices, LearnerName, PoolTable, Reading, Study, SurrogateWish, Times, Trial, Tried,
};

const SIZE: usize = 120;

fn spread(item: usize, salt: usize) -> f64 {
    let hash = (item * 2_654_435_761 + salt * 40_503 + 12_345) % 1_000_003;
    hash as f64 / 1_000_003.0
}

fn csv() -> String {
    let row = |item: usize| {
        let (x, z) = (spread(item, 1), spread(item, 2));
        // The last feature is the same everywhere, which a plain least squares fit does not survive.
        format!("{item},{:.4},{:.4},{:.4},{x:.4},{z:.4},1\n", 0.1 + 0.8 * x, 0.9 - 0.8 * x, 3.0 * x)
    };
    let rows: String = (0..SIZE).map(row).collect();
    format!("id,prob_a,prob_b,mean,x1,x2,x3\n{rows}")
}

/// Draws of a file, one by one, and of the trial, until so many labels.
fn compare<T: Task>(
    path: &Path,
    table: PoolTable,
    choices: &Choices,
    trial: &Trial<T>,
    label: impl Fn(usize) -> (String, T::Label),
) {
    let surrogate: Box<dyn Surrogate<T>> = (trial.surrogate)();
    let builder: Builder<T> = (trial.begin)(surrogate).unwrap();
    let mut tried = builder.seed(Seed(choices.seed)).build().unwrap();
    let mut kept = Study::create(path, table, choices).unwrap().evaluation;
    for _ in 0..70 {
        let (draw, asked) = (tried.ask().unwrap(), kept.ask(1, &By::default()).unwrap().remove(0));
        assert_eq!(draw.index, asked.item);
        let (text, label) = label(draw.index);
        tried.tell(draw.index, label).unwrap();
        kept.tell(&[Answer::new(asked.id, text)], &By::default()).unwrap();
    }
    let qs: Vec<f64> = kept.history().unwrap().map(|draw| draw.q).collect();
    assert_eq!(qs, tried.draws().iter().map(|draw| draw.q).collect::<Vec<_>>());
    assert!(kept.refreshes() > 2, "{} refreshes", kept.refreshes());
}

#[test]
fn trials_and_files_draw_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let pool = folder.path().join("pool.csv");
    fs::write(&pool, csv()).unwrap();
    let choices = |learner, every| Choices {
        surrogate: Some(SurrogateWish::Learnt(learner)),
        retrain: Some(Times::Every(every)),
        seed: 3,
        ..Choices::default()
    };
    // Refits before there are labels enough are refits, too.
    for (learner, every) in [(LearnerName::Forest, 25), (LearnerName::Logistic, 10)] {
        let table =
            || PoolTable::open(&pool, &Reading::new().probabilities("prob_*").features("x*")).unwrap();
        let choices = choices(learner, every);
        let Tried { trial: AnyTrial::Classes(trial), .. } = Tried::new(&table(), &choices).unwrap() else {
            panic!("classes")
        };
        let label = |item: usize| {
            let class = usize::from(spread(item, 3) > spread(item, 1));
            (["a", "b"][class].to_owned(), class)
        };
        compare(&folder.path().join(format!("{learner}.labelwise")), table(), &choices, &trial, label);
    }
    let table = || PoolTable::open(&pool, &Reading::new().mean("mean").features("x*")).unwrap();
    let choices = choices(LearnerName::Linear, 20);
    let Tried { trial: AnyTrial::Values(trial), .. } = Tried::new(&table(), &choices).unwrap() else {
        panic!("values")
    };
    let label = |item: usize| {
        let value = 3.0 * spread(item, 1) + spread(item, 2);
        (value.to_string(), value)
    };
    compare(&folder.path().join("linear.labelwise"), table(), &choices, &trial, label);
}
