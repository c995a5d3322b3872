//! Small tables for people: the first column is flush left, the others flush right.

use super::screen::one_line;

/// The space between two columns.
const GAP: &str = "   ";

/// The rows with every column as wide as its widest cell. Rows may be shorter than others.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    table(
        rows,
        |column, cell, width| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        },
    )
}

/// The same with every column flush left, for words.
pub(crate) fn flush_left(rows: &[Vec<String>]) -> String {
    table(rows, |_, cell, width| format!("{cell:<width$}"))
}

fn table(rows: &[Vec<String>], padded: impl Fn(usize, &str, usize) -> String) -> String {
    let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| padded(column, cell, width));
        text.push_str(cells.collect::<Vec<_>>().join(GAP).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["", "risk"], vec!["a name", "0.25"], vec!["short", "10.50"], vec!["alone"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(aligned(&rows), "          risk\na name    0.25\nshort    10.50\nalone\n");
    }
}
