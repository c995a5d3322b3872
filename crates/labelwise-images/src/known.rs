//! What the files of each set are called, and the checksums of those that are the same everywhere.

use crate::set::{Part, Set};

/// A file of a set as its makers published it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFile {
    /// Its name, without the `.gz` that it may have.
    pub name: &'static str,
    /// The part it is of.
    pub part: Part,
    /// How many bytes it has, unpacked.
    pub bytes: u64,
    /// The MD5 of its bytes, unpacked; not known of CIFAR-100, whose images go about in more than one order.
    pub md5: Option<&'static str>,
}

const fn file(name: &'static str, part: Part, bytes: u64, md5: Option<&'static str>) -> KnownFile {
    KnownFile { name, part, bytes, md5 }
}

/// Bytes of IDX files: a header, then one byte per label or per pixel.
const IMAGES: [u64; 2] = [16 + 60_000 * 784, 16 + 10_000 * 784];
const LABELS: [u64; 2] = [8 + 60_000, 8 + 10_000];
/// Bytes of a CIFAR-10 file.
const BATCH: u64 = 10_000 * 3073;

const MNIST: [KnownFile; 4] = [
    file("train-images-idx3-ubyte", Part::Train, IMAGES[0], Some("6bbc9ace898e44ae57da46a324031adb")),
    file("train-labels-idx1-ubyte", Part::Train, LABELS[0], Some("a25bea736e30d166cdddb491f175f624")),
    file("t10k-images-idx3-ubyte", Part::Test, IMAGES[1], Some("2646ac647ad5339dbf082846283269ea")),
    file("t10k-labels-idx1-ubyte", Part::Test, LABELS[1], Some("27ae3e4e09519cfbb04c329615203637")),
];

const FASHION_MNIST: [KnownFile; 4] = [
    file("train-images-idx3-ubyte", Part::Train, IMAGES[0], Some("f4a8712d7a061bf5bd6d2ca38dc4d50a")),
    file("train-labels-idx1-ubyte", Part::Train, LABELS[0], Some("9018921c3c673c538a1fc5bad174d6f9")),
    file("t10k-images-idx3-ubyte", Part::Test, IMAGES[1], Some("8181f5470baa50b63fa0f6fddb340f0a")),
    file("t10k-labels-idx1-ubyte", Part::Test, LABELS[1], Some("15d484375f8d13e6eb1aabb0c3f46965")),
];

const CIFAR_10: [KnownFile; 6] = [
    file("data_batch_1.bin", Part::Train, BATCH, Some("5dd7e06a14cb22eb9f671a540d1b7c25")),
    file("data_batch_2.bin", Part::Train, BATCH, Some("5ea93a67294ea407fff1d09f752e9692")),
    file("data_batch_3.bin", Part::Train, BATCH, Some("942cd6a4bcdd0dd3c604fbe906cb4421")),
    file("data_batch_4.bin", Part::Train, BATCH, Some("ae636b3ba5c66a11e91e8cb52e771fcb")),
    file("data_batch_5.bin", Part::Train, BATCH, Some("53f37980c15c3d472c316c40844f3f0d")),
    file("test_batch.bin", Part::Test, BATCH, Some("803d5f7f4d78ea53de84dbe85f74fb6d")),
];

const CIFAR_100: [KnownFile; 2] =
    [file("train.bin", Part::Train, 50_000 * 3074, None), file("test.bin", Part::Test, 10_000 * 3074, None)];

/// The files of a set, in the order in which its images are counted.
///
/// ```
/// use labelwise_images::{Set, known_files};
/// assert_eq!(known_files(Set::Cifar10).len(), 6);
/// ```
pub fn known_files(set: Set) -> &'static [KnownFile] {
    match set {
        Set::Mnist => &MNIST,
        Set::FashionMnist => &FASHION_MNIST,
        Set::Cifar10 => &CIFAR_10,
        Set::Cifar100 => &CIFAR_100,
    }
}
