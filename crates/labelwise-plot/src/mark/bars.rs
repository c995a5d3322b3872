//! Bars.

use super::stems::base;
use super::{Draw, Key, Mark, SHORT_KEY, same_length};
use crate::extent::Extent;
use crate::frame::Frame;
use crate::svg::{Path, Svg};
use crate::{Colour, Error};

/// A bar from 0 to each value, `width` wide in units of x, its middle at x. On a logarithmic axis bars stand on the
/// bottom of the panel. Values without a finite place are left out.
///
/// ```
/// use labelwise_plot::{Bars, Colour};
/// let counts = Bars::new([0.5, 1.5, 2.5], [12.0, 30.0, 7.0], 1.0).colour(Colour::SkyBlue);
/// ```
#[derive(Clone, Debug)]
pub struct Bars {
    x: Vec<f64>,
    y: Vec<f64>,
    width: f64,
    colour: Colour,
    label: Option<String>,
}

super::colour_and_label!(Bars, "bars");

impl Bars {
    /// Bars of the default colour.
    #[must_use]
    pub fn new(x: impl AsRef<[f64]>, y: impl AsRef<[f64]>, width: f64) -> Self {
        Self { x: x.as_ref().to_vec(), y: y.as_ref().to_vec(), width, colour: Colour::default(), label: None }
    }

    fn attributes(&self) -> String {
        format!(r##"fill="{}" fill-opacity="0.85" stroke="#FFFFFF" stroke-width="0.5""##, self.colour.hex())
    }
}

impl Draw for Bars {
    fn check(&self, panel: usize) -> Result<(), Error> {
        same_length(panel, "a set of bars", &self.x, ("y", &self.y))
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        y.stand_on_zero();
        for (&at, &value) in self.x.iter().zip(&self.y) {
            x.see_with(at - self.width / 2.0, y, value);
            x.see_with(at + self.width / 2.0, y, value);
        }
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        let base = base(frame);
        let mut path = Path::default();
        for (&at, &value) in self.x.iter().zip(&self.y) {
            let sides = frame.x(at - self.width / 2.0).zip(frame.x(at + self.width / 2.0));
            if let Some(((left, right), top)) = sides.zip(frame.y(value)) {
                path.to(left, base).line(left, top).line(right, top).line(right, base).close();
            }
        }
        svg.path(&path, &self.attributes());
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    fn key_width(&self) -> f64 {
        SHORT_KEY
    }

    fn key(&self, key: Key, svg: &mut Svg) {
        svg.rect((key.left + key.width / 2.0 - 6.0, key.middle - 5.0), (12.0, 10.0), &self.attributes());
    }
}

impl From<Bars> for Mark {
    fn from(bars: Bars) -> Self {
        Self::Bars(bars)
    }
}
