//! Scale published: networks that others trained, of which archives are given.

use std::path::Path;

use labelwise::Matrix;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise::{CrossEntropy, Seed, loss::Loss};
use labelwise_images::{Archive, Provenance, Set};
use labelwise_paper::figure::figure;
use labelwise_paper::problem::Settings;
use labelwise_paper::strategy::strategies;
use labelwise_paper::{Error, Made, Making, Order, Places, Scale, Verdict};
use rand_chacha::rand_core::Rng;
use tempfile::tempdir;

const ITEMS: u32 = 1200;

/// A number from 0 to 1.
fn unit(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A network that is right of `right` of the items, each network of others, and always sure.
fn network(set: Set, place: usize, right: f64) -> Archive {
    let rng = &mut Seed(place as u64).stream(Stream::Data, 0);
    let classes = set.classes();
    let labels: Vec<u32> = (0..ITEMS).map(|item| item % classes as u32).collect();
    let mut values = Vec::with_capacity(labels.len() * classes);
    for &label in &labels {
        let wrong = (label as usize + 1 + (rng.next_u64() % (classes as u64 - 1)) as usize) % classes;
        let class = if unit(rng) < right { label as usize } else { wrong };
        let sure = 0.9 + 0.099 * unit(rng);
        let rest = ((1.0 - sure) / (classes as f64 - 1.0)) as f32;
        values.extend((0..classes).map(|other| if other == class { sure as f32 } else { rest }));
    }
    let mut provenance = Provenance::new(set.name(), "test");
    provenance.architecture = format!("Network {place}");
    Archive::new((0..ITEMS).collect(), labels, vec![Matrix::f32(values, classes).unwrap()], provenance)
        .unwrap()
}

/// Networks for every figure of the scale: surrogates are as good as the model.
fn give(folder: &Path) {
    for name in ["5", "6", "7"] {
        for (place, recipe) in
            figure(name).unwrap().recipes(Settings::Text, Scale::Published).iter().enumerate()
        {
            network(recipe.set, place, 0.9).write_new(&folder.join(recipe.file())).ok();
        }
    }
}

fn make(name: &str, archives: &Path, folder: &Path) -> labelwise_paper::Result<Made> {
    let order = Order { scale: Scale::Published, runs: Some(40), ..Order::default() };
    let making = Making::new(figure(name)?, order, &folder.join(name))?;
    let places = Places { data: None, archives: Some(archives.to_owned()) };
    making.with_places(&places).with_trainer(None).make(&|_| {})
}

#[test]
fn figures_are_made_of_networks_that_are_given() {
    let (archives, folder) = (tempdir().unwrap(), tempdir().unwrap());
    give(archives.path());
    let six = make("6", archives.path(), folder.path()).unwrap().summary;
    let names: Vec<&str> = six.experiments.iter().map(|experiment| experiment.name).collect();
    assert_eq!(names, ["wide-resnet-on-cifar-100", "resnet-on-cifar-10", "accuracy-on-cifar-10"]);
    for note in &six.archives {
        assert!(note.architecture.starts_with("Network "), "{note:?}");
        assert!(note.entropy.unwrap() < 0.8 * note.cross_entropy, "they are too sure");
    }
    // Networks that are wrong here and there, and sure everywhere, have nothing to say of themselves; an ensemble has.
    let on_cifar_10 = &six.experiments[1];
    let test = on_cifar_10.signed_rank(strategies::ENSEMBLE, strategies::ENTROPY).unwrap();
    assert!(test.p_value < 0.001, "{test:?}");

    // The law of uniform sampling is that of the test sets that were drawn.
    let model = network(Set::Cifar10, 0, 0.9);
    let mut reader = model.mean().reader();
    let loss = CrossEntropy::default();
    let losses =
        model.labels().iter().enumerate().map(|(item, &label)| loss.loss(reader.row(item), label as usize));
    let losses: Vec<f64> = losses.collect();
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (losses.len() as f64 - 1.0);
    let law = on_cifar_10.judged.uniform_law.iter().sum::<f64>() / 40.0;
    let expected = variance * (1.0 / 500.0 - 1.0 / 1000.0);
    assert!((law / expected - 1.0).abs() < 0.1, "{law} and {expected}");
    let claims = six.claims.iter().filter(|claim| claim.claim.ends_with("by its exact law"));
    let claims: Vec<_> = claims.collect();
    assert_eq!(claims.len(), 3);
    assert!(claims.iter().all(|claim| claim.verdict == Verdict::Agrees), "{claims:?}");

    let seven = make("7", archives.path(), folder.path()).unwrap();
    assert_eq!(seven.summary.experiments[0].curves.len(), 25);
    assert_eq!(seven.summary.claims.len(), 6);
    let picture = std::fs::read_to_string(folder.path().join("7/figure-7.svg")).unwrap();
    for words in ["shallow", "medium + 1 other", "deep + 3 others"] {
        assert_eq!(picture.matches(&format!(">{words}<")).count(), 2, "{words}");
    }

    let five = make("5", archives.path(), folder.path()).unwrap().summary;
    assert_eq!(five.archives.len(), 5);
    let table = make("wilcoxon", archives.path(), folder.path()).unwrap().summary;
    let rows: Vec<_> = table.ranks.iter().filter(|row| row.published_p_value.is_some()).collect();
    assert_eq!(rows.iter().map(|row| row.set).collect::<Vec<_>>(), ["CIFAR-100", "CIFAR-10"]);
}

#[test]
fn what_is_not_given_is_told() {
    let (archives, folder) = (tempdir().unwrap(), tempdir().unwrap());
    give(archives.path());
    let gone = archives.path().join("cifar-10_published_surrogate-6.parquet");
    std::fs::remove_file(&gone).unwrap();
    make("6", archives.path(), folder.path()).unwrap();
    let error = make("7", archives.path(), folder.path()).err().unwrap();
    assert!(matches!(&error, Error::NeedsArchive { path, .. } if *path == gone), "{error}");
    let error = make("8", archives.path(), folder.path()).err().unwrap();
    assert!(matches!(error, Error::NoScale { figure: "8", scale: "published", .. }), "{error}");
    // One of another set is refused.
    network(Set::Cifar100, 3, 0.9).write(&gone).unwrap();
    let error = make("7", archives.path(), folder.path()).err().unwrap();
    assert!(matches!(error, Error::OtherArchive { .. }), "{error}");
}
