//! A figure as a page: pictures, a run to step through, claims beside measurements. One file that needs nothing else.

use std::fmt::Write;

use crate::claims::Claim;
use crate::draw::{self, Drawn};
use crate::error::Result;
use crate::experiment::Illustration;
use crate::figures::Figure;
use crate::summary::FigureSummary;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("steps.js");

/// The page of a figure.
pub(crate) fn page(
    figure: &Figure,
    summary: &FigureSummary,
    pictures: &[Drawn],
    illustration: Option<&Illustration>,
) -> Result<String> {
    let title = format!("Figure {}: {}", figure.name, figure.title);
    let mut body =
        format!("<h1>{}</h1>\n<p class=\"made\">{}</p>\n", escaped(&title), escaped(&provenance(summary)));
    for picture in pictures {
        body.push_str("<figure>");
        body.push_str(&picture.svg);
        body.push_str("</figure>\n");
    }
    if let Some(illustration) = illustration {
        body.push_str(&stepper(illustration)?);
    }
    if !summary.claims.is_empty() {
        body.push_str(&claims(&summary.claims));
    }
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(&title)
    ))
}

fn provenance(summary: &FigureSummary) -> String {
    let manifest = &summary.manifest;
    let runs: Vec<String> = summary
        .experiments
        .iter()
        .map(|experiment| format!("{} of {}", experiment.runs, experiment.name))
        .collect();
    let runs = if runs.is_empty() { "one run".to_owned() } else { format!("runs: {}", runs.join(", ")) };
    format!(
        "labelwise {} (commit {}), seed {}, scale {}, settings of the {}; {runs}.",
        manifest.version, manifest.commit, manifest.seed, manifest.scale, manifest.settings
    )
}

/// A run to step through. All steps are in the page; the script shows one of them.
fn stepper(illustration: &Illustration) -> Result<String> {
    let frames = draw::steps(illustration)?;
    let last = frames.len();
    let mut html = format!(
        "<section id=\"steps\">\n<h2>One run, step by step</h2>\n\
         <p>The model was trained on five points. At each step the surrogate, retrained on every label so far, says how \
         large a loss it expects of each test point; the next point to label is <em>drawn</em> with probability q. \
         Weighted by R̂<sub>LURE</sub>, the few labels give an unbiased estimate of the loss on all test points.</p>\n\
         <div class=\"controls\"><button type=\"button\" id=\"play\">Play</button>\n\
         <input type=\"range\" id=\"step\" min=\"1\" max=\"{last}\" value=\"1\" aria-label=\"step\">\n\
         <output id=\"at\" for=\"step\">step 1 of {last}</output></div>\n\
         <noscript><p>The steps need JavaScript; the first is shown.</p></noscript>\n"
    );
    for (place, (frame, step)) in frames.iter().zip(&illustration.steps).enumerate() {
        let hidden = if place == 0 { "" } else { " hidden" };
        // Writing to a string does not fail.
        let _ = writeln!(
            html,
            "<figure class=\"step\"{hidden}>{frame}<figcaption>Step {}: {} test points are observed, the next is drawn \
             with q = {:.3}. With its label: active {:.5}, uniform {:.5}, truth {:.5}.</figcaption></figure>",
            place + 1,
            step.observed.len(),
            step.q.get(step.next).copied().unwrap_or_default(),
            step.active,
            step.uniform,
            illustration.pool_risk
        );
    }
    html.push_str("</section>\n");
    Ok(html)
}

fn claims(claims: &[Claim]) -> String {
    let rows = claims.iter().map(|claim| {
        let verdict = if claim.agrees { "agrees" } else { "differs" };
        format!(
            "<tr class=\"{verdict}\"><td>{}</td><td>{}</td><td>{}</td><td>{verdict}</td></tr>\n",
            escaped(claim.experiment),
            escaped(claim.claim),
            escaped(&claim.measured)
        )
    });
    format!(
        "<h2>The paper's claims</h2>\n<table>\n<thead><tr><th>experiment</th><th>claim</th><th>measured</th>\
         <th>verdict</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        rows.collect::<String>()
    )
}

/// Text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
