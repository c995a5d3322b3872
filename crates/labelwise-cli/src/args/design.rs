//! Options that decide when items are chosen.

use clap::ValueEnum;
use labelwise_store::DesignWish;

use super::parse::whole;

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

/// Design options that do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsettled {
    /// A one-shot or stratified design without a budget.
    #[error(
        "--design {design} chooses all items before the first label, so it must know how many: give --budget, such as \
         --budget 200"
    )]
    DesignWithoutBudget {
        /// The design.
        design: &'static str,
    },
    /// A budget for an adaptive design.
    #[error(
        "--budget settles how many items are chosen beforehand: give --design one-shot or --design stratified with it, or \
         leave it out and ask for as many as you like"
    )]
    BudgetWithoutDesign,
    /// Strata for a design that has none.
    #[error("--strata is for a stratified design: give --design stratified with it, or leave it out")]
    StrataWithoutDesign,
}

impl DesignOptions {
    /// The design that the options describe.
    pub(crate) fn wish(&self) -> Result<DesignWish, Unsettled> {
        if self.strata.is_some() && self.design != DesignName::Stratified {
            return Err(Unsettled::StrataWithoutDesign);
        }
        let strata = self.strata;
        match (self.design, self.budget) {
            (DesignName::Adaptive, None) => Ok(DesignWish::Adaptive),
            (DesignName::Adaptive, Some(_)) => Err(Unsettled::BudgetWithoutDesign),
            (DesignName::OneShot, Some(budget)) => Ok(DesignWish::OneShot { budget }),
            (DesignName::Stratified, Some(budget)) => Ok(DesignWish::Stratified { budget, strata }),
            (DesignName::OneShot, None) => Err(Unsettled::DesignWithoutBudget { design: "one-shot" }),
            (DesignName::Stratified, None) => Err(Unsettled::DesignWithoutBudget { design: "stratified" }),
        }
    }
}
