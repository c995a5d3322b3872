//! What is in a folder before a set is fetched stays as it is. Fetching itself is tested with the real clients, in scripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use labelwise_images::{Error, Found, Set, fetch, known_files, look};

use crate::files::{packed, put};
use crate::readers::fetched;

/// MNIST's files, packed, in a folder of this name.
fn mnist_as(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for known in known_files(Set::Mnist) {
        let file = format!("{}.gz", known.name);
        put(folder.path(), &format!("{name}/{file}"), &fs::read(fetched().join("mnist").join(file)).unwrap());
    }
    folder
}

/// The files of a folder and what is in them.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

/// In a folder of many sets MNIST's files are not in the way of Fashion-MNIST's; in Fashion-MNIST's own they are, and
/// whatever came beside or over them would not be found, or would be the end of them.
#[test]
fn files_of_another_set_in_a_set_s_own_folder_are_named_and_left_alone() {
    let shared = mnist_as("");
    let missing = Found::Missing { file: "train-images-idx3-ubyte" };
    assert_eq!(look(Set::FashionMnist, shared.path()).unwrap(), missing);
    let folder = mnist_as("fashion-mnist");
    let own = folder.path().join("fashion-mnist");
    let before = contents(&own);
    for error in [
        look(Set::FashionMnist, folder.path()).unwrap_err(),
        fetch(Set::FashionMnist, folder.path(), &|_| {}).unwrap_err(),
    ] {
        assert!(
            matches!(error, Error::OtherFolder { is: Set::Mnist, wanted: Set::FashionMnist, .. }),
            "{error}"
        );
        let expected = format!(
            "{} belongs to MNIST, but is in the folder of Fashion-MNIST: move it into the folder mnist next to that one, and \
             get it with `labelwise paper data fashion-mnist`",
            own.join("train-images-idx3-ubyte.gz").display()
        );
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(contents(&own), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was begun");
}

/// A file that is damaged is not forgotten over one that is missing: those that come would lie over it.
#[test]
fn a_damaged_file_is_an_error_even_where_others_are_missing() {
    let folder = mnist_as("mnist");
    let [first, .., last] = known_files(Set::Mnist) else { panic!("MNIST has four files") };
    fs::remove_file(folder.path().join(format!("mnist/{}.gz", first.name))).unwrap();
    assert_eq!(look(Set::Mnist, folder.path()).unwrap(), Found::Missing { file: first.name });
    put(folder.path(), &format!("mnist/{}.gz", last.name), &packed(b"no labels"));
    let before = contents(&folder.path().join("mnist"));
    let error = fetch(Set::Mnist, folder.path(), &|_| {}).unwrap_err();
    assert!(
        matches!(&error, Error::Checksum { path, .. } if path.ends_with(format!("{}.gz", last.name))),
        "{error}"
    );
    assert_eq!(contents(&folder.path().join("mnist")), before);
}
