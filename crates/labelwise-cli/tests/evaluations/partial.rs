//! `tell --partial`, idempotency keys, and the lines that refusals name.

use serde_json::Value;

use crate::folder::{Folder, label};

/// A folder with an evaluation, and the ids of the items that it asked for.
fn asked(count: usize) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    folder.run(&["new", "pool.csv", "--out", "e.labelwise", "--loss", "zero-one"]);
    let listed = folder.run(&["ask", "e.labelwise", "-n", &count.to_string(), "--format", "csv"]);
    let ids = listed.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect();
    (folder, ids)
}

fn class(id: &str) -> &'static str {
    label(id.trim_start_matches("row-").parse().unwrap())
}

fn output(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let output = folder.output(arguments);
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// Valid rows, and one of every kind that is refused.
fn mixed(ids: &[String]) -> String {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|item| ids[item].as_str());
    let rows = [
        format!("{a},{},false", class(a)),
        format!("{b},kettle,"),
        "nowhere,cat,".to_owned(),
        format!("{c},cat,"),
        format!("{c},dog,"),
        format!("{d},cat,perhaps"),
        format!("{e},,yes"),
        format!("{e},cat"),
    ];
    format!("id,label,skip\n{}\n", rows.join("\n"))
}

#[test]
fn good_rows_are_recorded_and_the_others_are_named() {
    let (folder, ids) = asked(6);
    folder.write("mixed.csv", &mixed(&ids));
    // Without the option nothing changes: one bad row is enough.
    let (code, said) = output(&folder, &["tell", "e.labelwise", "mixed.csv"]);
    assert!(code == Some(2) && said.contains("2 invalid lines; no labels were recorded"), "{said}");
    let (code, said) = output(&folder, &["tell", "e.labelwise", "mixed.csv", "--partial"]);
    assert_eq!(code, Some(5), "{said}");
    let expected = [
        "2 recorded, 6 refused; 1 of 6 asked items are labelled".to_owned(),
        "  line 7: has \"perhaps\" for `skip`, which must be true or false".to_owned(),
        "  line 9: has 2 cells, but the first line has 3".to_owned(),
        format!(
            "  line 3: item \"{}\" has label \"kettle\", but a label must be one of the classes \"cat\", \"dog\", \"owl\"",
            ids[1]
        ),
        "  line 4: item \"nowhere\" was not asked for; 6 other items wait for their labels".to_owned(),
        format!("  line 5: item \"{}\" has two different answers", ids[2]),
        format!("  line 6: item \"{}\" has two different answers", ids[2]),
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    let status: Value = serde_json::from_str(&folder.run(&["status", "e.labelwise", "--json"])).unwrap();
    assert_eq!(
        (&status["labels"], &status["skipped"], &status["waiting"]),
        (&1.into(), &1.into(), &4.into())
    );
    // Everything is in order: the exit code is 0.
    let rows: String = ids.iter().take(4).map(|id| format!("{id},{}\n", class(id))).collect();
    folder.write("good.csv", &format!("id,label\n{rows}"));
    let (code, said) = output(&folder, &["tell", "e.labelwise", "good.csv", "--partial"]);
    assert_eq!(
        (code, said.as_str()),
        (Some(0), "3 recorded, 1 already on record; 4 of 6 asked items are labelled\n")
    );
}

#[test]
fn refused_rows_as_json_name_their_files() {
    let (folder, ids) = asked(3);
    folder.write("one.csv", &format!("id,label\n{},cat\n{},kettle\n", ids[0], ids[1]));
    folder.write("two.jsonl", &format!("{{\"id\": \"{}\", \"label\": \"dog\"}}\nnonsense\n", ids[2]));
    let tell = ["tell", "e.labelwise", "one.csv", "two.jsonl", "nowhere=cat", "--partial", "--json"];
    let (code, said) = output(&folder, &tell);
    let found: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (code, &found["recorded"], &found["schema"]),
        (Some(5), &2.into(), &"labelwise.tell/1".into())
    );
    let refused = found["refused"].as_array().unwrap();
    let named: Vec<_> = refused.iter().map(|row| (&row["file"], &row["line"], &row["id"])).collect();
    let null = Value::Null;
    let (one, two, id) = ("one.csv".into(), "two.jsonl".into(), Value::from(ids[1].as_str()));
    assert_eq!(named, [(&two, &2.into(), &null), (&one, &3.into(), &id), (&null, &null, &"nowhere".into())]);
}

#[test]
fn a_key_brings_back_the_first_answer() {
    let (folder, ids) = asked(6);
    folder.write("mixed.csv", &mixed(&ids));
    let partly = ["tell", "e.labelwise", "mixed.csv", "--partial", "--key", "monday"];
    let one = format!("{}=cat", ids[5]);
    let whole = ["tell", "e.labelwise", &one, "--key", "tuesday"];
    let ask = ["ask", "e.labelwise", "-n", "2", "--json", "--key", "wednesday"];
    let first = [output(&folder, &partly), output(&folder, &whole), output(&folder, &ask)];
    assert_eq!(first[1].1, "1 recorded; 2 of 6 asked items are labelled\n");
    folder.label("e.labelwise", 3, |item| label(item).to_owned());
    let again = [output(&folder, &partly), output(&folder, &whole), output(&folder, &ask)];
    assert_eq!(again, first);
    // A key is of one request.
    let (code, said) = output(&folder, &["tell", "e.labelwise", "mixed.csv", "--key", "monday"]);
    assert!(code == Some(2), "{said}");
    let (code, said) = output(&folder, &["tell", "e.labelwise", &one, "--partial", "--key", "tuesday"]);
    assert!(code == Some(2) && said.contains("was used for a different `tell` request"), "{said}");
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let (folder, ids) = asked(3);
    let text =
        format!("id,label,note\n{},cat,\"two\nlines\"\n\n{},kettle,\n{},cat\n", ids[0], ids[1], ids[2]);
    for text in [text.clone(), text.replace('\n', "\r\n")] {
        folder.write("labels.csv", &text);
        let (_, said) = output(&folder, &["tell", "e.labelwise", "labels.csv", "--partial"]);
        assert!(said.contains("line 5: item") && said.contains("line 6: has 2 cells"), "{said}");
    }
}
