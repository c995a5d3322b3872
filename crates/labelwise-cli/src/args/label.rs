//! Options that say what labels can be and what they are worth.

use labelwise_study::Reading;

use super::parse::{range, worth};

/// What labels are.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LabelOptions {
    /// Worth of every class, comma-separated, for the loss value: A=1,tie=0.5,B=0
    #[arg(long, value_name = "CLASS=NUMBER", value_delimiter = ',', value_parser = worth, allow_hyphen_values = true)]
    worth: Vec<(String, f64)>,
    /// All classes that a label can be, comma-separated, if a judge's column does not name them [default: the
    /// positive class and its opposite]
    #[arg(long, value_name = "CLASSES", value_delimiter = ',')]
    labels: Vec<String>,
    /// Column of groups, such as a prompt with several samples: whole groups are drawn and labelled, for the losses pass@k
    /// and pass^k
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// Smallest and largest possible label or rating, if labels or ratings are numbers; guaranteed intervals need it
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,
}

impl LabelOptions {
    pub(crate) fn worths(&self) -> Vec<(String, f64)> {
        self.worth.clone()
    }

    pub(crate) fn labels(&self) -> Vec<String> {
        self.labels.iter().map(|label| label.trim().to_owned()).filter(|label| !label.is_empty()).collect()
    }

    pub(crate) fn group(&self) -> Option<String> {
        self.group.clone()
    }

    /// A reading that keeps the column of groups.
    pub(crate) fn reading(&self, reading: Reading) -> Reading {
        match &self.group {
            Some(group) => reading.carry_also(group),
            None => reading,
        }
    }

    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        self.range
    }
}
