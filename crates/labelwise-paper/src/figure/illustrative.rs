//! Figure 2: one step of active testing.

use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture, synthetic};
use crate::claims::Claim;
use crate::panel::{StepData, StepLoss};
use crate::scale::Scale;
use crate::summary::ExperimentSummary;

/// A model trained on five points, four test points observed. Nothing is repeated here; the page with the picture goes
/// through all steps.
pub(super) const FIGURE: Figure = Figure {
    name: "2",
    title: "one step: true and estimated loss, and the next draw",
    jobs: Jobs::Own(jobs),
    illustrated: Some(synthetic::process_on_process),
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-2",
        caption: "One step of active testing: the next point is drawn in proportion to the loss that the surrogate expects.",
        counted: ACQUIRED,
        columns: 2,
        panels: &[
            Panel { experiment: 0, title: "(a) data, model and observed points", shows: &StepData },
            Panel { experiment: 0, title: "(b) true and estimated loss", shows: &StepLoss },
        ],
    }],
    claims,
};

fn jobs(_: Asked) -> Vec<Job> {
    Vec::new()
}

fn claims(_: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    Vec::new()
}
