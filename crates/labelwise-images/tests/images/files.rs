//! Small files in the layouts that the makers of the sets chose.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// An IDX file: a magic number, sizes, bytes.
pub(crate) fn idx(magic: u32, sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
    let mut file = magic.to_be_bytes().to_vec();
    sizes.iter().for_each(|size| file.extend(size.to_be_bytes()));
    file.extend(bytes);
    file
}

/// Bytes that differ from image to image and from pixel to pixel.
pub(crate) fn pixels(images: usize, each: usize) -> Vec<u8> {
    (0..images * each).map(|place| ((place / each) * 31 + (place % each) * 7) as u8).collect()
}

/// Images of 28 x 28 pixels as MNIST has them.
pub(crate) fn digits(images: usize) -> Vec<u8> {
    idx(0x0803, &[images as u32, 28, 28], &pixels(images, 784))
}

/// Labels as MNIST has them.
pub(crate) fn digit_labels(labels: &[u8]) -> Vec<u8> {
    idx(0x0801, &[labels.len() as u32], labels)
}

/// A file of CIFAR: classes and then 3,072 bytes, image after image.
pub(crate) fn cifar(classes: &[&[u8]]) -> Vec<u8> {
    let bytes = pixels(classes.len(), 3072);
    classes.iter().zip(bytes.chunks(3072)).flat_map(|(classes, image)| [*classes, image].concat()).collect()
}

pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
