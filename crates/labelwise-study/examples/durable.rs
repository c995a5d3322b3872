//! An evaluation in a file: made, asked and told by processes that know nothing of each other.

use std::error::Error;
use std::fs;
use std::path::Path;

use labelwise_study::{Answer, Author, Choices, EstimateOptions, PoolTable, Reading, Study, now};

/// Asks for items and records their labels, as one process of many would. When it returns, the labels are on disk.
fn label_some(file: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let mut study = Study::open(file)?;
    let by = Author { who: "ada".to_owned(), at: now(), key: None };
    // You would ask a person. Here, an item is spam if its number is even, which the model does not always see.
    let label = |item: usize| if item.is_multiple_of(2) { "spam" } else { "ham" };
    let asked = study.ask(count, &by)?;
    let answers: Vec<Answer> = asked.iter().map(|one| Answer::new(&*one.id, label(one.item))).collect();
    study.tell(&answers, &by)?;
    Ok(())
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("labelwise-durable-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let (pool, file) = (folder.join("pool.csv"), folder.join("spam.labelwise"));
    let rows = (0..500_usize).map(|item| {
        let spam = if item.is_multiple_of(2) != item.is_multiple_of(9) { 0.8 } else { 0.3 };
        format!("mail-{item},{spam},{}\n", 1.0 - spam)
    });
    fs::write(&pool, rows.fold("id,prob_spam,prob_ham\n".to_owned(), |text, row| text + &row))?;

    Study::create(
        &file,
        PoolTable::open(&pool, &Reading::new())?,
        &Choices { seed: 7, ..Choices::default() },
    )?;
    for _ in 0..3 {
        label_some(&file, 20)?; // each may be another process, another person, another day
    }
    println!("{}", Study::read(&file)?.estimate(&EstimateOptions::default())?.remove(0));
    Ok(fs::remove_dir_all(&folder)?)
}
