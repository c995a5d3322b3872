//! Stems: thin lines from a base to a value, with a head.

use super::{Draw, Key, Mark, SHORT_KEY, drawable, same_length};
use crate::extent::Extent;
use crate::frame::Frame;
use crate::svg::{Path, Svg, number};
use crate::{Colour, Error, Scale};

/// A thin line from 0 to each value, with a disc at its end. On a logarithmic axis stems stand on the bottom of the
/// panel. Values without a finite place are left out.
///
/// ```
/// use labelwise_plot::{Colour, Stems};
/// let losses = Stems::new([0.0, 1.0, 2.0], [0.4, 0.1, 0.9]).colour(Colour::Green).label("estimated loss");
/// ```
#[derive(Clone, Debug)]
pub struct Stems {
    x: Vec<f64>,
    y: Vec<f64>,
    colour: Colour,
    size: f64,
    label: Option<String>,
}

super::colour_and_label!(Stems, "stems");

impl Stems {
    /// Black stems.
    #[must_use]
    pub fn new(x: impl AsRef<[f64]>, y: impl AsRef<[f64]>) -> Self {
        Self {
            x: x.as_ref().to_vec(),
            y: y.as_ref().to_vec(),
            colour: Colour::default(),
            size: 5.0,
            label: None,
        }
    }

    /// Sets the diameter of the heads in pixels; it is 5 unless set.
    #[must_use]
    pub fn size(mut self, size: f64) -> Self {
        self.size = size;
        self
    }

    fn write_stems(&self, places: &[(f64, f64)], base: f64, svg: &mut Svg) {
        let mut stems = Path::default();
        for &(x, y) in places {
            stems.to(x, base).line(x, y);
        }
        let (colour, width) = (self.colour.hex(), number((0.26 * self.size).max(0.8)));
        svg.path(&stems, &format!(r#"fill="none" stroke="{colour}" stroke-width="{width}""#));
    }

    fn write_heads(&self, places: &[(f64, f64)], svg: &mut Svg) {
        let mut heads = Path::default();
        for &(x, y) in places {
            heads.circle(x, y, self.size / 2.0);
        }
        let colour = self.colour.hex();
        svg.path(&heads, &format!(r##"fill="{colour}" stroke="#FFFFFF" stroke-width="0.5""##));
    }

    fn places(&self, frame: &Frame) -> Vec<(f64, f64)> {
        self.x.iter().zip(&self.y).filter_map(|(&x, &y)| frame.point(x, y)).collect()
    }
}

impl Draw for Stems {
    fn check(&self, panel: usize) -> Result<(), Error> {
        drawable(panel, "a set of stems", self.size)?;
        same_length(panel, "a set of stems", &self.x, ("y", &self.y))
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        y.stand_on_zero();
        for (&at, &value) in self.x.iter().zip(&self.y) {
            x.see_with(at, y, value);
        }
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        self.write_stems(&self.places(frame), base(frame), svg);
    }

    fn draw_over(&self, frame: &Frame, svg: &mut Svg) {
        // A head on the edge is shown whole.
        let heads: Vec<_> = self.places(frame).into_iter().filter(|&place| frame.shows(place)).collect();
        self.write_heads(&heads, svg);
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    fn key_width(&self) -> f64 {
        SHORT_KEY
    }

    fn key(&self, key: Key, svg: &mut Svg) {
        let place = [(key.left + key.width / 2.0, key.middle - 2.5)];
        self.write_stems(&place, key.middle + 5.5, svg);
        self.write_heads(&place, svg);
    }
}

impl From<Stems> for Mark {
    fn from(stems: Stems) -> Self {
        Self::Stems(stems)
    }
}

/// The height of zero on the page, or of the bottom where the axis has no zero.
pub(super) fn base(frame: &Frame) -> f64 {
    match frame.y.scale {
        Scale::Linear => frame.y(0.0).unwrap_or(frame.bottom()),
        Scale::Log => frame.bottom(),
    }
}
