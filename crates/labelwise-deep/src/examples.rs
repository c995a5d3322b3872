//! Images and labels as training takes them: checked, in f32, held out by class, put into batches.

use burn_tensor::{Device, Tensor, TensorData};
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::Data;
use labelwise::task::Table;
use labelwise::{Classification, Matrix, Task};

use crate::Shape;
use crate::error::{Error, Result};
use crate::random;
use crate::training::{Augmentation, Flip};

/// The rows of a table as f32, checked.
pub(crate) fn pixels(what: Table, features: &Matrix, shape: Shape) -> Result<Vec<f32>> {
    let expected = shape.pixels();
    if features.columns() != expected {
        return Err(Error::Pixels { columns: features.columns(), shape, expected });
    }
    let numbers = match features.singles() {
        Some(numbers) => numbers.to_vec(),
        None => {
            let mut reader = features.reader();
            let mut numbers = Vec::with_capacity(features.rows() * expected);
            for row in 0..features.rows() {
                numbers.extend(reader.row(row).iter().map(|&value| value as f32));
            }
            numbers
        }
    };
    match numbers.iter().position(|value| !value.is_finite()) {
        None => Ok(numbers),
        Some(place) => {
            let (item, column) = (place / expected, place % expected);
            let value = features.reader().row(item).get(column).copied().unwrap_or(f64::NAN);
            Err(labelwise::Error::NotFinite { what, item, column, value }.into())
        }
    }
}

/// Labelled images.
pub(crate) struct Examples {
    pixels: Vec<f32>,
    labels: Vec<usize>,
    shape: Shape,
    classes: usize,
}

impl Examples {
    pub(crate) fn new(data: &Data<Classification>, shape: Shape, classes: usize) -> Result<Self> {
        let (rows, labels) = (data.features.rows(), data.labels.len());
        if rows != labels {
            return Err(labelwise::Error::TrainingRows { features: rows, labels }.into());
        }
        for (item, &label) in data.labels.iter().enumerate() {
            Classification::check_label(item, label, classes)?;
        }
        let pixels = pixels(Table::TrainingFeatures, &data.features, shape)?;
        Ok(Self { pixels, labels: data.labels.clone(), shape, classes })
    }

    /// Rows to train on and rows held out: of each class its share, rounded so that as many are held out as was asked for.
    pub(crate) fn split(&self, held_out: usize, rng: &mut ChaCha8Rng) -> Result<(Vec<usize>, Vec<usize>)> {
        let rows = self.labels.len();
        if rows <= held_out {
            return Err(Error::TooFew { rows, validation: held_out });
        }
        let mut classes = vec![Vec::new(); self.classes];
        for (row, &label) in self.labels.iter().enumerate() {
            classes.get_mut(label).into_iter().for_each(|class| class.push(row));
        }
        classes.iter_mut().for_each(|class| random::shuffle(class, rng));
        // Whole parts first; then one more of the classes with the largest rests.
        let share = |class: &Vec<usize>| class.len() as u128 * held_out as u128;
        let mut counts: Vec<usize> =
            classes.iter().map(|class| (share(class) / rows as u128) as usize).collect();
        let mut order: Vec<usize> = (0..self.classes).collect();
        random::shuffle(&mut order, rng);
        order.sort_by_key(|&class| std::cmp::Reverse(classes.get(class).map_or(0, share) % rows as u128));
        let missing = held_out - counts.iter().sum::<usize>();
        for &class in order.iter().take(missing) {
            counts.get_mut(class).into_iter().for_each(|count| *count += 1);
        }
        let (mut train, mut validation) = (Vec::new(), Vec::new());
        for (class, count) in classes.iter().zip(counts) {
            let (out, rest) = class.split_at(count.min(class.len()));
            validation.extend_from_slice(out);
            train.extend_from_slice(rest);
        }
        // In the order of the data, so that what follows depends on which rows they are alone.
        train.sort_unstable();
        validation.sort_unstable();
        Ok((train, validation))
    }

    /// A batch of these rows.
    pub(crate) fn batch(&self, rows: &[usize], device: &Device) -> Batch {
        self.filled(rows, device, |image, target| target.copy_from_slice(image))
    }

    /// A batch of these rows, each changed at random.
    pub(crate) fn augmented(
        &self,
        rows: &[usize],
        augmentation: Augmentation,
        device: &Device,
        rng: &mut ChaCha8Rng,
    ) -> Batch {
        self.filled(rows, device, |image, target| augment(image, target, self.shape, augmentation, rng))
    }

    fn filled(&self, rows: &[usize], device: &Device, mut fill: impl FnMut(&[f32], &mut [f32])) -> Batch {
        let size = self.shape.pixels();
        let mut pixels = vec![0.0; rows.len() * size];
        let mut classes = vec![0.0_f32; rows.len() * self.classes];
        let targets = pixels.chunks_exact_mut(size).zip(classes.chunks_exact_mut(self.classes));
        let mut labels = Vec::with_capacity(rows.len());
        for (&row, (target, class)) in rows.iter().zip(targets) {
            let image = self.pixels.get(row * size..(row + 1) * size);
            if let (Some(image), Some(&label)) = (image, self.labels.get(row)) {
                fill(image, target);
                class.get_mut(label).into_iter().for_each(|one| *one = 1.0);
                labels.push(label);
            }
        }
        let classes = TensorData::new(classes, [rows.len(), self.classes]);
        Batch {
            images: images(pixels, self.shape, device),
            classes: Tensor::from_data(classes, device),
            labels,
        }
    }
}

/// Images with their labels.
pub(crate) struct Batch {
    pub(crate) images: Tensor<4>,
    /// A one in the label's column, and zeros.
    pub(crate) classes: Tensor<2>,
    pub(crate) labels: Vec<usize>,
}

/// Rows of pixels as a tensor.
pub(crate) fn images(pixels: Vec<f32>, shape: Shape, device: &Device) -> Tensor<4> {
    let rows = pixels.len() / shape.pixels();
    let Shape { channels, height, width } = shape;
    Tensor::from_data(TensorData::new(pixels, [rows, channels, height, width]), device)
}

/// Moves an image by some pixels and mirrors it; `target` is all zeros before.
pub(crate) fn augment(
    image: &[f32],
    target: &mut [f32],
    shape: Shape,
    augmentation: Augmentation,
    rng: &mut ChaCha8Rng,
) {
    let Shape { height, width, .. } = shape;
    let span = 2 * augmentation.crop + 1;
    let [down, right] = [0; 2].map(|_| random::below(span, rng));
    let mirrored = match augmentation.flip {
        Flip::Half => random::below(2, rng) == 1,
        Flip::Never => false,
    };
    let size = height * width;
    for (from, to) in image.chunks_exact(size).zip(target.chunks_exact_mut(size)) {
        for (y, line) in to.chunks_exact_mut(width).enumerate() {
            let Some(source) = (y + down).checked_sub(augmentation.crop).filter(|&source| source < height)
            else {
                continue;
            };
            let source = from.get(source * width..(source + 1) * width).unwrap_or_default();
            for (x, pixel) in line.iter_mut().enumerate() {
                let x = (x + right).checked_sub(augmentation.crop).filter(|&x| x < width);
                let x = x.map(|x| if mirrored { width - 1 - x } else { x });
                *pixel = x.and_then(|x| source.get(x)).copied().unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]
mod tests {
    use labelwise::rng::Stream;
    use labelwise::surrogate::Data;
    use labelwise::{Matrix, Seed};

    use super::{Examples, augment};
    use crate::Shape;
    use crate::training::{Augmentation, Flip};

    fn examples(labels: Vec<usize>) -> Examples {
        let features = Matrix::f32(vec![0.0; labels.len()], 1).unwrap();
        Examples::new(&Data::new(features, labels).unwrap(), Shape::new(1, 1, 1).unwrap(), 4).unwrap()
    }

    #[test]
    fn rows_are_held_out_by_class() {
        let labels: Vec<usize> = (0..100).map(|row| [0, 1, 1, 1, 1, 2, 2, 2, 2, 2][row % 10]).collect();
        let (train, out) = examples(labels.clone()).split(20, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
        let count = |class| out.iter().filter(|&&row| labels[row] == class).count();
        assert_eq!([0, 1, 2, 3].map(count), [2, 8, 10, 0]);
        let mut all = [train, out.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        let (_, other) = examples(labels.clone()).split(20, &mut Seed(2).stream(Stream::Fit, 0)).unwrap();
        assert_ne!(out, other);
        // Shares that are not whole numbers still sum to the number of rows that was asked for.
        for held_out in 1..100 {
            let (train, out) =
                examples(labels.clone()).split(held_out, &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
            assert_eq!((train.len(), out.len()), (100 - held_out, held_out));
            let twos = out.iter().filter(|&&row| labels[row] == 2).count();
            assert!(twos.abs_diff(held_out / 2) <= 1);
        }
        assert!(examples(labels).split(100, &mut Seed(1).stream(Stream::Fit, 0)).is_err());
    }

    #[test]
    fn augmented_images_are_moved_and_mirrored() {
        let shape = Shape::new(2, 3, 4).unwrap();
        let image: Vec<f32> = (1..=24).map(|pixel| pixel as f32).collect();
        let mut rng = Seed(4).stream(Stream::Fit, 0);
        let how = Augmentation { crop: 2, flip: Flip::Half };
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2_000 {
            let mut target = vec![0.0; 24];
            augment(&image, &mut target, shape, how, &mut rng);
            // Every way that it may have been moved and mirrored, by hand.
            let mut ways = (-2_i32..=2).flat_map(|down| {
                (-2_i32..=2).flat_map(move |right| [false, true].map(|mirrored| (down, right, mirrored)))
            });
            let fits = |&(down, right, mirrored): &(i32, i32, bool)| {
                (0..24).all(|place| {
                    let (channel, y, x) = (place / 12, place / 4 % 3, place % 4);
                    let (y, x) = (y + down, x + right);
                    let inside = (0..3).contains(&y) && (0..4).contains(&x);
                    let x = if mirrored { 3 - x } else { x };
                    let expected = if inside { image[(channel * 12 + y * 4 + x) as usize] } else { 0.0 };
                    target[place as usize] == expected
                })
            };
            seen.insert(ways.find(fits).unwrap());
        }
        assert_eq!(seen.len(), 5 * 5 * 2);
        let mut target = vec![0.0; 24];
        augment(&image, &mut target, shape, Augmentation { crop: 0, flip: Flip::Never }, &mut rng);
        assert_eq!(target, image);
    }
}
