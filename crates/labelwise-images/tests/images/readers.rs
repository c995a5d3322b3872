use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use labelwise_images::{Error, Found, Part, Set, Shape, fetch, look, read};

use crate::files::{cifar, digit_labels, digits, packed, pixels, put};

#[test]
fn idx_files_are_read_packed_or_not_from_the_folder_or_the_one_of_the_set() {
    for (set, place, pack) in [
        (Set::Mnist, "mnist/", false),
        (Set::Mnist, "", true),
        (Set::FashionMnist, "fashion-mnist/", true),
        (Set::FashionMnist, "", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: Vec<u8>| match pack {
            true => put(folder.path(), &format!("{place}{name}.gz"), &packed(&bytes)),
            false => put(folder.path(), &format!("{place}{name}"), &bytes),
        };
        write("train-images-idx3-ubyte", digits(3));
        write("train-labels-idx1-ubyte", digit_labels(&[9, 0, 4]));
        write("t10k-images-idx3-ubyte", digits(2));
        write("t10k-labels-idx1-ubyte", digit_labels(&[1, 7]));
        put(folder.path(), &format!("{place}PART"), b"");
        let train = read(set, Part::Train, folder.path()).unwrap();
        assert_eq!(train.shape(), Shape { channels: 1, height: 28, width: 28 });
        assert_eq!((train.labels(), train.classes()), ([9, 0, 4].as_slice(), 10));
        assert_eq!(train.pixels(), pixels(3, 784));
        assert_eq!(read(set, Part::Test, folder.path()).unwrap().labels(), [1, 7]);
    }
}

#[test]
fn a_file_is_unpacked_by_what_it_holds_and_not_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "t10k-images-idx3-ubyte", &packed(&digits(1)));
    put(folder.path(), "t10k-labels-idx1-ubyte.gz", &digit_labels(&[5]));
    put(folder.path(), "PART", b"");
    assert_eq!(read(Set::Mnist, Part::Test, folder.path()).unwrap().labels(), [5]);
}

#[test]
fn the_files_of_cifar_10_are_read_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    for batch in 1..=5_u8 {
        let bytes = cifar(&[&[batch], &[batch + 1]]);
        put(folder.path(), &format!("cifar-10/cifar-10-batches-bin/data_batch_{batch}.bin"), &bytes);
    }
    put(folder.path(), "cifar-10/test_batch.bin.gz", &packed(&cifar(&[&[9]])));
    for place in ["cifar-10", "cifar-10/cifar-10-batches-bin"] {
        put(folder.path(), &format!("{place}/PART"), b"");
    }
    let train = read(Set::Cifar10, Part::Train, folder.path()).unwrap();
    assert_eq!(train.labels(), [1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
    assert_eq!(train.shape(), Shape { channels: 3, height: 32, width: 32 });
    assert_eq!(train.image(3), Some(&pixels(2, 3072)[3072..]));
    assert_eq!(read(Set::Cifar10, Part::Test, folder.path()).unwrap().labels(), [9]);
}

/// Cut off between two images, a file has nothing wrong with it but its length. It is refused wherever the published length
/// is known, packed or not, even where all files are alike; a marker beside it, and no other, says that it is meant.
#[test]
fn a_file_that_was_cut_off_between_two_images_is_refused_unless_it_is_said_to_be_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let batch = |count: usize| cifar(&vec![&[3_u8][..]; count]);
    put(folder.path(), "cifar-10/test_batch.bin.gz", &packed(&batch(4)));
    let refused = |file: &str, set: Set, published: usize| {
        let error = read(set, Part::Test, folder.path()).unwrap_err();
        let Error::Short { path, images, published: whole, .. } = &error else { panic!("{error}") };
        assert_eq!((path, *images, *whole), (&folder.path().join(file), 4, published));
    };
    refused("cifar-10/test_batch.bin.gz", Set::Cifar10, 10_000);
    put(folder.path(), "PART", b"of another folder");
    refused("cifar-10/test_batch.bin.gz", Set::Cifar10, 10_000);
    put(folder.path(), "cifar-10/PART", b"");
    assert_eq!(read(Set::Cifar10, Part::Test, folder.path()).unwrap().len(), 4);
    for set in [Set::Mnist, Set::FashionMnist] {
        put(folder.path(), &format!("{}/t10k-images-idx3-ubyte", set.name()), &digits(4));
        put(folder.path(), &format!("{}/t10k-labels-idx1-ubyte", set.name()), &digit_labels(&[1; 4]));
        refused(&format!("{}/t10k-images-idx3-ubyte", set.name()), set, 10_000);
    }
    // Parts of CIFAR-100 go about, and no checksum tells them from files that were cut off.
    put(folder.path(), "cifar-100/test.bin", &cifar(&[&[19, 99], &[0, 3]]));
    assert_eq!(read(Set::Cifar100, Part::Test, folder.path()).unwrap().len(), 2);
}

#[test]
fn cifar_100_has_the_fine_class_behind_the_coarse_one() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "cifar-100-binary/test.bin", &cifar(&[&[19, 99], &[0, 3]]));
    let test = read(Set::Cifar100, Part::Test, folder.path()).unwrap();
    assert_eq!((test.labels(), test.classes()), ([99, 3].as_slice(), 100));
    assert_eq!(test.pixels(), pixels(2, 3072));
}

/// A folder with MNIST: where `cargo xtask test` put it, or else fetched now, once for all.
pub(crate) fn fetched() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let given = std::env::var_os("LABELWISE_DATA").map(PathBuf::from);
        let folder = given.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("data"));
        fetch(Set::Mnist, &folder, &|_| {}).unwrap();
        folder
    })
}

#[test]
fn the_whole_of_mnist_is_as_it_was_published() {
    let folder = fetched();
    for (part, sevens) in [(Part::Train, 6265), (Part::Test, 1028)] {
        let images = read(Set::Mnist, part, folder).unwrap();
        assert_eq!(images.len(), Set::Mnist.published(part));
        assert_eq!(images.labels().iter().filter(|&&label| label == 7).count(), sevens);
    }
    assert!(matches!(look(Set::Mnist, folder).unwrap(), Found::Whole(_)));
}

#[test]
fn a_pixel_that_was_changed_is_noticed_in_whole_files_and_parts_are_anybodys() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "PART", b"");
    let names = ["t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"];
    for name in names {
        let packed = fs::read(fetched().join("mnist").join(format!("{name}.gz"))).unwrap();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        put(folder.path(), name, &bytes);
    }
    assert_eq!(read(Set::Mnist, Part::Test, folder.path()).unwrap().len(), 10_000);
    let path = folder.path().join(names[0]);
    let mut bytes = fs::read(&path).unwrap();
    bytes[1_000_000] ^= 1;
    put(folder.path(), names[0], &bytes);
    let error = read(Set::Mnist, Part::Test, folder.path()).unwrap_err();
    assert!(matches!(&error, Error::Checksum { path: of, .. } if *of == path), "{error}");
    put(folder.path(), names[0], &digits(2));
    put(folder.path(), names[1], &digit_labels(&[1, 2]));
    assert_eq!(read(Set::Mnist, Part::Test, folder.path()).unwrap().len(), 2);
}

#[test]
fn mnist_is_not_taken_for_fashion_mnist_whose_files_have_the_same_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"] {
        fs::copy(fetched().join("mnist").join(name), folder.path().join(name)).unwrap();
    }
    assert_eq!(read(Set::Mnist, Part::Test, folder.path()).unwrap().len(), 10_000);
    let error = read(Set::FashionMnist, Part::Test, folder.path()).unwrap_err().to_string();
    let expected = "t10k-labels-idx1-ubyte.gz belongs to MNIST, not to Fashion-MNIST: put the files of Fashion-MNIST into \
                    a folder fashion-mnist next to it, or get it with `labelwise paper data fashion-mnist`";
    assert!(error.ends_with(expected), "{error}");
    // Somebody else's files are not in the way of those to come.
    let found = look(Set::FashionMnist, folder.path()).unwrap();
    assert_eq!(found, Found::Missing { file: "train-images-idx3-ubyte" });
}
