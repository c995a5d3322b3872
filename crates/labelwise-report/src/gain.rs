//! Why a label was worth little more than one of uniform sampling, where it was.

use labelwise::plan::Diagnosis;

use super::page::{Error, Page};
use super::words::{capitalised, number};

/// The article; nothing where the gain was not small, or cannot be told yet.
pub(super) fn article(page: &Page) -> Result<String, Error> {
    if page.strata.is_some() {
        // Strata have no proposal whose weights could be to blame.
        return Ok(String::new());
    }
    let found = Diagnosis::of(&page.evidence, &*page.estimator)?;
    let Some(Diagnosis { gain, reasons }) = found.filter(Diagnosis::is_small) else {
        return Ok(String::new());
    };
    let reasons: String =
        reasons.iter().map(|reason| format!("<li>{}.</li>\n", capitalised(&reason.to_string()))).collect();
    Ok(format!(
        "<article>\n<h3>Why the gain was small</h3>\n<p>A label here was worth {} labels of uniform sampling.</p>\n<ul>\n\
         {reasons}</ul>\n</article>\n",
        number(gain, 2)
    ))
}
