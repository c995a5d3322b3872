//! The page as a whole.

use super::page::{Error, Page};
use super::uniform::Uniform;
use super::words::escaped;
use super::{
    counted, course, draws, gain, headline, influence, origin, others, scores, strata, surrogate, weights,
};

const STYLE: &str = include_str!("style.css");
/// The page holds all it needs and runs nothing. Should a name from the data ever get out of its place, the browser
/// refuses what it asks for.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// The page of an evaluation: one file that needs nothing else.
///
/// # Errors
///
/// The evidence is not of draws that can have been made, or a chart could not be drawn.
pub fn html(page: &Page) -> Result<String, Error> {
    let samples = counted::counted(page)?;
    let uniform = &Uniform::new(page);
    let main = [
        course::section(page, &samples, uniform)?,
        "<section>\n<h2>How far to trust it</h2>\n<div class=\"pair\">\n".to_owned(),
        weights::article(page, &samples)?,
        surrogate::article(page, &samples)?,
        "</div>\n".to_owned(),
        influence::article(&samples),
        gain::article(page)?,
        "</section>\n".to_owned(),
        strata::section(page),
        others::section(page),
        scores::section(page),
        origin::section(page),
        origin::glossary(page),
        draws::section(page, &samples),
    ];
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}<main>\n{}</main>\n\
         <footer>Made by labelwise {} on {}.</footer>\n</body>\n</html>\n",
        headline::window_title(page),
        headline::header(page, &samples, uniform),
        main.concat(),
        escaped(&page.provenance.version),
        escaped(&page.provenance.generated_at),
    ))
}
