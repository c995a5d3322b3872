//! Strategies of later work on the paper's synthetic problems: active surrogate estimation and the Thompson ensemble.

use super::synthetic::{REGRESSION_RUNS, process_on_process};
use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::{Errors, Squares};
use crate::problem::{SyntheticRegression, TwoMoons};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// Both beside the paper's recipe with the same surrogate.
pub(super) const FIGURE: Figure = Figure {
    name: "beyond",
    title: "active surrogate estimation and the Thompson ensemble",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-beyond",
        caption: "Two strategies of later work on the problems of Figure 3 (a) and (c). R̂<sub>ASE</sub> has no weights: labelled \
            points count with their losses, and all others with what the surrogate expects of them, so that it is as good or as \
            biased as the surrogate. The Thompson ensemble retrains another family of surrogates after every label.",
        counted: ACQUIRED,
        columns: 2,
        panels: &[
            Panel { experiment: 0, title: "(a) GP/GP/GP prior, bias and spread", shows: &Errors(&BIASED) },
            Panel { experiment: 0, title: "(b) the same, squared", shows: &Squares(&REGRESSION) },
            Panel {
                experiment: 1,
                title: "(c) RF/RF/two moons, bias and spread",
                shows: &Errors(&FOREST_BIASED),
            },
            Panel { experiment: 1, title: "(d) the same, squared", shows: &Squares(&MOONS) },
        ],
    }],
    claims,
};

const BIASED: [Strategy; 3] = [strategies::UNIFORM, strategies::PROCESS, strategies::ASE_PROCESS];
const REGRESSION: [Strategy; 4] =
    [strategies::UNIFORM, strategies::PROCESS, strategies::ASE_PROCESS, strategies::OURS];
const FOREST_BIASED: [Strategy; 3] = [strategies::UNIFORM, strategies::FOREST, strategies::ASE_FOREST];
const MOONS: [Strategy; 5] = [
    strategies::UNIFORM,
    strategies::FOREST,
    strategies::ASE_FOREST,
    strategies::VARIED,
    strategies::OURS_MOONS,
];

/// Number of labels on two moons.
const STEPS: usize = 50;

fn jobs(Asked { settings, .. }: Asked) -> Vec<Job> {
    let process = SyntheticRegression { strategies: REGRESSION.to_vec(), ..process_on_process(settings) };
    let moons =
        TwoMoons { moons: TwoMoons::moons(settings), steps: STEPS, settings, strategies: MOONS.to_vec() };
    vec![
        Job { experiment: Box::new(process), runs: REGRESSION_RUNS },
        Job { experiment: Box::new(moons), runs: Runs { smoke: 24, laptop: 250, desk: 2500, paper: 2500 } },
    ]
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let [process, moons] = experiments else { return Vec::new() };
    let (process, moons) = (Judge(process), Judge(moons));
    vec![
        process.biased(strategies::ASE_PROCESS),
        process.below_uniform(strategies::ASE_PROCESS),
        moons.biased(strategies::ASE_FOREST),
        moons.unbiased(strategies::VARIED),
        moons.below_uniform_by_median(strategies::VARIED),
    ]
}
