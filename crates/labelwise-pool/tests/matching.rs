//! Pools of several models are matched by id and class.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may fail loudly"
)]

use std::fs;

use labelwise_pool::{Error, MatchError, PoolTable, Predictions, Reading, Unmatched};
use tempfile::TempDir;

struct Files(TempDir);

impl Files {
    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn table(&self, name: &str, reading: &Reading) -> PoolTable {
        PoolTable::open(self.0.path().join(name), reading).unwrap()
    }
}

#[test]
fn items_are_matched_by_id_and_classes_by_name() {
    let files = Files(tempfile::tempdir().unwrap());
    let open = |name: &str| (name.to_owned(), files.table(name, &Reading::new()));
    files.write("a.csv", "id,prob_cat,prob_dog\nx,0.9,0.1\ny,0.2,0.8\nz,0.5,0.5\n");
    files.write("b.csv", "id,prob_dog,prob_cat\nz,0.7,0.3\nw,0.5,0.5\nx,0.4,0.6\n");
    let refused = PoolTable::beside(vec![open("a.csv"), open("b.csv")], Unmatched::Refused).unwrap_err();
    let Error::Match(MatchError::Items { here_only, there_only, .. }) = &refused else { panic!("{refused}") };
    assert_eq!((here_only, there_only), (&(1, vec!["y".to_owned()]), &(1, vec!["w".to_owned()])));
    let common = PoolTable::beside(vec![open("a.csv"), open("b.csv")], Unmatched::Dropped).unwrap();
    assert_eq!(
        (common.rows(), common.ids.get(0), common.ids.get(1)),
        (2, Some("x".into()), Some("z".into()))
    );
    let rivals = common.rivals.unwrap();
    assert_eq!(rivals.notes.len(), 2, "{:?}", rivals.notes);
    let [Predictions::Classes { rows, .. }] = rivals.predictions.as_slice() else { panic!() };
    assert_eq!(
        (rows.reader().row(0).to_vec(), rows.reader().row(1).to_vec()),
        (vec![0.6, 0.4], vec![0.3, 0.7])
    );

    files.write("other.csv", "id,prob_cat,prob_bee\nx,0.9,0.1\ny,0.2,0.8\nz,0.5,0.5\n");
    files.write("rows.csv", "prob_cat,prob_dog\n0.9,0.1\n0.2,0.8\n");
    files.write("more.csv", "prob_cat,prob_dog\n0.9,0.1\n0.2,0.8\n0.5,0.5\n");
    files.write("far.csv", "id,prob_cat,prob_dog\nu,0.9,0.1\n");
    let said = |one: &str, other: &str| {
        PoolTable::beside(vec![open(one), open(other)], Unmatched::Dropped).unwrap_err()
    };
    assert!(matches!(said("a.csv", "other.csv"), Error::Match(MatchError::Kinds { .. })));
    assert!(matches!(said("a.csv", "rows.csv"), Error::Match(MatchError::Ids { .. })));
    assert!(matches!(said("rows.csv", "a.csv"), Error::Match(MatchError::Ids { .. })));
    assert!(matches!(said("rows.csv", "more.csv"), Error::Match(MatchError::Rows { .. })));
    assert!(matches!(said("a.csv", "far.csv"), Error::Match(MatchError::NothingCommon { .. })));
    files.write("scores.csv", "id,score\nx,1\ny,2\n");
    let scores = files.table("scores.csv", &Reading::new().scores("score"));
    let said =
        PoolTable::beside(vec![("s".into(), scores.clone()), ("t".into(), scores)], Unmatched::Refused);
    assert!(matches!(said, Err(Error::Match(MatchError::Scores))));
    // Variances of one model alone are left out.
    files.write("sure.csv", "id,mean,v\nx,1,2\ny,2,1\n");
    files.write("plain.csv", "id,mean\nx,1\ny,2.5\n");
    let sure = files.table("sure.csv", &Reading::new().mean_and_variance("mean", "v"));
    let plain = files.table("plain.csv", &Reading::new().mean("mean"));
    let both = PoolTable::beside(vec![("s".into(), sure), ("p".into(), plain)], Unmatched::Refused).unwrap();
    assert!(matches!(both.predictions, Predictions::Values { variances: None, .. }));
}
