//! Which surrogate a new evaluation has.

use labelwise_pool::PoolTable;

use crate::decide::choices::{Choices, SurrogateWish};
use crate::error::{ChoiceError, CompareError, Result};
use crate::spec::design::DesignWish;
use crate::spec::names::{AcquisitionName, LearnerName};
use crate::spec::settings::{SurrogateChoice, Times};
use crate::spec::subject::Subject;
use crate::task::FIRST_LABELS;

/// Labels between two refits of a surrogate that learns.
const REFIT_EVERY: usize = 25;

impl Choices {
    /// The surrogate of a comparison: the given predictions, or the mean of the models.
    pub(super) fn rivals_surrogate(
        &self,
        table: &PoolTable,
        subject: &Subject,
        decisions: &mut Vec<String>,
    ) -> Result<SurrogateChoice> {
        if self.retrain.is_some() || self.train.is_some() {
            return Err(CompareError::Learns.into());
        }
        if self.acquisition == Some(AcquisitionName::ExpectedLoss) {
            return Err(CompareError::Expectation.into());
        }
        let wish = self.surrogate.unwrap_or_else(|| {
            if table.surrogates.is_empty() {
                decisions.push("surrogate: the mean of the models".to_owned());
                SurrogateWish::Own
            } else {
                decisions.push("surrogate: the given predictions".to_owned());
                SurrogateWish::Given
            }
        });
        match wish {
            SurrogateWish::Own => Ok(SurrogateChoice::Own),
            SurrogateWish::Nothing => Ok(SurrogateChoice::Nothing),
            SurrogateWish::Learnt(_) => Err(CompareError::Learns.into()),
            SurrogateWish::Given if table.surrogates.is_empty() => Err(ChoiceError::NothingGiven.into()),
            SurrogateWish::Given if *subject == Subject::Hard => Err(CompareError::GivenHard.into()),
            SurrogateWish::Given => Ok(SurrogateChoice::Given { members: table.surrogates.len() }),
        }
    }

    /// Whether a learner would have labels: training rows, or labels of earlier draws.
    fn may_learn(&self) -> bool {
        self.design == DesignWish::Adaptive || self.train.is_some()
    }

    /// The surrogate of one model.
    pub(super) fn surrogate(
        &self,
        table: &PoolTable,
        subject: &Subject,
        variances: bool,
        decisions: &mut Vec<String>,
    ) -> Result<SurrogateChoice> {
        if self.supplied.surrogate.is_some() {
            let retrain = self.retrain.clone().unwrap_or(Times::Every(REFIT_EVERY));
            return Ok(SurrogateChoice::Supplied { retrain, train: self.supplied.train().len() });
        }
        let classes = matches!(subject, Subject::Classes { .. });
        let learns = matches!(self.surrogate, Some(SurrogateWish::Learnt(_)))
            || self.surrogate.is_none()
                && table.surrogates.is_empty()
                && table.features.is_some()
                && self.may_learn();
        if self.retrain.is_some() && !learns {
            return Err(ChoiceError::RetrainUnused.into());
        }
        let own = classes || variances || *subject == Subject::Scores;
        let wish = self.surrogate.unwrap_or_else(|| {
            // The paper's advice: a surrogate other than the model is what makes its draws reliable.
            let (wish, words) = if !table.surrogates.is_empty() {
                (SurrogateWish::Given, "the given predictions")
            } else if table.features.is_some() && *subject != Subject::Scores && self.may_learn() {
                (SurrogateWish::Learnt(LearnerName::Forest), "a random forest on the features")
            } else if own {
                let words = "the model itself, a last resort: another model's predictions would do better";
                (SurrogateWish::Own, words)
            } else {
                let words = "none, because the pool says nothing about where the model is wrong";
                (SurrogateWish::Nothing, words)
            };
            decisions.push(format!("surrogate: {words}"));
            wish
        });
        match wish {
            SurrogateWish::Own if own => Ok(SurrogateChoice::Own),
            SurrogateWish::Own => Err(ChoiceError::NoOwnBeliefs { predictions: subject.in_words() }.into()),
            SurrogateWish::Given if table.surrogates.is_empty() => Err(ChoiceError::NothingGiven.into()),
            SurrogateWish::Given => Ok(SurrogateChoice::Given { members: table.surrogates.len() }),
            SurrogateWish::Nothing => Ok(SurrogateChoice::Nothing),
            SurrogateWish::Learnt(learner) => {
                if table.features.is_none() || *subject == Subject::Scores {
                    return Err(ChoiceError::NoFeatures { learner }.into());
                }
                let fits = match learner {
                    LearnerName::Forest => true,
                    LearnerName::Logistic => classes || *subject == Subject::Hard,
                    LearnerName::Gp | LearnerName::Linear => *subject == Subject::Values,
                };
                if !fits {
                    let task = if *subject == Subject::Values { "numbers" } else { "classes" };
                    return Err(ChoiceError::Learner { learner, task }.into());
                }
                let retrain = self.retrain.clone().unwrap_or_else(|| {
                    if self.design != DesignWish::Adaptive {
                        return Times::Never;
                    }
                    decisions.push(format!("the surrogate is retrained after every {REFIT_EVERY} labels"));
                    Times::Every(REFIT_EVERY)
                });
                let train = self.train.as_ref().map_or(0, PoolTable::rows);
                let last = match &retrain {
                    Times::Every(_) => usize::MAX,
                    Times::At(list) => list.iter().copied().max().unwrap_or(0),
                    Times::Never => 0,
                };
                if train.saturating_add(last) < FIRST_LABELS {
                    return Err(ChoiceError::NeverLearns { learner, needed: FIRST_LABELS }.into());
                }
                Ok(SurrogateChoice::Learnt { learner, retrain, train })
            }
        }
    }
}
