//! Parts of a set, chosen at random.

use labelwise::rng::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::error::{Error, Result};

/// So many of the items 0 to `items` − 1, in random order, none twice.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::Seed;
/// let chosen = labelwise_images::random(10, 4, &mut Seed(1).stream(Stream::Split, 0))?;
/// assert_eq!(chosen.len(), 4);
/// # Ok::<(), labelwise_images::Error>(())
/// ```
pub fn random(items: usize, wanted: usize, rng: &mut ChaCha8Rng) -> Result<Vec<usize>> {
    if wanted > items {
        return Err(Error::TooFew { wanted, items });
    }
    let mut all: Vec<usize> = (0..items).collect();
    // Only as many places as are wanted have to be settled.
    for place in 0..wanted {
        all.swap(place, place + below(items - place, rng));
    }
    all.truncate(wanted);
    Ok(all)
}

/// Parts of these sizes that share no item, each with the classes in the proportions that the labels have them, and in
/// random order. If a proportion is not a whole number, classes with the largest remainders get one more, and equal
/// remainders are settled at random.
///
/// ```
/// use labelwise::rng::Stream;
/// use labelwise::Seed;
/// let labels = [0, 0, 0, 0, 1, 1, 1, 1];
/// let parts = labelwise_images::stratified(&labels, &[4, 2], &mut Seed(1).stream(Stream::Split, 0))?;
/// let ones = |part: &[usize]| part.iter().filter(|&&item| item >= 4).count();
/// assert_eq!(parts.iter().map(|part| ones(part)).collect::<Vec<_>>(), [2, 1]);
/// # Ok::<(), labelwise_images::Error>(())
/// ```
pub fn stratified(labels: &[u8], sizes: &[usize], rng: &mut ChaCha8Rng) -> Result<Vec<Vec<usize>>> {
    let wanted = sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(*size)).unwrap_or(usize::MAX);
    if wanted > labels.len() {
        return Err(Error::TooFew { wanted, items: labels.len() });
    }
    let classes = labels.iter().max().map_or(0, |&label| usize::from(label) + 1);
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); classes];
    for (item, &label) in labels.iter().enumerate() {
        if let Some(class) = left.get_mut(usize::from(label)) {
            class.push(item);
        }
    }
    left.iter_mut().for_each(|class| shuffle(class, rng));
    let part = |&size: &usize| {
        let counts: Vec<usize> = left.iter().map(Vec::len).collect();
        let mut part = Vec::with_capacity(size);
        for (class, take) in left.iter_mut().zip(allocation(&counts, size, rng)) {
            part.extend(class.drain(class.len().saturating_sub(take)..));
        }
        shuffle(&mut part, rng);
        part
    };
    Ok(sizes.iter().map(part).collect())
}

/// How many of each class make `size` together.
fn allocation(counts: &[usize], size: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let total = counts.iter().sum::<usize>().max(1) as u128;
    let exact = |count: &usize| *count as u128 * size as u128;
    let mut takes: Vec<usize> = counts.iter().map(|count| (exact(count) / total) as usize).collect();
    let missing = size.saturating_sub(takes.iter().sum());
    let mut order: Vec<(u128, usize)> =
        counts.iter().enumerate().map(|(class, count)| (exact(count) % total, class)).collect();
    // A sort keeps the order of equal remainders, which is random here.
    shuffle(&mut order, rng);
    order.sort_by_key(|&(remainder, _)| std::cmp::Reverse(remainder));
    for (_, class) in order.into_iter().take(missing) {
        if let Some(take) = takes.get_mut(class) {
            *take += 1;
        }
    }
    takes
}

/// Puts things into a random order, by Fisher and Yates.
fn shuffle<T>(things: &mut [T], rng: &mut ChaCha8Rng) {
    for last in (1..things.len()).rev() {
        things.swap(last, below(last + 1, rng));
    }
}

/// A whole number below `bound`, which is above 0. The bias of a product of 64 bits is below 1e-10 for a billion items.
fn below(bound: usize, rng: &mut ChaCha8Rng) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}
