//! The example that measures real pools, on a small one: it is part of this test, so that it cannot be forgotten.

use std::fs;
use std::path::Path;

use labelwise_images::{Part, Set, read};
use tempfile::tempdir;

use crate::digits::data;

#[path = "../../examples/pools/main.rs"]
#[allow(dead_code, reason = "its `main` is run by people")]
mod example;

/// Probabilities of the digits: every tenth is wrong, and not all are equally sure.
fn write_pool(path: &Path, labels: &[u8]) {
    let mut text =
        "labels,".to_owned() + &(0..10).map(|class| format!("prob_{class}")).collect::<Vec<_>>().join(",");
    for (item, &label) in labels.iter().enumerate() {
        let said = if item % 10 == 3 { (usize::from(label) + 1) % 10 } else { usize::from(label) };
        let sure = 0.55 + 0.04 * (item % 11) as f64;
        let row = (0..10).map(|class| if class == said { sure } else { (1.0 - sure) / 9.0 });
        text.push_str(&format!("\n{label},{}", row.map(|p| p.to_string()).collect::<Vec<_>>().join(",")));
    }
    fs::write(path, text).unwrap();
}

/// What the example prints, or refuses with.
fn printed(arguments: &[&str]) -> Result<String, String> {
    let mut out = Vec::new();
    let arguments = arguments.iter().map(|&argument| argument.to_owned());
    example::run(arguments, &mut out).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn a_pool_is_measured_with_every_strategy_and_surrogate() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("pool.csv");
    let labels = read(Set::Mnist, Part::Test, data()).unwrap().labels().to_vec();
    write_pool(&path, &labels);
    let (pool, digits) = (path.to_str().unwrap(), data().to_str().unwrap());
    let few = ["--data", digits, "--train", "300", "--items", "450", "--runs", "20"];
    let text = printed(&[&[pool, "mnist"], &few[..]].concat()).unwrap();
    let wrong = (0..labels.len()).filter(|item| item % 10 == 3).count() as f64;
    let accuracy = 1.0 - wrong / labels.len() as f64;
    let first = text.lines().next().unwrap();
    assert!(first.starts_with(&format!("MNIST: accuracy {accuracy:.4}, cross-entropy ")), "{first}");
    assert!(first.ends_with("; 20 runs, seed 0") && first.contains("from 300 training images"), "{first}");
    let rows: Vec<Vec<&str>> =
        text.lines().skip(4).map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), 2 * 7, "{text}");
    for (place, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), 13, "{row:?}");
        let strategies = ["uniform", "the paper's recipe", "our default"];
        let surrogates = ["the model", "forest", "model and forest"];
        let expected = match place % 7 {
            0 => ("uniform", "none"),
            of => (strategies[1 + (of - 1) / 3], surrogates[(of - 1) % 3]),
        };
        assert_eq!((row[2], (row[3], row[4])), (["cross-entropy", "accuracy"][place / 7], expected));
        for cell in [5, 7, 9, 11] {
            // Costs, which for uniform sampling are 1; those beyond all labels say so.
            let cost: f64 = row[cell].trim_start_matches("> ").parse().unwrap();
            assert!(cost > 0.0 && (place % 7 != 0 || cost == 1.0), "{row:?}");
        }
        for cell in [6, 8, 10] {
            // Of 20 intervals that should cover 19 times, a strategy that is right loses few.
            let covered: f64 = row[cell].strip_suffix(" %").unwrap().parse().unwrap();
            assert!((60.0..=100.0).contains(&covered), "{row:?}");
        }
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let usage = "pools POOL.npz SET [--data FOLDER] [--train N] [--items N] [--runs N] [--seed N]";
    assert_eq!(printed(&["pool.npz"]).unwrap_err(), usage);
    assert_eq!(
        printed(&["pool.npz", "mnist", "--runs"]).unwrap_err(),
        format!("--runs needs a value: {usage}")
    );
    let unknown = printed(&["pool.npz", "mnist", "--run", "3"]).unwrap_err();
    assert_eq!(unknown, format!("--run is no option: {usage}"));
    let folder = tempdir().unwrap();
    let path = folder.path().join("pool.csv");
    write_pool(&path, &[1; 30]);
    let other =
        printed(&[path.to_str().unwrap(), "mnist", "--data", data().to_str().unwrap(), "--train", "300"]);
    assert_eq!(other.unwrap_err(), "the labels of the pool are not those of the test images, in their order");
}
