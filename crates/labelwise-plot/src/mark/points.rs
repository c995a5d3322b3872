//! Single points.

use super::{Draw, Key, Mark, SHORT_KEY, drawable, same_length};
use crate::extent::Extent;
use crate::frame::Frame;
use crate::svg::{Path, Svg, number};
use crate::{Colour, Error};

/// What a point looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A disc.
    #[default]
    Circle,
    /// A square.
    Square,
    /// A square on its corner.
    Diamond,
    /// A triangle, pointing up.
    Triangle,
    /// Two strokes, like ×.
    Cross,
    /// Two strokes, like +.
    Plus,
}

/// Points, without lines between them. Those without a finite place, and those outside of a fixed range, are left out.
///
/// ```
/// use labelwise_plot::{Colour, Points, Shape};
/// let test = Points::new([0.1, 0.7], [1.0, 0.4]).shape(Shape::Diamond).colour(Colour::Blue).hollow().label("test");
/// ```
#[derive(Clone, Debug)]
pub struct Points {
    x: Vec<f64>,
    y: Vec<f64>,
    colour: Colour,
    shape: Shape,
    fill: Fill,
    size: f64,
    label: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Solid,
    Hollow,
    Bare,
}

super::colour_and_label!(Points, "points");

impl Points {
    /// Filled black discs.
    #[must_use]
    pub fn new(x: impl AsRef<[f64]>, y: impl AsRef<[f64]>) -> Self {
        Self {
            x: x.as_ref().to_vec(),
            y: y.as_ref().to_vec(),
            colour: Colour::default(),
            shape: Shape::default(),
            fill: Fill::Solid,
            size: 6.0,
            label: None,
        }
    }

    /// Sets the shape.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// Draws outlines around white. Crosses and pluses are strokes in any case.
    #[must_use]
    pub fn hollow(mut self) -> Self {
        self.fill = Fill::Hollow;
        self
    }

    /// Draws no edge around points. They have a thin white one otherwise, which keeps a few of them apart and hides a cloud.
    #[must_use]
    pub fn bare(mut self) -> Self {
        self.fill = Fill::Bare;
        self
    }

    /// Sets the diameter in pixels; it is 6 unless set.
    #[must_use]
    pub fn size(mut self, size: f64) -> Self {
        self.size = size;
        self
    }

    fn attributes(&self) -> String {
        let (colour, stroke) = (self.colour.hex(), number((0.22 * self.size).clamp(0.8, 1.8)));
        match (self.shape, self.fill) {
            (Shape::Cross | Shape::Plus, _) => {
                format!(r#"fill="none" stroke="{colour}" stroke-width="{stroke}" stroke-linecap="round""#)
            }
            (_, Fill::Hollow) => format!(r##"fill="#FFFFFF" stroke="{colour}" stroke-width="{stroke}""##),
            (_, Fill::Bare) => format!(r#"fill="{colour}""#),
            // A thin white edge keeps crowded points apart.
            (_, Fill::Solid) => format!(r##"fill="{colour}" stroke="#FFFFFF" stroke-width="0.5""##),
        }
    }

    fn add(&self, (x, y): (f64, f64), path: &mut Path) {
        let r = self.size / 2.0;
        match self.shape {
            Shape::Circle => path.circle(x, y, r),
            Shape::Square => {
                let half = 0.89 * r;
                path.to(x - half, y - half).command('h', &[2.0 * half]).command('v', &[2.0 * half]);
                path.command('h', &[-2.0 * half]).close()
            }
            Shape::Diamond => {
                let half = 1.2 * r;
                path.to(x, y - half).line(x + half, y).line(x, y + half).line(x - half, y).close()
            }
            Shape::Triangle => {
                let half = 1.1 * r;
                path.to(x, y - 1.2 * r).line(x + half, y + 0.75 * r).line(x - half, y + 0.75 * r).close()
            }
            Shape::Cross => path.to(x - r, y - r).line(x + r, y + r).to(x - r, y + r).line(x + r, y - r),
            Shape::Plus => path.to(x - r, y).line(x + r, y).to(x, y - r).line(x, y + r),
        };
    }
}

impl Draw for Points {
    fn check(&self, panel: usize) -> Result<(), Error> {
        drawable(panel, "a set of points", self.size)?;
        same_length(panel, "a set of points", &self.x, ("y", &self.y))
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        for (&at, &value) in self.x.iter().zip(&self.y) {
            x.see_with(at, y, value);
        }
    }

    fn draw(&self, _frame: &Frame, _svg: &mut Svg) {}

    fn draw_over(&self, frame: &Frame, svg: &mut Svg) {
        // A point on the edge is shown whole, so points are chosen by their middles and not cut.
        let places = self.x.iter().zip(&self.y).filter_map(|(&x, &y)| frame.point(x, y));
        let mut path = Path::default();
        for place in places.filter(|&place| frame.shows(place)) {
            self.add(place, &mut path);
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
        let mut path = Path::default();
        self.add((key.left + key.width / 2.0, key.middle), &mut path);
        svg.path(&path, &self.attributes());
    }
}

impl From<Points> for Mark {
    fn from(points: Points) -> Self {
        Self::Points(points)
    }
}
