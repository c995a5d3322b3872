//! What is drawn in a panel. One kind of mark a file; each says what range it needs, how it is drawn, and what its
//! key in the legend looks like.

/// The setters of colour and label, which most marks have.
macro_rules! colour_and_label {
    ($mark:ident, $what:literal) => {
        impl $mark {
            /// Sets the colour.
            #[must_use]
            pub fn colour(mut self, colour: $crate::Colour) -> Self {
                self.colour = colour;
                self
            }

            #[doc = concat!("Names the ", $what, " in the legend.")]
            #[must_use]
            pub fn label(mut self, label: impl Into<String>) -> Self {
                self.label = Some(label.into());
                self
            }
        }
    };
}
use colour_and_label;

mod band;
mod bars;
mod cells;
mod line;
mod points;
mod rule;
mod stems;
mod words;

pub use band::Band;
pub use bars::Bars;
pub use cells::Cells;
pub use line::{Dash, Line};
pub use points::{Points, Shape};
pub use rule::Rule;
pub use stems::Stems;
pub use words::Words;

use crate::Error;
use crate::extent::Extent;
use crate::frame::Frame;
use crate::svg::Svg;

/// Anything that can be drawn in a panel. Each kind of mark converts into one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Mark {
    /// A background of coloured cells.
    Cells(Cells),
    /// A translucent area between two curves.
    Band(Band),
    /// Bars that stand on a base.
    Bars(Bars),
    /// A reference line across the panel.
    Rule(Rule),
    /// Thin stems with heads.
    Stems(Stems),
    /// A curve.
    Line(Line),
    /// Single points.
    Points(Points),
    /// Words at a place.
    Words(Words),
}

/// What the panel and the legend ask of a mark.
pub(crate) trait Draw {
    /// Whether the coordinates are as many as each other.
    fn check(&self, panel: usize) -> Result<(), Error>;
    /// Widens the ranges to what the mark shows.
    fn extend(&self, x: &mut Extent, y: &mut Extent);
    /// Draws the mark; what lies outside of the frame is cut off by the panel.
    fn draw(&self, frame: &Frame, svg: &mut Svg);
    /// Draws what must not be cut off at the frame.
    fn draw_over(&self, _frame: &Frame, _svg: &mut Svg) {}
    /// The name in the legend.
    fn label(&self) -> Option<&str>;
    /// How wide the mark's picture in the legend is.
    fn key_width(&self) -> f64;
    /// Draws a small picture of the mark in a box of the legend.
    fn key(&self, key: Key, svg: &mut Svg);
}

/// The widths of keys that show a stretch, and of those that show a single thing.
const LONG_KEY: f64 = 26.0;
const SHORT_KEY: f64 = 12.0;

/// The box of a key in the legend: its left end, the height of its middle, and its width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) left: f64,
    pub(crate) middle: f64,
    pub(crate) width: f64,
}

impl Mark {
    /// Marks with a lower layer lie beneath; in one layer, those that were added first.
    pub(crate) const fn layer(&self) -> u8 {
        match self {
            Self::Cells(_) => 0,
            Self::Band(_) => 1,
            Self::Bars(_) => 2,
            Self::Rule(_) => 3,
            Self::Stems(_) => 4,
            Self::Line(_) => 5,
            Self::Points(_) => 6,
            Self::Words(_) => 7,
        }
    }

    pub(crate) fn inner(&self) -> &dyn Draw {
        match self {
            Self::Cells(mark) => mark,
            Self::Band(mark) => mark,
            Self::Bars(mark) => mark,
            Self::Rule(mark) => mark,
            Self::Stems(mark) => mark,
            Self::Line(mark) => mark,
            Self::Points(mark) => mark,
            Self::Words(mark) => mark,
        }
    }
}

/// An error where two coordinates have different lengths.
fn same_length(
    panel: usize,
    mark: &'static str,
    x: &[f64],
    (other, y): (&'static str, &[f64]),
) -> Result<(), Error> {
    if x.len() == y.len() {
        return Ok(());
    }
    Err(Error::Lengths { panel, mark, x: x.len(), other, y: y.len() })
}

/// An error where a size in pixels cannot be drawn.
fn drawable(panel: usize, mark: &'static str, size: f64) -> Result<(), Error> {
    if size > 0.0 && size <= 1000.0 {
        return Ok(());
    }
    Err(Error::MarkSize { panel, mark, size })
}
