//! Which of two models is better, as people ask and read it.

use std::fmt::Write;
use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{CLASSES, Folder, label, probabilities, spread};

/// Another model: on most items it says what the first says, on others it leans to the owl.
fn other(item: usize, lean: f64) -> [f64; 3] {
    let [cat, dog, owl] = probabilities(item);
    if spread(item, 17) < 0.6 {
        return [cat, dog, owl];
    }
    let sum = cat + dog + owl + lean;
    [cat / sum, dog / sum, (owl + lean) / sum]
}

fn csv(rows: usize, lean: f64) -> String {
    let mut text = String::from("id,prob_owl,prob_cat,prob_dog,said,mean\n");
    for item in 0..rows {
        let [cat, dog, owl] = other(item, lean);
        let top = if cat > dog && cat > owl {
            0
        } else if dog > owl {
            1
        } else {
            2
        };
        writeln!(text, "row-{item},{owl:.8},{cat:.8},{dog:.8},{},{cat}", CLASSES[top]).unwrap();
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("owlish.csv", &csv(200, 0.7));
    folder.write("wild.csv", &csv(200, 3.0));
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat())).unwrap()
}

#[test]
fn from_two_files_to_a_verdict() {
    let folder = folder();
    let mut story = Vec::new();
    let mut tell = |arguments: &[&str]| story.push(folder.transcript(arguments));
    tell(&["compare", "pool.csv", "owlish.csv", "--out", "ab.labelwise", "--seed", "3"]);
    tell(&["compare", "ab.labelwise"]);
    folder.label("ab.labelwise", 20, |item| label(item).to_owned());
    tell(&["compare", "ab.labelwise"]);
    folder.label("ab.labelwise", 40, |item| label(item).to_owned());
    tell(&["compare", "ab.labelwise"]);
    tell(&["compare", "ab.labelwise", "--interval", "anytime", "--level", "0.9"]);
    tell(&["compare", "ab.labelwise", "--interval", "guaranteed", "--baseline", "pool"]);
    tell(&["status", "ab.labelwise"]);
    tell(&["estimate", "ab.labelwise"]);
    tell(&["verify", "ab.labelwise"]);
    assert_snapshot!("comparison", story.join("\n"));
    let found = json(&folder, &["compare", "ab.labelwise"]);
    assert_eq!(found["schema"], "labelwise.compare/1");
    assert_eq!((found["kind"].as_str(), found["labels"].as_u64()), (Some("verdict"), Some(60)));
    let exact: f64 = (0..200)
        .map(|item| {
            let class = CLASSES.iter().position(|class| *class == label(item)).unwrap();
            probabilities(item)[class].ln() - other(item, 0.7)[class].ln()
        })
        .sum::<f64>()
        / 200.0;
    let [one, two] = found["models"].as_array().unwrap().as_slice() else { panic!() };
    let model = if one["difference"].is_null() { two } else { one };
    // Above 0 the first loses less, and the difference of the other from it is above 0 too.
    let sign = if model["name"] == "owlish" { 1.0 } else { -1.0 };
    let (low, high) = (model["low"].as_f64().unwrap(), model["high"].as_f64().unwrap());
    assert!(low <= sign * exact && sign * exact <= high, "{model} for {exact}");
}

/// While nothing is decided, a forecast says how many labels more may decide; with every label there is nothing to forecast.
#[test]
fn labels_that_may_decide_between_two_models() {
    let folder = Folder::new();
    folder.write("a.csv", &csv(600, 0.5));
    folder.write("b.csv", &csv(600, 0.9));
    folder.run(&["compare", "a.csv", "b.csv", "--out", "ab.labelwise", "--seed", "1"]);
    folder.label("ab.labelwise", 20, |item| label(item).to_owned());
    assert!(json(&folder, &["compare", "ab.labelwise"])["needed"].is_null(), "20 labels say nothing");
    // Labels by chance, so that the models are about equally good.
    let by_chance = |item: usize| CLASSES[if spread(item, 5) < 0.42 { 2 } else { item % 2 }].to_owned();
    folder.label("ab.labelwise", 50, by_chance);
    let found = json(&folder, &["compare", "ab.labelwise"]);
    let needed = ["low", "expected", "high"].map(|end| found["needed"][end].as_u64().unwrap());
    assert!(needed[0] <= needed[1] && needed[1] <= needed[2] && needed[1] > 0, "{found}");
    let said = folder.run(&["compare", "ab.labelwise"]);
    assert!(said.contains("not decided") && said.contains("more labels may decide"), "{said}");
    let anytime = json(&folder, &["compare", "ab.labelwise", "--interval", "anytime"]);
    assert!(
        anytime["needed"].is_null() || anytime["needed"]["expected"].as_u64() >= Some(needed[1]),
        "{anytime}"
    );
    let left = json(&folder, &["status", "ab.labelwise"])["left"].as_u64().unwrap();
    folder.label("ab.labelwise", usize::try_from(left).unwrap(), by_chance);
    assert!(json(&folder, &["compare", "ab.labelwise"])["needed"].is_null());
}

#[test]
fn three_models_by_accuracy_and_by_words() {
    let folder = folder();
    let three = ["compare", "pool.csv", "owlish.csv", "wild.csv", "--loss", "accuracy"];
    let mut story = vec![folder.transcript(&three)];
    let made = "pool-owlish-wild.labelwise";
    let left = json(&folder, &["status", made])["left"].as_u64().unwrap();
    folder.label(made, usize::try_from(left).unwrap() - 5, |item| label(item).to_owned());
    story.push(folder.transcript(&["compare", made]));
    story.push(folder.transcript(&["compare", made, "--baseline", "wild"]));
    let found = json(&folder, &["compare", made]);
    assert_eq!((found["comparisons"].as_u64(), found["higher_is_better"].as_bool()), (Some(3), Some(true)));
    let named = json(&folder, &["compare", made, "--baseline", "wild"]);
    assert_eq!((named["comparisons"].as_u64(), named["reference"].as_str()), (Some(2), Some("wild")));

    let words = ["compare", "owlish.csv", "wild.csv", "--hard", "said", "--out", "words.labelwise"];
    story.push(folder.transcript(&words));
    let left = json(&folder, &["status", "words.labelwise"])["left"].as_u64().unwrap();
    folder.label("words.labelwise", usize::try_from(left).unwrap(), |item| label(item).to_owned());
    story.push(folder.transcript(&["compare", "words.labelwise"]));
    // Too little to say anything by: losses of values have no bounds.
    folder.run(&["compare", "owlish.csv", "wild.csv", "--mean", "mean", "--out", "values.labelwise"]);
    folder.label("values.labelwise", 2, |_| "0.5".to_owned());
    story.push(folder.transcript(&["compare", "values.labelwise"]));
    assert_snapshot!("three_models", story.join("\n"));
}

#[test]
fn an_evaluation_of_one_model_used_for_another() {
    let folder = folder();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise", "--seed", "3"]);
    folder.label("pets.labelwise", 80, |item| label(item).to_owned());
    let before = fs::read(folder.path("pets.labelwise")).unwrap();
    let mut story = vec![folder.transcript(&["compare", "pets.labelwise", "wild.csv"])];
    story.push(folder.transcript(&["compare", "pets.labelwise", "owlish.csv", "--interval", "anytime"]));
    assert_snapshot!("shared_labels", story.join("\n"));
    let found = json(&folder, &["compare", "pets.labelwise", "wild.csv"]);
    assert_eq!(found["kind"], "shared-labels");
    assert!(found["difference_cost"].as_f64().unwrap() > 1.0 && found["best"] == "pool", "{found}");
    assert_eq!(fs::read(folder.path("pets.labelwise")).unwrap(), before, "something was written");
}

#[test]
fn nonsense_is_refused_in_sentences() {
    let folder = folder();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise"]);
    folder.label("pets.labelwise", 10, |item| label(item).to_owned());
    folder.run(&["compare", "pool.csv", "owlish.csv", "--out", "ab.labelwise"]);
    let bees: String = (0..200).map(|item| format!("row-{item},0.5,0.5\n")).collect();
    folder.write("other.csv", &format!("id,prob_cat,prob_bee\n{bees}"));
    folder.write("short.csv", &csv(150, 0.7));
    folder.write("long.csv", &csv(203, 0.7));
    folder.write("far.csv", "id,prob_cat,prob_dog,prob_owl\nnobody,0.5,0.25,0.25\n");
    folder.write("rows.csv", "prob_cat,prob_dog,prob_owl\n0.5,0.25,0.25\n");
    folder.write("few.csv", "prob_cat,prob_dog,prob_owl\n0.5,0.25,0.25\n0.2,0.4,0.4\n");
    fs::copy(folder.path("pool.csv"), folder.path("twin.csv")).unwrap();
    let mut story = Vec::new();
    for arguments in [
        &["compare"][..],
        &["compare", "pool.csv"],
        &["compare", "nowhere.csv"],
        &["compare", "pool.csv", "nowhere.csv"],
        &["compare", "pool.csv", "other.csv"],
        &["compare", "pool.csv", "short.csv"],
        &["compare", "pool.csv", "long.csv"],
        &["compare", "pool.csv", "far.csv", "--common"],
        &["compare", "pool.csv", "rows.csv"],
        &["compare", "rows.csv", "few.csv"],
        &["compare", "pool.csv", "twin.csv"],
        &["compare", "pool.csv", "twin.csv", "--loss", "zero-one", "--json"],
        &["compare", "pool.csv", "owlish.csv", "--loss", "squared-error"],
        &["compare", "pool.csv", "owlish.csv", "--out", "ab.labelwise"],
        &["compare", "pool.csv", "owlish.csv", "--baseline", "pool"],
        &["compare", "owlish.csv", "wild.csv", "--scores", "mean"],
        &["compare", "owlish.csv", "wild.csv", "--features", "mean"],
        &["compare", "ab.labelwise", "--loss", "accuracy"],
        &["compare", "ab.labelwise", "--baseline", "kettle"],
        &["compare", "ab.labelwise", "--planned", "30"],
        &["compare", "ab.labelwise", "--level", "95"],
        &["compare", "ab.labelwise"],
        &["compare", "ab.labelwise", "wild.csv"],
        &["compare", "pets.labelwise"],
        &["compare", "pets.labelwise", "far.csv"],
        &["compare", "pets.labelwise", "other.csv"],
        &["compare", "pets.labelwise", "rows.csv"],
        &["compare", "pets.labelwise", "owlish.csv", "--baseline", "pool"],
        &["compare", "owlish.csv", "pets.labelwise"],
        &["compare", "pets.labelwise", "owlish.csv", "wild.csv"],
    ] {
        let said = folder.transcript(arguments);
        assert!(said.contains("exit code: 2"), "{said}");
        story.push(said);
    }
    assert_snapshot!("comparison_nonsense", story.join("\n"));
    // What all have in common can be kept.
    let kept =
        folder.transcript(&["compare", "pool.csv", "short.csv", "--common", "--out", "some.labelwise"]);
    assert!(
        kept.contains("150 items") && kept.contains("50 of the 200 items of pool.csv are left out"),
        "{kept}"
    );
}

/// F1 of a class over all items, computed directly.
fn f1(class: usize, predicted: impl Fn(usize) -> [f64; 3]) -> f64 {
    let (mut both, mut either) = (0.0, 0.0);
    for item in 0..200 {
        let rows = predicted(item);
        let said = (0..3).fold(0, |best, other| if rows[other] > rows[best] { other } else { best }) == class;
        let is = label(item) == CLASSES[class];
        both += f64::from(u8::from(said && is));
        either += 0.5 * (f64::from(u8::from(said)) + f64::from(u8::from(is)));
    }
    both / either
}

#[test]
fn shared_labels_compare_metrics_that_are_not_averages() {
    let folder = folder();
    let new =
        ["new", "pool.csv", "--out", "first.labelwise", "--loss", "f1", "--positive", "owl", "--seed", "3"];
    folder.run(&new);
    let truth = f1(2, probabilities) - f1(2, |item| other(item, 3.0));
    let question = ["compare", "first.labelwise", "wild.csv"];
    for labels in [120, 80] {
        folder.label("first.labelwise", labels, |item| label(item).to_owned());
        let found: Value = serde_json::from_str(&folder.run(&[&question[..], &["--json"]].concat())).unwrap();
        let number = |name: &str| found[name].as_f64().unwrap();
        assert!(number("low") <= truth + 1e-9 && truth - 1e-9 <= number("high"), "{found}, {truth}");
        let own = found["models"][0]["estimate"].as_f64().unwrap();
        let second = found["models"][1]["estimate"].as_f64().unwrap();
        assert!((own - second - number("difference")).abs() < 1e-9, "{found}");
        assert_eq!((&found["metric"], &found["class"]), (&"f1".into(), &"owl".into()));
        if labels == 80 {
            assert!(
                (number("difference") - truth).abs() < 1e-9 && number("low") == number("high"),
                "{found}"
            );
            assert_eq!(found["best"], if truth > 0.0 { "pool" } else { "wild" });
        }
    }
    let said = folder.run(&[&question[..], &["--loss", "recall_macro"]].concat());
    assert!(said.contains("by recall_macro") && said.contains("  wild - pool   "), "{said}");
    let each = folder.run(&[&question[..], &["--loss", "precision_per_class"]].concat());
    assert_eq!(each.matches("by precision_per_class of").count(), 3, "{each}");
    for (arguments, sentence) in [
        (&["--interval", "anytime"][..], "have only the ordinary interval"),
        (&["--estimator", "lure"], "have only the ordinary interval"),
        (&["--loss", "accuracy", "--positive", "owl"], "a positive class is named"),
        (&["--loss", "calibration"], "calibration is a table"),
    ] {
        let said = folder.transcript(&[&question[..], arguments].concat());
        assert!(said.contains("exit code: 2") && said.contains(sentence), "{said}");
    }
}

#[test]
fn every_estimator_compares() {
    let folder = folder();
    folder.run(&["new", "pool.csv", "--out", "one.labelwise", "--loss", "accuracy", "--seed", "3"]);
    folder.run(&[
        "compare",
        "pool.csv",
        "wild.csv",
        "--out",
        "two.labelwise",
        "--loss",
        "accuracy",
        "--seed",
        "3",
    ]);
    // The models of the second can differ on 15 items only.
    for (evaluation, labels) in [("one.labelwise", 60), ("two.labelwise", 10)] {
        folder.label(evaluation, labels, |item| label(item).to_owned());
    }
    let mut seen: Vec<[u64; 2]> = Vec::new();
    for estimator in ["suited", "lure", "controlled", "pure"] {
        let asked = ["compare", "one.labelwise", "wild.csv", "--estimator", estimator];
        let shared = json(&folder, &asked);
        // The model that labels were asked for has the estimate that it has by itself.
        let own = json(&folder, &["estimate", "one.labelwise", "--estimator", estimator]);
        assert_eq!(shared["models"][0]["estimate"], own["estimate"], "{estimator}");
        let between = json(&folder, &["compare", "two.labelwise", "--estimator", estimator]);
        let bits = [&shared["difference"], &between["models"][1]["difference"]];
        seen.push(bits.map(|number| number.as_f64().unwrap().to_bits()));
    }
    for place in 1..seen.len() {
        assert!(seen[..place].iter().all(|other| other[0] != seen[place][0]), "{seen:?}");
    }
    let said = folder.transcript(&[
        "compare",
        "pool.csv",
        "wild.csv",
        "--out",
        "c.labelwise",
        "--estimator",
        "lure",
    ]);
    assert!(said.contains("exit code: 2") && said.contains("--estimator is only for the verdict"), "{said}");
    for evaluation in [&["one.labelwise", "wild.csv"][..], &["two.labelwise"]] {
        let options = ["--estimator", "iid", "--interval", "guaranteed"];
        let said = folder.transcript(&[&["compare"], evaluation, &options[..]].concat());
        assert!(said.contains("exit code: 2") && said.contains("plain mean"), "{said}");
    }
}
