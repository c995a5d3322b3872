//! The bundled digits in the files of the image sets, and light learners in the place of networks: everything that the
//! experiments on images do but the networks themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use labelwise::Classification;
use labelwise::rng::ChaCha8Rng;
use labelwise::surrogate::{Data, Learner, Model};
use labelwise_images::Set;
use labelwise_models::{Ensemble, Forest};
use labelwise_paper::recipe::{Family, Network, Training};
use labelwise_paper::workshop::{EpochDone, Heard, Trainer};
use labelwise_paper::{Result, Scale, figure};

/// Digits to learn from; the others are test images.
const TRAIN: usize = 1000;
/// Pixels of a digit, a side.
const SIDE: usize = 8;

/// Pixels from 0 to 16 and the digit.
fn digits() -> Vec<(Vec<u8>, u8)> {
    let text = include_str!("../../../labelwise-models/tests/fixtures/forest_digits.csv");
    let rows = text.lines().skip(2).map(|line| line.split_once(',').unwrap());
    rows.map(|(label, pixels)| (pixels.bytes().map(|letter| letter - b'a').collect(), label.parse().unwrap()))
        .collect()
}

/// A digit drawn larger, in the middle of a dark square.
fn enlarged(pixels: &[u8], side: usize) -> Vec<u8> {
    let (times, edge) = (side / SIDE, side % SIDE / 2);
    let at = |place: usize| place.checked_sub(edge).map(|place| place / times).filter(|place| *place < SIDE);
    let pixel = |place: usize| match (at(place / side), at(place % side)) {
        (Some(row), Some(column)) => pixels[row * SIDE + column] * 15,
        _ => 0,
    };
    (0..side * side).map(pixel).collect()
}

/// Writes the digits as each of the sets, in its own format. They are fewer than were published, and say so.
pub(crate) fn write_sets(folder: &Path) {
    for set in Set::ALL {
        let folder = folder.join(set.name());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("PART"), "digits in the place of the set").unwrap();
    }
    let digits = digits();
    let (train, test) = digits.split_at(TRAIN);
    for set in [Set::Mnist, Set::FashionMnist] {
        let folder = folder.join(set.name());
        for (name, part) in [("train", train), ("t10k", test)] {
            let count = u32::try_from(part.len()).unwrap().to_be_bytes();
            let side = 28_u32.to_be_bytes();
            let pixels = part.iter().flat_map(|(pixels, _)| enlarged(pixels, 28));
            let head = [2051_u32.to_be_bytes(), count, side, side].concat();
            let images: Vec<u8> = head.into_iter().chain(pixels).collect();
            fs::write(folder.join(format!("{name}-images-idx3-ubyte")), images).unwrap();
            let head = [2049_u32.to_be_bytes(), count].concat();
            let labels: Vec<u8> = head.into_iter().chain(part.iter().map(|(_, label)| *label)).collect();
            fs::write(folder.join(format!("{name}-labels-idx1-ubyte")), labels).unwrap();
        }
    }
    let rows = |part: &[(Vec<u8>, u8)], coarse: bool| -> Vec<u8> {
        let row = |(pixels, label): &(Vec<u8>, u8)| {
            let head = if coarse { vec![0, *label] } else { vec![*label] };
            [head, enlarged(pixels, 32).repeat(3)].concat()
        };
        part.iter().flat_map(row).collect()
    };
    let cifar = folder.join(Set::Cifar10.name());
    for (place, batch) in train.chunks(TRAIN / 5).enumerate() {
        fs::write(cifar.join(format!("data_batch_{}.bin", place + 1)), rows(batch, false)).unwrap();
    }
    fs::write(cifar.join("test_batch.bin"), rows(test, false)).unwrap();
    let hundred = folder.join(Set::Cifar100.name());
    fs::write(hundred.join("train.bin"), rows(train, true)).unwrap();
    fs::write(hundred.join("test.bin"), rows(test, true)).unwrap();
}

/// A new folder for files that several tests share. Statics are never dropped, so it is where each build's tests put
/// their files, and what an earlier run has left there goes first.
pub(crate) fn shared_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", env!("CARGO_CRATE_NAME")));
    // Where there is nothing there is nothing to remove.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A folder with all sets, made once.
pub(crate) fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    DATA.get_or_init(|| {
        let folder = shared_folder("digits");
        write_sets(&folder);
        folder
    })
}

/// Forests in the place of networks, and ensembles of them in the place of Bayesian ones.
pub(crate) struct Light {
    /// How many were fitted.
    pub(crate) fitted: AtomicUsize,
    /// How many there is power for.
    pub(crate) power: AtomicUsize,
}

impl Light {
    const fn new() -> Self {
        Self { fitted: AtomicUsize::new(0), power: AtomicUsize::new(usize::MAX) }
    }
}

/// For whoever does not count.
pub(crate) static LIGHT: Light = Light::new();
/// For whoever counts, one test only.
pub(crate) static COUNTING: Light = Light::new();
/// For whoever is interrupted, one test only.
pub(crate) static INTERRUPTED: Light = Light::new();

struct Counted<L>(L, &'static Light);

impl<L: Learner<Classification>> Learner<Classification> for Counted<L> {
    fn fit(
        &self,
        data: &Data<Classification>,
        columns: usize,
        rng: &mut ChaCha8Rng,
    ) -> labelwise::Result<Box<dyn Model<Classification>>> {
        if self.1.fitted.load(Ordering::SeqCst) >= self.1.power.load(Ordering::SeqCst) {
            return Err(labelwise::Error::Option { name: "the power", value: 0.0, range: "on" });
        }
        self.1.fitted.fetch_add(1, Ordering::SeqCst);
        self.0.fit(data, columns, rng)
    }
}

impl Trainer for Light {
    fn learner(
        &self,
        _: Set,
        network: &Network,
        _: &Training,
        heard: Heard,
    ) -> Result<Box<dyn Learner<Classification>>> {
        heard(EpochDone { epoch: 1, of: 1, validation_loss: Some(0.5) });
        // Statics are all there is of this type.
        let all: [&'static Self; 3] = [&LIGHT, &COUNTING, &INTERRUPTED];
        let light = all.into_iter().find(|light| std::ptr::eq(self, *light)).unwrap();
        let forest = |trees| Forest::default().trees(trees).min_samples_leaf(2);
        Ok(match network.family {
            Family::ResNet18 | Family::WideResNet40 { .. } => Box::new(Counted(forest(6), light)),
            Family::ResNet34 => Box::new(Counted(forest(8), light)),
            Family::ResNet50 => Box::new(Counted(forest(10), light)),
            Family::Given(_) => panic!("nobody trains what is given"),
            Family::RadialBnn { test_samples, .. } => {
                Box::new(Counted(Ensemble::new(forest(3), test_samples)?.bootstrap(), light))
            }
        })
    }
}

/// A folder with the archives of all figures at smoke scale, made once.
pub(crate) fn archives() -> &'static Path {
    static ARCHIVES: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVES.get_or_init(|| {
        let folder = shared_folder("archives");
        for figure in ["5", "6", "7", "8", "a2"] {
            let recipes = figure::figure(figure).unwrap().recipes(Default::default(), Scale::Smoke);
            workshop(&folder, Some(&LIGHT)).shelf(&recipes).unwrap();
        }
        folder
    })
}

/// A workshop with the digits.
pub(crate) fn workshop(
    archives: &Path,
    trainer: Option<&'static dyn Trainer>,
) -> labelwise_paper::workshop::Workshop<'static> {
    labelwise_paper::workshop::Workshop {
        figure: "6",
        archives: archives.to_owned(),
        data: Some(data().to_owned()),
        trainer,
        tell: &|_| {},
    }
}
