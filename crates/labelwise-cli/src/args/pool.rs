//! What is taken from a pool file, as options. Every command that reads a pool has them.

use labelwise_store::{Format, Reading};

use super::parse::{format_parser, whole};

/// Which columns of the pool are what. Left alone, class probabilities are taken from the one family of columns that is
/// recognised (probs, prob_*, .pred_*, p_*), and ids from the column id.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "The pool's columns")]
pub(crate) struct PoolOptions {
    /// The format of the file, where its name does not tell
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,
    /// Columns of class probabilities: a pattern with * for the class, names with commas between, or one column of lists
    #[arg(long, value_name = "PATTERN", group = "predictions")]
    probs: Option<String>,
    /// Columns of logits, of which a softmax makes probabilities
    #[arg(long, value_name = "PATTERN", group = "predictions")]
    logits: Option<String>,
    /// The column of predicted values, in regression
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    mean: Option<String>,
    /// The column of the variances that the model gives its predicted values
    #[arg(long, value_name = "COLUMN", requires = "mean")]
    variance: Option<String>,
    /// The column of predicted classes, where there are no probabilities
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    hard: Option<String>,
    /// The column of ready-made scores: not negative, larger where a label tells more
    #[arg(long, value_name = "COLUMN", group = "predictions")]
    scores: Option<String>,
    /// The column of ids [default: id, or row numbers from 0]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Columns of features for a surrogate that learns: a name, or a pattern with *; may be given several times
    #[arg(long, value_name = "PATTERN")]
    features: Vec<String>,
    /// A column that the labeller needs, such as a text or an image's path; may be given several times [default: all
    /// columns of texts but those that are named as labels are]
    #[arg(long, value_name = "COLUMN")]
    carry: Vec<String>,
    /// The filter, where a log has every document once a filter
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// The epoch, where samples of a log repeat; counted from 1
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    epoch: Option<u64>,
    /// Keep numbers in single precision, which halves the memory
    #[arg(long)]
    single: bool,
}

impl PoolOptions {
    /// What is to be read.
    pub(crate) fn reading(&self) -> Reading {
        let mut reading = Reading::new();
        if let Some(format) = self.format {
            reading = reading.format(format);
        }
        // At most one of these is there: they are one group.
        if let Some(pattern) = &self.probs {
            reading = reading.probabilities(pattern);
        }
        if let Some(pattern) = &self.logits {
            reading = reading.logits(pattern);
        }
        if let Some(mean) = &self.mean {
            reading = match &self.variance {
                Some(variance) => reading.mean_and_variance(mean, variance),
                None => reading.mean(mean),
            };
        }
        if let Some(column) = &self.hard {
            reading = reading.hard(column);
        }
        if let Some(column) = &self.scores {
            reading = reading.scores(column);
        }
        if let Some(column) = &self.id {
            reading = reading.ids(column);
        }
        reading = self.features.iter().fold(reading, |reading, pattern| reading.features(pattern));
        reading = self.carry.iter().fold(reading, |reading, column| reading.carry(column));
        if let Some(filter) = &self.filter {
            reading = reading.filter(filter);
        }
        if let Some(epoch) = self.epoch {
            reading = reading.epoch(epoch);
        }
        if self.single { reading.single() } else { reading }
    }
}

impl PoolOptions {
    /// How another model's predictions are read: as the pool's, from columns of their own where these are named.
    pub(crate) fn reading_of_surrogate(&self, pattern: Option<&str>) -> Reading {
        let mut own = Self { format: None, features: Vec::new(), carry: Vec::new(), ..self.clone() };
        if self.hard.is_some() || pattern.is_some() {
            // Of classes, a surrogate gives probabilities whatever the model gives.
            own = Self { probs: pattern.map(str::to_owned), logits: None, hard: None, ..own };
        }
        own.reading()
    }

    /// Whether columns for the labeller are named.
    pub(crate) fn carries(&self) -> bool {
        !self.carry.is_empty()
    }

    /// What is to be read of a file with the same features, where labels are.
    pub(crate) fn reading_of_features(&self) -> Reading {
        let features = self.features.clone();
        Self { features, single: self.single, ..Self::default() }.reading()
    }
}
