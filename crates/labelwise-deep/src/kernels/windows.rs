//! Windows of images as the columns of a matrix, and back.

use std::ops::Range;

use burn_backend::TensorMetadata;
use burn_flex::FlexTensor;

use super::number::Number;
use crate::layers::Window;

/// Windows in a matrix, about.
const COLUMNS: usize = 1_024;

/// What there is to go over.
pub(super) struct Sizes {
    window: Window,
    /// Images, channels, height and width before.
    pub(super) before: [usize; 4],
    /// Images, channels, height and width after.
    pub(super) after: [usize; 4],
    /// Rows of a matrix of windows: channels and places within a window.
    pub(super) places: usize,
    /// Images whose windows are laid side by side.
    pub(super) group: usize,
}

impl Sizes {
    pub(super) fn new(images: &FlexTensor, weight: &FlexTensor, window: Window) -> Self {
        let before: [usize; 4] = images.shape().dims();
        let [to, from, size, _]: [usize; 4] = weight.shape().dims();
        let [rows, _, height, width] = before;
        let after = |side: usize| (side + 2 * window.padding - size) / window.stride + 1;
        let after = [rows, to, after(height), after(width)];
        let [.., high, wide] = after;
        let group = COLUMNS.div_ceil(high * wide).clamp(1, rows.max(1));
        Self { window, before, after, places: from * size * size, group }
    }

    pub(super) fn pixels_before(&self) -> usize {
        let [.., height, width] = self.before;
        height * width
    }

    pub(super) fn pixels_after(&self) -> usize {
        let [.., height, width] = self.after;
        height * width
    }

    /// Which columns of a line of output come from within the image, and the first pixel of those.
    fn inside(&self, place: usize) -> (Range<usize>, usize) {
        let [.., width] = self.before;
        let [.., wide] = self.after;
        let Window { stride, padding, .. } = self.window;
        let first = padding.saturating_sub(place).div_ceil(stride);
        let end = (width + padding).saturating_sub(place).div_ceil(stride).min(wide);
        (first..end.max(first), (first * stride + place).saturating_sub(padding))
    }

    /// The line of the image that a line of output looks at.
    fn line(&self, line: usize, place: usize) -> Option<usize> {
        let [_, _, height, _] = self.before;
        let line = (line * self.window.stride + place).checked_sub(self.window.padding)?;
        (line < height).then_some(line)
    }

    /// Whether the images stay as large as they are.
    fn keep_their_place(&self) -> bool {
        let Window { size, stride, padding } = self.window;
        stride == 1 && 2 * padding + 1 == size
    }

    /// Calls `visit` with each plane of windows of a group: where it lies in the matrix, where in the images, and how it is
    /// moved.
    fn shifts(&self, images: usize, mut visit: impl FnMut(usize, usize, Shift)) {
        let ([_, from, _, width], pixels) = (self.before, self.pixels_before());
        let Window { size, padding, .. } = self.window;
        let mut row = 0;
        for channel in 0..from {
            for down in 0..size {
                for across in 0..size {
                    let (ahead, behind) = (down * width + across, padding * width + padding);
                    let shift = Shift {
                        pixels,
                        width,
                        back: ahead.saturating_sub(behind).min(pixels),
                        forth: behind.saturating_sub(ahead).min(pixels),
                        left: padding.saturating_sub(across).min(width),
                        right: across.saturating_sub(padding).min(width),
                    };
                    for image in 0..images {
                        visit((row * images + image) * pixels, (image * from + channel) * pixels, shift);
                    }
                    row += 1;
                }
            }
        }
    }

    /// Calls `visit` with each line of windows of a group: where it lies in the matrix, where in the images, and how many.
    fn lines(&self, images: usize, mut visit: impl FnMut(usize, Option<(usize, usize)>, usize)) {
        let ([_, from, _, width], [_, _, high, wide]) = (self.before, self.after);
        let columns = images * high * wide;
        let mut row = 0;
        for channel in 0..from {
            for down in 0..self.window.size {
                for across in 0..self.window.size {
                    let (inside, first) = self.inside(across);
                    for image in 0..images {
                        let plane = (image * from + channel) * self.pixels_before();
                        for line in 0..high {
                            let place = row * columns + (image * high + line) * wide;
                            match self.line(line, down) {
                                Some(source) if !inside.is_empty() => {
                                    let source = plane + source * width + first;
                                    visit(place, Some((inside.start, source)), inside.len());
                                }
                                _ => visit(place, None, 0),
                            }
                        }
                    }
                    row += 1;
                }
            }
        }
    }
}

/// The windows of some images, one per column.
#[allow(clippy::indexing_slicing, reason = "a kernel: the sizes were computed from the tensors")]
pub(super) fn fill<T: Number>(windows: &mut [T], images: &[T], count: usize, sizes: &Sizes) {
    if sizes.keep_their_place() {
        return sizes.shifts(count, |place, plane, shift| {
            let (target, source) =
                (&mut windows[place..place + shift.pixels], &images[plane..plane + shift.pixels]);
            let (to, from) = shift.ranges();
            target[..to.start].fill(T::default());
            target[to.end..].fill(T::default());
            target[to].copy_from_slice(&source[from]);
            shift.clear(target);
        });
    }
    let ([.., wide], stride) = (sizes.after, sizes.window.stride);
    sizes.lines(count, |place, source, length| {
        let line = &mut windows[place..place + wide];
        let Some((start, source)) = source else { return line.fill(T::default()) };
        line[..start].fill(T::default());
        line[start + length..].fill(T::default());
        let line = &mut line[start..start + length];
        if stride == 1 {
            line.copy_from_slice(&images[source..source + length]);
        } else {
            let pixels = images[source..].iter().step_by(stride);
            line.iter_mut().zip(pixels).for_each(|(to, &from)| *to = from);
        }
    });
}

/// Adds the windows back to where they came from; what they had from outside of the images is cleared.
#[allow(clippy::indexing_slicing, reason = "a kernel: the sizes were computed from the tensors")]
pub(super) fn spill<T: Number>(windows: &mut [T], images: &mut [T], count: usize, sizes: &Sizes) {
    if sizes.keep_their_place() {
        return sizes.shifts(count, |place, plane, shift| {
            let (source, target) =
                (&mut windows[place..place + shift.pixels], &mut images[plane..plane + shift.pixels]);
            shift.clear(source);
            let (to, from) = shift.ranges();
            target[from].iter_mut().zip(&source[to]).for_each(|(to, &from)| *to += from);
        });
    }
    let stride = sizes.window.stride;
    sizes.lines(count, |place, source, length| {
        let Some((start, source)) = source else { return };
        let line = &windows[place + start..place + start + length];
        if stride == 1 {
            let pixels = &mut images[source..source + length];
            pixels.iter_mut().zip(line).for_each(|(to, &from)| *to += from);
        } else {
            let pixels = images[source..].iter_mut().step_by(stride);
            pixels.zip(line).for_each(|(to, &from)| *to += from);
        }
    });
}

/// One place of a window that moves over images without changing their size: the plane of what it sees is the image's
/// plane, moved as a whole. What comes around an edge by that is cleared.
#[derive(Clone, Copy)]
struct Shift {
    pixels: usize,
    width: usize,
    /// By how much pixels move, if backwards and if forwards; one of them is 0.
    back: usize,
    forth: usize,
    /// Columns on the left and on the right that lie outside.
    left: usize,
    right: usize,
}

impl Shift {
    /// Which pixels of the plane come from which of the image.
    fn ranges(self) -> (Range<usize>, Range<usize>) {
        let Self { pixels, back, forth, .. } = self;
        (forth..pixels - back, back..pixels - forth)
    }

    #[allow(clippy::indexing_slicing, reason = "a kernel: no more columns lie outside than there are")]
    fn clear<T: Number>(self, plane: &mut [T]) {
        let Self { width, left, right, .. } = self;
        if left > 0 {
            plane
                .chunks_exact_mut(width)
                .for_each(|line| line[..left].iter_mut().for_each(|x| *x = T::default()));
        }
        if right > 0 {
            let start = width - right;
            plane
                .chunks_exact_mut(width)
                .for_each(|line| line[start..].iter_mut().for_each(|x| *x = T::default()));
        }
    }
}
