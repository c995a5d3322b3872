//! A background of coloured cells.

use super::{Draw, Key, LONG_KEY, Mark};
use crate::Error;
use crate::extent::Extent;
use crate::frame::Frame;
use crate::svg::Svg;

/// How many colours there are from 0 to 1; odd, so that one half is white.
const SHADES: usize = 33;
/// The colours of 0, of one half and of 1: light blue, white and light orange, so that marks on them stay readable.
const ENDS: [[f64; 3]; 3] = [[140.0, 190.0, 226.0], [252.0, 252.0, 252.0], [244.0, 190.0, 124.0]];

/// A rectangle of coloured cells, for instance a classifier's probabilities over two features. Values go from 0
/// (blue) through one half (white) to 1 (orange); beyond them the ends are used, and cells that are NaN stay empty.
///
/// ```
/// use labelwise_plot::Cells;
/// // Two rows of three: the lower row comes first, and each row goes from left to right.
/// let cells = Cells::new((0.0, 3.0), (0.0, 2.0), 3, [0.0, 0.2, 0.5, 0.3, 0.6, 1.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Cells {
    x: (f64, f64),
    y: (f64, f64),
    columns: usize,
    values: Vec<f64>,
    label: Option<String>,
}

impl Cells {
    /// Cells that fill the ranges `x` and `y`, in rows of `columns` values, from the lowest row to the highest.
    #[must_use]
    pub fn new(x: (f64, f64), y: (f64, f64), columns: usize, values: impl AsRef<[f64]>) -> Self {
        Self { x, y, columns, values: values.as_ref().to_vec(), label: None }
    }

    /// Names the cells in the legend.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

impl Draw for Cells {
    fn check(&self, panel: usize) -> Result<(), Error> {
        let values = self.values.len();
        if values == 0 || self.columns == 0 || !values.is_multiple_of(self.columns) {
            return Err(Error::Cells { panel, values, columns: self.columns });
        }
        Ok(())
    }

    fn extend(&self, x: &mut Extent, y: &mut Extent) {
        for (extent, (low, high)) in [(x, self.x), (y, self.y)] {
            extent.fill(low);
            extent.fill(high);
        }
    }

    fn draw(&self, frame: &Frame, svg: &mut Svg) {
        let rows = self.values.len() / self.columns.max(1);
        let between =
            |(low, high): (f64, f64), i: usize, of: usize| low + (high - low) * i as f64 / of as f64;
        svg.push(r#"<g shape-rendering="crispEdges">"#);
        for (row, values) in self.values.chunks(self.columns.max(1)).enumerate() {
            let edges = frame.y(between(self.y, row, rows)).zip(frame.y(between(self.y, row + 1, rows)));
            let mut column = 0;
            // Neighbours of one colour are one rectangle.
            for run in values.chunk_by(|a, b| shade(*a) == shade(*b)) {
                let (from, to) = (column, column + run.len());
                column = to;
                let sides = frame.x(between(self.x, from, self.columns)).zip(frame.x(between(
                    self.x,
                    to,
                    self.columns,
                )));
                let colour = run.first().and_then(|&value| shade(value));
                if let (Some((left, right)), Some((bottom, top)), Some(shade)) = (sides, edges, colour) {
                    let (corner, size) =
                        ((left.min(right), top.min(bottom)), ((right - left).abs(), (bottom - top).abs()));
                    svg.rect(corner, size, &format!(r#"fill="{}""#, hex(shade)));
                }
            }
        }
        svg.push("</g>");
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    fn key_width(&self) -> f64 {
        LONG_KEY
    }

    fn key(&self, key: Key, svg: &mut Svg) {
        let blocks = 8;
        let width = key.width / blocks as f64;
        for block in 0..blocks {
            let shade = block * (SHADES - 1) / (blocks - 1);
            let corner = (key.left + width * block as f64, key.middle - 5.0);
            svg.rect(
                corner,
                (width, 10.0),
                &format!(r#"fill="{}" shape-rendering="crispEdges""#, hex(shade)),
            );
        }
    }
}

impl From<Cells> for Mark {
    fn from(cells: Cells) -> Self {
        Self::Cells(cells)
    }
}

/// The place of a value among the shades.
fn shade(value: f64) -> Option<usize> {
    (!value.is_nan()).then(|| (value.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize)
}

fn hex(shade: usize) -> String {
    let [low, middle, high] = ENDS;
    let along = 2.0 * shade as f64 / (SHADES - 1) as f64;
    let (from, to, part) = if along <= 1.0 { (low, middle, along) } else { (middle, high, along - 1.0) };
    let channels =
        from.iter().zip(to).map(|(from, to)| format!("{:02X}", (from + (to - from) * part).round() as u8));
    format!("#{}", channels.collect::<String>())
}
