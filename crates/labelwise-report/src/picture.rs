//! Charts in the page: inline SVG with a caption, and the same numbers as a table for those who do not see it.

use labelwise_plot::{Figure, Panel};

use super::page::Error;
use super::words::literal;

/// How much room a chart has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// The width of the page.
    Wide,
    /// Half of the page, or all of a phone.
    Narrow,
}

impl Room {
    fn panel_size(self) -> (f64, f64) {
        match self {
            Self::Wide => (760.0, 290.0),
            Self::Narrow => (318.0, 215.0),
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }
}

/// What is read to people who do not see a chart: what it is, and what it shows.
pub(super) struct Spoken<'a> {
    /// In a few words.
    pub(super) title: &'a str,
    /// In sentences.
    pub(super) description: &'a str,
}

/// The SVG of a panel. `id` must be its own in the page.
pub(super) fn svg(id: &str, panel: Panel, room: Room, spoken: &Spoken<'_>) -> Result<String, Error> {
    let (width, height) = room.panel_size();
    let figure = Figure::new(format!("{id}-{}", room.suffix())).panel_size(width, height);
    // The panel's title would be shown; the page has headings for that.
    let svg = figure.description(spoken.description).panel(panel).svg()?;
    // In a page the name space goes without saying, and so nothing in it looks like an address.
    let svg = svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    let title = format!(">{}</title>", literal(spoken.title));
    let svg = svg.replacen(">Chart</title>", &title, 1);
    Ok(format!("<div class=\"chart {}\">\n{svg}</div>\n", room.suffix()))
}

/// A figure: charts, caption, and the numbers in a table that opens on request.
pub(super) fn figure(charts: &str, caption: &str, numbers: &Table<'_>) -> String {
    let table = numbers.html();
    format!(
        "<figure>\n{charts}<figcaption>{caption}</figcaption>\n\
         <details>\n<summary>The numbers of this chart</summary>\n{table}</details>\n</figure>\n"
    )
}

/// A table of numbers.
pub(super) struct Table<'a> {
    /// What it is, for those who hear it.
    pub(super) caption: &'a str,
    /// One head a column.
    pub(super) heads: &'a [&'a str],
    /// Cells that are HTML already. The first of a row is its head.
    pub(super) rows: Vec<Vec<String>>,
    /// Columns of words, which are flush left, as numbers are not.
    pub(super) words: &'a [usize],
}

impl Table<'_> {
    /// In a frame that scrolls where the screen is narrow.
    pub(super) fn html(&self) -> String {
        let class = |column: usize| if self.words.contains(&column) { " class=\"words\"" } else { "" };
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n\
             <table>\n<caption>{0}</caption>\n<thead>\n<tr>",
            self.caption
        );
        for (column, head) in self.heads.iter().enumerate() {
            html.push_str(&format!("<th scope=\"col\"{}>{head}</th>", class(column)));
        }
        html.push_str("</tr>\n</thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let class = class(column);
                html.push_str(&match column {
                    0 => format!("<th scope=\"row\"{class}>{cell}</th>"),
                    _ => format!("<td{class}>{cell}</td>"),
                });
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table>\n</div>\n");
        html
    }
}
