//! Every kind of predictions with every surrogate that goes with it, and what is said of those that do not.

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::Folder;

const ITEMS: u32 = 240;

/// A number between 0 and 1 that looks like chance.
fn chance(seed: u32) -> f64 {
    let mixed = (seed.wrapping_mul(2_654_435_761) >> 7) ^ seed.wrapping_mul(40_503);
    f64::from(mixed % 10_007) / 10_007.0
}

/// A pool with everything: a classifier on one feature that is wrong about a part of it, a regression, and scores. The
/// classes of `better` are in another order than the model's.
fn rows(items: std::ops::Range<u32>) -> String {
    let names =
        "id,prob_a,prob_b,better_b,better_a,third_a,third_b,class,mean,variance,far,score,x,z,label,value\n";
    let rows = items.map(|i| {
        let (x, z) = (chance(i), chance(i + 70_001));
        let truth = 0.05 + 0.9 * x;
        let label = if chance(i + 90_001) < truth { "a" } else { "b" };
        let says = if x > 0.8 { 1.0 - truth } else { truth };
        let class = if says > 0.5 { "a" } else { "b" };
        let third = 0.5 * (truth + 0.5);
        let value = 3.0 * x + 2.0 * z * (chance(i + 50_001) - 0.5);
        let (mean, variance) = (3.0 * x, z * z / 3.0 + 0.01);
        let far = mean + if x < 0.2 { 2.0 } else { 0.0 };
        let (not, worse, fourth) = (1.0 - says, 1.0 - truth, 1.0 - third);
        let probabilities = format!("{says},{not},{worse},{truth},{third},{fourth}");
        format!("item-{i},{probabilities},{class},{mean},{variance},{far},{z},{x},{z},{label},{value}\n")
    });
    names.to_owned() + &rows.collect::<String>()
}

fn folder() -> Folder {
    let pool = rows(0..ITEMS);
    // The same ids in another order.
    let (head, rest) = pool.split_once('\n').unwrap();
    let reversed: Vec<&str> = rest.lines().rev().collect();
    let other = format!("{head}\n{}\n", reversed.join("\n"));
    let other = other.replace("prob_", "not_").replace("better_", "prob_");
    let train = rows(5000..5060);
    let classes = "id,prob_a,prob_b,other_c,other_b,label\nx,0.5,0.5,0.5,0.5,a\ny,0.5,0.5,0.5,0.5,b\n";
    Folder::new()
        .with("pool.csv", &pool)
        .with("other.csv", &other)
        .with("short.csv", &format!("{head}\n{}\n", reversed[..5].join("\n")))
        .with("train.csv", &train)
        .with("classes.csv", classes)
        .with("odd.csv", &train.replace(",a,", ",c,").replace(",b,", ",c,"))
}

fn simulate(folder: &Folder, arguments: &[&str]) -> Value {
    // Where values or scores are read, labels are values.
    let values = ["--mean", "--scores"].iter().any(|name| arguments.contains(name));
    let label = if values { "value" } else { "label" };
    let budget = if arguments.contains(&"--budget") { &[][..] } else { &["--budget", "120"] };
    folder.json(&[&["simulate", "pool.csv", "--label-column", label, "--json"], budget, arguments].concat())
}

/// How much labelwise costs beside uniform sampling, after checks of everything that must hold for any surrogate.
fn cost(found: &Value) -> f64 {
    for at in found["budgets"].as_array().unwrap() {
        for showing in at["strategies"].as_array().unwrap() {
            let rmse = showing["root_mean_squared_error"].as_f64().unwrap();
            assert!(rmse.is_finite() && rmse > 0.0, "{showing}");
            let bias = &showing["bias"];
            let bias = bias["value"].as_f64().unwrap() / bias["standard_error"].as_f64().unwrap();
            assert!(bias.abs() < 5.0, "{bias} standard errors: {showing}");
        }
    }
    let last = found["budgets"].as_array().unwrap().last().unwrap();
    let ours = last["strategies"].as_array().unwrap().last().unwrap();
    assert_eq!(ours["strategy"], "labelwise");
    ours["relative_labelling_cost"].as_f64().unwrap()
}

/// Loss, surrogate and strategies, in a line.
fn described(found: &Value) -> String {
    let strategies = found["budgets"][0]["strategies"].as_array().unwrap();
    let strategies: Vec<&str> =
        strategies.iter().map(|showing| showing["strategy"].as_str().unwrap()).collect();
    let predictions = &found["pool"]["predictions"];
    format!("{} {} {} {predictions}", found["loss"], found["surrogate"], strategies.join("+"))
}

#[test]
fn what_is_chosen_where_nothing_is_said() {
    let folder = folder();
    let cases: [(&str, &[&str]); 9] = [
        ("probabilities", &[]),
        ("given", &["--surrogate-probs", "better_*"]),
        ("features", &["--features", "x", "--features", "z"]),
        ("hard", &["--hard", "class"]),
        ("hard_features", &["--hard", "class", "--features", "x"]),
        ("values", &["--mean", "mean"]),
        ("variances", &["--mean", "mean", "--variance", "variance"]),
        ("likelihood", &["--mean", "mean", "--variance", "variance", "--loss", "gaussian-nll"]),
        ("scores", &["--scores", "score"]),
    ];
    let lines = cases.map(|(name, arguments)| {
        let found = simulate(&folder, &[arguments, &["--runs", "2"]].concat());
        format!("{name}: {}\n", described(&found))
    });
    assert_snapshot!("chosen", lines.concat());
}

#[test]
fn a_surrogate_that_knows_more_saves_more() {
    let folder = folder();
    let cost = |arguments: &[&str]| cost(&simulate(&folder, &[arguments, &["--runs", "150"]].concat()));
    let (own, given) = (cost(&[]), cost(&["--surrogate-probs", "better_*"]));
    assert!(given < 0.9 * own, "{given} and {own}");
    // The same model from another file, whose rows are in another order, is the same surrogate.
    let pattern = ["--surrogate-file", "other.csv", "--surrogate-probs", "prob_*"];
    assert_eq!(cost(&pattern), given);
    assert_eq!(cost(&["--surrogate-file", "other.csv"]), given);
    let two = cost(&["--surrogate-probs", "better_*", "--surrogate-probs", "third_*"]);
    assert!(two != given && two < own, "{two}, {given} and {own}");
    let hard = ["--hard", "class", "--surrogate-probs", "better_*"];
    let without = cost(&["--hard", "class"]);
    assert!(cost(&hard) < 0.9 * without, "{without}");
    let zero_one = ["--surrogate-probs", "better_*", "--loss", "zero-one"];
    // Right or wrong is the same question; with probabilities, the model's own count too.
    assert!(cost(&zero_one) < 0.9 * without, "{without}");
    let file = ["--hard", "class", "--surrogate-file", "other.csv"];
    assert!((cost(&file) - cost(&hard)).abs() < 1e-9);
}

#[test]
fn without_a_surrogate_nothing_is_saved() {
    let folder = folder();
    for arguments in [
        &["--surrogate", "none"][..],
        &["--hard", "class"],
        &["--mean", "far"],
        &["--scores", "score", "--surrogate", "none"],
    ] {
        let found = simulate(&folder, &[arguments, &["--runs", "150"]].concat());
        // Uniform draws with a control that says nothing: as good as uniform sampling, but for chance.
        let cost = cost(&found);
        assert!((0.75..1.35).contains(&cost), "{arguments:?}: {cost}");
        assert_eq!(found["notes"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn without_a_surrogate_confident_predictions_are_not_drawn_more_often() {
    // All loss is where the model is unsure; where it is sure, it is right. A belief that any label is as likely as any
    // other would look for losses where it is sure.
    let row = |i: u32| match (i.is_multiple_of(4), i.is_multiple_of(8)) {
        (true, wrong) => format!("0.6,0.4,{}\n", if wrong { "b" } else { "a" }),
        (false, _) => "0.999999,0.000001,a\n".to_owned(),
    };
    let pool = format!("prob_a,prob_b,label\n{}", (0..400).map(row).collect::<String>());
    let folder = Folder::new().with("pool.csv", &pool);
    let none = ["--label-column", "label", "--surrogate", "none", "--budget", "80", "--runs", "50", "--json"];
    let found = folder.json(&[&["simulate", "pool.csv"], &none[..]].concat());
    // Few labels have a guarded interval, which depends on the draws alone: they are the uniform ones.
    let [uniform, ours] = [0, 1].map(|which| &found["budgets"][0]["strategies"][which]["mean_width"]);
    assert_eq!((ours, found["budgets"][0]["labels"].as_u64()), (uniform, Some(20)));
}

#[test]
fn values_and_scores() {
    let folder = folder();
    let variances = ["--mean", "mean", "--variance", "variance"];
    for loss in ["squared-error", "absolute-error", "gaussian-nll"] {
        let found = simulate(&folder, &[&variances[..], &["--runs", "100", "--loss", loss]].concat());
        assert!(cost(&found) < 1.0, "{loss}: {found}");
    }
    let other = ["--mean", "far", "--surrogate-file", "other.csv"];
    let same = cost(&simulate(&folder, &[&other[..], &["--runs", "100"]].concat()));
    assert!(same > 0.0);
    let scores = simulate(&folder, &["--scores", "x", "--runs", "100"]);
    assert!(cost(&scores) < 0.6, "{scores}");
}

#[test]
fn surrogates_that_learn() {
    let folder = folder();
    let common = ["--runs", "8", "--budget", "60", "--features", "x"];
    let cost = |arguments: &[&str]| cost(&simulate(&folder, &[&common[..], arguments].concat()));
    for learner in ["forest", "logistic"] {
        let train = ["--train", "train.csv", "--train-label", "label"];
        cost(&["--surrogate", learner]);
        cost(&["--surrogate", learner, "--hard", "class", "--retrain", "20,40"]);
        cost(&[&["--surrogate", learner][..], &train].concat());
    }
    for learner in ["forest", "gp", "linear"] {
        let train = ["--train", "train.csv", "--train-label", "value", "--retrain", "never"];
        cost(&[&["--surrogate", learner, "--mean", "far"][..], &train].concat());
        cost(&["--surrogate", learner, "--mean", "far", "--retrain", "30"]);
    }
}

#[test]
fn labels_and_training_rows_teach() {
    let folder = folder();
    // The model is far off where x is small, which its own means do not say.
    let cost = |arguments: &[&str]| {
        let common = ["--mean", "far", "--features", "x", "--runs", "60", "--budget", "60"];
        cost(&simulate(&folder, &[&common[..], arguments].concat()))
    };
    let nothing = cost(&["--surrogate", "none"]);
    let labels = cost(&["--surrogate", "forest", "--retrain", "10"]);
    let trained = cost(&["--surrogate", "forest", "--train", "train.csv", "--train-label", "value"]);
    assert!(labels < nothing && trained < labels, "{nothing}, {labels} and {trained}");
    // One that never learns is not a surrogate, here as in an evaluation.
    let never = ["--mean", "far", "--features", "x", "--surrogate", "forest", "--retrain", "never"];
    let text =
        folder.transcript(&[&["simulate", "pool.csv", "--label-column", "value"], &never[..]].concat());
    assert!(text.contains("forest would never learn"), "{text}");
}

#[test]
fn texts_of_surrogates() {
    let folder = folder();
    let common = ["simulate", "pool.csv", "--label-column", "label", "--budget", "40", "--runs", "6"];
    let features = ["--features", "x", "--features", "z"];
    let train = [&features[..], &["--train", "train.csv", "--train-label", "label"]].concat();
    let logistic = [&features[..], &["--surrogate", "logistic", "--retrain", "20,30"]].concat();
    for (name, arguments) in [
        ("text_ensemble", &["--surrogate-probs", "better_*", "--surrogate-probs", "third_*"][..]),
        ("text_none", &["--hard", "class"]),
        ("text_forest", &train),
        ("text_logistic", &logistic),
    ] {
        assert_snapshot!(name, folder.transcript(&[&common[..], arguments].concat()));
    }
    let values = ["simulate", "pool.csv", "--label-column", "value", "--budget", "3", "--runs", "6"];
    let likelihood = ["--mean", "mean", "--variance", "variance", "--loss", "gaussian-nll"];
    assert_snapshot!("text_likelihood", folder.transcript(&[&values[..], &likelihood].concat()));
}

#[test]
fn errors() {
    let folder = folder();
    let train = ["--features", "x", "--train"];
    let refused: [(&str, &[&str]); 15] = [
        ("own_of_hard", &["--hard", "class", "--surrogate", "self"]),
        ("nothing_given", &["--surrogate", "given"]),
        ("no_features", &["--surrogate", "forest"]),
        ("gp_of_classes", &["--surrogate", "gp", "--features", "x"]),
        ("linear_of_hard", &["--hard", "class", "--surrogate", "linear", "--features", "x"]),
        ("loss_of_hard", &["--hard", "class", "--loss", "brier"]),
        (
            "train_of_hard",
            &[&train[..], &["train.csv", "--train-label", "label", "--hard", "class"]].concat(),
        ),
        ("train_class", &[&train[..], &["odd.csv", "--train-label", "label"]].concat()),
        ("train_column", &[&train[..], &["train.csv", "--train-label", "truth"]].concat()),
        (
            "train_unused",
            &[&train[..], &["train.csv", "--train-label", "label", "--surrogate", "self"]].concat(),
        ),
        ("surrogate_misses", &["--surrogate-file", "short.csv"]),
        ("surrogate_missing", &["--surrogate-file", "nothing.csv"]),
        (
            "surrogate_patterns",
            &["--surrogate-file", "other.csv", "--surrogate-probs", "a", "--surrogate-probs", "b"],
        ),
        ("surrogate_unknown", &["--surrogate", "oracle"]),
        ("labels_not_numbers", &["--mean", "mean"]),
    ];
    for (name, arguments) in refused {
        let common = ["simulate", "pool.csv", "--label-column", "label", "--budget", "20", "--runs", "2"];
        let text = folder.transcript(&[&common[..], arguments].concat());
        assert!(text.contains("exit code: 2\n"), "{name}: {text}");
        assert_snapshot!(format!("error_{name}"), text);
    }
    let other = ["simulate", "classes.csv", "--label-column", "label", "--surrogate-probs", "other_*"];
    assert_snapshot!("error_surrogate_class", folder.transcript(&other));
    let differs = [&other[..], &["--surrogate-file", "classes.csv"]].concat();
    assert_snapshot!("error_surrogate_differs", folder.transcript(&differs));
    let values = ["simulate", "pool.csv", "--label-column", "value", "--mean", "mean"];
    for (name, arguments) in [
        ("own_of_values", &["--surrogate", "self"][..]),
        ("logistic_of_values", &["--surrogate", "logistic", "--features", "x"]),
        ("likelihood_without_variances", &["--loss", "gaussian-nll"]),
    ] {
        assert_snapshot!(format!("error_{name}"), folder.transcript(&[&values[..], arguments].concat()));
    }
    let scores = ["simulate", "pool.csv", "--label-column", "value", "--scores", "score"];
    let forest = ["--surrogate", "forest", "--features", "x"];
    assert_snapshot!("error_forest_of_scores", folder.transcript(&[&scores[..], &forest].concat()));
}
