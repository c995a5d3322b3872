//! `labelwise paper archive` and `labelwise paper wanted`: predictions from elsewhere as archives, and figures of them.

use std::fmt::Write;
use std::fs;

use insta::assert_snapshot;
use labelwise_images::Archive;
use labelwise_paper::problem::Settings;
use labelwise_paper::{Scale, figure};
use serde_json::Value;

use crate::digits::archives;
use crate::run::{Folder, round};

/// The names of a figure's archives at smoke scale.
fn wanted(figure: &str) -> Vec<String> {
    let recipes = figure::figure(figure).unwrap().recipes(Settings::Text, Scale::Smoke);
    recipes.iter().map(|recipe| recipe.file()).collect()
}

/// Ten classes, of which the model is rather sure of the right one, in all images but every fifth.
fn predictions(images: u32) -> String {
    let head: String = (0..10).map(|class| format!("prob_{class},")).collect();
    let mut text = format!("{head}label\n");
    for image in 0..images {
        let sure = |class: u32| if class == image % 10 { "0.82," } else { "0.02," };
        let label = if image % 5 == 4 { image + 1 } else { image };
        writeln!(text, "{}{}", (0..10).map(sure).collect::<String>(), label % 10).unwrap();
    }
    text
}

/// The mean of an archive as a table of its own, as another program would write it.
fn as_table(archive: &Archive) -> String {
    let classes = archive.classes();
    let mut text = (0..classes).map(|class| format!("prob_{class},")).collect::<String>() + "label\n";
    for (row, label) in archive.mean().singles().unwrap().chunks(classes).zip(archive.labels()) {
        row.iter().for_each(|value| write!(text, "{value},").unwrap());
        writeln!(text, "{label}").unwrap();
    }
    text
}

const ARCHIVE: [&str; 9] =
    ["paper", "archive", "theirs.csv", "--out", "mine/a.parquet", "--set", "mnist", "--part", "test"];

#[test]
fn help() {
    let folder = Folder::new();
    assert_snapshot!("help_of_archive", folder.transcript(&["paper", "archive", "--help"]));
    assert_snapshot!("help_of_wanted", folder.transcript(&["paper", "wanted", "--help"]));
}

#[test]
fn an_archive_is_made_once_and_what_is_there_stays() {
    let folder = Folder::new().with("theirs.csv", &predictions(60));
    assert_snapshot!("archive", folder.transcript(&ARCHIVE));
    let whole = fs::read(folder.path("mine/a.parquet")).unwrap();
    assert_snapshot!("archive_again", folder.transcript(&ARCHIVE));
    let folder = folder.with("theirs.csv", &predictions(61));
    assert_snapshot!("error_other", folder.transcript(&ARCHIVE));
    assert_eq!(fs::read(folder.path("mine/a.parquet")).unwrap(), whole);
    assert_eq!(fs::read_dir(folder.path("mine")).unwrap().count(), 1, "no remnant is left");

    let archive = Archive::read(&folder.path("mine/a.parquet")).unwrap();
    assert_eq!(archive.ids(), (0..60).collect::<Vec<u32>>(), "images without numbers are counted");
    assert_eq!(archive.labels()[..6], [0, 1, 2, 3, 5, 5]);
}

#[test]
fn an_archive_says_what_it_was_told() {
    let words = "0.1,0.9,0.6,0.4,5\n0.7,0.3,0.2,0.8,3\n";
    let eight = |start: &str| (2..10).map(|class| format!("{start}{class},")).collect::<String>();
    let head = format!("a1,a0,b0,b1,{}{}number,truth\n", eight("a"), eight("b"));
    let rows = words.lines().zip(["1", "0"]).map(|(row, label)| {
        let (row, number) = row.rsplit_once(',').unwrap();
        format!("{row},{}{number},{label}\n", "0,".repeat(16))
    });
    let folder = Folder::new().with("theirs.csv", &(head + &rows.collect::<String>()));
    let columns = ["--probs", "a*", "--probs", "b*", "--label-column", "truth", "--id", "number"];
    let origin = ["--architecture", "LeNet", "--training-size", "50000", "--seed", "3"];
    let notes = ["--note", "by=PyTorch", "--note", "url=https://example.org/?a=b", "--json"];
    let told = folder.json(&[&ARCHIVE[..], &columns, &origin, &notes].concat());
    assert_snapshot!("archive_json", serde_json::to_string_pretty(&told).unwrap());
    let archive = Archive::read(&folder.path("mine/a.parquet")).unwrap();
    assert_eq!((archive.ids(), archive.labels()), (&[5, 3][..], &[1, 0][..]));
    // The first member's columns are not in the order of their numbers.
    assert_eq!(archive.members()[0].singles().unwrap()[..2], [0.9, 0.1]);
    assert_eq!(archive.members()[1].singles().unwrap()[..2], [0.6, 0.4]);
    let provenance = archive.provenance();
    assert_eq!((provenance.set.as_str(), provenance.part.as_str()), ("mnist", "test"));
    assert_eq!(provenance.architecture, "LeNet");
    assert_eq!((provenance.training_size, provenance.seed), (Some(50_000), Some(3)));
    assert_eq!(provenance.notes["by"], "PyTorch");
    assert_eq!(provenance.notes["url"], "https://example.org/?a=b");
}

#[test]
fn logits_become_probabilities() {
    let classes: String = (0..10).map(|class| format!("z{class},")).collect();
    let rows = "0,0,0,4,0,0,0,0,0,0,3\n1,9,1,1,1,1,1,1,1,1,1\n";
    let folder = Folder::new().with("theirs.csv", &format!("{classes}label\n{rows}"));
    let told = folder.json(&[&ARCHIVE[..], &["--logits", "z*", "--json"]].concat());
    assert_eq!((&told["accuracy"], &told["members"]), (&Value::from(1.0), &Value::from(1)));
    let expected = ((9.0 * (-4.0_f64).exp()).ln_1p() + (9.0 * (-8.0_f64).exp()).ln_1p()) / 2.0;
    assert!((told["cross_entropy"].as_f64().unwrap() - expected).abs() < 1e-6, "{told}");
}

#[test]
fn predictions_are_tempered_by_images_that_are_kept_out() {
    // Right two times in three, and 91 % sure of it: the temperature that makes it honest is known.
    let classes: String = (0..10).map(|class| format!("prob_{class},")).collect();
    let mut text = format!("{classes}label\n");
    for image in 0..900 {
        let sure = |class: u32| if class == image % 10 { "0.91," } else { "0.01," };
        let label = if image / 10 % 3 == 2 { image + 1 + image % 9 } else { image };
        writeln!(text, "{}{}", (0..10).map(sure).collect::<String>(), label % 10).unwrap();
    }
    let folder = Folder::new().with("theirs.csv", &text);
    let told = folder.json(&[&ARCHIVE[..], &["--hold-out", "300", "--temper", "--json"]].concat());
    assert_eq!((&told["items"], &told["held_out"]), (&Value::from(600), &Value::from(300)));
    // 0.91 and nine times 0.01 become two thirds and nine times 1/27 where the logarithm of their ratio is ln 18.
    let expected = 91.0_f64.ln() / 18.0_f64.ln();
    let temperature = told["temperatures"][0].as_f64().unwrap();
    assert!((temperature / expected - 1.0).abs() < 0.1, "{temperature} and {expected}");
    let ratio = told["entropy_over_cross_entropy"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    let archive = Archive::read(&folder.path("mine/a.parquet")).unwrap();
    assert_eq!(archive.provenance().notes["temperatures"], format!("{temperature:.4}"));
    // Another network's archive has the same images, in the same order.
    let plain: Vec<&str> =
        ARCHIVE.iter().map(|word| if word.starts_with("mine") { "b.parquet" } else { *word }).collect();
    let told = folder.json(&[&plain[..], &["--hold-out", "300", "--json"]].concat());
    assert_eq!(told["temperatures"], Value::Array(Vec::new()));
    assert!((told["entropy_over_cross_entropy"].as_f64().unwrap() - 0.3).abs() < 0.1, "{told}");
    assert_eq!(Archive::read(&folder.path("b.parquet")).unwrap().ids(), archive.ids());
    assert_snapshot!("temper_alone", folder.transcript(&[&ARCHIVE[..], &["--temper"]].concat()));
    assert_snapshot!("hold_out_all", folder.transcript(&[&plain[..], &["--hold-out", "901"]].concat()));
}

#[test]
fn published_networks_are_wanted_by_their_roles() {
    let folder = Folder::new();
    assert_snapshot!(
        "wanted_published",
        folder.transcript(&["paper", "wanted", "6", "--scale", "published"])
    );
    assert_snapshot!("published_missing", folder.transcript(&["paper", "7", "--scale", "published"]));
    assert_snapshot!("published_none", folder.transcript(&["paper", "8", "--scale", "published"]));
    assert_snapshot!("wanted_none", folder.transcript(&["paper", "wanted", "8", "--scale", "published"]));
}

#[test]
fn a_figure_of_predictions_from_elsewhere_is_the_same_figure() {
    let mut folder = Folder::new();
    for file in wanted("5") {
        let archive = Archive::read(&archives().join(&file)).unwrap();
        folder = folder.with("theirs.csv", &as_table(&archive));
        // The name says which images they are.
        let told =
            folder.transcript(&["paper", "archive", "theirs.csv", "--out", &format!("archives/{file}")]);
        if file == wanted("5")[0] {
            assert_snapshot!("archive_of_figure", told);
        }
        assert!(told.contains("exit code: 0"), "{told}");
    }
    let figure = |archives: &str, out: &str| {
        let arguments = ["paper", "5", "--scale", "smoke", "--json", "--archives", archives, "--out", out];
        let mut summary = folder.json(&arguments);
        round(&mut summary);
        summary
    };
    let theirs = figure("archives", "theirs");
    let ours = figure(archives().to_str().unwrap(), "ours");
    assert_eq!(theirs["archives"].as_array().unwrap().len(), 3);
    assert_eq!(theirs["archives"][2]["training_size"], Value::Null, "nothing is made up");
    assert_eq!((&theirs["losses"], &theirs["claims"]), (&ours["losses"], &ours["claims"]));
}

#[test]
fn what_a_figure_wants_is_listed() {
    let folder = Folder::new();
    let list = ["paper", "wanted", "5", "--scale", "smoke", "--archives", "archives"];
    assert_snapshot!("wanted", folder.transcript(&list));
    let [first, second, _] = &wanted("5")[..] else { panic!("three networks") };
    fs::create_dir(folder.path("archives")).unwrap();
    fs::copy(archives().join(first), folder.path("archives").join(first)).unwrap();
    fs::copy(archives().join(first), folder.path("archives").join(second)).unwrap();
    assert_snapshot!("wanted_in_part", folder.transcript(&list));
    let told = folder.json(&[&list[..], &["--json"]].concat());
    assert_snapshot!("wanted_json", serde_json::to_string_pretty(&told).unwrap());
    assert_snapshot!("wanted_radial", folder.transcript(&["paper", "wanted", "8", "--scale", "smoke"]));
    assert_snapshot!("wanted_nothing", folder.transcript(&["paper", "wanted", "4a"]));
    for figure in ["4b", "5", "6", "7", "8", "a2", "a4", "wilcoxon"] {
        let told = folder.json(&["paper", "wanted", figure, "--settings", "released", "--json"]);
        assert_eq!((&told["scale"], &told["settings"]), (&"laptop".into(), &"released".into()));
        assert_eq!(told["archives"].as_array().unwrap().is_empty(), figure == "4b", "{figure}");
    }
}

#[test]
fn errors() {
    let radial = &wanted("8")[0];
    let folder = Folder::new().with("theirs.csv", &predictions(60)).with("bare.csv", "prob_0,prob_1\n1,0\n");
    let folder = folder.with("two.csv", "prob_0,prob_1,label\n1,0,0\n0.5,0.5,1\n");
    let numbered = predictions(2).replace("label", "label,id").replace(",0\n", ",0,9999\n");
    let folder = folder.with("numbered.csv", &numbered.replace(",1\n", ",1,10000\n"));
    let folder = folder.with("odds.csv", &predictions(2).replace("0.82", "0.99"));
    let to = |file: &str| format!("archives/{file}");
    let (radial, plain) = (to(radial), to(&wanted("5")[0]));
    let images = ["--set", "mnist", "--part", "test"];
    let cases: [(&str, &str, &str, &[&str]); 13] = [
        ("unknown_images", "theirs.csv", "a.parquet", &["--set", "mnist"]),
        ("set", "theirs.csv", "a.parquet", &["--set", "imagenet", "--part", "test"]),
        ("part", "theirs.csv", "a.parquet", &["--set", "mnist", "--part", "train"]),
        ("classes", "two.csv", "a.parquet", &images),
        ("no_image", "numbered.csv", "a.parquet", &images),
        ("no_labels", "bare.csv", "a.parquet", &images),
        ("label_column", "theirs.csv", "a.parquet", &[&images[..], &["--label-column", "y"]].concat()),
        ("rows", "odds.csv", "a.parquet", &images),
        ("note", "theirs.csv", "a.parquet", &[&images[..], &["--note", "PyTorch"]].concat()),
        ("no_file", "nowhere.npz", "a.parquet", &images),
        ("unwanted_set", "theirs.csv", &plain, &["--set", "mnist"]),
        ("unwanted_architecture", "theirs.csv", &radial, &["--architecture", "LeNet"]),
        ("unwanted_members", "theirs.csv", &radial, &["--json"]),
    ];
    for (name, file, out, more) in cases {
        let arguments = [&["paper", "archive", file, "--out", out][..], more].concat();
        assert_snapshot!(format!("error_{name}"), folder.transcript(&arguments));
        assert!(
            !folder.path(out).exists() && !folder.path("archives").exists(),
            "{name}: nothing is written"
        );
    }
}
