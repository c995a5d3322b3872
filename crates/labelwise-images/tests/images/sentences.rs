//! Every sentence that a person may read about files of a set.

use std::path::Path;

use labelwise_images::{Images, Part, Scaling, Set, Shape, read};

use crate::files::{cifar, digit_labels, digits, idx, packed, put};

/// The sentence about a folder with these files, without the folder, which differs from run to run.
fn sentence(set: Set, part: Part, files: &[(&str, Vec<u8>)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, bytes)| put(folder.path(), name, bytes));
    let error = read(set, part, folder.path()).expect_err("nothing of this can be read");
    error.to_string().replace(&folder.path().display().to_string(), "FOLDER")
}

const IMAGES: &str = "t10k-images-idx3-ubyte";
const LABELS: &str = "t10k-labels-idx1-ubyte";

#[test]
fn sentences_about_idx_files() {
    let test = |images: Vec<u8>, labels: Vec<u8>| {
        sentence(Set::Mnist, Part::Test, &[(IMAGES, images), (LABELS, labels)])
    };
    let mut corrupt = packed(&digits(2));
    let middle = corrupt.len() / 2;
    corrupt[middle] ^= 0xff;
    let cut = |bytes: Vec<u8>, left: usize| bytes[..left].to_vec();
    let half = packed(&digits(2)).len() / 2;
    insta::assert_snapshot!(
        [
            sentence(Set::Mnist, Part::Test, &[]),
            sentence(Set::FashionMnist, Part::Train, &[("fashion-mnist/train-images-idx3-ubyte", digits(1))]),
            test(cut(digits(2), 1000), digit_labels(&[1, 2])),
            test(cut(digits(2), 10), digit_labels(&[1, 2])),
            test(Vec::new(), digit_labels(&[1, 2])),
            test([digits(2), vec![0]].concat(), digit_labels(&[1, 2])),
            test(cut(packed(&digits(2)), half), digit_labels(&[1, 2])),
            test(corrupt, digit_labels(&[1, 2])),
            test(digit_labels(&[1, 2]), digits(2)),
            test(idx(0x0803, &[2, 28, 27], &[0; 1512]), digit_labels(&[1, 2])),
            test(idx(0x0803, &[u32::MAX, u32::MAX, u32::MAX], &[0; 10]), digit_labels(&[1, 2])),
            test(idx(0x0803, &[0, 28, 28], &[]), digit_labels(&[])),
            test(digits(2), digit_labels(&[1, 2, 3])),
            test(digits(2), digit_labels(&[1, 10])),
            test(digits(2), digit_labels(&[1, 9])),
        ]
        .join("\n")
    );
}

#[test]
fn sentences_about_files_of_cifar() {
    let batches = |last: Vec<u8>| -> Vec<(&str, Vec<u8>)> {
        let whole = || cifar(&[&[1]]);
        vec![
            ("cifar-10/data_batch_1.bin", whole()),
            ("cifar-10/data_batch_2.bin", whole()),
            ("cifar-10/data_batch_3.bin", whole()),
            ("cifar-10/data_batch_4.bin", whole()),
            ("cifar-10/data_batch_5.bin", last),
        ]
    };
    let hundred = |bytes: Vec<u8>| sentence(Set::Cifar100, Part::Test, &[("test.bin", bytes)]);
    insta::assert_snapshot!(
        [
            sentence(Set::Cifar10, Part::Train, &batches(cifar(&[&[1]]))[..4]),
            sentence(Set::Cifar10, Part::Train, &batches(cifar(&[&[1], &[10]]))),
            sentence(Set::Cifar10, Part::Train, &batches(cifar(&[&[1], &[2]])[..6145].to_vec())),
            sentence(Set::Cifar10, Part::Train, &batches(Vec::new())),
            sentence(Set::Cifar10, Part::Train, &batches(cifar(&[&[1]]))),
            sentence(Set::Cifar100, Part::Train, &[]),
            hundred(cifar(&[&[20, 0]])),
            hundred(cifar(&[&[19, 100]])),
            hundred(cifar(&[&[1]])),
        ]
        .join("\n")
    );
}

/// A few kilobytes that unpack to gigabytes are refused as soon as they have more bytes than any such file.
#[test]
fn a_file_that_unpacks_without_end_is_refused_in_time() {
    let most = 10_000 * 3073_usize;
    let bomb = packed(&vec![0; most + 1]);
    assert!(bomb.len() < most / 100);
    insta::assert_snapshot!(sentence(Set::Cifar10, Part::Test, &[("test_batch.bin.gz", bomb)]));
}

#[test]
fn a_folder_that_is_a_file_has_no_set() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "mnist", b"nothing");
    assert!(read(Set::Mnist, Part::Test, folder.path()).is_err());
    assert!(read(Set::Mnist, Part::Test, Path::new("there/is/no/such/folder")).is_err());
}

#[test]
fn sentences_about_images() {
    let shape = Shape { channels: 1, height: 1, width: 2 };
    let two = Images::new(shape, vec![0; 4], vec![0, 1], 2).unwrap();
    let other = Images::new(Shape { channels: 3, ..shape }, vec![0; 6], vec![0], 2).unwrap();
    let none = two.select(&[]).unwrap();
    let sentences = [
        Images::new(shape, vec![0; 3], vec![0, 1], 2).unwrap_err(),
        Images::new(shape, vec![0; 4], vec![0, 2], 2).unwrap_err(),
        two.select(&[2]).unwrap_err(),
        two.clone().joined(&other).unwrap_err(),
        Scaling::of(&none).unwrap_err(),
        Scaling::of(&two).unwrap().features(&other).unwrap_err(),
        "imagenet".parse::<Set>().unwrap_err(),
    ];
    insta::assert_snapshot!(sentences.map(|error| error.to_string()).join("\n"));
}
