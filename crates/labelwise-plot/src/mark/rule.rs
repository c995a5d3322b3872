//! Reference lines.

use super::{Dash, Draw, Key, LONG_KEY, Mark};
use crate::extent::Extent;
use crate::font::Weight;
use crate::frame::Frame;
use crate::svg::{Svg, number};
use crate::text::{Anchor, Style, Text};
use crate::{Colour, Error};

const WIDTH: f64 = 1.1;

/// A thin line across the whole panel at one value, for instance at the size of the pool. It is left out where the
/// value has no place on the axis.
///
/// ```
/// use labelwise_plot::Rule;
/// let size = Rule::vertical(200.0).note("pool size");
/// let zero = Rule::horizontal(0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Rule {
    at: f64,
    direction: Direction,
    colour: Colour,
    dash: Dash,
    note: Option<String>,
    label: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Vertical,
    Horizontal,
}

super::colour_and_label!(Rule, "line");

impl Rule {
    /// A grey dashed line at one x.
    #[must_use]
    pub fn vertical(x: f64) -> Self {
        Self::new(x, Direction::Vertical)
    }

    /// A grey dashed line at one y.
    #[must_use]
    pub fn horizontal(y: f64) -> Self {
        Self::new(y, Direction::Horizontal)
    }

    fn new(at: f64, direction: Direction) -> Self {
        Self { at, direction, colour: Colour::Grey, dash: Dash::Dashed, note: None, label: None }
    }

    /// Sets how the line is broken up.
    #[must_use]
    pub fn dash(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }

    /// Writes a few words next to the line, inside the panel.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    fn attributes(&self) -> String {
        let (colour, width, dash) = (self.colour.hex(), number(WIDTH), self.dash.attributes(WIDTH));
        format!(r#"stroke="{colour}" stroke-width="{width}"{dash}"#)
    }

    /// Writes the note next to the line, if that is in view.
    fn draw_note(&self, text: &Text, frame: &Frame, svg: &mut Svg) {
        match self.direction {
            Direction::Vertical => {
                let Some(x) = frame.x(self.at).filter(|&x| frame.shows((x, frame.top))) else { return };
                // To the left of the line, unless there is no room.
                let left = x - text.width() - 5.0 > frame.left;
                let (x, anchor) = if left { (x - 4.0, Anchor::End) } else { (x + 4.0, Anchor::Start) };
                text.draw((x, frame.top + 10.0), anchor, svg);
            }
            Direction::Horizontal => {
                let Some(y) = frame.y(self.at).filter(|&y| frame.shows((frame.left, y))) else { return };
                let y = if y - 14.0 > frame.top { y - 4.0 } else { y + 11.0 };
                text.draw((frame.right() - 3.0, y), Anchor::End, svg);
            }
        }
    }
}

impl Draw for Rule {
    fn check(&self, _panel: usize) -> Result<(), Error> {
        Ok(())
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        match self.direction {
            Direction::Vertical => x.see(self.at),
            Direction::Horizontal => y.see(self.at),
        }
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        match self.direction {
            Direction::Vertical => {
                if let Some(x) = frame.x(self.at) {
                    svg.line((x, frame.bottom()), (x, frame.top), &self.attributes());
                }
            }
            Direction::Horizontal => {
                if let Some(y) = frame.y(self.at) {
                    svg.line((frame.left, y), (frame.right(), y), &self.attributes());
                }
            }
        }
    }

    fn draw_over(&self, frame: &Frame, svg: &mut Svg) {
        let Some(note) = &self.note else { return };
        let text = Text::new(note, Style { size: 10.0, weight: Weight::Regular, fill: self.colour.hex() });
        // A white edge keeps the words readable over other marks.
        svg.push(r##"<g stroke="#FFFFFF" stroke-opacity="0.85" stroke-width="3" stroke-linejoin="round" paint-order="stroke">"##);
        self.draw_note(&text, frame, svg);
        svg.push("</g>");
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

impl From<Rule> for Mark {
    fn from(rule: Rule) -> Self {
        Self::Rule(rule)
    }
}
