//! A figure as a page: pictures, a run to step through, claims beside measurements. One file that needs nothing else.

mod captions;
mod claims;
mod networks;
mod ranks;
mod shared;
mod stepper;

use crate::draw::Drawn;
use crate::error::Result;
use crate::experiment::Illustration;
use crate::figures::Figure;
use crate::summary::FigureSummary;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("steps.js");
/// The page holds all it needs. Should it ever ask for more, the browser refuses and says so.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

const INTRODUCTION: &str = "To measure how good a model is, its loss is averaged over test points, and each of them \
    needs a label. Where labels are expensive, <em>active testing</em> asks for few: it prefers the points where a large \
    loss is expected, and weights what it finds such that the estimate is still right on average. This page repeats an \
    experiment of the paper <cite>Active Testing: Sample-Efficient Model Evaluation</cite> (ICML 2021).";

/// Shown above a picture that is wider than a phone.
const SWIPE: &str = "<p class=\"swipe\">Swipe to see all panels.</p>\n";

/// The page of a figure.
pub(crate) fn page(
    figure: &Figure,
    summary: &FigureSummary,
    pictures: &[Drawn],
    illustration: Option<&Illustration>,
) -> Result<String> {
    let stepper = illustration.map(stepper::section).transpose()?.unwrap_or_default();
    let pictures =
        pictures_section(figure, pictures, summary.experiments.is_empty() && illustration.is_some());
    let scale = &summary.manifest.scale;
    let claims = claims::section("The paper’s claims", &summary.claims, scale)
        + &claims::section("Beside the authors’ code", &summary.authors_code, scale);
    // Where nothing was repeated, the run is what there is to see.
    let (first, second) =
        if summary.experiments.is_empty() { (stepper, pictures) } else { (pictures, stepper) };
    let ranks = ranks::section(&summary.ranks);
    let networks = networks::section(&summary.archives);
    let (name, title) = (escaped(figure.name), escaped(&capitalised(figure.title)));
    let provenance = escaped(&provenance(summary));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>Figure {name}: {title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"figure-name\">Figure {name}</p>\n<h1>{title}</h1>\n<p>{INTRODUCTION}</p>\n</header>\n\
         <main>\n{first}{second}{ranks}{claims}{networks}</main>\n<footer>{provenance}</footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    ))
}

fn pictures_section(figure: &Figure, pictures: &[Drawn], is_of_one_run: bool) -> String {
    if pictures.is_empty() {
        return String::new();
    }
    let heading = if is_of_one_run { "The step that the paper shows" } else { "What was measured" };
    let mut html = format!("<section>\n<h2>{heading}</h2>\n");
    for (picture, drawn) in figure.pictures.iter().zip(pictures) {
        html.push_str(&format!("<figure>\n{SWIPE}<div class=\"picture\">\n"));
        html.push_str(&drawn.svg);
        html.push_str(&format!(
            "</div>\n<figcaption>{} {}</figcaption>\n</figure>\n",
            picture.caption,
            captions::caption(picture)
        ));
    }
    html.push_str("</section>\n");
    html
}

fn provenance(summary: &FigureSummary) -> String {
    let manifest = &summary.manifest;
    let runs = summary.experiments.iter();
    let runs: Vec<String> =
        runs.map(|experiment| format!("{} of {}", experiment.runs, experiment.name)).collect();
    let runs = if runs.is_empty() { "One run".to_owned() } else { format!("Runs: {}", runs.join(", ")) };
    format!(
        "Made by labelwise {} (commit {}), seed {}, scale {}, settings {}. {runs}.",
        manifest.version,
        manifest.commit,
        manifest.seed,
        manifest.scale,
        if manifest.settings == "text" { "of the paper’s text" } else { "of the released code" }
    )
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
