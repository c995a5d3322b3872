use std::fs;
use std::path::Path;

use labelwise::Matrix;
use labelwise_images::{Archive, Error, Foreign, Provenance};

/// Probabilities that differ from item to item, class to class and member to member.
fn member(items: usize, classes: usize, which: usize) -> Matrix {
    let mut rows = Vec::with_capacity(items * classes);
    for item in 0..items {
        let row: Vec<f32> =
            (0..classes).map(|class| ((item * 7 + class * 3 + which * 5) % 11 + 1) as f32).collect();
        let sum: f32 = row.iter().sum();
        rows.extend(row.iter().map(|value| value / sum));
    }
    Matrix::f32(rows, classes).unwrap()
}

fn provenance() -> Provenance {
    let mut provenance = Provenance::new("cifar-10", "test");
    provenance.architecture = "ResNet-18, width 0.25".to_owned();
    provenance.training_size = Some(10_000);
    provenance.epochs = vec![12, 9, 14];
    provenance.seed = Some(7);
    provenance.notes.insert("optimiser".to_owned(), "SGD \"with\" momentum".to_owned());
    provenance
}

fn archive(members: usize) -> Archive {
    let ids = (0..50).map(|item| item * 3 % 50).collect();
    let labels = (0..50).map(|item| item % 10).collect();
    let members = (0..members).map(|which| member(50, 10, which)).collect();
    Archive::new(ids, labels, members, provenance()).unwrap()
}

fn numbers(matrix: &Matrix) -> &[f32] {
    matrix.singles().unwrap()
}

#[test]
fn an_archive_comes_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    for members in [1, 3] {
        let (path, written) = (folder.path().join("deep/er/a.parquet"), archive(members));
        written.write(&path).unwrap();
        let read = Archive::read(&path).unwrap();
        assert_eq!((read.ids(), read.labels()), (written.ids(), written.labels()));
        assert_eq!(read.members().len(), members);
        for (one, other) in read.members().iter().zip(written.members()) {
            assert_eq!(numbers(one), numbers(other));
        }
        assert_eq!(numbers(read.mean()), numbers(written.mean()));
        assert_eq!(read.provenance(), written.provenance());
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing but the file is left");
    }
}

#[test]
fn the_mean_of_members_is_their_mean_and_accuracy_and_cross_entropy_are_its() {
    let archive = archive(3);
    let mut rows = archive.members().iter().map(|member| member.reader().row(4).to_vec());
    let (a, b, c) = (rows.next().unwrap(), rows.next().unwrap(), rows.next().unwrap());
    let mean = archive.mean().reader().row(4).to_vec();
    for class in 0..10 {
        assert!((mean[class] - (a[class] + b[class] + c[class]) / 3.0).abs() < 1e-6);
    }
    let (mut right, mut sum) = (0_u32, 0.0);
    let mut reader = archive.mean().reader();
    for (item, &label) in archive.labels().iter().enumerate() {
        let row = reader.row(item);
        let top = row.iter().copied().fold(0.0, f64::max);
        right += u32::from(row.iter().position(|&value| value == top) == Some(label as usize));
        sum -= row[label as usize].ln();
    }
    assert!((archive.accuracy() - f64::from(right) / 50.0).abs() < 1e-12);
    assert!((archive.cross_entropy() - sum / 50.0).abs() < 1e-6);
}

#[test]
fn some_items_can_be_chosen_and_bits_can_be_left_out() {
    let archive = archive(2);
    let some = archive.select(&[9, 2]).unwrap();
    assert_eq!((some.ids(), some.labels()), ([27, 6].as_slice(), [9, 2].as_slice()));
    assert_eq!(some.members()[1].reader().row(1), archive.members()[1].reader().row(2));
    assert!(matches!(archive.select(&[50]), Err(Error::NoItem { item: 50, items: 50 })));

    let rounded = archive.rounded(12).unwrap();
    let (exact, near) = (numbers(&archive.members()[0]), numbers(&rounded.members()[0]));
    assert_ne!(exact, near);
    for (exact, near) in exact.iter().zip(near) {
        assert!((exact - near).abs() <= exact * 2.0_f32.powi(-12), "{exact} became {near}");
        assert_eq!(near.to_bits() & 0xfff, 0, "the last twelve bits are nothing");
    }
    assert_eq!(numbers(&archive.rounded(24).unwrap().members()[0]), exact);
}

#[test]
fn predictions_of_others_are_read_from_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.csv");
    fs::write(&path, "net1_0,net1_1,net2_0,net2_1,truth\n0.9,0.1,0.7,0.3,0\n0.25,0.75,0.5,0.5,1\n").unwrap();
    let foreign = Foreign::new(provenance()).labels("truth").member("net1_*").member("net2_*");
    let archive = Archive::foreign(&path, &foreign).unwrap();
    assert_eq!((archive.ids(), archive.labels()), ([0, 1].as_slice(), [0, 1].as_slice()));
    assert_eq!(archive.members().len(), 2);
    assert!((archive.mean().reader().row(0)[0] - 0.8).abs() < 1e-6);

    let plain = folder.path().join("plain.csv");
    fs::write(&plain, "id,prob_0,prob_1,label\n12,0.9,0.1,0\n7,0.25,0.75,1\n").unwrap();
    let archive = Archive::foreign(&plain, &Foreign::new(provenance())).unwrap();
    assert_eq!(archive.ids(), [12, 7]);
    fs::write(&plain, "id,prob_0,prob_1,label\na,0.9,0.1,0\nb,0.25,0.75,1\n").unwrap();
    let archive = Archive::foreign(&plain, &Foreign::new(provenance())).unwrap();
    assert_eq!(archive.ids(), [0, 1], "items of other names are counted");
    assert_eq!(archive.members().len(), 1);
}

#[test]
fn classes_stand_in_the_order_of_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.csv");
    // As a program leaves columns that it has sorted by their names.
    let names = [0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9];
    let head: String = names.iter().map(|class| format!("a_{class},")).collect();
    let second: String = (0..11).map(|class| format!("b_{class},")).collect();
    let sure = |class: usize, among: &[usize]| {
        among.iter().map(|&other| if other == class { "1," } else { "0," }).collect::<String>()
    };
    let all: Vec<usize> = (0..11).collect();
    let row = |label: usize| format!("{}{}{label}\n", sure(label, &names), sure(label, &all));
    fs::write(&path, format!("{head}{second}label\n{}{}{}", row(10), row(2), row(0))).unwrap();
    let foreign = Foreign::new(provenance()).member("a_*").member("b_*");
    let archive = Archive::foreign(&path, &foreign).unwrap();
    assert_eq!(archive.labels(), [10, 2, 0]);
    assert_eq!(numbers(&archive.members()[0]), numbers(&archive.members()[1]));
    assert_eq!(archive.accuracy(), 1.0);

    // Words have no order but that of the first member.
    fs::write(&path, "a_cat,a_dog,b_dog,b_cat,label\n1,0,0,1,cat\n").unwrap();
    let error = Archive::foreign(&path, &foreign).unwrap_err().to_string();
    let expected = "a member has the classes in the order dog, cat, but needs cat, dog, as the first member";
    assert_eq!(error, expected);
}

#[test]
fn a_file_is_told_what_is_wrong_with_it_by_whichever_name_its_labels_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.csv");
    fs::write(&path, "prob_0,prob_1,labels\n0.9,0.9,1\n").unwrap();
    let error = Archive::foreign(&path, &Foreign::new(provenance())).unwrap_err().to_string();
    assert!(error.contains("invalid rows"), "{error}");
    fs::write(&path, "prob_0,prob_1,y\n0.9,0.1,1\n").unwrap();
    let error = Archive::foreign(&path, &Foreign::new(provenance())).unwrap_err().to_string();
    assert!(error.contains("has no column `label` for labels"), "{error}");
}

#[test]
fn a_new_archive_takes_nobodys_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/a.parquet");
    assert!(archive(2).write_new(&path).unwrap());
    assert!(!archive(2).write_new(&path).unwrap(), "the same is there");
    let there = fs::read(&path).unwrap();
    assert!(matches!(archive(3).write_new(&path), Err(Error::Exists { path: taken }) if taken == path));
    assert_eq!(fs::read(&path).unwrap(), there);
    assert!(matches!(archive(2).write_new(folder.path()), Err(Error::Exists { .. })), "a folder");
    assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 1);
}

/// The sentence, without the folder, which differs from run to run.
fn said(error: &Error, folder: &Path) -> String {
    error.to_string().replace(&format!("{}/", folder.display()), "")
}

#[test]
fn sentences_about_archives() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, path) = (folder.path(), folder.path().join("a.parquet"));
    let two = || Matrix::f32(vec![0.9_f32, 0.1, 0.5, 0.5], 2).unwrap();
    let made = |ids: Vec<u32>, labels: Vec<u32>, members: Vec<Matrix>| {
        said(&Archive::new(ids, labels, members, provenance()).unwrap_err(), folder)
    };
    let mut sentences = vec![
        made(vec![], vec![], vec![two()]),
        made(vec![0, 1], vec![0, 1], vec![]),
        made(vec![0], vec![0, 1], vec![two()]),
        made(vec![4, 4], vec![0, 1], vec![two()]),
        made(vec![0, 1], vec![0, 2], vec![two()]),
        made(vec![0, 1], vec![0, 1], vec![two(), member(3, 2, 0)]),
        made(vec![0, 1], vec![0, 1], vec![Matrix::f32(vec![0.9_f32, 0.1, 0.5, 0.4], 2).unwrap()]),
        said(&Archive::read(&path).unwrap_err(), folder),
    ];
    archive(3).write(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    sentences.push(said(&Archive::read(&path).unwrap_err(), folder));
    let foreign = |text: &str, foreign: &Foreign| {
        let path = folder.join("theirs.csv");
        fs::write(&path, text).unwrap();
        said(&Archive::foreign(&path, foreign).unwrap_err(), folder)
    };
    let plain = Foreign::new(provenance());
    sentences.push(foreign("id,prob_0,prob_1\n1,0.5,0.5\n", &plain));
    sentences.push(foreign("id,prob_0,prob_1,label\n1,0.5,0.5,2\n", &plain));
    sentences.push(foreign("id,prob_0,prob_1,label\n1,0.5,0.5,1\n1,0.5,0.5,0\n", &plain));
    sentences.push(foreign("mean,label\n0.5,1\n", &plain));
    insta::assert_snapshot!(sentences.join("\n"));
}

/// A byte anywhere in the file turned over: an error, or the same numbers, and never a panic.
#[test]
fn damage_is_told_or_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let unharmed = archive(3);
    unharmed.write(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut told = 0;
    for place in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x41;
        fs::write(&path, &bytes).unwrap();
        match Archive::read(&path) {
            Ok(read) => {
                assert_eq!((read.ids(), read.labels()), (unharmed.ids(), unharmed.labels()), "byte {place}");
                assert_eq!(numbers(read.mean()), numbers(unharmed.mean()), "byte {place}");
                assert_eq!(read.provenance(), unharmed.provenance(), "byte {place}");
            }
            Err(_) => told += 1,
        }
    }
    assert!(told > 0);
    for left in (0..whole.len()).step_by(97) {
        fs::write(&path, &whole[..left]).unwrap();
        assert!(Archive::read(&path).is_err(), "the first {left} bytes are no archive");
    }
}

#[test]
fn what_stood_there_stays_when_an_archive_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "precious").unwrap();
    let path = folder.path().join("file/a.parquet");
    assert!(archive(1).write(&path).is_err());
    let taken = folder.path().join("taken.parquet");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("inside"), "precious").unwrap();
    assert!(archive(1).write(&taken).is_err());
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no remnant is left");
}
