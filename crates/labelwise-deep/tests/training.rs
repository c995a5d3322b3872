//! Training: networks learn, equal seeds give equal networks on any number of threads, and the best weights are kept.

#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]

use std::sync::{Arc, Mutex};

use labelwise_deep::{
    Architecture, Augmentation, Epoch, Error, Family, Network, Optimiser, Radial, Rate, Training,
};
use rayon::ThreadPoolBuilder;

mod digits;

use digits::{accuracy, digits, enlarged, rng, shape, short, table};

#[test]
fn every_network_overfits_32_images() {
    let data = digits(0..32);
    let narrow = |architecture: Architecture, width: f64| architecture.width(width).unwrap();
    let networks = [
        (narrow(Architecture::small_cnn(), 0.5), 30),
        (narrow(Architecture::resnet18(), 0.125), 30),
        (narrow(Architecture::resnet50(), 0.0625), 100),
        (Architecture::from(Family::WideResNet { depth: 16, widen: 1 }), 30),
    ];
    for (architecture, epochs) in networks {
        let training = Training { rate: Rate::Cosine { from: 0.05 }, weight_decay: 0.0, ..short(epochs) };
        let network = Network::new(architecture, shape(), training).unwrap();
        let trained = network.train(&data, 10, &mut rng(1)).unwrap();
        let right = accuracy(&trained.predict(&data.features).unwrap(), &data.labels);
        let last = trained.history().last().unwrap();
        assert_eq!(right, 1.0, "{architecture}: {last:?}");
        assert!(last.training_loss < 0.1 * trained.history()[0].training_loss, "{architecture}: {last:?}");
    }
}

#[test]
fn a_radial_network_overfits_32_images() {
    let (data, shape) = enlarged(&digits(0..32));
    let training =
        Training { optimiser: Optimiser::Adam, rate: Rate::Constant(3e-3), weight_decay: 0.0, ..short(30) };
    // With two batches an epoch, the paper's weight of the divergence lets nothing be learnt by heart.
    let radial = Radial { kl_weight: 1e-4, training_samples: 4, ..Radial::default() };
    let architecture = Architecture::from(Family::RadialBnn(radial)).width(0.5).unwrap();
    let network = Network::new(architecture, shape, training).unwrap();
    let trained = network.train(&data, 10, &mut rng(1)).unwrap();
    let right = accuracy(&trained.predict(&data.features).unwrap(), &data.labels);
    assert_eq!(right, 1.0, "{:?}", trained.history().last());
}

#[test]
fn what_is_learnt_holds_for_other_images() {
    let training =
        Training { validation: 40, patience: Some(8), rate: Rate::Cosine { from: 0.05 }, ..short(20) };
    let network = Network::new(Architecture::small_cnn(), shape(), training).unwrap();
    let trained = network.train(&digits(0..200), 10, &mut rng(3)).unwrap();
    let test = digits(200..300);
    let right = accuracy(&trained.predict(&test.features).unwrap(), &test.labels);
    assert!(right > 0.8, "{right}");
}

#[test]
fn equal_seeds_give_equal_networks_and_others_do_not() {
    let (data, enlarged_shape) = enlarged(&digits(0..40));
    let augmented = Training { augmentation: Some(Augmentation::cifar()), validation: 8, ..short(2) };
    let cases = [
        (Architecture::resnet18().width(0.0625).unwrap(), augmented.clone()),
        (
            Architecture::radial_bnn().width(0.25).unwrap(),
            Training { optimiser: Optimiser::Adam, ..augmented },
        ),
    ];
    for (architecture, training) in cases {
        let network = Network::new(architecture, enlarged_shape, training).unwrap();
        let weights = |seed| network.train(&data, 10, &mut rng(seed)).unwrap().weights().unwrap();
        let (one, again, other) = (weights(1), weights(1), weights(2));
        assert_eq!(one, again, "{architecture}");
        assert_ne!(one, other, "{architecture}");
    }
}

#[test]
fn networks_do_not_depend_on_what_is_trained_beside_them() {
    let data = digits(0..40);
    let network = Network::new(Architecture::small_cnn().width(0.25).unwrap(), shape(), short(2)).unwrap();
    let alone: Vec<_> =
        (0..5).map(|seed| network.train(&data, 10, &mut rng(seed)).unwrap().weights().unwrap()).collect();
    for threads in [1, 4] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let many = pool.install(|| network.train_many(&data, 10, (0..5).map(rng).collect()).unwrap());
        let many: Vec<_> = many.iter().map(|trained| trained.weights().unwrap()).collect();
        assert_eq!(many, alone, "{threads} threads");
    }
}

#[test]
fn training_stops_when_patience_ends_and_the_best_weights_come_back() {
    let data = digits(0..60);
    // Steps this large stop helping soon.
    let training = Training {
        rate: Rate::Constant(0.3),
        validation: 30,
        patience: Some(4),
        weight_decay: 0.0,
        ..short(60)
    };
    let seen: Arc<Mutex<Vec<Epoch>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let architecture = Architecture::small_cnn().width(0.25).unwrap();
    let network = Network::new(architecture, shape(), training.clone()).unwrap();
    let network = network.progress(move |epoch| sink.lock().unwrap().push(*epoch));
    let trained = network.train(&data, 10, &mut rng(1)).unwrap();

    let history = trained.history();
    assert_eq!(*seen.lock().unwrap(), history);
    let loss = |epoch: &Epoch| epoch.validation.unwrap().loss;
    let best = history.iter().min_by(|one, other| loss(one).total_cmp(&loss(other))).unwrap().epoch;
    assert_eq!(trained.best_epoch(), best);
    assert_eq!(history.len(), best + 4, "{history:?}");
    assert!(history.len() < 60 && best > 1);
    assert!(loss(history.last().unwrap()) > loss(&history[best - 1]));

    // The same steps, ended at the best epoch, lead to the same weights; one epoch more does not.
    let ended = |epochs| {
        let training = Training { epochs, patience: None, ..training.clone() };
        let network = Network::new(architecture, shape(), training).unwrap();
        let trained = network.train(&data, 10, &mut rng(1)).unwrap();
        (trained.best_epoch(), trained.weights().unwrap())
    };
    assert_eq!(ended(best), (best, trained.weights().unwrap()));
    assert_eq!(ended(best + 1), (best, trained.weights().unwrap()));
    let (before, weights) = ended(best - 1);
    assert!(before < best);
    assert_ne!(weights, trained.weights().unwrap());
}

#[test]
fn without_images_held_out_the_last_weights_are_kept() {
    let network = Network::new(Architecture::small_cnn().width(0.25).unwrap(), shape(), short(3)).unwrap();
    let trained = network.train(&digits(0..20), 10, &mut rng(1)).unwrap();
    assert_eq!((trained.best_epoch(), trained.history().len()), (3, 3));
    assert!(trained.history().iter().all(|epoch| epoch.validation.is_none()));
}

#[test]
fn learning_rates_follow_their_schedules() {
    let cosine = Rate::Cosine { from: 0.1 };
    let expected = [0.1, 0.085_355_339_059_327_4, 0.05, 0.014_644_660_940_672_6];
    for (done, expected) in expected.into_iter().enumerate() {
        assert!((cosine.at(done, 4) - expected).abs() < 1e-12);
    }
    let steps = Training::wide_resnet().rate;
    let rates = [0, 59, 60, 119, 120, 160, 199].map(|done| (steps.at(done, 200) * 1e5).round());
    assert_eq!(rates, [1e4, 1e4, 2e3, 2e3, 400.0, 80.0, 80.0]);
    assert_eq!(Rate::Constant(0.01).at(7, 9), 0.01);
    assert_eq!(Rate::Constant(0.01).during(7, 9, 3, 5), 0.01);
}

#[test]
fn a_warm_up_and_its_cosine_go_by_steps() {
    // Two epochs of five steps, the first four of which warm up.
    let rate = Rate::WarmCosine { peak: 0.4, warm: 0.4 };
    let rates = (0..10).map(|place| rate.during(place / 5, 2, place % 5, 5));
    let cosine = |done: f64| 0.2 * (1.0 + (std::f64::consts::PI * done / 6.0).cos());
    let expected = [0.1, 0.2, 0.3, 0.4].into_iter().chain((0..6).map(|done| cosine(f64::from(done))));
    for (rate, expected) in rates.zip(expected) {
        assert!((rate - expected).abs() < 1e-15, "{rate} {expected}");
    }
    let cold = Rate::WarmCosine { peak: 0.4, warm: 0.0 };
    assert_eq!(cold.during(0, 2, 0, 5), 0.4);
}

#[test]
fn a_loss_that_is_no_number_is_an_error() {
    let training = Training { rate: Rate::Constant(1e30), ..short(5) };
    let network = Network::new(Architecture::small_cnn().width(0.25).unwrap(), shape(), training).unwrap();
    let failed = network.train(&digits(0..20), 10, &mut rng(1)).unwrap_err();
    assert!(matches!(failed, Error::Diverged { .. }), "{failed}");
    // After the only step there is no loss any more to tell.
    let training = Training { rate: Rate::Constant(1e39), batch: 32, ..short(1) };
    let network = Network::new(Architecture::small_cnn().width(0.25).unwrap(), shape(), training).unwrap();
    let failed = network.train(&digits(0..20), 10, &mut rng(1)).unwrap_err();
    assert!(matches!(failed, Error::Diverged { epoch: 1, .. }), "{failed}");
}

#[test]
fn probabilities_are_the_same_however_many_rows_are_asked_for() {
    let data = digits(0..300);
    let network = Network::new(Architecture::resnet18().width(0.0625).unwrap(), shape(), short(1)).unwrap();
    let trained = network.train(&digits(0..32), 10, &mut rng(1)).unwrap();
    let all = table(&trained.predict(&data.features).unwrap());
    let few = table(&trained.predict(&digits(130..140).features).unwrap());
    for (one, other) in all[1_300..1_400].iter().zip(&few) {
        assert!((one - other).abs() < 1e-5, "{one} {other}");
    }
    assert_eq!(all, table(&trained.predict(&data.features).unwrap()));
}
