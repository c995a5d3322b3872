//! The paper's settings, as its appendix has them.

use std::collections::BTreeMap;

use labelwise_images::Set;
use labelwise_paper::Scale;
use labelwise_paper::figure::{Acquisitions, FIGURES, figure, small_data_experiments};
use labelwise_paper::problem::Settings;
use labelwise_paper::recipe::{Family, Kind, Network, Optimiser, Rate, Recipe, Split, Training};

/// "We use a learning rate of 0.1, weight decay of 5e-4, and momentum of 0.9 with an SGD optimizer."
const SGD: Optimiser = Optimiser::Sgd { rate: 0.1, momentum: 0.9, weight_decay: 5e-4, nesterov: false };
/// "We use a learning rate of 1e-4 and weight decay of 1e-4 with the ADAM optimizer."
const ADAM: Optimiser = Optimiser::Adam { rate: 1e-4, weight_decay: 1e-4 };

fn recipes(name: &str, settings: Settings) -> Vec<Recipe> {
    figure(name).unwrap().recipes(settings, Scale::Paper)
}

fn of(recipes: &[Recipe], set: Set) -> Vec<&Recipe> {
    recipes.iter().filter(|recipe| recipe.set == set).collect()
}

#[test]
fn the_paper_s_large_networks_are_those_of_the_appendix() {
    let all = recipes("6", Settings::Text);
    let counts = [Set::Cifar100, Set::Cifar10, Set::FashionMnist].map(|set| of(&all, set).len());
    // The model and its ensemble: 10 WideResNets, 5 ResNets for CIFAR-10, 10 for Fashion-MNIST.
    assert_eq!(counts, [11, 6, 11]);
    let wide = of(&all, Set::Cifar100)[0];
    assert_eq!((wide.training.epochs, wide.training.patience, wide.training.validation), (200, None, 2560));
    assert_eq!(wide.training.rate, Rate::Steps { at: vec![60, 120, 160], factor: 0.2 });
    for set in [Set::Cifar10, Set::FashionMnist] {
        let recipe = of(&all, set)[0];
        assert_eq!((recipe.training.optimiser, &recipe.training.rate), (SGD, &Rate::Cosine));
        assert_eq!((recipe.training.epochs, recipe.training.patience), (30, Some(5)));
        assert_eq!(recipe.training.validation, 2560);
        assert_eq!((recipe.split.train, recipe.split.test, recipe.training.batch), (50_000, 10_000, 128));
        assert_eq!((recipe.network.family, recipe.network.width), (Family::ResNet18, 1.0));
        assert_eq!(recipe.training.augmented, set == Set::Cifar10);
    }
    let released = recipes("6", Settings::Released);
    assert_eq!(of(&released, Set::Cifar10)[0].training.validation, 2000);
    assert!(of(&released, Set::FashionMnist)[0].training.augmented);
}

#[test]
fn the_losses_of_the_paper_are_those_of_a_resnet_beside_fifteen_others() {
    let all = recipes("5", Settings::Text);
    assert!(all.iter().map(|recipe| recipe.seed).eq(0..16));
    let expected = Recipe {
        set: Set::Cifar100,
        split: Split { kind: Kind::Original, train: 50_000, test: 10_000, seed: 0 },
        network: Network { family: Family::ResNet18, width: 1.0 },
        training: Training {
            optimiser: SGD,
            rate: Rate::Cosine,
            batch: 128,
            epochs: 30,
            patience: Some(5),
            validation: 2560,
            augmented: true,
        },
        seed: 0,
        bits: 24,
        members: false,
    };
    for recipe in &all {
        assert_eq!(*recipe, expected.seeded(recipe.seed));
    }
}

#[test]
fn the_paper_s_small_networks_learn_from_250_images_and_again_as_labels_come_in() {
    let [radial, residual] = small_data_experiments(Settings::Text, Scale::Paper);
    for experiment in [&radial, &residual] {
        assert_eq!((experiment.train, experiment.test, experiment.steps), (250, 5000, 1000));
        let schedule = [0, 5, 10, 20, 30, 40, 100, 250, 400, 550, 700, 850, 1000];
        assert_eq!((&experiment.schedule[..], experiment.members), (&schedule[..], 5));
        assert_eq!(experiment.network.width, 1.0);
        // Figures run what is given here, under the same names.
        let name = if experiment.set == Set::Mnist { "4a" } else { "4b" };
        let jobs = figure(name).unwrap().jobs(Settings::Text, Scale::Paper, None, Acquisitions::First50);
        let jobs = jobs.unwrap();
        assert_eq!(jobs.iter().map(|(job, _)| job.name()).collect::<Vec<_>>(), [experiment.name]);
    }
    assert_eq!((radial.set, residual.set), (Set::Mnist, Set::FashionMnist));
    assert_eq!(radial.network.family, Family::RadialBnn { train_samples: 8, test_samples: 100 });
    let few = Training {
        optimiser: ADAM,
        rate: Rate::Constant,
        batch: 64,
        epochs: 500,
        patience: Some(5),
        validation: 50,
        augmented: false,
    };
    assert_eq!(radial.training, few);
    assert_eq!(residual.network.family, Family::ResNet18);
    let few =
        Training { optimiser: SGD, rate: Rate::Cosine, batch: 128, epochs: 160, patience: Some(20), ..few };
    assert_eq!(residual.training, few);
    // The released code trains again after 50 labels too, and has 8 samples in testing.
    let [radial, _] = small_data_experiments(Settings::Released, Scale::Paper);
    assert_eq!(radial.schedule, [0, 5, 10, 20, 30, 40, 50, 100, 250, 400, 550, 700, 850, 1000]);
    assert_eq!(radial.network.family, Family::RadialBnn { train_samples: 8, test_samples: 8 });
}

#[test]
fn the_paper_s_radial_networks_are_split_and_trained_anew_in_each_run() {
    for (name, runs, epochs) in [("8", 692, 30), ("a2", 992, 50)] {
        let all = recipes(name, Settings::Text);
        assert_eq!(all.len(), runs);
        assert!(all.iter().enumerate().all(|(n, recipe)| recipe.split.seed == n as u64));
        let recipe = &all[0];
        assert_eq!(
            (recipe.split.kind, recipe.split.train, recipe.split.test),
            (Kind::Redrawn, 50_000, 10_000)
        );
        assert_eq!(
            (recipe.training.epochs, recipe.training.patience, recipe.training.validation),
            (epochs, Some(5), 1280)
        );
        assert_eq!(recipe.network.family, Family::RadialBnn { train_samples: 8, test_samples: 100 });
        assert_eq!((recipe.training.optimiser, recipe.training.batch), (ADAM, 64));
    }
    let released = &recipes("8", Settings::Released);
    assert_eq!((released.len(), released[0].training.epochs), (1000, 50));
    assert_eq!(released[0].network.family, Family::RadialBnn { train_samples: 8, test_samples: 8 });
}

#[test]
fn the_paper_s_runs_and_labels_are_those_of_the_text() {
    let jobs = |name: &str| {
        let jobs = figure(name).unwrap();
        let jobs = jobs.jobs(Settings::Text, Scale::Paper, None, Acquisitions::First50).unwrap();
        let job = |(experiment, runs): &(Box<dyn labelwise_paper::problem::Experiment>, usize)| {
            (experiment.pool_size(), experiment.columns()[0].steps, *runs)
        };
        jobs.iter().map(job).collect::<Vec<_>>()
    };
    assert_eq!(jobs("4a"), [(5000, 1000, 1085)]);
    assert_eq!(jobs("4b"), [(5000, 1000, 872)]);
    assert_eq!(jobs("6"), [(1000, 500, 1000); 4]);
    assert_eq!(jobs("7"), [(1000, 200, 1000)]);
    assert_eq!(jobs("8"), [(10_000, 1000, 692)]);
    assert_eq!(jobs("a2"), [(10_000, 1000, 992)]);
}

#[test]
fn figures_share_networks_and_files_are_of_one_network_each() {
    for scale in Scale::ALL {
        let mut all: BTreeMap<String, Recipe> = BTreeMap::new();
        for settings in [Settings::Text, Settings::Released] {
            for recipe in FIGURES.iter().flat_map(|figure| figure.recipes(settings, scale)) {
                let same = all.entry(recipe.file()).or_insert_with(|| recipe.clone());
                assert_eq!(*same, recipe);
            }
            let files = |name: &str| -> Vec<String> {
                figure(name).unwrap().recipes(settings, scale).iter().map(Recipe::file).collect()
            };
            let (six, seven) = (files("6"), files("7"));
            let shared = seven.iter().filter(|file| six.contains(file)).count();
            // The model, and as many ResNet-18s as Figure 6 has on CIFAR-10, up to five.
            assert_eq!(shared, if scale == Scale::Smoke { 3 } else { 6 });
        }
    }
}
