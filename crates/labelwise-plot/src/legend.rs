//! The legend: one entry for each label, in the order in which labels first appear.

use std::mem::discriminant;

use crate::figure::Figure;
use crate::font::Weight;
use crate::mark::{Key, Mark};
use crate::svg::Svg;
use crate::text::{Anchor, Style, Text};

const STYLE: Style = Style { size: 11.0, weight: Weight::Regular, fill: "#222222" };
const KEY_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
const ROW: f64 = 18.0;

/// One label and the marks that have it, one of each kind.
#[derive(Debug)]
struct Entry<'a> {
    label: &'a str,
    marks: Vec<&'a Mark>,
}

/// All entries of a figure.
#[derive(Debug)]
pub(crate) struct Entries<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Entries<'a> {
    pub(crate) fn of(figure: &'a Figure) -> Self {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        for mark in figure.panels.iter().flat_map(|panel| &panel.marks) {
            let Some(label) = mark.inner().label() else { continue };
            match entries.iter_mut().find(|entry| entry.label == label) {
                Some(entry) => entry.add(mark),
                None => entries.push(Entry { label, marks: vec![mark] }),
            }
        }
        Self { entries }
    }

    /// The labels in order.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().map(|entry| entry.label)
    }

    /// The width of the widest entry: the least that the legend needs.
    pub(crate) fn least_width(&self) -> f64 {
        self.entries.iter().map(|entry| entry.column().width()).fold(0.0, f64::max)
    }

    /// The height of the legend in a width.
    pub(crate) fn height(&self, width: f64) -> f64 {
        let columns = self.columns(width).len();
        if columns == 0 { 0.0 } else { self.entries.len().div_ceil(columns) as f64 * ROW }
    }

    /// Draws the legend in the middle between two sides, from `top` downwards.
    pub(crate) fn draw(&self, (left, right): (f64, f64), top: f64, svg: &mut Svg) {
        let columns = self.columns(right - left);
        if columns.is_empty() {
            return;
        }
        let start = (left + right - total(&columns)) / 2.0;
        for (row, entries) in self.entries.chunks(columns.len()).enumerate() {
            let middle = top + ROW * (row as f64 + 0.5);
            let mut x = start;
            for (entry, column) in entries.iter().zip(&columns) {
                for mark in &entry.marks {
                    mark.inner().key(Key { left: x, middle, width: column.key }, svg);
                }
                let place = (x + column.key + KEY_GAP, middle + 3.9);
                Text::new(entry.label, STYLE).draw(place, Anchor::Start, svg);
                x += column.width() + ENTRY_GAP;
            }
        }
    }

    /// The most columns that fit; entries stand below each other.
    fn columns(&self, width: f64) -> Vec<Column> {
        let count = self.entries.len();
        let columns = |many: usize| -> Vec<Column> {
            (0..many)
                .map(|i| self.entries.iter().skip(i).step_by(many).fold(Column::default(), Column::with))
                .collect()
        };
        let most = (1..=count).rev().find(|&many| total(&columns(many)) <= width).unwrap_or(1).min(count);
        if most == 0 {
            return Vec::new();
        }
        // As many rows, but as even as can be: three and three rather than five and one.
        let even = columns(count.div_ceil(count.div_ceil(most)));
        if total(&even) <= width { even } else { columns(most) }
    }
}

/// The widths that the entries of one column need.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    key: f64,
    label: f64,
}

impl Column {
    fn with(self, entry: &Entry<'_>) -> Self {
        let one = entry.column();
        Self { key: self.key.max(one.key), label: self.label.max(one.label) }
    }

    fn width(self) -> f64 {
        self.key + KEY_GAP + self.label
    }
}

fn total(columns: &[Column]) -> f64 {
    let widths: f64 = columns.iter().map(|column| column.width()).sum();
    widths + ENTRY_GAP * columns.len().saturating_sub(1) as f64
}

impl<'a> Entry<'a> {
    fn add(&mut self, mark: &'a Mark) {
        if self.marks.iter().all(|known| discriminant(*known) != discriminant(mark)) {
            self.marks.push(mark);
            self.marks.sort_by_key(|mark| mark.layer());
        }
    }

    /// The widths that this entry needs.
    fn column(&self) -> Column {
        let key = self.marks.iter().map(|mark| mark.inner().key_width()).fold(0.0, f64::max);
        Column { key, label: Text::new(self.label, STYLE).width() }
    }
}
