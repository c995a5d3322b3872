//! The paper's settings, as its appendix has them.

use std::collections::BTreeMap;

use labelwise_images::Set;
use labelwise_paper::Scale;
use labelwise_paper::experiment::Settings;
use labelwise_paper::figures::{Acquisitions, FIGURES, figure};
use labelwise_paper::recipe::{Family, Kind, Optimiser, Rate, Recipe};

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
        let sgd = Optimiser::Sgd { rate: 0.1, momentum: 0.9, weight_decay: 5e-4 };
        assert_eq!((recipe.training.optimiser, &recipe.training.rate), (sgd, &Rate::Cosine));
        assert_eq!((recipe.training.epochs, recipe.training.patience), (30, Some(5)));
        assert_eq!((recipe.split.train, recipe.split.test, recipe.training.batch), (50_000, 10_000, 128));
        assert_eq!((recipe.network.family, recipe.network.width), (Family::ResNet18, 1.0));
        assert_eq!(recipe.training.augmented, set == Set::Cifar10);
    }
    assert_eq!(recipes("5", Settings::Text).len(), 16);
    let released = recipes("6", Settings::Released);
    assert_eq!(of(&released, Set::Cifar10)[0].training.validation, 2000);
    assert!(of(&released, Set::FashionMnist)[0].training.augmented);
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
        let adam = Optimiser::Adam { rate: 1e-4, weight_decay: 1e-4 };
        assert_eq!((recipe.training.optimiser, recipe.training.batch), (adam, 64));
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
        let job = |(experiment, runs): &(Box<dyn labelwise_paper::experiment::Experiment>, usize)| {
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
