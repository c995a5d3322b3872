//! A bar on stderr while something takes its time. It hides itself where stderr is not a terminal, and has no colour.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of so many steps. Drop it, and it is gone from the screen.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar with a word for what is done and one for what is counted.
    pub(crate) fn new(steps: usize, doing: &'static str, counted: &'static str) -> Self {
        let template = format!("{{msg}} [{{bar:32}}] {{human_pos}}/{{human_len}} {counted}, {{eta}} left");
        // The template is ours, and indicatif's own bar does as well should it ever be refused.
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(steps as u64).with_style(style.progress_chars("=> ")).with_message(doing);
        Self(bar)
    }

    /// Something else is done now, and no step of the bar.
    pub(crate) fn says(&self, doing: &str) {
        self.0.set_message(doing.to_owned());
        self.0.tick();
    }

    /// One step is done; threads may say so at once.
    pub(crate) fn step(&self) {
        self.steps(1);
    }

    /// So many steps are done.
    pub(crate) fn steps(&self, count: usize) {
        self.0.inc(count as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A few words on stderr while something takes its time of which no part can be counted.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// Words for what is done. They show after a moment, so that nothing flickers where there was nothing to wait for.
    pub(crate) fn new(doing: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(doing.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    /// Something else is done now.
    pub(crate) fn says(&self, doing: &str) {
        self.0.set_message(doing.to_owned());
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
