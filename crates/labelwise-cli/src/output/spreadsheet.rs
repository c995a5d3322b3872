//! Cells of CSV that people open in a spreadsheet.

use std::borrow::Cow;

/// A cell with a ' before it if a spreadsheet would read it as a formula. White space before the formula does not stop one.
pub(crate) fn cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r']);
    if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn formulas_become_texts() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=cmd|x", " =1", "\tplain"] {
            assert_eq!(cell(formula), format!("'{formula}"));
        }
        for text in ["", "cat", "a=b", "1-2"] {
            assert_eq!(cell(text), text);
        }
    }
}
