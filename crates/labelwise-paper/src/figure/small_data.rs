//! Figure 4: surrogates of networks that were trained on 250 images.

use labelwise_images::Set;

use super::{ACQUIRED, Asked, Figure, Job, Jobs, Panel, Picture};
use crate::claims::{Claim, Judge};
use crate::panel::Medians;
use crate::problem::{FewImages, Settings};
use crate::recipe::{Network, Training};
use crate::scale::{Runs, Scale};
use crate::strategy::{Strategy, strategies};
use crate::summary::ExperimentSummary;

/// (a): a radial Bayesian network on MNIST.
pub(super) const RADIAL: Figure = Figure {
    name: "4a",
    title: "surrogates for a radial BNN trained on few images of MNIST",
    jobs: Jobs::Own(radial),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-4a",
        caption: "A radial Bayesian network that was trained on few images of MNIST. The network surrogate and the forest are \
            trained again on all labels so far, at first often and then ever less.",
        counted: ACQUIRED,
        columns: 1,
        panels: &[Panel { experiment: 0, title: "radial BNN on MNIST", shows: &Medians(&RADIAL_CURVES) }],
    }],
    claims: radial_claims,
};

/// (b): a ResNet-18 on Fashion-MNIST.
pub(super) const RESIDUAL: Figure = Figure {
    name: "4b",
    title: "surrogates for a ResNet-18 trained on few images of Fashion-MNIST",
    jobs: Jobs::Own(residual),
    illustrated: None,
    scales: &Scale::TRAINED,
    pictures: &[Picture {
        file: "figure-4b",
        caption: "A ResNet-18 that was trained on few images of Fashion-MNIST. The network surrogate and the forest are trained \
            again on all labels so far; the ensemble is trained once, on what the model was trained on.",
        counted: ACQUIRED,
        columns: 1,
        panels: &[Panel {
            experiment: 0,
            title: "ResNet-18 on Fashion-MNIST",
            shows: &Medians(&RESIDUAL_CURVES),
        }],
    }],
    claims: residual_claims,
};

/// The experiments' names, by which other figures find them.
pub(super) const RADIAL_NAME: &str = "radial-bnn-on-mnist-small";
pub(super) const RESIDUAL_NAME: &str = "resnet-on-fashion-mnist-small";

pub(super) const RADIAL_CURVES: [Strategy; 5] = [
    strategies::UNIFORM,
    strategies::ENTROPY,
    strategies::NETWORK,
    strategies::FOREST,
    strategies::OURS_FOREST,
];
pub(super) const RESIDUAL_CURVES: [Strategy; 7] = [
    strategies::UNIFORM,
    strategies::ENTROPY,
    strategies::NETWORK,
    strategies::FOREST,
    strategies::ENSEMBLE,
    strategies::OURS_FOREST,
    strategies::OURS_ENSEMBLE,
];

/// "We retrain the surrogates after acquiring (...) test points."
const SCHEDULE: [usize; 13] = [0, 5, 10, 20, 30, 40, 100, 250, 400, 550, 700, 850, 1000];
/// The released code does so after 50 labels too.
const ALSO_RELEASED: usize = 50;

/// How much of everything.
struct Size {
    train: usize,
    test: usize,
    steps: usize,
    members: usize,
    schedule: Vec<usize>,
}

fn size(asked: Asked) -> Size {
    match asked.scale {
        Scale::Smoke => Size { train: 60, test: 200, steps: 40, members: 2, schedule: vec![0, 10, 20] },
        Scale::Laptop => Size { train: 250, test: 1500, steps: 100, members: 4, schedule: vec![0, 10, 40] },
        Scale::Desk | Scale::Paper | Scale::Published => {
            let mut schedule = SCHEDULE.to_vec();
            if asked.settings == Settings::Released {
                schedule.push(ALSO_RELEASED);
                schedule.sort_unstable();
            }
            Size { train: 250, test: 5000, steps: 1000, members: 5, schedule }
        }
    }
}

/// The experiments of (a) and (b).
pub(super) fn experiments(asked: Asked) -> [FewImages; 2] {
    let (radial, residual) = (asked.networks().small_radial(), asked.networks().small_residual());
    [
        retraining(asked, RADIAL_NAME, Set::Mnist, radial, &RADIAL_CURVES),
        retraining(asked, RESIDUAL_NAME, Set::FashionMnist, residual, &RESIDUAL_CURVES),
    ]
}

fn radial(asked: Asked) -> Vec<Job> {
    let [experiment, _] = experiments(asked);
    vec![Job {
        experiment: Box::new(experiment),
        runs: Runs { smoke: 4, laptop: 60, desk: 160, paper: runs(asked, 1085) },
    }]
}

fn residual(asked: Asked) -> Vec<Job> {
    let [_, experiment] = experiments(asked);
    vec![Job {
        experiment: Box::new(experiment),
        runs: Runs { smoke: 4, laptop: 40, desk: 150, paper: runs(asked, 872) },
    }]
}

/// How many runs there are by the text; the released configurations have 1,000.
fn runs(asked: Asked, text: usize) -> usize {
    if asked.settings == Settings::Released { 1000 } else { text }
}

fn retraining(
    asked: Asked,
    name: &'static str,
    set: Set,
    (network, training): (Network, Training),
    strategies: &[Strategy],
) -> FewImages {
    let Size { train, test, steps, members, schedule } = size(asked);
    let (settings, strategies) = (asked.settings, strategies.to_vec());
    FewImages {
        name,
        set,
        network,
        training,
        train,
        test,
        steps,
        schedule,
        members,
        settings,
        strategies,
        material: None,
    }
}

fn radial_claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    experiments
        .iter()
        .map(Judge)
        .flat_map(|judge| of_radial(&judge, Judge::lower))
        .chain(unbiased(experiments))
        .collect()
}

fn residual_claims(experiments: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    experiments
        .iter()
        .map(Judge)
        .flat_map(|judge| of_residual(&judge, Judge::lower))
        .chain(unbiased(experiments))
        .collect()
}

/// "While not shown, note that all approaches do still obtain unbiased estimates."
fn unbiased(experiments: &[ExperimentSummary]) -> impl Iterator<Item = Option<Claim>> {
    let curves = [strategies::ENTROPY, strategies::NETWORK, strategies::FOREST, strategies::ENSEMBLE];
    experiments.iter().flat_map(move |experiment| curves.map(|curve| Judge(experiment).unbiased(curve)))
}

/// A way to say that the first curve's errors are lower than the second's.
pub(super) type Lower<'a> = fn(&Judge<'a>, &'static str, Strategy, Strategy) -> Option<Claim>;

/// What the paper says of (a).
pub(super) fn of_radial<'a>(judge: &Judge<'a>, lower: Lower<'a>) -> Vec<Option<Claim>> {
    vec![
        lower(
            judge,
            "predictive entropy improves over i.i.d. acquisition",
            strategies::ENTROPY,
            strategies::UNIFORM,
        ),
        lower(
            judge,
            "the retrained surrogate improves over predictive entropy",
            strategies::NETWORK,
            strategies::ENTROPY,
        ),
        lower(judge, "the forest is better than i.i.d. acquisition", strategies::FOREST, strategies::UNIFORM),
        lower(
            judge,
            "the forest does not improve over predictive entropy",
            strategies::ENTROPY,
            strategies::FOREST,
        ),
        lower(
            judge,
            "the retrained surrogate is the best: better than the forest",
            strategies::NETWORK,
            strategies::FOREST,
        ),
        lower(
            judge,
            "ours: our default beside the paper's recipe, both with the forest",
            strategies::OURS_FOREST,
            strategies::FOREST,
        ),
    ]
}

/// What the paper says of (b).
pub(super) fn of_residual<'a>(judge: &Judge<'a>, lower: Lower<'a>) -> Vec<Option<Claim>> {
    vec![
        lower(
            judge,
            "predictive entropy performs worse than i.i.d. acquisition",
            strategies::UNIFORM,
            strategies::ENTROPY,
        ),
        lower(
            judge,
            "the retrained surrogate improves over predictive entropy",
            strategies::NETWORK,
            strategies::ENTROPY,
        ),
        lower(
            judge,
            "the retrained surrogate outperforms i.i.d. acquisition",
            strategies::NETWORK,
            strategies::UNIFORM,
        ),
        lower(judge, "the forest outperforms i.i.d. acquisition", strategies::FOREST, strategies::UNIFORM),
        lower(
            judge,
            "the forest outperforms the retrained surrogate",
            strategies::FOREST,
            strategies::NETWORK,
        ),
        lower(judge, "the forest outperforms the train ensemble", strategies::FOREST, strategies::ENSEMBLE),
        lower(
            judge,
            "the train ensemble outperforms the retrained surrogate",
            strategies::ENSEMBLE,
            strategies::NETWORK,
        ),
        lower(
            judge,
            "ours: our default beside the paper's recipe, both with the forest",
            strategies::OURS_FOREST,
            strategies::FOREST,
        ),
        lower(
            judge,
            "ours: our default beside the paper's recipe, both with the ensemble",
            strategies::OURS_ENSEMBLE,
            strategies::ENSEMBLE,
        ),
    ]
}
