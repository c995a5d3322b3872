//! Checkpoints: what is written is read again, and nothing else is.

#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail loudly")]

use std::fs;

use labelwise_deep::{Architecture, Error, Network, Optimiser, Rate, TrainedNetwork, Training};

mod digits;

use digits::{digits, enlarged, rng, shape, short, table};

fn network(width: f64) -> Network {
    Network::new(Architecture::resnet18().width(width).unwrap(), shape(), short(1)).unwrap()
}

fn trained(network: &Network, seed: u64) -> TrainedNetwork {
    network.train(&digits(0..32), 10, &mut rng(seed)).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("network.safetensors");
    let network = network(0.0625);
    let before = trained(&network, 1);
    before.save(&path).unwrap();
    let test = digits(100..150).features;
    for after in [TrainedNetwork::load(&path).unwrap(), network.load(&path, 10).unwrap()] {
        assert_eq!(after.weights().unwrap(), before.weights().unwrap());
        assert_eq!(table(&after.predict(&test).unwrap()), table(&before.predict(&test).unwrap()));
        assert_eq!(after.history(), before.history());
        assert_eq!((after.best_epoch(), after.classes(), after.shape()), (1, 10, shape()));
    }
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn samples_of_a_posterior_are_the_same_after_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("radial.safetensors");
    let (data, shape) = enlarged(&digits(0..20));
    let training = Training { optimiser: Optimiser::Adam, rate: Rate::Constant(1e-3), ..short(1) };
    let network = Network::new(Architecture::radial_bnn().width(0.125).unwrap(), shape, training).unwrap();
    let before = network.train(&data, 10, &mut rng(1)).unwrap();
    before.save(&path).unwrap();
    let after = network.load(&path, 10).unwrap();
    let members = |trained: &TrainedNetwork| {
        trained.members(&data.features).unwrap().iter().map(table).collect::<Vec<_>>()
    };
    assert_eq!(members(&before).len(), 100);
    assert_eq!(members(&before), members(&after));
}

#[test]
fn a_checkpoint_of_another_network_is_refused_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("network.safetensors");
    let (narrow, wide) = (network(0.0625), network(0.125));
    trained(&narrow, 1).save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();

    let refused = wide.load(&path, 10).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(refused, Error::OtherNetwork { .. }), "{text}");
    assert!(
        text.contains("is of ResNet-18 (width 0.0625) for images of shape 1 x 8 x 8 and 10 classes"),
        "{text}"
    );
    assert!(text.contains("not of ResNet-18 (width 0.125)"), "{text}");
    assert!(matches!(narrow.load(&path, 9), Err(Error::OtherNetwork { .. })));

    assert!(matches!(trained(&wide, 1).save(&path), Err(Error::OtherNetwork { .. })));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // One of the same network is replaced.
    trained(&narrow, 2).save(&path).unwrap();
    assert_ne!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn files_that_are_no_checkpoints_are_refused_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("network.safetensors");
    let network = network(0.0625);
    let before = trained(&network, 1);
    before.save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    let last = damaged.len() - 3;
    damaged[last] ^= 1;
    let huge = [u64::MAX.to_le_bytes().to_vec(), whole[8..].to_vec()].concat();
    let texts =
        [b"id,label\n1,2\n".to_vec(), Vec::new(), whole[..whole.len() - 1].to_vec(), whole[..200].to_vec()];
    for bytes in texts.into_iter().chain([damaged, huge, br#"________{"a":1}"#.to_vec()]) {
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(TrainedNetwork::load(&path), Err(Error::NoCheckpoint { .. })));
        assert!(matches!(network.load(&path, 10), Err(Error::NoCheckpoint { .. })));
        assert!(matches!(before.save(&path), Err(Error::NoCheckpoint { .. })));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let nowhere = folder.path().join("nowhere").join("network.safetensors");
    assert!(matches!(TrainedNetwork::load(&nowhere), Err(Error::Read { .. })));
    assert!(matches!(before.save(&nowhere), Err(Error::Write { .. })));
}
