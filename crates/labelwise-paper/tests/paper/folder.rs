//! The folder of results: it holds one thing, and nothing that is in it is ever lost to another.

use std::fs;

use labelwise::Seed;
use labelwise_paper::figure::figure;
use labelwise_paper::problem::Settings;
use labelwise_paper::run::{Folder, Manifest, repeat};
use labelwise_paper::{Error, Making, Order, Scale};
use tempfile::tempdir;

use crate::toy::{Toy, contents, names};

const SEED: Seed = Seed(17);

#[test]
fn a_new_folder_holds_its_manifest() {
    let parent = tempdir().unwrap();
    let path = parent.path().join("not/yet/there");
    let opened = Folder::open(&path, Toy::manifest(10, SEED)).unwrap();
    assert_eq!(opened.path(), path);
    assert_eq!(opened.manifest(), &Toy::manifest(10, SEED));
    assert_eq!(names(&path), ["lock", "manifest.json"]);
    let written: Manifest = serde_json::from_slice(&fs::read(path.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(written, Toy::manifest(10, SEED));
    assert_eq!((written.schema.as_str(), written.seed), ("labelwise.paper/1", 17));
}

#[test]
fn results_of_anything_else_are_refused_and_left_as_they_are() {
    let folder = tempdir().unwrap();
    let mine = Toy::manifest(10, SEED);
    repeat(&Toy::lasting(), 10, SEED, &Folder::open(folder.path(), mine.clone()).unwrap(), &|_| {}).unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let before = contents(folder.path());
    let others = [
        ("the seed", Manifest { seed: 18, ..mine.clone() }, "17", "18"),
        ("the figure", Manifest { figure: "3".to_owned(), ..mine.clone() }, "toy", "3"),
        ("the settings", Manifest { settings: "released".to_owned(), ..mine.clone() }, "text", "released"),
        ("the scale", Manifest { scale: "paper".to_owned(), ..mine.clone() }, "smoke", "paper"),
        (
            "the format",
            Manifest { schema: "other/1".to_owned(), ..mine.clone() },
            "labelwise.paper/1",
            "other/1",
        ),
        ("the number of runs", Toy::manifest(11, SEED), "10 of toy", "11 of toy"),
    ];
    for (differs, manifest, expected_there, expected_here) in others {
        let error = Folder::open(folder.path(), manifest).unwrap_err();
        let sentence = error.to_string();
        let expected = format!(
            "the folder {} has results of another run ({differs}: {expected_there} there, {expected_here} here): \
             choose another folder, or delete that one",
            folder.path().display()
        );
        assert_eq!(sentence, expected);
        assert!(matches!(error, Error::OtherRun { .. }));
        assert!(contents(folder.path()) == before, "{differs}");
    }
    // Its own results are still its own.
    Folder::open(folder.path(), mine).unwrap();
}

#[test]
fn a_figure_s_folder_is_for_that_order_alone() {
    let folder = tempdir().unwrap();
    let order = Order { scale: Scale::Smoke, runs: Some(2), seed: 1, ..Order::default() };
    drop(Making::new(figure("1").unwrap(), order, folder.path()).unwrap());
    let before = contents(folder.path());
    let refused = |name: &str, order: Order| {
        let error = Making::new(figure(name).unwrap(), order, folder.path()).err().unwrap();
        assert!(contents(folder.path()) == before);
        match error {
            Error::OtherRun { what, .. } => what,
            error => panic!("{error}"),
        }
    };
    assert_eq!(refused("1", Order { seed: 2, ..order }), "the seed");
    assert_eq!(refused("1", Order { runs: Some(3), ..order }), "the number of runs");
    assert_eq!(refused("1", Order { runs: None, ..order }), "the scale");
    assert_eq!(refused("1", Order { settings: Settings::Released, ..order }), "the settings");
    assert_eq!(refused("3", order), "the figure");
    Making::new(figure("1").unwrap(), order, folder.path()).unwrap();
}

#[test]
fn a_folder_with_somebody_s_files_is_refused_and_left_as_it_is() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("thesis")).unwrap();
    fs::write(folder.path().join("thesis/chapter.tex.unfinished-1-0"), "years of work").unwrap();
    let before = contents(folder.path());
    let error = Folder::open(folder.path(), Toy::manifest(10, SEED)).unwrap_err();
    let expected = format!(
        "the folder {} has `thesis` and no results of labelwise: choose an empty or a new folder",
        folder.path().display()
    );
    assert_eq!(error.to_string(), expected);
    assert!(contents(folder.path()) == before);
}

#[test]
fn a_folder_that_was_begun_and_killed_at_once_can_be_used() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("manifest.json.unfinished-1-0"), "{\"sche").unwrap();
    fs::write(folder.path().join("lock"), "").unwrap();
    Toy::folder(folder.path(), 10, SEED);
    assert_eq!(names(folder.path()), ["lock", "manifest.json"]);
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    for path in [file.clone(), file.join("inside"), file.join("far/inside")] {
        let error = Folder::open(&path, Toy::manifest(10, SEED)).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("{} is a file, but results need a folder: choose another place", file.display())
        );
    }
    assert_eq!(contents(folder.path()), [("file".to_owned(), Some(b"mine".to_vec()))]);
}

#[test]
fn a_manifest_that_cannot_be_read_is_named_and_left_as_it_is() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("manifest.json"), "{\"schema\":\"labelwise.pap").unwrap();
    let before = contents(folder.path());
    let error = Folder::open(folder.path(), Toy::manifest(10, SEED)).unwrap_err();
    assert!(matches!(&error, Error::Damaged { path, .. } if path.ends_with("manifest.json")), "{error}");
    assert!(contents(folder.path()) == before);
}

#[test]
fn two_at_once_are_one_too_many() {
    let folder = tempdir().unwrap();
    let first = Toy::folder(folder.path(), 10, SEED);
    // Something the first is about to move to its place.
    fs::write(folder.path().join("report.html.unfinished-1-0"), "half").unwrap();
    let error = Folder::open(folder.path(), Toy::manifest(10, SEED)).unwrap_err();
    let expected = format!(
        "another labelwise process uses the folder {}: wait for it, or choose another folder",
        folder.path().display()
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "report.html.unfinished-1-0"]);
    drop(first);
    Toy::folder(folder.path(), 10, SEED);
    assert_eq!(names(folder.path()), ["lock", "manifest.json"]);
}

#[test]
fn another_build_may_read_what_is_finished_and_add_to_nothing() {
    let by_older = Manifest { commit: "0123456789ab".to_owned(), ..Toy::manifest(10, SEED) };
    let folder = tempdir().unwrap();
    let opened = Folder::open(folder.path(), by_older.clone()).unwrap();
    repeat(&Toy::ending_after(4), 10, SEED, &opened, &|_| {}).err().unwrap();
    drop(opened);
    let before = contents(folder.path());
    let error = Folder::open(folder.path(), Toy::manifest(10, SEED)).unwrap_err();
    assert!(
        matches!(&error, Error::OtherRun { what: "the commit that began it", there, .. } if there == "0123456789ab"),
        "{error}"
    );
    assert!(contents(folder.path()) == before);
    let opened = Folder::open(folder.path(), by_older.clone()).unwrap();
    repeat(&Toy::lasting(), 10, SEED, &opened, &|_| {}).unwrap();
    drop(opened);
    let opened = Folder::open(folder.path(), Toy::manifest(10, SEED)).unwrap();
    assert_eq!(opened.manifest(), &by_older, "the results are still those of the build that made them");
}

#[test]
fn a_folder_in_which_no_runs_are_is_of_whoever_makes_the_first() {
    let by_older = Manifest { commit: "0123456789ab".to_owned(), ..Toy::manifest(10, SEED) };
    let folder = tempdir().unwrap();
    drop(Folder::open(folder.path(), by_older).unwrap());
    let (opened, ours) =
        (Folder::open(folder.path(), Toy::manifest(10, SEED)).unwrap(), Toy::manifest(10, SEED));
    assert_eq!(opened.manifest(), &ours);
    let written = fs::read(folder.path().join("manifest.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Manifest>(&written).unwrap(), ours);
}

#[test]
fn a_result_is_written_whole_over_an_older_one() {
    let folder = tempdir().unwrap();
    let opened = Toy::folder(folder.path(), 10, SEED);
    opened.write("report.html", b"the first, which is longer").unwrap();
    let path = opened.write("report.html", b"the second").unwrap();
    assert_eq!(path, folder.path().join("report.html"));
    assert_eq!(fs::read(path).unwrap(), b"the second");
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "report.html"]);
}
