//! Pools of three models in files.

use std::fs;
use std::path::{Path, PathBuf};

use labelwise_study::{
    Answer, Author, Choices, LossName, Metric, PoolTable, Reading, RecipeName, Study, Unmatched,
};
use tempfile::TempDir;

pub(crate) const SIZE: usize = 120;
pub(crate) const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

/// Numbers that only have to differ, between 0 and 1.
pub(crate) fn spread(item: usize, salt: usize) -> f64 {
    ((item * 2_654_435_761 + salt * 40_503 + 12_345) % 1_000_003) as f64 / 1_000_003.0
}

/// The probabilities of a model; the second agrees with the first on every third item.
pub(crate) fn probabilities(item: usize, model: usize) -> Vec<f64> {
    let model = if item.is_multiple_of(3) { 0 } else { model };
    let parts: Vec<f64> = (0..3).map(|class| 0.02 + spread(item, class + 10 * model).powi(3)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}

pub(crate) fn class(item: usize) -> usize {
    let (u, rows) = (spread(item, 99), probabilities(item, 0));
    if u < rows[0] {
        0
    } else if u < rows[0] + rows[1] {
        1
    } else {
        2
    }
}

pub(crate) fn top(row: &[f64]) -> usize {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap()
}

pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
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

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn table(&self, name: &str, reading: &Reading) -> PoolTable {
        PoolTable::open(self.path(name), reading).unwrap()
    }

    pub(crate) fn beside(&self, models: usize, reading: &Reading) -> PoolTable {
        let models =
            (0..models).map(|model| (model.to_string(), self.table(&format!("{model}.csv"), reading)));
        PoolTable::beside(models.collect(), Unmatched::Refused).unwrap()
    }
}

pub(crate) fn choices(loss: LossName) -> Choices {
    let recipe = RecipeName::RootMeanSquare;
    Choices { metric: Some(Metric::plain(loss)), seed: 5, recipe, ..Choices::default() }
}

pub(crate) fn tell(path: &Path, count: usize, label: impl Fn(usize) -> String) {
    let mut evaluation = Study::open(path).unwrap();
    let asked = evaluation.ask(count, &Author::default()).unwrap();
    let answers: Vec<Answer> = asked.iter().map(|asked| Answer::new(&asked.id, label(asked.item))).collect();
    evaluation.tell(&answers, &Author::default()).unwrap();
}

pub(crate) fn whole() -> impl Fn(usize) -> String {
    |item| CLASSES[class(item)].to_owned()
}
