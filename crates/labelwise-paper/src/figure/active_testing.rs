//! Figure 1: active testing against uniform sampling.

use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture, synthetic};
use crate::claims::{Claim, Judge};
use crate::panel::{Errors, Squares};
use crate::problem::SyntheticRegression;
use crate::scale::Scale;
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// The text refers to the experiment with a surrogate; the released code plots the model's own variance. Both are here.
pub(super) const FIGURE: Figure = Figure {
    name: "1",
    title: "active testing against uniform sampling",
    jobs: Jobs::Own(jobs),
    illustrated: Some(synthetic::process_on_process),
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-1",
        caption: "A Gaussian process is tested on draws of its own prior, with a Gaussian process as surrogate that is \
            retrained after every label, and with the model's own uncertainty in its place.",
        counted: ACQUIRED,
        columns: 2,
        panels: &[
            Panel { experiment: 0, title: "GP model, GP surrogate", shows: &Errors(&PICTURED) },
            Panel { experiment: 0, title: "the same, squared", shows: &Squares(&CURVES) },
        ],
    }],
    claims,
};

/// A band more would hide the others.
const PICTURED: [Strategy; 2] = [strategies::UNIFORM, strategies::PROCESS];
const CURVES: [Strategy; 3] = [strategies::UNIFORM, strategies::PROCESS, strategies::UNCERTAINTY];

fn jobs(Asked { settings, .. }: Asked) -> Vec<Job> {
    let experiment =
        SyntheticRegression { strategies: CURVES.to_vec(), ..synthetic::process_on_process(settings) };
    vec![Job { experiment: Box::new(experiment), runs: synthetic::REGRESSION_RUNS }]
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let judges = experiments.iter().map(Judge);
    judges
        .flat_map(|judge| [judge.below_uniform(strategies::PROCESS), judge.unbiased(strategies::PROCESS)])
        .collect()
}
