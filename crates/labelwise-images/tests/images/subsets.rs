use std::collections::HashSet;

use labelwise::Seed;
use labelwise::rng::{ChaCha8Rng, Stream};
use labelwise_images::{random, stratified};

fn rng(counter: u64) -> ChaCha8Rng {
    Seed(3).stream(Stream::Split, counter)
}

/// Labels of uneven classes, not in order: 50 of class 0, 30 of 1, 20 of 2.
fn labels() -> Vec<u8> {
    (0..100)
        .map(|item: u32| match item * 37 % 100 {
            0..50 => 0,
            50..80 => 1,
            _ => 2,
        })
        .collect()
}

fn counts(labels: &[u8], part: &[usize]) -> [usize; 3] {
    let mut counts = [0; 3];
    part.iter().for_each(|&item| counts[usize::from(labels[item])] += 1);
    counts
}

#[test]
fn each_part_has_the_classes_in_their_proportions_and_parts_share_nothing() {
    let labels = labels();
    let parts = stratified(&labels, &[10, 40, 20], &mut rng(0)).unwrap();
    let found: Vec<[usize; 3]> = parts.iter().map(|part| counts(&labels, part)).collect();
    assert_eq!(found, [[5, 3, 2], [20, 12, 8], [10, 6, 4]]);
    let all: HashSet<usize> = parts.iter().flatten().copied().collect();
    assert_eq!(all.len(), 70);
}

#[test]
fn what_is_left_over_by_rounding_goes_to_the_largest_remainders_and_ties_go_to_anyone() {
    // 7 of 100: 3.5, 2.1 and 1.4, so that class 0 gets the one that is missing.
    let labels = labels();
    assert_eq!(counts(&labels, &stratified(&labels, &[7], &mut rng(1)).unwrap()[0]), [4, 2, 1]);
    // One of two equal classes: over many seeds each of them.
    let even = [0, 0, 1, 1];
    let firsts: HashSet<u8> =
        (0..40).map(|counter| even[stratified(&even, &[1], &mut rng(counter)).unwrap()[0][0]]).collect();
    assert_eq!(firsts.len(), 2);
}

#[test]
fn all_items_can_be_had_and_no_more() {
    let labels = labels();
    let mut all = stratified(&labels, &[33, 67], &mut rng(2)).unwrap().concat();
    all.sort_unstable();
    assert_eq!(all, (0..100).collect::<Vec<_>>());
    assert_eq!(
        stratified(&labels, &[33, 68], &mut rng(2)).unwrap_err().to_string(),
        "101 items were asked for, but there are 100: ask for at most 100"
    );
    assert!(random(3, 4, &mut rng(0)).is_err());
    assert!(stratified(&labels, &[usize::MAX, 2], &mut rng(2)).is_err());
}

#[test]
fn every_item_is_as_probable_as_any_other() {
    let labels = labels();
    let (mut plain, mut strata) = (vec![0_u32; 100], vec![0_u32; 100]);
    for counter in 0..4000 {
        random(100, 10, &mut rng(counter)).unwrap().into_iter().for_each(|item| plain[item] += 1);
        let part = stratified(&labels, &[10], &mut rng(counter)).unwrap();
        part[0].iter().for_each(|&item| strata[item] += 1);
    }
    // 400 times each, with a standard deviation of 19.
    for (item, count) in plain.into_iter().chain(strata).enumerate() {
        assert!((310..=490).contains(&count), "item {item} was chosen {count} times");
    }
}

#[test]
fn parts_are_in_random_order_and_a_function_of_the_seed() {
    let one = random(1000, 1000, &mut rng(5)).unwrap();
    assert_eq!(one, random(1000, 1000, &mut rng(5)).unwrap());
    assert_ne!(one, random(1000, 1000, &mut rng(6)).unwrap());
    let labels = labels();
    let part = &stratified(&labels, &[50], &mut rng(5)).unwrap()[0];
    assert!(!part.is_sorted() && !part.is_sorted_by_key(|&item| labels[item]));
    assert_eq!(part, &stratified(&labels, &[50], &mut rng(5)).unwrap()[0]);
}
