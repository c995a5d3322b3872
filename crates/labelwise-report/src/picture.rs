//! Charts in the page: inline SVG with a caption, and the same numbers as a table for those who do not see it.

use labelwise_plot::{Figure, Panel};
use maud::{Markup, PreEscaped, Render, html};

use super::page::Error;

/// How much room a chart has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// The width of the page.
    Wide,
    /// Half of the page, or all of a phone.
    Narrow,
}

/// What is read to people who do not see a chart: what it is, and what it shows.
pub(super) struct Spoken<'a> {
    /// In a few words.
    pub(super) title: &'a str,
    /// In sentences.
    pub(super) description: &'a str,
}

/// The SVG of a panel. `id` must be its own in the page.
pub(super) fn svg(id: &str, panel: Panel, room: Room, spoken: &Spoken<'_>) -> Result<Markup, Error> {
    let (class, width, height) = match room {
        Room::Wide => ("wide", 760.0, 290.0),
        Room::Narrow => ("narrow", 318.0, 215.0),
    };
    let figure = Figure::new(format!("{id}-{class}")).panel_size(width, height).panel(panel);
    // The title of the figure or panel would be shown; the page has headings for that.
    let svg = figure.spoken_title(spoken.title).description(spoken.description).svg()?;
    // HTML implies the name space; without it, nothing in the page looks like an address.
    let svg = svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    Ok(html! { div.chart.(class) { (PreEscaped(svg)) } })
}

/// A figure: charts, caption, and the numbers in a table that opens on request.
pub(super) fn figure(charts: &[Markup], caption: &str, numbers: &Table<'_>) -> Markup {
    html! {
        figure {
            @for chart in charts { (chart) }
            figcaption { (caption) }
            details { summary { "The numbers of this chart" } (numbers) }
        }
    }
}

/// A table of numbers.
pub(super) struct Table<'a> {
    /// What it is, for those who hear it.
    pub(super) caption: &'a str,
    /// One head a column.
    pub(super) heads: &'a [&'a str],
    /// Cells by row. The first cell of a row is its head.
    pub(super) rows: Vec<Vec<Markup>>,
    /// Columns of words, which are flush left, as numbers are not.
    pub(super) words: &'a [usize],
}

/// The cells of a row: text is escaped, markup stays.
pub(super) fn cells<const COLUMNS: usize>(cells: [&dyn Render; COLUMNS]) -> Vec<Markup> {
    cells.map(Render::render).into()
}

impl Render for Table<'_> {
    /// In a frame that scrolls where the screen is narrow.
    fn render(&self) -> Markup {
        let class = |column: usize| self.words.contains(&column).then_some("words");
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    caption { (self.caption) }
                    thead { tr {
                        @for (column, head) in self.heads.iter().enumerate() {
                            th scope="col" class=[class(column)] { (head) }
                        }
                    } }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (column, cell) in row.iter().enumerate() {
                                    @if column == 0 { th scope="row" class=[class(column)] { (cell) } }
                                    @else { td class=[class(column)] { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
