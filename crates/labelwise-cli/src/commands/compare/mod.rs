//! `labelwise compare`: decides which of several models is better.

mod made;
mod pairs;
mod scores;
mod shared;
mod verdict;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise::Target;
use labelwise_study::{EstimateOptions, EstimatorName, Measurable, MethodName, Settings as Made};

use crate::args::parse::{self, measurable, named, number, whole};
use crate::args::{LabelOptions, PoolOptions};
use crate::error::{Error, UsageError};
use crate::output::file::is_evaluation;
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.compare/1";

/// Compare models on shared labels.
///
/// With prediction files of two or more models on the same items, it makes an evaluation; use ask and tell to
/// label the items that distinguish the models. With that evaluation, it prints which model is better and by
/// how much, with an interval and a p-value. With an evaluation of one model and the predictions of another,
/// it compares the two on the recorded labels.
///
/// Items on which the models have the same loss for every label are never asked. With three or more models,
/// intervals and p-values are corrected for all comparisons: those with the baseline if one is named,
/// otherwise all pairs, because the same labels choose the leading model.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples: a new comparison, its verdict once labels are recorded, and another model on the labels of \
    one:\n  labelwise compare examples/pool.csv examples/pool-b.csv --loss accuracy --out digits.labelwise\n  \
    labelwise compare ab.labelwise --interval anytime\n  labelwise compare pool.labelwise other.csv"
)]
pub(crate) struct Options {
    /// Prediction files of two or more models; or an evaluation, alone or with one prediction file
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Metric to compare by, as for `labelwise new`; an existing comparison has its own. New comparisons need a
    /// mean loss; an evaluation of one model can be compared by any metric that is one number
    #[arg(long, visible_alias = "metric", value_name = "NAME", value_parser = measurable)]
    loss: Option<Measurable>,
    /// Positive class, for metrics of one class [default: that of the evaluation]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    /// Print one JSON object (schema labelwise.compare/1) instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    verdict: VerdictOptions,
    #[command(flatten)]
    made: MadeOptions,
    #[command(flatten)]
    columns: PoolOptions,
}

/// Options of a verdict.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The verdict")]
struct VerdictOptions {
    /// Model that all others are compared with [default: the leading model]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Probability that all intervals together cover [default: the setting `level`, or 0.95]
    #[arg(long, value_name = "PROBABILITY", value_parser = parse::probability, allow_negative_numbers = true)]
    level: Option<f64>,
    /// Compare the models on this pool, or on the population that the pool is a sample of [default: the
    /// setting `target`, or pool]
    #[arg(long, value_name = "WHOSE", value_parser = named::<Target>())]
    target: Option<Target>,
    /// Method of the interval [default: ordinary]
    #[arg(long, value_name = "METHOD", value_parser = named::<MethodName>())]
    interval: Option<MethodName>,
    /// Number of labels at which the anytime interval is narrowest; choose it before the first look [default:
    /// 1000, or half of a small pool]
    #[arg(long, value_name = "LABELS", value_parser = whole::<usize>)]
    planned: Option<usize>,
    /// Estimator of mean losses [default: suited]
    #[arg(long, value_name = "NAME", value_parser = named::<EstimatorName>())]
    estimator: Option<EstimatorName>,
}

/// Options of a new comparison.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "A new comparison")]
struct MadeOptions {
    /// Evaluation file to write [default: the models' names with .labelwise, in the current folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Seed of all draws [default: the setting `seed`, or 0]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// Use only the items that every model has
    #[arg(long)]
    common: bool,
    /// Predict the positive class if its probability is at least this, for models with two classes
    #[arg(long, value_name = "PROBABILITY", value_parser = number, allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Cap of cross-entropy: smaller probabilities count as this one [default: 1e-15]
    #[arg(long, value_name = "PROBABILITY", value_parser = number, allow_negative_numbers = true)]
    cap: Option<f64>,
    #[command(flatten)]
    told: LabelOptions,
}

impl Options {
    /// The folder whose settings apply: that of the evaluation, or the current one.
    pub(crate) fn folder(&self) -> PathBuf {
        match self.files.first().filter(|path| is_evaluation(path)) {
            Some(path) => crate::settings::beside(path),
            None => PathBuf::from("."),
        }
    }

    /// Refuses options of a verdict for a new comparison.
    fn check_no_verdict(&self) -> Result<(), UsageError> {
        let VerdictOptions { baseline, level, target, interval, planned, estimator } = &self.verdict;
        let given = [
            ("--baseline", baseline.is_some()),
            ("--level", level.is_some()),
            ("--target", target.is_some()),
            ("--interval", interval.is_some()),
            ("--planned", planned.is_some()),
            ("--estimator", estimator.is_some()),
        ];
        refuse(&given, "the verdict, when labels are recorded: remove it here")
    }

    /// Refuses options of a new comparison for an existing one.
    fn check_not_made(&self) -> Result<(), UsageError> {
        let MadeOptions { out, seed, common, threshold, cap, told } = &self.made;
        let given = [
            ("--out", out.is_some()),
            ("--seed", seed.is_some()),
            ("--common", *common),
            ("--threshold", threshold.is_some()),
            ("--cap", cap.is_some()),
            ("--range", told.range().is_some()),
            ("--worth", !told.worths().is_empty()),
            ("--group", told.group().is_some()),
        ];
        refuse(&given, "creating a comparison: the evaluation exists and keeps its own")
    }

    /// The question for the recorded labels.
    fn wanted(&self, settings: &Settings, made: &Made) -> Result<EstimateOptions, Error> {
        let target = self.verdict.target.unwrap_or(settings.target.value);
        let level = parse::level(self.verdict.level.unwrap_or(settings.level.value))?;
        let name = self.verdict.interval.unwrap_or(MethodName::Ordinary);
        if name != MethodName::Anytime && self.verdict.planned.is_some() {
            return Err(UsageError::planned().into());
        }
        let method = name.method(Some(self.verdict.planned.unwrap_or(made.comparison_plan())));
        let estimator = self.verdict.estimator.unwrap_or_default();
        Ok(EstimateOptions { metrics: Vec::new(), level, target, method, estimator })
    }
}

fn refuse(given: &[(&'static str, bool)], purpose: &'static str) -> Result<(), UsageError> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(UsageError::Option { option, purpose }),
        None => Ok(()),
    }
}

/// Makes a comparison, or prints the verdict of one.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let files: Vec<&Path> = options.files.iter().map(PathBuf::as_path).collect();
    let evaluation = |path: &&&Path| is_evaluation(path);
    match files.as_slice() {
        [only] if is_evaluation(only) => {
            options.check_not_made()?;
            refuse(
                &[("--loss", options.loss.is_some()), ("--positive", options.positive.is_some())],
                "creating a comparison: this one exists and keeps its own",
            )?;
            match pairs::open(only)? {
                Some(evaluation) => pairs::verdict(options, &evaluation, settings, out),
                None => verdict::run(options, only, settings, out),
            }
        }
        [only] => {
            // A missing file gets its own error.
            File::open(only).map_err(|source| Error::Read { path: only.to_path_buf(), source })?;
            Err(UsageError::OneModel { path: only.to_path_buf() }.into())
        }
        [first, other] if is_evaluation(first) && !is_evaluation(other) => {
            options.check_not_made()?;
            shared::run(options, first, other, settings, out)
        }
        all => match all.iter().rev().find(evaluation) {
            Some(path) => Err(UsageError::EvaluationPlace { path: path.to_path_buf() }.into()),
            None => {
                options.check_no_verdict()?;
                let judged = options.columns.is_judged();
                refuse(
                    &[("--positive", options.positive.is_some() && !judged)],
                    "metrics that are not averages, which a new comparison is not made for: remove it",
                )?;
                made::run(options, all, settings, out)
            }
        },
    }
}

/// The names of the models: the shortest parts of their file names that differ.
fn names(files: &[&Path]) -> Vec<String> {
    let unlike = |names: &[String]| {
        names.iter().enumerate().all(|(place, name)| !names.iter().take(place).any(|other| other == name))
    };
    let part = |of: fn(&Path) -> Option<&std::ffi::OsStr>| -> Vec<String> {
        files.iter().map(|path| of(path).unwrap_or(path.as_os_str()).to_string_lossy().into_owned()).collect()
    };
    let (stems, whole) = (part(Path::file_stem), part(Path::file_name));
    if unlike(&stems) {
        stems
    } else if unlike(&whole) {
        whole
    } else {
        files.iter().map(|path| path.display().to_string()).collect()
    }
}

/// A p-value as people read it.
fn p_in_words(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}
