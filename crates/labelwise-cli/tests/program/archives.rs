//! Archives of predictions as pools and as surrogates.

use insta::assert_snapshot;
use labelwise::Matrix;
use labelwise_images::{Archive, Provenance};

use crate::run::Folder;

const ITEMS: u32 = 300;

/// A model that is the more certain the further along an item is, and is right about as often as it says.
fn member(sharpness: f32) -> Matrix {
    let row = |item: u32| {
        let right = 0.4 + 0.55 * (item as f32 / ITEMS as f32) * sharpness;
        let class = (item % 3) as usize;
        (0..3).map(move |other| if other == class { right } else { (1.0 - right) / 2.0 })
    };
    Matrix::f32((0..ITEMS).flat_map(row).collect::<Vec<f32>>(), 3).unwrap()
}

fn archive(members: &[f32]) -> Archive {
    // Wrong in every fourth of the first half, and every twelfth of the second.
    let label = |item: u32| {
        if item.is_multiple_of(if item < ITEMS / 2 { 4 } else { 12 }) { (item + 1) % 3 } else { item % 3 }
    };
    let mut provenance = Provenance::new("cifar-10", "test");
    provenance.architecture = "a small network".to_owned();
    let members = members.iter().map(|sharpness| member(*sharpness)).collect();
    Archive::new(
        (0..ITEMS).map(|item| item * 2).collect(),
        (0..ITEMS).map(label).collect(),
        members,
        provenance,
    )
    .unwrap()
}

fn folder() -> Folder {
    let folder = Folder::new();
    archive(&[1.0]).write(&folder.path("model.parquet")).unwrap();
    archive(&[0.9, 0.7, 0.5]).write(&folder.path("ensemble.parquet")).unwrap();
    folder
}

const SIMULATE: [&str; 8] =
    ["simulate", "model.parquet", "--label-column", "label", "--budget", "60", "--runs", "40"];

#[test]
fn an_archive_is_a_pool_to_simulate_on() {
    let folder = folder();
    assert_snapshot!("simulate", folder.transcript(&SIMULATE));
    let ensemble = [&["simulate", "ensemble.parquet"], &SIMULATE[2..], &["--json"]].concat();
    assert_eq!(folder.json(&ensemble)["pool"]["pool_size"], ITEMS);
}

#[test]
fn an_archive_is_a_pool_to_ask_for_labels_of() {
    let folder = folder();
    assert_snapshot!("new", folder.transcript(&["new", "model.parquet"]));
    let asked = folder.transcript(&["ask", "model.labelwise", "--count", "3"]);
    assert_snapshot!("ask", asked);
}

#[test]
fn an_ensemble_is_a_surrogate_by_its_mean_or_by_its_members() {
    let folder = folder();
    let with = |more: &[&str]| {
        folder.json(&[&SIMULATE[..], &["--json", "--surrogate-file", "ensemble.parquet"], more].concat())
    };
    let mean = with(&[]);
    let patterns = ["member_0_prob_*", "member_1_prob_*", "member_2_prob_*"];
    let members = with(&patterns.map(|pattern| ["--surrogate-probs", pattern]).concat());
    assert_eq!(members["surrogate"]["members"], 3, "{}", members["surrogate"]);
    let cost = |found: &serde_json::Value| {
        let last = found["budgets"].as_array().unwrap().last().unwrap().clone();
        let strategies = last["strategies"].as_array().unwrap();
        let as_given = strategies.iter().find(|found| found["strategy"] == "root-mean-square").unwrap();
        as_given["root_mean_squared_error"].as_f64().unwrap()
    };
    // The mean of the members is the mean, but for the last bit of an f32.
    assert!((cost(&mean) / cost(&members) - 1.0).abs() < 1e-3, "{} and {}", cost(&mean), cost(&members));
    let own = folder.json(&[&SIMULATE[..], &["--json"]].concat());
    assert!((cost(&own) / cost(&mean) - 1.0).abs() > 1e-3, "the ensemble is used");
}
