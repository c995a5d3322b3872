//! IDX, the format of MNIST and Fashion-MNIST: a magic number, the sizes of the dimensions, then bytes.

use super::Opened;
use crate::error::{Error, Result};
use crate::images::Images;

/// Unsigned bytes in three dimensions, and in one.
const IMAGES: u32 = 0x0803;
const LABELS: u32 = 0x0801;

/// The images of one file with the labels of the other.
pub(super) fn read(images: &Opened, labels: &Opened) -> Result<Images> {
    let (set, shape) = (images.set, images.set.shape());
    let label_bytes = labels.checked()?;
    let ([count], classes) = contents::<1>(labels, &label_bytes, LABELS, "labels")?;
    let pixel_bytes = images.checked()?;
    let ([items, height, width], pixels) = contents::<3>(images, &pixel_bytes, IMAGES, "images")?;
    if (height, width) != (shape.height, shape.width) {
        let why = format!(
            "its images have {height} x {width} pixels instead of {} x {}",
            shape.height, shape.width
        );
        return Err(images.damaged(why));
    }
    if items != count {
        let why = format!("it has {items} images, but {} has {count} labels", labels.path.display());
        return Err(images.damaged(why));
    }
    let read = Images::new(shape, pixels.to_vec(), classes.to_vec(), set.classes());
    let read = read.map_err(|error| match error {
        Error::Label { item, label, classes } => {
            labels.damaged(format!("label {item} is {label}, but they go from 0 to {}", classes - 1))
        }
        error => error,
    })?;
    // Last, so that a file that is damaged is not taken for a part.
    images.whole(items, set.published(images.file.part))?;
    Ok(read)
}

/// The sizes of the dimensions, and as many bytes as they make.
fn contents<'a, const D: usize>(
    file: &Opened,
    bytes: &'a [u8],
    magic: u32,
    what: &'static str,
) -> Result<([usize; D], &'a [u8])> {
    let short = || file.damaged(format!("it ends after {} bytes, inside its header", bytes.len()));
    let (found, mut rest) = number(bytes).ok_or_else(short)?;
    if found != magic {
        let (path, set) = (file.path.clone(), file.set);
        return Err(Error::Magic { path, set, what, found, expected: magic });
    }
    let mut sizes = [0_usize; D];
    for size in &mut sizes {
        let (value, behind) = number(rest).ok_or_else(short)?;
        *size = value as usize;
        rest = behind;
    }
    let expected = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    if expected != Some(rest.len()) {
        let sizes = sizes.map(|size| size.to_string()).join(" x ");
        return Err(file.damaged(format!("its header says {sizes} bytes, but it has {}", rest.len())));
    }
    if rest.is_empty() {
        return Err(file.damaged(format!("it has no {what}")));
    }
    Ok((sizes, rest))
}

/// A number of four bytes, the largest part first, and what is behind it.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*first), rest))
}
