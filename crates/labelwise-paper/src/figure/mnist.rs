//! Figure A.2: a radial Bayesian network on MNIST.

use labelwise_images::Set;

use super::proposals::{radial, runs};
use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::{Costs, ErrorQuantiles, Quantiles};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// Estimates, squared errors and relative labelling cost by predictive entropy.
pub(super) const FIGURE: Figure = Figure {
    name: "a2",
    title: "active testing of a radial BNN on MNIST",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-a2",
        caption: "A radial Bayesian network on MNIST, whose own predictive entropy items are drawn by.",
        counted: ACQUIRED,
        columns: 3,
        panels: &[
            Panel { experiment: 0, title: "(a) median error, 10 % and 90 %", shows: &ErrorQuantiles(&PAIR) },
            Panel { experiment: 0, title: "(b) median, 10 % and 90 %", shows: &Quantiles(&CURVES) },
            Panel { experiment: 0, title: "(c) relative labelling cost", shows: &Costs(&CURVES) },
        ],
    }],
    claims,
};

const PAIR: [Strategy; 2] = [strategies::UNIFORM, strategies::ENTROPY];
const CURVES: [Strategy; 3] = [strategies::UNIFORM, strategies::ENTROPY, strategies::OURS_OWN];

fn jobs(asked: Asked) -> Vec<Job> {
    let mut experiment = radial(asked, "radial-bnn-on-mnist", Set::Mnist);
    // Mutual information and draws without weights are Figure 8's.
    experiment.strategies.retain(|strategy| CURVES.contains(strategy));
    // No draw of these needs more than the mean.
    experiment.models.iter_mut().for_each(|model| model.members = false);
    let paper = runs(asked, Set::Mnist);
    vec![Job { experiment: Box::new(experiment), runs: Runs { smoke: 40, laptop: 400, desk: 8000, paper } }]
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let of = |experiment| {
        let judge = Judge(experiment);
        vec![
            judge.unbiased(strategies::ENTROPY),
            judge.lower(
                "active testing has much lower squared errors",
                strategies::ENTROPY,
                strategies::UNIFORM,
            ),
            judge.below_the_law(strategies::ENTROPY),
            judge.saves("active testing needs fewer labels", strategies::ENTROPY),
            judge.lower(
                "ours: our default beside the paper's recipe, both with own beliefs",
                strategies::OURS_OWN,
                strategies::ENTROPY,
            ),
        ]
    };
    experiments.iter().flat_map(of).collect()
}
