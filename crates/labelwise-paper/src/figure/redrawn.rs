//! Figures A.3, A.4 and A.5: the runs of Figures 4, 6 and 8 by the mean of the logarithm of the squared error, with its
//! standard error.

use super::{ACQUIRED, Figure, Jobs, Panel, Picture, large_scale, proposals, small_data};
use crate::claims::{Claim, Judge};
use crate::panel::{AllSets, MeanLogs};
use crate::scale::Scale;
use crate::summary::ExperimentSummary;

/// Figure A.3, of Figure 4.
pub(super) const SMALL_DATA: Figure = Figure {
    name: "a3",
    title: "Figure 4 by the mean of the log squared error",
    jobs: Jobs::Of(&["4a", "4b"]),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-a3",
        caption: "The runs of Figure 4.",
        counted: ACQUIRED,
        columns: 2,
        panels: &[
            Panel {
                experiment: 0,
                title: "(a) radial BNN on MNIST",
                shows: &MeanLogs(&small_data::RADIAL_CURVES),
            },
            Panel {
                experiment: 1,
                title: "(b) ResNet-18 on Fashion-MNIST",
                shows: &MeanLogs(&small_data::RESIDUAL_CURVES),
            },
        ],
    }],
    claims: of_small_data,
};

/// Figure A.4, of Figure 6 a.
pub(super) const LARGE_SCALE: Figure = Figure {
    name: "a4",
    title: "Figure 6 (a) by the mean of the log squared error",
    jobs: Jobs::Of(&["6"]),
    illustrated: None,
    scales: &Scale::ALL,
    pictures: &[Picture {
        file: "figure-a4",
        caption: "The runs of Figure 6.",
        counted: ACQUIRED,
        columns: 1,
        panels: &[Panel { experiment: 0, title: "", shows: &AllSets::MeanLogs }],
    }],
    claims: of_large_scale,
};

/// Figure A.5, of Figure 8 b.
pub(super) const PROPOSALS: Figure = Figure {
    name: "a5",
    title: "Figure 8 (b) by the mean of the log squared error",
    jobs: Jobs::Of(&["8"]),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-a5",
        caption: "The runs of Figure 8.",
        counted: ACQUIRED,
        columns: 1,
        panels: &[Panel { experiment: 0, title: "", shows: &MeanLogs(&proposals::INFORMATION) }],
    }],
    claims: of_proposals,
};

/// "All conclusions from the main body of the paper continue to hold for the mean-based visualization."
fn of_small_data(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let of = |experiment: &ExperimentSummary| match experiment.name {
        small_data::RADIAL_NAME => small_data::of_radial(&Judge(experiment), Judge::lower_by_mean_log),
        _ => small_data::of_residual(&Judge(experiment), Judge::lower_by_mean_log),
    };
    experiments.iter().flat_map(of).collect()
}

fn of_large_scale(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let shown = experiments.iter().filter(|experiment| experiment.name != large_scale::ACCURACY);
    shown.flat_map(|experiment| large_scale::of_set(&Judge(experiment), Judge::lower_by_mean_log)).collect()
}

fn of_proposals(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let of = |experiment| proposals::of_information(&Judge(experiment), Judge::lower_by_mean_log);
    experiments.iter().flat_map(of).collect()
}
