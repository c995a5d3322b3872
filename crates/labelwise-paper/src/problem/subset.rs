//! Random test sets: some of the items of an archive, and the rows that go with them.

use labelwise::rng::Stream;
use labelwise::{Matrix, Result, Seed};
use labelwise_images::{random, stratified};

use super::Settings;

/// `size` items in random order; all items in their order, if there are not more. The text stratifies test sets by
/// class, the released code does not.
pub(super) fn test_set(
    labels: &[u8],
    size: usize,
    settings: Settings,
    seed: Seed,
) -> labelwise_images::Result<Vec<usize>> {
    if size >= labels.len() {
        return Ok((0..labels.len()).collect());
    }
    let rng = &mut seed.stream(Stream::Split, 0);
    match settings {
        Settings::Text => Ok(stratified(labels, &[size], rng)?.pop().unwrap_or_default()),
        Settings::Released => random(labels.len(), size, rng),
    }
}

/// These rows of a table, which is shared where all are wanted in their order.
pub(super) fn rows(table: &Matrix, items: &[usize]) -> Result<Matrix> {
    if items.len() == table.rows() && items.iter().copied().eq(0..items.len()) {
        return Ok(table.clone());
    }
    let mut reader = table.reader();
    let mut values = Vec::with_capacity(items.len() * table.columns());
    items.iter().for_each(|&item| values.extend_from_slice(reader.row(item)));
    Matrix::f64(values, table.columns())
}

/// These of the values.
pub(super) fn picked<T: Copy>(values: &[T], items: &[usize]) -> Vec<T> {
    items.iter().filter_map(|&item| values.get(item).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_values_are_those_of_the_items() {
        let table = Matrix::f32((0..8).map(|value| value as f32).collect::<Vec<_>>(), 2).unwrap();
        let some = rows(&table, &[3, 1]).unwrap();
        let mut reader = some.reader();
        assert_eq!((reader.row(0).to_vec(), reader.row(1).to_vec()), (vec![6.0, 7.0], vec![2.0, 3.0]));
        assert_eq!(rows(&table, &[0, 1, 2, 3]).unwrap().singles(), table.singles());
        assert_eq!(picked(&[5, 6, 7], &[2, 0]), [7, 5]);
    }

    #[test]
    fn the_text_s_test_sets_have_each_class_in_its_proportion() {
        let labels: Vec<u8> = (0..100).map(|item| u8::from(item < 20)).collect();
        for seed in 0..20 {
            let items = test_set(&labels, 50, Settings::Text, Seed(seed)).unwrap();
            assert_eq!(items.iter().filter(|item| **item < 20).count(), 10);
        }
        let counts = |seed| {
            let items = test_set(&labels, 50, Settings::Released, Seed(seed)).unwrap();
            items.iter().filter(|item| **item < 20).count()
        };
        assert!((0..20).any(|seed| counts(seed) != 10));
        assert_eq!(test_set(&labels, 100, Settings::Text, Seed(1)).unwrap(), (0..100).collect::<Vec<_>>());
    }
}
