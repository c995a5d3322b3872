//! Options that decide when items are chosen.

use labelwise_study::{DesignError, DesignName, DesignWish};

use super::parse::{named, whole};

/// When items are chosen.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "When items are chosen")]
pub(crate) struct DesignOptions {
    /// Design. If all items must go to the labeller at once, choose one-shot or stratified
    #[arg(long, value_name = "DESIGN", default_value = "adaptive", value_parser = named::<DesignName>())]
    design: DesignName,
    /// Number of items that a one-shot or stratified design chooses
    #[arg(long, value_name = "LABELS", value_parser = whole::<usize>)]
    budget: Option<usize>,
    /// Maximum number of strata of a stratified design [default: 10, or half of a smaller budget]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<usize>)]
    strata: Option<usize>,
}

impl DesignOptions {
    /// The design that the options describe.
    pub(crate) fn wish(&self) -> Result<DesignWish, DesignError> {
        DesignWish::new(self.design, self.budget, self.strata)
    }
}
