//! Progress bars on stderr. They are hidden if stderr is not a terminal, and have no colour.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use labelwise_study::elsewhere::Step;

/// A progress bar. Dropping it removes it from the screen.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar with a word for the activity and one for the steps.
    pub(crate) fn new(steps: usize, doing: &'static str, counted: &'static str) -> Self {
        let template = format!("{{msg}} [{{bar:32}}] {{human_pos}}/{{human_len}} {counted}, {{eta}} left");
        // The template is a constant; if indicatif refused it, its default would do.
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(steps as u64).with_style(style.progress_chars("=> ")).with_message(doing);
        Self(bar)
    }

    /// Changes the word for the activity.
    pub(crate) fn says(&self, doing: &str) {
        self.0.set_message(doing.to_owned());
        self.0.tick();
    }

    pub(crate) fn step(&self) {
        self.steps(1);
    }

    pub(crate) fn steps(&self, count: usize) {
        self.0.inc(count as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The passes over a pool in parts, as bars one after the other.
pub(crate) struct Passes(Mutex<Option<(Step, Progress)>>);

impl Passes {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The number of parts of a pass that are done.
    pub(crate) fn says(&self, step: Step, done: usize, parts: usize) {
        // A thread that failed while it drew a bar changes nothing.
        let mut bar = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bar.as_ref().is_none_or(|(now, _)| *now != step) {
            let doing = match step {
                Step::Sampling => "sampling",
                Step::Drawing => "scoring and drawing",
                Step::Carrying => "reading passthrough columns",
            };
            *bar = Some((step, Progress::new(parts, doing, "parts")));
        }
        if let Some((_, progress)) = &*bar {
            progress.0.set_position(done as u64);
        }
    }
}

/// Words on stderr during work that has no steps to count.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// The words appear after 120 ms, so that short work does not flicker.
    pub(crate) fn new(doing: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::new_spinner().with_style(style).with_message(doing.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    /// Changes the words.
    pub(crate) fn says(&self, doing: &str) {
        self.0.set_message(doing.to_owned());
    }

    /// Does something that writes on the screen.
    pub(crate) fn hidden_while<R>(&self, work: impl FnOnce() -> R) -> R {
        self.0.suspend(work)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
