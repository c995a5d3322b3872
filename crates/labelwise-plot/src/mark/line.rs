//! Curves.

use super::{Draw, Key, LONG_KEY, Mark, drawable, same_length};
use crate::extent::Extent;
use crate::frame::Frame;
use crate::svg::{Path, Svg, number};
use crate::{Colour, Error};

/// How a line is broken up, to tell lines apart without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
    /// In dashes and dots.
    DashDot,
    /// In long dashes.
    LongDash,
}

impl Dash {
    /// A pattern for the series at place `i` (from 0), for charts whose series have none of their own. After five
    /// series the patterns begin again.
    #[must_use]
    pub const fn nth(i: usize) -> Self {
        match i % 5 {
            0 => Self::Solid,
            1 => Self::Dashed,
            2 => Self::Dotted,
            3 => Self::DashDot,
            _ => Self::LongDash,
        }
    }

    /// The attributes of an SVG stroke of a width, with a space before them where there are any.
    pub(super) fn attributes(self, width: f64) -> String {
        let (parts, cap): (&[f64], &str) = match self {
            Self::Solid => return r#" stroke-linecap="round""#.to_owned(),
            Self::Dashed => (&[3.6, 2.0], "butt"),
            Self::Dotted => (&[0.01, 2.1], "round"),
            Self::DashDot => (&[4.4, 1.7, 1.0, 1.7], "butt"),
            Self::LongDash => (&[7.0, 2.2], "butt"),
        };
        let parts: Vec<String> = parts.iter().map(|part| number(part * width)).collect();
        format!(r#" stroke-dasharray="{}" stroke-linecap="{cap}""#, parts.join(" "))
    }
}

/// A curve through points. It breaks where a coordinate is not finite, or not positive on a logarithmic axis: a gap
/// in the data is a gap in the line. A single point between two gaps is drawn as a dot.
///
/// ```
/// use labelwise_plot::{Colour, Dash, Line};
/// let line = Line::new([1.0, 2.0, 3.0], [0.3, 0.2, 0.1]).colour(Colour::Orange).dash(Dash::Dashed).label("LURE");
/// ```
#[derive(Clone, Debug)]
pub struct Line {
    x: Vec<f64>,
    y: Vec<f64>,
    colour: Colour,
    dash: Dash,
    width: f64,
    course: Course,
    label: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Course {
    Straight,
    Steps,
}

super::colour_and_label!(Line, "line");

impl Line {
    /// A solid black line.
    #[must_use]
    pub fn new(x: impl AsRef<[f64]>, y: impl AsRef<[f64]>) -> Self {
        Self {
            x: x.as_ref().to_vec(),
            y: y.as_ref().to_vec(),
            colour: Colour::default(),
            dash: Dash::default(),
            width: 1.6,
            course: Course::Straight,
            label: None,
        }
    }

    /// Sets how the line is broken up.
    #[must_use]
    pub fn dash(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }

    /// Sets the width in pixels; it is 1.6 unless set.
    #[must_use]
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// Keeps each value until the next x, in steps.
    #[must_use]
    pub fn steps(mut self) -> Self {
        self.course = Course::Steps;
        self
    }

    fn attributes(&self) -> String {
        let (colour, width) = (self.colour.hex(), number(self.width));
        let dash = self.dash.attributes(self.width);
        format!(r#"fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dash}"#)
    }
}

impl Draw for Line {
    fn check(&self, panel: usize) -> Result<(), Error> {
        drawable(panel, "a line", self.width)?;
        same_length(panel, "a line", &self.x, ("y", &self.y))
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        for (&at, &value) in self.x.iter().zip(&self.y) {
            x.see_with(at, y, value);
        }
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        let mut path = Path::default();
        let mut lonely = Path::default();
        for stretch in stretches(self.x.iter().zip(&self.y).map(|(&x, &y)| frame.point(x, y))) {
            if let [(x, y)] = *stretch {
                lonely.circle(x, y, self.width);
            }
            let mut height = None;
            for &(x, y) in &stretch {
                match (height, self.course) {
                    (None, _) => path.to(x, y),
                    (Some(_), Course::Straight) => path.line(x, y),
                    (Some(height), Course::Steps) => path.line(x, height).line(x, y),
                };
                height = Some(y);
            }
        }
        svg.path(&path, &self.attributes());
        svg.path(&lonely, &format!(r#"fill="{}""#, self.colour.hex()));
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    fn key_width(&self) -> f64 {
        LONG_KEY
    }

    fn key(&self, key: Key, svg: &mut Svg) {
        svg.line((key.left, key.middle), (key.left + key.width, key.middle), &self.attributes());
    }
}

impl From<Line> for Mark {
    fn from(line: Line) -> Self {
        Self::Line(line)
    }
}

/// The stretches between gaps.
pub(super) fn stretches<P>(points: impl Iterator<Item = Option<P>>) -> Vec<Vec<P>> {
    let mut stretches = vec![Vec::new()];
    for point in points {
        match (point, stretches.last_mut()) {
            (Some(point), Some(stretch)) => stretch.push(point),
            _ => stretches.push(Vec::new()),
        }
    }
    stretches.retain(|stretch| !stretch.is_empty());
    stretches
}
