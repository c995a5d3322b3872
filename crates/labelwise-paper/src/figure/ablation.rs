//! Figure 7: diversity and fidelity of the surrogate.

use labelwise_images::Set;

use super::large_scale::test_sets;
use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::Ablation;
use crate::problem::FromArchives;
use crate::recipe::Family;
use crate::scale::{Runs, Scale};
use crate::strategy::strategies;
use crate::summary::ExperimentSummary;

/// A ResNet-18 on CIFAR-10 with ensembles of one to five ResNets of 18, 34 and 50 layers as surrogates.
pub(super) const FIGURE: Figure = Figure {
    name: "7",
    title: "diversity and fidelity of ensembles as surrogates",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    pictures: &[Picture {
        file: "figure-7",
        caption: "A ResNet-18 on CIFAR-10, tested with ensembles of one to five ResNets of 18, 34 and 50 layers as surrogates: \
            median squared errors over those of uniform sampling, lower ones blue and higher ones orange. Above by the paper's \
            recipe, below with labelwise's default proposal and estimator.",
        counted: ACQUIRED,
        columns: 1,
        panels: &[
            Panel {
                experiment: 0,
                title: "(a) expected loss, R̂_{LURE}",
                shows: &Ablation(&strategies::ABLATION),
            },
            Panel {
                experiment: 0,
                title: "(b) labelwise's default",
                shows: &Ablation(&strategies::ABLATION_OURS),
            },
        ],
    }],
    claims,
};

const FAMILIES: [Family; 3] = [Family::ResNet18, Family::ResNet34, Family::ResNet50];

fn jobs(asked: Asked) -> Vec<Job> {
    let networks = asked.networks();
    let model = networks.residual(Set::Cifar10, Family::ResNet18);
    let mut experiment = FromArchives::new("ablation-on-cifar-10", asked.settings, vec![model]);
    experiment.pool_size = test_sets(asked).0;
    // "We report average values over acquisition steps 100-200."
    (experiment.steps, experiment.judged) = match asked.scale {
        Scale::Smoke => (60, 30..=60),
        Scale::Laptop | Scale::Paper => (200, 100..=200),
    };
    experiment.strategies = vec![strategies::UNIFORM];
    for (family, (theirs, ours)) in
        FAMILIES.into_iter().zip(strategies::ABLATION.iter().zip(&strategies::ABLATION_OURS))
    {
        let member = networks.residual(Set::Cifar10, family);
        for (size, (theirs, ours)) in strategies::SIZES.into_iter().zip(theirs.iter().zip(ours)) {
            experiment.ensembles.push((1..=size as u64).map(|seed| member.seeded(seed)).collect());
            experiment.strategies.extend([*theirs, *ours]);
        }
    }
    vec![Job { experiment: Box::new(experiment), runs: Runs { smoke: 40, laptop: 1000, paper: 1000 } }]
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let [[one_18, _, _, five_18], _, [one_50, _, _, five_50]] = strategies::ABLATION;
    let [_, _, [_, _, _, ours_50]] = strategies::ABLATION_OURS;
    let of = |experiment| {
        let judge = Judge(experiment);
        vec![
            judge.lower(
                "the largest ensemble of the deepest networks beats a single ResNet-18",
                five_50,
                one_18,
            ),
            judge.lower("more diversity helps: five ResNet-18s beat one", five_18, one_18),
            judge.lower("more fidelity helps: a ResNet-50 beats a ResNet-18", one_50, one_18),
            judge.lower(
                "diversity helps more than fidelity: five ResNet-18s beat one ResNet-50",
                five_18,
                one_50,
            ),
            judge.lower("a single ResNet-18 beats i.i.d. acquisition", one_18, strategies::UNIFORM),
            judge.lower(
                "ours: our default beside the paper's recipe, both with five ResNet-50s",
                ours_50,
                five_50,
            ),
        ]
    };
    experiments.iter().flat_map(of).collect()
}
