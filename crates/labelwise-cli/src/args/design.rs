//! Options that decide when items are chosen.

use clap::ValueEnum;
use labelwise_study::DesignWish;

use super::parse::whole;
use crate::error::UsageError;

/// When items are chosen.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "When items are chosen")]
pub(crate) struct DesignOptions {
    /// adaptive: items are chosen one after another, as labels arrive. If all items must go to the labeller
    /// at once: one-shot, or stratified (a sample from strata of the expected loss)
    #[arg(long, value_name = "DESIGN", default_value = "adaptive", hide_possible_values = true)]
    design: DesignName,
    /// Number of items that a one-shot or stratified design chooses
    #[arg(long, value_name = "LABELS", value_parser = whole::<usize>)]
    budget: Option<usize>,
    /// Maximum number of strata of a stratified design [default: 10, or half of a smaller budget]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<usize>)]
    strata: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DesignName {
    Adaptive,
    OneShot,
    Stratified,
}

impl DesignOptions {
    /// The design that the options describe.
    pub(crate) fn wish(&self) -> Result<DesignWish, UsageError> {
        if self.strata.is_some() && self.design != DesignName::Stratified {
            return Err(UsageError::StrataWithoutDesign);
        }
        let strata = self.strata;
        match (self.design, self.budget) {
            (DesignName::Adaptive, None) => Ok(DesignWish::Adaptive),
            (DesignName::Adaptive, Some(_)) => Err(UsageError::BudgetWithoutDesign),
            (DesignName::OneShot, Some(budget)) => Ok(DesignWish::OneShot { budget }),
            (DesignName::Stratified, Some(budget)) => Ok(DesignWish::Stratified { budget, strata }),
            (DesignName::OneShot, None) => Err(UsageError::DesignWithoutBudget { design: "one-shot" }),
            (DesignName::Stratified, None) => Err(UsageError::DesignWithoutBudget { design: "stratified" }),
        }
    }
}
