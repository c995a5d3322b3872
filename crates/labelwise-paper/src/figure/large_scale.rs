//! Figure 6: active testing of networks that were trained on whole sets.

use labelwise_images::Set;

use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::AllSets;
use crate::problem::{FromArchives, Scored, Settings};
use crate::recipe::{Family, Recipe, published};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// Random test sets of three sets of images; ensembles that were trained once are the surrogates.
pub(super) const FIGURE: Figure = Figure {
    name: "6",
    title: "active testing of networks trained on whole sets",
    jobs: Jobs::Own(jobs),
    illustrated: None,
    scales: &Scale::ALL,
    pictures: &[Picture {
        file: "figure-6",
        caption: "A WideResNet on CIFAR-100, ResNet-18s on CIFAR-10 and Fashion-MNIST, each with an ensemble of networks of \
            its own kind as surrogate, on random test sets. At scale published, networks that others trained, as the list \
            of archives names them, on CIFAR-100 and CIFAR-10.",
        counted: ACQUIRED,
        columns: 2,
        panels: &[
            Panel { experiment: 0, title: "(a) squared errors", shows: &AllSets::Medians },
            Panel { experiment: 0, title: "(b) relative labelling cost", shows: &AllSets::Costs },
        ],
    }],
    claims,
};

/// The experiments' names, by which other figures find them.
pub(super) const CIFAR_100: &str = "wide-resnet-on-cifar-100";
pub(super) const CIFAR_10: &str = "resnet-on-cifar-10";
pub(super) const FASHION: &str = "resnet-on-fashion-mnist";
pub(super) const ACCURACY: &str = "accuracy-on-cifar-10";

/// What is followed.
const STRATEGIES: [Strategy; 4] =
    [strategies::UNIFORM, strategies::ENTROPY, strategies::ENSEMBLE, strategies::OURS_ENSEMBLE];

/// How large random test sets are, and how many labels are acquired.
pub(super) fn test_sets(asked: Asked) -> (usize, usize) {
    match (asked.scale, asked.settings) {
        (Scale::Smoke, _) => (200, 60),
        (_, Settings::Text) => (1000, 500),
        // A share of 0.0166666666 of 60,000 items, rounded down.
        (_, Settings::Released) => (999, 500),
    }
}

fn jobs(asked: Asked) -> Vec<Job> {
    let on = |name: &'static str, scored: Scored, (model, ensemble): (Recipe, Vec<Recipe>)| {
        let mut experiment = FromArchives::new(name, asked.settings, vec![model]);
        (experiment.pool_size, experiment.steps) = test_sets(asked);
        experiment.judged = experiment.steps..=experiment.steps;
        experiment.ensembles = vec![ensemble];
        experiment.strategies = STRATEGIES.to_vec();
        experiment.scored = scored;
        // The released configuration of accuracy has 3,000 runs.
        let released = asked.settings == Settings::Released && scored == Scored::Accuracy;
        let runs = Runs { smoke: 40, laptop: 1000, desk: 1000, paper: if released { 3000 } else { 1000 } };
        Job { experiment: Box::new(experiment), runs }
    };
    let mut jobs = vec![
        on(CIFAR_100, Scored::CrossEntropy, networks(asked, Set::Cifar100)),
        on(CIFAR_10, Scored::CrossEntropy, networks(asked, Set::Cifar10)),
    ];
    // Of Fashion-MNIST nobody publishes networks.
    if asked.scale != Scale::Published {
        jobs.push(on(FASHION, Scored::CrossEntropy, networks(asked, Set::FashionMnist)));
    }
    jobs.push(on(ACCURACY, Scored::Accuracy, networks(asked, Set::Cifar10)));
    jobs
}

/// The network under test on a set, and the ensemble beside it.
fn networks(asked: Asked, set: Set) -> (Recipe, Vec<Recipe>) {
    // Three members at scale laptop, where a WideResNet takes long to train.
    let (laptop, paper) = match set {
        Set::Cifar100 => (3, 10),
        Set::Cifar10 => (5, 5),
        Set::Mnist | Set::FashionMnist => (5, 10),
    };
    let members = match asked.scale {
        Scale::Smoke => 2,
        Scale::Laptop => laptop,
        Scale::Desk | Scale::Paper => paper,
        Scale::Published => {
            let (model, mut surrogates) = published(set);
            surrogates.truncate(paper);
            return (model, surrogates);
        }
    };
    let networks = asked.networks();
    let model = match set {
        Set::Cifar100 => networks.wide(),
        _ => networks.residual(set, Family::ResNet18),
    };
    let ensemble = (1..=members as u64).map(|seed| model.seeded(seed)).collect();
    (model, ensemble)
}

fn claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    let mut claims = Vec::new();
    for experiment in experiments {
        let judge = Judge(experiment);
        claims.extend(of_set(&judge, Judge::lower));
        claims.push(judge.below_the_law(strategies::ENSEMBLE));
        claims.push(judge.unbiased(strategies::ENSEMBLE));
        let (claim, cost) = match experiment.name {
            CIFAR_100 => ("half of the labels do as well as uniform sampling", 0.5),
            ACCURACY => {
                ("gains are similar when accuracy is estimated: a quarter of the labels does as well", 0.25)
            }
            _ => ("a quarter of the labels does as well as uniform sampling", 0.25),
        };
        claims.push(judge.cost(claim, strategies::ENSEMBLE, cost));
    }
    claims
}

/// What the paper says of each set.
pub(super) fn of_set<'a>(judge: &Judge<'a>, lower: super::small_data::Lower<'a>) -> Vec<Option<Claim>> {
    vec![
        lower(
            judge,
            "active testing has lower squared errors than i.i.d. acquisition",
            strategies::ENSEMBLE,
            strategies::UNIFORM,
        ),
        lower(
            judge,
            "the ensemble improves over predictive entropy",
            strategies::ENSEMBLE,
            strategies::ENTROPY,
        ),
        lower(
            judge,
            "ours: our default beside the paper's recipe, both with the ensemble",
            strategies::OURS_ENSEMBLE,
            strategies::ENSEMBLE,
        ),
    ]
}
