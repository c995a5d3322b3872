//! Which columns to read from a pool file.

use crate::format::Format;
use crate::numbers::Notation;
use crate::one_column;
use crate::spread::Spread;

/// The columns to read from a pool file. Default: class probabilities from the one family of columns that is
/// recognised, and ids from the column `id`.
///
/// ```
/// use labelwise_pool::{PoolTable, Reading};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pool.csv");
/// std::fs::write(&path, "id,prob_cat,prob_dog,label,text\na,0.9,0.1,cat,purrs\nb,0.2,0.8,dog,barks\n")?;
/// let pool = PoolTable::open(&path, &Reading::new().labels("label").carry("text"))?;
/// assert_eq!(pool.rows(), 2);
/// assert_eq!(pool.ids.get(1), Some("b".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Reading {
    pub(crate) format: Option<Format>,
    pub(crate) taking: Taking,
    pub(crate) surrogates: Vec<String>,
    pub(crate) ids: Option<String>,
    pub(crate) labels: Option<String>,
    pub(crate) features: Vec<String>,
    pub(crate) carried: Vec<String>,
    pub(crate) carry_texts: bool,
    pub(crate) filter: Option<String>,
    pub(crate) epoch: Option<u64>,
    pub(crate) single: bool,
    pub(crate) notation: Notation,
    /// The two classes of one column: the other class, then the class of the column.
    pub(crate) classes: Option<[String; 2]>,
    /// Whether the file holds a surrogate's predictions.
    pub(crate) for_surrogate: bool,
    /// Columns of judges; two names with a `+` between them are two orders of one judge.
    pub(crate) judges: Vec<String>,
    /// Columns of other models' results.
    pub(crate) history: Vec<String>,
    /// Whether a part of a pool is read: what is of the whole pool, such as its fingerprint, is made elsewhere.
    pub(crate) of_part: bool,
}

/// What the predictions are.
#[derive(Debug, Clone, Default)]
pub(crate) enum Taking {
    /// The predictions of the format, or the one recognised family of probabilities.
    #[default]
    Recognised,
    Probabilities(String),
    Probability(String),
    Logits(String),
    Values {
        mean: String,
        spread: Option<Spread>,
    },
    Hard(String),
    Scores(String),
}

impl Reading {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the file in this format, independent of its name.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Columns of class probabilities: a pattern such as `prob_*` (`*` is the class), comma-separated names, or one
    /// column of lists.
    pub fn probabilities(mut self, pattern: impl Into<String>) -> Self {
        self.taking = Taking::Probabilities(pattern.into());
        self
    }

    /// The column with the probability of one class, for a model with two classes. Its name names the classes: `prob_1` makes
    /// the classes 0 and 1; see [`classes`](Self::classes).
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Predictions, Reading};
    /// let text = "id,risk\na,0.25\nb,0.75\n";
    /// let reading = Reading::new().probability("risk").classes(["ok", "fraud"]);
    /// let pool = PoolTable::from_csv("pool", text.as_bytes(), &reading)?;
    /// let Predictions::Classes { names, rows } = &pool.predictions else { unreachable!() };
    /// assert_eq!((names[1].as_str(), rows.reader().row(0)), ("fraud", [0.75, 0.25].as_slice()));
    /// # Ok::<(), labelwise_pool::Error>(())
    /// ```
    pub fn probability(mut self, column: impl Into<String>) -> Self {
        self.taking = Taking::Probability(column.into());
        self
    }

    /// The names of the two classes of one column: the other class, then the class whose probability the column is.
    pub fn classes(mut self, names: [impl Into<String>; 2]) -> Self {
        self.classes = Some(names.map(Into::into));
        self
    }

    /// How probabilities are written: as percentages, or rounded.
    pub fn notation(mut self, notation: Notation) -> Self {
        self.notation = notation;
        self
    }

    /// Columns of logits, named as in [`probabilities`](Self::probabilities). A softmax makes them probabilities. One column
    /// alone holds the log-odds of one of two classes.
    pub fn logits(mut self, pattern: impl Into<String>) -> Self {
        self.taking = Taking::Logits(pattern.into());
        self
    }

    /// Predicted values of a regression.
    pub fn mean(mut self, column: impl Into<String>) -> Self {
        self.taking = Taking::Values { mean: column.into(), spread: None };
        self
    }

    /// Predicted values of a regression, and the variances that the model gives them.
    pub fn mean_and_variance(mut self, mean: impl Into<String>, variance: impl Into<String>) -> Self {
        self.taking = Taking::Values { mean: mean.into(), spread: Some(Spread::Variance(variance.into())) };
        self
    }

    /// Predicted values of a regression, and the standard deviations that the model gives them.
    pub fn mean_and_deviation(mut self, mean: impl Into<String>, deviation: impl Into<String>) -> Self {
        self.taking = Taking::Values { mean: mean.into(), spread: Some(Spread::Deviation(deviation.into())) };
        self
    }

    /// Predicted classes without probabilities.
    pub fn hard(mut self, column: impl Into<String>) -> Self {
        self.taking = Taking::Hard(column.into());
        self
    }

    /// Scores that another program made: not negative, larger for items whose label is more informative.
    pub fn scores(mut self, column: impl Into<String>) -> Self {
        self.taking = Taking::Scores(column.into());
        self
    }

    /// A column of a judge: scores, verdicts or ratings. Two names with a `+` between them are the verdicts of one judge who saw
    /// the answers in both orders. Can be repeated.
    ///
    /// ```
    /// use labelwise_pool::{PoolTable, Reading};
    /// let text = "id,judge\na,0.25\nb,\n";
    /// let pool = PoolTable::from_csv("pool", text.as_bytes(), &Reading::new().judge("judge"))?;
    /// assert_eq!(pool.judged.map(|judged| judged.judges.len()), Some(1));
    /// # Ok::<(), labelwise_pool::Error>(())
    /// ```
    pub fn judge(mut self, column: impl Into<String>) -> Self {
        self.judges.push(column.into());
        self
    }

    /// Columns of other models' results on the same items: a name, or a pattern with a `*`. A name that ends like a pool file
    /// (`old.eval`, `runs/*.jsonl`, `matrix.csv:m_*`) is read from that file, whose rows are matched by id. Can be repeated.
    pub fn history(mut self, pattern: impl Into<String>) -> Self {
        self.history.push(pattern.into());
        self
    }

    /// Whether judges or a history take the place of predictions.
    pub(crate) fn is_judged(&self) -> bool {
        !(self.judges.is_empty() && self.history.is_empty())
    }

    /// Whether grades of a log are a judge's verdicts, and not numbers.
    pub(crate) fn keeps_verdicts(&self) -> bool {
        !self.judges.is_empty()
    }

    /// Columns with a surrogate's probabilities in the same file. Several calls make an ensemble.
    pub fn surrogate(mut self, pattern: impl Into<String>) -> Self {
        self.surrogates.push(pattern.into());
        self
    }

    /// The column of ids. Default: `id`.
    pub fn ids(mut self, column: impl Into<String>) -> Self {
        self.ids = Some(column.into());
        self
    }

    /// The column of known labels.
    pub fn labels(mut self, column: impl Into<String>) -> Self {
        self.labels = Some(column.into());
        self
    }

    /// Columns of features: a name, a pattern with a `*`, or one column of lists. Can be repeated.
    pub fn features(mut self, pattern: impl Into<String>) -> Self {
        self.features.push(pattern.into());
        self
    }

    /// A passthrough column for the labeller, such as a text, a path or a URL. Can be repeated.
    pub fn carry(mut self, column: impl Into<String>) -> Self {
        self.carried.push(column.into());
        self
    }

    /// Keeps one more column as a passthrough column, whatever the others are.
    pub fn carry_also(mut self, column: &str) -> Self {
        if !self.carried.iter().any(|name| name == column) {
            self.carried.push(column.to_owned());
        }
        self
    }

    /// Keeps all text columns as passthrough columns, except those that are used otherwise or named like labels.
    pub fn carry_texts(mut self) -> Self {
        self.carry_texts = true;
        self
    }

    /// The filter to read, in a log that has every document once per filter.
    pub fn filter(mut self, filter: impl Into<String>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// The epoch to read, counted from 1, in a log in which samples repeat.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = Some(epoch);
        self
    }

    /// Rounds wider numbers to f32, which halves the memory.
    pub fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// How to read a file of a surrogate's predictions: the same columns for the same items, or the pattern that is given.
    pub fn of_surrogate(&self, pattern: Option<&str>) -> Self {
        let taking = match (&self.taking, pattern) {
            (Taking::Values { .. } | Taking::Scores(_), _) => self.taking.clone(),
            (Taking::Probability(_), Some(pattern)) if !pattern.contains(['*', ',']) => {
                Taking::Probability(pattern.to_owned())
            }
            (_, Some(pattern)) => Taking::Probabilities(pattern.to_owned()),
            // A surrogate gives class probabilities even if the model gives classes.
            (Taking::Hard(_), None) => Taking::Recognised,
            (taking, None) => taking.clone(),
        };
        let classes = match (&self.taking, &taking) {
            // The surrogate's column may have another name, but its classes are those of the pool.
            (Taking::Probability(column), Taking::Probability(_)) => {
                Some(self.classes.clone().unwrap_or_else(|| one_column::classes(column)))
            }
            (Taking::Logits(_), Taking::Logits(_)) => self.classes.clone(),
            _ => None,
        };
        let (ids, filter) = (self.ids.clone(), self.filter.clone());
        Self {
            taking,
            ids,
            filter,
            epoch: self.epoch,
            single: self.single,
            notation: self.notation,
            classes,
            for_surrogate: true,
            ..Self::default()
        }
    }

    /// How to read a file of labelled rows to train on: the same features, and this column of classes or values.
    pub fn of_training(&self, label: &str, are_values: bool) -> Self {
        let rows = Self { features: self.features.clone(), single: self.single, ..Self::default() };
        if are_values { rows.mean(label) } else { rows.hard(label) }
    }

    /// The same with exactly these passthrough columns.
    pub(crate) fn carrying(&self, names: impl Iterator<Item = String>) -> Self {
        Self { carried: names.collect(), carry_texts: false, ..self.clone() }
    }

    /// How to read a part of a pool, without what is of the whole pool: passthrough columns, repeated ids, the fingerprint.
    pub fn of_part(&self) -> Self {
        Self { carried: Vec::new(), carry_texts: false, of_part: true, ..self.clone() }
    }

    /// Whether passthrough columns are named.
    pub fn carries(&self) -> bool {
        !self.carried.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnNames;

    #[test]
    fn a_surrogate_is_read_as_the_model_unless_it_gives_classes() {
        let pool = |names| {
            Reading::from(ColumnNames { ids: Some("key".into()), epoch: Some(2), single: true, ..names })
        };
        let column = || Some("said".to_owned());
        let hard =
            pool(ColumnNames { hard: column(), features: vec!["x_*".into()], ..ColumnNames::default() });
        let own = hard.of_surrogate(None);
        assert!(matches!(own.taking, Taking::Recognised) && own.features.is_empty());
        assert!(own.ids.as_deref() == Some("key") && own.epoch == Some(2) && own.single);
        assert!(
            matches!(hard.of_surrogate(Some("p_*")).taking, Taking::Probabilities(pattern) if pattern == "p_*")
        );
        let values = pool(ColumnNames { mean: column(), ..ColumnNames::default() });
        assert!(
            matches!(values.of_surrogate(Some("p_*")).taking, Taking::Values { mean, .. } if mean == "said")
        );
        let train = hard.of_training("label", true);
        assert!(matches!(train.taking, Taking::Values { ref mean, .. } if mean == "label"));
        assert!(train.features == ["x_*"] && train.ids.is_none());
    }
}
