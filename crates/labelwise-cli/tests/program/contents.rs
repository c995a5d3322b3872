//! Files whose names say something else than their contents, and text in the forms that people have it.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use insta::assert_snapshot;

use crate::run::Folder;

const POOL: &str = "id,prob_a,prob_b,label\nx,0.9,0.1,a\ny,0.2,0.8,b\nz,0.6,0.4,a\n";

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../labelwise-pool/tests/fixtures/pools");
    fs::read(folder.join(name)).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The pool in every form that is read, with the same predictions.
fn folder() -> Folder {
    let folder = Folder::new().with("pool.csv", POOL);
    let lines = "{\"id\":\"x\",\"probs\":[0.9,0.1]}\n{\"id\":\"y\",\"probs\":[0.2,0.8]}\n";
    for (name, bytes) in [
        ("semicolons.csv", POOL.replace(',', ";").into_bytes()),
        ("tabs.csv", POOL.replace(',', "\t").into_bytes()),
        ("packed.csv.gz", gzip(POOL.as_bytes())),
        ("packed.csv", gzip(POOL.as_bytes())),
        ("excel.csv", utf16(&POOL.replace(',', "\t").replace('\n', "\r\n"))),
        ("text.parquet", POOL.as_bytes().to_vec()),
        ("table", POOL.as_bytes().to_vec()),
        ("table.csv", fixture("pool.parquet")),
        ("arrays.parquet", fixture("pool.npz")),
        ("log.json", fixture("inspect.eval")),
        ("lines.jsonl", format!("\u{feff}{lines}").into_bytes()),
        ("lines.csv", gzip(lines.as_bytes())),
    ] {
        fs::write(folder.path(name), bytes).unwrap();
    }
    folder
}

#[test]
fn contents_decide_and_the_program_says_so() {
    let folder = folder();
    let mut said = String::new();
    for name in [
        "pool.csv",
        "semicolons.csv",
        "tabs.csv",
        "packed.csv.gz",
        "packed.csv",
        "excel.csv",
        "text.parquet",
        "table",
        "table.csv",
        "arrays.parquet",
        "log.json",
        "lines.jsonl",
        "lines.csv",
    ] {
        let loss = if name == "log.json" { ["--loss", "accuracy"].as_slice() } else { &[] };
        let arguments = [&["new", name, "--out", &format!("{name}.labelwise"), "--surrogate", "none"], loss];
        let output = folder.command(&arguments.concat()).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let first = out.lines().take(2).map(str::to_owned).collect::<Vec<_>>().join("\n");
        said += &format!("{first}\n\n");
    }
    assert_snapshot!("contents", said);
    // The default name of the evaluation has none of the pool's endings.
    assert!(folder.command(&["new", "packed.csv.gz"]).output().unwrap().status.success());
    assert!(folder.path("packed.labelwise").exists());
}

#[test]
fn other_commands_read_them_too() {
    let folder = folder();
    let simulate = ["simulate", "semicolons.csv", "--label-column", "label", "--budget", "2", "--runs", "2"];
    let output = folder.command(&simulate).output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "note: the values of semicolons.csv are separated by semicolons\n");
    fs::write(folder.path("text.parquet"), POOL.replace("0.9,0.1", "0.7,0.3")).unwrap();
    let compared = folder.transcript(&["compare", "packed.csv", "text.parquet", "--out", "c.labelwise"]);
    assert!(compared.contains("text.parquet is read as CSV, because of its contents"), "{compared}");
    let surrogate = ["new", "pool.csv", "--surrogate-file", "excel.csv", "--out", "s.labelwise"];
    let said = folder.transcript(&surrogate);
    assert!(said.contains("the values of excel.csv are separated by tabs"), "{said}");
    // What is forced is not looked at.
    let forced = folder.transcript(&["new", "text.parquet", "--as", "parquet"]);
    assert!(forced.contains("text.parquet is not a complete Parquet file"), "{forced}");
}

#[test]
fn files_that_are_not_pools() {
    let folder = folder().with("a folder/one.csv", POOL).with("names.csv", "id,prob_a,prob_b\n");
    let evaluation = ["new", "pool.csv", "--out", "e.labelwise"];
    assert!(folder.command(&evaluation).output().unwrap().status.success());
    for (name, bytes) in [
        ("empty.csv", Vec::new()),
        ("blank.csv", b"\n \n".to_vec()),
        ("bytes.bin", vec![0, 1, 2, 3]),
        ("packed.parquet.gz", gzip(&fixture("pool.parquet"))),
        ("packed.zst", b"\x28\xb5\x2f\xfd....".to_vec()),
        // Has commas and ends of lines by chance.
        (
            "noise.parquet",
            (0..4000_u32)
                .map(|i| (i * i * 31 + i * 7) as u8 | 0x80 >> (i % 3))
                .chain(*b"\xff,\n\xfe,\n")
                .collect(),
        ),
        ("list.json", b"[1, 2]".to_vec()),
        ("comma.csv", b"id;prob_a;prob_b\nx;0,9;0,1\n".to_vec()),
    ] {
        fs::write(folder.path(name), bytes).unwrap();
    }
    let mut said = String::new();
    for name in [
        "a folder",
        "empty.csv",
        "blank.csv",
        "names.csv",
        "bytes.bin",
        "packed.parquet.gz",
        "packed.zst",
        "noise.parquet",
        "list.json",
        "comma.csv",
        "e.labelwise",
    ] {
        let output = folder.command(&["new", name, "--out", "n.labelwise"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        said += &String::from_utf8(output.stderr).unwrap();
    }
    assert_snapshot!("not_pools", said);
}

#[test]
fn labels_come_in_the_same_forms() {
    let folder = folder();
    let labels = "id,label,note\nx,a,\ny,b,\nz,a,\"two\nlines\"\n";
    for (name, bytes) in [
        ("gzip", gzip(labels.as_bytes())),
        ("utf16", utf16(&labels.replace('\n', "\r\n"))),
        ("semicolons", labels.replace(',', ";").into_bytes()),
        ("windows", format!("\u{feff}{}", labels.replace('\n', "\r\n")).into_bytes()),
    ] {
        let evaluation = format!("{name}.labelwise");
        assert!(
            folder.command(&["new", "pool.csv", "--out", &evaluation]).output().unwrap().status.success()
        );
        assert!(folder.command(&["ask", &evaluation, "-n", "3"]).output().unwrap().status.success());
        fs::write(folder.path("labels.csv"), bytes).unwrap();
        let told = folder.transcript(&["tell", &evaluation, "labels.csv"]);
        assert!(told.contains("3 labels recorded") || told.contains("exit code: 0"), "{name}: {told}");
    }
    // Lines are counted as an editor shows them, whatever their ends.
    for end in ["\n", "\r\n"] {
        let wrong = ["id,label,note", "\"x\",a,\"two", "lines\"", "", "y,b", "z,c,"].join(end) + end;
        fs::write(folder.path("wrong.csv"), wrong).unwrap();
        let said = folder.transcript(&["tell", "gzip.labelwise", "wrong.csv"]);
        assert!(said.contains("  line 5: has 2 cells, but the first line has 3"), "{end:?}: {said}");
        fs::write(folder.path("wrong.csv"), ["id,label", "x,a", "y,d"].join(end)).unwrap();
        let said = folder.transcript(&["tell", "gzip.labelwise", "wrong.csv"]);
        assert!(said.contains("line 3"), "{end:?}: {said}");
    }
}
