//! Figure A.1: active testing on synthetic data, all five columns.

use super::synthetic::{self, BANDS, FOREST, FOREST_BANDS, LINEAR, PROCESS};
use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::panel::{Data, Errors, Squares};
use crate::scale::Scale;

/// Columns 1, 4 and 5 are those of Figure 3; the third row is ours.
pub(super) const FIGURE: Figure = Figure {
    name: "a1",
    title: "active testing on synthetic data, all five columns",
    jobs: Jobs::Own(jobs),
    illustrated: Some(synthetic::process_on_process),
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-a1",
        caption: "Each column is a combination of model, surrogate and data: a Gaussian process (GP) on draws of its own \
            prior, on x², and on a sinusoid that is sampled sparsely on the left; a linear model on x²; a random forest \
            (RF) on two moons. R̂<sub>REG</sub> is labelwise's default: its own proposal with regression LURE.",
        counted: ACQUIRED,
        columns: 5,
        panels: &[
            Panel { experiment: 0, title: "(1) GP/GP/GP prior", shows: &Data },
            Panel { experiment: 1, title: "(2) GP/GP/quadratic", shows: &Data },
            Panel { experiment: 2, title: "(3) GP/GP/sinusoidal", shows: &Data },
            Panel { experiment: 3, title: "(4) linear/GP/quadratic", shows: &Data },
            Panel { experiment: 4, title: "(5) RF/RF/two moons", shows: &Data },
            Panel { experiment: 0, title: "", shows: &Errors(&BANDS) },
            Panel { experiment: 1, title: "", shows: &Errors(&BANDS) },
            Panel { experiment: 2, title: "", shows: &Errors(&BANDS) },
            Panel { experiment: 3, title: "", shows: &Errors(&BANDS) },
            Panel { experiment: 4, title: "", shows: &Errors(&FOREST_BANDS) },
            Panel { experiment: 0, title: "", shows: &Squares(&PROCESS) },
            Panel { experiment: 1, title: "", shows: &Squares(&PROCESS) },
            Panel { experiment: 2, title: "", shows: &Squares(&PROCESS) },
            Panel { experiment: 3, title: "", shows: &Squares(&LINEAR) },
            Panel { experiment: 4, title: "", shows: &Squares(&FOREST) },
        ],
    }],
    claims: synthetic::claims,
};

fn jobs(Asked { settings, acquisitions, .. }: Asked) -> Vec<Job> {
    let regressions = [
        synthetic::process_on_process(settings),
        synthetic::process_on_quadratic(settings),
        synthetic::process_on_sinusoid(settings),
        synthetic::linear_on_quadratic(settings),
    ];
    let mut jobs: Vec<Job> = regressions.into_iter().map(synthetic::regression_job).collect();
    jobs.push(synthetic::forest_job(settings, acquisitions));
    jobs
}
