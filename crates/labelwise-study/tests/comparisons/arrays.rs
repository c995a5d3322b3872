//! Comparisons of arrays.

use labelwise::Matrix;
use labelwise_study::{Choices, Looks, PoolError, PoolTable, Predictions, Study, Unmatched};

/// Arrays are checked as they are used, and the refusal says what they look like.
#[test]
fn arrays_that_are_percentages_are_named_so() {
    let table = |times: f64| {
        let rows =
            (1..40).flat_map(|item| [times * f64::from(item) / 40.0, times * f64::from(40 - item) / 40.0]);
        let rows = Matrix::f64(rows.collect::<Vec<f64>>(), 2).unwrap();
        PoolTable::new(Predictions::Classes { names: vec!["a".to_owned(), "b".to_owned()], rows })
    };
    let looks = |table: PoolTable| match Study::in_memory(table, &Choices::default()).unwrap_err() {
        labelwise_study::Error::Pool(PoolError::NotProbabilities { guess, .. }) => guess.looks,
        other => panic!("{other}"),
    };
    assert_eq!(looks(table(100.0)), Looks::Percentages);
    assert_eq!(looks(table(1.01)), Looks::Rounded);
    let models = vec![("one".to_owned(), table(1.0)), ("other".to_owned(), table(100.0))];
    assert_eq!(looks(PoolTable::beside(models, Unmatched::Refused).unwrap()), Looks::Percentages);
    let mut with_surrogate = table(1.0);
    with_surrogate.surrogates.push(table(100.0).predictions);
    assert_eq!(looks(with_surrogate), Looks::Percentages);
}
