//! What is said of a pool file that cannot be read as it was asked to: the sentence, and the option that helps.

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::Folder;

const TWO_FAMILIES: &str = "id,prob_a,prob_b,p_a,p_b,label\nx,0.9,0.1,0.5,0.5,a\ny,0.2,0.8,0.5,0.5,b\n";
const PLAIN: &str = "id,a,b,label\nx,0.9,0.1,a\ny,0.2,0.8,b\n";

fn folder() -> Folder {
    Folder::new()
        .with("plain.csv", PLAIN)
        .with("two.csv", TWO_FAMILIES)
        .with("pool.dat", "\0\u{1}\u{2}")
        .with("pool.txt", "id,prob_a,prob_b,label\nx,0.9,0.1,a\ny,0.2,0.8,b\n")
        .with("logits.csv", "id,prob_a,prob_b,label\nx,2.5,-1,a\ny,0.2,0.3,b\n")
        .with("twice.csv", "id,prob_a,prob_b,label\nx,0.9,0.1,a\nx,0.2,0.8,b\n")
        .with("labels.csv", "id,prob_a,prob_b,label\nx,0.9,0.1,a\ny,0.2,0.8,c\n")
        .with("empty.csv", "id,prob_a,prob_b,label\n")
        .with(
            "samples.jsonl",
            "{\"doc_id\":0,\"filter\":\"strict\",\"target\":\"a\",\"filtered_resps\":[\"a\"],\"exact_match\":1}\n\
             {\"doc_id\":0,\"filter\":\"loose\",\"target\":\"a\",\"filtered_resps\":[\"a\"],\"exact_match\":1}\n",
        )
}

#[test]
fn errors() {
    let refused: [(&str, &str, &[&str]); 22] = [
        ("missing", "nothing.csv", &[]),
        ("format", "pool.dat", &[]),
        ("format_unknown", "pool.dat", &["--as", "excel"]),
        ("no_family", "plain.csv", &[]),
        ("two_families", "two.csv", &[]),
        ("pattern", "plain.csv", &["--probs", "prob_*"]),
        ("probs", "plain.csv", &["--probs", "a,c"]),
        ("logits", "plain.csv", &["--logits", "c,d"]),
        ("mean", "plain.csv", &["--mean", "c"]),
        ("variance", "plain.csv", &["--mean", "a", "--variance", "c"]),
        ("hard", "plain.csv", &["--hard", "c"]),
        ("scores", "plain.csv", &["--scores", "c"]),
        ("id", "plain.csv", &["--probs", "a,b", "--id", "c"]),
        ("features", "plain.csv", &["--probs", "a,b", "--features", "c"]),
        ("carry", "plain.csv", &["--probs", "a,b", "--carry", "c"]),
        ("surrogate", "plain.csv", &["--probs", "a,b", "--surrogate-probs", "c,d"]),
        ("rows", "logits.csv", &[]),
        ("ids", "twice.csv", &[]),
        ("labels", "labels.csv", &[]),
        ("empty", "empty.csv", &[]),
        ("filters", "samples.jsonl", &[]),
        ("no_filter", "samples.jsonl", &["--filter", "none"]),
    ];
    let folder = folder();
    for (name, pool, arguments) in refused {
        let text = folder.transcript(&[&["simulate", pool, "--label-column", "label"], arguments].concat());
        assert!(text.contains("exit code: 2\n--- stderr\nerror: "), "{name}: {text}");
        assert_snapshot!(format!("error_{name}"), text);
    }
}

#[test]
fn errors_of_options_that_do_not_go_together() {
    let plain = ["simulate", "plain.csv", "--label-column", "label"];
    let refused: [(&str, &[&str]); 5] = [
        ("two_predictions", &["--probs", "a,b", "--hard", "a"]),
        ("variance_alone", &["--variance", "a"]),
        ("train_alone", &["--train", "plain.csv"]),
        ("epoch_word", &["--epoch", "last"]),
        ("retrain_zero", &["--retrain", "0"]),
    ];
    let folder = folder();
    for (name, arguments) in refused {
        let text = folder.transcript(&[&plain[..], arguments].concat());
        assert!(text.contains("exit code: 2\n"), "{name}: {text}");
        assert_snapshot!(format!("error_{name}"), text);
    }
    assert_snapshot!("error_label_column", folder.transcript(&["simulate", "plain.csv"]));
    let no_label = ["simulate", "plain.csv", "--probs", "a,b", "--label-column", "truth"];
    assert_snapshot!("error_no_label", folder.transcript(&no_label));
}

#[test]
fn errors_as_json_have_a_code_a_message_and_a_hint() {
    let folder = folder();
    let error = |arguments: &[&str]| {
        let output = folder.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let error: Value = serde_json::from_slice(&output.stdout).unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(talk.contains(error["error"]["message"].as_str().unwrap()), "{talk}");
        assert_eq!(error["error"]["hint"].is_null(), !talk.contains("hint: "), "{talk}");
        error["error"]["code"].as_str().unwrap().to_owned()
    };
    let simulate = |pool: &'static str| ["simulate", pool, "--label-column", "label", "--json"];
    assert_eq!(error(&simulate("two.csv")), "many-families");
    assert_eq!(error(&simulate("plain.csv")), "no-family");
    assert_eq!(error(&simulate("pool.dat")), "unknown-format");
    assert_eq!(error(&simulate("labels.csv")), "rows");
    assert_eq!(error(&simulate("nothing.csv")), "file");
    assert_eq!(error(&[&simulate("two.csv")[..], &["--runs", "0"]].concat()), "runs");
}

#[test]
fn what_a_hint_says_helps() {
    let folder = folder();
    let works = |pool: &str, label: &str, arguments: &[&str]| {
        let options = ["--label-column", label, "--budget", "1", "--runs", "2"];
        let output =
            folder.command(&[&["simulate", pool], &options[..], arguments].concat()).output().unwrap();
        assert!(output.status.success(), "{pool}: {}", String::from_utf8_lossy(&output.stderr));
    };
    works("pool.txt", "label", &["--as", "csv"]);
    works("pool.txt", "label", &[]);
    works("two.csv", "label", &["--probs", "prob_*"]);
    works("plain.csv", "label", &["--probs", "a,b"]);
    works("logits.csv", "label", &["--logits", "prob_*"]);
    works("samples.jsonl", "target", &["--filter", "strict"]);
}
