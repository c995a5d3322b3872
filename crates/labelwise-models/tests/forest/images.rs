//! Images like Fashion-MNIST's, made of whole numbers so that `scripts/make_forest_fixtures.py` makes the same ones.

const SIDE: i64 = 28;
const CLASSES: usize = 10;
const BLOBS: usize = 5;

/// How many features an image has.
pub(crate) const PIXELS: usize = (SIDE * SIDE) as usize;

/// The number at this place of a stream, as SplitMix64 has it.
fn whole_number(seed: u64, place: u64) -> i64 {
    let z = seed.wrapping_add((place + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 33) as i64
}

/// Pixels from 0 to 255, image after image, and the classes.
pub(crate) fn images(seed: u64, count: usize) -> (Vec<f64>, Vec<usize>) {
    let mut pixels = Vec::with_capacity(count * PIXELS);
    let mut labels = Vec::with_capacity(count);
    let draws = 1 + 3 * BLOBS + PIXELS;
    for image in 0..count {
        let draw = |place: usize| whole_number(seed, (image * draws + place) as u64);
        let label = draw(0) as usize % CLASSES;
        let blobs: Vec<[i64; 4]> = (0..BLOBS)
            .map(|blob| {
                let shape = |which: usize| whole_number(1, ((label * BLOBS + blob) * 4 + which) as u64);
                let moved = |which: usize| draw(1 + 3 * blob + which);
                let x = 5 + shape(0) % 18 + moved(0) % 9 - 4;
                let y = 5 + shape(1) % 18 + moved(1) % 9 - 4;
                let bright = (60 + shape(3) % 120) * (32 + moved(2) % 64) / 64;
                [x, y, (4 + shape(2) % 6).pow(2), bright]
            })
            .collect();
        for row in 0..SIDE {
            for column in 0..SIDE {
                let light = |&[x, y, reach, bright]: &[i64; 4]| {
                    bright * (reach - (column - x).pow(2) - (row - y).pow(2)).max(0) / reach
                };
                let light: i64 = blobs.iter().map(light).sum();
                let grain = draw(1 + 3 * BLOBS + (row * SIDE + column) as usize) % 40 - 20;
                let grey = if light > 0 { (light + grain).clamp(0, 255) } else { 0 };
                pixels.push(grey as f64);
            }
        }
        labels.push(label);
    }
    (pixels, labels)
}
