//! A run to step through. All steps are in the page; the script shows one of them.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

use super::swipe;
use crate::error::Result;
use crate::panel;
use crate::problem::{Illustration, Step};

/// Shorter elements of frames are not worth a reference.
const LEAST: usize = 300;

/// The section of a run: what is to be seen, the controls, and a frame for each step.
pub(super) fn section(illustration: &Illustration) -> Result<Markup> {
    let (definitions, frames) = shared(&panel::steps(illustration)?);
    Ok(html! {
        section #steps aria-labelledby="steps-heading" {
            h2 #steps-heading { "One run, step by step" }
            (explanation(illustration))
            (controls(frames.len()))
            svg.parts width="0" height="0" aria-hidden="true" { defs { (PreEscaped(definitions)) } }
            figure {
                (swipe())
                div.frames {
                    @for (place, frame) in frames.iter().enumerate() {
                        div.frame hidden[place > 0] { (PreEscaped(frame)) }
                    }
                }
                figcaption #captions aria-live="polite" {
                    @for (place, step) in illustration.steps.iter().enumerate() {
                        p.caption hidden[place > 0] { (caption(illustration, step, place + 1)) }
                    }
                }
            }
        }
    })
}

fn explanation(illustration: &Illustration) -> Markup {
    let (train, test) = (illustration.example.train.len(), illustration.example.test.len());
    html! {
        ol.panels {
            li {
                strong { "Data." } " The model f was trained on " (train) " points and is to be tested on " (test) " others. It \
                 is unsure where the band is wide. A test point shows its label only once it has been drawn."
            }
            li {
                strong { "Next draw." } " A second model, the surrogate, learns from every label so far and says how large a \
                 loss it expects of each point that is left. The larger that is, the larger is q, the probability to be drawn \
                 next. The true loss is here for comparison; in practice nobody knows it."
            }
            li {
                strong { "Estimates." } " R̂" sub { "LURE" } " weights each label by its q, so that it is right on average \
                 although the draws prefer large losses. R̂" sub { "iid" } " is the plain mean of as many points drawn \
                 uniformly."
            }
        }
    }
}

/// The controls do nothing without the script, which therefore is what shows them.
fn controls(last: usize) -> Markup {
    html! {
        div.controls role="group" aria-label="step of the run" hidden {
            button #play type="button" { "Play" }
            button #previous type="button" aria-label="previous step" { "‹" }
            input #step type="range" min="1" max=(last) value="1" aria-label="step";
            button #next type="button" aria-label="next step" { "›" }
            span #at aria-hidden="true" { "step 1 of " (last) }
        }
        noscript { p.note { "Going through the steps needs JavaScript; the first is shown." } }
    }
}

fn caption(illustration: &Illustration, step: &Step, m: usize) -> Markup {
    let loss = |value: f64| format!("{value:.5}");
    html! {
        strong { "Step " (m) "." } " " (step.observed.len()) " of " (illustration.losses.len()) " test points are labelled. The \
         point"
        @if let Some((x, _)) = illustration.example.test.get(step.next) { (format!(" at x\u{a0}=\u{a0}{x:.2}")) }
        " is drawn next"
        @if let Some(q) = step.q.get(step.next) { (format!(" with probability q\u{a0}=\u{a0}{q:.3}")) }
        ". With its label, active testing puts the test loss at " b.active { (loss(step.active)) } ", and uniform sampling, with \
         as many labels, at " b.uniform { (loss(step.uniform)) } ". The truth is " b { (loss(illustration.pool_risk)) } "."
    }
}

/// The frames with their long common elements replaced by references, after the definitions of those.
///
/// An SVG has one element a line, and one path draws all marks of a kind, so that equal lines are equal drawings.
fn shared(frames: &[String]) -> (String, Vec<String>) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for line in frames.iter().flat_map(|frame| frame.lines()).filter(|line| is_worthwhile(line)) {
        *times.entry(line).or_default() += 1;
    }
    let common = times.into_iter().filter(|(_, times)| *times > 1).map(|(line, _)| line);
    let places: BTreeMap<&str, usize> = common.zip(1..).collect();
    let definitions: String = places
        .iter()
        .map(|(line, place)| line.replacen("<path ", &format!("<path id=\"part-{place}\" "), 1) + "\n")
        .collect();
    let referring = |line: &str| match places.get(line) {
        Some(place) => format!("<use href=\"#part-{place}\"/>\n"),
        None => format!("{line}\n"),
    };
    let frames = frames.iter().map(|frame| frame.lines().map(referring).collect()).collect();
    (definitions, frames)
}

fn is_worthwhile(line: &str) -> bool {
    line.len() >= LEAST && line.starts_with("<path ") && line.ends_with("/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_of_two_frames_are_kept_once_and_everything_else_stays() {
        let path = |d: &str| format!("<path d=\"{}\"/>", d.repeat(LEAST));
        let (both, first, second) = (path("M"), path("L"), path("Z"));
        let frames = [
            format!("<svg>\n{both}\n{first}\n<path d=\"M\"/>\n</svg>\n"),
            format!("<svg>\n{both}\n{second}\n<path d=\"M\"/>\n</svg>\n"),
        ];
        let (definitions, frames) = shared(&frames);
        assert_eq!(definitions, format!("{}\n", both.replace("<path ", "<path id=\"part-1\" ")));
        let reference = "<use href=\"#part-1\"/>";
        let expected =
            [first, second].map(|own| format!("<svg>\n{reference}\n{own}\n<path d=\"M\"/>\n</svg>\n"));
        assert_eq!(frames, expected);
    }
}
