//! Areas between two curves.

use super::line::stretches;
use super::{Draw, Key, LONG_KEY, Mark, same_length};
use crate::extent::{Extent, placed};
use crate::frame::Frame;
use crate::svg::{Path, Svg};
use crate::{Colour, Error, Scale};

/// A translucent area between a lower and an upper curve, for instance of one standard deviation. It breaks where a
/// coordinate is not finite. On a logarithmic axis a lower edge that is not positive runs to the bottom of the panel.
///
/// A band with the label of a line shares its key in the legend.
///
/// ```
/// use labelwise_plot::{Band, Colour};
/// let band = Band::new([1.0, 2.0], [-0.2, -0.1], [0.2, 0.1]).colour(Colour::Orange);
/// ```
#[derive(Clone, Debug)]
pub struct Band {
    x: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    colour: Colour,
    label: Option<String>,
}

super::colour_and_label!(Band, "band");

impl Band {
    /// A band of the default colour.
    #[must_use]
    pub fn new(x: impl AsRef<[f64]>, low: impl AsRef<[f64]>, high: impl AsRef<[f64]>) -> Self {
        Self {
            x: x.as_ref().to_vec(),
            low: low.as_ref().to_vec(),
            high: high.as_ref().to_vec(),
            colour: Colour::default(),
            label: None,
        }
    }

    fn attributes(&self) -> String {
        // The thin edge keeps bands apart where they lie on each other.
        let colour = self.colour.hex();
        format!(
            r#"fill="{colour}" fill-opacity="0.18" stroke="{colour}" stroke-opacity="0.35" stroke-width="0.6""#
        )
    }

    fn triples(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        self.x.iter().zip(&self.low).zip(&self.high).map(|((&x, &low), &high)| (x, low, high))
    }
}

impl Draw for Band {
    fn check(&self, panel: usize) -> Result<(), Error> {
        same_length(panel, "a band", &self.x, ("low", &self.low))?;
        same_length(panel, "a band", &self.x, ("high", &self.high))
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        for (at, low, high) in self.triples() {
            x.see_with(at, y, low);
            x.see_with(at, y, high);
        }
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        let corners = |(x, low, high): (f64, f64, f64)| {
            let bottomless = frame.y.scale == Scale::Log && placed(Scale::Linear, low) && low <= 0.0;
            let low = if bottomless { frame.bottom() } else { frame.y(low)? };
            Some((frame.x(x)?, low, frame.y(high)?))
        };
        let mut path = Path::default();
        for stretch in stretches(self.triples().map(corners)) {
            // One point has no area.
            if stretch.len() < 2 {
                continue;
            }
            for (i, &(x, _, high)) in stretch.iter().enumerate() {
                if i == 0 {
                    path.to(x, high)
                } else {
                    path.line(x, high)
                };
            }
            for &(x, low, _) in stretch.iter().rev() {
                path.line(x, low);
            }
            path.close();
        }
        svg.path(&path, &self.attributes());
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    fn key_width(&self) -> f64 {
        LONG_KEY
    }

    fn key(&self, key: Key, svg: &mut Svg) {
        svg.rect((key.left, key.middle - 5.0), (key.width, 10.0), &self.attributes());
    }
}

impl From<Band> for Mark {
    fn from(band: Band) -> Self {
        Self::Band(band)
    }
}
