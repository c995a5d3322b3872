//! The table of Wilcoxon's signed-rank tests: the paper's rows with what came out here, as text, Markdown and JSON.

use serde::Serialize;

use crate::claims::{Verdict, p_text};
use crate::strategy::{EstimatorKind, Origin, Strategy, strategies};
use crate::summary::ExperimentSummary;

/// A row of the paper's table, or one of our default that is not in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) figure: &'static str,
    pub(crate) set: &'static str,
    pub(crate) experiment: &'static str,
    pub(crate) best: Strategy,
    pub(crate) other: Strategy,
    /// What the paper has, and after how many labels.
    pub(crate) published: Option<(usize, f64)>,
}

/// A row of ours: the same comparison, in the runs that were made here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The figure.
    pub figure: &'static str,
    /// The set of images.
    pub set: &'static str,
    /// The experiment.
    pub experiment: &'static str,
    /// The method that is best in the paper, or our default.
    pub best: &'static str,
    /// The method it is compared with.
    pub other: &'static str,
    /// How many runs there are.
    pub runs: usize,
    /// Number of labels.
    pub step: usize,
    /// The p-value of "the best method has no lower squared errors".
    pub p_value: f64,
    /// Its logarithm to base 10, for those too small for a number.
    pub log10_p_value: f64,
    /// After how many labels the paper looked, if it did.
    pub published_step: Option<usize>,
    /// The paper's p-value.
    pub published_p_value: Option<f64>,
    /// Whether the null hypothesis is rejected at the paper's level, or its opposite.
    pub verdict: Verdict,
    /// The method with the lowest median squared error here.
    pub measured_best: &'static str,
    #[serde(skip)]
    text: String,
}

/// The level at which the paper rejects all of its null hypotheses.
const LEVEL: f64 = 5e-3;

impl Row {
    /// Our p-value, as tables have it.
    pub fn p_value_text(&self) -> &str {
        &self.text
    }

    /// The paper's.
    pub fn published_text(&self) -> String {
        self.published_p_value.map_or_else(|| "-".to_owned(), |p_value| format!("{p_value:.1e}"))
    }
}

/// These rows, as far as their experiments were made.
pub(crate) fn table(asked: &[Asked], experiments: &[ExperimentSummary]) -> Vec<Row> {
    let row = |asked: &Asked| {
        let experiment = experiments.iter().find(|experiment| experiment.name == asked.experiment)?;
        let test = experiment.signed_rank(asked.best, asked.other)?;
        let verdict = if test.p_value <= LEVEL {
            Verdict::Agrees
        } else if test.p_value >= 1.0 - LEVEL {
            Verdict::Differs
        } else {
            Verdict::Undecided
        };
        Some(Row {
            figure: asked.figure,
            set: asked.set,
            experiment: asked.experiment,
            best: asked.best.name,
            other: asked.other.name,
            runs: experiment.runs,
            step: experiment.judged_step(),
            p_value: test.p_value,
            log10_p_value: test.log10_p_value,
            published_step: asked.published.map(|(step, _)| step),
            published_p_value: asked.published.map(|(_, p_value)| p_value),
            verdict,
            measured_best: measured_best(experiment)?,
            text: p_text(&test),
        })
    };
    asked.iter().filter_map(row).collect()
}

/// The method of the paper with the lowest median squared error, among those the paper compares.
fn measured_best(experiment: &ExperimentSummary) -> Option<&'static str> {
    let of_paper = experiment.curves.iter().filter(|summary| {
        // Estimates without weights are there to show their bias.
        let Strategy { origin, estimator, .. } = summary.strategy;
        let biased = estimator == EstimatorKind::Iid && summary.strategy != strategies::UNIFORM;
        origin == Origin::Paper && !biased
    });
    let median = |summary: &&crate::summary::CurveSummary| {
        let step = summary.steps.get(experiment.judged_step() - 1);
        step.map_or(f64::INFINITY, |step| step.median_squared_error)
    };
    let best = of_paper.min_by(|one, other| median(one).total_cmp(&median(other)))?;
    Some(best.strategy.name)
}

const HEADINGS: [&str; 10] = [
    "Figure",
    "Set",
    "Best method",
    "Other method",
    "Runs",
    "Step",
    "p-value",
    "Paper's",
    "At step",
    "Lowest here",
];

fn cells(row: &Row) -> [String; 10] {
    [
        row.figure.to_owned(),
        row.set.to_owned(),
        row.best.to_owned(),
        row.other.to_owned(),
        row.runs.to_string(),
        row.step.to_string(),
        row.p_value_text().to_owned(),
        row.published_text(),
        row.published_step.map_or_else(|| "-".to_owned(), |step| step.to_string()),
        row.measured_best.to_owned(),
    ]
}

/// The table as aligned text.
pub(crate) fn text(rows: &[Row]) -> String {
    let lines: Vec<[String; 10]> =
        std::iter::once(HEADINGS.map(str::to_owned)).chain(rows.iter().map(cells)).collect();
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|column| {
            lines
                .iter()
                .filter_map(|line| line.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |line: &[String; 10]| {
        let padded = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}

/// The table as Markdown.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(HEADINGS.len()));
    line(&HEADINGS.map(str::to_owned)) + &rule + &rows.iter().map(|row| line(&cells(row))).collect::<String>()
}
