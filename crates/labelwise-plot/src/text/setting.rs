//! Setting a label: its width, and its elements in the SVG.

use super::markup::{Level, Run, runs};
use crate::font::{self, Weight};
use crate::svg::{Svg, escape, number};

/// The size of letters below and above the line, as a part of the label's.
const SMALL: f64 = 0.72;
/// How far letters below and above the line are moved, in em of the label.
const DROP: f64 = 0.22;
const LIFT: f64 = 0.36;

/// Which part of a label stands at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a label looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) fill: &'static str,
}

/// A label that has been read.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    runs: Vec<Run>,
    style: Style,
}

impl Text {
    pub(crate) fn new(label: &str, style: Style) -> Self {
        Self { runs: runs(label), style }
    }

    /// The width in pixels.
    pub(crate) fn width(&self) -> f64 {
        self.runs.iter().map(|run| self.run_width(run)).sum()
    }

    /// Draws the label with its baseline at `y`.
    pub(crate) fn draw(&self, (x, y): (f64, f64), anchor: Anchor, svg: &mut Svg) {
        if self.runs.is_empty() {
            return;
        }
        if self.runs.iter().any(|run| !run.accents.is_empty()) {
            return self.draw_in_place((x, y), anchor, svg);
        }
        // Without accents the reader's program knows best how wide its letters are.
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let mut body = String::new();
        let mut shift = 0.0;
        for run in &self.runs {
            let wanted = self.shift(run.level);
            body.push_str(
                &self.span(run, (wanted != shift).then(|| format!(r#" dy="{}""#, number(wanted - shift)))),
            );
            shift = wanted;
        }
        svg.push(&format!(
            r#"<text x="{}" y="{}"{anchor}{}>{body}</text>"#,
            number(x),
            number(y),
            self.attributes()
        ));
    }

    /// Draws the label turned by a quarter to the left, its middle at `x`, `y`, to be read from below.
    pub(crate) fn draw_upwards(&self, (x, y): (f64, f64), svg: &mut Svg) {
        svg.push(&format!(r#"<g transform="translate({} {})rotate(-90)">"#, number(x), number(y)));
        self.draw((0.0, 0.0), Anchor::Middle, svg);
        svg.push("</g>");
    }

    /// Every piece at a place of its own and with the width it was given here, so that an accent finds its letter
    /// whatever font the letters are set in.
    fn draw_in_place(&self, (x, y): (f64, f64), anchor: Anchor, svg: &mut Svg) {
        let mut x = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - self.width() / 2.0,
            Anchor::End => x - self.width(),
        };
        for run in &self.runs {
            let y = y + self.shift(run.level);
            for piece in pieces(run) {
                let width = self.run_width(&piece);
                match (piece.accents.first(), piece.text.chars().next()) {
                    (Some((_, accent)), Some(letter)) => {
                        let middle = (x + width / 2.0, y);
                        self.draw_piece(&piece, middle, r#" text-anchor="middle""#, svg);
                        accent.draw(letter, middle, self.size(run.level), self.style.fill, svg);
                    }
                    _ => self.draw_stretched(&piece, (x, y), svg),
                }
                x += width;
            }
        }
    }

    /// Letters that take up exactly the width that was kept for them. Spaces at the ends of a text element do not
    /// count in SVG, so they are left out and stepped over.
    fn draw_stretched(&self, piece: &Run, (x, y): (f64, f64), svg: &mut Svg) {
        let shorter = |text: &str| Run { text: text.to_owned(), ..piece.clone() };
        let (trimmed, rest) = (shorter(piece.text.trim()), shorter(piece.text.trim_start()));
        let x = x + self.run_width(piece) - self.run_width(&rest);
        let width = match trimmed.text.chars().count() {
            0 => return,
            1 => String::new(),
            _ => format!(r#" textLength="{}""#, number(self.run_width(&trimmed))),
        };
        self.draw_piece(&trimmed, (x, y), &width, svg);
    }

    fn draw_piece(&self, piece: &Run, (x, y): (f64, f64), attributes: &str, svg: &mut Svg) {
        let Style { weight, fill, .. } = self.style;
        let (x, y, size) = (number(x), number(y), number(self.size(piece.level)));
        let (weight, text) = (weight.attribute(), escape(&piece.text));
        svg.push(&format!(
            r#"<text x="{x}" y="{y}"{attributes} font-size="{size}"{weight} fill="{fill}">{text}</text>"#
        ));
    }

    fn span(&self, run: &Run, place: Option<String>) -> String {
        let text = escape(&run.text);
        let size = match run.level {
            Level::Base => String::new(),
            _ => format!(r#" font-size="{}""#, number(self.size(run.level))),
        };
        match (place, size.is_empty()) {
            (None, true) => text,
            (place, _) => format!("<tspan{}{size}>{text}</tspan>", place.unwrap_or_default()),
        }
    }

    fn attributes(&self) -> String {
        let Style { size, weight, fill } = self.style;
        format!(r#" font-size="{}"{} fill="{fill}""#, number(size), weight.attribute())
    }

    fn size(&self, level: Level) -> f64 {
        if level == Level::Base { self.style.size } else { SMALL * self.style.size }
    }

    fn shift(&self, level: Level) -> f64 {
        match level {
            Level::Base => 0.0,
            Level::Below => DROP * self.style.size,
            Level::Above => -LIFT * self.style.size,
        }
    }

    fn run_width(&self, run: &Run) -> f64 {
        font::width(&run.text, self.size(run.level), self.style.weight)
    }
}

/// The run cut before and after each letter with an accent, so that such a letter stands alone.
fn pieces(run: &Run) -> Vec<Run> {
    let mut pieces: Vec<Run> = Vec::new();
    for (place, c) in run.text.chars().enumerate() {
        let accents: Vec<_> = run.accents.iter().filter(|(at, _)| *at == place).copied().collect();
        match pieces.last_mut() {
            Some(piece) if accents.is_empty() && piece.accents.is_empty() => piece.text.push(c),
            _ => pieces.push(Run { text: c.to_string(), level: run.level, accents }),
        }
    }
    pieces
}
