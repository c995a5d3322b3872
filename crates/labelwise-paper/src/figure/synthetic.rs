//! Figure 3: active testing on synthetic data.

use super::{ACQUIRED, Acquisitions, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::data::Function;
use crate::panel::{Data, Errors, Squares};
use crate::problem::{RegressionModel, Settings, SyntheticRegression, TwoMoons};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// Three combinations of model, surrogate and data; the middle column is ours.
pub(super) const FIGURE: Figure = Figure {
    name: "3",
    title: "active testing on synthetic data",
    jobs: Jobs::Own(jobs),
    illustrated: Some(process_on_process),
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-3",
        caption: "Each row is a combination of model, surrogate and data: (a) a Gaussian process (GP) tested on draws of \
            its own prior, (b) a linear model on quadratic data, both with a GP as surrogate, (c) a random forest (RF) \
            on two moons with a forest as surrogate. Surrogates are retrained after every label. R̂<sub>REG</sub> is \
            labelwise's default: its own proposal with regression LURE.",
        counted: ACQUIRED,
        columns: 3,
        panels: &[
            Panel { experiment: 0, title: "(a) GP/GP/GP prior", shows: &Errors(&BANDS) },
            Panel { experiment: 0, title: "the same, squared", shows: &Squares(&PROCESS) },
            Panel { experiment: 0, title: "example data", shows: &Data },
            Panel { experiment: 1, title: "(b) linear/GP/quadratic", shows: &Errors(&BANDS) },
            Panel { experiment: 1, title: "the same, squared", shows: &Squares(&LINEAR) },
            Panel { experiment: 1, title: "example data", shows: &Data },
            Panel { experiment: 2, title: "(c) RF/RF/two moons", shows: &Errors(&FOREST_BANDS) },
            Panel { experiment: 2, title: "the same, squared", shows: &Squares(&FOREST) },
            Panel { experiment: 2, title: "example data", shows: &Data },
        ],
    }],
    claims,
};

/// What the panels with bands show: more bands would hide one another.
pub(super) const BANDS: [Strategy; 3] = [strategies::UNIFORM, strategies::PROCESS, strategies::TRUE_LOSS];
pub(super) const FOREST_BANDS: [Strategy; 3] =
    [strategies::UNIFORM, strategies::FOREST, strategies::TRUE_LOSS];
/// What the panels on logarithmic axes show.
pub(super) const PROCESS: [Strategy; 6] = [
    strategies::UNIFORM,
    strategies::DISTANCE,
    strategies::UNCERTAINTY,
    strategies::PROCESS,
    strategies::PROCESS_IID,
    strategies::OURS,
];
pub(super) const LINEAR: [Strategy; 5] = [
    strategies::UNIFORM,
    strategies::DISTANCE,
    strategies::PROCESS,
    strategies::PROCESS_IID,
    strategies::OURS,
];
pub(super) const FOREST: [Strategy; 6] = [
    strategies::UNIFORM,
    strategies::DISTANCE,
    strategies::ENTROPY,
    strategies::FOREST,
    strategies::FOREST_IID,
    strategies::OURS_MOONS,
];

/// What is followed with a model that has an uncertainty of its own.
const REGRESSION: [Strategy; 7] = [
    strategies::UNIFORM,
    strategies::DISTANCE,
    strategies::UNCERTAINTY,
    strategies::PROCESS,
    strategies::PROCESS_IID,
    strategies::TRUE_LOSS,
    strategies::OURS,
];

/// The paper's 5,000 runs.
pub(super) const REGRESSION_RUNS: Runs = Runs { smoke: 200, laptop: 1000, desk: 5000, paper: 5000 };
/// The paper's 2,500 runs.
const FOREST_RUNS: Runs = Runs { smoke: 24, laptop: 250, desk: 2500, paper: 2500 };
/// As far as the paper's axis goes.
const FIRST: usize = 50;

fn jobs(Asked { settings, acquisitions, .. }: Asked) -> Vec<Job> {
    let regressions = [process_on_process(settings), linear_on_quadratic(settings)];
    let mut jobs: Vec<Job> = regressions.into_iter().map(regression_job).collect();
    jobs.push(forest_job(settings, acquisitions));
    jobs
}

pub(super) fn regression_job(experiment: SyntheticRegression) -> Job {
    Job { experiment: Box::new(experiment), runs: REGRESSION_RUNS }
}

pub(super) fn forest_job(settings: Settings, acquisitions: Acquisitions) -> Job {
    let moons = TwoMoons::moons(settings);
    let steps = match acquisitions {
        Acquisitions::First50 => FIRST,
        Acquisitions::All => moons.points - moons.train,
    };
    let strategies = [&FOREST[..], &[strategies::TRUE_LOSS]].concat();
    Job { experiment: Box::new(TwoMoons { moons, steps, settings, strategies }), runs: FOREST_RUNS }
}

/// Column 1 of Figure A.1.
pub(super) fn process_on_process(settings: Settings) -> SyntheticRegression {
    let (function, model) = (Function::GaussianProcess, RegressionModel::GaussianProcess);
    regressing("gp-on-gp", function, model, settings)
}

/// Column 2.
pub(super) fn process_on_quadratic(settings: Settings) -> SyntheticRegression {
    regressing("gp-on-quadratic", Function::Quadratic, RegressionModel::GaussianProcess, settings)
}

/// Column 3.
pub(super) fn process_on_sinusoid(settings: Settings) -> SyntheticRegression {
    regressing("gp-on-sinusoid", Function::Sinusoid, RegressionModel::GaussianProcess, settings)
}

/// Column 4.
pub(super) fn linear_on_quadratic(settings: Settings) -> SyntheticRegression {
    let linear = regressing("linear-on-quadratic", Function::Quadratic, RegressionModel::Linear, settings);
    // A linear model has no uncertainty to draw by.
    SyntheticRegression { strategies: [&LINEAR[..], &[strategies::TRUE_LOSS]].concat(), ..linear }
}

fn regressing(
    name: &'static str,
    function: Function,
    model: RegressionModel,
    settings: Settings,
) -> SyntheticRegression {
    SyntheticRegression {
        name,
        function,
        model,
        points: 50,
        train: 5,
        settings,
        strategies: REGRESSION.to_vec(),
    }
}

pub(super) fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    experiments.iter().flat_map(judged).collect()
}

fn judged(experiment: &ExperimentSummary) -> Vec<Option<Claim>> {
    let judge = Judge(experiment);
    if experiment.curve(strategies::FOREST).is_some() {
        return vec![
            judge.below_uniform(strategies::FOREST),
            judge.below_uniform_by_median(strategies::FOREST),
            judge.unbiased(strategies::FOREST),
            judge.exact(strategies::TRUE_LOSS),
            judge.biased(strategies::FOREST_IID),
        ];
    }
    let five = (experiment.name == "gp-on-gp").then(|| judge.five_equal_forty(strategies::PROCESS)).flatten();
    vec![
        five,
        judge.below_uniform(strategies::PROCESS),
        judge.unbiased(strategies::PROCESS),
        judge.exact(strategies::TRUE_LOSS),
        judge.biased(strategies::PROCESS_IID),
    ]
}
