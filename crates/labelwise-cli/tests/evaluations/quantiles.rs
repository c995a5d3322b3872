//! Predicted quantiles under the pinball loss, from the pool to a verified estimate and a page.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, spread};

const SIZE: usize = 200;

/// Noise that is wide for large predictions, about 0.
fn label(item: usize) -> f64 {
    10.0 * spread(item, 1) + (1.0 + 4.0 * spread(item, 1)) * (spread(item, 2) - 0.5)
}

fn prediction(item: usize) -> f64 {
    10.0 * spread(item, 1) + 0.8
}

/// The mean pinball loss over the whole pool, as scikit-learn defines it.
fn truth(level: f64) -> f64 {
    let loss = |item: usize| {
        let above = label(item) - prediction(item);
        if above >= 0.0 { level * above } else { (level - 1.0) * above }
    };
    (0..SIZE).map(loss).sum::<f64>() / SIZE as f64
}

fn pool() -> Folder {
    let folder = Folder::new();
    let (mut rows, mut judged) =
        (String::from("id,prediction,doubt,x1\n"), String::from("id,prediction,doubt,y\n"));
    for item in 0..SIZE {
        let doubt = 0.1 + spread(item, 1);
        let row = format!("row-{item},{:.6},{doubt:.6}", prediction(item));
        writeln!(rows, "{row},{:.6}", spread(item, 1)).unwrap();
        writeln!(judged, "{row},{:.6}", label(item)).unwrap();
    }
    folder.write("pool.csv", &rows);
    folder.write("judged.csv", &judged);
    folder
}

fn number(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn quantiles_from_the_pool_to_the_truth() {
    let folder = pool();
    let values = ["--mean", "prediction", "--variance", "doubt"];
    folder.run(
        &[&["new", "pool.csv", "--out", "own.labelwise", "--loss", "pinball-0.9"], &values[..]].concat(),
    );
    folder.run(
        &[
            &["new", "pool.csv", "--out", "both.labelwise", "--loss", "pinball(0.9),quantile-0.1"],
            &values[..],
        ]
        .concat(),
    );
    folder.run(&[
        "new",
        "pool.csv",
        "--out",
        "forest.labelwise",
        "--loss",
        "pinball-0.9",
        "--mean",
        "prediction",
        "--features",
        "x1",
        "--retrain",
        "20",
    ]);
    for evaluation in ["own.labelwise", "both.labelwise", "forest.labelwise"] {
        folder.label(evaluation, 80, |item| format!("{:.6}", label(item)));
        folder.run(&["verify", evaluation]);
        let said = number(&folder, &["estimate", evaluation, "--loss", "pinball-0.9"]);
        let said = said.get(0).unwrap_or(&said);
        let (low, high) = (said["low"].as_f64().unwrap(), said["high"].as_f64().unwrap());
        // Wide enough for any seed of a test: four half-widths.
        assert!((said["estimate"].as_f64().unwrap() - truth(0.9)).abs() < 2.0 * (high - low), "{said}");
    }
    // A level that nobody named before: the one proposal is made again from the pool in the file.
    let other = number(&folder, &["estimate", "own.labelwise", "--loss", "pinball-0.25"]);
    let (low, high) = (other["low"].as_f64().unwrap(), other["high"].as_f64().unwrap());
    assert!((other["estimate"].as_f64().unwrap() - truth(0.25)).abs() < 2.0 * (high - low), "{other}");
    folder.run(&["report", "own.labelwise", "--out", "own.html"]);
    folder.run(&["plan", "own.labelwise", "--half-width", "0.1"]);

    // With every label, each level is the truth itself, and the median's is half the absolute error.
    folder.label("own.labelwise", SIZE - 80, |item| format!("{:.6}", label(item)));
    let whole = |loss: &str| {
        number(&folder, &["estimate", "own.labelwise", "--loss", loss])["estimate"].as_f64().unwrap()
    };
    for (name, level) in [("pinball-0.9", 0.9), ("quantile-0.05", 0.05), ("mean_pinball_loss", 0.5)] {
        assert!((whole(name) - truth(level)).abs() < 2e-6, "{name}");
    }
    assert!((whole("mae") - 2.0 * whole("pinball-0.5")).abs() < 1e-12);
    folder.run(&["verify", "own.labelwise"]);

    let mut story = vec![
        folder.transcript(&["estimate", "own.labelwise"]),
        folder.transcript(
            &[
                &[
                    "new",
                    "pool.csv",
                    "--out",
                    "ranged.labelwise",
                    "--loss",
                    "pinball-0.9",
                    "--range",
                    "-10,20",
                ],
                &values[..],
            ]
            .concat(),
        ),
        // The surrogate learnt in between: beliefs of earlier proposals are gone.
        folder.transcript(&["estimate", "forest.labelwise", "--loss", "pinball-0.5"]),
    ];
    let simulate = [
        "simulate",
        "judged.csv",
        "--label-column",
        "y",
        "--loss",
        "pinball-0.9",
        "--runs",
        "20",
        "--budget",
        "20",
    ];
    let simulated = folder.run(&[&simulate[..], &values[..]].concat());
    assert!(simulated.contains("mean pinball loss of level 0.9"), "{simulated}");
    for loss in ["pinball-1.5", "pinball-x", "pinball-0.1234567", "quantile"] {
        story.push(folder.transcript(&[
            "new",
            "pool.csv",
            "--out",
            "b.labelwise",
            "--mean",
            "prediction",
            "--loss",
            loss,
        ]));
    }
    story.push(folder.transcript(&["estimate", "own.labelwise", "--loss", "pinball-2"]));
    folder.write("classes.csv", "id,prob_a,prob_b\n1,0.5,0.5\n2,0.25,0.75\n");
    story.push(folder.transcript(&["new", "classes.csv", "--out", "b.labelwise", "--loss", "pinball-0.9"]));
    story.push(folder.transcript(&[
        "new",
        "pool.csv",
        "--out",
        "b.labelwise",
        "--mean",
        "prediction",
        "--loss",
        "brier",
    ]));
    assert_snapshot!(story.join("\n"));
}
