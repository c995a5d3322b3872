//! When items are chosen: one after another as labels come in, or all of them before the first label.

use labelwise::design::{Strata, Stratification};
use labelwise::words::thousands;
use labelwise::{Evaluation, Seed};
use serde::{Deserialize, Serialize};

use crate::decide::choices::Choices;
use crate::error::{DesignError, Result};
use crate::spec::named::Named;
use crate::spec::names::DesignName;
use crate::spec::settings::Settings;
use crate::task::StudyTask;
use crate::{Fate, Study};

/// Default maximum number of strata.
pub(crate) const USUAL_STRATA: usize = 10;

/// When items are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// One after another; labels can change the later draws.
    #[default]
    Adaptive,
    /// One-shot: all before the first label, from one proposal.
    OneShot {
        /// Number of items.
        budget: usize,
    },
    /// All before the first label, from strata of the expected loss.
    Stratified {
        /// Number of items.
        budget: usize,
        /// Maximum number of strata. There are fewer if many items have the same expected loss.
        strata: usize,
    },
}

impl Design {
    /// Number of items that can be asked, if it is fixed in advance.
    pub fn budget(&self) -> Option<usize> {
        match self {
            Self::Adaptive => None,
            Self::OneShot { budget } | Self::Stratified { budget, .. } => Some(*budget),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        let name = match self {
            Self::Adaptive => DesignName::Adaptive,
            Self::OneShot { .. } => DesignName::OneShot,
            Self::Stratified { .. } => DesignName::Stratified,
        };
        name.name()
    }

    pub(crate) fn is_adaptive(&self) -> bool {
        *self == Self::Adaptive
    }

    pub(crate) fn is_stratified(&self) -> bool {
        matches!(self, Self::Stratified { .. })
    }
}

/// The choice of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DesignWish {
    /// One item after another.
    #[default]
    Adaptive,
    /// One-shot.
    OneShot {
        /// Number of items.
        budget: usize,
    },
    /// Stratified.
    Stratified {
        /// Number of items.
        budget: usize,
        /// Maximum number of strata. Default: depends on the budget.
        strata: Option<usize>,
    },
}

impl DesignWish {
    /// A design from its name. Numbers that it does not need are refused.
    pub fn new(
        design: DesignName,
        budget: Option<usize>,
        strata: Option<usize>,
    ) -> Result<Self, DesignError> {
        if strata.is_some() && design != DesignName::Stratified {
            return Err(DesignError::StrataUnused { design });
        }
        match (design, budget) {
            (DesignName::Adaptive, None) => Ok(Self::Adaptive),
            (DesignName::Adaptive, Some(_)) => Err(DesignError::BudgetUnused { design }),
            (DesignName::OneShot, Some(budget)) => Ok(Self::OneShot { budget }),
            (DesignName::Stratified, Some(budget)) => Ok(Self::Stratified { budget, strata }),
            (DesignName::OneShot | DesignName::Stratified, None) => Err(DesignError::NoBudget { design }),
        }
    }
}

impl Choices {
    /// The design, if the other choices fit it.
    pub(crate) fn design(&self, size: usize) -> Result<Design, DesignError> {
        let (design, budget) = match self.design {
            DesignWish::Adaptive => return Ok(Design::Adaptive),
            DesignWish::OneShot { budget } => (Design::OneShot { budget }, budget),
            DesignWish::Stratified { strata: Some(0), .. } => return Err(DesignError::NoStrata),
            DesignWish::Stratified { budget, strata } => {
                let strata = strata.unwrap_or(USUAL_STRATA.min(budget / 2).max(1));
                (Design::Stratified { budget, strata }, budget)
            }
        };
        if !(1..=size).contains(&budget) {
            return Err(DesignError::Budget { budget, size });
        }
        if self.retrain.is_some() || self.rescore.is_some() || self.refresh.is_some() {
            return Err(DesignError::NothingAgain);
        }
        if design.is_stratified() && (self.acquisition.is_some() || self.floor.is_some()) {
            return Err(DesignError::NoProposal);
        }
        Ok(design)
    }
}

/// [`Strata`] in the encoding of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptStrata {
    sizes: Vec<usize>,
    /// The stratum of each draw, in draw order.
    turns: Vec<usize>,
}

impl From<&Strata> for KeptStrata {
    fn from(strata: &Strata) -> Self {
        Self { sizes: strata.sizes().to_vec(), turns: strata.turns().to_vec() }
    }
}

impl KeptStrata {
    pub(crate) fn strata(&self) -> Result<Strata> {
        Ok(Strata::new(self.sizes.clone(), self.turns.clone())?)
    }
}

/// The stratified sample of the settings, if the design is stratified.
pub(crate) fn stratification<T: StudyTask>(
    evaluation: &mut Evaluation<T>,
    settings: &Settings,
) -> Result<Option<Stratification<T>>> {
    let Design::Stratified { budget, strata } = settings.design else { return Ok(None) };
    let beliefs = evaluation.beliefs()?.clone();
    let (pool, loss) = (evaluation.pool(), evaluation.loss());
    Ok(Some(Stratification::new(pool, loss, &beliefs, budget, strata, Seed(settings.seed))?))
}

impl Study {
    /// The strata of a stratified design, and the stratum of each draw.
    pub fn strata(&self) -> Result<Option<Strata>> {
        if !self.settings.design.is_stratified() {
            return Ok(None);
        }
        // Such a design has one refresh.
        let refresh = self.journal.last_refresh()?;
        refresh.and_then(|refresh| refresh.origin.strata.as_ref().map(KeptStrata::strata)).transpose()
    }

    /// Number of labels that count: no earlier draw (of the same stratum, if there are strata) waits for its label.
    pub fn counting(&self) -> Result<usize> {
        // In the usual case that the draws that wait are the last ones, the head of the file tells.
        if self.journal.last_wait(self.counts.waiting)? {
            return Ok(self.counts.labels);
        }
        let strata = self.strata()?;
        let turns = strata.as_ref().map_or(&[][..], Strata::turns);
        let mut waits = vec![false; strata.as_ref().map_or(1, |strata| strata.sizes().len())];
        let mut counting = 0;
        for (place, fate) in self.fates()?.iter().enumerate() {
            let Some(waits) = waits.get_mut(turns.get(place).copied().unwrap_or(0)) else { continue };
            *waits |= *fate == Fate::Open;
            counting += usize::from(!*waits && matches!(fate, Fate::Labelled(_)));
        }
        Ok(counting)
    }

    /// The sentence about a design that is fixed in advance.
    pub(crate) fn design_in_words(&self) -> Result<Option<String>> {
        let Some(budget) = self.settings.design.budget().map(thousands) else { return Ok(None) };
        let Some(strata) = self.strata()? else {
            return Ok(Some(format!(
                "all {budget} items are chosen before the first label, from one proposal"
            )));
        };
        let counts = strata.counts();
        let (least, most) = (counts.iter().min(), counts.iter().max());
        let of_each = match (least, most, counts.len()) {
            (Some(least), Some(most), 2..) if least != most => {
                format!(", {least} to {most} items per stratum")
            }
            _ => String::new(),
        };
        let noun = if counts.len() == 1 { "stratum" } else { "strata" };
        Ok(Some(format!(
            "all {budget} items are chosen before the first label, from {} {noun} of the expected loss{of_each}",
            counts.len()
        )))
    }
}
