//! A run to step through. All steps are in the page; the script shows one of them.

use std::fmt::Write;

use super::SWIPE;
use super::shared::shared;
use crate::draw;
use crate::error::Result;
use crate::experiment::{Illustration, Step};

/// The section of a run: what is to be seen, the controls, and a frame for each step.
pub(super) fn section(illustration: &Illustration) -> Result<String> {
    let (definitions, frames) = shared(&draw::steps(illustration)?);
    let last = frames.len();
    let mut html = format!(
        "<section id=\"steps\" aria-labelledby=\"steps-heading\">\n\
         <h2 id=\"steps-heading\">One run, step by step</h2>\n{}{}\
         <svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"parts\"><defs>\n{definitions}</defs></svg>\n\
         <figure>\n{SWIPE}<div class=\"frames\">\n",
        explanation(illustration),
        controls(last)
    );
    for (place, frame) in frames.iter().enumerate() {
        let hidden = if place == 0 { "" } else { " hidden" };
        // Writing to a string does not fail.
        let _ = writeln!(html, "<div class=\"frame\"{hidden}>\n{frame}</div>");
    }
    html.push_str("</div>\n<figcaption id=\"captions\" aria-live=\"polite\">\n");
    for (place, step) in illustration.steps.iter().enumerate() {
        let hidden = if place == 0 { "" } else { " hidden" };
        let _ = writeln!(html, "<p class=\"caption\"{hidden}>{}</p>", caption(illustration, step, place + 1));
    }
    html.push_str("</figcaption>\n</figure>\n</section>\n");
    Ok(html)
}

fn explanation(illustration: &Illustration) -> String {
    format!(
        "<ol class=\"panels\">\n\
         <li><strong>Data.</strong> The model f was trained on {} points and is to be tested on {} others. It is unsure \
         where the band is wide. A test point shows its label only once it has been drawn.</li>\n\
         <li><strong>Next draw.</strong> A second model, the surrogate, learns from every label so far and says how large \
         a loss it expects of each point that is left. The larger that is, the larger is q, the probability to be drawn \
         next. The true loss is here for comparison; in practice nobody knows it.</li>\n\
         <li><strong>Estimates.</strong> R̂<sub>LURE</sub> weights each label by its q, so that it is right on average \
         although the draws prefer large losses. R̂<sub>iid</sub> is the plain mean of as many points drawn \
         uniformly.</li>\n</ol>\n",
        illustration.example.train.len(),
        illustration.example.test.len()
    )
}

/// The controls do nothing without the script, which therefore is what shows them.
fn controls(last: usize) -> String {
    format!(
        "<div class=\"controls\" role=\"group\" aria-label=\"step of the run\" hidden>\n\
         <button type=\"button\" id=\"play\">Play</button>\n\
         <button type=\"button\" id=\"previous\" aria-label=\"previous step\">‹</button>\n\
         <input type=\"range\" id=\"step\" min=\"1\" max=\"{last}\" value=\"1\" aria-label=\"step\">\n\
         <button type=\"button\" id=\"next\" aria-label=\"next step\">›</button>\n\
         <span id=\"at\" aria-hidden=\"true\">step 1 of {last}</span>\n</div>\n\
         <noscript><p class=\"note\">Going through the steps needs JavaScript; the first is shown.</p></noscript>\n"
    )
}

fn caption(illustration: &Illustration, step: &Step, m: usize) -> String {
    let x = illustration.example.test.get(step.next).map(|(x, _)| format!(" at x&nbsp;=&nbsp;{x:.2}"));
    let q = step.q.get(step.next).map(|q| format!(" with probability q&nbsp;=&nbsp;{q:.3}"));
    format!(
        "<strong>Step {m}.</strong> {} of {} test points are labelled. The point{} is drawn next{}. With its label, active \
         testing puts the test loss at <b class=\"active\">{:.5}</b>, and uniform sampling, with as many labels, at \
         <b class=\"uniform\">{:.5}</b>. The truth is <b>{:.5}</b>.",
        step.observed.len(),
        illustration.losses.len(),
        x.unwrap_or_default(),
        q.unwrap_or_default(),
        step.active,
        step.uniform,
        illustration.pool_risk
    )
}
