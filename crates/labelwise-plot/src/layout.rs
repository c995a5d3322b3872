//! Where everything in a figure is: columns and rows of panels line up, and nothing overlaps.

use crate::Error;
use crate::figure::{Figure, Legend};
use crate::font::{FAMILY, Weight};
use crate::legend::Entries;
use crate::plot::{Margins, Plot};
use crate::svg::{Svg, escape, number};
use crate::text::{Anchor, Style, Text, plain};

const TITLE: Style = Style { size: 14.0, weight: Weight::Semibold, fill: "#222222" };
const NOTE: Style = Style { size: 10.0, weight: Weight::Regular, fill: "#666666" };
const NOTE_HEIGHT: f64 = 16.0;
/// The room around the figure, and between panels.
const EDGE: f64 = 8.0;
const COLUMN_GAP: f64 = 16.0;
const ROW_GAP: f64 = 14.0;
const LEGEND_GAP: f64 = 8.0;

/// A figure with every place decided.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    figure: &'a Figure,
    plots: Vec<Plot<'a>>,
    entries: Entries<'a>,
    title: Text,
    note: Text,
    /// Margins of each column (left and right) and of each row (top and bottom).
    columns: Vec<Margins>,
    rows: Vec<Margins>,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(figure: &'a Figure) -> Result<Self, Error> {
        let letter = |i| figure.letters.then(|| letter(i));
        let plots = figure.panels.iter().enumerate();
        let plots = plots.map(|(i, panel)| Plot::new(panel, i + 1, letter(i), figure.panel_size));
        let plots = plots.collect::<Result<Vec<_>, _>>()?;
        let margins: Vec<Margins> = plots.iter().map(Plot::margins).collect();
        // A grid is at most as wide as the panels in it.
        let count = figure.columns.min(plots.len());
        let columns = (0..count).map(|i| widest(margins.iter().skip(i).step_by(count))).collect();
        let rows = margins.chunks(count.max(1)).map(|row| widest(row.iter())).collect();
        let entries = Entries::of(figure);
        let (title, note) = (Text::new(&figure.title, TITLE), Text::new(&figure.note, NOTE));
        Ok(Self { figure, plots, entries, title, note, columns, rows })
    }

    /// The whole SVG.
    pub(crate) fn draw(&self) -> String {
        let (width, height) = (self.width(), self.height());
        let mut svg = Svg::default();
        self.open((width, height), &mut svg);
        let mut y = EDGE;
        if self.title_height() > 0.0 {
            self.title.draw((width / 2.0, y + 13.0), Anchor::Middle, &mut svg);
            y += self.title_height();
        }
        let legend = self.legend_height();
        if self.figure.legend == Legend::Above && legend > 0.0 {
            self.entries.draw((EDGE, width - EDGE), y, &mut svg);
            y += legend;
        }
        self.draw_grid((width - self.grid_width()) / 2.0, y, &mut svg);
        if self.figure.legend == Legend::Below && legend > 0.0 {
            let top = height - EDGE - self.note_height() - legend + LEGEND_GAP;
            self.entries.draw((EDGE, width - EDGE), top, &mut svg);
        }
        if self.note_height() > 0.0 {
            self.note.draw((width - EDGE, height - EDGE), Anchor::End, &mut svg);
        }
        svg.push("</g>");
        svg.push("</svg>");
        svg.finish()
    }

    fn open(&self, (width, height): (f64, f64), svg: &mut Svg) {
        let (id, w, h) = (&self.figure.id, number(width), number(height));
        svg.push(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{id}-title {id}-desc">"#
        ));
        svg.push(&format!(r#"<title id="{id}-title">{}</title>"#, escape(&self.spoken_title())));
        svg.push(&format!(r#"<desc id="{id}-desc">{}</desc>"#, escape(&self.description())));
        svg.rect((0.0, 0.0), (width, height), r##"fill="#FFFFFF""##);
        svg.push(&format!(r#"<g font-family="{FAMILY}">"#));
    }

    fn draw_grid(&self, left: f64, top: f64, svg: &mut Svg) {
        let (width, height) = self.figure.panel_size;
        let mut plots = self.plots.iter().zip(1..);
        let mut y = top;
        for row in &self.rows {
            y += row.top;
            let mut x = left;
            for column in &self.columns {
                x += column.left;
                if let Some((plot, place)) = plots.next() {
                    plot.draw((x, y), column.left, &format!("{}-clip-{place}", self.figure.id), svg);
                }
                x += width + column.right + COLUMN_GAP;
            }
            y += height + row.bottom + ROW_GAP;
        }
    }

    fn grid_width(&self) -> f64 {
        let margins: f64 = self.columns.iter().map(|column| column.left + column.right).sum();
        let count = self.columns.len() as f64;
        margins + count * self.figure.panel_size.0 + (count - 1.0) * COLUMN_GAP
    }

    fn grid_height(&self) -> f64 {
        let margins: f64 = self.rows.iter().map(|row| row.top + row.bottom).sum();
        let count = self.rows.len() as f64;
        margins + count * self.figure.panel_size.1 + (count - 1.0) * ROW_GAP
    }

    /// Wide enough for the panels, the title and the widest entry of the legend, in whole pixels.
    fn width(&self) -> f64 {
        let legend = if self.figure.legend == Legend::Hidden { 0.0 } else { self.entries.least_width() };
        (self.grid_width().max(self.title.width()).max(self.note.width()).max(legend) + 2.0 * EDGE).ceil()
    }

    fn height(&self) -> f64 {
        let around = self.title_height() + self.legend_height() + self.note_height();
        (around + self.grid_height() + 2.0 * EDGE).ceil()
    }

    fn title_height(&self) -> f64 {
        if self.figure.title.is_empty() { 0.0 } else { 24.0 }
    }

    fn note_height(&self) -> f64 {
        if self.figure.note.is_empty() { 0.0 } else { NOTE_HEIGHT }
    }

    fn legend_height(&self) -> f64 {
        match (self.figure.legend, self.entries.height(self.width() - 2.0 * EDGE)) {
            (Legend::Hidden, _) | (_, 0.0) => 0.0,
            (_, height) => height + LEGEND_GAP,
        }
    }

    fn spoken_title(&self) -> String {
        if !self.figure.spoken_title.is_empty() {
            return self.figure.spoken_title.clone();
        }
        let titles =
            || self.figure.panels.iter().map(|panel| panel.title.as_str()).filter(|title| !title.is_empty());
        match (self.figure.title.as_str(), titles().next()) {
            ("", None) => "Chart".to_owned(),
            ("", Some(_)) => titles().map(plain).collect::<Vec<_>>().join("; "),
            (title, _) => plain(title),
        }
    }

    fn description(&self) -> String {
        if !self.figure.description.is_empty() {
            return self.figure.description.clone();
        }
        let mut sentences = Vec::new();
        for (panel, place) in self.figure.panels.iter().zip(1..) {
            let axis =
                |label: &str, name: &str| if label.is_empty() { name.to_owned() } else { plain(label) };
            let (x, y) = (axis(&panel.x.label, "x"), axis(&panel.y.label, "y"));
            let title =
                if panel.title.is_empty() { String::new() } else { format!(", {}", plain(&panel.title)) };
            sentences.push(format!("Panel {place}{title}: {y} against {x}."));
        }
        let labels: Vec<String> = self.entries.labels().map(plain).collect();
        if !labels.is_empty() {
            sentences.push(format!("Shown are {}.", labels.join(", ")));
        }
        if !self.figure.note.is_empty() {
            sentences.push(format!("{}.", plain(&self.figure.note)));
        }
        sentences.join(" ")
    }
}

/// Each side as wide as the widest.
fn widest<'m>(margins: impl Iterator<Item = &'m Margins>) -> Margins {
    margins.fold(Margins::default(), |all, one| Margins {
        left: all.left.max(one.left),
        right: all.right.max(one.right),
        top: all.top.max(one.top),
        bottom: all.bottom.max(one.bottom),
    })
}

/// (a), (b), …, and numbers after (z).
fn letter(place: usize) -> String {
    match ('a'..='z').nth(place) {
        Some(letter) => format!("({letter})"),
        None => format!("({})", place + 1),
    }
}
