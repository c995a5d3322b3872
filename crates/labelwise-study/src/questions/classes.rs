//! Classes by their names: those of the predictions, or, if they have no probabilities, those seen so far.

use labelwise::loss::Decision;
use labelwise::metric::ClassMetric;

use crate::error::MetricError;
use crate::spec::measurable::{Average, Score, ScoreName};
use crate::task::same_class;

/// Names that make a class positive by default.
const POSITIVE: [&str; 5] = ["1", "true", "yes", "positive", "pos"];

/// A metric of one class, or of several.
type Make = fn(usize) -> ClassMetric;

/// The classes of an evaluation.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Classes {
    names: Vec<String>,
    /// How probabilities become one of them.
    pub(crate) decision: Decision,
    /// Whether more classes can appear: then an unknown class is not an error.
    open: bool,
}

impl Classes {
    /// All classes.
    pub(crate) fn all(names: &[String]) -> Self {
        Self { names: names.to_vec(), open: false, decision: Decision::MostProbable }
    }

    /// Those seen so far.
    pub(crate) fn seen() -> Self {
        Self { names: Vec::new(), open: true, decision: Decision::MostProbable }
    }

    /// The same classes, predicted by another decision.
    pub(crate) fn deciding(self, decision: Decision) -> Self {
        Self { decision, ..self }
    }

    pub(crate) fn name(&self, class: usize) -> String {
        self.names.get(class).cloned().unwrap_or_else(|| format!("class {class}"))
    }

    /// The number of a class; an unknown class gets a new one.
    pub(crate) fn number(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.trim().to_owned());
            self.names.len() - 1
        })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The number of a class that is known.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let exact = self.names.iter().position(|known| known.trim() == name.trim());
        exact.or_else(|| self.names.iter().position(|known| same_class(known, name)))
    }

    /// The positive class: the named one, or, of two classes, the one with a positive name.
    pub(crate) fn positive(&mut self, named: Option<&str>, score: &Score) -> Result<usize, MetricError> {
        if let Some(class) = named {
            return match self.find(class) {
                Some(found) => Ok(found),
                None if self.open => Ok(self.number(class)),
                None => {
                    Err(MetricError::UnknownPositive { class: class.to_owned(), classes: self.names.clone() })
                }
            };
        }
        self.by_name().ok_or_else(|| MetricError::NoPositive {
            score: score.name.clone(),
            classes: self.names.clone(),
            averages: score.is_ratio(),
        })
    }

    /// The positive class of two by its name.
    fn by_name(&self) -> Option<usize> {
        let says_so = |name: &String| POSITIVE.contains(&name.trim().to_ascii_lowercase().as_str());
        self.names.iter().position(says_so).filter(|_| self.names.len() <= 2)
    }

    /// The positive class, if there is one: the named one, or the one with a positive name.
    pub(crate) fn positive_class(&self, named: Option<&str>) -> Option<usize> {
        named.map_or_else(|| self.by_name(), |class| self.find(class))
    }

    /// Whether there is a positive class.
    pub(crate) fn has_positive(&mut self, named: Option<&str>) -> bool {
        let score = Score { name: String::new(), score: ScoreName::F1(Average::Positive), negative: false };
        self.positive(named, &score).is_ok()
    }

    /// The ratios that a mean over classes is the mean of.
    pub(crate) fn of_each(&self, score: &Score) -> Vec<ClassMetric> {
        let make: Make = match score.score {
            ScoreName::Precision(_) => |class| ClassMetric::Precision { class },
            ScoreName::Recall(_) => |class| ClassMetric::Recall { class },
            ScoreName::F1(_) => |class| ClassMetric::F1 { class },
            _ => return Vec::new(),
        };
        (0..self.names.len()).map(make).collect()
    }

    /// The core's metrics for a score of classes, with their classes. Calibration has none.
    pub(crate) fn metrics(
        &mut self,
        score: &Score,
        positive: Option<&str>,
    ) -> Result<Vec<(ClassMetric, Option<usize>)>, MetricError> {
        let of_positive = |classes: &mut Self, metric: &dyn Fn(usize) -> ClassMetric| {
            let class = classes.positive(positive, score)?;
            Ok(vec![(metric(class), Some(class))])
        };
        let (average, one, mean): (Average, Make, Make) = match score.score {
            ScoreName::AveragePrecision => {
                return of_positive(self, &|class| ClassMetric::AveragePrecision { class });
            }
            ScoreName::PrecisionAtRecall(recall) => {
                let recall = recall.value();
                return of_positive(self, &|class| ClassMetric::PrecisionAtRecall { class, recall });
            }
            ScoreName::RecallAtPrecision(precision) => {
                let precision = precision.value();
                return of_positive(self, &|class| ClassMetric::RecallAtPrecision { class, precision });
            }
            ScoreName::Precision(average) => (
                average,
                |class| ClassMetric::Precision { class },
                |classes| ClassMetric::MacroPrecision { classes },
            ),
            ScoreName::Recall(average) => (
                average,
                |class| ClassMetric::Recall { class },
                |classes| ClassMetric::MacroRecall { classes },
            ),
            ScoreName::F1(average) => {
                (average, |class| ClassMetric::F1 { class }, |classes| ClassMetric::MacroF1 { classes })
            }
            ScoreName::RocAuc => {
                let auc = |class| ClassMetric::Auc { class };
                (Average::Positive, auc, auc)
            }
            ScoreName::Matthews => {
                let matthews = |classes| ClassMetric::Matthews { classes };
                (Average::Macro, matthews, matthews)
            }
            ScoreName::Kappa => {
                let kappa = |classes| ClassMetric::Kappa { classes };
                (Average::Macro, kappa, kappa)
            }
            ScoreName::WeightedKappa => {
                let kappa = |classes| ClassMetric::WeightedKappa { classes };
                (Average::Macro, kappa, kappa)
            }
            ScoreName::Specificity => {
                let class = self.positive(positive, score)?;
                // Of two classes, it is the recall of the other one.
                let other = (0..2).find(|other| *other != class).filter(|_| self.names.len() <= 2);
                let other = other.ok_or_else(|| MetricError::TwoClasses { metric: score.name.clone() })?;
                return Ok(vec![(ClassMetric::Recall { class: other }, Some(class))]);
            }
            ScoreName::Calibration | ScoreName::RootMeanSquaredError | ScoreName::RSquared => {
                return Ok(Vec::new());
            }
        };
        Ok(match average {
            Average::Positive => {
                let class = self.positive(positive, score)?;
                vec![(one(class), Some(class))]
            }
            Average::Macro => vec![(mean(self.names.len()), None)],
            Average::PerClass => (0..self.names.len()).map(|class| (one(class), Some(class))).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f1() -> Score {
        Score { name: "f1".to_owned(), score: ScoreName::F1(Average::Positive), negative: false }
    }

    #[test]
    fn a_positive_class_is_named_or_says_so() {
        let names = |names: &[&str]| Classes::all(&names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["0", "1"]).positive(None, &f1()).unwrap(), 1);
        assert_eq!(names(&["Yes", "no"]).positive(None, &f1()).unwrap(), 0);
        assert_eq!(names(&["0", "1"]).positive(Some("0.0"), &f1()).unwrap(), 0);
        assert!(matches!(names(&["cat", "dog"]).positive(None, &f1()), Err(MetricError::NoPositive { .. })));
        assert!(matches!(names(&["0", "1", "2"]).positive(None, &f1()), Err(MetricError::NoPositive { .. })));
        assert!(matches!(
            names(&["a", "b"]).positive(Some("c"), &f1()),
            Err(MetricError::UnknownPositive { .. })
        ));
        // A class that was not seen yet can still appear.
        let mut seen = Classes::seen();
        assert_eq!((seen.number("cat"), seen.number("dog"), seen.number(" cat ")), (0, 1, 0));
        assert_eq!(seen.positive(Some("owl"), &f1()).unwrap(), 2);
    }
}
