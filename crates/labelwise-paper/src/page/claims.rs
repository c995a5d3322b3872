//! Claims beside what was measured.

use super::escaped;
use crate::claims::{Claim, Verdict};

/// The claims of a figure, grouped by experiment; nothing where there are none.
pub(super) fn section(heading: &str, claims: &[Claim], scale: &str) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let agreeing = claims.iter().filter(|claim| claim.verdict == Verdict::Agrees).count();
    let mut experiments: Vec<&str> = Vec::new();
    for claim in claims {
        if !experiments.contains(&claim.experiment) {
            experiments.push(claim.experiment);
        }
    }
    let groups: String = experiments.into_iter().map(|experiment| group(experiment, claims)).collect();
    format!(
        "<section>\n<h2>{heading}</h2>\n<p>{agreeing} of {} claims agree with what was measured here.{}</p>\n\
         <table class=\"claims\">\n<thead><tr><th scope=\"col\">verdict</th><th scope=\"col\">claim</th>\
         <th scope=\"col\">measured</th></tr></thead>\n{groups}</table>\n</section>\n",
        claims.len(),
        advice(scale)
    )
}

fn advice(scale: &str) -> &'static str {
    if scale == "paper" {
        ""
    } else {
        " Few runs measure roughly; <code>--scale paper</code> repeats them as often as the paper does."
    }
}

fn group(experiment: &str, claims: &[Claim]) -> String {
    let rows = claims.iter().filter(|claim| claim.experiment == experiment).map(row);
    format!(
        "<tbody>\n<tr class=\"experiment\"><th colspan=\"3\" scope=\"rowgroup\">{}</th></tr>\n{}</tbody>\n",
        escaped(experiment),
        rows.collect::<String>()
    )
}

fn row(claim: &Claim) -> String {
    // A sign beside the word and the colour, for whoever skims.
    let verdict = claim.verdict.word();
    let sign = match claim.verdict {
        Verdict::Agrees => "✓",
        Verdict::Differs => "✗",
        Verdict::Undecided => "?",
    };
    format!(
        "<tr><td class=\"{verdict}\"><span aria-hidden=\"true\">{sign}</span> {verdict}</td><td>{}</td><td>{}</td></tr>\n",
        escaped(claim.claim),
        escaped(&claim.measured)
    )
}
