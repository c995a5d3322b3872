//! Where values are on the page.

use crate::axis::Scale;
use crate::extent::placed;

/// No coordinate is farther from the page than this many pixels: readers of SVG work in single precision.
const FARTHEST: f64 = 20_000.0;

/// The plot area of a panel: where it is, and what values its sides have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) x: Projection,
    pub(crate) y: Projection,
}

impl Frame {
    /// The pixel of a value of x, where it has one.
    pub(crate) fn x(&self, value: f64) -> Option<f64> {
        Some((self.left + self.width * self.x.part(value)?).clamp(-FARTHEST, FARTHEST))
    }

    /// The pixel of a value of y, where it has one.
    pub(crate) fn y(&self, value: f64) -> Option<f64> {
        Some((self.bottom() - self.height * self.y.part(value)?).clamp(-FARTHEST, FARTHEST))
    }

    /// The pixel of a point, where it has one.
    pub(crate) fn point(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x(x)?, self.y(y)?))
    }

    /// Whether a pixel is in the plot area or on its edge.
    pub(crate) fn shows(&self, (x, y): (f64, f64)) -> bool {
        let hair = 1e-6;
        (self.left - hair..=self.right() + hair).contains(&x)
            && (self.top - hair..=self.bottom() + hair).contains(&y)
    }

    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// A range of values on a scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection {
    pub(crate) scale: Scale,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Projection {
    /// How far along the range a value is: 0 at the low end, 1 at the high end.
    pub(crate) fn part(&self, value: f64) -> Option<f64> {
        let Self { scale, low, high } = *self;
        placed(scale, value).then(|| match scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => (value.ln() - low.ln()) / (high.ln() - low.ln()),
        })
    }
}
