//! When items are chosen, as options.

use clap::ValueEnum;
use labelwise_store::DesignWish;

use super::parse::whole;

/// When items are chosen.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "When items are chosen")]
pub(crate) struct DesignOptions {
    /// adaptive: one after another, as labels come in. For those who cannot go back and forth with the labeller:
    /// one-shot, all at once; or stratified, all at once from strata of the expected loss
    #[arg(long, value_name = "DESIGN", default_value = "adaptive", hide_possible_values = true)]
    design: DesignName,
    /// How many items a one-shot or stratified design chooses
    #[arg(long, value_name = "LABELS", value_parser = whole::<usize>)]
    budget: Option<usize>,
    /// The most strata of a stratified design [default: 10, or half of a smaller budget]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<usize>)]
    strata: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DesignName {
    Adaptive,
    OneShot,
    Stratified,
}

/// Why a design is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsettled {
    /// How many items is not said.
    #[error(
        "--design {design} chooses all items before the first label, so it must know how many: give --budget, such as \
         --budget 200"
    )]
    DesignWithoutBudget {
        /// The design.
        design: &'static str,
    },
    /// How many items is said, but not what for.
    #[error(
        "--budget settles how many items are chosen beforehand: give --design one-shot or --design stratified with it, or \
         leave it out and ask for as many as you like"
    )]
    BudgetWithoutDesign,
    /// Strata of another design.
    #[error("--strata is for a stratified design: give --design stratified with it, or leave it out")]
    StrataWithoutDesign,
}

impl DesignOptions {
    /// What was asked for.
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
