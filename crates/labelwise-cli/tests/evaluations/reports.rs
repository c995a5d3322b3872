//! Pages about metrics that are not averages.

use std::fmt::Write;

use crate::folder::{Folder, label, spread};

/// The text of a page, without tags.
fn text(folder: &Folder, arguments: &[&str]) -> String {
    folder.run(&[&["report"][..], arguments, &["--out", "page.html"]].concat());
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(!page.contains("NaN"), "{arguments:?}");
    let (mut text, mut inside) = (String::new(), false);
    for letter in page.split("</style>").nth(1).unwrap().chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => text.push(letter),
            _ => {}
        }
    }
    text.replace('\u{a0}', " ")
}

#[test]
fn a_page_is_about_the_metric_that_draws_were_made_for() {
    let folder = Folder::new();
    let new = ["new", "pool.csv", "--out", "f1.labelwise", "--loss", "f1,recall", "--positive", "owl"];
    folder.run(&new);
    folder.label("f1.labelwise", 100, |item| label(item).to_owned());
    let estimate: serde_json::Value =
        serde_json::from_str(&folder.run(&["estimate", "f1.labelwise", "--loss", "f1", "--json"])).unwrap();
    let page = text(&folder, &["f1.labelwise"]);
    let value = format!("{:.2}", estimate["estimate"].as_f64().unwrap());
    assert!(
        page.contains(&format!("The f1 of owl on this pool of 200 items is estimated at {value}")),
        "{page}"
    );
    assert!(
        page.contains("Higher is better.") && page.contains("F1 of owl against the number of labels"),
        "{page}"
    );
    assert!(page.contains("which were chosen for f1,recall"), "{page}");
    assert!(page.contains("Recall of owl") && !page.contains("chosen for the zero-one"), "{page}");
    // Another metric, another class, one for every class, and a mean loss.
    assert!(
        text(&folder, &["f1.labelwise", "--loss", "precision", "--positive", "cat"])
            .contains("The precision of cat on")
    );
    assert!(text(&folder, &["f1.labelwise", "--loss", "f1_per_class"]).contains("The f1_macro on this pool"));
    assert!(
        text(&folder, &["f1.labelwise", "--loss", "roc_auc"]).contains("The roc_auc of owl on this pool")
    );
    assert!(
        text(&folder, &["f1.labelwise", "--loss", "calibration"]).contains("The calibration on this pool")
    );
    let accuracy = text(&folder, &["f1.labelwise", "--loss", "accuracy"]);
    assert!(
        accuracy.contains("The accuracy on this pool") && accuracy.contains("chosen for f1,recall"),
        "{accuracy}"
    );
}

#[test]
fn roots_and_scores_have_pages_too() {
    let folder = Folder::new();
    let mut rows = String::from("id,mean,variance,judged\n");
    for item in 0..200 {
        writeln!(rows, "row-{item},{:.5},0.3,{:.5}", 3.0 * spread(item, 0), spread(item, 2)).unwrap();
    }
    folder.write("values.csv", &rows);
    let new = [
        "new",
        "values.csv",
        "--out",
        "v.labelwise",
        "--mean",
        "mean",
        "--variance",
        "variance",
        "--loss",
        "rmse,r2",
    ];
    folder.run(&new);
    folder.label("v.labelwise", 80, |item| format!("{:.5}", 3.0 * spread(item, 0) + spread(item, 1)));
    assert!(
        text(&folder, &["v.labelwise"]).contains("The rmse on this pool of 200 items is estimated at 0.")
    );
    assert!(text(&folder, &["v.labelwise", "--loss", "r2"]).contains("The r2 on this pool"));
    folder.run(&["new", "values.csv", "--out", "s.labelwise", "--scores", "judged", "--range", "0,1"]);
    folder.label("s.labelwise", 80, |item| usize::from(spread(item, 3) < 0.7).to_string());
    let page = text(&folder, &["s.labelwise"]);
    assert!(page.contains("The value on this pool") && !page.contains("is better"), "{page}");
}
