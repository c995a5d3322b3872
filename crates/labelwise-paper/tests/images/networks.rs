//! Real networks on a few hundred images of MNIST.

use std::path::{Path, PathBuf};

use labelwise_images::{Archive, Set, fetch};
use labelwise_paper::figure::figure;
use labelwise_paper::problem::Settings;
use labelwise_paper::workshop::trainer;
use labelwise_paper::{Making, Order, Places, Scale};
use tempfile::tempdir;

/// A folder with MNIST: where `cargo xtask test` put it, or else fetched now.
fn images() -> PathBuf {
    let given = std::env::var_os("LABELWISE_DATA").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("data"));
    fetch(Set::Mnist, &folder, &|_| {}).unwrap();
    folder
}

#[test]
fn tiny_networks_learn_something_and_figures_are_made_of_them() {
    let data = images();
    assert!(trainer().is_some());
    let folder = tempdir().unwrap();
    let order = Order { scale: Scale::Smoke, ..Order::default() };
    let make = |name: &str| {
        let places = Places { data: Some(data.clone()), archives: None };
        let making = Making::new(figure(name).unwrap(), order, &folder.path().join(name)).unwrap();
        making.with_places(&places).make(&|_| {}).unwrap()
    };
    let radial = make("a2");
    for recipe in figure("a2").unwrap().recipes(Settings::Text, Scale::Smoke) {
        let archive = Archive::read(&folder.path().join("archives").join(recipe.file())).unwrap();
        // Chance is a tenth, and its cross-entropy 2.3.
        assert!(archive.accuracy() > 0.3, "{}", archive.accuracy());
        assert!(archive.cross_entropy() < 2.25, "{}", archive.cross_entropy());
        assert_eq!(archive.members().len(), 1);
    }
    assert_eq!(radial.summary.experiments[0].runs, 40);
    let small = make("4a");
    assert_eq!((small.summary.experiments[0].runs, small.summary.experiments[0].pool_size), (4, 200));
}
