//! Options that say which columns of a pool file to read. Every command that reads a pool has them.

use labelwise_study::{ColumnNames, Format, Notation, Reading};

use super::parse::{format_parser, two_classes, whole};

/// The columns of the pool. By default, class probabilities come from the one family of columns that is
/// recognised (probs, prob_*, .pred_*, p_*), and ids from the column id.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "The pool's columns")]
pub(crate) struct PoolOptions {
    /// Format of the file [default: that of its contents]
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,
    /// Columns of class probabilities: a pattern with * for the class, comma-separated names, or one column
    /// of lists
    #[arg(long, value_name = "PATTERN", group = "predictions")]
    probs: Option<String>,
    /// Column with the probability of one class, for a model with two classes
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    prob: Option<String>,
    /// Names of the two classes of --prob: the other class, then the class of the column [default: from the
    /// column's name; prob_1 gives 0,1]
    #[arg(long, value_name = "OTHER,CLASS", value_parser = two_classes)]
    classes: Option<[String; 2]>,
    /// Divide class probabilities by 100 if they are percentages, which sum to 100
    #[arg(long)]
    percent: bool,
    /// Divide each row of class probabilities by its sum, if rounding moved the sums away from 1
    #[arg(long, visible_alias = "normalize")]
    normalise: bool,
    /// Columns of logits; a softmax turns them into probabilities. One column holds the log-odds of one of
    /// two classes
    #[arg(long, value_name = "PATTERN", group = "predictions")]
    logits: Option<String>,
    /// Column of predicted values, for regression
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    mean: Option<String>,
    /// Column of the model's variances of its predicted values
    #[arg(long, value_name = "COLUMN", requires = "mean")]
    variance: Option<String>,
    /// Column of the model's standard deviations of its predicted values
    #[arg(long, value_name = "COLUMN", requires = "mean", conflicts_with = "variance")]
    std: Option<String>,
    /// Column of predicted classes, if there are no probabilities
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    hard: Option<String>,
    /// Column of your own scores: not negative, and larger where a label is more informative
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    scores: Option<String>,
    /// Column of a judge: scores from 0 to 1, verdicts, or ratings (with --range); two columns with a + between
    /// them are both orders of a pairwise judge; can be repeated
    #[arg(long, value_name = "COLUMN", conflicts_with = "predictions")]
    judge: Vec<String>,
    /// Columns of other models' results on the same items, a name or a pattern with *; or their files, such as old.eval,
    /// 'runs/*.jsonl' or matrix.csv:COLUMN, whose items are matched by id; can be repeated
    #[arg(long, value_name = "PATTERN", conflicts_with = "predictions")]
    history: Vec<String>,
    /// Column of ids [default: id, or row numbers from 0]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Columns of features for a surrogate that learns: a name, or a pattern with *; can be repeated
    #[arg(long, value_name = "PATTERN")]
    features: Vec<String>,
    /// Passthrough column that the labeller needs, such as a text or the path of an image; can be repeated
    /// [default: all text columns except labels]
    #[arg(long, value_name = "COLUMN")]
    carry: Vec<String>,
    /// Filter to read, if a log repeats every document for each filter; or the system, if a file has the results of several
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// Epoch to read, if the samples of a log repeat; counted from 1
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    epoch: Option<u64>,
    /// Keep numbers in single precision, which needs half of the memory
    #[arg(long)]
    single: bool,
}

impl PoolOptions {
    /// Whether judges or a history take the place of predictions.
    pub(crate) fn is_judged(&self) -> bool {
        !(self.judge.is_empty() && self.history.is_empty())
    }

    /// The columns to read, with these judges if the options name none.
    pub(crate) fn reading_of(&self, judges: &[String]) -> Reading {
        let mut given = self.clone();
        if given.judge.is_empty() {
            given.judge = judges.to_vec();
        }
        given.reading()
    }

    /// The columns to read.
    pub(crate) fn reading(&self) -> Reading {
        Reading::from(self.names())
    }

    /// The columns by their names.
    pub(crate) fn names(&self) -> ColumnNames {
        let given = self.clone();
        ColumnNames {
            format: given.format,
            probabilities: given.probs,
            probability: given.prob,
            classes: given.classes,
            notation: Notation { percent: given.percent, normalise: given.normalise },
            logits: given.logits,
            mean: given.mean,
            variance: given.variance,
            deviation: given.std,
            hard: given.hard,
            scores: given.scores,
            judges: given.judge,
            history: given.history,
            ids: given.id,
            features: given.features,
            carry: given.carry,
            filter: given.filter,
            epoch: given.epoch,
            single: given.single,
            ..ColumnNames::default()
        }
    }
}
