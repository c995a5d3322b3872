//! One panel made ready: its ranges and ticks are chosen, the room around it is known, and it can be drawn.

use crate::axis::TickLabels;
use crate::extent::Extent;
use crate::font::Weight;
use crate::frame::{Frame, Projection};
use crate::panel::Panel;
use crate::svg::{Path, Svg};
use crate::text::{Anchor, Style, Text};
use crate::ticks::{Tick, ticks};
use crate::{Axis, Error};

const NUMBERS: Style = Style { size: 10.0, weight: Weight::Regular, fill: "#444444" };
const LABELS: Style = Style { size: 11.5, weight: Weight::Regular, fill: "#222222" };
const TITLES: Style = Style { size: 12.0, weight: Weight::Semibold, fill: "#222222" };
const TICK: f64 = 3.5;
const SHORT_TICK: f64 = 2.0;

/// The room that a panel needs around its plot area.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Margins {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// A panel made ready.
#[derive(Debug)]
pub(crate) struct Plot<'a> {
    panel: &'a Panel,
    letter: Option<String>,
    x: Projection,
    y: Projection,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    size: (f64, f64),
}

impl<'a> Plot<'a> {
    /// Chooses ranges and ticks. `place` counts panels from 1.
    pub(crate) fn new(
        panel: &'a Panel,
        place: usize,
        letter: Option<String>,
        size: (f64, f64),
    ) -> Result<Self, Error> {
        let (mut x, mut y) = (Extent::new(panel.x.scale), Extent::new(panel.y.scale));
        for mark in &panel.marks {
            mark.inner().check(place)?;
            mark.inner().extend(&mut x, &mut y);
        }
        let project = |extent: Extent, axis: &Axis, name| {
            extent.range(axis, place, name).map(|(low, high)| Projection { scale: axis.scale, low, high })
        };
        let (x, y) = (project(x, &panel.x, 'x')?, project(y, &panel.y, 'y')?);
        let apart = |shown: Projection, length: f64, ticks: &[Tick], room: &dyn Fn(&str) -> f64| {
            let places = ticks
                .iter()
                .filter_map(|tick| Some((length * shown.part(tick.value)?, room(tick.label.as_deref()?))));
            let places: Vec<(f64, f64)> = places.collect();
            places.windows(2).all(|pair| match pair {
                [(at, room), (next, next_room)] => next - at >= (room + next_room) / 2.0,
                _ => true,
            })
        };
        let (width, height) = size;
        let beside = |label: &str| Text::new(label, NUMBERS).width() + 10.0;
        let x_ticks = ticks(&panel.x, x, (width / 32.0) as usize, |ticks| apart(x, width, ticks, &beside));
        let y_ticks =
            ticks(&panel.y, y, (height / 24.0) as usize, |ticks| apart(y, height, ticks, &|_| 14.0));
        Ok(Self { panel, letter, x, y, x_ticks, y_ticks, size })
    }

    /// The room around the plot area, so that nothing is cut off.
    pub(crate) fn margins(&self) -> Margins {
        let (width, height) = self.size;
        let (half_first, half_last) = self.overhang();
        let left = (TICK + 3.0 + self.numbers_width()).max(half_first);
        let bottom = self.numbers_height() + if self.panel.x.label.is_empty() { 0.0 } else { 18.0 };
        // A label that is longer than its axis sticks out at both ends.
        let sideways = (Text::new(&self.panel.x.label, LABELS).width() - width).max(0.0) / 2.0;
        let upwards = (Text::new(&self.panel.y.label, LABELS).width() - height).max(0.0) / 2.0;
        let title = (self.title_width() - width).max(0.0);
        let top: f64 = if self.title_width() > 0.0 { 22.0 } else { 6.0 };
        Margins {
            // The vertical label has a lane of its own, so that it never meets the horizontal one.
            left: left.max(sideways) + if self.panel.y.label.is_empty() { 0.0 } else { 22.0 },
            right: half_last.max(sideways).max(title).max(4.0),
            top: top.max(upwards),
            bottom: bottom.max(upwards),
        }
    }

    /// Draws the panel with the upper left corner of its plot area at a place. `outside` is the room to the left of
    /// all panels of its column, at whose end labels line up.
    pub(crate) fn draw(&self, (left, top): (f64, f64), outside: f64, clip: &str, svg: &mut Svg) {
        let (width, height) = self.size;
        let frame = Frame { left, top, width, height, x: self.x, y: self.y };
        svg.push(&format!(r#"<clipPath id="{clip}">"#));
        // One pixel more, for lines that run along an edge.
        svg.rect((left - 1.0, top - 1.0), (width + 2.0, height + 2.0), "");
        svg.push("</clipPath>");
        self.draw_grid(&frame, svg);
        let mut marks: Vec<_> = self.panel.marks.iter().collect();
        marks.sort_by_key(|mark| mark.layer());
        if !marks.is_empty() {
            svg.push(&format!(r#"<g clip-path="url(#{clip})">"#));
            marks.iter().for_each(|mark| mark.inner().draw(&frame, svg));
            svg.push("</g>");
        }
        self.draw_axes(&frame, svg);
        self.draw_labels(&frame, outside, svg);
        marks.iter().for_each(|mark| mark.inner().draw_over(&frame, svg));
        self.draw_title(&frame, svg);
    }

    fn draw_grid(&self, frame: &Frame, svg: &mut Svg) {
        let mut grid = Path::default();
        for x in labelled(&self.x_ticks).filter_map(|(value, _)| frame.x(value)) {
            grid.to(x, frame.top).command('V', &[frame.bottom()]);
        }
        for y in labelled(&self.y_ticks).filter_map(|(value, _)| frame.y(value)) {
            grid.to(frame.left, y).command('H', &[frame.right()]);
        }
        svg.path(&grid, r##"fill="none" stroke="#E9E9E9" stroke-width="0.8""##);
    }

    fn draw_axes(&self, frame: &Frame, svg: &mut Svg) {
        let mut lines = Path::default();
        lines.to(frame.left, frame.top).command('V', &[frame.bottom()]).command('H', &[frame.right()]);
        let length = |tick: &Tick| if tick.label.is_some() { TICK } else { SHORT_TICK };
        for (tick, x) in self.x_ticks.iter().filter_map(|tick| Some((tick, frame.x(tick.value)?))) {
            lines.to(x, frame.bottom()).command('v', &[length(tick)]);
        }
        for (tick, y) in self.y_ticks.iter().filter_map(|tick| Some((tick, frame.y(tick.value)?))) {
            lines.to(frame.left, y).command('h', &[-length(tick)]);
        }
        svg.path(&lines, r##"fill="none" stroke="#444444" stroke-width="0.8""##);
        if self.panel.x.ticks == TickLabels::Shown {
            for (x, label) in
                labelled(&self.x_ticks).filter_map(|(value, label)| Some((frame.x(value)?, label)))
            {
                Text::new(label, NUMBERS).draw((x, frame.bottom() + TICK + 11.0), Anchor::Middle, svg);
            }
        }
        if self.panel.y.ticks == TickLabels::Shown {
            for (y, label) in
                labelled(&self.y_ticks).filter_map(|(value, label)| Some((frame.y(value)?, label)))
            {
                Text::new(label, NUMBERS).draw((frame.left - TICK - 3.0, y + 3.6), Anchor::End, svg);
            }
        }
    }

    fn draw_labels(&self, frame: &Frame, outside: f64, svg: &mut Svg) {
        let middle = (frame.left + frame.width / 2.0, frame.bottom() + self.numbers_height() + 13.0);
        Text::new(&self.panel.x.label, LABELS).draw(middle, Anchor::Middle, svg);
        if !self.panel.y.label.is_empty() {
            Text::new(&self.panel.y.label, LABELS)
                .draw_upwards((frame.left - outside + 13.0, frame.top + frame.height / 2.0), svg);
        }
    }

    fn draw_title(&self, frame: &Frame, svg: &mut Svg) {
        let mut x = frame.left;
        for text in self.title_parts() {
            text.draw((x, frame.top - 9.0), Anchor::Start, svg);
            x += text.width() + 6.0;
        }
    }

    fn title_parts(&self) -> Vec<Text> {
        let parts = [self.letter.as_deref().unwrap_or_default(), &self.panel.title];
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| Text::new(part, TITLES)).collect()
    }

    fn title_width(&self) -> f64 {
        let parts = self.title_parts();
        parts.iter().map(Text::width).sum::<f64>() + 6.0 * parts.len().saturating_sub(1) as f64
    }

    fn numbers_width(&self) -> f64 {
        if self.panel.y.ticks == TickLabels::Hidden {
            return 0.0;
        }
        labelled(&self.y_ticks).map(|(_, label)| Text::new(label, NUMBERS).width()).fold(0.0, f64::max)
    }

    fn numbers_height(&self) -> f64 {
        if self.panel.x.ticks == TickLabels::Hidden { TICK + 1.0 } else { TICK + 13.0 }
    }

    /// How far the numbers of the horizontal axis stick out at its ends.
    fn overhang(&self) -> (f64, f64) {
        if self.panel.x.ticks == TickLabels::Hidden {
            return (0.0, 0.0);
        }
        let mut sides: (f64, f64) = (0.0, 0.0);
        for (value, label) in labelled(&self.x_ticks) {
            let at = self.size.0 * self.x.part(value).unwrap_or(0.5);
            let half = Text::new(label, NUMBERS).width() / 2.0;
            sides = (sides.0.max(half - at), sides.1.max(at + half - self.size.0));
        }
        sides
    }
}

fn labelled(ticks: &[Tick]) -> impl Iterator<Item = (f64, &str)> {
    ticks.iter().filter_map(|tick| Some((tick.value, tick.label.as_deref()?)))
}
