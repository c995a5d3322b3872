//! Classes: probabilities, or right and wrong.

use std::path::Path;

use labelwise::acquisition::MutualInformation;
use labelwise::evaluation::Builder;
use labelwise::ledger::BeliefExpectation;
use labelwise::loss::{Brier, ClassWorths, Decision, Loss, Misjudged, ZeroOne};
use labelwise::surrogate::{Beliefs, Data, Fit, MixtureSums, Surrogate};
use labelwise::{Classification, CrossEntropy, Matrix, Pool};
use labelwise_models::{Blended, Calibrated, Forest, LogisticRegression};

use super::{FIRST_LABELS, StudyTask, once, right_class};
use crate::calibration::Calibration;
use crate::error::{ChoiceError, LabelWanted, Result};
use crate::journal::record::Record;
use crate::journal::row::Row;
use crate::judge::surrogate::{Judging, judging};
use crate::judge::{JudgeChoice, pair};
use crate::questions::classes::Classes;
use crate::recalibration::{self, KeptPriors, Recalibrating};
use crate::spec::metric::LossName;
use crate::spec::names::LearnerName;
use crate::spec::settings::Settings;
use crate::spec::subject::Subject;
use crate::spec::supplied::SuppliedTask;

impl StudyTask for Classification {
    fn label(text: &str, row: &Row, settings: &Settings) -> Result<usize, LabelWanted> {
        match &settings.subject {
            Subject::Classes { names } => {
                if let Some(pair) = settings.judge.as_ref().and_then(|judge| judge.pair.as_ref()) {
                    return pair.label(text, settings.seed, row.draw.index);
                }
                if let Some(group) = settings.judge.as_ref().and_then(|judge| judge.group.as_ref()) {
                    return group.label(text);
                }
                let text = text.trim();
                let find = |text: &str| {
                    let exact = names.iter().position(|name| name == text);
                    exact.or_else(|| names.iter().position(|name| name.trim() == text))
                };
                // Some programs write class 3 as 3.0.
                let class = find(text).or_else(|| text.strip_suffix(".0").and_then(find));
                let open = settings.judge.as_ref().is_some_and(|judge| judge.open);
                match class {
                    Some(class) => Ok(class),
                    None if open => other_class(text, names),
                    None => Err(LabelWanted::Class(names.clone())),
                }
            }
            _ => right_class(text, &row.predicted),
        }
    }

    fn loss(name: LossName, settings: &Settings) -> Option<Box<dyn Loss<Self>>> {
        Some(match name {
            // A cap was checked when it was chosen.
            LossName::CrossEntropy => Box::new(CrossEntropy::with_epsilon(settings.cap).unwrap_or_default()),
            LossName::ZeroOne => match settings.decision() {
                Decision::MostProbable => Box::new(ZeroOne),
                decision => Box::new(Misjudged(decision)),
            },
            LossName::Brier => Box::new(Brier),
            LossName::Rate => {
                let Subject::Classes { names } = &settings.subject else { return None };
                let class = Classes::all(names).positive_class(settings.positive.as_deref())?;
                Box::new(ClassWorths::rate(class, names.len()))
            }
            LossName::PassAny(_) | LossName::PassAll(_) => {
                let group = settings.judge.as_ref().and_then(|judge| judge.group.as_ref())?;
                Box::new(ClassWorths::new(group.worths(name)?).ok()?)
            }
            LossName::Value if !settings.worths.is_empty() => {
                Box::new(ClassWorths::new(settings.worths.clone()).ok()?)
            }
            LossName::Custom => return Self::supplied_loss(&settings.supplied),
            _ => return None,
        })
    }

    fn pool(predictions: Matrix, _settings: &Settings) -> Result<Pool<Self>> {
        Ok(Pool::classification(predictions)?)
    }

    fn given(mut members: Vec<Matrix>, pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        match (members.len(), members.pop()) {
            (1, Some(only)) => Ok(Beliefs::new(only, pool)?),
            (_, last) => {
                members.extend(last);
                Ok(Beliefs::<Self>::from_members(members, pool)?)
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "classes are few")]
    fn nothing(pool: &Pool<Self>) -> Result<Beliefs<Self>> {
        let classes = pool.predictions().columns();
        Ok(Beliefs::new(Matrix::f64(vec![1.0 / classes as f64; classes * pool.pool_size()], classes)?, pool)?)
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "written from a class number")]
    fn train_label(number: f64) -> usize {
        number as usize
    }

    fn learnt(
        learner: LearnerName,
        train: Data<Self>,
        _labels: &[usize],
        settings: &Settings,
    ) -> Result<Box<dyn Surrogate<Self>>> {
        let probabilities = matches!(settings.subject, Subject::Classes { .. });
        Ok(match learner {
            LearnerName::Forest if probabilities => {
                Box::new(Blended::new(once(Calibrated::new(Forest::default()), train)))
            }
            LearnerName::Forest => Box::new(once(Forest::default(), train)),
            LearnerName::Logistic => Box::new(once(LogisticRegression::default(), train)),
            LearnerName::Gp | LearnerName::Linear => {
                return Err(ChoiceError::Learner { learner, task: "classes" }.into());
            }
        })
    }

    fn recalibrating(
        mut experts: Vec<Beliefs<Self>>,
        _fixed: &Beliefs<Self>,
        pool: &Pool<Self>,
        settings: &Settings,
        kept: Option<&KeptPriors>,
        held_out: Option<Calibration>,
    ) -> Result<Option<Recalibrating<Self>>> {
        let name = settings.metric.loss;
        let loss = Self::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        if settings.says_how_sure() {
            experts.push(pool.own_beliefs()?);
        }
        recalibration::of_classes(experts, pool, loss, settings, kept, held_out).map(Some)
    }

    fn beliefs_of_part(
        given: Vec<Matrix>,
        pool: &Pool<Self>,
        settings: &Settings,
        priors: &KeptPriors,
        fit: &Fit,
    ) -> Result<Beliefs<Self>> {
        recalibration::of_part(given, pool, settings, priors, fit)
    }

    fn fit(
        record: &Record,
        path: &Path,
        settings: &Settings,
        priors: &KeptPriors,
        widths: (usize, usize),
    ) -> Result<Option<Fit>> {
        record.fit(path, settings, priors, widths).map(Some)
    }

    fn expectation(
        record: &Record,
        path: &Path,
        settings: &Settings,
        loss: LossName,
        sums: &[MixtureSums],
        complete: usize,
    ) -> Result<Option<BeliefExpectation>> {
        record.expectation(path, settings, loss, sums, complete)
    }

    fn judging(
        choice: &JudgeChoice,
        features: Matrix,
        pool: &Pool<Self>,
        settings: &Settings,
    ) -> Result<Option<Box<dyn Judging<Self>>>> {
        let name = settings.metric.loss;
        if choice.pair.is_some() {
            return pair::judging(choice, &features, || Self::loss(name, settings), pool).map(Some);
        }
        let loss = Self::loss(name, settings).ok_or_else(|| ChoiceError::metric(name, settings))?;
        judging::<Self>(choice, features, choice.scale.clone(), loss, pool).map(Some)
    }

    fn by_information(builder: Builder<Self>) -> Result<Builder<Self>> {
        Ok(builder.acquisition(MutualInformation))
    }

    fn class_of(label: &usize) -> Option<usize> {
        Some(*label)
    }

    fn enough(labels: &[usize]) -> bool {
        labels.len() >= FIRST_LABELS && labels.iter().any(|label| Some(label) != labels.first())
    }
}

/// The class of a label that is not named: the first, which stands for everything except the positive class.
fn other_class(text: &str, names: &[String]) -> Result<usize, LabelWanted> {
    let positive = names.last().map_or("", String::as_str);
    right_class(text, positive).map(|_| 0)
}
