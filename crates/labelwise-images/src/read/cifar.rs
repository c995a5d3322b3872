//! The binary files of CIFAR: an image after the other, each its class (in CIFAR-100 a coarse and a fine one) and its
//! bytes, red, green and blue.

use super::Opened;
use crate::error::Result;
use crate::images::Images;
use crate::set::Set;

/// The coarse classes of CIFAR-100.
const COARSE: u8 = 20;

/// The images of these files, one file after the other.
pub(super) fn read(set: Set, files: &[Opened]) -> Result<Images> {
    let shape = set.shape();
    let leading = if set == Set::Cifar100 { 2 } else { 1 };
    let record = leading + shape.bytes();
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    let mut counts = Vec::with_capacity(files.len());
    for file in files {
        let bytes = file.checked()?;
        if bytes.is_empty() || !bytes.len().is_multiple_of(record) {
            let why = format!("it has {} bytes, but each of its images needs {record}", bytes.len());
            return Err(file.damaged(why));
        }
        pixels.reserve(bytes.len());
        for (item, image) in bytes.chunks_exact(record).enumerate() {
            let (classes, image) = image.split_at(leading);
            check(set, file, item, classes)?;
            labels.extend(classes.last());
            pixels.extend_from_slice(image);
        }
        counts.push(bytes.len() / record);
    }
    // Last, so that a file that is damaged is not taken for a part.
    for (file, count) in files.iter().zip(counts) {
        file.whole(count, file.file.bytes as usize / record)?;
    }
    Images::new(shape, pixels, labels, set.classes())
}

/// Refuses an image whose class there is not.
fn check(set: Set, file: &Opened, item: usize, classes: &[u8]) -> Result<()> {
    let wrong = |kind: &str, class: u8, there: usize| {
        Err(file
            .damaged(format!("the {kind} of image {item} is {class}, but they go from 0 to {}", there - 1)))
    };
    match *classes {
        [coarse, _] if coarse >= COARSE => wrong("coarse class", coarse, COARSE.into()),
        [.., class] if usize::from(class) >= set.classes() => wrong("class", class, set.classes()),
        _ => Ok(()),
    }
}
