//! Archives: trained once, read again, and refused where they are of something else.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use labelwise_images::{Archive, Provenance, Set};
use labelwise_paper::figure::figure;
use labelwise_paper::problem::Settings;
use labelwise_paper::recipe::Recipe;
use labelwise_paper::workshop::{Difference, Workshop};
use labelwise_paper::{Error, Making, Order, Places, Scale};
use tempfile::tempdir;

use crate::digits::{LIGHT, archives, data, workshop, write_sets};

fn recipes(name: &str) -> Vec<Recipe> {
    figure(name).unwrap().recipes(Settings::Text, Scale::Smoke)
}

#[test]
fn networks_that_are_not_there_are_trained_and_those_that_are_there_are_not() {
    let folder = tempdir().unwrap();
    let recipes = &recipes("a2")[..2];
    let told = Mutex::new(Vec::new());
    let told_of = |recipes: &[Recipe]| {
        let tell = |text: &str| told.lock().unwrap().push(text.to_owned());
        let workshop = Workshop { tell: &tell, ..workshop(folder.path(), Some(&LIGHT)) };
        workshop.shelf(recipes).unwrap();
        std::mem::take(&mut *told.lock().unwrap())
    };
    let said = |recipe: &Recipe| {
        let training = format!("training network 1 of 1: {}", recipe.file());
        [training.clone(), format!("{training}, epoch 1 of 1")]
    };
    assert_eq!(told_of(&recipes[..1]), said(&recipes[0]));
    let first = fs::read(folder.path().join(recipes[0].file())).unwrap();
    assert_eq!(told_of(recipes), said(&recipes[1]));
    assert_eq!(told_of(recipes), [""; 0]);
    assert_eq!(fs::read(folder.path().join(recipes[0].file())).unwrap(), first);
    // The same recipe gives the same network.
    fs::remove_file(folder.path().join(recipes[0].file())).unwrap();
    told_of(recipes);
    assert_eq!(fs::read(folder.path().join(recipes[0].file())).unwrap(), first);
}

#[test]
fn an_archive_says_what_it_was_made_of() {
    let recipe = &recipes("6")[0];
    let archive = Archive::read(&archives().join(recipe.file())).unwrap();
    let provenance = archive.provenance();
    assert_eq!((provenance.set.as_str(), provenance.part.as_str()), ("cifar-100", "test"));
    assert_eq!((provenance.training_size, provenance.seed), (Some(300), Some(0)));
    assert_eq!(serde_json::from_str::<Recipe>(&provenance.notes["recipe"]).unwrap(), *recipe);
    assert_eq!((archive.len(), archive.classes(), archive.members().len()), (400, 100, 1));
    let radial = Archive::read(&archives().join(recipes("8")[0].file())).unwrap();
    assert_eq!((radial.provenance().part.as_str(), radial.members().len()), ("train+test", 6));
}

#[test]
fn every_member_of_an_ensemble_is_tested_on_the_same_items() {
    for name in ["5", "6", "7"] {
        let recipes = recipes(name);
        for recipe in &recipes {
            let read = |recipe: &Recipe| Archive::read(&archives().join(recipe.file())).unwrap();
            let model = recipes.iter().find(|model| model.set == recipe.set && model.seed == 0).unwrap();
            let (one, first) = (read(recipe), read(model));
            assert_eq!((one.ids(), one.labels()), (first.ids(), first.labels()));
            assert_eq!(recipe == model, one.mean().singles() == first.mean().singles());
        }
    }
}

/// What a figure from these archives is refused with.
fn refused(name: &str, folder: &std::path::Path) -> Error {
    let runs = tempdir().unwrap();
    let places = Places { archives: Some(folder.to_owned()), data: None };
    let order = Order { scale: Scale::Smoke, ..Order::default() };
    let making = Making::new(figure(name).unwrap(), order, &runs.path().join("run")).unwrap();
    making.with_places(&places).with_trainer(None).make(&|_| {}).err().unwrap()
}

#[test]
fn an_archive_of_another_network_is_refused() {
    let folder = tempdir().unwrap();
    for recipe in recipes("6") {
        fs::copy(archives().join(recipe.file()), folder.path().join(recipe.file())).unwrap();
    }
    let [first, other] = [&recipes("6")[0], &recipes("6")[1]];
    let path = folder.path().join(first.file());
    fs::copy(archives().join(other.file()), &path).unwrap();
    let error = refused("6", folder.path());
    assert!(matches!(&error, Error::OtherArchive { what: Difference::Seed, .. }), "{error}");
    let expected = format!(
        "the archive {} is of another network (the seed: 1 there, 0 here): choose another folder with --archives, or delete it",
        path.display()
    );
    assert_eq!(error.to_string(), expected);
    // What the name does not show is compared too.
    let mut changed = first.clone();
    changed.training.batch += 1;
    let mut provenance = Archive::read(&archives().join(first.file())).unwrap().provenance().clone();
    provenance.notes.insert("recipe".to_owned(), changed.text());
    rewritten(first, &path, provenance, |items| items);
    assert!(matches!(refused("6", folder.path()), Error::OtherArchive { what: Difference::Recipe, .. }));
}

/// Writes a recipe's archive with another provenance, or with its items in another order.
fn rewritten(
    recipe: &Recipe,
    path: &std::path::Path,
    provenance: Provenance,
    order: impl Fn(Vec<usize>) -> Vec<usize>,
) {
    let archive = Archive::read(&archives().join(recipe.file())).unwrap();
    let archive = archive.select(&order((0..archive.len()).collect())).unwrap();
    let (ids, labels, members) =
        (archive.ids().to_vec(), archive.labels().to_vec(), archive.members().to_vec());
    Archive::new(ids, labels, members, provenance).unwrap().write(path).unwrap();
}

#[test]
fn a_surrogate_that_speaks_of_other_items_is_refused() {
    let folder = tempdir().unwrap();
    for recipe in recipes("5") {
        fs::copy(archives().join(recipe.file()), folder.path().join(recipe.file())).unwrap();
    }
    let surrogate = &recipes("5")[1];
    let path = folder.path().join(surrogate.file());
    let provenance = Archive::read(&path).unwrap().provenance().clone();
    rewritten(surrogate, &path, provenance, |mut items| {
        items.reverse();
        items
    });
    let error = refused("5", folder.path());
    assert!(matches!(&error, Error::OtherItems { path: there } if *there == path), "{error}");
}

#[test]
fn predictions_from_elsewhere_are_held_to_what_they_say() {
    let folder = tempdir().unwrap();
    for recipe in recipes("5") {
        let path = folder.path().join(recipe.file());
        rewritten(&recipe, &path, Provenance::new("cifar-100", "test"), |items| items);
    }
    let runs = tempdir().unwrap();
    let places = Places { archives: Some(folder.path().to_owned()), data: None };
    let order = Order { scale: Scale::Smoke, ..Order::default() };
    let making = Making::new(figure("5").unwrap(), order, runs.path()).unwrap();
    let made = making.with_places(&places).with_trainer(None).make(&|_| {}).unwrap();
    assert_eq!(made.summary.archives.len(), 3);
    let path = folder.path().join(recipes("5")[0].file());
    rewritten(&recipes("5")[0], &path, Provenance::new("cifar-10", "test"), |items| items);
    assert!(matches!(refused("5", folder.path()), Error::OtherArchive { what: Difference::Set, .. }));
}

#[test]
fn a_build_that_trains_nothing_says_how_to_have_one_that_does() {
    let folder = tempdir().unwrap();
    let error = refused("6", folder.path()).to_string();
    let expected = format!(
        "figure 6 needs 9 networks that are not in {}, the first of them {}, but this build cannot train networks: run \
         `cargo run --release --features deep -- paper 6 --data FOLDER`, or give a folder with trained networks with \
         --archives or --out",
        folder.path().display(),
        recipes("6")[0].file()
    );
    assert_eq!(error, expected);
    let error = refused("4a", folder.path()).to_string();
    assert!(
        error.contains("figure 4a needs networks that are trained again and again (radial-bnn-x0.25)"),
        "{error}"
    );
}

#[test]
fn a_set_with_too_few_images_is_refused() {
    let folder = tempdir().unwrap();
    for (name, train, test) in [("6", 2000, 400), ("6", 300, 2000), ("a2", 300, 2000)] {
        let mut recipe = recipes(name).remove(0);
        (recipe.split.train, recipe.split.test) = (train, test);
        let error = workshop(folder.path(), Some(&LIGHT)).shelf(&[recipe]).err().unwrap().to_string();
        assert!(error.contains("2000") || error.contains("2300"), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn images_are_asked_for_where_there_are_none() {
    let folder = tempdir().unwrap();
    let workshop = Workshop { data: None, ..workshop(folder.path(), Some(&LIGHT)) };
    let error = workshop.shelf(&recipes("a2")).err().unwrap().to_string();
    assert!(error.starts_with("the images of MNIST are needed, but their folder is not known: "), "{error}");
    let nowhere = data().join("nowhere");
    let workshop = Workshop { data: Some(nowhere.clone()), ..workshop };
    let error = workshop.shelf(&recipes("a2")).err().unwrap();
    let Error::Images(labelwise_images::Error::Missing { set, folder, file }) = &error else {
        panic!("{error}")
    };
    assert_eq!((*set, folder, *file), (Set::Mnist, &nowhere, "train-images-idx3-ubyte"));
}

#[test]
fn runs_from_other_archives_are_not_mixed() {
    let (folder, runs) = (tempdir().unwrap(), tempdir().unwrap());
    let recipes = recipes("a2");
    for recipe in &recipes {
        fs::copy(archives().join(recipe.file()), folder.path().join(recipe.file())).unwrap();
    }
    let places = Places { archives: Some(folder.path().to_owned()), data: None };
    let make = || {
        let order = Order { scale: Scale::Smoke, ..Order::default() };
        let making = Making::new(figure("a2").unwrap(), order, runs.path()).unwrap();
        making.with_places(&places).with_trainer(None).make(&|_| {})
    };
    make().unwrap();
    // Its traces are lost, and an archive is another one now.
    fs::remove_dir_all(runs.path().join("traces")).unwrap();
    let path = folder.path().join(recipes[1].file());
    let provenance = Archive::read(&path).unwrap().provenance().clone();
    rewritten(&recipes[1], &path, provenance, |items| items[..300].to_vec());
    let error = make().err().unwrap();
    assert!(matches!(error, Error::OtherRun { what: "the checksum of an archive", .. }), "{error}");
    // With the traces there, archives are not looked at.
    fs::copy(archives().join(recipes[1].file()), &path).unwrap();
    make().unwrap();
    fs::remove_file(path).unwrap();
    make().unwrap();
}

#[test]
fn archives_say_what_they_were_made_of_and_are_not_mixed_with_those_of_other_images() {
    let (folder, images) = (tempdir().unwrap(), tempdir().unwrap());
    let recipes = recipes("a2");
    let first = folder.path().join(recipes[0].file());
    fs::copy(archives().join(recipes[0].file()), &first).unwrap();
    let said = Archive::read(&first).unwrap().provenance().clone();
    assert_eq!(said.epochs, [1]);
    assert!(said.notes["images"].starts_with("1000 training images "), "{said:?}");
    write_sets(images.path());
    let shelf = |data: &Path| {
        let workshop = Workshop { data: Some(data.to_owned()), ..workshop(folder.path(), Some(&LIGHT)) };
        workshop.shelf(&recipes).map(|_| ())
    };
    // One pixel is another.
    let path = images.path().join("mnist/train-images-idx3-ubyte");
    let mut bytes = fs::read(&path).unwrap();
    bytes[400] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = shelf(images.path()).err().unwrap();
    assert!(
        matches!(&error, Error::OtherArchive { path, what: Difference::Images, .. } if *path == first),
        "{error}"
    );
    assert!(!folder.path().join(recipes[1].file()).exists(), "nothing was trained");
    // A damaged one is seen before anything is trained, too.
    fs::write(&first, "no archive").unwrap();
    assert!(shelf(data()).is_err());
    assert!(!folder.path().join(recipes[1].file()).exists());
    fs::copy(archives().join(recipes[0].file()), &first).unwrap();
    shelf(data()).unwrap();
    assert!(folder.path().join(recipes[1].file()).exists());
}
