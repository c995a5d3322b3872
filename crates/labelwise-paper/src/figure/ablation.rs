//! Figure 7: diversity and fidelity of the surrogate.

use labelwise_images::Set;

use super::large_scale::test_sets;
use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::Ablation;
use crate::problem::FromArchives;
use crate::recipe::{DEPTHS, Family, OTHERS, Recipe, published};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, ablations, strategies};
use crate::summary::ExperimentSummary;

/// A ResNet-18 on CIFAR-10 with ensembles of one to five ResNets of 18, 34 and 50 layers as surrogates.
pub(super) const FIGURE: Figure = Figure {
    name: "7",
    title: "diversity and fidelity of ensembles as surrogates",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    scales: &Scale::ALL,
    pictures: &[Picture {
        file: "figure-7",
        caption: "A ResNet-18 on CIFAR-10, tested with ensembles of one to five ResNets of 18, 34 and 50 layers as surrogates: \
            median squared errors over those of uniform sampling, lower ones blue and higher ones orange. Above by the paper's \
            recipe, below with labelwise's default proposal and estimator. At scale published the rows are networks of one \
            architecture and three depths, to which columns add networks of other architectures.",
        counted: ACQUIRED,
        columns: 1,
        panels: &[
            Panel {
                experiment: 0,
                title: "(a) expected loss, R̂_{LURE}",
                shows: &Ablation(&[ablations::ABLATION, ablations::ABLATION_PUBLISHED]),
            },
            Panel {
                experiment: 0,
                title: "(b) labelwise's default",
                shows: &Ablation(&[ablations::ABLATION_OURS, ablations::ABLATION_PUBLISHED_OURS]),
            },
        ],
    }],
    claims,
};

const FAMILIES: [Family; 3] = [Family::ResNet18, Family::ResNet34, Family::ResNet50];

fn jobs(asked: Asked) -> Vec<Job> {
    let (model, ensembles, tables) = match asked.scale {
        Scale::Published => given(),
        Scale::Smoke | Scale::Laptop | Scale::Desk | Scale::Paper => trained(asked),
    };
    let mut experiment = FromArchives::new("ablation-on-cifar-10", asked.settings, vec![model]);
    experiment.ensembles = ensembles;
    experiment.pool_size = test_sets(asked).0;
    // "We report average values over acquisition steps 100-200."
    (experiment.steps, experiment.judged) = match asked.scale {
        Scale::Smoke => (60, 30..=60),
        Scale::Laptop | Scale::Desk | Scale::Paper | Scale::Published => (200, 100..=200),
    };
    experiment.strategies = vec![strategies::UNIFORM];
    let pairs = tables.0.iter().flatten().zip(tables.1.iter().flatten());
    experiment.strategies.extend(pairs.flat_map(|(theirs, ours)| [*theirs, *ours]));
    vec![Job {
        experiment: Box::new(experiment),
        runs: Runs { smoke: 40, laptop: 1000, desk: 10_000, paper: 1000 },
    }]
}

/// The network under test, the ensembles row after row, and the strategies that follow them: the paper's and ours.
type Tables = (Recipe, Vec<Vec<Recipe>>, (Table, Table));
/// One row for each depth.
type Table = [[Strategy; 4]; 3];

/// Networks that are trained here: ensembles of one to five of each depth.
fn trained(asked: Asked) -> Tables {
    let networks = asked.networks();
    let member = |family| networks.residual(Set::Cifar10, family);
    let ensemble = |member: &Recipe, size: usize| (1..=size as u64).map(|seed| member.seeded(seed)).collect();
    let row = |family| ablations::SIZES.map(|size| ensemble(&member(family), size));
    let tables = (ablations::ABLATION, ablations::ABLATION_OURS);
    (member(Family::ResNet18), FAMILIES.into_iter().flat_map(row).collect(), tables)
}

/// Networks that others trained: three depths of one architecture, alone and with networks of other architectures.
fn given() -> Tables {
    let (model, surrogates) = published(Set::Cifar10);
    let (depths, others) = surrogates.split_at(DEPTHS);
    let row = |depth: &Recipe| {
        let first = depth.clone();
        (0..=OTHERS).map(move |more| {
            std::iter::once(&first).chain(others.iter().take(more)).cloned().collect::<Vec<Recipe>>()
        })
    };
    let tables = (ablations::ABLATION_PUBLISHED, ablations::ABLATION_PUBLISHED_OURS);
    (model, depths.iter().flat_map(|depth| row(depth).collect::<Vec<_>>()).collect(), tables)
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    experiments
        .iter()
        .flat_map(|experiment| of_trained(experiment).into_iter().chain(of_given(experiment)))
        .collect()
}

/// What the paper says, of networks that others trained.
fn of_given(experiment: &ExperimentSummary) -> Vec<Option<Claim>> {
    let [[shallow, _, _, shallow_and_others], _, [deep, _, _, deep_and_others]] =
        ablations::ABLATION_PUBLISHED;
    let [_, _, [_, _, _, ours]] = ablations::ABLATION_PUBLISHED_OURS;
    let judge = Judge(experiment);
    vec![
        judge.lower(
            "the deepest network and three others beat the shallowest network alone",
            deep_and_others,
            shallow,
        ),
        judge.lower(
            "more diversity helps: the shallowest network and three others beat it alone",
            shallow_and_others,
            shallow,
        ),
        judge.lower("more fidelity helps: the deepest network beats the shallowest one", deep, shallow),
        judge.lower(
            "diversity helps more than fidelity: the shallowest and three others beat the deepest alone",
            shallow_and_others,
            deep,
        ),
        judge.lower("the shallowest network beats i.i.d. acquisition", shallow, strategies::UNIFORM),
        judge.lower(
            "ours: our default beside the paper's recipe, both with the deepest network and three others",
            ours,
            deep_and_others,
        ),
    ]
}

fn of_trained(experiment: &ExperimentSummary) -> Vec<Option<Claim>> {
    let [[one_18, _, _, five_18], _, [one_50, _, _, five_50]] = ablations::ABLATION;
    let [_, _, [_, _, _, ours_50]] = ablations::ABLATION_OURS;
    let judge = Judge(experiment);
    vec![
        judge.lower("the largest ensemble of the deepest networks beats a single ResNet-18", five_50, one_18),
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
}
