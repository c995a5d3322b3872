//! Surrogates that are trained again as labels come in.

use std::fs;
use std::sync::atomic::Ordering;

use labelwise::Seed;
use labelwise_paper::figure::{Acquisitions, figure};
use labelwise_paper::problem::{Experiment, FewImages, Settings};
use labelwise_paper::recipe::Family;
use labelwise_paper::strategy::strategies;
use labelwise_paper::workshop::Workshop;
use labelwise_paper::{Error, Making, Order, Places, Scale};
use tempfile::tempdir;

use crate::digits::{COUNTING, INTERRUPTED, LIGHT, data, workshop};
use crate::made::{made, make};

fn experiment(name: &str) -> Box<dyn Experiment> {
    let jobs = figure(name).unwrap().jobs(Settings::Text, Scale::Smoke, None, Acquisitions::First50).unwrap();
    let (mut experiment, _) = jobs.into_iter().next().unwrap();
    experiment.prepare(&workshop("nowhere".as_ref(), Some(&LIGHT))).unwrap();
    experiment
}

#[test]
fn a_run_is_a_function_of_its_seed_alone() {
    let of_threads = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, three) = (of_threads(1), of_threads(3));
    for name in ["4a", "4b"] {
        let experiment = experiment(name);
        let first = one.install(|| experiment.run(Seed(8)).unwrap());
        assert_eq!(first, three.install(|| experiment.run(Seed(8)).unwrap()), "{name}");
        assert_ne!(first, experiment.run(Seed(9)).unwrap(), "{name}");
        for (values, column) in first.values.iter().zip(experiment.columns()) {
            assert_eq!(values.len(), column.steps);
            assert!(values.iter().all(|value| value.is_finite()));
        }
    }
}

/// A ResNet in the place of which forests are grown, and counted.
fn counted(curves: &[labelwise_paper::strategy::Strategy], steps: usize, schedule: &[usize]) -> usize {
    let mut recipes = figure("6").unwrap().recipes(Settings::Text, Scale::Smoke).into_iter();
    let recipe = recipes.find(|recipe| recipe.network.family == Family::ResNet18).unwrap();
    let mut experiment = FewImages {
        name: "counted",
        set: recipe.set,
        network: recipe.network,
        training: recipe.training,
        train: 40,
        test: 60,
        steps,
        schedule: schedule.to_vec(),
        members: 3,
        settings: Settings::Text,
        strategies: curves.to_vec(),
        material: None,
    };
    let workshop = Workshop { trainer: Some(&COUNTING), ..workshop("nowhere".as_ref(), None) };
    experiment.prepare(&workshop).unwrap();
    let before = COUNTING.fitted.load(Ordering::SeqCst);
    experiment.run(Seed(1)).unwrap();
    COUNTING.fitted.load(Ordering::SeqCst) - before
}

#[test]
fn networks_are_trained_as_often_as_the_schedule_says() {
    // The model itself, and nothing else.
    assert_eq!(counted(&[strategies::UNIFORM, strategies::ENTROPY, strategies::FOREST], 20, &[0, 5, 10]), 1);
    // Before the first label, and after 5 and 10 of them; the 20th needs no surrogate any more.
    assert_eq!(counted(&[strategies::NETWORK], 20, &[0, 5, 10, 20]), 1 + 3);
    assert_eq!(counted(&[strategies::NETWORK], 21, &[0, 5, 10, 20]), 1 + 4);
    assert_eq!(counted(&[strategies::NETWORK, strategies::OURS_NETWORK], 20, &[0, 5]), 1 + 2 * 2);
    // The ensemble is trained once for both curves.
    assert_eq!(counted(&[strategies::ENSEMBLE, strategies::OURS_ENSEMBLE], 20, &[0, 5]), 1 + 3);
}

#[test]
fn a_retrained_surrogate_draws_like_itself_until_it_is_trained_again() {
    let jobs = figure("4b").unwrap().jobs(Settings::Text, Scale::Smoke, None, Acquisitions::First50).unwrap();
    assert_eq!(jobs[0].0.pool_size(), 200);
    let of = |schedule: &[usize]| {
        let recipe = figure("6").unwrap().recipes(Settings::Text, Scale::Smoke).remove(0);
        let mut experiment = FewImages {
            name: "scheduled",
            set: recipe.set,
            network: recipe.network,
            training: recipe.training,
            train: 40,
            test: 60,
            steps: 20,
            schedule: schedule.to_vec(),
            members: 1,
            settings: Settings::Text,
            strategies: vec![strategies::NETWORK],
            material: None,
        };
        experiment.prepare(&workshop("nowhere".as_ref(), Some(&LIGHT))).unwrap();
        experiment.run(Seed(1)).unwrap().values.remove(0)
    };
    let (never, later) = (of(&[0]), of(&[0, 10]));
    assert_eq!(never[..10], later[..10]);
    assert_ne!(never[10..], later[10..]);
}

#[test]
fn an_interrupted_figure_goes_on_run_by_run_and_comes_to_the_same() {
    // A run trains the model, an ensemble of two, and the surrogate before the labels and after 10 and 20 of them.
    const FITS: usize = 1 + 2 + 3;
    let (whole, parts) = (tempdir().unwrap(), tempdir().unwrap());
    make("4b", Some(5), whole.path()).unwrap();
    let folder = whole.path().join("4b-text-5-runs");
    let order = Order { scale: Scale::Smoke, runs: Some(5), ..Order::default() };
    let places = Places { data: Some(data().to_owned()), archives: None };
    let path = parts.path().join("4b-text-5-runs");
    let making = || Making::new(figure("4b").unwrap(), order, &path).unwrap().with_places(&places);
    // One run after the other, and the power goes within the third.
    INTERRUPTED.power.store(2 * FITS + 2, Ordering::SeqCst);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let error = one.install(|| making().with_trainer(Some(&INTERRUPTED)).make(&|_| {})).err().unwrap();
    assert_eq!(error.to_string(), "the power is 0, but must be on");
    let name = experiment("4b").name();
    let blocks = || {
        let entries = fs::read_dir(path.join("blocks")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.ends_with(".parquet"));
        names.sort();
        names
    };
    let first_two = [0, 1].map(|block| format!("{name}-{block:05}.parquet"));
    assert_eq!(blocks(), first_two);
    // Without a trainer nothing is done, and nothing is lost.
    assert!(matches!(making().with_trainer(None).make(&|_| {}).err(), Some(Error::NeedsTraining { .. })));
    assert_eq!(blocks(), first_two);
    // The runs that are missing are run, and no others.
    INTERRUPTED.power.store(usize::MAX, Ordering::SeqCst);
    let before = INTERRUPTED.fitted.load(Ordering::SeqCst);
    making().with_trainer(Some(&INTERRUPTED)).make(&|_| {}).unwrap();
    assert_eq!((before, INTERRUPTED.fitted.load(Ordering::SeqCst) - before), (2 * FITS + 2, 3 * FITS));
    let traces = format!("traces/{name}.parquet");
    let rows = |folder: &std::path::Path| made_rows(&folder.join(&traces));
    assert_eq!(rows(&folder), rows(&path));
    // Once its traces are there, no build needs a trainer, images or archives to draw it again.
    fs::remove_file(path.join("figure-4b.png")).unwrap();
    let without = Making::new(figure("4b").unwrap(), order, &path).unwrap().with_trainer(None);
    without.make(&|_| {}).unwrap();
    assert!(path.join("figure-4b.png").exists());
}

/// The rows of a file of traces, whatever time they took.
fn made_rows(path: &std::path::Path) -> Vec<String> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| format!("{:?}", row.unwrap())).collect()
}

#[test]
fn the_figures_have_every_surrogate() {
    let keys = |name: &str| {
        let curves = &made(name).summary.experiments[0].curves;
        curves.iter().map(|curve| curve.strategy.key).collect::<Vec<_>>()
    };
    let first = ["uniform_iid", "own_entropy_lure", "network_surrogate_lure", "forest_surrogate_lure"];
    assert_eq!(keys("4a"), [&first[..], &["labelwise_forest"]].concat());
    let rest = ["train_ensemble_lure", "labelwise_forest", "labelwise_ensemble"];
    assert_eq!(keys("4b"), [&first[..], &rest].concat());
}
