//! Figure 8: the estimator without weights, the best proposal, and mutual information.

use labelwise_images::Set;

use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::{Errors, Medians};
use crate::problem::{FromArchives, Settings};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// A radial Bayesian network on Fashion-MNIST.
pub(super) const FIGURE: Figure = Figure {
    name: "8",
    title: "bias without weights, the best proposal, and mutual information",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-8",
        caption: "A radial Bayesian network on Fashion-MNIST. Left, draws by predictive entropy with and without weights, and \
            draws by the true loss; right, draws by mutual information beside draws by predictive entropy.",
        counted: ACQUIRED,
        columns: 2,
        panels: &[
            Panel { experiment: 0, title: "(a) bias", shows: &Errors(&BIAS) },
            Panel { experiment: 0, title: "(b) mutual information", shows: &Medians(&INFORMATION) },
        ],
    }],
    claims,
};

/// The experiment's name, by which other figures find it.
pub(super) const NAME: &str = "radial-bnn-on-fashion-mnist";

const BIAS: [Strategy; 3] = [strategies::ENTROPY_IID, strategies::ENTROPY, strategies::TRUE_LOSS];
pub(super) const INFORMATION: [Strategy; 4] =
    [strategies::UNIFORM, strategies::INFORMATION, strategies::ENTROPY, strategies::OURS_OWN];

/// The paper's table compares at step 400, "the last displayed acquisition step".
const DISPLAYED: usize = 400;

fn jobs(asked: Asked) -> Vec<Job> {
    let experiment = radial(asked, NAME, Set::FashionMnist);
    let paper = runs(asked, Set::FashionMnist);
    vec![Job { experiment: Box::new(experiment), runs: Runs { smoke: 40, laptop: 400, desk: 8000, paper } }]
}

/// How many runs the paper has. Of Fashion-MNIST the caption has 692 and the appendix 962; the released configurations have
/// 1,000.
pub(super) fn runs(asked: Asked, set: Set) -> usize {
    match (asked.settings, set) {
        (Settings::Released, _) => 1000,
        (Settings::Text, Set::FashionMnist) => 692,
        (Settings::Text, _) => 992,
    }
}

/// Radial networks on both parts of a set, split and trained again: once per run at the paper's scale, and a
/// few times at the others, where runs take turns.
pub(super) fn radial(asked: Asked, name: &'static str, set: Set) -> FromArchives {
    let networks = asked.networks();
    let (models, pool_size, steps) = match asked.scale {
        Scale::Smoke => (2, 200, 60),
        Scale::Laptop => (8, 2000, 400),
        Scale::Desk => (40, 2000, 400),
        Scale::Paper | Scale::Published => (runs(asked, set), 10_000, 1000),
    };
    let models = (0..models as u64).map(|seed| networks.radial(set, seed)).collect();
    let mut experiment = FromArchives::new(name, asked.settings, models);
    (experiment.pool_size, experiment.steps) = (pool_size, steps);
    experiment.judged = steps.min(DISPLAYED)..=steps.min(DISPLAYED);
    experiment.strategies = vec![
        strategies::UNIFORM,
        strategies::ENTROPY,
        strategies::ENTROPY_IID,
        strategies::TRUE_LOSS,
        strategies::INFORMATION,
        strategies::OURS_OWN,
    ];
    experiment
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let of = |experiment| {
        let judge = Judge(experiment);
        let mut claims = vec![
            judge.overestimates(strategies::ENTROPY_IID),
            judge.worse(
                "(a) without weights the error is larger than active testing's",
                strategies::ENTROPY_IID,
                strategies::ENTROPY,
                experiment.judged_step(),
            ),
            judge.unbiased(strategies::ENTROPY),
            judge.exact(strategies::TRUE_LOSS),
        ];
        claims.extend(of_information(&judge, Judge::lower));
        claims
    };
    experiments.iter().flat_map(of).collect()
}

/// What the paper says of (b).
pub(super) fn of_information<'a>(
    judge: &Judge<'a>,
    lower: super::small_data::Lower<'a>,
) -> Vec<Option<Claim>> {
    vec![
        lower(
            judge,
            "predictive entropy outperforms mutual information",
            strategies::ENTROPY,
            strategies::INFORMATION,
        ),
        lower(
            judge,
            "predictive entropy outperforms i.i.d. acquisition",
            strategies::ENTROPY,
            strategies::UNIFORM,
        ),
        lower(
            judge,
            "ours: our default beside the paper's recipe, both with own beliefs",
            strategies::OURS_OWN,
            strategies::ENTROPY,
        ),
    ]
}
