//! A figure as a page: pictures, a run to step through, claims with measurements. One file that needs nothing else.

mod captions;
mod stepper;
mod tables;

use labelwise_plot::format::capitalised;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::error::Result;
use crate::figure::Figure;
use crate::panel::Drawn;
use crate::problem::Illustration;
use crate::summary::FigureSummary;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("steps.js");
/// The page holds all it needs. Should it ever ask for more, the browser refuses and says so.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page of a figure.
pub(crate) fn page(
    figure: &Figure,
    summary: &FigureSummary,
    pictures: &[Drawn],
    illustration: Option<&Illustration>,
) -> Result<String> {
    let is_of_one_run = summary.experiments.is_empty();
    let stepper = illustration.map(stepper::section).transpose()?;
    let pictures = pictures_section(figure, pictures, is_of_one_run && illustration.is_some());
    let scale = &summary.manifest.scale;
    let title = capitalised(figure.title);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                link rel="icon" href="data:,";
                title { "Figure " (figure.name) ": " (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.figure-name { "Figure " (figure.name) }
                    h1 { (title) }
                    p {
                        "To measure how good a model is, its loss is averaged over test points, and each of them needs a \
                         label. Where labels are expensive, " em { "active testing" } " asks for few: it prefers the points \
                         where a large loss is expected, and weights what it finds such that the estimate is still right on \
                         average. This page repeats an experiment of the paper "
                        cite { "Active Testing: Sample-Efficient Model Evaluation" } " (ICML 2021)."
                    }
                }
                main {
                    // Where nothing was repeated, the run is what there is to see.
                    @if !is_of_one_run { (pictures) }
                    @if let Some(stepper) = stepper { (stepper) }
                    @if is_of_one_run { (pictures) }
                    (tables::ranks(&summary.ranks))
                    (tables::claims("The paper’s claims", &summary.claims, scale))
                    (tables::claims("Beside the authors’ code", &summary.authors_code, scale))
                    (tables::networks(&summary.archives))
                }
                footer { (provenance(summary)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(document.into_string())
}

fn pictures_section(figure: &Figure, pictures: &[Drawn], is_of_one_run: bool) -> Markup {
    html! {
        @if !pictures.is_empty() {
            section {
                h2 { @if is_of_one_run { "The step that the paper shows" } @else { "What was measured" } }
                @for (picture, drawn) in figure.pictures.iter().zip(pictures) {
                    figure {
                        (swipe())
                        div.picture { (PreEscaped(&drawn.svg)) }
                        figcaption { (PreEscaped(picture.caption)) " " (captions::caption(picture)) }
                    }
                }
            }
        }
    }
}

/// Shown above a picture that is wider than a phone.
fn swipe() -> Markup {
    html! { p.swipe { "Swipe to see all panels." } }
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
