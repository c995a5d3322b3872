//! Words at a place.

use super::{Draw, Key, Mark};
use crate::Error;
use crate::extent::Extent;
use crate::font::Weight;
use crate::frame::Frame;
use crate::svg::Svg;
use crate::text::{Anchor, Style, Text};

/// A few words with their middle at a place, for instance the number of a cell. They are left out where the place is
/// outside of the panel, and have no entry in the legend.
///
/// ```
/// use labelwise_plot::Words;
/// let number = Words::new(0.5, 1.5, "0.41").bold();
/// ```
#[derive(Clone, Debug)]
pub struct Words {
    at: (f64, f64),
    text: String,
    weight: Weight,
}

impl Words {
    /// Words, which may have markup.
    #[must_use]
    pub fn new(x: f64, y: f64, text: impl Into<String>) -> Self {
        Self { at: (x, y), text: text.into(), weight: Weight::Regular }
    }

    /// Makes them stand out.
    #[must_use]
    pub fn bold(mut self) -> Self {
        self.weight = Weight::Semibold;
        self
    }
}

impl Draw for Words {
    fn check(&self, _panel: usize) -> Result<(), Error> {
        Ok(())
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        x.see_with(self.at.0, y, self.at.1);
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        let Some(place) = frame.x(self.at.0).zip(frame.y(self.at.1)) else { return };
        if frame.shows(place) {
            let style = Style { size: 10.0, weight: self.weight, fill: "#222222" };
            // The baseline is a third of a letter below the middle.
            Text::new(&self.text, style).draw((place.0, place.1 + 3.4), Anchor::Middle, svg);
        }
    }

    fn label(&self) -> Option<&str> {
        None
    }

    fn key_width(&self) -> f64 {
        0.0
    }

    fn key(&self, _key: Key, _svg: &mut Svg) {}
}

impl From<Words> for Mark {
    fn from(words: Words) -> Self {
        Self::Words(words)
    }
}
