//! Requests that are meant well but written badly, and output that somebody else wrote.

use serde_json::Value;

use crate::folder::{Folder, label};

/// A folder with an evaluation of the error rate that has labels.
fn labelled() -> Folder {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "e.labelwise", "--loss", "zero-one", "--carry", "text"]);
    folder.label("e.labelwise", 20, |item| label(item).to_owned());
    folder
}

/// Stderr of a refusal.
fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.output(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "labelwise {}: {said}", arguments.join(" "));
    said
}

#[test]
fn a_goal_outside_of_the_range_of_its_metric_is_refused() {
    let folder = labelled();
    for (arguments, sentence, hint) in [
        (
            &["check", "e.labelwise", "--below", "5"][..],
            "the threshold is 5, but zero-one is always between 0 and 1; did you mean 0.05?",
            "try --below 0.05",
        ),
        (
            &["check", "e.labelwise", "--loss", "accuracy", "--above", "90"],
            "the threshold is 90, but accuracy is always between 0 and 1; did you mean 0.9?",
            "try --above 0.9",
        ),
        (
            &["check", "e.labelwise", "--below", "-0.5"],
            "the threshold is -0.5, but zero-one is always between 0 and 1\n",
            "",
        ),
        (
            &["check", "e.labelwise", "--loss", "neg_log_loss", "--above", "2"],
            "the threshold is 2, but neg_log_loss is always at most 0\n",
            "",
        ),
        (
            &["check", "e.labelwise", "--loss", "brier", "--below", "2.5"],
            "brier is always between 0 and 2; did you mean 0.025?",
            "try --below 0.025",
        ),
        (
            &["plan", "e.labelwise", "--bar", "12"],
            "the threshold is 12, but zero-one is always between 0 and 1; did you mean 0.12?",
            "try --bar 0.12",
        ),
        (
            &["plan", "e.labelwise", "--half-width", "2"],
            "the half-width is 2, but zero-one is always between 0 and 1, so every interval is narrower than that; did you mean 0.02?",
            "try --half-width 0.02",
        ),
        (&["plan", "e.labelwise", "--half-width", "0.6"], "so every interval is narrower than that\n", ""),
    ] {
        let said = refused(&folder, arguments);
        assert!(said.contains(sentence) && said.contains(hint), "{said}");
        assert_eq!(said.contains("hint:"), !hint.is_empty(), "{said}");
    }
    let json = folder.output(&["check", "e.labelwise", "--below", "5", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["error"]["code"], "threshold-range");
    // The ends are values that the metric can have, and losses without an upper bound have no upper end.
    for arguments in [
        &["check", "e.labelwise", "--below", "1"][..],
        &["check", "e.labelwise", "--below", "0"],
        &["check", "e.labelwise", "--loss", "cross-entropy", "--below", "90"],
        &["plan", "e.labelwise", "--half-width", "0.5"],
        &["plan", "e.labelwise", "--loss", "cross-entropy", "--half-width", "5"],
    ] {
        assert_ne!(folder.output(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// Colour, a title, a cleared screen, a C1 control, a forged line, and text that runs backwards.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}2J\r\n\tforged\u{202e}\u{2066}";

/// A pool with ids, texts, a class and a column that a terminal would obey.
fn hostile_pool() -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let column = |name: &str| format!("{name}{HOSTILE}");
    writer.write_record(["id", "prob_cat", &column("prob_dog"), &column("kind")]).unwrap();
    for item in 0..60 {
        let cat = 0.05 + 0.015 * f64::from(item);
        let cells = [format!("{item}{HOSTILE}"), cat.to_string(), (1.0 - cat).to_string()];
        writer.write_record([&cells[..], &[format!("kind {}{HOSTILE}", item % 2)]].concat()).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

#[test]
fn a_terminal_is_sent_nothing_to_obey() {
    let folder = Folder::new();
    folder.write("hostile.csv", &hostile_pool());
    let obeyed = |letter: char| letter.is_control() && letter != '\n' || "\u{202e}\u{2066}".contains(letter);
    let check = |arguments: &[&str]| {
        let output = folder.output(arguments);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains(obeyed), "{arguments:?}: {said:?}");
        assert!(
            !said.lines().any(|line| line.contains("forged") && !line.contains("[31m")),
            "{arguments:?}: {said}"
        );
        said
    };
    let class = format!("dog{HOSTILE}");
    check(&["new", "hostile.csv", "--out", "h.labelwise", "--loss", "f1", "--positive", &class]);
    let table = check(&["ask", "h.labelwise", "-n", "30", "--format", "table"]);
    assert_eq!(table.lines().count(), 31, "{table}");
    assert!(table.contains("\\u001b[31m\\u001b]0;title\\u0007") && table.contains("\\r\\n\\tforged\\u202e"));
    // Data are as they were, so that the ids of a sheet are those of the pool.
    let csv = folder.run(&["ask", "h.labelwise", "--waiting", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let ids: Vec<String> = reader.records().map(|row| row.unwrap().get(0).unwrap().to_owned()).collect();
    assert!(ids.len() == 30 && ids.iter().all(|id| id.ends_with(HOSTILE)));
    let jsonl = folder.run(&["ask", "h.labelwise", "--waiting", "--jsonl"]);
    for (line, id) in jsonl.lines().zip(&ids) {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["id"], id.as_str());
    }
    check(&["tell", "h.labelwise", &format!("{}=kettle{HOSTILE}", ids[0])]);
    check(&["tell", "h.labelwise", &format!("nowhere{HOSTILE}=cat")]);
    for (place, id) in ids.iter().enumerate() {
        let class = if place % 3 == 0 { &class } else { "cat" };
        check(&["tell", "h.labelwise", &format!("{id}={class}"), "--who", HOSTILE]);
    }
    let by = format!("kind{HOSTILE}");
    check(&["status", "h.labelwise"]);
    check(&["estimate", "h.labelwise"]);
    check(&["estimate", "h.labelwise", "--loss", "f1_per_class,accuracy", "--by", &by]);
    check(&["estimate", "h.labelwise", "--by", "kinds"]);
    check(&["estimate", "h.labelwise", "--loss", "f1", "--positive", "kettle"]);
    check(&["export", "h.labelwise", "--json"]);
}

#[test]
fn suggested_commands_can_be_pasted() {
    let folder = Folder::new();
    let made = folder.run(&["new", "pool.csv", "--out", "Ann's news.labelwise"]);
    assert!(made.contains(r"Next: labelwise ask 'Ann'\''s news.labelwise' -n 20"), "{made}");
    let status = folder.run(&["status", "Ann's news.labelwise"]);
    assert!(status.contains(r"Next: labelwise ask 'Ann'\''s news.labelwise'"), "{status}");
    let pool = std::fs::read_to_string(folder.path("pool.csv")).unwrap();
    folder.write("other.csv", &pool.replace("prob_cat,prob_dog", "prob_dog,prob_cat"));
    let compare = folder.run(&["compare", "pool.csv", "other.csv", "--out", "a b.labelwise"]);
    assert!(compare.contains("Next: labelwise ask 'a b.labelwise' -n 20"), "{compare}");
    let said = refused(&folder, &["estimate", "a b.labelwise"]);
    assert!(said.contains("use labelwise compare 'a b.labelwise'"), "{said}");
}

#[test]
fn a_name_that_is_nearly_right_is_named() {
    let folder = labelled();
    folder.run(&["new", "pool.csv", "--out", "pets.labelwise"]);
    let simulate = ["simulate", "pool.csv", "--label-column", "lable", "--budget", "20", "--runs", "5"];
    for (arguments, meant) in [
        (&["aks", "e.labelwise"][..], "ask"),
        (&["estimate", "e.labelwise", "--loss", "acuracy"], "\"accuracy\""),
        (&["estimate", "e.labelwise", "--by", "txt"], "\"text\""),
        (&["estimate", "e.labelwise", "--estimator", "regresion"], "\"regression\""),
        (&["estimate", "e.labelwise", "--loss", "f1", "--positive", "cats"], "\"cat\""),
        (&["estimate", "pes.labelwise"], "pets.labelwise"),
        (&["new", "pol.csv"], "pool.csv"),
        (&["tell", "e.labelwise", "label.csv"], "labels.csv"),
        (&simulate, "\"label\""),
    ] {
        let said = refused(&folder, arguments);
        let said = said.to_lowercase().replace("a similar subcommand exists:", "did you mean");
        assert!(said.contains("did you mean") && said.contains(meant), "{arguments:?}: {said}");
    }
    let asked = folder.run(&["ask", "e.labelwise", "--jsonl"]);
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let id = asked["id"].as_str().unwrap();
    let said = refused(&folder, &["tell", "e.labelwise", &format!("{id}=Dgo")]);
    assert!(said.contains(r#"one of the classes "cat", "dog", "owl"; did you mean "dog"?"#), "{said}");
    // A label of megabytes is not printed whole.
    folder.write("long.csv", &format!("id,label\n{id},{}\n", "x".repeat(3_000_000)));
    let said = refused(&folder, &["tell", "e.labelwise", "long.csv"]);
    assert!(said.len() < 400 && said.contains("xxx...\" (3,000,000 characters)"), "{}", said.len());
}

#[test]
fn a_pool_that_is_used_up_has_an_exit_code_of_its_own() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "e.labelwise"]);
    assert_eq!(folder.output(&["ask", "e.labelwise", "-n", "201"]).status.code(), Some(2));
    folder.run(&["ask", "e.labelwise", "-n", "150"]);
    let asked = folder.run(&["ask", "e.labelwise", "--up-to", "60", "--jsonl"]);
    assert_eq!(asked.lines().count(), 50);
    assert_eq!(folder.output(&["ask", "e.labelwise", "--up-to", "60"]).status.code(), Some(4));
    assert_eq!(folder.output(&["ask", "e.labelwise"]).status.code(), Some(4));
}

#[test]
fn a_sheet_for_labellers_has_no_formulas() {
    let folder = Folder::new();
    let rows: String =
        (0..20).map(|item| format!("-{item},0.{},0.{},\"\t=1+1\"\n", 10 + item, 90 - item)).collect();
    folder.write("sheet.csv", &format!("id,prob_cat,prob_dog,=kind\n{rows}"));
    folder.run(&["new", "sheet.csv", "--carry", "=kind"]);
    let sheet = folder.run(&["ask", "sheet.labelwise", "-n", "5", "--format", "csv", "--spreadsheet"]);
    assert!(sheet.starts_with("id,'=kind\n") && sheet.matches("\n'-").count() == 5, "{sheet}");
    assert_eq!(sheet.matches("'\t=1+1").count(), 5, "{sheet}");
    let bare = folder.run(&["ask", "sheet.labelwise", "--waiting", "--format", "csv"]);
    assert!(!bare.contains('\''), "{bare}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_done_is_said_even_if_nothing_can_be_printed() {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "e.labelwise"]);
    let full = |arguments: &[&str]| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = full(&["ask", "e.labelwise", "-n", "2"]);
    assert!(said.contains("but the items are drawn") && said.contains("ask --waiting"), "{said}");
    let waiting = folder.run(&["ask", "e.labelwise", "--waiting", "--format", "csv"]);
    let id = waiting.lines().nth(1).unwrap().split(',').next().unwrap();
    let said = full(&["tell", "e.labelwise", &format!("{id}=cat")]);
    assert!(said.contains("but the answers are recorded: labelwise status counts them"), "{said}");
    assert!(!full(&["ask", "e.labelwise", "--waiting"]).contains("drawn"));
}

#[test]
fn an_export_is_not_written_under_a_name_that_deceives() {
    let folder = labelled();
    let said = refused(&folder, &["export", "e.labelwise", "--out", "e.labelwise-wal"]);
    assert!(said.contains("is the name of a log of an evaluation"), "{said}");
    let said = refused(&folder, &["export", "e.labelwise", "--out", "draws.parquet"]);
    assert!(
        said.contains("export writes CSV or JSON Lines") && !folder.path("draws.parquet").exists(),
        "{said}"
    );
}

#[test]
fn a_threshold_without_bounds_names_the_option_that_gives_them() {
    let folder = Folder::new();
    let rows: String = (0..200).map(|item| format!("row-{item},{},0.5\n", item % 7)).collect();
    folder.write("values.csv", &format!("id,mean,variance\n{rows}"));
    for (range, is_named) in [(&[][..], true), (&["--range", "0,8"], false)] {
        let new = ["new", "values.csv", "--mean", "mean", "--variance", "variance", "--out", "v.labelwise"];
        folder.run(&[&new[..], range].concat());
        folder.label("v.labelwise", 60, |item| (item % 5).to_string());
        let output = folder.output(&["check", "v.labelwise", "--below", "0.001"]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.contains("labelwise new --range LOW,HIGH"), is_named, "{said}");
        std::fs::remove_file(folder.path("v.labelwise")).unwrap();
    }
}

#[test]
fn two_models_are_compared_in_one_order() {
    let folder = Folder::new();
    let pool = std::fs::read_to_string(folder.path("pool.csv")).unwrap();
    // The second model is the worse one, and then the better one.
    folder.write("bad.csv", &pool.replace("prob_cat,prob_dog,prob_owl", "prob_dog,prob_owl,prob_cat"));
    for (first, second, sign) in [("pool", "bad", '-'), ("bad", "pool", '+')] {
        let (one, two) = (format!("{first}.csv"), format!("{second}.csv"));
        let (single, pair) = (format!("{first}.labelwise"), format!("{first}-{second}.labelwise"));
        folder.run(&["compare", &one, &two, "--out", &pair, "--loss", "accuracy"]);
        folder.label(&pair, 60, |item| label(item).to_owned());
        folder.run(&["new", &one, "--loss", "accuracy"]);
        folder.label(&single, 60, |item| label(item).to_owned());
        for arguments in [&["compare", pair.as_str()][..], &["compare", &single, &two]] {
            let said = folder.run(arguments);
            let row = said.lines().find(|line| line.contains(" - ")).unwrap_or_default();
            let difference = row.trim().strip_prefix(&format!("{second} - {first}"));
            assert!(difference.is_some_and(|row| row.trim().starts_with(sign)), "{said}");
        }
        // One number, one value.
        let compared = folder.run(&["compare", &single, &two]);
        let row = compared.lines().find_map(|line| line.trim().strip_prefix(&format!("{first} ")));
        let value = row.and_then(|row| row.split_whitespace().next()).unwrap_or_default();
        let alone = folder.run(&["estimate", &single]);
        assert!(alone.starts_with(&format!("accuracy  {value} ")), "{compared}{alone}");
    }
}
