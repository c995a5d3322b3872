//! Recipes, and whether the surrogate's beliefs are recalibrated.

use labelwise_pool::PoolTable;

use crate::calibration;
use crate::decide::choices::Choices;
use crate::decide::targets::MadeFor;
use crate::error::{ChoiceError, Result};
use crate::judge::surrogate::refresh_times as refresh_times_of_judges;
use crate::recalibration::refresh_times;
use crate::spec::design::Design;
use crate::spec::metric::LossName;
use crate::spec::names::{AcquisitionName, BeliefName, RecipeName};
use crate::spec::settings::{FloorChoice, SurrogateChoice, Times};
use crate::spec::subject::Subject;

impl RecipeName {
    pub(super) fn belief(self) -> Option<BeliefName> {
        match self {
            Self::Labelwise => None,
            Self::RootMeanSquare | Self::Paper => Some(BeliefName::AsGiven),
        }
    }

    pub(super) fn acquisition(self) -> Option<AcquisitionName> {
        match self {
            Self::Labelwise | Self::RootMeanSquare => None,
            Self::Paper => Some(AcquisitionName::ExpectedLoss),
        }
    }

    pub(super) fn floor(self) -> Option<FloorChoice> {
        (self == Self::Paper).then_some(FloorChoice::PAPER)
    }

    pub(super) fn rescore(self) -> Option<Times> {
        (self == Self::Paper).then_some(Times::Every(1))
    }
}

impl Choices {
    /// When the belief of judges follows the labels; `None` if what they say is used as given.
    pub(super) fn judged_refreshes(
        &self,
        table: &PoolTable,
        made_for: &MadeFor,
        design: &Design,
        decisions: &mut Vec<String>,
    ) -> Option<Times> {
        let wish = self.belief.or(self.recipe.belief());
        if wish == Some(BeliefName::AsGiven) || made_for.acquisition.is_some() || design.is_stratified() {
            return None;
        }
        if *design != Design::Adaptive {
            return Some(Times::Never);
        }
        decisions.push(
            "the labels teach the belief how far to trust it, after 10, 20, 35, 50, ... of them".to_owned(),
        );
        Some(self.refresh.clone().unwrap_or_else(|| refresh_times_of_judges(table.rows())))
    }

    /// When labels recalibrate the beliefs; `None` if these are used as given.
    pub(super) fn recalibrated(
        &self,
        table: &PoolTable,
        surrogate: &SurrogateChoice,
        made_for: &MadeFor,
        design: &Design,
        (subject, loss): (&Subject, LossName),
        decisions: &mut Vec<String>,
    ) -> Result<Option<Times>> {
        let numbers = *subject == Subject::Values && loss == LossName::SquaredError;
        let beliefs = matches!(
            (surrogate, subject),
            (SurrogateChoice::Own | SurrogateChoice::Given { .. }, Subject::Classes { .. })
                | (SurrogateChoice::Given { .. }, Subject::Hard)
        ) || numbers
            && matches!(surrogate, SurrogateChoice::Own | SurrogateChoice::Given { .. });
        let own_loss = self.supplied.loss.is_none();
        let mean = made_for.acquisition.is_none() && table.rivals.is_none() && own_loss;
        // The members of an ensemble are not a belief that a temperature could be of.
        let members = self.acquisition == Some(AcquisitionName::MutualInformation);
        let possible = beliefs && mean && !members && !design.is_stratified();
        let wish = self.belief.or(self.recipe.belief());
        let used = possible && wish != Some(BeliefName::AsGiven);
        if self.belief == Some(BeliefName::Recalibrated) && !possible {
            return Err(ChoiceError::NotRecalibrated.into());
        }
        // Labels teach intervals about numbers, and nothing that a proposal would follow.
        if self.refresh.is_some() && (!used || numbers) {
            return Err(ChoiceError::RefreshUnused.into());
        }
        if self.calibration.is_some() && (!used || numbers) {
            return Err(ChoiceError::CalibrationUnused.into());
        }
        if !used {
            return Ok(None);
        }
        if numbers {
            return Ok(Some(Times::Never));
        }
        let times = match design {
            Design::Adaptive => self.refresh.clone().unwrap_or_else(|| refresh_times(table.rows())),
            Design::OneShot { .. } | Design::Stratified { .. } => Times::Never,
        };
        if self.refresh.is_none() {
            let when = match design {
                Design::Adaptive => " after 10, 20, 50, 100, ... of them",
                _ => ", for intervals only",
            };
            decisions.push(format!("the surrogate's beliefs are recalibrated by the labels{when}"));
        }
        decisions.extend(self.calibration.iter().map(calibration::in_words));
        Ok(Some(times))
    }
}
