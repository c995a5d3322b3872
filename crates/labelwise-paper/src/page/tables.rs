//! The tables of a page: claims with measurements, Wilcoxon's tests, and the networks that predictions came from.

use maud::{Markup, html};

use crate::claims::{Claim, Verdict};
use crate::ranks::Row;
use crate::workshop::ArchiveNote;

/// The claims of a figure, grouped by experiment; nothing where there are none.
pub(super) fn claims(heading: &str, claims: &[Claim], scale: &str) -> Markup {
    let agreeing = claims.iter().filter(|claim| claim.verdict == Verdict::Agrees).count();
    let mut experiments: Vec<&str> = Vec::new();
    for claim in claims {
        if !experiments.contains(&claim.experiment) {
            experiments.push(claim.experiment);
        }
    }
    let text = html! {
        p {
            (agreeing) " of " (claims.len()) " claims agree with what was measured here."
            @if scale != "paper" {
                " Few runs measure roughly; " code { "--scale paper" } " repeats them as often as the paper does."
            }
        }
    };
    let groups = html! {
        @for experiment in experiments {
            tbody {
                tr.experiment { th colspan="3" scope="rowgroup" { (experiment) } }
                @for claim in claims.iter().filter(|claim| claim.experiment == experiment) { (verdict(claim)) }
            }
        }
    };
    section(heading, &text, &["verdict", "claim", "measured"], &groups, claims.is_empty())
}

fn verdict(claim: &Claim) -> Markup {
    let verdict = claim.verdict.word();
    // A sign next to the word and the colour, for readers who skim.
    let sign = match claim.verdict {
        Verdict::Agrees => "✓",
        Verdict::Differs => "✗",
        Verdict::Undecided => "?",
    };
    html! {
        tr {
            td.(verdict) { span aria-hidden="true" { (sign) } " " (verdict) }
            td { (claim.claim) }
            td { (claim.measured) }
        }
    }
}

/// The table of Wilcoxon's tests; nothing where there is none.
pub(super) fn ranks(rows: &[Row]) -> Markup {
    let text = html! {
        p {
            "The alternative is that the best method of the paper has lower squared errors than the other one in the same \
             runs; at the end, that labelwise’s default has."
        }
    };
    let heads = ["figure", "set", "best method", "other method", "compared", "p-value", "the paper’s"];
    let body = html! {
        tbody {
            @for row in rows {
                tr {
                    td { (row.figure) }
                    td { (row.set) }
                    td { (row.best) }
                    td { (row.other) }
                    td { (row.runs) " runs, step " (row.step) }
                    td { (row.p_value_text()) }
                    td { @if let Some(step) = row.published_step { (row.published_text()) " at step " (step) } }
                }
            }
        }
    };
    section("Wilcoxon’s signed-rank tests", &text, &heads, &body, rows.is_empty())
}

/// The networks that predictions came from; nothing where there are none.
pub(super) fn networks(archives: &[ArchiveNote]) -> Markup {
    let heads = ["archive", "test items", "members", "accuracy", "cross-entropy"];
    let body = html! {
        tbody {
            @for note in archives {
                tr {
                    td { (note.file) }
                    td { (note.items) }
                    td { (note.members) }
                    td { (format_args!("{:.4}", note.accuracy)) }
                    td { (format_args!("{:.4}", note.cross_entropy)) }
                }
            }
        }
    };
    section("The networks", &html! {}, &heads, &body, archives.is_empty())
}

fn section(heading: &str, text: &Markup, heads: &[&str], body: &Markup, is_empty: bool) -> Markup {
    html! {
        @if !is_empty {
            section {
                h2 { (heading) }
                (text)
                table.claims {
                    thead { tr { @for head in heads { th scope="col" { (head) } } } }
                    (body)
                }
            }
        }
    }
}
