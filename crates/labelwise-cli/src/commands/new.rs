//! `labelwise new`: makes an evaluation from a pool.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use labelwise::Target;
use labelwise::plan::{LabelForecast, LabelRange, Source, WidthRule};
use labelwise::words::shell;
use labelwise_study::{
    AcquisitionName, BadScores, BeliefName, Choices, ColumnNames, Created, FloorChoice, LossName, Measurable,
    Metric, PoolFiles, PoolTable, RecipeName, Study, Times, Worth,
};
use serde::Serialize;

use super::start_threads;
use crate::args::parse::{counting, floor, measurable, named, number, times, whole};
use crate::args::{DesignOptions, LabelOptions, PoolOptions, SurrogateOptions};
use crate::error::Error;
use crate::output::label_count::{self, LabelCount};
use crate::output::print_json;
use crate::output::progress::{Passes, Spinner};
use crate::output::screen::one_line;
use crate::output::text::{counted, percent};
use crate::settings::Settings;

/// The version of the JSON object; it changes when a field changes its meaning or goes.
const SCHEMA: &str = "labelwise.new/1";

/// Make an evaluation from a pool of predictions.
///
/// The pool is a file with the model's prediction for each item: CSV, TSV, JSON Lines, Parquet, Arrow, NumPy,
/// or a log of lm-evaluation-harness or Inspect. The evaluation is one file with a copy of the columns it
/// needs; the pool is not read again. Defaults depend on the pool's columns, and the command prints them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  labelwise new examples/pool.csv --out pool.labelwise --loss cross-entropy --seed 7\n  \
                  labelwise new examples/pool.csv --out batch.labelwise --design stratified --budget 60"
)]
pub(crate) struct Options {
    /// File with the model's predictions, folder of Parquet files, or quoted pattern such as
    /// 'scores/dt=*/part-*.parquet'
    #[arg(value_name = "POOL", required_unless_present = "draws")]
    pool: Option<PathBuf>,
    /// Evaluation file to write [default: the pool's name with .labelwise, in the current folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(long, visible_alias = "metric", value_name = "NAMES", value_delimiter = ',', value_parser = measurable)]
    #[arg(help = format!(
        "Metrics to measure, comma-separated: {}, {}, value; or agreement, kappa, sensitivity, specificity of a judge; or f1, precision, recall, f1_macro, balanced_accuracy, \
         matthews_corrcoef, roc_auc, average_precision, precision_at_recall_0.9, calibration, rmse, r2. Several metrics share the draws. Names of scikit-learn such as \
         neg_log_loss work too",
        LossName::OF_CLASSES, LossName::OF_VALUES,
    ))]
    loss: Vec<Measurable>,
    /// Positive class, for metrics of one class [default: of two classes, the one named 1, true, yes or
    /// positive]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    #[command(flatten)]
    told: LabelOptions,
    /// Predict the positive class if its probability is at least this, for a model with two classes
    /// [default: the most probable class is predicted]
    #[arg(long, value_name = "PROBABILITY", value_parser = number, allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Cap of cross-entropy: smaller probabilities count as this one [default: 1e-15; scikit-learn's is
    /// 2.2e-16]
    #[arg(long, value_name = "PROBABILITY", value_parser = number, allow_negative_numbers = true)]
    cap: Option<f64>,
    /// Seed of all draws [default: the setting `seed`, or 0]
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// Print one JSON object (schema labelwise.new/1) instead of text
    #[arg(long)]
    json: bool,
    // Their headings apply to all options that follow, so they are last.
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    how: DrawOptions,
    #[command(flatten)]
    parts: PartOptions,
    #[command(flatten)]
    surrogate: SurrogateOptions,
    #[command(flatten)]
    columns: PoolOptions,
}

/// Pools that outgrow one machine.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pools that outgrow one machine")]
struct PartOptions {
    /// Keep the draws and sums over the pool, and not the pool: the file has a few megabytes for any pool, and the pool is
    /// read in parts
    #[arg(long)]
    elsewhere: bool,
    /// Number of draws to make ahead, with --elsewhere [default: 16384]
    #[arg(long, value_name = "NUMBER", requires = "elsewhere", value_parser = counting)]
    ahead: Option<usize>,
    /// File of draws that the queries of `labelwise sql` made, in place of POOL
    #[arg(long, value_name = "FILE", requires = "totals", conflicts_with_all = ["pool", "elsewhere"])]
    draws: Option<PathBuf>,
    /// File of totals that the same queries made
    #[arg(long, value_name = "FILE", requires = "draws")]
    totals: Option<PathBuf>,
}

/// How items are drawn.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How items are drawn")]
struct DrawOptions {
    /// A set of choices that go together; each of the options below can replace one of them
    #[arg(long, value_name = "NAME", default_value = "labelwise", value_parser = named::<RecipeName>())]
    recipe: RecipeName,
    /// How the surrogate's beliefs are used [default: recalibrated, if they are class probabilities and the
    /// metric is a mean loss]
    #[arg(long, value_name = "NAME", value_parser = named::<BeliefName>())]
    belief: Option<BeliefName>,
    /// When labels refresh recalibrated beliefs: every N labels, at comma-separated numbers of labels, or
    /// never [default: at 10, 20, 50, 100, 200, 400, ... labels]
    #[arg(long, value_name = "LABELS", value_parser = times)]
    refresh: Option<Times>,
    /// Score of an item [default: centred, root-mean-square or another; it depends on the metrics and the
    /// surrogate]
    #[arg(long, value_name = "NAME", value_parser = named::<AcquisitionName>())]
    acquisition: Option<AcquisitionName>,
    /// What to do with scores that are not usable: negative, or not a number
    #[arg(long, value_name = "RULE", default_value = "reject", value_parser = named::<BadScores>())]
    bad_scores: BadScores,
    /// Minimum probability of every item: mixture=0.2 (the default with recalibrated beliefs), mixture=0.3
    /// (the default otherwise), clip=0.2 (the paper's), or none
    #[arg(long, value_name = "FLOOR", value_parser = floor)]
    floor: Option<FloorChoice>,
    /// When to recompute scores if the surrogate did not change: every N labels (1 in the paper), at
    /// comma-separated numbers of labels, or never
    #[arg(long, value_name = "LABELS", value_parser = times)]
    rescore: Option<Times>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    evaluation: &'a Path,
    pool: &'a str,
    pool_size: usize,
    predictions: String,
    loss: String,
    seed: u64,
    design: &'static str,
    /// The number of items that can be asked, if the design fixes it.
    budget: Option<usize>,
    strata: Option<usize>,
    fingerprint: &'a str,
    decisions: &'a [String],
    /// What labels are expected to gain; null if the surrogate cannot predict it.
    forecast: Option<ForecastDocument>,
    /// What one label is worth by the judge alone, and with items chosen by it; null without a judge.
    worth: Option<Worth>,
}

/// The surrogate's forecast.
#[derive(Serialize)]
struct ForecastDocument {
    /// The expected value of the metric.
    expected: f64,
    /// The number of uniformly sampled labels that one label is worth: the upper end of the expected range.
    gain: f64,
    /// Its lower end.
    gain_low: f64,
    worthwhile: bool,
    /// A reachable half-width, and the number of labels it needs.
    half_width: Option<f64>,
    labels: Option<LabelCount>,
}

/// Makes the evaluation and prints the decisions.
pub(crate) fn run(options: &Options, settings: &Settings, out: &mut impl Write) -> Result<(), Error> {
    let path = options.out.clone().unwrap_or_else(|| {
        let pool = options.parts.draws.as_deref().unwrap_or(options.pool());
        let name = pool_name(pool).map_or_else(|| "pool".into(), PathBuf::from);
        let is_packed = name.extension().is_some_and(|ending| ending == "gz");
        let name = if is_packed { name.with_extension("") } else { name };
        name.with_extension("labelwise")
    });
    // Refused before a large file is read.
    if path.exists() {
        return Err(labelwise_study::Error::from(labelwise_study::FileError::Exists { path }).into());
    }
    // So are options that do not fit together.
    options.design.wish()?;
    start_threads()?;
    if let (Some(draws), Some(totals)) = (&options.parts.draws, &options.parts.totals) {
        let choices = options.choices(None, settings)?;
        let Created { evaluation, decisions, .. } = Study::create_given(&path, draws, totals, choices)?;
        return options.says(&path, &evaluation, &decisions, settings, out);
    }
    if options.parts.elsewhere {
        let Created { evaluation, decisions, .. } = options.elsewhere(&path, settings)?;
        return options.says(&path, &evaluation, &decisions, settings, out);
    }
    let spinner = Spinner::new("reading the pool");
    // By default, all text columns are passthrough columns.
    let reading = options.columns.reading();
    let reading = if reading.carries() { reading } else { reading.carry_texts() };
    let reading = options.told.reading(reading);
    let table = options.surrogate.table(options.pool(), reading)?;
    let choices = options.choices(Some(&table), settings)?;
    spinner.says("scoring and writing");
    let Created { evaluation, decisions, .. } = Study::create(&path, table, &choices)?;
    drop(spinner);
    options.says(&path, &evaluation, &decisions, settings, out)
}

/// The name of the pool: the last part of its path that has no wildcard.
fn pool_name(pool: &Path) -> Option<&OsStr> {
    let plain = |path: &&Path| !path.to_string_lossy().contains(['*', '?']);
    if pool.exists() { pool.file_name() } else { pool.ancestors().find(plain).and_then(Path::file_name) }
}

/// An evaluation that was just made.
struct New<'a> {
    path: &'a Path,
    evaluation: &'a Study,
    decisions: &'a [String],
    level: f64,
}

impl<'a> New<'a> {
    /// Forecasts exist only for mean losses.
    fn forecast(&self) -> Result<Option<LabelForecast>, Error> {
        let made = self.evaluation.settings();
        let means = made.aims.iter().all(|aim| aim.score().is_none());
        Ok(if means { self.evaluation.surrogate_forecast(&made.metric)? } else { None })
    }

    fn document(&self) -> Result<Document<'a>, Error> {
        let made = self.evaluation.settings();
        let forecast = self.forecast()?;
        Ok(Document {
            schema: SCHEMA,
            evaluation: self.path,
            pool: &made.pool.path,
            pool_size: made.pool.size,
            predictions: made.subject.in_words(),
            loss: made.made_for(),
            seed: made.seed,
            design: made.design.name(),
            budget: made.design.budget(),
            strata: self.evaluation.strata()?.map(|strata| strata.sizes().len()),
            fingerprint: &made.pool.fingerprint,
            decisions: self.decisions,
            forecast: forecast
                .zip(self.evaluation.expected_gain()?)
                .map(|(forecast, gain)| outlook(&forecast, gain, &made.metric, self.level)),
            worth: made.judge.as_ref().map(|_| self.evaluation.worth()).transpose()?,
        })
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Error> {
        let forecast = self.forecast()?;
        let (made, path) = (self.evaluation.settings(), self.path.display());
        let (size, what) = (made.pool.size, made.subject.in_words());
        let items = counted(size, "item");
        writeln!(out, "{path}: {items}, {what}; loss {}, seed {}", made.made_for(), made.seed)?;
        let uniform = made.acquisition == AcquisitionName::Uniform;
        let judged = made.judge.is_some();
        let gain = self.evaluation.expected_gain()?.filter(|_| !uniform && !judged);
        let follows = made.recalibrated.as_ref().is_some_and(|times| *times != Times::Never);
        let expected =
            forecast.map(|forecast| in_words(&forecast, gain, follows, self.level)).unwrap_or_default();
        let worth = self.evaluation.worth_in_words()?;
        for line in self.decisions.iter().chain(&worth).chain(&expected) {
            writeln!(out, "  {}", one_line(line))?;
        }
        let first = made.design.budget().unwrap_or(size.min(20));
        writeln!(out, "Next: labelwise ask {} -n {first}", shell(self.path))?;
        Ok(())
    }
}

fn outlook(
    forecast: &LabelForecast,
    (gain_low, gain): (f64, f64),
    metric: &Metric,
    level: f64,
) -> ForecastDocument {
    let width = usual_width(forecast, level);
    ForecastDocument {
        expected: metric.shown(forecast.risk),
        gain,
        gain_low,
        worthwhile: gain >= WORTHWHILE,
        half_width: width.map(|(half, _)| half),
        labels: width.map(|(_, labels)| labels.into()),
    }
}

/// Numbers have four digits after the point: a narrower interval cannot be seen, and an expected loss that small is that of a
/// model without any doubt.
const SMALLEST: f64 = 1e-4;

/// Below this, choosing items is not expected to gain anything.
const WORTHWHILE: f64 = 1.1;

/// The forecast in one or two lines.
fn in_words(forecast: &LabelForecast, gain: Option<(f64, f64)>, follows: bool, level: f64) -> Vec<String> {
    let mut lines = Vec::new();
    match gain {
        Some((_, high)) if high < WORTHWHILE => lines.push(
            "expected gain: little; uniform sampling (--surrogate none) may need as few labels".to_owned(),
        ),
        Some((low, high)) => lines.push(format!(
            "expected gain: 1 label is worth {low:.1} to {high:.1} labels of uniform sampling, {} the surrogate predicts where \
             the model is wrong",
            // Beliefs that follow the labels foresee that it may not.
            if follows { "by how well" } else { "if" }
        )),
        None => {}
    }
    if let Some((half, labels)) = usual_width(forecast, level) {
        let labels = label_count::in_words(labels, Source::Surrogate);
        lines.push(format!("expected cost: {labels} labels for ± {half} at {}", percent(level)));
    }
    lines
}

/// A useful half-width, about a tenth to a fifth of the expected loss, and the number of labels it needs.
fn usual_width(forecast: &LabelForecast, level: f64) -> Option<(f64, LabelRange)> {
    let most = Some(forecast.risk / 5.0).filter(|most| *most >= SMALLEST && most.is_finite())?;
    let power = most.log10().floor();
    let unit = 10_f64.powf(power);
    let digit = [5.0, 2.0].into_iter().find(|digit| digit * unit <= most).unwrap_or(1.0);
    // Parsed from text, so that it is 0.02 and not 0.020000000000000004.
    let half: f64 = format!("{digit}e{power}").parse().ok()?;
    let labels = forecast.for_half_width(half, level, Target::Pool).ok().flatten()?;
    Some((half, labels.at_least(WidthRule::least(forecast.spread.pool_size))))
}

impl Options {
    /// The pool; nothing where draws are given in its place.
    fn pool(&self) -> &Path {
        self.pool.as_deref().unwrap_or(Path::new(""))
    }

    /// Makes an evaluation that keeps its draws, and not the pool.
    fn elsewhere(&self, path: &Path, settings: &Settings) -> Result<Created, Error> {
        let surrogates = self.surrogate.in_parts()?;
        let columns = ColumnNames { surrogate: surrogates, ..self.columns.names() };
        let files = PoolFiles::every(self.pool())?;
        let choices = self.choices(None, settings)?;
        let texts = columns.carry.is_empty();
        let progress = Passes::new();
        let says = |step, done, parts| progress.says(step, done, parts);
        Ok(Study::create_elsewhere(path, &files, columns, texts, choices, self.parts.ahead, &says)?)
    }

    fn says(
        &self,
        path: &Path,
        evaluation: &Study,
        decisions: &[String],
        settings: &Settings,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let new = New { path, evaluation, decisions, level: settings.level.value };
        if self.json { print_json(&new.document()?, out) } else { new.print(out) }
    }

    fn choices(&self, table: Option<&PoolTable>, settings: &Settings) -> Result<Choices, Error> {
        let how = &self.how;
        Ok(Choices {
            metric: None,
            aims: self.loss.clone(),
            positive: self.positive.clone(),
            threshold: self.threshold,
            cap: self.cap,
            worths: self.told.worths(),
            labels: self.told.labels(),
            range: self.told.range(),
            group: self.told.group(),
            surrogate: self.surrogate.wish(),
            retrain: self.surrogate.retrain(),
            recipe: how.recipe,
            belief: how.belief,
            refresh: how.refresh.clone(),
            acquisition: how.acquisition,
            bad_scores: how.bad_scores,
            floor: how.floor,
            rescore: how.rescore.clone(),
            seed: self.seed.unwrap_or(settings.seed.value),
            train: table.map(|table| self.surrogate.training(&self.columns, table)).transpose()?.flatten(),
            calibration: self.surrogate.calibration(&self.columns)?,
            design: self.design.wish()?,
            at: labelwise_study::now(),
            ..Choices::default()
        })
    }
}
